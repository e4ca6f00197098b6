# SPDX-License-Identifier: Apache-2.0
"""Random jobs and worlds for the simulator, each from a seed; what must hold of every result."""

import random
from collections import Counter

import trestle
from hypothesis import strategies as st
from trestle import sim

WHOLE = trestle.Exclusivity.whole_node


@st.composite
def job_lists(draw, requests, most=14):
    """Jobs in the order of their arrivals, at most so many; some end early, some are killed."""
    drawn = draw(st.lists(st.tuples(st.integers(0, 12), st.integers(0, len(requests) - 1),
                                    st.integers(1, 30), st.integers(0, 35)), max_size=most))
    jobs, now = [], 0
    for number, (gap, kind, limit, seconds) in enumerate(drawn):
        now += gap
        jobs.append(sim.Job(number, now, requests[kind], limit, seconds))
    return jobs


def random_jobs(seed, count=60, *, gap=6, is_exact=False, **more):
    """Jobs of all shapes on nodes of 4 cores and 2 GPUs, about as many as 8 nodes can bear."""
    rng = random.Random(seed)
    requests = [trestle.Request(nodes=size, exclusivity=WHOLE) for size in (1, 2, 4, 7)]
    requests += [trestle.Request(tasks=tasks) for tasks in (1, 3)]
    requests.append(trestle.Request(devices=[trestle.DeviceRequest(count=1)]))
    jobs, now = [], 0
    for number in range(count):
        now += rng.randrange(gap)
        limit = rng.randrange(1, 60)
        seconds = limit if is_exact else rng.randrange(0, limit + 8)
        jobs.append(sim.Job(number, now, rng.choice(requests), limit, seconds, **more))
    return jobs


def with_conditions(jobs, seed):
    """The same with dependencies, arrays, names, begin times, priorities, failures and retries."""
    rng = random.Random(seed)
    events = list(sim.RetryEvent)
    changed = []
    for job in jobs:
        more = {"priority": rng.randrange(4), "failures": rng.choice([0, 0, 0, 1, 2]),
                "preemption_cost": rng.randrange(3), "grace": rng.choice([0, 0, 3, 12])}
        if rng.random() < 0.5:
            chosen = [one for one in events if rng.random() < 0.7]
            more["retry"] = sim.Retry(frozenset(chosen), rng.choice([None, 30, 200]),
                                      rng.choice([0, 5]))
        if changed and rng.random() < 0.3:
            kind = rng.choice([kind for kind in trestle.DependencyKind if kind.name != "singleton"])
            others = tuple({rng.choice(changed).id for _ in range(2)})
            more["is_any_of"] = rng.random() < 0.3
            more["dependencies"] = (trestle.Dependency(kind, others, rng.choice([0, 0, 7])),)
        elif rng.random() < 0.2:
            more.update(name="one", dependencies=(
                trestle.Dependency(trestle.DependencyKind.singleton),))
        if rng.random() < 0.2:
            more["array"] = rng.randrange(2)
        if rng.random() < 0.1:
            more["begin"] = job.arrival + rng.randrange(40)
        fields = {name: getattr(job, name) for name in job.__dataclass_fields__}
        changed.append(sim.Job(**{**fields, **more}))
    return changed


def random_world(seed):
    """Arguments of simulate() for 8 nodes: incidents and a fleet on the last three."""
    rng = random.Random(seed)
    incidents = [sim.Maintenance(trestle.NodeSet("0-1"), range(150, 180), rng.randrange(160))]
    for node in range(4):
        at = rng.randrange(200)
        incidents.append(sim.NodeFailure(node, at, at + rng.randrange(1, 90)))
        repaired = rng.choice([None, 400])
        incidents.append(sim.DeviceFailure(node, rng.randrange(2), at + 10, repaired))
    incidents += [sim.SpotInterruption(rng.randrange(5, 8), rng.randrange(200)) for _ in range(3)]
    fleet = sim.ElasticFleet(trestle.NodeSet("5-7"), rng.randrange(2), rng.randrange(2, 4),
                             rng.randrange(20), rng.choice([None, 0, 15]))
    return {"incidents": incidents, "fleets": [fleet], "arrays": {0: 1, 1: 3}}


def check_result(result, jobs):
    """Conservation: each job ends once, in one way; nothing is had twice; moments go on."""
    assert [one.job for one in result.jobs] == list(jobs)
    ends = [event.job for event in result.events if event.kind is sim.EventKind.end]
    assert sorted(ends) == sorted(job.id for job in jobs)
    assert [event.at for event in result.events] == sorted(event.at for event in result.events)
    attempts = Counter(one.job.id for one in result.attempts)
    kinds = Counter((event.kind, event.job) for event in result.events)
    for one in result.jobs:
        assert one.attempts == attempts[one.job.id] == kinds[sim.EventKind.start, one.job.id]
        assert (one.start is None) == (one.attempts == 0)
        assert one.start is None or one.wait >= 0
    for one in result.attempts:
        assert 0 <= one.seconds <= one.job.limit
        assert one.period.start >= max(one.job.arrival, one.job.begin or 0)
        if one.outcome in (sim.Outcome.completed, sim.Outcome.failed):
            assert one.seconds == one.job.runtime
        if one.outcome is sim.Outcome.timed_out:
            assert one.seconds == one.job.limit < one.job.runtime
    check_nothing_overlaps(result)


def check_nothing_overlaps(result):
    """All attempts, one after the other, in a cluster that refuses what is not free."""
    cluster = trestle.Cluster.create(result.cluster.parts())
    moments = [(one.period.stop, 0, owner, one) for owner, one in enumerate(result.attempts)
               if one.seconds]
    moments += [(one.period.start, 1, owner, one) for owner, one in enumerate(result.attempts)
                if one.seconds]
    for _, is_start, owner, one in sorted(moments, key=lambda moment: moment[:3]):
        if is_start:
            cluster.adopt(owner, one.placement)
        else:
            cluster.release(owner)
    assert cluster.allocation_count() == 0


def overlaps(one, period, node):
    """True when the attempt has something of the node in the period."""
    return (one.seconds > 0 and one.period.start < period.stop and period.start < one.period.stop
            and any(part.node == node for part in one.placement.nodes))
