# SPDX-License-Identifier: Apache-2.0
"""Models resources, decides placements, enforces them.

    cluster = trestle.Cluster.from_text("8 x (2s16c2t mem=512G gpu:a100:4)")
    placement = trestle.place(cluster, trestle.request("--gres=gpu:1 -c 4 --mem=16G"))

The names that most programs need; help() has more on each, as `help(trestle.Cluster)`:

    request(text), Request, DeviceRequest    what a job asks
    node(text), make_node, Node, NodeShape   a machine
    Cluster, Allocation                      machines, and what each job has of them
    fit, place, place_many, Placement        where a job may run; Refusal says why it may not
    explain, explain_fit                     what stands in the way, and what would fit
    Timeline, earliest_start, schedule_pass  the same over time, with a queue
    plan, Plan, Enforcer                     what the kernel has to do for a placement
    gib, mib, Range, NodeSet, CoreSet        sizes, ends, sets

Rooms, each with its own help(). `__all__` and dir(trestle) have the names above and the rooms. A
name of model, cluster, schedule, market or enforce is found in `trestle` too, where pickles and
reprs look for it:

    trestle.model, cluster                   values; one node, clusters and placements
    trestle.schedule, market                 time and queues; offers and blocks
    trestle.slurm, dstack, container         options, files and jobs of other systems
    trestle.translate                        from one of these to another, with what is lost
    trestle.os, enforce                      this machine: devices, cgroups, jobs as context managers
    trestle.svg, prometheus, testing         pictures, metrics, tools for tests
    trestle.sim, replay, traces              simulation, replays of traces, loaders
    trestle.conformance, batsim              recorded decisions, Batsim
    trestle.gym_env, vector_env              Gymnasium: one environment, many queues in time
    trestle.papers                           published results beside Trestle's
    trestle.ray, flux                        a scheduler for Ray's autoscaler, a pool for Flux

The last five lines are imported by their names (`import trestle.sim`); some of them need an extra:
pip install 'trestle[sim]'. `python -m trestle` has the tools for a shell.

Names equal those of C++, and so do the meanings; the docstrings are the comments of its headers.
What differs in Python:

- Values never change: `request.replace(memory=...)` makes a changed copy. So they hash, may be
  keys and may be shared between threads. Only Cluster, Timeline, NodeLedger, JobState, the
  enforcers and the clock do.
- Bytes, counts, ids and times are int; C++'s Interval is `range`, its Range is Range.
- "Does not fit" is a value: a Refusal, which is false and has `constraint` and `reason`.
- Errors are exceptions: ValueError (bad text, bad description), LookupError, PermissionError,
  IndexError, NotImplementedError, and Error with a `code` for all others. A broken precondition is
  a ContractViolation.
- Sets count as procset's do: `count()` is of intervals, `len()` of members.
- str(value) is C++'s to_text(value), of a Request what it asks in words. repr(value) has at most
  200 characters. It evaluates to an equal value unless it had to be cut.
"""

import importlib as _importlib
import types as _types
from typing import Any as _Any
from typing import List as _List
from typing import Set as _Set

from . import _without_numpy

_without_numpy.install()  # before its names are brought here

from ._core import *  # noqa: E402, F403
from ._core import __version__ as __version__  # noqa: E402
from ._errors import ContractViolation as ContractViolation  # noqa: E402
from ._errors import Error as Error  # noqa: E402
from ._range import Range as Range  # noqa: E402
from ._text import node as node  # noqa: E402
from ._text import request as request  # noqa: E402
from . import enforce as enforce  # noqa: E402
from . import _notebook, _request_text  # noqa: E402

_notebook.install()
_request_text.install()


_ROOMS = ("cluster", "market", "model", "schedule")


def __getattr__(name: str) -> _Any:
    """Imports a room when it is first asked for."""
    if name in _ROOMS:
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> _List[str]:
    """The names that most programs need, the rooms, which have all others, and what was imported."""
    return sorted({*__all__, *_modules()})


def _modules() -> _Set[str]:
    return {name for name, value in globals().items()
            if isinstance(value, _types.ModuleType) and not name.startswith("_")}


class _Names(list):  # type: ignore[type-arg]
    """Public names. `in`, which help() uses, finds two of them: a help of all would be too long to
    read."""

    _SHOWN = ("node", "request")

    def __contains__(self, name: object) -> bool:
        return name in self._SHOWN


__all__ = _Names(sorted({
    "Allocation", "Cluster", "ContractViolation", "CoreSet", "DeviceRequest", "Enforcer", "Error",
    "Node", "NodeSet", "NodeShape", "Placement", "Plan", "Range", "Refusal", "Request", "Timeline",
    "earliest_start", "explain", "explain_fit", "fit", "gib", "make_node", "mib", "node", "place",
    "place_many", "plan", "request", "schedule_pass", *_ROOMS, *_modules(),
}))
