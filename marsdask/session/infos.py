"""What a session can tell of the chunks it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from dask.sizeof import sizeof

from marsdask.errors import ArgumentTypeError
from marsdask.plan import graph
from marsdask.session.results import Result, data_of

Chunk = Mapping[str, Any]
FIELDS: dict[str, Callable[[Chunk], Any]] = {
    "data_key": itemgetter("key"),
    "object_id": itemgetter("key"),
    "object_refs": lambda chunk: list(chunk["workers"]),
    "level": itemgetter("level"),
    "memory_size": itemgetter("bytes"),
    "store_size": itemgetter("bytes"),
    "bands": lambda chunk: [(worker, "numa-0") for worker in chunk["workers"]],
}
"""What `fetch_infos` tells of a chunk: its key (Dask knows a chunk by nothing else), the workers that hold it, "memory" or
"disk", its bytes in memory (also as `store_size`: nobody counts what a serialized chunk takes)."""


def of_chunks(
    client: Any, address: str, result: Result, fields: Sequence[str] | None
) -> dict[str, list[Any]]:
    """The `fields` of each chunk of executed data, as one list for each field."""
    wanted = list(FIELDS) if fields is None else [fields] if isinstance(fields, str) else list(fields)
    for name in wanted:
        if name not in FIELDS:
            raise ArgumentTypeError.unknown_keyword("fetch_infos", str(name), FIELDS)
    held = data_of(result.collection)
    if client is not None:
        chunks = _on_workers(client, held)
    else:
        chunks = [
            {"key": str(k), "workers": [address], "level": "memory", "bytes": int(sizeof(data))}
            for k, data in zip(graph.keys_of(result.collection), held, strict=True)
        ]
    return {name: [FIELDS[name](chunk) for chunk in chunks] for name in wanted}


def _on_workers(client: Any, held: Sequence[Any]) -> list[Chunk]:
    keys = [future.key for future in held]
    where = client.who_has(list(held))

    # Of its own so that it travels by value, and needs nothing there.
    def stored(keys: Sequence[Any], dask_worker: Any) -> dict[Any, tuple[str, int]]:
        slow = getattr(dask_worker.data, "slow", ())
        tasks = dask_worker.state.tasks
        return {k: ("disk" if k in slow else "memory", tasks[k].get_nbytes()) for k in keys if k in tasks}

    told = {key: facts for found in client.run(stored, keys).values() for key, facts in found.items()}
    return [
        {"key": str(k), "workers": list(where.get(k, ())), "level": told[k][0], "bytes": told[k][1]}
        for k in keys
    ]
