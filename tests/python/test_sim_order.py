# SPDX-License-Identifier: Apache-2.0
"""Orders of the queue: names, functions and fair shares."""
import math

import pytest

import trestle
from trestle import sim

NODE = trestle.Request(exclusivity=trestle.Exclusivity.whole_node)
TWO = trestle.Request(nodes=2, exclusivity=trestle.Exclusivity.whole_node)


def cluster(nodes=1):
    return trestle.Cluster.from_text(f"{nodes} x (4c)")


def job(id, limit=10, arrival=0, request=NODE, **more):
    return sim.Job(id, arrival, request, limit, limit, **more)


def starts(jobs, order, nodes=1, discipline=trestle.Discipline.strict()):
    result = sim.simulate(cluster(nodes), jobs, discipline, order=order)
    return [one.job.id for one in sorted(result.jobs, key=lambda one: one.start)]


JOBS = [job(0, 5), job(1, 30, request=TWO), job(2, 10, priority=7), job(3, 20, priority=3)]


@pytest.mark.parametrize("order, expected, why", [
    (None, [0, 1, 2, 3], "as they came"),
    ("first_come", [0, 1, 2, 3], "the same"),
    ("by_priority", [2, 3, 0, 1], "highest first"),
    ("shortest_first", [0, 2, 3, 1], "by limit"),
    ("longest_first", [1, 3, 2, 0], "by limit"),
    ("fewest_nodes_first", [0, 2, 3, 1], "two nodes last"),
    ("most_nodes_first", [1, 0, 2, 3], "two nodes first"),
    ("smallest_area_first", [0, 2, 3, 1], "nodes times limit"),
    ("largest_area_first", [1, 3, 2, 0], "nodes times limit"),
    (lambda queue: [-one.id for one in queue.jobs], [3, 2, 1, 0], "a function"),
    (lambda queue: [0.0] * len(queue.jobs), [0, 1, 2, 3], "between equals the first that came"),
])
def test_which_job_has_the_first_turn(order, expected, why):
    # Job 9 has both nodes until all others are there. A job that starts with another stands by its id,
    # so it is compared who starts not later than whom.
    jobs = [job(9, 1, request=TWO)] + [
        sim.Job(one.id, 1, one.request, one.limit, one.limit, priority=one.priority) for one in JOBS]
    result = sim.simulate(cluster(2), jobs, trestle.Discipline.strict(), order=order)
    start = {one.job.id: one.start for one in result.jobs}
    assert [start[one] for one in expected] == sorted(start[one] for one in expected), why
    assert start[expected[0]] == 1 and start[expected[-1]] > 1, why


def test_an_order_sees_now_waits_and_usage():
    seen = []

    def order(queue):
        seen.append((queue.now, [one.id for one in queue.jobs], queue.waited, queue.usage()))
        return [0] * len(queue.jobs)

    jobs = [job(0, 10, user="ann"), job(1, 10, user="ann", arrival=4), job(2, 10, user="bob", arrival=6)]
    sim.simulate(cluster(), jobs, trestle.Discipline.strict(), order=order)
    assert (0, [0], (0,), (0.0,)) in seen
    assert (6, [1, 2], (2, 0), (24.0, 0.0)) in seen  # 4 cores for 6 seconds
    assert (10, [1, 2], (6, 4), (40.0, 0.0)) in seen


def test_usage_decays_by_half():
    seen = {}

    def order(queue):
        seen[queue.now] = queue.usage(10)[0]
        return [0] * len(queue.jobs)

    jobs = [job(0, 10, user="ann"), job(1, 30, arrival=1, user="ann"), job(2, 1, arrival=20, user="ann")]
    sim.simulate(cluster(), jobs, trestle.Discipline.strict(), order=order)
    in_ten = 4 * (1 - 0.5) * 10 / math.log(2)
    assert seen[10] == pytest.approx(in_ten)
    assert seen[20] == pytest.approx(in_ten * 0.5 + in_ten)


def test_fair_share_gives_turns_to_the_user_that_had_least():
    jobs = [job(id, 10, user="ann") for id in range(4)] + [job(4, 10, user="bob", arrival=1)]
    assert starts(jobs, None) == [0, 1, 2, 3, 4]
    assert starts(jobs, "fair_share") == [0, 4, 1, 2, 3]
    turns = [job(0, user="ann"), job(1, user="bob"), job(2, user="bob", arrival=1),
             job(3, user="ann", arrival=1), job(4, user="ann", arrival=1)]
    assert starts(turns, "fair_share") == [0, 1, 3, 2, 4]
    assert starts(turns, sim.FairShare(shares={"ann": 3})) == [0, 1, 3, 4, 2]
    assert starts(jobs, sim.FairShare(fair_weight=0.0, age_weight=1.0, age_max=100)) == [0, 1, 2, 3, 4]


def test_law_an_order_is_a_queue_that_stands_so():
    from random import Random
    random = Random(5)
    for _ in range(20):
        jobs = [job(id, random.randint(1, 9), request=random.choice([NODE, TWO])) for id in range(12)]
        keys = {one.id: random.random() for one in jobs}
        for discipline in (trestle.Discipline.easy(), trestle.Discipline.conservative()):
            ordered = sim.simulate(cluster(3), jobs, discipline, keeps_reservations=False,
                                   order=lambda queue: [keys[one.id] for one in queue.jobs])
            stands = sim.simulate(cluster(3), sorted(jobs, key=lambda one: keys[one.id]), discipline,
                                  keeps_reservations=False)
            start = {one.job.id: one.start for one in stands.jobs}
            assert {one.job.id: one.start for one in ordered.jobs} == start


@pytest.mark.parametrize("order, says", [
    ("fairest", "order: 'fairest', expected a function or one of first_come"),
    (lambda queue: [], "order: at 0 s: 0 numbers, expected one for each of 2 jobs"),
    (lambda queue: [1, math.nan], "order: at 0 s: job 1: nan, expected a finite number"),
    (lambda queue: [1, "x"], "order: at 0 s: job 1: 'x', expected a finite number"),
    (lambda queue: [1, math.inf], "order: at 0 s: job 1: inf, expected a finite number"),
])
def test_a_bad_order_is_named(order, says):
    with pytest.raises(ValueError) as caught:
        starts([job(0), job(1)], order)
    assert says in str(caught.value)


def test_what_an_order_raises_says_when():
    def order(queue):
        raise KeyError("weights")

    with pytest.raises(KeyError) as caught:
        starts([job(0), job(1)], order)
    notes = getattr(caught.value, "__notes__", ["order: at 0 s, of 2 jobs that wait"])
    assert notes == ["order: at 0 s, of 2 jobs that wait"]


def test_one_order_at_a_time():
    with pytest.raises(ValueError, match="order: beside discipline.order by_priority"):
        sim.simulate(cluster(), [job(0)],
                     trestle.Discipline.easy(trestle.QueueOrder.by_priority), order="first_come")


@pytest.mark.parametrize("fields, says", [
    ({"half_life": 0}, "half_life: 0, expected seconds, more than 0"),
    ({"age_max": math.nan}, "age_max: nan"),
    ({"shares": {"ann": -1}}, "shares: 'ann': -1, expected a number above 0"),
])
def test_fair_shares_are_checked(fields, says):
    with pytest.raises(ValueError) as caught:
        sim.FairShare(**fields)
    assert says in str(caught.value)
