# SPDX-License-Identifier: Apache-2.0
"""Whether a job with one option is taken or refused, as sbatch and slurmctld of three releases answered."""

import copy
import json

import pytest
from data_folders import DATA
from trestle import slurm

RELEASES = ("22.05", "24.11", "26.05")

# Of each file: verdicts that differ by release. Most depend on who asks (negative --nice, --uid), on
# jobs, reservations, files and plugins that Trestle does not know, or on MaxArraySize.
DIFFERENT = {
    "options.json": {"22.05": 68, "24.11": 80, "26.05": 75},
    "features.json": {"22.05": 14, "24.11": 4, "26.05": 4},
}


@pytest.mark.parametrize("name", sorted(DIFFERENT))
@pytest.mark.parametrize("release", RELEASES)
def test_verdicts_are_those_of_the_release(name, release):
    asked = json.loads((DATA / "slurm-values" / name).read_text())
    controller = slurm.Controller(slurm_conf=asked["slurm_conf"], gres_conf=asked["gres_conf"],
                                  release=slurm.parse_release(release))
    different = []
    for row in asked["verdicts"]:
        verdicts, options = row.split(" ", 1)
        expected = verdicts[RELEASES.index(release)]
        decision = copy.copy(controller).submit(options)
        got = "R" if decision.answer == slurm.Answer.refused else "A"
        if got != expected:
            different.append(f"{options}: {expected}, here {got} {decision.message}")
    assert len(different) == DIFFERENT[name][release], "\n".join(different)


@pytest.mark.parametrize("options,message", [
    ("--mail-type=now", '--mail-type: unknown event at offset 0 ("now"): expected NONE, ALL, BEGIN'),
    ("--cpu-freq=high-low:OnDemand", "--cpu-freq: a range that goes down at offset 0"),
    ("--deadline=24:00", "--deadline: malformed time at offset 0"),
    ("--nice=3000000000", "expected a number from -2147483645 to 2147483645"),
    ("-C fx", "--constraint: no node has the feature fx; the nearest is fa"),
    ("--prefer=[fa|zz]", "--prefer: no node has the feature zz"),
    ("-C fa --batch=fb", "--batch=fb: fb is no feature of --constraint, expected one that it names"),
])
def test_a_refusal_names_option_value_and_what_was_expected(options, message):
    asked = json.loads((DATA / "slurm-values" / "features.json").read_text())
    controller = slurm.Controller(slurm_conf=asked["slurm_conf"], gres_conf="")
    decision = controller.submit(options)
    assert decision.answer == slurm.Answer.refused
    assert message in decision.message
