"""The table of options in docs/memory.md has what the policy reads, each in the row of what it sets."""

from pathlib import Path

import pytest

from marsdask.spill import policy

PAGE = (Path(__file__).parents[2] / "docs/memory.md").read_text()
ROWS = [line for line in PAGE.partition("## Options")[2].splitlines() if line.startswith("| ")]

SPELLED = [
    *((field, f"--{name.replace('_', '-')}") for name, (field, _) in policy.OPTIONS.items()),
    *((field, name) for name, (field, _) in policy.ENVIRONMENT.items()),
    *((field, name) for name, (field, _) in policy.CONFIG.items()),
    *((field, name) for name, (field, _) in policy.NEW_CLUSTER.items()),
    *((field, name) for name, (field, _) in policy.KUBEDL.items()),
]


@pytest.mark.parametrize(("field", "name"), SPELLED)
def test_every_option_is_on_the_page(field, name):
    assert f"`{name}`" in PAGE
    if field in ("plasma", "share", "ratio"):
        return
    (row,) = [row for row in ROWS if f"`{name}`" in row]
    others = {n for f, n in SPELLED if f == field}
    assert all(f"`{other}`" in row for other in others) or field in ("pause", "terminate")
