"""`mars-supervisor` and `mars-scheduler`: a Dask scheduler that is started as Mars's is.

One web port serves the dashboard, health and sessions; workers on the same machine find the supervisor by a file.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import dask

from marsdask.deploy import endpoints, options, running, settings, tls
from marsdask.deploy.options import DURATION, NEW_FILE, PORT, WEB_ADDRESS, option, warning, whole
from marsdask.deploy.running import EVERYWHERE, Exit, Failure, check_free, refuse
from marsdask.engine import guard
from marsdask.engine.address import ROUTE, TOKEN, is_token
from marsdask.errors import ArgumentError, ArgumentTypeError


@dataclass(frozen=True)
class Plan:
    """What a supervisor is to be, from its options."""

    host: str
    port: int
    web_host: str
    web_port: int
    scheduler: Mapping[str, Any]  # other arguments of Dask's scheduler
    n_worker: int = 0
    n_cpu: int | None = None
    temporary: Path | None = None
    allow_origin: tuple[str, ...] = ()
    token: str | None = field(default=None, repr=False)  # of sessions by http://
    security: Any = field(default=None, repr=False)


AS_GIVEN = ("dashboard", "jupyter", "interface", "idle_timeout", "scheduler_file")
"""Options that Dask's scheduler takes as they are."""


@click.command("supervisor", cls=options.MarsCommand)
@options.shared
@option("-p --port", "Port of the supervisor; default: a free one.", type=PORT, envvar="MARS_BIND_PORT")
@option("-w --web-port", "Port of dashboard, health and sessions; default: a free one.", type=PORT)
@option("--dashboard-address", "As -w, with a host of its own.", type=WEB_ADDRESS, metavar="[HOST]:PORT")
@option("--dashboard/--no-dashboard", "Whether there is a dashboard on the web port.", default=True)
@option(
    "--allow-origin",
    "A name by which browsers find the web port, behind a proxy say; once for each. '*' allows all.",
    multiple=True,
    metavar="NAME",
)
@option(
    "--token/--no-token",
    "Whether the web port asks for a token where others reach it: sessions have to bring it, with TLS browsers. Without, whoever does "
    "runs code, or with TLS sees what runs.",
    default=True,
)
@option("--dashboard-prefix", "Where a proxy shows the web port.", default="", metavar="PATH")
@options.supervisors("--supervisors --schedulers", "Its own endpoint or nothing: Dask has one scheduler.")
@option("--scheduler-file", "Write the address there, for a shared disk.", type=NEW_FILE)
@option("--idle-timeout", "End after this time without work.", type=DURATION)
@option("--jupyter/--no-jupyter", "A Jupyter server on the web port, without a password.", default=False)
@option("--tls-temporary", "Make certificates for this cluster, and print how to use them.", is_flag=True)
@option("--n-worker", "Start that many workers, too, on this machine.", type=whole(0), default=0)
@option("--n-cpu", "Threads of these workers, together.", type=whole(1, auto=True), default="auto")
@options.modules
@options.oddities(options.IGNORED_BY_SUPERVISOR)
def main(**given: Any) -> None:
    """Start a supervisor: a Dask scheduler.

    Exit codes: 0 stopped by a signal or idle for too long, 1 failed, 2 wrong usage.
    """
    alone = given["n_cpu"] and not given["n_worker"]
    refuse(alone, "--n-cpu is for the workers that --n-worker starts: give both, or neither.")
    host, port = _address(given)
    for name in given["allow_origin"]:
        bad = not name.strip() or not name.isprintable() or "," in name
        expected = f"got {name!r}, expected one host name, or an origin such as https://hub.example."
        refuse(bad, expected, "--allow-origin")
    web_host, web_port = _web(given, host or running.address_of(given["interface"]))
    said = settings.prepare(given, "supervisor")
    settings.defaults(said.dask)
    with running.blamed(guard.SETTING, ArgumentTypeError):
        guard.configured()
    of_host = running.host_option(given)
    of_web = "-w/--web-port" if given["dashboard_address"] is None else "--dashboard-address"
    check_free("-p/--port", host, port, of_host=of_host)
    check_free(of_web, web_host, web_port, of_host=of_host if of_web == "-w/--web-port" else of_web)
    preload = running.modules(given, said.modules)
    if given["scheduler_file"]:
        running.check_writable("--scheduler-file", given["scheduler_file"])
    with running.pid_file(given["pid_file"]), _certificates(given) as temporary:
        plan = Plan(
            host,
            port,
            web_host,
            web_port,
            {
                "http_prefix": given["dashboard_prefix"] or "/",
                "preload": preload or None,
                **{name: given[name] for name in AS_GIVEN},
            },
            given["n_worker"],
            given["n_cpu"],
            temporary,
            given["allow_origin"],
            _token(web_host) if given["token"] else None,
            tls.security("scheduler"),
        )
        running.more_files()
        running.run(supervise(plan))


def _address(given: dict[str, Any]) -> tuple[str, int]:
    host, advertise, port = options.where_to_bind(given)
    refuse(
        advertise is not None,
        f"-a/--advertise {advertise} and -H/--host {host}: a Dask scheduler tells others the address that it binds. "
        f"Give -a {advertise} alone, which binds it.",
    )
    host, port = host or EVERYWHERE, int(port)
    # Mars gives every supervisor the endpoints of all; here there is one.
    if given["supervisors"] is not None:
        with running.blamed("-s/--supervisors", ArgumentError):
            its_host, its_port = endpoints.split_endpoint(endpoints.the_one(given["supervisors"]))
        refuse(
            its_port != port or host not in (EVERYWHERE, its_host),
            f"{given['supervisors']} is not this supervisor, {host}:{port}. A Dask cluster has one scheduler: "
            "leave -s out here, and give it to the workers.",
            "-s/--supervisors",
        )
    return ("" if given["interface"] else host), port


def _web(given: dict[str, Any], host: str) -> tuple[str, int]:
    address = given["dashboard_address"]
    if address is None:
        return host or EVERYWHERE, given["web_port"] or 0
    both = given["web_port"] is not None
    refuse(both, "-w/--web-port and --dashboard-address both name the web port: give one of them.")
    its_host, _, port = str(address).rpartition(":")
    return its_host or host or EVERYWHERE, int(port)


@contextlib.contextmanager
def _certificates(given: dict[str, Any]) -> Iterator[Path | None]:
    """Certificates are configured meanwhile; the directory of temporary ones, which is removed in the end."""
    refuse(
        given["tls_temporary"] and any(given[name] for name in tls.FILES),
        "--tls-temporary makes certificates: leave out --tls-ca-file, --tls-cert and --tls-key.",
    )
    for role in ("scheduler", "worker") if given["n_worker"] else ("scheduler",):
        tls.configure(role, given)
    if not given["tls_temporary"]:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="marsdask-tls-", ignore_cleanup_errors=True) as folder:  # 0700
        tls.make_temporary(Path(folder))
        yield Path(folder)


def _token(web_host: str) -> str | None:
    """What sessions through the web port have to bring: what the environment says, or a new one; None on loopback."""
    said = os.environ.get(TOKEN, guard.token_of_file())
    refuse(
        said is not None and not is_token(said),
        f"{TOKEN} is no token: expected letters, digits, '-' and '_', 16 or more.",
    )
    return said or (secrets.token_urlsafe(24) if tls.open_to_all([f"{web_host}:0"]) else None)


async def supervise(plan: Plan) -> int:
    """Run a scheduler until it closes or a signal comes; the exit code."""
    async with running.signals() as asked, contextlib.AsyncExitStack() as stack:
        scheduler = await started(plan)
        stack.push_async_callback(scheduler.close, reason="supervisor ends")
        workers = _workers(plan, scheduler.address)
        for worker in workers:
            stack.push_async_callback(worker.close, reason="supervisor ends")
        try:
            stack.callback(endpoints.announce(scheduler.address).unlink, missing_ok=True)
        except OSError as error:
            warning(f"no endpoint file ({error}): workers on this machine need -s {scheduler.address}.")
        _tell(plan, scheduler)
        await asyncio.gather(*workers)
        if await running.first(asked, scheduler.finished()):
            logging.getLogger("distributed.scheduler").info("A signal asks the supervisor to end")
    return Exit.FINE


async def started(plan: Plan) -> Any:
    """A running scheduler, its web port open for sessions, too, unless traffic is encrypted."""
    from distributed import Scheduler
    from distributed.comm.addressing import unparse_host_port

    from marsdask.deploy import web
    from marsdask.engine.watch import watch
    from marsdask.spill.directory import own_scratch

    routes = "distributed.scheduler.http.routes"
    try:
        # Our route module is among those that a scheduler loads.
        with (
            own_scratch(),
            dask.config.set({routes: list(dict.fromkeys([*dask.config.get(routes), web.__name__]))}),
        ):
            scheduler: Any = Scheduler(
                host=plan.host or None,
                port=plan.port,
                protocol="tcp" if plan.security is None else "tls",
                security=plan.security,
                dashboard_address=unparse_host_port(plan.web_host, plan.web_port),
                **plan.scheduler,
            )
    except (OSError, ImportError, ValueError) as error:
        raise Failure(f"the supervisor cannot start: {error}") from error
    if plan.web_port and scheduler.http_server.port != plan.web_port:
        scheduler.http_server.stop()
        raise Failure(f"-w/--web-port {plan.web_port}: the port is in use.")
    try:
        await scheduler
    except (OSError, ValueError, RuntimeError) as error:
        scheduler.http_server.stop()
        raise Failure(
            f"the supervisor cannot start on {plan.host}:{plan.port}: {running.cause(error)}"
        ) from error
    web.front_door(scheduler, plan.scheduler["http_prefix"].rstrip("/"))
    names = (plan.host, plan.web_host, *plan.allow_origin)
    lock, token = None, plan.token
    if plan.token is not None and plan.security is not None:
        # The way from the web address to the scheduler's own stays open: there it asks for certificates.
        lock = web.locked(plan.token, plan.scheduler["http_prefix"].rstrip("/"), [ROUTE])
        token = None  # of sessions, of which there are none on the web port
    watch(scheduler, [name for name in names if name], by_name=True, token=token, lock=lock)
    if plan.security is None:
        # The same handshake as that of the scheduler's own listeners.
        await scheduler.listen(
            f"ws://{unparse_host_port(plan.web_host, scheduler.http_server.port)}",
            allow_offload=False,
            handshake_overrides={"pickle-protocol": 4, "compression": None},
            **scheduler.security.get_listen_args("scheduler"),
        )
    return scheduler


def _workers(plan: Plan, address: str) -> list[Any]:
    """Workers on this machine, not started yet."""
    from dask.system import CPU_COUNT

    from marsdask.spill.worker import Nanny

    if not plan.n_worker:
        return []
    settings.hand_down()
    threads = max(1, (plan.n_cpu or CPU_COUNT) // plan.n_worker)
    host = address.partition("://")[2].rpartition(":")[0]
    return [
        Nanny(address, name=f"local-{number}", nthreads=threads, security=plan.security, host=host)
        for number in range(plan.n_worker)
    ]


def _tell(plan: Plan, scheduler: Any) -> None:
    """Print where to find it."""
    host = scheduler.address.partition("://")[2].rpartition(":")[0]
    token = "" if plan.token is None else f"/?token={plan.token}"
    click.echo(
        f"Supervisor at {scheduler.address}, web at http://{host}:{scheduler.http_server.port}{token}",
        err=True,
    )
    if plan.temporary is not None:
        click.echo(tls.told(plan.temporary, scheduler.address))
    if plan.security is None:
        tls.warn_if_open(each.listen_address.partition("://")[2] for each in scheduler.listeners)


if __name__ == "__main__":
    main()
