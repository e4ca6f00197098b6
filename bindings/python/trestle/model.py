# SPDX-License-Identifier: Apache-2.0
"""Values: sizes, sets, nodes and devices, requests and placements.

    node = trestle.model.node("2s16c2t mem=512G gpu:a100:4")
    request = trestle.model.Request(tasks=2, cpus_per_task=4)

All names are in `trestle` too, where pickles and reprs find them.
"""

from . import (  # noqa: F401
    Allocation, Architecture, Attribute, AttributeTest, BlockTopology, ClusterCount,
    CommonAttribute, Comparison, ComponentNodes, Constraint, ContractViolation, Core, CoreGroup,
    CoreKind, CoreSet, Device, DeviceDescription, DeviceFile, DeviceLink, DeviceRequest,
    DeviceSet, DeviceShare, Distribution, DomainSet, Error, Exclusivity, FeatureCount,
    FeatureExpression, Fleet, FleetPlacement, Gres, HardwareLevel, HardwareTree, Health,
    IndexSet, JobSplit, Linking, MemoryDomain, MemoryKind, MemoryShare, Nearness, Network,
    NetworkBlock, Node, NodeDescription, NodePlacement, NodeSet, NodeShape, NodeState,
    OverSubscribe, Partition, PartitionState, Per, Placement, Prefer, PuSet, Range, Refusal,
    Request, Ring, RingTopology, ShareKind, SliceGeometry, SliceInstance, SliceProfile, Slicing,
    SmallSet, Strictness, Switch, TaskDistribution, TextError, TopologyRequest, Torus,
    TorusShape, TorusTopology, TraceEvent, TreeTopology, Tres, TresCounts, Version, capacity_of,
    component_placement,
    cpus, feature, find_in_hierarchy, find_slice_geometry, gib, kib, make_node, make_nodes,
    matches, mib, node, request, slice_geometries, slice_geometry_for, threads_of, tib, tres_of,
    with_granularity,
)

__all__ = [
    "Allocation", "Architecture", "Attribute", "AttributeTest", "BlockTopology", "ClusterCount",
    "CommonAttribute", "Comparison", "ComponentNodes", "Constraint", "ContractViolation",
    "Core", "CoreGroup", "CoreKind", "CoreSet", "Device", "DeviceDescription", "DeviceFile",
    "DeviceLink", "DeviceRequest", "DeviceSet", "DeviceShare", "Distribution", "DomainSet",
    "Error", "Exclusivity", "FeatureCount", "FeatureExpression", "Fleet", "FleetPlacement",
    "Gres", "HardwareLevel", "HardwareTree", "Health", "IndexSet", "JobSplit", "Linking",
    "MemoryDomain", "MemoryKind", "MemoryShare", "Nearness", "Network", "NetworkBlock", "Node",
    "NodeDescription", "NodePlacement", "NodeSet", "NodeShape", "NodeState", "OverSubscribe",
    "Partition", "PartitionState", "Per", "Placement", "Prefer", "PuSet", "Range", "Refusal",
    "Request", "Ring", "RingTopology", "ShareKind", "SliceGeometry", "SliceInstance",
    "SliceProfile", "Slicing", "SmallSet", "Strictness", "Switch", "TaskDistribution",
    "TextError", "TopologyRequest", "Torus", "TorusShape", "TorusTopology", "TraceEvent",
    "TreeTopology", "Tres", "TresCounts", "Version", "capacity_of", "component_placement",
    "cpus", "feature",
    "find_in_hierarchy", "find_slice_geometry", "gib", "kib", "make_node", "make_nodes",
    "matches", "mib", "node", "request", "slice_geometries", "slice_geometry_for", "threads_of",
    "tib", "tres_of", "with_granularity",
]
