"""Show the jobs in a storage, by cache key, or remove their files."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence

from marsdask.compat.kubeface import naming
from marsdask.compat.kubeface.client import Client
from marsdask.compat.kubeface.common import add_logging_args, configure_logging
from marsdask.errors import MarsDaskError, StillActive


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    made = argparse.ArgumentParser(prog="kubeface-job", description=__doc__)
    made.add_argument("jobs", nargs="*", help="names of jobs or cache keys; all")
    made.add_argument("--include-done", action="store_true", help="show also those that are done")
    made.add_argument(
        "--cleanup",
        action="store_true",
        help="remove the files of the cache keys of these jobs, done or not shown",
    )
    add_logging_args(made)
    Client.add_args(made)
    return made


def run(argv: Sequence[str] | None = None) -> None:
    """The command."""
    options = parser()
    args = options.parse_args(argv)
    configure_logging(args)
    try:
        client = Client.from_args(args)
    except MarsDaskError as error:
        options.error(str(error))
    names = args.jobs or None
    found = client.job_summary(names, include_done=args.include_done or args.cleanup)

    def key_of(job: tuple[str, str, str]) -> str:
        return str(naming.JOB.make_tuple(job[2]).cache_key)

    failed = False
    for key, jobs in itertools.groupby(sorted(found, key=key_of), key_of):
        print(key)
        for status, _, name in jobs:
            print(f"  {status:6}  {name}")
        if args.cleanup:
            try:
                client.cleanup_job(name)
                print("  removed")
            except StillActive as error:
                failed = True
                print(f"  {error}")
    sys.exit(int(failed))


if __name__ == "__main__":
    run()
