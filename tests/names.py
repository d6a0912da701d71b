"""What a scheduler shows of tasks, and whether people know it."""

from collections.abc import Iterable

from marsdask.plan.registry import OPS
from marsdask.session import Session


def prefixes(session: Session) -> set[str]:
    """The names by which the scheduler has counted tasks since it started."""
    found = session.engine.client.run_on_scheduler(_prefixes)  # type: ignore[attr-defined]
    return set(found)


def _prefixes(dask_scheduler: object) -> list[str]:
    return [
        name for name, prefix in dask_scheduler.task_prefixes.items() if sum(prefix.state_counts.values())
    ]  # type: ignore[attr-defined]


def unknown(found: Iterable[str]) -> set[str]:
    """Those names that are no operation of ours, no step of one and no chain of several."""
    labels = {op.label for op in OPS.values() if op.built}
    labels |= {"dtypes", "shape", "shuffle-barrier"}  # what is asked of results, and Dask's own rechunking
    dotted = {label.replace("-", ".") for label in labels}

    def known(word: str) -> bool:
        word = word.partition("(")[0]  # a function that the operation was given
        return word in labels or word in dotted or word == "..."

    def known_last(word: str) -> bool:
        parts = word.split("-")
        return any(known("-".join(parts[:n])) for n in range(1, len(parts) + 1))

    def fine(name: str) -> bool:
        *first, last = name.split("+")
        return all(map(known, first)) and known_last(last)

    return {name for name in found if not fine(name)}
