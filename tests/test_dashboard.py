"""The dashboard in a real browser while a job runs: our operations are on the page."""

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marsdask
import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.session import Session
from tests.browser import browser, drawn, missing
from tests.processes import PATIENCE, until

pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(missing()), reason=f"not installed: {missing()} (Debian: chromium chromium-driver)"
    ),
]


def slowly(chunk: Any) -> Any:
    time.sleep(0.5)
    return chunk


def job(done: threading.Event, session: Session) -> None:
    """Works until nobody looks any more, each time on other data."""
    number = 0
    while not done.is_set():
        number += 1
        whole = pd.DataFrame({"k": np.arange(400) % (10 + number), "v": np.arange(400.0)})
        frame = md.DataFrame(whole, chunk_size=50).map_chunk(slowly)
        table = frame.groupby("k").agg({"v": "mean"})
        top = frame.merge(frame, on="k").sort_values("v_x")
        t = mt.sort(mt.random.rand(4000, chunk_size=500))
        marsdask.execute(table, top, t, session=session)


def has_drawn(page: Any, *wanted: str) -> bool:
    texts = drawn(page)
    return all(any(words in text for text in texts) for words in wanted)


def test_our_operations_are_on_the_page(two_workers: Session, tmp_path: Path) -> None:
    done = threading.Event()
    worker = threading.Thread(target=job, args=(done, two_workers))
    worker.start()
    try:
        with browser(tmp_path / "profile") as page:
            page.get(two_workers.dashboard_link)
            wanted = ("map_chunk(slowly)", "groupby-agg", "sort", "merge")
            # All that a page has drawn is much to ask a busy browser for.
            until(lambda: has_drawn(page, *wanted), f"text with {wanted}", every=2)
            texts = drawn(page)
            assert not {"lambda", "getitem", "full_like"} & texts
            page.get(two_workers.dashboard_link.replace("/status", "/individual-progress"))
            until(lambda: has_drawn(page, "groupby-agg"), "groupby-agg in the progress", every=2)
            page.save_screenshot(str(tmp_path / "dashboard.png"))
        assert (tmp_path / "dashboard.png").stat().st_size > 10_000
    finally:
        done.set()
        worker.join(PATIENCE)
    assert not worker.is_alive()
