"""Sphinx: the pages of this folder, in MyST Markdown."""

from importlib.metadata import version as installed

project = "marsdask"
version = release = installed("marsdask")
extensions = ["myst_parser"]
exclude_patterns = ["_build", "changes", "examples"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "marsdask"
html_copy_source = False
