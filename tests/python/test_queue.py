# SPDX-License-Identifier: Apache-2.0
"""The life of a queue: who may start, who goes back, who lives inside a reservation."""

import pytest
import trestle
from trestle import slurm


def whole(nodes, **more):
    return trestle.Request(nodes=nodes, exclusivity=trestle.Exclusivity.whole_node, **more)


def jobs(*owners):
    return [trestle.QueuedJob(owner, whole(1), 10) for owner in owners]


def after(owner, kind, *others, **more):
    dependency = trestle.Dependency(trestle.DependencyKind[kind], others)
    return trestle.StartConditions(owner, [dependency], **more)


def test_which_jobs_may_start():
    state = trestle.QueueState(
        conditions=[after(1, "afterok", 8), after(2, "afterok", 9), after(3, "afterany", 7),
               trestle.StartConditions(4, begin=15), trestle.StartConditions(5, is_held=True)],
        records=[trestle.JobRecord(7, started=1),
                 trestle.JobRecord(8, trestle.JobPhase.completed, 1, 2),
                 trestle.JobRecord(9, trestle.JobPhase.failed, 1, 2)])
    found = trestle.eligible_jobs(jobs(1, 2, 3, 4, 5, 6), state, 10)
    assert [job.owner for job in found.eligible] == [1, 6]
    assert [(one.job, one.until) for one in found.waiting] == [(2, None), (3, 15), (4, None)]
    assert found.waiting[0].why.reason == "afterany of owner 7, which runs"
    (never,) = found.never
    assert (never.job, never.why.reason) == (1, "afterok of owner 9, which failed")


def test_a_throttled_array():
    state = trestle.QueueState(conditions=[trestle.StartConditions(owner, array=7) for owner in range(1, 5)],
                               records=[trestle.JobRecord(4, started=1)],
                               arrays=[trestle.ArrayConditions(7, at_once_max=2)])
    found = trestle.eligible_jobs(jobs(1, 2, 3), state, 1)
    assert [job.owner for job in found.eligible] == [1]


def test_an_array_is_waited_for():
    whole_array = trestle.Dependency(trestle.DependencyKind.afterok, array=7)
    tasks = [trestle.StartConditions(owner, array=7) for owner in (1, 2)]
    state = trestle.QueueState([*tasks, trestle.StartConditions(3, [whole_array])],
                               [trestle.JobRecord(1, trestle.JobPhase.completed, 0, 1)])
    found = trestle.eligible_jobs(jobs(2, 3), state, 1)
    assert [job.owner for job in found.eligible] == [2]
    assert found.waiting[0].why.reason == "afterok of owner 2, which waits itself"


def test_a_cycle_is_named():
    state = trestle.QueueState([after(1, "after", 2), after(2, "after", 1)])
    with pytest.raises(ValueError, match="owner 1 waits for owner 2 waits for owner 1"):
        trestle.check_cycles(jobs(1, 2), state)
    trestle.check_cycles(jobs(1, 3), state)
    found = trestle.eligible_jobs(jobs(1, 2, 3), state, 0)
    assert [job.owner for job in found.eligible] == [3]
    assert [one.job for one in found.never] == [0, 1]
    assert found.never[0].why.reason == "after of owner 2, which waits for it in turn"
    with pytest.raises(trestle.Error, match="owner 1 stands twice"):
        trestle.eligible_jobs(jobs(1, 1), trestle.QueueState(), 0)


def test_a_job_that_fails_goes_back():
    failed = trestle.JobRecord(1, trestle.JobPhase.failed, 0, 20)
    rules = trestle.RequeueRules(delay=5, requeues_max=1)
    once = trestle.requeued(trestle.StartConditions(1), failed, rules)
    assert (once.begin, once.requeues, once.is_held) == (25, 1, False)
    assert trestle.requeued(once, failed, rules).is_held
    with pytest.raises(trestle.Error, match="still runs"):
        trestle.requeued(once, trestle.JobRecord(1, started=3))


def test_what_slurm_says():
    def find_jobs(job):
        known = {12: slurm.FoundJobs([112]), 20: slurm.FoundJobs(array=7)}
        return known.get(job.job, slurm.FoundJobs())

    def conditions_of(text):
        (component,) = slurm.parse_option_text(text).components
        entry = slurm.QueueEntry(5, submitted=100, name="ann/train")
        return slurm.start_conditions_of(component.options, entry, find_jobs)

    conditions = conditions_of("-d afterok:12,afterany:20,singleton --begin=now+1minute -H")
    assert [(str(one.kind), one.jobs, one.array) for one in conditions.dependencies] == [
        ("afterok", (112,), None), ("afterany", (), 7), ("singleton", (), None)]
    assert (conditions.begin, conditions.is_held, conditions.name) == (160, True, "ann/train")
    with pytest.raises(ValueError, match="afterok:99: no such job"):
        conditions_of("-d afterok:99")
    with pytest.raises(NotImplementedError, match="expand"):
        conditions_of("-d expand:12")
    (component,) = slurm.parse_option_text("--array=1-9%4").components
    assert slurm.array_conditions_of(component.options, 7) == trestle.ArrayConditions(7, 4)


def test_inside_a_reservation():
    timeline = trestle.Timeline(trestle.Cluster.from_text("4 x (4c)"))
    nodes = trestle.whole_nodes(timeline.cluster(), trestle.NodeSet([1, 2]))
    timeline.reserve(trestle.Allocation(50, placement=nodes), range(100, 200))
    inside = trestle.reservation_timeline(timeline, 50)
    start = trestle.earliest_start(inside, whole(2), trestle.StartQuestion(duration=60))
    assert [part.node for part in start.placement.nodes] == [1, 2]
    assert start.period == range(100, 160)
    assert not trestle.earliest_start(inside, whole(1), trestle.StartQuestion(duration=101))
    assert inside.period_of(trestle.AFTER_RESERVATION) == range(200, trestle.END_OF_TIME)
    with pytest.raises(LookupError, match="owner 7"):
        trestle.reservation_timeline(timeline, 7)
    with pytest.raises(trestle.Error, match="stands for what is outside"):
        reserved = trestle.Allocation(trestle.BEFORE_RESERVATION)
        timeline.reserve(reserved, range(5))
        trestle.reservation_timeline(timeline, 50)


def test_a_life_ends():
    """Passes over who may start, and time in turn, until the queue is empty."""
    timeline = trestle.Timeline(trestle.Cluster.from_text("4 x (4c)"))
    queue = jobs(*range(1, 31))
    conditions = [after(owner, "afterok", owner // 2) for owner in range(2, 31)]
    records = {}
    while queue:
        state = trestle.QueueState(conditions, records.values())
        found = trestle.eligible_jobs(queue, state, timeline.now())
        for one in trestle.schedule_pass(timeline, found.eligible).starts:
            timeline.reserve(one.allocation, one.period)
            owner = one.allocation.owner
            records[owner] = trestle.JobRecord(owner, started=timeline.now())
        queue = [job for job in queue if job.owner not in records]
        timeline.advance(timeline.next_change())
        for owner, record in records.items():
            if record.ended is None and timeline.period_of(owner) is None:
                records[owner] = record.replace(phase=trestle.JobPhase.completed,
                                                ended=timeline.now())
    assert sorted(records) == list(range(1, 31))
    assert all(records[owner].started >= records[owner // 2].ended for owner in range(2, 31))


def test_a_queue_survives_a_restart():
    jobs = [trestle.QueuedJob(1, trestle.Request(), 60), trestle.QueuedJob(2, trestle.Request())]
    state = trestle.QueueState(conditions=[trestle.StartConditions(2, name="train")])
    queue = trestle.SavedQueue(jobs, state)
    assert trestle.SavedQueue.from_bytes(queue.to_bytes()) == queue
    with pytest.raises(ValueError, match="queue bytes: offset 0"):
        trestle.SavedQueue.from_bytes(b"something else")


def test_a_queue_that_is_kept():
    timeline = trestle.Timeline(trestle.Cluster.from_text("2 x (4c)"))
    queue, finder = trestle.JobQueue(trestle.Discipline.easy()), trestle.StartFinder()
    for job in jobs(1, 2, 3):
        queue.add(job)
    queue.add(trestle.QueuedJob(4, whole(2), 5), place=0)
    assert len(queue) == 4 and 3 in queue and 9 not in queue
    assert [job.owner for job in queue.jobs()] == [1, 4, 2, 3]  # its place is that of the first
    first = queue.schedule(timeline, finder)
    assert [one.allocation.owner for one in first.starts] == [1, 2]
    assert [(one.allocation.owner, one.period.start) for one in first.reservations] == [(4, 10)]
    for one in first.starts:
        timeline.reserve(one.allocation, one.period)
    timeline.advance(3)
    queue.add(trestle.QueuedJob(5, whole(1), 1))
    assert queue.schedule(timeline, finder) == trestle.QueuePass()  # nothing is new
    assert len(queue.reservations()) == 1
    assert queue.remove(4).owner == 4
    assert [job.owner for job in queue.jobs()] == [3, 5]
    assert queue.discipline() == trestle.Discipline.easy()


def test_what_a_queue_refuses():
    timeline = trestle.Timeline(trestle.Cluster.from_text("2 x (4c)"))
    queue, finder = trestle.JobQueue(), trestle.StartFinder()
    job, = jobs(1)
    queue.add(job)
    with pytest.raises(trestle.Error, match="owner 1 waits already"):
        queue.add(job)
    with pytest.raises(LookupError, match="owner 2 does not wait"):
        queue.remove(2)
    timeline.reserve(trestle.Allocation(1, placement=trestle.whole_nodes(
        timeline.cluster(), trestle.NodeSet([0]))), range(9))
    with pytest.raises(trestle.Error, match="owner 1 has something already"):
        queue.schedule(timeline, finder)
    assert 1 in queue


def test_a_policy_cannot_change_the_queue_that_asks_it():
    timeline = trestle.Timeline(trestle.Cluster.from_text("2 x (4c)"))
    queue = trestle.JobQueue()

    def policy(columns):
        queue.add(trestle.QueuedJob(2, whole(1), 10))

    queue.add(trestle.QueuedJob(1, trestle.Request(), 10))
    with pytest.raises(trestle.Error, match="its policy cannot change it"):
        queue.schedule(timeline, trestle.StartFinder(policy=policy))
    assert [job.owner for job in queue.jobs()] == [1]
    assert [one.allocation.owner for one in queue.schedule(timeline, trestle.StartFinder()).starts] == [1]
