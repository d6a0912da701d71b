"""Makes docs/images/dashboard.png: the dashboard in a real browser while rows are made, grouped and sorted.

    python -m tools.dashboard_picture [rows]
    python -m tools.dashboard_picture [rows] --kubernetes IMAGE

With an image it is docs/images/kubernetes.png, from a cluster in the current context of kubectl: on the node of the tests
`python -m tests.kubernetes.node enter -- python -m tools.dashboard_picture ...`. Needs Debian's chromium and
chromium-driver. Of all that the page shows while the job runs, the picture with most names stays.
"""

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import marsdask
import marsdask.dataframe as md
import marsdask.tensor as mt
from tests.browser import browser, drawn, missing

PICTURES = Path("docs/images")
LIMIT = 300_000


def job(rows: int, session: marsdask.session.Session) -> marsdask.session.ExecutionInfo:
    """Random rows by 100 keys: their means, and all of them sorted."""
    chunk = rows // 40
    frame = md.DataFrame(
        {
            "key": mt.random.randint(0, 100, rows, chunk_size=chunk),
            "value": mt.random.rand(rows, chunk_size=chunk),
        }
    )
    means = frame.groupby("key").agg({"value": ["mean", "max"]})
    ranked = frame[frame.value > 0.5].sort_values("value")
    return marsdask.execute(means, ranked, session=session, wait=False)


@contextlib.contextmanager
def opened(image: str | None) -> Iterator[tuple[marsdask.session.Session, str]]:
    """A session on two workers, and the address of its dashboard."""
    if image is None:
        with marsdask.new_session(n_worker=2, default=False) as session:
            assert session.dashboard_link is not None
            yield session, session.dashboard_link
        return
    from marsdask.deploy.kubernetes import new_cluster

    with new_cluster(worker_num=2, worker_cpu=0.5, worker_mem="1g", image=image, timeout=120) as cluster:
        yield cluster.session, cluster.dashboard_link


def main(rows: int, image: str | None) -> None:
    if absent := missing():
        sys.exit(f"not installed: {absent}")
    picture = PICTURES / ("dashboard.png" if image is None else "kubernetes.png")
    picture.parent.mkdir(exist_ok=True)
    best = 0
    with (
        opened(image) as (session, link),
        tempfile.TemporaryDirectory() as profile,
        browser(Path(profile), 1300, 820) as page,
    ):
        page.get(link)
        work = job(rows, session)
        while not work.done():
            names = len([text for text in drawn(page) if text[:1].isalpha()])
            taken = page.get_screenshot_as_png()
            if best < names and len(taken) < LIMIT:
                best = names
                picture.write_bytes(taken)
        work.result(60)
    print(f"{picture}: {picture.stat().st_size:,} bytes, {best} names")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The dashboard in a real browser while a job runs.")
    parser.add_argument("rows", nargs="?", type=int, default=10_000_000)
    parser.add_argument("--kubernetes", metavar="IMAGE")
    given = parser.parse_args()
    main(given.rows, given.kubernetes)
