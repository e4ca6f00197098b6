# SPDX-License-Identifier: Apache-2.0
"""A resource pool for the schedulers of Flux that are written in Python: Trestle chooses the cores.

    flux module load sched-simple pool-class=trestle.flux:TrestlePool

TrestlePool has the methods of Flux's ResourcePoolImplementation, for R of version 1. It works without
Flux, too: then ids and hosts are plain sets and lists, and the exceptions are of this module. What the
contract leaves open is decided here:

- Nodes are chosen by a policy, best_fit unless `policy` names another one, or is a scoring expression.
- Where `scheduling.children` of R says which cores and GPUs lie together, each GPU gets cores near it,
  as far as they are free.
- Ranges of nodes and slots take as much as there is, also counts with steps. Of a range of nodes with
  a range of slots each, the nodes are maximised before the slots.
- A resource type other than node, slot, core and gpu at the end of a jobspec's branch is refused: R
  does not count it. Others that only hold something multiply what they hold.
- An allocation that is registered must be free, and what is freed must be the job's.
"""

from __future__ import annotations

import copy
import functools
import importlib
import json
import syslog
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import trestle

from ._flux._document import Document, Part, read
from ._flux._ids import ids_text, read_ids
from ._flux._nodes import Nodes, scheduling_of
from ._flux._request import Count, ResourceRequest, allowed, read_request

__all__ = ["InfeasibleRequest", "InsufficientResources", "ResourceRequest", "TrestlePool", "pool_class"]


def _of_flux(module: str, name: str) -> Any:
    """A name of Flux's; None where Flux is not there."""
    try:
        return getattr(importlib.import_module(module), name)
    except ImportError:
        return None


_Base: Any = _of_flux("flux.resource.ResourcePoolImplementation", "ResourcePoolImplementation") or object
_IDset: Any = _of_flux("flux.idset", "IDset")
_Hostlist: Any = _of_flux("flux.hostlist", "Hostlist")


class _Insufficient(OSError):
    """Not enough is free now."""


class _Infeasible(OSError):
    """The pool could never satisfy the request."""


_ERRORS = "flux.resource.ResourcePoolImplementation"
InsufficientResources: Any = _of_flux(_ERRORS, "InsufficientResources") or _Insufficient
"""Not enough is free now. Flux's own, where it is there."""
InfeasibleRequest: Any = _of_flux(_ERRORS, "InfeasibleRequest") or _Infeasible
"""The pool could never satisfy the request. Flux's own, where it is there."""


class TrestlePool(_Base):  # type: ignore[misc]  # flux need not be there
    """Resources of R, which ranks are up, and which job has what.

    Every R that goes in may be a text, a mapping, or an object with to_dict(), as Flux's pools are.
    `generation` counts changes. Errors of all methods: ValueError for text that is none of Flux's.
    """

    version = 1
    known_options = frozenset({"policy"})
    InsufficientResources = InsufficientResources
    InfeasibleRequest = InfeasibleRequest

    def __init__(self, R: Any = None, log: Callable[[int, str], object] | None = None,
                 policy: str = "best_fit", **options: Any) -> None:
        """`log` receives a level of syslog and a message; `policy` is the name of a trestle.Policy,
        or a scoring expression."""
        self._options = trestle.PlaceOptions(policy=policy)
        self.impl = self
        self.generation = 0
        self.log = (lambda level, message: None) if log is None else log
        for name in options:
            self.log(syslog.LOG_WARNING, f"option {name}: expected {', '.join(sorted(self.known_options))}")
        self._open(Document() if R is None else read(R))
        self._nodes.layouts  # made now, so that what is wrong with R is said here

    def _open(self, resources: Document) -> None:
        """Takes the resources, all of them up and free."""
        self._resources = resources
        self._down: set[int] = set()
        self._jobs: dict[int, tuple[float, Document]] = {}
        self.__dict__.pop("_nodes", None)

    @functools.cached_property
    def _nodes(self) -> Nodes:
        """Made when it is asked for: what alloc() returns is mostly only written."""
        return Nodes(self._resources)

    @functools.cached_property
    def _placer(self) -> trestle.Placer:
        return trestle.Placer(self._options)

    def _made(self, resources: Document) -> TrestlePool:
        """A pool of other resources."""
        made: TrestlePool = type(self).__new__(type(self))
        made.impl, made.generation, made.log, made._options = made, 0, self.log, self._options
        made._open(resources)
        return made

    # What is up.

    def mark_up(self, ids: str) -> None:
        """Ranks may be given to jobs; `all`: every rank. Unknown ranks are passed over."""
        self._mark(ids, trestle.NodeState.up)

    def mark_down(self, ids: str) -> None:
        """Ranks are given to no further job; what runs there stays."""
        self._mark(ids, trestle.NodeState.down)

    def _mark(self, ids: str, state: trestle.NodeState) -> None:
        known = self._resources.parts.keys()
        ranks = set(known) if ids == "all" else known & read_ids(ids, "ranks")
        self._nodes.mark(ranks, state)
        self._down = self._down - ranks if state is trestle.NodeState.up else self._down | ranks
        self.generation += 1

    def remove_ranks(self, ranks: Any) -> TrestlePool:
        """Takes ranks out of the pool. Their jobs keep what they have there until it is freed."""
        gone = read_ids(ranks, "ranks")
        self._nodes.mark(gone, trestle.NodeState.down)
        self._resources = self._resources.of_ranks(self._resources.parts.keys() - gone)
        self._down -= gone
        self.generation += 1
        return self

    # Jobs.

    def parse_resource_request(self, jobspec: dict[str, Any]) -> ResourceRequest:
        """What a jobspec asks. Errors: ValueError with the key."""
        request = read_request(jobspec)
        allowed(request.constraint, self._resources)
        return request

    def check_feasibility(self, request: ResourceRequest) -> None:
        """Nothing, where the whole pool could satisfy the request, all of it up and free. Errors:
        InfeasibleRequest with the reason."""
        found = self._place(self._nodes.idle, request)
        if isinstance(found, str):
            raise InfeasibleRequest(f"unsatisfiable request: {found}")

    def alloc(self, jobid: int, request: ResourceRequest) -> TrestlePool:
        """Gives the job what it asks: a pool of these resources. Errors: InsufficientResources,
        InfeasibleRequest, ValueError for a job that has resources already."""
        if jobid in self._jobs:
            raise ValueError(f"alloc: job {jobid} has {self._jobs[jobid][1].text()} already")
        placement = self._place(self._nodes.cluster, request)
        if isinstance(placement, str):
            self.check_feasibility(request)
            raise InsufficientResources(f"insufficient resources: {placement}")
        self._nodes.cluster.adopt(jobid, placement)
        parts = self._nodes.parts(placement, self._resources)
        now = time.time()
        end = now + request.duration if request.duration else self._resources.expiration
        given = Document(parts, starttime=now, expiration=end, has_hosts=True,
                         slots=sum(placed.tasks for placed in placement.nodes),
                         scheduling=scheduling_of(self._resources, frozenset(parts)))
        self._jobs[jobid] = end, given
        self.generation += 1
        self.log(syslog.LOG_DEBUG, f"alloc: {jobid}: {given.text()}")
        return self._made(given)

    def register_alloc(self, jobid: int, R: Any) -> None:
        """Enters what a job has already, as after a restart. Errors: ValueError for ranks and ids that
        the pool does not have, for what another job has, and for a job that was entered before."""
        given = read(R)
        missing = sorted(given.parts.keys() - self._resources.parts.keys())
        if missing:
            raise ValueError(f"job {jobid}: ranks {ids_text(missing)}; expected ranks of the pool")
        if jobid in self._jobs:
            raise ValueError(f"job {jobid}: entered already; expected each job once")
        try:
            self._nodes.cluster.adopt(jobid, self._nodes.placement(given))
        except (ValueError, trestle.Error) as error:
            raise ValueError(f"job {jobid}: {given.text()}: {error}") from error
        self._jobs[jobid] = given.expiration, given
        self.generation += 1
        self.log(syslog.LOG_INFO, f"hello: {jobid}: {given.text()}")

    def free(self, jobid: int, R: Any = None, final: bool = False) -> None:
        """Takes back what R has of the job's resources, or all of them; `final`: R is all that is left.
        Errors: ValueError for what the job does not have; nothing changes then."""
        if jobid not in self._jobs:
            self.log(syslog.LOG_DEBUG, f"free: {jobid}: has nothing")
            return
        end, given = self._jobs[jobid]
        back = given if R is None else read(R)
        extra = back.less(given)
        rest = given.less(back)
        if extra.parts:
            raise ValueError(f"free: job {jobid}: {extra.text()}; expected a part of {given.text()}")
        if final and rest.parts:
            raise ValueError(f"free: job {jobid}: {back.text()}; expected all that is left, {given.text()}")
        here = back.of_ranks(self._nodes.node_of)
        if rest.of_ranks(self._nodes.node_of).parts and here.parts:
            self._nodes.cluster.release_part(jobid, self._nodes.placement(here))
        elif here.parts:
            self._nodes.cluster.release(jobid)
        self._jobs[jobid] = end, rest
        if final or R is None:
            del self._jobs[jobid]
        self.generation += 1
        self.log(syslog.LOG_DEBUG, f"free: {jobid}: {back.text()}{' (final)' if final else ''}")

    def update_expiration(self, jobid: int, expiration: float) -> None:
        """A job ends at another moment. Nothing for a job that the pool does not know."""
        if jobid in self._jobs:
            self._jobs[jobid] = float(expiration), self._jobs[jobid][1]
            self.generation += 1

    def job_end_times(self) -> list[tuple[int, float]]:
        """Of each job when it ends, in seconds since 1970; 0: at no known moment."""
        return [(jobid, end) for jobid, (end, _) in self._jobs.items()]

    # Where a request fits.

    def _place(self, cluster: trestle.Cluster, request: ResourceRequest) -> trestle.Placement | str:
        """The placement, or why there is none."""
        ranks = [rank for rank in sorted(allowed(request.constraint, self._resources))
                 if rank in self._nodes.node_of]
        nodes = trestle.NodeSet(self._nodes.node_of[rank] for rank in ranks)
        if not ranks:
            return "no rank satisfies the constraint" if request.constraint else "no rank has cores"
        if request.exclusive:
            return self._place_whole(cluster, request, nodes)
        size = max(1, request.slot_size)
        cores = [len(self._nodes.layouts[rank].cores) // size for rank in ranks]
        if request.node_count is None:
            return _most(request.slot_count, sum(cores), lambda slots: self._ask(
                cluster, nodes, request, tasks=slots, nodes=trestle.Range(1, min(slots, len(ranks)))))
        found = _most(request.node_count, len(ranks), lambda count: self._ask(
            cluster, nodes, request, nodes=count,
            tasks_per_node=trestle.Range.exactly(request.slot_count.min)))
        if isinstance(found, str) or request.slot_count.max == request.slot_count.min:
            return found
        return _most(request.slot_count, max(cores), lambda slots: self._ask(
            cluster, nodes, request, nodes=len(found.nodes), tasks_per_node=trestle.Range.exactly(slots)))

    def _ask(self, cluster: trestle.Cluster, candidates: trestle.NodeSet, request: ResourceRequest,
             **counts: Any) -> trestle.Placement | str:
        devices = ([trestle.DeviceRequest("gpu", count=request.gpu_per_slot, per=trestle.Per.task)]
                   if request.gpu_per_slot else [])
        found = self._placer.place(cluster, trestle.Request(
            cpus_per_task=request.slot_size, devices=devices, **counts), candidates=candidates)
        return found if isinstance(found, trestle.Placement) else str(found)

    def _place_whole(self, cluster: trestle.Cluster, request: ResourceRequest,
                     nodes: trestle.NodeSet) -> trestle.Placement | str:
        """Whole nodes, the smallest that suffice."""
        slots = request.slot_count.min
        fitting = []
        for node in nodes:
            layout = self._nodes.layouts[self._nodes.ranks[node]]
            size = len(layout.cores), len(layout.gpus)
            if (cluster.node(node).state is trestle.NodeState.up and not cluster.owners_on(node)
                    and size[0] >= max(1, slots * request.slot_size)
                    and size[1] >= slots * request.gpu_per_slot):
                fitting.append((size, node))
        count = request.node_count if request.node_count is not None else request.slot_count
        choice = count.up_to(len(fitting))
        if not choice:
            return (f"asked {count.min} whole nodes of {slots * request.slot_size} cores and"
                    f" {slots * request.gpu_per_slot} GPUs, {len(fitting)} of {len(nodes)} are free")
        chosen = sorted(node for _, node in sorted(fitting)[:choice[-1]])
        return trestle.Placement([self._nodes.whole(node, self._resources, slots) for node in chosen])

    # Other pools.

    def copy(self) -> TrestlePool:
        """An independent pool in the same state, without a log."""
        made: TrestlePool = copy.copy(self)
        made.impl = made
        made.log = lambda level, message: None
        made._nodes = self._nodes.copy()
        made._down, made._jobs = set(self._down), dict(self._jobs)
        return made

    def copy_allocated(self) -> TrestlePool:
        """What jobs have."""
        parts: dict[int, Part] = {}
        for _, given in self._jobs.values():
            for rank in given.parts.keys() & self._resources.parts.keys():
                parts[rank] = parts[rank].plus(given.parts[rank]) if rank in parts else given.parts[rank]
        return self._made(self._resources.with_parts(parts))

    def copy_down(self) -> TrestlePool:
        """What is down."""
        return self._made(self._resources.of_ranks(self._down))

    def to_set(self) -> TrestlePool:
        """All resources, without what is down or given to jobs."""
        return self._made(self._resources)

    def copy_ranks(self, ranks: Any) -> TrestlePool:
        """The resources of these ranks."""
        return self._made(self._resources.of_ranks(read_ids(ranks, "ranks")))

    def union(self, rset: Any) -> TrestlePool:
        """What either has."""
        return self._made(self._resources.plus(read(rset)))

    def intersect(self, rset: Any) -> TrestlePool:
        """The resources of the ranks that both have."""
        return self._made(self._resources.of_ranks(read(rset).parts))

    def diff(self, rset: Any) -> TrestlePool:
        """What the other does not have."""
        return self._made(self._resources.less(read(rset)))

    def append(self, rset: Any) -> None:
        """Takes in what the other has. Jobs and what is down stay."""
        self._grow(self._resources.plus(read(rset)))

    def add(self, rset: Any) -> None:
        """As append()."""
        self.append(rset)

    def _grow(self, resources: Document) -> None:
        jobs, down, generation = self._jobs, self._down, self.generation
        self._open(resources)
        for jobid, (_, given) in jobs.items():
            here = given.of_ranks(self._nodes.node_of)
            if here.parts:
                self._nodes.cluster.adopt(jobid, self._nodes.placement(here))
        self._jobs, self.generation = jobs, generation
        self._mark(ids_text(down), trestle.NodeState.down)

    # What it has.

    def dumps(self) -> str:
        """For people: `rank[0-1]/core[0-3],gpu0`."""
        return self._resources.text()

    def to_dict(self) -> dict[str, Any]:
        """R."""
        return self._resources.to_dict()

    def encode(self) -> str:
        """R as JSON."""
        return json.dumps(self.to_dict())

    def ranks(self) -> Any:
        """The ranks: Flux's IDset where Flux is there, else a trestle.IndexSet."""
        text = ids_text(self._resources.parts)
        return _IDset(text) if _IDset is not None else trestle.IndexSet(text)

    def nodelist(self) -> Any:
        """The hosts by rank: Flux's Hostlist where Flux is there, else a list."""
        hosts = [part.host for _, part in sorted(self._resources.parts.items())]
        return _Hostlist(",".join(hosts)) if _Hostlist is not None else hosts

    def nnodes(self) -> int:
        """The number of ranks."""
        return len(self._resources.parts)

    def count(self, name: str) -> int:
        """All of `core` or `gpu`; 0 for another name."""
        if name not in ("core", "gpu"):
            return 0
        return sum(len(part.cores if name == "core" else part.gpus)
                   for part in self._resources.parts.values())

    def get_properties(self) -> str:
        """The properties as JSON: the ranks of each."""
        return json.dumps({name: ids_text(ranks) for name, ranks in self._resources.properties.items()})

    @property
    def scheduling(self) -> Any:
        """The key of this name in R; None: there is none."""
        return self._resources.scheduling

    def get_starttime(self) -> float:
        """Seconds since 1970; 0: none."""
        return self._resources.starttime

    def set_starttime(self, starttime: float) -> None:
        """The moment of R."""
        self._resources = replace(self._resources, starttime=float(starttime))

    def get_expiration(self) -> float:
        """Seconds since 1970; 0: none."""
        return self._resources.expiration

    def set_expiration(self, expiration: float) -> None:
        """The moment of R at which its resources are gone."""
        self._resources = replace(self._resources, expiration=float(expiration))

    @property
    def expiration(self) -> float:
        """get_expiration(); may be set."""
        return self.get_expiration()

    @expiration.setter
    def expiration(self, value: float) -> None:
        self.set_expiration(value)


def _most(count: Count, most: int,
          ask: Callable[[int], trestle.Placement | str]) -> trestle.Placement | str:
    """The answer for the largest count that has a placement; a larger one asks for no less."""
    options = count.up_to(most)
    best = ask(options[0] if options else count.min)
    low, high = 0, len(options) - 1
    if high > 0 and not isinstance(best, str):
        last = ask(options[high])
        if not isinstance(last, str):
            return last
    while low + 1 < high and not isinstance(best, str):
        middle = (low + high) // 2
        found = ask(options[middle])
        if isinstance(found, str):
            high = middle
        else:
            low, best = middle, found
    return best


pool_class = TrestlePool
"""The name that Flux looks for in a module: `pool-class=trestle.flux`."""
