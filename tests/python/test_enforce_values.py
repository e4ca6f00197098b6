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


def plan_of(profiles=PROFILES, **options):
    node = trestle.Node("n0", node_with_gpus())
    options = trestle.PlanOptions(group="job_42/step_0", profiles=profiles, **options)
    return trestle.plan(node, PLACEMENT, trestle.Request(), trestle.LimitPolicy(), options)


def test_a_plan_has_what_the_profile_of_its_device_says():
    plan = plan_of()
    device, = plan.devices
    assert device.uuid == "GPU-1"
    assert device.paths[:2] == ("/dev/nvidia1", "/dev/nvidiactl")
    values = {one.name: one.value.reveal() for one in plan.process.environment}
    assert values["CUDA_VISIBLE_DEVICES"] == "GPU-1"


def test_a_device_without_a_profile_has_its_own_files():
    device, = plan_of(profiles=[]).devices
    assert device.paths == ("/dev/nvidia1",)


def test_names_of_groups():
    trestle.check_group_name("job_42/step_0")
    with pytest.raises(ValueError, match="a part starts with a dot"):
        trestle.check_group_name("job_42/..")
    assert trestle.parent_group("job_42/step_0") == "job_42"
    assert trestle.is_below("job_42/step_0", "job_42")
    assert not trestle.is_below("job_420", "job_42")


def test_scratch_directories_have_names_of_groups():
    steps = plan_of(scratch=trestle.Scratch(root="/scratch"), user=trestle.ProcessUser(1000, 100)).steps
    directory, = [step.action.directory for step in steps if isinstance(step.action, trestle.MakeScratch)]
    assert str(directory) == "/scratch/job_42%2fstep_0, owner 1000:100"


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


def test_a_device_that_the_node_lacks_is_named():
    node = trestle.Node("n0", node_with_gpus())
    placement = PLACEMENT.replace(devices=[trestle.DeviceShare(9)])
    with pytest.raises(ValueError, match="device 9 does not exist"):
        trestle.plan(node, placement, trestle.Request(), trestle.LimitPolicy(),
                     trestle.PlanOptions(group="job_42", profiles=PROFILES))


def test_scratch_is_made_and_named_to_the_job():
    plan = plan_of(scratch=trestle.Scratch(root="/scratch"))
    made = [step.action for step in plan.steps if isinstance(step.action, trestle.MakeScratch)]
    shown = {variable.name: str(variable.value) for variable in plan.process.environment}
    assert len(made) == 1
    assert shown["SLURM_TMPDIR"] == shown["TMPDIR"]
    assert shown["TMPDIR"].startswith("/scratch/")
