"""How rows of two frames come together: one side prepared and probed by every chunk of the other, or both exchanged by key.

Two large sides meet by the hash of their keys, and rows go home to the chunks of the side whose order counts, unless nobody
looks at the order.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from marsdask.dataframe.joining.merge import MAY_REPEAT, Merge, MergeError, Tuning
from marsdask.dataframe.joining.sieves import sifted, sifted_sides
from marsdask.dataframe.kernels import joins
from marsdask.dataframe.kernels.once import once
from marsdask.dataframe.rows.alignment import example, has_all, known_labels
from marsdask.dataframe.sorting import shuffle
from marsdask.dataframe.sorting.sort import Sort, in_order, only
from marsdask.errors import MarsDaskError
from marsdask.options import options
from marsdask.plan import graph
from marsdask.plan.graph import Chunks
from marsdask.plan.holes import is_open
from marsdask.plan.late import late, whole
from marsdask.plan.lower import Ask, Keep, Question, sized
from marsdask.plan.meta import FrameMeta, Rows, frame_meta, meta
from marsdask.plan.node import Node
from marsdask.plan.passes import Demand
from marsdask.plan.registry import lowered
from marsdask.session import room
from marsdask.sizes import shown

PLACE = "\x00marsdask-place"

BROADCAST_BYTES = 64 * 2**20
"""A side of up to this size goes to every chunk of the other, whatever that is: it takes a worker less than a tenth of a second."""

PIECES = 8
"""A side in up to so many chunks is prepared in each process anew. On two workers, 1.5M rows of TPC-H q12 in two chunks: both have the
table 65 ms after the chunks, where one had it after 45 and the other, to which it travelled while the first worked, after 130."""

SHARE = 8
"""A side that goes to every worker takes up to an eighth of its memory: it is there as chunks, as one frame and as a table."""

EXCHANGE = 4
"""What a byte that is exchanged costs, where a byte that is copied to a worker and prepared costs 1: 5.6 on two processes, two sides of
1e6 rows of h2o's (0.7 CPU s for 1e8 bytes, against 0.12 for each copy), rows on their way home 8."""

GROWS_FROM = 4 * 2**30
"""A side that pandas hashes for each chunk is worth a warning from so many bytes in all on: some ten seconds of a processor."""


def _merge_meta(
    left: FrameMeta, right: FrameMeta, spec: Merge, tuning: Tuning, ordered: bool = True, alike: bool = True
) -> FrameMeta:
    plain, lacking = _unchecked(spec), _may_lack(left, right, spec)
    try:
        met = example(Merge.of, plain, left, right)
        made = example(_with_holes, left, right, plain, lacking) if lacking else met
    except pd.errors.MergeError as error:
        raise error if isinstance(error, MarsDaskError) else MergeError(str(error)) from error
    found = frame_meta(made, math.nan, Rows())
    return found if made.dtypes == met.dtypes else replace(found, met=found.same(met))


def _unchecked(spec: Merge) -> Merge:
    """The same merge where keys of made-up rows may repeat."""
    return spec if spec.validate is None else replace(spec, validate=None)


HOLES = {"left": (1,), "right": (0,), "outer": (0, 1)}
"""In whose columns there may be holes: of the left side (0), of the right side (1)."""


def _may_lack(left: FrameMeta, right: FrameMeta, spec: Merge) -> tuple[int, ...]:
    """The sides in whose columns there may be holes: not one whose labels are known to be all of the other's."""
    sides = HOLES.get(spec.how, ())
    if not (spec.left_index and spec.right_index):
        return sides
    labels = known_labels(left), known_labels(right)
    return tuple(side for side in sides if not has_all(labels[side], labels[1 - side]))


def _with_holes(left: Any, right: Any, spec: Merge, sides: tuple[int, ...]) -> Any:
    """No rows of the dtypes that rows with and without a match have in common: whole numbers are none any more beside holes."""
    met = spec.of(left, right).iloc[:0]
    lone = [spec.of(*(f.iloc[:0] if i == side else f for i, f in enumerate((left, right)))) for side in sides]
    found = zip(*(each.dtypes for each in (met, *lone)), strict=True)
    return graph.with_dtypes(met, [_common(dtypes) for dtypes in found])


def _common(dtypes: tuple[Any, ...]) -> Any:
    plain = all(isinstance(d, np.dtype) and d.kind in "biufO" for d in dtypes)
    mixed = any(d.kind in "bO" for d in dtypes) and len({*dtypes}) > 1
    return dtypes[0] if not plain else np.dtype(object) if mixed else np.result_type(*dtypes)


def _wanted(node: Node, demand: Demand) -> list[set[Any]]:
    """The columns of the two sides that show, or that rows are matched by."""
    columns = [meta(n).names for n in node.args[:2]]
    if demand.columns is None:
        return [set(have) for have in columns]
    seen = demand.columns | ({*columns[0]} & {*columns[1]})
    return [
        {c for c in have if c in seen or c in (keys or ())}
        for have, keys in zip(columns, node.args[2].keys, strict=True)
    ]


def _merge_demands(node: Node, demand: Demand) -> list[Demand]:
    spec, order = node.args[2], demand.order or demand.labels
    found = []
    for child, columns, keys in zip(node.args[:2], _wanted(node, demand), spec.keys, strict=True):
        have = meta(child).columns
        labels = spec.by_index or any(k not in have for k in keys or ())
        found.append(Demand(frozenset(columns) if have.is_unique else None, order, labels))
    return found


def _merge_trim(node: Node, demand: Demand) -> Node:
    left, right, spec, tuning, *ordered = node.args
    less = [only(child, columns) for child, columns in zip((left, right), _wanted(node, demand), strict=True)]
    keep_order = demand.order or demand.labels
    if less[0] is left and less[1] is right and keep_order and demand.dtypes:
        return node
    order = tuple(ordered) if keep_order else (False,)
    return Node(node.op, (*less, spec, tuning, *order), node.kwargs if demand.dtypes else {"alike": False})


@lowered("frame.merge", meta=_merge_meta, demands=_merge_demands, trim=_merge_trim)
def merge_rows(
    left: Chunks, right: Chunks, spec: Merge, tuning: Tuning, ordered: bool = True, alike: bool = True
) -> Any:
    """Matched rows of two frames; labels restart where columns are the keys (`frame.renumber` is put on top).

    `alike`: every chunk has the dtypes of the whole.
    """
    made = yield from _merged(left, right, spec, tuning, ordered)
    # In a chunk in which every row has a match whole numbers stay, and what follows would see other values.
    return graph.even(made) if alike and is_open(graph.promised()) else made


def _merged(left: Chunks, right: Chunks, spec: Merge, tuning: Tuning, ordered: bool) -> Any:
    by_keys = (spec.how == "outer" or spec.sort) and spec.how != "cross"
    if left.count == right.count == 1:
        if by_keys or spec.by_index or spec.checked or not spec.kernel(left.meta, right.meta):
            return graph.per_chunk(spec.of, left, right, lengths="unknown")
        either = spec.how == "inner" and not (ordered and options.row_order == "pandas")
        how = {"spec": spec, "columns": graph.promised().columns.view(), "either": either}
        return graph.per_chunk(partial(_of_two, **how), left, right, lengths="unknown")
    small = max(map(shuffle.bytes_of, (left, right))) <= BROADCAST_BYTES
    if (by_keys and (small or spec.on is None)) or (spec.by_index and spec.flipped):
        graph.rule("merge: in one chunk, the result is sorted")
        return graph.per_chunk(spec.of, graph.gather(left), graph.gather(right), lengths="unknown")
    if by_keys:
        graph.rule("merge: both sides exchanged by key, the result sorted between sampled pivots")
        held = yield Keep(_exchanged(left, right, spec, tuning, ordered=False))
        return (yield from in_order(held, Sort(spec.on))) if ordered else held
    ordered = ordered and options.row_order == "pandas"
    if tuning.method == "auto" and spec.how != "cross":
        left, right, built = yield from _planned(left, right, spec, tuning, ordered=ordered)
    else:
        built = None if tuning.method == "shuffle" and spec.how != "cross" else spec.other
    if built is None or spec.checked:
        graph.rule("merge: both sides exchanged by key")
        if tuning.sift is True:
            left, right = yield from sized(left, right)
        return _exchanged(left, right, spec, tuning, ordered=ordered)
    return _probed(left, right, spec, built, ordered=ordered)


def _planned(
    left: Chunks, right: Chunks, spec: Merge, tuning: Tuning, *, ordered: bool
) -> Generator[Question, Any, tuple[Chunks, Chunks, int | None]]:
    """Both sides, and which of them goes to every chunk of the other (0: left, 1: right), None where both are exchanged.

    Only what decides is asked: a side that is kept takes memory.
    """
    frames, other = [left, right], spec.other
    kernel = spec.kernel(left.meta, right.meta)
    either = kernel and spec.validate in MAY_REPEAT and (spec.how == "inner" or not ordered)
    built = None
    if spec.checked:
        frames = list((yield from sized(*frames)))
    elif frames[other].count == 1:
        built = other
    elif either and not ordered and frames[1 - other].count == 1:
        built = 1 - other
    elif shuffle.most_bytes_of(frames[other]) <= BROADCAST_BYTES:
        built = other  # whatever its size is: to ask is a round of its own, 20 ms on a cluster
    else:
        (frames[other],) = yield from sized(frames[other])
        if shuffle.bytes_of(frames[other]) <= BROADCAST_BYTES:
            built = other
        else:
            frames = list((yield from sized(*frames)))
            nbytes = yield from _weighed(frames)
            sift = sifted_sides(frames, spec, tuning)
            built = _cheapest(frames, nbytes, other, sift, kernel=kernel, either=either, ordered=ordered)
    return frames[0], frames[1], built


def _weighed(frames: list[Chunks]) -> Generator[Ask, Any, list[float]]:
    """About how many bytes each of two sides has; where there are texts by the rows of its longest chunk."""
    nbytes, longest = [shuffle.bytes_of(f) for f in frames], {}
    for side, frame in enumerate(frames):
        if any(getattr(d, "kind", "O") == "O" for d in frame.meta.dtypes):
            one = graph.chosen(frame, [int(np.argmax(frame.lengths or ()))])
            longest[side] = graph.per_chunk(_row_bytes, one, label="bytes", lengths=None)
    if longest:
        found = yield Ask(*longest.values())
        for side, told in zip(longest, found if len(longest) > 1 else [found], strict=True):
            nbytes[side] = max(nbytes[side], told[0] * sum(frames[side].lengths or ()))
    return nbytes


def _row_bytes(chunk: Any) -> float:
    return graph.nbytes(chunk) / max(len(chunk), 1)


def _cheapest(
    frames: list[Chunks], nbytes: list[float], other: int, sift: list[int], *, kernel: bool, either: bool, ordered: bool
) -> int | None:  # fmt: skip
    """The one rule: which side of so many bytes goes to every chunk of the other, None where both are exchanged by key.

    A side costs its bytes once for each worker, or for each chunk where pandas prepares it anew, and must fit a share of a
    worker's memory. An exchange costs the bytes of both sides, where one is sifted once and then no more than of the other;
    and where the order counts, rows that go home cost those of the side whose order it is.
    """
    where = room.room()
    most = min(options.gather_limit / 2, where.memory * max(where.threads, 1) / where.workers / SHARE)
    main = 1 - other
    home = EXCHANGE * nbytes[main] * ordered
    copies = where.workers if kernel else max(where.workers, frames[main].count)
    travel = [min(nbytes) if side in sift else nbytes[side] for side in (0, 1)]
    costs: dict[int | None, float] = {
        None: EXCHANGE * sum(travel) + sum(nbytes[side] for side in sift) + home
    }
    if nbytes[other] <= most:
        costs[other] = nbytes[other] * copies
    if either and nbytes[main] <= most:
        costs[main] = nbytes[main] * copies + home
    return min(costs, key=costs.__getitem__)


def _probed(left: Chunks, right: Chunks, spec: Merge, side: int, *, ordered: bool) -> Chunks:
    """The rows where one side, 0 or 1, goes to every chunk of the other."""
    frames = [left, right]
    probing = frames[1 - side]
    one = graph.gather(frames[side])
    what = f"{('left', 'right')[side]} side"
    if one.known:
        what += f" of {shown(int(shuffle.bytes_of(frames[side])))}"
    if probing.count == 1 or not spec.kernel(left.meta, right.meta):
        graph.rule(f"merge: the {what} to every chunk of the other")
        again = shuffle.bytes_of(frames[side]) * probing.count
        if spec.how != "cross" and probing.count > 1 and GROWS_FROM <= again < math.inf:
            graph.warning(
                f"it is hashed anew for each of {probing.count} chunks, {shown(int(again))} in all, which grows faster than "
                "the data. Hint: fewer chunks, or method='shuffle'."
            )
        return graph.per_chunk(spec.of, *((one, right) if side == 0 else (left, one)), lengths="unknown")
    probed = partial(_of_chunk, spec=spec, side=side, columns=graph.promised().columns.view())
    if (side == spec.other or (spec.how == "inner" and not ordered)) and _in_each_process(frames[side]):
        graph.rule(f"merge: the {what} prepared once in each process, and probed by every chunk of the other")
        pieces = [graph.chosen(frames[side], [i]) for i in range(frames[side].count)]
        return graph.per_chunk(probed, probing, *pieces, lengths="unknown")
    graph.rule(f"merge: the {what} prepared once, and probed by every chunk of the other")
    built = graph.per_chunk(joins.Built, one, spec.keys[side] or (), label="build", lengths=None)
    if side != spec.other and spec.how != "inner":
        return _with_unmatched(probing, built, partial(_met_and_seen, **probed.keywords))
    if side == spec.other or not ordered:
        return graph.per_chunk(probed, probing, built, lengths="unknown")
    graph.rule("matched rows go home to the chunks of the left side")
    starts = np.cumsum([0, *(frames[side].lengths or ())][: frames[side].count]).astype("i8")
    placed = graph.per_chunk(partial(_placed, probed=probed), probing, built, starts, lengths=None)
    return shuffle.home(placed, len(starts), (math.nan,) * len(starts), labels=False)


def _with_unmatched(probing: Chunks, built: Chunks, met: Any) -> Chunks:
    """Matched rows of each chunk, and in one more chunk the prepared rows that have no match in any.

    Of TPC-H q13, 150,000 rows on the left and 1.5M on the right in two chunks: 190 ms of CPU come to 154, of wall 160 to 104.
    """
    graph.rule("rows without a match stand in a chunk of their own")
    both = graph.per_chunk(met, probing, built, lengths=None)
    seen = graph.tree(graph.per_chunk(itemgetter(1), both, lengths=None), _either)
    alone = partial(_unmatched, other=probing.empty, **met.keywords)
    matched = graph.per_chunk(itemgetter(0), both, lengths="unknown")
    return graph.joined(matched, graph.per_chunk(alone, built, seen, lengths="unknown"))


def _either(seen: list[np.ndarray]) -> np.ndarray:
    return np.bitwise_or.reduce(seen)  # type: ignore[no-any-return]


def _met_and_seen(chunk: Any, built: joins.Built, **how: Any) -> tuple[Any, np.ndarray]:
    """Matched rows of a chunk, and which prepared rows are among them, as bits."""
    inner = replace(how["spec"], how="inner")
    rows, places = _met(chunk, built, np.arange(len(built.frame)), **{**how, "spec": inner}, main=how["side"])
    seen = np.zeros(len(built.frame), dtype=bool)
    seen[places] = True
    return whole(rows), np.packbits(seen)


def _unmatched(
    built: joins.Built, seen: np.ndarray, *, other: Any, spec: Merge, side: int, columns: Any
) -> Any:
    """The prepared rows that were not seen, beside holes."""
    rows = built.frame[np.unpackbits(seen, count=len(built.frame)) == 0]
    pairs = joins.Pairs(None, np.full(len(rows), -1))
    how = {"first": side == 0, "inner": False, "indicator": bool(spec.indicator)}
    return whole(joins.Built(other, []).joined(rows, pairs, spec.shared, columns, **how))


@late
def _of_two(left: Any, right: Any, *, spec: Merge, columns: Any, either: bool) -> Any:
    """Matched rows of two frames. `either`: whether the order of the left side does not count, so that the smaller one is prepared."""
    frames, side = (left, right), spec.other
    if either and spec.validate in MAY_REPEAT and len(frames[1 - side]) < len(frames[side]):
        side = 1 - side
    built = joins.Built(whole(frames[side]), spec.keys[side] or ())
    return _met(frames[1 - side], built, None, spec=spec, side=side, columns=columns)[0]


def _in_each_process(frame: Chunks) -> bool:
    """Whether the chunks of a side travel, rather than what one process made of them."""
    few = 1 < frame.count <= PIECES and room.room().workers > 1
    return few and shuffle.most_bytes_of(frame) <= min(BROADCAST_BYTES, options.gather_limit)


@late
def _of_chunk(chunk: Any, *prepared: Any, **how: Any) -> Any:
    """Matched rows of a chunk and of a side, prepared or in pieces."""
    first, *others = map(whole, prepared)
    keys = how["spec"].keys[how["side"]] or ()
    built = first if isinstance(first, joins.Built) else once(_built, [first, *others], tuple(keys))
    return _met(chunk, built, None, **how)[0]


def _built(pieces: Sequence[pd.DataFrame], on: Sequence[Any]) -> joins.Built:
    frame = graph.concat(pieces)  # it may be one of them, where the others have no rows
    return joins.Built(frame.copy(deep=False), on)


def _placed(chunk: Any, built: joins.Built, starts: np.ndarray, *, probed: Any) -> Any:
    """Matched rows of a chunk, with the home chunk and row of the prepared row of each."""
    rows, places = _met(chunk, built, np.arange(len(built.frame)), **probed.keywords)
    homes = np.searchsorted(starts, places, side="right") - 1
    within = places - starts.take(homes)
    return whole(rows), homes.astype("i4"), shuffle.compact(within, within.max(initial=0) + 1)


def _met(
    chunk: Any, built: joins.Built, places: np.ndarray | None, *, spec: Merge, side: int, columns: Any,
    main: int | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Matched rows of some of one side, and side `side` prepared; and of `places`, those of the rows of side `main`.

    By pandas where keys are too many, or repeat where they must not. By default the order of side `main` counts.
    """
    frames = [built.frame, chunk] if side == 0 else [chunk, built.frame]
    main = 1 - spec.other if main is None else main
    plain = built.usable and spec.kernel(*frames)
    if plain and (spec.validate in MAY_REPEAT or built.unique):
        inner = spec.how == "inner"
        pairs = built.pairs(chunk, spec.keys[1 - side] or (), inner=inner)
        rows = built.joined(
            chunk, pairs, spec.shared, columns, first=side == 1, inner=inner, indicator=bool(spec.indicator)
        )
        of_main = pairs.partners if side == main else pairs.rows
        return rows, places if places is None or of_main is None else places.take(of_main)
    frames = list(map(whole, frames))
    if places is None:
        return spec.of(*frames), None
    frames[main] = frames[main].assign(**{PLACE: places})
    rows = spec.of(*frames)
    return rows, rows.pop(PLACE).to_numpy().astype("i8", copy=False)


def _exchanged(left: Chunks, right: Chunks, spec: Merge, tuning: Tuning, *, ordered: bool) -> Chunks:
    count = shuffle.parts_for(max(left.count, right.count), shuffle.bytes_of(left) + shuffle.bytes_of(right))
    left, right = sifted([left, right], spec, tuning)
    sides = list(zip((left, right), spec.keys, strict=True))
    # Where columns are the keys of both sides, labels restart: they would be a quarter of what travels.
    labels = any(names is None or not set(names) <= set(f.meta.names) for f, names in sides)
    pieces = [
        shuffle.sent(f, [], partial(shuffle.values_of, names=names), list, count, labels=labels)
        for f, names in sides
    ]
    columns = graph.promised().columns.view()
    matched = graph.per_chunk(
        _matched, *pieces, spec=spec, placed=ordered, columns=columns, lengths="unknown"
    )
    if not ordered:
        return matched
    main = (left, right)[1 - spec.other]
    return shuffle.home(matched, main.count, (math.nan,) * main.count, labels=labels)


def _matched(left: Any, right: Any, *, spec: Merge, placed: bool, columns: Any) -> Any:
    """Rows of two sides that met; with the place of the row whose order counts."""
    met = [shuffle.met(pieces) for pieces in (left, right)]
    other = spec.other
    frame, _, homes, rows = met[1 - other]
    places = homes << 40 | rows if placed else None
    on = spec.keys[other] or () if spec.kernel(met[0][0], met[1][0]) else ()
    built = joins.Built(met[other][0], on)
    result, places = _met(frame, built, places, spec=spec, side=other, columns=columns)
    result = whole(result)
    if places is None:
        return result
    rows = places & ((1 << 40) - 1)
    return result, (places >> 40).astype("i4"), shuffle.compact(rows, rows.max(initial=0) + 1)
