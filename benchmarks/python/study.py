# SPDX-License-Identifier: Apache-2.0
"""The study's 17 variants of the openb trace by 5 policies: what each allocates, and in what time.

    TRESTLE_DATA=FOLDER python benchmarks/python/study.py --seeds 10 --workers 2

FOLDER has the full openb trace, laid out as tests/data/README.md describes. Without TRESTLE_DATA the
trace in tests/data is used, which has the default variant only. Orders are our own. The study is published with 10 hours on 256 cores for ten seeds. CPU seconds are
those of this process: with --workers only the wall clock says something.
"""

import argparse
import os
import pathlib
import time

from trestle import replay

VARIANTS = ("default,cpu050,cpu100,cpu200,cpu250,gpushare40,gpushare60,gpushare80,gpushare100,"
            "multigpu20,multigpu30,multigpu40,multigpu50,gpuspec10,gpuspec20,gpuspec25,gpuspec33")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variants", default=VARIANTS, help="names with commas between")
    parser.add_argument("--policy", default="fgd,best_fit,packing,clustering,dot_product")
    parser.add_argument("--seeds", type=int, default=1, help="how many, from 42")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    words = parser.parse_args()
    recorded = pathlib.Path(__file__).parents[2] / "tests/data"
    folder = pathlib.Path(os.environ.get("TRESTLE_DATA") or recorded) / "openb"
    variants = words.variants.split(",")
    lists = {variant: folder / f"openb_pod_list_{variant}.csv" for variant in variants}
    if missing := [str(path) for path in lists.values() if not path.exists()]:
        parser.error(f"{missing[0]}: no such file, {len(missing)} of {len(variants)} are missing; "
                     "set TRESTLE_DATA, or give --variants default")
    policies = words.policy.split(",")
    titles = [f"{title:>11}" for title in (*policies, "wall s", "CPU s")]
    print(" ".join(["variant    ", *titles]))
    whole = time.perf_counter()
    for variant in variants:
        start, cpu = time.perf_counter(), time.process_time()
        workload = replay.load([folder / "openb_node_list_gpu_node.csv"],
                               lists[variant])
        orders = [workload.order(str(seed)) for seed in range(42, 42 + words.seeds)]
        curves = replay.sweep(workload, orders, policies, words.workers)
        given = [both["allocated_percent"][100] for both in replay.by_policy(curves).values()]
        print(" ".join([f"{variant:11}", *(f"{one:11.2f}" for one in given),
                        f"{time.perf_counter() - start:11.2f} {time.process_time() - cpu:11.2f}"]),
              flush=True)
    print(f"all: {time.perf_counter() - whole:.1f} s")


if __name__ == "__main__":
    main()
