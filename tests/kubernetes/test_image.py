"""The image: whoever runs it, and with a root that cannot be written; what it has inside is what is here."""

import json
import uuid

import pytest

from marsdask.deploy.kubernetes.api import Api
from marsdask.deploy.kubernetes.images import LABEL, locked, versions
from tests.kubernetes.clusters import namespace, until
from tests.kubernetes.conftest import Place
from tests.kubernetes.node.machine import run
from tests.kubernetes.operated import CONTAINER_SECURITY, pod

RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}
WHO = """
import json, os, pathlib, importlib.metadata
def writes(where):
    try:
        pathlib.Path(where, "file").touch()
    except OSError:
        return False
    return True
import marsdask.tensor as mt
print(json.dumps({
    "uid": os.getuid(), "first": pathlib.Path("/proc/1/comm").read_text().strip(),
    "root": writes("/"), "home": writes(pathlib.Path.home()), "token": os.path.exists("/var/run/secrets/kubernetes.io"),
    "answer": float(mt.ones((10, 10), chunk_size=5).sum().execute().fetch()),
    "versions": {d.name.lower().replace("_", "-"): d.version for d in importlib.metadata.distributions()},
}))
"""


@pytest.fixture(scope="module")
def where(api):
    with namespace(api, **RESTRICTED) as made:
        yield made


def ended(api: Api, where: str, spec: dict) -> tuple[str, str]:
    """A pod's last phase and its log."""
    name = f"pod-{uuid.uuid4().hex[:8]}"
    body = {"metadata": {"name": name}, "spec": spec | {"restartPolicy": "Never"}}
    api.call(api.core.create_namespaced_pod, where, body)
    phase = until(
        lambda: (
            (found := api.call(api.core.read_namespaced_pod, name, where)["status"]["phase"])
            in ("Succeeded", "Failed")
            and found
        )
    )
    return phase, api.log(where, name, lines=50) or ""


@pytest.mark.parametrize("uid", [None, 1234567])
def test_as_nobody_with_a_root_that_cannot_be_written(
    place: Place, api: Api, where: str, uid: int | None
) -> None:
    """Also as a user that no file knows, as OpenShift gives them."""
    spec = pod("who", place.image, ["python", "-W", "error::DeprecationWarning:marsdask", "-c", WHO])
    if uid is not None:
        spec["containers"][0]["securityContext"] = CONTAINER_SECURITY | {"runAsUser": uid}
    phase, log = ended(api, where, spec)
    assert phase == "Succeeded", log
    told = json.loads(log.splitlines()[-1])
    assert told["uid"] == (uid or 10001)
    assert told["first"] == "tini"
    assert (told["root"], told["home"], told["token"]) == (False, True, False)
    assert told["answer"] == 100
    inside = told["versions"]
    assert locked().items() <= inside.items()


def test_the_commands_are_there(place: Place, api: Api, where: str) -> None:
    phase, log = ended(
        api,
        where,
        pod(
            "commands",
            place.image,
            ["sh", "-c", "marsdask --version && dask worker --version && kopf --version"],
        ),
    )
    assert phase == "Succeeded", log
    assert log.startswith("marsdask, version")


def test_root_is_refused(place: Place, api: Api, where: str) -> None:
    """By Pod Security, before anything runs."""
    from marsdask.errors import NotPermitted

    spec = pod("root", place.image, ["true"])
    spec["containers"][0]["securityContext"] = CONTAINER_SECURITY | {"runAsUser": 0}
    with pytest.raises(NotPermitted, match="restricted"):
        api.call(api.core.create_namespaced_pod, where, {"metadata": {"name": "root"}, "spec": spec})


def test_the_label_tells_the_versions(place: Place) -> None:
    if place.node is None:
        pytest.skip("the image of a cluster that is not ours is not here")
    label = run(
        "buildah", "inspect", "--format", f'{{{{index .OCIv1.Config.Labels "{LABEL}"}}}}', place.image
    )
    told = dict(pair.split("=") for pair in label.split())
    assert told == dict(pair.split("=") for pair in versions().split())
