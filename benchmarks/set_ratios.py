# SPDX-License-Identifier: Apache-2.0
"""Prints the table of README.md, section Sets, from the JSON of bench_set.

    bench_set --benchmark_format=json --benchmark_repetitions=5 > set.json
    python3 set_ratios.py set.json

A cell is the fastest CPU time of ours divided by that of the plain way, and ours in ns.
"""
import json
import sys
from collections import defaultdict

RIVALS = {"IndexSet": "CRoaring", "SmallSet": "words", "BitIndex": "words"}
DENSITIES = ("1", "50", "99")

best = defaultdict(lambda: float("inf"))
for run in json.load(open(sys.argv[1]))["benchmarks"]:
    if run["run_type"] == "iteration":
        operation, name, bits, percent = run["name"].split("/")[:4]
        key = (name, operation, int(bits), percent)
        best[key] = min(best[key], run["cpu_time"])

print("| set | operation | bits | " + " | ".join(f"{d} %" for d in DENSITIES) + " |")
print("|---|---|---|---|---|---|")
for name, operation, bits in sorted({key[:3] for key in best}):
    if name in RIVALS:
        cells = []
        for percent in DENSITIES:
            ours = best[name, operation, bits, percent]
            rival = best[RIVALS[name], operation, bits, percent]
            cells.append(f"{ours / rival:.2f} ({ours:.0f} ns)")
        print(f"| {name} | {operation} | {bits} | " + " | ".join(cells) + " |")
