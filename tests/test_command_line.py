"""`marsdask ops`, `marsdask options`, and the pages they write."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from marsdask import coverage
from marsdask.__main__ import main
from marsdask.plan import registry


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_an_operation_by_the_names_of_a_program() -> None:
    for name in ("exp", "mt.exp", "tensor.exp"):
        done = run("ops", name)
        assert done.exit_code == 0
        assert "exp: delegated, mt.exp" in done.output
        assert "signature  exp(x, out=None" in done.output
        assert "elementwise.py:" in done.output
        assert "numpy.exp.html" in done.output
    assert "DataFrame.fillna" in run("ops", "df.fillna").output
    assert run("ops", "df.exp").exit_code == 1


def test_a_gap_says_its_reason() -> None:
    gap = next(op for op in registry.OPS.values() if op.status == "unbuilt")
    assert gap.reason in run("ops", gap.name).output


def test_a_typo_names_the_nearest() -> None:
    done = run("ops", "mt.expp")
    assert done.exit_code == 1
    assert "'mt.expp'" in done.output
    assert "Did you mean 'exp" in done.output


def test_counts() -> None:
    lines = run("ops").output.splitlines()
    assert any(line.startswith("| `tensor` |") for line in lines)
    assert lines[-1].startswith("| all |")


def test_pages_are_written(tmp_path: Path) -> None:
    assert run("ops", "--write", str(tmp_path / "coverage.md")).exit_code == 0
    assert (tmp_path / "coverage.md").read_text() == coverage.page()
    assert run("options", "--write", str(tmp_path / "options.md")).exit_code == 0
    assert "`gather_limit`" in (tmp_path / "options.md").read_text()
    assert "chunk_size = None" in run("options").output


@pytest.mark.parametrize("key", ["tensor", "Tensor", "DataFrame", "dataframe"])
def test_every_name_has_one_row_that_says_something(key: str) -> None:
    rows = coverage.rows(key)
    assert len({row.name for row in rows}) == len(rows)
    assert all(row.says for row in rows if row.status != "attribute")
    assert all(row.line.count(" | ") == 4 for row in rows)
