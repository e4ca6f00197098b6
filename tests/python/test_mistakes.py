# SPDX-License-Identifier: Apache-2.0
"""Typical mistakes and what they are told: tests/golden/python_mistakes.txt, to be read as a user.

A message names what is wrong, where, and what was expected, in a line; where no signature of a
function takes the arguments, a second line shows how it is called.
"""

import re

import pytest
import trestle
from conftest import check_golden, public_classes, public_functions
from trestle import conformance, dstack, replay, sim, slurm, traces
from trestle._overloads import in_two_lines

MISTAKES = """
# Requests as text.
trestle.request(3)
trestle.request("gpu:1")
trestle.request("--gres=gpu:1 run.sh")
trestle.request("--gres='gpu:1")
trestle.request("--cpus-per-tsk=4")
trestle.request("-c")
trestle.request("-c 0")
trestle.request("-c four")
trestle.request("--mem=abc")
trestle.request("--nodes=4-2")
trestle.request("--time=soon")
trestle.request("--exclusive=maybe")
trestle.request("--gres=gpu:a:b")
slurm.parse_options("--gres=gpu:1")
slurm.parse_memory("12Q")
slurm.Controller.load("nowhere")
dstack.parse_resources("gpu: 1..x")

# Requests as values.
trestle.Request(node=2)
trestle.Request(nodes="2")
trestle.Request(nodes=range(1, 3))
trestle.Request(memory="64G")
trestle.Request(memory=64.0)
trestle.Request(memory=2**70)
trestle.Request(devices="gpu")
trestle.Request(devices=trestle.DeviceRequest())
trestle.Request(devices=["gpu"])
trestle.Request(exclusivity="whole-node")
trestle.Request(features="a&&")
trestle.Request().replace(memori=3)
trestle.DeviceRequest(count=-1)
trestle.check(trestle.Request(tasks=0))
trestle.Range("1..2")
trestle.gib("2")
trestle.Request.from_json("{")
trestle.Node.from_json('{"nam": "a"}')

# Nodes and clusters.
trestle.node(16)
trestle.node("16")
trestle.node("2s16c2t men=4G")
trestle.node("2s16c2t mem=512")
trestle.node("2s16c2t gpu:a100:x")
trestle.make_node(cores=4)
trestle.Cluster(3)
trestle.Cluster.from_text("4c")
trestle.Cluster.from_text("8 (4c)")
trestle.Cluster.from_text("2 x 4c")
trestle.Cluster.from_bytes(b"abc")
trestle.NodeSet("0-")
trestle.CoreSet("3-1")
trestle.NodeSet(3.5)
trestle.NodeSet([-1])

# Decisions.
trestle.place(cluster)
trestle.place(request, cluster)
trestle.place(cluster, "--gres=gpu:1")
trestle.place(cluster, request, policy="best-fit")
trestle.place(cluster, request, policy="-device_after")
trestle.place(cluster, request, policy="1000 * (is_idle - devices_after")
trestle.place(cluster, request, polcy=None)
trestle.place(cluster, request, policy=lambda columns: 3)
trestle.explain(request, cluster)
trestle.fit(cluster, request)
trestle.Placer(policy="fdg")
cluster.commit(placement)
cluster.release(5)
cluster.release("a")
cluster.node("n0")
cluster.node(9)
cluster.node(-1)
cluster.owners_on(9)
cluster.set_node_state(0, "down")
trestle.plan(1)
trestle.schedule_pass(cluster, [])
trestle.schedule_pass(trestle.Timeline(cluster), [], "easy")
trestle.schedule_pass(trestle.Timeline(cluster), [3])
trestle.feasible(cluster, [3])
trestle.place(cluster, request, candidates=[0])
trestle.PlaceOptions(policy=3)
trestle.whole_nodes(cluster, trestle.NodeSet("9"))
cluster.commit(trestle.Allocation(1, placement=trestle.Placement([trestle.NodePlacement(node=9)])))
trestle.Timeline("a")
trestle.match_offers([], request)
trestle.render_cluster(cluster, 3)
trestle.enforce.Job(3)

# Tools.
sim.simulate(cluster, [1])
sim.simulate(cluster, [sim.Job(1, 0, request, 10)])
sim.simulate(cluster, [sim.Job(1, 0, request, 10, 5)] * 2)
sim.simulate(cluster, [sim.Job(1, 0, request, 0, 5)])
sim.simulate(cluster, [], incidents=[sim.NodeFailure(9, 1)])
sim.sweep(lambda seed: 3, [1])
sim.simulate(cluster, []).usage_plot(["gres/tpu"])
sim.simulate(cluster, []).summary().find("waits")
sim.jobs_of_swf(traces.swf.parse_swf("1 2 3"))
replay.find_policy("best")
"""


def scope():
    cluster = trestle.Cluster.from_text("2 x (4c mem=8G gpu:2)")
    request = trestle.Request()
    return {"trestle": trestle, "slurm": slurm, "dstack": dstack, "sim": sim, "replay": replay,
            "traces": traces, "conformance": conformance, "cluster": cluster, "request": request,
            "placement": trestle.place(cluster, request)}


CALLS = [line for line in MISTAKES.splitlines() if line and not line.startswith("#")]


def told(call):
    try:
        eval(call, scope())
    except Exception as error:  # noqa: BLE001  # which one is what the table shows
        return type(error).__name__, str(error)
    pytest.fail(f"{call}: no error")


def test_typical_mistakes():
    assert len(CALLS) >= 60 and len(set(CALLS)) == len(CALLS)
    rows = []
    for line in MISTAKES.strip().splitlines():
        if not line or line.startswith("#"):
            rows.append(line)
            continue
        kind, message = told(line)
        lines = message.splitlines()
        assert 1 <= len(lines) <= (2 if kind == "TypeError" else 1), message
        assert all(len(one) <= 250 for one in lines), message
        assert " object at 0x" not in message and "nanobind" not in message
        rows += [f">>> {line}", f"{kind}: {lines[0]}", *lines[1:]]
    check_golden("python_mistakes.txt", "".join(f"{row}\n" for row in rows))


# Two lines of one of nanobind's.

TEXT = "{}(): incompatible function arguments. The following argument types are supported:\n{}\n\n" \
       "Invoked with types: {}"


@pytest.mark.parametrize("name, signatures, types, expected", [
    ("f", ["f(a: int, b: str = 'x, y') -> int"], "str", "f: a is str; expected int\nf(a, b=...)"),
    ("f", ["f(a: int, b: str = ')') -> int"], "int, int", "f: b is int; expected str\nf(a, b=...)"),
    ("f", ["f(a: int) -> int"], "", "f: a is missing; expected int\nf(a)"),
    ("f", ["f() -> int"], "int", "f: 1 argument given; expected at most 0\nf()"),
    ("f", ["f(a: int) -> int"], "int, kwargs = { a: int }", "f: a is given twice; expected it once\nf(a)"),
    ("f", ["f(a: int) -> int"], "kwargs = { aa: int }", "f: no argument aa; expected a\nf(a)"),
    ("f", ["f(a: int) -> int"], "bool", "f: a value is out of range, or has an element of another type\nf(a)"),
    ("f", ["f(a: collections.abc.Iterable[trestle.Node]) -> int"], "list",
     "f: an element of a is of another type; expected an iterable of Node\nf(a)"),
    ("f", ["f(a: collections.abc.Iterable[trestle.Node]) -> int"], "str",
     "f: a is str; expected an iterable of Node\nf(a)"),
    ("f", ["f(a: trestle.Node) -> int", "f(b: int, c: int) -> int"], "str",
     "f: a is str; expected Node or int\nf(a) or f(b, c)"),
    ("f", ["f(a: trestle.Node) -> int", "f(b: int, c: int) -> int"], "int, str",
     "f: c is str; expected int\nf(a) or f(b, c)"),
    ("go", ["go(self, a: trestle.Enforcer) -> None"], "trestle.Cluster, trestle.Node",
     "Cluster.go: a is Node; expected Enforcer\nCluster.go(a)"),
    ("__init__", ["__init__(self, a: int) -> None"], "trestle.Cluster, NoneType",
     "Cluster: a is None; expected int\nCluster(a)"),
])
def test_two_lines(name, signatures, types, expected):
    listed = "\n".join(f"    {i}. {one}" for i, one in enumerate(signatures, 1))
    assert in_two_lines(TEXT.format(name, listed, types)) == expected


@pytest.mark.parametrize("text", ["", "expected NodeSet, got list", "f(): incompatible function",
                                  TEXT.format("f", "nothing", "int"), TEXT.format("f", "    1. f", "")])
def test_other_texts_stay(text):
    assert in_two_lines(text) is None


def signatures_of_the_package():
    """Every signature of a function or method, with the name under which nanobind tells it."""
    members = list(public_functions().values())
    for kind in public_classes().values():
        members += [one for one in vars(kind).values() if type(one).__name__ == "nb_method"]
    for one in members:
        rows = getattr(one, "__nb_signature__", ())
        if rows and all(isinstance(row[0], str) for row in rows):
            yield re.match(r"def (\w+)", rows[0][0]).group(1), [
                re.sub(r"\\\d+", "...", row[0][4:]) for row in rows]


def test_every_signature_of_the_package_is_understood():
    count = 0
    for name, signatures in signatures_of_the_package():
        listed = "\n".join(f"    {i}. {one}" for i, one in enumerate(signatures, 1))
        for types in ("", "NoneType", "str, str", "trestle.Cluster, int, kwargs = { zzz: int }"):
            lines = in_two_lines(TEXT.format(name, listed, types))
            assert lines is not None and len(lines.splitlines()) == 2, (signatures, lines)
            count += 1
    assert count > 1000


# What must stay as it is.

class Own(TypeError):
    pass


def test_the_argument_of_a_wrong_value_is_named():
    cluster = trestle.Cluster.from_text("2 x (4c)")
    with pytest.raises(ValueError, match="^unknown policy at offset 0 .*expected one of first_fit"):
        trestle.Placer(trestle.PlaceOptions(), "best")
    with pytest.raises(ValueError, match="^unknown policy at offset 0 .*expected one of first_fit"):
        trestle.place(cluster, trestle.Request(), policy="best")
    with pytest.raises(TypeError, match=r"^jobs\[1\]: expected JobOrder, got int$"):
        trestle.place_many(cluster, [trestle.JobOrder(1), 3], trestle.Placer())
    with pytest.raises(TypeError, match=r"^features\[0\]: expected str, got int$"):
        cluster.set_node_features(0, [3])
    with pytest.raises(ValueError, match="^now: -1: expected 0 to "):
        trestle.Timeline(cluster, -1)


def test_errors_of_callbacks_are_the_callers():
    cluster = trestle.Cluster.from_text("2 x (4c)")

    def policy(columns):
        raise Own("mine")
    with pytest.raises(Own, match="^mine$") as caught:
        trestle.place(cluster, trestle.Request(), policy=policy)
    assert [entry.name for entry in caught.traceback][-1] == "policy"


def test_operators_still_try_the_other_side():
    class Other:
        def __ror__(self, left):
            return "other"
    assert trestle.NodeSet("0") | Other() == "other"
    assert (trestle.Request() == 3) is False
    with pytest.raises(TypeError, match="unsupported operand"):
        trestle.NodeSet("0") | 3


def test_nested_classes_and_modules_tell_it_too():
    with pytest.raises(TypeError, match="^node_from_text: text is int; expected str\nnode_from_text"):
        trestle.testing.node_from_text(3)
    with pytest.raises(TypeError, match="^ManualClock.advance: duration is str; expected int\n"):
        trestle.testing.ManualClock().advance("a")
