# SPDX-License-Identifier: Apache-2.0
"""The decision: which nodes, cores, devices and memory a request gets, or why it gets none."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .choice import NoFit, Pick, Question, TooManySwitches
from .choose_nodes import choose
from .conf import Cluster, Node, Parameters, Partition
from .devices import Host, choose_devices, taken_gres, whole_node
from .node_fit import Offer, charged_threads, offer
from .options import Job, Refused, in_partition, read_job
from .state import ClusterState, Free, NodeTaken, unused
from .tasks import NodeShare, choose_cores, distribute


@dataclass(frozen=True)
class Decision:
    verdict: str  # "allocated" | "pending" | "refused"
    reason: str = ""
    nodes: tuple[NodeTaken, ...] = ()


def select(state: ClusterState, opts: str) -> Decision:
    """What Slurm would answer to `sbatch <opts>` now. The state is not changed."""
    cluster = state.cluster
    try:
        job = read_job(opts, cluster)
    except Refused as refusal:
        return Decision("refused", str(refusal))
    answers = []
    for name in job.partitions or (None,):
        partition = cluster.partition_named(name)
        if partition is None:
            return Decision("refused", "no partition")
        answer = _in_partition(state, job, partition)
        if answer.verdict == "allocated":
            return answer
        answers.append(answer)
    rank = {"pending": 0, "refused": 1}
    return min(answers, key=lambda a: (rank[a.verdict], a.reason != "Resources"))


def _in_partition(state: ClusterState, job: Job, partition: Partition) -> Decision:
    cluster = state.cluster
    smallest = min(cluster.nodes[i].memory for i in partition.nodes)
    job = in_partition(job, partition, cluster.parameters, smallest)
    job = _fill_contiguous(cluster, job)
    if len(job.required) > (job.max_nodes or len(job.required)):
        return Decision("refused", "the required nodes lie too far apart")
    if not _within_limits(cluster, job, partition):
        return Decision("pending", "PartitionConfig")
    for alternative in _feature_alternatives(job):
        try:
            taken = _now(state, alternative, partition)
        except TooManySwitches:
            return Decision("pending", "Resources")
        if taken is not None:
            return Decision("allocated", "", taken)
    if any(_ever(cluster, a, partition) for a in _feature_alternatives(job)):
        return Decision("pending", "Resources")
    return Decision("refused", "no set of nodes can serve it")


def _within_limits(cluster: Cluster, job: Job, partition: Partition) -> bool:
    """Bounds that make a request wait for another partition configuration."""
    nodes = [cluster.nodes[i] for i in partition.nodes]
    limit = partition.max_cpus_per_node
    each = partition.max_cpus_per_socket or 1 << 30
    cpus = sum(min(n.cores * n.threads, limit or 1 << 30, n.sockets * each) for n in nodes)
    if job.min_cpus > cpus or job.min_nodes > len(nodes):
        return False
    if partition.max_nodes is not None and job.min_nodes > partition.max_nodes:
        return False
    if job.max_nodes is not None and job.max_nodes < partition.min_nodes:
        return False
    if partition.max_mem_per_node is not None:
        memory = job.memory or 0
        if job.mem_per_cpu is not None:
            on_one = job.min_cpus if job.max_nodes == 1 else 1
            per_node = job.ntasks_per_node * job.cpus_per_task
            memory = job.mem_per_cpu * max(on_one, per_node, job.min_cpus_per_node)
        if memory > partition.max_mem_per_node:
            return False
    return True


def _fill_contiguous(cluster: Cluster, job: Job) -> Job:
    """--contiguous requires every node between the first and the last required one."""
    if not job.contiguous or not job.required:
        return job
    inside = [n.index for n in cluster.nodes if n.name in job.required]
    names = tuple(n.name for n in cluster.nodes[min(inside) : max(inside) + 1])
    return replace(job, required=names)


# --- features ---------------------------------------------------------------------------


def _feature_alternatives(job: Job) -> list[Job]:
    """`[a|b]`: all nodes a, or all nodes b. Other expressions are one alternative."""
    text = job.features
    if text.startswith("[") and "|" in text and "*" not in text:
        return [replace(job, features=f) for f in text[1:-1].split("|")]
    return [job]


def _has_features(node: Node, text: str) -> bool:
    if not text or "*" in text:
        return True
    if "|" in text:
        return any(_has_features(node, part) for part in text.split("|"))
    return all(part in node.features for part in text.split("&"))


def _counted_features(job: Job) -> list[tuple[str, int]]:
    """`[a*1&b*2]` as (feature, node count)."""
    if "*" not in job.features:
        return []
    pairs = (part.split("*") for part in job.features.strip("[]").split("&"))
    return [(name, int(count)) for name, count in pairs]


# --- the choice -------------------------------------------------------------------------


def _candidates(cluster: Cluster, job: Job, partition: Partition) -> list[Node]:
    return [
        cluster.nodes[i]
        for i in sorted(partition.nodes)
        if cluster.nodes[i].name not in job.excluded
        and _has_features(cluster.nodes[i], job.features)
    ]


def _question(
    cluster: Cluster, job: Job, partition: Partition, offers: dict[int, Offer]
) -> Question:
    most = min(job.max_nodes or 1 << 30, partition.max_nodes or 1 << 30)
    if job.ntasks is not None and not job.ntasks_per_node:
        most = min(most, job.ntasks)
    required = tuple(n.index for n in cluster.nodes if n.name in job.required)
    return Question(
        job=job,
        nodes=cluster.nodes,
        offers=offers,
        required=required,
        min_nodes=job.min_nodes,
        max_nodes=most,
        wanted_nodes=min(job.wanted_nodes, most),
        switches=cluster.switches,
        parameters=cluster.parameters,
        lln=cluster.parameters.lln or partition.lln,
    )


def _offers(
    nodes: list[Node], free: dict[int, Free], job: Job, partition: Partition, rules: Parameters
) -> dict[int, Offer]:
    found = {}
    for node in nodes:
        answer = offer(
            node,
            free[node.index],
            job,
            rules,
            partition.max_cpus_per_node,
            partition.max_cpus_per_socket,
        )
        if answer is not None:
            found[node.index] = answer
    return found


def _pick(
    cluster: Cluster, job: Job, partition: Partition, free: dict[int, Free]
) -> dict[int, Pick] | None:
    nodes = _candidates(cluster, job, partition)
    for feature, count in _counted_features(job):
        having = [n for n in nodes if feature in n.features]
        part = replace(job, features="", min_nodes=count, max_nodes=count, wanted_nodes=count)
        part = replace(part, ntasks=None, required=())
        offers = _offers(having, free, part, partition, cluster.parameters)
        try:
            picks = choose(_question(cluster, part, partition, offers))
        except NoFit:
            return None
        names = tuple(cluster.nodes[i].name for i in picks)
        job = replace(job, required=(*job.required, *names))
    offers = _offers(nodes, free, job, partition, cluster.parameters)
    question = _question(cluster, job, partition, offers)
    if any(i not in offers for i in question.required) or len(offers) < job.min_nodes:
        return None
    try:
        return choose(question)
    except NoFit:
        return None


def _ever(cluster: Cluster, job: Job, partition: Partition) -> bool:
    """Would the choice of nodes succeed if nothing ran? Cores, devices, memory are not tried."""
    empty = {n.index: unused(n) for n in cluster.nodes}
    try:
        return _pick(cluster, job, partition, empty) is not None
    except TooManySwitches:
        return True


def _now(state: ClusterState, job: Job, partition: Partition) -> tuple[NodeTaken, ...] | None:
    cluster = state.cluster
    free = dict(enumerate(state.free(partition.name)))
    picks = _pick(cluster, job, partition, free)
    if picks is None:
        return None
    order = sorted(picks)
    chosen = [picks[i] for i in order]
    shares = [_share(cluster.nodes[p.node], p, job, free[p.node]) for p in chosen]
    placed = distribute(job, shares)
    if placed is None:
        return None
    hosts = []
    for share, place in zip(shares, placed):
        cores = share.cores
        if not job.whole_node:
            cores = choose_cores(share.node, cores, place, job, cluster.parameters)
        cpus = max(place.cpus, place.gres_cpus)
        hosts.append(Host(share.node, free[share.node.index], cores, place.tasks, cpus))
    if job.exclusive:
        for host in hosts:
            whole_node(host)
    if not choose_devices(job, hosts, cluster.parameters.least_loaded_device):
        return None
    return _with_memory(job, hosts, cluster.parameters, partition)


def _share(node: Node, pick: Pick, job: Job, free: Free) -> NodeShare:
    limit = pick.narrowed.max_tasks if pick.narrowed.hard_task_limit else None
    least = max(pick.narrowed.gres_min_cpus, min(pick.narrowed.bound_cpus, pick.cpus))
    return NodeShare(node, pick.narrowed.cores, pick.cpus, limit, least)


def _with_memory(
    job: Job, hosts: list[Host], parameters: Parameters, partition: Partition
) -> tuple[NodeTaken, ...] | None:
    """Memory is settled last; a node that cannot hold it fails the whole attempt."""
    result = []
    for host in hosts:
        memory = _memory(job, host, parameters)
        if memory > host.free.memory:
            return None
        result.append(
            NodeTaken(host.node.index, host.cores, memory, taken_gres(host), partition.name)
        )
    return tuple(result)


def _memory(job: Job, host: Host, parameters: Parameters) -> int:
    if job.mem_per_gpu is not None:
        return job.mem_per_gpu * len(host.taken.get("gpu", {}))
    if job.mem_per_cpu is not None:
        if parameters.consumable == "cpu" and not job.whole_node:
            return job.mem_per_cpu * host.cpus
        threads = charged_threads(host.node, job)
        return job.mem_per_cpu * (len(host.cores) * threads - job.thread_spec)
    return job.memory or host.node.memory


__all__ = ["Decision", "select"]
