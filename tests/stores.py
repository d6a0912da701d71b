"""Object stores for tests: servers of S3 and of Google's on this machine, which keep everything in memory."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import fsspec
import pytest

from marsdask.remote.durable import Client
from tests.processes import serving

BUCKET = "bucket"
LOOPBACK = "127.0.0.1"
# Else gcsfs asks by gRPC what the server does not know.
SIMPLE = {"GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false"}


@dataclass
class Store:
    """A server with an empty bucket."""

    url: str
    options: dict[str, Any]
    environment: dict[str, str]
    """What says the same to a process that is not told."""

    def client(self, *, name: str = "default", **given: Any) -> Client:
        return Client(
            self.url, **{"cluster": "threads", "name": name, "storage_options": self.options, **given}
        )

    def fresh(self) -> Any:
        """A file system as another process has it, which has heard of nothing."""
        protocol = self.url.partition("://")[0]
        return fsspec.filesystem(protocol, skip_instance_cache=True, **self.options)

    def path(self, *parts: str) -> str:
        return "/".join((self.url.partition("://")[2], *parts))


@contextlib.contextmanager
def s3() -> Iterator[Store]:
    pytest.importorskip("s3fs", reason="no S3: make test-stores")
    pytest.importorskip("moto.server", reason="no server for S3: make test-stores")
    with serving("-m", "moto.server", "-H", LOOPBACK, "-p", "{port}") as url:
        options = {"endpoint_url": url, "key": "testing", "secret": "testing"}
        environment = {
            "AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "us-east-1",
        }  # fmt: skip
        store = Store(f"s3://{BUCKET}/some/folder", options, environment)
        store.fresh().mkdir(BUCKET)
        yield store


@contextlib.contextmanager
def gs(address: str = LOOPBACK) -> Iterator[Store]:
    """At an address that may be another's, which other machines and pods reach."""
    # One connection at a time is what it has by itself, and those that are kept open wait for each other.
    start = "import http.server as h; h.HTTPServer = h.ThreadingHTTPServer; "
    start += "from gcp_storage_emulator.server import create_server as c; "
    start += f"c({address!r}, {{port}}, in_memory=True, default_bucket={BUCKET!r}).run()"
    with serving("-c", start, host=address) as url, pytest.MonkeyPatch.context() as patch:
        options = {"endpoint_url": url, "token": "anon"}
        for each in SIMPLE.items():
            patch.setenv(*each)
        yield Store(f"gs://{BUCKET}/some/folder", options, {"STORAGE_EMULATOR_HOST": url, **SIMPLE})
