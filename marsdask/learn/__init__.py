"""`marsdask.learn`: machine learning, by the names of scikit-learn. Not built yet: every name of Mars's is a gap that says so."""

from marsdask.plan import gaps

gaps.modules("learn")


def __dir__() -> list[str]:
    """Nothing: what is not built is not offered."""
    return []
