# SPDX-License-Identifier: Apache-2.0
"""Answers of a scheduler as a file, and recorded cases as a folder."""

import json
import pathlib
from dataclasses import dataclass, field
from typing import Any, List, Optional, Tuple

from ..traces.rows import BadRow, BadRows, PathLike
from . import openb, slurm
from .case import Score

SCHEMA = "trestle-answers/1"


@dataclass(frozen=True)
class Cases:
    """All recorded cases of a folder and of the folders in it."""

    recordings: Tuple[slurm.Recording, ...]
    expected: Optional[openb.Expected]


@dataclass(frozen=True)
class Answers:
    """What a scheduler answers to them; what is missing has no answer."""

    of_slurm: slurm.Answers = field(default_factory=dict)
    of_openb: openb.Answers = field(default_factory=dict)


def load_cases(folder: PathLike) -> Cases:
    """Errors: OSError; ValueError where there are none; BadRows with all that is wrong."""
    folder = pathlib.Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: there is no such folder")
    bad: List[BadRow] = []
    recordings: List[slurm.Recording] = []
    expected: Optional[openb.Expected] = None
    for one in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        try:
            recordings.extend(slurm.load_recordings(one))
            expected = expected or openb.load_expected(one)
        except BadRows as error:
            bad.extend(error.rows)
    if bad:
        raise BadRows(bad)
    if not recordings and expected is None:
        raise ValueError(f"{folder}: no recorded cases: neither files of schema {slurm.SCHEMA} nor "
                         f"the openb trace with its REPLAY.md")
    return Cases(tuple(recordings), expected)


def answers_here(cases: Cases, workers: int = 1, release: Optional[str] = None) -> Answers:
    """What Trestle answers; to decisions of Slurm as that release, or as the one observed."""
    return Answers(slurm.answers_here(cases.recordings, release),
                   openb.answers_here(cases.expected, workers) if cases.expected else {})


def score(cases: Cases, answers: Answers) -> List[Score]:
    """Each case beside its recorded answer."""
    scores = slurm.score(cases.recordings, answers.of_slurm)
    return scores + (openb.score(cases.expected, answers.of_openb) if cases.expected else [])


def write_answers(path: PathLike, answers: Answers) -> None:
    """Writes a file that read_answers reads."""
    value = {"schema": SCHEMA, "slurm": answers.of_slurm, "openb": answers.of_openb}
    pathlib.Path(path).write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def read_answers(path: PathLike, cases: Cases) -> Answers:
    """The answers of a file. Errors: OSError; BadRows with all that is no answer to any case."""
    name = pathlib.Path(path).name
    value = slurm.read_json(path)
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        raise BadRows([BadRow(name, 0, f'expected an object with "schema": "{SCHEMA}"')])
    bad = [f"{key}: unknown, expected slurm or openb"
           for key in value if key not in ("schema", "slurm", "openb")]
    given = Answers(value.get("slurm", {}), value.get("openb", {}))
    bad += _wrong_with_slurm(given.of_slurm, cases) + _wrong_with_openb(given.of_openb)
    if bad:
        raise BadRows(BadRow(name, 0, message) for message in bad)
    return given


def _wrong_with_slurm(value: Any, cases: Cases) -> List[str]:
    tags = {one.id: {step["tag"] for step in one.steps if step["op"] == "submit"}
            for one in cases.recordings}
    if not isinstance(value, dict):
        return ["slurm: expected an object by recording"]
    bad = []
    for recording, answers in value.items():
        where = f"slurm.{recording}"
        if recording not in tags:
            bad.append(f"{where}: there is no such recording")
        elif not isinstance(answers, dict):
            bad.append(f"{where}: expected an object by tag")
        else:
            for tag, answer in answers.items():
                wrong = (slurm.wrong_with(answer) if tag in tags[recording]
                         else "there is no such request")
                if wrong:
                    bad.append(f"{where}.{tag}: {wrong}")
    return bad


def _wrong_with_openb(value: Any) -> List[str]:
    if not isinstance(value, dict):
        return ["openb: expected an object by seed"]
    bad = []
    for seed, policies in value.items():
        if not isinstance(policies, dict):
            bad.append(f"openb.{seed}: expected an object by policy")
            continue
        for policy, cells in policies.items():
            if not isinstance(cells, dict) or not all(
                    isinstance(cell, (int, float)) for cell in cells.values()):
                bad.append(f"openb.{seed}.{policy}: expected numbers by per cent arrived")
    return bad
