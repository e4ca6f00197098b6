# SPDX-License-Identifier: Apache-2.0
"""A cluster as a value, as in a_cluster.cpp: it prints the same."""
import copy

import trestle


def training(nodes: int) -> trestle.Request:
    """So many nodes with eight GPUs each, below as few switches as will do."""
    return trestle.Request(nodes=nodes, devices=[trestle.DeviceRequest(count=8)],
                           topology=trestle.TopologyRequest(switches_max=2))


def nodes_of(placement: trestle.Placement | trestle.Refusal) -> str:
    if isinstance(placement, trestle.Refusal):
        return f"no ({placement})"
    return f"nodes {trestle.NodeSet(part.node for part in placement.nodes)}"


cluster = trestle.Cluster.from_text("64 x (2s32c mem=1T gpu:h100:8) 8 per switch")
placer = trestle.Placer(policy=trestle.Policy.best_fit)  # remembers what the nodes said

for job in range(1, 5):
    request = training(4 * job)
    placement = placer.place(cluster, request)
    print(f"job {job}: {nodes_of(placement)}")
    if isinstance(placement, trestle.Placement):
        cluster.commit(trestle.Allocation(job, request, placement))

large = training(20)
print(f"20 nodes: {nodes_of(placer.place(cluster, large))}")
print(trestle.explain(cluster, large, placer.options()))

before = copy.copy(cluster)  # shares all that does not change
with cluster.trial():
    cluster.release(4)
    cluster.set_node_state(63, trestle.NodeState.drained)
    print(f"without job 4 and node 63, 12 nodes: {nodes_of(placer.place(cluster, training(12)))}")
print(f"undone: {str(cluster == before).lower()}")
