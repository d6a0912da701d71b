"""What is wrong with a job: all of it at once, each fault by the path of its field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from marsdask.deploy.marsjob.definition import Schema
from marsdask.errors import ArgumentError, ArgumentTypeError, JobRefused, near

Steps = Iterable[str | int]


def spelled(path: str, steps: Steps = ()) -> str:
    """A path as people write it.

    >>> spelled("spec", ["containers", 0, "command"]), spelled("metadata.labels", ["dask.org/x"])
    ('spec.containers[0].command', 'metadata.labels[dask.org/x]')
    """
    for step in steps:
        plain = isinstance(step, str) and not {*".[]/"}.intersection(step)
        path += f".{step}" if plain and path else str(step) if plain else f"[{step}]"
    return path


class Faults:
    """Faults of one job, in the order in which they are found; the same is kept once."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], None] = {}

    def __call__(self, path: str, message: str) -> None:
        self.found[path, message] = None

    def __bool__(self) -> bool:
        return bool(self.found)

    @property
    def causes(self) -> tuple[tuple[str, str], ...]:
        return tuple(self.found)

    @contextmanager
    def of(self, path: str, name: str | None = None) -> Iterator[None]:
        """An error about the value at `path`, which calls it `name` or by its path, becomes a fault."""
        try:
            yield
        except (ArgumentError, ArgumentTypeError) as error:
            self(path, without(str(error), name or path))

    def collect(self, path: str, error: Exception) -> None:
        """The same, called with the error."""
        self(path, without(str(error), path))

    def fits(self, value: Any, schema: Schema, path: str) -> bool:
        """Whether a value is of a `strict` schema; what is not is a fault."""
        before = len(self.found)
        for where, message in misfits(value, schema, path):
            self(where, message)
        return len(self.found) == before

    def refuse(self) -> None:
        """Raise JobRefused with all of them, if there are any."""
        if self.found:
            raise JobRefused(self.causes)


def without(message: str, name: str) -> str:
    """A message of ours whose first words are the value's name, without that.

    >>> without("share=0: expected 1 to 100.", "share"), without("share: expected 1 to 100.", "share")
    ('got 0: expected 1 to 100.', 'expected 1 to 100.')
    """
    rest = message.removeprefix(name)
    return "got " + rest[1:] if rest.startswith("=") else rest.lstrip(": ")


WORDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "boolean": "true or false",
}


def misfits(value: Any, schema: Schema, path: str) -> Iterator[tuple[str, str]]:
    """What of `value` is not of a `strict` schema: path and message of each."""
    import jsonschema

    for error in jsonschema.Draft202012Validator(schema).iter_errors(value):
        where = spelled(path, error.absolute_path)
        given, wanted = error.instance, error.validator_value
        match error.validator:
            case "additionalProperties":
                known = error.schema.get("properties", {})
                for name in given:
                    if name not in known:
                        yield spelled(where, [name]), f"there is no such field here.{near(str(name), known)}"
            case "required":
                for name in wanted:
                    if name not in given:
                        yield spelled(where, [name]), "it is missing."
            case "type":
                kinds = [wanted] if isinstance(wanted, str) else wanted
                yield where, f"got {shown(given)}, expected {' or '.join(WORDS[kind] for kind in kinds)}."
            case "enum":
                yield where, f"got {shown(given)}, expected {', '.join(map(str, wanted))}."
            case "minimum":
                yield where, f"got {given}, expected {wanted} or more."
            case "maximum":
                yield where, f"got {given}, expected {wanted} or less."
            case "minItems" | "minLength":
                yield where, "it is empty."
            case _:
                yield where, f"{error.message}."
    # Booleans count as whole numbers nowhere: jsonschema knows that.


def shown(value: Any, most: int = 80) -> str:
    """A value in a message: of long ones the beginning."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def strict(schema: Mapping[str, Any]) -> Schema:
    """The same for `jsonschema`, which then finds what the API server would drop without a word.

    >>> strict({"type": "object", "properties": {"a": {"x-kubernetes-int-or-string": True}}})["additionalProperties"]
    False
    """
    made: Schema = {}
    for key, value in schema.items():
        if key == "properties":
            made[key] = {name: strict(below) for name, below in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, Mapping):
            made[key] = strict(value)
        elif not key.startswith("x-kubernetes-") and key not in ("format", "default", "description"):
            made[key] = value
    if schema.get("x-kubernetes-int-or-string"):
        made["type"] = ["integer", "string"]
    if "properties" in made and not schema.get("x-kubernetes-preserve-unknown-fields"):
        made.setdefault("additionalProperties", False)
    return made
