"""Every frame operation of the registry beside pandas."""

import pytest

from marsdask.plan.registry import lookup
from tests.oracle import all_cases, check_case


@pytest.mark.each
@pytest.mark.parametrize(("name", "case"), all_cases("dataframe"))
def test_like_pandas(name: str, case: str) -> None:
    check_case(lookup(name), case)
