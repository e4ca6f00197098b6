# SPDX-License-Identifier: Apache-2.0
"""`python -m trestle conformance`."""

import argparse
import json

from . import answers
from .case import report, report_values

__all__ = ["DESCRIPTION", "EPILOG", "HELP", "add_arguments", "main"]

HELP = "compare decisions with recorded ones, by release, cluster, option and kind of error"

DESCRIPTION = """\
Asks recorded cases again and prints how the answers agree. That is by release of Slurm, by cluster,
by option and by kind of error. It also prints how many answers carry a warning. Cases are decisions
of a slurmctld (files of schema slurm-oracle/1), and the tables of the openb study (a folder with
REPLAY.md). They stand in DIR and in the folders directly in it.

coarse  the same verdict; of an allocation the same numbers of CPUs, memory and devices, on
        whichever nodes; of a cell of a table within half a per cent
exact   the same nodes, CPUs and devices, or the same reason to wait; of a cell within a hundredth
"""

EPILOG = """\
Answers of another scheduler: a JSON file as --write makes it of Trestle's own,

  {"schema": "trestle-answers/1",
   "slurm": {"a100x4/cpu_basic": {"r0": {"status": "allocated", "nodes": [
       {"node": "n0", "cpu_ids": [0, 1], "mem_mb": 2000, "gres": []}]}, ...}, ...},
   "openb": {"42": {"fgd": {"95": 94.92, "100": 95.14, ...}, ...}, ...}}

by recording and tag of the request, and by seed, policy and per cent arrived. Each request of a
recording is to be answered on a cluster where those before it got what was recorded.

A recorded allocation that cannot be entered is named, and the run goes on without it.

Exit status: 0 when all cases agree exactly, 1 when some do not, have no answer or could not be
entered, 2 for bad input.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("folder", metavar="DIR", help="where the recorded cases are")
    parser.add_argument("--answers", metavar="FILE",
                        help="answers of another scheduler; without it Trestle's own")
    parser.add_argument("--write", metavar="FILE", help="writes the answers that were compared")
    parser.add_argument("--misses", type=int, default=20, metavar="N",
                        help="how many cases that differ are shown (default: 20)")
    parser.add_argument("--json", action="store_true", dest="is_json",
                        help="the tables and the cases that differ as one JSON object")
    parser.add_argument("--release", metavar="R",
                        help="answers as this release of Slurm (22.05, 24.11, 26.05); without it "
                        "as the one that was observed")
    parser.add_argument("--workers", type=int, default=1, metavar="N",
                        help="processes that share the replays (default: 1)")


def main(arguments: argparse.Namespace) -> int:
    """Runs it. Errors: ValueError, OSError, ImportError, for what is wrong with the input."""
    cases = answers.load_cases(arguments.folder)
    given = (answers.read_answers(arguments.answers, cases) if arguments.answers
             else answers.answers_here(cases, arguments.workers, arguments.release))
    if arguments.write:
        answers.write_answers(arguments.write, given)
    scores = answers.score(cases, given)
    misses_max = max(0, arguments.misses)
    print(json.dumps(report_values(scores, misses_max)) if arguments.is_json
          else report(scores, misses_max))
    return 0 if all(one.is_exact and not one.unadopted for one in scores) else 1
