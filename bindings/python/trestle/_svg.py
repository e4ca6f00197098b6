# SPDX-License-Identifier: Apache-2.0
"""Svg: a picture as text."""

import html
import itertools
import os
from typing import Mapping, Sequence, Tuple, Union

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


_COLOURS = ("#0969da", "#1a7f37", "#bc4c00", "#8250df", "#bf3989", "#57606a")


def step_plot(title: str, lines: Mapping[str, Sequence[Tuple[int, float]]], end: int,
              width: int = 960) -> Svg:
    """Parts from 0 to 1 over seconds from 0 to `end`: each line keeps a value until its next point.
    At most six lines have colours of their own. The width is 480 to 4096, else the nearer one."""
    width = min(max(width, 480), 4096)
    left, top, right, bottom = 60, 76, width - 20, 300
    height = bottom + 40

    def x(at: int) -> str:
        return f"{left + (right - left) * min(at, end) / max(1, end):.1f}"

    def y(part: float) -> str:
        return f"{bottom - (bottom - top) * min(max(part, 0.0), 1.0):.1f}"

    def label(at_x: str, at_y: str, text: str, anchor: str, size: int = 11) -> str:
        return (f'<text x="{at_x}" y="{at_y}" font-size="{size}" fill="#59636e"'
                f' text-anchor="{anchor}">{html.escape(text)}</text>')

    rows = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
            f' viewBox="0 0 {width} {height}" role="img" font-family="Helvetica, Arial, sans-serif">',
            f"<title>{html.escape(title)}</title>",
            f'<rect x="0" y="0" width="{width}" height="{height}" fill="#ffffff"/>',
            f'<text x="20" y="30" font-size="16" fill="#1f2328" font-weight="bold">'
            f"{html.escape(title)}</text>"]
    for percent in (0, 25, 50, 75, 100):
        at = y(percent / 100)
        rows.append(f'<path d="M{left} {at}H{right}" stroke="#d1d9e0" fill="none"/>')
        rows.append(label(str(left - 8), f"{float(at) + 4:.1f}", f"{percent} %", "end"))
    for part, anchor in ((0, "start"), (1, "middle"), (2, "end")):
        at_end = end * part // 2
        rows.append(label(x(at_end), str(bottom + 20), f"{at_end} s", anchor))
    at_x = left
    for (name, points), colour in zip(lines.items(), itertools.cycle(_COLOURS)):
        shown = [one for one, before in zip(points, [None, *points]) if not before or before[1] != one[1]]
        steps = "".join(f"{'H' + x(at) + 'V' if i else 'M' + x(at) + ' '}{y(part)}"
                        for i, (at, part) in enumerate(shown))
        if steps:
            rows.append(f'<path d="{steps}H{x(end)}" stroke="{colour}" stroke-width="1.5" fill="none">'
                        f"<title>{html.escape(name)}</title></path>")
        rows.append(f'<rect x="{at_x}" y="48" width="10" height="10" fill="{colour}"/>')
        rows.append(label(str(at_x + 16), "57", name, "start"))
        at_x += 40 + 7 * len(name)
    return Svg("\n".join([*rows, "</svg>"]) + "\n")
