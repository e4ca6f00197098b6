# SPDX-License-Identifier: Apache-2.0
"""How values of the library look in a notebook: as pictures, and requests as tables."""

import html
from typing import Any, Optional

import trestle

from ._request_text import changed_fields

NODES_MAX = 20_000
"""A larger cluster is shown as text: its picture would have a cell for each node."""


def _node_svg(self: Any) -> str:
    return trestle.svg.render_node(self, []).text


def _cluster_svg(self: Any) -> Optional[str]:
    return trestle.render_cluster(self).text if self.node_count() <= NODES_MAX else None


def _timeline_svg(self: Any) -> str:
    return trestle.render_timeline(self).text


def _rows_of(value: Any) -> "list[tuple[str, str]]":
    return [(name, str(field) if not isinstance(field, tuple) else ", ".join(map(str, field)))
            for name, field in changed_fields(value)]


def _struct_html(self: Any) -> str:
    rows = "".join(f'<tr><th style="text-align:left">{html.escape(name)}</th>'
                   f'<td style="text-align:left">{html.escape(text)}</td></tr>'
                   for name, text in _rows_of(self))
    return f"<table><caption>{type(self).__name__}</caption>{rows}</table>"


def install() -> None:
    """Gives the classes what a notebook looks for."""
    for name, svg in (("Node", _node_svg), ("Cluster", _cluster_svg), ("Timeline", _timeline_svg)):
        setattr(getattr(trestle, name), "_repr_svg_", svg)
    for name in ("Request", "Refusal"):
        setattr(getattr(trestle, name), "_repr_html_", _struct_html)
