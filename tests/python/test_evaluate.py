# SPDX-License-Identifier: Apache-2.0
"""replay.Evaluator: what a search asks."""

import pathlib

import numpy
import pytest
import trestle
from trestle import replay

TRACES = pathlib.Path(__file__).parents[2] / "examples/traces"


@pytest.fixture(scope="module")
def small():
    return replay.load([TRACES / "nodes.csv"], TRACES / "pods.csv")


@pytest.mark.parametrize("policy", ["best_fit", "fgd", trestle.Policy.packing])
def test_it_gives_what_a_replay_gives(small, policy):
    orders = [small.order("1"), small.order("2")]
    found = replay.Evaluator(small, orders, fragments=True)(policy)
    curves = [replay.replay(small, order, policy) for order in orders]
    last = [max(at for at in one.allocated_percent if at <= 100) for one in curves]
    for name in ("allocated_percent", "fragment_percent"):
        mean = sum(getattr(one, name)[at] for one, at in zip(curves, last)) / 2
        assert getattr(found, name) == pytest.approx(mean, abs=0.001)
    assert found and not found.error and found.placed > 0 and found.dropped >= 0
    plain = replay.Evaluator(small, orders)(policy)
    assert plain.fragment_percent is None
    assert plain.allocated_percent == found.allocated_percent


def test_the_order_of_questions_does_not_matter(small):
    evaluate = replay.Evaluator(small, [small.order("3")], arrived=80)
    first = [evaluate(one) for one in ("fgd", "-devices_after", "fgd", "devices_after")]
    assert first[0] == first[2] and first[1] != first[3]
    assert evaluate("-devices_after") == first[1]


def test_a_policy_that_fails_is_an_evaluation_with_an_error(small):
    """And the next one is evaluated as if it had not been asked."""
    evaluate = replay.Evaluator(small, [small.order("1")])
    before = evaluate("-devices_after")
    for policy, message in [
            ("devices_aftr", "ValueError: policy: unknown policy at offset 0 (\"devices_aftr\")"),
            ("1 - devices_aftr", "ValueError: policy: unknown column at offset 4"),
            (lambda columns: 1 / 0, "ZeroDivisionError: division by zero"),
            (lambda columns: numpy.zeros(len(columns) + 1), "ValueError: policy: expected"),
            (lambda columns: "high", "TypeError: policy: expected a float64 array"),
            ("nowhere:policy", "ModuleNotFoundError: No module named 'nowhere'"),
            (3, "TypeError: ")]:
        found = evaluate(policy)
        assert not found and found.error.startswith(message), found.error
        assert (found.allocated_percent, found.placed, found.dropped) == (0, 0, 0)
    assert evaluate("-devices_after") == before


def test_where_the_score_is_no_number_no_node_is_taken(small):
    evaluate = replay.Evaluator(small, [small.order("1")])
    nothing = evaluate("log(-1 - devices_after)")
    assert nothing and (nothing.placed, nothing.allocated_percent) == (0, 0)


def test_an_interrupt_passes(small):
    def interrupted(columns):
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        replay.Evaluator(small, [small.order("1")])(interrupted)


def test_an_order_without_an_arrival_until_then_is_refused(small):
    with pytest.raises(ValueError, match="order big: nothing arrives until 1 %"):
        order = small.order("1")
        big = max(range(len(small.jobs)), key=small.sizes.__getitem__)
        arrivals = (big,) + order.arrivals
        replay.Evaluator(small, [type(order)("big", arrivals, order.ranks)], arrived=1)


@pytest.mark.parametrize("orders, arrived", [(0, 100), (1, 0)])
def test_it_wants_an_order_and_arrivals(small, orders, arrived):
    with pytest.raises(ValueError, match=f"{orders} orders, arrived {arrived}; expected 1 or more"):
        replay.Evaluator(small, [small.order("1")] * orders, arrived=arrived)
