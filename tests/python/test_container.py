# SPDX-License-Identifier: Apache-2.0
"""Documents for containers: what a share of a machine becomes."""

import json

import pytest
import trestle
from trestle import container

GB = 1 << 30


def share_plan(gpus=2, **policy):
    """GPUs 2 and 3 of four, cores 8 to 11, 32 GiB: limited to what the share has."""
    node = trestle.Cluster.from_text("(2s8c mem=512G gpu:a100:4)").node(0)
    devices = [device.replace(vendor="nvidia", uuid=f"GPU-{device.index}",
                              files=[trestle.DeviceFile(f"/dev/nvidia{device.index}", major=195,
                                                        minor=device.index)])
               for device in node.shape.devices]
    node = node.replace(shape=node.shape.replace(devices=devices))
    placement = trestle.NodePlacement(
        cores=trestle.CoreSet(range(8, 12)), memory=[trestle.MemoryShare(1, 32 * GB)],
        devices=[trestle.DeviceShare(index) for index in range(4 - gpus, 4)])
    request = trestle.Request(memory=trestle.Range.at_least(20 * GB), shm_size=8 * GB,
                              disk=trestle.Range.at_least(100 * GB))
    return trestle.plan(node, placement, request,
                        trestle.LimitPolicy(source=trestle.LimitSource.capacity, **policy),
                        trestle.PlanOptions(group="job_7"))


def test_docker():
    document = container.docker_container(share_plan(pids_max=4096))
    host = json.loads(document.content.to_json())["HostConfig"]
    assert host["Memory"] == host["MemorySwap"] == 32 * GB
    assert host["ShmSize"] == 8 * GB
    assert host["PidsLimit"] == 4096
    assert host["NetworkMode"] == "bridge"
    assert host["DeviceRequests"][0]["DeviceIDs"] == ["GPU-2", "GPU-3"]
    assert host["NanoCpus"] == len(trestle.limits_of(share_plan()).cpus) * 10**9
    assert document.content.host_config.cpuset_cpus == host["CpusetCpus"]
    assert [row.resource for row in container.losses(document.limits)] == [
        "memory", "devices", "disk", "environment"]
    assert "ShmSize" in container.kept_table(document.limits)


def test_oci():
    bundle = container.OciBundle(command=trestle.Command(["sleep", "1"]), cgroup_parent="/jobs")
    options = container.ContainerOptions(network=container.NetworkMode.host, uid=1000, gid=100)
    config = container.oci_config(share_plan(), bundle, options).content
    read = json.loads(config.to_json())
    assert read["linux"]["cgroupsPath"] == "/jobs/job_7"
    assert read["linux"]["resources"]["memory"] == {"limit": 32 * GB, "swap": 32 * GB}
    assert read["process"]["user"] == {"uid": 1000, "gid": 100}
    assert {"type": "network"} not in read["linux"]["namespaces"]
    assert [device.path for device in config.linux.devices][:2] == ["/dev/nvidia2", "/dev/nvidia3"]
    assert config.mounts[-1].options[-1] == f"size={8 * GB}"


def test_kubernetes():
    pod = container.kubernetes_pod(share_plan(gpus=1), name="train").content
    one = pod.containers[0]
    assert one.name == "train"
    assert one.resources.limits.extended == (container.ExtendedResource("nvidia.com/gpu", 1),)
    assert json.loads(pod.to_json())["containers"][0]["resources"]["limits"] == {
        "cpu": str(len(trestle.limits_of(share_plan()).cpus)), "memory": "32Gi", "nvidia.com/gpu": "1"}
    assert pod.volumes[0].empty_dir.size_limit == "8Gi"


@pytest.mark.parametrize("document", [
    lambda plan: container.docker_container(plan),
    lambda plan: container.oci_config(plan, container.OciBundle(trestle.Command(["true"]))),
    lambda plan: container.kubernetes_pod(plan),
])
def test_documents_come_back_and_compare(document):
    content = document(share_plan()).content
    assert type(content).from_json(content.to_json()) == content
    assert document(share_plan()) == document(share_plan())
    assert document(share_plan()) != document(share_plan(has_cpu_quota=True, pids_max=1))


def test_kits_are_data():
    own = container.ContainerProfile(vendor="nvidia", name="gpu", kubernetes_resource="example.com/gpu")
    options = container.ContainerOptions(profiles=[own])
    device = share_plan().devices[0]
    assert own.is_for(device)
    assert not own.is_for(device.replace(vendor="amd"))
    limits = container.kubernetes_pod(share_plan(), options).content.containers[0].resources.limits
    assert limits.extended[0].name == "example.com/gpu"
    assert container.docker_container(share_plan(), options).content.host_config.devices
    assert any(profile.vendor == "habana" for profile in container.standard_container_profiles())


def test_errors():
    skips = trestle.Requirements(devices=trestle.Requirement.skip)
    for make in (container.docker_container, container.kubernetes_pod):
        with pytest.raises(ValueError, match="skips devices"):
            make(share_plan(requirements=skips))
    with pytest.raises(ValueError, match="expected a program"):
        container.oci_config(share_plan(), container.OciBundle())
    with pytest.raises(ValueError, match="container name"):
        container.kubernetes_pod(share_plan(), name="A")
    with pytest.raises(ValueError, match="unknown suffix"):
        container.KubernetesResources.from_json('{"limits":{"memory":"1GB"}}')


def test_mig_configurations_cut_the_gpus_of_a_node():
    text = """
version: v1
mig-configs:
  mixed:
    - devices: [0]
      mig-enabled: true
      mig-devices: {"1g.10gb": 2, "3g.40gb": 1}
    - devices: [1]
      mig-enabled: false
"""
    (mixed,) = container.parse_mig_parted(text)
    assert (mixed.name, mixed.layouts[0].devices, mixed.layouts[1].is_enabled) == ("mixed", (0,), False)
    shape = trestle.Cluster.from_text("(2s8c mem=512G gpu:h100:2)").node(0).shape
    gpus = [gpu.replace(vendor="nvidia", model="NVIDIA H100 80GB HBM3", memory=80 * GB) for gpu in shape.devices]
    cut = container.with_mig_config(shape.replace(devices=gpus), mixed)
    first, second = cut.devices
    assert sorted(one.profile for one in first.slicing.instances) == ["1g.10gb", "1g.10gb", "3g.40gb"]
    assert first.slicing.is_fixed and second.slicing is None
    with pytest.raises(ValueError, match="mixed: gpu 1: the node has 1 NVIDIA GPUs"):
        container.with_mig_config(shape.replace(devices=gpus[:1]), mixed)
    with pytest.raises(ValueError, match="expected v1"):
        container.parse_mig_parted("version: v2")
