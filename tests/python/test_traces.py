# SPDX-License-Identifier: Apache-2.0
"""Loaders of traces: what they read, and that all bad rows are reported by line."""

import dataclasses
import gzip
import pathlib
import pickle
import tempfile

import pytest
from data_folders import DATA, OUTSIDE, needs_full_openb
from hypothesis import given
from hypothesis import strategies as st
from trestle import sim, traces
from trestle.replay import workload
from trestle.traces import lublin, machines, openb, orders, swf

NODES = "sn,cpu_milli,memory_mib,gpu,model\n"
PODS = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"


def bad_rows(load, path, *arguments):
    with pytest.raises(traces.BadRows) as caught:
        load(path, *arguments)
    assert pickle.loads(pickle.dumps(caught.value)).rows == caught.value.rows
    return str(caught.value).splitlines()


@pytest.fixture
def written(tmp_path):
    def write(name, text):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name
    return write


def test_openb_nodes_and_pods(written):
    nodes = openb.load_nodes(written("n.csv", NODES + "b,2000,10,0,\na,64000,262144,2,P100\r\n\n"))
    assert nodes == (openb.NodeRow("a", 64000, 262144, 2, "P100"),
                     openb.NodeRow("b", 2000, 10, 0, ""))
    pods = openb.load_pods(written("p.csv", PODS[:-1] + ",creation_time\np,500,1,1,2000,A|B,7\n"
                                   "q,500,1,0,300,,\n"))
    assert pods == (openb.Pod("p", 500, 1, 1, 1000, ("A", "B"), created=7),
                    openb.Pod("q", 500, 1, 0, 0))
    few = openb.load_pods(written("few.csv", PODS[:-10] + "\np,1,1,2,9\n"))
    assert few[0].all_thousandths == 18 and few[0].models == ()


@pytest.mark.parametrize("load, text, lines", [
    (openb.load_nodes, "", [f"f.csv: empty, expected a line with {NODES.strip()}"]),
    (openb.load_nodes, NODES, ["f.csv: no nodes"]),
    (openb.load_nodes, "sn,gpu\na,1\n", [f"f.csv:1: no column {name}" for name in (
        "cpu_milli", "memory_mib", "model")]),
    (openb.load_nodes, NODES + "a,1000,1,65,\n\nb,1500,1,0,\na,1000,1\na,1000,-1,0,\n,1000,1,0,\n",
     ['f.csv:2: gpu: "65", expected a number from 0 to 64',
      "f.csv:4: cpu_milli: 1500, expected whole CPUs", "f.csv:5: 3 columns, expected 5",
      'f.csv:6: memory_mib: "-1", expected a number from 0 to 1073741824',
      "f.csv:6: sn: a stands twice",
      "f.csv:7: sn: empty, expected a name"]),
    (openb.load_pods, PODS, ["f.csv: no pods"]),
    (openb.load_pods, PODS + 'p,1,1,2,0,\np,0,nan,1,1,\np,1,1,1,1,A||B\np,1,1,1,1e3,\n"\n',
     ['f.csv:2: gpu_milli: "0", expected a number from 1 to 1000000',
      'f.csv:3: cpu_milli: "0", expected a number from 1 to 1000000',
      'f.csv:3: memory_mib: "nan", expected a number from 0 to 1073741824',
      'f.csv:4: gpu_spec: "A||B", expected models with | between',
      'f.csv:5: gpu_milli: "1e3", expected a number from 1 to 1000000',
      "f.csv:6: 1 columns, expected 6"]),
    (openb.load_pods, PODS + "p,٣,1,0,0,\np," + "9" * 30 + ",1,0,0,\n",
     ['f.csv:2: cpu_milli: "٣", expected a number from 1 to 1000000',
      f'f.csv:3: cpu_milli: "{"9" * 30}", expected a number from 1 to 1000000']),
    (openb.load_pods, PODS.encode() + b"p,1,1,0,0,\np,1,\xff,0,0,\n", ["f.csv:3: not UTF-8"]),
])
def test_bad_rows_of_openb_are_all_reported(load, text, lines, written):
    assert bad_rows(load, written("f.csv", text)) == lines


def test_a_file_that_is_not_there_is_an_oserror():
    for load in (openb.load_nodes, openb.load_pods, swf.load_swf, machines.load_hwloc,
                 machines.load_dstack):
        with pytest.raises(FileNotFoundError):
            load("nowhere")
    with pytest.raises(LookupError):
        machines.load_slurm("nowhere")


def test_orders(written):
    order = orders.load_order(written("a.order", "1\n0\n1\n-1\n2\n0\n1\n"), 2, 3)
    assert order == traces.Order("a.order", (1, 0, 1), (2, 0, 1))
    assert bad_rows(orders.load_order, written("b.order", "2\nx\n-1\n0\n0\n-1\n"), 2, 3) == [
        'b.order:1: job: "2", expected a number from 0 to 1',
        'b.order:2: job: "x", expected a number from 0 to 1',
        "b.order:5: rank 0 stands twice, first in line 4",
        'b.order:6: rank: "-1", expected a number from 0 to 2']
    assert bad_rows(orders.load_order, written("c.order", "1\n-1\n0\n"), 2, 3) == [
        "c.order: 1 ranks, expected 3"]


LOG = """; Version: 2.2
; MaxProcs: 128 (some are gone)
;
; Queue: 1 short
; Queue: 2 long
 1 0 5 100.5 8 -1 -1 8 3600 1024 1 3 1 -1 1 -1 -1 -1
2 10 -1 -1 -1 -1 -1 4 60 -1 5 -1 -1 -1 -1 -1 1 30
"""


def test_swf():
    log = swf.parse_swf(LOG)
    assert log.header == (("Version", "2.2"), ("MaxProcs", "128"), ("Queue", "1 short"),
                          ("Queue", "2 long"))
    assert log.processors == 128 and log.find_header("MaxNodes") is None
    first, second = log.jobs
    assert (first.run_time, first.size, first.requested_memory, first.user) == (100.5, 8, 1024, 3)
    assert (second.size, second.preceding_job, second.think_time) == (4, 1, 30)
    assert swf.parse_swf(swf.swf_text(log)) == log
    assert swf.parse_swf("") == swf.SwfLog() and swf.SwfLog().processors is None


PARTS = """; MaxProcs: 128.0
; MaxNodes: 6.4e1
1 0 5 30 8 -1 -1 8 60 -1 1 -1 -1 -1 -1 -1 -1 -1
1 0 5 10 8 -1 -1 8 60 -1 2 -1 -1 -1 -1 -1 -1 -1
1 -1 7 20 8 -1 -1 8 60 -1 3 -1 -1 -1 -1 -1 -1 -1
2 9 0 5 4 -1 -1 4 60 -1 0 -1 -1 -1 -1 -1 -1 -1
2 9 0 5 4 -1 -1 4 60 -1 4 -1 -1 -1 -1 -1 -1 -1
"""


def test_parts_of_a_job_stand_under_its_number():
    log = swf.parse_swf(PARTS)
    assert [(job.number, job.is_part) for job in log.jobs] == [
        (1, False), (1, True), (1, True), (2, False), (2, True)]
    assert swf.parse_swf(swf.swf_text(log)) == log
    assert [(job.id, job.arrival, job.runtime) for job in sim.jobs_of_swf(log)] == [
        (1, 0, 30), (2, 9, 5)]
    assert [job.milli_cpus for job in workload.swf_jobs(log)] == [8000, 4000]
    with pytest.raises(traces.BadRows, match="a:4: job 1 stands twice, first in line 3"):
        swf.parse_swf(PARTS.replace(" 2 -1 -1 -1", " 5 -1 -1 -1"), "a")
    with pytest.raises(traces.BadRows, match="a:5: field 2, submit_time: -1, expected 0 or more"):
        swf.parse_swf(PARTS.replace(" 3 -1 -1 -1", " 5 -1 -1 -1").replace("1 -1 7", "3 -1 7"), "a")


def test_counts_of_a_header_are_whole_however_they_are_written():
    log = swf.parse_swf(PARTS)
    assert log.header == (("MaxProcs", "128"), ("MaxNodes", "64")) and log.processors == 128


def test_swf_files_may_be_packed(tmp_path):
    (tmp_path / "a.swf.gz").write_bytes(gzip.compress(LOG.encode()))
    swf.write_swf(tmp_path / "a.swf", swf.load_swf(tmp_path / "a.swf.gz"))
    assert swf.load_swf(tmp_path / "a.swf") == swf.parse_swf(LOG)


def test_what_is_not_packed_as_it_says_is_reported(written):
    packed = gzip.compress(LOG.encode())
    for text in (LOG.encode(), packed[:-9], packed[:20] + b"\0\0\0" + packed[23:]):
        assert bad_rows(swf.load_swf, written("a.swf.gz", text))[0].startswith("a.swf.gz: no gzip: ")


@given(st.text(st.sampled_from("0123456789-.eE;: \n\t\r\x0b\u2028x_\u0663"), max_size=80))
def test_law_any_text_is_a_log_or_bad_rows(text):
    try:
        log = swf.parse_swf(text)
    except traces.BadRows as error:
        assert all(0 < row.line <= text.count("\n") + 1 for row in error.rows)
    else:
        assert log.jobs == ()


@given(st.text(st.sampled_from('0123456789-.,"|\n\r\0\u0663'), max_size=60))
def test_law_any_text_is_pods_or_bad_rows(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.csv"
        path.write_bytes((PODS + text).encode())
        try:
            assert all(pod.milli_cpus > 0 for pod in openb.load_pods(path))
        except traces.BadRows as error:
            assert all(0 <= row.line <= text.count("\n") + text.count("\r") + 2
                       for row in error.rows)


def test_bad_lines_of_swf_are_all_reported(written):
    job = "1 0 5 100 8 -1 -1 8 3600 1024 1 3 1 -1 1 -1 -1 -1".split()

    def line(**fields):
        return " ".join(str(fields.get(f"f{i}", word)) for i, word in enumerate(job, 1)) + "\n"

    text = ("; MaxProcs: many\n" + line() + line() + "1 2 3\n" + line(f1=0, f5="1.5", f4="nan")
            + line(f1=2, f2=-2, f3="-1") + line(f1=3, f11=6) + line(f1=4, f18="inf", f17="1e400")
            + line(f1=5, f2=-1) + line(f1=-1))
    assert bad_rows(swf.load_swf, written("a.swf", text)) == [
        'a.swf:1: MaxProcs: "many", expected a whole number',
        "a.swf:3: job 1 stands twice, first in line 2",
        "a.swf:4: 3 fields, expected 18",
        'a.swf:5: field 4, run_time: "nan", expected a number of 0 or more, or -1',
        'a.swf:5: field 5, processors: "1.5", expected a whole number of 0 or more, or -1',
        'a.swf:6: field 2, submit_time: "-2", expected a number of 0 or more, or -1',
        "a.swf:7: field 11, status: 6, expected -1 to 5",
        'a.swf:8: field 17, preceding_job: "1e400", expected a whole number of 0 or more, or -1',
        'a.swf:8: field 18, think_time: "inf", expected a number of 0 or more, or -1',
        "a.swf:9: field 2, submit_time: -1, expected 0 or more",
        "a.swf:10: field 1, number: -1, expected 0 or more"]


def test_more_fields_of_swf_are_kept():
    case = DATA / "cases" / "other" / "swf_19_fields.swf"
    right = case.read_text().splitlines()[0].split(" | ")[0]
    log = swf.load_swf(case)
    assert right == f"; RIGHT: jobs of load_swf = {len(log.jobs)}"
    assert [job.number for job in log.jobs] == [1, 2, 3]
    assert [job.more for job in log.jobs] == [("0",), ("1",), ("0",)]
    assert log.processors == 4360
    assert swf.parse_swf(swf.swf_text(log)) == log
    line = "0 0 5 100 8 -1 -1 8 3600 1024 1 3 1 -1 1 -1 -1 -1"
    for more in ((), ("1",), ("a", "b"), ("1", "2", "3")):
        read = swf.parse_swf(" ".join((line, *more)))
        assert [(job.number, job.more) for job in read.jobs] == [(0, more)]
    with pytest.raises(traces.BadRows, match="22 fields, expected 18"):
        swf.parse_swf(line + " 1 2 3 4")


def test_bad_lines_of_swf_may_be_left_out():
    line = "1 0 5 100 8 -1 -1 8 3600 1024 1 3 1 -1 1 -1 -1 -1\n"
    log = swf.parse_swf("; MaxProcs: many\n" + line + "1 2 3\n" + line + line.replace("1 0", "2 0", 1),
                        "a", skip_bad_rows=True)
    assert [job.number for job in log.jobs] == [1, 2] and log.header == ()
    assert [row.line for row in log.skipped] == [1, 3, 4]
    assert swf.parse_swf(line, skip_bad_rows=True).skipped == ()
    with pytest.raises(traces.BadRows) as caught:
        swf.parse_swf("1 2 3\n" * 17900, "a.swf")
    assert len(caught.value.rows) == 17900
    lines = str(caught.value).splitlines()
    assert len(lines) == 101 and lines[-1] == "a.swf: 17800 more bad rows"


def swf_fields():
    for field in dataclasses.fields(swf.SwfJob):
        numbers = st.integers(-1, 2**53)
        if field.name == "number":
            yield field.name, st.integers(1, 10**9)
        elif field.name == "submit_time":
            yield field.name, st.integers(0, 2**53)
        elif field.name == "more":
            yield field.name, st.lists(st.sampled_from(["0", "-1", "x"]), max_size=3).map(tuple)
        elif field.name == "status":
            yield field.name, st.integers(-1, 5)
        elif field.type is float:
            yield field.name, numbers | st.floats(0, 1e12)
        else:
            yield field.name, numbers


@given(st.lists(st.builds(swf.SwfJob, **dict(swf_fields())), unique_by=lambda job: job.number))
def test_law_a_log_is_read_back(jobs):
    log = swf.SwfLog((("MaxProcs", "64"), ("Note", "a: b")), tuple(jobs))
    assert swf.parse_swf(swf.swf_text(log)) == log


def test_generated_logs_have_the_model_s_shape():
    log = lublin.generate(4000, 5)
    assert log == lublin.generate(4000, 5) != lublin.generate(4000, 6)
    assert swf.parse_swf(swf.swf_text(log)) == log
    jobs = log.jobs
    part = [sum(test(job.size) for job in jobs) / len(jobs) for test in (
        lambda size: size == 1, lambda size: size & (size - 1) == 0, lambda size: size == 128)]
    assert abs(part[0] - 0.244) < 0.02 and part[1] > 0.8 and part[2] < 0.1
    assert max(job.size for job in jobs) <= log.processors == 128

    def mean(chosen):
        return sum(job.run_time for job in chosen) / len(chosen)

    small = [job for job in jobs if job.size <= 8]
    large = [job for job in jobs if job.size >= 64]
    assert mean(large) > 1.5 * mean(small)
    assert all(1 <= job.run_time <= job.requested_time for job in jobs)
    times = [job.submit_time for job in jobs]
    assert times == sorted(times)
    hours = [int(time) // 3600 % 24 for time in times]
    assert sum(9 <= hour < 17 for hour in hours) > 3 * sum(hour < 8 for hour in hours)


def test_generated_logs_are_the_same_everywhere():
    assert [(job.submit_time, job.size, job.run_time, job.requested_time)
            for job in lublin.generate(4, 1).jobs] == [
        (259, 16, 9977, 28800), (306, 8, 21199, 28800),
        (1431, 1, 1390, 7200), (1494, 8, 7182, 28800)]
    busier = lublin.generate(200, 1, lublin.LublinModel(gap_scale=0.5))
    assert busier.jobs[-1].submit_time < lublin.generate(200, 1).jobs[-1].submit_time
    one = lublin.generate(20, 1, lublin.LublinModel(processors=1))
    assert {job.size for job in one.jobs} == {1}
    for wrong in ({"processors": 0}, {"gap_scale": 0.0}, {"gap_scale": float("nan")}):
        with pytest.raises(ValueError, match="expected numbers above 0"):
            lublin.generate(1, 1, lublin.LublinModel(**wrong))
    with pytest.raises(ValueError, match="seed: -1"):
        lublin.generate(1, -1)


def test_slurm_configuration_is_reported_line_by_line(tmp_path):
    (tmp_path / "slurm.conf").write_text(
        "NodeName=n[0-3] CPUs=4 Foo=3\nNodeName=m CPUs=x\nPartitionName=p Nodes=zz\n")
    lines = bad_rows(machines.load_slurm, tmp_path)
    assert [line.split(": ")[0] for line in lines] == [f"slurm.conf:{i}" for i in (1, 2, 3)]
    assert '"Foo"' in lines[0]
    (tmp_path / "slurm.conf").write_text("NodeName=n[0-3] CPUs=4\nPartitionName=p Nodes=ALL\n")
    assert machines.load_slurm(tmp_path).node_count() == 4
    assert machines.load_slurm(tmp_path / "slurm.conf").node_count() == 4


def test_catalogs_are_reported_row_by_row(written):
    header = ("backend,region,instance,cpus,memory,disk,gpu_count,gpu_name,gpu_memory,gpu_vendor,"
              "price,spot\n")
    row = "aws,us-east-1,p4de.24xlarge,96,1152GB,8TB,8,A100,80GB,nvidia,40.97,false\n"
    lines = bad_rows(machines.load_dstack, written(
        "c.csv", header + row + row.replace("96", "x") + row.replace("1152GB", "1Gx")))
    assert [line.split(" at offset ")[0] for line in lines] == [
        "c.csv:3: cpus: malformed count", "c.csv:4: memory: unknown unit"]
    catalog = machines.load_dstack(written("d.csv", header + row))
    assert len(catalog) == 1 and len(machines.nodes_of(catalog)[0].shape.devices) == 8


def test_hwloc_xml(written):
    torn = written("a.xml", "<topology>\n<object>\n</topology>\n")
    assert bad_rows(machines.load_hwloc, torn) == [
        "a.xml:3: no XML: mismatched tag: line 3, column 2"]
    assert bad_rows(machines.load_hwloc, written("b.xml", "<a/>")) == [
        "b.xml:1: <a>, expected <topology>, as lstopo writes it"]
    (line,) = bad_rows(machines.load_hwloc, written("c.xml", "<topology>\n</topology>\n"))
    assert line.startswith("c.xml: not an hwloc topology")


def test_recorded_data_is_read():
    node = machines.load_hwloc(DATA / "hwloc/xml__nvidiaDGX2.v2.xml")
    assert [gpu.type for gpu in node.shape.devices].count("v100") == 16
    assert len(openb.load_nodes(DATA / "openb/openb_node_list_gpu_node.csv")) == 1213
    assert len(openb.load_pods(DATA / "openb/openb_pod_list_default.csv")) == 8152


@needs_full_openb
def test_all_lists_of_pods_are_read():
    paths = sorted(OUTSIDE.glob("openb/openb_pod_list_*.csv"))
    assert len(paths) >= 23
    for path in paths[::6]:
        assert len(openb.load_pods(path)) > 1000


@pytest.mark.parametrize("name, backend", [
    ("aws.csv", "aws"), ("gpuhunt_v2_aws.csv", "aws"), ("lambdalabs.csv.gz", "lambdalabs"),
    ("prices.csv", ""), ("my_prices.csv", ""), ("aws_old.csv", "")])
def test_the_backend_that_a_name_of_a_file_tells(name, backend):
    assert machines._backend_of(pathlib.Path(name)) == backend
