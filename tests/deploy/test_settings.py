"""Settings of Mars's configuration file, our defaults, and whose word wins."""

import json
import os

import click
import dask
import distributed  # noqa: F401  its defaults belong to the configuration that is put back
import pytest

from marsdask.deploy import settings
from marsdask.deploy.settings import Settings

TIMEOUT = "distributed.scheduler.no-workers-timeout"


@pytest.fixture(autouse=True)
def config(own_config: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT", raising=False)


def test_a_configuration_of_mars():
    said = Settings(
        {
            "@inherits": "@default",
            "third_party_modules": {"worker": ["json"], "supervisor": ["csv"]},
            "cluster": {"node_timeout": 120, "backend": "fixed"},
            "scheduling": {"mem_quota_size": "80%", "mem_hard_limit": "95%", "subtask_max_reschedules": 2},
            "storage": {"shared_memory": {"store_memory": "4g"}, "filesystem": {"root_dirs": "/a:/b"}},
        },
        "worker",
    )
    assert said.modules == ("json",)
    assert said.dask == {
        "distributed.scheduler.worker-ttl": "120 s",
        "distributed.worker.memory.pause": 0.8,
        "distributed.worker.memory.terminate": 0.95,
        "distributed.scheduler.allowed-failures": 2,
        "marsdask.spill.cache": "4g",
        "marsdask.spill.directories": "/a:/b",
    }
    assert said.warnings == ["cluster.backend of Mars's configuration has no effect."]


def test_json_goes_over_the_file(tmp_path):
    (tmp_path / "f.yml").write_text("distributed: {scheduler: {allowed-failures: 1, worker-ttl: 9s}}")
    given = settings.read_config(
        '{"distributed": {"scheduler": {"allowed-failures": 5}}}', str(tmp_path / "f.yml")
    )
    assert given == {"distributed": {"scheduler": {"allowed-failures": 5, "worker-ttl": "9s"}}}


@pytest.fixture
def of_dask() -> None:
    """The timeout as Dask has it, though another test may have started a cluster."""
    dask.config.defaults[:] = [
        each for each in dask.config.defaults if dask.config.get(TIMEOUT, None, config=each) is None
    ]
    dask.config.set({TIMEOUT: None})


def test_our_default_gives_way_to_whatever_a_user_said(of_dask, monkeypatch):
    dask.config.set({TIMEOUT: "3s"})
    settings.defaults({})
    assert dask.config.get(TIMEOUT) == "3s"


def test_our_default_where_nobody_said_anything(of_dask):
    settings.defaults({})
    assert dask.config.get(TIMEOUT) == "5 minutes"
    assert dask.config.get("distributed.scheduler.worker-saturation") > 1.1


def test_a_null_is_a_word_too(of_dask, monkeypatch):
    settings.defaults({"distributed": {"scheduler": {"no-workers-timeout": None}}})
    assert dask.config.get(TIMEOUT) is None
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT", "None")
    settings.defaults({})
    assert dask.config.get(TIMEOUT) is None


def options(**given: str) -> dict:
    names = ("config", "config_file", "log_level", "log_format", "log_conf")
    return dict.fromkeys(names) | {"use_uvloop": "no"} | given


def test_names_that_dask_does_not_know_are_told(capsys):
    odd = {
        "distributed": {"schedular": {"x": 1}, "nanny": {"environ": {"ANY": 1}}},
        "marsdask": {"spill": {}},
    }
    settings.prepare(options(config=json.dumps(odd)), "worker")
    said = capsys.readouterr().err
    assert "distributed.schedular is unknown" in said
    assert "environ" not in said
    assert "marsdask" not in said


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("distributed.scheduler.worker-ttl", "soon"),
        ("distributed.scheduler.worker_ttl", "5 parsecs"),
        ("distributed.scheduler.no-workers-timeout", ""),
        ("distributed.comm.shard", "large"),
        ("cluster.node_timeout", "soon"),
    ],
)
def test_a_time_or_size_that_is_none_is_named(tmp_path, name, value):
    nested = value
    for part in reversed(name.split(".")):
        nested = {part: nested}
    (tmp_path / "f.yml").write_text(json.dumps(nested))
    for given, option in (
        (options(config=json.dumps(nested)), "-c/--config"),
        (options(config_file=str(tmp_path / "f.yml")), f"-f/--config-file {tmp_path}/f.yml"),
    ):
        with pytest.raises(click.BadParameter, match=f"{name}: got {value!r}, expected a ") as caught:
            settings.prepare(given, "supervisor")
        assert caught.value.param_hint == option


def test_times_and_sizes_that_dask_takes(capsys):
    words = {
        "scheduler": {"worker-ttl": None, "idle-timeout": "1 hour"},
        "comm": {"shard": 1e6, "offload": False},
    }
    settings.prepare(options(config=json.dumps({"distributed": words})), "supervisor")
    assert capsys.readouterr().err == ""


def test_children_start_with_the_configuration(monkeypatch):
    monkeypatch.setenv("DASK_INTERNAL_INHERIT_CONFIG", "")
    dask.config.set({TIMEOUT: "11s"})
    settings.hand_down()
    child = dask.config.deserialize(os.environ["DASK_INTERNAL_INHERIT_CONFIG"])
    assert dask.config.get(TIMEOUT, config=child) == "11s"


def test_an_option_goes_over_the_file(tmp_path):
    (tmp_path / "f.yml").write_text(
        "logging: {distributed: debug}\ndistributed: {admin: {event-loop: asyncio}}"
    )
    settings.prepare(
        options(config_file=str(tmp_path / "f.yml"), log_level="ERROR", use_uvloop="auto"), "worker"
    )
    assert dask.config.get("logging.distributed") == "error"
    assert dask.config.get("distributed.admin.event-loop") == "asyncio"
    settings.prepare(options(config_file=str(tmp_path / "f.yml")), "worker")
    assert dask.config.get("logging.distributed") == "debug"
    assert dask.config.get("distributed.admin.event-loop") == "tornado"


def test_a_file_of_pythons_logging(tmp_path):
    (tmp_path / "l.conf").write_text("[loggers]\nkeys=root\n[handlers]\nkeys=\n[formatters]\nkeys=\n")
    settings.prepare(
        options(log_conf=str(tmp_path / "l.conf"), config='{"logging": {"distributed": "info"}}'), "worker"
    )
    assert dask.config.get("logging-file-config") == str(tmp_path / "l.conf")
    assert "logging" not in dask.config.config
