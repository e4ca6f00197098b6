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


def test_each_standard_kit_has_a_function():
    profiles = [trestle.nvidia_profile(), trestle.amd_profile(), trestle.intel_profile(), trestle.gaudi_profile(),
            trestle.neuron_profile(), trestle.vfio_profile(), trestle.tenstorrent_profile(),
            trestle.rdma_profile()]
    assert sorted(str(profile) for profile in profiles) == sorted(str(profile) for profile in PROFILES)


def test_a_device_has_the_files_of_its_profile():
    shape = node_with_gpus()
    assert trestle.profile_of(PROFILES, shape.devices[0]) == trestle.nvidia_profile()
    assert trestle.profile_of(PROFILES, trestle.Device(name="fpga", vendor="mine")) is None
    files = trestle.allowed_files(shape, PLACEMENT, PROFILES)
    assert [one.file.path for one in files][:2] == ["/dev/nvidia1", "/dev/nvidiactl"]
    assert files[1:] == trestle.companions_of(trestle.nvidia_profile(), shape.devices[1])
    device, = trestle.planned_devices(shape, PLACEMENT, PROFILES)
    assert device.uuid == "GPU-1" and device.paths == tuple(one.file.path for one in files)
    variable, *_ = trestle.visibility(shape, PLACEMENT, PROFILES, trestle.DeviceNumbering.uuid)
    assert (variable.name, variable.value.reveal()) == ("CUDA_VISIBLE_DEVICES", "GPU-1")
    assert trestle.host_folders(shape, PLACEMENT, PROFILES) == ()


@pytest.mark.parametrize("function", [trestle.allowed_files, trestle.host_folders,
                                      trestle.planned_devices])
def test_devices_of_a_placement_have_to_exist(function):
    beyond = PLACEMENT.replace(devices=[trestle.DeviceShare(9)])
    with pytest.raises(ValueError, match="device 9 does not exist, the node has 2"):
        function(node_with_gpus(), beyond, PROFILES)


def test_what_two_lists_have_in_common_is_within_both():
    files = trestle.allowed_files(node_with_gpus(), PLACEMENT, PROFILES)
    one = trestle.DeviceAllowList(rules=trestle.pseudo_devices(), files=files)
    other = trestle.DeviceAllowList(rules=trestle.pseudo_devices())
    common = trestle.common_devices(one, other)
    assert trestle.is_within(common, one) and trestle.is_within(common, other)
    assert not trestle.is_within(one, other)
    assert trestle.is_within(one, trestle.every_device())


def test_names_of_groups():
    trestle.check_group_name("job_42/step_0")
    with pytest.raises(ValueError, match="a part starts with a dot"):
        trestle.check_group_name("job_42/..")
    assert trestle.parent_group("job_42/step_0") == "job_42"
    assert trestle.is_below("job_42/step_0", "job_42")
    assert not trestle.is_below("job_420", "job_42")


def test_scratch_directories_have_names_of_groups():
    scratch = trestle.Scratch(root="/scratch")
    directory = trestle.scratch_directory(scratch, "job_42/step_0", trestle.ProcessUser(1000, 100))
    assert str(directory) == "/scratch/job_42%2fstep_0, owner 1000:100"
    assert directory.name == trestle.scratch_name("job_42/step_0")
    assert {one.value.reveal() for one in trestle.scratch_environment(scratch, directory)} == {
        "/scratch/job_42%2fstep_0"}
    with pytest.raises(ValueError, match="a part is empty"):
        trestle.scratch_directory(scratch, "")


def test_settings_of_processes_are_checked():
    trestle.check(trestle.ProcessSettings(nice=5))
    assert trestle.settings_lines(trestle.ProcessSettings(nice=5)) == ("process nice 5",)
    with pytest.raises(ValueError, match="nice"):
        trestle.check(trestle.ProcessSettings(nice=20))
    with pytest.raises(ValueError, match="uid"):
        trestle.check(trestle.ProcessUser(uid=2**32 - 1))
    assert trestle.has_nodes(trestle.MemoryMode.bind)
    with pytest.raises(ValueError, match="bind"):
        trestle.check(trestle.MemoryPolicy(trestle.MemoryMode.bind))


def test_numbers_of_limits():
    shape = node_with_gpus()
    assert trestle.huge_page_name(2 << 20) == "2MB"
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
