# SPDX-License-Identifier: Apache-2.0
"""Jobs that are split unevenly over nodes: what place() says, and what follows from it."""

import pytest
import trestle
from trestle import Cluster, DeviceRequest, JobSplit, Per, Range, Request, TaskDistribution


def split_of(cluster, request):
    """Tasks and devices of each node."""
    return [(part.tasks, len(part.devices)) for part in trestle.place(cluster, request).nodes]


@pytest.mark.parametrize("cluster, request_, expected", [
    ("(2c); (8c)", Request(nodes=Range(1, 2), tasks=10), [(2, 0), (8, 0)]),
    ("(1c); (3c)", Request(nodes=2, tasks=4), [(1, 0), (3, 0)]),
    ("(4c); (4c)", Request(nodes=2, tasks=4), [(2, 0), (2, 0)]),
    ("(4c); (4c)", Request(nodes=2, tasks=4,
                           distribution=TaskDistribution(split=JobSplit.packed)), [(3, 0), (1, 0)]),
    ("(4c gpu:1); (4c gpu:2)",
     Request(nodes=2, devices=[DeviceRequest(count=3, per=Per.job)]), [(1, 1), (1, 2)]),
])
def test_a_job_takes_what_is_free(cluster, request_, expected):
    assert split_of(Cluster.from_text(cluster), request_) == expected


def test_an_even_split_can_be_asked_for():
    cluster = Cluster.from_text("(1c); (3c)")
    even = TaskDistribution(split=JobSplit.even)
    assert not trestle.place(cluster, Request(nodes=2, tasks=4, distribution=even))
    assert not trestle.place(cluster, Request(nodes=2, tasks=4, tasks_per_node=2))


def test_a_refusal_says_what_fits_where():
    answer = trestle.place(Cluster.from_text("(2c); (7c)"), Request(nodes=2, tasks=10))
    assert answer.reason == "10 tasks: 7 fit on n1, 2 on n0"


def test_an_uneven_job_does_not_wait():
    timeline = trestle.Timeline(Cluster.from_text("(2c); (8c)"))
    start = trestle.earliest_start(timeline, Request(nodes=Range(1, 2), tasks=10),
                                   trestle.StartQuestion(duration=60))
    assert start.period == range(60)


def test_half_full_nodes_give_all_their_cores():
    cluster = Cluster.from_text("16 x (8c)")
    taken = [*range(1, 8), *range(1, 8), 4, 4]
    for node, count in enumerate(taken):
        part = trestle.NodePlacement(node=node, cores=trestle.CoreSet(f"0-{count - 1}"))
        cluster.adopt(1000 + node, trestle.Placement([part]))
    free = 16 * 8 - sum(taken)
    assert trestle.place(cluster, Request(nodes=Range(1, 16), tasks=free))
    assert not trestle.place(cluster, Request(nodes=Range(1, 16), tasks=free + 1))
