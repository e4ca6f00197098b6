# SPDX-License-Identifier: Apache-2.0
"""Three agents in a Gymnasium environment: which node a job gets, or whether it is dropped."""
from typing import Any, Callable

import numpy
import trestle
from trestle.gym_env import PlacementEnv, poisson_jobs

GIB = 2**30
KINDS = [trestle.Request(tasks=4, memory=trestle.Range(8 * GIB)),
         trestle.Request(tasks=4, devices=[trestle.DeviceRequest(count=1)]),
         trestle.Request(tasks=8, devices=[trestle.DeviceRequest(count=4)])]
Agent = Callable[[dict[str, Any], Any], int]


def first_room(observation: dict[str, Any], mask: Any) -> int:
    """The first node that has room; else the job is dropped."""
    return int(mask.argmax())


def tightest(observation: dict[str, Any], mask: Any) -> int:
    """The node with the fewest devices free, then the fewest cores."""
    left = observation["free"][:, 2] + observation["free"][:, 0] / 100
    return int(numpy.where(mask, numpy.append(left, 9), 99).argmin())


rng = numpy.random.default_rng(1)


def at_random(observation: dict[str, Any], mask: Any) -> int:
    """Any node that has room."""
    return int(rng.choice(numpy.flatnonzero(mask)))


def earned(env: PlacementEnv, agent: Agent, seed: int) -> float:
    """The rewards of an episode."""
    observation, info = env.reset(seed=seed)
    total, has_ended = 0.0, False
    while not has_ended:
        action = agent(observation, info["action_mask"])
        observation, reward, has_ended, _, info = env.step(action)
        total += reward
    return total


cluster = trestle.Cluster.from_text("16 x (32c mem=256G gpu:4) + 8 x (32c mem=256G)")
env = PlacementEnv(cluster, KINDS, poisson_jobs(1000, gap=60, runtime=3600), values=[1, 2, 8])
print(f"{env.action_space.n} actions")
for agent in (at_random, first_room, tightest):
    print(f"{agent.__name__:<11}", *(f"{earned(env, agent, seed):.0f}" for seed in range(4)))
