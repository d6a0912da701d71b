"""The campaign that `make soak` runs for long, for half a minute."""

import pytest

from tests.faults import soak

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def test_a_short_soak(capsys: pytest.CaptureFixture[str]) -> None:
    code = soak.main(["--minutes", "0.5", "--seed", "16"])
    assert code == 0, capsys.readouterr().out
