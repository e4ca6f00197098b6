# SPDX-License-Identifier: Apache-2.0
"""The rules of the openb study written down plainly, to compare replays with.

As in "Beware of Fragmentation" (USENIX ATC 2023) and its simulator: best fit and the fragmentation
gradient, what is allocated and what lies in fragments, arrival by arrival.
"""

import collections
import math


class Node:
    def __init__(self, row, rank):
        self.rank, self.model = rank, row.model
        self.cpus, self.memory = row.milli_cpus, row.mebibytes
        self.left = [1000] * row.gpus

    def able(self, pod):
        return [i for i, left in enumerate(self.left) if left >= pod.thousandths]

    def fits(self, pod):
        if self.cpus < pod.milli_cpus or self.memory < pod.mebibytes:
            return False
        has_access = not pod.models or self.model in pod.models
        return pod.gpus == 0 or (has_access and len(self.able(pod)) >= pod.gpus)


def typical_of(pods):
    counts = collections.Counter(
        (pod.milli_cpus, pod.thousandths, pod.gpus, "|".join(pod.models)) for pod in pods)
    covered, typical = 0, []
    for count, kind in sorted(((n, kind) for kind, n in counts.items()), reverse=True):
        if covered * 100 >= 95 * len(pods):
            break
        covered += count
        typical.append((count, kind))
    return [(count / covered, kind) for count, kind in typical]


def fragments(cpus, left, model, typical):
    """F of a node: seven classes, all but `ok` added in the order of the study."""
    both = lacks_gpu = lacks_cpu = cpu_ok = cpu_lacks = no_access = 0.0
    total = sum(left)
    for frequency, (milli_cpus, thousandths, gpus, models) in typical:
        has_cpus = cpus >= milli_cpus
        if gpus == 0:
            cpu_ok += frequency * total if has_cpus else 0
            cpu_lacks += 0 if has_cpus else frequency * total
        elif models and model not in models.split("|"):
            no_access += frequency * total
        else:
            has_gpus = sum(one >= thousandths for one in left) >= gpus
            if has_cpus and has_gpus:
                lacks_gpu += frequency * sum(one for one in left if one < thousandths)
            elif has_gpus:
                lacks_cpu += frequency * total
            elif has_cpus:
                lacks_gpu += frequency * total
            else:
                both += frequency * total
    return both + lacks_gpu + lacks_cpu + cpu_ok + cpu_lacks + no_access


def choices(node, pod):
    """What is left of the devices after each way to take the pod's, best first index first."""
    able = node.able(pod)
    if pod.gpus == 0:
        return [node.left]
    if pod.thousandths == 1000 or pod.gpus > 1:
        able = [able[:pod.gpus]]
    else:
        able = [[at] for at in able]
    return [[left - pod.thousandths if i in taken else left for i, left in enumerate(node.left)]
            for taken in able]


def fgd(node, pod, typical):
    before = fragments(node.cpus, node.left, node.model, typical)
    best = None
    for left in choices(node, pod):
        after = fragments(node.cpus - pod.milli_cpus, left, node.model, typical)
        score = math.trunc(100 / (1 + math.exp(-(before - after) / 1000)))
        gain = before - after
        if best is None or gain > best[1]:
            best = (score, gain, left)
    return best[0], best[2]


def best_fit(node, pod, cpus_max, gpus_max):
    asked = pod.gpus * pod.thousandths
    score = 100 * (1 - 0.5 * (node.cpus - pod.milli_cpus) / cpus_max
                   - 0.5 * (sum(node.left) - asked) / gpus_max)
    ways = choices(node, pod)
    return math.trunc(score), min(ways, key=lambda left: min(
        (a for a, b in zip(node.left, left) if a != b), default=0))


def replay(rows, pods, order, policy):
    """Curves of allocation and fragments, by per cent arrived."""
    nodes = sorted((Node(row, rank) for row, rank in zip(rows, order.ranks)), key=lambda n: n.rank)
    typical = typical_of(pods)
    cpus_max = max(row.milli_cpus for row in rows)
    gpus_max = 1000 * max(row.gpus for row in rows)
    capacity = 1000 * sum(row.gpus for row in rows)
    arrived = given = 0
    allocated, lost = collections.defaultdict(list), collections.defaultdict(list)
    for pod in (pods[at] for at in order.arrivals):
        arrived += pod.gpus * pod.thousandths
        best = None
        for node in nodes:
            if node.fits(pod):
                score, left = (fgd(node, pod, typical) if policy == "fgd"
                               else best_fit(node, pod, cpus_max, gpus_max))
                if best is None or score > best[0]:
                    best = (score, node, left)
        if best:
            _, node, left = best
            node.cpus, node.memory, node.left = (
                node.cpus - pod.milli_cpus, node.memory - pod.mebibytes, left)
            given += pod.gpus * pod.thousandths
        at = round(arrived * 100 / capacity)
        allocated[at].append(round(given * 100 / capacity, 2))
        now = sum(fragments(node.cpus, node.left, node.model, typical) for node in nodes)
        lost[at].append(round(now * 100 / capacity, 2))
    return [{at: round(sum(row) / len(row), 2) for at, row in cells.items()}
            for cells in (allocated, lost)]
