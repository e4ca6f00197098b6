# SPDX-License-Identifier: Apache-2.0
"""Jobs that are split unevenly over nodes, as in uneven_job.cpp: it prints the same."""
import trestle
from trestle import Cluster, DeviceRequest, JobSplit, Per, Range, Request, TaskDistribution


def show(what: str, cluster: Cluster, request: Request) -> None:
    """The tasks of each node, and its devices behind a +."""
    answer = trestle.place(cluster, request)
    if isinstance(answer, trestle.Refusal):
        print(f"{what}: {answer.reason}")
        return
    parts = []
    for part in answer.nodes:
        devices = f"+{len(part.devices)}" if part.devices else ""
        parts.append(f"{cluster.name(part.node)} {part.tasks}{devices}")
    print(f"{what}: {', '.join(parts)}")


cores = Cluster.from_text("(2c); (8c)")
show("10 tasks", cores, Request(nodes=Range(1, 2), tasks=10))
show("11 tasks", cores, Request(nodes=Range(1, 2), tasks=11))
show("4 tasks", cores, Request(nodes=2, tasks=4))
packed = TaskDistribution(split=JobSplit.packed)
show("packed", cores, Request(nodes=2, tasks=4, distribution=packed))
show("6 tasks", cores, Request(nodes=2, tasks=6))
show("3 on each node", cores, Request(nodes=2, tasks=6, tasks_per_node=3))

gpus = Cluster.from_text("(4c gpu:1); (4c gpu:2)")
show("3 GPUs", gpus, Request(nodes=2, devices=[DeviceRequest(count=3, per=Per.job)]))
