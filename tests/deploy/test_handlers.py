"""What the operator loads of ours: it waits while the API server does not know Dask's kinds; no cluster stays Pending, or without
its worker group."""

import asyncio
import json
import logging
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import httpx
import kopf
import kr8s.asyncio
import pytest

from marsdask.deploy.kubernetes import handlers, owners
from marsdask.deploy.kubernetes.operator import HANDLERS, RIGHTS
from marsdask.errors import ClusterUnreachable, NotPermitted

pytestmark = pytest.mark.once

UNKNOWN = NotPermitted(
    'cannot find RESTMapping: no matches for kind "DaskJob" in version "kubernetes.dask.org/v1"'
)


class Server:
    """Answers, or refuses, one call after the other; the last answer stays."""

    def __init__(self, *answers):
        self.answers, self.calls, self.core, self.closed = list(answers), [], self, False

    create_namespaced_service = "create a service"

    def call(self, function, namespace, body, **more):
        self.calls.append((function, namespace, body, more))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer

    def close(self):
        self.closed = True


@pytest.fixture
def started(monkeypatch):
    monkeypatch.setattr(owners, "own_namespace", lambda: "operators")

    def start(server: Server) -> Server:
        monkeypatch.setattr(owners, "Api", lambda: server)
        asyncio.run(handlers.known(logger=logging.getLogger("operator")))
        assert server.closed
        return server

    return start


def test_it_is_the_module_that_the_operator_loads() -> None:
    assert handlers.__name__ == HANDLERS
    assert any(resource == "services" and "create" in verbs for _, resource, verbs in RIGHTS)


def test_known_kinds_are_asked_for_once_and_nothing_is_made(started) -> None:
    [(function, namespace, body, more)] = started(Server(None)).calls
    assert (function, namespace, more) == ("create a service", "operators", {"dry_run": "All"})
    owners = body["metadata"]["ownerReferences"]
    assert [each["kind"] for each in owners] == ["DaskCluster", "DaskJob", "DaskWorkerGroup"]
    assert all(each["blockOwnerDeletion"] for each in owners)


def test_it_waits_for_unknown_kinds(started, monkeypatch, caplog) -> None:
    monkeypatch.setattr(owners, "PAUSE", 0.01)
    with caplog.at_level("INFO"):
        server = started(Server(UNKNOWN, UNKNOWN, None))
    assert len(server.calls) == 3
    assert 'Waiting: cannot find RESTMapping: no matches for kind "DaskJob"' in caplog.text


def test_it_starts_after_its_patience_and_says_so(started, monkeypatch, caplog) -> None:
    monkeypatch.setattr(owners, "PAUSE", 0.01)
    monkeypatch.setattr(owners, "PATIENCE", 0.05)
    started(Server(UNKNOWN))
    assert "Started, though after 0.05 s" in caplog.text


@pytest.mark.parametrize("error", [NotPermitted("services is forbidden"), ClusterUnreachable("no answer")])
def test_other_refusals_do_not_hold_it_up(started, error) -> None:
    assert len(started(Server(error)).calls) == 1


def service(kind: str, *ingress: str) -> dict:
    status = {"loadBalancer": {"ingress": [{"ip": ip} for ip in ingress]} if ingress else {}}
    return {"spec": {"type": kind}, "status": status}


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (service("ClusterIP"), {"phase": "Running"}),
        (service("LoadBalancer", "10.1.2.3"), {"phase": "Running"}),
        (service("LoadBalancer"), {}),
        (None, {}),
    ],
)
def test_a_cluster_is_running_when_its_service_is_there(monkeypatch, found, says) -> None:
    asked = []

    class Services:
        def service(self, *where):
            asked.append(where)
            return found

        def close(self):
            asked.append("closed")

    monkeypatch.setattr(handlers, "Api", Services)
    patch = kopf.Patch()
    asyncio.run(handlers.running(name="plain", namespace="there", patch=patch))
    assert (asked, dict(patch.status)) == ([("there", "plain-scheduler"), "closed"], says)


def test_a_cluster_without_its_worker_group_has_its_parts_made_again(monkeypatch) -> None:
    there = {("there", "plain-default"): False}

    class Groups:
        def get(self, plural, *where):
            assert plural == "daskworkergroups"
            return {} if there[where] else None

        def close(self):
            pass

    monkeypatch.setattr(handlers, "Api", Groups)

    def told(heard: dict, **status) -> dict:
        where = {"name": "plain", "namespace": "there"}
        patch = kopf.Patch()
        asyncio.run(handlers.complete(**where, groups=heard, status=status, patch=patch))
        return dict(patch.status)

    heard = asyncio.run(handlers.groups(name="plain-default", namespace="there"))
    assert told(heard, phase="Running") == {}  # without a question
    assert told({}, phase="Running") == {"phase": "Created"}
    there["there", "plain-default"] = True  # heard of later
    assert told({}, phase="Running") == {}
    assert told(heard) == {"phase": "Created"}  # kopf never told of it


def test_the_parts_of_a_cluster_that_stays_created_are_made_as_dask_kubernetes_makes_them(
    monkeypatch,
) -> None:
    from dask_kubernetes.operator.controller import controller

    made = []

    async def create(**known) -> None:
        made.append(known)

    monkeypatch.setattr(controller, "daskcluster_create_components", create)
    known = {
        "name": "plain",
        "namespace": "there",
        "logger": logging.getLogger(),
        "spec": {},
        "meta": {},
        "patch": kopf.Patch(),
    }
    asyncio.run(handlers.forgotten(**known))
    assert made == [known]


def test_what_is_being_made_is_left_alone() -> None:
    assert handlers.incomplete(status={})
    assert handlers.incomplete(status={"phase": "Running"})
    assert not any(handlers.incomplete(status={"phase": each}) for each in ("Created", "Pending", "Error"))


@pytest.mark.parametrize(
    ("deleted", "others", "left"),
    [(False, [], None), (True, [], []), (True, ["theirs"], ["theirs"])],
)
def test_a_cluster_that_is_deleted_is_let_go(deleted, others, left) -> None:
    meta = {"finalizers": [handlers.FINALIZER, *others]}
    if deleted:
        meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    patch = kopf.Patch()
    asyncio.run(handlers.let_go(meta=meta, patch=patch))
    assert patch.metadata.get("finalizers") == left


class Slow(BaseHTTPRequestHandler):
    """An API server that refuses /api/v1/refused, and answers /api/v1/slow only after that."""

    refused = threading.Event()

    def do_GET(self) -> None:
        if self.path.endswith("/slow"):
            assert self.refused.wait(30)
            time.sleep(0.3)  # for the client to do what it does when it is refused
        self.send_response(403 if self.path.endswith("/refused") else 200)
        self.end_headers()
        self.wfile.write(
            json.dumps({"major": "1", "minor": "35", "gitVersion": "v1.35.0", "message": "no"}).encode()
        )
        if self.path.endswith("/refused"):
            self.refused.set()

    def log_message(self, *_: object) -> None:
        pass


def test_what_is_refused_to_one_harms_no_other_request(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(kr8s.asyncio.Api, "_create_session", kr8s.asyncio.Api._create_session)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    async def told(api: kr8s.asyncio.Api, url: str) -> int:
        async with api.call_api("GET", url=url) as response:
            return response.status_code

    async def run() -> None:
        api = await kr8s.asyncio.api(url=f"http://127.0.0.1:{server.server_port}")
        await told(api, "first")
        slow = asyncio.create_task(told(api, "slow"))
        await asyncio.sleep(0.3)
        with pytest.raises(kr8s.ServerError):
            await told(api, "refused")
        assert await slow == 200

    try:
        with pytest.raises(httpx.ReadError):  # else there is nothing to mend any more
            asyncio.run(run())
        Slow.refused.clear()
        asyncio.run(handlers.unharmed(logger=logging.getLogger()))
        asyncio.run(run())
    finally:
        server.shutdown()
        server.server_close()


WORKER = "mars-default-worker-"


@pytest.mark.parametrize(
    ("chosen", "adaptive", "go"),
    [
        ([], False, ["w3", "w2"]),
        (["w3"], False, ["w3", "w2"]),
        (["w1", "w2"], False, ["w1", "w2"]),
        (["mars-gpu-worker-1", "w1"], False, ["w1", "w3"]),
        ([], True, []),
    ],
)
def test_as_many_go_as_a_smaller_group_wants(monkeypatch, chosen, adaptive, go):
    """Also where the scheduler knows none of them yet, or has chosen of another group."""
    from dask_kubernetes.operator.controller import controller

    class Found:
        apps = SimpleNamespace(list_namespaced_deployment=None)

        def resources(self, plural, namespace):
            assert (plural, namespace) == ("daskautoscalers", "flights")
            return [{"spec": {"cluster": "mars" if adaptive else "other"}}]

        def listed(self, function, namespace, label_selector):
            assert label_selector == "dask.org/workergroup-name=mars-default"
            ages = {f"{WORKER}2": 2, f"{WORKER}3": 3, f"{WORKER}1": 1}
            return [
                {"metadata": {"name": n, "creationTimestamp": f"2026-01-0{day}T00:00:00Z"}}
                for n, day in ages.items()
            ]

        def close(self):
            pass

    async def retire(n_workers, scheduler_service_name, worker_group_name, namespace, logger):
        return tuple(each.replace("w", WORKER) if each.startswith("w") else each for each in chosen)

    monkeypatch.setattr(handlers, "Api", Found)
    monkeypatch.setattr(controller, "retire_workers", retire)

    async def asked():
        log = logging.getLogger()
        await handlers.enough(logger=log)
        return await controller.retire_workers(
            n_workers=2,
            scheduler_service_name="mars-scheduler",
            worker_group_name="mars-default",
            namespace="flights",
            logger=log,
        )

    assert asyncio.run(asked()) == [each.replace("w", WORKER) for each in go]
