"""The durable map in pods: its own command and kubeface's, with a server for Google storage beside the node."""

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

from marsdask.deploy.kubernetes import building, names
from marsdask.remote.durable import pods
from marsdask.remote.durable.storage import Storage
from tests.kubernetes.clusters import IMAGE, PATIENCE, gone, until
from tests.kubernetes.node import image, settings
from tests.processes import serving
from tests.stores import Store, gs

SQUARES = [["Value", "Result"], *([str(n), str(n**2)] for n in range(10))]


@pytest.fixture(scope="module")
def bucket(place) -> Iterator[Store]:
    if place.node is None:
        pytest.skip("the pods do not reach this machine")
    with gs(settings.ADDRESS) as store:
        yield store


def said(place, environment: dict[str, str], *words: object) -> str:
    """What a command says that ends well."""
    given = os.environ | environment | {"KUBECONFIG": str(place.kubeconfig)}
    done = subprocess.run(list(map(str, words)), env=given, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def variables(bucket: Store) -> list[str]:
    """The words by which pods find it."""
    return [word for pair in bucket.environment.items() for word in ("--env", "=".join(pair))]


def nothing_left(api) -> bool:
    """Whether all namespaces are gone that were made for clusters without saying a name, as those here."""
    found = api.listed(api.core.list_namespace, label_selector=f"{names.MANAGED_BY}={names.US}")
    return not [each for each in found if each["metadata"]["name"].startswith("mars-ns-")]


def test_a_map_in_pods(place, api, bucket, tmp_path):
    out = tmp_path / "out.csv"
    run = [
        sys.executable, "-m", "marsdask", "map", "run", "--expression", "value**2", "--generator-expression", "range(10)",
        "--storage", f"{bucket.url}/search", "--out-csv", out, "-o", "json",
    ]  # fmt: skip
    how = ["--cluster", "kubernetes", "--image", IMAGE, "--memory", "400m", "--cpu", "0.1"]
    how += variables(bucket)
    counts = json.loads(said(place, bucket.environment, *run, *how).splitlines()[-1])
    assert (counts["total"], counts["done"], counts["reused"], counts["failed"]) == (10, 10, 0, 0)
    with out.open() as file:
        assert list(csv.reader(file)) == SQUARES
    until(lambda: nothing_left(api))
    # The results outlive the cluster, and another place has no part in their names.
    counts = json.loads(said(place, bucket.environment, *run, "--cluster", "threads").splitlines()[-1])
    assert (counts["total"], counts["reused"]) == (10, 10)


def test_a_run_takes_away_the_cluster_of_one_that_was_killed(place, api, bucket, tmp_path):
    run = [
        sys.executable, "-m", "marsdask", "map", "run", "--generator-expression", "range(10)", "--storage", f"{bucket.url}/killed",
        "--out-csv", str(tmp_path / "out.csv"), "-o", "json", "--quiet", "--cluster", "kubernetes", "--image", IMAGE,
        "--memory", "400m", "--cpu", "0.1", "--max-simultaneous-tasks", "1",
        *variables(bucket),
    ]  # fmt: skip
    storage = Storage.at(f"{bucket.url}/killed", "default", bucket.options)
    environment = os.environ | bucket.environment | {"KUBECONFIG": str(place.kubeconfig)}
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
    said(place, bucket.environment, *run, "--expression", "value**2")
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
    building.wheel(tmp_path / "wheels")
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
        name, archive = image.bare(bucket.environment | finds)
        place.node.load(archive)
        out = tmp_path / "out.csv"
        said(
            place, bucket.environment, Path(sys.executable).with_name("kubeface-run"), "--expression", "__import__('greeting').squared(value)",
            "--generator-expression", "range(10)", "--kubeface-backend", "kubernetes", "--kubeface-storage", f"{bucket.url}/kubeface",
            "--kubeface-max-simultaneous-tasks", 1, "--kubeface-worker-image", name, "--kubeface-kubernetes-image-pull-policy", "Never",
            "--kubeface-worker-path-prefix", "/opt/marsdask/bin", "--kubeface-worker-pip", "/opt/pip/bin/pip",
            "--kubeface-worker-pip-packages", "greeting", "--kubeface-kubernetes-task-resources-cpu", 0.1,
            "--kubeface-kubernetes-task-resources-memory-mb", 400, "--out-csv", out,
        )  # fmt: skip
    with out.open() as file:
        assert list(csv.reader(file)) == SQUARES
    until(lambda: nothing_left(api))
