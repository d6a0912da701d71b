"""The arguments of `new_cluster`: each is checked before Kubernetes is asked anything, and named where it is wrong."""

import math
import re
import warnings
from pathlib import Path

import pytest

from marsdask.deploy.kubernetes import EmptyDirVolumeConfig, HostPathVolumeConfig, arguments, new_cluster
from marsdask.deploy.kubernetes.arguments import ARGUMENTS, Arguments
from marsdask.errors import ArgumentError, ArgumentTypeError, MarsDaskError

pytestmark = pytest.mark.once

GIB = 2**30
PAGE = Path(__file__).parents[2] / "docs/kubernetes.md"
NAN = float("nan")
NO_MEANING = [name for name, each in ARGUMENTS.items() if each.ignored]


class NoApi:
    """An API client that fails the test when it is asked anything."""

    configuration = object()

    def call_api(self, *args, **kwargs):
        raise AssertionError(f"asked Kubernetes: {args}")


BAD = [
    ("worker_num", ["abc", -5, 0, 2.5, NAN, True, None]),
    ("min_worker_num", ["abc", -5, 2.5, NAN, True, 4]),
    ("supervisor_num", [0, 2, "1", -1]),
    ("worker_cpu", ["abc", -5, 0, NAN, "-1", "2g", True, float("inf"), [1]]),
    ("supervisor_cpu", ["abc", -5, 0, NAN]),
    ("worker_mem", ["abc", -5, "-1GB", "10kB", 0, 2.5, NAN, "40%", True, [1]]),
    ("supervisor_mem", ["abc", -5, "-1GB", "10kB", 0, 2.5, NAN, "40%"]),
    ("worker_mem_limit_ratio", ["abc", -5, 0, 0.5, NAN]),
    ("supervisor_mem_limit_ratio", ["abc", -5, 0, 0.5, NAN]),
    ("worker_cache_mem", ["abc", -5, "-1GB", "140%", 0, NAN, "900g"]),
    ("worker_min_cache_mem", ["abc", -5, NAN, "900g"]),
    ("worker_spill_paths", ["relative", ["/a", "b"], "/a/../b", 5, [], [5], {"/a": 1}, ["/a\0b"]]),
    ("timeout", ["abc", -5, 0, NAN, float("inf"), True]),
    ("service_type", ["Nodeport", "Ingress", 5, [], "", 0]),
    ("service_name", ["Upper", "a b", "", "mars-scheduler"]),
    ("namespace", ["Upper", "a b", "", "x" * 64, 5]),
    ("service_port", [0, 80, 70000, "8786", 2.5]),
    ("web_port", [0, -1, "80", 8786]),
    ("supervisor_service_port", [0, "x"]),
    ("worker_service_port", [0, "x"]),
    ("extra_env", [["A=1"], {"A-B": "1"}, {"A": None}, "A=1", {5: "1"}]),
    ("worker_extra_env", [{"A": ["x"]}, {"A": "x\0"}]),
    ("supervisor_extra_env", [{"A": ["x"]}]),
    ("extra_labels", [{"dask.org/x": "y"}, {"a b": "c"}, {"a": "c d"}, {"a": 5}, ["a"]]),
    ("worker_extra_labels", [{"a b": "c"}]),
    ("supervisor_extra_labels", [{"a b": "c"}]),
    ("extra_modules", [5, {"a": 1}, ["a b"]]),
    ("worker_extra_modules", [5]),
    ("supervisor_extra_modules", [5]),
    (
        "worker_resources",
        [["GPU"], {"GPU": 0}, {"GPU": "1"}, {"GPU": NAN}, {"a b": 1}, {"cpu": 2}, {"x.y/z": 0.5}],
    ),
    (
        "worker_groups",
        ["gpu", 5, [5], {"name": "a"}, [{}], [{"name": []}], [{"name": "Gpu"}], [{"name": "x" * 31}]],
    ),
    (
        "worker_groups",
        [[{"name": "default"}], [{"name": "a"}, {"name": "a"}], [{"name": "a", "worker_num": 0}]],
    ),
    (
        "worker_groups",
        [[{"name": "a", key: 1}] for key in ("supervisor_mem", "worker_memory", "worker_groups", "keep")],
    ),
    ("worker_groups", [[{"name": "a", "worker_mem": "1g", "worker_cache_mem": "2g"}]]),
    ("extra_volumes", ["/a", [{"name": "x"}], 5, [EmptyDirVolumeConfig("tmp", "/x")]]),
    ("pre_stop_command", [5, [], ["a", 5], "", "a\0", ["a\0"]]),
    ("log_when_fail", [1, "yes"]),
    ("keep", [1, "yes"]),
    ("idle_timeout", [0, -1, "60", True, math.nan, math.inf, []]),
    ("max_lifetime", [0, -1, "1h", False, math.nan, math.inf]),
    ("existing_namespace", [1, True]),
    ("node_selectors", [["a"], {"a": 5}]),
    ("tolerations", [{"key": "a"}, ["a"], 5]),
    ("image", ["", "a b", 5, "abc!", "A/B", "Team/x:v1", "Not:An:Image", "a\0b", "a:b:c", "a//b", []]),
    ("image_pull_policy", ["always", 5]),
    ("image_pull_secrets", [5, ["a b"]]),
    ("pod_template", [["a"], "x"]),
    ("worker_pod_template", ["x"]),
    ("supervisor_pod_template", ["x"]),
    ("security", [True, "tls", {}]),
    ("show_progress", ["auto", 1]),
]


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, values in BAD for v in values], ids=repr)
def test_a_wrong_value_is_named_and_nothing_is_asked(name, value):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=rf"^(new_cluster\()?{name}\b") as error:
        new_cluster(NoApi(), **{"worker_num": 3} | {name: value})
    assert isinstance(error.value, (ValueError, TypeError))


def test_every_argument_has_a_wrong_value_here():
    assert {name for name, _ in BAD} == ARGUMENTS.keys() - set(NO_MEANING) - {"kube_api_client"}


@pytest.mark.parametrize("name", [name for name, each in ARGUMENTS.items() if not each.ignored])
def test_every_argument_is_in_the_table_of_the_docs(name):
    assert re.search(rf"^\|.*`{name}`.*\|.*\|.*\|$", PAGE.read_text(), re.MULTILINE)


def test_an_unknown_argument_names_the_nearest():
    with pytest.raises(ArgumentTypeError, match=r"'worker_memory'.* Did you mean 'worker_mem'"):
        new_cluster(NoApi(), worker_memory="2g")


def test_something_else_for_an_api_client():
    with pytest.raises(ArgumentError, match="kube_api_client='x'"):
        new_cluster("x")


@pytest.mark.parametrize("name", NO_MEANING)
def test_an_argument_without_meaning_is_told_once(name, monkeypatch):
    monkeypatch.setattr(arguments, "_warned", set())
    with pytest.warns(UserWarning, match=rf"{name}=.* has no effect"):
        Arguments.of(**{name: 3})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Arguments.of(**{name: 3})


def test_what_mars_passes_by_default_is_not_told(recwarn, monkeypatch):
    monkeypatch.setattr(arguments, "_warned", set())
    Arguments.of(web_num=1, web_cpu=None, web_mem=None)
    assert not recwarn


def test_nothing_at_all():
    made = Arguments.of()
    assert (made.worker_num, made.min_worker_num, made.threads) == (1, 1, 1)
    assert made.policy.memory == 2 * GIB
    assert made.service_type == "NodePort"
    assert made.namespace.startswith("mars-ns-")
    assert Arguments.of().namespace != made.namespace


@pytest.mark.parametrize(("given", "needed"), [(None, 4), (0, 4), (3, 3), (4, 4)])
def test_min_worker_num(given, needed):
    assert Arguments.of(worker_num=4, min_worker_num=given).min_worker_num == needed


def test_a_worker_group_is_as_the_first_workers_but_for_what_it_says():
    made = Arguments.of(
        worker_num=3,
        worker_mem="2g",
        worker_extra_env={"A": "1"},
        worker_groups=[
            {"name": "gpu", "worker_mem": "8g", "worker_resources": {"nvidia.com/gpu": 2}},
            {"name": "spot", "worker_num": 5, "tolerations": [{"key": "spot", "operator": "Exists"}]},
        ],
    )
    first, gpu, spot = made.groups
    assert [each.group for each in made.groups] == ["default", "gpu", "spot"]
    assert [each.worker_num for each in made.groups] == [3, 1, 5]
    assert [each.policy.memory for each in made.groups] == [2 * GIB, 8 * GIB, 2 * GIB]
    assert {*map(dict.__len__, (first.worker_resources, spot.worker_resources))} == {0}
    assert [each.worker.env for each in made.groups] == 3 * [{"A": "1"}]
    assert not gpu.tolerations
    assert spot.tolerations == ({"key": "spot", "operator": "Exists"},)
    assert made.min_worker_num == 9
    with pytest.raises(ArgumentError, match=r"^min_worker_num=10: .*worker_groups, which is 9"):
        Arguments.of(worker_num=8, min_worker_num=10, worker_groups=[{"name": "a"}])


def test_a_note_on_memory_is_told_once():
    note = {"worker_num": 1, "worker_mem": "1g", "worker_cache_mem": "95%"}
    with pytest.warns(UserWarning, match="worker_cache_mem") as told:
        Arguments.of(**note, worker_groups=[{"name": "a"}, {"name": "b"}])
    assert len({str(each.message) for each in told}) == len(told)


@pytest.mark.parametrize(
    ("cpu", "millicores", "threads"),
    [(4, 4000, 4), (0.5, 500, 1), ("500m", 500, 1), ("2", 2000, 2), (2.5, 2500, 3)],
)
def test_cores(cpu, millicores, threads):
    made = Arguments.of(worker_cpu=cpu)
    assert (made.worker.millicores, made.threads) == (millicores, threads)


@pytest.mark.parametrize("size", ["16g", "16G", "16GB", "16Gi", 16 * GIB])
def test_memory_is_in_powers_of_1024(size):
    assert Arguments.of(worker_mem=size).policy.memory == 16 * GIB


def test_the_role_s_own_comes_over_the_common():
    made = Arguments.of(
        extra_env={"A": "1", "B": 2},
        worker_extra_env={"A": "3"},
        extra_labels={"team": "x"},
        supervisor_extra_labels={"team": "y"},
        extra_modules="one,two",
        worker_extra_modules=["three", "one"],
        service_port=9000,
        worker_service_port=9100,
    )
    assert made.worker.env == {"A": "3", "B": "2"}
    assert made.supervisor.env == {"A": "1", "B": "2"}
    assert (made.supervisor.labels, made.worker.labels) == ({"team": "y"}, {"team": "x"})
    assert (made.supervisor.modules, made.worker.modules) == (("one", "two"), ("one", "two", "three"))
    assert (made.supervisor.port, made.worker.port) == (9000, 9100)


def test_a_spill_path_is_a_directory_of_the_node():
    made = Arguments.of(worker_spill_paths=["/mnt/a", EmptyDirVolumeConfig("b", "/spill/b", size_limit="5g")])
    assert made.worker_spill_paths[0] == HostPathVolumeConfig("host-path-vol-0", "/mnt/hostpath0", "/mnt/a")
    assert made.policy.directories == ("/mnt/hostpath0", "/spill/b")
    assert made.host_paths == ("/mnt/a",)


def test_the_size_of_a_directory_bounds_what_is_spilled_to_it():
    made = Arguments.of(worker_spill_paths=EmptyDirVolumeConfig("b", "/spill", size_limit="5g"))
    assert made.policy.quotas == (5 * GIB,)
    assert made.host_paths == ()


def test_a_namespace_that_is_there_holds_clusters_beside_each_other():
    one, two = (Arguments.of(namespace="team", existing_namespace=True) for _ in range(2))
    assert one.name != two.name


@pytest.mark.parametrize(
    "bad", [("Upper", "/x"), ("a", "x"), ("a", "/x/../y")], ids=["name", "relative", "upwards"]
)
def test_volumes_are_checked(bad):
    with pytest.raises(MarsDaskError, match="expected"):
        EmptyDirVolumeConfig(*bad)
    with pytest.raises(MarsDaskError, match="expected"):
        HostPathVolumeConfig(*bad, "/x")
    with pytest.raises(MarsDaskError, match="volume_type"):
        HostPathVolumeConfig("a", "/x", "/x", "Nonsense")
