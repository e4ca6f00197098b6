# SPDX-License-Identifier: Apache-2.0
"""Policies x traces x seeds on this process, on Ray or on Dask: the same runs, the same results.

    python sweep.py --on ray --workers 2 --pods default.csv cpu050.csv --seeds 42 43 --out all.json
"""

import argparse
import importlib
import json
import os
import pathlib
from typing import Any, Callable

from trestle import replay

TRACES = pathlib.Path(__file__).parents[1] / "traces"
Run = tuple[str, int]  # policy, seed
Sweep = Callable[[list[replay.Workload], list[Run], int], list[replay.Curve]]


def one(workload: replay.Workload, run: Run) -> replay.Curve:
    """What a worker does."""
    policy, seed = run
    return replay.replay(workload, workload.order(str(seed)), policy)


def here(workloads: list[replay.Workload], runs: list[Run], workers: int) -> list[replay.Curve]:
    """One after the other."""
    return [one(workload, run) for workload in workloads for run in runs]


def on_ray(workloads: list[replay.Workload], runs: list[Run], workers: int) -> list[replay.Curve]:
    """On the cluster that RAY_ADDRESS names, else on one of this machine."""
    ray: Any = importlib.import_module("ray")
    own: Any = {} if "RAY_ADDRESS" in os.environ else {"num_cpus": workers,
                                                       "include_dashboard": False}
    ray.init(log_to_driver=False, **own)
    try:
        task, sent = ray.remote(one), [ray.put(workload) for workload in workloads]
        curves: list[replay.Curve] = ray.get([task.remote(to, run) for to in sent for run in runs])
        return curves
    finally:
        ray.shutdown()


def on_dask(workloads: list[replay.Workload], runs: list[Run], workers: int) -> list[replay.Curve]:
    """On processes of this machine; distributed.Client(address) has those of others."""
    distributed: Any = importlib.import_module("distributed")
    with distributed.Client(n_workers=workers, threads_per_worker=1,
                            dashboard_address=None) as client:
        sent = client.scatter(workloads, broadcast=True)
        curves: list[replay.Curve] = client.gather(
            [client.submit(one, to, run) for to in sent for run in runs])
        return curves


def main() -> None:
    """Runs all and prints what each policy gave away; --out has the whole curves."""
    places: dict[str, Sweep] = {"here": here, "ray": on_ray, "dask": on_dask}
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", choices=places, default="here")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--nodes", default=TRACES / "nodes.csv")
    parser.add_argument("--pods", nargs="+", default=[TRACES / "pods.csv"])
    parser.add_argument("--policies", nargs="+", default=["best_fit", "fgd", "future_fit"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--out", type=pathlib.Path, help="JSON, a row for each per cent of a run")
    words = parser.parse_args()
    workloads = [replay.load([words.nodes], pods) for pods in words.pods]
    runs = [(policy, seed) for policy in words.policies for seed in words.seeds]
    curves = places[words.on](workloads, runs, words.workers)
    rows = []
    for position, path in enumerate(words.pods):
        mine = curves[position * len(runs):(position + 1) * len(runs)]
        name = pathlib.Path(path).stem
        rows += [{"trace": name, **row} for row in replay.rows_of(mine)]
        for policy, both in replay.by_policy(mine).items():
            print(f"{name:8} {policy:10} {both['allocated_percent'][100]:.2f} % given at 100 %")
    if words.out:
        words.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
