# SPDX-License-Identifier: Apache-2.0
"""Recorded decisions of a real Slurm: entered as they are, and answered in the same words."""

import copy
import json
import re

import pytest
from data_folders import recordings
from trestle import slurm

CONF = """
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu,widget
DefMemPerCPU=1000
NodeName=n[0-3] Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=64000 Gres=gpu:4,widget:3
PartitionName=p Nodes=ALL Default=YES
"""
GRES = "NodeName=n[0-3] Name=gpu File=/dev/nvidia[0-3]\n"

# Without suspects: what the recording has of each, and what we give of it.
FIELDS = ("nodes", "raw", "over_subscribe", "cpus_per_task", "tres", "num_nodes", "num_cpus",
          "num_tasks", "node_list", "req_tres", "reason")


@pytest.fixture
def controller():
    return slurm.Controller(slurm_conf=CONF, gres_conf=GRES)


def test_names_of_no_type_and_bare_counts_are_as_recorded(controller):
    decision = controller.submit("--gres=gpu:2,widget:3")
    assert decision.to_dict()["nodes"] == [{
        "node": "n0", "cpu_ids": [0, 1], "mem_mb": 2000, "gres": [
            {"name": "gpu", "type": None, "count": 2, "idx": [0, 1]},
            {"name": "widget", "type": None, "count": 3}]}]
    after = controller.cluster()
    controller.release(decision)
    controller.adopt(decision.to_dict())
    assert [(s.cores, s.devices) for s in controller.cluster().find_allocation(2).placement.nodes] \
        == [(s.cores, s.devices) for s in after.find_allocation(1).placement.nodes]
    controller.adopt({"nodes": [{"node": "n1", "cpu_ids": (), "mem_mb": 0, "gres": [
        {"name": "gpu", "count": 1, "idx": [2], "detail": None}]}]})
    assert controller.submit("-w n1 --gres=gpu:4").answer == slurm.Answer.pending


def recorded(**changes):
    node = {"node": "n0", "cpu_ids": [0, 1], "mem_mb": 2000, "gres": []}
    return {"nodes": [node | changes]}


def of_gres(**changes):
    return recorded(gres=[{"name": "gpu", "type": None, "count": 2, "idx": [0, 1]} | changes])


@pytest.mark.parametrize("result, message", [
    ({}, r"^nodes: expected list, got NoneType"),
    ({"status": "pending", "reason": "Resources"}, r"^nodes: expected list"),
    ({"nodes": 3}, r"^nodes: expected list, got int"),
    ({"nodes": "n0"}, r"^nodes: expected list, got str"),
    ({"nodes": {"n0": 1}}, r"^nodes: expected list, got dict"),
    ({"nodes": ["n0"]}, r"^nodes\[0\]: expected dict, got str"),
    ({"nodes": [{}]}, r"^nodes\[0\].node: "),
    (recorded(node=None), r"^nodes\[0\].node: .*str"),
    (recorded(node=7), r"^nodes\[0\].node: .*str"),
    (recorded(node="\ud800"), r"^nodes\[0\].node: "),
    (recorded(node="nowhere"), r"unknown node nowhere"),
    (recorded(cpu_ids=None), r"^nodes\[0\].cpu_ids: expected list"),
    (recorded(cpu_ids="0-1"), r"^nodes\[0\].cpu_ids: expected list"),
    (recorded(cpu_ids=[0, "1"]), r"^nodes\[0\].cpu_ids\[1\]: "),
    (recorded(cpu_ids=[-1]), r"^nodes\[0\].cpu_ids\[0\]: -1"),
    (recorded(cpu_ids=[2 ** 70]), r"^nodes\[0\].cpu_ids\[0\]: "),
    (recorded(cpu_ids=[2 ** 32 - 1]), r"^nodes\[0\].cpu_ids\[0\]: 4294967295"),
    (recorded(cpu_ids=[2 ** 20 - 1]), r"CPU 1048575 does not exist"),
    (recorded(mem_mb=None), r"^nodes\[0\].mem_mb: "),
    (recorded(mem_mb="2G"), r"^nodes\[0\].mem_mb: "),
    (recorded(mem_mb=1.5), r"^nodes\[0\].mem_mb: "),
    (recorded(mem_mb=-1), r"^nodes\[0\].mem_mb: -1"),
    (recorded(mem_mb=2 ** 62), r"^nodes\[0\].mem_mb: .*too much"),
    (recorded(mem_mb=2 ** 80), r"^nodes\[0\].mem_mb: "),
    (recorded(gres=None), r"^nodes\[0\].gres: expected list"),
    (recorded(gres=[None]), r"^nodes\[0\].gres\[0\]: expected dict"),
    (recorded(gres=[{}]), r"^nodes\[0\].gres\[0\].name: "),
    (of_gres(name=None), r"^nodes\[0\].gres\[0\].name: "),
    (of_gres(name="tpu"), r"there is no tpu"),
    (of_gres(type=5), r"^nodes\[0\].gres\[0\].type: "),
    (of_gres(type="h100"), r"there is no gpu:h100"),
    (of_gres(count=None), r"^nodes\[0\].gres\[0\].count: "),
    (of_gres(count="2"), r"^nodes\[0\].gres\[0\].count: "),
    (of_gres(count=-2), r"^nodes\[0\].gres\[0\].count: -2"),
    (of_gres(idx=0), r"^nodes\[0\].gres\[0\].idx: expected list"),
    (of_gres(idx=[0, None]), r"^nodes\[0\].gres\[0\].idx\[1\]: "),
    (of_gres(idx=[0, 9]), r"there is no gpu"),
    (of_gres(idx=[2 ** 20]), r"^nodes\[0\].gres\[0\].idx\[0\]: "),
    (of_gres(detail=3), r"^nodes\[0\].gres\[0\].detail: "),
    (of_gres(detail="2"), r"^nodes\[0\].gres\[0\].detail: 2, expected parts"),
    (of_gres(detail="2/4)(2/4,0/4"), r"^nodes\[0\].gres\[0\].detail: 2/4\)"),
    (of_gres(detail="1/4,0/4"), r"^nodes\[0\].gres\[0\].detail: .*2 together"),
    (of_gres(detail="2/4,0/4"), r"^nodes\[0\].gres\[0\].idx: 0-1, but detail gives parts of 0"),
    (recorded() | {"licenses": 3}, r"^licenses: "),
    (recorded() | {"licenses": "a:x"}, r"^licences: "),
    (recorded() | {"licenses": "nosuch:1"}, r"the cluster has no licence nosuch"),
    (recorded() | {"licenses": "a:9223372036854775807"}, r"^a: 9223372036854775807, expected at most"),
])
def test_what_is_wrong_with_a_recording_names_its_key(controller, result, message):
    before = controller.cluster()
    with pytest.raises(ValueError, match=message):
        controller.adopt(result)
    assert controller.cluster() == before


SHARDS = """
GresTypes=gpu,shard
Licenses=a:2,b:2
NodeName=n CPUs=8 RealMemory=9000 Gres=gpu:a100:1,gpu:h100:1,shard:h100:8
PartitionName=p Nodes=n Default=YES
"""


def test_parts_and_licences_of_a_recording_are_entered():
    fresh = slurm.Controller(slurm_conf=SHARDS, release=slurm.Release.v26_05, gres_conf=(
        "Name=gpu Type=a100 File=/dev/nvidia0\nName=gpu Type=h100 File=/dev/nvidia1\n"
        "Name=shard Type=h100 Count=8 File=/dev/nvidia1\n"))
    result = copy.copy(fresh).submit("--gres=shard:3 -L b|a").to_dict()
    assert result["nodes"][0]["gres"] == [
        {"name": "shard", "type": "h100", "count": 3, "idx": [1], "detail": "0/0,3/8"}]
    assert result["raw"] == ["Nodes=n CPU_IDs=0 Mem=9000 GRES=shard:h100:3(0/0,3/8)"]
    options = slurm.parse_option_text("-L b|a").components[0].options
    for licenses in ("a:1", "b:1"):
        entered = copy.copy(fresh)
        owner = entered.adopt(result | {"licenses": licenses}, options)
        placement = entered.cluster().find_allocation(owner).placement
        assert [str(one) for one in placement.cluster_counts] == [licenses]
        assert [share.shares for share in placement.nodes[0].devices] == [3]
    with pytest.warns(UserWarning, match="not used"):
        owner = fresh.adopt(result | {"licenses": "a:0", "\ud800": 1}, options)
    assert fresh.cluster().find_allocation(owner).placement.cluster_counts == ()
    fresh.release(owner)
    owner = fresh.adopt(result | {"licenses": None}, options)  # not recorded: what is asked for
    assert fresh.cluster().find_allocation(owner).placement.cluster_counts


def test_a_key_of_a_recording_that_means_nothing_is_warned_of(controller):
    with pytest.warns(UserWarning, match="key 'licences' is not used, expected nodes, licenses"):
        controller.adopt(recorded(cpu_ids=[0]) | {"licences": "a:1"})
    with pytest.warns(UserWarning, match="key 'mem' is not used"):
        controller.adopt(recorded(cpu_ids=[2], mem=7))
    with pytest.warns(UserWarning, match="key 'index' is not used"):
        controller.adopt(recorded(cpu_ids=[4], gres=[{"name": "widget", "count": 1, "index": 0}]))


def of_file(path):
    recording = json.loads(path.read_text())
    cluster = recording["cluster"]
    return recording, slurm.Controller(
        slurm_conf=cluster["slurm_conf"], gres_conf=cluster["gres_conf"],
        topology_conf=cluster["topology_conf"], release=slurm.Release.v22_05)


def without_none(result):
    """The recording without counts of no_consume, and without GPUs where a job has none at all: 22.05
    prints them for --cpus-per-gpu alone."""
    if "nodes" not in result:
        return result
    has_any = any(one["count"] for node in result["nodes"] for one in node["gres"])
    nodes = [node | {"gres": [one for one in node["gres"] if has_any and ("idx" in one or one["count"])]}
             for node in result["nodes"]]
    none = re.compile(r"[a-z]+(:[a-z0-9]+)?\(CNT:0\),?|(?<==)gpu:[a-z0-9]+:0\(IDX:\)$")
    return result | {"nodes": nodes, "raw": [none.sub("", line) for line in result["raw"]]}


def differing(result, recorded):
    """The fields that the recording has and we answer otherwise."""
    if result["status"] != recorded["status"]:
        return ["status"]
    wrong = [key for key in FIELDS if key in recorded and result.get(key) != recorded[key]]
    # Clients set more variables than the recording kept.
    if "env" in recorded and recorded["env"].items() - result["env"].items():
        wrong.append("env")
    return wrong


def test_recorded_decisions_are_adopted_and_answered_in_the_same_words():
    asked = adopted = agreed = 0
    misses = {}
    for path in recordings():
        recording, controller = of_file(path)
        owners = {}
        for step in recording["steps"]:
            if step["op"] == "release":
                if step["was_allocated"]:
                    controller.release(owners.pop(step["tag"]))
                continue
            expected = without_none(step["result"])
            if not expected.get("suspect"):
                asked += 1
                result = copy.copy(controller).submit(step["opts"]).to_dict()
                wrong = differing(result, expected)
                agreed += not wrong
                if wrong:
                    misses[f"{path.stem} {step['opts']}"] = wrong, [
                        (expected.get(key), result.get(key)) for key in wrong]
            if expected["status"] == "allocated":
                owners[step["tag"]] = controller.adopt(step["result"])
                adopted += 1
    assert (asked, adopted) == (1047, 823)
    assert agreed == asked, "\n".join(map(str,misses.items()))
