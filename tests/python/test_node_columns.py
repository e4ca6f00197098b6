# SPDX-License-Identifier: Apache-2.0
"""Columns over nodes: feasible, fit_count, score, observe."""

import numpy
import pytest

import trestle


def cluster_of(text="2 x (1s8c1t mem=64G gpu:a100:4) + 1 x (1s16c1t mem=64G)"):
    return trestle.Cluster.from_text(text)


def gpus(count, cpus=1):
    return trestle.slurm.parse_options([f"--gres=gpu:{count}", "-c", str(cpus)]).request


def started(cluster, owner, request):
    placement = trestle.place(cluster, request)
    cluster.commit(trestle.Allocation(owner=owner, request=request, placement=placement))
    return placement


def test_feasible_is_a_row_for_each_request():
    cluster = cluster_of()
    started(cluster, 1, gpus(3))
    table = trestle.feasible(cluster, [gpus(1), gpus(2), gpus(5), trestle.Request()])
    assert table.dtype == bool
    assert table.tolist() == [[True, True, False], [False, True, False], [False] * 3, [True] * 3]
    assert trestle.feasible(cluster, []).shape == (0, 3)


def test_fit_count_and_score():
    cluster = cluster_of()
    started(cluster, 1, gpus(3))
    counts = trestle.fit_count(cluster, gpus(1, cpus=3))
    assert counts.dtype == numpy.int32
    assert counts.tolist() == [1, 2, 0]
    scores = trestle.score(cluster, gpus(1), trestle.Policy.best_fit)
    assert scores.dtype == numpy.float64
    assert scores[0] > scores[1] and numpy.isnan(scores[2])
    assert trestle.place(cluster, gpus(1), policy=trestle.Policy.best_fit).nodes[0].node == 0


def test_a_policy_of_ones_own_scores():
    cluster = cluster_of()
    started(cluster, 1, gpus(3))
    scores = trestle.score(cluster, gpus(1), lambda columns: -1.0 * columns.devices_after)
    assert scores[:2].tolist() == [0.0, -3000.0]

    def broken(columns):
        raise RuntimeError("no idea")

    with pytest.raises(RuntimeError, match="no idea"):
        trestle.score(cluster, gpus(1), broken)


def test_what_is_no_request():
    cluster = cluster_of()
    bad = trestle.Request(devices=[trestle.DeviceRequest(name="")])
    for call in (lambda: trestle.feasible(cluster, [gpus(1), bad]),
                 lambda: trestle.fit_count(cluster, bad), lambda: trestle.score(cluster, bad)):
        with pytest.raises(ValueError):
            call()
    mixed = trestle.Request(components=[gpus(1)])
    with pytest.raises(ValueError, match="components"):
        trestle.feasible(cluster, [mixed])
    with pytest.raises(TypeError):
        trestle.feasible(cluster, gpus(1))
    with pytest.raises(TypeError):
        trestle.feasible(cluster, [1])


def test_observe_makes_tables():
    cluster = cluster_of("1 x (1s4c2t mem=8G gpu:a100:2) + 1 x (1s2c1t mem=4G)")
    tables = trestle.observe(cluster)
    assert sorted(tables) == ["cores", "devices", "fragments", "free", "is_usable"]
    assert tables["free"].tolist() == [[8000, 8 << 30, 2000], [2000, 4 << 30, 0]]
    assert tables["devices"].tolist() == [[1000, 1000], [-1, -1]]
    assert tables["cores"].tolist() == [[0xf], [0x3]]
    assert tables["is_usable"].all()
    assert tables["fragments"].tolist() == [0.0, 0.0]


def test_observe_fills_arrays_of_the_callers():
    cluster = cluster_of()
    out = {"free": numpy.full((3, 3), -7), "devices": numpy.full((3, 4), -7)}
    free = out["free"]
    assert trestle.observe(cluster, out)["free"] is free
    assert (free[:, 0] == [8000, 8000, 16000]).all()


@pytest.mark.parametrize("out, error, words", [
    ({"free": numpy.zeros((3, 2), numpy.int64)}, ValueError, r"out\.free.*\(3, 3\)"),
    ({"free": numpy.zeros((3, 3))}, TypeError, r"out\.free.*int64"),
    ({"free": numpy.zeros((3, 3), numpy.int64, order="F")}, TypeError, r"out\.free.*C order"),
    ({"free": [[0] * 3] * 3}, TypeError, r"out\.free"),
    ({"fre": numpy.zeros((3, 3), numpy.int64)}, ValueError, r"out\.fre:.*free, devices"),
])
def test_arrays_that_do_not_fit(out, error, words):
    with pytest.raises(error, match=words):
        trestle.observe(cluster_of(), out)


def test_arrays_that_share_bytes():
    cluster = cluster_of("3 x (1s4c1t mem=8G gpu:3)")
    both = numpy.zeros((3, 3), numpy.int64)
    with pytest.raises(ValueError, match="out.devices: overlaps"):
        trestle.observe(cluster, {"free": both, "devices": both})
    odd = numpy.frombuffer(bytearray(73), numpy.int64, offset=1).reshape(3, 3)
    with pytest.raises(ValueError, match="out.free: expected an aligned array"):
        trestle.observe(cluster, {"free": odd})


def test_arrays_that_may_not_be_written():
    free = numpy.zeros((3, 3), numpy.int64)
    free.flags.writeable = False
    with pytest.raises(TypeError, match="writable"):
        trestle.observe(cluster_of(), {"free": free})


def test_an_observer_writes_what_changed():
    cluster = cluster_of()
    observer = trestle.Observer(cluster)
    assert observer.layout.resources == ("cpu", "memory", "gpu")
    free = observer.tables["free"]
    assert observer.observe(cluster).tolist() == [0, 1, 2]
    started(cluster, 1, gpus(3))
    assert observer.observe(cluster).tolist() == [0]
    assert free[0, 2] == 1000
    assert observer.observe(cluster).tolist() == []
    cluster.release(1)
    copy = trestle.observe(cluster)
    observer.observe(cluster)
    for name, table in observer.tables.items():
        assert (table == copy[name]).all()
    with pytest.raises(ValueError, match="other nodes"):
        observer.observe(cluster_of("5 x (1s4c1t mem=8G)"))


def test_fragments_go_by_typical_jobs():
    cluster = cluster_of("1 x (1s8c1t mem=64G gpu:a100:4)")
    whole = trestle.TypicalJob(cpus=1000, devices=2, seen=1)
    options = trestle.ObserveOptions(typical_jobs=[whole])
    observer = trestle.Observer(cluster, options=options)
    observer.observe(cluster)
    assert observer.tables["fragments"].tolist() == [0.0]
    started(cluster, 1, gpus(3))
    observer.observe(cluster)
    assert observer.tables["fragments"].tolist() == [1000.0]


def test_what_was_placed_as_a_table():
    cluster = trestle.Cluster.from_text("2 x (4c)")
    requests = [trestle.Request(tasks=n) for n in (3, 8, 4)]
    requests.append(trestle.Request(nodes=2))
    jobs = [trestle.JobOrder(owner=10 + i, request=one) for i, one in enumerate(requests)]
    skip = trestle.PlaceManyOptions(on_failure=trestle.OnFailure.skip)
    placed = trestle.place_many(cluster, jobs, trestle.Placer(), skip)
    table = trestle.placed_table(cluster, jobs, placed)
    assert table["owner"].tolist() == [10, 11, 12, 13]
    assert table["node"].tolist() == [0, -1, 1, -1]
    assert table["nodes"].tolist() == [1, 0, 1, 0]
    assert table["refused_by"].tolist() == ["", "cores", "", "nodes"]
    with pytest.raises(ValueError, match="placed: job 2 is not in the list of jobs"):
        trestle.placed_table(cluster, jobs[:2], placed)
    with pytest.raises(ValueError, match="placed: job 0 has nothing in this cluster"):
        trestle.placed_table(trestle.Cluster.from_text("2 x (4c)"), jobs, placed)

    with pytest.raises(LookupError, match="owner 11 has no allocation"):
        trestle.release_many(cluster, table["owner"])
    assert cluster.allocation_count() == 2
    trestle.release_many(cluster, table["owner"][table["node"] >= 0])
    assert cluster.allocation_count() == 0
