"""`marsdask kubernetes ...`: what an administrator of a cluster does.

Only click is imported here; each command imports what it needs.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from marsdask.deploy.kubernetes.names import SERVICE_TYPES
from marsdask.errors import MarsDaskError

if TYPE_CHECKING:
    from marsdask.deploy.kubernetes.api import Api

    Reach = Callable[[], Api]


class Told(click.Group):
    """A group whose commands end with the message of an error of ours, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except MarsDaskError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Told)
def kubernetes() -> None:
    """Dask on Kubernetes: the operator and its rights, the image, clusters."""


def reaching(command: Any) -> Any:
    """The options that say which Kubernetes cluster is meant: the command gets `api` for them."""

    @click.option("--kubeconfig", metavar="FILE", help="Instead of $KUBECONFIG or ~/.kube/config.")
    @click.option("--context", metavar="NAME", help="Of that file, instead of its current one.")
    @wraps(command)
    def reached(kubeconfig: str | None, context: str | None, **options: Any) -> Any:
        from marsdask.deploy.kubernetes.api import Api, current

        return command(lambda: Api(current(kubeconfig, context)), **options)

    return reached


def waiting(least: float, says: str) -> Callable[[Any], Any]:
    """The option of how long to wait."""
    return click.option(
        "--timeout", type=click.FloatRange(min=least), default=120, show_default=True, help=says
    )


ONE_NAMESPACE = " Hint: --namespace NAME needs no rights beyond that namespace."


def in_namespace(command: Any) -> Any:
    """The option of a command that looks at one namespace, with rights in that only."""
    return click.option("--namespace", metavar="NAME", help="Only there, with no right beyond it.")(command)


@kubernetes.command()
@reaching
@click.option("--namespace", default="dask-operator", show_default=True, help="Where the operator runs.")
@click.option(
    "--image", default="", help="What it runs: marsdask's image, with this version's tag by default."
)
@click.option(
    "--image-pull-secret",
    "pull_secret",
    metavar="NAME",
    help="A Secret of that namespace that opens the registry.",
)
@click.option("--upgrade", is_flag=True, help="Also change what an earlier install made.")
@waiting(0, "Seconds to wait; 0 does not.")
@click.option("--marsjobs", is_flag=True, help="Also what KubeDL's MarsJobs need: `kubectl apply` runs them.")
@click.option("--adopt-all", is_flag=True, help="With --marsjobs: all jobs, where KubeDL runs, too.")
@click.option("--ingress-class", metavar="NAME", help="With --marsjobs: of Ingresses that webHost asks for.")
@click.option("--dry-run", is_flag=True, help="Only print what would be made; asks no cluster.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["yaml", "json"]),
    help="How --dry-run prints: yaml unless said otherwise.",
)
def install(
    reach: Reach,
    dry_run: bool,
    output: str,
    upgrade: bool,
    timeout: float,
    marsjobs: bool,
    adopt_all: bool,
    ingress_class: str | None,
    **what: Any,
) -> None:
    """Install Dask's operator and the definitions of its resources: what is there already is left alone."""
    from marsdask.deploy.kubernetes import install, operator
    from marsdask.deploy.marsjob import operator as of_jobs

    if output and not dry_run:
        raise click.UsageError("-o says how --dry-run prints; it goes with that only.")
    if (adopt_all or ingress_class) and not marsjobs:
        raise click.UsageError("--adopt-all and --ingress-class go with --marsjobs only.")
    wanted, for_jobs = operator.manifests(**what), []
    if marsjobs:
        for_jobs = of_jobs.manifests(**what, adopt_all=adopt_all, ingress_class=ingress_class)
    if dry_run:
        click.echo(written([*wanted, *for_jobs], output or "yaml"))
        return
    for line in install.install(reach(), wanted, for_jobs, upgrade=upgrade, timeout=timeout):
        click.echo(line)


def written(manifests: list[dict[str, Any]], form: str) -> str:
    """Objects as kubectl reads them."""
    if form == "json":
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests}, indent=1)
    import yaml

    # Files of a megabyte: written in C where that is there.
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return str(yaml.dump_all(manifests, Dumper=dumper, sort_keys=False, explicit_start=True)).rstrip()


@kubernetes.command()
@reaching
@click.option("--force", is_flag=True, help="Delete all of Dask's clusters and jobs first.")
@waiting(1, "Seconds to wait.")
def uninstall(reach: Reach, force: bool, timeout: float) -> None:
    """Remove what `install` made, and nothing else. Refuses while there are Dask clusters or MarsJobs of its definition."""
    from marsdask.deploy.kubernetes import install

    for line in install.uninstall(reach(), force=force, timeout=timeout):
        click.echo(line)


@kubernetes.command()
@reaching
@in_namespace
def status(reach: Reach, namespace: str | None) -> None:
    """Tell what is installed, and what is missing with the command that cures it.

    With --namespace what a user needs who works in that one: rights, quotas, and what can be seen of the operator from
    there. Ends with 0 if clusters can be made, with 1 if something is missing or not ready, and with 3 if the cluster does
    not answer or does not let this user look.
    """
    from marsdask.deploy.kubernetes.images import versions
    from marsdask.deploy.kubernetes.install import InNamespace, Installation, look, look_in
    from marsdask.errors import ClusterUnreachable, NotPermitted

    found: Installation | InNamespace
    try:
        found = look(reach()) if namespace is None else look_in(reach(), namespace)
    except (ClusterUnreachable, NotPermitted) as error:
        hint = "" if namespace else ONE_NAMESPACE
        click.echo(f"Error: {error}{hint * isinstance(error, NotPermitted)}", err=True)
        raise SystemExit(3) from error
    click.echo("\n".join([*found.lines(), f"here         {versions()}"]))
    for problem in found.problems():
        click.echo(f"! {problem}")
    raise SystemExit(bool(found.problems()))


@kubernetes.command()
@click.argument("packages", nargs=-1)
@click.option(
    "--label", is_flag=True, help="Print the few that a client and its cluster must share, in a line."
)
def requirements(packages: tuple[str, ...], label: bool) -> None:
    """Print the versions installed here, one `name==version` a line: the image is built from them.

    PACKAGES are those that your functions need on the workers, beyond marsdask's own.
    """
    from marsdask.deploy.kubernetes.images import locked, versions

    if label:
        click.echo(versions())
        return
    for name, version in locked(packages).items():
        click.echo(f"{name}=={version}")


@kubernetes.group()
def image() -> None:
    """The image that clusters run, of the versions installed here: build, push or save it, or tell its name.

    Behind a package index of your own PIP_CONFIG_FILE and PIP_CERT, a file of certificates, are used while packages are
    installed, and not kept.
    """


def named(command: Any) -> Any:
    """The options that say what the image is called: the command gets `name` for them."""

    @click.option("-r", "--repo", default="", help="The registry, for instance registry.example.com:5000.")
    @click.option("-o", "--org", default="marsdask", show_default=True, help="The organization.")
    @click.option("-t", "--tag", default="", help="The tag: v and the version, unless said otherwise.")
    @wraps(command)
    def called(repo: str, org: str, tag: str, **options: Any) -> Any:
        from marsdask.deploy.kubernetes.building import image_name
        from marsdask.deploy.kubernetes.operator import checked_image

        return command(checked_image(image_name(repo, org, tag)), **options)

    return called


def built(command: Any) -> Any:
    """The option that says what builds: the command gets `engine` for it."""

    @click.option(
        "-e",
        "--engine",
        "wanted",
        type=click.Choice(["docker", "podman", "buildah"]),
        help="The first that works, else.",
    )
    @wraps(command)
    def found(name: str, wanted: str | None, **options: Any) -> Any:
        from marsdask.deploy.kubernetes.building import Engine

        return command(name, Engine.found(wanted), **options)

    return named(found)


@image.command("name")
@named
def name_(name: str) -> None:
    """Print what it is called."""
    click.echo(name)


@image.command()
@click.option(
    "-b", "--base", default="", help="An image with this minor version of Python: python:3.X-slim, else."
)
@click.option(
    "-a",
    "--also",
    multiple=True,
    metavar="PACKAGE",
    help="One that your functions need on workers; may be said again.",
)
@built
def build(name: str, engine: Any, base: str, also: tuple[str, ...]) -> None:
    """Build it."""
    engine.build(name, base=base, also=also)
    click.echo(f"Built {name}")


@image.command()
@built
def push(name: str, engine: Any) -> None:
    """Push it to its registry, which -r says."""
    if name.count("/") < 2:
        raise click.UsageError("push needs the registry: -r REPO")
    engine.push(name)


@image.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@built
def save(name: str, engine: Any, file: Path) -> None:
    """Write it to FILE, an archive for nodes that pull from no registry."""
    engine.save(name, file)


@kubernetes.command("list")
@reaching
@in_namespace
def list_(reach: Reach, namespace: str | None) -> None:
    """List the clusters that `new_cluster` made, and namespaces that are left of some.

    CERTIFICATES tells how long those of a cluster are good for: nothing connects to it after that.
    """
    from marsdask.deploy.kubernetes.removal import Row, clusters
    from marsdask.errors import NotPermitted

    try:
        found = clusters(reach(), namespace)
    except NotPermitted as error:
        hint = "" if namespace else ONE_NAMESPACE
        raise click.ClickException(f"{error}{hint}") from error
    if not found:
        click.echo(f"There are no clusters of marsdask{f' in namespace {namespace}' if namespace else ''}.")
        return
    table = [tuple(name.upper() for name in Row._fields), *found]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        click.echo("  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())


@kubernetes.command()
@reaching
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--node", "nodes", multiple=True, metavar="NAME", help="Only there; may be said again.")
@click.option("--image", default="", help="What looks: marsdask's image, with this version's tag by default.")
@waiting(1, "Seconds to wait for the nodes.")
def clean(reach: Reach, paths: tuple[str, ...], nodes: tuple[str, ...], image: str, timeout: float) -> None:
    """Remove from nodes what killed workers have spilled to PATH, a directory that was given as worker_spill_paths.

    The next worker on the node does so, too. What workers that live have there is left alone. A pod on each node, in a
    namespace of its own, does it. Ends with 1 where a node has not answered.
    """
    from marsdask.deploy.kubernetes.cleaning import clean

    told = clean(reach(), paths, nodes=nodes, image=image, timeout=timeout)
    for line in told:
        click.echo(line)
    raise SystemExit(any(not each.fine for each in told))


@kubernetes.command()
@reaching
@click.argument("namespace")
@click.option("--force", is_flag=True, help="Do without the operator: take its finalizers off.")
@waiting(1, "Seconds to wait.")
def stop(reach: Reach, namespace: str, force: bool, timeout: float) -> None:
    """Stop the clusters in NAMESPACE, and the namespace if it was made for one. Running it twice is fine."""
    from marsdask.deploy.kubernetes.removal import stop_namespace

    click.echo(stop_namespace(reach(), namespace, force=force, timeout=timeout))


@kubernetes.command()
@click.option("--namespace", metavar="NAME", help="A Role for clusters in this namespace, which is there.")
@click.option(
    "--service-type",
    type=click.Choice(SERVICE_TYPES),
    help="How clusters are reached; else NodePort, and through the API where that does not answer.",
)
@click.option("--reader", is_flag=True, help="For a second process that computes only; needs --namespace.")
@click.option("--marsjobs", is_flag=True, help="For a user of `marsdask job` and of `kubectl apply`.")
def rbac(namespace: str | None, service_type: str | None, reader: bool, marsjobs: bool) -> None:
    """Print the least rights that a user of `new_cluster` needs, as YAML for kubectl apply.

    Without --namespace a ClusterRole that may make namespaces; with it a Role, for new_cluster(namespace=NAME,
    existing_namespace=True). Bind it to a user, a group or a service account.
    """
    import yaml

    from marsdask.deploy.kubernetes import rights

    if reader and namespace is None:
        raise click.UsageError("--reader needs --namespace: the one that the cluster is in.")
    if reader and marsjobs:
        raise click.UsageError("--reader and --marsjobs are two Roles: print them one by one.")
    if marsjobs:
        role = rights.jobs(namespace)
    else:
        role = rights.role(service_type, namespace) if not reader else rights.reader(str(namespace))
    click.echo(yaml.safe_dump(role, sort_keys=False), nl=False)
