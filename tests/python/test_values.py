# SPDX-License-Identifier: Apache-2.0
"""Values: copies, pickles, comparisons, text. What C++ promises of them holds in Python."""

import copy
import enum
import pickle
import sys
from random import Random

import pytest
import trestle
from arbitrary import arbitrary, type_of
from conftest import STRUCTS, public_classes
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from trestle import testing

SEEDS = st.integers(0, 2**64 - 1)
SCOPE = {name: value for name, value in vars(trestle).items() if not name.startswith("_")}
# repr() names classes alone, so that one of a module may hold one of another.
EVERYTHING = {c.__name__: c for c in public_classes().values() if "." not in c.__qualname__} | SCOPE


def names_for(kind):
    """What repr() of a struct means: names of its module go before those of its fields' modules."""
    names = dict(EVERYTHING)
    for one in [*(type_of(kind, name) for name in kind.__match_args__), kind]:
        if getattr(one, "__module__", "").startswith("trestle"):
            names |= vars(sys.modules[one.__module__])
    return names


def placement_of(seed):
    return trestle.place(testing.any_cluster(seed), trestle.Request())


VALUES = st.one_of(
    SEEDS.map(testing.any_node),
    SEEDS.map(testing.any_request),
    SEEDS.map(placement_of),
    SEEDS.map(lambda seed: testing.any_cluster(seed).parts()),
)


def test_struct_defaults_are_equal_hash_alike_and_differ_from_other_types(struct):
    assert struct() == struct()
    assert hash(struct()) == hash(struct())
    for other in (0, None, "", ()):
        assert struct() != other and not struct() == other


def test_struct_default_pickles_and_copies(struct):
    value = struct()
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(value, protocol)) == value
    assert copy.copy(value) == value == copy.deepcopy(value)


def test_struct_fields_cannot_be_assigned_or_added(struct):
    value = struct()
    for name in [*struct.__match_args__, "no_such_field"]:
        with pytest.raises(AttributeError):
            setattr(value, name, None)


def test_struct_replace_without_changes_is_equal(struct):
    value = struct()
    assert value.replace() == value
    assert value.replace(**{n: getattr(value, n) for n in struct.__match_args__}) == value
    with pytest.raises(TypeError, match="has no field 'no_such_field'"):
        value.replace(no_such_field=1)


def test_struct_constructor_takes_fields_by_position_and_by_name(struct):
    value = struct()
    fields = [getattr(value, name) for name in struct.__match_args__]
    assert struct(*fields) == value == struct(**dict(zip(struct.__match_args__, fields)))
    with pytest.raises(TypeError, match="fields, "):
        struct(*fields, None)
    if fields:
        with pytest.raises(TypeError, match="given twice"):
            struct(fields[0], **{struct.__match_args__[0]: fields[0]})


def is_cut(text):
    """Whether a repr had no room for all of a value."""
    assert len(text) <= 200
    return len(text) > 15 and ("<" in text or text.endswith("...)"))


@given(VALUES)
def test_law_pickle_copy_and_repr_give_an_equal_value(value):
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == value
    assert hash(pickle.loads(pickle.dumps(value))) == hash(value)
    assert is_cut(repr(value)) or eval(repr(value), dict(SCOPE)) == value


@given(VALUES)
def test_law_json_and_back_is_the_same(value):
    if isinstance(value, trestle.Refusal):
        return
    assert type(value).from_json(value.to_json()) == value


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda c: c.__qualname__)
@settings(max_examples=12)
@given(SEEDS)
def test_law_any_struct_comes_back_from_pickle_repr_and_json(kind, seed):
    value = arbitrary(kind, Random(seed))
    assert value == arbitrary(kind, Random(seed))
    assert pickle.loads(pickle.dumps(value)) == value
    assert hash(pickle.loads(pickle.dumps(value))) == hash(value)
    assert is_cut(repr(value)) or eval(repr(value), names_for(kind)) == value
    if kind.__module__ not in ("trestle.dstack", "trestle.translate"):  # whose texts say only what its parser reads
        assert str(value) == str(kind(*(getattr(value, name) for name in kind.__match_args__)))
    if hasattr(kind, "from_json"):
        try:
            back = kind.from_json(value.to_json())
        except ValueError as error:  # a list that is an object of JSON may have a name twice
            assume("a name that stands twice" not in str(error))
            raise
        assert back == value


@given(VALUES, VALUES)
def test_law_equal_values_have_equal_hash_and_text(a, b):
    assert (a == b) == (not a != b)
    if a == b:
        assert hash(a) == hash(b) and str(a) == str(b)


def test_cluster_pickles_with_its_allocations_and_copies_are_independent():
    cluster = trestle.Cluster.from_text("2 x (4c mem=8G gpu:2)")
    request = trestle.Request(devices=[trestle.DeviceRequest("gpu")])
    cluster.commit(trestle.Allocation(7, request, trestle.place(cluster, request)))
    again = pickle.loads(pickle.dumps(cluster))
    assert again == cluster and again.allocations() == cluster.allocations()
    twin = copy.deepcopy(cluster)
    twin.release(7)
    assert twin != cluster and cluster.find_allocation(7) is not None
    assert eval(repr(twin), dict(SCOPE)) == twin


def test_members_outlive_their_owner():
    shape = testing.node_from_text("2s4c mem=8G gpu:a100:2").shape
    device = shape.devices[1]
    del shape
    assert (device.name, device.type, device.index) == ("gpu", "a100", 1)


def test_tuples_go_out_and_any_iterable_goes_in():
    request = trestle.Request(required_nodes=(name for name in ("n0", "n1")))
    assert request.required_nodes == ("n0", "n1")
    with pytest.raises(TypeError):
        trestle.Request(required_nodes="n0")  # a str is an iterable of str, and never meant


def test_nested_changes_need_replace():
    request = trestle.Request()
    with pytest.raises(AttributeError):
        request.topology.is_contiguous = True
    changed = request.replace(topology=request.topology.replace(is_contiguous=True))
    assert changed.topology.is_contiguous and not request.topology.is_contiguous


def test_match_statement_sees_the_fields():
    match trestle.Version(8, 6):
        case trestle.Version(major, minor):
            assert (major, minor) == (8, 6)


def test_versions_are_ordered_as_versions():
    versions = [trestle.Version(9), trestle.Version(8, 10), trestle.Version(8, 6)]
    assert [str(v) for v in sorted(versions)] == ["8.6", "8.10", "9.0"]
    assert versions[0] >= versions[1] > versions[2]


def test_enums_print_their_name_and_their_repr_evaluates():
    enums = [c for c in public_classes().values() if issubclass(c, enum.Enum)]
    assert trestle.Per in enums and trestle.DeviceFile.Kind in enums
    for kind in enums:
        for member in kind:
            if str(member) != "None":  # which is no name in Python: Reason.none
                assert str(member).replace("-", "_").replace(",", "") == member.name.rstrip("_")
            assert pickle.loads(pickle.dumps(member)) is member
            if kind.__module__ == "trestle":
                assert eval(repr(member), dict(SCOPE)) is member


RANGES = [
    # text, value, why
    ("2", trestle.Range.exactly(2), "both ends"),
    ("2..", trestle.Range.at_least(2), "open above"),
    ("..8", trestle.Range.at_most(8), "open below"),
    ("2..8", trestle.Range(2, 8), "two ends"),
]


@pytest.mark.parametrize("text, value, why", RANGES)
def test_ranges_are_those_of_cpp(text, value, why):
    device = trestle.DeviceRequest(count=value)
    assert device.count == value, why
    assert trestle.dstack.parse_count_range(text) == value
    assert eval(repr(value), dict(SCOPE)) == value
    assert pickle.loads(pickle.dumps(value)) == value
    assert (2 in value) == (value.min in (None, 2))


def test_a_plain_value_is_a_range_that_accepts_only_it():
    assert trestle.Request(memory=trestle.gib(2)).memory == trestle.Range.exactly(2 << 30)
    assert trestle.Range().is_open() and trestle.Range.exactly(1).is_single()
    wanted = trestle.DeviceRequest(compute_capability=trestle.Range.at_least(trestle.Version(8)))
    assert wanted.compute_capability.contains(trestle.Version(8, 6))
