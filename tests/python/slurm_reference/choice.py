# SPDX-License-Identifier: Apache-2.0
"""The question of which nodes, and the bookkeeping that every way of answering it shares.

What is needed of the cluster as a whole is little: the CPUs, nodes and devices still missing,
and how many nodes are still to come. Everything about a node itself comes from `node_fit`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .conf import Node, Parameters, Switch
from .node_fit import NO_LIMIT, Bounds, Narrowed, Offer, allocation_unit, narrow
from .options import GresWant, Job


class NoFit(Exception):
    """This way of choosing found no set of nodes."""


class TooManySwitches(Exception):
    """Nodes were found, on more leaf switches than the job accepts."""


@dataclass(frozen=True)
class Question:
    """One choice to make."""

    job: Job
    nodes: tuple[Node, ...]
    offers: dict[int, Offer]  # candidates by node index
    required: tuple[int, ...]
    min_nodes: int
    max_nodes: int
    wanted_nodes: int
    switches: tuple[Switch, ...]
    parameters: Parameters
    lln: bool


@dataclass(frozen=True)
class Pick:
    """A chosen node and the CPUs it was chosen for."""

    node: int
    narrowed: Narrowed
    cpus: int


@dataclass
class Choice:
    """Nodes picked so far and what is still to be found."""

    question: Question
    first_pass: bool
    picks: dict[int, Pick] = field(default_factory=dict)
    rem_cpus: int = 0
    rem_nodes: int = 0
    min_rem_nodes: int = 0
    max_nodes: int = 0
    rem_gres: dict[GresWant, int] = field(default_factory=dict)
    usable: dict[int, Narrowed] = field(default_factory=dict)

    def __post_init__(self) -> None:
        q = self.question
        self.rem_cpus = q.job.min_cpus
        self.rem_nodes = max(q.min_nodes, q.wanted_nodes)
        self.min_rem_nodes = q.min_nodes
        self.max_nodes = q.max_nodes
        self.rem_gres = {w: w.per_job for w in q.job.gres if w.per_job}
        for i, first in q.offers.items():
            narrowed = narrow(q.nodes[i], first, q.job, q.parameters, self._bounds(q.nodes[i]))
            if narrowed is not None and narrowed.cpus > 0:
                self.usable[i] = narrowed
        for i in q.required:
            if i not in self.usable or not self.take(i):
                raise NoFit

    def _bounds(self, node: Node) -> Bounds:
        """Fewest and most tasks that the node may take."""
        job = self.question.job
        low, high = 1, NO_LIMIT
        if job.ntasks_per_node:
            low = high = job.ntasks_per_node
        elif job.ntasks_per_socket:
            high = job.ntasks_per_socket * node.sockets
        elif job.ntasks_per_gpu and job.min_nodes == job.max_nodes:
            low = high = job.tasks // job.min_nodes
        elif job.ntasks_per_gpu:
            low, high = job.ntasks_per_gpu, job.tasks
        elif job.ntasks_per_core:
            high = job.ntasks_per_core * node.cores
        elif self.question.max_nodes == 1 and job.ntasks is not None:
            low = high = job.ntasks
        elif job.ntasks is not None and job.ntasks == job.min_nodes == job.max_nodes:
            low = high = 1
        return Bounds(self.first_pass, low, high)

    # what is left ----------------------------------------------------------------

    def done(self) -> bool:
        return self.rem_nodes <= 0 and self.rem_cpus <= 0 and self.gres_done()

    def gres_done(self) -> bool:
        return all(left <= 0 for left in self.rem_gres.values())

    def enough_nodes(self, count: int) -> bool:
        q = self.question
        short = max(q.wanted_nodes - q.min_nodes, 0)
        return count >= self.rem_nodes - short

    def accepted(self) -> bool:
        return (
            self.rem_cpus <= 0
            and self.gres_done()
            and self.enough_nodes(0)
            and len(self.picks) >= self.question.min_nodes
        )

    def free(self, i: int) -> bool:
        return i in self.usable and i not in self.picks

    def weight(self, i: int) -> tuple[int, int]:
        """Lower goes first: the configured weight, then the GPUs near free cores."""
        return (self.question.nodes[i].weight, -self.question.offers[i].near_gpus)

    def gres_of(self, i: int) -> dict[GresWant, int]:
        return dict(self.usable[i].gres)

    def gres_enough(self, nodes: list[int]) -> bool:
        have = [self.gres_of(i) for i in nodes]
        return all(
            sum(h.get(w, 0) for h in have) >= left for w, left in self.rem_gres.items()
        )

    # taking ----------------------------------------------------------------------

    def capped(self, i: int) -> int:
        """CPUs to use here: what is still needed, less a unit for each other node to come."""
        q, narrowed = self.question, self.usable[i]
        if q.job.whole_node:
            return narrowed.cpus
        unit = allocation_unit(q.nodes[i], q.job, q.parameters)
        most = self.rem_cpus - unit * max(self.min_rem_nodes - 1, 0)
        if narrowed.cpus <= most:
            return narrowed.cpus
        least = max(q.job.min_cpus_per_node, q.job.cpus_per_task)
        return max(most, least, narrowed.gres_min_cpus, self._cpus_for_gres(i))

    def _cpus_for_gres(self, i: int) -> int:
        """CPUs that the devices expected from this node bring with them."""
        here = self.gres_of(i)
        return max(
            (min(here.get(w, 0), left) * w.cpus_per for w, left in self.rem_gres.items()),
            default=0,
        )

    def take(self, i: int) -> bool:
        if self.max_nodes <= 0:
            return False
        cpus = self.capped(i)
        if cpus <= 0:
            return False
        least = max(self.usable[i].gres_min_cpus, self._cpus_for_gres(i))
        self.picks[i] = Pick(i, replace(self.usable[i], gres_min_cpus=least), cpus)
        self.rem_cpus -= cpus
        self.rem_nodes -= 1
        self.min_rem_nodes -= 1
        self.max_nodes -= 1
        here = self.gres_of(i)
        for want in self.rem_gres:
            self.rem_gres[want] -= here.get(want, 0)
        return True

    def try_take(self, i: int) -> None:
        """Take a free node unless it would be the last allowed and leave something over."""
        if not self.free(i):
            return
        if self.max_nodes == 1:
            narrowed = self.usable[i]
            if narrowed.cpus < self.rem_cpus or not self.gres_enough([i]):
                return
        self.take(i)

    def take_all(self, order: list[int]) -> None:
        """Take free nodes in this order until nothing is missing."""
        for i in order:
            if self.done() or self.max_nodes <= 0:
                break
            if self.free(i):
                self.take(i)
