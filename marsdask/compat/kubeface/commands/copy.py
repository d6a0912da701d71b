"""Copy a file between folders and buckets."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence

from marsdask.compat.kubeface import serialization, storage
from marsdask.compat.kubeface.common import add_logging_args, configure_logging, log


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    made = argparse.ArgumentParser(prog="kubeface-copy", description=__doc__)
    made.add_argument("source", help="path or URL")
    made.add_argument("destination", help="path or URL, or - for standard output")
    made.add_argument(
        "--print-deserialized",
        action="store_true",
        help="print the value that is in it; runs code of whoever wrote it",
    )
    made.add_argument("--no-error", action="store_true", help="end with 0 where there is no such file")
    add_logging_args(made)
    return made


def run(argv: Sequence[str] | None = None) -> None:
    """The command."""
    args = parser().parse_args(argv)
    configure_logging(args)
    try:
        content = storage.get(args.source).read()
    except FileNotFoundError:
        print(f"{args.source}: there is no such file", file=sys.stderr)
        sys.exit(0 if args.no_error else 1)
    if args.print_deserialized:
        print(serialization.loads(content))
    if args.destination != "-":
        storage.put(args.destination, io.BytesIO(content))
        log.info("Wrote: %s", args.destination)
    elif not args.print_deserialized:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()


if __name__ == "__main__":
    run()
