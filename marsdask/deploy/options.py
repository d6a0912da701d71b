"""What Mars's command lines have in common: their options, both generations of them, and how each is checked.

A wrong value is a click error that names the option, raised before anything is started.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import click

from marsdask.deploy.endpoints import is_port, split_endpoint
from marsdask.deploy.running import refuse

Decorator = Callable[[Any], Any]


class Oddity(NamedTuple):
    """An option of Mars that has no effect, or that is among those `REFUSED`, and why. `harmless` is a value that says nothing."""

    spelled: str
    reason: str
    flag: bool = False
    harmless: str | None = None

    def tell(self, ctx: click.Context, param: click.Parameter, value: Any) -> None:
        """A callback of the option: an error, or a warning that names it."""
        if not (value if self.flag else [v for v in value if v != self.harmless]):
            return
        spelled = self.spelled.replace(" ", "/")
        if self in REFUSED:
            raise click.UsageError(f"{spelled} cannot be honoured: {self.reason}", ctx)
        warning(f"{spelled} has no effect: {self.reason}.")


REFUSED = (
    Oddity("-k --kv-store", "Dask keeps no state in etcd. Give workers -s HOST:PORT of the supervisor."),
    Oddity("-D", "Mars's -Dkey=value sets nothing in Dask. Write a configuration file and give it with -f."),
)
IGNORED_BY_SUPERVISOR = (
    Oddity("--nproc --n-process", "Dask's scheduler is one process"),
    Oddity("--disable-failover", "lost work is always done again", flag=True),
)
IGNORED_BY_WORKER = (
    Oddity(
        "--net-procs --io-procs --n-io-process",
        "a worker sends and receives in the process that computes",
        harmless="1",
    ),
    Oddity(
        "--disk-compression", "Dask compresses what it spills by itself; see distributed.comm.compression"
    ),
    Oddity("--transfer-compression", "set distributed.comm.compression instead"),
    Oddity("--ignore-avail-mem", "a worker counts its own memory only", flag=True),
    Oddity("--write-shuffle-to-disk", "a shuffle spills when memory is short", flag=True),
    Oddity("--disable-proc-recover", "give --no-nanny for a worker that is not restarted", flag=True),
)


IGNORED_VARIABLES = {
    "MARS_TASK_DETAIL": "it names no supervisor and no address here. Give -s HOST:PORT and -a HOST, or their variables"
}
"""Variables of the environment that Mars reads and that are said to have no effect, and why."""


class Option(click.Option):
    """An option of which two spellings have to say the same; click alone would take the last one silently."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        if self.multiple or self.is_flag:
            super().add_to_parser(parser, ctx)
            return
        for spelling in self.opts:
            parser.add_option(self, [spelling], dest=spelling)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, Any]:
        said = [(spelling, opts[spelling]) for spelling in self.opts if spelling in opts]
        for (first, text), (second, other) in pairwise(said):
            if self.type_cast_value(ctx, text) != self.type_cast_value(ctx, other):
                spelled = f"{first} {text} and {second} {other}"
                raise click.UsageError(f"{spelled} are one option with two values: give one of them.", ctx)
        if said:
            opts = {str(self.name): said[0][1]}
        return super().consume_value(ctx, opts)


def option(spelled: str, help: str | None = None, **how: Any) -> Decorator:
    """An option by all of its spellings, and what `--help` says of it."""
    return click.option(*spelled.split(), cls=Option, help=help, **how)


class MarsCommand(click.Command):
    """A command that takes `--load-modules a b c` as Mars does: click's own options take a fixed number of values.

    Hidden options, which have no effect, are not suggested for a wrong one.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, spread("--load-modules", args))
        except click.NoSuchOption as error:
            shown = [o for each in self.params if not getattr(each, "hidden", False) for o in each.opts]
            near = get_close_matches(error.option_name, shown)
            raise click.NoSuchOption(error.option_name, possibilities=near, ctx=ctx) from error


def spread(option: str, words: Sequence[str]) -> list[str]:
    """The same words, with `option` before each of the values that follow it.

    >>> spread("--load-modules", ["--load-modules", "a", "b", "-p", "7103"])
    ['--load-modules', 'a', '--load-modules', 'b', '-p', '7103']
    """
    out: list[str] = []
    follows = False
    for before, word in pairwise(["", *words]):
        if word.startswith("-"):
            follows = word == option
        elif follows and before != option:
            out.append(option)
        out.append(word)
    return out


def joined(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> str | None:
    """All that was given by `-s`, with commas between them: click alone would take the last one silently."""
    return ",".join(dict.fromkeys(value)) if value else None


class Read(click.ParamType):  # type: ignore[type-arg, unused-ignore] # older versions take no brackets
    """What `read` makes of a text; its ValueError says what is wrong with that."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name, self.read = name, read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):  # a default
            return value
        try:
            return self.read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def whole(least: int, *, auto: bool = False) -> Read:
    """A whole number of `least` or more; the word `auto` is None."""

    def read(text: str) -> int | None:
        if auto and text == "auto":
            return None
        if not text.isascii() or not text.isdigit() or int(text) < least:
            word = " or 'auto'" if auto else ""
            raise ValueError(f"got {text!r}, expected a whole number of {least} or more{word}.")
        return int(text)

    return Read("number", read)


def _port(text: str) -> int:
    if not is_port(text):
        raise ValueError(f"got {text!r}, expected a port from 0 to 65535.")
    return int(text)


def _ports(text: str) -> int | str:
    ends = text.split(":")
    if len(ends) > 2 or not all(map(is_port, ends)):
        raise ValueError(f"got {text!r}, expected a port from 0 to 65535, or FIRST:LAST.")
    if len(ends) == 1:
        return int(text)
    if not 0 < int(ends[0]) < int(ends[1]):
        raise ValueError(f"got {text!r}, expected FIRST:LAST with FIRST below LAST.")
    return text


def _host(given: str) -> str:
    text = given.strip()
    bare = text.strip("[]")
    if not text or "/" in text or any(c.isspace() for c in text) or (":" in bare and bare.count(":") < 2):
        raise ValueError(f"got {given!r}, expected a host name or an IP address.")
    return text


def _web_address(text: str) -> str:
    host, _, port = text.rpartition(":")
    if host:
        _host(host)
    if not is_port(port):
        raise ValueError(f"got {text!r}, expected HOST:PORT or :PORT.")
    return text


def _endpoint(text: str) -> str:
    split_endpoint(text)
    return text


def _seconds(text: str) -> float:
    from dask.utils import parse_timedelta

    try:
        seconds = float(parse_timedelta(text))
    except (ValueError, KeyError, TypeError):
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"got {text!r}, expected a time such as 90, '90s' or '5 minutes'.")
    return seconds


PORT = Read("port", _port)
"""0 is for a free one."""
PORTS = Read("port", _ports)
"""A port, or `FIRST:LAST`, one of which will be taken."""
HOST = Read("host", _host)
"""A host name or an IP address, without scheme and port."""
WEB_ADDRESS = Read("address", _web_address)
"""`HOST:PORT`, `:PORT` or a port, where pages are served."""
ENDPOINT = Read("host:port", _endpoint)
"""Also with `tcp://` or `tls://` before it."""
DURATION = Read("time", _seconds)
"""Such as `90`, `90s` or `5 minutes`, in seconds."""
FILE = click.Path(exists=True, dir_okay=False, resolve_path=True)
NEW_FILE = click.Path(dir_okay=False)


def warning(text: str) -> None:
    """Say on stderr what a person should know."""
    click.echo(f"Warning: {text}", err=True)


def stacked(*decorators: Decorator) -> Decorator:
    """One decorator of many; `--help` shows them in this order."""
    return lambda function: reduce(lambda made, each: each(made), decorators[::-1], function)


shared = stacked(
    click.version_option(package_name="marsdask", prog_name="marsdask"),
    option("-a --advertise", "The address that others use.", type=HOST, metavar="HOST"),
    option("-H --host", "Address to bind.", type=HOST, envvar="MARS_BIND_HOST", metavar="HOST"),
    option("-e --endpoint", "-H and -p in one, HOST:PORT.", type=ENDPOINT, envvar="MARS_BIND_ENDPOINT"),
    option("-c --config", "Settings as JSON, of Mars or of Dask.", metavar="JSON"),
    option(
        "-f --config-file",
        "Settings in a YAML file, of Mars or of Dask.",
        type=click.Path(exists=True, dir_okay=False),
    ),
    option(
        "--log-level --level",
        "How much is logged.",
        type=click.Choice(["debug", "info", "warning", "error", "critical"], case_sensitive=False),
    ),
    option("--log-format --format", "How a log line looks, as in Python's logging.", metavar="TEXT"),
    option("--log-conf", "A logging.conf file; instead of the two above.", type=FILE),
    option(
        "--use-uvloop",
        "Run on uvloop: if it is installed, or in any case, or never.",
        default="auto",
        show_default=True,
        type=click.Choice(["auto", "yes", "1", "no", "0"]),
    ),
    option("--tls-ca-file", "Certificate authority (PEM).", type=FILE),
    option("--tls-cert", "Certificate of this process (PEM).", type=FILE),
    option("--tls-key", "Key of that certificate (PEM).", type=FILE),
)
"""The options that every command has."""

modules = stacked(
    option(
        "--load-modules",
        "Modules to import at start; the same as --preload.",
        multiple=True,
        envvar="MARS_LOAD_MODULES",
        metavar="MODULE...",
    ),
    option("--preload", "A module or a file to load at start.", multiple=True, metavar="MODULE"),
    option("--pid-file", "Write the process id there.", type=NEW_FILE),
    option("--interface", "Network interface to bind, instead of -H.", metavar="NAME"),
)
"""The options that load code into a process."""

death_timeout = option(
    "--death-timeout", "How long to look for the supervisor: 60s.", type=DURATION, default=60.0
)


def oddities(ignored: Sequence[Oddity]) -> Decorator:
    """The options of Mars that do nothing here, and those that are refused; not shown by --help."""
    return stacked(
        *(
            option(
                each.spelled,
                is_flag=each.flag,
                multiple=not each.flag,
                hidden=True,
                expose_value=False,
                callback=each.tell,
            )
            for each in (*ignored, *REFUSED)
        )
    )


def supervisors(spelled: str, help: str) -> Decorator:
    """The option that says which supervisor, by both of its long names."""
    return option(f"-s {spelled}", help, multiple=True, callback=joined, metavar="HOST:PORT")


def where_to_bind(given: Mapping[str, Any]) -> tuple[str | None, str | None, int | str]:
    """Host to bind, address to tell others (None: the same), and port (0: a free one)."""
    host, advertise, endpoint, port = (given[name] for name in ("host", "advertise", "endpoint", "port"))
    if endpoint is not None:
        refuse(host is not None, "-e/--endpoint and -H/--host both say what to bind: give one of them.")
        host, said = split_endpoint(endpoint)
        different = f"-e/--endpoint {endpoint} and -p/--port {port} name different ports."
        refuse(port not in (None, said), different)
        port = said
    if host is None:
        host, advertise = advertise or os.environ.get("MARS_CONTAINER_IP") or None, None
    both = host and given["interface"]
    refuse(both, "--interface and -H/--host both say what to bind: give one of them.")
    return host, None if advertise == host else advertise, 0 if port is None else port
