# SPDX-License-Identifier: Apache-2.0
"""Credentials between a scheduler and its nodes, and what nodes report when they come up."""

import hashlib
import hmac
import pickle

import pytest
import trestle


def signature(content):
    return hmac.new(b"key", content, hashlib.sha256).digest()


@pytest.fixture
def cluster():
    cluster = trestle.Cluster.from_text("2 x (2s4c mem=16G gpu:a100:4)")
    request = trestle.Request(nodes=2, memory=2**30, devices=[trestle.DeviceRequest(count=2)])
    cluster.commit(trestle.Allocation(7, request, trestle.place(cluster, request)))
    return cluster


@pytest.fixture
def credential(cluster):
    return trestle.credential_of(cluster.find_allocation(7), cluster, issued_at=1_790_000_000)


def test_it_comes_back(credential):
    assert trestle.read_credential(trestle.write_credential(credential)) == credential
    text = trestle.write_credential(credential, signature)
    back = trestle.read_credential(text, lambda content, sign: sign == signature(content))
    assert back == credential == pickle.loads(pickle.dumps(credential))
    assert credential.issued_at == 1_790_000_000 and [n.name for n in back.nodes] == ["n0", "n1"]


def test_only_what_was_signed_is_read(credential):
    text = trestle.write_credential(credential, signature)
    with pytest.raises(PermissionError, match="not signed"):
        trestle.read_credential(trestle.write_credential(credential), lambda *_: True)
    with pytest.raises(PermissionError, match="signature is another's"):
        trestle.read_credential(text, lambda *_: False)
    with pytest.raises(ValueError, match="damaged content"):
        trestle.read_credential(text.replace("a100", "h100"))
    with pytest.raises(ZeroDivisionError):
        trestle.write_credential(credential, lambda content: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        trestle.read_credential(text, lambda *_: 1 / 0)


def test_a_node_makes_its_plan(cluster, credential):
    options = trestle.PlanOptions(group="job_7")
    for node in (cluster.node(0), cluster.node(1)):
        part = trestle.part_of(credential, node)
        assert part == cluster.find_allocation(7).placement.nodes[part.node]
        plan = trestle.plan_of(credential, node, trestle.LimitPolicy(), options)
        assert plan.owner == 7 and trestle.limits_of(plan).memory_max == 2**30
    with pytest.raises(LookupError, match="gives nothing of node other"):
        trestle.part_of(credential, cluster.node(0).replace(name="other"))


def test_none_of_what_the_cluster_has_not(cluster):
    allocation = cluster.find_allocation(7)
    parts = [part.replace(node=part.node + 1) for part in allocation.placement.nodes]
    with pytest.raises(ValueError, match="node 2 does not exist, the cluster has 2"):
        trestle.credential_of(
            allocation.replace(placement=allocation.placement.replace(nodes=parts)), cluster)


def test_a_registration_is_held_against_the_description(cluster):
    shape = cluster.node(0).shape
    assert trestle.check_registration(shape, shape, cluster.ledger(0)) == ()
    reported = shape.replace(devices=shape.devices[1:])
    (finding,) = trestle.check_registration(shape, reported, cluster.ledger(0))
    assert str(finding) == "refuse: device_count of gpu: 4 described, 3 reported, owner 7 has it"
    assert finding.issue == trestle.RegistrationIssue.device_count and finding.owners == (7,)
    assert trestle.worst_of([finding]) == trestle.Consequence.refuse
    (finding,) = trestle.check_registration(shape, reported, trestle.NodeLedger(shape))
    assert finding.consequence == trestle.Consequence.drain
