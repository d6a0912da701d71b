"""What pods and events say of a cluster that is coming up, and how long that is waited for."""

from __future__ import annotations

import logging
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from marsdask.deploy.kubernetes.names import COMPONENT

READY = "Ready"
HOPELESS = {
    "ErrImagePull": "the image cannot be fetched",
    "InvalidImageName": "the image's name is none",
    "ErrImageNeverPull": "the image is not on the node, and imagePullPolicy is Never",
    "CrashLoopBackOff": "the container ends again and again",
    "CreateContainerConfigError": "the container cannot be made",
    "CreateContainerError": "the container cannot be made",
    "RunContainerError": "the container cannot be started",
}
"""States that pass only if somebody does something, and what they mean."""
OPERATOR = "OperatorError"
"""How what failed in Dask's operator is called among Kubernetes' warnings."""

Pod = Mapping[str, Any]


@dataclass(frozen=True)
class State:
    """How a pod is: `label` is short and counted, `message` is what Kubernetes says of it."""

    name: str
    role: str
    label: str
    message: str = ""

    @property
    def ready(self) -> bool:
        return self.label == READY

    @property
    def hopeless(self) -> bool:
        return self.label in HOPELESS

    @property
    def homeless(self) -> bool:
        """Whether no node can ever take it, as the nodes are."""
        return self.label.startswith("Pending") and nowhere(self.message)


def state(pod: Pod) -> State:
    """How one pod is."""
    metadata, status = pod["metadata"], pod.get("status", {})
    name, role = metadata["name"], metadata.get("labels", {}).get(COMPONENT, "")
    if metadata.get("deletionTimestamp"):
        return State(name, role, "Terminating")
    for container in status.get("containerStatuses", ()):
        if found := _container(container):
            return State(name, role, *found)
    conditions = {c["type"]: c for c in status.get("conditions", ())}
    if conditions.get("Ready", {}).get("status") == "True":
        return State(name, role, READY)
    scheduled = conditions.get("PodScheduled", {})
    if scheduled.get("status") == "False":
        message = scheduled.get("message", "")
        return State(name, role, f"Pending: {shortage(message)}", message)
    phase = status.get("phase", "Pending")
    label = f"{phase}: {status['reason']}" if "reason" in status else phase
    return State(name, role, "Starting" if phase == "Running" else label, status.get("message", ""))


def _container(status: Mapping[str, Any]) -> tuple[str, str] | None:
    """Label and message of a container that is not running as it should."""
    now = status.get("state", {})
    ended = now.get("terminated") or status.get("lastState", {}).get("terminated") or {}
    waiting = now.get("waiting") or {}
    reason = waiting.get("reason", "").replace("ImagePullBackOff", "ErrImagePull")
    if reason == "CrashLoopBackOff" or (
        status.get("restartCount", 0) > 1 and ended and not status.get("ready")
    ):
        return "CrashLoopBackOff", ending(ended) if ended else waiting.get("message", "")
    if waiting:
        return reason or "Waiting", waiting.get("message", "")
    return (ended.get("reason") or "Ended", ending(ended)) if "terminated" in now else None


def ending(terminated: Mapping[str, Any]) -> str:
    """How a container ended.

    >>> ending({"exitCode": 137, "reason": "OOMKilled"})
    'it ended with exit code 137 (OOMKilled)'
    """
    reason = terminated.get("reason")
    return f"it ended with exit code {terminated.get('exitCode')}" + (f" ({reason})" if reason else "")


def shortage(message: str) -> str:
    """The short of what the scheduler of Kubernetes says.

    >>> shortage("0/3 nodes are available: 1 node(s) had untolerated taint {a: b}, 2 Insufficient memory. preemption: ...")
    'Insufficient memory'
    """
    if short := re.findall(r"Insufficient [\w./-]+", message):
        return ", ".join(dict.fromkeys(each.rstrip(".") for each in short))
    signs = {
        "affinity/selector": "no node has the labels of node_selectors",
        "taint": "no node without a taint that is not tolerated",
        "volume": "a volume is not there",
    }
    return next((said for sign, said in signs.items() if sign in message), "no node")


NOWHERE = re.compile(
    r"0/(\d+) nodes are available: (.+?)\.( .*)? preemption: 0/\1 nodes are available: \1 Preemption is not helpful"
)
STAYS = re.compile(
    r"\d+ (Insufficient \S+"
    r"|node\(s\) didn't match Pod's node affinity/selector"
    r"|node\(s\) had untolerated taint \{(?!node\.kubernetes\.io/).*\})"
)
"""Reasons against a node that do not pass by themselves. Taints of node.kubernetes.io say that it is not well just now."""


def nowhere(message: str) -> bool:
    """Whether no node would take a pod even if nothing ran there, by what the scheduler of Kubernetes (1.32 and later) says.

    >>> nowhere("0/1 nodes are available: 1 Insufficient memory. preemption: 0/1 nodes are available: 1 Preemption is not "
    ...         "helpful for scheduling.")
    True
    >>> nowhere("0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims "
    ...         "found for incoming pod.")
    False
    """
    found = NOWHERE.search(message)
    return found is not None and all(STAYS.fullmatch(each) for each in found[2].split(", "))


def states(pods: Iterable[Pod]) -> list[State]:
    """How the pods are, those that go away left out."""
    return [s for s in map(state, pods) if s.label != "Terminating"]


def line(found: Sequence[State], registered: int | None, wanted: int, silent: str = "") -> str:
    """What is waited for, in one line.

    `registered`: how many workers the scheduler has; None where nobody could ask it. `silent`: what keeps one from asking.

    >>> workers = [State("a", "worker", "Ready"), State("b", "worker", "ErrImagePull")]
    >>> line([State("s", "scheduler", "Ready"), *workers], 1, 2)
    'workers 1/2 · 1 ErrImagePull'
    """
    scheduler = [s for s in found if s.role == "scheduler"]
    counts = Counter(s.label for s in found if s.role == "worker")
    parts = []
    if not scheduler:
        parts.append("scheduler: no pod yet")
    elif not scheduler[0].ready:
        parts.append(f"scheduler: {scheduler[0].label}")
    elif silent:
        parts.append(f"scheduler: {silent}")
    ready = counts.pop(READY, 0)
    parts.append(
        f"workers {registered or 0}/{wanted}"
        if registered or not ready
        else f"workers {ready} Ready of {wanted}"
    )
    parts += [f"{n} {label}" for label, n in counts.most_common()]
    if registered is not None and ready > registered:
        parts.append(f"{ready - registered} not registered yet")
    return " · ".join(parts)


def warnings_of(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """What Kubernetes and Dask's operator warn about, the latest first, each once."""
    wrong = [e for e in events if e.get("type") != "Normal" and e.get("reason") != "Unhealthy"]
    wrong.sort(key=lambda e: str(e.get("lastTimestamp") or e.get("eventTime") or ""), reverse=True)
    told = (
        f"{OPERATOR if e.get('type') == 'Error' else e.get('reason')}: {e.get('message', '').strip()} "
        f"({e['involvedObject'].get('kind')} {e['involvedObject'].get('name')})"
        for e in wrong
    )
    return list(dict.fromkeys(told))


def cause(found: Sequence[State], events: Sequence[str], registered: int, wanted: int) -> str:
    """The likeliest reason why a cluster is not up, in a sentence."""
    stuck = sorted((s for s in found if not s.ready), key=lambda s: (s.role != "scheduler", not s.hopeless))
    for first in stuck:
        if first.hopeless:
            return f"{first.role} pod {first.name}: {first.label}, {HOPELESS[first.label]}: {first.message}"
    for each in events:
        if "failed quota" in each and "must specify" in each:
            return f"a quota of the namespace wants more said of the pods: {each}"
        if "exceeded quota" in each or "forbidden: failed quota" in each:
            return f"the namespace's quota is used up: {each}"
    if stuck:
        first = stuck[0]
        said = f": {first.message}" if first.message else ""
        return f"{sum(s.label == first.label for s in stuck)} of {len(found)} pods {first.label}{said}"
    for each in events:
        if each.startswith("FailedCreate"):
            return f"Kubernetes does not make the pods: {each}"
    for each in events:
        if each.startswith(OPERATOR) and len(found) <= wanted:
            return f"Dask's operator has not made all of the cluster: {each}"
    here = f"{registered} of {wanted} workers have registered at the scheduler"
    return here if found else "no pod was made"


def report(found: Sequence[State], events: Sequence[str], logs: Mapping[str, str]) -> str:
    """Pods, events and last log lines, for the end of an error's message."""
    lines = [f"Pods ({sum(s.ready for s in found)} of {len(found)} ready):"] if found else ["Pods: none"]
    shown = sorted(found, key=lambda s: (s.ready, s.role, s.name))
    lines += [f"  {s.name}: {s.label}" + (f": {s.message}" if s.message else "") for s in shown[:10]]
    lines += [f"  ... and {len(shown) - 10} more"] if len(shown) > 10 else []
    if events:
        lines += ["Events:", *(f"  {each}" for each in events[:8])]
    for pod, text in logs.items():
        lines += [f"Last lines of {pod}:", *(f"  {each}" for each in text.splitlines())]
    return "\n".join(lines)


HINTS = (
    (
        "ErrImagePull",
        "build it with `marsdask kubernetes image build`, push it where the nodes can fetch it, and give image=...",
    ),
    ("ErrImageNeverPull", "load the image into the nodes, or give image_pull_policy='IfNotPresent'"),
    ("InvalidImageName", "give image='registry/name:tag'"),
    ("runAsNonRoot", "the image has to run as a user with a number other than 0; see docs/kubernetes.md"),
    ("OOMKilled", "give the pods more memory: worker_mem=, supervisor_mem="),
    ("CrashLoopBackOff", "the last log lines below say why the container ends"),
    ("must specify", "say it by pod_template={'spec': {'containers': [{'resources': ...}]}}"),
    ("quota", "ask for less, fewer workers or min_worker_num=, or have the quota raised"),
    ("Insufficient", "ask for less: worker_mem=, worker_cpu=, worker_num= or min_worker_num="),
    ("node_selectors", "no node has these labels: kubectl get nodes --show-labels"),
    ("tolerat", "give tolerations=[...] for the nodes' taints"),
    ("no pod was made", "is the Dask operator running? `marsdask kubernetes status` tells"),
    ("have registered", "the workers' logs say why they do not find the scheduler"),
    (
        "load balancer",
        "does this Kubernetes cluster make any? service_type='ClusterIP' goes through the Kubernetes API",
    ),
    (
        "does not answer",
        "service_type='ClusterIP' goes through the Kubernetes API, where this machine reaches no ports",
    ),
)


def hint(why: str) -> str:
    """What to do about a cause, or nothing."""
    return next((f" Hint: {cure}." for sign, cure in HINTS if sign in why), "")


PATIENCE = 60.0
"""Seconds that a state is borne which passes only if somebody does something: an image that is being pushed, say."""
TAKEN_UP = 30.0
"""Seconds in which a running operator has begun with a cluster."""
HEARS_AGAIN = 21.0
"""Seconds that an operator may pause, where the API was away, before it tries again to hear of what there is: kopf's longest."""


def neglected(deadline: Deadline, answering_for: float) -> bool:
    """Whether a running operator would have begun by now; the API has answered for so many seconds."""
    return deadline.passed > TAKEN_UP and answering_for > TAKEN_UP + HEARS_AGAIN


def until(holds: Callable[[], bool], seconds: float, *, every: float = 0.2) -> bool:
    """Whether it holds within so many seconds."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(every)
    return True


class Deadline:
    """How much time is left; None is without end."""

    def __init__(self, seconds: float | None):
        self.seconds = seconds
        self.begun = time.monotonic()

    @property
    def passed(self) -> float:
        return time.monotonic() - self.begun

    def left(self, most: float) -> float:
        """Seconds left, at most `most`, never less than 0."""
        return most if self.seconds is None else max(0.0, min(most, self.seconds - self.passed))

    @property
    def over(self) -> bool:
        return self.seconds is not None and self.passed >= self.seconds


class Blocked:
    """Since when a cluster cannot come up unless somebody does something."""

    since: float | None = None
    for_nodes = False  # whether more nodes would do

    def for_seconds(self, found: Sequence[State], events: Sequence[str], wanted: int) -> float:
        """How long too few pods have been left that could become ready; 0 if there are enough."""
        lost = [s for s in found if s.hopeless or s.homeless]
        hopeful = sum(s.role == "worker" for s in found) - sum(s.role == "worker" for s in lost)
        refused = any(e.startswith("FailedCreate") for e in events) and len(found) < wanted + 1
        if not (refused or any(s.role == "scheduler" or hopeful < wanted for s in lost)):
            self.since = None
            return 0.0
        self.for_nodes = not refused and all(s.homeless for s in lost)
        if self.since is None:
            self.since = time.monotonic()
        return time.monotonic() - self.since


TOLD_EVERY = 30.0
"""Seconds of waiting after which the log tells, where there is no terminal, that this goes on."""

logger = logging.getLogger(__name__)


class Shown:
    """A line on the terminal, or in a notebook's cell, that is written anew when it changes.

    Where there is neither and nobody has said whether it is wanted, the log has it: a line when it changes, at level INFO, and a
    WARNING every 30 s.
    """

    def __init__(self, *, wanted: bool | None):
        self.last = ""
        self.begun = self.told = time.monotonic()
        self.cell: Any = None
        shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
        self.notebook = shell is not None and "IPKernelApp" in shell.config
        self.on = (self.notebook or sys.stderr.isatty()) if wanted is None else wanted
        self.logs = wanted is None and not self.on

    def __call__(self, line: str) -> None:
        if self.logs:
            self._log(line)
        if not self.on or line == self.last:
            return
        self.last = line
        if self.notebook:
            from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

            text = {"text/plain": line}
            if self.cell is None:
                self.cell = display(text, raw=True, display_id=True)
            else:
                self.cell.update(text, raw=True)
        elif sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{line}")
            sys.stderr.flush()
        else:
            sys.stderr.write(f"{line}\n")

    def _log(self, line: str) -> None:
        now = time.monotonic()
        if now - self.told >= TOLD_EVERY:
            logger.warning("Waiting for a cluster for %.0f s: %s", now - self.begun, line)
            self.told, self.last = now, line
        elif line != self.last:
            logger.info("%s", line)
            self.last = line

    def __enter__(self) -> Shown:
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the line: a terminal's is taken away."""
        if not self.notebook and sys.stderr.isatty():
            self("")
