# SPDX-License-Identifier: Apache-2.0
"""Policies as expressions: the same as NumPy computes, wherever a policy is taken."""

import pickle
import random

import numpy
import pytest
import trestle
from trestle import replay, sim

COLUMNS = ("milli_cpus_before", "milli_cpus_after", "memory_before", "memory_after",
           "devices_before", "devices_after", "is_idle")


class Row:
    """The columns as float64, as expressions have them."""

    def __init__(self, columns):
        for name in COLUMNS:
            setattr(self, name, getattr(columns, name).astype("float64"))
        self.before = columns.each_device_before.astype("float64")
        self.after = columns.each_device_after.astype("float64")


def least(table):
    return numpy.where(table < 0, numpy.inf, table).min(1)


FORMS = {  # an expression, and the same by NumPy
    "-devices_after": lambda c: -c.devices_after,
    " 0.5*milli_cpus_after/1000 - 2e-3 * devices_before ":
        lambda c: 0.5 * c.milli_cpus_after / 1000 - 2e-3 * c.devices_before,
    "1": lambda c: numpy.ones(len(c.is_idle)),
    "memory_after // 2**30 % 5": lambda c: c.memory_after // 2**30 % 5,
    "-memory_after // 3e8 + devices_before % -7000":
        lambda c: -c.memory_after // 3e8 + c.devices_before % -7000,
    "milli_cpus_after // devices_after + milli_cpus_after % devices_after":
        lambda c: c.milli_cpus_after // c.devices_after + c.milli_cpus_after % c.devices_after,
    "1 / devices_after": lambda c: 1 / c.devices_after,
    "(devices_before - 2000) / devices_after": lambda c: (c.devices_before - 2000) / c.devices_after,
    "is_idle": lambda c: c.is_idle,
    "1 if is_idle else -devices_after": lambda c: numpy.where(c.is_idle, 1, -c.devices_after),
    "not is_idle and devices_after > 1000":
        lambda c: numpy.logical_and(numpy.logical_not(c.is_idle), c.devices_after > 1000),
    "is_idle or devices_after >= 2000 or devices_after == 0":
        lambda c: (c.is_idle != 0) | (c.devices_after >= 2000) | (c.devices_after == 0),
    "max(each_device_after)": lambda c: numpy.maximum(c.after, 0).max(1),
    "sum(each_device_after) - sum(each_device_before)":
        lambda c: numpy.maximum(c.after, 0).sum(1) - numpy.maximum(c.before, 0).sum(1),
    "min(each_device_before)": lambda c: least(c.before),
    "min(milli_cpus_after, devices_after, 500)":
        lambda c: numpy.minimum(numpy.minimum(c.milli_cpus_after, c.devices_after), 500),
    "max(log(devices_after - 1000), -1)":
        lambda c: numpy.maximum(numpy.log(c.devices_after - 1000), -1),
    "sqrt(abs(devices_after - 3000)) + floor(milli_cpus_before / 7)":
        lambda c: numpy.sqrt(abs(c.devices_after - 3000)) + numpy.floor(c.milli_cpus_before / 7),
    "exp(-devices_after / 1000) + devices_after ** 0.5 + 2 ** -is_idle":
        lambda c: numpy.exp(-c.devices_after / 1000) + c.devices_after ** 0.5 + 2.0 ** -c.is_idle,
}


def worlds(count):
    """Clusters of unlike nodes, used here and there, and a request."""
    draw = random.Random(7)
    for _ in range(count):
        nodes = "; ".join(
            f"{draw.randint(1, 3)} x ({draw.randint(2, 8)}c mem={draw.randint(4, 9)}G"
            + draw.choice(("", " gpu:1", " gpu:2", " gpu:4")) + ")" for _ in range(draw.randint(1, 4)))
        cluster = trestle.Cluster.from_text(nodes)
        for owner in range(draw.randint(0, 5)):
            request = trestle.Request(cpus_per_task=draw.randint(1, 2), memory=trestle.gib(1),
                                      devices=[trestle.DeviceRequest()] if draw.random() < 0.5 else [])
            placement = trestle.place(cluster, request, policy="worst_fit")
            if placement:
                cluster.commit(trestle.Allocation(owner, request, placement))
        devices = [trestle.DeviceRequest(count=draw.randint(1, 2))] if draw.random() < 0.7 else []
        yield cluster, trestle.Request(cpus_per_task=draw.randint(1, 2), devices=devices,
                                       memory=trestle.gib(draw.randint(1, 2)))


@pytest.mark.parametrize("text", FORMS)
def test_an_expression_is_what_numpy_gives(text):
    def function(columns):
        with numpy.errstate(all="ignore"):
            return numpy.asarray(FORMS[text](Row(columns)), "float64")

    compared = 0
    for cluster, request in worlds(60):
        scores = trestle.score(cluster, request, text)
        expected = trestle.score(cluster, request, function)
        numpy.testing.assert_allclose(scores, expected, rtol=1e-12)
        compared += numpy.isfinite(scores).sum()
        found = trestle.place(cluster, request, policy=text)
        rounded = "exp" in text or "log" in text
        if not rounded:
            expected = trestle.place(cluster, request, policy=function)
            assert found == expected if found else found.constraint == expected.constraint
    assert compared > 50


CLUSTER = trestle.Cluster.from_text("2 x (8c); 2 x (4c)")
TWO = trestle.Request(cpus_per_task=2)


def node_of(placement):
    return placement.nodes[0].node


def by_place(**policy):
    return node_of(trestle.place(CLUSTER, TWO, **policy))


def by_placer(**policy):
    return node_of(trestle.Placer(**policy).place(CLUSTER, TWO))


def by_place_many(**policy):
    cluster = trestle.Cluster.from_text("2 x (8c); 2 x (4c)")
    assert trestle.place_many(cluster, [trestle.JobOrder(1, TWO)], trestle.Placer(**policy)).placed == (0,)
    return node_of(cluster.find_allocation(1).placement)


def by_earliest_start(**policy):
    return node_of(trestle.earliest_start(trestle.Timeline(CLUSTER), TWO, **policy).placement)


def by_finder(**policy):
    return node_of(trestle.StartFinder(**policy).earliest_start(trestle.Timeline(CLUSTER), TWO).placement)


def by_pass(**policy):
    done = trestle.schedule_pass(trestle.Timeline(CLUSTER), [trestle.QueuedJob(1, TWO, 10)],
                                 trestle.Discipline.easy(), trestle.StartFinder(**policy))
    return node_of(done.starts[0].allocation.placement)


def by_simulation(**policy):
    return node_of(sim.simulate(CLUSTER, [sim.Job(1, 0, TWO, 10, 10)], **policy).attempts[0].placement)


def by_score(**policy):
    return int(numpy.argmax(trestle.score(CLUSTER, TWO, **policy)))


def smallest(columns):
    return -1.0 * columns.milli_cpus_before


POLICIES = {"best_fit": 2, trestle.Policy.best_fit: 2, "first_fit": 0, "-milli_cpus_before": 2,
            "milli_cpus_before": 0, "-devices_after + 0.1 * milli_cpus_before": 0, smallest: 2}
WAYS = (by_place, by_placer, by_place_many, by_earliest_start, by_finder, by_pass, by_simulation,
        by_score)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_a_policy_is_taken_everywhere(way, policy):
    assert way(policy=policy) == POLICIES[policy]
    if not callable(policy) or isinstance(policy, trestle.Policy):
        assert way(options=trestle.PlaceOptions(policy=policy)) == POLICIES[policy]


@pytest.mark.parametrize("way", [*WAYS, lambda policy: trestle.fit_count(CLUSTER, TWO, policy),
                                 lambda policy: trestle.PlaceOptions(policy=policy),
                                 replay.find_policy])
def test_a_wrong_policy_is_refused_everywhere_with_the_same_words(way):
    with pytest.raises(ValueError, match=r'unknown policy at offset 0 \("best_fitt"\): expected one of '
                       "first_fit, .*, or an expression as -devices_after; the nearest is best_fit"):
        way(policy="best_fitt") if way in WAYS else way("best_fitt")
    with pytest.raises(ValueError, match=r'unknown column at offset 4 \("devices_aftr"\): expected one '
                       "of milli_cpus_before, .*; the nearest is devices_after"):
        way(policy="1 - devices_aftr") if way in WAYS else way("1 - devices_aftr")


def test_options_name_the_policy_or_have_the_expression():
    options = trestle.PlaceOptions(policy=" -devices_after  + 1 ")
    assert options.policy == "-devices_after + 1"
    assert options == trestle.PlaceOptions(policy="-devices_after + 1") != trestle.PlaceOptions()
    assert hash(options) == hash(trestle.PlaceOptions(policy="-devices_after + 1"))
    assert pickle.loads(pickle.dumps(options)) == options == eval(repr(options), vars(trestle))
    assert trestle.Placer(policy="-devices_after").options().policy == "-devices_after"
    assert trestle.PlaceOptions().policy is trestle.Policy.first_fit
    assert options.replace(policy="fgd").policy is trestle.Policy.fgd
    with pytest.raises(TypeError, match="^policy: expected Policy, its name, or an expression as text"):
        trestle.PlaceOptions(policy=3)


@pytest.mark.parametrize("text", ["", "-devices_after +", "min(devices_after)", "(1", "1)", "[1][0]", "1j",
                                  "__import__('os')", "devices_after.sum()", "1 < devices_after < 2",
                                  "devices_after & 1", "abs(x=1)", "-" * 200 + "1", "(" * 5000,
                                  "1+" * 5000 + "1", "1\0", "\u00e9", "devices_after\u00a0+ 1"])
def test_a_bad_expression_is_refused(text):
    with pytest.raises(ValueError, match="at offset .*expected"):
        trestle.PlaceOptions(policy=text)


def test_hostile_texts_end_in_a_number_or_an_error():
    draw = random.Random(11)
    pieces = ["1", "0", "-", "+", "*", "**", "/", "//", "%", "(", ")", ",", "min(", "sum(", "log(", "if ",
              "else ", "not ", "and ", "or ", " ", "<", "==", "each_device_after", *COLUMNS]
    read = 0
    for _ in range(3000):
        text = "".join(draw.choice(pieces) for _ in range(draw.randint(1, 30)))
        try:
            trestle.place(CLUSTER, TWO, policy=text)
        except ValueError as error:
            assert "expected" in str(error)
        else:
            read += 1
    assert read > 20


def test_where_it_is_no_number_the_node_is_named():
    refused = trestle.place(CLUSTER, TWO, policy="log(-1 - devices_after)")
    assert not refused and refused.constraint is trestle.Constraint.candidates
    assert refused.reason == "n0 has no score, log(-1 - devices_after) is no number for it"
    done = trestle.place_many(trestle.Cluster.from_text("2 x (8c)"), [trestle.JobOrder(5, TWO)],
                              trestle.Placer(policy="0 / devices_after"),
                              trestle.PlaceManyOptions("skip"))
    assert [(one.job, one.why.reason) for one in done.refused] == [
        (0, "n0 has no score, 0 / devices_after is no number for it")]


@pytest.mark.parametrize("policy, node", [
    ("best_fit", 1), ("-milli_cpus_before", 1), ("milli_cpus_before", 0)])
def test_plans_and_explanations_take_names_and_expressions(policy, node):
    """Six, four, two and two of eight CPUs are free. A function has no part in them."""
    cluster = trestle.Cluster.from_text("4 x (8c)")
    for owner, cpus in enumerate((2, 4, 6, 6)):
        request = trestle.Request(cpus_per_task=cpus)
        cluster.commit(trestle.Allocation(owner, request, trestle.place(
            cluster, request, candidates=trestle.NodeSet([owner]))))
    options = trestle.PlaceOptions(policy=policy)
    three = trestle.Request(cpus_per_task=3)
    plan = trestle.plan_preemption(cluster, three, [trestle.Victim(0)], options=options)
    assert [part.node for part in plan.placement.nodes] == [node] and not plan.victims
    moved = trestle.plan_compaction(cluster, trestle.Request(cpus_per_task=7), [0], options=options)
    (move,) = moved.moves
    assert [part.node for part in move.to.nodes] == [1 if node == 0 else 2]
    nothing = trestle.PlaceOptions(policy="log(-1 - milli_cpus_after)")
    why = trestle.explain(cluster, three, options=nothing)
    assert why.fits is False and why.why.constraint is trestle.Constraint.candidates
    assert why.fitting == 2
    for plan_of in (trestle.plan_preemption, trestle.plan_compaction):
        with pytest.raises(TypeError, match="policy"):
            plan_of(cluster, three, [], policy=lambda columns: columns.milli_cpus_before)
