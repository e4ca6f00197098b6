# SPDX-License-Identifier: Apache-2.0
"""trestle.papers: quick instances with their numbers, and the laws that the experiments rest on."""

import functools
import json
import math

import numpy
import pytest
import trestle
from data_folders import DATA
from trestle import __main__ as shell
from trestle import papers, replay
from trestle._rng import Rng
from trestle.papers import hived, loop, mig, nvl72, pwr, torus

@functools.lru_cache(maxsize=None)
def quick(name):
    return papers.run(name, papers.Options(is_quick=True, data=DATA))


# What the quick instance of each experiment comes to, seeds and all.
NUMBERS = {
    "fgd": ["95.14 %", "92.94 %"],
    "pwr": ["up to 15.6 % (at 5 % arrived), mean of all arrivals 10.1 %", "5.50 %; 5.50 %"],
    "mig": ["+6.5 %", "+1.5 %", "+13.3 %", "+4.8 %",
            "not repeated: needs the study's mapping of a trace to profiles"],
    "hived": ["0 of 8,885 requests", "216 of 9,117 requests"],
    "nvl72": ["98.9 % (99.0 % in closed form)", "90.0 % (91.7 % in closed form)",
              "88.9 % (88.8 % in closed form)", "80.0 % (83.5 % in closed form)",
              "95.3 % (95.0 % in closed form)", "75.0 % (69.9 % in closed form)",
              "88.9 % (83.7 % in closed form)", "50.0 % (39.7 % in closed form)",
              "93.7 %, 99.6 %"],
    "torus": ["66.8 %", "85.6 % (+18.8 points)", "86.8 % (+20.0 points)"],
}


@pytest.mark.parametrize("name", papers.PAPERS)
def test_a_quick_instance_gives_its_numbers(name):
    rows = quick(name)
    assert [row.ours for row in rows] == NUMBERS[name]
    for row in rows:
        assert row.paper == name and row.source and row.data and row.seeds and row.measure
        assert row.published is None or row.published


def test_nothing_is_published_that_is_not_known():
    """Only these cells have a published number; a new one needs its source beside it."""
    published = {row.published for name in papers.PAPERS for row in quick(name)}
    assert published == {
        None, "95.23 %", "92.86 %", "up to 20 %", "comparable", "+10 % (arXiv:2511.18906)",
        "+22 % (arXiv:2502.01909)", "0: no tenant waits for what it reserved",
        "within 1 % of each other", "+57 points, the most"}


def test_the_command_prints_each_form(capsys):
    words = ["papers", "--quick", "torus"]
    assert shell.main(words) == 0
    text = capsys.readouterr().out
    assert "arXiv:2510.03891" in text and "not found" in text and "66.8 %" in text
    assert shell.main([*words, "--markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5 and {line.count("|") for line in lines} == {9}
    assert shell.main([*words, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["published"] for row in rows] == [None, None, "+57 points, the most"]
    assert rows[0]["ours"] == "66.8 %" and rows[0]["seconds"] >= 0


@pytest.mark.parametrize("words, message", [
    (["nope"], "nope: expected one of fgd, pwr, mig, hived, nvl72, torus\n"),
    (["hived", "nope", "--quick"], "nope: expected one of fgd, pwr, mig, hived, nvl72, torus\n"),
    (["fgd", "--data", "nowhere"], "nowhere/openb: no openb trace; --data names the folder with"
     " openb/, as tests/data of the repository\n"),
])
def test_bad_input_is_reported(words, message, capsys):
    assert shell.main(["papers", *words]) == 2
    assert capsys.readouterr() == ("", message)


@pytest.fixture(scope="module")
def openb():
    return replay.load([DATA / "openb/openb_node_list_gpu_node.csv"],
                       DATA / "openb/openb_pod_list_default.csv")


def test_without_power_the_policy_is_fgd(openb):
    """To the last placement, of which the watts are a sum."""
    one = pwr._Replay(openb, openb.order("42"))
    assert one.run(pwr._Way(0), 8) == one.run(pwr._Way(0, 0), 8)
    assert one.run(pwr._Way(0.05), 8)[0] != one.run(pwr._Way(0), 8)[0]


@pytest.mark.parametrize("model, milli_cpus, busy, watts, why", [
    ("T4", 96000, 0, 4 * 10 + 2 * 20, "idle: 48 cores are two packages of 24"),
    ("T4", 96000, 1, 3 * 10 + 70 + 2 * 20, "one GPU, or a part of it"),
    ("T4", 95000, 0, 4 * 10 + 165 + 20, "a thread takes a core, and that the package"),
    ("T4", 48000, 0, 4 * 10 + 165 + 20, "24 cores: one package"),
    ("T4", 47999, 0, 4 * 10 + 2 * 165, "one thousandth more: both"),
    ("T4", 0, 4, 4 * 70 + 2 * 165, "all"),
    ("V100M32", 96000, 0, 8 * 30 + 3 * 20, "48 cores are three packages of 16"),
])
def test_watts_of_a_node(openb, model, milli_cpus, busy, watts, why):
    shape = next(node.shape for node in openb.nodes if node.shape.cpu_count() == 96
                 and node.shape.devices[0].type == model)
    assert pwr._Kinds([shape]).watts(0, milli_cpus, busy) == watts, why


@pytest.mark.parametrize("seed", range(3))
def test_a_cell_is_never_given_twice_and_all_join_again(seed):
    rng, cells = Rng(seed), hived.Cells()
    for rack in range(3):
        cells.add(4, 32 * rack)
    held, free = [], 96
    for _ in range(2000):
        if rng.below(2):
            level = rng.below(5)
            first = cells.take(level)
            if first is not None:
                held.append((level, first))
                free -= hived.SIZES[level]
                taken = [gpu for at, one in held for gpu in range(one, one + hived.SIZES[at])]
                assert len(taken) == len(set(taken)) == 96 - free
            elif level == 0:
                assert free == 0  # a GPU is refused only when there is none
        elif held:
            level, first = held.pop(rng.below(len(held)))
            cells.give_back(level, first)
            free += hived.SIZES[level]
    for level, first in held:
        cells.give_back(level, first)
    assert sorted(cells.take(4) for _ in range(3)) == [0, 32, 64]


def test_tenants_reserve_all_gpus():
    assert sum(hived.SIZES[level] * count for one in hived._TENANTS
               for level, count in one.items()) == 32 * hived._RACKS


@pytest.mark.parametrize("segment", [1, 4, 9, 16, 18])
def test_usable_nodes_are_whole_segments_of_each_rack(segment):
    cluster = nvl72.with_failures(nvl72.racks(12), 0.08, 7)
    up = [sum(cluster.class_of(node).health == trestle.Health.healthy
              for node in range(18 * rack, 18 * rack + 18)) for rack in range(12)]
    assert nvl72.usable(cluster, segment) == sum(
        count // segment * segment for count in up) / cluster.node_count()
    assert cluster.allocation_count() == 0
    if segment == 1:
        assert math.isclose(nvl72.expected_usable(1, 0.08), 0.92)


def test_boxes_are_all_and_each_once():
    boxes = torus._boxes(64, 16)
    assert boxes == ((4, 4, 4), (2, 4, 8), (1, 8, 8), (2, 2, 16), (1, 4, 16))


def test_occupancy_is_that_of_a_queue_worked_by_hand():
    """Two nodes, jobs of one node and 2 s, then of two nodes and 1 s, in turn: 1 s in 3 both."""
    cluster = nvl72.racks(1)
    for node in range(2, 18):
        cluster.adopt(1000 + node, trestle.Placement([trestle.NodePlacement(
            node=node, cores=trestle.CoreSet("0"))]))

    def jobs():
        while True:
            yield 1, 2.0
            yield 2, 1.0

    def place(cluster, nodes):
        found = trestle.place(cluster, nvl72._request(nodes, 1))
        return found or None
    assert math.isclose(loop.occupancy(cluster, jobs(), place, 30), (2 * 1 + 1 * 2) / 3 / 18)


@pytest.mark.parametrize("policy", ["first_fit", "best_fit", "worst_fit"])
def test_a_lost_request_had_no_room_and_an_accepted_one_its_own(policy):
    cluster = mig.gpus(3)
    arriving = mig.jobs(1, 200, 3, mig._MIXES["uniform"])
    one = mig.by_policy(policy)

    def place(cluster, profile):
        placement = one(cluster, profile)
        assert (placement is not None) == bool(trestle.place(cluster, mig._REQUESTS[profile]))
        return placement
    count = mig.accepted(cluster, arriving, place)
    assert 100 < count < 200


def test_round_robin_goes_on_behind_the_last():
    cluster, place = mig.gpus(3), mig.round_robin(3)
    nodes = []
    for owner in range(5):
        placement = place(cluster, "1g.10gb")
        nodes.append(placement.nodes[0].node)
        cluster.adopt(owner, placement)
    assert nodes == [0, 1, 2, 0, 1]


def test_arrivals_ask_for_all_slices_in_the_mean():
    arriving = mig.jobs(1, 20_000, 100, mig._MIXES["bimodal"])
    sizes = {one.name: one.memory_slices
             for one in trestle.find_slice_geometry("a100-80gb").profiles}
    asked = sum(sizes[profile] * seconds for _, seconds, profile in arriving)
    assert numpy.isclose(asked / arriving[-1][0] / 800, 1, atol=0.03)
