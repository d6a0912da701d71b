"""Kinds of objects that others may be owned by: an API server has to know them first."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable
from contextlib import closing
from typing import Any

from marsdask.deploy.kubernetes.api import Api, Body, own_namespace
from marsdask.errors import MarsDaskError

PATIENCE = 75.0
"""Seconds; twice the server's 30, and below the 120 of the startup probe."""
PAUSE = 2.0


async def known(
    version: str, kinds: Iterable[str], logger: logging.Logger | logging.LoggerAdapter[Any]
) -> None:
    """Wait until an object that these kinds own may be made.

    Where OwnerReferencesPermissionEnforcement is on, as on OpenShift, the API server lists kinds anew only every 30 s, and
    until then refuses whatever an operator makes for a new kind.
    """
    with closing(Api()) as api:
        namespace, deadline = own_namespace(), time.monotonic() + PATIENCE
        while refused := await asyncio.to_thread(unknown, api, namespace, version, kinds):
            if time.monotonic() > deadline:
                logger.warning("Started, though after %g s %s", PATIENCE, refused)
                return
            logger.info("Waiting: %s", refused)
            await asyncio.sleep(PAUSE)


def unknown(api: Api, namespace: str, version: str, kinds: Iterable[str]) -> str:
    """What the API server says of a kind that it does not know, or nothing. It tries only: nothing is made."""
    common = {"apiVersion": version, "name": "kinds", "blockOwnerDeletion": True}
    owners = [{**common, "kind": kind, "uid": "00000000-0000-0000-0000-000000000000"} for kind in kinds]
    owned: Body = {
        "metadata": {"generateName": "kinds-", "ownerReferences": owners},
        "spec": {"ports": [{"port": 80}]},
    }
    try:
        api.call(api.core.create_namespaced_service, namespace, owned, dry_run="All")
    except MarsDaskError as error:
        return str(error) if "no matches for kind" in str(error) else ""
    return ""
