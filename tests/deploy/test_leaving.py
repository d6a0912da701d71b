"""What a worker of a cluster on Kubernetes does that is told to go, as a process here: its values go to others, and no file stays."""

import json
import os
import signal
import uuid
from pathlib import Path

import distributed
import pytest

from tests.deploy.conftest import Start
from tests.processes import PATIENCE

pytestmark = pytest.mark.processes


def drawn(_: int) -> str:
    """What would be another text if it were computed again."""
    return uuid.uuid4().hex


def test_a_worker_that_is_told_to_go(start: Start, tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    env = os.environ | {"DASK_MARSDASK__SPILL__DIRECTORIES": json.dumps([str(each) for each in folders])}
    boss = start(
        "dask",
        "scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--dashboard-address",
        "127.0.0.1:0",
        env=env,
    )
    address = boss.said(r"Scheduler at: +(tcp://\S+)")
    words = [
        "--host",
        "127.0.0.1",
        "--nthreads",
        "1",
        "--no-dashboard",
        "--worker-class",
        "marsdask.spill.MarsWorker",
    ]
    words += ["--local-directory", str(folders[0]), "--preload-nanny", "marsdask.deploy.kubernetes.leaving"]
    first, second = (start("dask", "worker", address, *words, env=env) for _ in range(2))
    with distributed.Client(address) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        held = client.map(drawn, range(40), pure=False)
        before = client.gather(held)
        assert len(set(client.has_what())) == 2
        assert any(path.is_file() for path in tmp_path.rglob("*.dirlock"))
        first.popen.send_signal(signal.SIGTERM)
        first.ended()
        assert client.gather(held) == before
        second.popen.send_signal(signal.SIGTERM)  # nobody takes what it has
        second.ended()
    assert [str(path) for each in folders for path in each.rglob("*") if path.is_file()] == []
