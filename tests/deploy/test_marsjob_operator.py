"""What `marsdask kubernetes install --marsjobs` makes, compared with a file, and what is told of what is there.

`python -m tests.deploy.test_marsjob_operator` writes the file anew.
"""

import copy
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from marsdask.__main__ import main
from marsdask.deploy.kubernetes import install, rights
from marsdask.deploy.kubernetes.preflight import is_operator
from marsdask.deploy.marsjob import operator
from marsdask.deploy.marsjob.definition import definition
from marsdask.errors import ArgumentError

pytestmark = pytest.mark.once

GOLDEN = Path(__file__).parent / "golden" / "marsjob-operator.yaml"
IMAGE = "registry.example/team/marsdask:v1"


def manifests(**more: object) -> list[dict]:
    return operator.manifests("operators", IMAGE, pull_secret="registry", **more)


def rendered() -> str:
    made = manifests(ingress_class="nginx")
    return yaml.safe_dump_all(made, sort_keys=False).replace(metadata.version("dask-kubernetes"), "VERSION")


def run(*words: str):
    return CliRunner().invoke(main, ["kubernetes", *words])


def test_as_in_the_file() -> None:
    assert rendered() == GOLDEN.read_text()


def test_no_rights_by_a_star() -> None:
    for rules in (operator.RIGHTS, rights.JOBS):
        assert not any("*" in (group, resource, *verbs) for group, resource, verbs in rules)


def test_nobody_takes_it_for_dasks_operator() -> None:
    deployment = manifests()[-1]
    assert operator.is_operator(deployment)
    assert not is_operator(deployment)
    assert not operator.adopts_all(deployment)
    assert operator.adopts_all(manifests(adopt_all=True)[-1])


@pytest.mark.parametrize(
    ("image", "replicas", "is_it"),
    [("kubedl/kubedl:v0.3.0", 1, True), ("kubedl/kubedl:v0.3.0", 0, False), (IMAGE, 1, False)],
)
def test_kubedl(image: str, replicas: int, is_it: bool) -> None:
    pod = {"spec": {"containers": [{"image": image}]}}
    assert operator.is_kubedl({"spec": {"replicas": replicas, "template": pod}}) == is_it


def test_printed_after_dasks() -> None:
    done = run("install", "--marsjobs", "--dry-run", "--image", IMAGE)
    kinds = [(each["kind"], each["metadata"]["name"]) for each in yaml.safe_load_all(done.stdout)]
    assert kinds[-6:] == [
        ("Deployment", "dask-operator"),
        ("CustomResourceDefinition", "marsjobs.training.kubedl.io"),
        ("ServiceAccount", "marsjob-operator"),
        ("ClusterRole", "marsjob-operator"),
        ("ClusterRoleBinding", "marsjob-operator"),
        ("Deployment", "marsjob-operator"),
    ]


@pytest.mark.parametrize("words", [["--adopt-all"], ["--ingress-class", "nginx"]])
def test_options_of_marsjobs_only(words: list[str]) -> None:
    done = run("install", "--dry-run", *words)
    assert done.exit_code == 2
    assert "go with --marsjobs only" in done.stderr


def test_an_ingress_class_is_a_name() -> None:
    with pytest.raises(ArgumentError, match="ingress_class='Not one'"):
        manifests(ingress_class="Not one")


def test_the_role_of_a_user() -> None:
    role = yaml.safe_load(run("rbac", "--marsjobs", "--namespace", "team").stdout)
    assert (role["kind"], role["metadata"]["name"]) == ("Role", "marsdask-jobs")
    assert role["rules"][0]["resources"] == ["marsjobs"]
    assert yaml.safe_load(run("rbac", "--marsjobs").stdout)["kind"] == "ClusterRole"
    assert run("rbac", "--marsjobs", "--reader", "--namespace", "x").exit_code == 2


READY = install.Operator("operators", "marsjob-operator", IMAGE, "1", "marsdask", ready=True)


def jobs(made: dict | None, operators: tuple = (READY,), **more: object) -> install.Jobs:
    return install.Jobs(made, operators, **{"all_jobs": False, "kubedl": (), "count": 3} | more)


def ours() -> dict:
    return manifests()[0]


def test_what_is_there() -> None:
    good = jobs(ours())
    assert good.problems() == []
    assert good.lines()[0] == "MarsJobs     3, definition made by marsdask"
    assert "ready: operators/marsjob-operator" in good.lines()[1]
    nothing = jobs(None, (), count=0)
    assert nothing.problems() == []
    assert nothing.lines() == ["MarsJobs     none: marsdask kubernetes install --marsjobs"]


def test_what_is_missing_with_its_cure() -> None:
    cure = "Cure: marsdask kubernetes install --marsjobs"
    (told,) = jobs(None).problems()
    assert told == f"the definition marsjobs.training.kubedl.io is missing. {cure}"
    (told,) = jobs(ours(), ()).problems()
    assert told == f"nobody keeps the 3 MarsJobs. {cure}"
    assert jobs(ours(), (), kubedl=("kubedl-system/kubedl",)).problems() == []
    (told,) = jobs(ours(), (READY, READY)).problems()
    assert "more than one operator of MarsJobs" in told
    old = ours()
    old["spec"]["versions"][0]["served"] = False
    assert "serves no v1alpha1" in jobs(old).problems()[0]


def test_what_is_otherwise_is_told() -> None:
    theirs = copy.deepcopy(definition())
    spec = theirs["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    del spec["properties"]["memoryTuningPolicy"]
    lines = jobs(theirs, kubedl=("kubedl-system/kubedl",)).lines()
    assert "made by somebody else" in lines[0]
    assert "which is not marsdask's, drops spec.memoryTuningPolicy." in lines[1]
    assert "KubeDL (kubedl-system/kubedl)" in lines[3]


if __name__ == "__main__":
    GOLDEN.write_text(rendered())
