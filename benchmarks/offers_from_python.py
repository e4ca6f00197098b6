# SPDX-License-Identifier: Apache-2.0
"""Times trestle.dstack.match_offers beside the same questions in C++.

    bench_offers --benchmark_filter=^offers/ --benchmark_repetitions=5 --benchmark_min_time=0.2 \\
        --benchmark_format=json > offers.json
    python3 offers_from_python.py offers.json

The offers are those of bench_offers.cpp, made anew by the same rule with the same numbers. That they
are the same ones is seen by what is found: it ends with 1 where that differs. Times are CPU time of
one call, the fastest of five runs.
"""
import json
import sys
import time

import trestle
from trestle import dstack

RUNS = 5
SECONDS = 0.2  # for each run
BACKENDS = ("aws", "gcp", "azure", "runpod", "lambda", "oci", "nebius")
GIB = 1 << 30


class Rng:
    """SplitMix64, as in trestle/base/rng.hpp."""

    MASK = (1 << 64) - 1

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = self.state + 0x9E3779B97F4A7C15 & self.MASK
        z = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 & self.MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & self.MASK
        return z ^ z >> 31

    def below(self, bound):
        limit = self.MASK - self.MASK % bound
        while (x := self.next()) >= limit:
            pass
        return x % bound


def instance(rng, number, known):
    gpus = 1 << rng.below(4)
    one = {"instance": f"type-{number}", "cpus": 4 * (1 + rng.below(48)),
           "memory": 8 * (1 + rng.below(190)) * GIB}
    if rng.below(2) == 0:
        one["disk"] = 100 * (1 + rng.below(80)) * GIB
    if rng.below(4) == 0:
        return one
    device = known[rng.below(len(known))]
    one["devices"] = [trestle.OfferedDevices("gpu", device.vendor, device.model, device.memory, gpus,
                                             device.compute_capability)]
    return one


def offers_of(shape, count):
    rng = Rng(7)
    known = trestle.known_devices()
    each = 40 if shape == "price_list" else 1
    for i in range(count):
        if i % each == 0:
            one = instance(rng, i, known)
            one["backend"] = BACKENDS[rng.below(len(BACKENDS))]
            region = rng.below(40)
        yield trestle.Offer(**one, region=f"region-{(region + i // 2) % 40}",
                            price=100_000 + rng.below(30_000_000), is_spot=i % 2 == 1)


def questions():
    any_price = dstack.Profile(spot_policy=dstack.SpotPolicy.auto)
    yield ("selective", "{gpu: 'H100:80GB:8', memory: 512GB.., cpu: 32..}",
           dstack.Profile(regions=["region-3", "region-17"]), dstack.MatchOptions())
    yield ("any", "{cpu: 1.., memory: 1GB.., disk: null}", any_price,
           dstack.MatchOptions(backends=[]))
    yield ("capability", "{gpu: {compute_capability: 9.0..}, disk: null}", dstack.Profile(),
           dstack.MatchOptions())
    yield ("cheapest", "{gpu: '1..', disk: null}", dstack.Profile(),
           dstack.MatchOptions(offers_max=10))


def microseconds(ask):
    best = float("inf")
    for _ in range(RUNS):
        calls, start = 0, time.process_time()
        while (spent := time.process_time() - start) < SECONDS:
            for _ in range(10):
                ask()
            calls += 10
        best = min(best, spent / calls * 1e6)
    return best


def read_cpp(path):
    """By question: the fastest time, and how many are found."""
    answers = {}
    for run in json.load(open(path))["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        _, question, shape, _ = run["name"].split("/")
        spent = run["cpu_time"] / {"ns": 1000, "us": 1}[run["time_unit"]]
        least, _ = answers.get((question, shape), (spent, 0))
        answers[question, shape] = min(least, spent), int(run["found"])
    return answers


def main():
    in_cpp = read_cpp(sys.argv[1])
    is_same = True
    print("| question | found | C++ us | Python us | ratio |\n|---|---|---|---|---|")
    for shape in ("price_list", "different"):
        catalog = trestle.Catalog(list(offers_of(shape, 100_000)))
        for name, resources, profile, options in questions():
            wanted = dstack.parse_resources(resources)

            def ask():
                return dstack.match_offers(catalog, wanted, profile, options)

            found, (cpp, found_by_cpp) = len(ask()), in_cpp[name, shape]
            is_same = is_same and found == found_by_cpp
            ours = microseconds(ask)
            print(f"| {name}, {shape} | {found:,} | {cpp:.0f} | {ours:.0f} | {ours / cpp:.2f} |",
                  flush=True)
    if not is_same:
        sys.exit("other offers are found than in C++")


if __name__ == "__main__":
    main()
