# SPDX-License-Identifier: Apache-2.0
"""What a simulation costs, and what of it is schedule_pass: CPU time of this process.

    python benchmarks/python/simulate.py --jobs 5000 --gap-scale 0.75

Jobs are drawn from the model of Lublin and Feitelson for 256 nodes; a smaller gap is a higher load.
"""

import argparse
import time

import trestle
from trestle import sim
from trestle.traces import lublin

DISCIPLINES = {"strict": trestle.Discipline.strict(), "easy": trestle.Discipline.easy(),
               "conservative": trestle.Discipline.conservative()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--gap-scale", type=float, default=0.75)
    parser.add_argument("--discipline", choices=DISCIPLINES, default="easy")
    words = parser.parse_args()
    model = lublin.LublinModel(256, gap_scale=words.gap_scale)
    jobs = sim.jobs_of_swf(lublin.generate(jobs=words.jobs, seed=1, model=model))
    cluster = trestle.Cluster.from_text("256 x (16c)")
    inside = 0.0
    schedule_pass = trestle.schedule_pass

    def timed(*arguments: object) -> trestle.PassResult:
        nonlocal inside
        start = time.process_time()
        result = schedule_pass(*arguments)  # type: ignore[arg-type]
        inside += time.process_time() - start
        return result

    trestle.schedule_pass = timed
    start = time.process_time()
    result = sim.simulate(cluster, jobs, DISCIPLINES[words.discipline])
    seconds = time.process_time() - start
    print(f"{len(jobs)} jobs, {result.passes} passes, {result.utilisation()['cpu']:.0%} used, mean "
          f"wait {result.mean_wait():.0f} s: {seconds:.2f} s CPU, of these {inside:.2f} s in "
          f"schedule_pass; the rest {(seconds - inside) / len(jobs) * 1e6:.0f} us a job")


if __name__ == "__main__":
    main()
