"""`os.fork()` in a program that has sessions: what cannot go on in the child says so at once, the rest works; none hangs."""

import subprocess
import sys

import pytest

from tests.processes import PATIENCE

HEAD = """
import os, sys, warnings
warnings.simplefilter("ignore")  # Python's own, of forks beside threads
import numpy as np
import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import new_session

def child(work):
    pid = os.fork()
    if not pid:
        try:
            print(work(), flush=True)
        except BaseException as error:
            print(type(error).__name__, error, flush=True)
        os._exit(0)
    os.waitpid(pid, 0)
"""
THREADS = """
x = mt.ones((10,), chunk_size=2)
print(x.sum().execute().fetch())
x.execute(wait=False).result(60)
child(lambda: (x + 1).sum().execute().fetch())
child(lambda: (x + 2).execute(wait=False).result(60).fetch().sum())
child(lambda: x.fetch().sum())
child(lambda: md.DataFrame(x.reshape(5, 2)).sum().execute().fetch().sum())
print((x + 3).sum().execute().fetch())
"""
CLUSTER = """
session = new_session(n_worker=1)
x = mt.ones((10,), chunk_size=2).execute()
def after_another():
    with new_session():
        return (mt.ones(3) + 1).sum().execute().fetch()
def freed():
    global x
    del x
    return "freed"
child(lambda: (x + 1).execute())
child(lambda: x.fetch())
child(lambda: session.client.nthreads())
child(lambda: new_session(n_worker=1))
child(lambda: new_session(session.address))
child(lambda: repr(session)[-8:])
child(lambda: session.close())
child(after_another)
child(freed)
workers = set(session.client.run(os.getpid).values())
pid = os.fork()
if not pid:
    sys.exit(3)  # runs what Python does at the end of a process
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), set(session.client.run(os.getpid).values()) == workers)
print((x + 1).sum().execute().fetch())
"""


def said(program: str) -> list[str]:
    command = [sys.executable, "-c", HEAD + program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_threads_go_on_in_the_child() -> None:
    assert said(THREADS) == ["10.0", "20.0", "30.0", "10.0", "10.0", "40.0"]


@pytest.mark.processes
def test_a_cluster_stays_with_its_process() -> None:
    *refused, shown, closed, another, freed, ended, last = said(CLUSTER)
    assert len(refused) == 5
    for line in refused:
        assert line.startswith("Forked process ")
        assert "os.fork()" in line
    assert (shown, closed, another, freed, last) == (" closed>", "None", "6.0", "freed", "20.0")
    assert ended == "3 True"
