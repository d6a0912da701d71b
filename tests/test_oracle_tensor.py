"""Every tensor operation of the registry beside NumPy."""

import pytest

from marsdask.plan.registry import lookup
from tests.oracle import all_cases, check_case


@pytest.mark.each
@pytest.mark.parametrize(("name", "case"), all_cases("tensor"))
def test_like_numpy(name: str, case: str) -> None:
    check_case(lookup(name), case)
