"""A supervisor and a worker on two machines: network namespaces that a wire joins."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.deploy.conftest import BIN, Start
from tests.processes import PATIENCE

pytestmark = [pytest.mark.processes, pytest.mark.slow]
HERE, THERE = "10.213.7.1", "10.213.7.2"


def ip(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run(["ip", *words], capture_output=True, text=True, timeout=PATIENCE)


@pytest.fixture
def machines() -> Iterator[tuple[list[str], list[str]]]:
    """What to put before a command to run it on the one machine, and on the other."""
    if not shutil.which("ip") or not shutil.which("nsenter"):
        pytest.skip("no network namespaces: the programs ip and nsenter are missing")
    names = [f"marsdask-{os.getpid()}-{which}" for which in ("a", "b")]
    try:
        for name in names:
            if (made := ip("netns", "add", name)).returncode:
                pytest.skip(f"no network namespaces: {made.stderr.strip()}")
        wire = ip(
            "-n", names[0], "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", names[1]
        )
        if wire.returncode:
            pytest.skip(f"no wire between network namespaces: {wire.stderr.strip()}")
        for name, address in zip(names, (HERE, THERE), strict=True):
            for words in (
                ["link", "set", "lo", "up"],
                ["addr", "add", f"{address}/24", "dev", "wire"],
                ["link", "set", "wire", "up"],
            ):
                done = ip("-n", name, *words)
                assert done.returncode == 0, done.stderr
        yield tuple(["/usr/bin/env", "nsenter", f"--net=/run/netns/{name}"] for name in names)
    finally:
        for name in names:
            ip("netns", "del", name)


def test_a_worker_joins_from_another_machine(machines, start: Start):
    """As docs/clusters.md has it: the supervisor's address on one machine, the endpoint of it on the other."""
    here, there = machines
    boss = start(*here, BIN / "mars-supervisor", "-a", HERE, "-p", 7103, "-w", 7104)
    boss.said(rf"Supervisor at tcp://{HERE}:7103, web at http://{HERE}:7104")
    assert f"{HERE}:7103, {HERE}:7104: NOT ENCRYPTED" in boss.said("(?s)Warning: .*Cure")
    plain = start(*there, BIN / "mars-worker", "-s", f"{HERE}:7103", "--n-cpu", 1)
    told = start(
        *there, BIN / "mars-worker", "-H", "0.0.0.0", "-a", THERE, "-s", f"{HERE}:7103", "--n-cpu", 1
    )
    for each in (plain, told):
        each.said(rf"Worker at tcp://{THERE}:\d+, of the supervisor at tcp://{HERE}:7103")
        each.said(r"\d+: NOT ENCRYPTED")
        assert "tcp://127.0.0.1" not in each.text  # where nobody on the other machine finds it
    code = (
        "import sys, marsdask, marsdask.tensor as mt\n"
        "marsdask.new_session(sys.argv[1])\n"
        "a = mt.random.rand(200, 200, chunk_size=50)\n"
        "print((mt.inner(a, a).execute().fetch() > 0).all(), a.execute().fetch().shape)"
    )
    for where in (f"http://{HERE}:7104", f"{HERE}:7103"):
        client = start(*there, sys.executable, "-c", code, where)
        assert client.ended() == 0, client.text
        # Not the last line: distributed may log as it ends, to the same file.
        assert "True (200, 200)" in client.text.splitlines()
    assert plain.end() == 0, plain.text
    assert boss.end() == 0
    assert told.ended() == 3
