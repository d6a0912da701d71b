"""The files by which workers find a supervisor: whose they are, and when they count."""

import json
import os
from pathlib import Path

import pytest

from marsdask.deploy import endpoints
from marsdask.deploy.running import Failure


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """The directory of temporary files is an empty one."""
    monkeypatch.setattr(endpoints.tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_there_and_gone(folder):
    with pytest.raises(Failure, match="No supervisor of yours"):
        endpoints.the_one_here()
    path = endpoints.announce("tcp://127.0.0.1:7103")
    assert endpoints.the_one_here() == "tcp://127.0.0.1:7103"
    assert [path] == list(folder.iterdir())
    path.unlink()
    assert endpoints.found() == []


def test_several_are_named(folder):
    path = endpoints.announce("tcp://127.0.0.1:7103")
    said = json.loads(path.read_text()) | {"address": "tcp://127.0.0.1:7104"}
    parent = os.getppid()
    said["started"] = endpoints._started(parent)
    (folder / f"{endpoints.NAME}.{parent}").write_text(json.dumps(said))
    with pytest.raises(Failure, match=r"2 supervisors.*(7103.*7104|7104.*7103)"):
        endpoints.the_one_here()


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (4194303, '{"address": "tcp://h:1", "started": 1.0}'),  # no such process
        (None, '{"address": "tcp://h:1", "started": 1.0}'),  # another process had this number
        (None, '{"address": "tcp://h:1"}'),
        (None, "not json"),
        ("x", "{}"),
    ],
)
def test_a_stale_file_is_removed(folder, number, text):
    number = os.getpid() if number is None else number
    (folder / f"{endpoints.NAME}.{number}").write_text(text)
    assert endpoints.found() == []
    assert list(folder.iterdir()) == []


def test_what_is_no_file_of_this_user_does_not_count(folder, monkeypatch):
    path = endpoints.announce("tcp://127.0.0.1:7103")
    path.rename(folder / "elsewhere")
    path.symlink_to(folder / "elsewhere")
    assert endpoints.found() == []
    path.unlink()
    (folder / "elsewhere").rename(path)
    assert len(endpoints.found()) == 1
    me = os.getuid()
    monkeypatch.setattr(endpoints.os, "getuid", lambda: me + 1)
    assert endpoints.found() == []
    assert path.exists()  # not ours to remove
    os.mkfifo(folder / f"{endpoints.NAME}.1")
    assert endpoints.found() == []
