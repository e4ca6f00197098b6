# SPDX-License-Identifier: Apache-2.0
"""Pictures: a notebook shows them, an XML parser reads them, and they say whose everything is."""

import copy
import pickle
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import trestle
from hypothesis import given
from hypothesis import strategies as st
from trestle import sim, svg, testing

ROOT = Path(__file__).resolve().parents[2]
SPACE = "{http://www.w3.org/2000/svg}"


def on_dark(picture):
    """{colour: that on a dark ground}"""
    return dict(re.findall(r'\.trestle-picture \[fill="(#\w+)"\]\{fill:(#\w+)\}', str(picture)))


def contrast(a, b):
    """WCAG 2.1, from 1 to 21."""
    def luminance(colour):
        parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
        return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear))
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def titles(picture):
    return [title.text for title in ElementTree.fromstring(str(picture)).iter(SPACE + "title")]


@pytest.fixture
def node():
    return testing.node_from_text("2s4c2t mem=64G gpu:a100-40G:4@nvlink-pairs name=n0")


def placement(cores=(), **parts):
    return trestle.NodePlacement(cores=trestle.CoreSet(cores), **parts)


def test_a_notebook_shows_it_and_it_can_be_saved(node, tmp_path):
    picture = svg.render_node(node, placement(cores={0, 1}))
    assert isinstance(picture, svg.Svg)
    assert picture._repr_svg_() == str(picture) == picture.text
    assert picture.text.startswith("<svg ")
    picture.save(tmp_path / "node.svg")
    assert (tmp_path / "node.svg").read_bytes().decode() == picture.text
    assert pickle.loads(pickle.dumps(picture)) == copy.copy(picture) == picture
    assert repr(picture) == f"<Svg of {len(picture.text)} characters>"


def test_all_roads_lead_to_the_same_picture(node):
    part = placement(cores={4, 5}, memory=[trestle.MemoryShare(1, 2**30)],
                     devices=[trestle.DeviceShare(2)])
    ledger = trestle.NodeLedger(node.shape)
    assert svg.render_node(node, part) == svg.render_node(
        node, ledger, svg.PictureOptions(proposed=part))
    ledger.take(part, 7)
    assert svg.render_node(node, ledger) == svg.render_node(node, [svg.Taken(owner=7, part=part)])


def test_owners_are_named_and_the_proposal_is_distinguished(node):
    ledger = trestle.NodeLedger(node.shape)
    ledger.take(placement(cores={0}, devices=[trestle.DeviceShare(0)]), 7)
    options = svg.PictureOptions(names=[svg.OwnerName(7, "training")], title="before & after",
                                 proposed=placement(cores={1}))
    found = titles(svg.render_node(node, ledger, options))
    assert found[0] == "before & after"
    assert "core 0, threads 0 and 8, owner 7 (training)" in found
    assert "core 1, threads 1 and 9, this placement" in found
    assert "core 2, threads 2 and 10, free" in found
    assert "gpu 0, a100, 40 GiB, near cores 0-3, owner 7 (training)" in found


def test_what_is_not_on_the_node_breaks_the_contract(node):
    with pytest.raises(trestle.ContractViolation, match="the node has what is drawn"):
        svg.render_node(node, placement(cores={8}))
    with pytest.raises(trestle.ContractViolation, match="the node has what is drawn"):
        svg.render_node(node, placement(devices=[trestle.DeviceShare(4)]))


@pytest.mark.parametrize("path", [*sorted(ROOT.glob("tests/golden/*.svg")),
                                  *sorted(ROOT.glob("examples/*.svg"))], ids=lambda p: p.name)
def test_committed_pictures_are_xml_without_references(path):
    for element in ElementTree.parse(path).iter():
        tag = element.tag.removeprefix(SPACE)
        assert tag in {"svg", "style", "title", "desc", "g", "rect", "text", "path"}
        assert not {"id", "style", "class", "href"} & set(element.attrib) or (
            tag == "svg" and element.get("class") == "trestle-picture")
        if tag == "style":  # nothing that a page with the picture in it would notice
            first, *rules, last = element.text.splitlines()
            assert first == "@media (prefers-color-scheme: dark) {" and last == "}"
            assert all(re.fullmatch(r'\.trestle-picture \[(fill|stroke)="#\w{6}"\]\{\1:#\w{6}\}', one)
                       for one in rules)
        assert not any(name.startswith("on") for name in element.attrib)


# Surrogates cannot be encoded and do not reach C++.
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
def test_any_text_stays_text(text):
    node = testing.node_from_text("1c mem=1G gpu:1")
    device = node.shape.devices[0].replace(name=text, type=text)
    node = node.replace(name=text, shape=node.shape.replace(devices=[device]))
    options = svg.PictureOptions(names=[svg.OwnerName(1, text)])
    taken = [svg.Taken(owner=1, part=placement(cores={0}, devices=[trestle.DeviceShare(0)]))]
    picture = svg.render_node(node, taken, options)
    shown = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]", "\ufffd", text)
    shown = re.sub("[\t\n\r]", " ", shown)
    found = titles(picture)
    assert found[0] == shown
    assert f"core 0, thread 0, owner 1 ({shown})" in found
    assert f"{shown} 0, {shown}, owner 1 ({shown})" in found


@given(st.integers(0, 2**64 - 1))
def test_any_node_is_drawn_whole(seed):
    node = testing.any_node(seed)
    found = titles(svg.render_node(node, placement(cores=range(len(node.shape.hardware.cores)))))
    for core in range(len(node.shape.hardware.cores)):
        mine = [title for title in found if title.startswith(f"core {core}, ")]
        assert len(mine) == 1 and mine[0].endswith(", this placement")
    for device in node.shape.devices:
        assert sum(title.startswith(f"{device.name} {device.index},") for title in found) == 1


def test_a_cluster_is_a_picture_too():
    cluster = testing.cluster_from_text("6 x (4c mem=8G gpu:2) 3 per switch")
    cluster.set_node_state(4, trestle.NodeState.drained)
    picture = trestle.render_cluster(cluster)
    assert picture == svg.render_cluster(cluster)
    assert picture._repr_svg_() == picture.text
    found = titles(picture)
    assert found[0] == "cluster"
    assert "s1: 2 of 3 nodes free, gpu 6 of 6 free, CPUs 12 of 12 free, memory 24 of 24 GiB free" \
        in found
    options = svg.ClusterPictureOptions(title="research", cards=0)
    found = titles(svg.render_cluster(cluster, options))
    assert found[0] == "research"
    assert any(title.startswith("n4, drained, gpu 2 of 2 free") for title in found)


# Light and dark.

def pictures():
    cluster = trestle.Cluster.from_text("4 x (2s4c2t mem=64G gpu:a100-40G:4)")
    for owner in range(10):
        request = trestle.request(f"--gres=gpu:{1 + owner % 2} -c 2")
        cluster.commit(trestle.Allocation(owner, request, trestle.place(cluster, request)))
    node = cluster.node(0)
    timeline = trestle.Timeline(cluster)
    result = sim.simulate(cluster, [sim.Job(100, 0, trestle.Request(), 60, 60)])
    return {
        "node": svg.render_node(node, cluster.ledger(0), svg.PictureOptions(
            proposed=trestle.place(cluster, trestle.request("-c 1")).nodes[0])),
        "cards": svg.render_cluster(cluster),
        "cells": svg.render_cluster(trestle.Cluster.from_text("400 x (4c gpu:2)")),
        "timeline": svg.render_timeline(timeline),
        "gantt": result.gantt(),
        "usage": result.usage_plot(),
    }


PICTURES = pictures()
INKS = ["#1f2328", "#59636e"]
GROUNDS = ["#ffffff", "#f6f8fa"]
OWNERS = ["#77aadd", "#ee8866", "#44bb99", "#eedd88", "#ffaabb", "#bbcc33", "#99ddff", "#aaaa00"]


@pytest.mark.parametrize("name", PICTURES)
def test_each_colour_has_one_for_a_dark_ground(name):
    root = ElementTree.fromstring(str(PICTURES[name]))
    used = {one.get(what) for one in root.iter() for what in ("fill", "stroke")} - {None, "none"}
    assert root.get("class") == "trestle-picture"  # a page with the picture in it keeps its own colours
    assert used - set(on_dark(PICTURES[name])) <= {*OWNERS, "#14181d"}  # the same on both grounds


@pytest.mark.parametrize("name", PICTURES)
def test_text_is_legible_on_both_grounds(name):
    dark = on_dark(PICTURES[name])
    for ink in INKS:
        for ground in set(GROUNDS) & set(dark):
            assert contrast(ink, ground) >= 4.5
            assert contrast(dark[ink], dark[ground]) >= 4.5


def test_ink_on_owners_and_on_the_proposal_is_legible():
    dark = on_dark(PICTURES["node"])
    assert all(contrast("#14181d", fill) >= 4.5 for fill in OWNERS)
    assert contrast("#fafbfc", "#24304a") >= 4.5
    assert contrast(dark["#fafbfc"], dark["#24304a"]) >= 4.5


def test_text_over_an_owner_is_in_the_ink_for_owners():
    """Text that stands inside of a rectangle in an owner's colour, which was drawn before it."""
    for name, picture in PICTURES.items():
        rects, found = [], 0
        for one in ElementTree.fromstring(str(picture)).iter():
            if one.tag == SPACE + "rect" and one.get("fill") not in (None, "none"):
                rects.append(tuple(int(float(one.get(key))) for key in ("x", "y", "width", "height"))
                             + (one.get("fill"),))
            elif one.tag == SPACE + "text" and one.text:
                x, y = float(one.get("x")), float(one.get("y")) - 2
                under = [r for r in rects if r[0] < x < r[0] + r[2] and r[1] < y < r[1] + r[3]]
                if under and under[-1][4] in OWNERS:
                    found += 1
                    assert one.get("fill") == "#14181d", (name, one.text)
                elif under:
                    assert one.get("fill") != "#14181d", (name, one.text)
        assert found or name in ("cells", "usage", "cards", "timeline", "gantt"), name
