# SPDX-License-Identifier: Apache-2.0
"""Clusters: what is there changes, what is given comes back, trials are undone, bytes are kept."""

import copy
import pickle

import pytest
import trestle
from hypothesis import given
from hypothesis import strategies as st
from trestle import testing

SEEDS = st.integers(0, 2**64 - 1)


def small_cluster():
    return trestle.Cluster.from_text("3 x (4c mem=8G gpu:2)")


def cores(node, text):
    return trestle.Placement([trestle.NodePlacement(node=node, cores=trestle.CoreSet(text))])


def test_what_runs_is_adopted_extended_and_given_back():
    cluster = small_cluster()
    cluster.adopt(7, cores(0, "0-1"))
    cluster.extend(7, cores(1, "3"))
    assert cluster.owners_on(1) == (7,) and cluster.allocation_count() == 1
    assert str(cluster.free(0).cores) == "2-3" and not cluster.free(0).is_idle
    with pytest.raises(trestle.Error, match="core 0 belongs to owner 7"):
        cluster.adopt(8, cores(0, "0"))
    cluster.release_part(7, cores(0, "0-1"))
    assert [part.node for part in cluster.find_allocation(7).placement.nodes] == [1]
    cluster.release(7)
    assert cluster == small_cluster()


def test_a_trial_is_undone_unless_it_is_kept():
    cluster = small_cluster()
    with cluster.trial():
        cluster.adopt(1, cores(0, "0"))
        cluster.set_node_state(1, trestle.NodeState.drained)
        with cluster.trial() as inner:
            cluster.adopt(2, cores(0, "1"))
            inner.keep()
        assert cluster.allocation_count() == 2
    assert cluster == small_cluster()
    with pytest.raises(ZeroDivisionError), cluster.trial():
        cluster.adopt(1, cores(0, "0"))
        _ = 1 // 0
    assert cluster == small_cluster()
    with cluster.trial() as trial:
        cluster.adopt(1, cores(0, "0"))
        trial.undo()
        cluster.adopt(2, cores(0, "0"))
        trial.keep()
    assert [one.owner for one in cluster.allocations()] == [2]


def test_a_trial_goes_back_to_its_marks():
    cluster = small_cluster()
    before = copy.copy(cluster)
    with cluster.trial() as trial:
        cluster.adopt(1, cores(0, "0"))
        mark = trial.mark()
        there = copy.copy(cluster)
        cluster.adopt(2, cores(0, "1"))
        later = trial.mark()
        trial.rollback(mark)
        assert cluster == there
        with pytest.raises(trestle.ContractViolation, match="rolled back itself"):
            trial.rollback(later)
        cluster.adopt(3, cores(0, "2"))
        trial.rollback(mark)
        assert cluster == there
    assert cluster == before


@pytest.mark.parametrize("make", [small_cluster, lambda: trestle.Timeline(small_cluster())])
def test_trials_that_end_out_of_order_are_reported_and_still_undone(make):
    value = make()
    before = copy.copy(value)
    outer, inner = value.trial(), value.trial()
    outer.__enter__()
    inner.__enter__()
    for call in (lambda: outer.__exit__(None, None, None), outer.undo):
        with pytest.raises(trestle.ContractViolation, match="opposite"):
            call()
    other = make()
    with other.trial():  # of another value: no matter
        inner.__exit__(None, None, None)
    outer.__exit__(None, None, None)
    assert value == before


def test_a_trial_is_open_in_its_block_only():
    trial = small_cluster().trial()
    with pytest.raises(trestle.ContractViolation, match="it begins with its block"):
        trial.keep()


def test_nodes_come_change_and_go():
    cluster = small_cluster()
    number = cluster.add_node(cluster.node(0).replace(name="spare"))
    assert number == 3 and cluster.name(3) == "spare" and cluster.find_node("spare") == 3
    cluster.set_node_features(3, ["fast"])
    cluster.set_node_weight(3, 9)
    cluster.set_node_health(3, trestle.Health.warning)
    assert cluster.node(3) == cluster.node(0).replace(
        name="spare", features=("fast",), weight=9, health=trestle.Health.warning)
    assert cluster.class_of(3).features == ("fast",)
    cluster.adopt(1, cores(3, "0"))
    with pytest.raises(trestle.Error, match="owner 1 has something on it"):
        cluster.remove_node(3)
    cluster.release(1)
    cluster.remove_node(3)
    assert cluster.find_node("spare") is None and cluster.node(3).state == trestle.NodeState.removed


def test_partitions_fleets_and_counts():
    cluster = small_cluster()
    cluster.set_partitions([trestle.Partition(name="day", nodes=trestle.NodeSet("0-1"))])
    assert cluster.class_of(1).partitions == (0,)
    cluster.set_fleets([trestle.Fleet(name="red"), trestle.Fleet(name="blue")])
    cluster.add_to_fleet("red", 0)
    before = copy.copy(cluster)
    with pytest.raises(trestle.Error, match="node 0 belongs to fleet red"):
        cluster.add_to_fleet("blue", 0)
    assert cluster == before
    cluster.remove_from_fleet("red", 0)
    cluster.add_to_fleet("blue", 0)
    assert [str(fleet.nodes) for fleet in cluster.fleets()] == ["", "0"]
    cluster.set_counts([trestle.ClusterCount("abaqus", 3)])
    licensed = trestle.Placement(cores(0, "0").nodes, [trestle.ClusterCount("abaqus", 2)])
    cluster.adopt(1, licensed)
    assert cluster.free_counts() == (trestle.ClusterCount("abaqus", 1),)


def test_bytes_come_back_and_damage_is_seen():
    cluster = small_cluster()
    cluster.adopt(1, cores(2, "0-2"))
    data = cluster.to_bytes()
    assert trestle.Cluster.from_bytes(data) == cluster
    assert pickle.loads(pickle.dumps(cluster)) == cluster
    with pytest.raises(ValueError, match="offset 16: expected the checksum"):
        trestle.Cluster.from_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(ValueError, match="offset 0"):
        trestle.Cluster.from_bytes(b"")


def test_a_difference_names_what_changed_hands():
    before = small_cluster()
    after = copy.copy(before)
    after.adopt(7, cores(1, "0"))
    after.set_node_state(0, trestle.NodeState.down)
    diff = trestle.diff(before, after)
    assert str(diff) == "node 0: n0: state: up -> down\nowner 7: came: node 1: cores=0"
    assert diff.allocations[0].before is None and diff.allocations[0].after.owner == 7
    assert trestle.diff(before, before).is_empty()


@given(SEEDS)
def test_law_bytes_and_pickles_give_an_equal_cluster(seed):
    cluster = testing.any_cluster(seed)
    again = trestle.Cluster.from_bytes(cluster.to_bytes())
    assert again == pickle.loads(pickle.dumps(cluster)) == cluster
    assert again.to_bytes() == cluster.to_bytes()


def test_values_that_change_have_no_hash():
    for kind in (trestle.Cluster, trestle.NodeLedger, trestle.JobState):
        assert kind.__hash__ is None
    with pytest.raises(TypeError, match="unhashable"):
        hash(trestle.Cluster.from_text("(1c)"))


def test_explain_names_owners_within_its_budget():
    cluster = trestle.Cluster.from_text("3 x (2c)")
    for owner, cores in enumerate(("0", "1")):
        for node in range(3):
            cluster.adopt(10 * node + owner, trestle.Placement([trestle.NodePlacement(
                node=node, cores=trestle.CoreSet(cores))]))
    three = trestle.Request(nodes=3)
    assert trestle.explain(cluster, three).relaxations[-1].owners == (0, 10, 20)
    explained = trestle.explain(cluster, three, trials_max=0)
    assert explained.relaxations[-1].owners == (0, 1, 10, 11, 20, 21)


def test_a_preemption_plan_is_the_cheapest_the_rules_allow():
    cluster = trestle.Cluster.from_text("2 x (2c)")
    for owner, (node, held) in enumerate([(0, "0-1"), (1, "0"), (1, "1")]):
        cluster.adopt(owner, cores(node, held))
    two = trestle.Request(cpus_per_task=2)
    victims = [trestle.Victim(0, cost=3, grace=60), trestle.Victim(1, grace=5), trestle.Victim(2)]
    plan = trestle.plan_preemption(cluster, two, victims)
    assert [victim.owner for victim in plan.victims] == [1, 2]
    assert (plan.cost, plan.grace, plan.is_cheapest) == (2, 5, True)
    assert plan.placement.nodes[0].node == 1
    one = trestle.plan_preemption(cluster, two, victims, trestle.PreemptionRules(victims_max=1))
    assert one.victims == (victims[0],)
    quick = trestle.PreemptionRules(victims_max=1, grace_max=10)
    none = trestle.plan_preemption(cluster, two, victims, quick)
    assert isinstance(none, trestle.Refusal) and none.constraint == trestle.Constraint.none
    with pytest.raises(ValueError, match="victim 9 has nothing"):
        trestle.plan_preemption(cluster, two, [trestle.Victim(9)])
    with pytest.raises(ValueError, match="victim 1 stands twice"):
        trestle.plan_preemption(cluster, two, [victims[1], victims[1]])
