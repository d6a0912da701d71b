"""How commands end: by a signal, because their supervisor is gone, or because they could not start."""

import os
import signal
import stat

import psutil
import pytest

import marsdask.tensor as mt
from marsdask import new_session
from tests.deploy.conftest import Command, Start, registered, supervisor
from tests.processes import PATIENCE, reserved_port

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def joined(start: Start, address: str, *words: object) -> Command:
    patient = ("--leave-timeout", f"{PATIENCE:g}s")
    return start("mars-worker", "-H", "127.0.0.1", "-s", address, "--n-cpu", 1, *patient, *words)


def up(*workers: Command) -> None:
    for each in workers:
        each.said(r"Worker at \S+, of the supervisor at \S+")


def test_a_worker_hands_its_data_over_at_sigterm(start):
    """One under a nanny and one without, after another; the last has nobody to hand over to."""
    boss, address, _ = supervisor(start)
    stays, first, second = (
        joined(start, address),
        joined(start, address),
        joined(start, address, "--no-nanny"),
    )
    up(stays, first, second)
    with new_session(address, default=False) as session:
        a = mt.random.rand(60, 60, chunk_size=10).execute(session=session)
        before = a.fetch(session=session)
        computed = tasks_done(session)
        for leaving in (first, second):
            assert leaving.end(signal.SIGTERM) == 0, leaving.text
        assert (a.fetch(session=session) == before).all()
        assert tasks_done(session) == computed  # handed over, and not computed again
        assert stays.end(signal.SIGTERM) == 4
        assert "no other worker" in stays.text
    assert boss.end(signal.SIGTERM) == 0
    assert "Traceback" not in boss.text + first.text + second.text + stays.text


SLOW = """
import asyncio

def dask_setup(scheduler):
    answer = scheduler.handlers["heartbeat_worker"]
    async def late(**told):
        await asyncio.sleep(3)
        return answer(**told)
    scheduler.handlers["heartbeat_worker"] = late
"""
"""A supervisor's preload: whatever time a worker leaves, a heartbeat of its is under way."""


def test_a_worker_that_leaves_amid_a_heartbeat_logs_no_traceback(start, tmp_path):
    slow = tmp_path / "slow.py"
    slow.write_text(SLOW)
    boss, address, _ = supervisor(start, "--preload", slow)
    stays, *leaving = workers = [joined(start, address, *words) for words in ((), (), ("--no-nanny",))]
    up(*workers)
    for each in leaving:
        assert each.end(signal.SIGTERM) == 0, each.text
    for each in (stays, boss):
        each.end(signal.SIGTERM)
    assert "Traceback" not in "".join(each.text for each in (boss, *workers))


def tasks_done(session) -> int:
    """How many tasks were ever computed."""
    return session.engine.client.run_on_scheduler(
        lambda dask_scheduler: sum(
            g.states["memory"] + g.states["released"] for g in dask_scheduler.task_groups.values()
        )
    )


def test_a_worker_whose_supervisor_is_gone_says_so(start):
    """Killed, or closed by a signal: in both cases the worker is to be started again, so it does not end well."""
    for how in (signal.SIGKILL, signal.SIGINT):
        boss, address, _ = supervisor(start)
        under_nanny, alone = joined(start, address), joined(start, address, "--no-nanny")
        up(under_nanny, alone)
        assert boss.end(how) == (0 if how == signal.SIGINT else -signal.SIGKILL)
        for each in (under_nanny, alone):
            assert each.ended() == 3, each.text
            assert f"The supervisor at {address} is gone" in each.text


def test_a_worker_that_was_told_to_leave_ends_well(start):
    _, address, _ = supervisor(start)
    # Long enough for a worker to join before it is to leave.
    retired, closed = joined(start, address, "--name", "r"), joined(start, address, "--lifetime", "10s")
    up(retired)
    with new_session(address, default=False) as session:
        session.engine.client.retire_workers(names=["r"], close_workers=True)
        assert retired.ended() == 0, retired.text
    assert closed.ended() == 0, closed.text


def test_a_worker_that_finds_no_supervisor_fails_in_time(start):
    with reserved_port() as port:
        command = joined(start, f"127.0.0.1:{port}", "--death-timeout", "1s")
        assert command.ended() == 1
        assert f"no supervisor answers at 127.0.0.1:{port} after 1 s (--death-timeout)" in command.text
        waiting = joined(start, f"127.0.0.1:{port}", "--death-timeout", f"{PATIENCE:g}s")
        waiting.said("Looking for a supervisor at")
        assert waiting.end(signal.SIGTERM) == 0
    missing = start("mars-worker", "--scheduler-file", command.log.parent / "none", "--death-timeout", "0.5s")
    assert missing.ended() == 1
    assert "--scheduler-file" in missing.text


def test_a_second_supervisor_on_the_same_ports_fails_and_leaves_nothing(start):
    boss, address, web = supervisor(start)
    for option, port in (("-p", address.rpartition(":")[2]), ("-w", web.rpartition(":")[2])):
        second = start("mars-supervisor", "-H", "127.0.0.1", option, port)
        assert second.ended() == 1
        assert f"{port} is in use" in second.text
    assert boss.end() == 0


def test_workers_on_the_same_machine_find_the_supervisor(start, tmp_path):
    """By its endpoint file, of this user only, which goes with it; one of a dead process is passed over."""
    env = os.environ | {"TMPDIR": str(tmp_path)}
    (tmp_path / "marsdask_supervisor.4194303").write_text('{"address": "tcp://127.0.0.1:1", "started": 1.0}')
    boss = start("mars-supervisor", "-H", "127.0.0.1", "--scheduler-file", tmp_path / "file", env=env)
    address = boss.said(r"Supervisor at (\S+),")
    (file,) = [each for each in tmp_path.glob("marsdask_supervisor.*") if str(boss.popen.pid) in each.name]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    by_endpoint = start("mars-worker", env=env)
    by_file = start("mars-worker", "--scheduler-file", tmp_path / "file", env=env)
    up(by_endpoint, by_file)
    assert not (tmp_path / "marsdask_supervisor.4194303").exists()
    for each in (by_endpoint, by_file):
        assert "NOT ENCRYPTED" not in each.text  # it binds what faces the supervisor, which is loopback
    assert boss.end() == 0
    assert not file.exists()
    assert not (tmp_path / "file").exists()
    assert by_endpoint.ended() == by_file.ended() == 3
    alone = start("mars-worker", env=env)
    assert alone.ended() == 1
    assert "No supervisor of yours runs on this machine" in alone.text
    assert address.startswith("tcp://")


def test_ctrl_c_in_a_terminal(start):
    """It reaches the command and its child processes; the data are handed over all the same."""
    boss, address, _ = supervisor(start, "--idle-timeout", "1 hour")
    leaves, stays = joined(start, address, "--load-modules", "wave"), joined(start, address)
    up(leaves, stays)
    child = psutil.Process(leaves.popen.pid).children(recursive=True)
    for each in child:
        each.send_signal(signal.SIGINT)
    assert leaves.end(signal.SIGINT) == 0, leaves.text
    assert "Traceback" not in leaves.text
    assert boss.end(signal.SIGINT) == 0
    assert stays.ended() == 3


def test_an_unencrypted_port_that_is_open_to_the_network_is_said_once(start):
    command = start("mars-supervisor", "-H", "0.0.0.0")
    command.said("NOT ENCRYPTED")
    assert command.end() == 0
    assert command.text.count("NOT ENCRYPTED") == 1
    assert "--tls-ca-file" in command.text


def test_settings_of_a_file_and_logs(start, tmp_path):
    (tmp_path / "mars.yml").write_text(
        "distributed:\n  scheduler:\n    no-workers-timeout: 7s\n    worker-tll: 3s\ncluster: {node_timeout: 90}\n"
        "task: {default_config: {}}\n"
    )
    words = ["-f", tmp_path / "mars.yml", "--log-level", "error", "--pid-file", tmp_path / "pid"]
    boss, address, web = supervisor(start, *words, "--n-worker", 1, "--n-cpu", 1)
    registered(web, 1)
    assert (tmp_path / "pid").read_text() == str(boss.popen.pid)
    assert " - INFO - " not in boss.text  # nor of its worker, a child process
    assert "distributed.scheduler.worker-tll is unknown" in boss.text
    assert "Did you mean 'distributed.scheduler.worker-ttl'" in boss.text
    assert "task of Mars's configuration has no effect" in boss.text
    with new_session(address, default=False) as session:
        ask = session.engine.client.run_on_scheduler
        assert ask(lambda dask_scheduler: dask_scheduler.no_workers_timeout) == 7
        assert ask(lambda dask_scheduler: dask_scheduler.worker_ttl) == 90
    assert boss.end() == 0
    assert not (tmp_path / "pid").exists()
