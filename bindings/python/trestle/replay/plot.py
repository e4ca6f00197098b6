# SPDX-License-Identifier: Apache-2.0
"""Replays as pictures, with the axes of "Beware of Fragmentation": needs `trestle[plot]`."""

from typing import Any, Dict, Sequence

from .. import _optional
from ..traces.rows import PathLike
from .results import by_policy
from .run import Curve

__all__ = ["figure", "save"]

_ARRIVED = "arrived jobs (% of all {})"


def figure(curves: Sequence[Curve], capacity: int, measured: str = "gpu") -> Any:
    """A matplotlib Figure: what is allocated, fragments, and units that are not allocated.

    `capacity` is that of the workload, in thousandths. Means of the orders. The third panel begins
    where the first 80 % have arrived. Errors: ImportError without matplotlib.
    """
    plots: Any = _optional.load("matplotlib.figure", "plot")
    unit = "GPUs" if measured == "gpu" else "CPUs"
    means = by_policy(curves)
    has_fragments = any(both["fragment_percent"] for both in means.values())
    panels = 3 if has_fragments else 2
    made: Any = plots.Figure(figsize=(5 * panels, 4), layout="constrained")
    axes = list(made.subplots(1, panels))
    allocated, left = axes[0], axes[-1]
    for policy, both in means.items():
        arrived, given = _columns(both["allocated_percent"])
        allocated.plot(arrived, given, label=policy)
        late = [(at, (100 - cell) * capacity / 100_000)
                for at, cell in zip(arrived, given) if at >= 80]
        left.plot([at for at, _ in late], [count for _, count in late], label=policy)
        if has_fragments:
            axes[1].plot(*_columns(both["fragment_percent"]), label=policy)
    allocated.set_ylabel(f"allocated {unit} (%)")
    left.set_ylabel(f"unallocated {unit}")
    left.set_ylim(bottom=0)
    if has_fragments:
        axes[1].set_ylabel(f"fragmented {unit} (% of all)")
    for one in axes:
        one.set_xlabel(_ARRIVED.format(unit))
        one.grid(alpha=0.3)
    allocated.legend()
    return made


def _columns(cells: Dict[int, float]) -> "tuple[list[int], list[float]]":
    return list(cells), list(cells.values())


def save(path: PathLike, curves: Sequence[Curve], capacity: int, measured: str = "gpu") -> None:
    """Writes the figure; the ending says in which format: png, svg, pdf. The same curves give the
    same bytes of PNG. Errors: as above; ValueError for another ending; OSError."""
    figure(curves, capacity, measured).savefig(str(path), dpi=150)
