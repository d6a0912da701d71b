"""A cluster on Kubernetes that is made for maps: it ends with its program, or soon after where that is killed.

A file in the storage, `clusters/made/NAMESPACE.json`, says of each who has made it, from before it is made until it is gone.
"""

from __future__ import annotations

import contextlib
import json
import logging
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from marsdask.errors import MarsDaskError
from marsdask.remote.durable.client import IDLE
from marsdask.remote.durable.status import me, state_of
from marsdask.remote.durable.storage import Storage

NAME, FOLDER = "clusters", "made"
EVERY = 10.0
"""Seconds between two words of a program that its cluster, which may have no task for now, is needed."""
LEFT_AFTER = 600.0
"""Seconds after which a namespace without a cluster is left of one, and not about to have one. Machines' clocks differ by less."""

log = logging.getLogger(__name__)


class Pods:
    """The cluster of one program; `api_client` is one of the package kubernetes, None for the current context."""

    def __init__(self, storage: str, options: Mapping[str, Any] | None = None, api_client: Any = None):
        self.storage = Storage.at(storage, NAME, options)
        self.api_client = api_client
        self.cluster: Any = None
        self._over = threading.Event()

    def make(self, **given: Any) -> Any:
        """What `new_cluster` gives for these arguments. What killed programs have left is taken away first."""
        from marsdask.deploy.kubernetes import new_cluster

        self.take_away()
        namespace = f"mars-ns-{uuid.uuid4().hex}"
        with self._api() as api:
            said = {"kubernetes": api.client.configuration.host, "master": me(), "at": time.time()}
        self.storage.make(FOLDER)
        self.storage.put(FOLDER, f"{namespace}.json", json.dumps(said).encode())
        self.cluster = new_cluster(self.api_client, namespace=namespace, idle_timeout=IDLE, **given)
        self._telling = threading.Thread(
            target=self._live, args=(self.cluster,), name="marsdask-map-pods", daemon=True
        )
        self._telling.start()
        return self.cluster

    def _live(self, cluster: Any) -> None:
        """Tell the cluster that this program lives."""
        while not self._over.wait(EVERY):
            cluster.cluster.tell_alive()

    def end(self) -> None:
        """Stop it, if it was made."""
        cluster, self.cluster = self.cluster, None
        self._over.set()
        if cluster is not None:
            self._telling.join()  # its last word may be under way, which a closed connection would make an error
            cluster.stop()
            self._forget(cluster.namespace)

    def _forget(self, namespace: str) -> None:
        self.storage.remove(FOLDER, f"{namespace}.json")

    @contextlib.contextmanager
    def _api(self) -> Iterator[Any]:
        from marsdask.deploy.kubernetes.api import Api

        with contextlib.closing(Api(self.api_client)) as api:
            yield api

    def take_away(self) -> None:
        """Delete the clusters whose programs were killed; what cannot be is told, and stays for the next time."""
        files = self.storage.names(FOLDER)
        if not files:
            return
        with self._api() as api:
            for file in files:
                namespace = file.removesuffix(".json")
                try:
                    said = json.loads(self.storage.read(FOLDER, file))
                    if said["kubernetes"] != api.client.configuration.host or not _left(api, namespace, said):
                        continue
                    _remove(api, namespace)
                    self._forget(namespace)
                except FileNotFoundError:
                    continue  # another program was faster
                except (MarsDaskError, ValueError, KeyError) as error:
                    log.warning(
                        "The cluster in namespace %s, made for maps, could not be taken away: %s",
                        namespace,
                        error,
                    )


def _left(api: Any, namespace: str, said: dict[str, Any]) -> bool:
    """Whether nobody needs a cluster any more: its program was killed on this machine, or it has ended by itself."""
    if state_of({"state": "active", "master": said["master"], "updated": time.time()}) == "lost":
        return True
    return time.time() - said["at"] > LEFT_AFTER and not api.clusters(namespace)


def _remove(api: Any, namespace: str) -> None:
    from marsdask.deploy.kubernetes.names import is_ours
    from marsdask.deploy.kubernetes.removal import remove

    if is_ours(api.namespace(namespace)):
        remove(api, namespace, "mars", own_namespace=True)
        log.info("Took away the cluster in namespace %s, whose program is gone.", namespace)
