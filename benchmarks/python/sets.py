# SPDX-License-Identifier: Apache-2.0
"""IndexSet beside procset.ProcSet: set algebra of 100,000 ids.

    pip install procset==1.0
    python benchmarks/python/sets.py --ids 100000 --rounds 7

The ids of both operands are scattered (a random half), in runs (many short intervals) or one long
interval. Both sides give equal members, which is checked first. They take turns, and the fastest
round of each counts, in CPU time of this process. A ratio is procset's time by ours. procset reads
a text in quadratic time, so of the text only the first intervals are read (--parsed).
"""

import argparse
import random
import time
from collections.abc import Callable
from typing import Any

import procset

import trestle

AIM = 50
ALGEBRA = "algebra"
Pairs = list[tuple[int, int]]
Call = Callable[[], Any]
Row = tuple[str, str, Call, Call]  # kind, question, ours, theirs


def seconds(call: Call, times: int) -> float:
    """Of one call, in CPU time."""
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times


def enough(call: Call, least: float = 2e-3) -> int:
    """How many calls take long enough to be measured."""
    times = 1
    while times < 100_000 and seconds(call, times) * times < least:
        times *= 4
    return times


def fastest(ours: Call, theirs: Call, rounds: int) -> tuple[float, float]:
    """Seconds of one call of each, which take turns."""
    many, few = enough(ours), enough(theirs)
    taken = [(seconds(ours, many), seconds(theirs, few)) for _ in range(rounds)]
    return min(one for one, _ in taken), min(one for _, one in taken)


def intervals_of(members: list[int]) -> Pairs:
    """Closed intervals of rising members."""
    found: Pairs = []
    for one in members:
        if found and found[-1][1] == one - 1:
            found[-1] = (found[-1][0], one)
        else:
            found.append((one, one))
    return found


def scattered(ids: int, seed: int) -> Pairs:
    return intervals_of(sorted(random.Random(seed).sample(range(ids), ids // 2)))


def runs(ids: int, seed: int) -> Pairs:
    """Intervals and gaps of 1 to 64 ids."""
    rng, found, at = random.Random(seed), [], 0
    while (first := at + rng.randint(1, 64)) < ids:
        at = min(first + rng.randint(1, 64), ids)
        found.append((first, at - 1))
    return intervals_of([one for first, last in found for one in range(first, last + 1)])


def one_interval(ids: int, seed: int) -> Pairs:
    """The second begins in the middle of the first."""
    first = (seed - 1) * ids // 2
    return [(first, first + ids - 1)]


def their_set(pairs: Pairs) -> procset.ProcSet:
    """By halves: ProcSet(*pairs) takes quadratic time."""
    if len(pairs) <= 8:
        return procset.ProcSet(*pairs)
    middle = len(pairs) // 2
    return their_set(pairs[:middle]) | their_set(pairs[middle:])


def our_set(pairs: Pairs) -> trestle.IndexSet:
    return trestle.IndexSet(",".join(f"{first}-{last}" for first, last in pairs))


def same(ours: Any, theirs: Any) -> bool:
    """Equal members, or equal intervals, or equal values."""
    if isinstance(theirs, procset.ProcSet):
        return format(ours, "- ") == str(theirs) and len(ours) == len(theirs)
    if isinstance(theirs, list) and theirs and not isinstance(theirs[0], int):
        return [(run.start, run.stop - 1) for run in ours] == [tuple(run) for run in theirs]
    return bool(ours == theirs)


def rows_of(a: Pairs, b: Pairs, parsed: int) -> list[Row]:
    """What is asked of both."""
    x, y, p, q = our_set(a), our_set(b), their_set(a), their_set(b)
    part, p_part, rest, p_rest = x & y, p & q, x - y, p - q
    asked = random.Random(3).sample(range(b[-1][1] + 1), 100)
    text = " ".join(f"{first}-{last}" for first, last in a[:parsed])
    return [
        (ALGEBRA, "union", lambda: x | y, lambda: p | q),
        (ALGEBRA, "intersection", lambda: x & y, lambda: p & q),
        (ALGEBRA, "difference", lambda: x - y, lambda: p - q),
        (ALGEBRA, "symmetric difference", lambda: x ^ y, lambda: p ^ q),
        (ALGEBRA, "is a subset, yes", lambda: part <= x, lambda: p_part <= p),
        (ALGEBRA, "is a subset, no", lambda: x <= y, lambda: p <= q),
        (ALGEBRA, "is disjoint, yes", lambda: rest.isdisjoint(y), lambda: p_rest.isdisjoint(q)),
        (ALGEBRA, "is disjoint, no", lambda: x.isdisjoint(y), lambda: p.isdisjoint(q)),
        ("", "100 memberships", lambda: [i in x for i in asked], lambda: [i in p for i in asked]),
        ("", "members, len()", lambda: len(x), lambda: len(p)),
        ("", "intervals, count()", x.count, p.count),
        ("", "list of members", lambda: list(x), lambda: list(p)),
        ("", "list of intervals", lambda: list(x.intervals()), lambda: list(p.intervals())),
        ("", "format", lambda: format(x, "- "), lambda: str(p)),
        ("", f"from_str, {min(parsed, len(a))} intervals", lambda: trestle.IndexSet.from_str(text),
         lambda: procset.ProcSet.from_str(text)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ids", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--parsed", type=int, default=500, help="intervals of a text")
    words = parser.parse_args()
    print(f"{'shape':13} {'question':24} {'ours us':>10} {'procset us':>11} {'ratio':>8}  aim")
    for shape in (scattered, runs, one_interval):
        a, b = shape(words.ids, 1), shape(words.ids, 2)
        rows = rows_of(a, b, words.parsed)
        for _, question, ours, theirs in rows:
            if not same(ours(), theirs()):
                raise SystemExit(f"{shape.__name__}: {question}: the answers differ")
        for kind, question, ours, theirs in rows:
            mine, other = fastest(ours, theirs, words.rounds)
            ratio = other / mine
            digits = 0 if ratio >= 100 else 1 if ratio >= 1 else 4
            aim = "" if kind != ALGEBRA else f"{AIM}" if ratio >= AIM else f"{AIM}, missed"
            print(f"{shape.__name__:13} {question:24} {1e6 * mine:10.2f} {1e6 * other:11.2f} "
                  f"{ratio:8.{digits}f}  {aim}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
