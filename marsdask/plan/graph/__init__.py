"""The one package that spells Dask graphs by hand: chunked pandas objects, exchanges, trees, and merging into one graph.

`Chunks` is a Dask collection of `count` chunks, each any Python object (a pandas frame, an array, a value). Tasks are
Dask's own (`dask.task_spec`); a chunk's key is `(name, i)`.
"""

from marsdask.plan.graph.chunks import (
    Chunks,
    as_task,
    bare,
    concat,
    data_of,
    elsewhere,
    holding,
    keys_of,
    made_by,
    merged,
    received,
    same,
    settled,
    sizes_of,
)
from marsdask.plan.graph.exchanges import (
    chosen,
    exchange,
    gather,
    gathered,
    if_small,
    in_turn,
    joined,
    limited,
    nbytes,
    order_of_places,
    regroup,
    row_ranges,
    rows_of_places,
    scan,
    taken,
    tree,
)
from marsdask.plan.graph.making import (
    Block,
    array_constant,
    blocks,
    call,
    chunk_sizes,
    constants,
    dtypes_of,
    even,
    from_array,
    from_delayed,
    inside,
    is_generated,
    lengths_of,
    one,
    partly,
    per_chunk,
    rechunked,
    soon,
    sources,
    to_array,
    to_frame,
    value,
    with_dtypes,
)
from marsdask.plan.graph.names import Label, Place, at, in_one_process, promise, promised, rule, warning
from marsdask.plan.graph.owned import guarded, owned
from marsdask.plan.graph.passes import (
    THEIRS,
    Chain,
    annotated,
    batched,
    lined_up,
    named,
    narrowed,
    wanted_only,
)
