# SPDX-License-Identifier: Apache-2.0
"""trestle.flux.TrestlePool on R documents and jobspecs of our own. No Flux runs here: the last tests put
stand-ins in its place that have the methods and names of its contract."""

import itertools
import json
import random
import subprocess
import sys
import textwrap

import pytest
from trestle.flux import InfeasibleRequest, InsufficientResources, TrestlePool, pool_class

NOW = 1_000_000.0


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    monkeypatch.setattr("trestle.flux.time.time", lambda: NOW)


def lite(ranks, cores, gpus=""):
    return {"rank": ranks, "children": {"core": cores, **({"gpu": gpus} if gpus else {})}}


def R(*entries, **execution):
    scheduling = execution.pop("scheduling", None)
    return {"version": 1, "execution": {"R_lite": list(entries), "starttime": 0, "expiration": 0, **execution},
            **({"scheduling": scheduling} if scheduling is not None else {})}


FOUR = R(lite("0-3", "0-7", "0-1"), nodelist=["n[0-3]"], properties={"fast": "0-1", "big": "1-2"})


def vertex(type, count=1, *inner, **more):
    return {"type": type, "count": count, **({"with": list(inner)} if inner else {}), **more}


def slot(count=1, cores=1, gpus=0, **more):
    return vertex("slot", count, vertex("core", cores), *([vertex("gpu", gpus)] if gpus else []), **more)


def jobspec(*resources, duration=60, **system):
    return {"version": 1, "resources": list(resources),
            "attributes": {"system": {"duration": duration, **system}}}


def ask(pool, *resources, **system):
    return pool.parse_resource_request(jobspec(*resources, **system))


def given(pool, job, *resources, **system):
    return pool.alloc(job, ask(pool, *resources, **system)).dumps()


# R.

@pytest.mark.parametrize("document, text", [
    (R(lite("0", "0-3")), "rank0/core[0-3]"),
    (R(lite("0-1", "0-3", "0")), "rank[0-1]/core[0-3],gpu0"),
    (R(lite("0,2", "0"), lite("1", "0-1")), "rank[0,2]/core0 rank1/core[0-1]"),
    (R(lite("5-6", "2,4-5", "1,3")), "rank[5-6]/core[2,4-5],gpu[1,3]"),
    (FOUR, "rank[0-3]/core[0-7],gpu[0-1]"),
    (R(lite("0-1", "0"), nodelist=["a,b7"], starttime=5, expiration=9.5, nslots=2,
       scheduling={"writer": "else", "graph": [1]}), "rank[0-1]/core0"),
    (R(), "")])
def test_r_goes_in_and_comes_out(document, text):
    pool = TrestlePool(document)
    assert pool.to_dict() == document and pool.dumps() == text
    assert json.loads(pool.encode()) == document
    assert TrestlePool(pool.encode()).to_dict() == TrestlePool(pool).to_dict() == document


def test_r_is_written_as_short_as_it_can_be():
    written = TrestlePool(R(lite("[0]", "0,1"), lite("1", "[0-1]"), nodelist=["n0", "n1"])).to_dict()
    assert written == R(lite("0-1", "0-1"), nodelist=["n[0-1]"])


@pytest.mark.parametrize("document, message", [
    ("{", "R: .*; expected JSON"), ("[]", "R: list; expected a text, a mapping or a resource set"),
    (5, "R: int; expected a text"), ({}, "R: version None; expected 1"), ({"version": 2}, "R: version 2; expected 1"),
    ({"version": 1, "execution": []}, "R: execution: expected an object"),
    (R() | {"execution": {"R_lite": {}}}, "R: R_lite: expected a list"), (R(5), r"R: R_lite\[0\]: expected an object"),
    (R({"children": {}}), r"R: R_lite\[0\]: expected an object with rank"),
    (R(lite("a", "0")), r"R: R_lite\[0\]: rank: set: not a number"), (R(lite("3-1", "0")), "run goes backwards"),
    (R(lite("0", "x")), r"R: R_lite\[0\]: core: "), (R(lite("0-9999999", "0")), "rank: set: too many members"),
    (R({"rank": "0", "children": {"core": "0", "memory": "5"}}), "children: memory; expected core or gpu"),
    (R({"rank": None, "children": {}}), "rank: None; expected a set of ids"),
    (R(lite("0-1", "0"), nodelist=["a"]), "nodelist: 1 hosts; expected 2, one of each rank"),
    (R(lite("0", "0"), nodelist=["a[1"]), "R: nodelist: "), (R(lite("0", "0"), nodelist=5), "R: nodelist: expected"),
    (R(lite("0", "0"), expiration=-1), "R: expiration: -1; expected 0 or more"),
    (R(lite("0", "0"), starttime="x"), "R: starttime: 'x'; expected"),
    (R(lite("0", "0"), properties={"p": "x"}), "R: properties: p: "),
    (R(lite("0", "0"), properties=[]), "R: properties: expected an object"),
    (R(lite("0", "0"), scheduling={"children": {}}), "R: scheduling.children: expected a list"),
    (R(lite("0", "0"), scheduling={"children": [{"ranks": "0"}]}), r"children\[0\]: expected an object with ranks and topo"),
    (R(lite("0-2", "0"), scheduling={"children": [{"ranks": "0-1", "topo": {"cores": "0"}}]}), "2 ranks; expected 3")])
def test_what_is_no_r(document, message):
    with pytest.raises((ValueError, TypeError), match=message):
        TrestlePool(document)


# Requests.

@pytest.mark.parametrize("count, values", [
    (3, [3]), ("3", [3]), ("2-4", [2, 3, 4]), ("[2-4]", [2, 3, 4]), ("5+", [5, 6, 7, 8, 9]),
    ({"min": 2, "max": 3}, [2, 3]), ({"min": 8}, [8, 9]), ("2-9:3", [2, 5, 8]), ("1-9:2:*", [1, 2, 4, 8]),
    ("2-9:2:^", [2, 4]), ("1,4-5,30", [1, 4, 5]), ({"min": 1, "max": 9, "operator": "*", "operand": 3}, [1, 3, 9])])
def test_counts_and_what_is_taken_of_them(count, values):
    """Of nine nodes."""
    pool = TrestlePool(R(lite("0-8", "0")))
    request = ask(pool, vertex("node", count, slot()))
    assert list(request.node_count.up_to(9)) == values
    assert pool.alloc(1, request).nnodes() == values[-1]


@pytest.mark.parametrize("resources, expected", [  # nodes, slots at least, cores and GPUs of each, whole nodes
    ([slot(4, 2, 1)], (0, 4, 2, 1, False)),
    ([vertex("node", 2, slot(3, 2))], (2, 6, 2, 0, False)),
    ([vertex("node", 2, slot(3, 2), exclusive=True)], (2, 6, 2, 0, True)),
    ([slot(2, 3, exclusive=True)], (2, 2, 3, 0, True)),
    ([vertex("node", 2, vertex("slot", 1), exclusive=True)], (2, 2, 0, 0, True)),
    ([vertex("rack", 2, vertex("node", 3, slot()))], (6, 6, 1, 0, False)),
    ([vertex("slot", 3, vertex("node", 2, vertex("core", 4)))], (6, 6, 4, 0, False)),
    ([vertex("node", 1, vertex("socket", 2, slot(2, 3)))], (1, 4, 3, 0, False)),
    ([vertex("slot", 1, vertex("socket", 2, vertex("core", 3), vertex("gpu", 1)))], (0, 1, 6, 2, False)),
    ([vertex("cluster", 1, slot(4))], (0, 4, 1, 0, False))])
def test_what_a_jobspec_asks(resources, expected):
    request = ask(TrestlePool(FOUR), *resources)
    assert (request.nnodes, request.nslots, request.slot_size, request.gpu_per_slot, request.exclusive) == expected
    assert request.jobspec["resources"] == resources and request.duration == 60
    assert request.ncores == request.nslots * request.slot_size


def test_the_most_that_a_jobspec_asks():
    pool = TrestlePool(FOUR)
    assert ask(pool, slot("2-5")).nslots_max == 5 and ask(pool, slot("2+")).nslots_max is None
    assert ask(pool, vertex("node", "1-3", slot(2))).nslots_max == 6
    assert ask(pool, vertex("node", "1+", slot(2))).nnodes_max is None
    assert ask(pool, vertex("node", "1+", slot(2))).nslots_max is None
    assert ask(pool, slot(2)).nnodes_max == 0


@pytest.mark.parametrize("spec, message", [
    ({}, "jobspec: no resources"), (5, "jobspec: no resources"), (jobspec(), "jobspec: no resources"),
    ({"resources": {"type": "slot"}}, "jobspec: resources: expected a list"),
    (jobspec(5), r"jobspec: resources\[0\]: expected an object with a type"),
    (jobspec(vertex("core")), "no slot; expected one"), (jobspec(vertex("slot")), "a slot without cores"),
    (jobspec(vertex("slot", 1, vertex("core"), vertex("memory", 4))), r"with\[1\]: resource type memory; expected node"),
    (jobspec(vertex("slot", 1, vertex("core", "1-2"))), "a range of core; expected one number"),
    (jobspec(slot(), slot()), r"resources\[1\]: a second slot"),
    (jobspec(vertex("node", 1, slot()), vertex("node", 1)), "a second node"),
    (jobspec(vertex("slot", "1-2", vertex("node", "1-2", vertex("core")))), "a range inside of a range"),
    *((jobspec(slot(count)), r"resources\[0\]: count .*; expected") for count in
      (0, -1, "0", "4-2", "x", "", "2-", {"min": "a"}, {"min": 2, "max": 1}, [], None, True, "2+:2:*", "2-8:1:*", "1-9:2:^",
       {"min": 1, "operator": "*", "operand": 2}, {"min": 1, "max": 9, "operator": "-", "operand": 2})),
    (jobspec(slot("1-999999:1:+:")), "count"), (jobspec(slot("1-9999999:2")), "more than 65536 values"),
    ({"version": 1, "resources": [slot()]}, "attributes.system.duration: expected one in version 1"),
    (jobspec(slot(), duration="1h"), "duration: '1h'; expected seconds"), (jobspec(slot(), duration=-1), "duration: -1"),
    *((jobspec(slot(), constraints=constraint), message) for constraint, message in [
        (["a"], "constraint: .*; expected an object"), ({"speed": ["a"]}, "constraint: speed; expected properties"),
        ({"and": {}}, "constraint: and: expected a list"), ({"not": []}, "constraint: not: expected one"),
        ({"properties": [5]}, "constraint: properties: 5; expected a name"), ({"ranks": ["x"]}, "constraint: ranks: set")])])
def test_what_is_no_jobspec(spec, message):
    with pytest.raises(ValueError, match=message):
        TrestlePool(FOUR).parse_resource_request(spec)


def test_what_is_too_deep():
    inner, constraint = slot(), {"ranks": ["0"]}
    for _ in range(5000):
        inner, constraint = vertex("rack", 1, inner), {"not": [constraint]}
    for spec in (jobspec(inner), jobspec(slot(), constraints=constraint)):
        with pytest.raises(ValueError, match="more than 64 levels; expected fewer"):
            TrestlePool(FOUR).parse_resource_request(spec)


@pytest.mark.parametrize("constraint, ranks", [
    (None, "0-3"), ({}, "0-3"), ({"properties": ["fast"]}, "0-1"), ({"properties": ["fast", "big"]}, "1"),
    ({"properties": ["^fast"]}, "2-3"), ({"properties": ["fast", "^big"]}, "0"), ({"properties": ["none"]}, ""),
    ({"properties": ["^none"]}, "0-3"), ({"hostlist": ["n[1-2]", "n9"]}, "1-2"), ({"hostlist": "n1"}, "1"),
    ({"ranks": ["0", "2-3"]}, "0,2-3"), ({"ranks": "1"}, "1"), ({"not": [{"ranks": ["0"]}]}, "1-3"),
    ({"and": [{"properties": ["fast"]}, {"ranks": ["1-3"]}]}, "1"), ({"and": []}, "0-3"), ({"or": []}, ""),
    ({"or": [{"ranks": ["0"]}, {"properties": ["big"]}]}, "0-2"),
    ({"properties": ["fast"], "ranks": ["1-3"]}, "1")])
def test_constraints(constraint, ranks):
    pool = TrestlePool(FOUR)
    request = ask(pool, vertex("node", "1+", slot()), constraints=constraint)
    if not ranks:
        with pytest.raises(InfeasibleRequest, match="no rank satisfies the constraint"):
            pool.alloc(1, request)
    else:
        assert str(pool.alloc(1, request).ranks()) == ranks


# Allocations.

def test_an_allocation_is_an_r():
    pool = TrestlePool(FOUR)
    assert pool.alloc(7, ask(pool, vertex("node", 2, slot(2, 3, 1)))).to_dict() == R(
        lite("0-1", "0-5", "0-1"), nodelist=["n[0-1]"], nslots=4, starttime=NOW, expiration=NOW + 60)
    assert pool.job_end_times() == [(7, NOW + 60)]
    assert pool.copy_allocated().dumps() == "rank[0-1]/core[0-5],gpu[0-1]"


def test_ids_need_not_be_counted_from_0():
    pool = TrestlePool(R(lite("3,9", "2,5,7-8", "4,6")))
    assert given(pool, 1, slot(2, 2, 1)) == "rank3/core[2,5,7-8],gpu[4,6]"
    assert given(pool, 2, slot(1, 3, 1)) == "rank9/core[2,5,7],gpu4"


@pytest.mark.parametrize("resources, expected", [
    ([slot("1-99")], 32), ([slot("1-99", 3)], 24), ([slot("1+", 1, 1)], 8), ([vertex("node", "2-3", slot())], 3),
    ([vertex("node", 2, slot("1-5", 2))], 16), ([vertex("node", "1+", slot(9))], None),
    ([slot("1-64:2:*")], 32), ([slot("3,7,50")], 7), ([vertex("node", "1,3,9", slot(8))], 24)])
def test_a_range_takes_as_much_as_there_is(resources, expected):
    pool = TrestlePool(FOUR)
    if expected is None:
        with pytest.raises(InfeasibleRequest):
            pool.alloc(1, ask(pool, *resources))
    else:
        assert pool.alloc(1, ask(pool, *resources)).count("core") == expected


def test_whole_nodes():
    pool = TrestlePool(R(lite("0-1", "0-7", "0-1"), lite("2-3", "0-3")))
    assert given(pool, 1, vertex("node", 1, slot(2), exclusive=True)) == "rank2/core[0-3]", "the smallest"
    assert given(pool, 2, slot(1, 1, 1)) == "rank0/core0,gpu0"
    assert given(pool, 3, slot(1, 2, 1, exclusive=True)) == "rank1/core[0-7],gpu[0-1]"
    with pytest.raises(InsufficientResources, match="asked 2 whole nodes of 1 cores and 0 GPUs, 1 of 4 are free"):
        pool.alloc(4, ask(pool, vertex("node", 2, slot(), exclusive=True)))
    with pytest.raises(InfeasibleRequest, match="asked 1 whole nodes of 9 cores and 0 GPUs, 0 of 4"):
        pool.alloc(4, ask(pool, slot(1, 9, exclusive=True)))
    assert pool.alloc(4, ask(pool, vertex("node", "1-3", vertex("slot"), exclusive=True))).nnodes() == 1


def worlds():
    for seed in range(120):
        draw = random.Random(seed)
        pool = TrestlePool(R(*(lite(str(rank), f"0-{draw.randint(0, 4)}", draw.choice(["", "0", "0-1"]))
                               for rank in range(draw.randint(1, 4)))))
        for job in range(draw.randint(0, 4)):
            try:
                pool.alloc(job, ask(pool, slot(1, draw.randint(1, 2), draw.randint(0, 1))))
            except OSError:
                pass
        yield draw, pool


def room(pool, cores, gpus, is_whole=False):
    """How many slots each rank could take, one after the other."""
    used = {one: part for one, part in pool.copy_allocated()._resources.parts.items()}
    for rank, part in pool._resources.parts.items():
        taken = used.get(rank)
        free = [len(part.cores), len(part.gpus)]
        if taken is not None:
            free = [0, 0] if is_whole else [len(part.cores - taken.cores), len(part.gpus - taken.gpus)]
        yield min(free[0] // cores, free[1] // gpus if gpus else 99)


def test_a_request_is_satisfied_exactly_when_there_is_room():
    seen = set()
    for draw, pool in worlds():
        cores, gpus, slots, nodes = draw.randint(1, 3), draw.randint(0, 1), draw.randint(1, 6), draw.randint(0, 3)
        resources = [vertex("node", nodes, slot(slots, cores, gpus))] if nodes else [slot(slots, cores, gpus)]

        def fits(one):
            found = list(room(one, cores, gpus))
            return sum(n >= slots for n in found) >= nodes if nodes else sum(found) >= slots

        empty = TrestlePool(pool)
        expected = "given" if fits(pool) else "later" if fits(empty) else "never"
        seen.add(expected)
        before = pool.dumps(), pool.copy_allocated().dumps(), pool.job_end_times(), pool.generation
        try:
            got = pool.alloc(99, ask(pool, *resources))
            assert expected == "given"
            assert got.count("core") == cores * slots * max(1, nodes) and got.nnodes() >= nodes
            assert got.count("gpu") == gpus * slots * max(1, nodes)
        except InsufficientResources:
            assert expected == "later"
        except InfeasibleRequest:
            assert expected == "never"
        if expected != "given":
            assert before == (pool.dumps(), pool.copy_allocated().dumps(), pool.job_end_times(), pool.generation)
    assert seen == {"given", "later", "never"}


def test_what_is_given_comes_back():
    for draw, pool in worlds():
        start = pool.copy_allocated().dumps()
        jobs = []
        for job in range(100, 110):
            try:
                jobs.append((job, pool.alloc(job, ask(pool, slot(draw.randint(1, 3), draw.randint(1, 2))))))
            except OSError:
                pass
        for (_, one), (_, other) in itertools.combinations(jobs, 2):
            assert one.diff(other).count("core") == one.count("core"), "no core is given twice"
        draw.shuffle(jobs)
        for job, given in jobs:
            way = draw.randint(0, 2)
            if way == 1:
                for rank in given.ranks():
                    pool.free(job, given.copy_ranks(str(rank)).encode())
            pool.free(job, None if way != 2 else given.to_dict(), final=True)
        assert pool.copy_allocated().dumps() == start


def test_free_checks_what_comes_back():
    pool = TrestlePool(FOUR)
    mine = pool.alloc(1, ask(pool, vertex("node", 2, slot(2))))
    pool.alloc(2, ask(pool, vertex("node", 2, slot(2))))
    for wrong, final, message in [
            (R(lite("3", "0-1")), False, "free: job 1: rank3/core.*; expected a part of rank"),
            (R(lite("0", "7")), False, "expected a part of"), (mine.copy_ranks("0"), True, "expected all that is left")]:
        with pytest.raises(ValueError, match=message):
            pool.free(1, wrong, final)
    pool.free(1, mine.copy_ranks("0"))
    with pytest.raises(ValueError, match="expected a part of"):
        pool.free(1, mine.copy_ranks("0"))
    assert [job for job, _ in pool.job_end_times()] == [1, 2]
    pool.free(1, mine.copy_ranks("1"), final=True)
    pool.free(1)
    pool.free(77, R(lite("0", "0")), final=True)
    assert [job for job, _ in pool.job_end_times()] == [2]


def test_a_job_has_one_allocation():
    pool = TrestlePool(FOUR)
    given(pool, 1, slot())
    with pytest.raises(ValueError, match="alloc: job 1 has rank0/core0 already"):
        given(pool, 1, slot())


def test_what_runs_is_entered_after_a_restart():
    pool = TrestlePool(FOUR)
    pool.mark_down("1")
    pool.register_alloc(5, TrestlePool(R(lite("0-1", "0-3", "0"), expiration=99)))
    assert pool.job_end_times() == [(5, 99)]
    assert given(pool, 6, slot(1, 4, 1)) == "rank0/core[4-7],gpu1"
    for job, document, message in [
            (7, R(lite("9", "0")), "job 7: ranks 9; expected ranks of the pool"),
            (7, R(lite("2", "0-8")), "job 7: rank2/core.*: core8; expected one of 0-7"),
            (7, R(lite("2", "0", "2")), "gpu2; expected one of 0-1"), (7, R(lite("1", "3")), "job 7: rank1/core3: "),
            (5, R(lite("2", "0")), "job 5: entered already")]:
        with pytest.raises(ValueError, match=message):
            pool.register_alloc(job, document)
    pool.free(5, R(lite("0-1", "0-3", "0")), final=True)
    assert pool.copy_allocated().dumps() == "rank0/core[4-7],gpu1"


def test_ranks_that_are_down_take_no_jobs():
    pool = TrestlePool(FOUR)
    pool.mark_down("all")
    assert pool.copy_down().dumps() == pool.dumps()
    with pytest.raises(InsufficientResources):
        given(pool, 1, slot())
    pool.check_feasibility(ask(pool, slot()))
    pool.mark_up("2-3,77")
    assert given(pool, 1, vertex("node", "1+", slot())) == "rank[2-3]/core0"
    assert pool.copy_down().dumps() == "rank[0-1]/core[0-7],gpu[0-1]"
    pool.mark_down("3")
    with pytest.raises(InsufficientResources):
        given(pool, 2, vertex("node", 1, slot(), exclusive=True))
    pool.mark_up("all")
    assert given(pool, 2, vertex("node", 2, slot(), exclusive=True)) == "rank[0-1]/core[0-7],gpu[0-1]"
    with pytest.raises(ValueError, match="ranks: set"):
        pool.mark_down("x")


def test_ranks_leave_and_come():
    pool = TrestlePool(FOUR)
    mine = pool.alloc(1, ask(pool, vertex("node", 4, slot())))
    pool.remove_ranks("1-2")
    assert pool.dumps() == "rank[0,3]/core[0-7],gpu[0-1]" and pool.copy_allocated().dumps() == "rank[0,3]/core0"
    assert json.loads(pool.get_properties()) == {"fast": "0"}
    assert given(pool, 2, vertex("node", "1+", slot(7))) == "rank[0,3]/core[1-7]"
    pool.append(R(lite("4", "0-3")))
    assert given(pool, 3, slot(1, 4)) == "rank4/core[0-3]"
    pool.free(1, mine.copy_ranks("1,3"))
    pool.free(1, mine.copy_ranks("0,2"), final=True)
    assert given(pool, 4, slot(2)) == "rank[0,3]/core0"


def test_ends():
    pool = TrestlePool(FOUR)
    pool.alloc(1, pool.parse_resource_request({"resources": [slot()]}))
    assert pool.job_end_times() == [(1, 0)]
    pool.expiration = 5_000_000
    assert pool.get_expiration() == pool.expiration == 5_000_000
    pool.alloc(2, pool.parse_resource_request({"resources": [slot()]}))
    pool.update_expiration(1, 7)
    pool.update_expiration(99, 7)
    assert pool.job_end_times() == [(1, 7), (2, 5_000_000)]


def test_a_copy_has_a_life_of_its_own():
    seen = []
    pool = TrestlePool(FOUR, log=lambda level, message: seen.append(message))
    given(pool, 1, slot(4))
    other = pool.copy()
    other.free(1)
    other.mark_down("0-2")
    given(other, 2, slot(8))
    assert pool.job_end_times() == [(1, NOW + 60)] and not pool.copy_down().nnodes()
    assert [job for job, _ in other.job_end_times()] == [2]
    assert seen == ["alloc: 1: rank0/core[0-3]"], "a copy is for trying"
    assert other.impl is other and other.generation > pool.generation


def test_each_change_is_counted():
    pool = TrestlePool(FOUR)
    seen = [pool.generation]
    for change in [lambda: pool.mark_down("0"), lambda: pool.mark_up("0"), lambda: given(pool, 1, slot()),
                   lambda: pool.update_expiration(1, 5), lambda: pool.free(1), lambda: pool.remove_ranks("3"),
                   lambda: pool.register_alloc(2, R(lite("0", "0")))]:
        change()
        seen.append(pool.generation)
    assert seen == sorted(set(seen))


def test_sets():
    one, other = TrestlePool(R(lite("0-1", "0-3"))), R(lite("1", "2-5"), lite("2", "0"))
    assert one.union(other).dumps() == "rank0/core[0-3] rank1/core[0-5] rank2/core0"
    assert one.diff(other).dumps() == "rank0/core[0-3] rank1/core[0-1]"
    assert one.intersect(other).dumps() == "rank1/core[0-3]"
    assert one.diff(one).dumps() == "" and one.to_set().to_dict() == one.to_dict()
    assert (one.nnodes(), one.count("core"), one.count("gpu"), one.count("fpga")) == (2, 8, 0, 0)
    assert list(one.ranks()) == [0, 1] and one.nodelist() == ["rank0", "rank1"]


def test_options():
    seen = []
    TrestlePool(FOUR, log=lambda level, message: seen.append(message), policy="worst_fit", color="red")
    assert seen == ["option color: expected policy"]
    with pytest.raises(ValueError, match='policy: unknown policy at offset 0 \\("tight"\\): expected one of '):
        TrestlePool(FOUR, policy="tight")
    spread = TrestlePool(FOUR, policy="worst_fit")
    assert [given(spread, job, slot()) for job in (1, 2)] == ["rank0/core0", "rank1/core0"]
    assert pool_class is TrestlePool


# Which cores and GPUs lie together.

TOPO = {"socket": [{"numa": [{"cores": "0-3", "gpus": "0"}, {"cores": "4-7", "gpus": "1"}]},
                   {"numa": [{"cores": "8-11", "gpus": "2"}, {"cores": "12-15", "gpus": "3"}]}]}
TREE = R(lite("0-3", "0-15", "0-3"), scheduling={"writer": "trestle.flux", "children": [{"ranks": "0-3", "topo": TOPO}]})


def near(pool):
    """Of each GPU of an allocation, how many of the cores lie near it."""
    [part] = pool._resources.parts.values()
    return {gpu: len(part.cores & set(range(4 * gpu, 4 * gpu + 4))) for gpu in part.gpus}


def test_gpus_get_cores_near_them():
    pool = TrestlePool(TREE)
    assert [near(pool.alloc(job, ask(pool, slot(1, 2, 1)))) for job in range(4)] == [{0: 2}, {1: 2}, {2: 2}, {3: 2}]
    assert near(TrestlePool(TREE).alloc(1, ask(pool, slot(4, 3, 1)))) == {0: 3, 1: 3, 2: 3, 3: 3}


def test_an_allocation_has_its_part_of_the_tree():
    pool = TrestlePool(TREE)
    pool.mark_down("0-1")
    mine = pool.alloc(1, ask(pool, vertex("node", 2, slot(1, 2, 1))))
    assert mine.scheduling == {"writer": "trestle.flux", "children": [{"ranks": "2-3", "topo": TOPO}]}
    inside = json.loads(mine.encode().replace('"rank": "2-3"', '"rank": "0-1"'))
    inner = TrestlePool(inside)  # an instance inside of the job counts ranks from 0
    assert near(inner.alloc(1, ask(inner, slot(1, 1, 1)))) == {0: 1}


def test_names_of_levels_are_free():
    topo = {"drawer": [{"apu": [{"cores": "0-1", "gpus": "0"}]}, {"apu": [{"cores": "2-3", "gpus": "1"}]}]}
    pool = TrestlePool(R(lite("0", "0-3", "0-1"), scheduling={"children": [{"ranks": "0", "topo": topo}]}))
    pool.register_alloc(9, R(lite("0", "0", "0")))
    assert given(pool, 1, slot(1, 2, 1)) == "rank0/core[2-3],gpu1"


# Flux's own names, by stand-ins.

STAND_INS = {
    "flux/__init__.py": "", "flux/resource/__init__.py": "",
    "flux/resource/ResourcePoolImplementation.py": """
        from abc import ABC, abstractmethod
        class InsufficientResources(OSError): pass
        class InfeasibleRequest(OSError): pass
        NAMES = '''dumps nodelist ranks get_properties nnodes count copy copy_ranks union intersect diff append add
            remove_ranks get_expiration set_expiration get_starttime set_starttime mark_up mark_down copy_down
            register_alloc free update_expiration job_end_times parse_resource_request alloc check_feasibility
            copy_allocated to_set'''.split()
        def not_there(self, *arguments): raise NotImplementedError
        ResourcePoolImplementation = type(ABC)("ResourcePoolImplementation", (ABC,),
            {name: abstractmethod(lambda self: None) for name in NAMES})
    """,
    "flux/idset.py": "class IDset(str): pass", "flux/hostlist.py": "class Hostlist(str): pass"}
PROGRAM = """
    import urllib.parse, importlib
    from flux.resource import ResourcePoolImplementation as flux
    uri = urllib.parse.urlparse("trestle.flux:TrestlePool")
    cls = getattr(importlib.import_module(uri.scheme), uri.path)
    assert issubclass(cls, flux.ResourcePoolImplementation)
    pool = cls({"version": 1, "execution": {"R_lite": [{"rank": "0-1", "children": {"core": "0-1"}}]}}, log=None)
    assert pool.impl is pool and type(pool.ranks()).__name__ == "IDset" and type(pool.nodelist()).__name__ == "Hostlist"
    assert cls.InfeasibleRequest is flux.InfeasibleRequest
    slot = [{"type": "slot", "count": 1, "with": [{"type": "core", "count": 2}]}]
    request = pool.parse_resource_request({"resources": slot})
    pool.alloc(1, request), pool.alloc(2, request)
    try:
        pool.alloc(3, request)
    except flux.InsufficientResources as error:
        print(error)
"""


def test_it_is_a_pool_of_fluxs(tmp_path):
    for name, text in STAND_INS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(textwrap.dedent(text))
    done = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
                           + textwrap.dedent(PROGRAM)], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("insufficient resources: ")
