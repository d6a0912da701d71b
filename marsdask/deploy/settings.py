"""What is set before distributed is imported: configuration files, logs, the event loop, and our defaults.

Everything ends in Dask's configuration. What a user said, in a file of Dask's, the environment or on the command line, wins.
"""

from __future__ import annotations

import configparser
import contextlib
import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import dask
import yaml
from dask.utils import parse_bytes, parse_timedelta

from marsdask.deploy.options import IGNORED_VARIABLES, warning
from marsdask.deploy.running import blamed, refuse
from marsdask.engine import defaults as ours
from marsdask.errors import MissingExtra, near

MEMORY = "distributed.worker.memory"
MARS_KEYS = {
    "cluster.node_timeout": "distributed.scheduler.worker-ttl",
    "scheduling.subtask_max_reschedules": "distributed.scheduler.allowed-failures",
    "scheduling.mem_quota_size": f"{MEMORY}.pause",
    "scheduling.mem_hard_limit": f"{MEMORY}.terminate",
    "storage.shared_memory.store_memory": "marsdask.spill.cache",
    "storage.plasma.store_memory": "marsdask.spill.cache",
    "storage.filesystem.root_dirs": "marsdask.spill.directories",
    "storage.disk.root_dirs": "marsdask.spill.directories",
}
"""Keys of Mars's configuration file, and what says the same to Dask."""

MARS_SECTIONS = {
    "@inherits", "@overriding_fields", "cluster", "meta", "metrics", "mutable", "scheduling", "services", "session",
    "storage", "subtask", "task", "third_party_modules", "web",
}  # fmt: skip
"""Sections of Mars's configuration file; what `MARS_KEYS` lacks of them has no effect."""

TIMES = (
    "distributed.scheduler.idle-timeout",
    "distributed.scheduler.no-workers-timeout",
    "distributed.worker.lifetime.duration",
)
"""Times that are null by default; of others Dask's default tells that they are times."""

FREE = (
    "logging", "distributed.logging", "distributed.nanny.environ", "distributed.nanny.pre-spawn-environ",
    "marsdask.spill", "marsdask.allow-origin",
)  # fmt: skip
"""Sections in which any key is right."""


def read_config(text: str | None, file: str | None) -> dict[str, Any]:
    """The settings of `-f` and, above them, of `-c`, nested."""
    given: dict[str, Any] = {}
    if file is not None:
        with blamed(
            "-f/--config-file", yaml.YAMLError, UnicodeDecodeError, OSError, said=f"{file} is no YAML: "
        ):
            read = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
        given = _mapping({} if read is None else read, "-f/--config-file", file)
    if text is not None:
        with blamed("-c/--config", ValueError, said=f"{text!r} is no JSON: "):
            read = json.loads(text)
        given = dask.config.merge(given, _mapping(read, "-c/--config", text))
    return given


def _mapping(read: Any, option: str, source: str) -> dict[str, Any]:
    good = isinstance(read, dict) and all(isinstance(key, str) for key in read)
    refuse(not good, f"{source!r} holds no mapping of names to settings.", option)
    return dict(read)


class Settings:
    """What `-f` and `-c` say: Dask's keys by dotted name, modules to load, and what there is to warn of."""

    def __init__(self, given: Mapping[str, Any], role: str) -> None:
        self.dask: dict[str, Any] = {}
        self.modules: tuple[str, ...] = ()
        self.warnings: list[str] = []
        self.spelled: dict[str, str] = {}  # by name in Dask, as Mars's configuration spells it
        for name, value in given.items():
            if name == "third_party_modules":
                self.modules = _modules(value, role)
            elif name in MARS_SECTIONS:
                self._of_mars(name, value)
            else:
                self.dask[name] = value

    def _of_mars(self, name: str, value: Any) -> None:
        if name in MARS_KEYS:
            key = MARS_KEYS[name]
            self.spelled[key] = name
            if key.endswith("worker-ttl") and not isinstance(value, str):
                value = f"{value} s"
            elif key.startswith(MEMORY) and isinstance(value, str) and value.endswith("%"):
                # Dask's thresholds are numbers up to 1, Mars's texts such as 80%.
                with contextlib.suppress(ValueError):
                    value = float(value[:-1]) / 100
            self.dask[key] = value
        elif isinstance(value, Mapping) and any(key.startswith(name + ".") for key in MARS_KEYS):
            for inner, each in value.items():
                self._of_mars(f"{name}.{inner}", each)
        elif not name.startswith("@"):
            self.warnings.append(f"{name} of Mars's configuration has no effect.")


def prepare(given: Mapping[str, Any], role: str) -> Settings:
    """Set all that the options shared by the commands say, an option over the file; then import distributed.

    Warns of what has no effect, and of names that Dask does not know.
    """
    of_file, of_text = read_config(None, given["config_file"]), read_config(given["config"], None)
    said = Settings(dask.config.merge(of_file, of_text), role)
    dask.config.set(said.dask)
    log(given["log_level"], given["log_format"], given["log_conf"])
    choose_loop(given["use_uvloop"])
    import distributed  # noqa: F401  its defaults are the names that are known

    variables = (
        f"{name} has no effect: {why}." for name, why in IGNORED_VARIABLES.items() if name in os.environ
    )
    _check_values(Settings(of_text, role), "-c/--config")
    _check_values(Settings(of_file, role), f"-f/--config-file {given['config_file']}")
    for text in [*said.warnings, *_unknown(said.dask), *variables]:
        warning(text)
    return said


def _check_values(said: Settings, option: str) -> None:
    """An error where a time or a size is none: Dask would fail in the middle of its start, and not name the setting."""
    known = dask.config.merge(*dask.config.defaults)
    for name, value in _items(said.dask):
        default = "1s" if name in TIMES else dask.config.get(name, None, config=known)
        for parse, expected in PARSERS if isinstance(value, str) and isinstance(default, str) else ():
            wrong = _parses(parse, default) and not _parses(parse, value)
            refuse(wrong, f"{said.spelled.get(name, name)}: got {value!r}, expected {expected}.", option)


PARSERS = ((parse_timedelta, "a time such as '90s' or '5 minutes'"), (parse_bytes, "a size such as '64MiB'"))


def _parses(parse: Callable[[str], Any], text: str) -> bool:
    try:
        parse(text)
    except (ValueError, KeyError, IndexError):
        return False
    return True


def _modules(value: Any, role: str) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        value = value.get(role, ())
    names = [value] if isinstance(value, str) else list(value or ())
    good = all(isinstance(name, str) for name in names)
    refuse(not good, f"{value!r} holds no names of modules.", "third_party_modules")
    return tuple(names)


def _unknown(given: Mapping[str, Any]) -> list[str]:
    """A sentence for each name that Dask and its libraries have no default for."""
    known = {name.replace("_", "-") for name, _ in _items(dask.config.merge(*dask.config.defaults))}
    return [
        f"the setting {name} is unknown, so it has no effect.{near(dashed, known)}"
        for name, _ in _items({k: v for k, v in given.items() if "." not in k})
        if (dashed := name.replace("_", "-")) not in known and not dashed.startswith(FREE)
    ]


def _items(nested: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names and their values, those of whole sections too."""
    for key, value in nested.items():
        yield f"{prefix}{key}", value
        if isinstance(value, Mapping):
            yield from _items(value, f"{prefix}{key}.")


def log(level: str | None, format: str | None, conf: str | None) -> None:
    """Set up logs as Dask's configuration says it. Before distributed is imported, for it reads this then."""
    if conf is not None:
        refuse(level or format, "--log-conf says all about logs: leave out --log-level and --log-format.")
        parser = configparser.RawConfigParser()
        said = f"{conf} is no configuration of Python's logging: "
        with blamed("--log-conf", configparser.Error, ValueError, said=said):
            parser.read(conf)
            missing = [n for n in ("loggers", "handlers", "formatters") if not parser.has_section(n)]
            if missing:
                raise ValueError(f"it has no section {', '.join(missing)}")
        for section in (dask.config.config, dask.config.config.get("distributed") or {}):
            section.pop("logging", None)  # it and a file exclude each other
        dask.config.set({"logging-file-config": conf})
    if level:
        dask.config.set({f"logging.{name}": level.lower() for name in ("distributed", "marsdask")})
    if format:
        try:
            format % dict.fromkeys((*vars(logging.makeLogRecord({})), "message", "asctime"), 0)
        except (KeyError, ValueError, TypeError) as error:
            raise click.BadParameter(
                f"{format!r} is no format of Python's logging ({type(error).__name__}: {error}); "
                "an example is '%(asctime)s %(levelname)s %(message)s'.",
                param_hint="--log-format",
            ) from error
        dask.config.set({"distributed.admin.log-format": format})


def choose_loop(use_uvloop: str) -> None:
    """Choose the event loop: uvloop by `auto` if it can be imported."""
    key = "distributed.admin.event-loop"
    if use_uvloop in ("no", "0"):
        dask.config.set({key: "tornado"})
        return
    try:
        import uvloop  # noqa: F401
    except ImportError as error:
        if use_uvloop == "auto":
            return
        missing = MissingExtra.needed("uvloop", "uvloop", "it")
        raise click.BadParameter(str(missing), param_hint="--use-uvloop") from error
    said = dask.config.get(key, ours.UNSAID, config=dask.config.collect()) is not ours.UNSAID
    if use_uvloop != "auto" or (not said and dask.config.get(key, "tornado") == "tornado"):
        dask.config.set({key: "uvloop"})


def defaults(given: Mapping[str, Any]) -> None:
    """Set ours for a scheduler where nobody said anything, be it null or Dask's own default; `given` is what `-f` says."""
    ours.apply()
    dask.config.set(dict(given))


def hand_down() -> None:
    """Let child processes start with this configuration: their logs are set up before a nanny could tell them."""
    os.environ["DASK_INTERNAL_INHERIT_CONFIG"] = dask.config.serialize(dask.config.config)
