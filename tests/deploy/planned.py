"""What the command lines would start: they read their options, and start nothing."""

import copy
from collections.abc import Iterator

import dask
import distributed  # noqa: F401  its defaults belong to the configuration that is put back
import pytest
from click.testing import CliRunner, Result

from marsdask.deploy import options, proxy, running, settings, supervisor, worker

COMMANDS = {"supervisor": supervisor, "worker": worker, "web": proxy}
ENDPOINT = "127.0.0.1:7103"


@pytest.fixture(autouse=True)
def own_config() -> Iterator[None]:
    """Dask's configuration is put back, with its defaults: who left these changed has the next `update_defaults` do nothing."""
    before, defaults = copy.deepcopy(dask.config.config), list(dask.config.defaults)
    yield
    dask.config.defaults[:] = defaults
    dask.config.config.clear()
    dask.config.config.update(before)


@pytest.fixture
def plans(own_config: None, monkeypatch: pytest.MonkeyPatch) -> list:
    """What the commands would start: they read their options, and start nothing."""
    made: list = []
    for module, name in ((supervisor, "supervise"), (worker, "work"), (proxy, "serve")):
        monkeypatch.setattr(module, name, lambda *what: made.append(what[0]))
    monkeypatch.setattr(running, "run", lambda nothing: 0)
    monkeypatch.setattr(settings, "hand_down", lambda: None)
    for name in (
        "MARS_SPILL_DIRS",
        "MARS_BIND_PORT",
        "CUDA_VISIBLE_DEVICES",
        "DASK_SCHEDULER_ADDRESS",
        *options.IGNORED_VARIABLES,
    ):
        monkeypatch.delenv(name, raising=False)
    return made


def call(command: str, *words: str, **env: str) -> Result:
    return CliRunner().invoke(COMMANDS[command].main, list(words), env=env)


def plan_of(plans: list, command: str, *words: str, **env: str):
    done = call(command, *words, **env)
    assert done.exit_code == 0, done.output
    (plan,) = plans
    plans.clear()
    return plan, done.output
