"""Which of a set of whole numbers each of others is: a bit a number, and how many come before every 64."""

from __future__ import annotations

import numpy as np

AT_ONCE = 1 << 15
"""So many lookups at a time, whose steps stay in the processor's cache."""
ONE = np.uint64(1)


class Ranks:
    """The places of distinct numbers from 0 to below `total` among themselves, ascending."""

    def __init__(self, ascending: np.ndarray, total: int):
        words = ascending >> 6
        starts = np.flatnonzero(np.r_[True, words[1:] != words[:-1]]) if len(words) else np.empty(0, np.intp)
        bits = ONE << (ascending & 63).view("u8")
        self.words = np.zeros(total // 64 + 1, np.uint64)
        if len(words):
            self.words[words[starts]] = np.bitwise_or.reduceat(bits, starts)
        self.before = np.zeros(len(self.words), np.int32)
        np.cumsum(np.bitwise_count(self.words[:-1]), out=self.before[1:], dtype=np.int32)

    @property
    def nbytes(self) -> int:
        return self.words.nbytes + self.before.nbytes

    def places(self, numbers: np.ndarray) -> np.ndarray:
        """The place of each number from 0 to `total`; -1 of what is not among them."""
        found = np.empty(len(numbers), np.int32)
        for start in range(0, len(numbers), AT_ONCE):
            some = numbers[start : start + AT_ONCE]
            word = some >> 6
            mine = ONE << (some & 63).view("u8")
            bits = self.words.take(word)
            place = self.before.take(word)
            place += np.bitwise_count(bits & (mine - ONE))
            np.copyto(place, -1, where=(bits & mine) == 0)
            found[start : start + AT_ONCE] = place
        return found
