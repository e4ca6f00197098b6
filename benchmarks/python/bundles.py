# SPDX-License-Identifier: Apache-2.0
"""Bundles of 8 kinds on nodes to be launched: trestle.ray beside Ray's own scheduler.

    pip install 'trestle[ray]'
    python benchmarks/python/bundles.py --bundles 10000 --seeds 10

The kinds of a seed are drawn: 1 to 8 CPUs, 1 to 32 GiB, 0 to 2 GPUs, equally many of each, on nodes of
64 CPUs, 256 GiB and 8 GPUs. The bound is what the scarcest resource needs, so no scheduler launches
fewer nodes; often no packing reaches it. Times are the fastest of some calls, in CPU time.
"""

import argparse
import logging
import math
import random
import time
from typing import Any

from ray.autoscaler.v2.instance_manager.config import NodeTypeConfig
from ray.autoscaler.v2.scheduler import ResourceDemandScheduler, SchedulingRequest
from ray.autoscaler.v2.utils import ResourceRequestUtil

from trestle.ray import Scheduler

GIB = 2**30
NODE = {"CPU": 64, "memory": 256 * GIB, "GPU": 8}
KINDS = 8


def kinds(seed: int) -> list[dict[str, int]]:
    """What is asked."""
    draw = random.Random(seed)
    found = []
    for _ in range(KINDS):
        one = {"CPU": draw.choice([1, 1, 2, 2, 3, 4, 6, 8]),
               "memory": draw.choice([1, 2, 3, 4, 6, 8, 12, 16, 24, 32]) * GIB}
        gpus = draw.choice([0, 0, 0, 1, 1, 2])
        found.append({**one, "GPU": gpus} if gpus else one)
    return found


def measured(scheduler: type, asked: list[dict[str, int]], each: int, rounds: int) -> tuple[int, float]:
    """Nodes that are launched, and the milliseconds of a call."""
    bundles = ResourceRequestUtil.group_by_count([ResourceRequestUtil.make(one) for one in asked
                                                  for _ in range(each)])
    config = NodeTypeConfig(name="node", min_worker_nodes=0, max_worker_nodes=10**6, resources=NODE)
    fastest, nodes = math.inf, 0
    for _ in range(rounds):
        request: Any = SchedulingRequest(disable_launch_config_check=False, node_type_configs={"node": config},
                                         resource_requests=bundles)
        start = time.process_time()
        reply = scheduler().schedule(request)
        fastest = min(fastest, time.process_time() - start)
        assert not reply.infeasible_resource_requests
        nodes = reply.to_launch[0].count
    return nodes, fastest * 1000


def main() -> None:
    """Prints a table, and the means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bundles", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    each = options.bundles // KINDS
    sums = [0.0] * 4
    print("| seed | bound | trestle | over | ms | Ray | over | ms |")
    print("|---|---|---|---|---|---|---|---|")
    for seed in range(1, options.seeds + 1):
        asked = kinds(seed)
        bound = max(math.ceil(sum(one.get(name, 0) for one in asked) * each / NODE[name]) for name in NODE)
        ours, our_time = measured(Scheduler, asked, each, 5)
        theirs, their_time = measured(ResourceDemandScheduler, asked, each, 1)
        over = [100 * (nodes / bound - 1) for nodes in (ours, theirs)]
        print(f"| {seed} | {bound} | {ours} | {over[0]:.2f} % | {our_time:.1f} "
              f"| {theirs} | {over[1]:.2f} % | {their_time:.0f} |")
        sums = [a + b for a, b in zip(sums, (over[0], our_time, over[1], their_time))]
    means = [one / options.seeds for one in sums]
    print(f"| mean | | | {means[0]:.2f} % | {means[1]:.1f} | | {means[2]:.2f} % | {means[3]:.0f} |")


if __name__ == "__main__":
    main()
