# SPDX-License-Identifier: Apache-2.0
"""trestle.sim: laws over random worlds, and one telling case for each thing that it knows."""

import copy
import dataclasses
import pickle
import random
import sys

import pytest
import trestle
from random_sim import WHOLE, check_result, overlaps, random_jobs, random_world, with_conditions
from trestle import Dependency, DependencyKind, sim
from trestle.sim import EventKind, Outcome, RetryEvent
from trestle.traces import lublin, swf

CLUSTER = trestle.Cluster.from_text("8 x (4c gpu:2)")
ONE = trestle.Request(nodes=1, exclusivity=WHOLE)
DISCIPLINES = [trestle.Discipline.strict(), trestle.Discipline.easy(),
               trestle.Discipline.conservative(),
               trestle.Discipline.easy(trestle.QueueOrder.by_priority)]


def whole(nodes):
    return ONE.replace(nodes=nodes)


def cluster(nodes):
    return trestle.Cluster.from_text(f"{nodes} x (4c gpu:2)")


def job(id, arrival=0, nodes=1, limit=100, runtime=None, **more):
    return sim.Job(id, arrival, whole(nodes), limit, limit if runtime is None else runtime, **more)


def ends(result):
    """(outcome, start, end) of each job."""
    return [(one.outcome.value, one.start, one.end) for one in result.jobs]


def moments(result, kind):
    """(moment, node) of the events of a kind."""
    return [(event.at, event.node) for event in result.events if event.kind is kind]


def delays(result):
    """How much later than reserved jobs started, by job; the first reservation of each wait counts."""
    late, reserved = {}, {}
    for event in result.events:
        if event.kind is EventKind.reservation:
            reserved[event.job] = event.until
        elif event.kind is EventKind.start and event.job in reserved:
            late[event.job] = event.at - reserved.pop(event.job)
    return late


# Laws.

@pytest.mark.parametrize("discipline", DISCIPLINES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_each_job_ends_once_and_nothing_is_had_twice(seed, discipline):
    jobs = with_conditions(random_jobs(seed, 50), seed)
    world = random_world(seed)
    preempts = (lambda one, other: one.priority > other.priority + 1) if seed % 2 else None
    before = copy.copy(CLUSTER)
    result = sim.simulate(CLUSTER, jobs, discipline, preempts=preempts, **world)
    assert CLUSTER == before == result.cluster
    assert pickle.loads(pickle.dumps(result)) == result
    check_result(result, jobs)
    for incident in world["incidents"]:
        for one in result.attempts:
            if isinstance(incident, sim.Maintenance):
                assert not any(overlaps(one, incident.period, node) for node in incident.nodes)
            if isinstance(incident, sim.NodeFailure):
                assert not overlaps(one, range(incident.at, incident.repaired), incident.node)
    for node, on in result.elastic.items():
        for one in result.attempts:
            if one.seconds and any(part.node == node for part in one.placement.nodes):
                assert any(period.start <= one.period.start and one.period.stop <= period.stop
                           for period in on)
    assert sim.simulate(CLUSTER, jobs, discipline, preempts=preempts, **world) == result


@pytest.mark.parametrize("seed", range(3))
def test_easy_waits_less_than_first_come_first_served(seed):
    jobs = random_jobs(seed, 80)
    waits = [sim.simulate(CLUSTER, jobs, discipline).mean_wait() for discipline in DISCIPLINES[:2]]
    assert waits[1] < waits[0]


@pytest.mark.parametrize("is_exact", [True, False])
@pytest.mark.parametrize("order", trestle.QueueOrder)
def test_under_conservative_no_job_starts_later_than_once_promised(order, is_exact):
    jobs = [dataclasses.replace(job, priority=job.id % 3)
            for job in random_jobs(order.value, 60, gap=4, is_exact=is_exact)]
    late = delays(sim.simulate(CLUSTER, jobs, trestle.Discipline.conservative(order)))
    assert len(late) > 20
    assert max(late.values()) <= 0


def late_with_conditions(seeds, **more):
    """Those that start later than reserved, where jobs have all conditions; `more` is of all jobs."""
    late = {}
    for seed in seeds:
        jobs = [dataclasses.replace(job, **more.get("jobs", {}))
                for job in with_conditions(random_jobs(seed, 40, gap=4), seed)]
        result = sim.simulate(CLUSTER, jobs, DISCIPLINES[2], arrays={0: 1, 1: 3},
                              preempts=more.get("preempts"))
        late.update(((seed, job), by) for job, by in delays(result).items() if by > 0)
    return late


def test_reservations_are_kept_for_jobs_with_conditions():
    """But where arrays are throttled or jobs end others: that is how far they go."""
    alone = {"jobs": {"array": None}}
    first = lambda one, other: one.priority > other.priority  # noqa: E731
    assert not late_with_conditions(range(6), **alone)
    assert late_with_conditions([5])
    assert late_with_conditions([3], preempts=first, **alone)


def test_promises_that_are_not_kept_may_be_late():
    """What keeps_reservations is for: passes alone delay somebody where others end early."""
    late = delays(sim.simulate(CLUSTER, random_jobs(0, 60, gap=4), DISCIPLINES[2],
                               keeps_reservations=False))
    assert max(late.values()) > 0


@pytest.mark.parametrize("seed", range(2))
def test_logs_of_our_own(seed):
    """Logs drawn from the model of Lublin and Feitelson, whose jobs request more than they take."""
    log = lublin.generate(jobs=120, seed=seed, model=lublin.LublinModel(64, gap_scale=0.1))
    jobs = sim.jobs_of_swf(log, 8)
    strict, easy, conservative = (sim.simulate(CLUSTER, jobs, one) for one in DISCIPLINES[:3])
    assert easy.mean_wait() < strict.mean_wait()
    assert max(delays(conservative).values()) <= 0


def test_jobs_of_a_log():
    lines = [swf.SwfJob(1, 0.5, run_time=9.2, processors=9, requested_time=60),
             swf.SwfJob(2, 3, run_time=0, processors=8), swf.SwfJob(3, 3, processors=8)]
    jobs = sim.jobs_of_swf(swf.SwfLog(jobs=tuple(lines)), 8)
    assert [(one.id, one.arrival, one.request.nodes.min, one.limit, one.runtime)
            for one in jobs] == [(1, 1, 2, 60, 10), (2, 3, 1, 1, 0)]
    with pytest.raises(ValueError, match="job 2 stands twice"):
        sim.jobs_of_swf(swf.SwfLog(jobs=(lines[1], lines[1])))
    with pytest.raises(ValueError, match="processors_per_node 0"):
        sim.jobs_of_swf(swf.SwfLog(), 0)


def test_strict_is_first_come_first_served():
    result = sim.simulate(CLUSTER, random_jobs(1), trestle.Discipline.strict())
    starts = [one.start for one in result.jobs]
    assert starts == sorted(starts)


# Of jobs.

def test_a_job_is_killed_at_its_limit():
    result = sim.simulate(cluster(1), [job(0, runtime=101), job(1, limit=10, runtime=10)])
    assert ends(result) == [("timed_out", 0, 100), ("completed", 100, 110)]


def test_a_job_that_ends_early_lets_others_start():
    result = sim.simulate(cluster(1), [job(0, runtime=5), job(1, 1, runtime=0), job(2, 1)])
    assert ends(result) == [("completed", 0, 5), ("completed", 5, 5), ("completed", 5, 105)]


def test_run_time_may_depend_on_the_place():
    fast = trestle.Cluster.from_text("1 x (4c) + 1 x (8c)")
    seconds = lambda one, placement: 400 // len(placement.nodes[0].cores)  # noqa: E731
    result = sim.simulate(fast, [job(0), job(1)], runtime=seconds)
    assert sorted(one.end for one in result.jobs) == [50, 100]
    with pytest.raises(ValueError, match="runtime of job 0: -1; expected 0 or more seconds"):
        sim.simulate(fast, [job(0)], runtime=lambda one, placement: -1)


@pytest.mark.parametrize("kind, delay, outcome, start", [
    ("after", 0, "completed", 0), ("after", 30, "completed", 30), ("afterany", 0, "completed", 50),
    ("afterany", 30, "completed", 80), ("afterok", 0, "completed", 50),
    ("afternotok", 0, "dependency", None)])
def test_dependencies(kind, delay, outcome, start):
    waits = job(1, dependencies=(Dependency(DependencyKind[kind], (0,), delay),))
    result = sim.simulate(cluster(2), [job(0, runtime=50), waits])
    assert ends(result)[1][:2] == (outcome, start)


@pytest.mark.parametrize("delay, start", [(0, 50), (70, 70)])
def test_a_job_that_started_has_started_though_it_is_put_back(delay, start):
    """Also for who arrives later, and for who waits from the first start on."""
    after = {"dependencies": (Dependency(DependencyKind.after, (0,), delay),)}
    jobs = [job(0, retry=sim.Retry(delay=1000)), job(1, runtime=50), job(2, **after),
            job(3, 200, **after)]
    result = sim.simulate(cluster(2), jobs, incidents=[sim.NodeFailure(0, 10, 500)])
    assert [one.start for one in result.jobs] == [0, 0, start, 200]
    assert result.jobs[0].end == 1110


def test_dependencies_on_a_failure_and_in_a_chain():
    after = [job(2, dependencies=(Dependency(DependencyKind.afternotok, (0,)),)),
             job(3, dependencies=(Dependency(DependencyKind.afterok, (0,)),)),
             job(4, dependencies=(Dependency(DependencyKind.afterok, (3,)),))]
    result = sim.simulate(cluster(2), [job(0, failures=1), *after])
    assert ends(result) == [("failed", 0, 100), ("completed", 100, 200), ("dependency", None, 100),
                            ("dependency", None, 100)]


def test_a_dependency_on_later_arrivals_and_on_each_other():
    waits = job(1, dependencies=(Dependency(DependencyKind.afterok, (0,)),))
    assert ends(sim.simulate(cluster(2), [job(0, 40), waits]))[1] == ("completed", 140, 240)
    assert ends(sim.simulate(cluster(2), [waits, job(2, dependencies=waits.dependencies)])) == [
        ("completed", 0, 100)] * 2, "who is never there gives way"
    circle = job(0, 70, dependencies=(Dependency(DependencyKind.afterany, (1,)),))
    assert ends(sim.simulate(cluster(2), [circle, waits])) == [
        ("completed", 70, 170), ("dependency", None, 0)], "who comes later is free by then"
    circle = dataclasses.replace(circle, arrival=0)
    assert ends(sim.simulate(cluster(2), [circle, waits])) == [("dependency", None, 0)] * 2


def test_one_of_several_dependencies_may_be_enough():
    either = job(2, dependencies=(Dependency(DependencyKind.afterok, (0,)),
                                  Dependency(DependencyKind.after, (1,), 130)))
    for is_any_of, outcome in ((True, ("completed", 130, 230)), (False, ("dependency", None, 50))):
        waits = dataclasses.replace(either, is_any_of=is_any_of)
        result = sim.simulate(cluster(3), [job(0, runtime=50, failures=1), job(1), waits])
        assert ends(result)[2] == outcome


def test_a_job_that_is_held_never_starts():
    thrice = sim.Retry(frozenset({RetryEvent.error}), requeues_max=2)
    result = sim.simulate(cluster(2), [job(0, is_held=True), job(1, failures=9, retry=thrice)])
    assert ends(result) == [("unstarted", None, 300), ("unstarted", 0, 300)]
    assert [event.note for event in result.events[-2:]] == ["is held"] * 2
    assert result.jobs[1].attempts == 3


def test_singletons_one_at_a_time():
    alone = {"name": "x", "dependencies": (Dependency(DependencyKind.singleton),)}
    result = sim.simulate(cluster(4), [job(0, **alone), job(1, **alone), job(2)])
    assert [one.start for one in result.jobs] == [0, 100, 0]


def test_an_array_is_throttled_and_a_begin_is_waited_for():
    tasks = [job(task, array=5) for task in range(5)]
    result = sim.simulate(cluster(8), [*tasks, job(9, begin=30)], arrays={5: 2})
    assert [one.start for one in result.jobs] == [0, 0, 100, 100, 200, 30]


def test_retry_of_errors_with_a_delay():
    again = sim.Retry(frozenset(RetryEvent), delay=20)
    result = sim.simulate(cluster(1), [job(0, failures=2, retry=again)])
    assert [(one.period.start, one.outcome.value) for one in result.attempts] == [
        (0, "failed"), (120, "failed"), (240, "completed")]
    assert (result.jobs[0].attempts, result.jobs[0].run, result.jobs[0].wait) == (3, 100, 0)


def test_attempts_that_others_cut_short_are_no_failures():
    jobs = [job(0, failures=1), job(1, 10, priority=5)]
    result = sim.simulate(cluster(1), jobs, preempts=lambda one, other: one.priority > 0,
                          incidents=[sim.NodeFailure(0, 150, 160)])
    assert [(one.outcome.value, one.period.stop) for one in result.attempts if not one.job.id] == [
        ("preempted", 10), ("interrupted", 150), ("failed", 260)]


def test_retry_gives_up_behind_its_duration():
    patient = sim.Retry(duration=60)
    at_once = sim.Retry(frozenset({RetryEvent.interruption}))
    result = sim.simulate(cluster(1), [job(0), job(1, 10, retry=patient), job(2, 41, retry=patient),
                                       job(3, 20, retry=at_once)])
    assert ends(result) == [("completed", 0, 100), ("no_capacity", None, 70),
                            ("completed", 100, 200), ("no_capacity", None, 20)]
    failure = [sim.NodeFailure(0, 10, 200)]
    result = sim.simulate(cluster(1), [job(0, retry=sim.Retry(duration=300)),
                                       job(1, retry=sim.Retry(frozenset(RetryEvent), 150))],
                          incidents=failure)
    assert ends(result) == [("completed", 0, 300), ("no_capacity", None, 150)]


def test_patience_counts_from_when_a_job_may_start():
    """Not while it waits for others, its begin, its turn in an array or a delay, or is held."""
    after = (Dependency(DependencyKind.afterok, (0,)),)
    for retry in (sim.Retry(frozenset()), sim.Retry(duration=10)):
        jobs = [job(0, runtime=50), job(1, retry=retry, dependencies=after),
                job(2, 10, begin=300, retry=retry), job(3, 160, is_held=True, retry=retry)]
        assert ends(sim.simulate(cluster(1), jobs)) == [
            ("completed", 0, 50), ("completed", 50, 150), ("completed", 300, 400),
            ("unstarted", None, 400)]
        tasks = [job(id, array=0, retry=retry) for id in range(3)]
        result = sim.simulate(cluster(3), tasks, arrays={0: 1})
        assert [one.start for one in result.jobs] == [0, 100, 200]
    again = sim.Retry(frozenset({RetryEvent.no_capacity, RetryEvent.error}), 10, delay=60)
    result = sim.simulate(cluster(1), [job(0, failures=1, retry=again)])
    assert ends(result) == [("completed", 0, 260)]


@pytest.mark.parametrize("discipline", DISCIPLINES[:3], ids=str)
def test_a_job_that_gives_up_makes_way(discipline):
    jobs = [job(0), job(1, 1, nodes=2, retry=sim.Retry(duration=60)), job(2, 2)]
    assert ends(sim.simulate(cluster(2), jobs, discipline))[1:] == [
        ("no_capacity", None, 61), ("completed", 61, 161)]
    for duration in (10, 0):
        jobs = [job(0, nodes=3, retry=sim.Retry(duration=duration)),
                job(1, dependencies=(Dependency(DependencyKind.afterany, (0,)),))]
        assert ends(sim.simulate(cluster(2), jobs, discipline)) == [
            ("no_capacity", None, duration), ("completed", duration, duration + 100)]


def test_preemption_takes_what_it_needs_and_no_more():
    jobs = [job(0, nodes=2), job(1, 1), job(2, 2, priority=-1), job(9, 10, nodes=2, priority=5)]
    result = sim.simulate(cluster(4), jobs, preempts=lambda one, other: one.priority > 0)
    assert ends(result) == [("completed", 0, 202), ("completed", 1, 101), ("completed", 2, 102),
                            ("completed", 10, 110)]
    jobs[0] = dataclasses.replace(jobs[0], preemption_cost=3)
    result = sim.simulate(cluster(4), jobs, preempts=lambda one, other: one.priority > 0)
    assert [one.job.id for one in result.attempts if one.outcome is Outcome.preempted] == [2, 1]
    rules = trestle.PreemptionRules(victims_max=1)
    result = sim.simulate(cluster(4), jobs[1:], preempts=lambda one, other: True, preemption=rules)
    assert ends(result)[2] == ("completed", 10, 110)
    small = [job(0), job(1), job(9, 10, priority=5, nodes=1)]
    spared = sim.simulate(cluster(2), small, preempts=lambda one, other: one.priority > 0)
    assert sum(one.outcome is Outcome.preempted for one in spared.attempts) == 1
    gone = [job(0, retry=sim.Retry(frozenset({RetryEvent.no_capacity}))), job(9, 10, priority=5)]
    result = sim.simulate(cluster(1), gone, preempts=lambda one, other: one.priority > 0)
    assert ends(result)[0] == ("preempted", 0, 10)


@pytest.mark.parametrize("count", [2, 3])
def test_jobs_that_may_end_each_other_in_a_circle_are_refused(count):
    jobs = [job(id, id, retry=sim.Retry(delay=5)) for id in range(count)]
    with pytest.raises(ValueError, match="preempts: job .* expected no circles"):
        sim.simulate(cluster(1), jobs,
                     preempts=lambda one, other: one.id == (other.id + 1) % count)


def preempting(jobs, nodes=1, **more):
    return sim.simulate(cluster(nodes), jobs, preempts=lambda one, other: one.priority > 0, **more)


def test_a_victim_has_its_grace_and_the_place_is_kept():
    """Job 1 waits longer than job 9 and yet does not get the node that was made free."""
    jobs = [job(0, grace=30), job(1, 1), job(9, 10, priority=5)]
    result = preempting(jobs)
    assert [(one.job.id, one.period, one.outcome.value) for one in result.attempts] == [
        (0, range(0, 40), "preempted"), (9, range(40, 140), "completed"),
        (1, range(140, 240), "completed"), (0, range(240, 340), "completed")]
    assert [(event.at, event.job, event.until) for event in result.events
            if event.kind is EventKind.preempt] == [(10, 0, 40)]
    early = preempting([job(0, runtime=20, grace=30), job(1, 1), job(9, 10, priority=5)])
    assert ends(early) == [("completed", 0, 20), ("completed", 120, 220), ("completed", 20, 120)]
    both = [job(0, runtime=20, grace=30), job(1, runtime=25, grace=60), job(9, 10, 2, priority=5)]
    assert ends(preempting(both, 2))[2] == ("completed", 25, 125), "when the last has ended"
    beside = [job(0, runtime=20, grace=30), job(1, 11, limit=20, runtime=14),
              job(9, 9, 2, priority=5)]
    assert ends(preempting(beside, 2))[1:] == [("completed", 11, 25), ("completed", 25, 125)], (
        "who was let have a part of the place keeps it")
    at_once = sim.Retry(frozenset())
    assert ends(preempting([jobs[0], dataclasses.replace(jobs[2], retry=at_once)])) == [
        ("completed", 0, 100), ("no_capacity", None, 10)], "nobody is told for one who cannot wait"


def test_a_place_that_is_free_early_goes_before_a_promise_that_was_made_around_it():
    """Job 2 is reserved node 1 from 25 on, between the limit of job 1 and the claim of job 9."""
    jobs = [job(0, runtime=20, grace=30), job(1, limit=25, runtime=20, grace=30),
            job(2, 11, limit=10), job(9, 10, nodes=2, priority=5)]
    result = preempting(jobs, 2, discipline=DISCIPLINES[2])
    assert [one.start for one in result.jobs] == [0, 0, 120, 20]
    assert [(event.job, event.until) for event in result.events
            if event.kind is EventKind.reservation][-1] == (2, 25)


@pytest.mark.parametrize("incident", [
    sim.NodeFailure(0, 20, 50), sim.DeviceFailure(0, 1, 20, 50),
    sim.Maintenance(trestle.NodeSet("0"), range(20, 50), 15)], ids=lambda one: type(one).__name__)
def test_a_place_that_is_lost_before_it_is_free(incident):
    both = ONE.replace(devices=[trestle.DeviceRequest(count=2)])
    jobs = [dataclasses.replace(one, request=both)
            for one in (job(0, grace=30), job(9, 10, priority=5))]
    result = preempting(jobs, incidents=[incident])
    assert ends(result)[1] == ("completed", 50, 150)
    assert ends(result)[0][0] == "completed"


def test_no_job_takes_a_place_that_is_maintained_soon():
    window = sim.Maintenance(trestle.NodeSet("0"), range(105, 150))
    result = preempting([job(0), job(1), job(9, 10, priority=5)], 2, incidents=[window])
    assert [one.job.id for one in result.attempts if one.outcome is Outcome.preempted] == [1]


def test_a_job_that_can_never_start_says_why():
    result = sim.simulate(cluster(2), [job(0, nodes=3), job(1)])
    assert ends(result) == [("unstarted", None, 100), ("completed", 0, 100)]
    assert "3 nodes" in result.events[-1].note
    assert result.outcomes() == {Outcome.completed: 1, Outcome.unstarted: 1}


# Of the cluster.

def test_a_node_fails_and_is_repaired():
    result = sim.simulate(cluster(2), [job(0, nodes=2), job(1)], incidents=[
        sim.NodeFailure(1, 40, 60), sim.NodeFailure(0, 300)])
    assert [(one.job.id, one.period, one.outcome.value) for one in result.attempts] == [
        (0, range(0, 40), "interrupted"), (1, range(40, 140), "completed"),
        (0, range(140, 240), "completed")]
    assert moments(result, EventKind.node_down) == [(40, 1)]
    assert moments(result, EventKind.node_up) == [(60, 1)]


def test_a_job_that_ends_as_its_node_fails_has_ended_well():
    result = sim.simulate(cluster(1), [job(0), job(1, 100)], incidents=[sim.NodeFailure(0, 100)])
    assert ends(result) == [("completed", 0, 100), ("unstarted", None, 100)]


def test_a_device_fails_and_others_run_on():
    gpu = trestle.Request(devices=[trestle.DeviceRequest(count=1)])
    jobs = [sim.Job(number, number, gpu, 100, 100) for number in range(3)]
    result = sim.simulate(cluster(1), jobs, incidents=[sim.DeviceFailure(0, 0, 50, 170)])
    # Device 0 is gone for job 0, job 1 runs on device 1, job 2 waits for it.
    assert [one.outcome.value for one in result.attempts].count("interrupted") == 1
    assert sorted(one.period.stop for one in result.attempts) == [50, 101, 201, 270]
    assert [event.device for event in result.events if event.kind is EventKind.device_up] == [0]
    check_result(result, jobs)


def test_maintenance_is_planned_around_when_it_is_known():
    window = sim.Maintenance(trestle.NodeSet("0"), range(100, 150))
    result = sim.simulate(cluster(1), [job(0, 10, limit=100), job(1, 20, limit=80)],
                          incidents=[window])
    assert ends(result) == [("completed", 150, 250), ("completed", 20, 100)]
    late = dataclasses.replace(window, announced=50)
    result = sim.simulate(cluster(1), [job(0, 10, limit=100)], incidents=[late])
    assert [one.period for one in result.attempts] == [range(10, 100), range(150, 250)]
    unforeseen = dataclasses.replace(window, announced=500)
    result = sim.simulate(cluster(1), [job(0, 10, limit=100, runtime=90)], incidents=[unforeseen])
    assert ends(result) == [("completed", 10, 100)]


FLEET = sim.ElasticFleet(trestle.NodeSet("1-3"), provisioning=20, idle=30)


def test_elastic_nodes_come_when_they_are_wanted_and_go_when_idle():
    result = sim.simulate(cluster(4), [job(0, 5, nodes=3), job(1, 150), job(2, 151)],
                          fleets=[FLEET])
    assert [one.start for one in result.jobs] == [25, 150, 151]
    assert moments(result, EventKind.ordered) == [(5, 1), (5, 2)]
    assert moments(result, EventKind.node_on) == [(25, 1), (25, 2)]
    assert moments(result, EventKind.node_off) == [(155, 2)]
    assert result.node_seconds() == {0: 251, 1: 226, 2: 130, 3: 0}


def test_nodes_that_are_on_do_not_wait_for_those_that_are_ordered():
    result = sim.simulate(cluster(4), [job(0, 5, nodes=3), job(1, 10)], fleets=[FLEET])
    assert [one.start for one in result.jobs] == [30, 10]
    assert moments(result, EventKind.ordered) == [(5, 1), (5, 2), (10, 3)]


def test_a_node_is_ordered_once_for_two_jobs_that_share_it():
    small = trestle.Request(tasks=2)
    result = sim.simulate(cluster(1), [sim.Job(0, 0, small, 9, 9), sim.Job(1, 0, small, 9, 9)],
                          fleets=[sim.ElasticFleet(trestle.NodeSet("0"), provisioning=20)])
    assert [one.start for one in result.jobs] == [20, 20]


def test_nodes_stay_on_for_a_promise():
    """Job 1 wants them with node 0, which is longer in use than they are idle."""
    jobs = [job(0), job(1, nodes=4), job(2, 30, nodes=3, limit=10)]
    for idle in (30, 0):
        fleet = dataclasses.replace(FLEET, idle=idle)
        result = sim.simulate(cluster(4), jobs, fleets=[fleet])
        assert [one.start for one in result.jobs] == [0, 100, 50]
        assert all(at == 200 for at, _ in moments(result, EventKind.node_off))


def test_a_node_waits_for_another_that_is_ordered_later():
    fleets = [sim.ElasticFleet(trestle.NodeSet("0"), provisioning=5, idle=0),
              sim.ElasticFleet(trestle.NodeSet("1"), provisioning=20, idle=0)]
    result = sim.simulate(cluster(2), [job(0, nodes=2)], fleets=fleets)
    assert ends(result) == [("completed", 20, 120)]
    assert result.elastic == {0: (range(5, 120),), 1: (range(20, 120),)}


def test_elastic_nodes_stay_between_minimum_and_maximum():
    fleet = dataclasses.replace(FLEET, nodes_min=1, nodes_max=2, idle=0)
    jobs = [job(number, 10) for number in range(4)]
    result = sim.simulate(cluster(4), [*jobs, job(9, 500)], fleets=[fleet])
    assert [one.start for one in result.jobs] == [10, 10, 30, 110, 500]
    assert result.elastic == {1: (range(110),), 2: (range(30, 600),), 3: ()}


def test_a_fleet_orders_the_nodes_that_can_be_of_use():
    """Not the first that are off: node 0 has failed, or has no device."""
    gpu = trestle.Request(devices=[trestle.DeviceRequest(count=1)])
    kinds = trestle.Cluster.from_text("1 x (4c) + 1 x (4c gpu:2)")
    one_of_two = sim.ElasticFleet(trestle.NodeSet("0-1"), nodes_max=1, provisioning=5)
    for world, request, incidents in ((cluster(2), ONE, [sim.NodeFailure(0, 5)]), (kinds, gpu, [])):
        result = sim.simulate(world, [sim.Job(0, 20, request, 10, 10)], fleets=[one_of_two],
                              incidents=incidents)
        assert ends(result) == [("completed", 25, 35)]
        assert result.elastic == {0: (), 1: (range(25, 35),)}


def test_a_job_that_is_too_large_for_a_fleet_does_not_stand_in_its_way():
    fleet = sim.ElasticFleet(trestle.NodeSet("0-2"), nodes_max=1)
    result = sim.simulate(cluster(3), [job(0, nodes=3), job(1)], fleets=[fleet])
    assert ends(result)[1] == ("completed", 0, 100)


def test_an_elastic_node_that_fails_is_off_and_another_is_ordered():
    fleet = sim.ElasticFleet(trestle.NodeSet("0-1"), nodes_min=1, nodes_max=1, provisioning=5)
    result = sim.simulate(cluster(2), [job(0, 2), job(1, 150)], fleets=[fleet],
                          incidents=[sim.NodeFailure(0, 10, 40), sim.NodeFailure(1, 200)])
    assert [one.period for one in result.attempts] == [
        range(2, 10), range(15, 115), range(150, 200), range(205, 305)]
    assert result.elastic == {0: (range(10), range(205, 305)), 1: (range(15, 200),)}
    lost = sim.simulate(cluster(2), [job(0, 2)], fleets=[fleet],
                        incidents=[sim.NodeFailure(0, 1, 200), sim.NodeFailure(1, 3)])
    assert ends(lost) == [("completed", 205, 305)], "what fails as it is provisioned never was on"
    assert lost.elastic[1] == (range(6, 6),)


def test_a_spot_node_is_taken_back_and_bought_again():
    result = sim.simulate(cluster(2), [job(0), job(1)], fleets=[
        sim.ElasticFleet(trestle.NodeSet("1"), nodes_min=1, provisioning=5)],
        incidents=[sim.SpotInterruption(1, 40), sim.SpotInterruption(1, 42)])
    assert [(one.period, one.outcome.value) for one in result.attempts] == [
        (range(0, 40), "interrupted"), (range(0, 100), "completed"), (range(45, 145), "completed")]
    assert result.elastic[1] == (range(40), range(45, 145))


def test_nodes_that_idle_cost_what_they_are():
    """Each, not each times all that are on: counted in calls, which no load changes."""
    def calls(nodes):
        count = 0

        def note(frame, event, argument):
            nonlocal count
            count += event == "call"
        fleet = sim.ElasticFleet(trestle.NodeSet(range(nodes)), nodes_min=nodes, idle=0)
        sys.setprofile(note)
        try:
            sim.simulate(cluster(nodes), [job(id, 10 * id) for id in range(20)], fleets=[fleet])
        finally:
            sys.setprofile(None)
        return count
    assert calls(200) < 6 * calls(50)


# What is measured.

def test_metrics():
    result = sim.simulate(cluster(2), [job(0), job(1, nodes=2), job(2, 150, runtime=1)])
    assert [one.wait for one in result.jobs] == [0, 100, 50]
    assert result.mean_wait() == 50 and result.end == 201
    assert result.jobs[2].slowdown() == 5.1 and result.jobs[2].slowdown(1) == 51
    assert result.tres_seconds() == {"cpu": 1204, "mem": 0, "node": 301}
    assert result.utilisation()["cpu"] == 1204 / (2 * 4 * 201)
    assert result.cost(lambda node: 3600 * (node + 1)) == 3 * 201
    assert result.joules(lambda one, placement: 10, lambda node: 1) == 10 * 201 + 2 * 201
    weights = trestle.slurm.parse_billing_weights("CPU=2")
    assert result.billing(weights) == {0: 800, 1: 1600, 2: 8}
    assert result.tres(result.attempts[0]) == {"cpu": 4, "mem": 0, "node": 1}


def test_a_job_that_ended_as_it_waited_has_run_for_its_last_attempt():
    once = sim.Retry(frozenset({RetryEvent.error}), requeues_max=0)
    result = sim.simulate(cluster(1), [job(0, failures=9, retry=once), job(1, runtime=150)])
    assert ends(result) == [("unstarted", 0, 200), ("timed_out", 100, 200)]
    assert [one.run for one in result.jobs] == [100, 100]
    assert result.mean_slowdown() == 2


def test_a_node_that_jobs_share_is_in_use_once():
    """From 0 to 10 by three jobs, from 20 to 45 by two, one after the other in part."""
    jobs = [sim.Job(id, 0, trestle.Request(tasks=1), 10, 10) for id in range(3)]
    jobs += [sim.Job(3, 20, trestle.Request(tasks=1), 20, 20),
             sim.Job(4, 30, trestle.Request(tasks=1), 15, 15)]
    result = sim.simulate(cluster(1), jobs)
    assert result.utilisation()["node"] == 35 / 45
    assert result.tres_seconds()["node"] == 65


def test_frames():
    pandas = pytest.importorskip("pandas")
    result = sim.simulate(cluster(1), [job(0), job(1, nodes=2)])
    events, jobs = result.to_dataframe(), result.jobs_dataframe()
    assert list(events["kind"]) == ["arrival", "arrival", "start", "end", "end"]
    assert events["node"].isna().all() and str(events["at"].dtype) == "Int64"
    assert list(jobs["outcome"]) == ["completed", "unstarted"]
    assert jobs["wait"][0] == 0 and jobs["start"][1] is pandas.NA
    assert list(sim.simulate(cluster(1), []).to_dataframe().columns) == list(events.columns)


# Bad input.

@pytest.mark.parametrize("more, message", [
    ({"id": -1}, "job -1: expected an id"), ({"id": 2**62}, "expected an id"),
    ({"arrival": -1}, "job 0: arrival -1"), ({"limit": 0}, "job 0: limit 0"),
    ({"runtime": -1}, "runtime -1"), ({"runtime": None}, "no runtime"),
    ({"retry": sim.Retry(delay=-1)}, "0 or more"),
    ({"retry": sim.Retry(requeues_max=-1)}, "retry.requeues_max -1; expected 0 or more"),
    ({"id": "a"}, "job a: id 'a'; expected an integer"), ({"arrival": 0.5}, "job 0: arrival 0.5;"),
    ({"limit": 5.5}, "limit 5.5; expected an integer"), ({"runtime": 5.5}, "runtime 5.5"),
    ({"request": None}, "request None; expected a Request"), ({"retry": "error"}, "retry 'error'"),
    ({"retry": sim.Retry("error")}, "retry.on 'error'; expected a set of RetryEvent"),
    ({"retry": sim.Retry({"error"})}, "expected a set of RetryEvent"),
    ({"retry": sim.Retry(delay=None)}, "retry.delay None; expected an integer"),
    ({"grace": -1}, "grace -1; expected 0 or more"),
    ({"limit": 2**63}, f"job 0: limit {2**63}; expected at most {2**63 - 1}"),
    ({"arrival": 2**63}, "job 0: arrival"), ({"begin": 2**63}, "job 0: begin"),
    ({"begin": -1}, "job 0: begin -1"), ({"priority": 2**63}, "job 0: priority"),
    ({"priority": -2**63 - 1}, "job 0: priority"), ({"array": 2**64}, "job 0: array"),
    ({"array": -1}, "job 0: array -1"), ({"grace": 2**63}, "job 0: grace"),
    ({"preemption_cost": 2**63}, "job 0: preemption_cost"),
    ({"retry": sim.Retry(delay=2**63)}, "job 0: retry.delay"),
    ({"retry": sim.Retry(requeues_max=2**63)}, "job 0: retry.requeues_max"),
    ({"dependencies": (Dependency(DependencyKind.after),)}, "owner 0: after: expected one job"),
    ({"dependencies": (Dependency(DependencyKind.singleton),)}, "owner 0: singleton: expected a")])
def test_bad_jobs(more, message):
    with pytest.raises(ValueError, match=message):
        sim.simulate(CLUSTER, [dataclasses.replace(job(0), **more)])


def test_a_job_that_stands_twice_and_a_request_that_cannot_be():
    with pytest.raises(ValueError, match="job 3: stands twice"):
        sim.simulate(CLUSTER, [job(3), job(3)])
    with pytest.raises(ValueError, match="jobs: job 3: request: nodes: expected a rising range"):
        sim.simulate(CLUSTER, [job(3, nodes=0)])


@pytest.mark.parametrize("argument, value, message", [
    ("incidents", [sim.NodeFailure(8, 1)], r"incidents\[0\]: node 8; expected one below 8"),
    ("incidents", ["x"], r"incidents\[0\]: 'x'; expected one of NodeFailure"),
    ("incidents", [sim.NodeFailure(1, 5.5)], r"incidents\[0\]: at 5.5; expected an integer"),
    ("incidents", [sim.Maintenance(trestle.NodeSet("1"), 5)], "period 5; expected a range"),
    ("fleets", ["x"], r"fleets\[0\]: 'x'; expected an ElasticFleet"),
    ("incidents", [sim.NodeFailure(1, 5, 5)], "the first before the last"),
    ("incidents", [sim.NodeFailure(1, 5), sim.NodeFailure(1, 9, 10)], r"\[1\]: overlaps"),
    ("incidents", [sim.DeviceFailure(1, 2, 5)], "device 2; node 1 has 2"),
    ("incidents", [sim.SpotInterruption(1, 5)], "node 1 is in no fleet"),
    ("incidents", [sim.Maintenance(trestle.NodeSet("1"), range(0, 9, 2))], "expected moments"),
    ("incidents", [sim.Maintenance(trestle.NodeSet("1"), range(9), -1)], "announced -1"),
    ("fleets", [sim.ElasticFleet(trestle.NodeSet("1"), 2)], "expected 0 <= nodes_min"),
    ("fleets", [FLEET, FLEET], "node 1 is in two fleets"),
    ("fleets", [dataclasses.replace(FLEET, idle=-1)], "0 or more seconds"),
    ("incidents", [sim.NodeFailure(1, 5, 2**63)], r"incidents\[0\]: repaired 9223372036854775808;"),
    ("incidents", [sim.Maintenance(trestle.NodeSet("1"), range(2**63))], "expected moments"),
    ("fleets", [dataclasses.replace(FLEET, provisioning=2**63)], r"fleets\[0\]: provisioning"),
    ("arrays", {1: 0}, "arrays: array 1: 0 tasks at once; expected an integer from 1"),
    ("arrays", {1: 2**63}, "arrays: array 1: 9223372036854775808 tasks at once"),
    ("arrays", {-1: 1}, "arrays: array -1; expected an integer from 0"),
    ("arrays", {"a": 1}, "arrays: array 'a'; expected an integer")])
def test_bad_worlds(argument, value, message):
    with pytest.raises(ValueError, match=message):
        sim.simulate(CLUSTER, [job(0)], **{argument: value})


def test_integers_of_numpy_are_integers():
    numpy = pytest.importorskip("numpy")
    one = sim.Job(*(numpy.int64(0), numpy.int64(3), ONE, numpy.int64(9), numpy.int64(5)))
    for runtime in (None, lambda job, placement: numpy.int32(5)):
        assert ends(sim.simulate(cluster(1), [one], runtime=runtime)) == [("completed", 3, 8)]


def test_a_cluster_that_is_in_use():
    given = cluster(2)
    given.adopt(7, trestle.whole_nodes(given, trestle.NodeSet("0")))
    assert ends(sim.simulate(given, [job(0)])) == [("completed", 0, 100)]
    with pytest.raises(ValueError, match="jobs: job 7: an owner of this id"):
        sim.simulate(given, [job(7)])
    window = sim.Maintenance(trestle.NodeSet("0-1"), range(50, 60))
    with pytest.raises(ValueError, match=r"incidents\[0\]: node 0 is used by owner 7"):
        sim.simulate(given, [job(0)], incidents=[window])


def test_an_exception_in_a_function_of_the_caller_passes():
    def fails(*_):
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        sim.simulate(CLUSTER, [job(0)], runtime=fails)
    with pytest.raises(KeyError, match="mine"):
        sim.simulate(cluster(1), [job(0), job(1)], preempts=fails)


def test_in_which_order_jobs_are_given_matters_for_ties_alone():
    jobs = [dataclasses.replace(one, arrival=one.id) for one in random_jobs(3)]
    shuffled = random.Random(1).sample(jobs, len(jobs))
    ordered = sorted(sim.simulate(CLUSTER, shuffled).jobs, key=lambda one: one.job.id)
    assert tuple(ordered) == sim.simulate(CLUSTER, jobs).jobs
