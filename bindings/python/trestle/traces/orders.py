# SPDX-License-Identifier: Apache-2.0
"""Orders of arrival: read, as in the trace, or drawn from a seed."""

from dataclasses import dataclass
from typing import Dict, List, Sequence, Tuple

from .._rng import Rng
from .._short import short_repr
from .rows import PathLike, Problems, read_text

__all__ = ["Order", "load_order", "make_order", "trace_order"]


@dataclass(frozen=True, repr=False)
class Order:
    """In which order jobs arrive, and which of equally good nodes comes first."""

    name: str
    arrivals: Tuple[int, ...]  # positions of jobs, which may stand more than once
    ranks: Tuple[int, ...]  # by position of the node; a permutation
    seed: int = 0  # of policies that draw

    __repr__ = short_repr


def load_order(path: PathLike, jobs: int, nodes: int) -> Order:
    """An order as of the openb study: positions of jobs, one a line, -1, a rank for each node.

    Errors: OSError; BadRows for positions that do not exist and ranks that are no permutation.
    """
    problems = Problems(path)
    arrivals: List[int] = []
    ranks: List[int] = []
    line_of: Dict[int, int] = {}  # by rank
    has_arrived = False
    for line, text in enumerate(read_text(path).rstrip().split("\n"), 1):
        if text.strip() == "-1" and not has_arrived:
            has_arrived = True
            continue
        what, limit = ("rank", nodes) if has_arrived else ("job", jobs)
        noted = len(problems.rows)
        value = problems.number(line, what, text.strip(), 0, limit - 1)
        if len(problems.rows) > noted:
            continue
        if has_arrived and line_of.setdefault(value, line) != line:
            problems.add(line, f"rank {value} stands twice, first in line {line_of[value]}")
        (ranks if has_arrived else arrivals).append(value)
    if not problems.rows and len(ranks) != nodes:
        problems.add(0, f"{len(ranks)} ranks, expected {nodes}")
    problems.raise_any()
    return Order(problems.file, tuple(arrivals), tuple(ranks))


def trace_order(jobs: int, nodes: int) -> Order:
    """Each job once, as they stand; of equally good nodes the first."""
    return Order("trace", tuple(range(jobs)), tuple(range(nodes)))


def make_order(sizes: Sequence[int], capacity: int, nodes: int, seed: int) -> Order:
    """Every job once, then draws with replacement until the next would pass 130 % of the capacity.

    `sizes` are those of the jobs. All of it is shuffled; jobs that are more than 130 % by
    themselves lose random ones first. Ranks are a random permutation. Errors: ValueError without a
    job, and for a seed that is none.
    """
    if not sizes:
        raise ValueError("sizes: empty, expected a job")
    rng = Rng(seed)
    arrivals, ranks = list(range(len(sizes))), list(range(nodes))
    most = capacity * 13 // 10
    total = sum(sizes)
    rng.shuffle(arrivals)
    while total > most:
        total -= sizes[arrivals.pop()]
    while any(sizes):
        job = rng.below(len(sizes))
        if total + sizes[job] > most:
            break
        total += sizes[job]
        arrivals.append(job)
    rng.shuffle(arrivals)
    rng.shuffle(ranks)
    return Order(str(seed), tuple(arrivals), tuple(ranks), seed)
