# SPDX-License-Identifier: Apache-2.0
"""Columns over nodes beside NumPy that keeps the same counts by hand.

    python benchmarks/python/columns.py --nodes 10000 --requests 100

The yardstick knows no more than three free amounts a node and compares them; the library answers
with everything that it knows: cores, memory near them, devices, features. Both give the same table
here, which is checked. The last line is the time to bring an Observer's tables up to date when a
job has started.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy

import trestle


def best(call: Callable[[], Any], times: int = 7) -> float:
    """The shortest of some runs, in seconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


def used_cluster(nodes: int) -> trestle.Cluster:
    """Nodes of 8 GPUs, each used by up to seven jobs."""
    cluster = trestle.Cluster.from_text(f"{nodes} x (2s32c1t mem=512G gpu:a100:8)")
    placer = trestle.Placer(policy=trestle.Policy.random)
    random = numpy.random.default_rng(1)
    jobs = []
    for owner in range(1, 4 * nodes):
        cpus = 1 + int(random.integers(0, 8))
        request = trestle.slurm.parse_options(["--gres=gpu:1", "-c", str(cpus), "--mem=8G"]).request
        jobs.append(trestle.JobOrder(owner=owner, request=request))
    trestle.place_many(cluster, jobs, placer, trestle.PlaceManyOptions(
        on_failure=trestle.OnFailure.skip))
    return cluster


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--requests", type=int, default=100)
    words = parser.parse_args()
    cluster = used_cluster(words.nodes)
    random = numpy.random.default_rng(2)
    asked = [(1 + int(random.integers(0, 64)), int(random.integers(1, 9)))
             for _ in range(words.requests)]
    requests = [trestle.slurm.parse_options([f"--gres=gpu:{gpus}", "-c", str(cpus)]).request
                for cpus, gpus in asked]
    free = trestle.observe(cluster)["free"]

    def by_hand() -> Any:
        rows = [(free[:, 0] >= 1000 * cpus) & (free[:, 2] >= 1000 * gpus) for cpus, gpus in asked]
        return numpy.array(rows)

    table = trestle.feasible(cluster, requests)
    if not (table == by_hand()).all():
        raise SystemExit("the tables differ")
    shape = f"{len(requests)} x {words.nodes}"
    print(f"feasible {shape}: {1e3 * best(lambda: trestle.feasible(cluster, requests)):.2f} ms, "
          f"NumPy on ready counts {1e3 * best(by_hand):.2f} ms")
    print(f"fit_count {words.nodes}: "
          f"{1e3 * best(lambda: trestle.fit_count(cluster, requests[0])):.2f} ms")
    print(f"observe {words.nodes}: {1e3 * best(lambda: trestle.observe(cluster)):.2f} ms")
    observer = trestle.Observer(cluster)
    observer.observe(cluster)
    small = trestle.slurm.parse_options(["-c", "1"]).request
    placer = trestle.Placer()
    taken = 0.0
    for owner in range(10**9, 10**9 + 1000):
        placement = placer.place(cluster, small)
        cluster.commit(trestle.Allocation(owner=owner, request=small, placement=placement))
        start = time.perf_counter()
        observer.observe(cluster)
        taken += time.perf_counter() - start
    print(f"Observer.observe after a job: {1e6 * taken / 1000:.2f} us")


if __name__ == "__main__":
    main()
