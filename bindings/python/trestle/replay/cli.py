# SPDX-License-Identifier: Apache-2.0
"""`python -m trestle replay`."""

import argparse
import collections
import json
import os
import pathlib
import sys
from typing import Iterable, List, Sequence

from .. import _optional
from . import plot, results
from .run import find_policy
from .sweep import sweep
from .workload import load

__all__ = ["DESCRIPTION", "EPILOG", "HELP", "add_arguments", "main"]

HELP = "let the jobs of a trace arrive at a cluster, and measure what each policy allocates"

DESCRIPTION = """\
Jobs arrive one after the other; each is placed by the policy or dropped; none leaves. What is
allocated and what lies in fragments is noted by the GPUs asked for so far, in per cent of all. This
is as in "Beware of Fragmentation" (USENIX ATC 2023). Where no job asks for GPUs, CPUs are counted.
"""

EPILOG = """\
JSON output: for each policy `allocated_percent` and `fragment_percent`, per cent of all GPUs by
integer per cent arrived. The means of the orders where there are several. CSV and Parquet: a row
for each policy, order and per cent arrived.

  python -m trestle replay --nodes nodes.csv --pods pods.csv --policy fgd,best_fit \\
      --orders 42 43 44 --out results.json --plot curves.png

Exit status: 0; 2 for bad input, with every bad row of every file by file and line.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument(
        "--nodes", nargs="+", required=True, metavar="FILE",
        help="the cluster: nodes of the openb trace (CSV), a machine as hwloc XML, a folder with "
             "slurm.conf, a dstack catalog (CSV; a node for each offer). 16*FILE: sixteen of each")
    parser.add_argument(
        "--pods", required=True, metavar="FILE",
        help="the jobs: pods of the openb trace (CSV), or a log in SWF, .gz or not")
    parser.add_argument(
        "--policy", default="fgd,best_fit", metavar="NAME,...",
        help="fgd, best_fit, dot_product, packing, clustering, random, future_fit, first_fit, ...; "
             "a scoring expression, as in --policy=fgd,-devices_after; or MODULE:FUNCTION, a function "
             "from PolicyColumns to an array of scores (default: %(default)s)")
    parser.add_argument(
        "--orders", nargs="+", default=["42"], metavar="ORDER",
        help="orders of arrival, with blanks or commas between: a file (positions of pods, -1, ranks "
             "of nodes) or a folder of *.order, a seed (each pod once and draws up to 130 %% of the "
             "GPUs, shuffled), or trace (as they stand) (default: 42)")
    parser.add_argument("--out", nargs="+", default=[], metavar="FILE",
                        help="results: .json, .csv or .parquet (pyarrow: trestle[sim])")
    parser.add_argument("--json", action="store_true", dest="is_json",
                        help="print what --out writes as .json, not the table")
    parser.add_argument("--plot", metavar="FILE",
                        help="curves of allocation, fragments and unallocated GPUs, as png, svg or "
                             "pdf (matplotlib: trestle[plot])")
    parser.add_argument("--workers", type=int, default=1, metavar="N",
                        help="processes that share the work (default: 1); the result is the same")


def _expanded(texts: Iterable[str]) -> List[str]:
    """Lists come apart, folders become the orders in them. Errors: LookupError for none."""
    found: List[str] = []
    for text in (part for one in texts for part in one.split(",") if part):
        path = pathlib.Path(text)
        names = sorted(map(str, path.glob("*.order"))) if path.is_dir() else [text]
        if not names:
            raise LookupError(f"{text}: no *.order in this folder")
        found += names
    return found


def _split(text: str) -> List[str]:
    """What stands between commas outside of parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part]


def _check_once(option: str, names: Sequence[str]) -> None:
    for name, count in collections.Counter(names).items():
        if count > 1:
            raise ValueError(f"{option}: {name} stands {count} times, expected it once")


def main(arguments: argparse.Namespace) -> int:
    """Runs it. Errors: ValueError, OSError, LookupError, ImportError, for what is wrong."""
    policies = _split(arguments.policy)
    if not policies:
        raise ValueError("--policy: empty, expected a name")
    if arguments.workers < 1:
        raise ValueError(f"--workers: {arguments.workers}, expected 1 or more")
    if any(":" in name for name in policies):
        sys.path.insert(0, os.getcwd())
    for name in policies:
        find_policy(name)
    _check_once("--policy", policies)
    for path in arguments.out:
        results.check_format(path)
    for path in [*arguments.out, *([arguments.plot] if arguments.plot else [])]:
        if not pathlib.Path(path).absolute().parent.is_dir():
            raise FileNotFoundError(f"{path}: there is no such folder")
    if arguments.plot:
        _optional.load("matplotlib", "plot")
    workload = load(arguments.nodes, arguments.pods)
    orders = [workload.order(text) for text in _expanded(arguments.orders)]
    _check_once("--orders", [order.name for order in orders])
    curves = sweep(workload, orders, policies, arguments.workers)
    for path in arguments.out:
        results.write(path, curves)
    if arguments.plot:
        plot.save(arguments.plot, curves, workload.capacity, workload.measured)
    print(json.dumps(results.by_policy(curves)) if arguments.is_json else results.table(curves))
    return 0
