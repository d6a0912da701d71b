"""Two spellings of one option, and variables of the environment without effect."""

import pytest

from tests.deploy.planned import COMMANDS, ENDPOINT, call, plan_of

SPELLED = [
    ("worker", "--n-cpu", "3", "--cpu-procs", "4"),
    ("worker", "--n-cpu", "auto", "--nthreads", "3"),
    ("worker", "-p", "7104", "--worker-port", "7105"),
    ("worker", "--spill-dir", "/a", "--spill-dirs", "/b"),
    ("worker", "--cuda-devices", "0", "--cuda-device", "1"),
    ("supervisor", "-H", "127.0.0.1", "--host", "127.0.0.2"),
    ("web", "-p", "7104", "--ui-port", "7105"),
    *((c, "--log-level", "info", "--level", "debug") for c in COMMANDS),
]


@pytest.mark.parametrize(("command", "one", "value", "other", "another"), SPELLED)
def test_two_spellings_that_contradict_are_named(plans, command, one, value, other, another):
    long = (f"{other}={another}",) if other.startswith("--") else (other, another)
    for words in ((one, value, other, another), (one, value, *long)):
        done = call(command, *words)
        assert done.exit_code == 2, done.output
        assert f"{one} {value} and {other} {another} are one option" in done.output
    assert not plans


def test_two_spellings_of_the_same_value_are_one(plans):
    plan, said = plan_of(plans, "worker", "-s", ENDPOINT, "--n-cpu", "3", "--cpu-procs", "03", "--nthreads=3")
    assert (plan.threads, said) == (3, "")
    # What follows an option is its value, however it looks; and the last of one spelling counts, as everywhere.
    plan, _ = plan_of(plans, "worker", "-s", ENDPOINT, "--name", "--n-cpu", "--n-cpu", "3", "--n-cpu", "4")
    assert (plan.name, plan.threads) == ("--n-cpu", 4)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("other", ["-s", "--schedulers", "--supervisors"])
def test_several_supervisors_are_as_with_commas(plans, command, other):
    for another in ("127.0.0.1:7104", f"127.0.0.1:7104,{ENDPOINT}"):
        done = call(command, "-H", "127.0.0.1", "-p", "7103", "-s", ENDPOINT, other, another)
        assert done.exit_code == 2, done.output
        assert "a Dask cluster has one scheduler" in done.output
    assert not plans


@pytest.mark.parametrize("command", ["worker", "web"])
def test_one_supervisor_may_be_given_twice(plans, command):
    plan, _ = plan_of(plans, command, "-s", ENDPOINT, "--schedulers", ENDPOINT)
    assert (plan.scheduler if command == "worker" else plan.supervisor) == ENDPOINT


@pytest.mark.parametrize("command", COMMANDS)
def test_a_variable_without_effect_is_said(plans, command):
    words = ["-H", "127.0.0.1"] if command == "supervisor" else ["-s", ENDPOINT]
    _, said = plan_of(plans, command, *words, MARS_TASK_DETAIL="{}")
    assert said.count("Warning") == said.count("MARS_TASK_DETAIL has no effect") == 1
