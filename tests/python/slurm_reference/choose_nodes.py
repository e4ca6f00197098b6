# SPDX-License-Identifier: Apache-2.0
"""Which nodes (sections 4.4 and 4.7): the passes, the retries, and the orders of nodes.

Every way is greedy over an order of nodes. Global data used: node index order, weights, CPU
counts of candidates, and (in `tree`) the switches; per node only what `node_fit` says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from .choice import Choice, NoFit, Pick, Question, TooManySwitches
from .node_fit import Offer
from .tree import tree


def choose(question: Question) -> dict[int, Pick]:
    """The chosen nodes; raises NoFit or TooManySwitches.

    The nodes of the lowest weight alone, then with those of the next weight, and so on.
    """
    weights = sorted({question.nodes[i].weight for i in question.offers})
    failure: NoFit | TooManySwitches = NoFit()
    for weight in weights:
        offers = {
            i: o for i, o in question.offers.items() if question.nodes[i].weight <= weight
        }
        if weight != weights[-1]:
            if len(offers) < max(question.min_nodes, question.wanted_nodes):
                continue
            if any(i not in offers for i in question.required):
                continue
        try:
            return _choose_among(replace(question, offers=offers))
        except (NoFit, TooManySwitches) as error:
            failure = error
    raise failure


def _choose_among(question: Question) -> dict[int, Pick]:
    """First pass, relaxed pass, then relaxed without the nodes that have least to give."""
    for first_pass in (True, False):
        picks = _evaluate(question, first_pass)
        if picks is not None:
            return picks
    worth = {i: _worth(o) for i, o in question.offers.items()}
    offers = dict(question.offers)
    for count in sorted(set(worth.values()))[:-1]:
        offers = {
            i: o for i, o in offers.items() if worth[i] > count or i in question.required
        }
        if len(offers) < question.min_nodes:
            break
        picks = _evaluate(replace(question, offers=offers), False)
        if picks is not None:
            return picks
    raise NoFit


def _worth(offer: Offer) -> int:
    return offer.cpus + sum(g.total for g in offer.gres if g.want.name == "gpu")


def _evaluate(question: Question, first_pass: bool) -> dict[int, Pick] | None:
    try:
        work = Choice(question, first_pass)
        _way(question)(work)
    except NoFit:
        return None
    return work.picks if work.accepted() else None


def _way(question: Question) -> Callable[[Choice], None]:
    if question.job.spread:
        return spread
    if question.lln:
        return least_loaded
    if question.parameters.serial_at_end and question.job.min_cpus == question.wanted_nodes == 1:
        return from_the_end
    if len(question.switches) > 1:
        return tree
    return consecutive


# --- consecutive ------------------------------------------------------------------------


@dataclass
class _Run:
    """Neighbouring candidates of one weight."""

    nodes: list[int]
    weight: tuple[int, int]
    required: int | None  # first required node in it
    free: list[int]
    cpus: int


def _runs(work: Choice) -> list[_Run]:
    q = work.question
    runs: list[_Run] = []
    previous: int | None = None
    for i in range(len(q.nodes)):
        if i not in work.usable:
            previous = None
            continue
        weight = (0, 0) if q.job.contiguous else work.weight(i)
        if previous is None or runs[-1].weight != weight:
            runs.append(_Run([], weight, None, [], 0))
        run = runs[-1]
        run.nodes.append(i)
        if i in work.picks:
            run.required = i if run.required is None else run.required
        else:
            run.free.append(i)
            run.cpus += work.usable[i].cpus
        previous = i
    return runs


def _better(work: Choice, run: _Run, fits: bool, best: _Run, best_fits: bool) -> bool:
    if run.required is not None and best.required is None:
        return True
    if run.weight != best.weight:
        return run.weight < best.weight
    if fits:
        return not best_fits or run.cpus < best.cpus
    return run.cpus > best.cpus


def consecutive(work: Choice) -> None:
    """Run after run of neighbours, the best one first."""
    q = work.question
    if work.done():
        return
    runs = _runs(work)
    while runs:
        best, best_fits = None, False
        for run in runs:
            if not run.free:
                continue
            fits = (
                run.cpus >= work.rem_cpus
                and work.enough_nodes(len(run.free))
                and work.gres_enough(run.free)
            )
            if best is None or _better(work, run, fits, best, best_fits):
                best, best_fits = run, fits
        if best is None:
            break
        if q.job.contiguous:
            whole = all(i in best.nodes for i in q.required)
            if not best_fits or not whole:
                raise NoFit
        _use_run(work, best)
        if q.job.contiguous or work.done() or work.max_nodes <= 0:
            break
        runs.remove(best)


def _use_run(work: Choice, run: _Run) -> None:
    if run.required is not None:
        up = [i for i in run.nodes if i > run.required]
        down = [i for i in reversed(run.nodes) if i < run.required]
        work.take_all(up + down)
        return
    order = run.nodes
    if work.rem_nodes <= 1:
        single = _best_single(work, run)
        order = [single] if single is not None else order
    for i in order:
        if work.done() or work.max_nodes <= 0:
            break
        work.try_take(i)


def _best_single(work: Choice, run: _Run) -> int | None:
    """The node with the fewest CPUs that are enough; the first of equals."""
    fitting = [
        i
        for i in run.free
        if work.usable[i].cpus >= work.rem_cpus and work.gres_enough([i])
    ]
    return min(fitting, key=lambda i: work.usable[i].cpus, default=None)


# --- other orders -----------------------------------------------------------------------


def least_loaded(work: Choice) -> None:
    """By weight, then the highest share of free CPUs."""
    nodes = work.question.nodes

    def key(i: int) -> tuple[tuple[int, int], float]:
        total = nodes[i].cores * nodes[i].threads
        return (work.weight(i), -work.question.offers[i].cpus / total)

    for i in sorted(work.usable, key=key):
        if work.done() or work.max_nodes <= 0:
            break
        work.try_take(i)


def from_the_end(work: Choice) -> None:
    """By weight, then the last node (pack_serial_at_end)."""
    for i in sorted(work.usable, key=lambda i: (work.weight(i), -i)):
        if work.done() or work.max_nodes <= 0:
            break
        work.try_take(i)


def spread(work: Choice) -> None:
    """As many nodes as the job may have."""
    for i in sorted(work.usable):
        if work.max_nodes <= 0:
            break
        work.try_take(i)
