#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many policies a search evaluates in an hour on one core: the openb trace up to 100 % arrived.

    python benchmarks/python/evaluations.py [--repeat 5]

CPU time of one evaluation, the least of the repetitions, and the rate that follows. Needs NumPy.
"""

import argparse
import pathlib
import time

from trestle import replay

DATA = pathlib.Path(__file__).parents[2] / "tests/data/openb"
POLICIES = {
    "name: best_fit": "best_fit",
    "name: fgd": "fgd",
    "expression: one column": "-devices_after",
    "expression: best_fit": "-0.5 * milli_cpus_after / 128000 - 0.5 * devices_after / 8000",
    "expression: six operators":
        "max(each_device_after) - 0.001 * milli_cpus_after + (5 if is_idle else -devices_after)",
    "NumPy function": lambda columns: -1.0 * columns.devices_after,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    workload = replay.load([DATA / "openb_node_list_gpu_node.csv"],
                           DATA / "openb_pod_list_default.csv")
    evaluate = replay.Evaluator(workload, [workload.order("42")])
    print(f"{'policy':<26} {'allocated %':>11} {'CPU s':>6} {'an hour':>8}")
    for name, policy in POLICIES.items():
        seconds = []
        for _ in range(repeat):
            begun = time.process_time()
            found = evaluate(policy)
            seconds.append(time.process_time() - begun)
            assert found, found.error
        print(f"{name:<26} {found.allocated_percent:>11.2f} {min(seconds):>6.2f}"
              f" {3600 / min(seconds):>8.0f}", flush=True)


if __name__ == "__main__":
    main()
