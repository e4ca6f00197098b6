# SPDX-License-Identifier: Apache-2.0
"""replay.Evaluator and replay.expression: what a search asks."""

import pathlib
import sys

import numpy
import pytest
import trestle
from trestle import replay

TRACES = pathlib.Path(__file__).parents[2] / "examples/traces"
CLUSTER = "3 x (2c mem=4G gpu:2); 2 x (8c mem=16G gpu:1); (4c mem=8G gpu:4)"


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


FORMS = {  # an expression, and the same by NumPy
    "-devices_after": lambda c: -c.devices_after,
    " 0.5*milli_cpus_after/1000 - 2e-3 * devices_before ":
        lambda c: 0.5 * c.milli_cpus_after / 1000 - 2e-3 * c.devices_before,
    "1": lambda c: numpy.ones(len(c)),
    "memory_after // 2**30 % 5": lambda c: c.memory_after // 2**30 % 5,
    "is_idle": lambda c: c.is_idle,
    "1 if is_idle else -devices_after": lambda c: numpy.where(c.is_idle, 1, -c.devices_after),
    "not is_idle and devices_after > 1000":
        lambda c: ~c.is_idle & (c.devices_after > 1000),
    "is_idle or devices_after >= 2000 or devices_after == 0":
        lambda c: c.is_idle | (c.devices_after >= 2000) | (c.devices_after == 0),
    "max(each_device_after)": lambda c: c.each_device_after.max(1),
    "sum(each_device_after)": lambda c: c.devices_after,
    "min(each_device_before)": lambda c: numpy.where(
        c.each_device_before < 0, 10**9, c.each_device_before).min(1),
    "min(milli_cpus_after, devices_after, 500)":
        lambda c: numpy.minimum(numpy.minimum(c.milli_cpus_after, c.devices_after), 500),
    "sqrt(abs(devices_after - 3000)) + exp(-floor(log(milli_cpus_before)))":
        lambda c: numpy.sqrt(abs(c.devices_after - 3000))
        + numpy.exp(-numpy.floor(numpy.log(c.milli_cpus_before))),
}


@pytest.mark.parametrize("text", FORMS)
def test_an_expression_is_what_numpy_gives(text):
    policy = replay.expression(text)
    seen = []

    def checked(columns):
        scores = policy(columns)
        assert scores.dtype == "float64"
        assert numpy.allclose(scores, numpy.asarray(FORMS[text](columns), "float64"))
        seen.append(len(columns))
        return scores
    cluster = trestle.Cluster.from_text(CLUSTER)
    assert trestle.place(cluster, trestle.request("--gres=gpu:1"), policy=checked)
    assert sum(seen) == 3
    assert policy.__name__ == " ".join(text.split())


@pytest.mark.parametrize("text, message", [
    ("", 'expression: "": invalid syntax'),
    ("-devices_after +", r'expression: "-devices_after \+": invalid syntax'),
    ("x", r'expression: "x", column 1; expected one of milli_cpus_before, .*is_idle'),
    ("1 + devices", 'expression: "devices", column 5; expected one of'),
    ("each_device_after", '"each_device_after", column 1; expected a table inside of'),
    ("min(devices_after)", r'"min\(devices_after\)", column 1; expected two arguments or more of'),
    ("sqrt(1, 2)", r'"sqrt\(1, 2\)", column 1; expected one argument of sqrt'),
    ("open('/etc/passwd')", r'column 1; expected one of abs, sqrt, exp, log, floor, min, max, sum'),
    ("__import__('os')", "column 1; expected one of abs"),
    ("devices_after.sum()", r'"devices_after.sum\(\)", column 1; expected numbers, columns'),
    ("(lambda: 1)()", "column 1; expected numbers, columns, operators and functions"),
    ("[1][0]", "column 1; expected numbers"), ("'a'", "column 1; expected numbers"),
    ("True", "column 1; expected numbers"), ("1j", "column 1; expected numbers"),
    ("1 < devices_after < 2", "column 1; expected numbers"),
    ("devices_after & 1", "column 1; expected numbers"),
    ("abs(x=1)", "column 1; expected numbers"),
    ("-" * 200 + "1", "expected at most 100 levels"),
    ("1+" * 5000 + "1", "expression: 10001 characters; expected at most 10000"),
    ("1\0", "expression:"),
])
def test_a_bad_expression_is_reported_by_part_and_column(text, message):
    with pytest.raises(ValueError, match=message):
        replay.expression(text)


def test_a_policy_that_fails_is_an_evaluation_with_an_error(small):
    """And the next one is evaluated as if it had not been asked."""
    evaluate = replay.Evaluator(small, [small.order("1")])
    before = evaluate("-devices_after")
    for policy, message in [
            ("devices_aftr", "ValueError: expression: \"devices_aftr\", column 1; expected"),
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


def test_without_numpy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ImportError, match=r"pip install 'trestle\[sim\]'"):
        replay.expression("-devices_after")
