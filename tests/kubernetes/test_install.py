"""`marsdask kubernetes install`, `status`, `uninstall` on a node: only what is missing is made, only what was made goes."""

from collections.abc import Iterator

import pytest
import yaml
from kubernetes import client

from marsdask.deploy.kubernetes import operator
from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.install import method_of
from marsdask.deploy.kubernetes.names import MANAGED_BY
from tests.kubernetes.clusters import namespace, until, user_with
from tests.kubernetes.conftest import Place, install
from tests.kubernetes.operated import cluster_spec, made_cluster

pytestmark = pytest.mark.alone


@pytest.fixture
def reinstalled(place: Place) -> Iterator[None]:
    """Whatever the test removes is there again afterwards."""
    if place.node is None:
        pytest.skip("the operator of a cluster that is not ours is not taken away")
    yield
    install(place, "--upgrade")


def deployed(api: Api) -> dict:
    return api.call(api.apps.read_namespaced_deployment, operator.NAME, operator.NAMESPACE)


def test_status_tells_what_is_there(place: Place) -> None:
    done = place.marsdask("status")
    assert done.exit_code == 0, done.stdout
    assert "definitions  4 of 4, dask-kubernetes" in done.stdout
    assert "operator     ready: " in done.stdout
    assert place.image in done.stdout or place.node is None
    assert "python=3." in done.stdout


def test_status_of_a_cluster_that_is_not_there(place: Place, tmp_path) -> None:
    done = place.marsdask("status", "--context", "nowhere")
    assert done.exit_code == 3
    assert "nowhere" in done.stderr
    text = place.kubeconfig.read_text().replace(":6443", ":6444")
    (tmp_path / "config").write_text(text)
    done = place.marsdask("status", "--kubeconfig", str(tmp_path / "config"))
    assert done.exit_code == 3
    assert "does not answer" in done.stderr


def test_status_without_rights(place: Place, api: Api, api_client, tmp_path) -> None:
    with namespace(api) as where, user_with(api, where) as nobody:
        token = nobody.configuration.api_key["BearerToken"].removeprefix("Bearer ")
        user = {"name": "nobody", "user": {"token": token}}
        config = yaml.safe_load(place.kubeconfig.read_text())
        config["users"] = [user]
        config["contexts"][0]["context"]["user"] = "nobody"
        (tmp_path / "config").write_text(yaml.safe_dump(config))
        done = place.marsdask("status", "--kubeconfig", str(tmp_path / "config"))
    assert done.exit_code == 3
    assert "cannot" in done.stderr


def test_installing_again_changes_nothing(place: Place, api: Api) -> None:
    before = deployed(api)["metadata"]
    for words in (["install"], ["install", "--upgrade"]):
        done = place.marsdask(*words, "--image", place.image)
        assert done.exit_code == 0, done.stderr
        assert "made" not in done.stdout.replace("made by", "")
        assert "changed" not in done.stdout
        assert "The operator is ready" in done.stdout
    assert deployed(api)["metadata"]["resourceVersion"] == before["resourceVersion"]


def test_another_image_is_told_and_left(place: Place, api: Api) -> None:
    done = place.marsdask("install", "--image", "marsdask/marsdask:other", "--timeout", "0")
    assert done.exit_code == 0
    assert "install --upgrade changes it" in done.stdout
    assert deployed(api)["spec"]["template"]["spec"]["containers"][0]["image"] == place.image


def test_no_image_is_told_with_the_pods_states(place: Place, reinstalled) -> None:
    place.marsdask("uninstall")
    done = place.marsdask("install", "--image", "marsdask/marsdask:missing", "--timeout", "20")
    assert done.exit_code == 1
    assert "ErrImagePull" in done.stderr
    assert "marsdask/marsdask:missing" in done.stderr
    done = place.marsdask("status")
    assert done.exit_code == 1
    assert "! the operator dask-operator/dask-operator is not ready" in done.stdout
    done = place.marsdask("install", "--upgrade", "--image", place.image)
    assert done.exit_code == 0, done.stderr
    assert "Deployment dask-operator: changed" in done.stdout


def test_somebody_elses_operator_is_left_alone(place: Place, api: Api, reinstalled) -> None:
    """As the Helm chart makes it, in a namespace of its own."""
    place.marsdask("uninstall")
    with namespace(api) as where:
        theirs = operator.deployment(where, place.image)
        labels = operator.SELECTOR | {MANAGED_BY: "Helm", operator.VERSION: "2024.1.0"}
        theirs["metadata"]["labels"] = labels
        theirs["spec"]["template"]["metadata"]["labels"] = labels
        theirs["spec"]["template"]["spec"]["serviceAccountName"] = "default"
        api.call(api.apps.create_namespaced_deployment, where, theirs)
        done = place.marsdask("install", "--image", place.image)
        assert done.exit_code == 0, done.stderr
        said = f"left alone: {where}/dask-operator, made by the Helm chart, dask-kubernetes 2024.1.0"
        assert said in done.stdout
        assert "Deployment" not in done.stdout
        assert api.namespace(operator.NAMESPACE) is None
        assert done.stdout.count(": made") == 4  # the definitions, without which it does nothing
        before = api.call(api.apps.read_namespaced_deployment, "dask-operator", where)["metadata"]
        assert "removed" in place.marsdask("uninstall").stdout
        after = api.call(api.apps.read_namespaced_deployment, "dask-operator", where)["metadata"]
        assert before["generation"] == after["generation"]


def test_uninstall_refuses_while_there_are_clusters(place: Place, api: Api) -> None:
    if place.node is None:
        pytest.skip("the operator of a cluster that is not ours is not taken away")
    with namespace(api) as where, made_cluster(api, where, cluster_spec("used", place.image, workers=0)):
        done = place.marsdask("uninstall")
        assert done.exit_code == 1
        assert f"{where}/used" in done.stderr
        assert "--force" in done.stderr
        assert deployed(api) is not None


def test_uninstall_removes_what_install_made_and_no_more(place: Place, api: Api, reinstalled) -> None:
    with namespace(api) as where:
        api.made("daskclusters", where, cluster_spec("left", place.image, workers=0))
        until(lambda: api.pods(where, "dask.org/component=scheduler"))
        done = place.marsdask("uninstall", "--force")
        assert done.exit_code == 0, done.stderr
        assert f"daskclusters/left in {where}: deleted" in done.stdout
        until(lambda: not api.pods(where, "dask.org/component=scheduler"))
        assert api.namespace(where) is not None
    assert api.namespace(operator.NAMESPACE) is None
    assert not api.knows_dask()
    selector = f"{MANAGED_BY}={operator.US}"
    roles = api.call(client.RbacAuthorizationV1Api(api.client).list_cluster_role, label_selector=selector)
    assert roles["items"] == []
    done = place.marsdask("status")
    assert done.exit_code == 1
    assert "no Dask operator runs here. Cure: marsdask kubernetes install" in done.stdout
    assert "Nothing of" in place.marsdask("uninstall").stdout


def test_uninstall_frees_what_a_dead_operator_holds(place: Place, api: Api, reinstalled) -> None:
    with namespace(api) as where:
        api.made("daskclusters", where, cluster_spec("held", place.image, workers=0))
        until(lambda: api.get("daskclusters", where, "held")["metadata"].get("finalizers"))
        api.call(
            api.apps.patch_namespaced_deployment,
            operator.NAME,
            operator.NAMESPACE,
            {"spec": {"replicas": 0}},
            _content_type="application/merge-patch+json",
        )
        until(lambda: not api.pods(operator.NAMESPACE, f"{operator.KIND}={operator.HELM}"))
        done = place.marsdask("uninstall", "--force")
        assert done.exit_code == 0, done.output
        assert "daskclusters/held" in done.stdout
        assert "freed without the operator" in done.stdout
        assert not api.knows_dask()


def test_an_operator_starts_when_the_server_knows_its_kinds(place: Place, api: Api, reinstalled) -> None:
    """The server reads its list of kinds here, without Dask's, and keeps it for up to 30 s: for a ReplicaSet's owner."""
    assert place.marsdask("uninstall").exit_code == 0
    with namespace(api) as where:
        labels = {"metadata": {"labels": {"app": "idle"}}}
        containers = {"spec": {"containers": [{"name": "idle", "image": place.image}]}}
        idle = {"replicas": 0, "selector": {"matchLabels": {"app": "idle"}}, "template": labels | containers}
        api.call(api.apps.create_namespaced_deployment, where, {"metadata": {"name": "idle"}, "spec": idle})
        until(lambda: api.call(api.apps.list_namespaced_replica_set, where)["items"])
        done = place.marsdask("install", "--image", place.image)
        assert done.exit_code == 0, done.output
        assert "left alone" not in done.output
        api.made("daskclusters", where, cluster_spec("first", place.image, workers=0))
        # Tried once, at once: a second time would be 60 s later.
        until(
            lambda: api.pods(where, "dask.org/component=scheduler"),
            what="the first cluster has its scheduler",
        )
        # By the operator in peace: what it is refused afterwards, without rights, fails a test of the operator.
        # Only when it has taken the group into the cluster does the group go with it; dask-kubernetes leaves it otherwise.
        until(
            lambda: (
                (api.get("daskworkergroups", where, "first-default") or {})
                .get("metadata", {})
                .get("ownerReferences")
            )
        )
        api.deleted("daskclusters", where, "first")
        until(lambda: api.get("daskclusters", where, "first") is None)
        until(lambda: api.get("daskworkergroups", where, "first-default") is None)


def test_the_server_takes_what_is_printed(place: Place, api: Api) -> None:
    """Every manifest but the definitions, which are there, against the API server's own schemas, strictly."""
    for manifest in operator.manifests(operator.NAMESPACE, place.image, pull_secret="registry"):
        if manifest["kind"] == "CustomResourceDefinition":
            continue
        manifest["metadata"]["name"] = "elsewhere"
        made = method_of(api, "create", manifest["kind"])
        where = [operator.NAMESPACE] if "namespace" in manifest["metadata"] else []
        done = api.call(made, *where, manifest, dry_run="All", field_validation="Strict")
        assert done["metadata"]["name"] == "elsewhere"
