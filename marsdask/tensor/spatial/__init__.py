"""`mt.spatial`: distances between points."""

from marsdask.tensor.spatial import distance

__all__ = ["distance"]
