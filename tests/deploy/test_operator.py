"""What `marsdask kubernetes install` makes: compared with a file, and with what the cluster would refuse.

`python -m tests.deploy.test_operator` writes the file anew.
"""

import json
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from marsdask.__main__ import main
from marsdask.deploy.kubernetes import install, operator
from marsdask.deploy.kubernetes.names import MANAGED_BY
from marsdask.deploy.kubernetes.preflight import is_operator
from marsdask.errors import ArgumentError, MissingExtra

pytestmark = pytest.mark.once

NO_JOBS = install.Jobs(None, (), False, (), 0)
GOLDEN = Path(__file__).parent / "golden" / "operator.yaml"
IMAGE = "registry.example/team/marsdask:v1"


def rendered() -> str:
    """All but the definitions, which are dask-kubernetes' own, without the installed version."""
    made = [each for each in manifests() if each["kind"] != "CustomResourceDefinition"]
    return yaml.safe_dump_all(made, sort_keys=False).replace(metadata.version("dask-kubernetes"), "VERSION")


def manifests() -> list[dict]:
    return operator.manifests("operators", IMAGE, pull_secret="registry")


def run(*words: str):
    return CliRunner().invoke(main, ["kubernetes", *words])


def test_as_in_the_file() -> None:
    assert rendered() == GOLDEN.read_text()


def test_the_four_definitions_come_first_and_are_those_of_the_package() -> None:
    made = manifests()
    kinds = [each["kind"] for each in made]
    assert kinds[:5] == ["CustomResourceDefinition"] * 4 + ["Namespace"]
    assert kinds[-1] == "Deployment"
    for each in made[:4]:
        assert each["spec"]["group"] == "kubernetes.dask.org"
        schema = each["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        assert "$ref" not in json.dumps(schema)


def test_every_object_says_who_made_it() -> None:
    for each in manifests():
        labels = each["metadata"]["labels"]
        assert labels[MANAGED_BY] == "marsdask-install"
        assert labels[operator.VERSION] == metadata.version("dask-kubernetes")


def test_no_nulls_and_no_wildcards() -> None:
    def values(found: object) -> Iterator[object]:
        if isinstance(found, dict):
            for each in found.values():
                yield from values(each)
        elif isinstance(found, list):
            for each in found:
                yield from values(each)
        else:
            yield found

    for each in manifests()[4:]:
        assert not {None, "*"} & set(values(each))


def test_two_calls_share_nothing() -> None:
    one, other = manifests(), manifests()
    one[0]["metadata"]["labels"]["mine"] = "yes"
    one[-1]["spec"]["replicas"] = 0
    assert other == manifests()


def test_it_is_recognised() -> None:
    deployment = manifests()[-1]
    assert is_operator(deployment)
    deployment["metadata"]["generation"] = 1
    found = install.described(deployment)
    assert (found.by, found.ready, found.image, found.ours) == ("marsdask", False, IMAGE, True)
    deployment["status"] = {"observedGeneration": 1, "availableReplicas": 1, "updatedReplicas": 1}
    assert install.described(deployment).ready
    deployment["metadata"]["labels"][MANAGED_BY] = "Helm"
    assert "made by the Helm chart" in str(install.described(deployment))
    del deployment["metadata"]["labels"]
    assert install.described(deployment).by == "somebody"


def test_what_is_missing_is_told_with_its_cure() -> None:
    one = install.Operator("a", "b", "image", "1", "marsdask", ready=True)
    good = install.Installation("v1", {"d": "1"}, (), (one,), 0, NO_JOBS)
    assert good.problems() == []
    bare = install.Installation("v1", {}, ("d",), (), 0, NO_JOBS)
    assert all("Cure: marsdask kubernetes install" in each for each in bare.problems())
    two = install.Installation("v1", {"d": "1"}, (), (one, one), 0, NO_JOBS)
    assert "more than one operator" in two.problems()[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--namespace", "Upper"], "namespace='Upper': expected"),
        (["--namespace", "-x"], "namespace='-x'"),
        (["--image", "no spaces"], "image='no spaces'"),
    ],
)
def test_bad_arguments_are_named(words: list[str], said: str) -> None:
    done = run("install", "--dry-run", *words)
    assert done.exit_code == 1
    assert said in done.stderr


def test_a_dry_run_asks_no_cluster(monkeypatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    done = run("install", "--dry-run", "--namespace", "operators", "--image", IMAGE, "-o", "yaml")
    assert done.exit_code == 0
    found = list(yaml.load_all(done.stdout, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    assert found == operator.manifests("operators", IMAGE)
    done = run("install", "--dry-run", "--namespace", "operators", "--image", IMAGE, "-o", "json")
    assert json.loads(done.stdout) == {"apiVersion": "v1", "kind": "List", "items": found}


def test_an_output_form_without_a_dry_run_is_an_error() -> None:
    assert run("install", "-o", "yaml").exit_code == 2


def test_no_cluster_is_known(tmp_path) -> None:
    for command in ("install", "uninstall", "status"):
        done = run(command, "--kubeconfig", str(tmp_path / "none"))
        assert done.exit_code == (3 if command == "status" else 1)
        assert str(tmp_path / "none") in done.stderr


def test_without_the_extra(monkeypatch) -> None:
    def absent(name: str):
        raise metadata.PackageNotFoundError(name)

    operator._definitions.cache_clear()
    monkeypatch.setattr(metadata, "distribution", absent)
    with pytest.raises(MissingExtra, match=r"pip install 'marsdask\[kubernetes\]'"):
        operator.definitions()
    monkeypatch.undo()
    assert len(operator.definitions()) == 4


def test_names() -> None:
    with pytest.raises(ArgumentError, match="63"):
        operator.manifests("x" * 64)
    assert operator.checked_image("").startswith("marsdask/marsdask:v")


if __name__ == "__main__":
    GOLDEN.write_text(rendered())
