# SPDX-License-Identifier: Apache-2.0
"""What jobs may ask of a cluster: features, lists of counts, groups of nodes; what partitions refuse."""

import copy
import itertools
import pickle

import pytest
import trestle
from trestle import FeatureExpression, NodeSet, Partition, Range, Request, feature, matches

MATCHES = [
    # expression, features that meet it, features that do not, why
    (FeatureExpression(), "", None, "nothing is asked"),
    ("a&b", "ab", "a", "and"),
    ("a|b", "b", "c", "or"),
    ("!a", "b", "ab", "not"),
    (["a", "b"], "ab", "b", "names are all wanted"),
    (feature("a") & ~(feature("b") | feature("c")), "a", "ac", "operators"),
]


@pytest.mark.parametrize("given, met, not_met, why", MATCHES)
def test_features_are_those_of_cpp(given, met, not_met, why):
    expression = Request(features=given).features
    assert expression == FeatureExpression(given), why
    assert matches(expression, tuple(met)), why
    assert not_met is None or not matches(expression, tuple(not_met)), why


def test_an_expression_has_its_names():
    assert FeatureExpression("a&(b|!a)").names() == ("a", "b", "a")
    assert FeatureExpression().names() == ()


def test_law_operators_are_those_of_bool():
    names = ("a", "b")
    for left, right in itertools.product(map(feature, names), repeat=2):
        for n in range(3):
            for features in itertools.combinations(names, n):
                a, b = matches(left, features), matches(right, features)
                assert matches(left & right, features) == (a and b)
                assert matches(left | right, features) == (a or b)
                assert matches(~left, features) == (not a)


def test_features_are_values():
    expression = FeatureExpression("a & (b | !c)")
    assert str(expression) == "a&(b|!c)" and repr(expression) == "FeatureExpression('a&(b|!c)')"
    assert eval(repr(expression)) == expression == FeatureExpression(expression)
    assert pickle.loads(pickle.dumps(expression)) == expression == copy.deepcopy(expression)
    assert hash(expression) == hash(FeatureExpression("a&(b|!c)"))
    assert FeatureExpression() == FeatureExpression("") == FeatureExpression([])
    assert FeatureExpression().is_empty() and not expression.is_empty()
    assert expression != "a&(b|!c)"
    assert eval(repr(feature("it's \"so\""))) == feature("it's \"so\"")


def test_bad_features_are_named_with_their_place():
    with pytest.raises(ValueError, match=r'^malformed feature expression at offset 2 \("b"\)'):
        FeatureExpression("a b")
    with pytest.raises(ValueError, match=r"^feature_sets\[1\]: malformed feature expression"):
        Request(feature_sets=["a", "a&"])
    with pytest.raises(TypeError):
        Request(features=[1])
    with pytest.raises(TypeError):
        feature("a") & "b"
    with pytest.raises(trestle.ContractViolation, match="what every node meets is not negated"):
        ~FeatureExpression()


def test_groups_of_nodes_are_requests():
    worker = Request(nodes=Range(min=1), node_counts=[2, 4], features="gpu")
    job = Request(components=[worker], cluster_counts=[trestle.ClusterCount("matlab", 2)])
    trestle.check(job)
    assert job.components == (worker,)
    assert Request.from_json(job.to_json()) == job == pickle.loads(pickle.dumps(job))
    with pytest.raises(ValueError, match=r"^components\[0\]: time_limit"):
        trestle.check(Request(components=[Request(components=[worker])]))
    with pytest.raises(ValueError, match="^cluster_counts: "):
        trestle.check(Request(cluster_counts=[trestle.ClusterCount("b"), trestle.ClusterCount("a")]))


def test_a_partition_has_limits():
    batch = Partition("batch", NodeSet(range(8)), nodes_per_job=Range(max=4), max_time=3600,
                      default_time=60)
    trestle.check(batch)
