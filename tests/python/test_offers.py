# SPDX-License-Identifier: Apache-2.0
"""Offers: catalogs from rows, CSV and Arrow; what matches and why the others do not."""

import pickle

import numpy
import pytest
import trestle
from trestle import dstack

ROWS = [
    {"backend": "gcp", "region": "us-central1", "instance": "a2-highgpu-4g", "cpus": 48,
     "memory": 340, "disk": None, "gpu_count": 4, "gpu_name": "A100", "gpu_memory": "40GB",
     "gpu_vendor": None, "price": 3.15, "spot": False},
    {"backend": "aws", "region": "us-east-1", "instance": "g5.12xlarge", "cpus": 48,
     "memory": "192GB", "disk": 3800.0, "gpu_count": 4, "gpu_name": "A10G", "gpu_memory": 24,
     "gpu_vendor": "nvidia", "price": 2.03, "spot": True, "zones": ["a", "b"]},
    {"backend": "aws", "region": "us-east-1", "instance": "m5.4xlarge", "cpus": 16, "memory": 64,
     "disk": None, "gpu_count": 0, "gpu_name": None, "gpu_memory": None, "gpu_vendor": None,
     "price": 0.1 + 0.2, "spot": False, "interconnect": "efa"},
]


class Table:
    """What this library uses of an Arrow table."""

    def __init__(self, rows):
        self.rows = rows

    def to_pylist(self):
        return self.rows


def names(catalog, matches):
    return [catalog[match.offer].instance for match in matches]


def test_a_catalog_is_made_of_dicts_text_and_tables():
    catalog = dstack.parse_catalog(ROWS)
    assert [offer.instance for offer in catalog] == ["m5.4xlarge", "g5.12xlarge", "a2-highgpu-4g"]
    assert catalog.rows() == (2, 1, 0)
    assert catalog[-1].devices[0].compute_capability == trestle.Version(8, 0)
    assert catalog[-1].devices[0].vendor == "nvidia"
    assert catalog[0].price == 300_000 and catalog[0].interconnect == trestle.Interconnect.efa
    assert catalog[1].availability_zones == ("a", "b") and catalog[1].disk == trestle.gib(3800)
    assert dstack.parse_catalog(Table(ROWS)) == catalog
    header = "backend,region,instance,cpus,memory,disk,gpu_count,gpu_name,gpu_memory,gpu_vendor,"
    text = header + "price,spot\naws,us-east-1,m5.4xlarge,16,64GB,,0,,,,0.3,false\n"
    assert dstack.parse_catalog(text)[0] == catalog[0].replace(interconnect=None)
    assert trestle.Catalog(catalog.offers()) == catalog
    assert len(dstack.parse_catalog([])) == 0


def test_sizes_of_lists_are_exact_or_rounded_to_a_mebibyte():
    row = {**ROWS[0], "memory": 7.9990234375, "disk": 1.7, "gpu_memory": 39.5, "cpus": 48.0,
           "compute_capability": 8.0, "price": 0.1 + 0.2}
    offer = dstack.parse_catalog([row])[0]
    assert (offer.memory, offer.disk, offer.price) == (8191 << 20, 1741 << 20, 300_000)
    assert offer.devices[0].memory == 79 << 29 and offer.cpus == 48
    assert offer.devices[0].compute_capability == trestle.Version(8, 0)
    assert dstack.parse_catalog([{**row, "disk": float("nan")}])[0].disk is None
    assert dstack.parse_catalog([{**row, "disk": numpy.float64(1.7)}])[0] == offer
    with pytest.raises(ValueError, match="row 1, memory: malformed size"):
        dstack.parse_catalog([{**row, "memory": float("inf")}])


def test_a_catalog_is_made_of_an_arrow_table():
    arrow = pytest.importorskip("pyarrow")
    columns = dict.fromkeys(key for row in ROWS for key in row)  # a table has those of its first row
    rows = [{**columns, **row, "memory": float(str(row["memory"]).removesuffix("GB")),
             "gpu_memory": float(str(row["gpu_memory"] or "nan").removesuffix("GB"))}
            for row in ROWS]
    assert dstack.parse_catalog(arrow.Table.from_pylist(rows)) == dstack.parse_catalog(ROWS)


def test_a_catalog_is_a_value():
    catalog = dstack.parse_catalog(ROWS, backend_order=["gcp"])
    assert pickle.loads(pickle.dumps(catalog)) == catalog
    assert hash(pickle.loads(pickle.dumps(catalog))) == hash(catalog)
    assert catalog != trestle.Catalog() and len(trestle.Catalog()) == 0
    with pytest.raises(IndexError):
        catalog[3]


def test_rows_with_mistakes_are_named_and_left_out():
    rows = [ROWS[0], {**ROWS[1], "memory": "192Gi"}, {**ROWS[2], "spot": "maybe"}]
    catalog, errors = dstack.read_catalog(rows)
    assert len(catalog) == 1
    assert [(e.row, e.column, e.error.token) for e in errors] == [
        (2, "memory", "Gi"), (3, "spot", "maybe")]
    with pytest.raises(ValueError, match="row 2, memory: unknown unit") as caught:
        dstack.parse_catalog(rows)
    assert (caught.value.row, caught.value.column, caught.value.token) == (2, "memory", "Gi")
    with pytest.raises(ValueError, match="no column price"):
        dstack.parse_catalog([{k: v for k, v in ROWS[0].items() if k != "price"}])
    with pytest.raises(TypeError, match="a dict for each row"):
        dstack.parse_catalog([1])
    with pytest.raises(ValueError, match="row 1, blocks"):
        trestle.Catalog([trestle.Offer(blocks=0)])


def test_matches_come_in_order_and_as_columns():
    catalog = dstack.parse_catalog(ROWS)
    profile = dstack.Profile(spot_policy=dstack.SpotPolicy.auto)
    matches = dstack.match_offers(catalog, dstack.parse_resources("gpu: 4"), profile)
    assert names(catalog, matches) == ["g5.12xlarge", "a2-highgpu-4g"]
    assert list(matches.offers) == [1, 2] and list(matches.blocks) == [1, 1]
    assert matches[-1] == trestle.CatalogMatch(2, 1)
    with pytest.raises(ValueError):
        matches.offers[0] = 7
    assert list(dstack.match_offers(catalog, dstack.parse_resources("gpu: 99")).offers) == []
    first = dstack.MatchOptions(offers_max=1)
    assert len(dstack.match_offers(catalog, dstack.parse_resources("{}"), profile, first)) == 1


def test_matches_outlive_their_catalog():
    column = dstack.match_offers(dstack.parse_catalog(ROWS), dstack.parse_resources("{}")).offers
    assert list(column) == [0, 2]


def test_the_rest_is_explained():
    catalog = dstack.parse_catalog(ROWS)
    said = dstack.explain_offers(catalog, dstack.parse_resources("memory: 32GB"))
    assert [str(one.refusal.test) for one in said.rejected] == ["memory", "pricing", "memory"]
    assert (said.rejected[0].refusal.wanted, said.rejected[0].refusal.had) == ("32GiB", "64GiB")
    assert said.hints == (dstack.BareHint("memory", "32GB", "32GB.."),)
    assert "32GB or more is written 32GB.." in str(said)
    refusal = trestle.explain_offer(
        catalog[0], trestle.Request(), trestle.OfferFilter(regions=["eu"]))
    assert str(refusal) == "region: asked region eu, it is us-east-1"
    assert not trestle.check_offer(
        catalog[0], trestle.Request(), trestle.OfferFilter(regions=["eu"]))


def test_tables_show_what_dstack_shows():
    catalog = dstack.parse_catalog(ROWS)
    matches = dstack.match_offers(catalog, dstack.parse_resources("gpu: 0"))
    assert dstack.to_table(catalog, matches).splitlines() == [
        " #  BACKEND          RESOURCES            INSTANCE TYPE  PRICE",
        " 1  aws (us-east-1)  cpu=x86:16 mem=64GB  m5.4xlarge     $0.3"]
    assert dstack.to_table([catalog[0]]) == dstack.to_table(catalog, matches)
    blocks = trestle.BlockCount(count=8)
    cut = dstack.match_offers(
        catalog, dstack.parse_resources("gpu: 0"), options=dstack.MatchOptions(blocks=blocks))
    assert dstack.to_table(catalog, cut, blocks=blocks).splitlines()[1] == (
        " 1  aws (us-east-1)  cpu=x86:2 mem=8GB  m5.4xlarge (1/8)  $0.3")


def test_fleet_and_run_combine():
    fleet = dstack.parse_resources("gpu: {name: [A100, H100], compute_capability: 8.0..}")
    run = dstack.parse_resources("gpu: {name: h100, compute_capability: 9.0..}")
    both = dstack.combine(fleet, run)
    assert both.gpu.names == ("H100",)
    assert both.gpu.compute_capability.min == trestle.Version(9, 0)
    refusal = dstack.combine(dstack.Profile(regions=["eu"]), dstack.Profile(regions=["us"]))
    assert not refusal and "the fleet has eu, the run wants us" in refusal.reason


def test_known_devices_can_be_added_to():
    known = trestle.known_devices()
    assert len(known) == 95
    mine = (*known, trestle.KnownDevice("acme", "Rocket9", trestle.gib(7)))
    assert trestle.find_device(mine, "rocket9").vendor == "acme"
    assert trestle.find_device(known, "rocket9") is None
    assert [str(gpu) for gpu in dstack.gpus_of_type("a100")] == [
        "nvidia:A100:40GB:1..", "nvidia:A100:80GB:1.."]
    assert dstack.with_vendor(dstack.parse_gpu("MI300X")).vendor == "amd"


def test_what_a_list_leaves_out_is_looked_up_in_devices_of_the_caller():
    mine = (*trestle.known_devices(), trestle.KnownDevice("acme", "Rocket9", trestle.gib(7)))
    rows = [{**ROWS[0], "gpu_name": "rocket9"}]
    assert dstack.parse_catalog(rows, known=mine)[0].devices[0].vendor == "acme"
    assert dstack.read_catalog(rows, known=mine)[0][0].devices[0].vendor == "acme"
    assert dstack.read_offers(rows, known=mine).offers[0].devices[0].vendor == "acme"
    assert dstack.parse_catalog(rows)[0].devices[0].vendor == "nvidia"
    cluster = trestle.Cluster.from_text("1 x (2s16c2t mem=512G gpu:rocket9:4)")
    assert dstack.instance_of(cluster.node(0), known=mine).devices[0].vendor == "acme"


def test_a_node_is_an_instance():
    cluster = trestle.Cluster.from_text("1 x (2s16c2t mem=512G gpu:a100-80G:4)")
    offer = dstack.instance_of(cluster.node(0), blocks=4)
    assert (offer.backend, offer.price, offer.devices[0].count) == ("remote", 0, 4)
    request = dstack.to_request(dstack.parse_resources("gpu: 1\ndisk: null"))
    assert trestle.check_offer(offer, request).share.blocks == 1
