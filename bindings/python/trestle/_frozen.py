# SPDX-License-Identifier: Apache-2.0
"""Frozen: what a frozen dataclass is, without `dataclasses`, whose import takes as long as ours."""

import copyreg
from typing import Any, Tuple


class Frozen:
    """A value of the fields in `__match_args__`, set once by `_set`: compared, hashed, copied and
    pickled by them. Other attributes and changes are AttributeError."""

    __slots__ = ()
    __match_args__: Tuple[str, ...] = ()

    def _set(self, *values: Any) -> None:
        for name, value in zip(self.__match_args__, values):
            object.__setattr__(self, name, value)

    def _values(self) -> Tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be set: a value never changes")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted: a value never changes")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __reduce__(self) -> Tuple[Any, ...]:
        return copyreg.__newobj__, (type(self),), self._values()  # type: ignore[attr-defined]

    def __setstate__(self, values: Tuple[Any, ...]) -> None:
        self._set(*values)
