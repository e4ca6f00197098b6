# SPDX-License-Identifier: Apache-2.0
"""How the package feels at a prompt and in a notebook: help, repr, texts, pictures."""

import ast
import dataclasses
import enum
import importlib
import inspect
import pydoc
import shlex
import subprocess
import sys
import typing
import warnings
from pathlib import Path
from random import Random

import arbitrary
import pytest
import trestle
from arbitrary import type_of
from public_names import defined
from conftest import STRUCTS, public_classes
from data_folders import DATA
from trestle import conformance, replay, sim
from trestle._short import short_repr
from trestle.traces import gpu_jobs, lublin, openb, orders, swf

PACKAGE = Path(__file__).resolve().parents[2] / "bindings/python/trestle"
EXTRAS = {"trestle.gym_env": "gymnasium", "trestle.pytest_plugin": "pytest"}


# Help and names.

def test_help_is_a_page():
    lines = pydoc.render_doc(trestle).splitlines()
    assert len(lines) < 130
    text = pydoc.plain("\n".join(lines))
    for word in ("trestle.request(", "Cluster", "place", "schedule_pass", "trestle.slurm", "sim"):
        assert word in text


ROOMS = ("cluster", "enforce", "market", "model", "schedule")


def test_each_name_is_in_one_room():
    there = [(name, room) for room in ROOMS for name in getattr(trestle, room).__all__
             if hasattr(trestle, name)]
    assert len({name for name, _ in there}) == len(there)
    names = {name for name, value in vars(trestle).items()
             if not name.startswith("_") and not inspect.ismodule(value)}
    assert {name for name, _ in there} == names
    assert not [name for name, room in there
                if getattr(trestle, name) is not getattr(getattr(trestle, room), name)]


def test_the_top_shows_what_most_need_and_the_rooms():
    shown = dir(trestle)
    modules = {name for name in shown if inspect.ismodule(getattr(trestle, name))}
    assert len(set(shown) - modules) < 40 and set(ROOMS) < modules
    assert {"Cluster", "Request", "node", "place", "request"} < set(shown)
    assert not [name for name in shown if not hasattr(trestle, name) or name.startswith("_")]
    for room in ROOMS:
        assert (getattr(trestle, room).__doc__ or "").strip()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        trestle.nothing


def test_all_names_are_public_and_there():
    names = list(trestle.__all__)
    assert names == sorted(set(names)) and all(hasattr(trestle, name) for name in names)
    assert set(names) >= {"Cluster", "Request", "place", "request", "node", "slurm", "enforce", *ROOMS}
    assert len(names) < 50 and set(names) <= set(dir(trestle))
    scope = {}
    exec("from trestle import *", scope)
    assert set(scope) == {*names, "__builtins__"}


def public_modules():
    paths = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")]
    open_paths = [path for path in paths if not path.parent.name.startswith("_")]
    return sorted(str(path) for path in open_paths if path.name == "__init__.py" and len(path.parts) > 1
                  or not path.name.startswith("_"))


@pytest.mark.parametrize("path", public_modules())
def test_every_public_module_has_all_of_its_names_in_order(path):
    body = ast.parse((PACKAGE / path).read_text()).body
    exported = next(ast.literal_eval(node.value) for node in body
                    if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    own = {name for node in body if not isinstance(node, (ast.Import, ast.ImportFrom))
           for name in defined(node) if not name.startswith("_")}
    assert exported == sorted(set(exported))
    assert own <= set(exported), "public by its name: add it, or begin it with _"
    module = importlib.import_module(
        "trestle." + path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"))
    assert not [name for name in exported if not hasattr(module, name)]


# Values in one line.

def large_values():
    """Of each kind a value whose fields together have thousands of characters."""
    cluster = trestle.Cluster.from_text("40 x (2s16c2t mem=512G gpu:a100:4)")
    request = trestle.Request(tasks=4, devices=[trestle.DeviceRequest(types=["a100"])],
                              required_nodes=[f"node-{i}" for i in range(50)])
    jobs = [sim.Job(i, i, request.replace(required_nodes=()), 100, 50, name="x" * 50) for i in range(60)]
    result = sim.simulate(cluster, jobs)
    log = lublin.generate(jobs=100, seed=1)
    workload = replay.load(["examples/traces/nodes.csv"], "examples/traces/pods.csv")
    order = workload.order("1")
    yield from (result, result.jobs[0], result.attempts[0], result.events[0], result.summary(),
                result.samples()[3], sim.sweep(lambda seed: result, range(2)))
    yield sim.Job(1, 2, request, 3, name="n" * 500)
    yield sim.ImpossibleJob(sim.Job(1, 2, request, 3), trestle.Refusal(reason="r" * 400))
    yield sim.Maintenance(trestle.NodeSet(range(0, 4000, 2)), range(10))
    yield sim.ElasticFleet(trestle.NodeSet(range(0, 4000, 2)))
    yield from (log, log.jobs[0], order, workload, workload.jobs[0], workload.units[0])
    yield replay.replay(workload, order, "best_fit")
    yield openb.Pod(*["p" * 300] * len(openb.Pod.__dataclass_fields__))
    yield gpu_jobs.JobTable(tuple(gpu_jobs.GpuJob("j" * 300) for _ in range(100)))
    yield conformance.answers.Cases(*[("c" * 100,) * 100] * len(
        conformance.answers.Cases.__dataclass_fields__))
    yield from (cluster, trestle.Timeline(cluster), trestle.render_cluster(cluster))


def public_dataclasses():
    """Those of all modules whose extras are there, but for those with a repr of their own."""
    found = set()
    for path in public_modules():
        try:
            module = importlib.import_module(
                "trestle." + path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"))
        except ImportError:
            continue
        found |= {kind for kind in map(module.__dict__.get, module.__all__)
                  if inspect.isclass(kind) and dataclasses.is_dataclass(kind)
                  and (kind.__repr__ is short_repr or hasattr(kind.__repr__, "__wrapped__"))}
    return sorted(found, key=lambda kind: (kind.__module__, kind.__qualname__))


@pytest.mark.parametrize("kind", public_dataclasses(), ids=lambda c: f"{c.__module__}.{c.__qualname__}")
def test_a_dataclass_is_one_line_however_large(kind):
    value = object.__new__(kind)
    for field in dataclasses.fields(kind):
        numbers = ("int", "float", "bool", "Optional[int]", "Optional[float]", "int | None", "float | None")
        name = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", str(field.type))
        is_number = str(name).removeprefix("typing.") in numbers
        object.__setattr__(value, field.name, 123456 if is_number else "x" * 300)
    assert len(repr(value)) <= 200
    assert kind.__name__ in repr(value)


def test_large_values_are_one_line(monkeypatch):
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    kinds = set()
    for value in large_values():
        text = repr(value)
        assert len(text) <= 200 and "\n" not in text, text[:300]
        assert type(value).__name__ in text
        kinds.add(type(value))
    assert len(kinds) > 20


@pytest.mark.parametrize("value, text, why", [
    (sim.Job(3, 5, trestle.Request(), 9), "Job(id=3, arrival=5, request=Request(), limit=9)",
     "defaults are left out"),
    (swf.SwfJob(1, 0, processors=4), "SwfJob(number=1, submit_time=0, processors=4)", "the same"),
    (orders.Order("a", tuple(range(9)), (0,)), "Order(name='a', arrivals=<tuple of 9>, ranks=(0,))",
     "a long field is told by its size"),
    (orders.Order("a" * 300, (), ()), "Order(name=<str of 300>, arrivals=(), ranks=())", "a text too"),
])
def test_what_a_repr_shows(value, text, why):
    assert repr(value) == text, why


def filled(kind):
    """A struct with as much in each of its fields as the field takes."""
    value = kind()
    for name in kind.__match_args__:
        expected = type_of(kind, name)
        inner = typing.get_args(expected)
        if expected is str:
            more = "x" * 500
        elif expected in arbitrary.SETS:
            more = expected(range(0, 4000, 2))
        elif expected is trestle.slurm.Hostlist:
            more = expected(",".join(f"n{i * i}" for i in range(200)))
        elif typing.get_origin(expected) is tuple and inner[1:] == (...,):
            more = (arbitrary.arbitrary(inner[0], Random(1), 127),) * 300
        else:
            continue
        try:
            value = value.replace(**{name: more})
        except ValueError:  # check() has a rule
            continue
    return value


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda c: c.__qualname__)
def test_a_struct_is_one_line_however_large(kind):
    for value in (filled(kind), *(arbitrary.arbitrary(kind, Random(seed)) for seed in range(3))):
        text = repr(value)
        assert len(text) <= 200 and "\n" not in text
        assert text.startswith(f"{kind.__qualname__}(") and text.endswith(")")


def large_classes():
    """Of each class that is no struct a value with thousands of characters."""
    cluster = trestle.Cluster.from_text("300 x (2s16c2t mem=512G gpu:a100:4 features=a,b)")
    catalog = trestle.Catalog([trestle.Offer(instance="i" * 300)] * 300)
    request = trestle.Request(required_nodes=[f"node-{i}" for i in range(500)])
    for kind in arbitrary.SETS:
        yield kind(range(0, 4000, 2))
    yield from (cluster, trestle.Timeline(cluster), catalog, trestle.PreparedRequest(request),
                trestle.match_offers(catalog, trestle.Request()), trestle.render_cluster(cluster))
    yield trestle.slurm.Hostlist(",".join(f"n{i * i}" for i in range(200)))
    yield trestle.FeatureExpression("|".join(f"feature_{i}" for i in range(100)))
    yield trestle.EnvironmentValue.shown("x" * 1000)
    yield trestle.Range(2**600, 2**601)
    yield trestle.slurm.Controller.load("examples/slurm_cluster")
    live = DATA / "slurm-live"
    yield trestle.slurm.read_live_cluster(
        trestle.slurm.load_cluster(str(live)), nodes=(live / "24.11/nodes.json").read_text(),
        jobs=(live / "24.11/squeue.json").read_text())
    yield trestle.container.read_kubernetes_cluster((DATA / "kubernetes/nodes_and_pods.json").read_text())
    yield trestle.JobState.create([cluster.node(node) for node in range(300)], trestle.Allocation(
        1, placement=trestle.whole_nodes(cluster, trestle.NodeSet(range(300)))))


def test_all_other_classes_are_one_line(monkeypatch):
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    kinds = set()
    for value in large_classes():
        assert len(repr(value)) <= 200 and "\n" not in repr(value), repr(value)[:300]
        assert type(value).__name__ in repr(value)
        kinds.add(type(value))
    missing = [name for name, kind in public_classes().items()
               if kind not in kinds and kind not in STRUCTS and not issubclass(kind, (enum.Enum, Exception))
               and kind.__repr__ is not object.__repr__]
    assert missing == []


# Texts.

@pytest.mark.parametrize("options, words", [
    ("", "1 node, 1 task a node of 1 or more CPUs"),
    ("--gres=gpu:1 -c 4", "1 node, 1 task a node of 4 CPUs, 1 gpu a node"),
    ("-N2-4 -n 8 --mem=64G --gpus=a100:4 -p long -t 10", "2 to 4 nodes, 8 tasks of 1 or more CPUs,"
     " 64GiB a node, 4 gpu:a100 a job, time_limit=600, partition=long"),
    ("--mem-per-gpu=3G --gres=gpu:2 -C fast --exclusive", "1 node, 1 task a node of 1 or more CPUs,"
     " 3GiB a device, 2 or more gpu a node (prefer=most), features=fast, exclusivity=whole_node"),
    ("--gres=shard:3", "1 node, 1 task a node of 1 or more CPUs,"
     " 3 shares of 1 gpu a node (share_kind=shard)"),
    ("--job-name='two words' -n 2", "1 to 2 nodes, 2 tasks of 1 or more CPUs"),
])
def test_a_request_is_its_options_and_says_what_it_asks(options, words):
    request = trestle.request(options)
    assert str(request) == words
    assert request == trestle.slurm.parse_options(shlex.split(options)).request


@pytest.mark.parametrize("seed", range(60))
def test_words_of_a_request_leave_no_field_out(seed):
    request = trestle.testing.any_request(seed)
    usual = trestle.Request()
    for name in request.__match_args__:
        if getattr(request, name) != getattr(usual, name) and name != "memory_per":
            assert str(request.replace(**{name: getattr(usual, name)})) != str(request), name


@pytest.mark.parametrize("make, is_warned", [
    (lambda: trestle.Request(memory=64), True),
    (lambda: trestle.Request().replace(memory=trestle.Range.at_least(32_000)), True),
    (lambda: trestle.Request(memory=trestle.Range.at_most(1)), True),
    (lambda: trestle.Request(memory=trestle.gib(64)), False),
    (lambda: trestle.Request(memory=trestle.mib(1) - trestle.kib(1)), True),
    (lambda: trestle.Request(memory=512_000), True),  # 500 MiB in KiB, or 500 GB in MB
    (lambda: trestle.Request(disk=100), True),
    (lambda: trestle.DeviceRequest("gpu", memory=40), True),
    (lambda: trestle.DeviceRequest("gpu", total_memory=trestle.Range.at_least(320)), True),
    (lambda: trestle.DeviceRequest("gpu", memory=trestle.gib(40)), False),
    (lambda: trestle.Request(memory=0), False),
    (lambda: trestle.Request(disk=0), False),
    (lambda: trestle.Request(memory=trestle.mib(1)).replace(tasks=2), False),
    (lambda: trestle.Request(tasks=64), False),
])
def test_memory_of_a_few_bytes_is_warned_of(make, is_warned):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    assert len(caught) == is_warned
    if is_warned:
        assert " is bytes; expected trestle.gib(" in str(caught[0].message)
        assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if is_warned:
            with pytest.raises(UserWarning):
                make()


def test_a_node_is_its_text():
    node = trestle.node("2s16c2t mem=512G gpu:a100:4", "dgx")
    assert node.name == "dgx" and len(node.shape.devices) == 4 and node.shape.cpu_count() == 64
    assert node.shape == trestle.Cluster.from_text("1 x (2s16c2t mem=512G gpu:a100:4)").node(0).shape


# Notebooks.

def test_pictures_of_values():
    cluster = trestle.Cluster.from_text("2 x (4c gpu:2)")
    for value in (cluster, cluster.node(0), trestle.Timeline(cluster)):
        assert value._repr_svg_().startswith("<svg")
    assert "<td style=\"text-align:left\">4</td>" in trestle.Request(tasks=4)._repr_html_()
    assert "a &lt; b" in trestle.Refusal(reason="a < b")._repr_html_()
    large = trestle.Cluster.create(trestle.ClusterParts(
        [trestle.Node(f"n{i}") for i in range(trestle._notebook.NODES_MAX + 1)]))
    assert large._repr_svg_() is None


# Without NumPy.

WITHOUT = """
import sys
sys.modules["numpy"] = None
import trestle
cluster = trestle.Cluster.from_text("2 x (4c)")
request = trestle.Request()
calls = {
    "feasible": lambda: trestle.feasible(cluster, [request]),
    "fit_count": lambda: trestle.fit_count(cluster, request),
    "score": lambda: trestle.score(cluster, request),
    "placed_table": lambda: trestle.placed_table(cluster, [], trestle.PlacedJobs()),
    "NodeSet.to_numpy": lambda: trestle.NodeSet("0-3").to_numpy(),
    "IndexSet.to_numpy": lambda: trestle.IndexSet("0-3").to_numpy(),
    "CatalogMatches.offers":
        lambda: trestle.match_offers(trestle.Catalog([trestle.Offer()]), request).offers,
    "Observer": lambda: trestle.Observer(cluster),
    "observe": lambda: trestle.observe(cluster),
    "SmallSet.to_numpy": lambda: trestle.SmallSet([1]).to_numpy(),
    "NodeSet.__array__": lambda: trestle.NodeSet("0-3").__array__(),
    "PolicyColumns.devices_after":
        lambda: trestle.place(cluster, request, policy=lambda columns: columns.devices_after),
}
for name, call in calls.items():
    try:
        call()
    except ImportError as error:
        assert str(error) == f"{name}: numpy is not installed: pip install 'trestle[sim]'", error
    else:
        assert False, name
assert trestle.place(cluster, request)
"""


STUBS_WITHOUT = """
import sys
sys.modules["numpy"] = None
StubGen = None  # as in the program stubgen.py
import trestle
kinds = {type(one).__name__ for one in (trestle.feasible, trestle.observe, trestle.NodeSet.to_numpy)}
assert kinds == {"nb_func", "nb_method"}, kinds
assert trestle.CatalogMatches.offers.fget.__nb_signature__
"""


def test_stubs_do_not_depend_on_numpy():
    done = subprocess.run([sys.executable, "-c", STUBS_WITHOUT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_without_numpy_the_extra_is_named():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
