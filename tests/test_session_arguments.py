"""Bad arguments of `new_session`: an error that names argument and value, and nothing was started."""

import math
import socket
import threading
from typing import Any

import distributed
import psutil
import pytest

import marsdask.tensor as mt
from marsdask.errors import ArgumentError, ArgumentTypeError, MarsDaskError, MissingExtra
from marsdask.session import get_default_session, new_session
from tests.processes import PATIENCE

BAD: list[tuple[dict[str, Any], str]] = [
    *[({"n_worker": v}, "n_worker") for v in ("abc", -5, 0, 2.5, math.nan, math.inf, True, [2], 10**30)],
    *[({"n_cpu": v}, "n_cpu") for v in ("abc", -5, 0, 2.5, math.nan, math.inf, True)],
    *[
        ({"n_worker": 1, "memory": v}, "memory")
        for v in ("abc", -5, "-1GB", "10kB", 0, 2.5, math.nan, math.inf, True, False, "120%", "1 2g", b"4g", [1])
    ],
    *[({"mem_bytes": v}, "mem_bytes") for v in ("10kB", math.nan, "", [], "a\0b")],
    ({"memory": "128m", "n_worker": 64}, "memory"),
    ({"memory": "4g", "mem_bytes": "4g"}, "mem_bytes"),
    ({"n_worker": 3, "n_cpu": 2}, "n_worker"),
    ({"n_worker": 2, "n_cpu": 5}, "n_cpu"),
    *[({"timeout": v}, "timeout") for v in (0, -1, "5s", math.nan, math.inf, True)],
    *[({"security": v}, "security") for v in ("cert.pem", False, 1, {"ca": "x"})],
    *[({"n_worker": 1, "dashboard": v}, "dashboard") for v in ("abc", -5, 2.5, 70000, "host:", [8787])],
    ({"web": "yes"}, "web"),
    ({"web": True, "dashboard": 8787}, "dashboard"),
    *[({"backend": v}, "backend") for v in ("ray", "", 5)],
    *[({"session_id": v}, "session_id") for v in (5, "", b"x", "a\0b", "a\nb")],
    ({"default": "no"}, "default"),
    ({"new": 0}, "new"),
    ({"new": False}, "session_id"),
    *[({"address": v}, "address") for v in ("", "nowhere", "tcp://nowhere", "ftp://h:1", "h:0", "h:99999", 42, ["h:1"])],
    *[({"address": v}, "address") for v in ("http://", "http://h:x", "http://h:0", "tcp://h:-1", "tls://:1")],
    ({"address": "tcp://127.0.0.1:9", "n_worker": 2}, "n_worker"),
    ({"address": "tcp://127.0.0.1:9", "memory": "4g"}, "memory"),
    ({"address": "tcp://127.0.0.1:9", "dashboard": 8787}, "dashboard"),
    ({"address": "tls://127.0.0.1:9", "security": True}, "security"),
    ({"address": "tls://127.0.0.1:9", "security": "cert"}, "security"),
    ({"n_workers": 2}, "n_worker"),
    ({"memry": 2}, "memory"),
    ({"cuda_devices": [0]}, "cuda_devices"),
    ({"config": {}}, "dask.config.set"),
    ({"nonsense": 1}, "nonsense"),
]  # fmt: skip


def living() -> tuple[set[int], set[int]]:
    """Threads of this process, and processes it has started."""
    threads = (
        t for t in threading.enumerate() if not t.name.startswith(("Dask-", "asyncio_"))
    )  # of other sessions
    return {t.ident or 0 for t in threads}, {p.pid for p in psutil.Process().children(recursive=True)}


@pytest.mark.parametrize(("arguments", "named"), BAD, ids=str)
def test_bad_arguments(arguments: dict[str, Any], named: str) -> None:
    before, default = living(), get_default_session()
    with pytest.raises((ValueError, TypeError), match=named) as caught:
        new_session(**arguments)
    assert isinstance(caught.value, MarsDaskError)
    threads, processes = living()
    assert threads <= before[0]
    assert processes <= before[1]
    assert get_default_session() is default
    (last,) = list(arguments.items())[-1:]
    if last[0] not in ("new", "config") and not isinstance(last[1], (list, dict)):
        said = str(caught.value)
        assert repr(last[1]) in said or str(last[1]) in said or last[0] in said


def test_nothing_is_asked_for_a_session_nobody_opened() -> None:
    before = living()
    with pytest.raises(KeyError, match="'nobody'") as caught:
        new_session(session_id="nobody", new=False)
    assert isinstance(caught.value, MarsDaskError)
    assert living()[1] <= before[1]


def test_temporary_certificates_need_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cryptography", None)
    with pytest.raises(MissingExtra, match="cryptography"):
        new_session(n_worker=1, security=True)


def test_objects_that_bring_their_own_certificates() -> None:
    class Cluster:
        scheduler_address = "tcp://127.0.0.1:9"

    with pytest.raises(ValueError, match="security="):
        new_session(Cluster(), security=distributed.Security())


def test_memory_is_divided_in_powers_of_1024() -> None:
    from marsdask.engine.clusters import local

    for text in ("4g", "4G", "4GB", "4Gi", "4GiB", "4 gb"):
        assert local(n_worker=2, memory=text).memory_each == 2 * 2**30
    assert local(n_worker=2, memory=2**31).memory_each == 2**30
    half, whole = local(n_worker=1, memory=0.5).memory_each, local(n_worker=1, memory="100%").memory_each
    assert isinstance(half, int)
    assert isinstance(whole, int)
    assert abs(whole - 2 * half) <= 2
    assert local(n_worker=2).memory_each is None


def test_one_thread_in_each_process_unless_somebody_says() -> None:
    from marsdask.engine.clusters import local

    assert (local(n_worker=3).n_worker, local(n_worker=3).n_thread) == (3, 1)
    assert (local(n_worker=2, n_cpu=6).n_worker, local(n_worker=2, n_cpu=6).n_thread) == (2, 3)
    assert (local(n_cpu=4).n_worker, local(n_cpu=4).n_thread) == (1, 4)
    assert local(memory="4g").n_worker == 1


def test_a_dashboard_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        before = living()
        with pytest.raises(ArgumentError, match=rf"dashboard='127\.0\.0\.1:{port}'.*in use"):
            new_session(n_worker=1, dashboard=port)
    threads, processes = living()  # those of other sessions may end meanwhile
    assert threads <= before[0]
    assert processes <= before[1]


def test_waiting_is_for_seconds_and_wait_is_a_flag() -> None:
    x = mt.ones(3)
    with pytest.raises(ArgumentError, match="execute\\(wait='x'\\)"):
        x.execute(wait="x")
    info = x.execute(wait=False)
    with pytest.raises(ArgumentTypeError, match="result\\(timeout='x'\\)"):
        info.result(timeout="x")  # type: ignore[arg-type]
    assert info.result(PATIENCE) is x
