# SPDX-License-Identifier: Apache-2.0
"""`python -m trestle papers`."""

import argparse
import pathlib

from .paper import Options
from .papers import PAPERS, run
from .table import table

__all__ = ["DESCRIPTION", "EPILOG", "HELP", "add_arguments", "main"]

HELP = "repeat published results, and print them beside the published numbers"

DESCRIPTION = """\
Runs the experiments and prints a table: what was published, what Trestle measures, on which data,
with which seeds. The words "not found" stand for a published number that is not known. None is
estimated.
"""

EPILOG = "\n".join([
    "Papers:", *(f"  {one.name:8}{one.source}" for one in PAPERS.values()), "",
    "fgd and pwr replay the openb trace: run them in a clone, or give --data.", "",
    "Exit status: 0; 2 for an unknown name and where the trace is missing."])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="papers (default: all)")
    parser.add_argument("--quick", action="store_true",
                        help="a small instance of each experiment, which takes seconds; its "
                             "numbers are not comparable with the published ones")
    parser.add_argument("--data", type=pathlib.Path, metavar="DIR",
                        help="a folder with openb/ (default: TRESTLE_DATA, else tests/data)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", dest="form", action="store_const", const="json",
                      help="a list of objects, one a row; `published` is null where not found")
    form.add_argument("--markdown", dest="form", action="store_const", const="markdown")
    parser.set_defaults(form="text")


def main(arguments: argparse.Namespace) -> int:
    """Runs it. Errors: LookupError, OSError, ImportError, for what is wrong with the input."""
    names = arguments.names or list(PAPERS)
    unknown = [name for name in names if name not in PAPERS]
    if unknown:
        raise LookupError(f"{unknown[0]}: expected one of {', '.join(PAPERS)}")
    options = Options(arguments.quick, arguments.data)
    rows = [row for name in dict.fromkeys(names) for row in run(name, options)]
    print(table(rows, arguments.form))
    return 0
