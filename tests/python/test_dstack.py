# SPDX-License-Identifier: Apache-2.0
"""dstack's texts, numbers and mappings, as a YAML loader gives them."""

import json

import pytest
import trestle
from trestle import dstack

GB = 1 << 30

PARTS = [
    # function, value, expected, why
    (dstack.parse_gpu, "A100:80GB:2", "A100:80GB:2", "a text"),
    (dstack.parse_gpu, 2, "2", "a count"),
    (dstack.parse_gpu, {"name": ["A100", "H100"], "memory": "80GB"}, "A100,H100:80GB:1..", "a mapping"),
    (dstack.parse_gpu, {"count": {"min": 1, "max": None}}, "1..", "mappings in mappings"),
    (dstack.parse_cpu, "arm:4..8", "arm:4..8", "a text"),
    (dstack.parse_cpu, 8, "8", "a number"),
    (dstack.parse_cpu, {"arch": "x86", "count": "2.."}, "x86:2..", "a mapping"),
]


@pytest.mark.parametrize("function, value, expected, why", PARTS)
def test_parts_of_resources(function, value, expected, why):
    assert str(function(value)) == expected, why


def test_sizes_and_ranges_are_bytes_and_seconds():
    assert dstack.parse_memory("32GB") == 32 * GB
    assert dstack.parse_memory(0.5) == GB // 2
    assert dstack.parse_disk("500GB..") == trestle.Range.at_least(500 * GB)
    assert dstack.parse_disk({"size": 100}) == trestle.Range.exactly(100 * GB)
    assert dstack.parse_range("24..80") == trestle.Range(24, 80)
    assert dstack.parse_range("24GB..80") == trestle.Range(24 * GB, 80 * GB)
    assert dstack.parse_range({"min": "24GB", "max": None}) == trestle.Range.at_least(24 * GB)
    assert dstack.parse_range(8) == trestle.Range.exactly(8)
    assert dstack.parse_range("24GB..80GB").to_dict() == {"min": 24 * GB, "max": 80 * GB}
    assert dstack.parse_duration("2h") == dstack.parse_duration(7200) == 7200
    assert dstack.parse_duration_limit(False) == dstack.parse_duration_limit("off")
    assert dstack.parse_duration_limit("2h").seconds == 7200
    assert dstack.parse_price(2.03) == 2_030_000


def test_a_bare_value_is_exact_unless_asked():
    assert dstack.parse_disk("32GB") == trestle.Range.exactly(32 * GB)
    assert dstack.parse_disk("32GB", bare=dstack.BareValue.minimum) == trestle.Range.at_least(32 * GB)
    least = dstack.parse_resources({"cpu": 8}, dstack.BareValue.minimum)
    assert least.cpu.count == trestle.Range.at_least(8)


ERRORS = [
    # function, value, offset, token, why
    (dstack.parse_gpu, "A100:x:y", 5, "x", "a second name"),
    (dstack.parse_gpu, "16G", 2, "G", "no such unit"),
    (dstack.parse_gpu, True, 0, "true", "no boolean"),
    (dstack.parse_gpu, None, 0, "None", "no value"),
    (dstack.parse_gpu, {"nam": "A100"}, 0, "nam", "a slip"),
    (dstack.parse_cpu, "amd64:4", 0, "amd64", "no such architecture"),
    (dstack.parse_memory, float("inf"), 0, "Infinity", "no infinity"),
    (dstack.parse_memory, -8, 0, "-8", "nothing below zero"),
    (dstack.parse_disk, {"speed": 3}, 0, "{", "no size"),
    (dstack.parse_range, "8..4", 0, "8..4", "downwards"),
    (dstack.parse_range, None, 0, "", "no value"),
    (dstack.parse_duration, "1h30m", 2, "30m", "no sum"),
    (dstack.parse_duration, True, 0, "true", "no boolean"),
    (dstack.parse_count_range, "1..x", 3, "x", "no number"),
    (dstack.parse_resources, "cpu: 8\nmemory: 16G\n", 2, "G", "text of YAML"),
]


@pytest.mark.parametrize("function, value, offset, token, why", ERRORS)
def test_errors_say_offset_and_token(function, value, offset, token, why):
    with pytest.raises(ValueError) as caught:
        function(value)
    assert (caught.value.offset, caught.value.token) == (offset, token), why


def test_errors_of_files_say_line_and_column():
    with pytest.raises(ValueError, match="line 2, column 10") as caught:
        dstack.parse_configuration("type: task\nregions: eu\nnodes: 0\n")
    assert (caught.value.line, caught.value.column) == (2, 10)
    reading = dstack.read_configuration("type: task\nnods: 2\nmax_price: free\n")
    assert [(error.line, error.key) for error in reading.errors] == [(2, ""), (3, "max_price")]


def test_dicts_are_in_bytes_and_go_to_json():
    resources = dstack.parse_resources({"memory": "200GB..", "gpu": "A100:80GB:8", "shm_size": 24})
    fields = resources.to_dict()
    assert fields["memory"] == {"min": 200 * GB, "max": None}
    assert fields["gpu"]["names"] == ["A100"] and fields["shm_size"] == 24 * GB
    assert fields["cpu"] == {"architecture": None, "count": {"min": 2, "max": None}}
    assert json.loads(json.dumps(fields)) == fields
    newest = dstack.parse_gpu({"compute_capability": "9.0.."}).to_dict()
    assert newest["compute_capability"] == {"min": {"major": 9, "minor": 0}, "max": None}
    assert dstack.parse_resources(str(resources)) == resources
    assert dstack.pretty_text(resources) == "cpu=2.. mem=200GB.. disk=100GB.. gpu=A100:80GB:8"


def test_whole_files_are_values():
    run = dstack.parse_configuration(
        {"type": "task", "nodes": 2, "max_duration": "2h", "retry": True, "commands": ["a: b"]}
    ).run
    assert (run.nodes, run.kind, run.profile.max_duration.seconds) == (2, dstack.RunKind.task, 7200)
    assert [(key.name, key.text) for key in run.passthrough] == [("commands", '["a: b"]')]
    assert (run.to_dict()["nodes"], run.to_dict()["kind"]) == (2, "task")
    assert run.to_dict()["profile"]["retry"]["on_events"] == ["no-capacity", "interruption", "error"]
    assert dstack.parse_configuration(str(run)).run.profile == run.profile
    fleet = dstack.parse_configuration("type: fleet\nblocks: auto\nssh_config: {hosts: [a]}").fleet
    assert fleet.blocks.is_auto and fleet.ssh_config.hosts[0].hostname == "a"
    assert dstack.blocks_of(fleet, fleet.ssh_config.hosts[0]) == fleet.blocks


def test_differences_are_rows():
    assert all(set(row) == {"topic", "dstack", "here", "test"} for row in dstack.differences())


def test_what_is_printed_is_read():
    for text in ("A100:80GB:2..", "{count: 2, total_memory: 320GB..}",
                 '{name: ["80GB"], count: 1..}'):
        assert str(dstack.parse_gpu(text)) == text
        assert dstack.parse_gpu(str(dstack.parse_gpu(text))) == dstack.parse_gpu(text)
    disk = dstack.parse_disk("500GB..")
    assert dstack.memory_range_text(disk) == "500GB.."
    assert dstack.parse_disk(dstack.memory_range_text(disk)) == disk


def test_other_files_than_runs():
    file = dstack.parse_configuration("type: volume\nname: v\nbackend: aws\nregion: eu\nsize: 1TB\n")
    assert (file.volume.name, file.volume.size, file.run) == ("v", 1024 * GB, None)
    profiles = dstack.parse_configuration("profiles: [{name: a, default: true, backends: [aws]}]")
    assert profiles.profiles[0].is_default and profiles.profiles[0].profile.backends == ("aws",)
    run = dstack.parse_configuration("type: task\ncommands: [a]\nvolumes: ['v:/data']\n").run
    assert dstack.with_volumes(run, [file.volume]).profile.backends == ("aws",)
    with pytest.raises(LookupError):
        dstack.with_volumes(run, [])


def test_releases_part_in_backends_and_combination():
    old = dstack.parse_release("0.21.2")
    assert old == dstack.Release.v0_21 and dstack.MatchOptions().release == dstack.Release.v0_22
    with pytest.raises(ValueError, match="expected 0.21 or 0.22"):
        dstack.parse_release("0.20")
    names = {backend.name for backend in dstack.known_backends()}
    assert names - {backend.name for backend in dstack.known_backends(old)} == {"daytona", "lium", "seeweb"}
    fleet, run = dstack.Profile(regions=["EU"]), dstack.Profile(regions=["eu"])
    assert dstack.combine(fleet, run).regions == ("EU",)
    assert "regions" in str(dstack.combine(fleet, run, release=old))
    header = "backend,region,instance,cpus,memory,disk,gpu_count,gpu_name,gpu_memory,gpu_vendor,price,spot\n"
    offers = dstack.parse_offers_csv(header + "".join(
        f"{backend},r,{name},1,1GB,,0,,,,{price},false\n"
        for backend, name, price in (("vastai", "a", 3), ("vastai", "b", 1), ("aws", "c", 2))))
    assert list(dstack.merged_order(offers)) == [2, 0, 1]
    assert list(dstack.merged_order(offers, ["vastai", "aws"])) == [2, 0, 1]


def test_groups_are_runs_of_their_own():
    run = dstack.parse_configuration("type: service\nport: 80\nreplicas:\n"
                                     "- {name: a, count: 1, commands: [a], resources: {gpu: 1}}\n"
                                     "- {name: b, count: 2, commands: [b], resources: {gpu: 8}}\n").run
    assert [group.name for group in run.groups] == ["a", "b"]
    parts = [dstack.run_of(run, group) for group in run.groups]
    assert [str(part.resources.gpu) for part in parts] == ["1", "8"]
    assert all(not part.groups for part in parts)


def test_a_catalog_as_gpuhunt_writes_it_has_no_backend_of_its_own():
    text = ("instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,"
            "gpu_vendor,flags,provider_data\n"
            "one,eu,1.5,8,32.0,1,A100,40.0,False,100.0,nvidia,,\n")
    catalog, mistakes = dstack.read_catalog(text, backend="lambda")
    assert not mistakes and catalog.offers()[0].backend == "lambda"
