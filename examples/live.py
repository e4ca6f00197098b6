# SPDX-License-Identifier: Apache-2.0
"""A running Slurm and a running Kubernetes from what their commands print: why a job waits, where one starts."""

import pathlib

from trestle import container, slurm

DATA = pathlib.Path(__file__).parents[1] / "tests" / "data"

# scontrol show nodes --json, squeue --json; slurm.conf and gres.conf as the controller has them
answers = DATA / "slurm-live" / "24.11"
live = slurm.read_live_cluster(
    slurm.load_cluster(str(DATA / "slurm-live")),
    nodes=(answers / "nodes.json").read_text(),
    jobs=(answers / "squeue.json").read_text(),
)
print(f"{len(live.running)} jobs run, {len(live.problems)} problems")
print(slurm.why(live, 6), end="")
print(slurm.where(live, "-p gpu --gres=gpu:1"), end="")

# kubectl get nodes,pods,jobs -A -o json
pods = container.read_kubernetes_cluster((DATA / "kubernetes" / "with_deadlines.json").read_text())
for problem in pods.problems:
    print("not in it:", problem)
for pod, start in zip(pods.waiting, container.pod_starts(pods, pods.waiting)):
    if start.starts_in is None:
        print(f"{pod.name}: {start.why}")
    else:
        nodes = [pods.cluster.name(part.node) for part in start.placement.nodes]
        print(f"{pod.name}: in {start.starts_in} s on {', '.join(nodes)}")
