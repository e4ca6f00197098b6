# SPDX-License-Identifier: Apache-2.0
"""An evaluator for searches: a policy in, metrics out."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import List, Optional, Sequence

from .._progress import over
from .._short import short_repr
from ..traces.orders import Order
from .run import AnyPolicy, Arrivals
from .workload import Workload

__all__ = ["Evaluation", "Evaluator"]


@dataclass(frozen=True, repr=False)
class Evaluation:
    """Means of the orders. `error` says why a policy could not be evaluated; the others are 0 then.
    """

    allocated_percent: float = 0.0  # of all GPUs, or CPUs where these are measured
    placed: float = 0.0  # jobs
    dropped: float = 0.0
    fragment_percent: Optional[float] = None  # of all GPUs, where it is asked for
    error: str = ""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """True if the policy could be evaluated."""
        return not self.error


class Evaluator:
    """Replays orders for one policy after the other, up to a per cent that has arrived.

        evaluate = replay.Evaluator(workload, [workload.order("42")])
        print(evaluate("-devices_after").allocated_percent)

    The same policy gives the same metrics, whatever was evaluated before.
    """

    def __init__(self, workload: Workload, orders: Sequence[Order], *, arrived: int = 100,
                 fragments: bool = False) -> None:
        """`arrived` per cent of all units are asked for; `fragments` are worked out too. Errors:
        ValueError without an order, for `arrived` below 1, for an order of which nothing arrives
        until then, and those of Arrivals."""
        if not orders or arrived < 1:
            raise ValueError(f"{len(orders)} orders, arrived {arrived}; expected 1 or more of each")
        self._arrived, self._fragments = arrived, fragments
        cut = [_cut(workload, order, arrived) for order in orders]
        for one in cut:
            if not one.arrivals:
                raise ValueError(f"order {one.name}: nothing arrives until {arrived} %")
        self._ready = [Arrivals(workload, one) for one in cut]

    def __call__(self, policy: AnyPolicy) -> Evaluation:
        """The metrics of a policy: a name, an expression, a Policy or a function. What it does
        wrong is `error`, so that a search goes on: a bad expression, an exception, an array of
        another shape or type. Raises what is no Exception, as KeyboardInterrupt."""
        try:
            curves = [one.replay(policy, name="", fragments=self._fragments)
                      for one in over(self._ready, "evaluation", "order")]
        except Exception as error:
            return Evaluation(error=f"{type(error).__name__}: {error}")

        def mean(values: List[float]) -> float:
            return sum(values) / len(values)
        cells = [max(one.allocated_percent) for one in curves]
        return Evaluation(
            round(mean([one.allocated_percent[at] for one, at in zip(curves, cells)]), 3),
            mean([one.placed for one in curves]), mean([one.dropped for one in curves]),
            round(mean([one.fragment_percent[at] for one, at in zip(curves, cells)]), 3)
            if self._fragments and curves[0].fragment_percent else None)


def _cut(workload: Workload, order: Order, arrived: int) -> Order:
    """Without what comes when more than that has arrived."""
    total = 0
    for count, at in enumerate(order.arrivals):
        total += workload.sizes[at]
        if round(total * 100 / workload.capacity) > arrived:
            return dataclasses.replace(order, arrivals=order.arrivals[:count])
    return order
