"""`marsdask job ...`: KubeDL's MarsJobs by hand, without KubeDL and without an operator of theirs.

Only click is imported here; each command imports what it needs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from marsdask.deploy.kubernetes.commands import Told, written
from marsdask.errors import ArgumentError, JobRefused

if TYPE_CHECKING:
    from marsdask.deploy.marsjob.translate import Translation

PULL_POLICIES = ("Always", "IfNotPresent", "Never")


@click.group(cls=Told)
def job() -> None:
    """KubeDL's MarsJobs, run by Dask's operator."""


def translating(command: Any) -> Any:
    """The options that say how a job is translated."""
    for each in (
        click.option("-n", "--namespace", metavar="NAME", help="For jobs that name none.", default="default"),
        click.option(
            "--image-pull-policy",
            type=click.Choice(PULL_POLICIES),
            help="Of that image; otherwise Kubernetes' own.",
        ),
        click.option("--image", help="With marsdask in it, for jobs that start Mars.", metavar="IMAGE"),
    ):
        command = each(command)
    return command


@job.command()
@click.argument("file")
@translating
@click.option("--ingress-class", metavar="NAME", help="Of the Ingress that webHost asks for.")
@click.option("-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)
def translate(file: str, output: str, **how: Any) -> None:
    """Print the objects that run the MarsJobs in FILE, or on stdin for -, and notes on stderr. Asks no cluster.

    Ends with 1, and prints no object, where a job cannot be run as it is written: a line for each of its faults.
    """
    found = translations(file, **how)
    click.echo(written([each for translation in found for each in translation.objects], output))
    for translation in found:
        for note in translation.notes:
            click.echo(f"note: {note}", err=True)


def translations(file: str, **how: Any) -> list[Translation]:
    """Every job of a file as its objects; ends the command with all faults of all jobs."""
    from marsdask.deploy.marsjob.files import documents
    from marsdask.deploy.marsjob.translate import translate

    jobs = documents(text_of(file), "stdin" if file == "-" else file)
    found, refused = [], False
    for number, each in enumerate(jobs, 1):
        try:
            found.append(translate(each, **how))
        except JobRefused as error:
            refused = True
            which = "" if len(jobs) == 1 else f"job {number}: "
            for path, message in error.causes:
                click.echo(f"error: {which}{path}: {message}", err=True)
    if refused:
        raise SystemExit(1)
    return found


def text_of(file: str) -> str:
    """What is in the file; of stdin for `-`."""
    try:
        return (sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()).decode("utf-8")
    except OSError as error:
        raise ArgumentError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ArgumentError(f"{file} is no text in UTF-8: {error}.") from error
