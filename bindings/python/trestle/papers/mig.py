# SPDX-License-Identifier: Apache-2.0
"""Instances of A100 GPUs: requests that come, run and leave; those that find no room are lost.

All placements are Trestle's. Round robin asks the GPUs behind the last one first.
"""

from __future__ import annotations

import copy
import heapq
import math
from collections.abc import Callable
from typing import Dict, List, Optional, Tuple

import trestle

from .._progress import over
from .._rng import Rng
from .paper import Found, Options, Paper

__all__ = ["PAPER", "accepted", "by_policy", "gpus", "jobs", "measure", "round_robin"]

_SEEDS = (1, 2, 3, 4, 5)
_GEOMETRY = "a100-80gb"
_PROFILES = ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb")
_MIXES = {"uniform": (2, 2, 2, 2, 2, 2), "skew small": (12, 2, 6, 2, 2, 1),
          "skew large": (2, 2, 2, 4, 4, 6), "bimodal": (6, 0, 2, 0, 2, 6)}

_Job = Tuple[float, float, str]  # arrival, run time, profile
_Place = Callable[[trestle.Cluster, str], Optional[trestle.Placement]]


def gpus(count: int) -> trestle.Cluster:
    """So many nodes with one GPU each that is cut as asked."""
    gpu = trestle.DeviceDescription("gpu", nearness=trestle.Nearness.anywhere,
                                    slice_geometry=_GEOMETRY)
    return trestle.Cluster.create(trestle.ClusterParts(nodes=trestle.make_nodes(
        trestle.NodeDescription("g", cores_per_package=8, memory=trestle.gib(1), devices=[gpu]),
        count)))


_REQUESTS = {name: trestle.PreparedRequest(trestle.Request(
    cpus_per_task=0, milli_cpus=100, devices=[trestle.DeviceRequest(slice=name)]))
    for name in _PROFILES}


def jobs(seed: int, count: int, gpus_there: int, weights: Tuple[int, ...]) -> List[_Job]:
    """Poisson arrivals and exponential run times that ask for all memory slices in the mean."""
    geometry = trestle.find_slice_geometry(_GEOMETRY)
    assert geometry is not None
    sizes = {one.name: one.memory_slices for one in geometry.profiles}
    slices = sum(weight * sizes[name] for weight, name in zip(weights, _PROFILES)) / sum(weights)
    rate = gpus_there * geometry.memory_slices / slices
    drawn = [name for weight, name in zip(weights, _PROFILES) for _ in range(weight)]
    rng, now, made = Rng(seed), 0.0, []
    for _ in range(count):
        now -= math.log(1 - rng.uniform()) / rate
        made.append((now, -math.log(1 - rng.uniform()), drawn[rng.below(len(drawn))]))
    return made


def accepted(cluster: trestle.Cluster, arriving: List[_Job], place: _Place) -> int:
    """How many find room."""
    count = 0
    ends: List[Tuple[float, int]] = []
    for owner, (now, seconds, profile) in enumerate(arriving):
        while ends and ends[0][0] <= now:
            cluster.release(heapq.heappop(ends)[1])
        placement = place(cluster, profile)
        if placement is not None:
            cluster.adopt(owner, placement)
            heapq.heappush(ends, (now + seconds, owner))
            count += 1
    return count


def by_policy(policy: str) -> _Place:
    """A policy of Trestle's."""
    placer = trestle.Placer(trestle.PlaceOptions(policy))

    def place(cluster: trestle.Cluster, profile: str) -> Optional[trestle.Placement]:
        answer = placer.place(cluster, _REQUESTS[profile])
        return answer if isinstance(answer, trestle.Placement) else None
    return place


def round_robin(count: int) -> _Place:
    """The next GPU that has room."""
    placer, last = trestle.Placer(), -1

    def place(cluster: trestle.Cluster, profile: str) -> Optional[trestle.Placement]:
        nonlocal last
        for behind in (range(last + 1, count), range(last + 1)):
            answer = placer.place(cluster, _REQUESTS[profile], trestle.NodeSet(behind))
            if isinstance(answer, trestle.Placement):
                last = answer.nodes[0].node
                return answer
        return None
    return place


def measure(options: Options) -> List[Found]:
    """More accepted requests than each baseline, in the mean of the mixes."""
    count, seeds, length = (20, (1,), 400) if options.is_quick else (100, _SEEDS, 5000)
    idle = gpus(count)
    ways: Dict[str, Callable[[], _Place]] = {
        "best_fit": lambda: by_policy("best_fit"), "first fit": lambda: by_policy("first_fit"),
        "worst fit": lambda: by_policy("worst_fit"), "round robin": lambda: round_robin(count)}
    more: Dict[str, List[float]] = {name: [] for name in ways}
    runs = [(weights, seed) for weights in _MIXES.values() for seed in seeds]
    for weights, seed in over(runs, "mig", "run"):
        arriving = jobs(seed, length, count, weights)
        got = {name: accepted(copy.copy(idle), arriving, make()) for name, make in ways.items()}
        for name in ways:
            more[name].append(100 * got["best_fit"] / got[name] - 100)
    mean = {name: sum(all_of) / len(all_of) for name, all_of in more.items()}
    baselines = ("first fit", "worst fit", "round robin")
    over_all = sum(mean[name] for name in baselines) / len(baselines)
    return [
        Found("requests accepted, best_fit over the mean baseline", "+10 % (arXiv:2511.18906)",
              f"{over_all:+.1f} %"),
        *(Found(f"requests accepted, best_fit over {name}", None, f"{mean[name]:+.1f} %")
          for name in baselines),
        Found("requests accepted, GRMU: quotas of large profiles, and migration",
              "+22 % (arXiv:2502.01909)",
              "not repeated: needs the study's mapping of a trace to profiles")]


PAPER = Paper(
    "mig", "Zambianco et al., arXiv:2511.18906; Siavashi and Momtazpour (GRMU), arXiv:2502.01909",
    "100 A100 80GB; own generator: four mixes of profiles, load 1.0", "1 to 5", measure,
    "20 A100 80GB, 400 requests of each mix")
