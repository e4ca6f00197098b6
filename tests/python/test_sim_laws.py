# SPDX-License-Identifier: Apache-2.0
"""Laws of trestle.sim over jobs and worlds that Hypothesis chooses."""

import copy
import dataclasses
import heapq

import trestle
from hypothesis import given, settings
from hypothesis import strategies as st
from random_sim import WHOLE, check_result, job_lists
from trestle import sim
from trestle.sim import EventKind

NODES = 4
CLUSTER = trestle.Cluster.from_text(f"{NODES} x (4c gpu:2)")
WHOLE_NODES = [trestle.Request(nodes=nodes, exclusivity=WHOLE) for nodes in range(1, NODES + 1)]
REQUESTS = [*WHOLE_NODES, trestle.Request(tasks=3),
            trestle.Request(devices=[trestle.DeviceRequest(count=1)])]
DISCIPLINES = [trestle.Discipline.strict(), trestle.Discipline.easy(),
               trestle.Discipline.conservative(),
               trestle.Discipline.easy(trestle.QueueOrder.by_priority),
               trestle.Discipline.conservative(trestle.QueueOrder.shortest_first)]
KINDS = [kind for kind in trestle.DependencyKind if kind.name != "singleton"]
SOON = st.integers(0, 30)
RETRIES = st.builds(sim.Retry, st.frozensets(st.sampled_from(sim.RetryEvent)),
                    st.none() | st.integers(0, 60), st.integers(0, 9), st.integers(0, 2))


# Hypothesis keeps what it samples from, and objects of the module would outlive it: hence indices.

@st.composite
def disciplines(draw, first=0, last=len(DISCIPLINES) - 1):
    """One of them."""
    return DISCIPLINES[draw(st.integers(first, last))]


@st.composite
def bound_jobs(draw):
    """The same with everything else that a job may have; dependencies lead back."""
    jobs = draw(job_lists(REQUESTS))
    bound = []
    for job in jobs:
        more = draw(st.fixed_dictionaries({}, optional={
            "priority": st.integers(0, 3), "failures": st.integers(0, 2), "retry": RETRIES,
            "begin": SOON, "is_held": st.booleans(), "array": st.integers(0, 1),
            "preemption_cost": st.integers(0, 3), "grace": st.integers(0, 9),
            "is_any_of": st.booleans()}))
        if job.id and draw(st.booleans()):
            others = st.lists(st.integers(0, job.id - 1), min_size=1, max_size=2)
            drawn = draw(st.lists(st.tuples(st.integers(0, 3), others, SOON), max_size=2))
            more["dependencies"] = tuple(trestle.Dependency(KINDS[kind], ids, delay)
                                         for kind, ids, delay in drawn)
        bound.append(dataclasses.replace(job, **more))
    return bound


@st.composite
def worlds(draw):
    """Incidents, on each node any of the kinds, and none, one or two fleets of rented nodes."""
    incidents = []
    for node in range(NODES):
        at, other, third = draw(st.tuples(*[st.integers(0, 80)] * 3))
        some = [sim.NodeFailure(node, at, [at + 20, None][other % 2]),
                sim.DeviceFailure(node, at % 2, other, [other + 9, None][third % 2]),
                sim.Maintenance(trestle.NodeSet([node]), range(third, third + 15), at // 2)]
        incidents += [some[kind] for kind in sorted(draw(st.sets(st.integers(0, 2))))]
    fleets = []
    for nodes in [[], ["2-3"], ["1,3"], ["0,2", "1,3"]][draw(st.integers(0, 3))]:
        least, most = sorted(draw(st.tuples(*[st.integers(0, 2)] * 2)))
        fleets.append(sim.ElasticFleet(trestle.NodeSet(nodes), least, draw(
            st.sampled_from([None, most])), draw(st.integers(0, 9)),
            draw(st.none() | st.integers(0, 9))))
        incidents += [sim.SpotInterruption(int(nodes[-1]), at)
                      for at in draw(st.lists(SOON, max_size=2))]
    return {"incidents": incidents, "fleets": fleets, "arrays": {0: 1}}


def starts(result):
    return [one.start for one in result.jobs]


@settings(max_examples=120)
@given(bound_jobs(), worlds(), disciplines(), st.booleans())
def test_law_each_job_ends_once_and_nothing_is_had_twice(jobs, world, discipline, preempts):
    may = (lambda one, other: one.priority > other.priority) if preempts else None
    before = copy.copy(CLUSTER)
    result = sim.simulate(CLUSTER, jobs, discipline, preempts=may, **world)
    check_result(result, jobs)
    assert CLUSTER == before == result.cluster
    assert sim.simulate(CLUSTER, jobs, discipline, preempts=may, **world) == result
    assert all(0 <= share <= 1 for share in result.utilisation().values())
    for fleet in world["fleets"]:
        for event in result.events:
            on = sum(period.start <= event.at < period.stop
                     for node in fleet.nodes for period in result.elastic[node])
            assert on <= fleet.most


@settings(max_examples=150)
@given(bound_jobs(), worlds(), disciplines(), st.booleans(), st.booleans())
def test_law_a_queue_that_is_kept_is_as_one_that_is_looked_at_each_time(jobs, world, discipline,
                                                                     preempts, keeps):
    may = (lambda one, other: one.priority > other.priority) if preempts else None
    looked_at, kept = (
        sim.simulate(CLUSTER, jobs, discipline, preempts=may, keeps_reservations=keeps,
                     keeps_reasons=reasons, **world) for reasons in (True, False))
    without_notes = [[dataclasses.replace(one, note="") for one in result.events]
                     for result in (kept, looked_at)]  # the last reason may be a later one
    assert without_notes[0] == without_notes[1]
    assert kept.attempts == looked_at.attempts
    assert kept.passes == looked_at.passes


@given(job_lists(WHOLE_NODES))
def test_law_strict_is_what_counting_nodes_says(jobs):
    """First come, first served on nodes alike is a matter of how many are free."""
    free, now, ends, expected = NODES, 0, [], []
    for job in jobs:
        now = max(now, job.arrival)
        while ends and ends[0][0] <= now or free < job.request.nodes.min:
            end, nodes = heapq.heappop(ends)
            now, free = max(now, end), free + nodes
        expected.append(now)
        free -= job.request.nodes.min
        heapq.heappush(ends, (now + min(job.limit, job.runtime), job.request.nodes.min))
    assert starts(sim.simulate(CLUSTER, jobs, DISCIPLINES[0])) == expected


@given(job_lists(WHOLE_NODES), disciplines(1, 2))
def test_law_no_job_starts_later_than_first_promised(jobs, discipline):
    """Under EASY the first of the queue, under conservative all."""
    result = sim.simulate(CLUSTER, jobs, discipline)
    reserved = {event.job: event.until for event in result.events
                if event.kind is EventKind.reservation}
    for job, until in reserved.items():
        assert result.jobs[job].start <= until


@given(job_lists(WHOLE_NODES), SOON)
def test_law_slack_puts_off_no_promise_further(jobs, slack):
    """One job behind another: nodes that are left are always the same."""
    one_node = trestle.Cluster.from_text("1 x (4c)")
    jobs = [dataclasses.replace(job, request=WHOLE_NODES[0]) for job in jobs]
    result = sim.simulate(one_node, jobs, trestle.Discipline.slack_based(), slack=slack)
    reserved = {event.job: event.until for event in result.events
                if event.kind is EventKind.reservation}
    for job, until in reserved.items():
        assert result.jobs[job].start <= until + slack


@given(job_lists(REQUESTS), disciplines(), st.integers(0, 10**9))
def test_law_what_comes_later_happens_later(jobs, discipline, delay):
    later = [dataclasses.replace(job, arrival=job.arrival + delay) for job in jobs]
    expected = [start + delay for start in starts(sim.simulate(CLUSTER, jobs, discipline))]
    assert starts(sim.simulate(CLUSTER, later, discipline)) == expected


@given(job_lists(REQUESTS), disciplines())
def test_law_ids_are_names(jobs, discipline):
    renamed = [dataclasses.replace(job, id=(job.id * 7919 + 5) % 10007) for job in jobs]
    assert starts(sim.simulate(CLUSTER, renamed, discipline)) == starts(
        sim.simulate(CLUSTER, jobs, discipline))


@given(job_lists(WHOLE_NODES))
def test_law_what_is_measured_adds_up(jobs):
    result = sim.simulate(CLUSTER, jobs)
    seconds = sum(job.request.nodes.min * min(job.limit, job.runtime) for job in jobs)
    assert result.tres_seconds().get("node", 0) == seconds
    assert sum(result.node_seconds().values()) == NODES * result.end
    weights = trestle.slurm.parse_billing_weights("CPU=1")
    assert sum(result.billing(weights).values()) == 4 * seconds
