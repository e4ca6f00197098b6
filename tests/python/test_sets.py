# SPDX-License-Identifier: Apache-2.0
"""Sets of indexes against Python's own."""

import copy
import pickle

import pytest
import trestle
from hypothesis import given
from hypothesis import strategies as st

CLASSES = (trestle.CoreSet, trestle.PuSet, trestle.DeviceSet, trestle.DomainSet, trestle.SmallSet,
           trestle.NodeSet, trestle.IndexSet)
MEMBERS = st.frozensets(st.integers(0, 700), max_size=40)
both = pytest.mark.parametrize("kind", CLASSES, ids=lambda c: c.__name__)


@both
@given(a=MEMBERS, b=MEMBERS)
def test_law_set_algebra_is_that_of_python(kind, a, b):
    x, y = kind(a), kind(b)
    assert set(x | y) == a | b and set(x & y) == a & b
    assert set(x - y) == a - b and set(x ^ y) == a ^ b
    assert (x <= y, x < y, x >= y, x > y, x == y) == (a <= b, a < b, a >= b, a > b, a == b)
    assert x.intersects(y) == bool(a & b) and x.contains_all(y) == (a >= b)
    assert x.count_and(y) == len(a & b)


@both
@given(members=MEMBERS, k=st.integers(0, 45), i=st.integers(0, 800))
def test_law_queries_are_those_of_a_sorted_list(kind, members, k, i):
    x, ordered = kind(members), sorted(members)
    assert list(x) == ordered and len(x) == len(ordered)
    assert x.first() == (ordered[0] if ordered else None)
    assert x.last() == (ordered[-1] if ordered else None)
    assert x.nth(k) == (ordered[k] if k < len(ordered) else None)
    assert list(x.first_k(k)) == ordered[:k]
    assert x.rank(i) == sum(m < i for m in ordered)
    assert x.next(i) == next((m for m in ordered if m >= i), None)
    assert (i in x) == (i in members)
    assert x.count_in(range(i // 2, i)) == sum(i // 2 <= m < i for m in ordered)
    assert set(x.complement(range(i))) == set(range(i)) - members


@both
@given(members=MEMBERS)
def test_law_text_repr_pickle_and_copies_give_an_equal_set(kind, members):
    x = kind(members)
    assert kind(str(x)) == x == eval(repr(x), vars(trestle).copy())
    assert pickle.loads(pickle.dumps(x)) == x == copy.deepcopy(x)
    assert hash(kind(reversed(sorted(members)))) == hash(x)


@both
def test_runs_are_python_ranges(kind):
    x = kind("0-3,8-15")
    assert x.first_run(5) == range(8, 13) and x.first_run(9) is None
    assert kind(range(4)) == kind("0-3") and kind(range(5, 5)).is_empty()
    assert bool(x) and not kind()


@both
@pytest.mark.parametrize("bad, error, why", [
    ("1,,2", ValueError, "an empty element"),
    ("4-2", ValueError, "a run that goes down"),
    ([-1], ValueError, "below zero"),
    ([2**32], OverflowError, "above 32 bits"),
    ([1.5], TypeError, "no whole number"),
    (5, TypeError, "not iterable"),
])
def test_bad_members_are_refused(kind, bad, error, why):
    with pytest.raises(error):
        kind(bad)


def test_a_member_beyond_the_limit_is_reported_with_its_place():
    with pytest.raises(OverflowError, match=r"members\[1\]: 1048576: expected 0 to 1048575"):
        trestle.CoreSet([3, 2**20])
    with pytest.raises(OverflowError, match=r"members: 4294967295: expected 0 to 4294967294"):
        trestle.IndexSet(range(2**32))
    with pytest.raises(ValueError, match=r"members: -3: expected 0"):
        trestle.IndexSet(range(-3, 3))
    assert trestle.NodeSet([2**31]).first() == 2**31


def test_what_can_be_no_member_is_not_in_a_set():
    some = trestle.IndexSet("0-3")
    assert 3 in some and True in some
    assert all(odd not in some for odd in (-1, 4, 2**40, 1.5, "1", None))


@pytest.mark.parametrize("kind", [trestle.IndexSet, trestle.NodeSet])
def test_a_set_of_any_size_is_pickled(kind):
    large = kind(range(3_000_000)) - kind([5])
    assert pickle.loads(pickle.dumps(large)) == large
    assert copy.deepcopy(large) == large
