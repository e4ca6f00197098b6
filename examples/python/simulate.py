# SPDX-License-Identifier: Apache-2.0
"""Two days of jobs on 32 nodes: disciplines beside each other, a bad day, and rented nodes."""
import random

import trestle
from trestle import sim

HOUR = 3600
SIZES = [trestle.Request(nodes=nodes, exclusivity=trestle.Exclusivity.whole_node)
         for nodes in (1, 2, 4, 8, 16)]


def jobs(count: int, seed: int) -> list[sim.Job]:
    """Many short ones, few long ones; limits are a guess, mostly too high."""
    rng = random.Random(seed)
    drawn = []
    arrival = 0
    for number in range(count):
        arrival += rng.randrange(1400)
        runtime = rng.choice([5, 10, 30, 60, 240]) * rng.randrange(30, 70)
        limit = HOUR * (1 + rng.randrange(6))
        drawn.append(sim.Job(number, arrival, rng.choice(SIZES), limit, runtime))
    return drawn


def show(name: str, result: sim.Result) -> None:
    ended = ", ".join(f"{count} {how.value}" for how, count in result.outcomes().items())
    print(f"{name:<13} {result.mean_wait() / 60:>7.1f} {result.mean_slowdown():>9.1f}"
          f" {result.utilisation()['cpu']:>6.0%} {result.end / HOUR:>6.1f}  {ended}")


cluster = trestle.Cluster.from_text("32 x (2s16c2t mem=512G)")
drawn = jobs(250, seed=1)
easy = trestle.Discipline.easy()
print("              wait/min  slowdown   used    h    jobs")
show("first come", sim.simulate(cluster, drawn, trestle.Discipline.strict()))
show("EASY", sim.simulate(cluster, drawn, easy))
show("lookahead", sim.simulate(cluster, drawn, trestle.Discipline.lookahead()))
show("slack of 1 h", sim.simulate(cluster, drawn, trestle.Discipline.slack_based(), slack=HOUR))
show("conservative", sim.simulate(cluster, drawn, trestle.Discipline.conservative()))

show("a bad day", sim.simulate(cluster, drawn, easy, incidents=[
    sim.NodeFailure(3, at=2 * HOUR, repaired=9 * HOUR),
    sim.Maintenance(trestle.NodeSet("16-31"), range(6 * HOUR, 8 * HOUR), announced=5 * HOUR)]))

rented = sim.simulate(cluster, drawn, easy, fleets=[
    sim.ElasticFleet(trestle.NodeSet("16-31"), nodes_max=16, provisioning=300, idle=900)])
show("half rented", rented)
cents = rented.cost(lambda node: 98 if node >= 16 else 0)
print(f"\nrented: {cents / 100:.2f} dollars, of {16 * rented.end * 98 / HOUR / 100:.2f} always on")
long = max(rented.attempts, key=lambda one: one.seconds * len(one.placement.nodes))
print(f"job {long.job.id} took most: {rented.tres(long)['node']} nodes for {long.seconds} s")
