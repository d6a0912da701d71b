"""Workers that run until they are asked to leave, or their supervisor is gone: what they do meanwhile, and at the end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import click

from marsdask.deploy import endpoints, machine, running, tls
from marsdask.deploy.running import Exit, Failure
from marsdask.engine import defaults

ASKED = ("scheduler-close-worker", "scheduler-remove-worker", "worker-lifetime-reached", "signal")
"""Reasons to close that somebody wanted; any other means that the supervisor is gone."""
BACK_IN = 2.0
"""Seconds that a worker and its scheduler have to agree that it stays; a round trip."""


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
        reached: list[str] = []
        if await running.first(asked, _reach(plan, reached)):
            return Exit.FINE
        _check_ports(plan, reached[0])
        workers = _made(plan, reached[0])
        try:
            if await running.first(asked, asyncio.gather(*workers)):
                return Exit.FINE
            for each in workers:
                where = each.worker_address if plan.nanny else each.address
                click.echo(f"Worker at {where}, of the supervisor at {reached[0]}", err=True)
            _warn(plan, workers)
            if await running.first(asked, asyncio.gather(*(each.finished() for each in workers))):
                return await _leave(workers, plan.leave_timeout)
        except (OSError, RuntimeError, TimeoutError, ValueError) as error:
            raise Failure(f"the worker cannot start: {running.cause(error)}") from error
        finally:
            await asyncio.gather(*(each.close(reason="signal") for each in workers))
        reasons = [each.left for each in workers]
    if all(reason in ASKED for reason in reasons):
        return Exit.FINE
    click.echo(f"The supervisor at {reached[0]} is gone ({', '.join(sorted(set(reasons)))}).", err=True)
    return Exit.SUPERVISOR_GONE


async def _reach(plan: Plan, reached: list[str]) -> None:
    """Wait until the supervisor answers, and note its address."""
    arguments = plan.security.get_connection_args("worker") if plan.security is not None else {}

    async def attempt(timeout: float) -> str:
        address = tls.addressed(plan.scheduler or _of_file(plan.scheduler_file), plan.security)
        await endpoints.greeted(address, arguments, timeout)
        return address

    where = plan.scheduler or f"--scheduler-file {plan.scheduler_file}"
    reached.append(await endpoints.looked_for(where, plan.death_timeout, attempt))


def _of_file(path: str | None) -> str:
    """The address in a scheduler file; ValueError or OSError as long as it is not written."""
    with open(str(path), encoding="utf-8") as file:
        return str(json.load(file)["address"])


def _made(plan: Plan, address: str) -> list[Any]:
    """The workers, not started yet. Each notes in `left` why it closes."""
    from distributed.utils import import_term

    from marsdask.spill.worker import Nanny

    kind = import_term(plan.worker_class)
    defaults.apply()  # a nanny reads them when it is made
    arguments = {k: v for k, v in plan.worker.items() if v is not None}
    arguments |= _bound(plan, address)
    # The supervisor was there a moment ago; a new process takes its time where the machine is busy.
    patience = max(plan.death_timeout, 300)
    arguments |= {"nthreads": plan.threads, "security": plan.security, "death_timeout": patience}
    if plan.nanny:
        arguments["preload"] = defaults.worker_preloads(arguments.get("preload"))
    else:
        arguments["port"] = arguments.pop("worker_port", 0)
    # Bound to all addresses a nanny would tell others one that they may not reach.
    host = None if plan.worker.get("interface") else _facing(address)
    own = {k: v for k, v in plan.watch.items() if v is not None} | {"host": host, "worker_class": kind}
    made = []
    for number in range(plan.count):
        name = f"{plan.name}-{number}" if plan.name and plan.count > 1 else plan.name
        if plan.nanny:
            nanny = noting(Nanny)(address, name=name, **arguments | own)
            nanny.worker_kwargs["host"] = arguments.get("host")
            made.append(nanny)
        else:
            made.append(noting(kind)(address, name=name, **arguments))
    return made


def _check_ports(plan: Plan, address: str) -> None:
    """An error where a port of the options is taken, now that it is known which address faces the supervisor."""
    interface = plan.worker.get("interface")
    facing = machine.address_of(interface) if interface else _facing(address)
    wanted = [("-p/--port", plan.worker.get("host") or facing, plan.worker.get("worker_port"))]
    if plan.nanny:
        wanted.append(("--nanny-port", facing, plan.watch.get("port")))
    for option, host, port in wanted:
        if isinstance(port, int):  # of a range Dask takes what is free
            machine.check_free(option, host, port)


def _bound(plan: Plan, address: str) -> dict[str, Any]:
    """Where a worker binds: all it needs is the address that the supervisor sees. What it tells others has a scheme."""
    bound: dict[str, Any] = {}
    if not plan.worker.get("host") and not plan.worker.get("interface"):
        bound["host"] = _facing(address)
    contact = plan.worker.get("contact_address")
    if contact and "://" not in contact:
        bound["contact_address"] = f"{plan.worker.get('protocol') or address.partition('://')[0]}://{contact}"
    return bound


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
    try:
        retired = await asyncio.wait_for(
            workers[0].scheduler.retire_workers(
                workers=addresses, close_workers=False, remove=True, stimulus_id=f"leave-{time.time()}"
            ),
            timeout,
        )
    except (OSError, TimeoutError) as error:
        click.echo(
            f"The data was not handed over: {str(error) or f'it took over {timeout:g} s (--leave-timeout)'}.",
            err=True,
        )
        return Exit.DATA_LEFT
    if set(retired) == set(addresses):
        return Exit.FINE
    await _still_members(workers[0].scheduler, addresses)
    click.echo("The data was not handed over: there is no other worker to take it.", err=True)
    return Exit.DATA_LEFT


async def _still_members(scheduler: Any, addresses: list[str]) -> None:
    """Wait until workers that could not be retired are back in their old state, as the scheduler has asked them to be.

    What it says to a worker that closes meanwhile ends in tracebacks on both sides.
    """
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(BACK_IN):
            while True:
                found = (await scheduler.identity(n_workers=-1))["workers"]
                states = {found[address]["status"] for address in addresses if address in found}
                if "closing_gracefully" not in states:
                    return
                await asyncio.sleep(0.05)


def _warn(plan: Plan, workers: list[Any]) -> None:
    """Say where an unencrypted port is open to the network."""
    if plan.security is not None:
        return
    addresses = [each.worker_address if plan.nanny else each.address for each in workers]
    parts = [address.partition("://")[2].rpartition(":") for address in addresses]
    tls.warn_if_open([f"{plan.worker.get('host') or host}:{port}" for host, _, port in parts])
