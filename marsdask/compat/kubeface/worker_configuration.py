"""What workers are made of: an image, and what is installed in it before a task."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from typing import Any

from marsdask import checks

POLICIES = ("if-not-present", "always", "never")
RUN_TASK = "_kubeface-run-task"


class WorkerConfiguration:
    """The options `--kubeface-worker-*`."""

    @staticmethod
    def add_args(parser: Any) -> None:
        """Add these options to a parser."""
        add = parser.add_argument
        add("--kubeface-worker-image", default=DEFAULT.image, help="image of workers (%(default)s)")
        add(
            "--kubeface-worker-path-prefix",
            default=DEFAULT.path_prefix,
            help="where commands are in the image",
        )
        add("--kubeface-worker-pip", default=DEFAULT.pip, help="pip's command (%(default)s)")
        add(
            "--kubeface-worker-pip-packages",
            default=list(DEFAULT.pip_packages),
            nargs="+",
            help="packages to install",
        )
        add(
            "--kubeface-worker-kubeface-install-policy",
            choices=POLICIES,
            default=DEFAULT.kubeface_install_policy,
            help="whether to install marsdask (%(default)s)",
        )
        add(
            "--kubeface-worker-kubeface-install-command",
            default=DEFAULT.kubeface_install_command,
            help="how to install marsdask (%(default)s)",
        )

    @staticmethod
    def from_args(args: argparse.Namespace) -> WorkerConfiguration:
        """Of what a parser has found."""
        begin = "kubeface_worker_"
        return WorkerConfiguration(
            **{
                name.removeprefix(begin): value
                for name, value in vars(args).items()
                if name.startswith(begin)
            }
        )

    def __init__(
        self,
        image: str = "continuumio/anaconda3",
        path_prefix: str = "",
        pip: str = "pip",
        pip_packages: Sequence[str] = (),
        kubeface_install_policy: str = "if-not-present",
        kubeface_install_command: str = "{pip} install marsdask",
    ):
        self.image = checks.name(image, "image")
        self.path_prefix = checks.path(path_prefix, "path_prefix")
        self.pip = checks.name(pip, "pip")
        if isinstance(pip_packages, str):  # one, of kubeface's first versions
            pip_packages = pip_packages.split()
        self.pip_packages = [checks.name(each, "pip_packages") for each in pip_packages]
        self.kubeface_install_policy = checks.choice(
            kubeface_install_policy, "kubeface_install_policy", POLICIES
        )
        self.kubeface_install_command = checks.name(kubeface_install_command, "kubeface_install_command")

    def non_default_fields(self) -> set[str]:
        """The names of what is not as it is where nobody says."""
        return {name for name, value in vars(self).items() if value != vars(DEFAULT)[name]}

    def installing(self) -> list[str]:
        """The shell commands that install what a task needs.

        >>> WorkerConfiguration(pip_packages=["keras<3"], kubeface_install_policy="always").installing()
        ['pip install marsdask', "pip install 'keras<3'"]
        """
        pip, run = self._quoted(self.pip), self._quoted(RUN_TASK)
        install = self.kubeface_install_command.replace("{pip}", pip)
        steps = []
        if self.kubeface_install_policy == "if-not-present":
            steps.append(f"{{ command -v {run} > /dev/null || {{ {install} ; }} ; }}")
        elif self.kubeface_install_policy == "always":
            steps.append(install)
        if self.pip_packages:
            steps.append(f"{pip} install {shlex.join(self.pip_packages)}")
        return steps

    def command(self, task_input: str, task_output: str, extra_task_args: Sequence[str] = ()) -> str:
        """The shell command that runs a task, after installing what it needs.

        >>> print(WorkerConfiguration(kubeface_install_policy="never").command("in", "out"))
        _kubeface-run-task in out --verbose
        """
        words = shlex.join([task_input, task_output, "--verbose", *extra_task_args])
        return " && ".join([*self.installing(), f"{self._quoted(RUN_TASK)} {words}"])

    def _quoted(self, command: str) -> str:
        return shlex.quote(os.path.join(self.path_prefix, command))


DEFAULT = WorkerConfiguration()
