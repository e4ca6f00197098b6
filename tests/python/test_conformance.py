# SPDX-License-Identifier: Apache-2.0
"""Recorded cases: how answers are compared, tables, answers of another scheduler."""

import copy
import json
import pathlib

import pytest
from data_folders import DATA
from trestle import __main__ as shell
from trestle import conformance, replay
from trestle.conformance import openb, slurm

SMALL = pathlib.Path(__file__).parents[2] / "examples/traces"

CONF = ("SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
        "DefMemPerCPU=1000\nNodeName=n[0-1] CPUs=8 RealMemory=16000 Gres=gpu:a100:2\n"
        "PartitionName=p Nodes=ALL Default=YES\n")
GRES = "NodeName=n[0-1] Name=gpu Type=a100 File=/dev/nvidia[0-1]\n"


def on(node, cpu_ids, mem_mb, gres=()):
    return {"status": "allocated", "nodes": [
        {"node": node, "cpu_ids": cpu_ids, "mem_mb": mem_mb, "gres": list(gres)}]}


def gpus(*idx):
    return {"name": "gpu", "type": "a100", "count": len(idx), "idx": list(idx)}


def submit(tag, opts, result):
    return {"op": "submit", "tag": tag, "opts": opts, "result": result}


RECORDING = {
    "schema": "slurm-oracle/1", "id": "tiny/all",
    "cluster": {"name": "tiny", "slurm_conf": CONF, "gres_conf": GRES, "topology_conf": "\n"},
    "steps": [
        submit("a", "-c 2 --gres=gpu:1", on("n0", [0, 1], 2000, [gpus(0)])),
        submit("b", "-c2 --gres=gpu:2", on("n1", [0, 1], 2000, [gpus(0, 1)])),
        submit("odd", "-n 1", on("n1", [7], 1000) | {"suspect": ["it is odd"]}),
        submit("c", "-N 2 --exclusive", {"status": "pending", "reason": "Resources"}),
        submit("d", "--gres=gpu:3", {"status": "refused", "error": ["never"]}),
        {"op": "release", "tag": "b", "was_allocated": True},
        {"op": "release", "tag": "c", "was_allocated": False},
        submit("e", "-w n1 --gres=gpu:1", on("n1", [0], 1000, [gpus(0), {
            "name": "gpu", "type": "h100", "count": 0, "idx": []}])),
    ],
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tiny__all.json").write_text(json.dumps(RECORDING))
    (tmp_path / "other.json").write_text("[1]")
    return tmp_path


def exact(scores):
    return [one.is_exact for one in scores]


def test_recorded_requests_are_asked_again_each_on_what_was_recorded(folder):
    cases = conformance.load_cases(folder)
    scores = conformance.score(cases, conformance.answers_here(cases))
    assert [one.name for one in scores] == [
        "tiny/all a `-c 2 --gres=gpu:1`", "tiny/all b `-c2 --gres=gpu:2`",
        "tiny/all c `-N 2 --exclusive`", "tiny/all d `--gres=gpu:3`",
        "tiny/all e `-w n1 --gres=gpu:1`"]
    assert exact(scores) == [True] * 5
    assert scores[0].options == ("--gres", "-c") == scores[1].options
    assert scores[1].expected == "n1 cpus 0,1 mem 2000M gpu:a100:2(IDX:0,1)" == scores[1].answer
    rows = {row.name: (row.cases, row.answered, row.coarse, row.exact)
            for row in conformance.rows_by_option(scores)}
    assert rows == {"--exclusive": (1, 1, 1, 1), "--gres": (4, 4, 4, 4), "-N": (1, 1, 1, 1),
                    "-c": (2, 2, 2, 2), "-w": (1, 1, 1, 1)}


def test_an_allocation_that_cannot_be_entered_is_named_and_the_run_goes_on(folder, capsys):
    steps = [
        submit("a", "-n 1", on("n0", [0], 1000)),
        submit("strange", "-n 1", on("n0", [99], 1000)),  # no such CPU
        submit("taken", "-n 1", on("n0", [0], 1000)),  # that of a
        submit("odd", "-n 1", on("n9", [0], 1000) | {"suspect": ["it is odd"]}),
        submit("b", "-n 1", on("n0", [1], 1000)),
        {"op": "release", "tag": "strange", "was_allocated": True},
        {"op": "release", "tag": "taken", "was_allocated": True},
        {"op": "release", "tag": "odd", "was_allocated": True},
        submit("c", "-n 1", on("n0", [2], 1000)),
    ]
    (folder / "tiny__all.json").write_text(json.dumps(RECORDING | {"steps": steps}))
    cases = conformance.load_cases(folder)
    scores = conformance.score(cases, conformance.answers_here(cases))
    assert [(one.name.split()[1], one.is_exact, bool(one.unadopted), one.is_beside_unadopted)
            for one in scores] == [
        ("a", True, False, False), ("strange", False, True, False), ("taken", False, True, True),
        ("b", True, False, True), ("c", True, False, False)]
    assert scores[1].unadopted == "node n0: CPU 99 does not exist"
    file = folder / "answers"
    assert shell.main(["conformance", str(folder), "--write", str(file)]) == 1
    told = capsys.readouterr().out
    assert ("2 recorded allocations could not be entered; 2 requests were answered without them:\n"
            "tiny/all strange `-n 1`\n  node n0: CPU 99 does not exist\n") in told
    assert shell.main(["conformance", str(folder), "--answers", str(file), "--json"]) == 1
    values = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in values["unadopted"]] == [
        "tiny/all strange `-n 1`", "tiny/all taken `-n 1`"]
    assert values["beside_unadopted"] == 2
    (folder / "tiny__all.json").write_text(json.dumps(RECORDING | {"steps": steps[:4]}))
    assert shell.main(["conformance", str(folder)]) == 1


def test_answers_of_another_scheduler(folder, capsys):
    file = folder / "answers"
    assert shell.main(["conformance", str(folder), "--write", str(file)]) == 0
    first = capsys.readouterr().out
    assert first.startswith("5 cases, 5 answered: 5 agree coarsely, 5 exactly. "
                            "0 answers carry a warning.\n")
    assert shell.main(["conformance", str(folder), "--answers", str(file)]) == 0
    assert capsys.readouterr().out == first
    assert shell.main(["conformance", str(folder), "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert (values["cases"], values["exact"], values["misses"]) == (5, 5, [])
    assert {row["name"]: row["cases"] for row in values["by_option"]} == {
        "--exclusive": 1, "--gres": 4, "-N": 1, "-c": 2, "-w": 1}
    answers = json.loads(file.read_text())
    mine = answers["slurm"]["tiny/all"]
    mine["a"]["nodes"][0] |= {"node": "n1", "cpu_ids": [5, 4]}  # as good, elsewhere
    mine["b"]["nodes"][0]["mem_mb"] = 1
    mine["c"]["reason"] = "Priority"
    mine["d"] = {"status": "pending"}
    del mine["e"]
    file.write_text(json.dumps(answers))
    assert shell.main(["conformance", str(folder), "--answers", str(file), "--misses", "3"]) == 1
    told = capsys.readouterr().out
    shell.main(["conformance", str(folder), "--answers", str(file), "--misses", "1", "--json"])
    values = json.loads(capsys.readouterr().out)
    assert (values["coarse"], values["differing"]) == (2, 4)
    assert [one["name"] for one in values["misses"]] == ["tiny/all a `-c 2 --gres=gpu:1`"]
    assert "5 cases, 4 answered: 2 agree coarsely, 0 exactly." in told
    assert ("tiny/all a `-c 2 --gres=gpu:1` (coarse)\n"
            "  recorded: n0 cpus 0,1 mem 2000M gpu:a100:1(IDX:0)\n"
            "  answered: n1 cpus 4,5 mem 2000M gpu:a100:1(IDX:0)\n") in told
    assert "| tiny    |     5 |        4 |      2 |     0 |" in told
    assert told.endswith("\n\nand 1 more that differ\n")


@pytest.mark.parametrize("change, message", [
    ({"schema": "x"}, 'expected an object with "schema": "trestle-answers/1"'),
    ({"slrm": {}}, "slrm: unknown, expected slurm or openb"),
    ({"slurm": []}, "slurm: expected an object by recording"),
    ({"slurm": {"huge/all": {}}}, "slurm.huge/all: there is no such recording"),
    ({"slurm": {"tiny/all": []}}, "slurm.tiny/all: expected an object by tag"),
    ({"slurm": {"tiny/all": {"z": {"status": "pending"}}}},
     "slurm.tiny/all.z: there is no such request"),
    ({"slurm": {"tiny/all": {"a": 3}}}, "slurm.tiny/all.a: expected an object"),
    ({"slurm": {"tiny/all": {"a": {"status": "yes"}}}}, "slurm.tiny/all.a: status: 'yes'"),
    ({"slurm": {"tiny/all": {"a": {"status": "allocated"}}}}, "slurm.tiny/all.a: nodes: expected"),
    ({"slurm": {"tiny/all": {"a": on("n0", 3, 0)}}},
     "slurm.tiny/all.a: nodes[0].cpu_ids: expected"),
    ({"slurm": {"tiny/all": {"a": on("n0", ["0"], 0)}}},
     "slurm.tiny/all.a: nodes[0].cpu_ids: expected"),
    ({"slurm": {"tiny/all": {"a": on("n0", [0], 0, [{"name": "gpu"}])}}},
     "slurm.tiny/all.a: nodes[0].gres[0]: expected"),
    ({"slurm": {"tiny/all": {"a": on("n0", [0], 0, [gpus(0) | {"idx": 7}])}}},
     "slurm.tiny/all.a: nodes[0].gres[0]: expected"),
    ({"openb": 3}, "openb: expected an object by seed"),
    ({"openb": {"42": 3}}, "openb.42: expected an object by policy"),
    ({"openb": {"42": {"fgd": {"95": "x"}}}}, "openb.42.fgd: expected numbers"),
])
def test_what_is_no_answer_is_reported(change, message, folder):
    cases = conformance.load_cases(folder)
    file = folder / "answers"
    file.write_text(json.dumps({"schema": "trestle-answers/1"} | change))
    with pytest.raises(ValueError, match="answers: ") as caught:
        conformance.read_answers(file, cases)
    assert message in str(caught.value)


def test_bad_recordings_are_all_reported(tmp_path, capsys):
    def write(name, change):
        value = copy.deepcopy(RECORDING)
        change(value)
        (tmp_path / name).write_text(json.dumps(value))

    write("a.json", lambda value: value.pop("cluster"))
    write("b.json", lambda value: value["steps"][0].update(op="grow"))
    write("c.json", lambda value: value["steps"][0]["result"].pop("nodes"))
    write("d.json", lambda value: value["steps"].append(value["steps"][0]))
    write("e.json", lambda value: value["cluster"].update(gres_conf=3))
    write("f.json", lambda value: value.update(steps=None))
    (tmp_path / "g.json").write_text('{\n"schema": }')
    assert shell.main(["conformance", str(tmp_path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        "a.json", "b.json", "c.json", "d.json", "e.json", "f.json", "g.json:2"]
    assert "no key 'cluster'" in lines[0] and "steps[0]: nodes: expected a list" in lines[2]


def test_a_folder_without_cases_is_reported(tmp_path, capsys):
    for path in (tmp_path, tmp_path / "nowhere"):
        assert shell.main(["conformance", str(path)]) == 2
    assert capsys.readouterr().err.splitlines()[0].startswith(f"{tmp_path}: no recorded cases")


@pytest.fixture
def study(tmp_path):
    """The small trace in the shape of the study's folder, with what Trestle gives as expected."""
    trace = replay.load([SMALL / "nodes.csv"], SMALL / "pods.csv")
    order = trace.order("7")
    tmp_path = tmp_path / "openb"
    (tmp_path / "orders").mkdir(parents=True)
    (tmp_path / "orders/openb_pod_list_default.7.order").write_text(
        "\n".join(map(str, (*order.arrivals, -1, *order.ranks))) + "\n")
    (tmp_path / openb.NODES).write_text((SMALL / "nodes.csv").read_text())
    (tmp_path / "openb_pod_list_default.csv").write_text((SMALL / "pods.csv").read_text())
    cells = [replay.replay(trace, order, policy).allocated_percent
             for policy in ("fgd", "best_fit")]
    arrived = sorted(cells[0])[-2:]
    rows = ["/".join(f"{one[at]:.2f}" for at in arrived) for one in cells]
    (tmp_path / "REPLAY.md").write_text(
        f"## Expected: default trace, allocated GPU % at {arrived[0]}/{arrived[1]} % arrived\n"
        f"| seed | FGD | BestFit |\n|---|---|---|\n| 7 | {rows[0]} | {rows[1]} |\n\nand more\n")
    return tmp_path


def test_tables_of_a_study_are_replayed(study, capsys):
    assert shell.main(["conformance", str(study)]) == 0
    assert "4 cases, 4 answered: 4 agree coarsely, 4 exactly." in capsys.readouterr().out
    cases = conformance.load_cases(study.parent)  # in a folder of the folder, too
    answers = conformance.answers_here(cases)
    assert exact(conformance.score(cases, answers)) == [True] * 4
    expected = cases.expected.cells[0]
    off = {"7": {"fgd": {str(expected.arrived): expected.allocated_percent + 0.3}}}
    scores = openb.score(cases.expected, off)
    assert [(one.answer != "", one.is_coarse, one.is_exact) for one in scores] == [
        (True, True, False)] + [(False, False, False)] * 3


@pytest.mark.parametrize("old, new, message", [
    ("## Expected", "## Found", "REPLAY.md: no table"),
    ("| 7 |", "| 7 | 1 |", "REPLAY.md:4: no row of the table: 4 cells, expected 3"),
    ("FGD", "FGG", "REPLAY.md:4: no row of the table: 'FGG'"),
    ("| 7 | ", "| 7 | 1/", "expected 2 numbers"),
])
def test_a_bad_table_is_reported(old, new, message, study, capsys):
    path = study / "REPLAY.md"
    path.write_text(path.read_text().replace(old, new))
    assert shell.main(["conformance", str(study)]) == 2
    assert message in capsys.readouterr().err


def test_decisions_of_a_real_slurm_and_the_study_agree():
    cases = conformance.load_cases(DATA)
    scores = conformance.score(cases, conformance.answers_here(cases))
    study = [one for one in scores if not one.release]
    assert exact(study) == [True] * 25, conformance.report(study, 5)
    rows = {row.name: row for row in conformance.rows_by_release(scores)}
    assert {name: row.cases for name, row in rows.items()} == {
        "22.05": 4774, "24.11": 7421, "26.05": 8433}
    least = {"22.05": 4756, "24.11": 7362, "26.05": 8375}
    assert all(rows[name].exact >= count for name, count in least.items())
    kinds = {row.name: row.cases for row in conformance.rows_by_kind(scores)}
    assert sum(kinds.values()) == len(scores) and "exact" in kinds
    assert slurm.options_of("-N2 --mem=3G x -") == ("--mem", "-N")
