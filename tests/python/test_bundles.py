# SPDX-License-Identifier: Apache-2.0
"""Bundles on nodes that can be launched, which trestle.ray is made of: without Ray."""

import itertools
import random

import pytest
from trestle._bundles._demand import (Cause, Demand, LabelTest, Node, NodeType, Resize,
                                       Source, Stage, launched)
from trestle._bundles._filling import Kind, fill, weights
from trestle._bundles._plan import Gang, Planner, Question

NOW = Source.pending


def kind(name="w", most=100, least=0, labels=None, **amounts):
    return NodeType(name, amounts, least, most, labels or {})


def node(of, item="i", free=None, **members):
    found = launched(of)
    found.item = item
    if free is not None:
        found.free[NOW] = free
    for name, value in members.items():
        setattr(found, name, value)
    return found


def ask(*types, planner=None, nodes=(), **members):
    question = Question({one.name: one for one in types}, list(nodes), **members)
    return (planner or Planner()).answer(question)


def launches(answer):
    found = {}
    for one in answer.nodes:
        if not one.is_launched:
            found[one.type] = found.get(one.type, 0) + 1
    return found


def ends(answer):
    return {one.item: one.cause for one in answer.nodes if one.cause is not None}


def unplaced(answer):
    return sum(count for _, count in answer.demands)


# What one node takes.

@pytest.mark.parametrize("seed", range(60))
def test_a_filling_is_the_best_of_all(seed):
    """Of small worlds, which the search sees whole."""
    draw = random.Random(seed)
    room = tuple(draw.randint(1, 6) for _ in range(draw.randint(1, 3)))
    kinds = [Kind(tuple(draw.randint(0, 3) for _ in room), draw.randint(1, 3)) for _ in range(3)]
    kinds = [one for one in kinds if any(one.asked)]
    weigh = weights(kinds, room)

    def worth(counts):
        used = [sum(one.asked[at] * count for one, count in zip(kinds, counts)) for at in range(len(room))]
        if any(u > r for u, r in zip(used, room)):
            return -1
        return sum(w * u / r for w, u, r in zip(weigh, used, room))

    best = max(map(worth, itertools.product(*(range(one.most + 1) for one in kinds))))
    assert worth(fill(kinds, room, weigh)) >= 0.998 * best - 1e-9


def test_a_filling_of_thousands_of_kinds_ends():
    kinds = [Kind((1 + at % 7, 1 + at % 5), 1) for at in range(5000)]
    counts = fill(kinds, (100, 100), weights(kinds, (100, 100)))
    used = [sum(one.asked[at] * count for one, count in zip(kinds, counts)) for at in (0, 1)]
    assert max(used) == 100 and min(used) <= 100


# What is launched.

@pytest.mark.parametrize("what, types, demands, expected, left", [
    ("nothing asked", [kind(CPU=4)], [], {}, 0),
    ("a node for four", [kind(CPU=4)], [Demand({"CPU": 1}, 4)], {"w": 1}, 0),
    ("halves", [kind(CPU=1)], [Demand({"CPU": 0.5}, 5)], {"w": 3}, 0),
    ("ten-thousandths", [kind(CPU=1)], [Demand({"CPU": 0.0001}, 10_001)], {"w": 2}, 0),
    ("bytes of memory", [kind(memory=2.0**40)], [Demand({"memory": 2.0**39}, 3)], {"w": 2}, 0),
    ("large and small share", [kind(CPU=5)], [Demand({"CPU": 3}, 3), Demand({"CPU": 2}, 3)], {"w": 3}, 0),
    ("too large", [kind(CPU=4)], [Demand({"CPU": 5}, 2)], {}, 2),
    ("an unknown resource", [kind(CPU=4)], [Demand({"CPU": 1, "x": 1}, 1)], {}, 1),
    ("0 of an unknown resource", [kind(CPU=4)], [Demand({"CPU": 1, "x": 0}, 1)], {"w": 1}, 0),
    ("nothing of anything", [kind(CPU=4)], [Demand({}, 3)], {"w": 1}, 0),
    ("the limit of a type", [kind(CPU=1, most=2)], [Demand({"CPU": 1}, 5)], {"w": 2}, 3),
    ("GPU nodes are spared", [kind("g", CPU=8, GPU=1), kind("c", CPU=4)], [Demand({"CPU": 1}, 4)],
     {"c": 1}, 0),
    ("unless there is no other", [kind("g", CPU=8, GPU=1)], [Demand({"CPU": 1}, 4)], {"g": 1}, 0),
    ("one node of each", [kind("g", CPU=8, GPU=1), kind("c", CPU=4)],
     [Demand({"CPU": 4}, 1), Demand({"GPU": 1}, 1)], {"g": 1}, 0),
    ("the larger when it is full", [kind("a", CPU=4), kind("b", CPU=8)], [Demand({"CPU": 1}, 8)],
     {"b": 1}, 0),
    ("the smaller when it suffices", [kind("a", CPU=4), kind("b", CPU=8)], [Demand({"CPU": 1}, 3)],
     {"a": 1}, 0)])
def test_what_is_launched(what, types, demands, expected, left):
    answer = ask(*types, demands=demands)
    assert (launches(answer), unplaced(answer)) == (expected, left), what


@pytest.mark.parametrize("better", ["recovered", "priority", "available"])
def test_of_equal_types_the_better_one(better):
    one = {"recovered": 1.0, "priority": 0, "available": 1.0}
    types = [NodeType("a", {"CPU": 1}, 0, 9, **{**one, better: 0 if better != "priority" else -1}),
             NodeType("b", {"CPU": 1}, 0, 9, **one)]
    assert launches(ask(*types, demands=[Demand({"CPU": 1}, 2)])) == {"b": 2}


def test_the_limit_of_the_cluster_counts_all_nodes():
    answer = ask(kind(CPU=1), nodes=[node(kind(CPU=1), is_head=True)], nodes_max=3,
                 demands=[Demand({"CPU": 1}, 5)])
    assert launches(answer) == {"w": 2} and unplaced(answer) == 2


def test_eight_kinds_fill_nodes_to_the_last():
    """The kinds are drawn; the bound is the scarcest resource's sum."""
    over = []
    for seed in range(20):
        draw = random.Random(seed)
        room = {"CPU": 64, "memory": 256, "GPU": 8}
        demands = [Demand({"CPU": draw.choice([1, 2, 3, 4, 6, 8]), "GPU": draw.choice([0, 0, 1, 2]),
                           "memory": draw.choice([1, 2, 4, 8, 12, 24])}, 1250) for _ in range(8)]
        answer = ask(kind(most=10**6, **room), demands=demands)
        assert unplaced(answer) == 0
        bound = max(-(-sum(one.amounts[name] * one.count for one in demands) // room[name]) for name in room)
        over.append(launches(answer)["w"] / bound - 1)
    assert min(over) >= 0 and sorted(over)[10] <= 0.01 and sum(over) / 20 <= 0.02


# What there is.

def test_what_is_free_is_used_first():
    w = kind(CPU=4)
    there = [node(w, "a", {"CPU": 1.5}), node(w, "b", {"CPU": 0}), node(w, "c", stage=Stage.queued)]
    answer = ask(w, nodes=there, demands=[Demand({"CPU": 1}, 6)])
    assert launches(answer) == {"w": 1} and [one.left[NOW] for one in there] == [(5000,), (0,), (0,)]


def test_no_node_is_given_more_than_it_has():
    for seed in range(200):
        draw = random.Random(seed)
        types = [kind(f"t{at}", draw.randint(0, 4), CPU=draw.randint(1, 8), x=draw.randint(0, 3))
                 for at in range(2)]
        there = [node(draw.choice(types), at, {"CPU": draw.randint(0, 4), "x": draw.randint(0, 2)})
                 for at in range(draw.randint(0, 4))]
        demands = [Demand({"CPU": draw.randint(0, 4), "x": draw.randint(0, 1)}, draw.randint(1, 6))
                   for _ in range(3)]
        gang = Gang([[Demand({"CPU": 1}, 2, apart=frozenset({("g", "")}))]])
        answer = ask(*types, nodes=there, demands=demands, gangs=[gang])
        units = [one.left[NOW] for one in answer.nodes]
        assert min(map(min, units), default=0) >= 0
        if unplaced(answer) == 0 and not answer.gangs:
            asked = sum(one.amounts["CPU"] * one.count for one in demands) + 2
            free = sum(one.free[NOW]["CPU"] for one in answer.nodes)
            assert round((free - asked) * 10_000) == sum(one[0] for one in units)


def test_a_node_may_have_any_amount():
    w = kind(CPU=1e300, x=1e16)
    assert not launches(ask(w, nodes=[node(w)], demands=[Demand({"CPU": 1e12, "x": 1}, 3)]))


def test_a_node_without_an_implicit_resource_has_one():
    w = kind(CPU=8)
    answer = ask(w, nodes=[node(w)], demands=[Demand({"node:1": 0.001}, 2)],
                 missing=lambda name: float(name.startswith("node:")))
    assert not launches(answer) and unplaced(answer) == 0


# Labels.

EAST = (LabelTest("zone", frozenset({"east"}), True),)
WEST = (LabelTest("zone", frozenset({"west"}), True),)
NOT_EAST = (LabelTest("zone", frozenset({"east"}), False),)
ZONES = [kind("e", CPU=2, labels={"zone": "east"}), kind("w", CPU=2, labels={"zone": "west"}),
         kind("n", CPU=2)]


@pytest.mark.parametrize("selectors, expected", [
    ((EAST,), {"e": 1}), ((WEST,), {"w": 1}), ((WEST, EAST), {"w": 1}), ((EAST, WEST), {"e": 1}),
    ((EAST + WEST,), {}), ((EAST + WEST, WEST), {"w": 1}),
    ((NOT_EAST + (LabelTest("zone", frozenset({"west"}), False),),), {"n": 1})])
def test_selectors_choose_the_type(selectors, expected):
    answer = ask(*ZONES, demands=[Demand({"CPU": 1}, 2, selectors)])
    assert launches(answer) == expected and unplaced(answer) == (0 if expected else 2)


def test_selectors_choose_among_nodes_in_their_order():
    there = [node(one, one.name) for one in ZONES]
    ask(*ZONES, nodes=there, demands=[Demand({"CPU": 1}, 3, (WEST, EAST))])
    assert [one.left[NOW] for one in there] == [(10_000,), (0,), (20_000,)]


# Gangs.

APART = frozenset({("group", "1")})


def test_a_gang_is_placed_whole_or_not_at_all():
    gang = Gang([[Demand({"CPU": 4}, 3)]], "gang")
    answer = ask(kind(CPU=4, most=2), gangs=[gang], demands=[Demand({"CPU": 4}, 1)])
    assert answer.gangs == [gang] and launches(answer) == {"w": 1} and unplaced(answer) == 0


def test_what_is_apart_lies_on_different_nodes():
    w = kind(CPU=4)
    there = [node(w, "a"), node(w, "b", labels={"group": "1"}), node(w, "c", labels={"group": "2"})]
    answer = ask(w, nodes=there, gangs=[Gang([[Demand({"CPU": 1}, 4, apart=APART)]])])
    assert not answer.gangs and launches(answer) == {"w": 2}
    assert [NOW in one.used for one in answer.nodes] == [True, False, True, True, True]


def test_gangs_that_are_apart_share_nodes_with_others():
    gangs = [Gang([[Demand({"CPU": 1}, 3, apart=frozenset({(f"g{at}", "")}))]]) for at in range(4)]
    assert launches(ask(kind(CPU=4), gangs=gangs)) == {"w": 3}


def test_a_gang_has_alternatives():
    wanted = Gang([[Demand({"GPU": 1}, 1)], [Demand({"CPU": 2}, 2)]])
    answer = ask(kind(CPU=2), gangs=[wanted])
    assert not answer.gangs and launches(answer) == {"w": 2}


def test_a_gang_without_alternatives_is_not_placed():
    assert len(ask(kind(CPU=2), gangs=[Gang([])]).gangs) == 1


# Constraints.

def test_a_constraint_counts_what_is_in_use():
    w = kind(CPU=4)
    answer = ask(w, nodes=[node(w, free={"CPU": 0})], constraints=[Gang([[Demand({"CPU": 1}, 6)]])])
    assert launches(answer) == {"w": 1}


def test_what_a_constraint_launches_takes_bundles():
    answer = ask(kind(CPU=4), constraints=[Gang([[Demand({"CPU": 4}, 2)]])], demands=[Demand({"CPU": 2}, 4)])
    assert launches(answer) == {"w": 2}


def test_a_constraint_is_held_whole_or_not_at_all():
    constraint = Gang([[Demand({"CPU": 4}, 3)]])
    answer = ask(kind(CPU=4, most=2), constraints=[constraint])
    assert answer.constraints == [constraint] and not launches(answer)


# Least, most, and what ends.

def test_the_least_of_each_type_is_launched():
    w, x = kind("w", 5, 2, CPU=1), kind("x", 5, 1, CPU=1)
    answer = ask(w, x, nodes=[node(w, stage=Stage.other)])
    assert launches(answer) == {"w": 1, "x": 1}


def test_beyond_the_most_the_least_useful_ends_first():
    w = kind(CPU=1, most=1)
    there = [node(w, "busy", {"CPU": 0}), node(w, "free"), node(w, "idle", idle=9),
             node(w, "queued", stage=Stage.queued), node(w, "head", is_head=True)]
    answer = ask(w, nodes=there)
    assert ends(answer) == dict.fromkeys(["busy", "free", "idle", "queued"], Cause.type_max)
    w = kind(CPU=1, most=9)
    for one in there:
        one.cause = None
    for most, last in [(4, {"queued"}), (3, {"queued", "idle"}), (2, {"queued", "idle", "free"})]:
        assert set(ends(ask(w, nodes=[one.copy() for one in there], nodes_max=most))) == last


def test_what_was_to_be_launched_goes_before_what_is_there():
    answer = ask(kind("w", 5, 2, CPU=1), kind("x", 5, 0, CPU=1), nodes=[node(kind("x", CPU=1), "x")],
                 nodes_max=2)
    assert launches(answer) == {"w": 1} and not ends(answer)


def test_what_ends_takes_nothing():
    w = kind(CPU=1, most=1)
    answer = ask(w, nodes=[node(w, "a"), node(w, "b", idle=1)], demands=[Demand({"CPU": 1}, 2)])
    assert set(ends(answer)) == {"b"} and unplaced(answer) == 1


@pytest.mark.parametrize("what, members, checks, is_outdated", [
    ("another configuration", {"config_hash": "old"}, True, True),
    ("the same", {"config_hash": "new"}, True, False),
    ("the head", {"config_hash": "old", "is_head": True}, True, False),
    ("not launched yet", {"config_hash": "", "stage": Stage.queued}, True, False),
    ("not checked", {"config_hash": "old"}, False, False),
    ("a type that is gone", {"type": "gone", "config_hash": "new"}, True, True),
    ("a type that is gone, not checked", {"type": "gone"}, False, False)])
def test_what_is_outdated(what, members, checks, is_outdated):
    w = NodeType("w", {"CPU": 1}, 0, 5, config_hash="new")
    answer = ask(w, nodes=[node(w, **members)], checks_config=checks)
    assert ends(answer) == ({"i": Cause.outdated} if is_outdated else {}), what


@pytest.mark.parametrize("what, members, least, demands, ended", [
    ("idle for longer", {"idle": 6}, 0, [], True), ("idle for as long", {"idle": 5}, 0, [], False),
    ("the head", {"idle": 6, "is_head": True}, 0, [], False), ("needed", {"idle": 6}, 0, 1, False),
    ("the least of its type", {"idle": 6}, 1, [], False),
    ("not running yet", {"idle": 6, "stage": Stage.queued}, 0, [], False),
    ("a type that is gone", {"idle": 6, "type": "gone"}, 0, [], True)])
def test_what_is_idle_ends(what, members, least, demands, ended):
    w = kind(CPU=1, least=least)
    answer = ask(w, nodes=[node(w, **members)], idle_max=5, checks_config=False,
                 demands=[Demand({"CPU": 1}, 1)] if demands else [])
    assert ends(answer) == ({"i": Cause.idle} if ended else {}), what


def test_a_type_has_an_idle_limit_of_its_own():
    w = NodeType("w", {"CPU": 1}, 0, 5, idle_max=60)
    assert not ends(ask(w, nodes=[node(w, idle=9)], idle_max=5))
    assert ends(ask(w, nodes=[node(w, idle=61)]))


def test_idle_nodes_are_left_alone_where_busy_ones_have_room():
    w = kind(CPU=4)
    there = [node(w, "idle", idle=9), node(w, "busy", {"CPU": 2})]
    assert set(ends(ask(w, nodes=there, idle_max=5, demands=[Demand({"CPU": 1}, 2)]))) == {"idle"}


def test_what_does_not_run_yet_ends_when_it_is_not_needed_for_long():
    now = [0.0]
    planner, w = Planner(lambda: now[0]), kind(CPU=1)

    def at(moment, *stages, demands=0):
        now[0] = moment
        return set(ends(ask(w, planner=planner, nodes=[node(w, place, stage=stage) for place, stage in
                                                       enumerate(stages)],
                            pending_idle_max=10, demands=[Demand({"CPU": 1}, demands)] * bool(demands))))

    assert at(0, Stage.installing) == set()
    assert at(8, Stage.installing, Stage.queued) == set()
    assert at(11, Stage.installing, Stage.queued) == {1}, "the first of them, as the cheapest"
    assert at(12, Stage.installing) == set(), "the other was not needed since 8 alone"
    assert at(15, Stage.installing, demands=1) == set()
    assert at(24, Stage.installing) == set(), "it was needed at 15"
    assert at(35, Stage.installing) == {0}
    assert at(60, Stage.other) == set(), "cannot be ended"
    assert at(99, Stage.other) == set()


# Growth.

class Pod(Resize):
    def __init__(self, now=None, most=None):
        self.now, self.largest, self.grown = now or {}, most or {}, 0

    def current(self):
        return self.now

    def most(self):
        return self.largest

    def grow(self):
        self.grown += 1


def test_a_node_grows_before_one_is_launched():
    w, pod = kind(CPU=2), Pod(most={"CPU": 4})
    answer = ask(w, nodes=[node(w, free={"CPU": 0}, resize=pod)], demands=[Demand({"CPU": 1}, 3)])
    assert pod.grown == 1 and launches(answer) == {"w": 1} and answer.nodes[0].total == {"CPU": 4}


def test_a_node_does_not_grow_for_nothing():
    w, pod = kind(CPU=2), Pod(most={"CPU": 4})
    for demands in ([Demand({"CPU": 1}, 2)], [Demand({"CPU": 9}, 1)]):
        ask(w, nodes=[node(w, resize=pod)], demands=demands)
    ask(kind(CPU=2, most=0), nodes=[node(w, resize=pod)], gangs=[Gang([[Demand({"CPU": 1}, 9)]])])
    assert pod.grown == 0


def test_what_changes_already_counts_as_it_will_be():
    w = kind(CPU=2)
    assert not launches(ask(w, nodes=[node(w, resize=Pod({"CPU": 4}))], demands=[Demand({"CPU": 1}, 4)]))
    answer = ask(w, nodes=[node(w, resize=Pod({"CPU": 1}))], demands=[Demand({"CPU": 1}, 2)])
    assert launches(answer) == {"w": 1}


def test_a_launched_node_may_grow_later():
    answer = ask(kind(CPU=2), demands=[Demand({"CPU": 3}, 2)], largest=lambda one: {"CPU": 6})
    assert launches(answer) == {"w": 1}


def test_a_node_is_a_value_that_is_copied():
    one = node(kind(CPU=2))
    other = one.copy()
    other.total["CPU"] = 9
    other.free[NOW]["CPU"] = 9
    assert one.total == {"CPU": 2} and one.free[NOW] == {"CPU": 2} and isinstance(other, Node)
