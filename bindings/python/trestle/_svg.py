# SPDX-License-Identifier: Apache-2.0
"""Svg: a picture as text."""

import os
from typing import Union

from ._frozen import Frozen


class Svg(Frozen):
    """An SVG document. A notebook shows it; elsewhere, str() is its text and save() writes it."""

    __slots__ = __match_args__ = ("text",)
    text: str

    def __init__(self, text: str) -> None:
        self._set(text)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the document in UTF-8, over a file that is there."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.text)

    def _repr_svg_(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Svg of {len(self.text)} characters>"
