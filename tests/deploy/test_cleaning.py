"""What a pod that cleans a node's directory has said."""

from typing import Any

import pytest

from marsdask.deploy.kubernetes import cleaning

ANSWER = '{"removed": 1, "bytes": 3145728, "left": 4}'
LOGGED = "2026-01-01 00:00:00,000 - distributed.diskutils - INFO - Found stale lock file and directory"
SAID = "node: /left: directories removed: 1, 3 MiB; in use, or another user's: 4"


class Logs:
    def __init__(self, log: str | None):
        self.said = log

    def log(self, namespace: str, name: str, *, lines: int) -> str | None:
        return self.said


@pytest.mark.parametrize(
    ("phase", "log", "told", "fine"),
    [
        ("Succeeded", f"{LOGGED}\n{ANSWER}\n", SAID, True),
        ("Succeeded", f"{ANSWER}\n{LOGGED}\n{LOGGED}\n", SAID, True),  # two streams, in no order
        ("Succeeded", f"{{what is no answer\n{ANSWER}\n", SAID, True),
        ("Succeeded", None, "node: /left: Succeeded", False),
        ("Failed", "no such user\n", "node: /left: no such user", False),
    ],
)
def test_the_answer_is_found_among_what_is_logged(phase: str, log: str | None, told: str, fine: bool) -> None:
    made: dict[str, Any] = {
        "metadata": {"name": "clean-0-0"},
        "spec": {"nodeName": "node", "volumes": [{"hostPath": {"path": "/left"}}]},
        "status": {"phase": phase},
    }
    found = cleaning.told(Logs(log), "mars-clean", made)  # type: ignore[arg-type]
    assert found is not None
    assert (str(found), found.fine) == (told, fine)
