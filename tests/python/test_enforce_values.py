# SPDX-License-Identifier: Apache-2.0
"""What enforcement is made of: vendor profiles, allow-lists, names of groups, scratch, faults, scopes."""

import pytest
import trestle

PROFILES = trestle.standard_vendor_profiles()


def node_with_gpus():
    gpus = [trestle.Device(name="gpu", vendor="nvidia", uuid=f"GPU-{i}", index=i,
                           files=[trestle.DeviceFile(f"/dev/nvidia{i}", major=195, minor=i)])
            for i in range(2)]
    shape = trestle.testing.node_from_text("4c mem=8G").shape
    return shape.replace(devices=gpus)


PLACEMENT = trestle.NodePlacement(cores=trestle.CoreSet([0]), devices=[trestle.DeviceShare(1)])


def plan_of(placement=PLACEMENT, profiles=PROFILES, **options):
    node = trestle.Node("n0", node_with_gpus())
    options = trestle.PlanOptions(group="job_42/step_0", profiles=profiles, **options)
    return trestle.plan(node, placement, trestle.Request(), trestle.LimitPolicy(), options)


def values_of(plan):
    return {one.name: one.value.reveal() for one in plan.process.environment}


def test_a_plan_has_what_the_profile_of_its_device_says():
    plan = plan_of()
    device, = plan.devices
    assert device.uuid == "GPU-1"
    assert device.paths[:2] == ("/dev/nvidia1", "/dev/nvidiactl")
    assert values_of(plan)["CUDA_VISIBLE_DEVICES"] == "GPU-1"


def test_a_device_without_a_profile_has_its_own_files():
    device, = plan_of(profiles=[]).devices
    assert device.paths == ("/dev/nvidia1",)


def test_devices_of_a_placement_have_to_exist():
    with pytest.raises(ValueError, match="device 9 does not exist, the node has 2"):
        plan_of(PLACEMENT.replace(devices=[trestle.DeviceShare(9)]))


def test_names_of_groups():
    trestle.check_group_name("job_42/step_0")
    with pytest.raises(ValueError, match="a part starts with a dot"):
        trestle.check_group_name("job_42/..")
    with pytest.raises(ValueError, match="a part is empty"):
        trestle.check_group_name("")
    assert trestle.parent_group("job_42/step_0") == "job_42"
    assert trestle.is_below("job_42/step_0", "job_42")
    assert not trestle.is_below("job_420", "job_42")


def test_scratch_directories_have_names_of_groups():
    plan = plan_of(scratch=trestle.Scratch(root="/scratch"), user=trestle.ProcessUser(1000, 100))
    directory, = [step.action.directory for step in plan.steps
                  if isinstance(step.action, trestle.MakeScratch)]
    assert str(directory) == "/scratch/job_42%2fstep_0, owner 1000:100"
    values = values_of(plan)
    assert values["SLURM_TMPDIR"] == values["TMPDIR"] == "/scratch/job_42%2fstep_0"


def test_settings_of_processes_are_checked():
    trestle.check(trestle.ProcessSettings(nice=5))
    with pytest.raises(ValueError, match="nice"):
        trestle.check(trestle.ProcessSettings(nice=20))
    with pytest.raises(ValueError, match="uid"):
        trestle.check(trestle.ProcessUser(uid=2**32 - 1))
    with pytest.raises(ValueError, match="bind"):
        trestle.check(trestle.MemoryPolicy(trestle.MemoryMode.bind))


def test_numbers_of_limits():
    shape = node_with_gpus()
    assert trestle.asked_memory(trestle.Request(memory=1 << 30), shape, PLACEMENT) == 1 << 30
    policy = trestle.memory_policy_of(shape, PLACEMENT, trestle.MemoryMode.local)
    assert str(policy) == "local"


def test_faults_are_chosen_calls():
    inner = trestle.MemoryEnforcer()
    faulty = trestle.FaultyEnforcer(inner, trestle.Fault.once(1))
    faulty.remove("a")
    with pytest.raises(trestle.Error, match=r"injected fault at call 1 \(remove\)") as caught:
        faulty.remove("b")
    faulty.remove("c")
    assert caught.value.code == "INTERNAL"
    assert faulty.call_count() == 3 and inner.calls() == ("remove a", "remove c")
    assert trestle.Fault.for_good(2).calls.start == 2


def test_a_scope_without_libsystemd_or_with_a_bad_name_is_an_error():
    options = trestle.os.ScopeOptions(unit="trestle.scope", library_folder="/nonexistent")
    for make in (trestle.os.SystemdScope.start, trestle.os.SystemdScope.adopt):
        with pytest.raises(trestle.Error, match="libsystemd") as caught:
            make(options)
        assert caught.value.code == "FAILED_PRECONDITION"
    with pytest.raises(ValueError, match="scope"):
        trestle.os.SystemdScope.start(options.replace(unit="trestle.service"))


def test_usage_as_prometheus_text():
    labels = [trestle.prometheus.Label("job", "42")]
    usage = trestle.prometheus.GroupUsage(labels, trestle.ResourceUsage(memory=1 << 20))
    text = trestle.prometheus.print_metrics(trestle.prometheus.usage_metrics([usage]))
    assert 'trestle_memory_bytes{job="42"} 1048576\n' in text
