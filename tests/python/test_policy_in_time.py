# SPDX-License-Identifier: Apache-2.0
"""A policy of one's own under time: StartFinder, schedule_pass and the simulator."""
import numpy as np
import pytest

import trestle
from trestle import sim

CLUSTER = trestle.Cluster.from_text("2 x (8c); 2 x (4c)")
ONE = trestle.Request(cpus_per_task=trestle.Range.exactly(2))


def smallest(columns):
    """Least free CPUs first."""
    return -1.0 * columns.milli_cpus_before


def nodes_of(found):
    return [part.node for part in found.placement.nodes]


@pytest.mark.parametrize("policy, node", [
    (None, 0), ("first_fit", 0), (trestle.Policy.pack_nodes, 2), (smallest, 2),
])
def test_a_start_is_where_the_policy_says(policy, node):
    timeline = trestle.Timeline(CLUSTER)
    question = trestle.StartQuestion(duration=10)
    assert nodes_of(trestle.StartFinder(policy=policy).earliest_start(timeline, ONE, question)) == [node]
    assert nodes_of(trestle.earliest_start(timeline, ONE, question, policy=policy)) == [node]
    later = trestle.StartQuestion(duration=10, after=100)
    assert nodes_of(trestle.StartFinder(policy=policy).earliest_start(timeline, ONE, later)) == [node]
    queue = [trestle.QueuedJob(1, ONE, 10)]
    finder = trestle.StartFinder(policy=policy)
    starts = trestle.schedule_pass(timeline, queue, trestle.Discipline.easy(), finder).starts
    assert [part.node for part in starts[0].allocation.placement.nodes] == [node]


def test_a_reservation_is_where_the_policy_says():
    timeline = trestle.Timeline(CLUSTER)
    everything = trestle.whole_nodes(CLUSTER, trestle.NodeSet("0-3"))
    timeline.reserve(trestle.Allocation(1, placement=everything), range(50))
    found = trestle.StartFinder(policy=smallest).earliest_start(
        timeline, ONE, trestle.StartQuestion(duration=10))
    assert found.period.start == 50 and nodes_of(found) == [2]


@pytest.mark.parametrize("policy", [smallest, "pack_nodes", "-milli_cpus_before"])
def test_the_simulator_takes_functions_names_and_expressions(policy):
    jobs = [sim.Job(id, 0, ONE, 10, 10) for id in range(3)]
    result = sim.simulate(CLUSTER, jobs, policy=policy)
    assert [nodes_of(one) for one in result.attempts] == [[2], [2], [3]]
    assert nodes_of(sim.simulate(CLUSTER, jobs).attempts[0]) == [0]


def test_law_a_function_that_scores_as_a_policy_gives_its_schedule():
    from random import Random
    random = Random(3)
    for _ in range(10):
        jobs = [sim.Job(id, random.randint(0, 30), trestle.Request(
            cpus_per_task=trestle.Range.exactly(random.randint(1, 8))), 20, random.randint(1, 20))
            for id in range(15)]
        for discipline in trestle.Discipline.easy(), trestle.Discipline.conservative():
            same = sim.simulate(CLUSTER, jobs, discipline, policy=lambda columns: np.zeros(len(columns)))
            assert same.attempts == sim.simulate(CLUSTER, jobs, discipline, policy="first_fit").attempts


def test_what_a_policy_does_wrong_is_said_and_the_finder_goes_on():
    timeline = trestle.Timeline(CLUSTER)
    moods = []

    def policy(columns):
        if not moods:
            raise KeyError("weights")
        return smallest(columns)

    finder = trestle.StartFinder(policy=policy)
    question = trestle.StartQuestion(duration=10)
    with pytest.raises(KeyError):
        finder.earliest_start(timeline, ONE, question)
    moods.append(1)
    assert nodes_of(finder.earliest_start(timeline, ONE, question)) == [2]
    with pytest.raises(ValueError, match="policy: expected . scores"):
        trestle.earliest_start(timeline, ONE, question, policy=lambda columns: np.zeros(9))


def test_the_simulator_says_when_a_policy_failed():
    def policy(columns):
        raise KeyError("weights")

    with pytest.raises(KeyError) as caught:
        sim.simulate(CLUSTER, [sim.Job(0, 7, ONE, 10, 10)], policy=policy)
    expected = ["policy: for the job of owner 0, at 7 s", "policy: at 7 s, of 1 jobs that wait"]
    assert getattr(caught.value, "__notes__", expected) == expected


def test_a_pass_says_for_which_job_a_policy_failed():
    big = trestle.Request(cpus_per_task=5)

    def policy(columns):
        if len(columns) == 2:  # the states of nodes with 5 CPUs, one of which is taken in part
            raise KeyError("weights")
        return smallest(columns)

    timeline = trestle.Timeline(CLUSTER, 12)
    queue = [trestle.QueuedJob(7, ONE, 10), trestle.QueuedJob(8, big, 10), trestle.QueuedJob(9, ONE, 10)]
    notes = []
    for wrong, error in (policy, KeyError), (lambda columns: np.zeros(9), ValueError):
        finder = trestle.StartFinder(policy=wrong)
        with pytest.raises(error) as caught:
            trestle.schedule_pass(timeline, queue, trestle.Discipline.easy(), finder)
        notes += getattr(caught.value, "__notes__", [])
    assert str(caught.value).endswith("for the job of owner 7, at 12 s")
    assert not hasattr(caught.value, "add_note") or notes == ["policy: for the job of owner 7, at 12 s"]
    assert timeline == trestle.Timeline(CLUSTER, 12)


def test_a_queue_says_for_which_job_a_policy_failed():
    def policy(columns):
        if len(columns) == 2:  # the states of nodes with 5 CPUs, one of which is taken in part
            raise KeyError("weights")
        return smallest(columns)

    timeline = trestle.Timeline(CLUSTER, 12)
    queue = trestle.JobQueue(trestle.Discipline.easy())
    for owner, request in (7, ONE), (8, trestle.Request(cpus_per_task=5)), (9, ONE):
        queue.add(trestle.QueuedJob(owner, request, 10))
    assert queue.asked_last() is None
    notes = []
    for wrong, error in (policy, KeyError), (lambda columns: np.zeros(9), ValueError):
        with pytest.raises(error) as caught:
            queue.schedule(timeline, trestle.StartFinder(policy=wrong))
        assert queue.asked_last() == 7
        notes += getattr(caught.value, "__notes__", [])
    assert str(caught.value).endswith("for the job of owner 7, at 12 s")
    assert not hasattr(caught.value, "add_note") or notes == ["policy: for the job of owner 7, at 12 s"]
    assert len(queue) == 3
    assert len(queue.schedule(timeline, trestle.StartFinder(policy=smallest)).starts) == 3


def test_no_node_of_a_state_with_nan_is_taken():
    def no_small(columns):
        return np.where(columns.milli_cpus_before < 8000, np.nan, 0.0)

    wide = trestle.Request(nodes=3, exclusivity=trestle.Exclusivity.whole_node)
    question = trestle.StartQuestion(duration=10)
    timeline = trestle.Timeline(CLUSTER)
    assert not isinstance(trestle.StartFinder().earliest_start(timeline, wide, question), trestle.Refusal)
    refused = trestle.StartFinder(policy=no_small).earliest_start(timeline, wide, question)
    assert isinstance(refused, trestle.Refusal)
