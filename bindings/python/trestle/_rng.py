# SPDX-License-Identifier: Apache-2.0
"""SplitMix64, the generator of base/rng.hpp: the same numbers on every platform, from a seed."""

import math
from typing import List, TypeVar

T = TypeVar("T")

_MASK = 2**64 - 1


class Rng:
    """Numbers from a seed between 0 and 2**64 - 1. There is no default seed, and no entropy."""

    def __init__(self, seed: int) -> None:
        if not 0 <= seed <= _MASK:
            raise ValueError(f"seed: {seed}, expected 0 to 2**64 - 1")
        self._state = seed

    def next(self) -> int:
        """The next number below 2**64."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        """A number in [0, bound), evenly."""
        limit = _MASK - _MASK % bound
        x = self.next()
        while x >= limit:
            x = self.next()
        return x % bound

    def shuffle(self, row: List[T]) -> None:
        """Any order of the row, each as likely."""
        for i in range(len(row), 1, -1):
            j = self.below(i)
            row[i - 1], row[j] = row[j], row[i - 1]

    def uniform(self) -> float:
        """A number in [0, 1), evenly, in steps of 2**-53."""
        return (self.next() >> 11) * 2.0**-53

    def normal(self) -> float:
        """The standard normal distribution (Box and Muller)."""
        radius = math.sqrt(-2.0 * math.log(1.0 - self.uniform()))
        return radius * math.cos(2.0 * math.pi * self.uniform())

    def gamma(self, shape: float, scale: float) -> float:
        """The gamma distribution of that shape, which is at least 1 (Marsaglia and Tsang 2000)."""
        d = shape - 1.0 / 3.0
        c = 1.0 / math.sqrt(9.0 * d)
        while True:
            x = self.normal()
            v = (1.0 + c * x) ** 3
            if v > 0 and math.log(1.0 - self.uniform()) < 0.5 * x * x + d - d * v + d * math.log(v):
                return d * v * scale
