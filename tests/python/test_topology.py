# SPDX-License-Identifier: Apache-2.0
"""Networks of several topologies, and what a request asks of them."""

import pytest
import trestle
from trestle import testing


def five_nodes():
    return trestle.Network(
        trees=[trestle.TreeTopology("tree", [
            trestle.Switch("top"),
            trestle.Switch("a", 0, trestle.NodeSet([0, 1, 2])),
            trestle.Switch("b", 0, trestle.NodeSet([3, 4]))])],
        blocks=[trestle.BlockTopology("blocks", [
            trestle.NetworkBlock("rack", trestle.NodeSet([0, 1, 2, 3]))], [4, 16])],
        toruses=[trestle.TorusTopology("torus", [
            trestle.Torus("t", trestle.TorusShape(2, 2), [0, 1, None, 4])])],
        rings=[trestle.RingTopology("ring", [trestle.Ring("r", [4, 0, 2])])])


def test_a_network_goes_in_and_comes_out():
    network = five_nodes()
    trestle.check(network)
    assert network.toruses[0].toruses[0].nodes == (0, 1, None, 4)
    assert network.rings[0].rings[0].nodes == (4, 0, 2)
    assert network.replace(rings=()) != network
    assert not network.is_empty() and trestle.Network().is_empty()
    assert trestle.Network.from_json(network.to_json()) == network


def test_a_torus_has_a_volume():
    assert trestle.TorusShape(2, 3, 4).volume() == 24
    assert trestle.TorusShape(2**31, 2**31).volume() is None


def test_faults_are_named():
    network = five_nodes()
    with pytest.raises(ValueError, match="topology tree: the name stands twice"):
        trestle.check(network.replace(rings=[trestle.RingTopology("tree")]))
    with pytest.raises(ValueError, match="torus t: 4 places, expected 2 x 2 x 2"):
        torus = network.toruses[0].toruses[0].replace(shape=trestle.TorusShape(2, 2, 2))
        trestle.check(network.replace(toruses=[trestle.TorusTopology("torus", [torus])]))


def test_a_request_asks_for_a_shape():
    topology = trestle.TopologyRequest(shape=trestle.TorusShape(2, 2, 1))
    trestle.check(trestle.Request(nodes=4, topology=topology))
    with pytest.raises(ValueError, match="as many places as nodes"):
        trestle.check(trestle.Request(nodes=3, topology=topology))


def test_a_line_makes_a_tree_and_blocks():
    network = testing.cluster_from_text("6 x (4c) 2 per switch 3 per block").parts().network
    assert [switch.name for switch in network.trees[0].switches] == ["top", "s0", "s1", "s2"]
    assert [block.name for block in network.blocks[0].blocks] == ["b0", "b1"]
