"""The node's commands: `python -m tests.kubernetes.node COMMAND`."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence

import click

from tests.kubernetes.node import image, machine, programs
from tests.kubernetes.node.node import Node

FOREIGN, OURS, IMAGE, REASON = (
    f"MARSDASK_TEST_{name}" for name in ("KUBECONFIG", "NODE", "IMAGE", "WHY_NOT")
)


@click.group()
def main() -> None:
    """A Kubernetes node for tests, in a network namespace of its own."""


named = click.option("--name", default="marsdask", show_default=True, help="Of the node and its namespace.")


@main.command()
def build() -> None:
    """Install packages, build the programs and the image; what is there already is kept.

    Nothing for a cluster of your own, in MARSDASK_TEST_KUBECONFIG.
    """
    if FOREIGN in os.environ:
        return
    if reason := machine.cannot() or image.cannot():
        click.echo(f"No node can be here: {reason}")
        return
    prepare()


@main.command()
@named
def up(name: str) -> None:
    """Start a node and leave it running, with the image of this checkout."""
    prepare()
    node = Node(name)
    node.start()
    for archive in image.archives():
        node.load(archive)
    click.echo(f"export KUBECONFIG={node.kubeconfig}\n{' '.join(node.inside)} kubectl get nodes")


@main.command()
@named
def load(name: str) -> None:
    """Build the image again and give it to the running node."""
    image.build()
    Node(name).load(image.archives()[-1])


@main.command()
@named
def down(name: str) -> None:
    """Stop a node and remove everything of it."""
    node = Node(name)
    node.stop()
    node.drop_network()


@main.command(context_settings={"ignore_unknown_options": True})
@named
@click.argument("words", nargs=-1, required=True)
def enter(name: str, words: Sequence[str]) -> None:
    """Run WORDS in the namespace of a running node, with its KUBECONFIG."""
    node = Node(name)
    environment = os.environ | {"KUBECONFIG": str(node.kubeconfig), FOREIGN: str(node.kubeconfig), OURS: name}
    environment.setdefault(IMAGE, image.name())
    sys.exit(subprocess.run([*node.inside, *words], env=environment).returncode)


@main.command(context_settings={"ignore_unknown_options": True})
@click.option("--marsjobs", is_flag=True, help="With the operator of MarsJobs as well.")
@click.argument("words", nargs=-1, required=True)
def run(words: Sequence[str], marsjobs: bool) -> None:
    """Run WORDS, a test runner, beside a node with Dask's operator, in a namespace of its own; removed afterwards.

    `build` has to have run. Where no node can be WORDS run as they are, with the reason in MARSDASK_TEST_WHY_NOT.
    """
    if reason := machine.cannot() or image.cannot():
        sys.exit(subprocess.run(words, env=os.environ | {REASON: reason}).returncode)
    archives, name = image.archives(), image.name()
    if absent := [str(archive) for archive in archives if not archive.exists()]:
        raise click.ClickException(f"there is no {' and no '.join(absent)}. Run: make kubernetes-node")
    node = Node(f"marsdask-{os.getpid()}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as when the gate is ended: the node goes too
    try:
        node.start()
        for archive in archives:
            node.load(archive)
        environment = os.environ | {FOREIGN: str(node.kubeconfig), OURS: node.name, IMAGE: name}
        install = [sys.executable, "-m", "marsdask", "kubernetes", "install", "--image", name]
        install += ["--marsjobs"] if marsjobs else []
        subprocess.run(
            [*node.inside, *install, "--kubeconfig", str(node.kubeconfig)], env=environment, check=True
        )
        code = subprocess.run([*node.inside, *words], env=environment).returncode
    finally:
        node.stop()
        node.drop_network()
    node.check_nothing_left()
    sys.exit(code)


def prepare() -> str:
    """Everything that needs a network and outlives a node; the image's name."""
    machine.install_packages()
    programs.build()
    for version in programs.VERSIONS:
        programs.schemas(version)
    return image.build()


if __name__ == "__main__":
    main()
