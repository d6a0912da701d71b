"""A real browser without a screen, and what it shows of a Dask dashboard."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.processes import PATIENCE

PROGRAMS = ("chromium", "chromedriver")
ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
)  # fmt: skip

# Every text column of what the page's plots draw. Bokeh draws on a canvas: the page's own text has none of it.
DRAWN = """
const found = [];
for (const document of (window.Bokeh ? Bokeh.documents : []))
  for (const model of document.all_models)
    if (model.type === 'GlyphRenderer' && model.visible) {
      const data = model.data_source.data;
      for (const column of (data instanceof Map ? data.keys() : Object.keys(data)))
        for (const value of Array.from(data instanceof Map ? data.get(column) : data[column]))
          if (typeof value === 'string') found.push(value);
    }
return found;
"""


def missing() -> str:
    """Which program is not installed; nothing if all are."""
    return ", ".join(name for name in PROGRAMS if shutil.which(name) is None)


@contextlib.contextmanager
def browser(profile: Path, width: int = 1400, height: int = 900) -> Iterator[Any]:
    """A Chromium of its own, which ends with the block. `profile`: an empty directory for it."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    chromium, driver = (shutil.which(name) for name in PROGRAMS)
    assert chromium is not None
    options.binary_location = chromium
    for argument in (*ARGUMENTS, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
        options.add_argument(argument)
    started = webdriver.Chrome(
        options, webdriver.ChromeService(driver)
    )  # with paths it looks for none on the net
    try:
        started.set_page_load_timeout(PATIENCE)
        started.set_script_timeout(PATIENCE)
        yield started
    finally:
        started.quit()


def drawn(page: Any) -> set[str]:
    """The texts in what the plots of the page draw."""
    return set(page.execute_script(DRAWN))
