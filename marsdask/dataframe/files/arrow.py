"""Tables of pyarrow as pandas: numbers without a copy, text of few values by its codes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from marsdask.dataframe.files import statistics

CODES = 2
"""Bytes a value up to which text in a file is codes of few values. Read as codes and then decoded, 1.5 million values cost 10-18 ms,
as text 24-34; where each value is another one (30 bytes a value), codes cost six times as much."""

MOST = 2**31
"""Bytes that a `string` array of pyarrow cannot have."""

NUMBERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64")
NULLABLE = {
    **{getattr(pa, name.lower())(): pd.api.types.pandas_dtype(name) for name in NUMBERS},
    pa.bool_(): pd.BooleanDtype(),
    pa.string(): pd.StringDtype(),
    pa.large_string(): pd.StringDtype(),
}
"""What pandas makes of types by `dtype_backend="numpy_nullable"`."""


def in_codes(file: Any, groups: Sequence[int], columns: list[str]) -> list[str]:
    """The text columns among `columns` that a parquet file keeps as codes of few values in all of `groups`."""
    schema, footer = file.schema_arrow, file.metadata
    texts = {n for n in columns if n in schema.names and _is_text(schema.field(n).type)}
    if not texts:
        return []
    places = statistics.places(footer)

    def few(name: str) -> bool:
        each = [footer.row_group(g).column(places[name]) for g in groups]
        return all(c.has_dictionary_page and c.total_uncompressed_size <= CODES * c.num_values for c in each)

    return [n for n in columns if n in texts and n in places and few(n)]


def _is_text(kind: Any) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def decoded(table: Any, schema: Any) -> tuple[Any, dict[str, Any]]:
    """The table in the types of `schema`, columns in codes as text again; and these in codes, by name."""
    codes = {}
    for i, field in enumerate(table.schema):
        wanted = schema.field(field.name).type
        if pa.types.is_dictionary(field.type) and not pa.types.is_dictionary(wanted):
            codes[field.name] = table.column(i)
            text = table.column(i).cast(wanted)
            if text.nbytes < MOST:  # in several chunks rows are found more slowly
                text = pa.chunked_array([text.combine_chunks()], wanted)
            table = table.set_column(i, field.with_type(wanted), text)
    return table, codes


def as_pandas(table: Any, backend: str | None = None, like: pd.DataFrame | None = None) -> pd.DataFrame:
    """A table as pandas makes it of one; columns in the dtypes of `like` lie in memory as they were read where no bit changes."""
    if backend is not None:
        return table.to_pandas(types_mapper=pd.ArrowDtype if backend == "pyarrow" else NULLABLE.get)  # type: ignore[no-any-return]
    distinct = len(set(table.column_names)) == table.num_columns  # else two would lie in the same memory
    if like is None or not distinct:
        return table.to_pandas()  # type: ignore[no-any-return]
    dtypes = {str(name): dtype for name, dtype in like.dtypes.items()}
    each = zip(table.column_names, table.columns, strict=True)
    plain = {n: v for n, c in each if (v := _in_place(c)) is not None and v.dtype == dtypes.get(n)}
    rest = table.drop_columns(list(plain)).to_pandas() if len(plain) < table.num_columns else None
    others = iter(() if rest is None else [rest.iloc[:, i] for i in range(rest.shape[1])])
    columns = {n: plain[n] if n in plain else next(others) for n in table.column_names}
    # pyarrow would copy columns of a kind into one array, which is 7 of 40 ms for 4 columns of 1.5 million numbers; without that
    # (`split_blocks`) it hands out arrays that nobody can write to.
    return pd.DataFrame(columns, pd.RangeIndex(table.num_rows), copy=False)


def unlabelled(table: Any) -> Any:
    """The table without what pandas has noted of its labels; what it has noted of dtypes stays."""
    notes = table.schema.metadata or {}
    if b"pandas" not in notes:
        return table
    known = json.loads(notes[b"pandas"])
    labels = {n for n in known.get("index_columns", []) if isinstance(n, str)}
    known["columns"] = [c for c in known.get("columns", []) if c.get("field_name") not in labels]
    changed = {**notes, b"pandas": json.dumps({**known, "index_columns": []}).encode()}
    return table.replace_schema_metadata(changed)


def holes(footer: Any, schema: pa.Schema) -> dict[str, bool]:
    """The columns of whole numbers and flags that may have missing values, of which pandas makes another dtype: True where they have."""
    found = {}
    for i in range(footer.num_columns):
        column = footer.schema.column(i)
        if column.max_definition_level and column.path in schema.names and _is_whole(schema, column.path):
            told = [footer.row_group(g).column(i).statistics for g in range(footer.num_row_groups)]
            if any(each is not None and each.has_null_count and each.null_count for each in told):
                found[column.path] = True
            elif not all(each is not None and each.has_null_count for each in told):
                found[column.path] = False
    return found


def _is_whole(schema: pa.Schema, name: str) -> bool:
    kind = schema.field(name).type
    return bool(pa.types.is_integer(kind) or pa.types.is_boolean(kind))


def _in_place(column: Any) -> Any:
    """The values of a column as an array over the same memory; None where there are holes, several chunks, or other bits."""
    kind = column.type
    numbers = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_duration(kind)
    if not (numbers or (pa.types.is_timestamp(kind) and kind.tz is None)):
        return None
    if column.num_chunks != 1 or column.null_count or not column.chunk(0).buffers()[1].is_mutable:
        return None
    chunk, dtype = column.chunk(0), np.dtype(kind.to_pandas_dtype())
    return np.frombuffer(chunk.buffers()[1], dtype, len(chunk), chunk.offset * dtype.itemsize)
