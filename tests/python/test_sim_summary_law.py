# SPDX-License-Identifier: Apache-2.0
"""Law: the numbers of a summary are those of a plain count, second by second and job by job."""

import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
import trestle
from random_sim import random_jobs, random_world, with_conditions
from trestle import sim

NODES, GPUS, CORES = 8, 2, 4
SHAPE = trestle.Cluster.from_text(f"{NODES} x ({CORES}c gpu:{GPUS})")


def run(seed):
    jobs = with_conditions(random_jobs(seed, 40), seed)
    jobs = [replace(job, user=f"u{job.id % 3}") for job in jobs]
    return sim.simulate(SHAPE, jobs, trestle.Discipline.easy(), **random_world(seed))


def seconds(result):
    """By second: nodes on, nodes with a job, GPUs and cores that attempts have, nodes cut in parts."""
    on = [[any(second in one for one in result.powered(node)) for node in range(NODES)]
          for second in range(result.end)]
    gpus = np.zeros((result.end, NODES), int)
    cores = np.zeros((result.end, NODES), int)
    useful = np.zeros(result.end, int)
    jobs = np.zeros((result.end, NODES), int)
    for one in result.attempts:
        for part in one.placement.nodes:
            for second in one.period:
                gpus[second, part.node] += len(part.devices)
                cores[second, part.node] += len(part.cores)
                jobs[second, part.node] += 1
                useful[second] += len(part.devices) * (one.outcome is sim.Outcome.completed)
    return np.array(on), jobs > 0, gpus, cores, useful


@pytest.mark.parametrize("seed", range(6))
def test_law_numbers_over_time(seed):
    result = run(seed)
    summary = result.summary(price=lambda node: 7200 + node, job_watts=lambda job, placement: job.id,
                             node_watts=lambda node: node)
    on, busy, gpus, cores, useful = seconds(result)
    there = on.sum()
    is_on = on.any(axis=1)

    def mean(values):
        return float(np.mean(values[is_on]))

    with np.errstate(invalid="ignore", divide="ignore"):
        expected = {
            ("utilisation", "gres/gpu"): gpus.sum() / (there * GPUS),
            ("utilisation", "cpu"): cores.sum() / (there * CORES),
            ("utilisation", "node"): busy.sum() / there,
            ("goodput", "gres/gpu"): useful.sum() / (there * GPUS),
            ("gpu_occupancy", "all"): gpus.sum() / (there * GPUS),
            ("occupancy", "all"): mean(busy.sum(axis=1) / on.sum(axis=1)),
            ("gpu_allocation", "all"): mean(gpus.sum(axis=1) / (GPUS * on.sum(axis=1))),
            ("fragmented_nodes", "all"): mean(((gpus > 0) & (gpus < GPUS)).sum(axis=1)
                                              / on.sum(axis=1)),
            ("energy", "all"): sum(one.job.id * one.seconds for one in result.attempts)
            + float((on.sum(axis=0) * np.arange(NODES)).sum()),
            ("cost", "all"): sum((7200 + node) * int(on[:, node].sum())
                                 for node in range(NODES)) // 3600,
        }
    for (metric, of), value in expected.items():
        assert summary.find(metric, of).value == pytest.approx(value), (metric, of)


@pytest.mark.parametrize("seed", range(6))
def test_law_numbers_of_jobs(seed):
    result = run(seed)
    summary = result.summary()
    attempts = defaultdict(list)
    for one in result.attempts:
        attempts[one.job.id].append(one)
    waits, responses, slowdowns = defaultdict(list), defaultdict(list), defaultdict(list)
    for one in result.jobs:
        if not attempts[one.job.id]:
            continue
        tries = sorted(attempts[one.job.id], key=lambda attempt: attempt.number)
        for of in "all", f"user {one.job.user}":
            waits[of].append(tries[0].period.start - one.arrival)
            responses[of].append(one.end - one.arrival)
            slowdowns[of].append(max(1, (one.end - one.arrival) / max(10, tries[-1].seconds)))
    for metric, groups in ("wait", waits), ("response", responses), ("slowdown", slowdowns):
        for of, values in groups.items():
            row = summary.find(metric, of)
            assert (row.value, row.max) == pytest.approx((np.mean(values), max(values)))
            assert (row.p50, row.p90, row.p99) == pytest.approx(
                tuple(np.percentile(values, (50, 90, 99))))
    users = [np.mean(values) for of, values in slowdowns.items() if of != "all"]
    assert summary.find("jain_index", "users").value == pytest.approx(
        sum(users) ** 2 / (len(users) * sum(one * one for one in users)))
    assert summary.find("makespan").value == result.end - min(one.arrival for one in result.jobs)
    all_tries = [one for tries in attempts.values() for one in tries]
    for metric, outcome in ("preemptions", sim.Outcome.preempted), ("interruptions",
                                                                  sim.Outcome.interrupted):
        assert summary.find(metric).value == sum(one.outcome is outcome for one in all_tries)
    moves = 0
    for tries in attempts.values():
        nodes = [{part.node for part in one.placement.nodes}
                 for one in sorted(tries, key=lambda one: one.number)]
        moves += sum(a != b for a, b in zip(nodes, nodes[1:]))
    assert summary.find("migrations").value == moves
    assert summary.find("attempts").value == pytest.approx(len(all_tries) / len(result.jobs))
    started = sum(bool(attempts[one.job.id]) for one in result.jobs)
    assert summary.find("allocation_ratio").value == pytest.approx(started / len(result.jobs))


@pytest.mark.parametrize("seed", range(3))
def test_law_fragments_are_those_of_each_second(seed):
    result = run(seed)
    typical = (trestle.TypicalJob(cpus=1000, devices=2, seen=3), trestle.TypicalJob(cpus=3000, devices=1))
    _, _, gpus, cores, _ = seconds(result)
    lost = np.zeros(result.end)
    for job in typical:
        fits = (CORES - cores >= job.cpus // 1000) & (GPUS - gpus >= job.devices)
        lost += np.where(fits, 0, GPUS - gpus).sum(axis=1) * job.seen / 4
    rows = result.fragments(typical)
    for (at, value), (end, _) in zip(rows, [*rows[1:], (result.end, 0)]):
        for second in range(at, end):
            assert value == pytest.approx(lost[second], abs=1e-5), second
    assert math.isclose(summary_value(result, typical), lost.mean() / (NODES * GPUS), abs_tol=1e-4)


def summary_value(result, typical):
    return result.summary(typical_jobs=typical).find("fragments").value
