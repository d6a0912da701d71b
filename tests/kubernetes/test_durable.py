"""The durable map in pods: its own command and kubeface's, with a server for S3 beside the node."""

import csv
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from marsdask.deploy.kubernetes import names
from marsdask.remote.durable import pods
from marsdask.remote.durable.storage import Storage
from tests.kubernetes.clusters import IMAGE, PATIENCE, gone, until
from tests.kubernetes.node import image, settings
from tests.processes import serving

SQUARES = [["Value", "Result"], *([str(n), str(n**2)] for n in range(10))]


@pytest.fixture(scope="module")
def bucket(place) -> Iterator[dict[str, str]]:
    """The variables by which a bucket is found."""
    if place.node is None:
        pytest.skip("the pods do not reach this machine")
    s3fs = pytest.importorskip("s3fs", reason="no S3: make test-stores")
    pytest.importorskip("moto.server", reason="no server for S3: make test-stores")
    with serving("-m", "moto.server", "-H", settings.ADDRESS, "-p", "{port}", host=settings.ADDRESS) as url:
        keys = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), "testing")
        s3fs.S3FileSystem(endpoint_url=url, key="testing", secret="testing").mkdir("bucket")
        yield {**keys, "AWS_ENDPOINT_URL": url, "AWS_DEFAULT_REGION": "us-east-1"}


def said(place, environment: dict[str, str], *words: object) -> str:
    """What a command says that ends well."""
    given = os.environ | environment | {"KUBECONFIG": str(place.kubeconfig)}
    done = subprocess.run(list(map(str, words)), env=given, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def nothing_left(api) -> bool:
    """Whether all namespaces are gone that were made for clusters without saying a name, as those here."""
    found = api.listed(api.core.list_namespace, label_selector=f"{names.MANAGED_BY}={names.US}")
    return not [each for each in found if each["metadata"]["name"].startswith("mars-ns-")]


def test_a_map_in_pods(place, api, bucket, tmp_path):
    out = tmp_path / "out.csv"
    run = [
        sys.executable, "-m", "marsdask", "map", "run", "--expression", "value**2", "--generator-expression", "range(10)",
        "--storage", "s3://bucket/search", "--out-csv", out, "-o", "json",
    ]  # fmt: skip
    variables = [word for pair in bucket.items() for word in ("--env", "=".join(pair))]
    how = ["--cluster", "kubernetes", "--image", IMAGE, "--memory", "400m", "--cpu", "0.1", *variables]
    counts = json.loads(said(place, bucket, *run, *how).splitlines()[-1])
    assert (counts["total"], counts["done"], counts["reused"], counts["failed"]) == (10, 10, 0, 0)
    with out.open() as file:
        assert list(csv.reader(file)) == SQUARES
    until(lambda: nothing_left(api))
    # The results outlive the cluster, and another place has no part in their names.
    counts = json.loads(said(place, bucket, *run, "--cluster", "threads").splitlines()[-1])
    assert (counts["total"], counts["reused"]) == (10, 10)


def test_a_run_takes_away_the_cluster_of_one_that_was_killed(place, api, bucket, tmp_path):
    run = [
        sys.executable, "-m", "marsdask", "map", "run", "--generator-expression", "range(10)", "--storage", "s3://bucket/killed",
        "--out-csv", str(tmp_path / "out.csv"), "-o", "json", "--quiet", "--cluster", "kubernetes", "--image", IMAGE,
        "--memory", "400m", "--cpu", "0.1", "--max-simultaneous-tasks", "1",
        *(word for pair in bucket.items() for word in ("--env", "=".join(pair))),
    ]  # fmt: skip
    storage = Storage(
        "s3://bucket/killed",
        "default",
        (("endpoint_url", bucket["AWS_ENDPOINT_URL"]), ("key", "testing"), ("secret", "testing")),
    )
    environment = os.environ | bucket | {"KUBECONFIG": str(place.kubeconfig)}
    with subprocess.Popen(
        [*run, "--expression", "__import__('time').sleep(3000)"], env=environment
    ) as killed:
        try:
            until(lambda: any(said["counts"]["running"] for said in storage.jobs()), what="a task runs")
        finally:
            killed.kill()
    (record,) = replace(storage, name=pods.NAME).names(pods.FOLDER)
    namespace = record.removesuffix(".json")
    assert api.pods(namespace, names.CLUSTER)
    said(place, bucket, *run, "--expression", "value**2")
    assert not replace(storage, name=pods.NAME).names(pods.FOLDER)
    gone(api, namespace)


def wheel(folder: Path) -> None:
    """A package that no image has."""
    name = "greeting-1.0"
    with zipfile.ZipFile(folder / f"{name}-py3-none-any.whl", "w") as file:
        file.writestr("greeting.py", "def squared(value):\n    return value**2\n")
        file.writestr(f"{name}.dist-info/METADATA", "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n")
        file.writestr(
            f"{name}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{name}.dist-info/RECORD", "")


def test_kubeface_in_an_image_without_marsdask(place, api, bucket, tmp_path):
    (tmp_path / "wheels").mkdir()
    wheel(tmp_path / "wheels")
    for ours in (image.ROOT / "dist/image").glob("marsdask-*.whl"):
        (tmp_path / "wheels" / ours.name).symlink_to(ours)
    with serving(
        "-m",
        "http.server",
        "{port}",
        "-b",
        settings.ADDRESS,
        "-d",
        str(tmp_path / "wheels"),
        host=settings.ADDRESS,
    ) as index:
        finds = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": f"{index}/", "PIP_TRUSTED_HOST": settings.ADDRESS}
        name, archive = image.bare(bucket | finds)
        place.node.load(archive)
        out = tmp_path / "out.csv"
        said(
            place, bucket, Path(sys.executable).with_name("kubeface-run"), "--expression", "__import__('greeting').squared(value)",
            "--generator-expression", "range(10)", "--kubeface-backend", "kubernetes", "--kubeface-storage", "s3://bucket/kubeface",
            "--kubeface-max-simultaneous-tasks", 1, "--kubeface-worker-image", name, "--kubeface-kubernetes-image-pull-policy", "Never",
            "--kubeface-worker-path-prefix", "/opt/marsdask/bin", "--kubeface-worker-pip", "/opt/pip/bin/pip",
            "--kubeface-worker-pip-packages", "greeting", "--kubeface-kubernetes-task-resources-cpu", 0.1,
            "--kubeface-kubernetes-task-resources-memory-mb", 400, "--out-csv", out,
        )  # fmt: skip
    with out.open() as file:
        assert list(csv.reader(file)) == SQUARES
    until(lambda: nothing_left(api))
