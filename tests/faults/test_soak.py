"""The campaign that `make soak` runs for long, for half a minute."""

import dask
import pytest

from tests.faults import soak
from tests.processes import METHOD

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def test_a_short_soak(capsys: pytest.CaptureFixture[str]) -> None:
    with dask.config.set({METHOD: "spawn"}):  # as `make soak` has it; it looks for processes that are left
        code = soak.main(["--minutes", "0.5", "--seed", "16"])
    assert code == 0, capsys.readouterr().out
