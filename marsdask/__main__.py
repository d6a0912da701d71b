"""The command line: `marsdask ops sort` and `python -m marsdask ops sort` say what an operation is.

>>> from click.testing import CliRunner
>>> print(CliRunner().invoke(main, ["ops", "mt.exp"]).output.splitlines()[0])
exp: delegated, mt.exp
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from marsdask import __version__
from marsdask.errors import near

if TYPE_CHECKING:
    from marsdask.plan.registry import Op


# Commands that other rooms have, imported when one of them is called, and what `--help` says of them.
ROOMS = {
    "job": ("marsdask.deploy.marsjob.commands:job", "KubeDL's MarsJobs, run by Dask's operator."),
    "kubernetes": ("marsdask.deploy.kubernetes.commands:kubernetes", "Clusters on Kubernetes."),
    "map": (
        "marsdask.remote.durable.commands:map_",
        "A durable, parallel map: results are files, made once.",
    ),
    "supervisor": ("marsdask.deploy.supervisor:main", "Start a supervisor: a Dask scheduler."),
    "worker": ("marsdask.deploy.worker:main", "Start a worker."),
    "web": ("marsdask.deploy.proxy:main", "Open a port that leads to the web port of a supervisor."),
}


FILE = click.Path(dir_okay=False, path_type=Path)


class Lazy(click.Group):
    """A group that imports the commands of other rooms only when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *ROOMS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in ROOMS:
            return super().get_command(ctx, cmd_name)
        module, _, name = ROOMS[cmd_name][0].partition(":")
        return cast(click.Command, getattr(import_module(module), name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click's own, but importing nothing."""
        texts = {name: text for name, (_, text) in ROOMS.items()}
        texts |= {name: command.get_short_help_str(80) for name, command in self.commands.items()}
        with formatter.section("Commands"):
            formatter.write_dl(sorted(texts.items()))


@click.group(cls=Lazy)
@click.version_option(__version__, prog_name="marsdask")
def main() -> None:
    """Mars's API on Dask's engine."""


@main.command()
@click.argument("name", required=False)
@click.option("--write", type=FILE, help="Write the coverage page there.")
def ops(name: str | None, write: Path | None) -> None:
    """Tell what is known of the operation NAME: `sort`, `mt.sort`, `df.merge`. Without a name, count them all."""
    from marsdask import coverage
    from marsdask.plan import registry

    if write is not None:
        _write(write, coverage.page())
    if name is not None:
        found = matching(name)
        if not found:
            known = {*registry.OPS, *(op.public for op in registry.OPS.values())}
            raise click.ClickException(
                f"No operation is named {name!r}.{near(name.rpartition('.')[2], known)}"
            )
        click.echo("\n\n".join(map(told, found)))
    elif write is None:
        click.echo("\n".join(coverage.table()))


@main.command()
@click.option("--write", type=FILE, help="Write the page of options there.")
def options(write: Path | None) -> None:
    """Tell the options and their values."""
    from marsdask import coverage
    from marsdask.options import options as settings

    if write is None:
        click.echo(repr(settings))
    else:
        _write(write, coverage.options_page())


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    click.echo(f"wrote {path}")


PREFIXES = {"mt": "tensor", "md": "dataframe", "df": "DataFrame", "t": "Tensor", "s": "Series"}


def matching(name: str) -> list[Op]:
    """The entries that a person may mean by `name`: as written in the registry, or in a program."""
    from marsdask.plan import registry

    if name in registry.OPS and "." in name:
        return [registry.lookup(name)]
    room, _, last = name.rpartition(".")
    first, dot, rest = room.partition(".")
    room = PREFIXES.get(first, first) + dot + rest
    found = [op for op in registry.OPS.values() if op.public == last]
    return [op for op in found if not room or room in (*op.owners, op.room)]


def told(op: Op) -> str:
    """What is known of an entry, in lines."""
    from marsdask import coverage
    from marsdask.plan import registry

    home = op.room.replace("tensor", "mt").replace("dataframe", "md")
    users = [f"{home}.{op.public}"] if coverage.belongs(op, op.room) else []
    users += [f"{owner}.{op.public}" for owner in op.owners]
    lines = [f"{op.name}: {op.status}, {', '.join(users) or op.room}"]
    if op.status == "unbuilt":
        return "\n".join([*lines, f"  reason     {op.reason}"])
    lines += [f"  signature  {op.public}{registry.shown(op.signature)}", f"  gives      {op.first_line}"]
    lines += [f"  differs    {op.differs}"] if op.differs else []
    lines += [f"  source     {op.source}"]
    lines += [f"  tests      pytest tests -k '{op.public}'", f"  {registry.link(op).replace(': ', '  ')}"]
    return "\n".join(line.rstrip() for line in lines if line.strip())


if __name__ == "__main__":
    main()
