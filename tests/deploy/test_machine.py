"""Hosts and ports that options name and this machine does not have, and what is said where a start fails after all."""

import re
import socket

import pytest

from marsdask.deploy import running, worker
from marsdask.deploy.running import Failure
from marsdask.deploy.worker import Plan
from tests.deploy.planned import COMMANDS, ENDPOINT, call


def test_a_port_in_use_is_an_error_that_names_the_option(plans):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for command, option, named in (
            ("supervisor", "-p", "--port"),
            ("supervisor", "-w", "--web-port"),
            ("web", "-p", "--port"),
        ):
            more = ["-s", ENDPOINT] if command == "web" else []
            done = call(command, "-H", "127.0.0.1", option, port, *more)
            assert done.exit_code == 1
            assert f"{named} {port} on 127.0.0.1: port {port} is in use" in done.output
    assert not plans
    done = call("supervisor", "-H", "203.0.113.9", "-p", port)
    assert done.exit_code == 1
    assert "no address 203.0.113.9" in done.output


HOSTS = [
    *[("supervisor", o, v) for o in ("-H", "-a") for v in ("203.0.113.9", "nowhere.invalid")],
    *[("worker", o, v) for o in ("-H", "-a") for v in ("203.0.113.9", "nowhere.invalid")],
    *[(c, "-e", "203.0.113.9:7104") for c in COMMANDS],
    ("supervisor", "--dashboard-address", "203.0.113.9:7104"),
    ("worker", "--listen-address", "tcp://203.0.113.9:7104"),
    ("web", "-H", "nowhere.invalid"),
]


@pytest.mark.parametrize(("command", "option", "value"), HOSTS)
def test_a_host_that_cannot_be_bound_names_its_option(plans, command, option, value):
    done = call(command, *([] if command == "supervisor" else ["-s", ENDPOINT]), option, value)
    assert done.exit_code == 1, done.output
    host = value.removeprefix("tcp://").partition(":")[0]
    assert re.search(rf"Error: \S*{option}\S* {host}: this machine", done.output), done.output
    assert not plans


def test_a_port_of_a_worker_in_use_names_its_option():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for option, plan in (
            ("--port", Plan(None, worker={"worker_port": port})),
            ("--port", Plan(None, worker={"worker_port": port, "interface": "lo"}, nanny=False)),
            ("--nanny-port", Plan(None, watch={"port": port})),
        ):
            with pytest.raises(Failure, match=f"{option} {port} on 127.0.0.1: port {port} is in use"):
                worker._check_ports(plan, "tcp://127.0.0.1:1")
        worker._check_ports(Plan(None, worker={"worker_port": f"{port}:65000"}), "tcp://127.0.0.1:1")


def test_the_cause_of_a_failed_start():
    chain = RuntimeError("Nanny failed to start.")
    chain.__cause__ = OSError("address in use")
    chain.__cause__.__cause__ = TimeoutError()
    assert running.cause(chain) == "address in use"
    assert running.cause(TimeoutError()) == "TimeoutError"
