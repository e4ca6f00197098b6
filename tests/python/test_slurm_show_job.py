# SPDX-License-Identifier: Apache-2.0
"""What clients of three real controllers show of a job, key by key (tests/data/slurm-show)."""
import copy
import json
import pathlib
import re

import pytest

from trestle import slurm
from trestle.conformance import slurm as conformance

FOLDER = pathlib.Path(__file__).parents[1] / "data/slurm-show"

# Not shown as Slurm does: --overcommit with devices or tasks by socket, of which Trestle warns (9 or
# 10 of them); brackets of -C; GPUs that -n and --ntasks-per-gpu imply; GPUs asked for twice and CPUs
# per GPU without a GPU (22.05); tasks by socket on nodes of unlike sockets; NodeList of a job that
# waits.
DIFFERENT = {"22.05": 17, "24.11": 14, "26.05": 15}


def shown(text):
    found = {}
    for line in text.splitlines():
        if line.strip().startswith("Nodes="):
            found.setdefault("grants", []).append(line.strip())
        else:
            for key, value in re.findall(r"(\S+?)=((?:(?! \S+=).)*)", line.strip()):
                assert key not in found, text
                found[key] = value.strip()
    return found


@pytest.mark.parametrize("release", ["22.05", "24.11", "26.05"])
def test_jobs_are_shown_as_the_clients_of_the_release_show_them(release):
    recorded = json.loads((FOLDER / f"{release}.json").read_text())
    idle = slurm.Controller(slurm_conf=recorded["slurm_conf"], gres_conf=recorded["gres_conf"],
                            release=slurm.parse_release(release))
    different = {}
    for job in recorded["jobs"]:
        decision = copy.copy(idle).submit(job["options"])
        keys = shown(slurm.show_job(decision))
        here = {key: keys.get(key) for key in job["shown"]}
        beyond = keys.keys() & {"Exclusive", "TRES", "ReqTRES", "TresPerJob", "NtasksPerTRES",
                                "MinMemoryTRES"} - job["shown"].keys()
        if here != job["shown"] or beyond:
            different[job["options"]] = ({key: value for key, value in here.items()
                                          if value != job["shown"][key]}, beyond)
    assert len(recorded["jobs"]) >= 170
    assert len(different) == DIFFERENT[release], different


@pytest.mark.parametrize("folder", ["slurm-oracle", "slurm-oracle-24.11", "slurm-oracle-26.05"])
def test_what_is_shown_beside_the_nodes_is_that_of_the_release(folder, monkeypatch):
    """Numbers, TRES, OverSubscribe and the environment of all allocations that agree."""
    keys = ("num_nodes", "num_cpus", "num_tasks", "cpus_per_task", "over_subscribe", "tres")
    monkeypatch.setattr(conformance, "_KEPT", conformance._KEPT + keys + ("env",))
    compared = 0
    different = []
    recordings = conformance.load_recordings(FOLDER.parent / folder)
    answers = conformance.answers_here(recordings)
    for one in recordings:
        for step in one.steps:
            want = step["result"] if step["op"] == "submit" else {}
            got = answers[one.id].get(step["tag"], {})
            if want.get("status") != "allocated" or got.get("status") != "allocated":
                continue
            if want.get("suspect") or conformance._exact(want) != conformance._exact(got):
                continue
            compared += 1
            environment = {name: got["env"].get(name) for name in want["env"]}
            for key in keys:
                if want[key] != got[key]:
                    different.append((one.id, step["opts"], key, want[key], got[key]))
            if environment != want["env"]:
                different.append((one.id, step["opts"], want["env"], environment))
    assert compared > 800
    assert different == []
