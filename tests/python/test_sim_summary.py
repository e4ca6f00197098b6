# SPDX-License-Identifier: Apache-2.0
"""The numbers of a summary, each against what a few jobs give by hand; sweeps, pictures, tables."""

import io
import math
import subprocess
import sys
from dataclasses import replace

import pytest
import trestle
from random_sim import WHOLE, random_jobs, random_world, with_conditions
from trestle import _progress, sim
from trestle.sim import METRICS
from trestle.sim._demand import size_class
from trestle.sim._locality import Locality
from trestle.sim.sweep import half_width
from trestle.traces import swf

GPU = {count: trestle.Request(devices=[trestle.DeviceRequest(count=count)]) for count in (1, 2, 3)}
STRICT = trestle.Discipline.strict()


def cluster(nodes=2):
    return trestle.Cluster.from_text(f"{nodes} x (4c gpu:2)")


def three_jobs(**of_the_second):
    """On two nodes of two GPUs: one job waits from 5 to 10 for the GPUs of another."""
    return [sim.Job(0, 0, GPU[2], 100, 10, user="a"),
            sim.Job(1, 0, GPU[1], 100, 20, user="b", **of_the_second),
            sim.Job(2, 5, GPU[2], 100, 10, user="a")]


RESULT = sim.simulate(cluster(), three_jobs(), STRICT, keeps_reasons=True)
TWO_GPUS = (trestle.TypicalJob(cpus=1000, devices=2),)
SUMMARY = RESULT.summary(typical_jobs=TWO_GPUS, price=lambda node: 3600,
                         job_watts=lambda job, placement: 100, node_watts=lambda node: 1)

BY_HAND = [
    # metric, of, (value, p50, p90, p99, max), how
    ("jobs", "completed", (3, None, None, None, None), "all three"),
    ("wait", "all", (5 / 3, 0, 4, 4.9, 5), "of 0, 0, 5; p90 lies at rank 1.8"),
    ("wait", "user a", (2.5, 2.5, 4.5, 4.95, 5), "of 0, 5"),
    ("wait", "user b", (0, 0, 0, 0, 0), "of 0"),
    ("wait", "size gpu 1", (0, 0, 0, 0, 0), "of 0"),
    ("wait", "size gpu 2", (2.5, 2.5, 4.5, 4.95, 5), "of 0, 5"),
    ("response", "all", (15, 15, 19, 19.9, 20), "of 10, 20, 15"),
    ("slowdown", "all", (3.5 / 3, 1, 1.4, 1.49, 1.5), "of 1, 1, 15/10"),
    ("finish_time_fairness", "user b", (20 / (20 * 1.0625),) + (20 / (20 * 1.0625),) * 4,
     "5 GPUs of 4 are demanded from 5 to 10: a quarter of 20 s by 1.25"),
    ("finish_time_fairness", "size gpu 2", (
        (8 / 9 + 18 / 13) / 2, (8 / 9 + 18 / 13) / 2, 8 / 9 + .9 * (18 / 13 - 8 / 9),
        8 / 9 + .99 * (18 / 13 - 8 / 9), 18 / 13), "10/(10 * 9/8) and 15/(10 * 13/12)"),
    ("jain_index", "users", (2.25**2 / (2 * (1.25**2 + 1)), None, None, None, None),
     "of the mean slowdowns 1.25 and 1"),
    ("makespan", "all", (20, None, None, None, None), "from 0 to 20"),
    ("utilisation", "gres/gpu", (60 / 80, None, None, None, None), "20 + 20 + 20 of 4 * 20"),
    ("utilisation", "cpu", (40 / 160, None, None, None, None), "one CPU each of 8"),
    ("goodput", "gres/gpu", (60 / 80, None, None, None, None), "all completed"),
    ("occupancy", "all", (1, None, None, None, 1), "both nodes always have a job"),
    ("gpu_allocation", "all", (3 / 4, None, None, None, 3 / 4), "3 of 4 GPUs all the time"),
    ("gpu_occupancy", "all", (3 / 4, None, None, None, None), "the same over time"),
    ("fragmented_nodes", "all", (1 / 2, None, None, None, 1 / 2), "one node has one GPU left"),
    ("fragments", "all", (1 / 4, None, None, None, 1 / 4), "which two-GPU jobs cannot use"),
    ("preemptions", "all", (0, None, None, None, None), "none"),
    ("interruptions", "all", (0, None, None, None, None), "none"),
    ("migrations", "all", (0, None, None, None, None), "none"),
    ("attempts", "all", (1, 1, 1, 1, 1), "one each"),
    ("allocation_ratio", "size gpu 2", (1, None, None, None, None), "both started"),
    ("locality", "numa", (1, None, None, None, None), "nodes have one memory domain"),
    ("waited_for", "devices", (5, None, None, None, None), "the third job, from 5 to 10"),
    ("energy", "all", (100 * 40 + 2 * 20, None, None, None, None), "40 s of jobs, 20 of two nodes"),
    ("cost", "all", (40, None, None, None, None), "40 node seconds at 1 a second"),
]


@pytest.mark.parametrize("metric, of, expected, how", BY_HAND, ids=[f"{r[0]}-{r[1]}" for r in BY_HAND])
def test_numbers_are_those_by_hand(metric, of, expected, how):
    row = SUMMARY.find(metric, of)
    got = (row.value, row.p50, row.p90, row.p99, row.max)
    assert [one is None for one in got] == [one is None for one in expected]
    assert [one for one in got if one is not None] == pytest.approx(
        [one for one in expected if one is not None]), how
    assert row.unit == METRICS[metric].unit


def test_every_metric_has_a_row_and_a_definition():
    assert {row.metric for row in SUMMARY.rows} == set(METRICS)
    assert all(one.definition.endswith(".") for one in METRICS.values())
    assert len({(row.metric, row.of) for row in SUMMARY.rows}) == len(SUMMARY.rows)


def test_goodput_leaves_failed_attempts_out():
    summary = sim.simulate(cluster(), three_jobs(failures=1), STRICT).summary()
    assert summary.find("goodput", "gres/gpu").value == 40 / 80
    assert summary.find("utilisation", "gres/gpu").value == 60 / 80
    assert summary.find("jobs", "failed").value == 1


def test_a_bound_and_groups_of_the_callers():
    summary = RESULT.summary(bound=30, by={"parity": lambda job: job.id % 2})
    assert summary.find("slowdown").max == 1  # 15 / 30 counts as 1
    assert summary.find("wait", "parity 0").value == 2.5
    assert summary.find("wait", "parity 1").value == 0
    with pytest.raises(ValueError, match="bound 0; expected 1 or more seconds"):
        RESULT.summary(bound=0)


def test_what_is_not_given_has_no_row():
    metrics = {row.metric for row in sim.simulate(cluster(), three_jobs(), STRICT).summary().rows}
    assert not metrics & {"energy", "cost", "fragments", "waited_for"}
    with pytest.raises(LookupError, match="no metric 'costs'; expected one of jobs, wait"):
        SUMMARY.find("costs")
    with pytest.raises(LookupError, match="no wait of 'user c'; expected one of all, size gpu 1"):
        SUMMARY.find("wait", "user c")


def test_no_jobs_at_all():
    summary = sim.simulate(cluster(), []).summary(typical_jobs=TWO_GPUS)
    assert {row.metric for row in summary.rows} <= set(METRICS)
    assert not any(row.metric == "wait" for row in summary.rows)


def test_a_job_that_goes_on_elsewhere_is_a_migration():
    failure = sim.NodeFailure(0, at=4)
    result = sim.simulate(cluster(), [sim.Job(0, 0, GPU[2], 100, 10)], STRICT, incidents=[failure])
    summary = result.summary()
    assert [part.node for one in result.attempts for part in one.placement.nodes] == [0, 1]
    assert summary.find("migrations").value == summary.find("interruptions").value == 1
    assert summary.find("attempts").value == 2
    assert summary.find("goodput", "gres/gpu").value == 20 / (4 * 14)


def test_preemptions_count():
    jobs = [sim.Job(0, 0, GPU[2], 100, 10), sim.Job(1, 3, GPU[2], 100, 5, priority=1)]
    result = sim.simulate(cluster(1), jobs, STRICT, preempts=lambda a, b: a.priority > b.priority)
    assert result.summary().find("preemptions").value == 1


def test_allocation_ratio_counts_jobs_that_never_start():
    jobs = [sim.Job(0, 0, GPU[1], 100, 10), sim.Job(1, 0, GPU[3], 100, 10)]
    summary = sim.simulate(cluster(), jobs, STRICT).summary()
    assert summary.find("allocation_ratio").value == 1 / 2
    assert summary.find("allocation_ratio", "size gpu 1").value == 1
    assert summary.find("allocation_ratio", "size gpu 3-4").value == 0


@pytest.mark.parametrize("count, name", [(0, "0"), (0.25, "<1"), (1, "1"), (1.5, "2"), (2, "2"),
                                         (3, "3-4"), (4, "3-4"), (5, "5-8"), (8, "5-8"), (9, "9-16")])
def test_sizes_double(count, name):
    assert size_class(count) == name


@pytest.mark.parametrize("seed", range(4))
def test_means_over_time_are_the_utilisation(seed):
    """Two ways to the same number, with failures, an elastic fleet and shared nodes."""
    eight = trestle.Cluster.from_text("8 x (4c gpu:2)")
    result = sim.simulate(eight, with_conditions(random_jobs(seed, 40), seed), **random_world(seed))
    summary, use = result.summary(), result.utilisation()
    samples = result.samples()
    assert [one.at for one in samples] == sorted({one.at for one in samples})
    assert samples[-1].nodes == samples[-1].gpus == samples[-1].fragmented == 0 and not samples[-1].tres
    assert summary.find("gpu_occupancy").value == pytest.approx(use["gres/gpu"])
    there = sum((b.at - a.at) * a.nodes_on for a, b in zip(samples, samples[1:]))
    assert sum((b.at - a.at) * a.nodes for a, b in zip(samples, samples[1:])) == pytest.approx(
        use["node"] * there)
    for one in samples:
        assert 0 <= one.fragmented <= one.nodes <= one.nodes_on
        assert 0 <= one.gpu_allocation <= 1 and 0 <= one.occupancy <= 1


@pytest.mark.parametrize("seed", range(3))
def test_reasons_add_up_to_the_time_that_jobs_waited(seed):
    jobs = random_jobs(seed, 50)
    plain = sim.simulate(cluster(8), jobs)
    result = sim.simulate(cluster(8), jobs, keeps_reasons=True)
    assert [one.end for one in result.jobs] == [one.end for one in plain.jobs]
    for one in result.jobs:
        assert sum(seconds for _, seconds in one.waited_for) == one.wait
    assert any(one.waited_for for one in result.jobs)
    assert not any(one.waited_for for one in plain.jobs)


def test_a_wait_for_another_job_is_reported_as_conditions():
    after = trestle.Dependency(trestle.DependencyKind.afterok, (0,))
    jobs = [sim.Job(0, 0, GPU[1], 100, 10), sim.Job(1, 3, GPU[1], 100, 10, dependencies=(after,))]
    result = sim.simulate(cluster(), jobs, keeps_reasons=True)
    assert result.jobs[1].waited_for == (("conditions", 7),)


# Places.

def part(node=0, cores="", memory=(), devices=()):
    return trestle.NodePlacement(
        node, cores=trestle.CoreSet(cores), memory=[trestle.MemoryShare(one, 1) for one in memory],
        devices=[trestle.DeviceShare(one) for one in devices])


def locality_world():
    """Three nodes of two sockets, each a memory domain with a GPU; the first two on one switch."""
    shape = trestle.Cluster.from_text("1 x (2s4c gpu:2)").node(0).shape
    halves = [trestle.CoreSet("0-3"), trestle.CoreSet("4-7")]
    shape = shape.replace(memory=[trestle.MemoryDomain(i, cores=half) for i, half in enumerate(halves)],
                          devices=[device.replace(cores=half)
                                   for device, half in zip(shape.devices, halves)])
    tree = trestle.TreeTopology("tree", [
        trestle.Switch("root"), trestle.Switch("left", 0, trestle.NodeSet("0-1")),
        trestle.Switch("right", 0, trestle.NodeSet("2"))])
    return trestle.Cluster.create(trestle.ClusterParts(
        [trestle.Node(f"n{i}", shape) for i in range(3)], trestle.Network(trees=[tree])))


@pytest.mark.parametrize("parts, inside, why", [
    ([part(cores="0-3")], "numa socket switch", "cores of one domain"),
    ([part(cores="3-4")], "switch", "cores of both"),
    ([part(cores="0", devices=[0])], "numa socket switch", "a GPU beside its core"),
    ([part(cores="0", devices=[1])], "switch", "a GPU of the other socket"),
    ([part(cores="0", memory=[0])], "numa socket switch", "memory beside its core"),
    ([part(cores="0", memory=[0, 1])], "switch", "memory of both"),
    ([part(0, "0"), part(1, "0")], "switch", "two nodes of a switch"),
    ([part(0, "0"), part(2, "0")], "", "two nodes of two switches"),
])
def test_locality(parts, inside, why):
    places = Locality(locality_world())
    placement = trestle.Placement(parts)
    assert [scope for scope in places.scopes if places.is_inside(placement, scope)] == inside.split(), why


def test_tables():
    rows = sim.Summary((sim.Number("wait", "user a_b", "s", 2.5, 0.0, 1 / 3, 1e7, 12345678.0),
                        sim.Number("jobs", "x|y", "", 3.0)))
    assert rows.to_markdown() == str(rows) == (
        "| metric | of       | unit | value | p50 |      p90 |      p99 |      max |\n"
        "| ------ | -------- | ---- | ----: | --: | -------: | -------: | -------: |\n"
        "| wait   | user a_b | s    |   2.5 |   0 | 0.333333 | 10000000 | 12345678 |\n"
        "| jobs   | x\\|y     |      |     3 |     |          |          |          |\n")
    assert rows.to_latex().splitlines()[4:6] == [
        r"wait & user a\_b & s & 2.5 & 0 & 0.333333 & 10000000 & 12345678 \\",
        r"jobs & x|y &  & 3 &  &  &  &  \\"]
    assert rows._repr_html_().count("<tr>") == 3
    frame = SUMMARY.to_dataframe()
    assert len(frame) == len(SUMMARY.rows) and frame["value"].dtype == float
    assert list(frame.columns) == ["metric", "of", "unit", "value", "p50", "p90", "p99", "max"]


def test_a_result_as_text_is_its_repr():
    assert str(RESULT) == repr(RESULT)


# Seeds.

def test_intervals_are_those_of_students_t():
    waits = {1: 1.0, 2: 2.0, 3: 3.0}

    def run(seed):
        return sim.Summary((sim.Number("wait", "all", "s", waits[seed]),) + (
            (sim.Number("wait", "user b", "s", 5.0),) if seed == 2 else ()))
    swept = sim.sweep(run, [1, 2, 3])
    one = swept.find("wait")
    assert (one.mean, one.seeds) == (2, 3)
    assert one.half_width == pytest.approx(4.3027 / math.sqrt(3), abs=1e-4)  # deviation 1
    assert swept.find("wait", "user b").half_width is None
    assert swept.find("wait", "user b").seeds == 1
    assert len(swept.to_dataframe()) == len(swept.rows) == 2
    assert r"half\_width" in swept.to_latex() and "half_width" in str(swept)
    with pytest.raises(LookupError, match="no p50 of wait of 'all'"):
        swept.find("wait", statistic="p50")


@pytest.mark.parametrize("count, t", [(2, 12.7062), (11, 2.2281), (31, 2.0423), (41, 2.0211),
                                      (61, 2.0003), (121, 1.9799), (1001, 1.9623)])
def test_students_t(count, t):
    values = [0.0, 1.0] * (count // 2) + [0.5] * (count % 2)
    mean = sum(values) / count
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1))
    assert half_width(values) / deviation * math.sqrt(count) == pytest.approx(t, abs=2e-4)


@pytest.mark.parametrize("seeds, run, error, message", [
    ([], lambda seed: RESULT, ValueError, "seeds: empty"),
    ([1, 2, 1], lambda seed: RESULT, ValueError, "seeds: 1 stands twice"),
    ([1], lambda seed: 3.5, TypeError, "run\\(1\\): float; expected a Result or a Summary"),
])
def test_bad_sweeps(seeds, run, error, message):
    with pytest.raises(error, match=message):
        sim.sweep(run, seeds)


# Pictures.

def test_pictures_in_one_call():
    gantt, usage = RESULT.gantt(), RESULT.usage_plot(["gres/gpu"])
    assert "(job 2), from 10 to 20" in gantt.text
    assert usage.text.startswith("<svg") and "<title>gres/gpu</title>" in usage.text
    # 3 of 4 GPUs: y is 300 - 224 * 0.75 from the first second to the last.
    assert 'd="M60.0 132.0H940.0V300.0H940.0"' in usage.text
    assert RESULT._repr_svg_() == RESULT.usage_plot().text
    with pytest.raises(LookupError, match="the cluster has no 'gres/tpu'; expected one of cpu, gres/gpu"):
        RESULT.usage_plot(["gres/tpu"])


@pytest.mark.parametrize("seed", range(2))
def test_pictures_of_any_result(seed):
    jobs = with_conditions(random_jobs(seed, 30), seed)
    result = sim.simulate(cluster(8), jobs, **random_world(seed))
    assert result.gantt().text.endswith("</svg>\n") and result.usage_plot(width=1).text
    assert sim.simulate(cluster(), []).gantt().text and sim.simulate(cluster(), []).usage_plot().text


# Progress.

class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream, delay, is_shown", [
    (Terminal, 0.0, True), (Terminal, 1000.0, False), (io.StringIO, 0.0, False)],
    ids=["terminal", "short", "no-terminal"])
def test_progress_is_shown_on_a_terminal_after_a_while(monkeypatch, stream, delay, is_shown):
    written = stream()
    monkeypatch.setattr(sys, "stderr", written)
    monkeypatch.setattr(_progress, "DELAY", delay)
    sim.simulate(cluster(), three_jobs())
    assert ("simulation: 100%" in written.getvalue()) == is_shown


def test_progress_is_silent_without_tqdm():
    code = ("import io, sys; sys.modules['tqdm'] = None\n"
            "sys.stderr.isatty = lambda: True\n"
            "from trestle import _progress; _progress.DELAY = 0\n"
            "with _progress.Progress('a', 'b', 3) as one: one.reach(1); one.reach(2)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


# Jobs left out, cancelled, one after the other.

def test_impossible_jobs_are_listed_and_left_out():
    jobs = [*three_jobs(), sim.Job(3, 0, GPU[3], 100, 10), sim.Job(4, 0, trestle.Request(tasks=0), 9, 9)]
    listed = sim.impossible_jobs(cluster(), jobs)
    assert [one.job.id for one in listed] == [3, 4]
    assert str(listed[0]).startswith("job 3: devices: asked 3 gpu")
    assert listed[1].why.constraint == trestle.Constraint.invalid
    result = sim.simulate(cluster(), jobs, STRICT, without_impossible=True)
    assert result.impossible == listed
    assert result.jobs == sim.simulate(cluster(), three_jobs(), STRICT).jobs


def test_cancelled_jobs():
    jobs = [sim.Job(0, 0, GPU[2], 100, 10, is_cancelled=True),
            sim.Job(1, 1, GPU[2], 100, 10, cancelled_after=4),
            sim.Job(2, 1, GPU[2], 100, 10, cancelled_after=9)]
    result = sim.simulate(cluster(1), jobs, STRICT)
    assert [(one.outcome.value, one.start, one.end) for one in result.jobs] == [
        ("cancelled", 0, 10), ("cancelled", None, 5), ("completed", 10, 20)]


def test_preceding_jobs_let_others_arrive():
    jobs = [sim.Job(0, 0, GPU[2], 100, 10), sim.Job(1, 999, GPU[2], 100, 10, preceding=0, think_time=7),
            sim.Job(2, 3, GPU[2], 100, 10, preceding=77), sim.Job(3, 0, GPU[2], 100, 4, preceding=1)]
    result = sim.simulate(cluster(), jobs, STRICT)
    assert [(one.arrival, one.start, one.wait) for one in result.jobs] == [
        (0, 0, 0), (17, 17, 0), (3, 3, 0), (27, 27, 0)]
    held = sim.simulate(cluster(), [sim.Job(0, 0, GPU[1], 9, 9, is_held=True),
                                    sim.Job(1, 0, GPU[1], 9, 9, preceding=0)])
    assert [one.outcome.value for one in held.jobs] == ["unstarted", "completed"]
    with pytest.raises(ValueError, match="job 1: preceding 2; expected no circles"):
        sim.simulate(cluster(), [sim.Job(1, 0, GPU[1], 9, 9, preceding=2),
                                 sim.Job(2, 0, GPU[1], 9, 9, preceding=1)])


@pytest.mark.parametrize("more, message", [
    ({"think_time": -1}, "think_time -1; expected 0 or more"),
    ({"cancelled_after": 1.5}, "cancelled_after 1.5; expected an integer or None"),
    ({"preceding": "a"}, "preceding 'a'; expected an integer or None"),
    ({"user": 3}, "user 3; expected a str"),
])
def test_bad_fields_of_jobs(more, message):
    with pytest.raises(ValueError, match=message):
        sim.simulate(cluster(), [sim.Job(0, 0, GPU[1], 9, 9, **more)])


def test_whole_nodes_of_logs_are_as_large_as_nodes():
    request = trestle.Request(nodes=2, exclusivity=WHOLE)
    summary = sim.simulate(trestle.Cluster.from_text("4 x (4c)"),
                           [sim.Job(0, 0, request, 9, 9), sim.Job(1, 0, request.replace(nodes=9), 9, 9)]
                           ).summary()
    assert summary.find("allocation_ratio", "size cpu 5-8").value == 1
    assert summary.find("allocation_ratio", "size cpu 33-64").value == 0


# Logs.

def log(*jobs):
    return swf.SwfLog(jobs=jobs)


LINE = swf.SwfJob(1, 0, run_time=10, processors=6, requested_processors=6, requested_memory=1024,
                  status=1, user=3, group=4)


@pytest.mark.parametrize("fields, words, why", [
    ({}, "2 nodes, 1 task a node of 1 or more CPUs, exclusivity=whole_node",
     "whole nodes of four processors"),
    ({"nodes": "partition"}, "2 nodes, 1 task a node of 1 or more CPUs, exclusivity=whole_node",
     "which is not known"),
    ({"cores": "size"}, "1 or more nodes, 6 tasks of 1 CPU", "a CPU for each processor"),
    ({"cores": lambda one: one.size / 4}, "1 or more nodes, 2 tasks of 1 CPU", "rounded up"),
    ({"cores": "size", "memory": "requested_memory"},
     "1 or more nodes, 6 tasks of 1 CPU, 1MiB a cpu", "KiB for each"),
    ({"cores": "size", "nodes": lambda one: 3}, "3 nodes, 6 tasks of 1 CPU", "on three"),
    ({"gpus": lambda one: one.size // 3}, "1 or more nodes, 1 task a node of 1 CPU, 2 gpu a job",
     "GPUs of the job"),
    ({"gpus": lambda one: 1, "memory": lambda one: 2**30},
     "1 or more nodes, 1 task a node of 1 CPU, 1GiB a device, 1 gpu a job", "memory of each GPU"),
])
def test_fields_of_a_log_are_what_jobs_ask(fields, words, why):
    (one,) = sim.jobs_of_swf(log(LINE), 4, **fields)
    assert str(one.request) == words, why
    assert (one.user, one.group) == ("3", "4")


@pytest.mark.parametrize("fields, message", [
    ({"gpus": "gpus"}, "gpus: 'gpus'; expected one of number, submit_time, .*size, or a function"),
    ({"cores": lambda one: "four"}, "cores of job 1: 'four'; expected a number"),
    ({"cores": lambda one: math.nan}, "cores of job 1: nan; expected a number"),
])
def test_bad_fields_of_a_log(fields, message):
    with pytest.raises(ValueError, match=message):
        sim.jobs_of_swf(log(LINE), **fields)


def test_logs_keep_what_became_of_jobs():
    jobs = sim.jobs_of_swf(log(
        replace(LINE, status=0), replace(LINE, number=2, status=5),
        replace(LINE, number=3, status=5, run_time=-1, wait_time=7, processors=-1),
        replace(LINE, number=4, submit_time=1, preceding_job=1, think_time=30),
        replace(LINE, number=5, run_time=-1)), 4, has_feedback=True)
    assert [one.id for one in jobs] == [1, 2, 3, 4]  # of the fifth the run time is not known
    result = sim.simulate(trestle.Cluster.from_text("2 x (4c)"), jobs, STRICT)
    assert [(one.outcome.value, one.arrival, one.start, one.end) for one in result.jobs] == [
        ("failed", 0, 0, 10), ("cancelled", 0, 10, 20), ("cancelled", 0, None, 7),
        ("completed", 40, 40, 50)]
    assert sim.jobs_of_swf(log(replace(LINE, preceding_job=9)))[0].preceding is None
