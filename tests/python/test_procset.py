# SPDX-License-Identifier: Apache-2.0
"""A set does what procset.ProcSet does, side by side, and takes and gives NumPy arrays.

What differs is said once: intervals are ranges and not closed pairs, a slice is a set and not a list,
str() has commas, and nothing changes in place.
"""

import itertools

import pytest
import trestle
from hypothesis import given
from hypothesis import strategies as st
from trestle import IndexSet

procset = pytest.importorskip("procset")
numpy = pytest.importorskip("numpy")

MEMBERS = st.frozensets(st.integers(0, 300), max_size=40)
ENDS = st.none() | st.integers(-50, 50)


def pair(members):
    """The same set in both."""
    return IndexSet(members), procset.ProcSet(*members)


def same(ours, theirs):
    return list(ours) == list(theirs) and format(ours, "- ") == str(theirs)


def test_the_example_of_its_readme():
    free_cores = procset.ProcSet((0, 7))
    free_cores -= procset.ProcSet((2, 5))
    ours = IndexSet(range(8))
    ours -= IndexSet(range(2, 6))
    assert format(ours, "- ") == str(free_cores) == "0-1 6-7"


@given(a=MEMBERS, b=MEMBERS, c=MEMBERS)
def test_operators_and_methods(a, b, c):
    (x, p), (y, q), (z, r) = pair(a), pair(b), pair(c)
    assert same(x | y, p | q) and same(x & y, p & q) and same(x - y, p - q) and same(x ^ y, p ^ q)
    assert same(x.union(y, z), p.union(q, r)) and same(x.union(), p.union())
    assert same(x.intersection(y, z), p.intersection(q, r))
    assert same(x.difference(y, z), p.difference(q, r))
    assert same(x.symmetric_difference(y), p.symmetric_difference(q))
    assert x.isdisjoint(y) == p.isdisjoint(q)
    assert x.issubset(y) == p.issubset(q) and x.issuperset(y) == p.issuperset(q)
    assert (x < y, x <= y, x > y, x >= y, x == y) == (p < q, p <= q, p > q, p >= q, p == q)
    x |= y
    p |= q
    assert same(x, p)


@given(members=MEMBERS)
def test_shape(members):
    x, p = pair(members)
    assert len(x) == len(p) and bool(x) == bool(p) and x.count() == p.count()
    assert x.iscontiguous() == p.iscontiguous() and same(x.aggregate(), p.aggregate())
    assert [(run.start, run.stop - 1) for run in x.intervals()] == [tuple(i) for i in p.intervals()]
    assert list(reversed(x)) == list(reversed(p))
    assert format(x, ":/") == format(p, ":/")
    if members:
        assert (x.min, x.max) == (p.min, p.max)


@given(members=MEMBERS, start=ENDS, stop=ENDS, step=st.none() | st.integers(1, 5))
def test_positions_and_slices(members, start, stop, step):
    x, p = pair(members)
    assert list(x[start:stop:step]) == p[start:stop:step]
    for k in (-len(p), -1, 0, len(p) - 1):
        if p:
            assert x[k] == p[k] == x.select(k)
    for k in (len(p), -len(p) - 1):
        for one in (x, p):
            with pytest.raises(IndexError):
                one[k]


@given(members=MEMBERS, k=st.integers(0, 60))
def test_take_is_a_slice_and_select_undoes_rank(members, k):
    x = IndexSet(members)
    assert x.take(k) == x[:k]
    assert all(x.select(x.rank(one)) == one for one in x)


@pytest.mark.parametrize(("text", "more"), [
    ("", {}), ("3", {}), ("0-3 5", {}), ("5 0-3", {}), ("0-4 2-6 9", {}), ("0:3 5", {"insep": ":"}),
    ("0-3,5", {"outsep": ","}), ("0..3".replace("..", "."), {"insep": "."}),
    ("0+3/5", {"insep": "+", "outsep": "/"})])
def test_from_str(text, more):
    ours, theirs = IndexSet.from_str(text, **more), procset.ProcSet.from_str(text, **more)
    assert same(ours, theirs)
    assert IndexSet.from_str(format(ours, "- ")) == IndexSet.from_str(str(ours)) == ours


def test_from_str_takes_commas_too():
    assert IndexSet.from_str("0-3,5") == IndexSet.from_str("0-3 5") == IndexSet("0-3,5")


@pytest.mark.parametrize(("text", "more", "words"), [
    ("0-3 x", {}, "text: not a number at offset 4"), ("3-0", {}, "run goes backwards at offset 0"),
    ("0-3,5", {"outsep": "/"}, "offset 3"), ("0-3", {"insep": ":"}, "offset 1"),
    ("1", {"insep": "--"}, "insep, outsep: expected one character"),
    ("1", {"insep": "/", "outsep": "/"}, "two different ones"), ("1", {"insep": "1"}, "no digit")])
def test_from_str_says_what_is_wrong(text, more, words):
    with pytest.raises(ValueError, match=words):
        IndexSet.from_str(text, **more)


def test_what_an_empty_set_has_not():
    for name in ("min", "max"):
        for empty in (IndexSet(), procset.ProcSet()):
            with pytest.raises(ValueError):
                getattr(empty, name)
    with pytest.raises(ValueError, match="takes? reversed"):
        IndexSet("0-3")[::-1]
    with pytest.raises(ValueError, match="format \"abc\": expected nothing, or two"):
        format(IndexSet("0-3"), "abc")


@pytest.mark.parametrize("kind", [trestle.CoreSet, trestle.NodeSet, IndexSet])
@given(members=st.lists(st.integers(0, 120), max_size=40), dtype=st.sampled_from(
    ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]))
def test_arrays_in_and_out(kind, members, dtype):
    array = numpy.array(members, dtype)
    one = kind(array)
    assert one == kind(members) == kind(array[::-1]) == kind(numpy.repeat(array, 2)[::2])
    out = one.to_numpy()
    assert out.dtype == numpy.uint32 and out.tolist() == sorted(set(members))
    out[:] = 0  # an array of its own
    assert one == kind(members)
    assert numpy.asarray(one, "int64").tolist() == sorted(set(members))


@pytest.mark.parametrize(("array", "error", "words"), [
    (numpy.array([[1, 2]]), ValueError, "members: an array of 2 dimensions, expected 1"),
    (numpy.array(3), ValueError, "members: an array of 0 dimensions, expected 1"),
    (numpy.array([1.0, numpy.nan]), TypeError, "members: .*expected integers"),
    (numpy.array([True]), TypeError, "members: .*expected integers"),
    (numpy.array(["1"]), TypeError, r"members\[0\]: expected int, got str_"),
    (numpy.array([4, -1]), ValueError, r"members\[1\]: -1, expected 0 to 4294967294"),
    (numpy.array([2**32 - 1]), ValueError, r"members\[0\]: 4294967295, expected 0 to 4294967294"),
    (numpy.array([2**63], "uint64"), ValueError, r"members\[0\]: 9223372036854775808, expected")])
def test_arrays_that_are_no_sets(array, error, words):
    with pytest.raises(error, match=words):
        IndexSet(array)


SWITCHES = [IndexSet(range(8)), IndexSet(range(8, 16))]
NODES = [IndexSet(range(4 * n, 4 * n + 4)) for n in range(4)]
CORES = [IndexSet([core]) for core in range(16)]


def oar(available, levels):
    """What such a request comes to, by trying all choices of blocks in order."""
    (blocks, count), rest = levels[0], levels[1:]
    for chosen in itertools.combinations(blocks, count):
        parts = [oar(available & block, rest) if rest else block for block in chosen]
        if all(part is not None and part <= available for part in parts):
            return IndexSet().union(*parts)
    return None


@given(members=st.frozensets(st.integers(0, 15)), switches=st.integers(1, 2),
       nodes=st.integers(1, 2), cores=st.integers(1, 4))
def test_hierarchies_are_what_all_choices_in_order_find_first(members, switches, nodes, cores):
    available = IndexSet(members)
    levels = [(SWITCHES, switches), (NODES, nodes), (CORES, cores)]
    assert trestle.find_in_hierarchy(available, levels) == oar(available, levels)
    assert trestle.find_in_hierarchy(available, levels[:2]) == oar(available, levels[:2])


@pytest.mark.parametrize(("levels", "error", "words"), [
    ([], ValueError, "levels: none"), ([(NODES, 0)], ValueError, r"levels\[0\].count: 0"),
    ([(NODES, 1), 3], TypeError, r"levels\[1\]: expected a tuple \(blocks, count\)"),
    ([([IndexSet("0-3"), IndexSet("3-4")], 1)], ValueError, r"levels\[0\].blocks overlap"),
    ([(NODES, -1)], ValueError, "-1"), ([(["0-3"], "x")], TypeError, "x|str")])
def test_hierarchies_that_are_none(levels, error, words):
    with pytest.raises(error, match=words):
        trestle.find_in_hierarchy(IndexSet("0-15"), levels)


@pytest.mark.parametrize("function", ["union", "intersection", "difference"])
@pytest.mark.parametrize("other", [5, {5}, "5", None, trestle.CoreSet("5")])
def test_only_sets_of_the_class_are_merged(function, other):
    some = trestle.IndexSet("0-3")
    with pytest.raises(TypeError, match=r"others\[1\]: expected IndexSet, got"):
        getattr(some, function)(some, other)


@pytest.mark.parametrize("text, insep, outsep, why", [
    ("0-3 5", "-", ",", "' ' at offset 3, expected '-' within an interval and ',' between two"),
    ("0-3 5", ":", None, "'-' at offset 1, expected ':' within an interval and ',' or a blank"),
])
def test_other_separators_are_distinguished_in_the_callers_own_words(text, insep, outsep, why):
    with pytest.raises(ValueError, match=why):
        trestle.IndexSet.from_str(text, insep, outsep)


def test_arrays_of_any_integers():
    for array in (numpy.array([1, 2], dtype=">i4"), numpy.array([1, 2], dtype=object),
                  numpy.array([(1, 9), (2, 9)], dtype="i8,i8")["f0"]):
        assert trestle.IndexSet(array) == trestle.IndexSet("1-2")
    assert trestle.IndexSet(numpy.array([])) == trestle.IndexSet()
    with pytest.raises(TypeError, match="float64, expected integers"):
        trestle.IndexSet(numpy.array([1.0]))
    with pytest.raises(TypeError, match="bool, expected integers; numpy.flatnonzero"):
        trestle.IndexSet(numpy.array([True]))


def test_an_array_of_a_set_is_always_a_copy():
    some = trestle.IndexSet("1-3")
    with pytest.raises(ValueError, match="copy"):
        numpy.array(some, copy=False)
    assert numpy.asarray(some, dtype=numpy.int64).dtype == numpy.int64


@pytest.mark.parametrize("levels, error, why", [
    ([([trestle.IndexSet("0-3")], -1)], ValueError, r"levels\[0\].count: -1: expected 0 to"),
    ([([trestle.IndexSet("0-3")], 1), ([trestle.IndexSet("0"), 5], 1)], TypeError,
     r"levels\[1\].blocks\[1\]: expected IndexSet, got int"),
    ([[[trestle.IndexSet("0-3")], 1]], TypeError, r"levels\[0\]: expected a tuple"),
    ([([trestle.IndexSet("0-3")], 1)] * 65, ValueError, "levels: 65, expected at most 64"),
])
def test_a_bad_level_is_reported_with_its_place(levels, error, why):
    with pytest.raises(error, match=why):
        trestle.find_in_hierarchy(trestle.IndexSet("0-7"), levels)
