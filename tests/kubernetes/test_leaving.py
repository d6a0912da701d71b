"""What workers leave on a node: nothing after a stop, a deleted pod, a drain; after a kill what the next worker takes, or the command."""

import os
import signal
import warnings
from pathlib import Path

import pytest

import marsdask.tensor as mt
from marsdask.deploy.kubernetes import names
from marsdask.engine.workers import workers_of
from tests.kubernetes.clusters import PATIENCE, cluster, computed_once, pods, until

USER = 10001
"""Of the image."""


@pytest.fixture(scope="module")
def folder(place, tmp_path_factory):
    """A directory of the node."""
    if place.node is None:
        pytest.skip("looks at directories of the node, which is not ours")
    path = tmp_path_factory.mktemp("spilled")
    path.chmod(0o777)
    return path


@pytest.fixture(scope="module")
def made(api_client, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of directories of nodes
        with cluster(
            api_client, worker_num=2, worker_cache_mem="48m", worker_spill_paths=[str(folder)]
        ) as found:
            yield found


def files(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


def spilled(folder: Path) -> set[str]:
    """The directories that hold values."""
    return {path.name for path in folder.glob("mars-*") if path.is_dir() and any(path.iterdir())}


@pytest.fixture
def held(made, api, folder):
    """A tensor of 320 MB of which a worker has spilled a part. Of integers: NumPy adds floats that are not aligned, as
    after spilling, in another order, and the last digit differs."""
    made.wait_for_workers(2, timeout=PATIENCE)
    until(lambda: len(api.pods(made.namespace, f"{names.COMPONENT}=worker")) == 2, what="who goes is gone")
    x = mt.random.randint(2**31, size=40_000_000, chunk_size=1_000_000).execute()
    until(lambda: spilled(folder))
    return x


def one_of(names: list[str], folder: Path) -> str:
    """The pod or worker that has spilled: directories have workers' names, and pods names that begin with these."""
    worker, _ = min(spilled(folder)).rsplit("-", 1)
    (found,) = (name for name in names if name.startswith(worker))
    return found


def drained(api, where, pod):
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": where}}
    api.call(api.core.create_namespaced_pod_eviction, pod, where, body)


def deleted(api, where, pod):
    api.call(api.core.delete_namespaced_pod, pod, where)


@pytest.mark.parametrize("go", [deleted, drained])
def test_a_pod_that_goes_leaves_its_values_to_others_and_no_file(made, api, folder, held, go):
    client = made.session.engine.client
    keys = [key for key, where in client.who_has().items() if where]
    before = held.sum().execute().fetch()
    were = pods(api, made, "worker")
    go(api, made.namespace, one_of(were, folder))
    until(lambda: {*pods(api, made, "worker")} - {*were}, what="another in its place")
    made.wait_for_workers(2, timeout=PATIENCE)
    assert all(client.who_has(keys).values())
    assert held.sum().execute().fetch() == before
    assert computed_once(client, keys)
    assert not [name for name, log in made.logs().items() if "stale" in log], "it found nothing to remove"


def test_what_a_killed_worker_leaves_goes_with_the_next(made, folder, held):
    client = made.session.engine.client
    before = held.sum().execute().fetch()
    workers = {w["name"]: address for address, w in workers_of(client).items()}
    name = one_of(list(workers), folder)
    (left,) = (each for each in spilled(folder) if each.startswith(name))

    def ends() -> None:
        os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)

    client.run(ends, workers=[workers[name]], on_error="ignore")
    until(lambda: left not in spilled(folder), what="nothing of the dead")
    made.wait_for_workers(2, timeout=PATIENCE)
    assert held.sum().execute().fetch() == before


def test_the_command_takes_it_where_no_worker_comes(made, place, folder, held):
    dead = folder / "spill-dead"
    dead.mkdir()
    (dead / "0").write_bytes(bytes(3 * 2**20))
    (folder / "spill-dead.dirlock").touch()
    for path in (dead, dead / "0", folder / "spill-dead.dirlock"):
        os.chown(path, USER, USER)
    before, living = held.sum().execute().fetch(), spilled(folder)
    done = place.marsdask(
        "clean", str(folder), f"{folder}/nowhere", "--image", place.image, "--timeout", str(PATIENCE)
    )
    assert done.exit_code == 0, done.output
    assert f"{folder}: directories removed: 1, 3 MiB; in use, or another user's: 4" in done.output
    assert f"{folder}/nowhere: there is no such directory" in done.output
    assert not dead.exists()
    assert living <= spilled(folder)
    assert held.sum().execute().fetch() == before
    done = place.marsdask("clean", str(folder), "--node", "elsewhere")
    assert done.exit_code == 1
    assert "--node elsewhere: there is no such node. Nodes: " in done.output


def test_a_stop_leaves_no_file(made, folder, held):
    assert files(folder)
    made.stop(wait=True, timeout=PATIENCE)
    assert files(folder) == []
