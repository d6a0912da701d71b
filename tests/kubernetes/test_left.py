"""Nothing is left of clusters that were stopped, whose client was killed, whose workers were drained or deleted: the node is looked at."""

import signal
import subprocess
import sys
import warnings

import pytest

import marsdask.tensor as mt
from tests.kubernetes.clusters import PATIENCE, SMALL, cluster, unique, until
from tests.kubernetes.left import there
from tests.kubernetes.test_leaving import deleted, drained, one_of, spilled
from tests.kubernetes.test_leaving import files as of_workers

pytestmark = pytest.mark.alone

PROGRAM = """
import sys, time
from kubernetes import config
import marsdask.tensor as mt
from marsdask.deploy.kubernetes import new_cluster

new_cluster(config.new_client_from_config(sys.argv[1]), namespace=sys.argv[2], image=sys.argv[3], worker_spill_paths=[sys.argv[4]],
            worker_num=2, worker_cpu=0.1, worker_mem="400m", worker_cache_mem="48m", timeout=600, keep=True)
x = mt.random.randint(2**31, size=40_000_000, chunk_size=1_000_000).execute()
print("up", flush=True)
time.sleep(3000)
"""


def test_nothing_is_left(place, api, tmp_path):
    if place.node is None:
        pytest.skip("looks at a node, which is not ours")
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents[:2]:
        folder.chmod(0o755)
    before = there(place.node, [tmp_path])

    def used(go=None):
        """A cluster that has spilled, of whose pods one may go, and that is stopped."""
        small = {"worker_num": 2, "worker_cache_mem": "48m", "worker_spill_paths": [str(tmp_path)]}
        with cluster(api.client, **small) as made:
            x = mt.random.randint(2**31, size=40_000_000, chunk_size=1_000_000).execute()
            until(lambda: spilled(tmp_path))
            names = [p["metadata"]["name"] for p in api.pods(made.namespace, "dask.org/component=worker")]
            kinds = {each.partition(" ")[0] for each in left()}
            assert kinds == {"object", "process", "container", "file", "mount", "control"}, (
                "all of it is seen"
            )
            if go is not None:
                go(api, made.namespace, one_of(names, tmp_path))
                until(lambda: of_new(names, made), what="another in its place")
                assert x.size == x.execute().fetch().size
        assert of_workers(tmp_path) == []

    def left():
        return there(place.node, [tmp_path]) - before

    def of_new(names, made):
        found = api.pods(made.namespace, "dask.org/component=worker")
        return {p["metadata"]["name"] for p in found} - {*names}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of directories of nodes
        for go in (None, deleted, drained):
            used(go)
    name = unique()
    words = [
        sys.executable,
        "-W",
        "ignore",
        "-c",
        PROGRAM,
        str(place.kubeconfig),
        name,
        SMALL["image"],
        str(tmp_path),
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "up\n"
        until(lambda: spilled(tmp_path))
        process.send_signal(signal.SIGKILL)
    done = place.marsdask("stop", name, "--timeout", str(PATIENCE))
    assert done.exit_code == 0, done.output
    assert of_workers(tmp_path) == []
    # The kubelet takes away what was in containers once a minute.
    until(lambda: not left(), what=left)
