"""Jobs as files have them: YAML or JSON, one or several in a file."""

from __future__ import annotations

from typing import Any

import yaml

from marsdask.errors import ArgumentError


class Loader(yaml.SafeLoader):
    """YAML as Kubernetes reads it, where a key twice is an error: PyYAML alone takes the last without a word."""

    def construct_mapping(  # as PyYAML calls it
        self,
        node: yaml.MappingNode,
        deep: bool = False,  # noqa: FBT001, FBT002
    ) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                continue
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} is there twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


# Dates stay text, as in Kubernetes.
Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def documents(text: str, name: str) -> list[Any]:
    """What a file named `name` holds, without empty documents.

    Raises ArgumentError where it is no YAML, has a tag, or says a key twice: with the line, and before anything is done.
    """
    try:
        found = [each for each in yaml.load_all(text, Loader) if each is not None]
    except yaml.YAMLError as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None) or str(error)
        where = f", line {mark.line + 1}" if mark else ""
        raise ArgumentError(f"{name}{where}: {problem}. Expected YAML or JSON of MarsJobs.") from error
    if not found:
        raise ArgumentError(f"{name} is empty. Expected YAML or JSON of a MarsJob.")
    return found
