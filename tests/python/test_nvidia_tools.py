# SPDX-License-Identifier: Apache-2.0
"""Machines from what nvidia-smi and NCCL print."""

import gzip

import pytest
import trestle
from trestle import traces
from trestle.traces import nvidia

GPU = """<gpu id="00000000:{bus}:00.0"><product_name>NVIDIA A100-SXM4-80GB</product_name>
<mig_mode><current_mig>{mode}</current_mig></mig_mode><mig_devices>{instances}</mig_devices>
<uuid>GPU-{bus}</uuid><minor_number>{minor}</minor_number>
<pci><pci_bus_id>00000000:{bus}:00.0</pci_bus_id></pci>
<fb_memory_usage><total>81920 MiB</total></fb_memory_usage></gpu>"""
INSTANCE = """<mig_device><index>{0}</index><uuid>MIG-{0}</uuid>
<fb_memory_usage><total>9728 MiB</total></fb_memory_usage></mig_device>"""
TOPOLOGY = """\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m
GPU0\t X \tNV12\tPXB\t0-3,8-11\t0\t\tN/A
GPU1\tNV12\t X \tSYS\t4-7,12-15\t1\t\tN/A
NIC0\tPXB\tSYS\t X \t\t\t\t

Legend:

  X    = Self
  NV#  = Connection traversing a bonded set of # NVLinks

NIC Legend:

  NIC0: mlx5_0
"""
NCCL = """<system version="1">
<cpu numaid="0" affinity="00000000,0000000f" arch="x86_64"><pci busid="0000:07:00.0">
<pci busid="0000:0f:00.0"><gpu dev="0" sm="80"><nvlink target="{0}" count="12" tclass="{1}"/></gpu>
</pci><pci busid="0000:10:00.0"><nic><net name="mlx5_0" dev="0"/></nic></pci></pci></cpu>
<cpu numaid="1" affinity="000000f0"><pci busid="0000:47:00.0"><gpu dev="1" sm="90">
<nvlink target="{2}" count="6" tclass="{1}"/></gpu></pci></cpu></system>"""


def smi(*gpus, attached=None):
    count = len(gpus) if attached is None else attached
    return (f'<?xml version="1.0" ?><!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">'
            f"<nvidia_smi_log><attached_gpus>{count}</attached_gpus>{''.join(gpus)}"
            "</nvidia_smi_log>")


def gpu(bus, minor, mode="Disabled", instances="None"):
    return GPU.format(bus=bus, minor=minor, mode=mode, instances=instances)


def test_gpus_of_nvidia_smi():
    first, second = nvidia.parse_smi(smi(gpu("07", 2), gpu("0F", "N/A", "N/A")))
    assert (first.type, first.model, first.uuid) == ("a100", "NVIDIA A100-SXM4-80GB", "GPU-07")
    assert first.memory == 80 * 2**30 and first.pci_bus_id == "0000:07:00.0"
    assert first.files == (trestle.DeviceFile("/dev/nvidia2", major=195, minor=2),)
    assert (second.index, second.pci_bus_id, second.files) == (1, "0000:0f:00.0", ())


def test_a_gpu_in_mig_mode_is_replaced_by_its_instances():
    devices = nvidia.parse_smi(smi(
        gpu("07", 0, "Enabled", INSTANCE.format(0) + INSTANCE.format(1)), gpu("0f", 1, "Enabled"),
        gpu("47", 2)))
    assert [(one.type, one.uuid, one.index) for one in devices] == [
        ("a100_mig", "MIG-0", 0), ("a100_mig", "MIG-1", 1), ("a100", "GPU-47", 2)]
    assert devices[0].memory == 9728 * 2**20


@pytest.mark.parametrize("text, message", [
    ("<a/>", "nvidia-smi:1: <a>, expected <nvidia_smi_log>"),
    ("<a>\n<b>", "nvidia-smi:2: no XML: "),
    (smi(attached=1), "nvidia-smi: attached_gpus 1, 0 GPUs follow"),
    (smi(gpu("07", 0).replace("NVIDIA A100-SXM4-80GB", "N/A")),
     "nvidia-smi: gpu 00000000:07:00.0: no product_name"),
    (smi(gpu("zz", 0)), "nvidia-smi: gpu 00000000:zz:00.0: no pci_bus_id"),
    (smi(gpu("07", "\u00b2")), 'minor_number: "\u00b2", expected a number'),
    (smi(gpu("07", 2**20)), f'minor_number: "{2**20}", expected a number'),
    (smi(gpu("07", 0), attached="\u00b2"), 'attached_gpus: "\u00b2", expected a number'),
    (smi(gpu("07", 0).replace("81920", "9" * 5000)), "expected MiB"),
    (smi(gpu("07", 0).replace("81920 MiB", "80 GB")), "fb_memory_usage total \"80 GB\""),
])
def test_what_is_no_log_is_reported(text, message):
    with pytest.raises(traces.BadRows) as caught:
        nvidia.parse_smi(text)
    assert message in str(caught.value)


def test_the_matrix_of_links():
    told = nvidia.parse_topology(TOPOLOGY)
    assert told.gpus() == ("GPU0", "GPU1") and told.names[2] == "NIC0"
    assert told.links("GPU0", "GPU1") == 12 and told.links("GPU0", "NIC0") == 0
    assert told.relations["NIC0", "GPU0"] == "PXB" and told.interfaces == {"NIC0": "mlx5_0"}
    assert told.cpus["GPU1"] == (4, 5, 6, 7, 12, 13, 14, 15) and told.domains["GPU1"] == (1,)
    plain = nvidia.parse_topology("\tGPU0\tmlx5_0\tCPU Affinity\nGPU0\t X\tNODE\t0\nmlx5_0\tNODE\tX\n")
    assert plain.names == ("GPU0", "mlx5_0") and plain.domains == {}


@pytest.mark.parametrize("text, message", [
    ("", "topo: no matrix"),
    ("\tGPU0\tGPU1\nGPU0\tX\tNV1\n", "topo: no row of GPU1"),
    ("\tGPU0\tGPU1\nGPU0\tX\nGPU1\tNV1\tX\n", "topo:2: GPU0: 1 cells, expected 2 relations"),
    ("\tGPU0\tCPU Affinity\nGPU0\tX\t0-9999999999\n", 'topo:2: GPU0: CPU affinity: "9999999999"'),
    ("\tGPU0\tCPU Affinity\nGPU0\tX\t" + "9" * 5000 + "\n", "GPU0: CPU affinity"),
    ("\tGPU0\tCPU Affinity\nGPU0\tX\t7-3\n", "expected the lower number first"),
    ("\tGPU0\tCPU Affinity\nGPU0\tX\t0\t65536\n", "GPU0: NUMA affinity"),
    ("\tGPU0\tGPU1\nGPU0\tX\tNV" + "1" * 5000 + "\nGPU1\tNV1\tX\n", "expected 2 relations"),
    ("\tGPU0\nGPU0\tZ\n", "topo:2: GPU0: 1 cells, expected 1 relations"),
])
def test_what_is_no_matrix_is_reported(text, message):
    with pytest.raises(traces.BadRows) as caught:
        nvidia.parse_topology(text)
    assert message in str(caught.value)


def test_a_node_of_both():
    node = nvidia.node_of(smi(gpu("07", 0), gpu("0f", 1)), TOPOLOGY, 64 * 2**30, "n0")
    shape = node.shape
    assert node.name == "n0" and len(shape.hardware.cores) == 16
    assert [domain.capacity for domain in shape.memory] == [32 * 2**30] * 2
    assert [str(device.cores) for device in shape.devices] == [
        "0-3,8-11", "4-7,12-15", "0-3,8-11"]
    assert shape.links == (trestle.DeviceLink(0, 1, 12),)
    assert shape.devices[2].attributes == (trestle.Attribute("rdma", "mlx5_0"),)
    with pytest.raises(traces.BadRows, match="2 GPUs, the log of nvidia-smi has 1"):
        nvidia.node_of(smi(gpu("07", 0)), TOPOLOGY, 2**30)
    with pytest.raises(traces.BadRows, match="GPU0: no CPU affinity"):
        nvidia.node_of(smi(gpu("07", 0)), "\tGPU0\nGPU0\tX\n", 2**30)


@pytest.mark.parametrize("relations, cores", [
    (("SYS", "PIX"), "4-7,12-15"), (("PHB", "NODE"), "0-3,8-11"), (("SYS", "NODE"), "4-7,12-15"),
    (("SYS", "SYS"), ""), (("NODE", "NODE"), "")])
def test_a_network_card_lies_where_the_nearest_gpu_does(relations, cores):
    a, b = relations
    text = (TOPOLOGY.replace("\tPXB\t0-3", f"\t{a}\t0-3").replace("\tSYS\t4-7", f"\t{b}\t4-7")
            .replace("NIC0\tPXB\tSYS", f"NIC0\t{a}\t{b}"))
    node = nvidia.node_of(smi(gpu("07", 0), gpu("0f", 1)), text, 2**30)
    assert str(node.shape.devices[2].cores) == cores


def test_topologies_of_nccl(tmp_path):
    switch = NCCL.format("0000:c4:00.0", "0x068000", "0000:c4:00.0")
    node = nvidia.parse_nccl(switch, 2**30)
    first, second, nic = node.shape.devices
    assert (first.pci_bus_id, second.pci_bus_id) == ("0000:0f:00.0", "0000:47:00.0")
    assert first.compute_capability == trestle.Version(8, 0)
    assert str(first.cores) == "0-3" and str(second.cores) == "4-7" and nic.name == "nic"
    assert node.shape.links == (trestle.DeviceLink(0, 1, 6),)
    (tmp_path / "dgx.xml").write_text(NCCL.format("0000:47:00.0", "0x030200", "0000:0f:00.0"))
    direct = nvidia.load_nccl(tmp_path / "dgx.xml")
    assert direct.name == "dgx" and direct.shape.links == (trestle.DeviceLink(0, 1, 12),)
    with pytest.raises(traces.BadRows, match="no gpu"):
        nvidia.parse_nccl("<system/>")
    with pytest.raises(traces.BadRows, match="expected <system>"):
        nvidia.parse_nccl("<graph/>")


ONE = ('<system><cpu numaid="{numaid}" affinity="{affinity}"><pci busid="0000:0f:00.0">'
       '<gpu dev="{dev}" sm="{sm}"><nvlink target="{target}" count="{count}" tclass="0x030200"/></gpu>'
       '</pci></cpu></system>')
FINE = {"numaid": "0", "affinity": "f", "dev": "0", "sm": "80", "target": "0000:47:00.0",
        "count": "1"}


@pytest.mark.parametrize("wrong, message", [
    ({"affinity": "xyz"}, 'affinity "xyz", expected a mask'),
    ({"affinity": "f" * 60000}, "expected a mask of at most 65536 CPUs"),
    ({"affinity": "-f"}, "expected a mask"),
    ({"affinity": "0x_f"}, "expected a mask"),
    ({"numaid": "x"}, 'numaid: "x", expected a number'),
    ({"numaid": "-2"}, 'numaid: "-2"'),
    ({"numaid": "\u00b2"}, "numaid"),
    ({"sm": "x"}, 'gpu 0: sm: "x"'),
    ({"sm": "-1"}, 'sm: "-1"'),
    ({"dev": "x"}, 'gpu x: dev: "x"'),
    ({"dev": "9" * 5000}, "dev: "),
    ({"count": ""}, 'count: ""'),
    ({"count": "9999999999"}, "count: "),
])
def test_a_number_that_is_none_in_a_topology_of_nccl(wrong, message):
    assert nvidia.parse_nccl(ONE.format(**FINE)).shape.devices
    with pytest.raises(traces.BadRows) as caught:
        nvidia.parse_nccl(ONE.format(**{**FINE, **wrong}))
    assert message in str(caught.value)


def test_links_to_processors_are_no_links_of_gpus():
    text = NCCL.format("0000:c4:00.0", "0x068001", "0000:c5:00.0")
    assert nvidia.parse_nccl(text).shape.links == ()


def test_processors_without_a_numa_node_and_cards_below_them():
    text = (NCCL.format("a", "0x068000", "b").replace('numaid="0"', 'numaid="-1"')
            .replace('numaid="1"', 'numaid="-1"')
            .replace("</cpu></system>", '<nic><net name="eth0" dev="1"/></nic></cpu></system>'))
    shape = nvidia.parse_nccl(text, 2**30).shape
    assert [str(domain.cores) for domain in shape.memory] == ["0-3", "4-7"]
    assert [(one.attributes, str(one.cores)) for one in shape.devices if one.name == "nic"] == [
        ((trestle.Attribute("rdma", "mlx5_0"),), "0-3"),
        ((trestle.Attribute("interface", "eth0"),), "4-7")]
    with pytest.raises(traces.BadRows, match="numaid 1: two cpus"):
        nvidia.parse_nccl(NCCL.format("a", "0x068000", "b").replace('numaid="0"', 'numaid="1"'))


def test_files_are_read_as_other_traces(tmp_path):
    (tmp_path / "n.xml.gz").write_bytes(gzip.compress(ONE.format(**FINE).encode()))
    assert nvidia.load_nccl(tmp_path / "n.xml.gz").name == "n"
    (tmp_path / "s.xml.gz").write_bytes(gzip.compress(smi(gpu("07", 0)).encode()))
    assert len(nvidia.load_smi(tmp_path / "s.xml.gz")) == 1
    (tmp_path / "b.xml").write_bytes(b"<a>\n\xff")
    for load in (nvidia.load_smi, nvidia.load_nccl):
        with pytest.raises(traces.BadRows, match="b.xml:2: not UTF-8"):
            load(tmp_path / "b.xml")
