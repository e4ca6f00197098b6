# SPDX-License-Identifier: Apache-2.0
"""The whole road from Python: text, placement, limits, plan, a command that ends."""

import sys

import pytest
import trestle
from hypothesis import given
from hypothesis import strategies as st
from trestle import dstack, slurm, testing

NODE = "2s16c2t mem=512G gpu:a100-80G:4@nvlink"
SEEDS = st.integers(0, 2**64 - 1)


def test_slurm_options_to_placement_to_plan():
    cluster = trestle.Cluster.from_text(f"1 x ({NODE})")
    request = slurm.parse_options(["--gres=gpu:a100:2", "-c", "8", "--mem=32G"]).request
    placement = trestle.place(cluster, request)
    assert str(placement.nodes[0].cores) == "0-3"
    assert placement.nodes[0].total_memory() == trestle.gib(32)
    node = cluster.node(0)
    rows = trestle.explain_limits(request, node.shape, placement.nodes[0], trestle.LimitPolicy())
    memory = next(row for row in rows if row.resource == "memory")
    assert (memory.asked, memory.limited_to) == ("32GiB", "32GiB")
    assert memory.when_exceeded == trestle.Exceeded.killed
    plan = trestle.plan(node, placement.nodes[0], request, trestle.LimitPolicy(),
                        trestle.PlanOptions(group="job_1", owner=1))
    assert "write job_1/memory.max = 34359738368" in str(plan)
    enforcer = trestle.MemoryEnforcer()
    assert enforcer.apply(plan) == trestle.Applied()
    assert enforcer.files("job_1")["memory.max"] == str(32 << 30)


def test_events_are_traced_as_values():
    cluster = trestle.Cluster.from_text("1 x (4c mem=8G)")
    events = []
    placement = trestle.place(cluster, trestle.Request())
    cluster.commit(trestle.Allocation(5, trestle.Request(), placement), events.append)
    cluster.release(5, sink=events.append)
    assert [(str(e.kind), e.owner, e.subject) for e in events] == [
        ("commit", 5, "n0"), ("release", 5, "n0")]


def test_dstack_resources_to_an_offer():
    resources = dstack.parse_resources("gpu: 40GB..80GB:4..8")
    offer = trestle.Offer(
        instance="big", cpus=96, memory=trestle.gib(1024), price=30_000_000,
        devices=[trestle.OfferedDevices(model="A100", memory=trestle.gib(80), count=8)])
    small = offer.replace(instance="small", devices=(), price=1_000_000)
    catalog = trestle.Catalog([offer, small])
    matches = trestle.match_offers(catalog, dstack.to_request(resources))
    assert [(catalog[m.offer].instance, m.blocks) for m in matches] == [("big", 1)]
    refusal = trestle.check_offer(small, dstack.to_request(resources))
    assert not refusal and refusal.constraint == trestle.Constraint.devices


@given(SEEDS, st.lists(SEEDS, max_size=6))
def test_law_releasing_all_restores_the_cluster(cluster_seed, request_seeds):
    cluster = testing.any_cluster(cluster_seed)
    idle = cluster.to_json()
    owners = []
    for owner, seed in enumerate(request_seeds, 1):
        request = testing.any_request(seed)
        placement = trestle.place(cluster, request)
        if placement:
            cluster.commit(trestle.Allocation(owner, request, placement))
            owners.append(owner)
        else:
            assert placement.reason
    assert [a.owner for a in cluster.allocations()] == owners
    for owner in reversed(owners):
        cluster.release(owner)
    assert cluster.to_json() == idle


@given(SEEDS)
def test_law_operations_leave_every_unit_with_one_owner(seed):
    cluster = testing.any_cluster(seed)
    for operation in testing.any_operations(seed, cluster.node_count()):
        testing.play(cluster, operation)
    for index in range(cluster.node_count()):
        ledger, shape = cluster.ledger(index), cluster.node(index).shape
        taken = trestle.CoreSet()
        for holding in ledger.holdings():
            assert not taken.intersects(holding.cores)
            taken |= holding.cores
        assert taken | ledger.free_cores() == shape.hardware.all_cores()
        assert not taken.intersects(ledger.free_cores())


@given(SEEDS)
def test_law_cluster_text_and_back(seed):
    cluster = testing.any_cluster(seed)
    text = testing.cluster_to_text(cluster.parts())
    if text is not None:
        assert trestle.Cluster.from_text(text) == cluster


def test_diff_names_what_changed():
    before = trestle.Placement([trestle.NodePlacement(0, 1, trestle.CoreSet("0-3"))])
    after = before.replace(nodes=[before.nodes[0].replace(cores=trestle.CoreSet("0-4"))])
    assert testing.diff(before, after) == "- node 0 cores 0-3\n+ node 0 cores 0-4\n"
    assert testing.diff(before, before) == ""


def test_a_script_runs_in_the_time_of_the_clock():
    clock = testing.ManualClock()
    enforcer = testing.ScriptedEnforcer(clock)
    enforcer.set_script("work", testing.Script(duration=testing.seconds(60)))
    node = testing.node_from_text("4c mem=8G").replace(name="n0")
    cluster = trestle.Cluster.create(trestle.ClusterParts(nodes=[node]))
    part = trestle.place(cluster, trestle.Request()).nodes[0]
    plan = trestle.plan(node, part, trestle.Request(), trestle.LimitPolicy(),
                        trestle.PlanOptions(group="job"))
    enforcer.apply(plan)
    child = enforcer.spawn(plan, trestle.Command(["work"]))
    assert enforcer.poll(child) is None
    assert enforcer.wait(child) == trestle.exited(0)
    assert clock.now() == testing.seconds(60)
    assert enforcer.state().files("job")["cpuset.cpus"] == "0"


def test_this_machine_is_a_node_that_check_accepts():
    node = trestle.os.discover()
    trestle.check(node.shape)
    assert node.shape.cpu_count() >= 1 and node.shape.total_memory() > 0


def test_a_driver_asked_for_by_name_has_to_answer():
    source = trestle.os.DriverSource
    options = trestle.os.DiscoverOptions(drivers=source.off)
    assert trestle.os.discover(options).name == trestle.os.discover().name
    with pytest.raises(LookupError, match="nvml: no such library"):
        trestle.os.discover(options.replace(drivers=source.nvml, library_folder="/nonexistent"))


def test_detected_gpus_are_lines_of_gres_conf():
    gpu = trestle.Device(name="gpu", type="a100", vendor="nvidia",
                         files=[trestle.DeviceFile("/dev/nvidia0")], cores=trestle.CoreSet("0-1"))
    shape = testing.node_from_text("4c").shape.replace(devices=[gpu])
    line, = trestle.slurm.detected_gres(shape)
    text = "Name=gpu Type=a100 File=/dev/nvidia0 Cores=0-1 Flags=nvidia_gpu_env"
    assert str(line) == text
    assert trestle.slurm.parse_gres_conf(text)[0].replace(place=line.place) == line


def test_a_command_runs_without_a_cgroup():
    enforcer = trestle.os.PlainEnforcer("no cgroup wanted")
    node = trestle.os.discover()
    cluster = trestle.Cluster.create(trestle.ClusterParts(nodes=[node.replace(name="here")]))
    part = trestle.place(cluster, trestle.Request()).nodes[0]
    policy = trestle.LimitPolicy(
        requirements=trestle.Requirements.all(trestle.Requirement.best_effort))
    plan = trestle.plan(node, part, trestle.Request(), policy,
                        trestle.PlanOptions(group="job", owner=1))
    assert enforcer.apply(plan).shortfalls
    code = "import os, sys; sys.exit(3 if len(os.sched_getaffinity(0)) == %d else 4)" % (
        len(trestle.threads_of(node.shape, part)))
    outcome = enforcer.wait(enforcer.spawn(plan, trestle.Command([sys.executable, "-c", code])))
    assert trestle.exit_status(outcome) == 3
    enforcer.remove("job")


def test_a_missing_cgroup_is_an_error_that_says_why():
    with pytest.raises(trestle.Error) as caught:
        trestle.os.CgroupEnforcer.open("/proc")
    assert caught.value.code == "FAILED_PRECONDITION"
    assert not trestle.os.probe_cgroup("/proc").is_usable
