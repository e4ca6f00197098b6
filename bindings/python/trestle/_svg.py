# SPDX-License-Identifier: Apache-2.0
"""Svg: a picture as text."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Union


@dataclass(frozen=True, repr=False)
class Svg:
    """An SVG document. A notebook shows it; elsewhere, str() is its text and save() writes it."""

    text: str

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the document in UTF-8, over a file that is there."""
        Path(path).write_text(self.text, encoding="utf-8", newline="\n")

    def _repr_svg_(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Svg of {len(self.text)} characters>"
