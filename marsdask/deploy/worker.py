"""`mars-worker`: a Dask worker that is started as Mars's is, of either generation."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Any

import click

from marsdask.deploy import endpoints, machine, options, running, settings, tls
from marsdask.deploy.options import Duration, Port, WebAddress, Whole, warning
from marsdask.deploy.running import Failure
from marsdask.deploy.worker_process import Plan, work
from marsdask.errors import ArgumentError, ArgumentTypeError, BadSpillDirectory, MarsDaskError

AS_GIVEN = (
    "interface",
    "protocol",
    "dashboard",
    "dashboard_address",
    "scheduler_sni",
    "lifetime",
    "lifetime_stagger",
    "lifetime_restart",
)
"""Options that Dask's worker takes as they are; what is None is left to it."""


@click.command("worker", cls=options.MarsCommand)
@options.shared()
@click.option(
    "-p",
    "--port",
    "--worker-port",
    type=Port(several=True),
    envvar="MARS_BIND_PORT",
    help="Port of the worker; default: a free one.",
)
@options.supervisors("--supervisors", "--schedulers", help="The supervisor; default: yours on this machine.")
@click.option(
    "--scheduler-file",
    type=click.Path(dir_okay=False),
    help="The file that a supervisor wrote with this option.",
)
@click.option("--scheduler-sni", metavar="NAME", help="The supervisor's name in its certificate.")
@click.option(
    "--n-cpu",
    "--cpu-procs",
    "--nthreads",
    type=Whole(1, auto=True),
    default="auto",
    envvar="MARS_CPU_TOTAL",
    help="Threads; default: as many as there are cores.",
)
@click.option(
    "--mem-bytes",
    metavar="SIZE",
    help="Memory to use: 16g, 16GB, 80% or bytes. Also MARS_MEMORY_TOTAL.",
)
@click.option("--phy-mem", metavar="SIZE", help="The same.")
@click.option("--memory-limit", metavar="SIZE", help="The same.")
@click.option(
    "--cache-mem",
    metavar="SIZE",
    help="How much to keep in memory before it spills. Also MARS_CACHE_MEM_SIZE.",
)
@click.option("--min-mem", metavar="SIZE", help="Do not start with less free memory.")
@click.option("--min-cache-mem", metavar="SIZE", help="Do not start with less room for the cache.")
@click.option(
    "--spill-dir",
    "--spill-dirs",
    metavar="DIR[:DIR]",
    help="Directories for what memory cannot hold. Also MARS_SPILL_DIRS.",
)
@click.option("--io-parallel-num", metavar="N", help="1: one file of a directory at a time.")
@click.option("--plasma-dir", metavar="DIR", hidden=True)
@click.option("--plasma-limit", metavar="SIZE", hidden=True)
@click.option(
    "--cuda-devices", "--cuda-device", help="GPUs by number, such as 0,1; '' for none; default: all."
)
@click.option("--nworkers", type=Whole(1), default=1, help="Worker processes; they share the threads.")
@click.option("--name", help="A name of this worker; default: its address.")
@click.option("--resources", metavar="NAME=N", help="What tasks may ask for: 'GPU=1 DISK=2'.")
@click.option(
    "--nanny/--no-nanny", default=True, help="Whether a second process restarts the worker when it dies."
)
@click.option("--nanny-port", type=Port(several=True), help="Port of that process.")
@click.option("--preload-nanny", multiple=True, metavar="MODULE", help="A module or file to load there.")
@click.option("--listen-address", metavar="ADDRESS", help="As -H and -p, in Dask's form: tcp://0.0.0.0:7104.")
@click.option("--contact-address", metavar="ADDRESS", help="As -a, in Dask's form: tcp://10.0.0.2:7104.")
@click.option(
    "--protocol", type=click.Choice(["tcp", "tls", "ws", "wss"]), help="Default: that of the supervisor."
)
@click.option("--local-directory", type=click.Path(file_okay=False), help="Where the worker keeps its files.")
@click.option("--worker-class", help="The class of the worker, a dotted name.")
@click.option(
    "--dashboard-address",
    type=WebAddress(),
    metavar="[HOST]:PORT",
    help="Where its own pages are; default: a free port.",
)
@click.option("--dashboard/--no-dashboard", default=True, help="Whether it has pages.")
@options.death_timeout()
@click.option(
    "--leave-timeout",
    type=Duration(),
    default=25.0,
    help="How long handing over data may take at SIGTERM: 25s.",
)
@click.option("--lifetime", type=Duration(), help="Leave after this time.")
@click.option("--lifetime-stagger", type=Duration(), help="Spread that time by up to so much.")
@click.option("--lifetime-restart/--no-lifetime-restart", default=None, help="Start again after it.")
@options.modules()
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
    tls.configure("worker", tls.files(given))
    preload = machine.modules(given, said.modules)
    if bind["host"]:
        machine.check_free("-p/--port", bind["host"], 0, of_host=machine.host_option(given))
    if given["local_directory"]:
        machine.check_directory("--local-directory", given["local_directory"])
    threads, memory = _room(given)
    if scheduler is None and not given["scheduler_file"]:
        scheduler = _found()
    worker: dict[str, Any] = {
        **bind,
        **memory,
        "resources": resources or None,
        "preload": preload or None,
        **{name: given[name] for name in AS_GIVEN},
    }
    if given["local_directory"]:  # over that of the spill directories
        worker["local_directory"] = given["local_directory"]
    plan = Plan(
        scheduler,
        given["scheduler_file"],
        count=given["nworkers"],
        threads=threads,
        nanny=given["nanny"],
        name=given["name"],
        death_timeout=given["death_timeout"],
        leave_timeout=given["leave_timeout"],
        worker=worker,
        watch={"port": given["nanny_port"], "preload_nanny": given["preload_nanny"] or None},
        worker_class=_worker_class(given["worker_class"]),
        security=tls.security("worker"),
    )
    if devices is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(devices)
    running.more_files()
    settings.hand_down()
    with running.pid_file(given["pid_file"]):
        code = running.run(work(plan))
    raise SystemExit(code)


def _bind(given: Mapping[str, Any]) -> dict[str, Any]:
    """Where the worker binds and what it tells others, as arguments of Dask's worker."""
    host, advertise, port = options.where_to_bind(given)
    if given["listen_address"] or given["contact_address"]:
        if host or given["port"] is not None:
            raise click.UsageError(
                "--listen-address and --contact-address say what -a, -H, -e and -p say: give the ones or the others."
            )
        return _bind_as_dask(given["listen_address"], given["contact_address"])
    if given["interface"]:
        machine.address_of(given["interface"])
    if given["nworkers"] > 1:
        if not given["nanny"]:
            raise click.UsageError("--no-nanny and --nworkers: without a nanny there is one worker.")
        if advertise or (port and ":" not in str(port)):
            raise click.UsageError(
                "--nworkers with a port or with -a beside -H: give the ports as -p FIRST:LAST."
            )
    if advertise is None:
        return {"host": host, "worker_port": port}
    if ":" in str(port):
        raise click.UsageError(
            "-a/--advertise beside -H/--host tells others one address: give one port with -p."
        )
    port = port or _free_port(str(host))
    return {"host": host, "worker_port": port, "contact_address": f"{advertise}:{port}"}


def _bind_as_dask(listen: str | None, contact: str | None) -> dict[str, Any]:
    if not listen:
        raise click.UsageError("--contact-address needs --listen-address.")
    try:
        host, port = endpoints.split_endpoint(listen)
        endpoints.split_endpoint(contact or listen)
    except ArgumentError as error:
        raise click.UsageError(f"--listen-address, --contact-address: {error}") from error
    return {"host": host, "worker_port": port, "contact_address": contact or listen}


def _free_port(host: str) -> int:
    """A port nobody uses: the address that others are told has to name it beforehand."""
    try:
        with socket.create_server((host.strip("[]"), 0)) as probe:
            return int(probe.getsockname()[1])
    except OSError as error:
        raise Failure(f"-H/--host {host} cannot be bound: {error}") from error


def _scheduler(given: Mapping[str, Any]) -> str | None:
    """The supervisor that the options or Dask's environment name."""
    if given["supervisors"] is None:
        return os.environ.get("DASK_SCHEDULER_ADDRESS") if not given["scheduler_file"] else None
    if given["scheduler_file"]:
        raise click.UsageError(
            "-s/--supervisors and --scheduler-file both name a supervisor: give one of them."
        )
    if "://" in given["supervisors"] and "," not in given["supervisors"]:
        from marsdask.engine.address import resolve

        try:
            return resolve(given["supervisors"], timeout=given["death_timeout"])
        except MarsDaskError as error:
            kind = click.BadParameter if isinstance(error, ArgumentError) else Failure
            raise kind(f"-s/--supervisors: {error}") from error
    with running.blamed("-s/--supervisors", ArgumentError):
        return endpoints.the_one(given["supervisors"])


def _found() -> str:
    import dask

    return dask.config.get("scheduler-address", None) or endpoints.the_one_to_join()


def _devices(text: str | None) -> list[str] | None:
    """The GPUs of `--cuda-devices`; none of an empty text; None where nothing is said."""
    if text is None:
        return None
    devices = [each.strip() for each in text.split(",") if each.strip()]
    if any(not each.isdigit() for each in devices) or len(set(devices)) < len(devices):
        raise click.BadParameter(f"got {text!r}, expected numbers such as 0,1.", param_hint="--cuda-devices")
    return devices


def _resources(text: str | None, devices: list[str] | None) -> dict[str, float]:
    found: dict[str, float] = {}
    for pair in (text or "").replace(",", " ").split():
        name, _, amount = pair.partition("=")
        try:
            found[name] = float(amount)
        except ValueError:
            found[name] = -1.0
        if not name or not 0 <= found[name] < float("inf"):
            raise click.BadParameter(f"got {pair!r}, expected NAME=NUMBER.", param_hint="--resources")
    if devices:
        found.setdefault("GPU", float(len(devices)))
    return found


MEMORY = (
    "mem_bytes", "phy_mem", "memory_limit", "cache_mem", "min_mem", "min_cache_mem", "spill_dir", "io_parallel_num",
    "plasma_dir", "plasma_limit",
)  # fmt: skip


def _room(given: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """Threads of each worker process, and what it may use of memory and disk; the rest of this goes into Dask's config."""
    import dask
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
    return threads, policy.worker_arguments()


def _worker_class(name: str | None) -> str:
    """The dotted name of a class that can be imported; the one that spills as the options say where none is given."""
    from distributed import Worker
    from distributed.utils import import_term

    running.import_here()
    name = name or "marsdask.spill.MarsWorker"
    wrong = (ImportError, AttributeError, ValueError)
    with running.blamed("--worker-class", *wrong, said=f"{name!r} cannot be imported: "):
        found = import_term(name)
    if not isinstance(found, type) or not issubclass(found, Worker):
        raise click.BadParameter(f"{name!r} is no class of workers.", param_hint="--worker-class")
    return name


if __name__ == "__main__":
    main()
