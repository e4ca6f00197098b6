# SPDX-License-Identifier: Apache-2.0
"""What a simulation costs, and what of it are the passes: CPU time of this process.

    python benchmarks/python/simulate.py --jobs 5000 20000 100000 --gap-scale 1 --nodes 1000

Jobs are drawn from the model of Lublin and Feitelson, of whole nodes or of cores; a smaller gap is a
higher load. The sum of starts tells whether another version decides the same.
"""

import argparse
import time
from collections.abc import Callable

import trestle
from trestle import sim
from trestle.sim import _reservations
from trestle.traces import lublin

CORES = 16

DISCIPLINES = {"strict": trestle.Discipline.strict(), "easy": trestle.Discipline.easy(),
               "conservative": trestle.Discipline.conservative(),
               "lookahead": trestle.Discipline.lookahead(),
               "slack_based": trestle.Discipline.slack_based()}


class PassTime:
    """CPU seconds in passes."""

    def __init__(self) -> None:
        self.seconds = 0.0
        for name in ("decide", "decide_ready"):
            setattr(_reservations.Reservations, name,
                    self._timed(getattr(_reservations.Reservations, name)))

    def _timed(self, decide: Callable[..., object]) -> Callable[..., object]:
        def timed(*arguments: object) -> object:
            start = time.process_time()
            result = decide(*arguments)
            self.seconds += time.process_time() - start
            return result
        return timed


def run(count: int, words: argparse.Namespace, passes: PassTime) -> None:
    """One simulation, and its line."""
    per_node = CORES if words.of_cores else 1
    model = lublin.LublinModel(words.nodes * per_node, gap_scale=words.gap_scale)
    log = lublin.generate(jobs=count, seed=1, model=model)
    jobs = sim.jobs_of_swf(log, per_node, cores="size" if words.of_cores else None)
    cluster = trestle.Cluster.from_text(f"{words.nodes} x ({CORES}c)")
    passes.seconds = 0.0
    start = time.process_time()
    result = sim.simulate(cluster, jobs, DISCIPLINES[words.discipline])
    seconds = time.process_time() - start
    waits = [one.start - one.arrival for one in result.jobs if one.start is not None]
    started = sum(one.start or 0 for one in result.jobs)
    print(f"{len(jobs)} jobs, {result.passes} passes, mean wait {sum(waits) / len(waits):.0f} s, "
          f"mean queue {sum(waits) / result.end:.0f}: {seconds:.2f} s CPU, "
          f"{seconds / len(jobs) * 1e6:.0f} us a job, of these "
          f"{passes.seconds / len(jobs) * 1e6:.0f} in passes; sum of starts {started}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, nargs="+", default=[2000])
    parser.add_argument("--nodes", type=int, default=256)
    parser.add_argument("--of-cores", action="store_true", help="jobs share nodes")
    parser.add_argument("--gap-scale", type=float, default=0.75)
    parser.add_argument("--discipline", choices=DISCIPLINES, default="easy")
    words = parser.parse_args()
    passes = PassTime()
    for count in words.jobs:
        run(count, words, passes)


if __name__ == "__main__":
    main()
