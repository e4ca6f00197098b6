# SPDX-License-Identifier: Apache-2.0
"""Many replays: policies by orders, in this process or in several, with a progress bar."""

import concurrent.futures
import multiprocessing
from typing import Any, Iterable, Iterator, List, Optional, Sequence, Tuple

from .. import _optional
from ..traces.orders import Order
from .run import Curve, replay
from .workload import Workload

_workload: Optional[Workload] = None  # of a worker process


def _remember(workload: Workload) -> None:
    global _workload
    _workload = workload


def _replay(run: Tuple[Order, str]) -> Curve:
    assert _workload is not None
    return replay(_workload, *run)


def _with_bar(curves: Iterable[Curve], total: int) -> Iterable[Curve]:
    """The same with a bar on a terminal, where tqdm is installed."""
    try:
        tqdm: Any = _optional.load("tqdm", "sim")
    except ImportError:
        return curves
    bar: Iterable[Curve] = tqdm.tqdm(curves, total=total, unit="replay", disable=None)
    return bar


def sweep(workload: Workload, orders: Sequence[Order], policies: Sequence[str],
          workers: int = 1, has_bar: bool = False) -> List[Curve]:
    """A curve for each policy and order, by policy, then order. Workers do not change the result.

    Errors: those of replay().
    """
    runs = [(order, policy) for policy in policies for order in orders]

    def curves() -> Iterator[Curve]:
        if workers <= 1:
            yield from (replay(workload, order, policy) for order, policy in runs)
            return
        # Not forked: what a caller has, threads above all, is no matter of ours.
        with concurrent.futures.ProcessPoolExecutor(
                workers, multiprocessing.get_context("spawn"), _remember, (workload,)) as pool:
            yield from pool.map(_replay, runs)

    return list(_with_bar(curves(), len(runs)) if has_bar else curves())
