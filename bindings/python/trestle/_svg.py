# SPDX-License-Identifier: Apache-2.0
"""Svg: a picture as text."""

import html
import itertools
import os
from typing import Iterable, Mapping, Sequence, Tuple, Union

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

_ON_DARK = {
    **dict(zip(_COLOURS, ("#58a6ff", "#3fb950", "#f0883e", "#bc8cff", "#f778ba", "#8b949e"))),
    "#ffffff": "#0d1117", "#1f2328": "#e6edf3", "#59636e": "#9198a1", "#d1d9e0": "#30363d"}
"""What stands in place of each colour on a dark ground, as in pictures of nodes."""

_DASHES = ("", ' stroke-dasharray="8 4"', ' stroke-dasharray="2 3"', ' stroke-dasharray="10 3 2 3"')
"""So that a line below another with the same values is seen."""

_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)


def _dark_style() -> str:
    rules = "\n".join(f'.trestle-picture [{what}="{light}"]{{{what}:{dark}}}'
                      for light, dark in _ON_DARK.items() for what in ("fill", "stroke"))
    return f"<style>@media (prefers-color-scheme: dark) {{\n{rules}\n}}</style>"


def _marks(end: int) -> "list[tuple[int, str]]":
    """At most nine moments from 0 to `end`, in the largest unit that each step has."""
    step = next((one for one in _STEPS if end // one <= 8), 86400)
    while end // step > 8:
        step *= 2
    unit, name = next((size, name) for size, name in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))
                      if step % size == 0)
    return [(at, f"{at // unit} {name}") for at in range(0, end + 1, step)]


def _legend_places(names: Iterable[str], left: int, right: int) -> "list[tuple[int, int]]":
    """Where each name begins, in as many lines as they need."""
    places, at_x, at_y = [], left, 48
    for name in names:
        needed = 40 + 7 * len(name)
        if at_x > left and at_x + needed > right:
            at_x, at_y = left, at_y + 18
        places.append((at_x, at_y))
        at_x += needed
    return places


def step_plot(title: str, lines: Mapping[str, Sequence[Tuple[int, float]]], end: int,
              width: int = 960) -> Svg:
    """Parts from 0 to 1 over seconds from 0 to `end`: each line keeps a value until its next point.
    At most six lines have colours of their own. The width is 480 to 4096, else the nearer one."""
    width = min(max(width, 480), 4096)
    left, right = 60, width - 20
    places = _legend_places(lines, left, right)
    top = 28 + max((at_y for _, at_y in places), default=48)
    bottom = top + 224
    height = bottom + 40

    def x(at: int) -> str:
        return f"{left + (right - left) * min(at, end) / max(1, end):.1f}"

    def y(part: float) -> str:
        return f"{bottom - (bottom - top) * min(max(part, 0.0), 1.0):.1f}"

    def label(at_x: str, at_y: str, text: str, anchor: str, size: int = 11) -> str:
        return (f'<text x="{at_x}" y="{at_y}" font-size="{size}" fill="#59636e"'
                f' text-anchor="{anchor}">{html.escape(text)}</text>')

    rows = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
            f' viewBox="0 0 {width} {height}" role="img" class="trestle-picture"'
            ' font-family="Helvetica, Arial, sans-serif">',
            f"<title>{html.escape(title)}</title>", _dark_style(),
            f'<rect x="0" y="0" width="{width}" height="{height}" fill="#ffffff"/>',
            f'<text x="20" y="30" font-size="16" fill="#1f2328" font-weight="bold">'
            f"{html.escape(title)}</text>"]
    for percent in (0, 25, 50, 75, 100):
        at = y(percent / 100)
        rows.append(f'<path d="M{left} {at}H{right}" stroke="#d1d9e0" fill="none"/>')
        rows.append(label(str(left - 8), f"{float(at) + 4:.1f}", f"{percent} %", "end"))
    for at_mark, words in _marks(end):
        rows.append(label(x(at_mark), str(bottom + 20), words, "middle"))
    for (name, points), (at_x, at_y), colour, dashes in zip(
            lines.items(), places, itertools.cycle(_COLOURS), itertools.cycle(_DASHES)):
        shown = [one for one, before in zip(points, [None, *points]) if not before or before[1] != one[1]]
        steps = "".join(f"{'H' + x(at) + 'V' if i else 'M' + x(at) + ' '}{y(part)}"
                        for i, (at, part) in enumerate(shown))
        if steps:
            rows.append(f'<path d="{steps}H{x(end)}" stroke="{colour}" stroke-width="1.5"{dashes} fill="none">'
                        f"<title>{html.escape(name)}</title></path>")
        rows.append(f'<rect x="{at_x}" y="{at_y}" width="10" height="10" fill="{colour}"/>')
        rows.append(label(str(at_x + 16), str(at_y + 9), name, "start"))
    return Svg("\n".join([*rows, "</svg>"]) + "\n")
