# SPDX-License-Identifier: Apache-2.0
"""Replays: the openb study's rules, its tables, what the shell command writes."""

import collections
import csv
import functools
import json
import pathlib
import subprocess
import sys

import numpy
import openb_reference
import pytest
import trestle
from data_folders import DATA
from hypothesis import given
from hypothesis import strategies as st
from trestle import __main__ as shell
from trestle import replay, traces
from trestle._rng import Rng
from trestle.replay import results, workload
from trestle.traces import lublin, openb, orders, swf

ROOT = pathlib.Path(__file__).parents[2]
SMALL = ROOT / "examples/traces"
NODES, PODS = str(SMALL / "nodes.csv"), str(SMALL / "pods.csv")
OPENB = DATA / "openb"


def needs(package):
    def is_missing():
        return subprocess.run([sys.executable, "-c", f"import {package}"],
                              capture_output=True).returncode != 0
    return pytest.mark.skipif(is_missing(), reason=f"{package} is not installed")


@pytest.fixture(scope="module")
def small():
    return replay.load([NODES], PODS)


# What the study's simulator gives for its seed 42: per cent allocated of all GPUs when 95, 100, 110,
# 120 and 130 % have arrived.
STUDY = {
    "fgd": (94.92, 95.14, 95.19, 95.24, 95.29),
    "best_fit": (92.87, 92.94, 93.00, 93.07, 93.13),
    "packing": (91.30, 91.37, 91.42, 91.49, 91.57),
    "clustering": (91.26, 91.33, 91.39, 91.45, 91.53),
    "dot_product": (90.27, 90.34, 90.39, 90.46, 90.54),
}


def test_the_study_s_tables_come_out():
    trace = replay.load([OPENB / "openb_node_list_gpu_node.csv"],
                        OPENB / "openb_pod_list_default.csv")
    assert (trace.measured, trace.capacity, len(trace.typical_jobs)) == ("gpu", 6_212_000, 35)
    curves = {}
    arrivals = replay.Arrivals(
        trace, trace.order(str(OPENB / "orders/openb_pod_list_default.42.order")))
    for policy, cells in STUDY.items():
        curves[policy] = curve = arrivals.replay(policy)
        assert [curve.allocated_percent[at] for at in (95, 100, 110, 120, 130)] == list(cells)
    # Fewer fragments are what the gradient is for.
    assert curves["fgd"].fragment_percent[100] < curves["best_fit"].fragment_percent[100]


@pytest.mark.parametrize("policy", ["best_fit", "fgd"])
@pytest.mark.parametrize("seed", range(3))
def test_a_plain_replay_comes_to_the_same(small, policy, seed):
    order = small.order(str(seed))
    curve = replay.replay(small, order, policy)
    allocated, lost = openb_reference.replay(
        openb.load_nodes(NODES), openb.load_pods(PODS), order, policy)
    assert curve.allocated_percent == allocated
    assert list(curve.fragment_percent) == list(lost)
    assert numpy.allclose(list(curve.fragment_percent.values()), list(lost.values()), atol=0.011)


def test_the_same_arguments_give_the_same_curve(small):
    order = small.order("7")
    assert order == small.order("7") != small.order("8")
    for policy in ("fgd", "random"):
        assert replay.replay(small, order, policy) == replay.replay(small, order, policy)
    first = replay.replay(small, order, trestle.Policy.best_fit)
    assert (first.policy, first.order, first.placed + first.dropped) == (
        "best_fit", "7", len(order.arrivals))


def least_left(columns):
    return -(columns.milli_cpus_after / 64000 + columns.devices_after / 8000)


def test_a_policy_of_the_caller_s_own(small):
    order = small.order("1")
    curve = replay.replay(small, order, least_left)
    assert curve.policy == "least_left" and max(curve.allocated_percent.values()) > 70
    named = replay.replay(small, order, f"{__name__}:least_left")
    assert named.allocated_percent == curve.allocated_percent
    with pytest.raises(ValueError, match='policy: unknown policy at offset 0 \\("fgdd"\\): expected one of '):
        replay.replay(small, order, "fgdd")
    with pytest.raises(ValueError, match='policy: "json:f", json has no such function'):
        replay.find_policy("json:f")
    with pytest.raises(ModuleNotFoundError):
        replay.find_policy("no_such_module:f")


def test_policies_without_a_name_of_their_own_are_distinguished(small):
    """Lambdas are all called <lambda>, and a partial has no name at all."""
    orders = [small.order("1"), small.order("2")]
    one, other = functools.partial(least_left), lambda columns: -least_left(columns)
    alike = [replay.replay(small, orders[0], one), replay.replay(small, orders[0], one)]
    assert [curve.policy for curve in alike] == ["policy"] * 2
    with pytest.raises(ValueError, match="policy policy, order 1: stands twice; expected each once"):
        replay.by_policy(alike)
    curves = [replay.replay(small, order, policy, name=name) for order in orders
              for name, policy in (("least", one), ("most", other))]
    means = replay.by_policy(curves)
    assert list(means) == ["least", "most"] and means["least"] != means["most"]
    assert replay.Arrivals(small, orders[0]).replay("fgd", name="mine").policy == "mine"


def test_an_order_of_something_else_is_refused(small):
    order = small.order("trace")
    for wrong in ({"ranks": order.ranks[1:]}, {"ranks": (0,) * len(order.ranks)},
                  {"arrivals": (len(small.jobs),)}, {"arrivals": (-1,)}):
        fields = {"name": "mine", "arrivals": order.arrivals, "ranks": order.ranks}
        with pytest.raises(ValueError, match="order mine"):
            replay.replay(small, traces.Order(**{**fields, **wrong}), "fgd")


@given(st.lists(st.integers(0, 900), min_size=1, max_size=40), st.integers(1, 5),
       st.integers(0, 2**64 - 1))
def test_law_orders_hold_every_job_and_stay_within_the_capacity(sizes, units, seed):
    capacity = 1000 * units
    order = orders.make_order(sizes, capacity, 9, seed)
    arrived = sum(sizes[at] for at in order.arrivals)
    assert arrived <= capacity * 13 // 10
    assert sorted(order.ranks) == list(range(9))
    if sum(sizes) <= capacity * 13 // 10:
        assert not collections.Counter(range(len(sizes))) - collections.Counter(order.arrivals)


def test_numbers_are_those_of_the_library():
    """SplitMix64 of base/rng.hpp: its first numbers from seed 0 are published with it."""
    rng = Rng(0)
    assert [rng.next() for _ in range(3)] == [
        0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_jobs_of_a_log_run_on_processors(tmp_path):
    (tmp_path / "slurm.conf").write_text(
        "NodeName=n[0-7] Sockets=2 CoresPerSocket=8 RealMemory=64000\nPartitionName=p Nodes=ALL\n")
    swf.write_swf(tmp_path / "a.swf", lublin.generate(40, 1, lublin.LublinModel(processors=64)))
    trace = replay.load([tmp_path], tmp_path / "a.swf")
    assert (trace.measured, trace.capacity) == ("cpu", 128_000)
    curve = replay.replay(trace, trace.order("1"), "best_fit")
    assert max(curve.allocated_percent.values()) > 90 and curve.fragment_percent == {}


def test_memory_of_a_log_is_per_processor():
    log = swf.SwfLog(jobs=(swf.SwfJob(1, 0, requested_processors=4, requested_memory=2**20),
                           swf.SwfJob(2, 0), swf.SwfJob(3, 0, processors=2)))
    jobs = workload.swf_jobs(log)
    assert [job.milli_cpus for job in jobs] == [4000, 2000]
    cluster = trestle.Cluster.from_text("2 x (4c mem=3G)")
    placement = trestle.place(cluster, jobs[0].request)
    assert sum(part.total_memory() for part in placement.nodes) == 4 << 30


def test_nodes_come_from_whatever_describes_them(tmp_path):
    (tmp_path / "offers.csv").write_text(
        "backend,region,instance,cpus,memory,disk,gpu_count,gpu_name,gpu_memory,gpu_vendor,price,"
        "spot\n"
        "aws,us-east-1,p4de.24xlarge,96,1152GB,8TB,8,A100,80GB,nvidia,40.97,false\n")
    (tmp_path / "slurm.conf").write_text("NodeName=n[0-1] CPUs=4 Gres=gpu:a100:2\nGresTypes=gpu\n"
                                         "PartitionName=p Nodes=ALL\n")
    (offer,) = replay.load_nodes(tmp_path / "offers.csv")
    assert offer.name == "0:aws/us-east-1/p4de.24xlarge" and offer.shape.cpu_count() == 96
    assert [gpu.shares for gpu in offer.shape.devices] == [1000] * 8
    nodes = replay.load_nodes(f"3*{tmp_path}")
    assert [node.name for node in nodes] == ["n0-0", "n0-1", "n0-2", "n1-0", "n1-1", "n1-2"]
    assert nodes[0].shape.devices[1].shares == 1000
    pods = replay.Workload(nodes, workload.openb_jobs([openb.Pod("p", 1000, 0, 1, 500)]))
    assert pods.capacity == 12_000
    with pytest.raises(ValueError, match="nodes: 1 without a gpu"):
        replay.Workload((trestle.Cluster.from_text("1 x (2c)").node(0),), pods.jobs)


def run(*words):
    return subprocess.run([sys.executable, "-m", "trestle", *map(str, words)], text=True,
                          capture_output=True)


def test_the_shell_command_writes_what_replay_gives(small, tmp_path):
    out = tmp_path / "results.json", tmp_path / "results.csv"
    done = run("replay", "--nodes", NODES, "--pods", PODS, "--policy", "fgd,best_fit",
               "--orders", "1,trace", "--out", *out, "--workers", "2")
    assert done.returncode == 0, done.stderr
    curves = [replay.replay(small, small.order(order), policy)
              for policy in ("fgd", "best_fit") for order in ("1", "trace")]
    written = json.loads(out[0].read_text())
    assert list(written) == ["fgd", "best_fit"]
    assert set(written["fgd"]) == {"allocated_percent", "fragment_percent"}
    assert {policy: {name: {int(at): cell for at, cell in cells.items()}
                     for name, cells in both.items()}
            for policy, both in written.items()} == replay.by_policy(curves)
    rows = list(csv.DictReader(out[1].open()))
    assert [row["allocated_percent"] for row in rows] == [
        str(row["allocated_percent"]) for row in replay.rows_of(curves)]
    assert results.table(curves) in done.stdout
    done = run("replay", "--nodes", NODES, "--pods", PODS, "--policy", "fgd,best_fit",
               "--orders", "1,trace", "--json")
    assert json.loads(done.stdout) == written


def test_a_folder_of_orders(small, tmp_path, capsys):
    order = small.order("5")
    for name in ("b.order", "a.order"):
        (tmp_path / name).write_text("\n".join(map(str, (*order.arrivals, -1, *order.ranks))))
    assert shell.main(["replay", "--nodes", NODES, "--pods", PODS, "--orders", str(tmp_path), "7",
                       "--policy", "best_fit", "--out", str(tmp_path / "a.csv")]) == 0
    rows = list(csv.DictReader((tmp_path / "a.csv").open()))
    assert list(dict.fromkeys(row["order"] for row in rows)) == ["a.order", "b.order", "7"]
    capsys.readouterr()


def test_one_order_is_written_as_it_is(small):
    curve = replay.replay(small, small.order("3"), "fgd")
    both = replay.by_policy([curve])["fgd"]
    assert both == {"allocated_percent": dict(sorted(curve.allocated_percent.items())),
                    "fragment_percent": dict(sorted(curve.fragment_percent.items()))}


def test_means_of_orders_that_pass_over_some_per_cent():
    assert results.mean_of([{1: 1.0, 3: 2.0}, {2: 4.0, 3: 6.0, 5: 7.0}]) == {2: 2.5, 3: 4.0, 5: 4.5}
    assert results.mean_of([{}, {}]) == {}


@needs("pyarrow")
def test_parquet(small, tmp_path):
    import pyarrow.parquet
    curves = [replay.replay(small, small.order("1"), "fgd")]
    replay.write(tmp_path / "a.parquet", curves)
    assert pyarrow.parquet.read_table(tmp_path / "a.parquet").to_pylist() == replay.rows_of(curves)


@needs("matplotlib")
def test_a_plot_has_three_panels(small, tmp_path):
    from trestle.replay import plot
    curves = [replay.replay(small, small.order("1"), policy) for policy in ("fgd", "best_fit")]
    labels = [axes.get_ylabel() for axes in plot.figure(curves, small.capacity).axes]
    assert labels == ["allocated GPUs (%)", "fragmented GPUs (% of all)", "unallocated GPUs"]
    plot.save(tmp_path / "a.png", curves, small.capacity)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("words, message", [
    (["--pods", "nowhere.csv"], "nowhere.csv"),
    (["--nodes", "nowhere.csv"], "nowhere.csv"),
    (["--policy", ","], "--policy: empty"),
    (["--policy", "fgd,fgd"], "--policy: fgd stands 2 times, expected it once"),
    (["--orders", "1", "2,1"], "--orders: 1 stands 2 times, expected it once"),
    (["--policy", "fgdd"], 'policy: unknown policy at offset 0 ("fgdd"): expected one of'),
    (["--orders", "nowhere.order"], "nowhere.order"),
    (["--orders", PODS], "pods.csv:1: job: "),
    (["--orders", str(SMALL)], "traces: no *.order in this folder"),
    (["--nodes", str(ROOT / "examples/node.conf")], "node.conf: expected slurm.conf or its folder"),
    (["--workers", "0"], "--workers: 0"),
    (["--out", "a.xlsx"], "expected an ending of .json, .csv, .parquet"),
    (["--out", "nowhere/a.json"], "nowhere/a.json: there is no such folder"),
    (["--nodes", PODS], "pods.csv:1: expected the columns of openb nodes"),
    (["--pods", NODES], "nodes.csv:1: expected the columns of openb pods"),
    (["--nodes", NODES, NODES], "big-0"),
])
def test_bad_input_is_reported(words, message, capsys):
    base = {"--nodes": [NODES], "--pods": [PODS]} | {words[0]: words[1:]}
    status = shell.main(["replay", *(word for key, values in base.items()
                                     for word in (key, *values))])
    told = capsys.readouterr()
    assert (status, told.out) == (2, "") and message in told.err


def test_all_bad_rows_of_all_files_are_reported(tmp_path, capsys):
    (tmp_path / "n.csv").write_text("sn,cpu_milli,memory_mib,gpu,model\na,1500,1,0,\na,x,1,0,\n")
    (tmp_path / "p.csv").write_text("cpu_milli,memory_mib,num_gpu,gpu_milli\n1,1,1,0\n0,1\n")
    assert shell.main(["replay", "--nodes", str(tmp_path / "n.csv"),
                       "--pods", str(tmp_path / "p.csv")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[0] for line in lines] == ["n.csv:2", "n.csv:3", "n.csv:3", "p.csv:2",
                                                       "p.csv:3"]


def test_what_is_not_installed_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    base = ["replay", "--nodes", NODES, "--pods", PODS]
    monkeypatch.setitem(sys.modules, "tqdm", None)  # only a bar
    for words, extra in ((["--plot", str(tmp_path / "a.png")], "matplotlib is not installed: pip "
                          "install 'trestle[plot]'"),
                         (["--out", str(tmp_path / "a.parquet")], "pyarrow is not installed: pip "
                          "install 'trestle[sim]'")):
        assert shell.main([*base, *words]) == 2
        assert extra in capsys.readouterr().err
    assert shell.main(base) == 0
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert shell.main(base) == 2
    assert "numpy is not installed: pip install 'trestle[sim]'" in capsys.readouterr().err


def test_version_and_help():
    assert run("--version").stdout == trestle.__version__ + "\n"
    for words in ([], ["replay"], ["conformance"]):
        done = run(*words, "--help")
        assert done.returncode == 0 and "usage: python -m trestle" in done.stdout
