"""`mars-worker`: a Dask worker that is started as Mars's is, of either generation.

It runs until it is asked to leave, or its supervisor is gone.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import dask

from marsdask.deploy import endpoints, options, preload, running, settings, tls
from marsdask.deploy.options import DURATION, NEW_FILE, PORTS, WEB_ADDRESS, option, warning, whole
from marsdask.deploy.running import Exit, Failure, refuse
from marsdask.engine import defaults
from marsdask.errors import ArgumentError, ArgumentTypeError, BadSpillDirectory, MarsDaskError

AS_GIVEN = (
    "interface", "protocol", "dashboard", "dashboard_address", "scheduler_sni", "lifetime", "lifetime_stagger",
    "lifetime_restart",
)  # fmt: skip
"""Options that Dask's worker takes as they are; what is None is left to it."""


@click.command("worker", cls=options.MarsCommand)
@options.shared
@option(
    "-p --port --worker-port", "Port of the worker; default: a free one.", type=PORTS, envvar="MARS_BIND_PORT"
)
@options.supervisors("--supervisors --schedulers", "The supervisor; default: yours on this machine.")
@option("--scheduler-file", "The file that a supervisor wrote with this option.", type=NEW_FILE)
@option("--scheduler-sni", "The supervisor's name in its certificate.", metavar="NAME")
@option(
    "--n-cpu --cpu-procs --nthreads",
    "Threads; default: as many as there are cores.",
    type=whole(1, auto=True),
    default="auto",
    envvar="MARS_CPU_TOTAL",
)
@option("--mem-bytes", "Memory to use: 16g, 16GB, 80% or bytes. Also MARS_MEMORY_TOTAL.", metavar="SIZE")
@option("--phy-mem", "The same.", metavar="SIZE")
@option("--memory-limit", "The same.", metavar="SIZE")
@option(
    "--cache-mem", "How much to keep in memory before it spills. Also MARS_CACHE_MEM_SIZE.", metavar="SIZE"
)
@option("--min-mem", "Do not start with less free memory.", metavar="SIZE")
@option("--min-cache-mem", "Do not start with less room for the cache.", metavar="SIZE")
@option(
    "--spill-dir --spill-dirs",
    "Directories for what memory cannot hold. Also MARS_SPILL_DIRS.",
    metavar="DIR[:DIR]",
)
@option("--io-parallel-num", "1: one file of a directory at a time.", metavar="N")
@option("--plasma-dir", metavar="DIR", hidden=True)
@option("--plasma-limit", metavar="SIZE", hidden=True)
@option("--cuda-devices --cuda-device", "GPUs by number, such as 0,1; '' for none; default: all.")
@option("--nworkers", "Worker processes; they share the threads.", type=whole(1), default=1)
@option("--name", "A name of this worker; default: its address.")
@option("--resources", "What tasks may ask for: 'GPU=1 DISK=2'.", metavar="NAME=N")
@option("--nanny/--no-nanny", "Whether a second process restarts the worker when it dies.", default=True)
@option("--nanny-port", "Port of that process.", type=PORTS)
@option("--preload-nanny", "A module or file to load there.", multiple=True, metavar="MODULE")
@option("--listen-address", "As -H and -p, in Dask's form: tcp://0.0.0.0:7104.", metavar="ADDRESS")
@option("--contact-address", "As -a, in Dask's form: tcp://10.0.0.2:7104.", metavar="ADDRESS")
@option("--protocol", "Default: that of the supervisor.", type=click.Choice(["tcp", "tls", "ws", "wss"]))
@option("--local-directory", "Where the worker keeps its files.", type=click.Path(file_okay=False))
@option("--worker-class", "The class of the worker, a dotted name.")
@option(
    "--dashboard-address",
    "Where its own pages are; default: a free port.",
    type=WEB_ADDRESS,
    metavar="[HOST]:PORT",
)
@option("--dashboard/--no-dashboard", "Whether it has pages.", default=True)
@options.death_timeout
@option(
    "--leave-timeout", "How long handing over data may take at SIGTERM: 25s.", type=DURATION, default=25.0
)
@option("--lifetime", "Leave after this time.", type=DURATION)
@option("--lifetime-stagger", "Spread that time by up to so much.", type=DURATION)
@option("--lifetime-restart/--no-lifetime-restart", "Start again after it.", default=None)
@options.modules
@options.oddities(options.IGNORED_BY_WORKER)
def main(**given: Any) -> None:
    """Start a worker.

    Exit codes: 0 it was asked to leave and handed its data over, 1 failed, 2 wrong usage, 3 the supervisor is gone, 4 it
    was asked to leave and nobody took its data.
    """
    bind = _bind(given)
    scheduler = _scheduler(given)
    devices = _devices(given["cuda_devices"])
    resources = _resources(given["resources"], devices)
    said = settings.prepare(given, "worker")
    tls.configure("worker", given)
    modules = running.modules(given, said.modules)
    if bind["host"]:
        running.check_free("-p/--port", bind["host"], 0, of_host=running.host_option(given))
    threads, room = _room(given)
    if scheduler is None and not given["scheduler_file"]:
        scheduler = dask.config.get("scheduler-address", None) or endpoints.the_one_here()
    alike = "scheduler_file", "nanny", "name", "death_timeout", "leave_timeout"
    plan = Plan(
        scheduler,
        **{name: given[name] for name in alike},
        count=given["nworkers"],
        threads=threads,
        worker=bind
        | room
        | {"resources": resources or None, "preload": modules or None}
        | {name: given[name] for name in AS_GIVEN},
        watch={"port": given["nanny_port"], "preload_nanny": given["preload_nanny"] or None},
        worker_class=_worker_class(given["worker_class"]),
        security=tls.security("worker"),
    )
    if devices is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(devices)
    running.more_files()
    settings.hand_down()
    with running.pid_file(given["pid_file"]):
        running.run(work(plan))


def _bind(given: Mapping[str, Any]) -> dict[str, Any]:
    """Where the worker binds and what it tells others, as arguments of Dask's worker."""
    host, advertise, port = options.where_to_bind(given)
    if given["listen_address"] or given["contact_address"]:
        refuse(
            host or given["port"] is not None,
            "--listen-address and --contact-address say what -a, -H, -e and -p say: give the ones or the others.",
        )
        refuse(not given["listen_address"], "--contact-address needs --listen-address.")
        contact = given["contact_address"] or given["listen_address"]
        with running.blamed("--listen-address, --contact-address", ArgumentError):
            host, port = endpoints.split_endpoint(given["listen_address"])
            endpoints.split_endpoint(contact)
        return {"host": host, "worker_port": port, "contact_address": contact}
    if given["interface"]:
        running.address_of(given["interface"])
    if given["nworkers"] > 1:
        refuse(not given["nanny"], "--no-nanny and --nworkers: without a nanny there is one worker.")
        one = advertise or (port and ":" not in str(port))
        refuse(one, "--nworkers with a port or with -a beside -H: give the ports as -p FIRST:LAST.")
    if advertise is None:
        return {"host": host, "worker_port": port}
    why = "-a/--advertise beside -H/--host tells others one address: give one port with -p."
    refuse(":" in str(port), why)
    if not port:  # the address that others are told has to name it beforehand
        try:
            with socket.create_server((str(host).strip("[]"), 0)) as probe:
                port = probe.getsockname()[1]
        except OSError as error:
            raise Failure(f"-H/--host {host} cannot be bound: {error}") from error
    return {"host": host, "worker_port": port, "contact_address": f"{advertise}:{port}"}


def _scheduler(given: Mapping[str, Any]) -> str | None:
    """The supervisor that the options or Dask's environment name."""
    if given["supervisors"] is None:
        return os.environ.get("DASK_SCHEDULER_ADDRESS") if not given["scheduler_file"] else None
    why = "-s/--supervisors and --scheduler-file both name a supervisor: give one of them."
    refuse(given["scheduler_file"], why)
    if "://" in given["supervisors"] and "," not in given["supervisors"]:
        from marsdask.engine.address import resolve

        try:
            return resolve(given["supervisors"], timeout=given["death_timeout"])
        except MarsDaskError as error:
            kind = click.BadParameter if isinstance(error, ArgumentError) else Failure
            raise kind(f"-s/--supervisors: {error}") from error
    with running.blamed("-s/--supervisors", ArgumentError):
        return endpoints.the_one(given["supervisors"])


def _devices(text: str | None) -> list[str] | None:
    """The GPUs of `--cuda-devices`; none of an empty text; None where nothing is said."""
    if text is None:
        return None
    devices = [each.strip() for each in text.split(",") if each.strip()]
    wrong = any(not each.isdigit() for each in devices) or len(set(devices)) < len(devices)
    refuse(wrong, f"got {text!r}, expected numbers such as 0,1.", "--cuda-devices")
    return devices


def _resources(text: str | None, devices: list[str] | None) -> dict[str, float]:
    found: dict[str, float] = {}
    for pair in (text or "").replace(",", " ").split():
        name, _, amount = pair.partition("=")
        try:
            found[name] = float(amount)
        except ValueError:
            found[name] = -1.0
        good = name and 0 <= found[name] < float("inf")
        refuse(not good, f"got {pair!r}, expected NAME=NUMBER.", "--resources")
    if devices:
        found.setdefault("GPU", float(len(devices)))
    return found


MEMORY = (
    "mem_bytes", "phy_mem", "memory_limit", "cache_mem", "min_mem", "min_cache_mem", "spill_dir", "io_parallel_num",
    "plasma_dir", "plasma_limit",
)  # fmt: skip


def _room(given: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """Threads of each worker process, and what it may use of memory and disk; the rest of this goes into Dask's config."""
    from dask.system import CPU_COUNT

    from marsdask.spill import MemoryPolicy
    from marsdask.spill.directory import check_usable
    from marsdask.spill.worker import checked_limit

    threads = max(1, (given["n_cpu"] or CPU_COUNT) // given["nworkers"])
    try:
        policy = MemoryPolicy.of_options(**{name: given[name] for name in MEMORY}).with_surroundings()
        checked_limit(policy, "auto", threads)  # a worker's own check would name the setting that it was told
        for path in policy.directories:
            check_usable(path)
    except BadSpillDirectory as error:
        raise click.UsageError(f"{policy.names['directories']}: {error}") from error
    except (ArgumentError, ArgumentTypeError) as error:
        raise click.UsageError(str(error)) from error
    for note in policy.notes:
        warning(note)
    dask.config.set(policy.to_dask_config())
    room = policy.worker_arguments()
    if given["local_directory"]:  # over that of the spill directories
        with running.blamed("--local-directory", BadSpillDirectory):
            check_usable(given["local_directory"])
        room["local_directory"] = given["local_directory"]
    return threads, room


def _worker_class(name: str | None) -> str:
    """The dotted name of a class that can be imported; the one that spills as the options say where none is given."""
    from distributed import Worker
    from distributed.utils import import_term

    name = name or "marsdask.spill.MarsWorker"
    wrong = (ImportError, AttributeError, ValueError)
    with running.blamed("--worker-class", *wrong, said=f"{name!r} cannot be imported: "):
        found = import_term(name)
    good = isinstance(found, type) and issubclass(found, Worker)
    refuse(not good, f"{name!r} is no class of workers.", "--worker-class")
    return name


ASKED = ("scheduler-close-worker", "scheduler-remove-worker", "worker-lifetime-reached", "signal")
"""Reasons to close that somebody wanted; any other means that the supervisor is gone."""


@dataclass(frozen=True)
class Plan:
    """What the workers of one command are to be."""

    scheduler: str | None
    scheduler_file: str | None = None
    count: int = 1
    threads: int = 1
    nanny: bool = True
    name: str | None = None
    death_timeout: float = 60.0
    leave_timeout: float = 25.0
    worker: Mapping[str, Any] = field(default_factory=dict)  # arguments of the worker class
    watch: Mapping[str, Any] = field(default_factory=dict)  # arguments of the nanny alone
    worker_class: str = "distributed.Worker"
    security: Any = field(default=None, repr=False)


async def work(plan: Plan) -> int:
    """Run workers until they are asked to leave, or their supervisor is gone; the exit code."""
    async with running.signals() as asked:
        looking = asyncio.create_task(_reach(plan))
        if await running.first(asked, looking):
            return Exit.FINE
        supervisor = looking.result()
        _check_ports(plan, supervisor)
        workers = _made(plan, supervisor)
        try:
            if await running.first(asked, asyncio.gather(*workers)):
                return Exit.FINE
            told = [each.worker_address if plan.nanny else each.address for each in workers]
            for address in told:
                click.echo(f"Worker at {address}, of the supervisor at {supervisor}", err=True)
            if plan.security is None:
                parts = [address.partition("://")[2].rpartition(":") for address in told]
                tls.warn_if_open([f"{plan.worker.get('host') or host}:{port}" for host, _, port in parts])
            if await running.first(asked, asyncio.gather(*(each.finished() for each in workers))):
                return await _leave(workers, plan.leave_timeout)
        except (OSError, RuntimeError, TimeoutError, ValueError) as error:
            raise Failure(f"the worker cannot start: {running.cause(error)}") from error
        finally:
            await asyncio.gather(*(each.close(reason="signal") for each in workers))
        reasons = [each.left for each in workers]
    if all(reason in ASKED for reason in reasons):
        return Exit.FINE
    click.echo(f"The supervisor at {supervisor} is gone ({', '.join(sorted(set(reasons)))}).", err=True)
    return Exit.SUPERVISOR_GONE


async def _reach(plan: Plan) -> str:
    """Wait until the supervisor answers; its address."""
    arguments = plan.security.get_connection_args("worker") if plan.security is not None else {}

    async def attempt(timeout: float) -> str:
        address = plan.scheduler or json.loads(Path(str(plan.scheduler_file)).read_text("utf-8"))["address"]
        address = tls.addressed(address, plan.security)
        await endpoints.greeted(address, arguments, timeout)
        return address

    where = plan.scheduler or f"--scheduler-file {plan.scheduler_file}"
    return await endpoints.looked_for(where, plan.death_timeout, attempt)


def _made(plan: Plan, address: str) -> list[Any]:
    """The workers, not started yet. Each notes in `left` why it closes."""
    from distributed.utils import import_term

    from marsdask.spill.worker import Nanny

    kind = import_term(plan.worker_class)
    defaults.apply()  # a nanny reads them when it is made
    arguments = {k: v for k, v in plan.worker.items() if v is not None}
    if not plan.worker.get("host") and not plan.worker.get("interface"):
        arguments["host"] = _facing(address)
    contact = arguments.get("contact_address")
    if contact and "://" not in contact:  # what a worker tells others has a scheme
        scheme = plan.worker.get("protocol") or address.partition("://")[0]
        arguments["contact_address"] = f"{scheme}://{contact}"
    # The supervisor was there a moment ago; a new process takes its time where the machine is busy.
    patience = max(plan.death_timeout, 300)
    arguments |= {"nthreads": plan.threads, "security": plan.security, "death_timeout": patience}
    host = arguments.get("host")
    if plan.nanny:
        arguments["preload"] = defaults.worker_preloads(arguments.get("preload"))
        # Bound to all addresses a nanny would tell others one that they may not reach.
        own = {"host": None if plan.worker.get("interface") else _facing(address), "worker_class": kind}
        arguments |= {k: v for k, v in plan.watch.items() if v is not None} | own
    else:
        arguments["port"] = arguments.pop("worker_port", 0)
    started = noting(Nanny if plan.nanny else kind)
    numbered = plan.name and plan.count > 1
    names = [f"{plan.name}-{number}" if numbered else plan.name for number in range(plan.count)]
    made = [started(address, name=name, **arguments) for name in names]
    if plan.nanny:
        for each in made:
            each.worker_kwargs["host"] = host
    else:  # what their processes preload otherwise
        logging.getLogger("distributed.worker").addFilter(preload.heartbeats(*made))
    return made


def _check_ports(plan: Plan, address: str) -> None:
    """An error where a port of the options is taken, now that it is known which address faces the supervisor."""
    interface = plan.worker.get("interface")
    facing = running.address_of(interface) if interface else _facing(address)
    wanted = [("-p/--port", plan.worker.get("host") or facing, plan.worker.get("worker_port"))]
    if plan.nanny:
        wanted.append(("--nanny-port", facing, plan.watch.get("port")))
    for spelled, host, port in wanted:
        if isinstance(port, int):  # of a range Dask takes what is free
            running.check_free(spelled, host, port)


def _facing(address: str) -> str:
    """The address of this machine that the supervisor sees: all that a worker needs to bind."""
    from distributed.comm.addressing import get_address_host
    from distributed.utils import get_ip

    return str(get_ip(get_address_host(address)))


def noting(kind: type) -> type:
    """The same class of workers or nannies, whose `left` is the first reason to close that it was given."""
    from marsdask.spill.worker import why

    class Noting(kind):  # type: ignore[misc]
        left = ""

        def close_gracefully(self, *args: Any, reason: str = "", **more: Any) -> Any:
            self.left = self.left or reason
            return super().close_gracefully(*args, reason=reason, **more)

        def close(self, *args: Any, reason: str = "", **more: Any) -> Any:
            self.left = self.left or why(self, reason)
            return super().close(*args, reason=reason, **more)

    Noting.__name__ = Noting.__qualname__ = kind.__name__
    return Noting


async def _leave(workers: list[Any], timeout: float) -> int:
    """Hand the data of `workers` over to others, as far as that goes in `timeout` seconds; the exit code."""
    addresses = [address for each in workers if (address := getattr(each, "worker_address", each.address))]
    for each in workers:
        each.left = "signal"
    if why := await running.hand_over(workers[0].scheduler, addresses, timeout):
        click.echo(f"The data was not handed over: {why}.", err=True)
        return Exit.DATA_LEFT
    return Exit.FINE


if __name__ == "__main__":
    main()
