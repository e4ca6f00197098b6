# SPDX-License-Identifier: Apache-2.0
"""Many replays: policies by orders, in this process or in several, with a progress bar."""

import concurrent.futures
import multiprocessing
from typing import Iterator, List, Optional, Sequence, Tuple

from .._progress import Progress
from ..traces.orders import Order
from .run import Arrivals, Curve
from .workload import Workload

__all__ = ["Run", "sweep"]

Run = Tuple[int, str]  # position of the order, policy


class _Replayer:
    """Runs one by one; arrivals stay ready while the order is the same."""

    def __init__(self, workload: Workload, orders: Sequence[Order]) -> None:
        self._workload, self._orders = workload, orders
        self._ready: Optional[Arrivals] = None

    def __call__(self, run: Run) -> Curve:
        at, policy = run
        if self._ready is None or self._ready.order is not self._orders[at]:
            self._ready = Arrivals(self._workload, self._orders[at])
        return self._ready.replay(policy)


_replayer: Optional[_Replayer] = None  # of a worker process


def _start(workload: Workload, orders: Sequence[Order]) -> None:
    global _replayer
    _replayer = _Replayer(workload, orders)


def _replay(run: Run) -> Curve:
    assert _replayer is not None
    return _replayer(run)


def sweep(workload: Workload, orders: Sequence[Order], policies: Sequence[str],
          workers: int = 1) -> List[Curve]:
    """A curve for each policy and order, by policy, then order. Workers do not change the result.

    A progress bar appears on a terminal after a second.
    Errors: those of replay().
    """
    runs = [(at, policy) for at in range(len(orders)) for policy in policies]

    def curves() -> Iterator[Curve]:
        if workers <= 1:
            yield from map(_Replayer(workload, orders), runs)
            return
        # Not forked: what a caller has, threads above all, is no matter of ours.
        with concurrent.futures.ProcessPoolExecutor(
                workers, multiprocessing.get_context("spawn"), _start, (workload, orders)) as pool:
            yield from pool.map(_replay, runs)

    done: List[Curve] = []
    with Progress("replay", "replay", len(runs)) as progress:
        for curve in curves():
            done.append(curve)
            progress.reach(len(done))
    return [done[at * len(policies) + i] for i in range(len(policies)) for at in range(len(orders))]
