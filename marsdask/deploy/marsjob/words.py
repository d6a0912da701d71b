"""Commands that start Mars, as containers have them, and the same that start marsdask.

`mars-supervisor` and `mars-worker` take the options of both generations of Mars, so that only the words before them change.
What the pods of a cluster are told anyway, addresses and ports, is left out and said.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from marsdask.deploy import supervisor, worker
from marsdask.deploy.marsjob.definition import SCHEDULER, WEB, WORKER
from marsdask.deploy.marsjob.faults import Faults, shown
from marsdask.deploy.options import REFUSED, Oddity
from marsdask.errors import near

COMMANDS: dict[str, click.Command] = {SCHEDULER: supervisor.main, WORKER: worker.main}
SPELLED = {SCHEDULER: "mars-supervisor", WORKER: "mars-worker"}
ROLE_OF = {"scheduler": SCHEDULER, "supervisor": SCHEDULER, "worker": WORKER, "web": WEB}

_MODULE = r"(?:/srv/entrypoint\.sh|(?:\S*/)?python[0-9.]*\s+-m)\s+mars\.deploy\.(?:kubernetes|oscar)\.(?P<module>scheduler|supervisor|worker|web)"
_SCRIPT = r"(?:\S*/)?mars-(?P<script>scheduler|supervisor|worker|web)"
STARTS_MARS = re.compile(rf"(?<!\S)(?:{_MODULE}|{_SCRIPT})(?![^\s;&|)])")
STARTS_OURS = re.compile(
    r"(?<!\S)(?:\S*/)?(?:(?:marsdask\s+|dask[ -])(?P<role>scheduler|supervisor|worker))(?!\S)"
)
GIVES_WAY = re.compile(r"(?:^|&&|\|\||[;(\n])\s*(?:\w+=\S*\s+)*$")
"""What may stand before a command of a shell that is to take its place."""
SHELLS = ("sh", "bash", "dash", "ash")
MEMORY = frozenset(worker.MEMORY)
"""Options of a worker that say what `MemoryPolicy.of_options` reads."""
WIRED = frozenset(
    (
        "host", "port", "advertise", "endpoint", "supervisors", "scheduler_file", "scheduler_sni", "web_port",
        "dashboard_address", "interface", "name", "listen_address", "contact_address", "protocol", "nanny_port",
    )
)  # fmt: skip
"""Options that say what something is called, where it listens and where it looks: the pods of a cluster know."""
SECURE = "give the annotation marsdask.org/security: tls"
SETTINGS = "give settings as variables of the container, such as DASK_DISTRIBUTED__..."
ELSEWHERE = {
    "config": SETTINGS,
    "config_file": SETTINGS,
    "n_worker": "a job's workers are the replicas of its role Worker",
    "nworkers": "a job's workers are the replicas of its role Worker",
    "idle_timeout": "give the annotation marsdask.org/idle-timeout",
    "tls_temporary": SECURE,
    "tls_ca_file": SECURE,
    "tls_cert": SECURE,
    "tls_key": SECURE,
    "worker_class": "workers of a job spill as its memory block says, which another class does not",
}
"""Options of which a job says the same in another place."""


@dataclass(frozen=True)
class Start:
    """What a container is to run: `command` and `args` of its spec, None where that leaves them out."""

    command: list[str] | None
    args: list[str] | None
    options: dict[str, str] = field(default_factory=dict)
    """Options of a worker that belong into its pod: those of memory, and `n_cpu`."""
    of_mars: bool = False
    """Whether it started Mars, of which an image cannot have marsdask in it."""
    passed: bool = False
    """Whether it is the job's own command of Dask or marsdask, as it is."""


def start(
    container: Mapping[str, Any], role: str, ours: Sequence[str], path: str, faults: Faults, notes: list[str]
) -> Start:
    """How the container at `path` starts its role: by `mars-supervisor` or `mars-worker`, its own options and `ours`.

    A command of Dask's or of `marsdask` is taken as it is; what starts neither is a fault.
    """
    command, args = list(container.get("command") or ()), list(container.get("args") or ())
    if not command and not args:
        return Start(None, [SPELLED[role], *ours])
    where = f"{path}.{'command' if command else 'args'}"
    words = [*command, *args]
    script = _script(words)
    text = words[script] if script is not None else shlex.join(words)
    found = list(STARTS_MARS.finditer(text))
    if not found and (theirs := STARTS_OURS.search(text)):
        _check_role(ROLE_OF[theirs["role"]], role, text, where, faults)
        notes.append(f"{where}: {shown(text)} is taken as it is; nothing is added to it.")
        return Start(command or None, args or None, passed=True)
    if len(found) != 1:
        faults(
            where,
            f"{shown(text)} starts {'no' if not found else 'more than one'} Mars or Dask. Expected such as "
            f"'python -m mars.deploy.kubernetes.{'scheduler' if role == SCHEDULER else 'worker'}', or nothing at all.",
        )
        return Start(None, None)
    (mars,) = found
    _check_role(ROLE_OF[mars["module"] or mars["script"]], role, text, where, faults)
    before, after = text[: mars.start()], text[mars.end() :]
    try:
        following = _words(after) if script is not None else shlex.split(after)
    except ValueError as error:
        faults(where, f"{shown(text)} cannot be read: {error}.")
        return Start(None, None, of_mars=True)
    if more := next((word for word in following if isinstance(word, Operator)), None):
        faults(
            where, f"{more!r} follows the options in {shown(text)}: the command of a role has to come last."
        )
        return Start(None, None, of_mars=True)
    options = Options(role, where, faults, notes)
    options.read([str(word) for word in following])
    ran = [SPELLED[role], *ours, *options.kept]
    if script is not None:
        # The shell gives way to it, so that it hears the signal at its pod's end; unless something else runs it.
        gives_way = "exec " if GIVES_WAY.search(before) else ""
        shell = [*words[:script], f"{before}{gives_way}{' '.join(map(_quoted, ran))}", *words[script + 1 :]]
        return Start(None, shell, options.said, of_mars=True)
    return Start(None, [*shlex.split(before), *ran], options.said, of_mars=True)


def _check_role(starts: str, role: str, text: str, where: str, faults: Faults) -> None:
    if starts != role:
        faults(where, f"{shown(text)} starts a {starts}, expected a {role}.")


def _script(words: Sequence[str]) -> int | None:
    """Which of the words a shell is to run, where the first is one."""
    if words[0].rpartition("/")[2] not in SHELLS:
        return None
    flags = [i for i, word in enumerate(words[:-1]) if i and re.fullmatch(r"-[a-z]*c", word)]
    return flags[0] + 1 if flags else None


class Operator(str):
    """A word by which a shell ends a command, or leads it elsewhere."""


def _words(text: str) -> list[str]:
    """The words of a shell's command; what ends it is an `Operator`."""
    reader = shlex.shlex(text.replace("\\\n", " "), posix=True, punctuation_chars="();<>|&\n")
    reader.whitespace_split = True
    reader.whitespace = " \t\r"
    reader.commenters = ""
    found = [Operator(word) if set(word) <= set("();<>|&\n") else word for word in reader]
    while found and isinstance(found[-1], Operator) and not found[-1].strip("\n;"):
        del found[-1]
    return found


def _quoted(word: str) -> str:
    """A word for a shell, in which variables stay what they are."""
    if "$" not in word:
        return shlex.quote(word)
    if re.fullmatch(r"[\w$(){}./:=,@%+-]+", word):
        return f'"{word}"'
    return '"' + re.sub(r'(["\\`])', r"\\\1", word) + '"'


@dataclass
class Options:
    """The options of a command, sorted: `kept` by the command, `said` by its pod instead."""

    role: str
    where: str
    faults: Faults
    notes: list[str]
    kept: list[str] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)

    def read(self, words: Sequence[str]) -> None:
        """Sort them in; what is no option of the role's command is a fault."""
        params = {spelled: each for each in COMMANDS[self.role].params for spelled in each.opts}
        params |= {spelled: each for each in COMMANDS[self.role].params for spelled in each.secondary_opts}
        rest = list(words)
        while rest:
            word = rest.pop(0)
            spelled, equals, value = word.partition("=")
            if not word.startswith("--") and len(word) > 2 and word[:2] in params:
                spelled, equals, value = word[:2], "=", word[2:]
            param = params.get(spelled)
            if not isinstance(param, click.Option):
                what = "there is no such option" if word.startswith("-") else "no option takes it"
                self.faults(self.where, f"{word!r}: {what}.{near(spelled, params)}")
                continue
            values = [] if param.is_flag else [value] if equals else [rest.pop(0)] if rest else []
            if spelled == "--load-modules":
                while rest and not rest[0].startswith("-"):
                    values.append(rest.pop(0))
            if not param.is_flag and not values:
                self.faults(self.where, f"{spelled} has no value.")
            else:
                self._sort(param, spelled, values)

    def _sort(self, param: click.Option, spelled: str, values: list[str]) -> None:
        name, text = str(param.name), " ".join([spelled, *values])
        oddity = getattr(param.callback, "__self__", None)
        if isinstance(oddity, Oddity):
            if oddity in REFUSED:
                self.faults(self.where, f"{text} cannot be honoured: {oddity.reason}")
            elif values != [oddity.harmless]:
                self.notes.append(f"{self.where}: {text} has no effect: {oddity.reason}.")
        elif name in ELSEWHERE:
            self.faults(self.where, f"{text} cannot be kept: {ELSEWHERE[name]}.")
        elif name in WIRED:
            self.notes.append(
                f"{self.where}: {text} is left out: the pods of a cluster know their names, addresses and ports."
            )
        elif self.role == WORKER and name in (*MEMORY, "n_cpu"):
            if "$" in "".join(values):
                why = "expected a number, not what a shell works out: its pod is made by that"
                self.faults(self.where, f"{text}: {why}.")
            elif name in self.said:
                self.faults(self.where, f"{text}: it is said twice.")
            else:
                if name == "n_cpu":
                    self._check(param, values[0], text)
                self.said[name] = values[0]
        else:
            for value in values:
                self._check(param, value, text)
            self.kept += [word for value in values for word in (spelled, value)] if values else [spelled]

    def _check(self, param: click.Option, value: str, text: str) -> None:
        """A fault where the option cannot take it. Files are those of the image; what a shell works out is not known."""
        if isinstance(param.type, click.Path) or "$" in value:
            return
        try:
            param.type.convert(value, param, None)
        except click.BadParameter as error:
            self.faults(self.where, f"{text}: {error.message}")
