"""What becomes of a job: its conditions as KubeDL sets them, from what Kubernetes says of its pods. A pure function.

All state is in the objects: whoever looks at them, and however often, comes to the same end.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from marsdask.deploy.kubernetes import names, states
from marsdask.deploy.marsjob.definition import ROLES, SCHEDULER, WEB, WORKER
from marsdask.deploy.marsjob.job import MARS, PREFIX, RESTART, host_of, without_nulls

Pod = Mapping[str, Any]
Action = tuple[Any, ...]
"""("delete-cluster",), ("delete-job",), ("again", seconds), ("event", type, reason, message), ("remember", uid) of the scheduler."""

CREATED, RUNNING, RESTARTING, SUCCEEDED, FAILED = "Created", "Running", "Restarting", "Succeeded", "Failed"
OVER = (SUCCEEDED, FAILED)
REFUSED = "JobRefused"
"""The reason of a job that cannot be run as it is written."""
DEADLINE = "was active longer than the specified deadline"
BACKOFF = "has reached the specified backoff limit"
RETRYABLE_CODES = (130, 137, 138, 143)
RETRYABLE_REASONS = ("OOMKilled", "Killed", "Evicted", "UnexpectedAdmissionError")
LEAVING_CODES = (0, 3, 4)
"""Of our workers: asked to leave, the supervisor is gone, nobody took the data. None of them is the worker's own fault."""
MOST_PERMANENT = 3
"""Ends of workers that will not pass, where no backoffLimit says how many are borne."""
SCHEDULER_POD = f"{PREFIX}scheduler-pod"
"""An annotation of the DaskCluster: the uid of the scheduler's first pod. A second one knows nothing of what was."""


class Next(NamedTuple):
    """The status to write, and what is to be done besides."""

    status: dict[str, Any]
    actions: list[Action]


def next_status(
    job: Mapping[str, Any],
    cluster: Mapping[str, Any] | None,
    pods: Sequence[Pod],
    now: datetime,
    events: Sequence[str] = (),
    drops: str = "",
) -> Next:
    """What a MarsJob's status is to be, by its DaskCluster, the pods of that and Kubernetes' warnings about them.

    `now` has a time zone. A job without a cluster has just been seen, or its cluster was removed. `drops` is what the cluster's
    definition of MarsJobs takes from them, in a sentence.
    """
    look = Look(job, cluster, pods, now, events, drops)
    look.judge()
    return Next(look.status, look.actions)


def refused(job: Mapping[str, Any], message: str, now: datetime) -> Next:
    """The status of a job that cannot be run as it is written: it has failed, until it is changed."""
    status = dict(without_nulls(job.get("status") or {}))
    actions: list[Action] = []
    if not any(c["reason"] == REFUSED and c["message"] == message for c in status.get("conditions", ())):
        stands = told(now)
        condition = {
            "type": FAILED,
            "status": "True",
            "reason": REFUSED,
            "message": message,
            "lastUpdateTime": stands,
            "lastTransitionTime": stands,
        }
        times = {"startTime": stands, "completionTime": stands}
        status = {"conditions": [condition], "replicaStatuses": {}, **times}
        actions.append(("event", "Warning", REFUSED, message))
    spec = job.get("spec")
    return Next(status, actions + expiry(spec if isinstance(spec, Mapping) else {}, status, now))


def without_refusal(job: Mapping[str, Any]) -> dict[str, Any]:
    """A job as if it had never been refused: it was changed since."""
    conditions = (job.get("status") or {}).get("conditions") or ()
    return {**job, "status": {}} if any(each["reason"] == REFUSED for each in conditions) else dict(job)


def counted(job: Mapping[str, Any]) -> bool:
    """Whether the pods of a job's cluster have been counted here, so that it had one: KubeDL leaves out what is 0."""
    found = (job.get("status") or {}).get("replicaStatuses") or {}
    return "failed" in (found.get(SCHEDULER) or {})


def expiry(spec: Mapping[str, Any], status: Mapping[str, Any], now: datetime) -> list[Action]:
    """What is to be done about the time for which a job that is over is kept."""
    ttl, done = spec.get("ttlSecondsAfterFinished"), status.get("completionTime")
    if not isinstance(ttl, int) or isinstance(ttl, bool) or ttl < 0 or done is None:
        return []  # a job that is refused for it, perhaps
    left = ttl - (now - moment(done)).total_seconds()
    return [("delete-job",) if left <= 0 else ("again", left)]


class Look:
    """One look at a job."""

    def __init__(
        self,
        job: Mapping[str, Any],
        cluster: Mapping[str, Any] | None,
        pods: Sequence[Pod],
        now: datetime,
        events: Sequence[str],
        drops: str,
    ) -> None:
        job = without_nulls(job)
        self.job, self.cluster, self.now, self.events, self.drops = job, cluster, now, events, drops
        self.name = job["metadata"]["name"]
        self.spec: Mapping[str, Any] = job["spec"]
        pods = without_nulls(list(pods))
        self.roles = {name: self._role(name) for name in ROLES}
        gone = [pod for pod in pods if pod["metadata"].get("deletionTimestamp")]
        there = [pod for pod in pods if pod not in gone]
        self.schedulers = [pod for pod in there if _component(pod) == "scheduler"]
        self.workers = [pod for pod in there if _component(pod) == "worker"]
        self.status: dict[str, Any] = copy.deepcopy(dict(job.get("status") or {}))
        self.conditions: list[dict[str, Any]] = self.status.setdefault("conditions", [])
        self.actions: list[Action] = []

    def _role(self, name: str) -> Mapping[str, Any]:
        found = self.spec.get("marsReplicaSpecs", {})
        return next((each for key, each in found.items() if key.lower() == name.lower()), {})

    def judge(self) -> None:
        new = not self.conditions
        if new:
            self._become(CREATED, "JobCreated", f"MarsJob {self.name} is created. {self.drops}".rstrip())
        self.status.setdefault("startTime", told(self.now))
        if not self.over and not self._end():
            self._go_on(new=new)
        self._count()
        if self.over:
            self._after()

    # Ends

    def _end(self) -> bool:
        """Whether the job has just come to an end."""
        ends = (self._deadline, self._gone, self._scheduler_ended, self._worker_ended, self._backoff)
        if not any(end() for end in ends):
            return False
        self.status["completionTime"] = told(self.now)
        return True

    def _deadline(self) -> bool:
        seconds = self.spec.get("activeDeadlineSeconds")
        if seconds is None:
            return False
        left = seconds - (self.now - moment(self.status["startTime"])).total_seconds()
        if left > 0:
            self.actions.append(("again", left))
            return False
        self._become(
            FAILED,
            "JobFailed",
            f"MarsJob {self.name} {DEADLINE}; its DaskCluster is deleted, whatever cleanPodPolicy says.",
        )
        return True

    def _gone(self) -> bool:
        """Whether its DaskCluster, which was there, is gone: nobody but its idle timeout and people delete it."""
        if self.cluster is not None or not counted(self.job):
            return False
        if (_annotation(self.job, f"{PREFIX}idle-timeout") or "0").strip("0"):
            self._become(SUCCEEDED, "JobSucceeded", f"MarsJob {self.name} was idle for its timeout.")
        else:
            self._become(FAILED, "MarsJobFailed", f"The DaskCluster {self.name} was deleted.")
        return True

    def _scheduler_ended(self) -> bool:
        """Whether the scheduler has ended: one that starts again knows nothing of what was."""
        policy = self.roles[SCHEDULER].get("restartPolicy", RESTART[SCHEDULER])
        ended = [end for pod in self.schedulers if (end := _ended(pod))]
        code = ended[0].get("exitCode") if ended else None
        if not ended and not self._replaced():
            return False
        if code == 0 and policy != "Always":
            self._become(SUCCEEDED, "JobSucceeded", f"MarsJob {self.name}: the scheduler has ended.")
            return True
        if policy not in ("Never", "ExitCode"):
            return False
        how = states.ending(ended[0]) if ended else "another pod is in its place"
        self._become(
            FAILED, "MarsJobFailed", f"MarsJob {self.name} has failed: the scheduler is lost, {how}."
        )
        return True

    def _replaced(self) -> bool:
        """Whether the scheduler's pod is another one than the first."""
        first = _annotation(self.cluster, SCHEDULER_POD)
        uids = [pod["metadata"]["uid"] for pod in self.schedulers if states.state(pod).ready]
        if first is None and uids:
            self.actions.append(("remember", uids[0]))
        return first is not None and bool(uids) and first not in uids

    def _worker_ended(self) -> bool:
        """Whether workers under ExitCode have ended too often in a way that will not pass."""
        if self.roles[WORKER].get("restartPolicy", RESTART[WORKER]) != "ExitCode":
            return False
        ends = [(pod, end) for pod in self.workers if (end := _ended(pod)) and permanent(end)]
        count = sum(max(1, _restarts(pod)) for pod, _ in ends)
        most = self.spec.get("backoffLimit")
        if not ends or count < (MOST_PERMANENT if most is None else max(1, most)):
            return False
        pod, end = ends[0]
        self._become(
            FAILED,
            "JobFailed",
            f"MarsJob {self.name} has failed: its workers were started {count} times, and pod {pod['metadata']['name']} ended in a "
            f"way that will not pass: {states.ending(end)}.",
        )
        return True

    def _backoff(self) -> bool:
        limit = self.spec.get("backoffLimit")
        if limit is None:
            return False
        count = sum(_restarts(pod, every=True) for pod in (*self.schedulers, *self.workers))
        if count < max(1, limit):
            return False
        self._become(
            FAILED,
            "JobFailed",
            f"MarsJob {self.name} {BACKOFF}: its containers were restarted {count} times.",
        )
        return True

    # On the way

    def _go_on(self, *, new: bool) -> None:
        found = states.states((*self.schedulers, *self.workers))
        ready = sum(each.ready for each in found if each.role == "worker")
        scheduler = any(each.ready for each in found if each.role == "scheduler")
        was = self._condition(RUNNING) or self._condition(RESTARTING)
        since = moment(was["lastTransitionTime"]) if was else self.now
        again = [pod for pod in (*self.schedulers, *self.workers) if _starts_again(pod, since)]
        wanted = self.spec.get("schedulingPolicy", {}).get("minAvailable") or 1
        if was and again:
            end = _ended(again[0])
            assert end is not None
            self._become(
                RESTARTING,
                "MarsJobRestarting",
                f"Pod {again[0]['metadata']['name']} is started again: {states.ending(end)}.",
            )
        elif scheduler and ready >= wanted:
            self._become(RUNNING, "JobRunning", f"MarsJob {self.name} is running.")
        elif not was and not new:
            stuck = min(
                (each for each in found if not each.ready and (each.hopeless or each.message)),
                key=lambda each: (not each.hopeless, each.role != "scheduler"),
                default=None,
            )
            if stuck or any("FailedCreate" in each or states.OPERATOR in each for each in self.events):
                alike = [each for each in found if stuck and each.label == stuck.label]
                total = self.roles[WORKER].get("replicas", 1)
                why = states.cause(alike, self.events, ready, total)
                label = stuck.label.partition(":")[0].replace(" ", "") if stuck else "FailedCreate"
                self._become(CREATED, label, f"{why[:1].upper()}{why[1:]}")

    # Afterwards

    def _after(self) -> None:
        """Clean up as the policies say, and count down."""
        self.actions = [each for each in self.actions if each[0] not in ("again", "remember")]
        policy = self.spec.get("cleanPodPolicy", "None")
        failed = self._condition(FAILED)
        late = failed is not None and DEADLINE in failed["message"]
        if self.cluster is not None and (policy in ("Running", "All") or late):
            self.actions.append(("delete-cluster",))
        self.actions += expiry(self.spec, self.status, self.now)

    # Conditions

    @property
    def over(self) -> bool:
        return any(self._condition(kind) for kind in OVER)

    def _condition(self, kind: str) -> dict[str, Any] | None:
        return next((c for c in self.conditions if c["type"] == kind and c["status"] == "True"), None)

    def _become(self, kind: str, reason: str, message: str) -> None:
        """Set a condition as KubeDL does: one of each type, the last set last, nothing after the end."""
        if self.over:
            return
        there = next((c for c in self.conditions if c["type"] == kind), None)
        if there is not None and (there["status"], there["reason"]) == ("True", reason):
            return
        stands = told(self.now)
        since = there["lastTransitionTime"] if there is not None and there["status"] == "True" else stands
        not_beside = {RUNNING: RESTARTING, RESTARTING: RUNNING}.get(kind)
        kept = [c for c in self.conditions if c["type"] not in (kind, not_beside)]
        for condition in kept:
            if kind in OVER and condition["type"] == RUNNING:
                condition.update(status="False", lastUpdateTime=stands, lastTransitionTime=stands)
        new = {
            "type": kind,
            "status": "True",
            "reason": reason,
            "message": message,
            "lastUpdateTime": stands,
            "lastTransitionTime": since,
        }
        self.conditions[:] = [*kept, new]
        warned = kind in (FAILED, RESTARTING) or (kind == CREATED and reason != "JobCreated")
        self.actions.append(("event", "Warning" if warned else "Normal", reason, message))

    def _count(self) -> None:
        """The replicas by role; the schema of KubeDL wants them always."""
        found = {SCHEDULER: _counts(self.schedulers), WORKER: _counts(self.workers)}
        if self.roles[WEB]:
            up = self.roles[WEB].get("replicas", 1) if found[SCHEDULER]["active"] else 0
            found[WEB] = {"active": up, "succeeded": 0, "failed": 0}
        if self._condition(SUCCEEDED):  # its pods may be gone
            before = self.status.get("replicaStatuses", {})
            for name, each in found.items():
                each["succeeded"] = max(
                    each["active"] + each["succeeded"],
                    before.get(name, {}).get("active", 0),
                    before.get(name, {}).get("succeeded", 0),
                )
                each["active"] = 0
        if self.cluster is None and not self.over:
            found = {}
        self.status["replicaStatuses"] = found
        host = self.spec.get("webHost")
        self.status.pop("webServiceAddresses", None)
        if host and self.roles[WEB]:
            namespace = self.job["metadata"].get("namespace", "default")
            self.status["webServiceAddresses"] = [
                f"{host_of(host)}/mars/{namespace}/{self.name}-webservice-{i}"
                for i in range(self.roles[WEB].get("replicas", 1))
            ]


def told(moment: datetime) -> str:
    """A time as Kubernetes writes it.

    >>> told(datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC))
    '2026-01-02T03:04:05Z'
    """
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment(text: str) -> datetime:
    """The time that Kubernetes wrote."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def permanent(end: Mapping[str, Any]) -> bool:
    """Whether a container ended in a way that another start will not mend, as KubeDL's policy ExitCode sees it.

    >>> permanent({"exitCode": 1}), permanent({"exitCode": 137}), permanent({"exitCode": 1, "reason": "OOMKilled"})
    (True, False, False)
    """
    code = end.get("exitCode")
    return code not in (*RETRYABLE_CODES, *LEAVING_CODES) and end.get("reason") not in RETRYABLE_REASONS


def _component(pod: Pod) -> str:
    return str(pod["metadata"].get("labels", {}).get(names.COMPONENT, ""))


def _annotation(found: Mapping[str, Any] | None, name: str) -> str | None:
    said = (found or {}).get("metadata", {}).get("annotations") or {}
    return said.get(name)


def _containers(pod: Pod, *, every: bool = False) -> list[Mapping[str, Any]]:
    """What is said of the container that runs Mars, the one of this name or else the first; of `every` one with its init ones."""
    status = pod.get("status", {})
    found = status.get("containerStatuses", [])
    if every:
        return [*found, *status.get("initContainerStatuses", ())]
    return [each for each in found if each["name"] == MARS] or list(found[:1])


def _ended(pod: Pod) -> Mapping[str, Any] | None:
    """How the container of a pod ended the last time, if it ever did; a pod that was evicted has ended, too."""
    for each in _containers(pod):
        now, before = each.get("state", {}), each.get("lastState", {})
        end: Mapping[str, Any] | None = now.get("terminated") or before.get("terminated")
        if end:
            return end
    status = pod.get("status", {})
    return {"reason": status.get("reason", "Failed")} if status.get("phase") == "Failed" else None


def _starts_again(pod: Pod, since: datetime) -> bool:
    """Whether its container has ended and is not back yet; a pod that is over stays so, and another one comes.

    One that was started again before `since`, and does not answer now, is no news.
    """
    over = pod.get("status", {}).get("phase") in ("Succeeded", "Failed")
    if over or _ended(pod) is None or states.state(pod).ready:
        return False
    begun = [each.get("state", {}).get("running", {}).get("startedAt") for each in _containers(pod)]
    return not any(each and moment(each) < since for each in begun)


def _restarts(pod: Pod, *, every: bool = False) -> int:
    return sum(each.get("restartCount", 0) for each in _containers(pod, every=every))


def _counts(pods: Iterable[Pod]) -> dict[str, int]:
    """Pods by what KubeDL calls active, succeeded and failed."""
    found = {"active": 0, "succeeded": 0, "failed": 0}
    for pod in pods:
        status = pod.get("status", {})
        phase = status.get("phase")
        starts = status.get("initContainerStatuses", ())
        begun = bool(pod.get("spec", {}).get("nodeName")) and all(
            each.get("started") or each.get("ready") or "terminated" in each.get("state", {})
            for each in starts
        )
        if phase == "Running" or (phase == "Pending" and begun):
            found["active"] += 1
        elif phase in ("Succeeded", "Failed"):
            found[phase.lower()] += 1
    return found
