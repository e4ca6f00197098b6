# SPDX-License-Identifier: Apache-2.0
"""Choosing as Slurm chooses: a controller as a value, and what it was recorded to answer."""

import copy
import json

import pytest
import trestle
from data_folders import recordings
from trestle import slurm

CONF = """
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
DefMemPerCPU=1000
NodeName=n[0-3] Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=64000 Gres=gpu:a100:4
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""
GRES = """
NodeName=n[0-3] Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-7
NodeName=n[0-3] Name=gpu Type=a100 File=/dev/nvidia[2-3] Cores=8-15
"""


@pytest.fixture
def controller():
    return slurm.Controller(slurm_conf=CONF, gres_conf=GRES, release=slurm.Release.v22_05)


def test_a_job_is_allocated_as_slurm_does(controller):
    decision = controller.submit("--gres=gpu:2 -c 4")
    assert decision.answer == slurm.Answer.allocated and decision.owner == 1
    result = decision.to_dict()
    assert result["status"] == "allocated" and result["node_list"] == "n0"
    assert result["nodes"] == [{"node": "n0", "cpu_ids": [0, 1, 2, 3], "mem_mb": 4000, "gres": [
        {"name": "gpu", "type": "a100", "count": 2, "idx": [0, 1]}]}]
    assert result["raw"] == ["Nodes=n0 CPU_IDs=0-3 Mem=4000 GRES=gpu:a100:2(IDX:0-1)"]
    assert result["tres"] == "cpu=4,mem=4000M,node=1,billing=4"
    assert (result["num_nodes"], result["num_cpus"], result["num_tasks"]) == (1, 4, 1)
    assert result["env"]["SLURM_CPUS_PER_TASK"] == "4" == result["cpus_per_task"]
    assert controller.cluster().find_allocation(1).placement == decision.placement


def test_what_does_not_fit_waits_or_is_refused(controller):
    empty = controller.cluster()
    waits = controller.submit("-N 5")
    assert (waits.answer, waits.reason) == (slurm.Answer.pending, slurm.Reason.PartitionConfig)
    assert waits.to_dict()["reason"] == "PartitionConfig"
    refused = controller.submit("--gres=gpu:5")
    assert refused.answer == slurm.Answer.refused and refused.to_dict()["error"]
    unread = controller.submit("--cpus-per-taks=2")
    assert unread.answer == slurm.Answer.refused and "--cpus-per-task" in unread.message
    assert controller.cluster() == empty


def test_blocks_and_jobs_that_have_theirs_alone():
    controller = slurm.Controller(
        slurm_conf="NodeName=t[0-7] CPUs=4 RealMemory=1000\nPartitionName=p Nodes=ALL Default=YES\n"
                   "TopologyPlugin=topology/block\n",
        topology_conf="BlockName=a Nodes=t[0-3]\nBlockName=b Nodes=t[4-7]\nBlockSizes=4,8\n",
        release=slurm.Release.v26_05)
    newer = copy.copy(controller)

    def nodes_of(asked, options):
        return [grant.node for grant in asked.submit(options).grants]

    assert nodes_of(controller, "-N 2 --exclusive=topo") == ["t4", "t5"]
    assert nodes_of(controller, "-N 2") == ["t0", "t1"]
    waits = controller.submit("-N 6")
    assert waits.reason == slurm.Reason.Resources
    # A recorded job has its block alone if its options say so.
    recorded = {"nodes": [{"node": "t0", "cpu_ids": [0], "mem_mb": 0, "gres": []}]}
    newer.adopt(recorded, slurm.parse_option_text("--exclusive=topo").components[0].options)
    assert nodes_of(newer, "-N 1") == ["t4"]


def test_release_and_adopt(controller):
    fresh = copy.copy(controller)
    decision = controller.submit("--gres=gpu:4 -n 8")
    assert fresh.cluster() != controller.cluster()
    owner = fresh.adopt(decision.to_dict())
    again = copy.deepcopy(fresh)
    assert fresh.cluster().find_allocation(owner).placement.nodes[0].devices == \
        decision.placement.nodes[0].devices
    controller.release(decision)
    fresh.release(owner)
    assert fresh.cluster() == controller.cluster()
    with pytest.raises(LookupError):
        controller.release(decision)
    with pytest.raises(trestle.Error):
        again.adopt(decision.grants)
    with pytest.raises(ValueError, match="unknown node"):
        again.adopt({"nodes": [{"node": "x", "cpu_ids": [0], "mem_mb": 1, "gres": []}]})


def test_components_are_allocated_together_or_not_at_all(controller):
    both = controller.submit_all("-n 2 : --gres=gpu:1")
    assert [one.owner for one in both] == [1, 2]
    before = controller.cluster()
    waits = controller.submit_all("-n 1 : -N 4 --exclusive")
    assert {one.answer for one in waits} == {slurm.Answer.pending}
    assert "component 1 waits" in waits[0].message and controller.cluster() == before
    with pytest.raises(ValueError, match="submit_all"):
        controller.submit("-n 1 : -n 2")
    script = slurm.parse_script("#!/bin/sh\n#SBATCH -n 1\n#SBATCH hetjob\n#SBATCH -n 1\n")
    assert len(controller.submit_all(script)) == 2


def test_a_job_grows_and_shrinks(controller):
    first, second = controller.submit("-w n0 --gres=gpu:1"), controller.submit("-w n[0-1] -N 2")
    job = controller.job(first)
    controller.grow(job, controller.job(second))
    assert [grant.node for grant in controller.grants(first)] == ["n0", "n1"]
    with pytest.raises(LookupError):
        controller.grants(second)
    controller.shrink(job, slurm.Hostlist("n1"))
    assert [node.name for node in job.nodes()] == ["n1"]
    assert [grant.node for grant in controller.grants(first)] == ["n1"]


def test_what_a_job_counts_as():
    conf = CONF + "AccountingStorageTRES=gres/gpu,gres/gpu:a100\n"
    release = slurm.Release.v22_05
    ours = slurm.Controller(slurm_conf=conf, gres_conf=GRES, release=release)
    theirs = slurm.Controller(slurm_conf=conf, gres_conf=GRES, release=release,
                              typed_counts=slurm.TypedCounts.by_request)
    assert ours.submit("--gres=gpu:1").to_dict()["tres"].endswith("gres/gpu=1,gres/gpu:a100=1")
    assert theirs.submit("--gres=gpu:1").to_dict()["tres"].endswith("billing=2,gres/gpu=1")
    assert ours.submit("-N 5").to_dict()["req_tres"].startswith("cpu=5,mem=5000M,node=5")


def test_use_of_a_node_as_text(controller):
    decision = controller.submit("-w n0 --gres=gpu:2")
    cluster = controller.cluster()
    node = cluster.find_node("n0")
    shape = cluster.node(node).shape
    text = slurm.used_gres_text(shape, cluster.free(node))
    assert text == "gpu:a100:2(IDX:0-1)"
    assert slurm.parse_gres_used(text) == slurm.used_gres(shape, cluster.free(node))
    (grant,) = slurm.parse_grants(decision.to_dict()["raw"][0])
    assert (grant.node, grant.memory, grant.gres) == ("n0", 2000 << 20, decision.grants[0].gres)


def test_alike_neighbours_stand_in_one_line(controller):
    decision = controller.submit("-N 2 --gres=gpu:1")
    line = "Nodes=n[0-1] CPU_IDs=0-1 Mem=2000 GRES=gpu:a100:1(IDX:0)"
    assert decision.to_dict()["raw"] == [line] == list(slurm.grant_lines(decision.grants))
    grants = slurm.parse_grants(line)
    assert [grant.node for grant in grants] == ["n0", "n1"]
    assert slurm.node_list_text(grants) == "n[0-1]" == decision.to_dict()["node_list"]


def test_a_cluster_that_packs_nodes_tells_tasks_so():
    conf = CONF.replace("CR_Core_Memory", "CR_Core_Memory,CR_Pack_Nodes")
    decision = slurm.Controller(slurm_conf=conf, gres_conf=GRES).submit("-N 2 -n 5")
    assert decision.client.packs_nodes and len(decision.client.cpus) == 2
    assert decision.to_dict()["env"]["SLURM_TASKS_PER_NODE"] == "4,1"


def test_differences_are_a_table():
    rows = slurm.differences()
    assert len(rows) > 40 and all(row["slurm"] and row["here"] and row["test"] for row in rows)
    assert slurm.differences_text().count("\n") == len(rows) + 2


def test_a_folder_is_loaded(tmp_path):
    with pytest.raises(LookupError, match="no slurm.conf"):
        slurm.Controller.load(str(tmp_path))
    (tmp_path / "slurm.conf").write_text(
        "SelectTypeParameters=CR_Core\nGresTypes=gpu\nInclude nodes.conf\n")
    (tmp_path / "nodes.conf").write_text(
        "NodeName=a CPUs=4 Gres=gpu:2\nPartitionName=p Nodes=a Default=YES\n")
    (tmp_path / "gres.conf").mkdir()
    with pytest.raises(ValueError, match="gres.conf: a folder"):
        slurm.Controller.load(str(tmp_path))
    (tmp_path / "gres.conf").rmdir()
    (tmp_path / "gres.conf").write_text("Name=gpu File=/dev/nvidia[0-1]\n")
    reading = slurm.load_cluster(str(tmp_path))
    assert not reading.errors and reading.built.cluster.node_count() == 1
    controller = slurm.Controller.load(str(tmp_path))
    assert repr(controller) == "<slurm.Controller of 1 nodes, 0 allocations>"
    assert controller.submit("--gres=gpu:1").to_dict()["nodes"][0]["gres"][0]["idx"] == [0]


def test_select_is_a_function(controller):
    options = slurm.parse_options(["-c", "4"]).options
    decision = slurm.select(controller.cluster(), options, controller.rules())
    assert decision.answer == slurm.Answer.allocated and decision.owner is None
    assert decision.options.cpus_per_task == 4
    assert controller.cluster().allocation_count() == 0


def test_recorded_decisions():
    agreed = asked = 0
    for path in recordings("a100x4__*.json"):
        recording = json.loads(path.read_text())
        cluster = recording["cluster"]
        controller = slurm.Controller(
            slurm_conf=cluster["slurm_conf"], gres_conf=cluster["gres_conf"],
            topology_conf=cluster["topology_conf"], release=slurm.Release.v22_05)
        owners = {}
        for step in recording["steps"]:
            if step["op"] == "release":
                if step["was_allocated"]:
                    controller.release(owners.pop(step["tag"]))
                continue
            recorded = step["result"]
            result = copy.copy(controller).submit(step["opts"]).to_dict()
            if not recorded.get("suspect"):
                asked += 1
                agreed += result["status"] == recorded["status"] and (
                    result.get("node_list") == recorded.get("node_list"))
            if recorded["status"] == "allocated":
                owners[step["tag"]] = controller.adopt(recorded)
    assert asked > 400 and agreed >= 0.98 * asked


def test_what_slurm_mends_is_a_warning_and_strictly_an_error(tmp_path):
    conf = ("NodeName=n1 CPUs=16 Sockets=2 CoresPerSocket=4\n"
            "PartitionName=p Nodes=n1 Default=YES MaxTime=10 DefaultTime=20\n")
    (tmp_path / "slurm.conf").write_text(conf)
    for made in (slurm.Controller(conf), slurm.Controller.load(str(tmp_path))):
        assert [str(one) for one in made.warnings()] == [
            "slurm.conf line 1: CPUs=16: CPUs that do not add up, Slurm takes CPUs=8",
            "slurm.conf line 2: DefaultTime: DefaultTime above MaxTime, Slurm takes "
            "DefaultTime=NONE"]
        assert made.submit("-n8").answer == slurm.Answer.allocated
    for ask in (lambda: slurm.Controller(conf, strict=True),
                lambda: slurm.Controller.load(str(tmp_path), strict=True),
                lambda: slurm.parse_cluster(conf, strict=True)):
        with pytest.raises(ValueError, match="CPUs that do not add up"):
            ask()
    strict = slurm.read_slurm_conf(conf, strict=True)
    assert [one.taken for one in strict.errors] == ["CPUs=8", "DefaultTime=NONE"]
    assert len(slurm.load_cluster(str(tmp_path), strict=True).errors) == 2
    assert not slurm.read_cluster(conf).errors


def test_a_script_with_dos_line_breaks_is_read_with_a_warning():
    reading = slurm.read_script("#!/bin/bash\r\n#SBATCH -n 4\r\n")
    assert reading.submission.components[0].options.ntasks == 4
    assert reading.warnings == ("line 1: a DOS line break: sbatch refuses the script",)


def test_nodes_are_drained_resumed_added_and_removed(controller):
    controller.set_node_state(slurm.Hostlist("n[0-1]"), trestle.NodeState.drained)
    waits = controller.submit("-N 3")
    assert (waits.answer, waits.reason) == (slurm.Answer.pending, slurm.Reason.ReqNodeNotAvail)
    assert "drained: n[0-1]" in waits.message
    controller.set_node_state(slurm.Hostlist("n[0-1]"), trestle.NodeState.up)
    node = controller.cluster().node(0).replace(name="n9")
    controller.add_node(node, ["p"])
    decision = controller.submit("-w n9")
    assert [grant.node for grant in decision.grants] == ["n9"]
    with pytest.raises(trestle.Error, match="n9"):
        controller.remove_nodes(slurm.Hostlist("n9"))
    controller.release(decision)
    controller.remove_nodes(slurm.Hostlist("n9"))
    with pytest.raises(ValueError, match="unknown node n9"):
        controller.set_node_state(slurm.Hostlist("n9"), trestle.NodeState.down)
    with pytest.raises(ValueError, match="expected up, drained or down"):
        controller.set_node_state(slurm.Hostlist("n0"), trestle.NodeState.removed)


def test_a_refusal_names_what_binds(controller):
    assert controller.submit("--gres=gpu:5").message == (
        "--gres=gpu:5: a node of partition p has at most 4")


def test_memory_and_time_reach_the_plan(controller):
    decision = controller.submit("--mem=16G -t 5")
    cluster = controller.cluster()
    allocation = cluster.find_allocation(decision.owner)
    credential = trestle.credential_of(allocation, cluster)
    plan = trestle.plan_of(credential, cluster.node(0), trestle.LimitPolicy(),
                           trestle.PlanOptions(group="job_1"))
    assert plan.end.time_limit == 300 and str(16 << 30) in str(plan)
