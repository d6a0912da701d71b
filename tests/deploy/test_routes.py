"""What the operator asks a scheduler of a cluster on Kubernetes by HTTP, and what strangers get there."""

import asyncio
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import dask
import pytest
from distributed import Client, Scheduler, SpecCluster, Worker
from distributed.core import Status
from distributed.deploy import Cluster

from marsdask.deploy.kubernetes import names, routes, specs
from marsdask.deploy.kubernetes.addresses import Place
from marsdask.deploy.kubernetes.cluster import AttachedCluster
from marsdask.engine import pages
from tests.processes import PATIENCE, until

pytestmark = pytest.mark.filterwarnings(
    "ignore:Scheduler already contains a plugin with name worker-status"
)  # of two clusters on one


@pytest.fixture
def dasks(groups: tuple[str, ...]) -> Iterator[Any]:
    """Three workers, of these groups, beside a scheduler with the routes of one on Kubernetes."""
    local = {"host": "127.0.0.1", "protocol": "tcp"}
    pods = {
        f"mars-{group}-worker-{i}": {"cls": Worker, "options": {"nthreads": 1} | local}
        for i, group in enumerate(groups)
    }
    scheduler = {"cls": Scheduler, "options": {"dashboard_address": "127.0.0.1:0", "port": 0} | local}
    with (
        dask.config.set({"distributed.scheduler.http.routes": list(specs.ROUTES)}),
        SpecCluster(workers=pods, scheduler=scheduler, name="mars") as made,
    ):
        until(lambda: there(made, len(groups)), "the workers have registered")
        yield made


@pytest.fixture
def groups() -> tuple[str, ...]:
    return 3 * ("default",)


SEVERAL = pytest.mark.parametrize("groups", [("default", "default", "gpu", "gpu")], ids=["two groups"])


@SEVERAL
def test_only_workers_of_the_group_that_became_smaller_retire(dasks: Any, ours: Any) -> None:
    ours.scale(1, "gpu")
    (retired,) = asked(dasks, "retire_workers", n=1).values()
    assert names.group_of(retired["name"]) == "mars-gpu"
    until(lambda: there(dasks, 3), "one has gone")
    assert asked(dasks, "retire_workers", n=2) == 403
    ours.scale(0)
    gone = asked(dasks, "retire_workers", n=2).values()
    assert {names.group_of(each["name"]) for each in gone} == {"mars-default"}


@SEVERAL
def test_of_two_groups_that_become_smaller_each_loses_its_own(dasks: Any, ours: Any) -> None:
    ours.scale(0)
    ours.scale(1, "gpu")
    gone = [
        names.group_of(each["name"]) for n in (1, 2) for each in asked(dasks, "retire_workers", n=n).values()
    ]
    assert gone == ["mars-gpu", "mars-default", "mars-default"]


@SEVERAL
def test_workers_of_other_groups_count_for_the_work(
    dasks: Any, ours: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours.adapt(minimum=0, maximum=3)
    monkeypatch.setattr(dasks.scheduler, "adaptive_target", lambda: 3)
    assert asked(dasks, "adaptive_target") == {"workers": 1}
    assert asked(dasks, "retire_workers", n=2) == {}
    (retired,) = asked(dasks, "retire_workers", n=1).values()
    assert names.group_of(retired["name"]) == "mars-default"


@pytest.fixture
def ours(dasks: Any) -> Iterator[Any]:
    """The cluster's object that users have; its Kubernetes does whatever is asked."""
    api: Any = SimpleNamespace(deleted=lambda *_: False, patched=lambda *_, **__: {"metadata": {}})
    cluster: Any = AttachedCluster(api, "there", "mars", service=None, security=None, own_namespace=True)
    cluster.place = Place("127.0.0.1", dasks.scheduler.port, 0)
    try:
        cluster.connect()
        yield cluster
    finally:
        Cluster.close(cluster)


def test_what_has_ended_the_watch_of_the_workers_ends_no_stop(
    dasks: Any, ours: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def of_nobody(dask_scheduler: Any) -> None:
        dask_scheduler.plugins["worker-status"].bcomm.send(["remove", "tcp://127.0.0.1:1"])

    with Client(ours) as client:
        client.run_on_scheduler(of_nobody)
        until(ours._watch_worker_status_task.done, "the watch has failed")
    ours.disconnect()
    assert ours.status is Status.closed
    assert "in namespace 'there' was not closed as it should be" in caplog.text
    ours.disconnect()


def asked(dasks: Any, route: str, **body: Any) -> Any:
    """The answer to a request, a POST where it has a body; or its status."""
    data = json.dumps(body).encode() if body else None
    url = f"http://127.0.0.1:{dasks.scheduler.http_server.port}/api/v1/{route}"
    try:
        with urllib.request.urlopen(url, data, timeout=PATIENCE) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code


def there(dasks: Any, n: int) -> bool:
    return len(dasks.scheduler.workers) == n


def test_strangers_retire_nobody(dasks: Any) -> None:
    everyone = list(dasks.scheduler.workers)
    assert asked(dasks, "retire_workers", n=1) == 403
    assert asked(dasks, "retire_workers", workers=everyone) == 403
    assert asked(dasks, "adaptive_target") == 403
    assert asked(dasks, "get_workers") == 404
    assert list(dasks.scheduler.workers) == everyone


def test_the_operator_retires_as_many_as_a_new_size_leaves(dasks: Any, ours: Any) -> None:
    ours.scale(2)
    assert asked(dasks, "retire_workers", n=2) == 403
    assert asked(dasks, "adaptive_target") == 403
    (retired,) = asked(dasks, "retire_workers", n=1).values()
    assert names.group_of(retired["name"]) == "mars-default"  # by its name the operator finds what to delete
    until(lambda: there(dasks, 2), "one has gone")


def test_a_stranger_who_is_faster_has_the_operator_delete_the_same(dasks: Any, ours: Any) -> None:
    ours.scale(2)
    first = asked(dasks, "retire_workers", n=1)
    until(lambda: there(dasks, 2), "one has gone")
    assert asked(dasks, "retire_workers", n=1) == first
    ours.scale(1)
    assert asked(dasks, "retire_workers", n=1).keys().isdisjoint(first)
    until(lambda: there(dasks, 1), "one is left")


def test_requests_at_once_are_answered_one_after_another(
    dasks: Any, ours: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    retire = dasks.scheduler.retire_workers

    async def slowly(**which: Any) -> Any:
        await asyncio.sleep(0.2)
        return await retire(**which)

    monkeypatch.setattr(dasks.scheduler, "retire_workers", slowly)
    ours.scale(1)
    with ThreadPoolExecutor(6) as pool:
        answers = [*pool.map(lambda _: asked(dasks, "retire_workers", n=1), range(6))]
    gone = {name for each in answers if each != 403 for name in each}
    assert len(gone) == 2
    assert there(dasks, 1)


def test_with_adapt_idle_workers_go_down_to_the_minimum(dasks: Any, ours: Any) -> None:
    ours.adapt(minimum=1, maximum=3)
    assert asked(dasks, "adaptive_target") == {"workers": 0}
    assert asked(dasks, "retire_workers", n=3) == {}
    assert len(asked(dasks, "retire_workers", n=2)) == 2
    until(lambda: there(dasks, 1), "one is left")


def test_with_adapt_nobody_goes_whom_the_work_needs(
    dasks: Any, ours: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours.adapt(minimum=1, maximum=3)
    monkeypatch.setattr(dasks.scheduler, "adaptive_target", lambda: 3)
    assert asked(dasks, "retire_workers", n=1) == {}
    assert there(dasks, 3)


@pytest.mark.parametrize("body", [{"n": -1}, {"n": True}, {"n": "1"}, {"n": 1.5}, {"workers": []}])
def test_other_numbers_are_refused(dasks: Any, ours: Any, body: dict[str, Any]) -> None:
    ours.scale(0)
    assert asked(dasks, "retire_workers", **body) == 400
    assert there(dasks, 3)


def test_a_cluster_that_cannot_be_told_is_scaled_all_the_same(
    dasks: Any, ours: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def lost(**_: Any) -> Any:
        raise OSError("the scheduler is being moved")

    ours.scheduler_comm = SimpleNamespace(set_metadata=lost, close_rpc=ours.scheduler_comm.close_rpc)
    ours.scale(1)
    assert "the scheduler is being moved" in caplog.text


GO_ON = threading.Event()


def waiting() -> bool:
    """A task; workers are threads of this process."""
    return GO_ON.wait(PATIENCE)


def idle(dasks: Any) -> Any:
    answer = asked(dasks, "check_idle")
    return answer if isinstance(answer, int) else answer["idle_since"]


def test_a_cluster_without_an_end_of_its_own_does_not_tell_whether_it_is_idle(dasks: Any) -> None:
    assert idle(dasks) == 403


def test_a_cluster_is_idle_without_a_task(dasks: Any) -> None:
    GO_ON.clear()
    with dask.config.set({names.IDLE: 60}), Client(dasks.scheduler_address, set_as_default=False) as client:
        until(lambda: idle(dasks), "it is idle")
        since = idle(dasks)
        assert idle(dasks) == since
        future = client.submit(waiting, pure=False)
        until(lambda: idle(dasks) == 0, "it has something to do")
        GO_ON.set()
        future.result()
        until(lambda: idle(dasks) > since, "it is idle again, though it holds data")


def test_a_cluster_is_not_idle_while_somebody_tells_that_he_needs_it(
    dasks: Any, ours: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "HOLDS", 1000.0)
    with dask.config.set({names.IDLE: 60}):
        until(lambda: idle(dasks), "it is idle")
        told = time.time()
        ours.tell_alive()
        assert idle(dasks) > told + 999
        assert idle(dasks) == idle(dasks)
        ours.tell_alive()
        until(lambda: idle(dasks) > told + 999.1, "it was told again")


def test_a_cluster_is_idle_whose_maps_have_died(
    dasks: Any, ours: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "HOLDS", 1000.0)
    now = time.time()
    with dask.config.set({names.IDLE: 60}):
        until(lambda: idle(dasks), "it is idle")
        assert idle(dasks) < now + 999
        # The clock of the map's machine is an hour behind.
        ours._tell(keys=[pages.KEY, "a"], value={"state": "active", "page": "", "at": now - 3600})
        told = idle(dasks)
        assert told > now + 999
        time.sleep(0.05)
        assert idle(dasks) == told
        ours._tell(keys=[pages.KEY, "a"], value={"state": "done", "page": "", "at": now - 3500})
        assert idle(dasks) == told


def test_a_cluster_ends_at_its_time_whatever_runs(dasks: Any) -> None:
    GO_ON.clear()
    with Client(dasks.scheduler_address, set_as_default=False) as client:
        future = client.submit(waiting, pure=False)
        with dask.config.set({names.ENDS: time.time() + 100}):
            assert idle(dasks) == 0
        with dask.config.set({names.ENDS: time.time() - 1}):
            assert 0 < idle(dasks) < time.time() - 10 * 365 * 86400
        GO_ON.set()
        future.result()
