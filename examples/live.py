# SPDX-License-Identifier: Apache-2.0
"""A running Slurm and a running Kubernetes from what their commands print: why a job waits, where one starts."""

import pathlib

from trestle import container, place, slurm

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

# kubectl get nodes,pods -A -o json
pods = container.read_kubernetes_cluster((DATA / "kubernetes" / "nodes_and_pods.json").read_text())
for problem in pods.problems:
    print("not in it:", problem)
for pod in pods.waiting:
    placement = place(pods.cluster, pod.request)
    nodes = [pods.cluster.name(part.node) for part in placement.nodes] if placement else placement
    print(f"{pod.name}: {nodes}")
