# SPDX-License-Identifier: Apache-2.0
"""Inside a job: steps, tasks, devices, and nodes that come and go."""

import copy
import pickle

import pytest
import trestle
from trestle import slurm


def small_job():
    """A job of two nodes with four GPUs each, and the cluster it is in."""
    cluster = trestle.Cluster.from_text("3 x (2s4c mem=64G gpu:4)")
    request = slurm.parse_options(["-N2", "-n8", "--gres=gpu:4"]).request
    cluster.commit(trestle.Allocation(1, request, trestle.place(cluster, request)))
    return trestle.JobState.create(cluster.parts().nodes, cluster.find_allocation(1)), cluster


def start(job, number, options, use=trestle.StepUse.alone, **changes):
    request = slurm.parse_options(options).request.replace(**changes)
    placement = trestle.place_step(job, request, trestle.StepOptions(use=use))
    assert placement
    job.start(trestle.JobStep(number, use, placement))
    return request, placement


def test_steps_take_and_give_back():
    job, _ = small_job()
    fresh = copy.copy(job)
    start(job, 0, ["-N2", "-n2", "--gres=gpu:2"])
    assert "steps 2;2 {0,1} {0,1}" in str(job)
    with pytest.raises(trestle.Error, match=r"node n0: core 0 is taken \(step 0\)"):
        job.start(trestle.JobStep(1, placement=job.find_step(0).placement))
    assert not trestle.place_step(job, slurm.parse_options(["--gres=gpu:3"]).request)
    start(job, 1, ["--gres=gpu:4"], trestle.StepUse.overlap)
    assert pickle.loads(pickle.dumps(job)) == job != fresh
    assert repr(job) == "<JobState of owner 1, 2 nodes, 2 steps>"
    job.end(1)
    job.end(0)
    assert job == fresh and job != trestle.JobState()


def test_tasks_get_cores_and_devices():
    job, cluster = small_job()
    request, placement = start(job, 0, ["-N2", "-n4", "--gres=gpu:2"])
    nodes = cluster.parts().nodes
    tasks = trestle.layout_tasks(nodes, placement, request)
    bind = trestle.DeviceBind(rule=trestle.BindRule.per_task)
    tasks = trestle.bind_devices(nodes, placement, tasks, bind)
    assert [(t.node, str(t.threads), t.devices[0].device) for t in tasks] == [
        (0, "0", 0), (0, "1", 1), (1, "0", 0), (1, "1", 1)]
    refusal = trestle.bind_devices(nodes, placement, tasks, bind.replace(count=2))
    assert not refusal and refusal.constraint == trestle.Constraint.devices
    with pytest.raises(ValueError, match="single:0 of gpu"):
        trestle.check_bind(trestle.DeviceBind(rule=trestle.BindRule.single, count=0))


def test_nodes_leave_and_join():
    job, cluster = small_job()
    start(job, 0, ["--gres=gpu:1"], required_nodes=["n1"])
    first = job.nodes()[0]
    with pytest.raises(trestle.Error, match="node n1: step 0 runs there"):
        job.remove_node(1)
    job.end(0)
    part = job.remove_node(1)
    cluster.release_part(1, part)
    assert cluster.find_allocation(1) == job.allocation()
    job.add_node(cluster.node(2), part.nodes[0].replace(node=2))
    assert job.nodes()[0] == first and job.find_node(2).granted.node == 2
    assert job.find_node(1) is None


def test_law_a_step_is_placed_inside_its_job():
    job, _ = small_job()
    inside = trestle.cluster_of(job, trestle.StepUse.alone)
    for cpus in range(1, 5):
        request = trestle.Request(cpus_per_task=cpus)
        placed = trestle.place_step(job, request)
        assert placed == trestle.place(inside, request)
        for part in placed.nodes:
            assert part.cores <= job.find_node(part.node).granted.cores
