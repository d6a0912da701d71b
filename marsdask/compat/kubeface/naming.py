"""Names that people and programs read both ways: of jobs, tasks, files and status pages."""

from __future__ import annotations

import collections
import getpass
import hashlib
import itertools
import os
import re
import socket
import string
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from marsdask.errors import ArgumentError


class Stringable:
    """Texts of one shape: made of values, and taken apart again.

    >>> JOB.make_tuple(JOB.make_string(cache_key="run", node_id="node-master", randomness="1f"))
    Job(cache_key='run', node_id='node-master', randomness='1f')
    """

    def __init__(self, name: str, template: str, valid_values: Mapping[str, Sequence[str]] | None = None):
        self.name, self.template, self.valid_values = name, template, dict(valid_values or {})
        self._parts = [(text, field, form) for text, field, form, _ in string.Formatter().parse(template)]
        self.fields = list(dict.fromkeys(field for _, field, _ in self._parts if field))
        self._numbers = {field for _, field, form in self._parts if field and str(form).endswith("d")}
        named_tuple: Any = collections.namedtuple
        self.tuple_class = named_tuple(name, self.fields)
        self._pattern = re.compile("".join(self._patterns()), re.DOTALL)

    def _patterns(self) -> Iterable[str]:
        met: set[str] = set()
        for text, field, _ in self._parts:
            yield re.escape(text)
            if field:
                inside = r"\d+" if field in self._numbers else ".+?"
                yield f"(?P={field})" if field in met else f"(?P<{field}>{inside})"
                met.add(field)

    def make_string(self, values: Any = None, **fields: Any) -> str:
        """The text of a tuple, or of the values of all fields."""
        given = values._asdict() if values is not None else fields
        if set(given) != set(self.fields):
            raise ArgumentError(
                f"{self.name}: got {', '.join(given) or 'no field'}; expected {', '.join(self.fields)}."
            )
        for field, allowed in self.valid_values.items():
            if given[field] not in allowed:
                raise ArgumentError(
                    f"{self.name}({field}={given[field]!r}): expected one of {', '.join(allowed)}."
                )
        return self.template.format(**given)

    def make_tuple(self, text: str) -> Any:
        """The values of a text, a tuple with names; ArgumentError where it has another shape."""
        found = self._pattern.fullmatch(text)
        if found is None:
            raise ArgumentError(f"{text!r} is no name of a {self.name}: expected {self.template!r}.")
        values = found.groupdict()
        return self.tuple_class(**{f: int(v) if f in self._numbers else v for f, v in values.items()})

    def prefix(self, **choices: Sequence[str] | None) -> str:
        """How all texts with one of these values begin."""
        begin = ""
        for text, field, _ in self._parts:
            begin += text
            if field:
                options = self._options(field, choices)
                if not options:
                    return begin
                begin += _common(options)
                if len(set(options)) > 1:
                    return begin
        return begin

    def prefixes(self, max_prefixes: int = 1, **choices: Sequence[str] | None) -> list[str]:
        """The same, as up to so many beginnings that are longer."""
        chosen: list[dict[str, Sequence[str]]] = [{}]
        for field in self.fields:
            options = self._options(field, choices)
            if not options or len(chosen) * len(options) > max_prefixes:
                break
            chosen = [{**each, field: [option]} for each in chosen for option in options]
        return list(dict.fromkeys(self.prefix(**{**choices, **each}) for each in chosen))

    def _options(self, field: str, choices: Mapping[str, Sequence[str] | None]) -> list[str]:
        return [str(each) for each in choices.get(field) or self.valid_values.get(field, ())]


def _common(texts: Sequence[str]) -> str:
    """How all of them begin."""
    alike = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in alike)


JOB = Stringable("Job", "{cache_key}::{node_id}::{randomness}")
TASK = Stringable("Task", "{cache_key}::{task_num:06d}")
TASK_INPUT = Stringable("TaskInput", "input::{task_name}")
TASK_RESULT = Stringable(
    "TaskResult", "result::{task_name}+{attempt_num}+{queue_time}+{result_time}++{result_type}",
    {"result_type": ["value", "exception"]},
)  # fmt: skip
JOB_STATUS_PAGE = Stringable(
    "JobStatusPage", "{status}::{format}::{job_name}.{format}",
    {"format": ["html", "json"], "status": ["active", "done"]},
)  # fmt: skip
REMOTE_OBJECT = Stringable("RemoteObject", "object::{cache_key_prefix}::{node_id}::{num}-{randomness}")

# Where pickles look for them.
Job, JobStatusPage = JOB.tuple_class, JOB_STATUS_PAGE.tuple_class


def hash_value(s: Any, characters: int = 8) -> str:
    """The beginning of a digest.

    >>> hash_value("a")
    '86f7e437'
    """
    return hashlib.sha1(str(s).encode()).hexdigest()[:characters]


def make_cache_key_prefix() -> str:
    """A new name that says who began when. Docker takes no folder with ':' in it, so the time has none."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no entry for this number, as in many containers
        user = str(os.getuid())
    when = time.strftime("%Y-%m-%d-%H-%M-%S")
    return f"{socket.gethostname()[:8]}-{user}-{when}-{hash_value((time.time_ns(), os.getpid()))}"


def status_prefixes(
    job_names: Sequence[str] | None = None,
    formats: Sequence[str] | None = None,
    statuses: Sequence[str] | None = None,
) -> list[str]:
    """How the names of status pages begin."""
    return JOB_STATUS_PAGE.prefixes(max_prefixes=4, job_name=job_names, format=formats, status=statuses)


def sanitize(name: str) -> str:
    """A name that Kubernetes takes."""
    return re.sub(r"[.:_]", "-", name).lower()
