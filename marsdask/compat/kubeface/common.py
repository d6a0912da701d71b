"""What modules of kubeface share: logging, running commands, sizes for people."""

from __future__ import annotations

import argparse
import logging
import subprocess
from typing import Any

from marsdask import sizes

log = logging.getLogger("marsdask.compat.kubeface")


def configure_logging(args: Any = None, verbose: bool = False) -> None:
    """Have log lines on standard error: all with `verbose`, only warnings with `args.quiet`."""
    quiet = bool(getattr(args, "quiet", False))
    verbose = verbose or bool(getattr(args, "verbose", False))
    logging.basicConfig(
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        level=logging.DEBUG if verbose else logging.WARNING if quiet else logging.INFO,
    )
    if not verbose:  # Dask tells of each worker that comes
        logging.getLogger("distributed").setLevel(logging.WARNING)


def add_logging_args(parser: argparse.ArgumentParser) -> None:
    """`--quiet` and `--verbose`, which all commands have."""
    parser.add_argument("--quiet", action="store_true", help="log warnings only")
    parser.add_argument("--verbose", action="store_true", help="log everything")


def note(option: str, value: Any, why: str) -> None:
    """Say that an option was accepted and does nothing."""
    log.warning("%s=%r has no effect: %s.", option, value, why)


def check_call(*args: Any, **kwargs: Any) -> None:
    """Run a command; `subprocess.CalledProcessError` where it fails."""
    log.info("Running: %s %s", args, kwargs)
    subprocess.check_call(*args, **kwargs)


def human_readable_memory_size(num: float) -> str:
    """Bytes for people.

    >>> human_readable_memory_size(2048)
    '2 KiB'
    """
    return sizes.shown(num)
