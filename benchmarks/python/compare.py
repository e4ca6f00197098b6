# SPDX-License-Identifier: Apache-2.0
"""First fit on 10,000 nodes: one call from Python, place_many, NumPy by hand, AccaSim's allocator.

    pip install numpy==2.2.6
    pip install accasim==1.1.3     # optional: without it its rows are left out
    python benchmarks/python/compare.py --nodes 10000 --jobs 40000 --rounds 5

Nodes have 2 x 32 cores, 512 GiB and 8 GPUs; jobs want CPUs, memory and GPUs of one node, and are of
1, 8 or 48 kinds. All who are compared choose the same node for each job, which is checked. Sides
take turns, and the fastest round of each counts, in CPU time of this process; a ratio is theirs by
ours. What a decision costs in C++ is read off place_many: a list of jobs, time by their number.

NumPy knows three free amounts a node, AccaSim as many by name; neither knows cores, memory domains,
single devices or owners. AccaSim 1.1.3 is the last one and of 2021: on Python 3.10 and newer its
import needs collections.Mapping, and its allocators a logger that traces, which otherwise its
simulator makes. Both are lent here; Resources, ResourceManager, Event and FirstFit are its own.
"""

import argparse
import collections
import collections.abc
import copy
import logging
import random
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy

import trestle

CPUS, GIB, GPUS = 64, 512, 8  # of a node
KINDS = (1, 8, 48)


class Kind(NamedTuple):
    """What a job wants of its node."""

    cpus: int
    gib: int
    gpus: int

    def request(self) -> trestle.Request:
        devices = [trestle.DeviceRequest(count=self.gpus)] if self.gpus else []
        return trestle.Request(cpus_per_task=trestle.Range.exactly(self.cpus), devices=devices,
                               memory=trestle.Range(min=trestle.gib(self.gib)))


Choice = list[int]  # the node of each job, or -1


def draw(kinds: int, jobs: int) -> list[Kind]:
    """Jobs in random order, of so many kinds; one wants about an eighth of a node."""
    rng = random.Random(1)
    found = [Kind(8, 32, 1)]
    while len(found) < kinds:
        one = Kind(rng.randint(1, 16), rng.randint(1, 96), rng.choice([0, 0, 1, 1, 2]))
        if one not in found:
            found.append(one)
    return [rng.choice(found) for _ in range(jobs)]


def cluster_of(nodes: int) -> trestle.Cluster:
    return trestle.Cluster.from_text(f"{nodes} x (2s{CPUS // 2}c mem={GIB}G gpu:{GPUS})")


def seconds(call: Callable[[], Any]) -> float:
    """CPU time."""
    start = time.process_time()
    call()
    return time.process_time() - start


def fastest(rounds: int, *sides: Callable[[], float]) -> list[float]:
    """Of rounds in which all have their turn; a side says how long it took."""
    return [min(times) for times in zip(*([side() for side in sides] for _ in range(rounds)))]


# Ours.

def orders_of(jobs: Sequence[Kind]) -> list[trestle.JobOrder]:
    """One request object of Python's for each kind."""
    requests = {kind: kind.request() for kind in set(jobs)}
    return [trestle.JobOrder(owner, requests[kind]) for owner, kind in enumerate(jobs)]


def place_list(idle: trestle.Cluster, orders: list[trestle.JobOrder]) -> trestle.Cluster:
    """On a copy of the idle cluster, by a placer that knows nothing yet."""
    cluster = copy.copy(idle)
    options = trestle.PlaceManyOptions(trestle.OnFailure.skip)
    trestle.place_many(cluster, orders, trestle.Placer(), options)
    return cluster


def place_each(idle: trestle.Cluster, orders: list[trestle.JobOrder]) -> float:
    """The same, a call of Python's for each: seconds."""
    cluster, placer = copy.copy(idle), trestle.Placer()
    jobs = [(order.owner, order.request) for order in orders]
    start = time.process_time()
    for owner, request in jobs:
        placement = placer.place(cluster, request)
        if placement:
            cluster.commit(trestle.Allocation(owner, request, placement))
    return time.process_time() - start


def choice_of(cluster: trestle.Cluster, jobs: int) -> Choice:
    chosen = [-1] * jobs
    for one in cluster.allocations():
        chosen[one.owner] = one.placement.nodes[0].node
    return chosen


# Theirs.

def numpy_first_fit(nodes: int, jobs: Sequence[Kind]) -> Choice:
    """As one would write it: three free amounts a node, the first node where all suffice."""
    cpus, gib, gpus = (numpy.full(nodes, amount) for amount in (CPUS, GIB, GPUS))
    chosen = []
    for job in jobs:
        fits = (cpus >= job.cpus) & (gib >= job.gib) & (gpus >= job.gpus)
        node = int(numpy.argmax(fits))
        if not fits[node]:
            chosen.append(-1)
            continue
        cpus[node] -= job.cpus
        gib[node] -= job.gib
        gpus[node] -= job.gpus
        chosen.append(node)
    return chosen


class AccaSim:
    """Its first fit, its resource manager. Errors: ImportError where it is not installed."""

    def __init__(self) -> None:
        if not hasattr(collections, "Mapping"):
            collections.Mapping = collections.abc.Mapping  # type: ignore[attr-defined]
        from accasim.base import allocator_class, event_class, resource_manager_class
        logging.Logger.trace = lambda self, *_: None  # type: ignore[attr-defined]
        self._allocators, self._events = allocator_class, event_class
        self._resources = resource_manager_class

    def ready(self, nodes: int, jobs: Sequence[Kind]) -> tuple[Any, Any, list[Any]]:
        """An allocator, its idle nodes, and jobs for it."""
        node = {"core": CPUS, "mem": GIB, "gpu": GPUS}
        manager = self._resources.Resources({"all": node}, {"all": nodes}).resource_manager()
        allocator = self._allocators.FirstFit()
        allocator.set_resource_manager(manager)
        events = [self._events.Event(at, 0, 1, 1, {"core": job.cpus, "mem": job.gib,
                                                   "gpu": job.gpus})
                  for at, job in enumerate(jobs)]
        return allocator, manager, events

    def one_call(self, nodes: int, jobs: Sequence[Kind]) -> tuple[float, Choice]:
        """All jobs in one call, which looks at the free nodes once."""
        allocator, _, events = self.ready(nodes, jobs)
        start = time.process_time()
        found = allocator.allocate(events, 0, skip=True)
        return time.process_time() - start, [self._node(names) for _, _, names in found]

    def call_by_call(self, nodes: int, jobs: Sequence[Kind]) -> tuple[float, Choice]:
        """A call for each job, whose nodes are then entered with the resource manager."""
        allocator, manager, events = self.ready(nodes, jobs)
        chosen = []
        start = time.process_time()
        for event in events:
            _, _, names = allocator.allocate(event, 0, skip=True)
            if names:
                manager.allocate_event(event, names)
            chosen.append(self._node(names))
        return time.process_time() - start, chosen

    @staticmethod
    def _node(names: Sequence[str]) -> int:
        """node_1 is the first."""
        return int(names[0].rpartition("_")[2]) - 1 if names else -1


# Tables.

def verdict(value: float, aim: float, most: bool) -> str:
    """`most`: the aim is a maximum."""
    return f"{aim:g}" if (value <= aim if most else value >= aim) else f"{aim:g}, missed"


def check_equal(ours: Choice, theirs: Choice, who: str) -> None:
    if ours != theirs:
        at = next(i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b)
        raise SystemExit(f"{who} chooses node {theirs[at]} for job {at}, trestle {ours[at]}")


def show_single_calls(nodes: int, rounds: int, jobs: int) -> None:
    """A call of Python's beside a decision within place_many, of the same request."""
    idle = cluster_of(nodes)
    request = Kind(8, 32, 1).request()
    never = Kind(8, 32, GPUS + 1).request()
    placer = trestle.Placer()
    skip = trestle.PlaceManyOptions(trestle.OnFailure.skip)

    def listed(asked: trestle.Request) -> Callable[[], float]:
        orders = [trestle.JobOrder(owner, asked) for owner in range(jobs)]

        def run() -> float:
            cluster = copy.copy(idle)
            return seconds(lambda: trestle.place_many(cluster, orders, placer, skip))
        return run

    def asked_again(asked: trestle.Request, question: Callable[[trestle.Request], Any],
                    times: int) -> Callable[[], float]:
        def run() -> float:
            start = time.process_time()
            for _ in range(times):
                question(asked)
            return (time.process_time() - start) * jobs / times
        return run

    def in_a_loop() -> float:
        cluster = copy.copy(idle)
        start = time.process_time()
        for owner in range(jobs):
            placement = placer.place(cluster, request)
            assert isinstance(placement, trestle.Placement)  # the job has room
            cluster.commit(trestle.Allocation(owner, request, placement))
        return time.process_time() - start

    def by_placer(asked: trestle.Request) -> Any:
        return placer.place(idle, asked)

    many, no_many, loop, one, no_one, free = fastest(
        rounds, listed(request), listed(never), in_a_loop, asked_again(request, by_placer, jobs),
        asked_again(never, by_placer, jobs),
        asked_again(request, lambda asked: trestle.place(idle, asked), 500))
    print(f"\nOne call, {nodes} nodes, one request, us each")
    print(f"{'':42} {'a call':>8} {'a list':>8} {'more':>7}  aim")
    for name, call, listed_one, aim in (
            ("Placer.place (a list: with commit)", one, many, 1.5),
            ("Placer.place, refused", no_one, no_many, 1.5),
            ("Placer.place, Allocation and commit", loop, many, None),
            ("trestle.place, which remembers nothing", free, many, None)):
        a, b = 1e6 * call / jobs, 1e6 * listed_one / jobs
        aim_text = "" if aim is None else verdict(a - b, aim, True)
        print(f"{name:42} {a:8.2f} {b:8.2f} {a - b:7.2f}  {aim_text}".rstrip())


def show_lists(nodes: int, rounds: int, jobs: int) -> None:
    idle = cluster_of(nodes)
    print(f"\nplace_many, {nodes} nodes, {jobs} jobs, placements a second in millions")
    print(f"{'kinds':>5} {'placed':>7} {'list':>6} {'list made, us a job':>20}  aim")
    for kinds in KINDS:
        drawn = draw(kinds, jobs)
        orders = orders_of(drawn)
        placed = sum(node >= 0 for node in choice_of(place_list(idle, orders), jobs))
        listed, made = fastest(rounds, lambda: seconds(lambda: place_list(idle, orders)),
                               lambda: seconds(lambda: orders_of(drawn)))
        print(f"{kinds:5} {placed:7} {1e-6 * placed / listed:6.2f} {1e6 * made / jobs:20.2f}  "
              f"{verdict(1e-6 * placed / listed, 1, False)}")


def show_numpy(nodes: int, rounds: int, jobs: int) -> None:
    idle = cluster_of(nodes)
    print(f"\nNumPy's first fit, {nodes} nodes, {jobs} jobs, us a job")
    print(f"{'kinds':>5} {'ours':>6} {'NumPy':>7} {'ratio':>6}  aim")
    for kinds in KINDS:
        drawn = draw(kinds, jobs)
        orders = orders_of(drawn)
        check_equal(choice_of(place_list(idle, orders), jobs), numpy_first_fit(nodes, drawn),
                    "NumPy")
        ours, theirs = fastest(rounds, lambda: seconds(lambda: place_list(idle, orders)),
                               lambda: seconds(lambda: numpy_first_fit(nodes, drawn)))
        print(f"{kinds:5} {1e6 * ours / jobs:6.2f} {1e6 * theirs / jobs:7.2f} "
              f"{theirs / ours:6.1f}  {verdict(theirs / ours, 10, False)}", flush=True)


def show_accasim(nodes: int, rounds: int, jobs: int, single: int) -> None:
    """One call for all jobs, and a call for each of the first `single` ones."""
    try:
        accasim = AccaSim()
    except ImportError as error:
        print(f"\nAccaSim LEFT OUT: {error}. For its rows: pip install accasim==1.1.3")
        return
    idle = cluster_of(nodes)
    print(f"\nAccaSim's first fit, {nodes} nodes, us a job")
    print(f"{'kinds':>5} {'jobs':>6} {'asked':>8} {'ours':>6} {'AccaSim':>9} {'ratio':>7}  aim")
    for kinds in KINDS:
        drawn = draw(kinds, jobs)
        for how, asked, call in (("at once", drawn, accasim.one_call),
                                 ("each", drawn[:single], accasim.call_by_call)):
            count, orders = len(asked), orders_of(asked)
            sides = {"at once": lambda: seconds(lambda: place_list(idle, orders)),
                     "each": lambda: place_each(idle, orders)}
            check_equal(choice_of(place_list(idle, orders), count), call(nodes, asked)[1],
                        "AccaSim")
            ours, theirs = fastest(rounds, sides[how], lambda: call(nodes, asked)[0])
            print(f"{kinds:5} {count:6} {how:>8} {1e6 * ours / count:6.2f} "
                  f"{1e6 * theirs / count:9.1f} {theirs / ours:7.1f}  "
                  f"{verdict(theirs / ours, 100, False)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=40_000, help="beside NumPy, and in lists")
    parser.add_argument("--accasim-jobs", type=int, default=40_000, help="in one call of AccaSim's")
    parser.add_argument("--single-calls", type=int, default=300, help="of AccaSim, a job each")
    parser.add_argument("--rounds", type=int, default=5)
    words = parser.parse_args()
    show_single_calls(words.nodes, words.rounds, words.jobs)
    show_lists(words.nodes, words.rounds, words.jobs)
    show_numpy(words.nodes, words.rounds, words.jobs)
    show_accasim(words.nodes, min(words.rounds, 2), words.accasim_jobs, words.single_calls)


if __name__ == "__main__":
    main()
