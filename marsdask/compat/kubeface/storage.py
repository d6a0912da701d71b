"""Single files at a path or URL: on this machine, in a bucket, or wherever fsspec reaches."""

from __future__ import annotations

import io
from typing import IO, Any

from marsdask import checks, stored
from marsdask.errors import ArgumentError, BadStorage, MissingExtra


def _place(name: str, what: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    where = checks.path(name, what)
    try:
        fs, path = url_to_fs(where)
    except ImportError as error:
        raise MissingExtra(f"{what}={where!r}: {error}. Hint: pip install that package") from error
    except ValueError as error:
        raise BadStorage.at(where, error, "expected a path, or a URL that fsspec knows") from error
    return fs, str(path)


def is_google_storage_bucket(name: str) -> bool:
    """Whether it is in Google's storage.

    >>> is_google_storage_bucket("gs://bucket/file"), is_google_storage_bucket("/tmp")
    (True, False)
    """
    return name.startswith(("gs://", "gcs://"))


def is_local(name: str) -> bool:
    """Whether only this machine, or only this process, sees it.

    >>> is_local("/tmp"), is_local("file:///tmp"), is_local("s3://bucket")
    (True, True, False)
    """
    scheme, _, rest = name.partition("://")
    return not rest or scheme in ("file", "local", "memory")


def list_contents(prefix: str) -> list[str]:
    """The names, without folders, of what begins with a path."""
    fs, path = _place(prefix, "prefix")
    folder, _, begin = path.rpartition("/")
    if prefix.endswith("/"):  # fsspec drops it
        folder, begin = path.rstrip("/"), ""
    fs.invalidate_cache()
    try:
        found = fs.ls(folder or "/", detail=False)
    except FileNotFoundError:
        return []
    names = (str(each).rstrip("/").rpartition("/")[2] for each in found)
    return sorted(name for name in names if name.startswith(begin) and not stored.UNREADY.search(name))


def put(name: str, input_handle: IO[bytes], **ignored: Any) -> None:
    """Write a file: it is there whole or not at all."""
    fs, path = _place(name, "name")
    stored.put(fs, path, input_handle.read(), sure=False)


def get(name: str, output_handle: IO[bytes] | None = None) -> IO[bytes]:
    """What is in a file: a new handle at its beginning, or else written to `output_handle`."""
    content = stored.get(*_place(name, "name"))
    if output_handle is None:
        return io.BytesIO(content)
    output_handle.write(content)
    return output_handle


def delete(name: str) -> None:
    """Remove a file."""
    fs, path = _place(name, "name")
    fs.rm_file(path)


def move(source: str, dest: str) -> None:
    """Rename a file in one place, or copy it from one place to another and remove it."""
    fs, path = _place(source, "source")
    other, to = _place(dest, "dest")
    if (fs, path) == (other, to):
        raise ArgumentError(f"dest={dest!r}: expected another file than source.")
    stored.put(other, to, stored.get(fs, path), sure=False)
    fs.rm_file(path)


def access_info(name: str) -> str:
    """Where a person finds a file."""
    if is_google_storage_bucket(name):
        return f"https://console.cloud.google.com/storage/browser/{name.partition('://')[2]}"
    return name
