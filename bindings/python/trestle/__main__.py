# SPDX-License-Identifier: Apache-2.0
"""`python -m trestle`: the tools for research."""

import argparse
import importlib
import os
import sys
from typing import Any, List, Optional

from . import Error, __version__

COMMANDS = {"replay": "trestle.replay.cli", "conformance": "trestle.conformance.cli",
            "batsim": "trestle.batsim.cli", "papers": "trestle.papers.cli"}


def main(words: Optional[List[str]] = None) -> int:
    """Runs a command; errors of its input go to stderr, with exit status 2."""
    parser = argparse.ArgumentParser(
        prog="python -m trestle", description=__doc__, epilog="Exit status: 0; 1 where conformance"
        " finds differences; 2 for bad input. COMMAND --help has the rest.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        tool: Any = importlib.import_module(module)
        one = commands.add_parser(name, help=tool.HELP, description=tool.DESCRIPTION,
                                  epilog=tool.EPILOG,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
        tool.add_arguments(one)
        one.set_defaults(main=tool.main)
    arguments = parser.parse_args(words)
    try:
        status: int = arguments.main(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader closed it early
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, LookupError, OSError, ImportError, Error) as error:
        print(error, file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
