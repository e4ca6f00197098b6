# SPDX-License-Identifier: Apache-2.0
"""Fragmentation gradient descent on the openb trace: allocated GPUs when all are asked for."""

from __future__ import annotations

from typing import List

from .. import replay
from .paper import Found, Options, Paper

__all__ = ["PAPER", "measure"]

_PUBLISHED = {"fgd": 95.23, "best_fit": 92.86, "packing": 91.78, "clustering": 91.65,
             "dot_product": 90.62, "random": 86.30}
"""Per cent of all GPUs, means of ten seeds."""

_SEEDS = range(42, 52)


def measure(options: Options) -> List[Found]:
    """A row for each policy, and one for future_fit, which is Trestle's own."""
    folder = options.openb()
    workload = replay.load([folder / "openb_node_list_gpu_node.csv"],
                           folder / "openb_pod_list_default.csv")
    if options.is_quick:
        policies = ["fgd", "best_fit"]
        orders = [workload.order(str(folder / "orders/openb_pod_list_default.42.order"))]
    else:
        policies = [*_PUBLISHED, "future_fit"]
        orders = [workload.order(str(seed)) for seed in _SEEDS]
    means = replay.by_policy(replay.sweep(workload, orders, policies))
    return [Found(f"allocated GPUs, {policy}",
                  f"{_PUBLISHED[policy]:.2f} %" if policy in _PUBLISHED
                  else "none: a policy of Trestle's",
                  f"{means[policy]['allocated_percent'][100]:.2f} %") for policy in policies]


PAPER = Paper(
    "fgd", "Weng et al., Beware of Fragmentation, USENIX ATC 2023",
    "openb trace: 1,213 nodes, 8,152 pods; orders of arrival are our own draws by its rules",
    "42 to 51", measure, "openb trace, the order of the study's simulator for seed 42")
