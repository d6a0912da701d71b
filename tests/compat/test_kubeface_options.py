"""kubeface's options: their names and defaults, what they mean here, and bad values."""

import argparse
import logging
import pickle
from pathlib import Path
from typing import Any

import pytest

from marsdask.compat.kubeface import (
    Client,
    KubernetesBackend,
    LocalProcessBackend,
    LocalProcessDockerBackend,
    ThreadsBackend,
    WorkerConfiguration,
    kubernetes_backend,
)
from marsdask.compat.kubeface.client import speculation
from marsdask.compat.kubeface.kubernetes_backend import arguments
from marsdask.deploy.kubernetes.arguments import Arguments
from marsdask.errors import MarsDaskError, MissingExtra
from marsdask.session import new_session

DEFAULTS: dict[str, Any] = {
    "max_simultaneous_tasks": 10,
    "poll_seconds": 30.0,
    "storage": "gs://kubeface",
    "cache_key_prefix": None,
    "never_cleanup": False,
    "wait_to_raise_task_exception": False,
    "speculation_percent": 20,
    "speculation_runtime_percentile": 99,
    "speculation_max_reruns": 3,
    "backend": "local-process",
    "worker_image": "continuumio/anaconda3",
    "worker_path_prefix": "",
    "worker_pip": "pip",
    "worker_pip_packages": [],
    "worker_kubeface_install_policy": "if-not-present",
    "worker_kubeface_install_command": "{pip} install marsdask",
    "kubernetes_cluster": None,
    "kubernetes_task_resources_cpu": 1,
    "kubernetes_task_resources_memory_mb": 1000.0,
    "kubernetes_retries": 12,
    "kubernetes_image_pull_policy": "Always",
    "local_process_docker_command": "docker",
}


def parsed(*argv: Any) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    Client.add_args(parser)
    return parser.parse_args([str(each) for each in argv])


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBEFACE_STORAGE", raising=False)
    assert vars(parsed()) == {f"kubeface_{name}": value for name, value in DEFAULTS.items()}
    monkeypatch.setenv("KUBEFACE_STORAGE", "/shared/here")
    assert parsed().kubeface_storage == "/shared/here"


GIVEN = {
    "max-simultaneous-tasks": 3, "poll-seconds": 1.5, "storage": "/a", "cache-key-prefix": "p", "speculation-percent": 5,
    "speculation-runtime-percentile": 90, "speculation-max-reruns": 2, "backend": "kubernetes", "worker-image": "i",
    "worker-path-prefix": "/opt/bin", "worker-pip": "pip3", "worker-kubeface-install-policy": "never",
    "worker-kubeface-install-command": "x", "kubernetes-cluster": "c", "kubernetes-task-resources-cpu": 2,
    "kubernetes-task-resources-memory-mb": 500, "kubernetes-retries": 1, "kubernetes-image-pull-policy": "Never",
    "local-process-docker-command": "podman",
}  # fmt: skip


def test_every_option() -> None:
    argv = [word for name, value in GIVEN.items() for word in (f"--kubeface-{name}", value)]
    flags = ("--kubeface-never-cleanup", "--kubeface-wait-to-raise-task-exception")
    found = vars(parsed(*argv, *flags, "--kubeface-worker-pip-packages", "a", "b<2"))
    assert found.pop("kubeface_worker_pip_packages") == ["a", "b<2"]
    assert found.pop("kubeface_never_cleanup") is found.pop("kubeface_wait_to_raise_task_exception") is True
    assert found == {f"kubeface_{name.replace('-', '_')}": value for name, value in GIVEN.items()}


def test_clients_have_what_was_asked_for(tmp_path: Path) -> None:
    here = "--kubeface-backend", "threads", "--kubeface-storage", tmp_path
    client = Client.from_args(parsed(*here))
    told = {name: getattr(client, name, None) for name in list(DEFAULTS)[:9]}
    assert told.pop("cache_key_prefix").count("-") >= 6
    expected = {**dict(list(DEFAULTS.items())[:9]), "storage": str(tmp_path)}
    assert told == {name: value for name, value in expected.items() if name != "cache_key_prefix"}
    assert Client.from_args(parsed(*here)).cache_key_prefix != client.cache_key_prefix
    by_hand = Client(ThreadsBackend(), storage=str(tmp_path))
    assert (by_hand.speculation_percent, by_hand.speculation_max_reruns) == (0, 1)
    assert by_hand._made("x")._speculation is None
    found = client._made("x")
    assert found._speculation is not None
    assert (found._speculation.percent, found._speculation.max_attempts, found._window) == (20, 3, 10)
    assert (found._retries, found._on_error) == (0, "raise")


@pytest.mark.parametrize(
    ("given", "most"),
    [((20, 99, 3), 3), ((20, 99, 2), 2), ((20, 99, 1), 0), ((20, 99, 0), 0), ((0, 99, 3), 0)],
)
def test_speculation(given: Any, most: int) -> None:
    """There `max_reruns` counts attempts."""
    assert (speculation(*given) or {"max_attempts": 0})["max_attempts"] == most


def test_kinds_of_backends(tmp_path: Path) -> None:
    for name, kind, where in (
        ("local-process", LocalProcessBackend, "processes"),
        ("threads", ThreadsBackend, "threads"),
        ("local-process-docker", LocalProcessDockerBackend, "threads"),
    ):
        client = Client.from_args(parsed("--kubeface-backend", name, "--kubeface-storage", tmp_path))
        assert type(client.backend) is kind
        assert client.backend.place(3, client.storage) == where
        assert client._made("x")._cluster == where


@pytest.mark.parametrize("storage", ["/tmp", "here", "file:///tmp", "memory://here"])
def test_kubernetes_needs_storage_that_pods_see(storage: str) -> None:
    with pytest.raises(ValueError, match="needs storage that its tasks see"):
        Client.from_args(parsed("--kubeface-backend", "kubernetes", "--kubeface-storage", storage))
    with pytest.raises(ValueError, match="needs storage that its tasks see"):
        Client(KubernetesBackend(), storage=storage)


def test_memory_is_out_of_reach() -> None:
    for backend in (LocalProcessBackend(), LocalProcessDockerBackend()):
        with pytest.raises(ValueError, match="memory of this process"):
            Client(backend, storage="memory://here")
    client = Client(ThreadsBackend(), storage="memory://kubeface")
    assert list(client.map(abs, [-1])) == [1]
    assert len(client.job_summary(include_done=True)) == 1
    client.cleanup()


def test_storage_that_needs_a_package() -> None:
    with pytest.raises(MissingExtra, match="adlfs"):
        Client(ThreadsBackend(), storage="abfs://container/folder")


def test_notes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        Client(ThreadsBackend(), storage=str(tmp_path))
        assert not caplog.records
        Client(ThreadsBackend(WorkerConfiguration(path_prefix="/opt")), poll_seconds=1, storage=str(tmp_path))
        KubernetesBackend(WorkerConfiguration("mine", pip_packages=["a"]), retries=3)
    told = [record.getMessage().partition(" has no effect")[0] for record in caplog.records]
    assert told == ["path_prefix='/opt'", "poll_seconds=1", "retries=3"]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"backend": None}, "backend"),
    ({"backend": "kubernetes"}, "backend"),
    ({"max_simultaneous_tasks": 0}, "max_simultaneous_tasks"),
    ({"max_simultaneous_tasks": "3"}, "max_simultaneous_tasks"),
    ({"poll_seconds": -1}, "poll_seconds"),
    ({"storage": 5}, "storage"),
    ({"storage": "nosuch://bucket"}, "storage"),
    ({"cache_key_prefix": "a/b"}, "cache_key_prefix"),
    ({"cache_key_prefix": ".."}, "cache_key_prefix"),
    ({"cache_key_prefix": 5}, "cache_key_prefix"),
    ({"never_cleanup": "yes"}, "never_cleanup"),
    ({"wait_to_raise_task_exception": 1}, "wait_to_raise_task_exception"),
    ({"speculation_percent": 101}, "speculation_percent"),
    ({"speculation_percent": float("nan")}, "speculation_percent"),
    ({"speculation_runtime_percentile": -1}, "speculation_runtime_percentile"),
    ({"speculation_max_reruns": 1.5}, "speculation_max_reruns"),
]


@pytest.mark.parametrize(("given", "named"), BAD, ids=repr)
def test_bad_clients(tmp_path: Path, given: dict[str, Any], named: str) -> None:
    with pytest.raises(MarsDaskError, match=named) as caught:
        Client(**{"backend": ThreadsBackend(), "storage": str(tmp_path), **given})
    assert isinstance(caught.value, (ValueError, TypeError))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "argv",
    [
        ("--kubeface-backend", "ray"),
        ("--kubeface-kubernetes-image-pull-policy", "Sometimes"),
        ("--kubeface-worker-kubeface-install-policy", "maybe"),
        ("--kubeface-max-simultaneous-tasks", "many"),
    ],
)
def test_bad_options(argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(*argv)
    assert argv[0] in capsys.readouterr().err


@pytest.mark.parametrize(
    "given",
    [
        {"image": "mine"}, {"pip": "pip3"}, {"pip_packages": ["a"]}, {"kubeface_install_command": "x"},
        {"kubeface_install_policy": "always"},
    ],
)  # fmt: skip
def test_local_processes_install_nothing(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(given))):
        LocalProcessBackend(WorkerConfiguration(**given))
    LocalProcessBackend(WorkerConfiguration(kubeface_install_policy="never"))


def test_configurations() -> None:
    assert WorkerConfiguration().non_default_fields() == set()
    assert WorkerConfiguration(image="a").non_default_fields() == {"image"}
    assert WorkerConfiguration(pip_packages="a b").pip_packages == ["a", "b"]
    for given in ({"kubeface_install_policy": "x"}, {"image": ""}, {"pip_packages": [3]}, {"path_prefix": 3}):
        with pytest.raises(MarsDaskError, match=next(iter(given))):
            WorkerConfiguration(**given)


def test_what_kubernetes_is_asked_for() -> None:
    args = parsed(
        "--kubeface-worker-image", "registry.example/mine:v1", "--kubeface-worker-pip-packages", "mhcflurry", "keras<3",
        "--kubeface-kubernetes-task-resources-cpu", 2, "--kubeface-kubernetes-task-resources-memory-mb", 1500,
        "--kubeface-kubernetes-image-pull-policy", "IfNotPresent", "--kubeface-worker-path-prefix", "/opt/conda/bin",
    )  # fmt: skip
    backend = KubernetesBackend.from_args(args)
    assert backend.resources == {"cpu": 2}
    given = arguments(backend, 7)
    template = given.pop("pod_template")
    assert given == {
        "worker_num": 7,
        "min_worker_num": 1,
        "worker_cpu": 2,
        "worker_mem": 1500 * 2**20,
        "image": "registry.example/mine:v1",
        "image_pull_policy": "IfNotPresent",
    }
    (container,) = template["spec"]["containers"]
    first, *_, installs, _ = container["command"][2].splitlines()
    assert first == 'export PATH=/opt/conda/bin:"$PATH"'
    assert installs == "/opt/conda/bin/pip install mhcflurry 'keras<3'"
    asked = Arguments.of(**given, pod_template=template)
    assert (asked.worker.millicores, asked.threads, asked.policy.memory) == (2000, 2, 1500 * 2**20)


def test_what_kubernetes_is_asked_for_by_default() -> None:
    backend = KubernetesBackend.from_args(parsed())
    given = arguments(backend, 10)
    assert (given["image"], given["image_pull_policy"], given["pod_template"]) == (None, "Always", None)
    asked = Arguments.of(**given)
    assert (asked.worker_num, asked.min_worker_num, asked.worker.millicores) == (10, 1, 1000)
    assert asked.policy.memory == 1000 * 2**20
    assert KubernetesBackend(task_resources_cpu=0.5).resources == {"cpu": 1}


@pytest.mark.parametrize(
    "given",
    [
        {"task_resources_cpu": 0}, {"task_resources_memory_mb": -5}, {"retries": "x"}, {"image_pull_policy": "always"},
        {"cluster": ""},
    ],
)  # fmt: skip
def test_bad_kubernetes(given: dict[str, Any]) -> None:
    with pytest.raises(MarsDaskError, match=next(iter(given))):
        KubernetesBackend(**given)


def test_the_cluster_is_made_for_the_first_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On threads, in the place of a cluster: what a node would do is the tests' of `new_cluster`."""
    told: list[Any] = []

    class Made:
        def __init__(self) -> None:
            self.cluster = self
            self.session = new_session(default=False)

        def end(self) -> None:
            told.append("stop")
            self.session.close()

    def made(context: Any, storage: str, given: Any) -> Made:
        told.append((context, storage, given["worker_num"]))
        return Made()

    monkeypatch.setattr(kubernetes_backend, "made", made)
    monkeypatch.setattr(kubernetes_backend, "is_local", lambda storage: False)
    client = Client(KubernetesBackend(cluster="mine"), storage=str(tmp_path), max_simultaneous_tasks=3)
    found = client.map(abs, [-1, -2])
    assert client.job_summary() == []
    assert told == []
    assert list(found) == [1, 2]
    assert list(client.map(abs, [-3], cache_key="other")) == [3]
    assert list(client.map(abs, [-4])) == [4]
    assert told == [("mine", str(tmp_path), 3)]
    again = pickle.loads(pickle.dumps(client))
    assert again.backend.cluster == "mine"
    client.close()
    assert told[1:] == ["stop"]
