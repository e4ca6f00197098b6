#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dstack_oracle.py ROOT: dstack as PyPI has it beside this library, on the same inputs: which files are accepted, the
values of resource specs, and which rows of a gpuhunt catalog match them. Run by dstack.sh, which makes the environment
that has both. Ends with 1 and the inputs that differ."""
import itertools
import json
import pathlib
import sys
import warnings
from importlib import metadata

import yaml

warnings.simplefilter("ignore")  # pydantic's, of dstack's own calls

import gpuhunt  # noqa: E402
from dstack._internal.core.backends.base.offers import requirements_to_query_filter  # noqa: E402
from dstack._internal.core.models.configurations import parse_apply_configuration, parse_run_configuration  # noqa: E402
from dstack._internal.core.models.profiles import ProfilesConfig  # noqa: E402
from dstack._internal.core.models.resources import ResourcesSpec  # noqa: E402
from dstack._internal.core.models.runs import Requirements  # noqa: E402
from gpuhunt._internal import storage  # noqa: E402

from trestle import dstack  # noqa: E402

ROOT = pathlib.Path(sys.argv[1])
CASES = ROOT / "tests/data/cases/other"
MIB = 1 << 20

PARTS = {
    "cpu": ["2", "8..", "..4", "2..16", "arm:4", "x86:8..32", "0", "4..2", "a", "2.5", " 2 ", 2, 2.0, "..", "x86:",
            "1 6", "1_6", "arm: 4", {"min": 2, "max": 4}, {"arch": "arm", "count": "2.."}],
    "memory": ["8GB", "16GB..", "..512MB", "1.5GB..3GB", "8", "1TB", "0.5GB..", "8KB", "x", "9GB..1GB", "1 6GB",
               " 16 GB", "8GB .. 16GB", "1e3GB", "16gb", "1.0", "+8GB", "..", "", 8, 8.5, "16GiB", "1_6GB",
               "9999999999999GB"],
    "disk": ["100GB", "50GB..", "..1TB", "1.5TB", "x"],
    "shm_size": ["1GB", "512MB", "x"],
    "gpu": ["A100", "2", "A100:2", "24GB", "A100,H100:80GB:1..8", "nvidia:A100:40GB..80GB:2", "amd:MI300X:8", "1..",
            "H100:80GB..:4", "tpu:v2-8", "google:v5litepod-4", "intel:Gaudi2:8", "tenstorrent:n150:2", "0", "A100:0..2",
            "L4:24GB:1", "RTX4090", "V100:16GB:4..", "A100:2:3", "foo", ":", "A100::", "..4", "40GB..:2..4",
            " A100 : 2 ", "a100 , h100", "A100,,H100", "80GB:A100", "NVIDIA:2", "A100:80 GB", 1, 2.0, "tpu-v2-8",
            "HL-225", "Gaudi3", "A100:..80GB"],
}
GPU_MAPPINGS = [{"name": "A100", "count": 2}, {"name": ["A100", "H100"], "memory": "40GB.."}, {"count": "1..4"},
                {"vendor": "nvidia", "total_memory": "80GB.."}, {"vendor": "amd"}, {"compute_capability": "8.0"},
                {"name": "A100", "compute_capability": 7.5}, {"memory": "24GB"}, {"name": "a100", "cound": 1},
                {"vendor": "acme"}]


def specs():
    """Each value of each part alone, GPUs beside other parts, and mappings."""
    for part, values in PARTS.items():
        for value in values:
            yield {part: value}
    for gpu, memory in itertools.product(PARTS["gpu"][:12], PARTS["memory"][:3]):
        yield {"gpu": gpu, "memory": memory}
    for mapping in GPU_MAPPINGS:
        yield {"gpu": mapping}


# What is meant to differ, by the row of dstack.differences() that says so.
KNOWN = {'{"cpu": "0"}': "no CPU", '{"cpu": 2.0}': "CPU counts", '{"cpu": "1_6"}': "CPU counts",
         '{"gpu": 2.0}': "GPUs as a number with a point", '{"memory": "9999999999999GB"}': "sizes beyond 2^63",
         '0': "max_duration: 0", 'true': "max_duration: true", '" 1h "': "blanks around a duration",
         '"1m "': "blanks around a duration", '"1.0"': '"90.0"'}
DURATIONS = [1.0, "OFF", "off", "Off", "1h", "1 h", "90", 90, 90.0, "1.5h", "1d 2h", -1, 0, True, False, "1H", "1 0h",
             " 1h ", "1m ", "90s", "1w", "1.0", "01h", "1e2", "-1", "+5", "1_000"]


def judge(value, differs):
    """True where they differ and no row says so."""
    topic = KNOWN.get(json.dumps(value))
    if topic is None:
        return differs
    assert any(row["topic"] == topic for row in dstack.differences()), f"no row {topic}"
    assert differs, f"{value} no longer differs"
    return False


def mib(size):
    return None if size is None else round(float(size) * 1024, 3)


def bounds(range_, of=lambda x: x):
    return None if range_ is None else (of(range_.min), of(range_.max))


def theirs(spec):
    """The values that dstack reads, or None where it refuses."""
    try:
        read = ResourcesSpec.parse_obj(spec)
    except Exception:  # whatever it raises is a refusal
        return None
    gpu = read.gpu
    return {
        "cpu": bounds(read.cpu.count), "arch": read.cpu.arch.value if read.cpu.arch else None,
        "memory": bounds(read.memory, mib), "disk": bounds(read.disk.size, mib) if read.disk else None,
        "shm": mib(read.shm_size),
        "gpu": gpu and {
            "vendor": gpu.vendor.value if gpu.vendor else None, "names": gpu.name or [], "count": bounds(gpu.count),
            "memory": bounds(gpu.memory, mib), "total": bounds(gpu.total_memory, mib)},
    }


def ours(spec):
    """The same as this library reads it."""
    try:
        read = dstack.parse_resources(json.dumps(spec))
    except ValueError:
        return None

    def sizes(range_):
        values = tuple(None if side is None else round(int(side) / MIB, 3) for side in (range_.min, range_.max))
        return None if values == (None, None) else values

    def counts(range_):
        return (None if range_.min is None else int(range_.min), None if range_.max is None else int(range_.max))

    gpu = read.gpu
    return {
        "cpu": counts(read.cpu.count),
        "arch": None if read.cpu.architecture is None else str(read.cpu.architecture),
        "memory": sizes(read.memory), "disk": sizes(read.disk) if read.disk else None,
        "shm": None if read.shm_size is None else round(int(read.shm_size) / MIB, 3),
        "gpu": gpu and {
            "vendor": gpu.vendor or None, "names": list(gpu.names), "count": counts(gpu.count),
            "memory": sizes(gpu.memory), "total": sizes(gpu.total_memory)},
    }


def compare_values():
    different, count = [], 0
    for spec in specs():
        count += 1
        one, other = theirs(spec), ours(spec)
        if one and one["gpu"] and one["gpu"]["vendor"] is None and other and other["gpu"]:
            other["gpu"]["vendor"] = None if one["gpu"]["names"] else other["gpu"]["vendor"]
        if judge(spec, one != other):
            different.append(f"{spec}: dstack {one}, here {other}")
    return count, different


def compare_matches():
    """Rows of a catalog by gpuhunt's own test, and by match_offers where backends limit nothing."""
    path = CASES / "gpuhunt_v2_aws.csv"
    with open(path) as file:
        items = list(storage.load(file, provider="aws"))
    catalog = dstack.parse_catalog(path.read_text(), backend="aws")
    different, count = [], 0
    for spec, spot in itertools.product(specs(), (True, False)):
        if theirs(spec) is None or ours(spec) is None:
            continue
        count += 1
        wanted = requirements_to_query_filter(Requirements(resources=ResourcesSpec.parse_obj(spec), spot=spot))
        one = sorted((i.instance_name, i.location) for i in items if gpuhunt.matches(i, wanted))
        profile = dstack.Profile(spot_policy=dstack.SpotPolicy.spot if spot else dstack.SpotPolicy.on_demand)
        found = dstack.match_offers(catalog, dstack.parse_resources(json.dumps(spec)), profile,
                                    dstack.MatchOptions(backends=[]))
        other = sorted((catalog[match.offer].instance, catalog[match.offer].region) for match in found)
        if one != other:
            different.append(f"{spec}, spot {spot}: dstack {one}, here {other}")
    return count, different


def accepts(path):
    text = path.read_text()
    try:
        value = yaml.safe_load(text)
        (ProfilesConfig.parse_obj if "profiles" in value else parse_apply_configuration)(value)
    except Exception:  # whatever it raises is a refusal
        return False
    return True


def compare_durations():
    """max_duration of a task: seconds, `off`, or None where it is refused."""
    different = []
    for value in DURATIONS:
        task = {"type": "task", "commands": ["a"], "max_duration": value}
        try:
            one = parse_run_configuration(task).max_duration
        except Exception:  # whatever it raises is a refusal
            one = "refused"
        try:
            read = dstack.parse_configuration(json.dumps(task)).run.profile.max_duration
            other = None if read is None else "off" if read.is_off else int(read.seconds)
        except ValueError:
            other = "refused"
        if judge(value, one != other):
            different.append(f"{value!r}: dstack {one}, here {other}")
    return len(DURATIONS), different


def compare_files():
    different, count = [], 0
    for path in sorted([*CASES.glob("*.yml"), *(ROOT / "examples").glob("*.dstack.yml")]):
        count += 1
        try:
            dstack.parse_configuration(path.read_text())
            is_read = True
        except ValueError:
            is_read = False
        if is_read != accepts(path):
            different.append(f"{path.name}: dstack {accepts(path)}, here {is_read}")
    return count, different


def main():
    print(", ".join(f"{name} {metadata.version(name)}" for name in ("dstack", "gpuhunt")))
    failed = False
    for name, compare in (("values", compare_values), ("durations", compare_durations), ("files", compare_files),
                          ("offers", compare_matches)):
        count, different = compare()
        print(f"{name}: {count} compared, {len(different)} differ")
        for line in different:
            print("   ", line)
        failed = failed or bool(different)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
