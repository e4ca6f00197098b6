# SPDX-License-Identifier: Apache-2.0
"""Steps a second of trestle.gym_env at 64 nodes, by agent: CPU time of this process.

The first episode meets states of nodes that are new; the others know most of them.
"""

import random
import time

import trestle
from trestle.gym_env import PlacementEnv, poisson_jobs

GIB = 2**30
GPU = [trestle.DeviceRequest(count=1)]
KINDS = [trestle.Request(tasks=4, memory=trestle.Range(8 * GIB)),
         trestle.Request(tasks=8, memory=trestle.Range(32 * GIB), devices=GPU)]


def main() -> None:
    cluster = trestle.Cluster.from_text("64 x (32c mem=256G gpu:4)")
    rng = random.Random(1)
    agents = {"first room": lambda mask: int(mask.argmax()),
              "at random": lambda mask: rng.choice(mask.nonzero()[0])}
    for name, agent in agents.items():
        env = PlacementEnv(cluster, KINDS, poisson_jobs(20_000, gap=10, runtime=1500))
        for episode in range(4):
            _, info = env.reset(seed=1)
            steps, has_ended, start = 0, False, time.process_time()
            while not has_ended:
                *_, has_ended, _, info = env.step(agent(info["action_mask"]))
                steps += 1
            speed = steps / (time.process_time() - start)
            print(f"{name:10} episode {episode}: {speed:>8.0f} steps/s")


if __name__ == "__main__":
    main()
