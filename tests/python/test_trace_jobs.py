# SPDX-License-Identifier: Apache-2.0
"""Accounting of Slurm and published traces, each with a sample of its format."""

import json

import pytest
from trestle import traces
from trestle.traces import gpu_jobs

SACCT = """JobID|User|Submit|Start|End|Timelimit|NNodes|AllocTRES|State
7|a|2024-01-02T03:04:05|2024-01-02T03:05:05|2024-01-02T04:05:05|1-00:00:00|2|billing=64,cpu=64,gres/gpu:a100=8,gres/gpu=8,mem=1.5T,node=2|COMPLETED
7.batch||2024-01-02T03:05:05|2024-01-02T03:05:05|2024-01-02T04:05:05||1|cpu=32,node=1|COMPLETED
8_1|b|2024-01-02T03:04:05|Unknown|Unknown|UNLIMITED|1||PENDING
"""
SACCT_JSON = {"jobs": [
    {"job_id": 7, "user": "a", "state": {"current": ["COMPLETED"]}, "allocation_nodes": 2,
     "time": {"submission": 10, "start": 20, "end": 50,
              "limit": {"set": True, "infinite": False, "number": 60}},
     "tres": {"allocated": [{"type": "cpu", "count": 64}, {"type": "mem", "count": 1024},
                            {"type": "gres", "name": "gpu", "count": 8},
                            {"type": "gres", "name": "gpu:a100", "count": 8}]}},
    {"job_id": 8, "user": "b", "state": {"current": "PENDING"}, "allocation_nodes": 0,
     "time": {"submission": 10, "start": 0, "end": 0, "limit": {"set": False, "number": 0}}}]}
PHILLY = [
    {"status": "Pass", "vc": "v", "jobid": "j1", "user": "u", "submitted_time": "2017-10-09 07:02:05",
     "attempts": [
         {"start_time": "2017-10-09 07:02:10", "end_time": "2017-10-09 07:03:10",
          "detail": [{"ip": "m1", "gpus": ["gpu0"]}]},
         {"start_time": "2017-10-09 07:04:10", "end_time": "2017-10-09 07:05:10",
          "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}, {"ip": "m2", "gpus": ["gpu6"]}]}]},
    {"status": "Killed", "jobid": "j2", "user": "u", "submitted_time": "2017-10-09 07:02:05",
     "attempts": []}]
HELIOS = """job_id,user,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
7,u1,8,32,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:05,2020-04-01 00:01:05,60,5
8,u2,0,1,1,FAILED,2020-04-01 00:00:00,None,None,,
"""
ACME = """job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,type,state,submit_time,start_time,end_time
d1,u1,2.0,16,256,1000.0,Pretrain,COMPLETED,2023-03-01 08:00:00+08:00,2023-03-01 08:00:05+08:00,2023-03-01 08:01:05+08:00
"""
ALIBABA = """j1,tensorflow,2,Terminated,100,200.5,600,29.296875,50,MISC
j2,worker,1,Failed,,,,,,
"""
ALIBABA_2025 = """instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,memory_request,creation_time,scheduled_time,deletion_time
i1,CN,app,12,16,1,1,120.0,,10.0,20.0
"""
BATSIM = {"nb_res": 4, "jobs": [
    {"id": "w!1", "subtime": 0, "walltime": 100, "res": 4, "profile": "a"},
    {"id": 2, "subtime": 10.5, "walltime": -1, "res": 1, "profile": "b"}],
    "profiles": {"a": {"type": "delay", "delay": 20.2}, "b": {"type": "parallel_homogeneous"}}}


def test_sacct():
    first, second = gpu_jobs.parse_sacct(SACCT).jobs
    assert (first.name, first.user, first.state, first.nodes, first.cpus) == (
        "7", "a", "COMPLETED", 2, 64)
    assert (first.gpus, first.gpu_type, first.memory) == (8, "a100", 3 * 2**39)
    assert first.run_time == 3600 and first.limit == 86400
    assert first.started - first.submitted == 60
    assert (second.name, second.started, second.limit, second.run_time) == ("8_1", None, None, None)


def test_sacct_as_json(tmp_path):
    first, second = gpu_jobs.parse_sacct_json(json.dumps(SACCT_JSON)).jobs
    assert (first.name, first.cpus, first.gpus, first.gpu_type) == ("7", 64, 8, "a100")
    assert (first.memory, first.limit, first.run_time, first.nodes) == (2**30, 3600, 30, 2)
    assert (second.state, second.started, second.limit) == ("PENDING", None, None)
    (tmp_path / "a.json").write_text(json.dumps(SACCT_JSON))
    (tmp_path / "a.txt").write_text(SACCT)
    assert gpu_jobs.load_sacct(tmp_path / "a.json").jobs == (first, second)
    assert len(gpu_jobs.load_sacct(tmp_path / "a.txt").jobs) == 2


def test_philly():
    first, second = gpu_jobs.parse_philly(json.dumps(PHILLY)).jobs
    assert (first.name, first.gpus, first.nodes, first.run_time) == ("j1", 3, 2, 180)
    assert (second.state, second.gpus, second.started) == ("Killed", 0, None)


def test_helios_and_acme(tmp_path):
    (tmp_path / "h.csv").write_text(HELIOS)
    first, second = gpu_jobs.load_helios(tmp_path / "h.csv").jobs
    assert (first.name, first.gpus, first.cpus, first.nodes, first.run_time) == ("7", 8, 32, 1, 60)
    assert (second.gpus, second.run_time) == (0, None)
    (tmp_path / "a.csv").write_text(ACME)
    job, = gpu_jobs.load_acme(tmp_path / "a.csv").jobs
    assert (job.gpus, job.nodes, job.memory, job.submitted) == (16, 2, 2000 * 2**30, 1677628800)


def test_alibaba(tmp_path):
    (tmp_path / "t.csv").write_text(ALIBABA)
    first, second = gpu_jobs.load_alibaba(tmp_path / "t.csv").jobs
    assert (first.name, first.cpus, first.gpus, first.run_time) == ("j1/tensorflow", 12, 1, 100.5)
    assert first.memory == 2 * 29.296875 * 2**30 and first.gpu_type == "MISC"
    assert (second.gpus, second.cpus, second.memory) == (0, None, None)
    (tmp_path / "d.csv").write_text(ALIBABA_2025)
    job, = gpu_jobs.load_alibaba_2025(tmp_path / "d.csv").jobs
    assert (job.name, job.gpus, job.memory, job.run_time) == ("i1", 1, 120 * 2**30, 10)


def test_batsim():
    first, second = gpu_jobs.parse_batsim(json.dumps(BATSIM)).jobs
    assert (first.name, first.nodes, first.limit, first.run_time) == ("w!1", 4, 100, 20.2)
    assert (second.submitted, second.limit, second.run_time) == (10.5, None, None)


@pytest.mark.parametrize("parse, text, lines", [
    (gpu_jobs.parse_sacct, "User\na\n", ["f:1: no column JobID"]),
    (gpu_jobs.parse_sacct, "JobID|Submit\n1|then\n2\n|2024-01-01\n",
     ['f:2: Submit: "then", expected a time', "f:3: 1 columns, expected 2", "f:4: JobID: empty"]),
    (gpu_jobs.parse_sacct, "JobID|AllocTRES\n1|mem=many\n", ['f:2: mem: "many", expected a size']),
    (gpu_jobs.parse_sacct, "JobID\n", ["f: no jobs"]),
    (gpu_jobs.parse_sacct_json, "{", ["f:1: no JSON: Expecting property name enclosed in double quotes"]),
    (gpu_jobs.parse_sacct_json, "{}", ["f: no jobs, expected a list of jobs"]),
    (gpu_jobs.parse_sacct_json, '{"jobs": [{}, 7]}',
     ["f:1: no job_id or no time", "f:2: no job_id or no time"]),
    (gpu_jobs.parse_philly, "{}", ["f: no list of jobs"]),
    (gpu_jobs.parse_philly, '[{}, {"jobid": "a", "submitted_time": "x"}]',
     ["f:1: no jobid", 'f:2: submitted: "x", expected a time']),
    (gpu_jobs.parse_batsim, '{"jobs": [{}, {"id": 1, "subtime": -1, "res": 1.5, "profile": "a"}]}',
     ["f:1: no id", 'f:2: subtime: "-1", expected a number of 0 or more',
      'f:2: res: "1.5", expected a whole number', 'f:2: profile "a" is not among the profiles']),
])
def test_bad_rows_are_all_reported(parse, text, lines):
    with pytest.raises(traces.BadRows) as caught:
        parse(text, "f")
    assert str(caught.value).splitlines() == lines


def test_bad_rows_may_be_left_out(tmp_path):
    table = gpu_jobs.parse_sacct("JobID|Submit\n1|then\n2|\n", skip_bad_rows=True)
    assert [job.name for job in table.jobs] == ["2"] and [row.line for row in table.skipped] == [2]
    (tmp_path / "h.csv").write_text(HELIOS + "9,u,many,1,1,,,,,,\n,u,1,1,1,,,,,,\n")
    table = gpu_jobs.load_helios(tmp_path / "h.csv", skip_bad_rows=True)
    assert len(table.jobs) == 2 and [str(row) for row in table.skipped] == [
        'h.csv:4: gpu_num: "many", expected a number of 0 or more', "h.csv:5: job_id: empty"]
    with pytest.raises(traces.BadRows, match="no column gpu_num"):
        (tmp_path / "x.csv").write_text("job_id,user\n1,u\n")
        gpu_jobs.load_helios(tmp_path / "x.csv")


def sacct_json(**changes):
    return json.dumps({"jobs": [{**SACCT_JSON["jobs"][0], **changes}]})


def allocated(*entries):
    return sacct_json(tres={"allocated": list(entries)})


@pytest.mark.parametrize("parse, text, message", [
    (gpu_jobs.parse_sacct, "JobID|AllocTRES\n1|mem=1.2.3G\n", 'mem: "1.2.3G"'),
    (gpu_jobs.parse_sacct, "JobID|AllocTRES\n1|mem=.\n", 'mem: "."'),
    (gpu_jobs.parse_sacct, "JobID|AllocTRES\n1|mem=" + "9" * 400 + "P\n", "mem: "),
    (gpu_jobs.parse_sacct, "JobID|AllocTRES\n1|cpu=\u00b2\n", 'cpu: "\u00b2"'),
    (gpu_jobs.parse_sacct, "JobID|AllocTRES\n1|gres/gpu=x\n", 'gres/gpu: "x"'),
    (gpu_jobs.parse_sacct, "JobID|AllocTRES\n1|gres/gpu:a100\n", 'gres/gpu:a100: ""'),
    (gpu_jobs.parse_sacct, "JobID|AllocTRES\n1|node=" + "9" * 5000 + "\n", "node: "),
    (gpu_jobs.parse_sacct, "JobID|Timelimit\n1|junk\n", 'Timelimit: "junk"'),
    (gpu_jobs.parse_sacct, "JobID|Timelimit\n1|1:2:3:4\n", 'Timelimit: "1:2:3:4"'),
    (gpu_jobs.parse_sacct, "JobID|NCPUS\n1|1_0\n", 'NCPUS: "1_0"'),
    (gpu_jobs.parse_sacct, "JobID|User\n1|" + "u" * 200_000 + "\n", "field larger"),
    (gpu_jobs.parse_sacct_json, sacct_json(tres=[1]), "tres: expected a mapping"),
    (gpu_jobs.parse_sacct_json, sacct_json(tres={"allocated": ["x"]}), "allocated: expected a mapping"),
    (gpu_jobs.parse_sacct_json, sacct_json(tres={"allocated": {"a": 1}}), "allocated: expected a list"),
    (gpu_jobs.parse_sacct_json, allocated({"type": "cpu", "count": "x"}), 'count: "x"'),
    (gpu_jobs.parse_sacct_json, allocated({"type": "cpu", "count": 1.5}), "count: 1.5"),
    (gpu_jobs.parse_sacct_json, allocated({"type": "cpu", "count": True}), "count: true"),
    (gpu_jobs.parse_sacct_json, allocated({"type": "gres", "name": ["gpu"], "count": 1}), "name"),
    (gpu_jobs.parse_sacct_json, sacct_json(time={"end": -5}), "end: -5"),
    (gpu_jobs.parse_sacct_json, sacct_json(time={"start": "x"}), 'start: "x"'),
    (gpu_jobs.parse_sacct_json, sacct_json(time={"end": float("nan")}), "end: NaN"),
    (gpu_jobs.parse_sacct_json, sacct_json(job_id=[1]), "job_id: expected a word"),
    (gpu_jobs.parse_sacct_json, sacct_json(state={"current": [{}]}), "state: expected a word"),
    (gpu_jobs.parse_sacct_json, "[" * 100_000, "no JSON"),
    (gpu_jobs.parse_sacct_json, '{"jobs": [' + "9" * 5000 + "]}", "no "),
    (gpu_jobs.parse_philly, "[" * 100_000, "no JSON"),
    (gpu_jobs.parse_philly, '[{"jobid": "a", "attempts": {"x": 1}}]', "attempts: expected a list"),
    (gpu_jobs.parse_philly, '[{"jobid": "a", "attempts": ["x"]}]', "attempts: expected a mapping"),
    (gpu_jobs.parse_philly, '[{"jobid": "a", "attempts": [{"detail": ["x"]}]}]', "detail: expected"),
    (gpu_jobs.parse_philly, '[{"jobid": "a", "attempts": [{"detail": [{"gpus": 2}]}]}]', "gpus: expected"),
    (gpu_jobs.parse_philly, '[{"jobid": ["a"]}]', "jobid: expected a word"),
    (gpu_jobs.parse_batsim, "[" * 100_000, "no JSON"),
    (gpu_jobs.parse_batsim, json.dumps({**BATSIM, "profiles": [1]}), "profiles: expected a mapping"),
    (gpu_jobs.parse_batsim, json.dumps({**BATSIM, "profiles": {"a": [1], "b": {}}}), 'profile "a": expected'),
    (gpu_jobs.parse_batsim, json.dumps({**BATSIM, "profiles": {"a": {"delay": "x"}, "b": {}}}), 'delay: "x"'),
    (gpu_jobs.parse_batsim, '{"jobs": [{"id": 1, "subtime": 0, "res": 1, "profile": ["a"]}]}',
     "profile: expected a word"),
])
def test_what_is_of_another_kind_is_a_bad_row(parse, text, message):
    with pytest.raises(traces.BadRows) as caught:
        parse(text, "f")
    assert message in str(caught.value)


def test_a_bad_row_of_json_may_be_left_out():
    jobs = [SACCT_JSON["jobs"][0], {**SACCT_JSON["jobs"][0], "tres": [1]}]
    table = gpu_jobs.parse_sacct_json(json.dumps({"jobs": jobs}), skip_bad_rows=True)
    assert len(table.jobs) == 1 and [row.line for row in table.skipped] == [2]


@pytest.mark.parametrize("tres, gpus, kind", [
    ("gres/gpu:a100=2,gres/gpu:v100=2", 4, "a100,v100"),
    ("gres/gpu=4,gres/gpu:a100=2,gres/gpu:v100=2", 4, "a100,v100"),
    ("gres/gpu:a100=2,gres/gpu=2", 2, "a100"),
    ("gres/gpu=3", 3, ""),
    ("cpu=1,gres/gpumem=4G", 0, ""),
    ("", 0, ""),
])
def test_gpus_of_several_types(tres, gpus, kind):
    job, = gpu_jobs.parse_sacct(f"JobID|AllocTRES\n1|{tres}\n").jobs
    assert (job.gpus, job.gpu_type) == (gpus, kind)
    entries = [{"type": "gres", "name": part.split("=")[0].partition("/")[2],
                "count": {"set": True, "infinite": False, "number": int(part.split("=")[1])}}
               for part in tres.split(",") if part.startswith("gres/gpu") and "mem" not in part]
    job, = gpu_jobs.parse_sacct_json(allocated(*entries)).jobs
    assert (job.gpus, job.gpu_type) == (gpus, kind)


def test_what_is_not_said_is_unknown():
    assert gpu_jobs.parse_sacct("JobID|User\n1|a\n").jobs[0].gpus is None
    assert gpu_jobs.parse_sacct_json(sacct_json(tres=None)).jobs[0].gpus is None
    count = allocated({"type": "cpu", "count": None})
    assert gpu_jobs.parse_sacct_json(count).jobs[0].cpus is None


@pytest.mark.parametrize("text, seconds", [
    ("03:04.5", 184.5), ("03:04", 184), ("02:03:04", 7384), ("1-02:03:04", 93784),
    ("UNLIMITED", None), ("Partition_Limit", None), ("", None)])
def test_time_limits(text, seconds):
    assert gpu_jobs.parse_sacct(f"JobID|Timelimit\n1|{text}\n").jobs[0].limit == seconds
