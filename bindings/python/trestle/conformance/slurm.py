# SPDX-License-Identifier: Apache-2.0
"""Decisions recorded from a slurmctld, asked again: schema `slurm-oracle/1`.

A recording is a sequence over one cluster that starts empty. After each request the recorded
answer is entered, so that one miss does not cause others. One that cannot be entered is named
(`unadopted` of the answer), and the others are asked without it. Coarse: the same verdict and, of an
allocation, nodes with the same numbers of CPUs, memory and counts of devices, whichever they are.
Exact: the same nodes, CPUs and devices, or the same reason to wait. Answers marked suspect, which
break the request's own terms, are left out.
"""

import copy
import json
import pathlib
import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Set, Tuple

import trestle

from .._progress import over
from .._short import short_repr
from ..traces.rows import BadRow, BadRows, PathLike
from .case import Score

__all__ = [
    "Answer", "Answers", "Recording", "SCHEMA", "answers_here", "load_recordings", "options_of",
    "read_json", "score", "wrong_with",
]

SCHEMA = "slurm-oracle/1"
_KEPT = ("status", "reason", "error", "nodes", "warnings")  # of an answer
Answer = Dict[str, Any]  # as `result` of a recording: status, nodes, reason
Answers = Dict[str, Dict[str, Answer]]  # by id of the recording, then by tag


@dataclass(frozen=True, repr=False)
class Recording:
    """A file: the cluster's configuration and the steps in their order."""

    id: str  # with the release before it, but for 22.05
    cluster: Mapping[str, Any]
    steps: Tuple[Mapping[str, Any], ...]
    release: str = "22.05"  # that was observed

    __repr__ = short_repr


def read_json(path: PathLike) -> Any:
    """The value of a JSON file. Errors: OSError; BadRows with the line for what is none."""
    path = pathlib.Path(path)
    try:
        return json.loads(path.read_bytes())
    except json.JSONDecodeError as error:
        raise BadRows([BadRow(path.name, error.lineno, error.msg)]) from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise BadRows([BadRow(path.name, 0, "not UTF-8, or too deep")]) from error


def _recording_of(value: Mapping[str, Any]) -> Recording:
    cluster = value["cluster"]
    for key in ("name", "slurm_conf", "gres_conf", "topology_conf"):
        if not isinstance(cluster[key], str):
            raise TypeError(f"cluster.{key}: expected a text")
    tags = set()
    for at, step in enumerate(value["steps"]):
        if step["op"] not in ("submit", "release"):
            raise TypeError(f'steps[{at}].op: "{step["op"]}", expected submit or release')
        if step["op"] == "submit":
            is_crash = step["result"].get("status") == "crash"  # of the controller: not scored
            wrong = None if is_crash else wrong_with(step["result"])
            if wrong or not isinstance(step["opts"], str) or step["tag"] in tags:
                raise TypeError(f"steps[{at}]: " + (wrong or "expected opts as text and a new tag"))
            tags.add(step["tag"])
    release = _release_of(value)
    name = value["id"] if release == "22.05" else f"{release} {value['id']}"
    return Recording(name, cluster, tuple(value["steps"]), release)


def _release_of(value: Mapping[str, Any]) -> str:
    """The release in `observed_with`; 22.05 where it names none that is followed."""
    known = [str(one)[1:].replace("_", ".") for one in trestle.slurm.Release]
    found = re.search(r"(\d\d\.\d\d)\.\d", str(value.get("observed_with", "")))
    return found.group(1) if found and found.group(1) in known else "22.05"


def load_recordings(folder: PathLike) -> Tuple[Recording, ...]:
    """The recordings of a folder, by file name; other JSON files are passed over.

    Errors: OSError; BadRows with all files that are not as the schema has them.
    """
    bad: List[BadRow] = []
    recordings = []
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        try:
            value = read_json(path)
            if isinstance(value, dict) and value.get("schema") == SCHEMA:
                recordings.append(_recording_of(value))
        except BadRows as error:
            bad.extend(error.rows)
        except KeyError as error:
            bad.append(BadRow(path.name, 0, f"no key {error}"))
        except (TypeError, AttributeError) as error:
            bad.append(BadRow(path.name, 0, str(error)))
    if bad:
        raise BadRows(bad)
    return tuple(recordings)


def wrong_with(answer: Any) -> Optional[str]:
    """What keeps a value from being an answer, or None."""
    if not isinstance(answer, dict):
        return "expected an object"
    if answer.get("status") not in ("allocated", "pending", "refused"):
        return f"status: {answer.get('status')!r}, expected allocated, pending or refused"
    if answer["status"] != "allocated":
        return None
    if not isinstance(answer.get("nodes"), list):
        return "nodes: expected a list"
    for at, node in enumerate(answer["nodes"]):
        wrong = _wrong_with_node(node)
        if wrong:
            return f"nodes[{at}]{wrong}"
    return None


def _is_list_of(kind: type, value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, kind) for one in value)


def _wrong_with_node(node: Any) -> Optional[str]:
    if not isinstance(node, dict) or not isinstance(node.get("node"), str):
        return ".node: expected a name"
    if not _is_list_of(int, node.get("cpu_ids")):
        return ".cpu_ids: expected a list of numbers"
    if not isinstance(node.get("mem_mb"), int):
        return ".mem_mb: expected a number"
    if not _is_list_of(dict, node.get("gres")):
        return ".gres: expected a list of objects"
    for at, one in enumerate(node["gres"]):
        if not (isinstance(one.get("name"), str) and isinstance(one.get("count"), int)
                and isinstance(one.get("type"), (str, type(None)))
                and _is_list_of(int, one.get("idx") or [])):
            return f".gres[{at}]: expected name, count, and perhaps type and a list idx"
    return None


def answers_here(recordings: Tuple[Recording, ...], release: Optional[str] = None) -> Answers:
    """What Trestle answers: as the release that was observed, or as the one that is named."""
    answers: Answers = {}
    for one in over(recordings, "asking again", "recording"):
        controller = trestle.slurm.Controller(
            slurm_conf=one.cluster["slurm_conf"], gres_conf=one.cluster["gres_conf"],
            topology_conf=one.cluster["topology_conf"],
            topology_yaml=one.cluster.get("topology_yaml", ""),
            resources_yaml=one.cluster.get("files", {}).get("resources.yaml", ""),
            release=trestle.slurm.parse_release(release or one.release))
        owners: Dict[str, int] = {}
        of_tags = answers.setdefault(one.id, {})
        for step in one.steps:
            if step["op"] == "release":
                if step["tag"] in owners:
                    controller.release(owners.pop(step["tag"]))
                continue
            result = copy.copy(controller).submit(step["opts"]).to_dict()
            of_tags[step["tag"]] = {key: result[key] for key in _KEPT if key in result}
            if step["result"]["status"] == "allocated":
                try:
                    owners[step["tag"]] = controller.adopt(step["result"],
                                                           _options(step["opts"]))
                except (ValueError, trestle.Error) as error:
                    of_tags[step["tag"]]["unadopted"] = str(error)
    return answers


def _options(text: str) -> trestle.slurm.JobOptions:
    try:
        return trestle.slurm.parse_option_text(text).components[0].options
    except ValueError:
        return trestle.slurm.JobOptions()


def options_of(text: str) -> Tuple[str, ...]:
    """The names of the options: `--gpus-per-task` of `--gpus-per-task=2`, `-N` of `-N2`."""
    words = [word for word in text.split() if word.startswith("-") and len(word) > 1]
    return tuple(sorted({word.split("=")[0] if word[1] == "-" else word[:2] for word in words}))


def score(recordings: Tuple[Recording, ...], answers: Answers) -> List[Score]:
    """Each request beside its recorded answer."""
    scores = []
    for one in recordings:
        missing: Set[str] = set()  # tags of jobs that run and could not be entered
        for step in one.steps:
            if step["op"] != "submit":
                missing.discard(step["tag"])
                continue
            got = answers.get(one.id, {}).get(step["tag"])
            if not step["result"].get("suspect") and step["result"]["status"] != "crash":
                scores.append(_score(one, step, got, bool(missing)))
            if got is not None and got.get("unadopted"):
                missing.add(step["tag"])
    return scores


def _score(recording: Recording, step: Mapping[str, Any], got: Optional[Answer],
           is_beside_unadopted: bool) -> Score:
    want = step["result"]
    is_verdict = is_coarse = is_exact = got is not None and got["status"] == want["status"]
    if got is not None and is_coarse and want["status"] == "allocated":
        is_coarse = _coarse(want) == _coarse(got)
        is_exact = _exact(want) == _exact(got)
    elif got is not None and is_coarse and want["status"] == "pending":
        is_exact = want.get("reason") == got.get("reason")
    return Score(recording.cluster["name"], options_of(step["opts"]),
                 f"{recording.id} {step['tag']} `{step['opts']}`", _text(want),
                 _text(got) if got is not None else "", is_coarse, is_exact, recording.release,
                 is_verdict, bool(got is not None and got.get("warnings")),
                 str(got.get("unadopted", "")) if got is not None else "", is_beside_unadopted)


def _gres(node: Mapping[str, Any], has_indexes: bool) -> str:
    """Devices of a node; those of which it gives none are left out."""
    texts = []
    for one in node["gres"]:
        kind = f":{one['type']}" if one.get("type") else ""
        indexes = sorted(one.get("idx") or ()) if has_indexes else ()
        if one["count"]:
            texts.append(f"{one['name']}{kind}:{one['count']}"
                         + (f"(IDX:{','.join(map(str, indexes))})" if indexes else ""))
    return ",".join(sorted(texts))


def _coarse(answer: Answer) -> List[Tuple[int, int, str]]:
    return sorted((len(node["cpu_ids"]), node["mem_mb"], _gres(node, False))
                  for node in answer["nodes"])


def _exact(answer: Answer) -> List[str]:
    return sorted(f"{node['node']} cpus {','.join(map(str, sorted(node['cpu_ids'])))} "
                  f"mem {node['mem_mb']}M {_gres(node, True)}".strip() for node in answer["nodes"])


def _text(answer: Answer) -> str:
    if answer["status"] == "allocated":
        return "; ".join(_exact(answer))
    about = answer.get("reason") or " ".join(answer.get("error") or ())
    return f"{answer['status']} {about}".strip()
