"""Everything that must hold before a change lands: steps, two at a time, and a table of how they ended.

`.ci/run` calls it; `.ci/run NAME...` runs the steps of these names, with what they need. It knows the standard library only,
and makes the environments that have the rest. A step's output is shown when the step ends, and the last lines of those
that failed once more at the end.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXPECTED = ROOT / ".ci" / "expected-skips"
TOGETHER = 2
LIMIT = 3600.0  # seconds of one step: what hangs must not take the others' reports with it
LAST_LINES = 40
FAILURE_LINES = 400  # of all failures of a step
SLOWEST = 15
LINE = 400  # characters, of a failure in the table: who keeps little of what is printed keeps its end


@dataclass(frozen=True)
class Step:
    """A command, and the steps that must have ended well before it. Of pytest's the skipped and slow tests are read."""

    name: str
    command: str
    after: tuple[str, ...] = ("setup",)
    pytest: bool = False
    waits: bool = False
    """Most of the time, so that it goes on beside two others."""

    @property
    def words(self) -> list[str]:
        args = [f"ARGS=-rfEs --durations={SLOWEST} --durations-min=1"] if self.pytest else []
        return [*self.command.split(), *args]


STEPS = (
    Step("setup", "make setup", after=()),
    Step("setup-oldest", "make setup-oldest", after=()),
    Step("browser", "make browser", after=()),
    Step("lint", "make lint"),
    Step("imports", "make imports"),
    Step("kubernetes-node", "make kubernetes-node", after=("setup", "browser")),  # of two apt-get one fails
    Step("test", "make test", pytest=True),
    Step("test-processes", "make test-processes", after=("setup", "browser"), pytest=True),
    Step("test-stores", "make test-stores", pytest=True),
    Step("types", "make types"),
    Step("generated-check", "make generated-check"),
    Step("docs", "make docs"),
    Step("demo", "make demo"),
    Step("wheel", "make test-wheel"),
    Step(
        "test-kubernetes",
        "make -o kubernetes-node test-kubernetes",
        after=("kubernetes-node",),
        pytest=True,
        waits=True,
    ),
    Step("test-oldest", "make test-oldest", after=("setup-oldest",), pytest=True),
)


@dataclass
class Run:
    """A step that runs or has ended."""

    step: Step
    log: Path
    process: subprocess.Popen[bytes]
    began: float = field(default_factory=time.monotonic)
    code: int | None = None
    seconds: float = 0.0
    busy: float = 0.0
    """Seconds of processors, of the command and of all that it waited for."""

    @property
    def text(self) -> str:
        return self.log.read_text(errors="replace")

    def has_ended(self) -> bool:
        pid, status, used = os.wait4(self.process.pid, os.WNOHANG)
        if pid:
            self.code = self.process.returncode = os.waitstatus_to_exitcode(status)
            self.seconds = time.monotonic() - self.began
            self.busy = used.ru_utime + used.ru_stime
        return bool(pid)


def expected_skips() -> list[tuple[str, re.Pattern[str]]]:
    """The steps and the reasons for which a test may be skipped: lines of `step: pattern`; `#` begins a comment."""
    lines = (line.strip() for line in EXPECTED.read_text().splitlines())
    pairs = (line.partition(": ") for line in lines if line and not line.startswith("#"))
    return [(step, re.compile(pattern)) for step, _, pattern in pairs]


def skipped(runs: Iterable[Run]) -> Iterator[tuple[str, str, bool]]:
    """Of every skip the step, pytest's line, and whether the list has it."""
    expected = expected_skips()
    for run in runs:
        for line in sorted(set(re.findall(r"^SKIPPED (.*)$", run.text, re.MULTILINE))):
            reason = line.partition(": ")[2]
            known = any(step == run.step.name and pattern.search(reason) for step, pattern in expected)
            yield run.step.name, line, known


def slowest(runs: Iterable[Run]) -> list[str]:
    """The slowest tests of all steps."""
    found = [
        (float(seconds), f"{seconds:>8}s {when:8} {run.step.name}: {test}")
        for run in runs
        for seconds, when, test in re.findall(
            r"^([\d.]+)s (call|setup|teardown) +(.*)$", run.text, re.MULTILINE
        )
    ]
    return [line for _, line in sorted(found, reverse=True)[:SLOWEST]]


def closing(run: Run) -> str:
    """What failed, a line each, and the runner's last lines: '== 12 passed, 1 skipped in 3.45s =='."""
    lines = r"^(?:FAILED|ERROR) \S+\.(?:py|md)\b.*|^=+ .*(?:passed|failed|error|no tests ran).* =+$"
    return "\n".join(line[:LINE] for line in re.findall(lines, run.text, re.MULTILINE))


class Gate:
    """The steps as they run."""

    def __init__(self, steps: Iterable[Step], logs: Path) -> None:
        self.waiting, self.logs = list(steps), logs
        self.running: list[Run] = []
        self.ended: dict[str, Run] = {}
        self.without: dict[str, str] = {}  # a step that could not run -> the step that it waited for
        self.began = time.monotonic()

    def next(self, *, full: bool) -> Step | None:
        """The first step that waits for nothing any more; those that wait in vain are struck off.

        Where the machine is full one that would mostly wait.
        """
        names = {step.name for step in self.waiting}
        for step in list(self.waiting):
            lost = [n for n in step.after if n in self.without or (n in self.ended and self.ended[n].code)]
            if lost:
                self.waiting.remove(step)
                self.without[step.name] = lost[0]
            elif (step.waits or not full) and all(
                n in self.ended or n not in names | {r.step.name for r in self.running} for n in step.after
            ):
                self.waiting.remove(step)
                return step
        return None

    def start(self, step: Step) -> None:
        log = self.logs / step.name
        print(f"==> {step.name} begins, at {self.clock()}: {step.command}", flush=True)
        with log.open("wb") as out:
            process = subprocess.Popen(
                step.words,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.running.append(Run(step, log, process))

    def clock(self) -> str:
        return f"{time.monotonic() - self.began:.0f} s"

    def run(self) -> None:
        while self.waiting or self.running:
            while step := self.next(full=sum(not run.step.waits for run in self.running) >= TOGETHER):
                self.start(step)
            for run in list(self.running):
                if time.monotonic() - run.began > LIMIT:
                    os.killpg(run.process.pid, signal.SIGKILL)
                if run.has_ended():
                    self.running.remove(run)
                    self.ended[run.step.name] = run
                    print(f"\n{run.text}<== {run.step.name}: {ending(run)}, at {self.clock()}\n", flush=True)
            time.sleep(0.1)

    def stop(self, *_: object) -> None:
        """End what runs, and show how far it came."""
        for run in self.running:
            os.killpg(run.process.pid, signal.SIGTERM)
            print(
                f"\n{tail(run)}\n<== {run.step.name}: stopped after {time.monotonic() - run.began:.0f} s",
                flush=True,
            )
        sys.exit(143)


def speed() -> str:
    """How fast the machine is just now: others use it, and two cores may be two threads of one."""
    return f"a loop of Python takes {_loop(1):.2f} s, {_loop(TOGETHER):.2f} s in {TOGETHER} processes at once"


def _loop(processes: int) -> float:
    code = "import time; began = time.perf_counter()\nfor i in range(10**7): i * i\nprint(time.perf_counter() - began)"
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    return max(float(each.communicate()[0]) for each in started)


def ending(run: Run) -> str:
    return f"{'ok' if run.code == 0 else 'FAILED':6} {run.seconds:4.0f} s, of processors {run.busy:4.0f} s"


def tail(run: Run) -> str:
    return "\n".join(run.text.splitlines()[-LAST_LINES:])


def why(run: Run) -> str:
    """Which tests failed, and of each what is not its log, which can be longer than what anybody keeps; else the last lines."""
    tests = re.findall(r"^(?:FAILED|ERROR) \S+\.(?:py|md)\b.*$", run.text, re.MULTILINE)
    if not tests:
        return tail(run)
    kept, shown = [], False
    for line in run.text.splitlines():
        if re.match(r"=+ |_{3,} |-{3,} Captured", line):
            shown = bool(re.match(r"=+ (FAILURES|ERRORS) |_{3,} ", line))
        if shown:
            kept.append(line)
    return "\n".join([*tests, *kept[:FAILURE_LINES], *tests])


def wanted(names: Iterable[str]) -> list[Step]:
    """The steps of these names and those that they need; all where there is none."""
    known = {step.name: step for step in STEPS}
    needed: set[str] = set()

    def need(name: str) -> None:
        if name not in known:
            sys.exit(f"There is no step {name!r}: {', '.join(known)}")
        needed.add(name)
        for other in known[name].after:
            need(other)

    for name in names:
        need(name)
    return [step for step in STEPS if not needed or step.name in needed]


def report(gate: Gate) -> int:
    """What was skipped, what was slow, what failed, the table; the exit code."""
    runs = list(gate.ended.values())
    print("\n==> Skipped")
    strange = 0
    for name, line, known in skipped(runs):
        strange += not known
        print(f"{name}: {line}{'' if known else '   <- not in .ci/expected-skips'}")
    for name, lost in gate.without.items():
        print(f"step {name}: {lost} failed")
    print("\n==> The slowest tests")
    print("\n".join(slowest(runs)))
    failed = [run for run in runs if run.code]
    for run in failed:
        print(f"\n==> {run.step.name} failed\n{why(run)}")
    print("\n==> Summary")
    for step in STEPS:
        if step.name in gate.ended:
            print(f"{step.name:16} {ending(gate.ended[step.name])}")
        elif step.name in gate.without:
            print(f"{step.name:16} not run")
    print(f"{'all':16} {gate.clock()}; {speed()}")
    for run in sorted((run for run in runs if run.step.pytest), key=lambda run: run.step.name, reverse=True):
        print(f"\n{run.step.name}:\n{closing(run)}")
    if strange and os.environ.get("CI") == "true":
        print(f"\n{strange} skips are not in .ci/expected-skips, which is a failure here.")
        return 1
    return int(bool(failed or gate.without))


def main(names: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        gate = Gate(wanted(names), Path(folder))
        signal.signal(signal.SIGTERM, gate.stop)
        print(f"Before anything runs {speed()}.\n", flush=True)
        try:
            gate.run()
        except KeyboardInterrupt:
            gate.stop()
        return report(gate)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
