"""Hatchling calls this before it packs: the stubs are written from the registry, by this interpreter, into the tree."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Stubs(BuildHookInterface):  # type: ignore[misc,type-arg] # hatchling is not there outside of builds
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write them; in an unpacked source archive they are there already. A wheel has the image's Dockerfile as well."""
        if version == "standard" and self.target_name == "wheel":
            build_data["force_include"]["Dockerfile"] = "marsdask/deploy/kubernetes/Dockerfile"
        if not (Path(self.root) / "PKG-INFO").exists():
            subprocess.run([sys.executable, "-m", "tools.stubs"], cwd=self.root, check=True)
