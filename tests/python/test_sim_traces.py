# SPDX-License-Identifier: Apache-2.0
"""Every trace that trestle.traces reads becomes jobs of the simulator."""

import json

import pytest
import test_trace_jobs as samples
import trestle
from data_folders import DATA
from trestle import replay, sim
from trestle.traces import gpu_jobs, openb, swf

Task, Node = trestle.Per.task, trestle.Range.at_least(1)


def table_of(load, text, tmp_path):
    (tmp_path / "trace").write_text(text)
    return load(tmp_path / "trace")


def gpu(count, shares=0, **more):
    return trestle.DeviceRequest(count=count, per=Task, shares=shares, **more)


ROWS = [
    # loader, text, the first job, why
    (gpu_jobs.load_sacct, samples.SACCT, sim.Job(
        0, 0, trestle.Request(nodes=2, tasks=2, cpus_per_task=32, memory=3 * 2**38,
                              devices=[gpu(4)]), 86400, 3600, user="a"),
     "64 CPUs, 8 GPUs and 1.5 TiB on two nodes; the job that never ran is left out"),
    (gpu_jobs.load_sacct, json.dumps(samples.SACCT_JSON), sim.Job(
        0, 0, trestle.Request(nodes=2, tasks=2, cpus_per_task=32, memory=2**29,
                              devices=[gpu(4)]), 3600, 30, user="a"), "the same as JSON"),
    (gpu_jobs.load_philly, json.dumps(samples.PHILLY), sim.Job(
        0, 0, trestle.Request(nodes=2, cpus_per_task=1, devices=[
            trestle.DeviceRequest(count=3, per=trestle.Per.job)]), 180, 180, user="u", group="v"),
     "3 GPUs on two nodes are uneven; the killed job has no GPUs"),
    (gpu_jobs.load_helios, samples.HELIOS, sim.Job(
        0, 0, trestle.Request(nodes=1, tasks=1, cpus_per_task=32, devices=[gpu(8)]), 60, 60,
        user="u1"), "a node"),
    (gpu_jobs.load_acme, samples.ACME, sim.Job(
        0, 0, trestle.Request(nodes=2, tasks=2, cpus_per_task=128, memory=1000 * 2**30,
                              devices=[gpu(8)]), 60, 60, user="u1"), "two nodes"),
    (gpu_jobs.load_alibaba, samples.ALIBABA, sim.Job(
        0, 0, trestle.Request(nodes=Node, tasks=2, cpus_per_task=6, memory=31457280000 // 6,
                              memory_per=trestle.Per.cpu, devices=[gpu(1, 500)]), 101, 101),
     "two instances of half a GPU; times are rounded up"),
    (gpu_jobs.load_alibaba_2025, samples.ALIBABA_2025, sim.Job(
        0, 0, trestle.Request(nodes=1, tasks=1, cpus_per_task=12, memory=120 * 2**30,
                              devices=[gpu(1)]), 10, 10, user="app"),
     "arrives at its start, as no other time is known"),
    (gpu_jobs.load_batsim, json.dumps(samples.BATSIM), sim.Job(
        0, 0, trestle.Request(nodes=4, exclusivity=trestle.Exclusivity.whole_node), 100, 21),
     "hosts are whole nodes; of the second no time is known"),
]


@pytest.mark.parametrize("load, text, expected, why", ROWS, ids=[row[0].__name__ for row in ROWS])
def test_a_trace_becomes_jobs(load, text, expected, why, tmp_path):
    table = table_of(load, text, tmp_path)
    jobs = sim.jobs_of(table, gpu_shares=1000)
    assert jobs == (expected,), why
    assert sim.jobs_of(table.jobs, gpu_shares=1000) == jobs
    cluster = trestle.Cluster.create(trestle.ClusterParts(nodes=replay.workload.with_gpu_shares(
        trestle.Cluster.from_text("4 x (128c mem=2T gpu:a100:8)").parts().nodes)))
    result = sim.simulate(cluster, jobs)
    assert [one.outcome for one in result.jobs] == [sim.Outcome.completed]


@pytest.mark.parametrize("state, run, waited, outcome", [
    ("COMPLETED", 5, None, sim.Outcome.completed),
    ("Terminated", 5, None, sim.Outcome.completed),
    ("FAILED", 5, None, sim.Outcome.failed),
    ("NODE_FAIL", 5, None, sim.Outcome.failed),
    ("CANCELLED by 7", 5, None, sim.Outcome.cancelled),
    ("Killed", 5, None, sim.Outcome.cancelled),
    ("CANCELLED", None, 8, sim.Outcome.cancelled),
    ("PENDING", None, 8, None),
    ("RUNNING", None, None, None),
])
def test_what_became_of_jobs_is_kept(state, run, waited, outcome):
    ended = waited if run is None else 10
    row = gpu_jobs.GpuJob("a", submitted=100, started=None if run is None else 105,
                          ended=None if ended is None else 100 + ended, nodes=1, cpus=1, state=state)
    first = gpu_jobs.GpuJob("b", submitted=100, started=100, ended=120, nodes=1, cpus=4)
    jobs = sim.jobs_of([first, row])
    result = sim.simulate(trestle.Cluster.from_text("1 x (4c)"), jobs)
    assert [one.outcome for one in result.jobs[1:]] == ([] if outcome is None else [outcome])


def test_times_begin_with_the_first_arrival_and_ids_are_places():
    rows = [gpu_jobs.GpuJob("unknown"), gpu_jobs.GpuJob("b", submitted=50.5, duration=2, cpus=1),
            gpu_jobs.GpuJob("a", submitted=40, duration=3, cpus=2.5, gpus=1, gpu_type="x", limit=9)]
    jobs = sim.jobs_of(rows, keeps_gpu_types=True)
    assert [(one.id, one.arrival, one.runtime, one.limit) for one in jobs] == [(1, 11, 2, 2),
                                                                               (2, 0, 3, 9)]
    assert jobs[1].request.devices[0].count.min == 1


def test_pods_have_parts_of_gpus_and_models():
    pods = [openb.Pod("a", 1500, 1024, 1, 310, ("T4",), 10, 12, 20), openb.Pod("b", 4000, 0, 2, 1000),
            openb.Pod("c", 4000, 0, 2, 1000, (), 30, None, 31)]
    part, whole = sim.jobs_of(pods, gpu_shares=100, keeps_gpu_types=True)
    assert part == sim.Job(0, 0, trestle.Request(
        tasks=1, cpus_per_task=0, milli_cpus=1500, memory=2**30,
        devices=[gpu(1, 31, types=["T4"])]), 8, 8)
    assert whole.request.devices == (gpu(2),) and (whole.id, whole.arrival) == (2, 20)
    assert sim.jobs_of(pods)[0].request.devices == (gpu(1),), "a part is a whole GPU"


def test_the_pods_of_the_study_run():
    pods = openb.load_pods(DATA / "openb/openb_pod_list_default.csv")[:400]
    rows = openb.load_nodes(DATA / "openb/openb_node_list_gpu_node.csv")[:200]
    nodes = replay.workload.with_gpu_shares(replay.workload.openb_nodes(rows))
    jobs = sim.jobs_of(pods, gpu_shares=1000)
    result = sim.simulate(trestle.Cluster.create(trestle.ClusterParts(nodes=nodes)), jobs,
                          without_impossible=True)
    assert len(jobs) == sum(one.deleted is not None for one in pods) > 100
    assert result.summary().find("gpu_allocation").max > 0


def test_a_log_is_as_jobs_of_swf_has_it():
    log = swf.parse_swf("1 0 0 10 4 -1 -1 4 20 -1 1 3 5 -1 1 1 -1 -1\n")
    assert sim.jobs_of(log) == sim.jobs_of_swf(log)


@pytest.mark.parametrize("trace, more, error, message", [
    (7, {}, TypeError, "trace: int; expected a SwfLog, a JobTable, or a list of GpuJob or Pod"),
    ([7], {}, TypeError, r"trace\[0\]: int; expected a GpuJob or a Pod"),
    ([], {"gpu_shares": 0}, ValueError, "gpu_shares 0; expected 1 or more"),
])
def test_bad_traces(trace, more, error, message):
    with pytest.raises(error, match=message):
        sim.jobs_of(trace, **more)
