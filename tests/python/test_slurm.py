# SPDX-License-Identifier: Apache-2.0
"""Slurm's texts as values: lists of names, TRES."""

import copy
import pickle

import pytest
import trestle
from trestle import slurm
from trestle.slurm import Hostlist


def test_a_hostlist_is_a_sequence_of_names():
    hosts = Hostlist("n[08-11],login,r[1-2]x[0-9:3]")
    names = ["n08", "n09", "n10", "n11", "login"] + [f"r{r}x{x}" for r in (1, 2) for x in (0, 3, 6, 9)]
    assert list(hosts) == list(hosts.names()) == names
    assert len(hosts) == 13 and hosts[-1] == "r2x9" and hosts[4] == "login"
    assert "n10" in hosts and "n010" not in hosts
    assert hosts.find("r1x3") == 6 and hosts.find("r1x4") is None
    with pytest.raises(IndexError):
        hosts[13]
    assert str(hosts) == "n[08-11],login,r1x[0,3,6,9],r2x[0,3,6,9]"
    assert eval(repr(hosts)) == hosts == copy.deepcopy(hosts) == pickle.loads(pickle.dumps(hosts))
    assert hash(hosts) == hash(Hostlist(str(hosts)))
    assert list(Hostlist()) == [] and pickle.loads(pickle.dumps(Hostlist())) == Hostlist()


def test_hostlists_as_sets():
    a, b = Hostlist("n[1-5],n3,x"), Hostlist("n[4-9]")
    assert str(a & b) == "n[4-5]"
    assert str(a | b) == "n[1-9],x"
    assert str(a - b) == "n[1-3],x"
    assert str(a.sorted()) == "n[1-5],x"


def test_ten_million_names_are_two_numbers():
    hosts = Hostlist("node[0000001-9999999],node0")
    assert len(hosts) == 10_000_000
    assert hosts[1_234_566] == "node1234567"


@pytest.mark.parametrize("text, said", [
    ("n[1-", "malformed bracket at offset 4"),
    ("n[3-1]", "a range that goes down at offset 2"),
    ("a,,b", "empty name at offset 2"),
])
def test_a_malformed_hostlist_says_where(text, said):
    with pytest.raises(ValueError, match=said):
        Hostlist(text)


def test_limits():
    with pytest.raises(ValueError, match="too many names"):
        Hostlist("n[1-100]", slurm.HostlistLimits(max_names=99))


def test_tres_are_read_changed_and_printed():
    ids = slurm.TresIds([(1001, trestle.Tres("gres", "gpu"))])
    counts = slurm.parse_tres("1=4,mem=32G,gres/gpu=2", ids)
    assert counts.of(trestle.Tres("mem")) == trestle.gib(32)
    assert slurm.tres_text(counts) == "cpu=4,mem=32G,gres/gpu=2"
    assert slurm.tres_id_text(counts, ids) == "1=4,2=32768,1001=2"
    assert slurm.tres_text(slurm.amend_tres(counts, "cpu+=2,mem=-1")) == "cpu=6,gres/gpu=2"
    with pytest.raises(LookupError):
        slurm.tres_id_text(counts, slurm.TresIds())
    with pytest.raises(ValueError, match="stands twice at offset 6"):
        slurm.parse_tres("cpu=1,1=2")


def test_energy_of_tres_may_be_unknown():
    known, unknown = slurm.parse_tres("cpu=1,energy=100"), slurm.parse_tres("cpu=1")
    assert slurm.energy_of(slurm.sum_of([known, known])) == 200
    assert slurm.energy_of(slurm.sum_of([known, unknown])) is None
    assert slurm.tres_text(slurm.difference_of(known, known)) == "cpu=0,energy=0"
    assert slurm.tres_text(slurm.max_of(known, unknown)) == "cpu=1"


def test_limits_and_billing_of_tres():
    limit, used, asked = map(slurm.parse_tres, ("gres/gpu=4", "gres/gpu=3", "gres/gpu=2,cpu=9"))
    assert str(slurm.exceeds(limit, used, asked)) == "gres/gpu: asked 2, used 3 of 4"
    assert slurm.exceeds(limit, used, slurm.parse_tres("cpu=9")) is None
    weights = slurm.parse_billing_weights("CPU=1.0,Mem=0.25G,GRES/gpu=2.0")
    counts = slurm.parse_tres("cpu=4,mem=32G,gres/gpu=3")
    assert slurm.billing_of(weights, counts) == 18
    assert slurm.billing_of(weights, counts, slurm.BillingRule.max_tres) == 8


def test_what_became_of_a_job():
    ended = trestle.signaled(9, 2)
    assert slurm.state_of(ended) == slurm.State.OUT_OF_MEMORY
    assert slurm.exit_code_text(ended) == "0:125"
    assert slurm.state_of(trestle.exited(0), slurm.EndCause.time_limit) == slurm.State.TIMEOUT
    assert slurm.parse_exit_code("3:0") == trestle.exited(3)
    assert slurm.parse_state("CANCELLED by 1000") == slurm.State.CANCELLED
    assert (slurm.short_text(slurm.State.NODE_FAIL), str(slurm.State.NODE_FAIL)) == (
        "NF", "NODE_FAIL")
    assert slurm.duration_text(86400) == "1-00:00:00" and slurm.duration_text(None) == "UNLIMITED"
    refusal = trestle.Refusal(trestle.Constraint.partition, "too long")
    partition = trestle.Partition("gpu", max_time=60)
    reason = slurm.reason_of(partition, trestle.Request(time_limit=120), refusal)
    assert reason == slurm.Reason.PartitionTimeLimit


def test_a_cluster_of_its_files():
    """slurm.conf, gres.conf and topology.conf in, a cluster out, and what was not used."""
    built = slurm.parse_cluster(
        "Include nodes.conf\nGresTypes=gpu\nTopologyPlugin=topology/tree\nPartitionName=p Nodes=ALL",
        "Name=gpu Type=a100 File=/dev/nvidia[0-4]",
        "SwitchName=s Nodes=n[0-1]",
        files={"nodes.conf": "NodeName=n[0-1] CPUs=8 Gres=gpu:a100:4"},
    )
    assert built.cluster.node_count() == 2
    assert [str(warning) for warning in built.warnings] == [
        "gres.conf line 1: 1 of gpu:a100:5 for node n0 are more than the Gres of nodes.conf line 1"
    ]


def test_all_errors_of_a_file():
    """A bad line never takes the others with it."""
    reading = slurm.read_slurm_conf("NodeName=a CPU=4\nNodeName=b\noops\n")
    assert [error.place.line for error in reading.errors] == [1, 3]
    assert [line.names[0] for line in reading.conf.nodes] == ["b"]
    with pytest.raises(ValueError, match="slurm.conf line 1: unknown key"):
        slurm.parse_slurm_conf("NodeName=a CPU=4")


def test_all_errors_of_all_files():
    reading = slurm.read_cluster(
        "NodeName=n1 Gres=gpu:1\nPartitionName=p Nodes=n1,n7\n",
        "Name=gpu File=/dev/nvidia0 Cores=9\nNmae=gpu\n", strict=True)
    places = [(e.place.file, e.place.line, e.error.offset, e.error.token) for e in reading.errors]
    assert places == [("gres.conf", 1, 27, "Cores=9"), ("gres.conf", 2, 0, "Nmae"),
                      ("slurm.conf", 2, 25, "n7")]
    assert reading.built.cluster.node_count() == 1
    assert [line.name for line in reading.conf.partitions] == ["p"]


def test_percentages_of_cgroup_conf_are_a_policy():
    policy = slurm.limit_policy(slurm.parse_cgroup_conf("ConstrainRAMSpace=yes AllowedRAMSpace=90"))
    assert policy.memory_rule == trestle.MemoryRule(max_ppm=900_000, least=30 * 2**20)


def test_detected_devices_and_limits():
    """Configuration and machine together; memory in the kernel's numbers."""
    conf = slurm.parse_slurm_conf("NodeName=n CPUs=8 Gres=gpu:a100:1").nodes[0]
    found = trestle.NodeShape(devices=[trestle.Device(
        name="gpu", type="nvidia_a100", files=[trestle.DeviceFile("/dev/nvidia0")])])
    gres = slurm.parse_gres_conf("AutoDetect=nvml")
    merged = slurm.merge(slurm.NodeConf("n", conf, gres), found)
    assert [device.type for device in merged.shape.devices] == ["a100"]
    limits = slurm.memory_limits(slurm.parse_cgroup_conf("ConstrainRAMSpace=yes"), 2**30, 2**40)
    assert (limits.max, limits.swap_max) == (2**30, None)


def test_ids_of_jobs():
    waiting = slurm.parse_job_id("1001_[50-100%4]")
    assert (waiting.job, slurm.tasks_in(waiting), str(waiting)) == (1001, 51, "1001_[50-100%4]")
    array = slurm.parse_options(["--array=1-100"]).options.array
    assert slurm.tasks_in(slurm.JobId(1001, array)) == 100
    tasks = [slurm.JobId(1001, slurm.JobArray([slurm.ArrayRange(i, i)])) for i in range(1, 101)]
    assert [str(tasks[0]), str(tasks[-1])] == ["1001_1", "1001_100"]
    assert slurm.parse_job_id("1001") == slurm.JobId(1001)
    with pytest.raises(ValueError, match=r'offset 4 \("\.0"\)'):
        slurm.parse_job_id("1001.0")
