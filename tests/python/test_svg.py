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
from trestle import svg, testing

ROOT = Path(__file__).resolve().parents[2]
SPACE = "{http://www.w3.org/2000/svg}"


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
        assert element.tag.removeprefix(SPACE) in {"svg", "title", "desc", "g", "rect", "text", "path"}
        assert not {"id", "style", "class", "href"} & set(element.attrib)
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
