# SPDX-License-Identifier: Apache-2.0
"""Which running jobs to move so that a request fits, or less lies in fragments."""

import pytest
import trestle


def gpus(count):
    return trestle.Request(devices=[trestle.DeviceRequest(count=count)])


@pytest.fixture
def halves():
    """Two nodes of four GPUs, of which owners 1 and 2 have two each."""
    cluster = trestle.Cluster.from_text("2 x (8c gpu:4)")
    for owner in (1, 2):
        placement = trestle.place(cluster, gpus(2), candidates=trestle.NodeSet([owner - 1]))
        cluster.commit(trestle.Allocation(owner, gpus(2), placement))
    return cluster


def test_one_move_makes_room(halves):
    assert not trestle.place(halves, gpus(4))
    plan = trestle.plan_compaction(halves, gpus(4), [1, 2])
    (move,) = plan.moves
    assert (move.owner, [part.node for part in move.to.nodes]) == (1, [1])
    assert [part.node for part in plan.placement.nodes] == [0]
    assert plan.is_smallest
    halves.release(move.owner)
    halves.commit(trestle.Allocation(move.owner, gpus(2), move.to))
    halves.commit(trestle.Allocation(3, gpus(4), plan.placement))


def test_rules_bound_a_plan(halves):
    none = trestle.CompactionRules(moves_max=0)
    refusal = trestle.plan_compaction(halves, gpus(4), [1, 2], none)
    assert not refusal
    assert "up to 0 moves of 2 owners" in refusal.reason
    first = trestle.CompactionRules(is_live=True, destinations=trestle.NodeSet([0]))
    (move,) = trestle.plan_compaction(halves, gpus(4), [1, 2], first).moves
    assert move.owner == 2
    (move,) = trestle.plan_compaction(
        halves, gpus(4), [1, 2], candidates=trestle.NodeSet([1])
    ).moves
    assert move.owner == 2


def test_owners_that_cannot_be_asked_for_are_named(halves):
    with pytest.raises(ValueError, match="owner 9 has nothing to move"):
        trestle.plan_compaction(halves, gpus(4), [9])
    with pytest.raises(ValueError, match="owner 1 stands twice"):
        trestle.plan_compaction(halves, gpus(4), [1, 1])


def test_fragments_are_brought_together():
    cluster = trestle.Cluster.from_text("3 x (8c gpu:2)")
    for owner in (1, 2, 3):
        placement = trestle.place(cluster, gpus(1), candidates=trestle.NodeSet([owner - 1]))
        cluster.commit(trestle.Allocation(owner, gpus(1), placement))
    pairs = trestle.PolicyOptions(typical_jobs=[trestle.TypicalJob(cpus=0, devices=2)])
    options = trestle.PlaceOptions(policy=trestle.Policy.fgd, policy_options=pairs)
    assert trestle.expected_fragments(cluster, pairs) == 3_000_000
    plan = trestle.plan_defragmentation(cluster, [1, 2, 3], options=options)
    assert [move.owner for move in plan.moves] == [1]
    assert (plan.before, plan.after, plan.is_settled) == (3_000_000, 1_000_000, True)
    with pytest.raises(ValueError, match="typical jobs"):
        trestle.plan_defragmentation(cluster, [1, 2, 3])
    with pytest.raises(ValueError, match="typical jobs"):
        trestle.expected_fragments(cluster, trestle.PolicyOptions())
