# SPDX-License-Identifier: Apache-2.0
"""Laws of place and what is built on it, from Python, over clusters and requests of all kinds."""

import copy

import trestle
from hypothesis import given
from hypothesis import strategies as st
from trestle import testing

SEEDS = st.integers(0, 2**64 - 1)
REQUESTS = st.lists(SEEDS, min_size=1, max_size=5)


def filled(cluster_seed, request_seeds):
    """A cluster in which those of the requests have a place that find one."""
    cluster = testing.any_cluster(cluster_seed)
    for owner, seed in enumerate(request_seeds, 1):
        placement = trestle.place(cluster, testing.any_request(seed))
        if placement:
            cluster.commit(trestle.Allocation(owner, testing.any_request(seed), placement))
    return cluster


@given(SEEDS, REQUESTS, SEEDS)
def test_law_place_changes_nothing_and_is_believed(cluster_seed, request_seeds, seed):
    cluster, request = filled(cluster_seed, request_seeds), testing.any_request(seed)
    before = copy.copy(cluster)
    found = trestle.place(cluster, request)
    assert cluster == before and trestle.place(before, request) == found
    assert trestle.explain(cluster, request).fits == bool(found)
    if found:
        cluster.commit(trestle.Allocation(99, request, found))
        assert cluster.find_allocation(99).placement == found
        cluster.release(99)
        assert cluster == before


@given(SEEDS, REQUESTS, REQUESTS)
def test_law_a_placer_that_remembers_answers_the_same(cluster_seed, request_seeds, more):
    cluster, placer = testing.any_cluster(cluster_seed), trestle.Placer()
    requests = [testing.any_request(seed) for seed in (*request_seeds, *more)]
    for owner, request in enumerate(requests * 2, 1):
        found = placer.place(cluster, request)
        assert found == trestle.place(cluster, request)
        if found:
            cluster.commit(trestle.Allocation(owner, request, found))
        if owner % 3 == 0 and cluster.allocation_count():
            cluster.release(cluster.allocations()[0].owner)


@given(SEEDS, REQUESTS, SEEDS, st.sets(st.integers(0, 20)))
def test_law_candidates_and_predicates_are_kept_to(cluster_seed, request_seeds, seed, chosen):
    cluster, request = filled(cluster_seed, request_seeds), testing.any_request(seed)
    nodes = trestle.NodeSet([node for node in chosen if node < cluster.node_count()])
    found = trestle.place(cluster, request, candidates=nodes)
    assert found == trestle.place(cluster, request, predicate=lambda node: node in nodes)
    if found:
        assert all(part.node in nodes for part in found.nodes)


@given(st.lists(st.integers(0, 8), min_size=2, max_size=12), st.integers(2, 60), st.integers(1, 3),
       st.sets(st.integers(0, 11)), st.sampled_from(["even", "packed"]))
def test_law_many_tasks_on_any_nodes_of_some(taken, tasks, cpus, chosen, split):
    """What the candidates have free bounds the numbers of nodes; a predicate is asked node by node."""
    cluster = trestle.Cluster.from_text(f"{len(taken)} x (8c gpu:2)")
    for owner, cores in enumerate(taken):
        if cores:
            request = trestle.Request(cpus_per_task=cores)
            here = trestle.place(cluster, request, candidates=trestle.NodeSet([owner]))
            cluster.commit(trestle.Allocation(owner, request, here))
    nodes = trestle.NodeSet([node for node in chosen if node < len(taken)])
    for devices in (), (trestle.DeviceRequest(count=3, per=trestle.Per.job),):
        request = trestle.Request(nodes=trestle.Range.at_least(1), tasks=tasks, cpus_per_task=cpus,
                                  distribution=trestle.TaskDistribution(split=split), devices=devices)
        found = trestle.place(cluster, request, candidates=nodes)
        assert found == trestle.place(cluster, request, predicate=lambda node: node in nodes)
        if not devices:
            assert bool(found) == (sum((8 - taken[node]) // cpus for node in nodes) >= tasks
                                   and len(nodes) > 0)


@given(SEEDS, REQUESTS, SEEDS)
def test_law_a_preemption_makes_the_room_that_it_says(cluster_seed, request_seeds, seed):
    cluster, request = filled(cluster_seed, request_seeds), testing.any_request(seed)
    victims = [trestle.Victim(one.owner, one.owner % 3) for one in cluster.allocations()]
    plan = trestle.plan_preemption(cluster, request, victims)
    now = trestle.place(cluster, request)
    if not plan:
        assert not now
        return
    assert bool(now) == (not plan.victims)
    assert plan.cost == sum(one.cost for one in plan.victims)
    for one in plan.victims:
        cluster.release(one.owner)
    assert trestle.place(cluster, request) == plan.placement


@given(SEEDS, REQUESTS)
def test_law_a_trial_leaves_no_trace(cluster_seed, request_seeds):
    cluster = filled(cluster_seed, request_seeds[:2])
    before = cluster.to_bytes()
    with cluster.trial():
        for one in cluster.allocations():
            cluster.release(one.owner)
        for owner, seed in enumerate(request_seeds, 50):
            found = trestle.place(cluster, testing.any_request(seed))
            if found:
                cluster.adopt(owner, found)
    assert cluster.to_bytes() == before
