"""CSV files cut anywhere are what pandas reads of the whole: lines to skip, blank ones and comments, quoted line ends."""

import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import marsdask.dataframe as md
from tests.oracle import assert_like, fetched

LONG = "z" * 60 + "\n"
ROWS = "".join(f"{i},{i * 2},x{i}\n" for i in range(40))
HEADER = "a,b,c\n"


def check(
    path: Path, text: str, chunk_bytes: tuple[Any, ...] = (None, 50, 130, 400), **keywords: Any
) -> None:
    path.write_text(text)
    want = pd.read_csv(path, **keywords)
    for each in chunk_bytes:
        assert_like(fetched(md.read_csv(str(path), chunk_bytes=each, **keywords)), want)


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        (LONG + ROWS, {"header": None, "skiprows": 1}),
        (LONG * 2 + ROWS, {"header": None, "skiprows": 2, "names": ["a", "b", "c"]}),
        (LONG * 3 + HEADER + ROWS, {"skiprows": 3}),
        (LONG + HEADER + ROWS, {"header": 1}),
        (HEADER + ROWS, {"header": None, "skiprows": 30}),
        ("\n" * 36 + ROWS, {"header": None}),
        (("#" + LONG) * 3 + ROWS, {"header": None, "comment": "#"}),
        (("#" + LONG) * 3 + HEADER + ROWS, {"comment": "#"}),
        (HEADER + ROWS + ("#" + LONG) * 9 + ROWS, {"comment": "#"}),
        (LONG + "\n\n\n" + ROWS, {"header": None, "skiprows": 1}),
        (HEADER + ROWS[:-1], {"nrows": 30}),
        (HEADER + ROWS + "end", {"skipfooter": 1, "engine": "python"}),
        (HEADER + "".join(f'{i},{i},"x\n\ny{i}"\n' for i in range(40)), {}),
    ],
)
def test_first_rows_stand_behind_other_lines(tmp_path: Path, text: str, keywords: dict[str, Any]) -> None:
    check(tmp_path / "x.csv", text, **keywords)


@pytest.mark.parametrize("seed", range(40))
def test_random_files(tmp_path: Path, seed: int) -> None:
    """Random lines before the header and between rows, with and without a line end at the end."""
    rand = random.Random(seed)
    skipped, header = rand.choice([0, 0, 1, 5]), rand.random() < 0.7
    text = LONG * skipped + rand.choice(["", "\n\n\n", "#" + LONG]) + (HEADER if header else "")
    for row in ROWS.splitlines():
        text += rand.choice([row] * 8 + [row + "\n\n\n", row + "\n#" + LONG.strip()]) + "\n"
    keywords: dict[str, Any] = {"comment": "#"} | ({"skiprows": skipped} if skipped else {})
    keywords |= ({} if header else {"header": None}) | ({"nrows": 17} if rand.random() < 0.3 else {})
    check(
        tmp_path / "x.csv",
        text[: rand.choice([-1, None])],
        (rand.randint(10, 90), rand.randint(90, 900)),
        **keywords,
    )
