"""Encrypted clusters: with certificates of one's own and with temporary ones; who has none stays outside."""

import gc
import os
import re
import stat
import subprocess
import sys
import warnings
from pathlib import Path

import dask
import pytest
from click.testing import CliRunner
from distributed import Client
from distributed.security import Security

from marsdask.deploy import supervisor as module
from marsdask.deploy import tls
from tests.deploy.conftest import registered, supervisor
from tests.processes import PATIENCE

pytest.importorskip("cryptography", reason='no certificates: pip install "marsdask[tls]"')


def files(folder: Path) -> dict[str, str]:
    return {"ca": str(folder / "ca.pem"), "cert": str(folder / "cert.pem"), "key": str(folder / "key.pem")}


@pytest.fixture
def other(tmp_path) -> dict[str, str]:
    """Certificates of another authority."""
    made = Security.temporary()
    for name, text in (
        ("ca", made.tls_ca_file),
        ("cert", made.tls_client_cert),
        ("key", made.tls_client_key),
    ):
        (tmp_path / f"{name}.pem").write_text(text)
    return files(tmp_path)


def client_security(has: dict[str, str]) -> Security:
    return Security(
        tls_ca_file=has["ca"], tls_client_cert=has["cert"], tls_client_key=has["key"], require_encryption=True
    )


@pytest.mark.processes
@pytest.mark.slow
def test_a_secure_cluster_by_one_command(start, other):
    """It prints what to type; that works. No, and wrong certificates, are refused; nothing of it is left."""
    boss, address, web = supervisor(start, "--tls-temporary", "--n-worker", 1, "--n-cpu", 1)
    assert address.startswith("tls://127.0.0.1:")
    registered(web, 1)
    folder = Path(boss.said(r"until it ends: (\S+)"))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()} == {0o600}
    assert "NOT ENCRYPTED" not in boss.text

    program, *words = boss.said(r"mars-worker .*").split()
    worker = start(program, *words, "--n-cpu", 1)
    worker.said(r"Worker at tls://127\.0\.0\.1:\d+")
    assert "NOT ENCRYPTED" not in worker.text

    typed = dict(re.findall(r"export (DASK_\S+)=(\S+)", boss.text))
    code = "import sys, marsdask, marsdask.tensor as mt; marsdask.new_session(sys.argv[1]); print(mt.ones(7).sum().execute().fetch())"
    for where in (address, web):
        done = subprocess.run(
            [sys.executable, "-c", code, where],
            env=os.environ | typed,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.stdout == "7.0\n", done.stderr

    plain = address.replace("tls://", "tcp://")
    for where, security in (
        (address, client_security(other)),
        (plain, None),
        (web.replace("http", "ws"), None),
    ):
        with (
            pytest.raises((OSError, TimeoutError)),
            dask.config.set({"distributed.comm.timeouts.connect": "3s"}),
        ):
            Client(where, security=security, timeout=3, set_as_default=False)
    stranger = start(
        "mars-worker", "-s", address, "--tls-ca-file", other["ca"], "--tls-cert", other["cert"], "--tls-key", other["key"],
        "--death-timeout", "1s",
    )  # fmt: skip
    assert stranger.ended() == 1
    without = start("mars-worker", "-s", address)
    assert without.ended() == 2
    assert "--tls-cert" in without.text
    unaware = start("mars-worker", "-s", address.removeprefix("tls://"))
    assert unaware.ended() == 1
    assert "speaks TLS: give --tls-ca-file" in unaware.text
    assert worker.end() == 0, worker.text
    assert boss.end() == 0
    assert not folder.exists()
    # Dask's clients that were refused leave sockets open: now, and not in the middle of another test.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.mark.processes
@pytest.mark.slow
def test_a_supervisor_with_certificates_of_ones_own(start, other):
    options = ["--tls-ca-file", other["ca"], "--tls-cert", other["cert"], "--tls-key", other["key"]]
    boss, address, _ = supervisor(start, *options)
    worker = start("mars-worker", "-s", address.removeprefix("tls://"), *options, "--n-cpu", 1)
    worker.said(r"Worker at tls://\S+")
    web = start("mars-web", "-H", "127.0.0.1", "-s", address, *options)
    through = web.said(r"Web at (http://\S+),")
    registered(through, 1)
    with Client(address, security=client_security(other), set_as_default=False) as client:
        assert client.submit(sum, [1, 2]).result(PATIENCE) == 3
    assert worker.end() == 0
    assert boss.end() == 0


def test_what_is_open_to_the_network():
    bound = ["127.0.0.1:1", "0.0.0.0:2", "[::1]:3", "[::]:4", "localhost:5", "10.0.0.7:6", "machine:7"]
    assert tls.open_to_all(bound) == ["0.0.0.0:2", "[::]:4", "10.0.0.7:6", "machine:7"]


def test_without_the_package_the_extra_is_named(monkeypatch, own_config):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    done = CliRunner().invoke(module.main, ["-H", "127.0.0.1", "--tls-temporary"])
    assert done.exit_code == 2
    assert "marsdask[tls]" in done.output
