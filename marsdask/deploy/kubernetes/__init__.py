"""Clusters on Kubernetes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from marsdask.deploy.kubernetes.client import KubernetesClusterClient, new_cluster
    from marsdask.deploy.kubernetes.cluster import KubernetesCluster
    from marsdask.deploy.kubernetes.config import EmptyDirVolumeConfig, HostPathVolumeConfig

__all__ = [
    "EmptyDirVolumeConfig",
    "HostPathVolumeConfig",
    "KubernetesCluster",
    "KubernetesClusterClient",
    "new_cluster",
]

_MODULES = {
    "EmptyDirVolumeConfig": "config",
    "HostPathVolumeConfig": "config",
    "KubernetesCluster": "cluster",
    "KubernetesClusterClient": "client",
    "new_cluster": "client",
}


def __getattr__(name: str) -> Any:
    # The commands of this package are read by every `marsdask ...`, where distributed and kubernetes are not needed.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    except ModuleNotFoundError as error:
        from marsdask.errors import MissingExtra

        if str(error.name).partition(".")[0] not in ("dask_kubernetes", "kubernetes"):
            raise
        raise MissingExtra.needed(str(error.name), "kubernetes", "a cluster on Kubernetes") from error
