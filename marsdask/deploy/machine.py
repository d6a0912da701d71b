"""What options name on this machine: hosts, ports, modules and files, checked before anything is started.

Dask finds out in the middle of its start, and mostly in a child process: what it says comes after tracebacks, without a
word of the option.
"""

from __future__ import annotations

import errno
import importlib.util
import itertools
import os
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from marsdask.deploy import running
from marsdask.deploy.running import Failure
from marsdask.engine.address import try_to_listen
from marsdask.errors import BadSpillDirectory

EVERYWHERE = "0.0.0.0"


def address_of(interface: str) -> str:
    """The IPv4 address of a network interface; click's error where there is none of that name."""
    import psutil

    found = psutil.net_if_addrs()
    if interface not in found:
        raise click.BadParameter(
            f"{interface!r} is none of this machine's: {', '.join(sorted(found))}.", param_hint="--interface"
        )
    for each in found[interface]:
        if each.family == socket.AF_INET:
            return str(each.address)
    raise click.BadParameter(f"{interface!r} has no IPv4 address.", param_hint="--interface")


def host_option(given: Mapping[str, Any]) -> str:
    """The option that says what host to bind."""
    spelled = {
        "listen_address": "--listen-address",
        "endpoint": "-e/--endpoint",
        "host": "-H/--host",
        "advertise": "-a/--advertise",
    }
    return next((spelling for name, spelling in spelled.items() if given.get(name)), "MARS_CONTAINER_IP")


def check_free(option: str, host: str, port: int, *, of_host: str = "-H/--host") -> None:
    """An error that names the option where its port, or any port of the host, cannot be bound."""
    bare = (host or EVERYWHERE).strip("[]")
    try:
        try_to_listen(bare, port)
    except socket.gaierror as error:
        raise Failure(
            f"{of_host} {bare}: this machine cannot resolve that name ({error.strerror})."
        ) from error
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            raise Failure(f"{of_host} {bare}: this machine has no address {bare}.") from error
        why = {
            errno.EADDRINUSE: f"port {port} is in use. Choose another one, or 0 for a free one",
            errno.EACCES: f"this user may not bind port {port}",
        }.get(error.errno or 0, str(error))
        raise Failure(f"{option} {port} on {bare}: {why}.") from error


def modules(given: Mapping[str, Any], configured: tuple[str, ...]) -> tuple[str, ...]:
    """What a process loads at its start, by the options and by `-f`.

    An error names the option of a module that is not found, or of a file that is not there.
    """
    running.import_here()
    loaded = {
        "--load-modules": given["load_modules"],
        "third_party_modules": configured,
        "--preload": given["preload"],
    }
    for option, names in (loaded | {"--preload-nanny": given.get("preload_nanny", ())}).items():
        for name in names:
            if "://" in name or " " in name:  # to be downloaded, or a program itself
                continue
            if name.endswith(".py"):
                why = "" if os.path.isfile(name) else "there is no such file"
            else:
                why = _not_found(name)
            if why:
                raise click.BadParameter(f"{name!r} cannot be loaded: {why}.", param_hint=option)
    return tuple(itertools.chain(*loaded.values()))


def _not_found(module: str) -> str:
    """Why a module cannot be imported, as far as that is known without importing it."""
    try:
        return "" if importlib.util.find_spec(module) else f"there is no module {module} here"
    except (ImportError, ValueError) as error:  # of a package above it
        return str(error)


def check_writable(option: str, path: str) -> None:
    """An error that names the option where no such file can be written. It is not made: others may wait for it."""
    try:
        if os.path.exists(path):
            with open(path, "a"):
                pass
        else:
            with tempfile.TemporaryFile(dir=Path(path).absolute().parent):
                pass
    except OSError as error:
        raise click.BadParameter(f"{path} cannot be written: {error.strerror}.", param_hint=option) from error


def check_directory(option: str, path: str) -> None:
    """An error that names the option where no files can be put; a directory that is not there is made."""
    from marsdask.spill.directory import check_usable

    with running.blamed(option, BadSpillDirectory):
        check_usable(path)
