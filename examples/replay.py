# SPDX-License-Identifier: Apache-2.0
"""A small trace replayed: which policy gives away most GPUs, one of our own among them.

The files have the columns of the openb trace of "Beware of Fragmentation"; from the shell it is
    python -m trestle replay --nodes nodes.csv --pods pods.csv --policy fgd,best_fit --orders 1 2 3
"""

import pathlib
from typing import Any

import trestle
from trestle import replay
from trestle.replay.results import table
from trestle.traces import lublin, swf

TRACES = pathlib.Path(__file__).parent / "traces"


def whole_gpus_last(columns: trestle.PolicyColumns) -> Any:
    """First where fewest whole GPUs are broken, then the fullest; the highest score is taken."""
    broken = ((columns.each_device_before == 1000) & (columns.each_device_after < 1000)).sum(axis=1)
    return -100.0 * broken - columns.devices_after / 8000 - columns.milli_cpus_after / 64000


workload = replay.load([TRACES / "nodes.csv"], TRACES / "pods.csv")
orders = [workload.order(seed) for seed in ("1", "2", "3")]
policies: list[replay.AnyPolicy] = ["first_fit", "best_fit", whole_gpus_last, "fgd", "future_fit"]
curves = [replay.replay(workload, order, policy) for policy in policies for order in orders]
print(f"{len(workload.jobs)} pods, {workload.capacity // 1000} GPUs, {len(orders)} orders")
print(table(curves, arrived=(80, 90, 100, 110, 120)))

log = lublin.generate(jobs=3, seed=7)  # as logs of the Parallel Workloads Archive are
print(swf.swf_text(log).splitlines()[-1])
