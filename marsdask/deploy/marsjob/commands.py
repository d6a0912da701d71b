"""`marsdask job ...`: KubeDL's MarsJobs by hand, without KubeDL and without an operator of theirs.

Only click is imported here; each command imports what it needs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from marsdask.deploy.kubernetes.commands import Told, waiting, written
from marsdask.errors import ArgumentError, JobRefused

if TYPE_CHECKING:
    from marsdask.deploy.kubernetes.api import Api
    from marsdask.deploy.marsjob.translate import Translation

    Reach = Callable[[], tuple[Api, str]]


@click.group(cls=Told)
def job() -> None:
    """KubeDL's MarsJobs, run by Dask's operator."""


def translating(command: Any) -> Any:
    """The options that say how a job is translated."""
    for each in (
        click.option(
            "--image-pull-policy",
            type=click.Choice(("Always", "IfNotPresent", "Never")),
            help="Of that image; otherwise Kubernetes' own.",
        ),
        click.option("--image", help="With marsdask in it, for jobs that start Mars.", metavar="IMAGE"),
    ):
        command = each(command)
    return command


@job.command()
@click.argument("file")
@translating
@click.option("-n", "--namespace", metavar="NAME", help="For jobs that name none.", default="default")
@click.option("--ingress-class", metavar="NAME", help="Of the Ingress that webHost asks for.")
@click.option("-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)
def translate(file: str, output: str, **how: Any) -> None:
    """Print the objects that run the MarsJobs in FILE, or on stdin for -, and notes on stderr. Asks no cluster.

    Ends with 1, and prints no object, where a job cannot be run as it is written: a line for each of its faults.
    """
    found = translations(jobs_of(file), **how)
    click.echo(written([each for translation in found for each in translation.objects], output))
    for translation in found:
        tell(translation.notes)


def tell(notes: Iterable[str]) -> None:
    for note in notes:
        click.echo(f"note: {note}", err=True)


def jobs_of(file: str) -> list[Any]:
    """What is in a file."""
    from marsdask.deploy.marsjob.files import documents

    return documents(text_of(file), "stdin" if file == "-" else file)


def translations(jobs: list[Any], **how: Any) -> list[Translation]:
    """Every job as its objects; ends the command with all faults of all jobs."""
    from marsdask.deploy.marsjob.translate import translate

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


def reaching(command: Any) -> Any:
    """The options that say which Kubernetes cluster and namespace are meant: the command gets both by calling `reach`."""

    @click.option("--kubeconfig", metavar="FILE", help="Instead of $KUBECONFIG or ~/.kube/config.")
    @click.option("--context", metavar="NAME", help="Of that file, instead of its current one.")
    @click.option("-n", "--namespace", metavar="NAME", help="Instead of the context's own.")
    @wraps(command)
    def reached(kubeconfig: str | None, context: str | None, namespace: str | None, **options: Any) -> Any:
        from marsdask.deploy.kubernetes.api import Api, current, own_namespace

        def reach() -> tuple[Api, str]:
            api = Api(current(kubeconfig, context))
            return api, namespace or own_namespace(kubeconfig, context)

        return command(reach, **options)

    return reached


@job.command()
@click.argument("file")
@translating
@reaching
@click.option(
    "--ingress-class", metavar="NAME", help="Of the Ingress that webHost asks for, without an operator."
)
@click.option("--direct", is_flag=True, help="Make its objects here, though the cluster knows MarsJobs.")
@click.option("--wait", is_flag=True, help="Return when it runs, and show how it comes up.")
@waiting(1, "Seconds to wait.")
def submit(
    reach: Reach,
    file: str,
    ingress_class: str | None,
    direct: bool,
    wait: bool,
    timeout: float,
    image: str | None,
    image_pull_policy: str | None,
) -> None:
    """Make the MarsJobs in FILE, or on stdin for -.

    Where an operator of marsdask's keeps MarsJobs it runs them. Elsewhere, and with --direct, the objects are made here; Dask's
    operator runs them, and notes say which policies nobody keeps.

    Ends with 1 where a job cannot be run as it is written, before anything is made: a line for each of its faults.
    """
    from marsdask.deploy.kubernetes.states import Shown
    from marsdask.deploy.marsjob import submitting
    from marsdask.deploy.marsjob.job import PREFIX, without_nulls

    jobs = [without_nulls(submitting.named(each)) for each in jobs_of(file)]
    how = {"image_pull_policy": image_pull_policy, "ingress_class": ingress_class}
    # Faults are told where no cluster can be reached, too; an operator may have an image.
    found = translations(jobs, **how, image=image or submitting.OPERATORS_IMAGE)
    submitting.check_names(found, file)
    api, namespace = reach()
    direct = direct or not submitting.served(api)
    who = None if direct else submitting.keepers(api)
    direct = direct or (who is not None and not who.ours)
    image_here = image if direct else image or submitting.OPERATORS_IMAGE
    found = translations(jobs, **how, image=image_here, namespace=namespace)
    submitting.check_names(found, file)
    options = {"image": image, "image-pull-policy": image_pull_policy}
    if not direct:
        if ingress_class:
            tell(["--ingress-class has no effect: the operator of MarsJobs has its own."])
        if who is None:
            tell(
                ["whether an operator of MarsJobs runs cannot be seen without the right to list Deployments."]
            )
        elif who.kubedl and not who.adopt_all:
            options["managed"] = "true"
    said = {f"{PREFIX}{key}": value for key, value in options.items() if value}
    for each, translation in zip(jobs, found, strict=True):
        tell(translation.notes)
        if direct and (unkept := submitting.unkept(each["spec"])):
            why = "needs the operator of MarsJobs: `marsdask kubernetes install --marsjobs`"
            tell([f"nobody keeps {', '.join(unkept)}: that {why}."])
        made = (
            submitting.submit_objects(api, each, translation)
            if direct
            else submitting.submit(api, each, translation, said)
        )
        for line in made:
            click.echo(line)
    for each, translation in zip(jobs, found, strict=True) if wait else ():
        where = translation.objects[0]["metadata"]["namespace"]
        with Shown(wanted=True) as shown:
            submitting.wait(api, each, where, direct=direct, timeout=timeout, shown=shown)
        click.echo(f"MarsJob {each['metadata']['name']} is running.")


@job.command()
@click.argument("name", required=False)
@reaching
@click.option("-A", "--all-namespaces", is_flag=True, help="Of all namespaces.")
def status(reach: Reach, name: str | None, all_namespaces: bool) -> None:
    """Tell what has become of the job NAME, or of all of a namespace, as `kubectl get marsjobs` does."""
    from marsdask.deploy.marsjob import jobs as those

    if name and all_namespaces:
        raise click.UsageError("-A lists all jobs: it does not go with a NAME.")
    api, namespace = reach()
    if name is None:
        found = those.listed(api, None if all_namespaces else namespace)
        lines = those.table(found, namespaces=all_namespaces)
        where = "" if all_namespaces else f" in namespace {namespace}"
        click.echo("\n".join(lines) if found else f"There are no MarsJobs{where}.")
        return
    one = those.expect(api, namespace, name)
    click.echo("\n".join(those.table([one], namespaces=False)))
    for line in those.details(one):
        click.echo(line)


@job.command()
@click.argument("name")
@reaching
@click.option("--role", type=click.Choice(["scheduler", "worker"]), help="Only of these pods.")
@click.option("--tail", type=click.IntRange(min=0), help="So many last lines of each pod; otherwise all.")
@click.option("-f", "--follow", is_flag=True, help="Go on as long as the job is there.")
def logs(reach: Reach, name: str, role: str | None, tail: int | None, follow: bool) -> None:
    """Print what the pods of the job NAME say."""
    from marsdask.deploy.marsjob import jobs as those

    api, namespace = reach()
    those.expect(api, namespace, name)
    those.logs(api, namespace, name, role=role, follow=follow, tail=tail, write=click.echo)


@job.command()
@click.argument("name")
@reaching
@click.option("--wait", is_flag=True, help="Return when its pods are gone.")
@waiting(1, "Seconds to wait.")
def delete(reach: Reach, name: str, wait: bool, timeout: float) -> None:
    """Delete the job NAME with all that was made for it."""
    from marsdask.deploy.marsjob import jobs as those

    api, namespace = reach()
    click.echo(those.delete(api, namespace, name, wait=wait, timeout=timeout))
