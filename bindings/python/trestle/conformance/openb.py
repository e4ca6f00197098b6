# SPDX-License-Identifier: Apache-2.0
"""The openb study's tables, replayed: REPLAY.md of the folder says what is expected.

A case is a cell: what is allocated of all GPUs, by seed, policy and per cent arrived. Coarse:
within half a per cent; exact: within a hundredth of one, as printed.
"""

import pathlib
import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from .. import replay
from .._short import short_repr
from ..traces.rows import BadRow, BadRows, PathLike, read_text
from .case import Score

__all__ = [
    "Answers", "Cell", "Expected", "NODES", "POLICIES", "answers_here", "load_expected", "score",
]

NODES = "openb_node_list_gpu_node.csv"
POLICIES = {"FGD": "fgd", "BestFit": "best_fit", "Packing": "packing", "Clustering": "clustering",
            "DotProd": "dot_product", "Random": "random"}
Answers = Dict[str, Dict[str, Dict[str, float]]]  # by seed, policy, per cent arrived

_TITLE = re.compile(r"#+ Expected: (\w+) trace.* at ([\d/]+) % arrived")


@dataclass(frozen=True, repr=False)
class Cell:
    """What is expected of one seed and policy when so many per cent have arrived."""

    seed: str
    policy: str
    arrived: int
    allocated_percent: float

    __repr__ = short_repr


@dataclass(frozen=True, repr=False)
class Expected:
    """The table of a variant of the trace."""

    folder: pathlib.Path
    variant: str
    cells: Tuple[Cell, ...]

    __repr__ = short_repr


def _cells(line: str) -> List[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def load_expected(folder: PathLike) -> Optional[Expected]:
    """The table in REPLAY.md, or None for a folder that is no openb trace.

    Errors: OSError; BadRows for a file without such a table, and for each malformed row.
    """
    folder = pathlib.Path(folder)
    path = folder / "REPLAY.md"
    if not path.exists() or not (folder / NODES).exists():
        return None
    lines = read_text(path).splitlines()
    found = next(((at, match) for at, match in enumerate(map(_TITLE.match, lines)) if match), None)
    if found is None:
        raise BadRows([BadRow(path.name, 0, "no table `Expected: ... trace ... at ... % arrived`")])
    start, title = found
    arrived = [int(text) for text in title.group(2).split("/")]
    header: List[str] = []
    cells: List[Cell] = []
    bad: List[BadRow] = []
    for number, line in enumerate(lines[start + 1:], start + 2):
        if not line.startswith("|"):
            break
        row = _cells(line)
        if not header:
            header = row
        elif not set(line) <= set("|-: "):
            try:
                cells.extend(_of_row(row, header, arrived))
            except (ValueError, KeyError) as error:
                bad.append(BadRow(path.name, number, f"no row of the table: {error}"))
    if bad:
        raise BadRows(bad)
    return Expected(folder, title.group(1), tuple(cells))


def _of_row(row: List[str], header: List[str], arrived: List[int]) -> List[Cell]:
    cells = []
    if len(row) != len(header):
        raise ValueError(f"{len(row)} cells, expected {len(header)}")
    for name, texts in list(zip(header, row))[1:]:
        numbers = [float(text) for text in texts.split("/")]
        if len(numbers) != len(arrived):
            raise ValueError(f"{texts}: expected {len(arrived)} numbers")
        cells += [Cell(row[0], POLICIES[name], at, number) for at, number in zip(arrived, numbers)]
    return cells


def answers_here(expected: Expected, workers: int = 1) -> Answers:
    """What Trestle answers. Errors: those of trestle.replay.load and of the orders."""
    pods = f"openb_pod_list_{expected.variant}"
    workload = replay.load([expected.folder / NODES], expected.folder / f"{pods}.csv")
    seeds = sorted({cell.seed for cell in expected.cells})
    policies = sorted({cell.policy for cell in expected.cells})
    orders = [workload.order(str(expected.folder / "orders" / f"{pods}.{seed}.order"))
              for seed in seeds]
    curves = iter(replay.sweep(workload, orders, policies, workers))
    answers: Answers = {seed: {} for seed in seeds}
    for policy in policies:
        for seed in seeds:
            cells = next(curves).allocated_percent
            answers[seed][policy] = {str(at): cells[at] for at in sorted(cells)}
    return answers


def score(expected: Expected, answers: Answers) -> List[Score]:
    """Each cell beside the expected one."""
    scores = []
    for cell in expected.cells:
        got = answers.get(cell.seed, {}).get(cell.policy, {}).get(str(cell.arrived))
        off = abs(got - cell.allocated_percent) if got is not None else 100.0
        scores.append(Score(
            f"openb {expected.variant}, seed {cell.seed}", (cell.policy,),
            f"openb {expected.variant} seed {cell.seed} {cell.policy} at {cell.arrived} %",
            f"{cell.allocated_percent:.2f}", f"{got:.2f}" if got is not None else "",
            off <= 0.5, off < 0.01 + 1e-9))
    return scores
