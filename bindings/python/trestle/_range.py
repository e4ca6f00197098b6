# SPDX-License-Identifier: Apache-2.0
"""Range: what a request accepts."""

from typing import Any, Dict, Generic, Optional, TypeVar

from ._frozen import Frozen
from ._short import line

T = TypeVar("T")


class Range(Frozen, Generic[T]):
    """The values from `min` to `max`, both included; None is an open end.

    Wherever a Range is expected, a plain value stands for the range that accepts only it.
    """

    __slots__ = __match_args__ = ("min", "max")
    min: Optional[T]
    max: Optional[T]

    def __init__(self, min: Optional[T] = None, max: Optional[T] = None) -> None:
        for name, end in (("min", min), ("max", max)):
            if isinstance(end, (str, bytes)):
                raise TypeError(f"Range: {name} {end!r}; expected a number or None, as Range(1, 2)")
        self._set(min, max)

    @classmethod
    def exactly(cls, value: T) -> "Range[T]":
        """Only `value`."""
        return cls(value, value)

    @classmethod
    def at_least(cls, value: T) -> "Range[T]":
        """`value` and everything above."""
        return cls(value, None)

    @classmethod
    def at_most(cls, value: T) -> "Range[T]":
        """`value` and everything below."""
        return cls(None, value)

    def contains(self, x: Any) -> bool:
        """True when `x` lies between the ends."""
        return (self.min is None or not x < self.min) and (self.max is None or not x > self.max)

    __contains__ = contains

    def is_open(self) -> bool:
        """True when everything is accepted."""
        return self.min is None and self.max is None

    def is_single(self) -> bool:
        """True when one value only is accepted."""
        return self.min is not None and self.min == self.max

    def to_dict(self) -> Dict[str, Any]:
        """`{"min": ..., "max": ...}`; None is an open end."""
        return {"min": self.min, "max": self.max}

    def __repr__(self) -> str:
        if self.is_single():
            return f"Range.exactly({self.min!r})"
        return line("Range", [f"{name}={end!r}" for name, end in (("min", self.min), ("max", self.max))
                              if end is not None])
