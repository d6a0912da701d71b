"""Encrypted connections of Dask, mended: one that breaks ends itself, and no other one.

OpenSSL 3.4 and newer notes in a queue of the thread that it could not write, and Python's `ssl` raises that as an OSError which
leaves the note there (3.13.2 and newer, https://github.com/python/cpython/issues/148594). Whatever is read next in the thread,
and has nothing to read yet, then fails with that error: tornado closes a connection that is well. A scheduler lost its other
workers so, some seconds after one was killed: 5 restarts of a cluster of two in 20 s (Python 3.13.5, OpenSSL 3.5.9).
"""

from __future__ import annotations

import contextlib
import ssl

from tornado.iostream import IOStream, SSLIOStream

_context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
_close_fd = SSLIOStream.close_fd


def _close_and_forget(self: IOStream) -> None:
    """Close the stream's socket, and empty the queue: tornado closes what broke before it reads anything else."""
    _close_fd(self)
    # To refuse ciphers empties it in every Python; `ssl` has no name for that alone. 9 us.
    with contextlib.suppress(ssl.SSLError):
        _context.set_ciphers("")


SSLIOStream.close_fd = _close_and_forget  # type: ignore[method-assign]
