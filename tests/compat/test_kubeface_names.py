"""Names, files and results: kubeface's own tests of them, and what breaks."""

import io
import pickle
import time
from pathlib import Path
from typing import Any

import pytest

from marsdask.compat.kubeface import Result, backend, common, naming, serialization, status_writer, storage
from marsdask.errors import MarsDaskError


def test_jobs_both_ways() -> None:
    job = naming.JOB.make_string(cache_key="foo", node_id="node-master", randomness="123")
    assert job == "foo::node-master::123"
    assert naming.JOB.make_string(naming.JOB.make_tuple(job)) == job
    assert naming.JOB.prefix(cache_key=["foo"]) == "foo::"
    assert naming.JOB.prefix(cache_key=["foo", "fob"]) == "fo"
    assert naming.JOB.prefix() == ""
    odd = naming.JOB.make_string(cache_key="a:b-c.d", node_id="node-1", randomness="x")
    assert naming.JOB.make_tuple(odd).cache_key == "a:b-c.d"


def test_pages_both_ways() -> None:
    page = naming.JOB_STATUS_PAGE.make_string(format="json", status="active", job_name="foo::bar.x")
    assert page == "active::json::foo::bar.x.json"
    assert naming.JOB_STATUS_PAGE.make_tuple(page) == ("active", "json", "foo::bar.x")
    parsed = naming.JOB_STATUS_PAGE.make_tuple(page)
    assert pickle.loads(pickle.dumps(parsed)) == parsed
    assert naming.status_prefixes(statuses=["done"], formats=["json"]) == ["done::json::"]


BEGINNINGS: list[tuple[int, dict[str, list[str]], set[str]]] = [
    (2, {"status": ["active", "done"]}, {"done::", "active::"}),
    (4, {}, {f"{status}::{form}::" for status in ("active", "done") for form in ("html", "json")}),
    (
        4,
        {"job_name": ["foo1", "foo2"]},
        {f"{status}::{form}::foo" for status in ("active", "done") for form in ("html", "json")},
    ),
    (
        9,
        {"job_name": ["foo1", "foo2"]},
        {
            f"{status}::{form}::foo{number}.{form}"
            for status in ("active", "done")
            for form in ("html", "json")
            for number in (1, 2)
        },
    ),
    (1, {}, {""}),
]


@pytest.mark.parametrize(("most", "given", "expected"), BEGINNINGS)
def test_beginnings(most: int, given: dict[str, list[str]], expected: set[str]) -> None:
    assert set(naming.JOB_STATUS_PAGE.prefixes(max_prefixes=most, **given)) == expected


def test_numbers_in_names() -> None:
    task = naming.TASK.make_string(cache_key="run", task_num=7)
    assert task == "run::000007"
    assert naming.TASK.make_tuple(task).task_num == 7
    result = naming.TASK_RESULT.make_string(
        task_name=task, attempt_num=1, queue_time=2, result_time=3, result_type="value"
    )
    assert naming.TASK_RESULT.make_tuple(result).task_name == task


@pytest.mark.parametrize(
    ("work", "named"),
    [
        (lambda: naming.JOB.make_tuple("no"), "'no'"),
        (lambda: naming.JOB.make_string(cache_key="a"), "node_id"),
        (lambda: naming.JOB_STATUS_PAGE.make_string(status="x", format="json", job_name="a"), "status"),
    ],
)
def test_bad_names(work: Any, named: str) -> None:
    with pytest.raises(MarsDaskError, match=named) as caught:
        work()
    assert isinstance(caught.value, ValueError)


def test_new_prefixes_differ_and_are_folders() -> None:
    made = {naming.make_cache_key_prefix() for _ in range(20)}
    assert len(made) == 20
    assert not any(sign in name for name in made for sign in "/: ")
    assert naming.sanitize("A.b_c:d") == "a-b-c-d"


@pytest.mark.parametrize("where", ["plain", "b[1]", "c d", "file://", "memory://kubeface-files"])
def test_files(tmp_path: Path, where: str) -> None:
    if where.startswith("memory"):
        folder = where
    else:
        folder = f"{'file://' if where == 'file://' else ''}{tmp_path / where.strip(':/')}"
        Path(folder.removeprefix("file://")).mkdir()
    content = b"ABCDe" * 1000
    name = f"{folder}/kubeface-test-{time.time_ns()}.txt"
    short = name.rpartition("/")[2]
    storage.put(name, io.BytesIO(content), mime_type="text/plain")
    assert storage.list_contents(name) == [short]
    assert storage.list_contents(f"{folder}/kubeface-test-") == [short]
    assert storage.list_contents(f"{folder}/") == [short]
    assert storage.list_contents(f"{folder}/other") == []
    assert storage.get(name).read() == content
    into = io.BytesIO()
    assert storage.get(name, into) is into
    assert into.getvalue() == content
    storage.move(name, f"{folder}/other.txt")
    assert storage.list_contents(f"{folder}/") == ["other.txt"]
    with pytest.raises(ValueError, match="another file"):
        storage.move(f"{folder}/other.txt", f"{folder}/other.txt")
    storage.delete(f"{folder}/other.txt")
    assert storage.list_contents(f"{folder}/") == []
    with pytest.raises(FileNotFoundError):
        storage.get(name)
    assert storage.list_contents(f"{folder}/no/such/") == []


def test_bad_files() -> None:
    with pytest.raises(ImportError, match="adlfs"):
        storage.get("abfs://container/file")
    with pytest.raises(ValueError, match="nosuch"):
        storage.get("nosuch://bucket/file")
    with pytest.raises(TypeError, match="name"):
        storage.get(5)  # type: ignore[arg-type]
    assert storage.access_info("gs://bucket/a").endswith("/bucket/a")
    assert storage.access_info("/here") == "/here"


def test_results_in_files(tmp_path: Path) -> None:
    result = Result(1.0, 61.5, 2048, return_value=[1])
    path = tmp_path / "result"
    with path.open("wb") as file:
        serialization.dump(result, file)
    found = Result.from_storage(str(path))
    assert found.return_value == [1]
    assert found.serialization_info["storage_path"] == str(path)
    said = found.description("> ")
    assert "> ran for: 0:01:00.500000" in said
    assert "> input: 2 KiB" in said
    found.log()
    found.raise_if_exception()
    path.write_bytes(serialization.dumps({"no": "result"}))
    with pytest.raises(TypeError, match="expected a Result, got dict"):
        Result.from_storage(str(path))
    with pytest.raises(ValueError, match="return_value"):
        Result(0, 1, None, KeyError(), "", 5)
    with path.open("wb") as file:
        serialization.dump(lambda x: x + 1, file)
    with path.open("rb") as file:
        assert serialization.load(file)(1) == 2


def test_pages_of_a_job(caplog: pytest.LogCaptureFixture) -> None:
    writer = status_writer.DefaultStatusWriter("gs://bucket", "run::node-master::square-1")
    assert writer.json_path == "gs://bucket/run/status/square-1.json"
    with caplog.at_level("INFO"):
        writer.print_info()
    assert "console.cloud.google.com/storage/browser/bucket/run/status/square-1.html" in caplog.text


def test_a_backend_of_ones_own() -> None:
    with pytest.raises(NotImplementedError):
        backend.Backend().place(1, "gs://bucket")
    assert repr(backend.Backend()) == "<Backend>"
    with pytest.raises(Exception, match="non-zero exit status 3"):
        common.check_call("exit 3", shell=True)
