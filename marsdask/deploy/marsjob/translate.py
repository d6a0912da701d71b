"""A MarsJob as the objects that run it on Dask: a pure function, which asks no cluster.

What KubeDL and Mars mean by a field was read in their sources; where Dask's operator cannot do the same, a note says what is done.
"""

from __future__ import annotations

import contextlib
import json
import math
import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from marsdask.deploy.kubernetes import credentials, leaving, names, specs
from marsdask.deploy.marsjob import beside, words
from marsdask.deploy.marsjob.beside import COMM_PORT, MARS_PORT, WEB_PORT
from marsdask.deploy.marsjob.definition import SCHEDULER, WEB, WORKER
from marsdask.deploy.marsjob.faults import Faults
from marsdask.deploy.marsjob.job import OF_MARS, PREFIX, Job, Role, host_of, read
from marsdask.errors import ArgumentError
from marsdask.sizes import parse_quantity, quantity
from marsdask.spill import MemoryPolicy
from marsdask.spill.policy import ENVIRONMENT, KUBEDL_BLOCKS

Spec = dict[str, Any]

WORKER_PORT = 8788
TMP, PLASMA = "marsdask-tmp", "marsdask-plasma"
"""Volumes of ours."""
WIRED = (
    "MARS_",
    "DASK_SCHEDULER_ADDRESS",
    "DASK_DISTRIBUTED__COMM__",
    "DASK_DISTRIBUTED__SCHEDULER__HTTP__ROUTES",
)
"""Beginnings of variables that a pod is told by us, whatever its template says."""
FIELDS = {
    "MARS_CONTAINER_IP": "status.podIP",
    "MARS_K8S_POD_NAME": "metadata.name",
    "MARS_K8S_POD_NAMESPACE": "metadata.namespace",
}
"""Variables of KubeDL's that say what a pod is."""


class Translation(NamedTuple):
    """What a job becomes: `objects` in the order in which they are to be made, the DaskCluster first; `notes` are sentences."""

    objects: list[Spec]
    notes: list[str]


def translate(
    job: Any,
    image: str | None = None,
    *,
    image_pull_policy: str | None = None,
    namespace: str = "default",
    ingress_class: str | None = None,
) -> Translation:
    """The objects by which Dask's operator runs a MarsJob, `job` as its YAML says it.

    `image` has marsdask in it, and runs where the job starts Mars, which no image of Mars's can do; the job's annotation
    `marsdask.org/image` comes first. `namespace` is for a job that names none.

    Raises JobRefused with all that is wrong: fields that are not known or would be dropped, missing ones, values out of their
    range, commands that start neither Mars nor Dask.
    """
    faults = Faults()
    found = read(job, faults, namespace)
    objects: list[Spec] = []
    notes: list[str] = []
    if found is not None:
        made = Made(found, faults, image, image_pull_policy, ingress_class)
        objects, notes = made.objects(), found.notes
    faults.refuse()
    return Translation(objects, list(dict.fromkeys(notes)))


@dataclass
class Made:
    """The objects of one job, while they are made."""

    job: Job
    faults: Faults
    image: str | None
    pull_policy: str | None
    ingress_class: str | None

    def __post_init__(self) -> None:
        self.image = self.job.options.get("image", self.image)
        self.pull_policy = self.job.options.get("image-pull-policy", self.pull_policy)
        self.notes = self.job.notes

    def objects(self) -> list[Spec]:
        """All of them, as far as the job has what they are made from."""
        roles = self.job.roles
        scheduler = self._scheduler(roles[SCHEDULER]) if SCHEDULER in roles else {}
        worker = self._worker(roles[WORKER]) if WORKER in roles else {}
        if self.faults:
            return []
        spot = self._spot_replicas(roles[WORKER])
        cluster = names.body(
            f"{names.GROUP}/{names.VERSION}",
            "DaskCluster",
            beside.metadata(self.job, self.job.name),
            spec={
                "idleTimeout": int(self.job.options.get("idle-timeout", 0)),
                "scheduler": {**scheduler, "service": beside.own_service(self.job)},
                "worker": {**worker, "replicas": roles[WORKER].replicas - spot},
            },
        )
        found = [cluster, *beside.services(self.job), beside.network_policy(self.job)]
        if self.job.spec.get("webHost") and WEB in roles and roles[WEB].replicas:
            found.append(beside.ingress(self.job, self.ingress_class))
            self._note_the_host()
        if spot:
            found.append(self._spot_group(worker, spot))
        if web := roles.get(WEB):
            self.notes.append(
                f"{web.path}: no pod is started for it; its pages come from the scheduler, and its image, resources and other "
                "containers are not used."
            )
        self._note_who_gets_in()
        if (policy := self.job.spec.get("cleanPodPolicy")) == "Running":
            self.notes.append(
                f"spec.cleanPodPolicy={policy} does what All does: pods of Deployments do not stay when they have ended."
            )
        return found

    def _note_who_gets_in(self) -> None:
        """Say who can run code in the pods, and what certificates take."""
        name, namespace = self.job.name, self.job.namespace
        if not beside.encrypted(self.job):
            self.notes.append(
                f"nothing is encrypted, and whoever reaches the ports of {names.own_service(name)}.{namespace}, pods of other "
                f"namespaces too, can run code in the job's pods. With the annotation {PREFIX}security: tls only who has its "
                "certificates can, and the web port has pages only."
            )
            return
        secret = names.secret(name)
        self.notes += [
            f"the certificates are in the Secret {secret}, which is not among the objects: the operator and `marsdask job submit` "
            f"make it where it is not there. By hand: kubectl create secret generic {secret} -n {namespace} "
            f"--from-file=DIRECTORY, with the files {', '.join(credentials.KEYS)} and {credentials.TOKEN}.",
            f"the web port has pages only, for who has the token that the Secret {secret} has as well. A session is made by "
            f"new_session('tls://{name}-scheduler-0.{namespace}:{MARS_PORT}', security=...), a distributed.Security with the "
            f"ca.crt, client.crt and client.key of the Secret {secret}.",
        ]

    def _note_the_host(self) -> None:
        host = host_of(self.job.spec["webHost"])
        can = (
            "ask for the pages, which want the job's token"
            if beside.encrypted(self.job)
            else "run code in the cluster, as with Mars"
        )
        self.notes.append(
            f"spec.webHost: whoever reaches http://{host}/mars/{self.job.namespace}/... can {can}; "
            "have the ingress ask for a password, or leave webHost out."
        )

    # Pods

    def _scheduler(self, role: Role) -> Spec:
        token = "--token" if beside.encrypted(self.job) else "--no-token"
        ours = ["-H", "0.0.0.0", "-p", str(COMM_PORT), "-w", str(WEB_PORT), token]
        start = words.start(role.container, SCHEDULER, ours, role.where, self.faults, self.notes)
        resources = role.container.get("resources", {})
        env = {
            "MARS_CPU_TOTAL": str(self._threads(resources)),
            **self._memory(resources),
            "DASK_DISTRIBUTED__SCHEDULER__HTTP__ROUTES": json.dumps(specs.ROUTES),
            "DASK_MARSDASK__ALLOW_ORIGIN": '["*"]',
        }
        if idle := int(self.job.options.get("idle-timeout", 0)):
            env[specs.variable(names.IDLE)] = str(idle)
        pod = self._pod(role, start, env, {names.COMM: COMM_PORT, names.WEB: WEB_PORT})
        container = pod["spec"]["containers"][0]
        container["livenessProbe"] = dict(specs.LIVENESS)
        return self._with_wishes(pod, role, start)

    def _worker(self, role: Role) -> Spec:
        resources = role.container.get("resources", {})
        ours = [
            "--name",
            "$(DASK_WORKER_NAME)",
            "-p",
            str(WORKER_PORT),
            "--dashboard-address",
            f":{specs.WORKER_WEB_PORT}",
        ]
        ours += specs.NANNY
        if beside.encrypted(self.job):
            ours += specs.LOCKED
        start = words.start(role.container, WORKER, ours, role.where, self.faults, self.notes)
        policy = self._policy(role, start)
        threads = start.options.get("n_cpu") or self._threads(resources)
        env = {"MARS_CPU_TOTAL": str(threads), **policy.to_env()}
        if beside.encrypted(self.job):  # Dask's operator says tcp:// where nobody says anything
            service = f"{names.own_service(self.job.name)}.{self.job.namespace}"
            env["DASK_SCHEDULER_ADDRESS"] = f"tls://{service}:{COMM_PORT}"
        pod = self._pod(role, start, env, {names.COMM: WORKER_PORT, names.WEB: specs.WORKER_WEB_PORT})
        pod["spec"]["terminationGracePeriodSeconds"] = leaving.LONGEST
        mounts = (*role.container.get("volumeMounts", ()), *pod["spec"]["containers"][0]["volumeMounts"])
        try:
            volumes = policy.volumes(mounted=tuple(mount["mountPath"] for mount in mounts))
        except ArgumentError as error:  # it begins with what named the directories
            self.faults.collect(str(error).partition("=")[0], error)
        else:
            pod["spec"]["volumes"] += volumes["volumes"]
            pod["spec"]["containers"][0]["volumeMounts"] += volumes["volumeMounts"]
        self.notes += self._plasma(pod, role, policy.notes)
        return self._with_wishes(pod, role, start)

    @property
    def _memory_blocks(self) -> dict[str, Mapping[str, Any]]:
        """What `spec` says of memory, by the name of the block: in a job without faults there is one at most."""
        said = self.job.spec
        return {name: block for name in KUBEDL_BLOCKS if isinstance(block := said.get(name), Mapping)}

    def _plasma(self, pod: Spec, role: Role, notes: Iterable[str]) -> list[str]:
        """The same notes, and memory mounted in the pod as KubeDL has it: at the plasma store, of the cache's size.

        Dask has no use for it, but a program of the user's that writes there needs it.
        """
        if self.faults:  # of the path or the size, perhaps
            return list(notes)
        for name, block in self._memory_blocks.items():
            size, path = block.get("workerCacheSize"), block.get("plasmaStore")
            mounts = pod["spec"]["containers"][0]["volumeMounts"]
            there = (*mounts, *role.container.get("volumeMounts", ()))
            taken = {posixpath.normpath(each["mountPath"]) for each in there}
            if size is None or path is None or posixpath.normpath(path) in taken:
                continue
            memory = {"medium": "Memory", "sizeLimit": str(parse_quantity(size, "workerCacheSize"))}
            pod["spec"]["volumes"].append({"name": PLASMA, "emptyDir": memory})
            mounts.append({"name": PLASMA, "mountPath": path})
            said = f"spec.{name}.plasmaStore={path}"
            note = (
                f"{said}: {size} of memory is mounted there, as in KubeDL. Dask keeps nothing there, and what programs write "
                "there counts as the container's memory."
            )
            return [note if each.startswith(f"{said} has no effect") else each for each in notes]
        return list(notes)

    def _policy(self, role: Role, start: words.Start) -> MemoryPolicy:
        """What the job says of its workers' memory: its block, then the command's options, then the container's variables."""
        collect = self.faults.collect
        wrong = {path for path, _ in self.faults.causes}
        block = MemoryPolicy.of_kubedl(
            {
                name: {key: value for key, value in each.items() if not wrong & {f"spec.{name}.{key}"}}
                for name, each in self._memory_blocks.items()
            },
            role.container.get("resources", {}),
            where=f"{role.where}.resources",
            collect=collect,
        )
        options = {name: value for name, value in start.options.items() if name != "n_cpu"}
        env = {each["name"]: each["value"] for each in role.container.get("env", ()) if "value" in each}
        policy = block
        with self.faults.of(f"{role.where}.command"):
            said = MemoryPolicy.of_options(**options)
            with self.faults.of(f"{role.where}.env"):
                policy = MemoryPolicy.merged(block, said, MemoryPolicy.of_environment(env))
        return policy

    @staticmethod
    def _threads(resources: Mapping[str, Any]) -> int:
        """Whole cores of what the container asks for, else of its limit, rounded up as KubeDL does."""
        for kind in ("requests", "limits"):
            if (cores := resources.get(kind, {}).get("cpu")) is not None:
                with contextlib.suppress(ArgumentError):  # told by its path
                    return max(1, math.ceil(quantity(cores, "cpu")))
        return 1

    @staticmethod
    def _memory(resources: Mapping[str, Any]) -> dict[str, str]:
        """What a container has of memory, as KubeDL tells it; of a worker its policy says so."""
        for kind in ("requests", "limits"):
            if (memory := resources.get(kind, {}).get("memory")) is not None:
                with contextlib.suppress(ArgumentError):  # told by its path
                    return {"MARS_MEMORY_TOTAL": str(parse_quantity(memory, "memory"))}
        return {}

    def _pod(self, role: Role, start: words.Start, env: Mapping[str, str], ports: Mapping[str, int]) -> Spec:
        """The pod that `new_cluster` would have, with the container's name."""
        part = role.name.lower()
        variables = {
            **specs.BELOW_TMP,
            **(credentials.env(part) if beside.encrypted(self.job) else {}),
            **env,
        }
        pod = specs.bare_pod(role.container["name"], None, start.args or [], variables, {}, ports)
        (container,) = pod["spec"]["containers"]
        container["env"] += [
            {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in FIELDS.items()
        ]
        tmp = any(
            mount["mountPath"].rstrip("/") == "/tmp" for mount in role.container.get("volumeMounts", ())
        )
        pod["spec"]["volumes"] = [] if tmp else [{"name": TMP, "emptyDir": {}}]
        container["volumeMounts"] = [] if tmp else [{"name": TMP, "mountPath": "/tmp"}]
        if beside.encrypted(self.job):
            pod["spec"]["volumes"] += credentials.volumes(
                part, names.secret(self.job.name), token_there=False
            )
            container["volumeMounts"] += credentials.mounts()
        return pod

    def _with_wishes(self, pod: Spec, role: Role, start: words.Start) -> Spec:
        """The pod with the job's template laid over it."""
        wish = dict(role.container)
        for name in ("command", "args", "image", "imagePullPolicy"):
            wish.pop(name, None)
        starts = {"command": start.command, "args": start.args}
        wish |= {name: value for name, value in starts.items() if value is not None}
        wish |= self._image(role, start)
        wish["env"] = self._env(pod["spec"]["containers"][0], role)
        self._give_way(pod, role, passed=start.args is None or start.passed)
        taken = {each["name"] for each in pod["spec"]["volumes"]}
        for i, volume in enumerate(role.pod.get("volumes", ())):
            if volume["name"] in taken:
                self.faults(
                    f"{role.where.rpartition('.')[0]}.volumes[{i}].name",
                    f"the name {volume['name']!r} is marsdask's own here.",
                )
        others = [each for each in role.pod["containers"] if each is not role.container]
        spec = {**role.pod, "containers": [wish, *others]}
        policy = self.job.spec.get("schedulingPolicy", {}).get("priorityClassName")
        if policy:
            spec.setdefault("priorityClassName", policy)
        made = specs.with_wishes(pod, {"spec": spec})
        if start.args is None and start.command is not None:
            del made["spec"]["containers"][0]["args"]
        metadata = {
            "labels": {**role.metadata.get("labels", {}), "replica-type": role.name.lower()},
            "annotations": dict(role.metadata.get("annotations", {})),
        }
        return {**made, "metadata": {kind: each for kind, each in metadata.items() if each}}

    def _env(self, container: Spec, role: Role) -> list[Spec]:
        """The template's variables, but for those by which its pod is wired; of ours those stay that it does not have."""
        said, kept = role.container.get("env", ()), []
        ours = {each["name"] for each in container["env"]}
        for i, each in enumerate(said):
            if each["name"] in ENVIRONMENT and "value" in each:
                continue  # what it says of memory is in the pod
            if each["name"] in ours and each["name"].startswith(WIRED):
                self.notes.append(
                    f"{role.where}.env[{i}]: {each['name']} is left out: a pod of Dask's operator is told another one."
                )
            else:
                kept.append(each)
        wanted = {each["name"] for each in kept}
        container["env"] = [each for each in container["env"] if each["name"] not in wanted]
        return kept

    @staticmethod
    def _give_way(pod: Spec, role: Role, *, passed: bool) -> None:
        """Leave out what of ours contradicts the template: a server takes no probe of two kinds."""
        container, theirs = pod["spec"]["containers"][0], role.container
        for probe in ("readinessProbe", "livenessProbe"):
            if probe in theirs or (passed and role.name == WORKER):  # which may listen anywhere
                container.pop(probe, None)
        security = theirs.get("securityContext", {})
        if security.get("privileged") or "SYS_ADMIN" in security.get("capabilities", {}).get("add", ()):
            del container["securityContext"]["allowPrivilegeEscalation"]
        root = (security, role.pod.get("securityContext", {}))
        if 0 in [each.get("runAsUser") for each in root]:
            del pod["spec"]["securityContext"]["runAsNonRoot"]

    def _image(self, role: Role, start: words.Start) -> Spec:
        """The container's image and how it is pulled."""
        given, policy = role.container.get("image"), role.container.get("imagePullPolicy")
        mars = given is not None and OF_MARS.search(given) is not None
        if given is not None and ("marsdask" in given or not (start.of_mars or mars)):
            if self.pull_policy:
                policy = self.pull_policy
            return {"image": given} | ({"imagePullPolicy": policy} if policy else {})
        if self.image is None:
            has = f"{given!r} is an image of Mars" if given else "there is none"
            self.faults(
                f"{role.where}.image",
                f"{has}; give one with marsdask in it: the annotation {PREFIX}image, or --image.",
            )
            return {}
        if given not in (None, self.image):
            self.notes.append(f"{role.where}.image: {self.image!r} replaces {given!r}, which starts Mars.")
        if policy and policy != self.pull_policy and given != self.image:
            self.notes.append(
                f"{role.where}.imagePullPolicy={policy} goes with the image {given!r}, which {self.image!r} replaces; "
                f"{PREFIX}image-pull-policy or --image-pull-policy says one for that."
            )
            policy = None
        policy = self.pull_policy or policy
        return {"image": self.image} | ({"imagePullPolicy": policy} if policy else {})

    # Spot replicas

    @staticmethod
    def _spot_replicas(role: Role) -> int:
        return min(int(role.spot.get("spotReplicaNumber", 0)), role.replicas)

    def _spot_group(self, worker: Spec, replicas: int) -> Spec:
        """The workers that may be taken away: the last of KubeDL's indexes."""
        role = self.job.roles[WORKER]
        spec = dict(worker["spec"])
        if name := role.spot.get("priorityClassName"):
            spec["priorityClassName"] = name
        metadata = worker["metadata"]
        labels = {**metadata["labels"], **role.spot.get("labels", {})}
        return names.body(
            f"{names.GROUP}/{names.VERSION}",
            "DaskWorkerGroup",
            beside.metadata(self.job, f"{self.job.name}-spot"),
            spec={
                "cluster": self.job.name,
                "worker": {"metadata": {**metadata, "labels": labels}, "replicas": replicas, "spec": spec},
            },
        )
