"""One map or submission: its results are kept until all are there, and handed out then, as kubeface did."""

from __future__ import annotations

import contextlib
import pickle
import tempfile
import time
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from marsdask import pickles
from marsdask.compat.kubeface import naming
from marsdask.compat.kubeface.result import Result
from marsdask.remote.durable import Failure, JobResults

MEMORY = 2**26
"""Bytes of results that are kept in memory until they are handed out; more go to a temporary file."""


class Feed:
    """The items of a map. It takes one ahead, so that it knows before it gives the last one that it is the last."""

    def __init__(self, items: Iterable[Any]):
        self.items, self.count, self.ended = items, 0, False

    def __iter__(self) -> Iterator[Any]:
        rest = iter(self.items)
        for item in rest:
            for following in rest:
                self.count += 1
                yield item
                item = following
            self.count, self.ended = self.count + 1, True
            yield item
        self.ended = True


class Job:
    """A map that is going on. It is active until `done`, which exhausting or closing what it hands out calls."""

    def __init__(
        self,
        results: JobResults,
        feed: Feed,
        cache_key: str,
        node_id: str,
        num_tasks: int | None = None,
        after: Callable[[], None] = lambda: None,
    ):
        self._results, self._feed, self._after = results, feed, after
        self._kept: Any = None
        self._error: BaseException | None = None  # with which waiting ended
        self._count = 0
        self._failures: dict[int, Failure] = {}
        self.cache_key, self.num_tasks, self.start_time = cache_key, num_tasks, time.time()
        self.job_name = naming.JOB.make_string(cache_key=cache_key, node_id=node_id, randomness=results.job)

    def __repr__(self) -> str:
        return f"<Job {self.job_name}>"

    @property
    def is_waited_for(self) -> bool:
        """Whether all its results are there: `done` takes nothing away from it then."""
        return self._kept is not None

    def wait(self, poll_seconds: float | None = None) -> None:
        """Run all tasks. Where the client does not wait with errors, the first one is raised. Nothing is polled."""
        if self._kept is not None:
            return
        if self._error is not None:
            raise self._error
        # kubeface gives nothing before all is done. What is kept is the job's until it is handed out, for the durable map
        # lets its files' names go with each result; and the map's end is not asked for, for the job is active until then.
        kept: Any = tempfile.SpooledTemporaryFile(max_size=MEMORY)  # noqa: SIM115 - it goes with the job
        try:
            while not (self._feed.ended and self._feed.count == self._count):
                try:
                    value = next(self._results)
                except StopIteration:
                    break
                self._keep(kept, value)
        except BaseException as error:
            self._error = error
            kept.close()
            self.done()
            raise
        self._kept = kept
        weakref.finalize(self, kept.close)

    def _keep(self, kept: Any, value: Any) -> None:
        # An exception was handed out in the place of a result, or is one.
        if isinstance(value, BaseException) and self._count not in self._failures:
            self._failures |= {each.number: each for each in self._results.failed}
        if self._count not in self._failures:
            kept.write(pickles.result(value))
        self._count += 1

    def _ended(self) -> Generator[tuple[Any, Failure | None], None, None]:
        self.wait()
        try:
            self._kept.seek(0)
            for number in range(self._count):
                failure = self._failures.get(number)
                yield (None if failure else pickle.load(self._kept)), failure
        finally:
            self.done()

    def values(self) -> Iterator[Any]:
        """What the function gave back, in order; the first error is raised where it comes."""
        with contextlib.closing(self._ended()) as ended:
            for value, failure in ended:
                if failure is not None:
                    raise failure.error
                yield value

    def results(self) -> Iterator[Result]:
        """The results of submitted tasks, in order; errors are in them."""
        with contextlib.closing(self._ended()) as ended:
            for value, failure in ended:
                if failure is None:
                    yield value
                else:
                    times = self.start_time, time.time()
                    yield Result(*times, None, failure.error, failure.traceback)

    def status_dict(self) -> dict[str, Any]:
        """How far it is."""
        told = {"job_name": self.job_name, "cache_key": self.cache_key, "num_tasks": self.num_tasks}
        return told | self._results.status()

    def done(self) -> None:
        """The job is active no more."""
        if self._kept is not None:
            with contextlib.suppress(Exception):  # its end, for all was handed out
                next(self._results)
        self._results.close()
        self._after()

    def close(self) -> None:
        """Let go what was kept, too."""
        self.done()
        if self._kept is not None:
            self._kept.close()
