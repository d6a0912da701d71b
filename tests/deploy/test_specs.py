"""What `new_cluster` asks Kubernetes to make: compared with files, and with the operator's own definitions.

`python -m tests.deploy.test_specs` writes the files anew.
"""

import functools
import math
import time
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
import yaml

from marsdask.deploy.kubernetes import EmptyDirVolumeConfig, HostPathVolumeConfig, credentials, specs
from marsdask.deploy.kubernetes.arguments import Arguments
from marsdask.deploy.kubernetes.specs import merged, with_wishes

pytestmark = pytest.mark.once

GOLDEN = Path(__file__).parent / "golden"
CALLS = {
    "seed": {"worker_num": 100, "worker_cpu": 4, "worker_mem": "16g", "min_worker_num": 95},
    "plain": {
        "worker_num": 2,
        "security": False,
        "service_type": "ClusterIP",
        "service_port": 7103,
        "web_port": 7104,
    },
    "groups": {
        "worker_num": 2,
        "worker_groups": [
            {
                "name": "gpu",
                "image": "marsdask/gpu:test",
                "worker_mem": "8g",
                "worker_resources": {"nvidia.com/gpu": 1, "GPU": 1},
                "node_selectors": {"pool": "gpu"},
            },
            {"name": "spot", "worker_num": 5, "tolerations": [{"key": "spot", "operator": "Exists"}]},
        ],
    },
    "everything": {
        "image": "registry.example/team/mars:v2",
        "supervisor_cpu": 0.5,
        "supervisor_mem": "1g",
        "supervisor_mem_limit_ratio": 2,
        "worker_num": 3,
        "worker_cpu": 1.5,
        "worker_mem": "4g",
        "worker_mem_limit_ratio": 1.5,
        "worker_cache_mem": "50%",
        "worker_min_cache_mem": "1g",
        "worker_spill_paths": [
            "/mnt/disk1",
            EmptyDirVolumeConfig("fast", "/fast", use_memory=True, size_limit="1g"),
        ],
        "service_type": "LoadBalancer",
        "service_name": "marsservice",
        "extra_env": {"LEVEL": 3},
        "worker_extra_env": {"OMP_NUM_THREADS": "2"},
        "extra_labels": {"team": "flights"},
        "extra_modules": ["flights.setup"],
        "extra_volumes": [HostPathVolumeConfig("data", "/data", "/srv/data", "Directory")],
        "pre_stop_command": ["/bin/sh", "-c", "sync"],
        "node_selectors": {"pool": "large"},
        "tolerations": [{"key": "spot", "operator": "Exists", "effect": "NoSchedule"}],
        "image_pull_policy": "Always",
        "image_pull_secrets": ["registry"],
        "pod_template": {"metadata": {"annotations": {"owner": "me"}}, "spec": {"priorityClassName": "low"}},
        "worker_pod_template": {
            "spec": {"containers": [{"env": [{"name": "LEVEL", "value": "4"}], "tty": True}]}
        },
    },
}


def made(call: str) -> list[dict]:
    """Every object of a call, the Secret without its contents."""
    args = Arguments.of(namespace="flights", **{"image": "marsdask/marsdask:test"} | CALLS[call])
    found = [specs.namespace(args), *specs.network_policies(args)]
    found += [specs.service(args)] if args.service_name else []
    return [*found, specs.cluster(args), *specs.worker_groups(args)]


def written(call: str) -> str:
    return yaml.safe_dump_all(made(call), sort_keys=False, width=100)


@pytest.mark.parametrize("call", CALLS)
def test_the_objects_are_those_in_the_file(call):
    assert written(call) == (GOLDEN / f"{call}.yaml").read_text(), "wanted? python -m tests.deploy.test_specs"


@functools.cache
def definition(kind: str) -> dict:
    """The schema of one of the operator's resources, as the wheel has it."""
    folder = "operator/deployment/helm/dask-kubernetes-operator/crds"
    text = (resources.files("dask_kubernetes") / folder / f"{kind.lower()}.yaml").read_text()
    (version,) = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))["spec"]["versions"]
    return version["schema"]["openAPIV3Schema"]


def pruned(value, schema: dict, path: str = "") -> list[str]:
    """What the API server would drop silently: fields that the schema does not know."""
    if schema.get("x-kubernetes-preserve-unknown-fields") or not schema.get("type"):
        return []
    if isinstance(value, list):
        return [p for i, each in enumerate(value) for p in pruned(each, schema["items"], f"{path}[{i}]")]
    if not isinstance(value, dict):
        return []
    found = []
    for key, each in value.items():
        below = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
        if below is None and not path and key in ("metadata", "apiVersion", "kind"):
            continue
        found += [f"{path}.{key}"] if below in (None, False) else pruned(each, below, f"{path}.{key}")
    return found


def of_dask(call: str) -> list[dict]:
    return [each for each in made(call) if each["kind"].startswith("Dask")]


@pytest.mark.parametrize("call", CALLS)
def test_the_cluster_is_one_that_the_operator_s_definition_knows(call):
    for each in of_dask(call):
        schema = definition(each["kind"])
        jsonschema.Draft202012Validator(schema).validate(each)
        assert pruned(each, schema) == []


def test_a_field_that_is_not_known_would_be_seen():
    schema, cluster = definition("DaskCluster"), made("seed")[-1]
    cluster["spec"]["worker"]["spec"]["nodeSelektor"] = {}
    assert pruned(cluster, schema) == [".spec.worker.spec.nodeSelektor"]
    cluster["spec"]["worker"]["replicas"] = "2"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(cluster)


def leaves(value, path: str = ""):
    """Everything in an object that is no dict and no list, with its path."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, f"{path}.{key}")
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each, f"{path}[]")
    else:
        yield path, value


@pytest.mark.parametrize("call", CALLS)
def test_no_null_and_quantities_are_texts(call):
    for path, value in leaves(made(call)):
        assert value is not None, path
        if ".requests." in path or ".limits." in path or path.endswith(("sizeLimit", "targetPort")):
            assert isinstance(value, str), path


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("role", ["scheduler", "worker"])
def test_pods_are_what_pod_security_calls_restricted(call, role):
    for each in of_dask(call):
        if role in each["spec"]:
            restricted(each["spec"][role]["spec"])


def restricted(pod: dict) -> None:
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in pod["containers"]:
        context = container["securityContext"]
        assert context["allowPrivilegeEscalation"] is False
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert context["readOnlyRootFilesystem"] is True
        assert not {"hostPort"} & {key for port in container["ports"] for key in port}
    assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys()


def test_only_who_asks_for_directories_of_nodes_gets_a_namespace_that_allows_them():
    level = "pod-security.kubernetes.io/enforce"
    assert {c: made(c)[0]["metadata"]["labels"][level] for c in CALLS} == {
        "seed": "restricted",
        "plain": "restricted",
        "groups": "restricted",
        "everything": "privileged",
    }


def test_no_key_in_an_environment_value():
    args = Arguments.of(namespace="flights")
    security = credentials.made()
    secret = credentials.secret(args, security)
    keys = {security.tls_worker_key, *secret["data"].values()}
    assert len(secret["data"]) == 8
    for path, value in leaves(specs.cluster(args)):
        assert not any(key in str(value) for key in keys), path
        assert "PRIVATE KEY" not in str(value), path


def test_a_role_sees_its_own_key_only():
    pods = made("seed")[-1]["spec"]
    for role, other in (("scheduler", "worker"), ("worker", "scheduler")):
        (volume,) = [v for v in pods[role]["spec"]["volumes"] if v["name"] == "tls"]
        files = {item["key"] for item in volume["secret"]["items"]}
        assert files == {"ca.crt", f"{role}.crt", f"{role}.key"}
        assert f"{other}.key" not in files
        assert volume["secret"]["defaultMode"] == 0o440
        (volume,) = [v for v in pods[role]["spec"]["volumes"] if v["name"] == "web-token"]
        assert [item["key"] for item in volume["secret"]["items"]] == ["token"]


def test_the_client_s_own_certificate_stays_with_the_user(tmp_path):
    security = credentials.made()
    for field in ("tls_client_key", "tls_worker_key"):  # paths of files, as people have them
        file = tmp_path / field
        file.write_text(getattr(security, field))
        setattr(security, field, str(file))
    args = Arguments.of(namespace="flights", security=security)
    data = credentials.secret(args, security)["data"]
    assert "client.key" not in data
    assert credentials.from_secret(data) is None
    assert credentials.from_secret(credentials.secret_data(security, own=False)) is not None


def test_the_worker_finds_the_scheduler_at_the_port_that_was_asked_for():
    spec = made("plain")[-1]["spec"]
    env = {e["name"]: e["value"] for e in spec["worker"]["spec"]["containers"][0]["env"]}
    assert env["DASK_SCHEDULER_ADDRESS"] == "tcp://mars-scheduler.flights:7103"
    assert "7103,7104" in spec["scheduler"]["spec"]["containers"][0]["args"]


def test_wishes_come_last():
    worker = made("everything")[-1]["spec"]["worker"]
    (container,) = worker["spec"]["containers"]
    assert {e["name"]: e["value"] for e in container["env"]}["LEVEL"] == "4"
    assert container["name"] == "worker"
    assert container["tty"] is True
    assert worker["spec"]["priorityClassName"] == "low"
    assert worker["metadata"] == {"labels": {"team": "flights"}, "annotations": {"owner": "me"}}


def test_merging_changes_neither_side():
    base = {"a": {"b": [1]}, "volumes": [{"name": "x", "emptyDir": {}}]}
    wish = {"a": {"b": [2]}, "volumes": [{"name": "x", "emptyDir": None, "hostPath": {}}, {"name": "y"}]}
    assert merged(base, wish) == {
        "a": {"b": [2]},
        "volumes": [{"name": "x", "hostPath": {}}, {"name": "y"}],
    }
    assert base == {"a": {"b": [1]}, "volumes": [{"name": "x", "emptyDir": {}}]}


def test_a_second_container_of_a_wish_is_added():
    pod = {"spec": {"containers": [{"name": "worker", "args": ["a"]}]}}
    both = with_wishes(pod, {"spec": {"containers": [{"name": "side", "image": "x"}]}})
    assert [c["name"] for c in both["spec"]["containers"]] == ["worker", "side"]


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({}, 0),
        ({"idle_timeout": 59.5}, 60),
        ({"max_lifetime": 7200}, 7200),
        ({"idle_timeout": 60, "max_lifetime": 7200}, 60),
    ],
)
def test_a_cluster_that_ends_by_itself(given, asked):
    before = time.time()
    spec = specs.cluster(Arguments.of(**given))["spec"]
    assert spec["idleTimeout"] == asked
    (container,) = spec["scheduler"]["spec"]["containers"]
    env = {each["name"]: each.get("value") for each in container["env"]}
    assert float(env.get("DASK_MARSDASK__IDLE_TIMEOUT", "nan")) == pytest.approx(
        given.get("idle_timeout", math.nan), nan_ok=True
    )
    assert ("DASK_MARSDASK__LIFETIME_ENDS" in env) == ("max_lifetime" in given)
    if "max_lifetime" in given:
        assert 0 <= float(env["DASK_MARSDASK__LIFETIME_ENDS"]) - before - 7200 < 60


def test_what_goes_with_a_cluster():
    args = Arguments.of(service_name="marsservice")
    there = specs.cluster(args)
    there["metadata"]["uid"] = "1-2"
    for each in (specs.service(args), *specs.network_policies(args)):
        owned = specs.owned(each, there)
        (owner,) = owned["metadata"].pop("ownerReferences")
        assert owner == {
            "apiVersion": "kubernetes.dask.org/v1",
            "kind": "DaskCluster",
            "name": "mars",
            "uid": "1-2",
        }
        assert owned == each


if __name__ == "__main__":
    for name in CALLS:
        (GOLDEN / f"{name}.yaml").write_text(written(name))
