"""Certificates: those of the options and the configuration, and temporary ones of our own making."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click
import dask

from marsdask.deploy.options import warning
from marsdask.deploy.running import refuse
from marsdask.engine.address import is_loopback
from marsdask.errors import MissingExtra

FILES = {"tls_ca_file": "ca.pem", "tls_cert": "cert.pem", "tls_key": "key.pem"}
"""Options, and what their files are called where we make them."""


def configure(role: str, given: Mapping[str, Any]) -> None:
    """Put the files of `--tls-ca-file`, `--tls-cert` and `--tls-key` into Dask's configuration for `role`.

    Raises click's error where one of the three is missing, also from the configuration.
    """
    keys = {
        "tls_ca_file": "distributed.comm.tls.ca-file",
        "tls_cert": f"distributed.comm.tls.{role}.cert",
        "tls_key": f"distributed.comm.tls.{role}.key",
    }
    said = {key: given[name] for name, key in keys.items() if given[name]}
    if not said:
        return
    dask.config.set(said)
    # A key may be in the file of the certificate.
    needed = {"--tls-ca-file": keys["tls_ca_file"], "--tls-cert": keys["tls_cert"]}
    missing = [option for option, key in needed.items() if not dask.config.get(key, None)]
    why = f"{' and '.join(missing)}: missing. A certificate needs its authority, and the other way round."
    refuse(missing, why)
    dask.config.set({"distributed.comm.require-encryption": True})


def security(role: str) -> Any:
    """Dask's `Security` of the configuration, and whether it encrypts: None if it does not.

    Raises click's error where the files hold no certificate that works.
    """
    from distributed.security import Security

    found = Security()
    if not getattr(found, f"tls_{role}_cert") and not found.require_encryption:
        return None
    try:
        context = found.get_connection_args(role).get("ssl_context")
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise click.UsageError(
            f"--tls-ca-file, --tls-cert, --tls-key: no certificate that works ({error}). Expected PEM files, and the key of this certificate."
        ) from error
    refuse(
        context is None,
        f"encryption is required (distributed.comm.require-encryption) and there is no certificate for a {role}: "
        "give --tls-ca-file, --tls-cert and --tls-key.",
    )
    return found


def addressed(address: str, security: Any) -> str:
    """`address` with a scheme. Raises click's error where one side is encrypted and the other not, which no waiting changes."""
    scheme = address.partition("://")[0] if "://" in address else ""
    refuse(
        security is None and scheme in ("tls", "wss"),
        f"{address} is encrypted and there is no certificate: give --tls-ca-file, --tls-cert and --tls-key.",
    )
    refuse(
        security is not None and security.require_encryption and scheme in ("tcp", "ws"),
        f"{address} is not encrypted, and certificates are given: leave out --tls-ca-file, --tls-cert and --tls-key, or "
        f"give tls:// as the supervisor's scheme.",
    )
    return address if scheme else f"{'tls' if security is not None else 'tcp'}://{address}"


def make_temporary(folder: Path) -> None:
    """Write an authority, a certificate and its key into a directory of this user only, and configure them."""
    from distributed.security import Security

    try:
        made = Security.temporary()
    except ImportError as error:
        raise click.UsageError(str(MissingExtra.needed("cryptography", "tls", "--tls-temporary"))) from error
    texts = (made.tls_ca_file, made.tls_scheduler_cert, made.tls_scheduler_key)
    for file, text in zip(FILES.values(), texts, strict=True):
        with os.fdopen(os.open(folder / file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(text)
    for role in ("scheduler", "worker", "client"):
        configure(role, {option: str(folder / file) for option, file in FILES.items()})


def told(folder: Path, address: str) -> str:
    """What to type for workers and clients of a supervisor with temporary certificates."""
    exports = [
        f"  export DASK_DISTRIBUTED__COMM__TLS__{name}={folder / file}"
        for name, file in zip(("CA_FILE", "CLIENT__CERT", "CLIENT__KEY"), FILES.values(), strict=True)
    ]
    options = " ".join(f"--{name.replace('_', '-')} {folder / file}" for name, file in FILES.items())
    lines = [
        f"Certificates of this cluster, until it ends: {folder} (copy them to other machines by a safe way)",
        "Workers:",
        f"  mars-worker -s {address} {options}",
        "Clients:",
        *exports,
        f"  python -c 'import marsdask; print(marsdask.new_session(\"{address}\"))'",
    ]
    return "\n".join(lines)


def open_to_all(addresses: Iterable[str]) -> list[str]:
    """Those of bound `host:port` that other machines may reach, each once."""
    return [each for each in dict.fromkeys(addresses) if not is_loopback(each.rpartition(":")[0].strip("[]"))]


def warn_if_open(addresses: Iterable[str]) -> None:
    """Say it loudly where an unencrypted port is bound to more than loopback: who reaches it runs code here."""
    if found := open_to_all(addresses):
        warning(
            f"{', '.join(found)}: NOT ENCRYPTED and open to the network. Whoever can connect runs programs here as "
            "this user. Cure: --tls-ca-file, --tls-cert and --tls-key (or --tls-temporary of the supervisor), "
            "-H 127.0.0.1 on a single machine, or a firewall that lets in only the machines of the cluster."
        )
