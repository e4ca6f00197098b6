# SPDX-License-Identifier: Apache-2.0
"""Logs drawn from the model of Lublin and Feitelson, with a seed.

U. Lublin and D. G. Feitelson, "The workload on parallel supercomputers: modeling the
characteristics of rigid jobs", Journal of Parallel and Distributed Computing 63(11), 2003. The
parameters are those of all jobs together, batch and interactive not kept apart. Log2 of sizes is
kept as far below the machine's as it is in theirs of 128 processors.

- Size: 1, a power of two or any other, by two uniform distributions of log2(size).
- Run time: e to the power of one of two gamma distributions; large jobs run longer.
- Arrival: gaps of rush hours are e to the power of a gamma distribution. They are stretched by how
  many jobs arrive in a half hour of the day. That is another gamma distribution, with its start at
  half past five.

Not of the model: requested times, which it does not have. Users ask for more than they use and
like round numbers (D. Tsafrir, Y. Etsion and D. G. Feitelson, "Modeling user runtime estimates",
2005), so a job asks for more. It asks for its run time, times a number of 1 to 5 evenly drawn, at
the next of `ROUND_TIMES`.
"""

import math
from dataclasses import dataclass
from typing import List, Tuple

from .._short import short_repr
from .._progress import over
from .._rng import Rng
from .swf import SwfJob, SwfLog

__all__ = ["LublinModel", "ROUND_TIMES", "generate"]

ROUND_TIMES = tuple(60 * minutes for minutes in (
    5, 10, 15, 30, 60, 120, 180, 240, 360, 480, 720, 1080, 1440, 2160, 2880, 4320))

_BUCKETS = 48
_BUCKET = 1800  # seconds
_DAY_START = 11  # half hours
_GAP_MAX = 13.0  # a gap of e**13 seconds is drawn again, as is a run time of e**12
_RUN_MAX = 12.0


@dataclass(frozen=True, repr=False)
class LublinModel:
    """The parameters of the paper, for all jobs together."""

    processors: int = 128  # of the machine
    serial: float = 0.244  # part of jobs of one processor
    power_of_two: float = 0.576  # part of jobs
    size_low: float = 0.8  # log2, a little below 1 so that 2 is not rare
    size_medium_below: float = 2.5  # log2 below that of the machine, where the two meet
    size_low_part: float = 0.86  # of the parallel jobs, in the lower one
    run_short: Tuple[float, float] = (4.2, 0.94)  # shape and scale of ln(seconds)
    run_long: Tuple[float, float] = (312.0, 0.03)
    run_short_part: Tuple[float, float] = (-0.0054, 0.78)  # slope by processors, at none
    gap: Tuple[float, float] = (10.2303 * 1.0225, 0.4871)  # shape, all hours from rush hours; scale
    day: Tuple[float, float] = (8.1737, 3.9631)  # shape and scale, in half hours
    gap_scale: float = 1.0  # all gaps times this: below 1 is more load

    __repr__ = short_repr


def _gamma_below(x: float, shape: float) -> float:
    """The part of the gamma distribution of scale 1 below x, by its series."""
    term = total = 1.0 / shape
    n = shape
    while term > total * 1e-15:
        n += 1
        term *= x / n
        total += term
    return total * math.exp(shape * math.log(x) - x - math.lgamma(shape))


def _day_weights(model: LublinModel) -> List[float]:
    """How many jobs arrive in each half hour of a day, from midnight; the mean is 1."""
    shape, scale = model.day
    weights = [0.0] * _BUCKETS
    for i in range(_DAY_START, _DAY_START + _BUCKETS):
        weights[(i - 1) % _BUCKETS] = (_gamma_below((i + 0.5) / scale, shape)
                                       - _gamma_below((i - 0.5) / scale, shape))
    mean = sum(weights) / _BUCKETS
    return [weight / mean for weight in weights]


class _Arrivals:
    """Times of arrival in seconds since a midnight, rising."""

    def __init__(self, model: LublinModel, rng: Rng) -> None:
        self._model, self._rng = model, rng
        self._weights = _day_weights(model)
        self._bucket = 0  # since the start
        self._used = 0.0  # of the bucket's weight, in buckets

    def next(self) -> float:
        """The next one."""
        gap = self._rng.gamma(*self._model.gap)
        while gap > _GAP_MAX:
            gap = self._rng.gamma(*self._model.gap)
        self._used += math.exp(gap) * self._model.gap_scale / _BUCKET
        while self._used > self._weights[self._bucket % _BUCKETS]:
            self._used -= self._weights[self._bucket % _BUCKETS]
            self._bucket += 1
        return _BUCKET * (self._bucket + self._used / self._weights[self._bucket % _BUCKETS])


def _size(model: LublinModel, rng: Rng) -> int:
    kind = rng.uniform()
    if kind < model.serial or model.processors < 2:
        return 1
    high = math.log2(model.processors)
    low = min(model.size_low, high)
    medium = max(low, high - model.size_medium_below)
    first, last = (low, medium) if rng.uniform() < model.size_low_part else (medium, high)
    exponent = first + (last - first) * rng.uniform()
    if kind < model.serial + model.power_of_two:
        exponent = math.floor(exponent + 0.5)
    return min(model.processors, math.floor(math.pow(2.0, exponent) + 0.5))


def _run_time(model: LublinModel, rng: Rng, size: int) -> int:
    slope, at_none = model.run_short_part
    short_part = min(1.0, max(0.0, slope * size + at_none))
    while True:
        kind = model.run_short if rng.uniform() < short_part else model.run_long
        value = rng.gamma(*kind)
        if value <= _RUN_MAX:
            return max(1, math.floor(math.exp(value)))


def _requested_time(rng: Rng, run_time: int) -> int:
    wanted = run_time * (1 + 4 * rng.uniform())
    return next((time for time in ROUND_TIMES if time >= wanted), max(ROUND_TIMES[-1], run_time))


def generate(jobs: int, seed: int, model: LublinModel = LublinModel()) -> SwfLog:
    """A log of so many jobs. The same seed gives the same log.

    Times are whole seconds, the first midnight is 0. Errors: ValueError for a model that cannot be.
    """
    if model.processors < 1 or jobs < 0 or not model.gap_scale > 0:
        raise ValueError(f"{jobs} jobs on {model.processors} processors with gaps times "
                         f"{model.gap_scale}, expected numbers above 0")
    rng = Rng(seed)
    arrivals = _Arrivals(model, rng)
    drawn: List[SwfJob] = []
    for number in over(range(1, jobs + 1), "drawing", "job"):
        submit_time = math.floor(arrivals.next())
        size = _size(model, rng)
        run_time = _run_time(model, rng, size)
        drawn.append(SwfJob(number, submit_time, run_time=run_time, processors=size,
                            requested_processors=size,
                            requested_time=_requested_time(rng, run_time), status=1))
    header = (("Version", "2.2"), ("Computer", "none: drawn from a model"),
              ("Note", f"Lublin and Feitelson 2003, all jobs together, seed {seed}"),
              ("MaxJobs", str(jobs)), ("MaxRecords", str(jobs)),
              ("MaxNodes", str(model.processors)), ("MaxProcs", str(model.processors)),
              ("UnixStartTime", "0"), ("TimeZoneString", "Etc/UTC"))
    return SwfLog(header, tuple(drawn))
