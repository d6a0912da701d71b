"""The backends by the names that `--kubeface-backend` takes."""

from __future__ import annotations

import argparse
from typing import Any

from marsdask.compat.kubeface.backend import Backend
from marsdask.compat.kubeface.kubernetes_backend import KubernetesBackend
from marsdask.compat.kubeface.local_process_backend import LocalProcessBackend, ThreadsBackend
from marsdask.compat.kubeface.local_process_docker_backend import LocalProcessDockerBackend

BACKENDS: dict[str, type[Backend]] = {
    kind.name: kind
    for kind in (LocalProcessBackend, LocalProcessDockerBackend, KubernetesBackend, ThreadsBackend)
}


def add_args(parser: Any) -> Any:
    """Add the options of all backends to a parser."""
    parser.add_argument(
        "--kubeface-backend",
        choices=tuple(BACKENDS),
        default=LocalProcessBackend.name,
        help="where tasks run (%(default)s)",
    )
    for kind in BACKENDS.values():
        kind.add_args(parser)
    return parser


def backend_from_args(args: argparse.Namespace) -> Backend:
    """The backend that was asked for."""
    return BACKENDS[args.kubeface_backend].from_args(args)
