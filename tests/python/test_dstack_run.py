# SPDX-License-Identifier: Apache-2.0
"""Where a run of dstack goes, and what becomes of it."""

import pytest
import trestle
from trestle import container, dstack, testing

GIB = 1 << 30
NOTHING = trestle.Catalog()
HOST = "2s64c mem=2T disk=4T gpu:A100-80G:8"


def fleet(**keys):
    return dstack.parse_configuration({"type": "fleet", "name": "f", **keys}).fleet


def run(**keys):
    return dstack.parse_configuration({"type": "task", **keys}).run


def host(name, blocks):
    instance = trestle.Instance(name=name, fleet="f")
    return trestle.look_at(instance, testing.node_from_text(HOST).shape, blocks)


def test_eight_jobs_share_a_host_and_the_ninth_does_not_fit():
    fleets = [fleet(ssh_config={"hosts": ["a"]}, blocks=8)]
    instances = [host("f-a", 8)]
    job = run(resources={"gpu": "A100:80GB:1", "cpu": "16", "memory": "256GB"})
    for owner in range(1, 9):
        plan = dstack.plan_run(fleets, instances, NOTHING, job, owner)
        assert plan.has_capacity() and plan.fleet == "f"
        assert plan.nodes[0].share.cpus == 16 and len(plan.nodes[0].share.threads) == 16
        instances = dstack.apply_plan(instances, plan)
    ninth = dstack.plan_run(fleets, instances, NOTHING, job, 9)
    assert not ninth.has_capacity()
    assert ninth.fleets[0].reuse.reason == "0 of 8 blocks are free, not 1"
    instances = dstack.release_run(instances, 3)
    assert dstack.plan_run(fleets, instances, NOTHING, job, 9).has_capacity()
    with pytest.raises(LookupError, match="owner 3 has no block"):
        dstack.release_run(instances, 3)


def test_a_plan_that_came_too_late_is_refused():
    fleets = [fleet(ssh_config={"hosts": ["a"]})]
    instances = [host("f-a", 1)]
    first, second = (dstack.plan_run(fleets, instances, NOTHING, run(), owner) for owner in (1, 2))
    instances = dstack.apply_plan(instances, first)
    with pytest.raises(trestle.Error, match="block 0 belongs to owner 1"):
        dstack.apply_plan(instances, second)
    with pytest.raises(trestle.Error, match="owner 1 has blocks of it already"):
        dstack.plan_run(fleets, instances, NOTHING, run(), 1)


def test_what_is_bought_has_the_blocks_of_the_fleet():
    offer = trestle.Offer(backend="aws", cpus=8, memory=64 * GIB, price=2_000_000)
    catalog = trestle.Catalog([offer.replace(price=3_000_000), offer])
    fleets = [fleet(nodes="0..", blocks="auto")]
    plan = dstack.plan_run(fleets, [], catalog, run(), 1)
    assert [instance.offer.blocks for instance in plan.created] == [8]
    assert plan.created[0].offer.disk == 100 * GIB  # what the run asks and aws has
    assert plan.nodes[0].offer == 0 and str(plan.nodes[0].share.blocks) == "0-1"
    assert catalog.rows()[plan.nodes[0].offer] == 1
    options = dstack.MatchOptions(interconnects=[trestle.Interconnect.efa])
    other = dstack.plan_run(fleets, [], catalog, run(), 1, options)
    assert other.fleets[0].creation.reason == (
        "2 offers: 2 topology (asked efa, it has an unknown interconnect)")


def test_what_is_there_is_judged_as_what_is_offered():
    job = run(resources={"gpu": 1}, backends=["aws"])
    plan = dstack.plan_run([fleet(ssh_config={"hosts": ["a"]})], [host("f-a", 8)], NOTHING, job, 1)
    assert plan.fleets[0].reuse.reason == "asked backend aws, it is unknown"
    offer = host("f-a", 8).offer
    refusal = trestle.check_offer(offer, trestle.Request(), dstack.filter_of(job.profile))
    assert refusal.reason == plan.fleets[0].reuse.reason


def test_the_life_of_a_gang():
    status = dstack.JobStatus
    step = dstack.gang_step(
        dstack.StartupOrder.workers_first, dstack.StopCriteria.master_done, [status.pulling] * 3
    )
    assert (step.may_start, step.must_stop, step.outcome) == ((1, 2), (), None)
    step = dstack.gang_step(
        dstack.StartupOrder.any, dstack.StopCriteria.master_done, [status.done, status.running]
    )
    assert (step.may_start, step.must_stop, step.outcome) == ((), (1,), status.done)
    assert len(dstack.startup_rules()) == 6 and len(dstack.stop_rules()) == 8


def test_retries():
    reason = dstack.TerminationReason
    history = dstack.RetryHistory(100, [dstack.EndedAttempt(reason.interrupted_by_no_capacity, 200)])
    policy = dstack.Retry([dstack.RetryEvent.interruption], 3600)
    assert dstack.retry(policy, history, 205).action == dstack.RetryAction.wait
    assert dstack.retry(policy, history, 205).until == 215
    assert dstack.retry(policy, history, 215).action == dstack.RetryAction.again
    assert dstack.retry(None, history, 215).action == dstack.RetryAction.give_up
    assert len(dstack.termination_rules()) == len(reason)
    assert dstack.rule_of(reason.max_duration_exceeded).event is None


def test_what_a_job_sees_and_reaches():
    instance = host("f-a", 8)
    share = trestle.share_of(instance, trestle.BlockSet("0-1"))
    assert dstack.access_of(share) == dstack.JobAccess()
    whole = dstack.access_of(trestle.share_of(instance, instance.blocks.all()))
    assert whole.network == container.NetworkMode.host and whole.has_rdma_devices
    nodes = [dstack.RunNode("10.0.0.1", dstack.gpus_of(share)), dstack.RunNode("10.0.0.2")]
    variables = {one.name: one.value.reveal() for one in dstack.run_environment(nodes, 1, "/hosts")}
    assert (variables["DSTACK_GPUS_NUM"], variables["DSTACK_GPUS_PER_NODE"]) == ("2", "0")
    assert dstack.mpi_hostfile(nodes) == "10.0.0.1 slots=2\n10.0.0.2\n"
    assert dstack.mpi_hostfile([dstack.RunNode("", 8)]) == ""
    with pytest.raises(ValueError, match="rank 2 of 2 nodes"):
        dstack.run_environment(nodes, 2, "/hosts")


def test_a_whole_host_has_rdma_and_memlock_in_its_documents():
    node = testing.node_from_text(HOST + " nic:2")
    devices = [
        device.replace(
            vendor="mellanox" if device.name == "nic" else "amd",
            files=[trestle.DeviceFile(f"/dev/infiniband/uverbs{device.index}", major=231,
                                      minor=device.index)]
            if device.name == "nic" else [],
        )
        for device in node.shape.devices
    ]
    node = node.replace(shape=node.shape.replace(devices=devices))
    instance = trestle.look_at(trestle.Instance(name="f-a", fleet="f"), node.shape, 2)

    def host_config(blocks):
        job = dstack.plan_job(
            node, trestle.share_of(instance, blocks), trestle.Request(),
            trestle.LimitPolicy(source=trestle.LimitSource.capacity),
            trestle.PlanOptions(group="job_7"),
        )
        return container.docker_container(job.plan, job.options).content.host_config

    share, whole = host_config(trestle.BlockSet("0")), host_config(instance.blocks.all())
    assert (share.network_mode, len(share.devices), len(share.ulimits)) == ("bridge", 1, 0)
    assert (whole.network_mode, len(whole.devices)) == ("host", 4)
    assert [limit.name for limit in whole.ulimits] == ["memlock"]
    assert share.memory == whole.memory // 2
    with pytest.raises(ValueError, match="instance new: the share has no placement"):
        dstack.plan_job(
            node, trestle.InstanceShare(instance="new"), trestle.Request(),
            trestle.LimitPolicy(), trestle.PlanOptions(group="job_7"),
        )


def test_ends_are_distinguished():
    ending = dstack.JobEnding
    assert dstack.classify(trestle.exited(0)).ending == ending.done
    assert dstack.classify(trestle.exited(3)).ending == ending.failed
    assert dstack.classify(trestle.exited(137, 1)).ending == ending.out_of_memory
    assert dstack.classify(trestle.signaled(15)).signal_number == 15
    stopped = dstack.classify(trestle.exited(0), dstack.TerminationReason.max_duration_exceeded)
    assert (stopped.ending, stopped.status) == (ending.time_limit, dstack.JobStatus.terminated)


def test_what_follows_from_a_run():
    job = run(privileged=True, volumes=["/mnt:/data"], nodes=2, resources={"gpu": "24GB.."})
    resources = dstack.resources_of(job)
    assert resources.cpu.architecture == trestle.Architecture.x86
    assert resources.gpu.vendor == "nvidia"
    options = dstack.options_of(job)
    assert (options.nodes, options.is_privileged, options.has_instance_volumes) == (2, True, True)
    assert list(dstack.instances_of(run(instances=["a", {"name": "b"}]))) == ["a", "b"]
    with pytest.raises(ValueError, match="no name of an instance"):
        dstack.instances_of(run(instances=[{"hostname": "a"}]))
