"""distributed's scratch directory is ours, or is not used: whose it is, his modules are imported."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from marsdask.errors import BadSpillDirectory
from marsdask.spill.directory import scratch
from tests.processes import PATIENCE

root = pytest.mark.skipif(os.getuid() != 0, reason="makes directories of other users, which only root can")
STRANGER = 12345


def test_made_for_us_alone(tmp_path: Path) -> None:
    path = Path(scratch(str(tmp_path)))
    assert path == tmp_path / "dask-scratch-space"
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert scratch(str(path)) == str(path)


def test_ours_that_others_may_write_to_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "dask-scratch-space"
    path.mkdir()
    path.chmod(0o777)
    assert scratch(str(tmp_path)) == str(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "dask-scratch-space").symlink_to(tmp_path / "elsewhere")
    assert scratch(str(tmp_path)) == f"{tmp_path}/dask-scratch-space-{os.getuid()}"


@root
def test_somebody_elses_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "dask-scratch-space"
    path.mkdir()
    os.chown(path, STRANGER, STRANGER)
    second = Path(scratch(str(tmp_path)))
    assert second == tmp_path / f"dask-scratch-space-{os.getuid()}"
    os.chown(second, STRANGER, STRANGER)
    with pytest.raises(BadSpillDirectory, match=rf"{second}.*belongs to user {STRANGER}"):
        scratch(str(tmp_path))


SESSION = """
import sys
from marsdask import new_session
with new_session(n_worker=1, default=False) as session:
    print(sys.path, session.client.run(lambda: __import__("sys").path))
"""
SUPERVISOR = """
import asyncio, sys
from marsdask.deploy.supervisor import Plan, started
async def main():
    scheduler = await started(Plan("127.0.0.1", 0, "127.0.0.1", 0, {"http_prefix": "/"}))
    print(sys.path)
    await scheduler.close()
asyncio.run(main())
"""


@root
@pytest.mark.processes
@pytest.mark.parametrize("program", [SESSION, SUPERVISOR], ids=["a session", "a supervisor"])
def test_no_process_imports_from_it(tmp_path: Path, program: str) -> None:
    """distributed puts scratch directories before all others that modules come from."""
    path = tmp_path / "dask-scratch-space"
    path.mkdir()
    path.chmod(0o777)
    os.chown(path, STRANGER, STRANGER)
    where = os.environ | {"DASK_TEMPORARY_DIRECTORY": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=where, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    assert f"{path}-{os.getuid()}" in done.stdout
    assert not re.search(rf"{path}['/]", done.stdout)
    assert not list(path.iterdir())
