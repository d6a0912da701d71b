"""MarsJobs as the objects that run them: what each field becomes, and what is refused."""

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from marsdask.__main__ import main
from marsdask.deploy.marsjob import JobRefused, Translation, translate
from marsdask.deploy.marsjob.files import documents
from marsdask.errors import ArgumentError
from tests.deploy.test_specs import definition, pruned

pytestmark = pytest.mark.once

IMAGE = "marsdask/marsdask:test"
JOBS = Path(__file__).parent / "jobs"
TUTORIAL: dict[str, Any] = yaml.safe_load((JOBS / "tutorial.yaml").read_text())
ROLES = "spec.marsReplicaSpecs"
Change = Callable[[dict[str, Any]], Any]


def job(*changes: Change) -> dict[str, Any]:
    """The tutorial's job, changed."""
    made = copy.deepcopy(TUTORIAL)
    for change in changes:
        change(made)
    return made


def roles(made: dict[str, Any]) -> dict[str, Any]:
    return made["spec"]["marsReplicaSpecs"]


def pod(made: dict[str, Any], role: str = "Worker") -> dict[str, Any]:
    return roles(made)[role]["template"]["spec"]


def container(made: dict[str, Any], role: str = "Worker") -> dict[str, Any]:
    return pod(made, role)["containers"][0]


def starts(*words: str, role: str = "Worker") -> Change:
    return lambda made: container(made, role).update(command=list(words))


def block(name: str = "workerMemoryTuningPolicy", **fields: Any) -> Change:
    return lambda made: made["spec"].update({name: fields})


def annotated(**options: str) -> Change:
    said = {f"marsdask.org/{name.replace('_', '-')}": value for name, value in options.items()}
    return lambda made: made["metadata"].update(annotations=said)


def translated(*changes: Change, **how: Any) -> Translation:
    return translate(job(*changes), **{"image": IMAGE} | how)


def cluster(found: Translation) -> dict[str, Any]:
    return found.objects[0]


def part(found: Translation, role: str = "worker") -> dict[str, Any]:
    return cluster(found)["spec"][role]


def ran(found: Translation, role: str = "worker") -> dict[str, Any]:
    return part(found, role)["spec"]["containers"][0]


def env(found: Translation, role: str = "worker") -> dict[str, str]:
    return {each["name"]: each.get("value", "") for each in ran(found, role)["env"]}


def of_kind(found: Translation, kind: str) -> list[dict[str, Any]]:
    return [each for each in found.objects if each["kind"] == kind]


def causes(*changes: Change, **how: Any) -> dict[str, str]:
    with pytest.raises(JobRefused) as caught:
        translated(*changes, **how)
    return dict(caught.value.causes)


def check(found: Translation) -> None:
    """Every object of Dask's operator is of its definition, and nothing of it would be dropped."""
    for each in found.objects:
        if each["kind"].startswith("Dask"):
            schema = definition(each["kind"])
            jsonschema.Draft202012Validator(schema).validate(each)
            assert pruned(each, schema) == []


def test_the_tutorials_job() -> None:
    found = translated()
    check(found)
    assert [(each["kind"], each["metadata"]["name"]) for each in found.objects] == [
        ("DaskCluster", "mars-test-demo"),
        ("Service", "mars-test-demo-scheduler-0"),
        ("Service", "mars-test-demo-webservice-0"),
        ("NetworkPolicy", "mars-test-demo-worker"),
        ("Ingress", "mars-test-demo"),
    ]
    for each in found.objects:
        assert each["metadata"]["namespace"] == "default"
        assert each["metadata"]["labels"]["marsdask.org/marsjob"] == "mars-test-demo"
        assert each["metadata"]["labels"]["job-name"] == "mars-test-demo"
    assert part(found)["replicas"] == 2
    assert part(found)["metadata"]["labels"] == {"mars/service-type": "marsworker", "replica-type": "worker"}
    for role in ("scheduler", "worker"):
        assert ran(found, role)["image"] == IMAGE
        assert "imagePullPolicy" not in ran(found, role)
        assert part(found, role)["spec"]["serviceAccountName"] == "kubedl-sa"
        assert part(found, role)["spec"]["securityContext"]["runAsNonRoot"] is True
        assert part(found, role)["spec"]["automountServiceAccountToken"] is False
        assert ran(found, role)["resources"]["requests"] == {"cpu": "2", "memory": "2Gi"}
    for role in ("scheduler", "worker"):
        assert env(found, role)["MARS_CPU_TOTAL"] == "2"
        assert env(found, role)["MARS_MEMORY_TOTAL"] == str(2 * 2**30)
    assert any("imagePullPolicy=Always goes with the image" in note for note in found.notes)


def test_the_web_address() -> None:
    found = translated()
    scheduler, web = of_kind(found, "Service")
    assert [(p["port"], p["targetPort"]) for p in scheduler["spec"]["ports"]] == [(11111, "tcp-comm")]
    assert [(p["port"], p["targetPort"]) for p in web["spec"]["ports"]] == [
        (11111, "http-dashboard"),
        (80, "http-dashboard"),
    ]
    (ingress,) = of_kind(found, "Ingress")
    (rule,) = ingress["spec"]["rules"]
    assert rule["host"] == "mars.example.com"
    path = "/mars/default/mars-test-demo-webservice-0"
    assert [each["path"] for each in rule["http"]["paths"]] == [f"{path}/(.*)", path]
    assert {each["pathType"] for each in rule["http"]["paths"]} == {"ImplementationSpecific"}


@pytest.mark.parametrize("host", ["http://mars.example.com", "https://mars.example.com/", "mars.example.com"])
def test_a_host_with_a_scheme_is_one_without(host: str) -> None:
    (ingress,) = of_kind(translated(lambda made: made["spec"].update(webHost=host)), "Ingress")
    assert ingress["spec"]["rules"][0]["host"] == "mars.example.com"


@pytest.mark.parametrize("name", ["workerMemoryTuningPolicy", "memoryTuningPolicy"])
def test_the_memory_block(name: str) -> None:
    found = translated(block(name, spillDirs=["/mnt/a", "/mnt/b/"], workerCachePercentage=80))
    check(found)
    assert env(found)["DASK_DISTRIBUTED__WORKER__MEMORY__TARGET"] == "0.8"
    assert env(found)["MARS_SPILL_DIRS"] == "/mnt/a:/mnt/b"
    mounts = {each["mountPath"]: each["name"] for each in ran(found)["volumeMounts"]}
    volumes = {each["name"]: each for each in part(found)["spec"]["volumes"]}
    for path in ("/mnt/a", "/mnt/b"):
        assert volumes[mounts[path]]["emptyDir"] == {}
    assert any("tutorial's name" in note for note in found.notes) is (name == "memoryTuningPolicy")


def test_a_directory_that_is_mounted_is_not_mounted_twice() -> None:
    def mounted(made: dict[str, Any]) -> None:
        pod(made)["volumes"] = [{"name": "disk", "hostPath": {"path": "/srv"}}]
        container(made)["volumeMounts"] = [{"name": "disk", "mountPath": "/mnt/a/"}]

    found = translated(block(spillDirs=["/mnt/a", "/mnt/b"]), mounted)
    paths = [each["mountPath"].rstrip("/") for each in ran(found)["volumeMounts"]]
    assert sorted(paths) == ["/mnt/a", "/mnt/b", "/tmp"]


def test_ephemeral_storage_is_shared_among_the_directories() -> None:
    def stored(made: dict[str, Any]) -> None:
        container(made)["resources"]["requests"]["ephemeral-storage"] = "4Gi"

    found = translated(block(spillDirs=["/mnt/a", "/mnt/b"]), stored)
    limits = [v["emptyDir"]["sizeLimit"] for v in part(found)["spec"]["volumes"] if "spill" in v["name"]]
    assert limits == [str(2 * 2**30)] * 2


@pytest.mark.parametrize("name", ["workerMemoryTuningPolicy", "memoryTuningPolicy"])
def test_the_plasma_store_is_memory_of_the_cache_s_size(name: str) -> None:
    found = translated(block(name, plasmaStore="/dev/shm", workerCacheSize="1Gi"))
    check(found)
    (volume,) = [each for each in part(found)["spec"]["volumes"] if each["name"] == "marsdask-plasma"]
    assert volume["emptyDir"] == {"medium": "Memory", "sizeLimit": str(2**30)}
    (mount,) = [each for each in ran(found)["volumeMounts"] if each["name"] == "marsdask-plasma"]
    assert mount["mountPath"] == "/dev/shm"
    (note,) = [each for each in found.notes if "plasmaStore" in each]
    assert note.startswith(f"spec.{name}.plasmaStore=/dev/shm: 1Gi of memory is mounted there")


def mounted_at(path: str) -> Change:
    def mounted(made: dict[str, Any]) -> None:
        pod(made)["volumes"] = [{"name": "mine", "emptyDir": {}}]
        container(made)["volumeMounts"] = [{"name": "mine", "mountPath": path}]

    return mounted


@pytest.mark.parametrize(
    "changes",
    [
        [block(plasmaStore="/dev/shm")],
        [block(plasmaStore="/dev/shm", workerCachePercentage=50)],
        [block(plasmaStore="/dev/shm", workerCacheSize="1Gi"), mounted_at("/dev//shm/")],
        [block(plasmaStore="/dev/shm/", workerCacheSize="1Gi"), mounted_at("/dev/shm")],
        [block(plasmaStore="/tmp/", workerCacheSize="1Gi")],
        [block(plasmaStore="/mnt/a/.", workerCacheSize="1Gi", spillDirs=["/mnt/a"])],
    ],
)
def test_no_memory_is_mounted_without_a_size_or_over_something_else(changes: list[Change]) -> None:
    found = translated(*changes)
    check(found)
    assert not any(each["name"] == "marsdask-plasma" for each in part(found)["spec"]["volumes"])
    assert not any(each["name"] == "marsdask-plasma" for each in ran(found)["volumeMounts"])
    (note,) = [each for each in found.notes if "plasmaStore" in each]
    assert "has no effect: Dask keeps data in the worker's own memory" in note


WORKER = f"{ROLES}.Worker.template.spec"


@pytest.mark.parametrize(
    ("fields", "path", "said"),
    [
        ({"workerCachePercentage": 0}, "workerCachePercentage", "expected 1 or more"),
        ({"workerCachePercentage": 150}, "workerCachePercentage", "expected 100 or less"),
        ({"workerCacheSize": "4Gi"}, "workerCacheSize", "more than the worker's memory"),
        ({"workerCacheSize": "lots"}, "workerCacheSize", "expected a quantity"),
        ({"spillDirs": "/a"}, "spillDirs", "expected a list"),
        ({"spillDirs": ["/a", "/a"]}, "spillDirs", "twice"),
        ({"spillDirs": ["a"]}, "spillDirs", "absolute"),
        ({"spillDir": ["/a"]}, "spillDir", "Did you mean 'spillDirs'"),
        ({"lockFreeFileIO": "maybe"}, "lockFreeFileIO", "true or false"),
        ({"plasmaStore": "dev/shm"}, "plasmaStore", "absolute"),
        ({"plasmaStore": "", "workerCacheSize": "1Gi"}, "plasmaStore", "absolute"),
        ({"plasmaStore": ["/dev/shm"]}, "plasmaStore", "expected a text"),
    ],
)
def test_a_memory_block_that_is_wrong(fields: dict[str, Any], path: str, said: str) -> None:
    found = causes(block(**fields))
    assert said in found[f"spec.workerMemoryTuningPolicy.{path}"], found


def test_both_names_of_the_block() -> None:
    found = causes(block(spillDirs=["/a"]), block("memoryTuningPolicy", spillDirs=["/a"]))
    assert any("say the same" in message for message in found.values())


def test_all_faults_at_once() -> None:
    """Each by its path: a job is mended in one go."""

    def wrong(made: dict[str, Any]) -> None:
        made["spec"]["foo"] = "bar"
        made["spec"]["ttlSecondsAfterFinished"] = "soon"
        roles(made)["Scheduler"]["replicas"] = 2
        roles(made)["Master"] = roles(made)["WebService"]
        container(made)["resources"]["limits"]["memory"] = "2 GB"
        container(made)["ports"] = [{"containerPort": "http"}]
        container(made)["imagee"] = "x"
        pod(made)["hostUsers"] = False
        container(made, "Scheduler")["command"] = ["redis-server"]

    found = causes(wrong, annotated(imag="x", security="yes"))
    assert set(found) == {
        "spec.foo",
        "spec.ttlSecondsAfterFinished",
        f"{ROLES}.Scheduler.replicas",
        f"{ROLES}.Master",
        f"{WORKER}.containers[0].resources.limits.memory",
        f"{WORKER}.containers[0].ports[0].containerPort",
        f"{WORKER}.containers[0].imagee",
        f"{WORKER}.hostUsers",
        f"{ROLES}.Scheduler.template.spec.containers[0].command",
        "metadata.annotations[marsdask.org/imag]",
        "metadata.annotations[marsdask.org/security]",
    }
    assert "Did you mean 'image'" in found["metadata.annotations[marsdask.org/imag]"]


def test_kubedls_empty_sample() -> None:
    with pytest.raises(JobRefused) as caught:
        translate(
            {
                "apiVersion": "training.kubedl.io/v1alpha1",
                "kind": "MarsJob",
                "metadata": {"name": "marsjob-sample"},
                "spec": {"foo": "bar"},
            }
        )
    assert [path for path, _ in caught.value.causes] == ["spec.marsReplicaSpecs", "spec.foo"]


@pytest.mark.parametrize(
    "what", [None, [], "job", 1, {}, {"spec": None}, {"spec": []}, {"spec": {}, "metadata": []}]
)
def test_what_is_no_job(what: Any) -> None:
    with pytest.raises(JobRefused):
        translate(what)


@pytest.mark.parametrize(
    "path",
    [
        (),
        ("template",),
        ("template", "spec"),
        ("template", "spec", "containers"),
        ("template", "spec", "containers", 0),
    ],
)
@pytest.mark.parametrize("value", [None, [], {}, "x", 3, [None], [{}]])
def test_a_part_that_is_missing_or_of_another_type(path: tuple[Any, ...], value: Any) -> None:
    """At any depth an error that names it, and none of Python's."""

    def wrong(made: dict[str, Any]) -> None:
        if not path:
            roles(made)["Worker"] = value
            return
        where: Any = roles(made)["Worker"]
        for step in path[:-1]:
            where = where[step]
        where[path[-1]] = value

    found = causes(wrong)
    assert all(each.startswith(f"{ROLES}.Worker") for each in found), found


def test_roles_in_any_case_and_without_counts() -> None:
    def other(made: dict[str, Any]) -> None:
        made["spec"]["marsReplicaSpecs"] = {key.lower(): value for key, value in roles(made).items()}
        del made["spec"]["marsReplicaSpecs"]["webservice"]
        del made["spec"]["webHost"]
        del made["spec"]["marsReplicaSpecs"]["worker"]["replicas"]

    found = translated(other)
    assert part(found)["replicas"] == 1
    assert [each["metadata"]["name"] for each in of_kind(found, "Service")] == ["mars-test-demo-scheduler-0"]
    assert of_kind(found, "Ingress") == []


def test_a_role_twice() -> None:
    found = causes(lambda made: roles(made).update(WORKER=roles(made)["Worker"]))
    assert "twice" in found[f"{ROLES}.WORKER"]


@pytest.mark.parametrize(
    ("name", "good"),
    [("a" * 50, True), ("a" * 51, False), ("Job", False), ("1job", False), ("a.b", False), ("a-", False)],
)
def test_names(name: str, good: bool) -> None:
    def named(made: dict[str, Any]) -> None:
        made["metadata"]["name"] = name

    if good:
        translated(named)
    else:
        assert "expected at most 50" in causes(named)["metadata.name"]


COMMANDS = {
    "argv": ["/srv/entrypoint.sh", "mars.deploy.kubernetes.worker"],
    "python": ["python3", "-m", "mars.deploy.oscar.worker"],
    "a path": ["/opt/conda/bin/python3.8", "-m", "mars.deploy.kubernetes.worker"],
    "script": ["mars-worker"],
    "shell": ["/bin/bash", "-lc", "python -m mars.deploy.kubernetes.worker"],
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_commands_of_mars(words: list[str]) -> None:
    found = translated(starts(*words))
    text = " ".join(ran(found)["args"])
    assert "mars.deploy" not in text
    assert "mars-worker --name" in text
    assert "command" not in ran(found)


def test_words_before_stay() -> None:
    found = translated(
        starts("sh", "-c", "pip install x && python -m mars.deploy.kubernetes.worker --cache-mem 1g")
    )
    shell, flag, text = ran(found)["args"]
    assert (shell, flag) == ("sh", "-c")
    assert text.startswith("pip install x && exec mars-worker ")
    assert "--cache-mem" not in text
    assert env(found)["MARS_CACHE_MEM_SIZE"] == str(2**30)


def test_options_of_the_command() -> None:
    found = translated(
        starts(
            "mars-worker", "-H", "0.0.0.0", "-p11111", "-s", "host:7103", "--n-cpu=3", "--spill-dir", "/mnt/a:/mnt/b", "--log-level", "debug",
            "--load-modules", "a", "b", "--use-uvloop", "no", "--io-procs", "2",
        )
    )  # fmt: skip
    args = ran(found)["args"]
    assert args[-8:] == [
        "--log-level",
        "debug",
        "--load-modules",
        "a",
        "--load-modules",
        "b",
        "--use-uvloop",
        "no",
    ]
    assert env(found)["MARS_CPU_TOTAL"] == "3"
    assert {"/mnt/a", "/mnt/b"} < {each["mountPath"] for each in ran(found)["volumeMounts"]}
    notes = "\n".join(found.notes)
    for said in (
        "-H 0.0.0.0 is left out",
        "-p 11111 is left out",
        "-s host:7103 is left out",
        "--io-procs 2 has no effect",
    ):
        assert said in notes


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mars-worker", "--no-such-thing"], "there is no such option"),
        (["mars-worker", "-Dkey=value"], "cannot be honoured"),
        (["mars-worker", "-f", "file.yml"], "variables of the container"),
        (["mars-worker", "--log-level", "loud"], "is not one of"),
        (["mars-worker", "--cache-mem"], "has no value"),
        (["mars-worker", "extra"], "no option takes it"),
        (["mars-scheduler"], "starts a Scheduler, expected a Worker"),
        (["sh", "-c", "mars-worker; sleep 9"], "has to come last"),
        (["sh", "-c", "mars-worker && mars-worker"], "more than one"),
        (["sh", "-c", "mars-worker 'a"], "cannot be read"),
        (["sh", "-c", "mars-worker --cache-mem $SIZE"], "not what a shell works out"),
        (["sleep", "9"], "starts no Mars"),
        (["sh"], "starts no Mars"),
    ],
)
def test_commands_that_cannot_be_kept(words: list[str], said: str) -> None:
    found = causes(starts(*words))
    assert said in found[f"{WORKER}.containers[0].command"], found


def test_no_command_and_commands_of_ours() -> None:
    found = translated(lambda made: container(made).pop("command"))
    assert ran(found)["args"][0] == "mars-worker"
    found = translated(
        lambda made: container(made).update(
            image="team/ours:1",
            imagePullPolicy="Always",
            command=["dask", "worker", "--name", "$(DASK_WORKER_NAME)"],
        )
    )
    assert ran(found)["command"] == ["dask", "worker", "--name", "$(DASK_WORKER_NAME)"]
    assert "args" not in ran(found)
    assert (ran(found)["image"], ran(found)["imagePullPolicy"]) == ("team/ours:1", "Always")


def test_images() -> None:
    path = f"{WORKER}.containers[0].image"
    assert "with marsdask in it" in causes(image=None)[path]
    found = translated(annotated(image="team/ours:2", image_pull_policy="Never"), image=None)
    assert (ran(found)["image"], ran(found)["imagePullPolicy"]) == ("team/ours:2", "Never")


def test_spot_replicas() -> None:
    def spot(number: int) -> Change:
        said = {"spotReplicaNumber": number, "priorityClassName": "low", "labels": {"spot": "yes"}}
        return lambda made: roles(made)["Worker"].update(spotReplicaSpec=said)

    found = translated(spot(1))
    check(found)
    assert part(found)["replicas"] == 1
    (group,) = of_kind(found, "DaskWorkerGroup")
    assert group["metadata"]["name"] == "mars-test-demo-spot"
    assert group["spec"]["worker"]["replicas"] == 1
    assert group["spec"]["worker"]["spec"]["priorityClassName"] == "low"
    assert group["spec"]["worker"]["metadata"]["labels"]["spot"] == "yes"
    assert "priorityClassName" not in part(found)["spec"]
    found = translated(spot(9))
    assert part(found)["replicas"] == 0
    assert of_kind(found, "DaskWorkerGroup")[0]["spec"]["worker"]["replicas"] == 2


def test_ports_of_probes_get_names() -> None:
    def probed(made: dict[str, Any]) -> None:
        container(made)["livenessProbe"] = {"httpGet": {"path": "/x", "port": 8080}}
        container(made)["ports"] = [{"containerPort": 9090, "name": "mine"}]
        container(made)["startupProbe"] = {"tcpSocket": {"port": 9090}}

    found = translated(probed)
    check(found)
    assert ran(found)["livenessProbe"]["httpGet"]["port"] == "port-8080"
    assert ran(found)["startupProbe"]["tcpSocket"]["port"] == "mine"
    assert {"containerPort": 8080, "name": "port-8080"} in ran(found)["ports"]
    wrong = causes(lambda made: container(made).update(livenessProbe={"httpGet": {"port": "8080"}}))
    assert "expected 8080" in wrong[f"{WORKER}.containers[0].livenessProbe.httpGet.port"]


def test_the_rest_of_a_pod_stays() -> None:
    def rich(made: dict[str, Any]) -> None:
        pod(made).update(
            nodeSelector={"disk": "ssd"},
            tolerations=[{"key": "spot", "operator": "Exists"}],
            imagePullSecrets=[{"name": "registry"}],
            initContainers=[{"name": "clone", "image": "git", "resources": {"limits": {"cpu": 0.5}}}],
            securityContext={"runAsNonRoot": False},
            restartPolicy="Never",
        )
        pod(made)["containers"].insert(0, {"name": "logs", "image": "fluentd"})

    found = translated(rich)
    check(found)
    spec = part(found)["spec"]
    assert spec["nodeSelector"] == {"disk": "ssd"}
    assert spec["securityContext"]["runAsNonRoot"] is False
    assert spec["initContainers"][0]["resources"]["limits"]["cpu"] == "0.5"
    assert [each["name"] for each in spec["containers"]] == ["mars", "logs"]
    assert any("restartPolicy=Never is left out" in note for note in found.notes)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda made: made["spec"].update(cronPolicy={"schedule": "* * * * *"}), "spec.cronPolicy"),
        (lambda made: made["spec"].update(schedulingPolicy={"queue": "a"}), "spec.schedulingPolicy.queue"),
        (lambda made: made["spec"].update(schedulingPolicy={"priority": 1}), "spec.schedulingPolicy.priority"),
        (lambda made: made["spec"].update(schedulingPolicy={"minAvailable": 3}), "spec.schedulingPolicy.minAvailable"),
        (lambda made: made["spec"].update(webHost="a b"), "spec.webHost"),
        (lambda made: made["spec"].update(backoffLimit=-1), "spec.backoffLimit"),
        (lambda made: made["spec"].update(cleanPodPolicy="Some"), "spec.cleanPodPolicy"),
        (lambda made: made.update(kind="Job"), "kind"),
        (lambda made: made.update(apiVersion="v1"), "apiVersion"),
        (lambda made: made.update(extra=1), "extra"),
        (lambda made: roles(made)["Worker"].update(restartPolicy="Sometimes"), f"{ROLES}.Worker.restartPolicy"),
        (lambda made: roles(made)["Worker"].update(replicas=-1), f"{ROLES}.Worker.replicas"),
        (lambda made: roles(made)["Worker"].update(replicas=1.5), f"{ROLES}.Worker.replicas"),
        (lambda made: roles(made)["Worker"].update(replicas=True), f"{ROLES}.Worker.replicas"),
        (lambda made: roles(made).pop("Scheduler"), f"{ROLES}.Scheduler"),
        (
            lambda made: made["metadata"].update(annotations={"kubedl.io/network-mode": "host"}),
            "metadata.annotations[kubedl.io/network-mode]",
        ),
        (lambda made: container(made).update(volumeMounts=[{"name": "x", "mountPath": "/x"}]), f"{WORKER}.containers[0].volumeMounts[0].name"),
        (lambda made: pod(made)["containers"].append({"name": "mars"}), f"{WORKER}.containers"),
    ],
)  # fmt: skip
def test_fields_that_are_refused(change: Change, path: str) -> None:
    assert set(causes(change)) == {path}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\na: 2\n", "line 2: the key 'a' is there twice"),
        ("a: !!python/name:os.system\n", "could not determine a constructor"),
        ("a: [1\n", "line"),
        ("", "is empty"),
        ("a: \x00", "special characters"),
    ],
)
def test_files_that_are_refused(text: str, said: str) -> None:
    with pytest.raises(ArgumentError, match=r"job\.yaml") as caught:
        documents(text, "job.yaml")
    assert said in str(caught.value)


def test_several_jobs_in_a_file() -> None:
    assert documents("---\na: 1\n---\n---\nb: 2020-01-01\n", "f") == [{"a": 1}, {"b": "2020-01-01"}]


def command(*words: str, text: str | None = None) -> Any:
    return CliRunner().invoke(main, ["job", "translate", *words], input=text)


def test_the_command_prints_objects_and_notes(tmp_path: Path) -> None:
    done = command(str(JOBS / "tutorial.yaml"), "--image", IMAGE)
    assert done.exit_code == 0, done.output
    assert list(yaml.safe_load_all(done.stdout)) == translated().objects
    assert done.stderr.splitlines() == [f"note: {note}" for note in translated().notes]
    as_json = command("-", "--image", IMAGE, "-o", "json", text=json.dumps(TUTORIAL))
    assert json.loads(as_json.stdout)["items"] == translated().objects


def test_the_command_refuses_with_a_line_for_each_cause(tmp_path: Path) -> None:
    two = yaml.safe_dump_all([TUTORIAL, job(lambda made: made["spec"].update(foo=1, bar=2))], sort_keys=False)
    done = command("-", "--image", IMAGE, text=two)
    assert (done.exit_code, done.stdout) == (1, "")
    assert [line.rpartition(": ")[0] for line in done.stderr.splitlines()] == [
        "error: job 2: spec.foo",
        "error: job 2: spec.bar",
    ]


@pytest.mark.parametrize(("text", "said"), [("a: 1\na: 2", "stdin, line 2"), ("\udcff", "no text in UTF-8")])
def test_the_command_and_files_that_cannot_be_read(text: str, said: str) -> None:
    done = CliRunner().invoke(main, ["job", "translate", "-"], input=text.encode("utf-8", "surrogateescape"))
    assert (done.exit_code, done.stdout) == (1, "")
    assert said in done.stderr
    done = command("no/such/file")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "No such file" in done.stderr


def test_the_page_s_job_and_the_tutorial_s_are_one() -> None:
    """What docs/from-kubedl.md retypes is run as it stands there; its CronJob runs a command that there is."""
    page = (Path(__file__).parents[2] / "docs" / "from-kubedl.md").read_text()
    theirs, cron = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    found = translate(theirs, IMAGE)
    check(found)
    assert [each["kind"] for each in found.objects] == [each["kind"] for each in translated().objects]
    assert {each["mountPath"] for each in ran(found)["volumeMounts"]} >= {"/mnt/spill"}
    (submit,) = cron["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    done = CliRunner().invoke(main, [*submit["args"][1:], "--help"])
    assert done.exit_code == 0


@pytest.mark.parametrize("cpu", ["2 cores", "", "-1", "1e99999999", -1])
def test_a_cpu_that_is_none(cpu: Any) -> None:
    found = causes(lambda made: container(made)["resources"]["requests"].update(cpu=cpu))
    assert set(found) == {f"{ROLES}.Worker.template.spec.containers[0].resources.requests.cpu"}


@pytest.mark.parametrize(
    ("text", "ran"),
    [
        ("python -m mars.deploy.oscar.worker", "exec mars-worker"),
        ("A=1 B='2' python -m mars.deploy.oscar.worker", "A=1 B='2' exec mars-worker"),
        ("cd /data && python -m mars.deploy.oscar.worker", "cd /data && exec mars-worker"),
        ("exec python -m mars.deploy.oscar.worker", "exec mars-worker"),
        ("env A=1 python -m mars.deploy.oscar.worker", "env A=1 mars-worker"),
        ("nice -n 5 mars-worker", "nice -n 5 mars-worker"),
    ],
)
def test_a_shell_gives_way_where_nothing_else_runs_the_command(text: str, ran: str) -> None:
    assert ran_by_shell(text).startswith(f"{ran} --name")


def ran_by_shell(text: str) -> str:
    return ran(translated(starts("sh", "-c", text)))["args"][2]


def test_a_number_sign_inside_of_a_word_begins_no_comment() -> None:
    text = ran_by_shell("mars-worker --load-modules a#b --log-level debug")
    assert "'a#b'" in text
    assert "--log-level debug" in text


@pytest.mark.parametrize("number", ["many", "0"])
def test_processors_that_are_no_number(number: str) -> None:
    (said,) = causes(starts("mars-worker", "--n-cpu", number)).values()
    assert f"--n-cpu {number}" in said


def test_an_image_with_marsdask_stays_and_a_replaced_one_is_told() -> None:
    def image(made: dict[str, Any]) -> None:
        container(made)["image"] = "reg/team/marsdask:v2"
        container(made)["command"] = ["mars-worker"]

    found = translated(image)
    assert ran(found)["image"] == "reg/team/marsdask:v2"
    assert any(f"{IMAGE!r} replaces 'mars-image', which starts Mars" in note for note in found.notes)


def test_variables_of_the_template_come_first_but_for_those_that_wire_the_pod() -> None:
    said = {
        "HOME": "/data",
        "DASK_DISTRIBUTED__WORKER__MEMORY__TARGET": "0.5",
        "DASK_DISTRIBUTED__COMM__RETRY__COUNT": "3",
        "MARS_CONTAINER_IP": "1.2.3.4",
        "MINE": "1",
    }
    given = [{"name": name, "value": value} for name, value in said.items()]
    found = translated(lambda made: container(made).update(env=given))
    check(found)
    entries = ran(found)["env"]
    assert len({each["name"] for each in entries}) == len(entries)
    assert env(found) | {
        "HOME": "/data",
        "MINE": "1",
        "DASK_DISTRIBUTED__WORKER__MEMORY__TARGET": "0.5",
    } == env(found)
    assert env(found)["DASK_DISTRIBUTED__COMM__RETRY__COUNT"] == "3"
    assert env(found)["MARS_CONTAINER_IP"] == ""
    assert any("MARS_CONTAINER_IP is left out" in note for note in found.notes)
    origin = [
        {"name": "DASK_MARSDASK__ALLOW_ORIGIN", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    ]
    found = translated(lambda made: container(made, "Scheduler").update(env=origin))
    (entry,) = [each for each in ran(found, "scheduler")["env"] if each["name"] == origin[0]["name"]]
    assert entry == origin[0]


def test_probes_and_rights_of_the_template_replace_ours() -> None:
    def changed(made: dict[str, Any]) -> None:
        container(made)["readinessProbe"] = {"exec": {"command": ["true"]}}
        container(made, "Scheduler")["livenessProbe"] = {"tcpSocket": {"port": 8786}}
        container(made)["securityContext"] = {"privileged": True, "runAsUser": 0}

    found = translated(changed)
    check(found)
    assert ran(found)["readinessProbe"] == {"exec": {"command": ["true"]}}
    assert "httpGet" not in ran(found, "scheduler")["livenessProbe"]
    assert "allowPrivilegeEscalation" not in ran(found)["securityContext"]
    assert "runAsNonRoot" not in part(found)["spec"]["securityContext"]


def test_a_worker_of_dasks_own_command_may_listen_anywhere() -> None:
    found = translated(starts("dask", "worker"), lambda made: container(made).update(image="x/dask:1"))
    assert "readinessProbe" not in ran(found)


def test_spilling_into_tmp_mounts_it_once() -> None:
    paths = [each["mountPath"] for each in ran(translated(block(spillDirs=["/tmp"])))["volumeMounts"]]
    assert paths == ["/tmp"]


def test_no_ingress_without_a_web_service() -> None:
    found = translated(lambda made: roles(made)["WebService"].update(replicas=0))
    assert of_kind(found, "Ingress") == []


def test_clean_pod_policy_running_is_told() -> None:
    found = translated(lambda made: made["spec"].update(cleanPodPolicy="Running"))
    assert any("spec.cleanPodPolicy=Running does what All does" in note for note in found.notes)


def of_mars(*names: str, **spec: Any) -> dict[str, Any]:
    """A job as Mars's own client makes it, of these roles."""

    def role(name: str, label: str, module: str, cpu: int, memory: int, **more: Any) -> dict[str, Any]:
        resources = {
            "requests": {"cpu": cpu, "memory": str(memory)},
            "limits": {"cpu": str(round(cpu * 1.2, 1)), "memory": str(2 * memory)},
        }
        container = {
            "name": "mars",
            "image": "marsproject/mars:v0.6.11",
            "imagePullPolicy": "Always",
            "command": ["/bin/sh", "-c", f"python -m mars.deploy.kubernetes.{module}"],
            "resources": resources,
            **more,
        }
        pod = {"serviceAccountName": "kubedl-sa", "containers": [container]}
        template = {"metadata": {"labels": {"mars/service-type": label}}, "spec": pod}
        return {"replicas": 1 if name != "Worker" else 4, "restartPolicy": "Never", "template": template}

    variables = [
        {"name": "MARS_SPILL_DIRS", "value": "/mnt/a:/mnt/b"},
        {"name": "MARS_LOAD_MODULES", "value": "mine"},
    ]
    every = {
        "Scheduler": role("Scheduler", "marsscheduler", "scheduler", 2, 4 * 2**30),
        "Worker": role("Worker", "marsworker", "worker", 8, 32 * 2**30, env=variables),
        "WebService": role("WebService", "marsweb", "web", 1, 4 * 2**30),
    }
    block = {"spillDirs": ["/mnt/a", "/mnt/b"], "workerCacheSize": int(32 * 2**30 * 0.45)}
    return {
        "apiVersion": "kubedl.io/v1alpha1",
        "kind": "MarsJob",
        "metadata": {"name": "mars-job-x7b2k", "namespace": "team"},
        "spec": {
            "cleanPodPolicy": "None",
            "workerMemoryTuningPolicy": block,
            "marsReplicaSpecs": {name: every[name] for name in names},
            **spec,
        },
    }


@pytest.mark.parametrize("web", [True, False])
def test_jobs_of_mars_own_builder(web: bool) -> None:
    names = ("Worker", "Scheduler", "WebService") if web else ("Worker", "Scheduler")
    found = translate(of_mars(*names, webHost="mars.example.com"), IMAGE)
    check(found)
    assert cluster(found)["metadata"]["namespace"] == "team"
    assert part(found)["replicas"] == 4
    assert ran(found)["image"] == IMAGE
    assert {"/mnt/a", "/mnt/b"} <= {each["mountPath"] for each in ran(found)["volumeMounts"]}
    assert env(found)["MARS_CPU_TOTAL"] == "8"
    assert env(found)["MARS_MEMORY_TOTAL"] == str(32 * 2**30)
    assert float(env(found)["DASK_DISTRIBUTED__WORKER__MEMORY__TARGET"]) == pytest.approx(0.45, abs=0.01)
    assert bool(of_kind(found, "Ingress")) == web


def test_the_scheduler_tells_the_operator_whether_an_idle_job_could_end():
    found = translated(annotated(idle_timeout="60"))
    assert cluster(found)["spec"]["idleTimeout"] == 60
    assert env(found, "scheduler")["DASK_MARSDASK__IDLE_TIMEOUT"] == "60"
    assert "DASK_MARSDASK__IDLE_TIMEOUT" not in env(translated(), "scheduler")
