# SPDX-License-Identifier: Apache-2.0
"""A leader and workers that may share a node, as in shared_nodes.cpp: it prints the same."""
import trestle
from trestle import Cluster, ComponentNodes, DeviceRequest, Exclusivity, Request


def show(what: str, cluster: Cluster, request: Request) -> None:
    """Of each part: its node, the group of the job, its tasks and cores."""
    answer = trestle.place(cluster, request)
    if isinstance(answer, trestle.Refusal):
        print(f"{what}: {answer.reason}")
        return
    parts = []
    for part in answer.nodes:
        group = "leader" if part.component == 0 else "workers"
        parts.append(f"{cluster.name(part.node)} {group} {part.tasks} on cores {part.cores}")
    print(f"{what}: {', '.join(parts)}")


cluster = Cluster.from_text("2 x (8c gpu:2)")
workers = Request(nodes=2, tasks=14, devices=[DeviceRequest(count=2)])
job = Request(components=[workers])  # the leader: one task with one CPU
show("apart", cluster, job)
job = job.replace(component_nodes=ComponentNodes.shared)
show("shared", cluster, job)
whole = workers.replace(exclusivity=Exclusivity.whole_node)
show("whole nodes", cluster, job.replace(components=[whole]))

placement = trestle.place(cluster, job)
assert isinstance(placement, trestle.Placement)
leader = trestle.component_placement(placement, 0)
print("the leader's:", trestle.to_text(leader, cluster))
