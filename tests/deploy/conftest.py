"""Commands as processes on loopback, ended by their ids, and the check that nothing of them is left."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from marsdask.engine.address import bearing
from tests.deploy.planned import own_config, plans  # noqa: F401  fixtures for this folder
from tests.processes import PATIENCE, until

BIN = Path(sys.executable).parent


class Command:
    """A running command and what it has said so far, stdout and stderr together."""

    def __init__(self, log: Path, *words: object, env: dict[str, str] | None = None, cwd: Path | None = None):
        self.words = [str(word) for word in words]
        self.log = log
        with log.open("w") as file:
            self.popen = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, env=env, cwd=cwd
            )
        self.children: set[psutil.Process] = set()

    @property
    def text(self) -> str:
        return self.log.read_text()

    def said(self, pattern: str) -> str:
        """The first group of a pattern that it says, soon."""

        def found() -> re.Match[str] | None:
            running = self.popen.poll() is None  # first: of one that has ended all is there to be read
            matched = re.search(pattern, self.text)
            assert running or matched, "it has ended"
            return matched

        try:
            match: re.Match[str] = until(found, repr(pattern))
        except AssertionError as error:
            raise AssertionError(f"{' '.join(self.words)} did not say {pattern!r}:\n{self.text}") from error
        return match[1] if match.re.groups else match[0]

    def ended(self) -> int:
        """Its exit code, soon; nothing of its children is left."""
        with contextlib.suppress(psutil.NoSuchProcess):
            self.children |= set(psutil.Process(self.popen.pid).children(recursive=True))
        code = self.popen.wait(PATIENCE)
        _, left = psutil.wait_procs(self.children, timeout=PATIENCE)
        assert not left, f"{' '.join(self.words)} left {left}\n{self.text}"
        return code

    def end(self, how: int = signal.SIGTERM) -> int:
        """Its exit code after a signal."""
        with contextlib.suppress(psutil.NoSuchProcess):
            self.children |= set(psutil.Process(self.popen.pid).children(recursive=True))
        self.popen.send_signal(how)
        return self.ended()

    def put_away(self) -> None:
        """End it and its children, whatever happened."""
        with contextlib.suppress(psutil.NoSuchProcess):
            self.children |= set(psutil.Process(self.popen.pid).children(recursive=True))
        if self.popen.poll() is None:
            self.popen.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.popen.wait(PATIENCE)
        for process in (self.popen, *self.children):
            with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
                process.kill()
        self.popen.wait(PATIENCE)


Start = Callable[..., Command]


@contextlib.contextmanager
def starting(folder: Path) -> Iterator[Start]:
    """A function that starts commands; all are put away in the end, the last one first.

    Their directory for temporary files is their own: no other worker on this machine finds their supervisors by the
    endpoint files, and theirs find no other supervisor.
    """
    commands: list[Command] = []
    own = tempfile.mkdtemp(prefix="tmp-", dir=folder)

    def start(
        name: str, *words: object, env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> Command:
        program = BIN / name if "/" not in name else Path(name)
        env = {**os.environ, "TMPDIR": own} if env is None else env
        commands.append(
            Command(folder / f"{len(commands)}-{program.name}.log", program, *words, env=env, cwd=cwd)
        )
        return commands[-1]

    try:
        yield start
    finally:
        for each in reversed(commands):
            each.put_away()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a command: `start("mars-worker", "-s", endpoint)`."""
    with starting(tmp_path) as begin:
        yield begin


def supervisor(start: Start, *words: object) -> tuple[Command, str, str]:
    """A running supervisor on loopback, its address and its web."""
    command = start("mars-supervisor", "-H", "127.0.0.1", *words)
    found = command.said(r"Supervisor at \S+, web at \S+")
    _, _, address, _, _, web = found.split(" ")
    return command, address.rstrip(","), web


def registered(web: str, count: int) -> None:
    """Wait until a scheduler has so many workers."""
    where, _, token = web.partition("/?token=")
    asking = urllib.request.Request(f"{where}/json/counts.json", headers=bearing(token or None))

    def counted() -> bool:
        with contextlib.suppress(OSError), urllib.request.urlopen(asking, timeout=PATIENCE) as page:
            return f'"workers": {count},' in page.read().decode()
        return False

    until(counted, f"{count} workers")


@pytest.fixture(scope="module")  # idle, its five processes take a sixth of a core
def mars(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Start]]:
    """The web address of a supervisor with two workers, and a way to start more commands."""
    with starting(tmp_path_factory.mktemp("mars")) as begin:
        _, address, web = supervisor(begin)
        for number in range(2):
            words = [
                "-H",
                "127.0.0.1",
                "-s",
                address.removeprefix("tcp://"),
                "--n-cpu",
                1,
                "--name",
                f"w{number}",
            ]
            begin("mars-worker", *words)
        registered(web, 2)
        yield web, begin
