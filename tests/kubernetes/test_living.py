"""A cluster while it works: grown and shrunk, killed in parts, and what the user sees of it."""

import os
import time
import urllib.error
import urllib.request

import numpy as np
import pytest

import marsdask.remote as mr
import marsdask.tensor as mt
from marsdask.engine.workers import workers_of
from tests.kubernetes.clusters import PATIENCE, cluster, computed_once, pods, until


@pytest.fixture(scope="module")
def made(api_client):
    with cluster(api_client, worker_num=1, worker_mem="700m") as found:
        yield found


def kill(api, made, pod):
    api.call(api.core.delete_namespaced_pod, pod, made.namespace, grace_period_seconds=0)


def workers(made):
    return until(lambda: workers_of(made.session.engine.client))


def test_growing_and_shrinking_loses_nothing_and_computes_nothing_again(made):
    made.scale(3)
    made.wait_for_workers(3, timeout=PATIENCE)
    x = mt.arange(26_000_000, chunk_size=2_000_000).execute()  # 208 MB
    client = made.session.engine.client
    keys = [k for k, where in client.who_has().items() if where]
    assert len(keys) >= 13
    before = x.sum().execute().fetch()
    stranger = urllib.request.Request(f"{made.endpoint}/api/v1/retire_workers", data=b'{"n": 2}')
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(stranger, timeout=PATIENCE)
    made.scale(1)
    until(lambda: len(workers(made)) == 1)
    assert all(where for where in client.who_has(keys).values())
    assert x.sum().execute().fetch() == before
    assert computed_once(client, keys)


def test_a_killed_worker_is_replaced_and_the_answer_is_right(made, api):
    made.scale(2)
    made.wait_for_workers(2, timeout=PATIENCE)

    def slowly(block):
        time.sleep(0.2)
        return block + 1

    x = mt.arange(4000, chunk_size=100).map_chunk(slowly)
    running = x.sum().execute(wait=False)
    time.sleep(2)
    kill(api, made, pods(api, made, "worker")[0])
    running.result(timeout=PATIENCE)
    assert x.sum().execute().fetch() == np.arange(4000).sum() + 4000
    made.wait_for_workers(2, timeout=PATIENCE)


def test_after_the_scheduler_was_killed_the_same_program_goes_on(made, api):
    x = mt.arange(1000, chunk_size=100).execute()
    (old,) = pods(api, made, "scheduler")
    kill(api, made, old)
    until(lambda: [p for p in pods(api, made, "scheduler") if p != old])
    assert x.sum().execute().fetch() == 499500
    np.testing.assert_array_equal(x.execute().fetch(), np.arange(1000))
    made.scale(1)


def test_too_much_memory_is_told_as_such(made):
    def greedy(_):
        return bytes(os.urandom(1)) * (900 * 2**20)

    with pytest.raises(MemoryError, match="greedy"):
        mr.spawn(greedy, 1).execute()
    assert mr.spawn(abs, -3).execute().fetch() == 3
