# SPDX-License-Identifier: Apache-2.0
"""Nodes from descriptions: the same nodes as from lines of text, and errors that say what is wrong."""

import pytest
import trestle
from trestle import (Attribute, CoreSet, DeviceDescription, Health, Linking, Nearness, NodeDescription,
                     NodeState, ShareKind, testing)

GIB = 2**30


@pytest.mark.parametrize(("description", "line", "why"), [
    (NodeDescription(), "1c", "defaults"),
    (NodeDescription(name="n0", packages=2, cores_per_package=16, threads_per_core=2, memory=512 * GIB,
                     devices=[DeviceDescription("gpu", "a100", 8, memory=80 * GIB, linking=Linking.all),
                              DeviceDescription("nic", count=2)]),
     "2s16c2t mem=512G gpu:a100-80G:8@nvlink nic:2 name=n0", "GPUs and NICs spread over the packages"),
    (NodeDescription(packages=2, cores_per_package=4, domains_per_package=2, l3_per_package=4,
                     system_cores=CoreSet("0-1"), high_bandwidth=64 * GIB),
     "2s4c numa=2 l3=4 system=0-1 hbm=64G", "levels below a package and cores of the system"),
    (NodeDescription(packages=2, devices=[
        DeviceDescription("gpu", nearness=Nearness.package, package=1, health=Health.failure),
        DeviceDescription("gpu", nearness=Nearness.anywhere, slice_geometry="a30-24gb")]),
     "2s1c gpu:1@s1@failure gpu:1@any@slices=a30-24gb", "near one package, near all cores, slices"),
    (NodeDescription(features=["ib"], weight=3, state=NodeState.drained),
     "1c features=ib weight=3 state=drained", "the node itself"),
])
def test_a_description_makes_the_node_of_the_equivalent_line(description, line, why):
    node = trestle.make_node(description)
    assert node == testing.node_from_text(line), why
    trestle.check(node.shape)
    assert NodeDescription.from_json(description.to_json()) == description


def test_fields_that_a_line_cannot_express():
    node = trestle.make_node(NodeDescription(
        memory=8 * GIB, system_memory=GIB,
        devices=[DeviceDescription("gpu", vendor="nvidia", attributes=[Attribute("driver", "550")]),
                 DeviceDescription("lic", shares=8, share_kind=ShareKind.unit, is_explicit=True)]))
    assert node.shape.devices[0].vendor == "nvidia"
    assert node.shape.devices[0].attributes == (Attribute("driver", "550"),)
    assert node.shape.devices[0].share_kind == ShareKind.part
    assert node.shape.devices[0].neuron_cores is None
    assert node.shape.devices[1].share_kind == ShareKind.unit
    assert node.shape.devices[1].is_explicit
    assert node.shape.ordinary_memory() == 7 * GIB
    assert testing.node_to_text(node) is None


@pytest.mark.parametrize(("description", "error"), [
    (NodeDescription(name="n0", packages=0), "node n0: packages=0, expected 1 to 1024"),
    (NodeDescription(cores_per_package=10**9), "cores_per_package=1000000000, expected 1 to 65536"),
    (NodeDescription(cores_per_package=8, l3_per_package=3), "expected a divisor of cores_per_package=8"),
    (NodeDescription(devices=[DeviceDescription("gpu", count=0)]), r"devices\[0\] \(gpu\): count=0"),
    (NodeDescription(devices=[DeviceDescription("gpu", slice_geometry="x")]), "expected one of a100-40gb"),
])
def test_errors_name_the_field_and_what_is_expected(description, error):
    with pytest.raises(ValueError, match=error):
        trestle.make_node(description)


@pytest.mark.parametrize("count", [-1, 2**32, 1.5])
def test_numbers_that_are_no_counts_never_reach_a_description(count):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        NodeDescription(packages=count)


def test_numbered_nodes_make_a_cluster():
    nodes = trestle.make_nodes(NodeDescription(name="n", cores_per_package=4), 3)
    assert [node.name for node in nodes] == ["n0", "n1", "n2"]
    cluster = trestle.Cluster.create(trestle.ClusterParts(nodes=nodes))
    assert cluster == trestle.Cluster.from_text("3 x (4c)")
    with pytest.raises(ValueError, match="1000000000 nodes n, expected at most 1048576"):
        trestle.make_nodes(NodeDescription(name="n"), 10**9)
