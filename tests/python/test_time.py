# SPDX-License-Identifier: Apache-2.0
"""Timelines, earliest starts and passes over a queue, as a simulator uses them."""

import copy
import pickle

import pytest
import trestle


def whole(nodes, **more):
    return trestle.Request(nodes=nodes, exclusivity=trestle.Exclusivity.whole_node, **more)


def on(timeline, nodes):
    return trestle.whole_nodes(timeline.cluster(), trestle.NodeSet(nodes))


@pytest.fixture
def timeline():
    """Four nodes; owner 1 has two until 100, owner 2 one from 200 to 300."""
    timeline = trestle.Timeline(trestle.Cluster.from_text("4 x (4c)"))
    timeline.reserve(trestle.Allocation(1, placement=on(timeline, [0, 1])), range(100))
    timeline.reserve(trestle.Allocation(2, placement=on(timeline, [3])), range(200, 300))
    return timeline


def test_a_start_is_looked_for_on_some_nodes_alone(timeline):
    one = whole(1)
    later = trestle.StartQuestion(duration=50)
    finder = trestle.StartFinder()
    for ask in (trestle.earliest_start, finder.earliest_start):
        assert ask(timeline, one, later).period == range(50)
        assert ask(timeline, one, later, candidates=trestle.NodeSet([0, 1])).period == range(100, 150)
        assert ask(timeline, one, later, predicate=lambda node: node < 2).period == range(100, 150)
        no = ask(timeline, one, later, candidates=trestle.NodeSet([]))
        assert not no and no.constraint == trestle.Constraint.candidates
    before = copy.copy(timeline)

    def cancels(node):
        if timeline.period_of(1):
            timeline.cancel(1)
        return node < 2

    assert finder.earliest_start(timeline, one, later, predicate=cancels).period == range(100, 150)
    assert timeline.period_of(1) is None and before.period_of(1) == range(100)
    assert finder.earliest_start(timeline, one, later, predicate=cancels).period == range(50)


def test_cpus_of_a_partition_are_those_of_the_worst_moment():
    cluster = trestle.Cluster.from_text("(4c)")
    cluster.set_partitions([trestle.Partition(name="p", nodes=trestle.NodeSet([0]))])
    timeline = trestle.Timeline(cluster)
    request = trestle.Request(partition="p")
    for owner, core, period in ((1, "0-1", range(10)), (2, "2", range(5, 20)), (3, "0-2", range(20, 30))):
        part = trestle.NodePlacement(node=0, cores=trestle.CoreSet(core))
        timeline.reserve(trestle.Allocation(owner, request, trestle.Placement([part])), period)
    assert [timeline.most_cpus(0, "p", period) for period in (range(5), range(20), range(10, 20))] == [
        2000, 3000, 1000]
    assert timeline.most_cpus(0, "other", range(30)) == 0
    with pytest.raises(ValueError):
        timeline.most_cpus(0, "p", range(0))
    with pytest.raises(IndexError, match="node 1; expected one below 1"):
        timeline.most_cpus(1, "p", range(1))


def test_a_timeline_is_a_value(timeline):
    assert repr(timeline) == "<Timeline at 0 of 4 nodes, 1 running, 1 reserved>"
    assert timeline.size() == 2
    same = copy.copy(timeline)
    assert same == timeline == copy.deepcopy(timeline) == pickle.loads(pickle.dumps(timeline))
    assert trestle.Timeline.from_bytes(timeline.to_bytes()) == timeline
    assert trestle.Timeline.from_json(timeline.to_json()) == timeline
    assert trestle.Timeline.create(timeline.cluster(), timeline.parts()) == timeline
    assert trestle.diff(timeline, same).is_empty()
    same.cancel(2)
    assert same != timeline
    (change,) = trestle.diff(timeline, same).reservations
    assert (change.key, change.before.period, change.after) == (2, range(200, 300), None)
    with pytest.raises(TypeError, match="unhashable"):
        hash(timeline)


def test_what_is_taken_when(timeline):
    assert timeline.period_of(1) == range(100)
    assert timeline.period_of(3) is None
    assert timeline.find_allocation(2).owner == 2
    assert [one.allocation.owner for one in timeline.reservations()] == [1, 2]
    assert [timeline.free_at(at).allocation_count() for at in (0, 100, 200, 300)] == [1, 0, 1, 0]
    timeline.set_end(1, 150)
    assert timeline.next_change() == 150
    events = []
    passed = timeline.advance(150, events.append)
    assert [(one.allocation.owner, one.period) for one in passed.ended] == [(1, range(150))]
    assert passed.begun == ()
    assert {(one.kind, one.owner) for one in events} == {(trestle.TraceEvent.Kind.release, 1)}
    assert (timeline.now(), timeline.cluster().allocation_count()) == (150, 0)
    assert timeline.cancel(2).period == range(200, 300)
    assert timeline.size() == 0


def test_what_the_cluster_has_is_taken_for_ever():
    cluster = trestle.Cluster.from_text("2 x (4c)")
    cluster.adopt(7, trestle.whole_nodes(cluster, trestle.NodeSet("0")))
    timeline = trestle.Timeline(cluster, now=50)
    assert timeline.period_of(7) == range(50, trestle.END_OF_TIME)


def test_what_is_refused_changes_nothing(timeline):
    before = copy.copy(timeline)
    late = trestle.Allocation(3, placement=on(timeline, [3]))
    with pytest.raises(trestle.Error, match="owner 2") as overlap:
        timeline.reserve(late, range(100, 201))
    assert overlap.value.code == "FAILED_PRECONDITION"
    with pytest.raises(ValueError, match="from 9 to 9"):
        timeline.reserve(late, range(9, 9))
    with pytest.raises(ValueError, match="step 1"):
        timeline.reserve(late, range(0, 10, 2))
    with pytest.raises(LookupError, match="owner 3"):
        timeline.cancel(3)
    with pytest.raises(ValueError):
        timeline.set_end(1, 0)
    with pytest.raises(ValueError, match="from 5 to 5"):
        timeline.free_counts(range(5, 5))
    timeline.advance(10)
    with pytest.raises(ValueError):
        timeline.advance(9)
    with pytest.raises(ValueError):
        timeline.free_at(9)
    before.advance(10)
    assert timeline == before


def test_a_trial_is_undone_unless_kept(timeline):
    before = copy.copy(timeline)
    with timeline.trial():
        timeline.cancel(1)
    assert timeline == before
    with timeline.trial() as trial:
        timeline.cancel(1)
        trial.keep()
    assert timeline.size() == 1


def test_nodes_are_drained_but_not_given(timeline):
    timeline.change_cluster(lambda cluster: cluster.set_node_state(2, trestle.NodeState.drained))
    assert timeline.cluster().class_of(2).state == trestle.NodeState.drained
    before = copy.copy(timeline)
    with pytest.raises(trestle.Error, match="owner 1"):
        timeline.change_cluster(lambda cluster: cluster.release(1))

    class Stop(Exception):
        pass

    def fails(cluster):
        cluster.set_node_state(2, trestle.NodeState.up)
        raise Stop
    with pytest.raises(Stop):
        timeline.change_cluster(fails)
    assert timeline == before


def test_the_earliest_start(timeline):
    start = trestle.earliest_start(timeline, whole(3), trestle.StartQuestion(duration=50))
    assert (start.period, len(start.placement.nodes)) == (range(100, 150), 3)
    assert start.waits_for.constraint == trestle.Constraint.nodes
    assert start.is_earliest
    finder = trestle.StartFinder()
    long = finder.earliest_start(timeline, whole(4, time_limit=150))
    assert long.period == range(300, 450)
    assert finder.earliest_start(timeline, whole(1, time_limit=200)).waits_for is None
    never = finder.earliest_start(timeline, whole(5))
    assert not never and isinstance(never, trestle.Refusal)
    why = trestle.explain(timeline, whole(3, time_limit=50))
    assert not why.fits and why.why == start.waits_for
    assert why.relaxations[-1].kind == trestle.PlaceChangeKind.waiting
    assert why.relaxations[-1].text.startswith("from 100 on")
    with pytest.raises(ValueError, match="duration 0"):
        finder.earliest_start(timeline, whole(1), trestle.StartQuestion(duration=0))


def test_a_pass(timeline):
    queue = [trestle.QueuedJob(10, whole(4), 50), trestle.QueuedJob(11, whole(2), 100)]
    finder = trestle.StartFinder()
    for kept in (None, finder, finder):
        result = trestle.schedule_pass(timeline, queue, trestle.Discipline.easy(), kept)
        assert [one.allocation.owner for one in result.starts] == [11]
        assert [one.period for one in result.reservations] == [range(100, 150)]
        assert [(one.job, one.until) for one in result.waiting] == [(0, 100)]
    strict = trestle.schedule_pass(timeline, queue, trestle.Discipline.strict())
    assert strict.starts == () and "owner 10" in strict.waiting[1].why.reason
    shortest = trestle.Discipline(order=trestle.QueueOrder.shortest_first, depth=0)
    assert trestle.schedule_pass(timeline, queue, shortest).starts == ()
    with pytest.raises(trestle.Error, match="owner 1 has something already"):
        trestle.schedule_pass(timeline, [trestle.QueuedJob(1, whole(1), 5)])
    with pytest.raises(ValueError, match="owner 3: duration 0"):
        trestle.schedule_pass(timeline, [trestle.QueuedJob(3, whole(1), 0)])
    with pytest.raises(ValueError, match="request: nodes"):
        trestle.QueuedJob(3, whole(0), 5)


def test_a_simulation_ends():
    """Passes and time in turn, until the queue is empty: nobody starves, nothing is left."""
    timeline = trestle.Timeline(trestle.Cluster.from_text("8 x (4c)"))
    queue = [trestle.QueuedJob(owner, whole(1 + owner % 8), 10 + owner % 7) for owner in range(60)]
    finder = trestle.StartFinder()
    started = {}
    while queue:
        result = trestle.schedule_pass(timeline, queue, trestle.Discipline.conservative(), finder)
        for one in result.starts:
            timeline.reserve(one.allocation, one.period)
            started[one.allocation.owner] = one.period
        queue = [job for job in queue if job.owner not in started]
        timeline.advance(timeline.next_change())
    assert sorted(started) == list(range(60))
    assert all(period.stop - period.start == 10 + owner % 7 for owner, period in started.items())


def test_a_picture_of_time(timeline):
    options = trestle.svg.TimelinePictureOptions(title="days & nights", last=400)
    picture = trestle.render_timeline(timeline, options)
    assert "days &amp; nights" in str(picture) and "owner 2, from 200 to 300, 1 node" in str(picture)
    assert picture._repr_svg_() == str(trestle.svg.render_timeline(timeline, options))
