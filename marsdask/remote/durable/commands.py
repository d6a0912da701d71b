"""`marsdask map ...`: a durable map from the shell, and what maps have left in a storage.

Only click is imported here; each command imports what it needs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from marsdask.deploy.kubernetes.commands import Told
from marsdask.errors import ArgumentError, JobNotFound, MarsDaskError

if TYPE_CHECKING:
    from marsdask.remote.durable.storage import Storage


@click.group("map", cls=Told)
def map_() -> None:
    """A durable, parallel map: results are files, made once."""


storage_option = click.option(
    "--storage", required=True, envvar="MARSDASK_STORAGE", metavar="URL", show_envvar=True,
    help="A folder or bucket that this machine and all workers see.",
)  # fmt: skip
output_option = click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How it is told.",
)
cluster_option = click.option(
    "--cluster", default="processes", show_default=True, metavar="WHERE",
    help="'threads', 'processes', 'kubernetes', or the address of a scheduler.",
)  # fmt: skip


@map_.command()
@click.option("--expression", metavar="CODE", help="A Python expression in `value` and `numpy`.")
@click.option(
    "--shell-command", metavar="COMMAND", help="A command in which {} is the value, {name} a column of it."
)
@click.option("--function", metavar="MODULE:NAME", help="A function of one argument.")
@click.option("--generator-expression", metavar="CODE", help="A Python expression that gives the values.")
@click.option(
    "--input", "input_", metavar="FILE", help="Values from rows of .csv, lines of .jsonl or of .txt."
)
@click.option(
    "--out-csv", metavar="FILE", help="Write results there; `-`, or no --out at all, is standard output."
)
@click.option(
    "--out-jsonl", metavar="FILE", help="Write results there, a JSON object in each line; `-` as well."
)
@click.option("--out-parquet", metavar="FILE", help="Write results there as a table.")
@storage_option
@cluster_option
@click.option("--name", default="default", show_default=True, help="Maps of one name share results.")
@click.option(
    "--reuse", type=click.Choice(["strict", "code-changed-ok", "never"]), default="strict", show_default=True,
    help="Which results are taken as they are.",
)  # fmt: skip
@click.option(
    "--dry-run", is_flag=True, help="Only say how many values have a result, and why the others have none."
)
@click.option(
    "--max-simultaneous-tasks",
    type=click.IntRange(1),
    metavar="N",
    help="Also the workers of a cluster that is made.",
)
@click.option("--items-per-task", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--retries", type=click.IntRange(0), default=2, show_default=True, help="Of a value that has failed."
)
@click.option("--timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Of one attempt.")
@click.option("--isolate", is_flag=True, help="A process of its own for each value.")
@click.option(
    "--on-error", type=click.Choice(["raise", "finish"]), default="raise", show_default=True,
    help="End at the first value that has failed, or when all others are done.",
)  # fmt: skip
@click.option("--speculation", is_flag=True, help="Begin a second attempt of what takes long.")
@click.option("--memory", metavar="AMOUNT", help="That a task needs, as 4GiB.")
@click.option("--cpu", type=click.FloatRange(0, min_open=True), help="That a task needs.")
@click.option("--gpu", type=click.FloatRange(0, min_open=True), help="That a task needs.")
@click.option("--image", help="Of the pods, with --cluster kubernetes.")
@click.option(
    "--env",
    multiple=True,
    metavar="NAME=VALUE",
    help="A variable of the pods, as the storage's key; may be given again.",
)
@click.option("--quiet", is_flag=True, help="No bar, no summary.")
@output_option
def run(output: str, *, dry_run: bool, quiet: bool, **options: Any) -> None:
    """Map a function over values; a second run takes the results that are there.

    Results are written in the order of the values: to a file that appears when all are there, or to standard output as they come.
    """
    from marsdask.remote.durable import told

    form, path = _output(options, output)
    function = _one(
        options,
        {"expression": told.Expression, "shell_command": told.ShellCommand, "function": told.function_of},
    )
    given = _one(
        options, {"generator_expression": lambda text: (told.generated(text), None), "input_": told.read}
    )
    if path is not None:
        told.check_output(f"--out-{form}", path)
    with _client(options) as client:
        values, count = given
        kept = _Kept(values)
        results = client.map(
            function, kept, items_per_task=options["items_per_task"], timeout=options["timeout"], num_items=count or _length(values),
            resources={name: options[name] for name in ("memory", "cpu", "gpu") if options[name] is not None},
        )  # fmt: skip
        if dry_run:
            _preview(results, output)
            return
        results._master.asked.progress = False if quiet else None
        if not quiet:
            click.echo(f"How far it is: {results.page}", err=True)
        with told.writing(form, path) as writer:
            try:
                for result in results:
                    writer.add(kept.next(), result)
            except Exception as error:
                if not (failed := results.failed) or isinstance(error, MarsDaskError):
                    raise
                raise click.ClickException(_failures(results.job, failed)) from error
            writer.end()
        if not quiet:
            counts = results.status()
            said = (
                json.dumps({"job": results.job, **counts})
                if output == "json"
                else _summary(results.job, counts)
            )
            click.echo(said, err=path is None or output != "json")


class _Kept:
    """An iterable whose items are kept until their results are written."""

    def __init__(self, values: Any):
        from collections import deque

        self.values, self.taken = values, deque[Any]()

    def __iter__(self) -> Iterator[Any]:
        for value in self.values:
            self.taken.append(value)
            yield value

    def next(self) -> Any:
        return self.taken.popleft()


def _length(values: Any) -> int | None:
    return len(values) if hasattr(values, "__len__") else None


def _one(options: dict[str, Any], kinds: dict[str, Callable[[str], Any]]) -> Any:
    """What the one option that was given of some says."""
    names = [f"--{name.replace('_', '-').rstrip('-')}" for name in kinds]
    given = [name for name in kinds if options[name] is not None]
    if len(given) != 1:
        raise click.UsageError(f"expected one of {', '.join(names)}, got {len(given) or 'none'}.")
    return kinds[given[0]](options[given[0]])


def _output(options: dict[str, Any], output: str) -> tuple[str, str | None]:
    given = {
        form: options[f"out_{form}"]
        for form in ("csv", "jsonl", "parquet")
        if options[f"out_{form}"] is not None
    }
    if len(given) > 1:
        raise click.UsageError(f"expected one of {', '.join(f'--out-{form}' for form in given)}.")
    if given.get("parquet") == "-":
        raise click.UsageError("--out-parquet='-': a table is written to a file, not to standard output.")
    for form, path in given.items():
        return form, None if path == "-" else path
    return ("jsonl" if output == "json" else "csv"), None


def _preview(results: Any, output: str) -> None:
    reusable, reasons = results._master.preview()
    if output == "json":
        click.echo(json.dumps({"reusable": reusable, "would_run": reasons}))
        return
    click.echo(f"{reusable} have a result; {sum(reasons.values())} would run.")
    for reason, count in reasons.most_common():
        click.echo(f"{count:8} {reason}")


def _failures(job: str, failed: list[Any]) -> str:
    """What has failed, in lines, and how to hear more."""
    lines = [f"task {each.number}: {type(each.error).__name__}: {each.error}" for each in failed[:10]]
    more = [f"and {len(failed) - 10} more"] * (len(failed) > 10)
    return "\n".join([*lines, *more, f"See marsdask map show {job} --task {failed[0].number}"])


def _summary(job: str, counts: dict[str, Any]) -> str:
    return f"{job}: {counts['total']} values, {counts['reused']} reused, {counts['done']} done, {counts['failed']} failed"


@contextmanager
def _client(options: dict[str, Any]) -> Iterator[Any]:
    """A client for the options of a command, and the end of what was made for it."""
    from marsdask.remote.durable import Client

    cluster, pods = options["cluster"], None
    for name in ("image", "env"):
        if options.get(name) and cluster != "kubernetes":
            raise ArgumentError(f"--{name}={options[name]!r}: expected --cluster kubernetes with it.")
    if wrong := [each for each in options.get("env", ()) if not each.partition("=")[0] or "=" not in each]:
        raise ArgumentError(f"--env={wrong[0]!r}: expected NAME=VALUE.")
    how = {
        "name": options.get("name", "default"), "max_simultaneous_tasks": options.get("max_simultaneous_tasks"),
        "retries": options.get("retries", 2), "on_error": options.get("on_error", "raise"), "reuse": options.get("reuse", "strict"),
        "speculation": options.get("speculation") or None, "isolate": "process" if options.get("isolate") else None,
    }  # fmt: skip
    client = Client(options["storage"], cluster="threads" if cluster == "kubernetes" else cluster, **how)
    if cluster == "kubernetes":
        if client.storage.is_local:
            raise ArgumentError(
                f"--storage={options['storage']!r}: pods do not see this machine's disks; expected the URL of a bucket."
            )
        if not options.get("dry_run"):
            from marsdask.remote.durable.pods import Pods

            pods = Pods(options["storage"])
            client = Client(options["storage"], cluster=pods.make(**of_pods(options)), **how)
    try:
        with client:
            yield client
    finally:
        if pods is not None:
            pods.end()


def of_pods(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `new_cluster` for the options of a command."""
    said = {
        "worker_num": options.get("max_simultaneous_tasks"), "worker_mem": options.get("memory"), "worker_cpu": options.get("cpu"),
        "image": options.get("image"), "extra_env": dict(each.split("=", 1) for each in options.get("env", ())) or None,
    }  # fmt: skip
    return {name: value for name, value in said.items() if value is not None}


@map_.command()
@storage_option
@click.option("--name", help="Only maps of that name.")
@click.option("--all", "all_", is_flag=True, help="Also those that are done, failed, interrupted or lost.")
@output_option
def jobs(storage: str, name: str | None, output: str, *, all_: bool) -> None:
    """List the maps that are active, the oldest first."""
    found = [each for each in _jobs(storage, name) if all_ or each["state"] == "active"]
    if output == "json":
        click.echo(json.dumps(found))
        return
    head = ("JOB", "NAME", "STATE", "TOTAL", "REUSED", "DONE", "FAILED", "AGE")
    rows = [head] + [
        (
            each["job"], each["name"], each["state"],
            *("?" if each["counts"][c] is None else str(each["counts"][c]) for c in ("total", "reused", "done", "failed")),
            _age(each["started"]),
        )
        for each in found
    ]  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _age(started: float) -> str:
    seconds = max(time.time() - started, 0)
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f}{unit}"
    return f"{seconds:.0f}s"


def _jobs(url: str, name: str | None = None) -> list[dict[str, Any]]:
    """What the maps in a storage say of themselves, and the state that they are in."""
    from marsdask.remote.durable.status import state_of
    from marsdask.remote.durable.storage import Storage

    names = Storage.at(url, "default", None).beside() if name is None else [name]
    found = [
        {**said, "state": state_of(said), "name": each}
        for each in names
        for said in Storage.at(url, each, None).jobs()
    ]
    return sorted(found, key=lambda said: said.get("started", 0.0))


def _job(url: str, job: str) -> tuple[Storage, dict[str, Any]]:
    from marsdask.remote.durable.storage import Storage

    known = {str(said["job"]): said for said in _jobs(url)}
    if job not in known:
        raise JobNotFound.among(job, url, known)
    return Storage.at(url, known[job]["name"], None), known[job]


@map_.command()
@click.argument("job")
@storage_option
@click.option(
    "--task", type=click.IntRange(0), metavar="N", help="All of one value: its error, what it printed."
)
@output_option
def show(job: str, storage: str, task: int | None, output: str) -> None:
    """Tell how far the map JOB is, and what has failed."""
    _, said = _job(storage, job)
    if task is not None:
        rows = [row for row in said["tasks"] if row["number"] == task]
        if not rows:
            raise JobNotFound(f"nothing is known of task {task} of {job!r}.")
        if output == "json":
            click.echo(json.dumps(rows[0]))
            return
        for key, value in rows[0].items():
            click.echo(f"{key}: {value}" if "\n" not in str(value) else f"{key}:\n{value}")
        return
    if output == "json":
        click.echo(json.dumps(said))
        return
    click.echo(
        f"{job}: {said['state']}, {said['function']}, name {said['name']}, begun {_age(said['started'])} ago"
    )
    click.echo("  ".join(f"{name} {'?' if n is None else n}" for name, n in said["counts"].items()))
    for row in said["tasks"]:
        if row["state"] in ("failed", "running"):
            last = str(row.get("error") or row.get("output") or "").strip().splitlines()
            seconds = f"{row['seconds']:.0f} s" if "seconds" in row else ""
            click.echo(
                f"task {row['number']}  {row['state']}  {row.get('host', '')}  {seconds}  {last[-1] if last else ''}".rstrip()
            )


@map_.command()
@click.argument("job")
@storage_option
@cluster_option
@click.option("--task", type=click.IntRange(0), metavar="N", help="Only this value.")
@click.option(
    "--here", is_flag=True, help="One after another in this process, under a debugger where it fails."
)
@click.option("--retries", type=click.IntRange(0), default=0, show_default=True)
def retry(job: str, task: int | None, *, here: bool, **options: Any) -> None:
    """Run again what has failed of the map JOB. Its program then finds the results."""
    storage, _ = _job(options["storage"], job)
    if here:
        _here(storage, job, task)
        return
    with _client({**options, "name": storage.name, "on_error": "finish"}) as client:
        results = client.retry(job, task=task)
        count = sum(1 for _ in results)
    click.echo(f"{count} of {job} {'has' if count == 1 else 'have'} a result now.")


def _here(storage: Storage, job: str, task: int | None) -> None:
    """Run what has failed in this process; at an error its post-mortem debugger."""
    import pdb

    from marsdask.remote.durable.retry import failed_of, function_of

    for each in failed_of(storage, job, task):
        function = function_of(storage, each.file, here=True)[0]
        click.echo(f"task {each.number} of {job}:")
        try:
            result = function(each.item)
        except Exception as error:  # noqa: BLE001 - it is what is looked at
            click.echo(f"{type(error).__name__}: {error}", err=True)
            pdb.post_mortem(error.__traceback__)
        else:
            click.echo(f"it gives {result!r}")


@map_.command()
@click.argument("name")
@storage_option
def cleanup(name: str, storage: str) -> None:
    """Remove all files of the maps of NAME."""
    from marsdask.remote.durable import Client

    Client(storage, cluster="threads", name=name).cleanup()


@map_.command()
@click.argument("source")
@click.argument("target")
def cp(source: str, target: str) -> None:
    """Copy a file from SOURCE to TARGET, both paths or URLs."""
    import fsspec
    from fsspec.core import url_to_fs

    with _naming(source), fsspec.open(source, "rb") as file:
        fs, path = url_to_fs(target)
        if fs.isdir(path):
            path = f"{path.rstrip('/')}/{source.rstrip('/').rpartition('/')[2]}"
        with _naming(target), fs.open(path, "wb") as out:
            while part := file.read(2**24):
                out.write(part)


@map_.command()
@click.argument("url")
def ls(url: str) -> None:
    """List the files in a folder."""
    from fsspec.core import url_to_fs

    with _naming(url):
        fs, path = url_to_fs(url)
        for each in sorted(fs.ls(path, detail=True), key=lambda each: str(each["name"])):
            size = "" if each["type"] == "directory" else each["size"]
            click.echo(f"{size!s:>12}  {each['name']}")


@map_.command()
@click.argument("url")
@click.option("--raw", is_flag=True, help="The bytes of the file, not the value in it.")
def cat(url: str, *, raw: bool) -> None:
    """Print a file: of a result, an input or a remote object the value, which runs code of whoever wrote it."""
    import pickle

    import fsspec

    from marsdask import stored

    with _naming(url), fsspec.open(url, "rb") as file:
        content = file.read()
    found = stored.without_ending(content)
    if (
        raw
        or isinstance(found, stored.Broken)
        or str(found.facts.get("name", "")).partition("/")[0] not in ("out", "in", "objects")
    ):
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    click.echo(repr(pickle.loads(found.body)))


@contextmanager
def _naming(url: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, ImportError) as error:
        raise click.ClickException(f"{url!r}: {error}") from error
