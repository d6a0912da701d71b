"""The command line: `marsdask ops sort` and `python -m marsdask ops sort` say what an operation is.

>>> from click.testing import CliRunner
>>> print(CliRunner().invoke(main, ["ops", "mt.exp"]).output.splitlines()[0])
exp: delegated, mt.exp
"""

from __future__ import annotations

from pathlib import Path

import click

from marsdask import __version__, coverage, registry
from marsdask.errors import near
from marsdask.options import options as settings
from marsdask.registry import Op


@click.group()
@click.version_option(__version__, prog_name="marsdask")
def main() -> None:
    """Mars's API on Dask's engine."""


@main.command()
@click.argument("name", required=False)
@click.option(
    "--write", type=click.Path(dir_okay=False, path_type=Path), help="Write the coverage page there."
)
def ops(name: str | None, write: Path | None) -> None:
    """Tell what is known of the operation NAME: `sort`, `mt.sort`, `df.merge`. Without a name, count them all."""
    if write is not None:
        write.write_text(coverage.page(), encoding="utf-8")
        click.echo(f"wrote {write}")
    if name is not None:
        found = matching(name)
        if not found:
            raise click.ClickException(
                f"No operation is named {name!r}.{near(name.rpartition('.')[2], known())}"
            )
        click.echo("\n\n".join(map(told, found)))
    elif write is None:
        click.echo("\n".join(coverage.table()))


@main.command()
@click.option(
    "--write", type=click.Path(dir_okay=False, path_type=Path), help="Write the page of options there."
)
def options(write: Path | None) -> None:
    """Tell the options and their values."""
    if write is None:
        click.echo(repr(settings))
    else:
        write.write_text(coverage.options_page(), encoding="utf-8")
        click.echo(f"wrote {write}")


PREFIXES = {"mt": "tensor", "md": "dataframe", "df": "DataFrame", "t": "Tensor", "s": "Series"}


def known() -> set[str]:
    """Every public name, and every name of the registry."""
    return {*registry.OPS, *(op.public for op in registry.OPS.values())}


def matching(name: str) -> list[Op]:
    """The entries that a person may mean by `name`: as written in the registry, or in a program."""
    if name in registry.OPS and "." in name:
        return [registry.lookup(name)]
    room, _, last = name.rpartition(".")
    first, dot, rest = room.partition(".")
    room = PREFIXES.get(first, first) + dot + rest
    found = [op for op in registry.OPS.values() if op.public == last]
    return [op for op in found if not room or room in (*op.owners, op.room)]


def told(op: Op) -> str:
    """What is known of an entry, in lines."""
    module = {"tensor": "mt", "dataframe": "md"}
    first, dot, rest = op.room.partition(".")
    users = [f"{module.get(first, first)}{dot}{rest}.{op.public}"] if coverage.belongs(op, op.room) else []
    users += [f"{owner}.{op.public}" for owner in op.owners]
    lines = [f"{op.name}: {op.status}, {', '.join(users) or op.room}"]
    if op.status == "unbuilt":
        return "\n".join([*lines, f"  reason     {op.reason}"])
    lines += [f"  signature  {op.public}{registry.shown(op.signature)}", f"  gives      {op.first_line}"]
    lines += [f"  differs    {op.differs}"] if op.differs else []
    lines += [f"  source     {op.source}"]
    lines += [f"  case       {case}" for case in op.cases]
    lines += [f"  tests      pytest tests -k '{op.public}'", f"  {registry.link(op).replace(': ', '  ')}"]
    return "\n".join(line.rstrip() for line in lines if line.strip())


if __name__ == "__main__":
    main()
