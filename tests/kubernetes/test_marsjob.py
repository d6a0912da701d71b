"""MarsJobs on a node: applied, run, reached, ended and cleaned up as KubeDL's users know it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest
from click.testing import CliRunner, Result

from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.marsjob import operator as marsjobs
from marsdask.deploy.marsjob.commands import job as job_command
from marsdask.deploy.marsjob.definition import GROUP
from marsdask.errors import KubernetesError
from tests.kubernetes.clusters import IMAGE, namespace, quota, until
from tests.kubernetes.conftest import Place, install
from tests.kubernetes.ingress import Proxy, serving
from tests.kubernetes.marsjobs import applied, container, create, program, role, small

PROGRAM = """
import sys, time
from marsdask import new_session
import marsdask.dataframe as md
import marsdask.tensor as mt

for address in {addresses}:
    begun = time.monotonic()
    session = new_session(address)
    print("session", address, round(time.monotonic() - begun, 2))
    a = mt.random.rand(100, 10)
    print("inner", mt.inner(a, a).execute().fetch().shape)
    print("sum", md.DataFrame(a).sum().execute().fetch().shape)
    session.close()
"""


@pytest.fixture(autouse=True)
def kept(place: Place) -> None:
    """The operator of MarsJobs is there, as on our own node."""
    if marsjobs.NAME not in place.marsdask("status").output:
        install(place, "--marsjobs")


def kubectl(place: Place, *words: str) -> str:
    """What kubectl prints."""
    return subprocess.run(
        ["kubectl", "--kubeconfig", str(place.kubeconfig), *words], capture_output=True, text=True, check=True
    ).stdout


def test_the_tutorials_job(place: Place, api: Api) -> None:
    """Created with `status: {}`, Running in the table, used from a pod by its Service's name, gone with all of it."""
    job = small(ttlSecondsAfterFinished=600)
    assert job["status"] == {}
    with namespace(api) as where:
        made = create(api, where, job)
        made.becomes("Running")
        if shutil.which("kubectl"):
            head, row = kubectl(place, "get", "marsjob", "-n", where).splitlines()
            assert head.split() == ["NAME", "STATE", "AGE", "FINISHED-TTL", "MAX-LIFETIME"]
            assert row.split()[:2] == ["demo", "Running"]
            assert row.split()[3] == "600"
        until(lambda: made.events() == ["JobCreated", "JobRunning"])
        counts = made.body()["status"]["replicaStatuses"]
        assert {name: each["active"] for name, each in counts.items()} == {
            "Scheduler": 1,
            "WebService": 1,
            "Worker": 1,
        }
        (worker,) = made.pods("worker")
        labels = worker["metadata"]["labels"]
        assert labels["mars/service-type"] == "marsworker"
        assert (labels["job-name"], labels["replica-type"]) == ("demo", "worker")
        service = f"http://demo-webservice-0.{where}"
        told = program(api, where, PROGRAM.format(addresses=[service, f"{service}:11111"]))
        assert told.count("inner (100, 100)\nsum (10,)\n") == 2, told
        made.deleted()
        until(lambda: not made.pods() and api.get("daskclusters", where, "demo") is None)
        until(lambda: not api.services(where, "marsdask.org/marsjob=demo"))


WIRE = "10.214.9.1", "10.214.9.2"


@pytest.fixture
def far_away(place: Place) -> Iterator[list[str]]:
    """What to put before a command to run it where there is the address WIRE[0], and nothing else."""
    if place.node is None:
        pytest.skip("the client's network is made beside that of our own node")
    name = f"far-{os.getpid()}"

    def ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True, timeout=60)

    ip("netns", "add", name)
    try:
        ip("link", "add", name, "type", "veth", "peer", "name", "wire", "netns", name)
        ip("addr", "add", f"{WIRE[0]}/24", "dev", name)
        ip("link", "set", name, "up")
        ip("-n", name, "addr", "add", f"{WIRE[1]}/24", "dev", "wire")
        ip("-n", name, "link", "set", "wire", "up")
        ip("-n", name, "link", "set", "lo", "up")
        yield ["nsenter", f"--net=/run/netns/{name}"]
    finally:
        ip("netns", "del", name)


def test_by_the_path_of_its_ingress(api: Api, far_away: list[str]) -> None:
    """A client that reaches nothing but a proxy, which obeys the Ingress: sessions, the dashboard's pages and files."""
    job = small(webHost="http://mars.example.com")
    with applied(api, job) as made:
        made.becomes("Running")
        function = api.networking.read_namespaced_ingress
        proxy = Proxy(api, api.call(function, "demo", made.where))
        path = f"mars.example.com/mars/{made.where}/demo-webservice-0"
        assert made.body()["status"]["webServiceAddresses"] == [path]
        hosts = "import socket\nfound = socket.getaddrinfo\nsocket.getaddrinfo = lambda host, *more, **how: "
        hosts += f"found({WIRE[0]!r} if host == 'mars.example.com' else host, *more, **how)\n"
        text = hosts + PROGRAM.format(addresses=[f"http://{path}"]) + PAGES.format(path=path)
        with serving(proxy, WIRE[0], 80):
            done = subprocess.run(
                [*far_away, sys.executable, "-c", text], capture_output=True, text=True, timeout=600
            )
        assert done.returncode == 0, done.stderr
        assert "inner (100, 100)\nsum (10,)\n" in done.stdout
        assert "pages 200 200 200\n" in done.stdout, done.stdout
        assert "document True\n" in done.stdout


PAGES = """
import re, urllib.request

def got(path):
    with urllib.request.urlopen("http://{path}/" + path) as answer:
        return answer.status, answer.read().decode()

status, page = got("status")
links = re.findall(r'(?:src|href)="([^"#]+)"', page)
print("links", links[:10])
(link,) = [each for each in links if each.endswith("bokeh.min.js")][:1] or [each for each in links if ".js" in each][:1]
from bokeh.client import pull_session

print("document", len(pull_session(url="http://{path}/status").document.roots) > 0)  # by a websocket
print("pages", status, got("health")[0], got(link.removeprefix("./").split("?")[0])[0])
"""


def test_two_spill_directories_and_eighty_percent(api: Api) -> None:
    """The memory block: mounts and budget seen in the worker, and a program that fills both directories."""
    block = {"spillDirs": ["/spill/a", "/spill/b"], "workerCachePercentage": 80}
    job = small(memoryTuningPolicy=block)
    container(job, "Worker")["resources"] = {
        "requests": {"cpu": "50m", "memory": "600Mi"},
        "limits": {"memory": "600Mi"},
    }
    text = """
import os
from marsdask import new_session
import marsdask.tensor as mt

session = new_session("http://demo-webservice-0")
client = session.engine.client

def looked(dask_worker):
    import dask, os
    sizes = {}
    for folder in ("/spill/a", "/spill/b"):
        sizes[folder] = sum(os.path.getsize(os.path.join(at, f)) for at, _, names in os.walk(folder) for f in names)
    return sizes, dask.config.get("distributed.worker.memory.target"), dask_worker.memory_manager.memory_limit

a = mt.random.rand(90, 1000, 1000, chunk_size=(1, 1000, 1000)).execute()
[(sizes, target, limit)] = client.run(looked).values()
print("budget", target, limit)
print("filled", *(size > 8_000_000 for size in sizes.values()), sizes)
print("mean", round(float(a.mean().execute().fetch()), 1))
"""
    with applied(api, job) as made:
        made.becomes("Running")
        (worker,) = made.pods("worker")
        mounts = {each["mountPath"] for each in worker["spec"]["containers"][0]["volumeMounts"]}
        assert {"/spill/a", "/spill/b"} <= mounts
        told = program(api, made.where, text)
        assert f"budget 0.8 {600 * 2**20}\n" in told
        assert "filled True True" in told, told
        assert "mean 0.5\n" in told


def test_what_is_wrong_is_told_in_the_condition_and_mended_by_applying_again(api: Api) -> None:
    job = small()
    container(job, "Worker")["command"] = ["sleep", "inf"]
    container(job, "Worker")["resources"]["limits"]["memory"] = "2 GB"
    with applied(api, job) as made:
        failed = made.becomes("Failed")
        assert failed["reason"] == "JobRefused"
        path = "spec.marsReplicaSpecs.Worker.template.spec.containers[0]"
        assert f"{path}.command" in failed["message"]
        assert f"{path}.resources.limits.memory" in failed["message"]
        assert made.pods() == []
        made.changed({"spec": {"marsReplicaSpecs": {"Worker": role(small(), "Worker")}}})
        made.becomes("Created")
        until(
            lambda: made.pods("worker")
        )  # a namespace that goes while Dask's operator is at it would stay for long


def test_the_server_refuses_what_its_definition_does_not_take(api: Api) -> None:
    with namespace(api) as where:
        for change in ({"backoffLimit": -1}, {"workerMemoryTuningPolicy": {"workerCachePercentage": 150}}):
            with pytest.raises(KubernetesError, match=next(iter(change))):
                create(api, where, small(**change))


def ended(pod: dict) -> bool:
    """Whether a container of a pod has ended, now or before."""
    found = pod["status"].get("containerStatuses", ())
    return any("terminated" in {**each["state"], **each["lastState"]} for each in found)


def waits_for(reason: str):
    def waits(pod: dict) -> bool:
        found = pod["status"].get("containerStatuses", ())
        return any(each["state"].get("waiting", {}).get("reason") in reason.split("|") for each in found)

    return waits


def test_what_does_not_come_up_says_why(api: Api) -> None:
    """A missing image, a missing service account, no room: in the message of the condition."""
    with namespace(api) as where:
        image, account, room = small("image"), small("account"), small("room")
        image["metadata"]["annotations"]["marsdask.org/image"] = "marsdask/marsdask:missing"
        role(account, "Worker")["template"]["spec"]["serviceAccountName"] = "kubedl-sa"
        container(room, "Worker")["resources"] = {"requests": {"memory": "900Gi"}}
        made = {each["metadata"]["name"]: create(api, where, each) for each in (image, account, room)}
        made["image"].becomes("Created", "marsdask/marsdask:missing")
        made["image"].recorded("image", "worker", waits_for("ErrImagePull|ImagePullBackOff"))
        made["account"].becomes("Created", 'serviceaccount "kubedl-sa" not found')
        made["room"].becomes("Created", "Insufficient memory")
        made["room"].recorded("room", "worker", lambda pod: pod["status"]["phase"] == "Pending")


ENDING = """
import os
from marsdask import new_session
client = new_session("http://demo-webservice-0").engine.client
{}
"""
DIES = "client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.loop.call_later(0.5, os._exit, 3) and None)"


def test_a_scheduler_that_ends_well_is_success_and_the_ttl_deletes(api: Api) -> None:
    with applied(api, small(cleanPodPolicy="All")) as made:
        made.becomes("Running")
        program(api, made.where, ENDING.format("client.shutdown()"))
        made.becomes("Succeeded")  # which a TTL could end before a busy machine has told of the program's end
        running = next(each for each in made.conditions() if each["type"] == "Running")
        assert running["status"] == "False"
        until(lambda: api.get("daskclusters", made.where, "demo") is None)
        made.changed({"spec": {"ttlSecondsAfterFinished": 4}})
        until(lambda: not made.body(), what=made.body)


def test_a_scheduler_that_is_killed_has_failed(api: Api) -> None:
    """With cleanPodPolicy None its pods stay."""
    with applied(api, small()) as made:
        made.becomes("Running")
        program(api, made.where, ENDING.format(DIES))
        failed = made.becomes("Failed")
        assert failed["reason"] == "MarsJobFailed"
        assert "exit code 3" in failed["message"]
        made.recorded("scheduler-3", "scheduler", ended)
        assert made.pods("worker")


def test_the_deadline_deletes_and_says_so(api: Api) -> None:
    with applied(api, small(activeDeadlineSeconds=1)) as made:
        failed = made.becomes("Failed")
        assert failed["reason"] == "JobFailed"
        assert "longer than the specified deadline" in failed["message"]
        until(lambda: api.get("daskclusters", made.where, "demo") is None)


def test_backoff_and_ttl_end_in_failure_and_then_deletion(api: Api) -> None:
    """Which KubeDL does not manage. A worker whose memory is too small is ended by the kernel, again and again."""
    job = small(backoffLimit=2)
    container(job, "Worker")["command"] = ["sh", "-c", "exit 137; python -m mars.deploy.kubernetes.worker"]
    with applied(api, job) as made:
        made.recorded("worker-137", "worker", ended)
        failed = made.becomes("Failed")
        assert "backoff limit" in failed["message"]
        made.changed({"spec": {"ttlSecondsAfterFinished": 4}})
        until(lambda: not made.body(), what=made.body)
        until(lambda: not made.pods())


def test_a_worker_that_the_kernel_ends_is_started_again(api: Api) -> None:
    """Restarting, then Running again, with one condition of them at a time."""
    job = small()
    container(job, "Worker")["command"] = [
        "sh",
        "-c",
        'python -c \'import os; os.path.exists("/tmp/once") or (open("/tmp/once", "w"), bytearray(10**9))\' || exit 137; '
        "python -m mars.deploy.kubernetes.worker",
    ]
    role(job, "Worker")["template"]["spec"]["volumes"] = [{"name": "kept", "emptyDir": {}}]
    container(job, "Worker")["volumeMounts"] = [{"name": "kept", "mountPath": "/tmp"}]
    with applied(api, job) as made:
        made.recorded("worker-oom", "worker", ended)
        made.becomes("Running")
        until(lambda: made.events()[-1] == "JobRunning")  # which is told after the status is there


def test_replicas_can_be_changed_and_nothing_else(api: Api) -> None:
    with applied(api, small()) as made:
        until(lambda: made.pods("worker"))
        made.changed(
            {"spec": {"marsReplicaSpecs": {"Worker": {"replicas": 2}, "WebService": {"replicas": 2}}}}
        )
        until(lambda: len(made.pods("worker")) == 2)
        until(lambda: api.service(made.where, "demo-webservice-1"))
        changed = role(small(), "Worker")
        changed["template"]["spec"]["containers"][0]["env"] = [{"name": "NEW", "value": "1"}]
        made.changed({"spec": {"marsReplicaSpecs": {"Worker": changed, "WebService": {"replicas": 1}}}})
        until(lambda: len(made.pods("worker")) == 1)
        until(lambda: "NotApplied" in made.events())
        until(lambda: api.service(made.where, "demo-webservice-1") is None)
        (left,) = made.pods("worker")
        assert "NEW" not in {each["name"] for each in left["spec"]["containers"][0]["env"]}


def test_what_dasks_operator_could_not_make_is_told_and_made_later(api: Api) -> None:
    """What is there of the cluster by then says that it runs, and the operator would not look at the rest again."""
    with namespace(api) as where:
        quota(api, where, **{"count/daskworkergroups.kubernetes.dask.org": 0})
        made = create(api, where, small())
        said = made.becomes("Created", "quota is used up: OperatorError: ")
        assert "daskcluster_create_components" in said["message"]
        for phase in ("Running", "Running", None):  # the second time it is no change, as the operator sees it
            api.patched("daskclusters", where, made.name, {"status": {"phase": phase}})
            until(lambda: api.get("daskclusters", where, made.name)["status"].get("phase") == "Created")
        api.patched("daskclusters", where, made.name, {"status": {"phase": "Running"}})
        api.call(api.core.delete_namespaced_resource_quota, "small", where)
        made.becomes("Running")


def test_what_cannot_be_made_can_be_deleted(api: Api) -> None:
    """By hand, and with its namespace."""
    with namespace(api) as where:
        quota(api, where, **{"count/deployments.apps": 0})
        made, left = create(api, where, small("one")), create(api, where, small("two"))
        for each in (made, left):
            each.becomes("Created", "daskcluster_create_components")
        made.deleted()
        until(lambda: api.get("daskclusters", where, made.name) is None, 60)
        assert api.get("daskclusters", where, left.name)


def test_spot_replicas_are_a_worker_group(api: Api) -> None:
    job = small()
    role(job, "Worker").update(
        replicas=2, spotReplicaSpec={"spotReplicaNumber": 1, "labels": {"spot": "yes"}}
    )
    with applied(api, job) as made:
        until(lambda: len(made.pods("worker")) == 2)
        assert sum("spot" in each["metadata"]["labels"] for each in made.pods("worker")) == 1
        made.deleted()
        until(lambda: not made.pods())


def test_tls(api: Api) -> None:
    """Certificates are made; a client with them computes, one without is refused."""
    job = small()
    job["metadata"]["annotations"]["marsdask.org/security"] = "tls"
    text = """
import base64, json, os, sys
from marsdask import new_session
from marsdask.deploy.kubernetes import credentials
import marsdask.tensor as mt

data = json.loads(os.environ.get("DATA") or sys.argv[1])
new_session("tls://demo-scheduler-0:11111", security=credentials.from_secret(data))
print("sum", mt.ones(10).sum().execute().fetch())
try:
    new_session("tcp://demo-scheduler-0:11111", timeout=5)
except Exception as error:
    print("refused", type(error).__name__)
"""
    with applied(api, job) as made:
        made.becomes("Running")
        data = api.secret(made.where, "demo-tls")["data"]
        told = program(
            api, made.where, f"import os; os.environ['DATA'] = {json.dumps(json.dumps(data))}\n{text}"
        )
        assert "sum 10.0\n" in told
        assert "refused" in told


def test_commands_without_the_operator(place: Place, api: Api, tmp_path) -> None:
    """`job submit --direct`, `status`, `logs`, `delete`: its objects by the command, and a note on what nobody keeps."""
    file = tmp_path / "job.json"
    file.write_text(json.dumps(small(ttlSecondsAfterFinished=60)))
    with namespace(api) as where:
        here = ["-n", where, "--kubeconfig", str(place.kubeconfig)]
        done = marsdask("submit", str(file), "--direct", "--wait", "--timeout", "600", *here)
        assert done.exit_code == 0, done.stderr
        assert "nobody keeps spec.ttlSecondsAfterFinished" in done.stderr
        assert "daskcluster.kubernetes.dask.org/demo created" in done.stdout
        assert "MarsJob demo is running." in done.stdout
        head, row = marsdask("status", *here).stdout.splitlines()
        assert head.split() == ["NAME", "STATE", "AGE", "FINISHED-TTL", "MAX-LIFETIME"]
        assert row.split()[:2] == ["demo", "Running"]
        assert row.split()[3] == "60"
        assert "Supervisor at" in marsdask("logs", "demo", "--role", "scheduler", *here).stdout
        again = marsdask("submit", str(file), "--direct", *here)
        assert again.exit_code == 1
        assert "there is a DaskCluster demo" in again.stderr
        # What follows a log ends with its job.
        following = subprocess.Popen(
            [sys.executable, "-m", "marsdask", "job", "logs", "demo", "--follow", *here],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert following.stdout.readline()
        done = marsdask("delete", "demo", "--wait", *here)
        assert done.exit_code == 0, done.stderr
        assert not api.pods(where, "")
        assert marsdask("status", "demo", *here).exit_code == 1
        told, _ = following.communicate(timeout=600)
        assert following.returncode == 0
        assert {line.split()[0].split("-")[1] for line in told.splitlines()} <= {"scheduler", "default"}


def test_commands_with_the_operator(place: Place, api: Api, tmp_path) -> None:
    """A MarsJob with a made name; one whose image is missing ends the wait at once."""
    job = small()
    job["metadata"] = {"generateName": "mars-job-"}
    file = tmp_path / "job.json"
    file.write_text(json.dumps(job))
    with namespace(api) as where:
        here = ["-n", where, "--kubeconfig", str(place.kubeconfig), "--timeout", "600", "--wait"]
        done = marsdask("submit", str(file), "--image", IMAGE, *here)
        assert done.exit_code == 0, done.stderr
        assert f"marsjob.{GROUP}/mars-job-" in done.stdout
        assert "nobody keeps" not in done.stderr
        done = marsdask("submit", str(file), "--image", "marsdask/marsdask:missing", *here)
        assert done.exit_code == 1
        assert "cannot come up" in done.stderr
        assert "marsdask/marsdask:missing" in done.stderr
        assert "It stays; `marsdask job delete mars-job-" in done.stderr


def marsdask(*words: str) -> Result:
    """How `marsdask job WORDS` ends."""
    return CliRunner().invoke(job_command, words)


def test_the_server_takes_every_manifest(place: Place, api: Api) -> None:
    """What `install --marsjobs` prints, strictly, where it is not there."""
    done = place.marsdask("status")
    assert "definition made by marsdask" in done.stdout
    assert "marsjob-operator, made by marsdask" in done.stdout
    again = place.marsdask("install", "--marsjobs", "--image", place.image)
    assert again.exit_code == 0, again.output
    assert ": made" not in again.output
