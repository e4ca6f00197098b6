# SPDX-License-Identifier: Apache-2.0
"""`python -m trestle batsim`."""

import argparse

import trestle

from .scheduler import Scheduler
from .server import ADDRESS, serve

__all__ = ["DESCRIPTION", "DISCIPLINES", "EPILOG", "HELP", "ORDERS", "add_arguments", "main"]

HELP = "schedule for a Batsim that runs beside it"

DESCRIPTION = """\
Answers Batsim's messages (JSON protocol of Batsim 3 and 4, ZeroMQ) with placements, until the
simulation is over. Each host is a node, each job has its hosts alone.
"""

EPILOG = """\
  python -m trestle batsim --discipline conservative &
  batsim --platform platform.xml --workload workload.json

Exit status: 0; 2 for bad input, as a message that the protocol does not know.
"""

DISCIPLINES = {"fcfs": trestle.Discipline.strict, "easy": trestle.Discipline.easy,
               "conservative": trestle.Discipline.conservative}
ORDERS = {order.name: order for order in (trestle.QueueOrder.as_queued,
                                          trestle.QueueOrder.shortest_first)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("--socket", default=ADDRESS, metavar="ADDRESS",
                        help="where Batsim calls (default: %(default)s)")
    parser.add_argument("--discipline", choices=DISCIPLINES, default="easy",
                        help="which jobs may overtake (default: %(default)s)")
    parser.add_argument("--order", choices=ORDERS, default="as_queued",
                        help="order of the queue (default: %(default)s)")
    parser.add_argument("--policy", default="first_fit", metavar="POLICY",
                        help="how hosts are chosen: the name of a trestle.Policy, or a scoring "
                             "expression (default: %(default)s)")
    parser.add_argument("--walltime", type=float, default=86_400, metavar="SECONDS",
                        help="the estimate of jobs that have no walltime (default: %(default)s)")


def main(arguments: argparse.Namespace) -> int:
    """Runs it. Errors: ValueError, OSError, ImportError, for what is wrong."""
    serve(Scheduler(DISCIPLINES[arguments.discipline](ORDERS[arguments.order]),
                    walltime_default=arguments.walltime,
                    options=trestle.PlaceOptions(policy=arguments.policy)),
          arguments.socket)
    return 0
