# SPDX-License-Identifier: Apache-2.0
"""Groups of a job that share nodes: placements, clusters, credentials and layouts."""

import pytest
import trestle
from trestle import Cluster, ComponentNodes, Exclusivity, Request


def job_with(workers: Request, **changes) -> Request:
    return Request(components=[workers], component_nodes=ComponentNodes.shared, **changes)


CASES = [
    # cluster, job, (node, component, tasks) of each part, why
    ("2 x (4c)", job_with(Request(tasks=3)), [(0, 0, 1), (0, 1, 3)], "both fit on one node"),
    ("2 x (4c)", job_with(Request(tasks=4)), [(0, 0, 1), (1, 1, 4)], "they do not"),
    ("(2c); (8c)", job_with(Request(tasks=7)), [(1, 0, 1), (1, 1, 7)],
     "fewest nodes before the first node"),
    ("2 x (4c)", job_with(Request(nodes=2, tasks=7)), [(0, 0, 1), (0, 1, 3), (1, 1, 4)],
     "an uneven split leaves room"),
    ("2 x (4c)", job_with(Request(tasks=2, exclusivity=Exclusivity.whole_node)),
     [(0, 0, 1), (1, 1, 2)], "a whole node is not shared"),
    ("2 x (4c)", job_with(Request(tasks=3), required_nodes=["n1"]), [(1, 0, 1), (1, 1, 3)],
     "where the leader has to be"),
]


@pytest.mark.parametrize("text, job, expected, why", CASES)
def test_groups_share_nodes(text, job, expected, why):
    placement = trestle.place(Cluster.from_text(text), job)
    parts = [(part.node, part.component, part.tasks) for part in placement.nodes]
    assert parts == expected, why


def test_a_refusal_says_that_groups_do_not_fit_together():
    refusal = trestle.place(Cluster.from_text("(4c)"), job_with(Request(tasks=4)))
    assert refusal.reason == "the groups of the job asked 5 CPUs together, 4 are free"


def test_what_groups_have_is_committed_and_given_back():
    cluster = Cluster.from_text("2 x (4c)")
    job = job_with(Request(tasks=3))
    placement = trestle.place(cluster, job)
    cluster.commit(trestle.Allocation(1, job, placement))
    assert trestle.Placement.from_json(placement.to_json()) == placement
    assert not cluster.free(0).cores
    workers = trestle.component_placement(placement, 1)
    assert [part.component for part in workers.nodes] == [1]
    cluster.release_part(1, workers)
    assert len(cluster.free(0).cores) == 3
    cluster.release(1)
    assert cluster == Cluster.from_text("2 x (4c)")


def test_tasks_are_laid_out_group_by_group():
    cluster = Cluster.from_text("2 x (4c)")
    job = job_with(Request(tasks=3))
    placement = trestle.place(cluster, job)
    nodes = [cluster.node(0), cluster.node(1)]
    with pytest.raises(ValueError, match=r"components 0 and 1, expected one, as component_placement"):
        trestle.layout_tasks(nodes, placement, job)
    workers = trestle.component_placement(placement, 1)
    layout = trestle.layout_tasks(nodes, workers, job.components[0])
    assert [sorted(task.cores) for task in layout] == [[1], [2], [3]]


def test_a_credential_has_a_plan_for_each_group():
    cluster = Cluster.from_text("2 x (4c)")
    job = job_with(Request(tasks=3))
    allocation = trestle.Allocation(1, job, trestle.place(cluster, job))
    credential = trestle.credential_of(allocation, cluster)
    node = cluster.node(0)
    with pytest.raises(ValueError, match="serves components 0 and 1"):
        trestle.part_of(credential, node)
    assert trestle.part_of(credential, node, 1).tasks == 3
    plans = [trestle.plan_of(credential, node, trestle.LimitPolicy(),
                             trestle.PlanOptions(group=f"job_1/{name}"), component)
             for component, name in enumerate(("leader", "workers"))]
    assert plans[0].group != plans[1].group
    with pytest.raises(LookupError):
        trestle.part_of(credential, node, 2)
