"""MarsJobs where their operator is killed, came late, is beside KubeDL, or has fifty of them at once."""

import copy
from collections.abc import Iterator

import pytest
from kubernetes import client

from marsdask.deploy.kubernetes import operator
from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.marsjob import operator as marsjobs
from marsdask.deploy.marsjob.definition import GROUP, PLURAL, definition
from marsdask.deploy.marsjob.job import pod_schema
from tests.kubernetes.clusters import PATIENCE, namespace, until
from tests.kubernetes.conftest import Place, install
from tests.kubernetes.marsjobs import applied, container, create, role, small
from tests.kubernetes.operated import unused_rights

pytestmark = pytest.mark.alone
SELECTOR = f"{operator.KIND}={marsjobs.NAME}"
CRD = f"{PLURAL}.{GROUP}"


@pytest.fixture
def kept(place: Place) -> None:
    """The operator of MarsJobs is there."""
    if place.node is None:
        pytest.skip("the operator of a cluster that is not ours is not ended")
    install(place, "--marsjobs")


def end_operator(api: Api) -> None:
    """As a node that fails: at once, and another pod comes."""
    for each in api.pods(operator.NAMESPACE, SELECTOR):
        function = api.core.delete_namespaced_pod
        api.call(function, each["metadata"]["name"], operator.NAMESPACE, grace_period_seconds=0)


def test_killed_at_each_step_jobs_come_to_the_same_end(kept, api: Api) -> None:
    """Created, running, failed and due for deletion while no operator is there."""
    with namespace(api) as where:
        job = small(cleanPodPolicy="All")
        end_operator(api)
        made = create(api, where, job)
        made.becomes("Created")
        end_operator(api)
        made.becomes("Running")
        end_operator(api)
        (scheduler,) = made.pods("scheduler")
        api.call(api.core.delete_namespaced_pod, scheduler["metadata"]["name"], where)
        made.becomes("Failed")
        made.changed({"spec": {"ttlSecondsAfterFinished": 3}})
        end_operator(api)
        until(lambda: not made.body())
        until(lambda: not api.pods(where, ""))
        assert made.events().count("MarsJobFailed") <= 1


@pytest.fixture
def old_definition(place: Place, api: Api) -> Iterator[None]:
    """KubeDL's definition of v0.3.0 was there first: what it has otherwise than ours, in our words."""
    if place.node is None:
        pytest.skip("the definition of a cluster that is not ours is not taken away")
    functions = client.ApiextensionsV1Api(api.client)

    def remove() -> None:
        api.call(functions.delete_custom_resource_definition, CRD)
        until(lambda: marsjobs.read_definition(api) is None)

    remove()
    old = copy.deepcopy(definition())
    schema = old["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["status"] = {
        "type": "object",
        "required": ["replicaStatuses"],
        "x-kubernetes-preserve-unknown-fields": True,
    }
    spec = schema["properties"]["spec"]["properties"]
    del spec["memoryTuningPolicy"]
    one = spec["marsReplicaSpecs"]["additionalProperties"]["properties"]
    del one["spotReplicaSpec"]
    one["template"]["properties"] = {"metadata": {"type": "object"}, "spec": loose(pod_schema())}
    api.call(functions.create_custom_resource_definition, old)
    end_operator(api)  # it would find out within a minute
    yield
    remove()
    end_operator(api)
    install(place, "--marsjobs")


def loose(schema: dict) -> dict:
    """The same with quantities that may be numbers, as definitions made by controller-gen have them."""
    made = {key: loose(each) if isinstance(each, dict) else each for key, each in schema.items()}
    for name in ("limits", "requests"):
        if isinstance(made.get(name), dict) and "additionalProperties" in made[name]:
            made[name]["additionalProperties"] = {"x-kubernetes-int-or-string": True}
    return made


def test_the_definition_of_kubedl_is_left_alone_and_jobs_run(old_definition, place: Place, api: Api) -> None:
    done = place.marsdask("install", "--marsjobs", "--upgrade", "--image", place.image)
    assert done.exit_code == 0, done.output
    assert f"CustomResourceDefinition {CRD}: there, not ours, left alone" in done.output
    told = place.marsdask("status").output
    assert "definition made by somebody else" in told
    lost = "drops spec.memoryTuningPolicy, spec.marsReplicaSpecs.*.spotReplicaSpec, spec.marsReplicaSpecs.*.template.metadata"
    assert lost in told
    assert lost in done.output
    job = small(memoryTuningPolicy={"workerCachePercentage": 50})
    del job["status"]
    role(job, "Worker")["spotReplicaSpec"] = {"spotReplicaNumber": 1}
    with applied(api, job) as made:
        made.becomes("Running")
        assert lost in made.conditions()[0]["message"]
        (worker,) = made.pods("worker")
        assert "mars/service-type" not in worker["metadata"]["labels"]


def test_beside_kubedl_only_managed_jobs_are_ours_and_without_it_all(kept, place: Place, api: Api) -> None:
    with namespace(api) as where:
        labels = {"app": "kubedl"}
        containers = [{"name": "manager", "image": "kubedl/kubedl:missing"}]
        deployment = {
            "metadata": {"name": "kubedl"},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
            },
        }
        api.call(api.apps.create_namespaced_deployment, where, deployment)
        end_operator(api)  # which may have asked just now
        until(lambda: len(api.pods(operator.NAMESPACE, SELECTOR)) == 1)
        theirs, ours = small("theirs"), small("ours")
        ours["metadata"]["annotations"][marsjobs.MANAGED] = "true"
        left = create(api, where, theirs)
        create(api, where, ours).becomes("Running")
        assert left.body().get("status", {}) == {}
        assert left.pods() == []
        told = place.marsdask("status").output
        assert f"KubeDL ({where}/kubedl)" in told
        assert '"true"' in told
        none = {"spec": {"replicas": 0}}
        api.call(api.apps.patch_namespaced_deployment_scale, "kubedl", where, none)
        left.becomes("Running")


@pytest.mark.timeout(3 * PATIENCE)
def test_fifty_at_once(kept, api: Api) -> None:
    """Each runs, or says what its pods wait for: most of them for memory."""
    with namespace(api) as where:
        job = small()
        for each in ("Scheduler", "Worker"):  # schedulers that idle would take processors from other tests
            container(job, each)["resources"] = {"requests": {"cpu": "50m", "memory": "3Gi"}}
        made = []
        for number in range(50):
            job["metadata"]["name"] = f"job-{number}"
            made.append(create(api, where, job))
            if number == 0:  # else the schedulers of all can have the memory before any worker has
                made[0].becomes("Running")

        unsettled: list[dict] = []

        def settled() -> bool:
            unsettled[:] = [
                each
                for each in (one.last() for one in made)
                if each["type"] != "Running"
                and not (each["type"] == "Created" and "Insufficient" in each["message"])
            ]
            return not unsettled

        try:
            until(settled, 2 * PATIENCE)  # 100 s alone, 600 where all other tests take the processors
        except AssertionError as error:
            error.add_note(f"Not settled: {unsettled}")
            for each in api.clusters(where):
                if each.get("status", {}).get("phase") != "Running":
                    error.add_note(f"{each['metadata']} {each.get('status')}")
            error.add_note(f"Pods: {[e['metadata']['name'] for e in api.pods(where, '')]}")
            raise
        assert made[0].last()["type"] == "Running"
        for each in made:
            each.deleted()
        # Also those whose parts are being made just now.
        until(lambda: not api.clusters(where), 2 * PATIENCE, "their DaskClusters are gone")


def test_uninstall_refuses_while_there_are_jobs(kept, place: Place, api: Api) -> None:
    job = small()
    container(job, "Worker")["command"] = ["sleep"]  # refused: it has no cluster, and is a record
    with applied(api, job) as made:
        made.becomes("Failed")
        done = place.marsdask("uninstall")
        assert done.exit_code == 1
        assert f"1 MarsJobs would be deleted with their definition: {made.where}/demo" in done.output


def test_rights_are_enough_and_no_more(kept, place: Place) -> None:
    """By the API server's audit log of everything the operator asked in the tests above."""
    # A definition that is made anew is not known at once.
    unused = unused_rights(place.node.audit, marsjobs.NAME, marsjobs.RIGHTS, but="no matches for kind")
    assert unused <= NOT_SEEN


NOT_SEEN = {
    # The admission plugin OwnerReferencesPermissionEnforcement asks for it without a request.
    "update marsjobs/finalizers",
    # Jobs with these run on the other node.
    "create daskworkergroups",
    "patch daskworkergroups",
    "create secrets",
    "create ingresses",
    "patch ingresses",
    "delete ingresses",
    "delete services",
    "list services",
    "list events",
    # What is there already is read where a job is changed, or its operator was ended at that moment.
    "get daskclusters",
    "get daskworkergroups",
    "get ingresses",
    "get networkpolicies",
    "get services",
}
