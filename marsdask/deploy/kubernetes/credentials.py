"""Certificates of a cluster: in a Secret of its namespace, mounted as files, never in an environment value."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marsdask.deploy.kubernetes import names
from marsdask.errors import ArgumentError, ArgumentTypeError, MissingExtra

if TYPE_CHECKING:
    from marsdask.deploy.kubernetes.arguments import Arguments

PATH = "/etc/marsdask/tls"
TOKEN_PATH = "/etc/marsdask/token"
TOKEN, TOKEN_VOLUME = "token", "web-token"
"""The Secret's key of what the pages ask for, which is the file's name below TOKEN_PATH, too."""
VOLUME = "tls"
ROLES = ("scheduler", "worker", "client")
KEYS = ("ca.crt", *(f"{role}.{kind}" for role in ROLES for kind in ("crt", "key")))
"""Of a Secret with everything."""


def made() -> Any:
    """Certificates made here, for one cluster: every part of it and its clients have the same."""
    from distributed.security import Security

    try:
        return Security.temporary()
    except ImportError as error:
        raise MissingExtra.needed(
            "cryptography", "tls", "an encrypted cluster whose certificates are made for you"
        ) from error


def checked(value: Any, name: str) -> Any:
    """False, or a Security of distributed with what scheduler, workers and clients need."""
    from distributed.security import Security

    if value is False:
        return value
    if not isinstance(value, Security):
        raise ArgumentTypeError(
            f"{name}={value!r}: expected None (certificates are made), False (no encryption) or a "
            f"distributed Security, got {type(value).__name__}."
        )
    pairs = [f"tls_{role}_{kind}" for role in ROLES for kind in ("cert", "key")]
    missing = [field for field in ("tls_ca_file", *pairs) if getattr(value, field) is None]
    if missing:
        raise ArgumentError(f"{name}: a Security with {', '.join(missing)} as well was expected.")
    return value


def secret_data(security: Any, *, own: bool) -> dict[str, str]:
    """The Secret's data. Of certificates that are the user's `own`, the client's stay with the user."""
    fields = {"ca.crt": "tls_ca_file"}
    for role in ROLES[:2] if own else ROLES:
        fields |= {f"{role}.crt": f"tls_{role}_cert", f"{role}.key": f"tls_{role}_key"}
    texts = {name: _content(getattr(security, field), field) for name, field in fields.items()}
    texts[TOKEN] = secrets.token_urlsafe(24)
    return {name: base64.b64encode(text.encode()).decode() for name, text in texts.items()}


def end(security: Any) -> datetime | None:
    """When the first of these certificates is no longer good; None where nothing here can read them."""
    try:
        from cryptography import x509
    except ImportError:  # the user's own: those made here need it
        return None
    texts = [
        _content(getattr(security, field), field)
        for field in ("tls_ca_file", *(f"tls_{r}_cert" for r in ROLES))
    ]
    try:
        found = [each for text in texts for each in x509.load_pem_x509_certificates(text.encode())]
    except ValueError as error:
        raise ArgumentError(f"security: its certificates cannot be read: {error}.") from error
    return min(each.not_valid_after_utc for each in found)


def from_secret(data: dict[str, str]) -> Any:
    """What a client needs, from a Secret's data; None where the client's own part is not in it."""
    from distributed.security import Security

    texts = {name: base64.b64decode(value).decode() for name, value in data.items()}
    if "client.key" not in texts:
        return None
    return Security(
        require_encryption=True,
        tls_ca_file=texts["ca.crt"],
        tls_client_cert=texts["client.crt"],
        tls_client_key=texts["client.key"],
    )


def _content(value: Any, field: str) -> str:
    """The text of a certificate: Security holds it, or the path of its file."""
    if "\n" in value:
        return str(value)
    try:
        return Path(value).read_text(encoding="utf-8")
    except OSError as error:
        raise ArgumentError(f"security: {field}={value!r} cannot be read: {error}.") from error


def secret(args: Arguments, security: Any) -> dict[str, Any]:
    """The Secret of a cluster."""
    labels = {**names.MANAGED, names.CLUSTER: args.name}
    own = args.security is not None
    return secret_of(names.secret(args.name), args.namespace, labels, security, own=own)


def secret_of(
    name: str, namespace: str, labels: Mapping[str, str], security: Any, *, own: bool
) -> dict[str, Any]:
    """A Secret of this name, from which pods of any kind mount their certificates."""
    metadata = {"name": name, "namespace": namespace, "labels": dict(labels)}
    return names.body("v1", "Secret", metadata, type="Opaque", data=secret_data(security, own=own))


def env(role: str) -> dict[str, str]:
    """Where a role finds its certificates; tasks that open a client show the role's own."""
    tls = "DASK_DISTRIBUTED__COMM__TLS__"
    found = {
        "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True",
        f"{tls}CA_FILE": f"{PATH}/ca.crt",
        "DASK_MARSDASK__TOKEN_FILE": f"{TOKEN_PATH}/{TOKEN}",
    }
    for side in (role, "client"):
        found[f"{tls}{side.upper()}__CERT"] = f"{PATH}/{role}.crt"
        found[f"{tls}{side.upper()}__KEY"] = f"{PATH}/{role}.key"
    return found


def volumes(role: str, secret: str, *, token_there: bool = True) -> list[dict[str, Any]]:
    """The role's own certificate and key, and the token of the pages, readable by the containers' group and nobody else.

    The pod waits for all of it; of a Secret that somebody else has made the token may not be there.
    """
    items = [{"key": name, "path": name} for name in ("ca.crt", f"{role}.crt", f"{role}.key")]
    source = {"secretName": secret, "defaultMode": 0o440}
    token = {"items": [{"key": TOKEN, "path": TOKEN}], **({} if token_there else {"optional": True})}
    return [
        {"name": VOLUME, "secret": {**source, "items": items}},
        {"name": TOKEN_VOLUME, "secret": {**source, **token}},
    ]


def mounts() -> list[dict[str, Any]]:
    """Where `env` looks for them."""
    paths = {VOLUME: PATH, TOKEN_VOLUME: TOKEN_PATH}
    return [{"name": name, "mountPath": path, "readOnly": True} for name, path in paths.items()]
