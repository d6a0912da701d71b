"""MarsJobs with the annotation `marsdask.org/security: tls`: who is let in, and where the certificates come from."""

import base64
import os
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

import marsdask.tensor as mt
from marsdask import new_session
from marsdask.deploy.kubernetes import credentials
from marsdask.deploy.marsjob import Translation
from marsdask.errors import ClusterUnreachable, EncryptionMismatch
from tests.deploy.conftest import BIN, Command, Start, registered
from tests.deploy.test_marsjob import (
    WORKER,
    annotated,
    causes,
    check,
    cluster,
    env,
    of_kind,
    part,
    pod,
    ran,
    roles,
    translated,
)
from tests.processes import NEVER, PATIENCE

pytest.importorskip("cryptography", reason='no certificates: pip install "marsdask[tls]"')

TLS = annotated(security="tls")


@pytest.mark.once
@pytest.mark.parametrize("role", ["scheduler", "worker"])
def test_a_role_has_its_own_certificate_only(role: str) -> None:
    found = translated(TLS)
    check(found)
    volume, token = [each for each in part(found, role)["spec"]["volumes"] if "secret" in each]
    assert token["secret"]["optional"], "a Secret that somebody has made may be without"
    assert volume["secret"]["secretName"] == "mars-test-demo-tls"
    files = {item["path"] for item in volume["secret"]["items"]}
    assert files == {"ca.crt", f"{role}.crt", f"{role}.key"}
    (mount,) = [each for each in ran(found, role)["volumeMounts"] if each["name"] == volume["name"]]
    told = {value for name, value in env(found, role).items() if "__TLS__" in name}
    assert told == {f"{mount['mountPath']}/{file}" for file in files}
    assert env(found, role)["DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION"] == "True"


@pytest.mark.once
def test_spot_workers_have_it_too() -> None:
    found = translated(
        TLS, lambda made: roles(made)["Worker"].update(spotReplicaSpec={"spotReplicaNumber": 1})
    )
    (group,) = of_kind(found, "DaskWorkerGroup")
    assert group["spec"]["worker"]["spec"] == part(found)["spec"]


@pytest.mark.once
def test_the_secret_is_made_by_who_applies() -> None:
    """Nothing that is translated has a key in it, so that the same job gives the same objects."""
    found = translated(TLS)
    assert found == translated(TLS)
    assert of_kind(found, "Secret") == []
    labels = cluster(found)["metadata"]["labels"]
    security = credentials.made()
    made = credentials.secret_of("mars-test-demo-tls", "default", labels, security, own=False)
    assert made["metadata"] == {"name": "mars-test-demo-tls", "namespace": "default", "labels": labels}
    assert set(made["data"]) == {*credentials.KEYS, credentials.TOKEN}
    assert credentials.from_secret(made["data"]).tls_client_key == security.tls_client_key
    (note,) = [each for each in found.notes if "mars-test-demo-tls" in each and "by hand" in each.lower()]
    assert all(key in note for key in (*credentials.KEYS, credentials.TOKEN))


@pytest.mark.once
def test_notes_say_who_gets_in() -> None:
    for found in (translated(), translated(annotated(security="none"))):
        assert any("run code" in note and "marsdask.org/security: tls" in note for note in found.notes)
        assert any("webHost" in note and "run code" in note for note in found.notes)
        assert not any("__TLS__" in name or name == "DASK_SCHEDULER_ADDRESS" for name in env(found))
    found = translated(TLS)
    assert not any("run code" in note for note in found.notes)
    assert any("'tls://mars-test-demo-scheduler-0.default:11111'" in note for note in found.notes)


@pytest.mark.once
def test_a_volume_of_the_same_name() -> None:
    change = {"volumes": [{"name": "tls", "emptyDir": {}}]}
    translated(lambda made: pod(made).update(change))
    assert set(causes(TLS, lambda made: pod(made).update(change))) == {f"{WORKER}.volumes[0].name"}


def here(start: Start, found: Translation, role: str, secret: Any, folder: Path, **more: str) -> Command:
    """The container of a role as a process on loopback, which sees of the Secret what its pod does."""
    volumes = [each["secret"] for each in part(found, role)["spec"]["volumes"] if "secret" in each]
    folder.mkdir()
    for item in (item for volume in volumes for item in volume["items"]):
        (folder / item["path"]).write_bytes(base64.b64decode(secret["data"][item["key"]]))
    elsewhere = {
        "0.0.0.0": "127.0.0.1",
        '"$(DASK_WORKER_NAME)"': "w0",
        "-p 8786 -w 8787": "-p 0 -w 0",
        "-p 8788 --dashboard-address :8789": "-p 0 --dashboard-address 127.0.0.1:0",
    }
    words = list(ran(found, role)["args"])
    for old, new in elsewhere.items():
        words[-1] = words[-1].replace(old, new)
    said = dict(env(found, role))
    for path in (credentials.PATH, credentials.TOKEN_PATH):
        said = {name: value.replace(path, str(folder)) for name, value in said.items()}
    said |= {"DASK_TEMPORARY_DIRECTORY": str(folder), "TMPDIR": str(folder)} | more
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    return start(
        *words, env=os.environ | {"PATH": path} | {name: value for name, value in said.items() if value}
    )


@pytest.mark.processes
@pytest.mark.slow
def test_only_who_has_the_certificates_is_let_in(start: Start, tmp_path: Path) -> None:
    """The commands and variables of the pods, with other addresses."""

    def small(made: dict[str, Any]) -> None:
        for role in roles(made).values():
            role["template"]["spec"]["containers"][0]["resources"] = {"limits": {"cpu": 1, "memory": "512Mi"}}

    found = translated(TLS, small)
    secret = credentials.secret_of("mars-test-demo-tls", "default", {}, credentials.made(), own=False)
    boss = here(start, found, "scheduler", secret, tmp_path / "scheduler")
    address, web = boss.said(r"Supervisor at (\S+, web at \S+)").split(", web at ")
    assert address.startswith("tls://")
    assert env(found)["DASK_SCHEDULER_ADDRESS"] == "tls://mars-test-demo-scheduler.default:8786"
    worker = here(start, found, "worker", secret, tmp_path / "worker", DASK_SCHEDULER_ADDRESS=address)
    worker.said(r"Worker at tls://\S+")
    assert web.endswith(f"/?token={base64.b64decode(secret['data']['token']).decode()}")
    with pytest.raises(HTTPError, match="401"):
        urlopen(f"{web.partition('/?')[0]}/json/counts.json", timeout=PATIENCE)
    registered(web, 1)

    security = credentials.from_secret(secret["data"])
    for where in (address, web):
        with new_session(where, security=security, timeout=PATIENCE, default=False) as session:
            assert session.address == address
            assert mt.ones(7).sum().execute(session=session).fetch() == 7
    strangers = credentials.from_secret(credentials.secret_data(credentials.made(), own=False))
    for where, stranger in ((address, None), (web, None), (address, strangers)):
        with pytest.raises(EncryptionMismatch):
            new_session(where, security=stranger, timeout=NEVER, default=False)
    with pytest.raises(ClusterUnreachable, match="has pages only"):
        new_session(web.replace("http", "ws"), timeout=NEVER, default=False)
    assert worker.end() == 0, worker.text
    assert boss.end() == 0, boss.text
