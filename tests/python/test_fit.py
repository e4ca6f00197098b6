# SPDX-License-Identifier: Apache-2.0
"""One node from Python: health, instances, nearness, rows, explanations, the cache."""

import pytest
import trestle
from hypothesis import given
from hypothesis import strategies as st
from trestle import (DeviceRequest, FitOptions, HardwareLevel, Health, Strictness, NodePart, Range,
                     Request, testing)

SEEDS = st.integers(0, 2**64 - 1)
HGX = testing.node_from_text("2s16c2t mem=512G gpu:h100-80G:8@nvlink nic:4").shape


def changed(shape, changes):
    """The shape with fields of some of its devices changed, by device."""
    return shape.replace(devices=[device.replace(**changes.get(i, {}))
                                  for i, device in enumerate(shape.devices)])


def demand(*devices, **fields):
    return trestle.demand_of(Request(devices=devices, **fields), NodePart(), 2)


def ask(shape, wanted, options=FitOptions()):
    return trestle.fit(shape, trestle.NodeLedger(shape), wanted, options)


def test_a_failed_gpu_leaves_seven_and_eight_are_refused_by_name():
    shape = changed(HGX, {3: {"health": Health.failure}})
    seven = ask(shape, demand(DeviceRequest(count=7)))
    assert list(seven.device_set()) == [0, 1, 2, 4, 5, 6, 7]
    refusal = ask(shape, demand(DeviceRequest(count=8)))
    assert not refusal and refusal.constraint == trestle.Constraint.devices
    assert "asked 8 gpu" in refusal.reason and "gpu 3" in refusal.reason


def test_containers_ask_for_thousandths_of_cpus_and_shares_of_gpus():
    shape = testing.node_from_text("4c mem=8G gpu:2/1000").shape
    wanted = demand(DeviceRequest(count=1, shares=500), cpus_per_task=0, milli_cpus=1500)
    assert wanted.all_milli_cpus() == 1500
    ledger = trestle.NodeLedger(shape)
    for owner, left in ((1, 2500), (2, 1000)):
        placement = trestle.fit(shape, ledger, wanted)
        assert placement.milli_cpus == 1500 and not placement.cores
        assert list(placement.device_set()) == [0]
        ledger.take(placement, owner)
        assert ledger.free_milli_cpus() == left
    refusal = trestle.fit(shape, ledger, wanted)
    assert not refusal and "1000 are free" in refusal.reason
    with pytest.raises(trestle.Error, match="1000 thousandths of CPUs would be left"):
        ledger.take(trestle.NodePlacement(cores=trestle.CoreSet("0-2")), 3)


def test_of_eight_blocks_seven_can_be_had():
    shape = changed(HGX.replace(devices=HGX.devices[:8]), {3: {"health": Health.failure}})
    usable = [trestle.is_usable(shape, block) for block in trestle.split(shape, 8).blocks]
    assert [i for i, is_usable in enumerate(usable) if not is_usable] == [3]
    assert trestle.capacity_of(shape).of(trestle.Tres("gres", "gpu")) == 7
    with pytest.raises(trestle.ContractViolation, match="the node has what is placed on it"):
        trestle.tres_of(shape, trestle.NodePlacement(devices=[trestle.DeviceShare(8)]))


@pytest.mark.parametrize("use, count, devices, why", [
    (trestle.WarningUse.last, 2, [1, 2], "healthy ones first"),
    (trestle.WarningUse.last, 8, [0, 1, 2, 3, 4, 5, 6, 7], "then the others"),
    (trestle.WarningUse.alike, 2, [0, 1], "no difference"),
    (trestle.WarningUse.never, 8, None, "too few"),
])
def test_devices_with_a_warning_are_used_as_the_site_says(use, count, devices, why):
    shape = changed(HGX, {0: {"health": Health.warning}})
    answer = ask(shape, demand(DeviceRequest(count=count)), FitOptions(warning=use))
    assert (list(answer.device_set()) if answer else None) == devices, why


def sliceable(shape):
    """The shape with every H100 in instances where that is asked."""
    slicing = trestle.Slicing(trestle.find_slice_geometry("h100-80gb"))
    return changed(shape, {i: {"slicing": slicing} for i, device in enumerate(shape.devices)
                           if trestle.slice_geometry_for(device)})


def test_instances_lie_where_the_largest_further_ones_stay_possible():
    shape = sliceable(HGX)
    ledger = trestle.NodeLedger(shape)
    for owner, profile in enumerate(["1g.10gb", "3g.40gb", "3g.40gb"], 1):
        answer = trestle.fit(shape, ledger, demand(DeviceRequest(slice=profile)))
        ledger.take(answer, owner)
    assert [(held.start, held.profile) for held in ledger.held_slices(0)] == [
        (0, "3g.40gb"), (6, "1g.10gb")]
    assert [held.start for held in ledger.held_slices(1)] == [4]
    assert ledger.free_shares(0) == 0 and ledger.free_shares(2) == 1
    whole = trestle.fit(shape, ledger, demand(DeviceRequest(count=6)))
    assert list(whole.device_set()) == [2, 3, 4, 5, 6, 7]
    assert not trestle.fit(shape, ledger, demand(DeviceRequest(count=7)))


def test_an_answer_says_which_instances_to_make():
    slicing = trestle.Slicing(trestle.find_slice_geometry("a100-40gb"),
                              [trestle.SliceInstance(0, 4, "3g.20gb")])
    taken = [trestle.SliceInstance(0, 4, "3g.20gb"), trestle.SliceInstance(4, 2, "2g.10gb")]
    todo = trestle.slice_changes(slicing, [], taken)
    assert todo == trestle.SliceChanges(create=[taken[1]])
    assert set(trestle.geometry_after(slicing, [], taken)) == set(taken)
    with pytest.raises(trestle.ContractViolation, match="lie on the device"):
        trestle.instances_possible(slicing, [trestle.SliceInstance(64, 1, "1g.5gb")], "1g.5gb")


@pytest.mark.parametrize("name", [geometry.name for geometry in trestle.slice_geometries()])
def test_law_an_idle_device_has_as_many_instances_as_its_profiles_say(name):
    geometry = trestle.find_slice_geometry(name)
    slicing = trestle.Slicing(geometry)
    trestle.check(slicing)
    for profile in geometry.profiles:
        count = trestle.instances_possible(slicing, [], profile.name)
        assert 1 <= count <= profile.instances_max
        assert geometry.find(profile.name) == profile


def test_a_nic_comes_from_below_the_switch_of_the_gpu():
    pairs = {gpu: {"switches": [gpu // 2]} for gpu in range(8)}
    shape = changed(HGX, {**pairs, **{8 + nic: {"switches": [nic]} for nic in range(4)}})
    shape = changed(shape, {8: {"is_drained": True}})
    nic = DeviceRequest("nic", device_locality=Strictness.require)
    answer = ask(shape, demand(DeviceRequest(), nic))
    assert list(answer.device_set()) == [2, 9]
    shape = changed(shape, {9: {"is_drained": True}, 10: {"is_drained": True},
                            11: {"is_drained": True}})
    refusal = ask(shape, demand(DeviceRequest(), nic))
    assert not refusal and "nic" in refusal.reason


def test_devices_have_a_value_in_common():
    racks = {gpu: {"attributes": [trestle.Attribute("rack", "ab"[gpu % 2])]} for gpu in range(8)}
    shape = changed(HGX, racks).replace(links=[])
    rows = [
        # common, GPUs, in use, expected
        ([], 3, [0, 1], [2, 3, 4]),
        ([trestle.CommonAttribute("numa")], 3, [0, 1], [4, 5, 6]),
        ([trestle.CommonAttribute("numa", devices=["nic"])], 3, [0, 1], [2, 3, 4]),
        ([trestle.CommonAttribute("rack")], 3, [0], [1, 3, 5]),
        ([trestle.CommonAttribute("rack"), trestle.CommonAttribute("numa")], 2, [0], [1, 3]),
    ]
    for common, gpus, used, expected in rows:
        wanted = demand(DeviceRequest(count=gpus, locality=Strictness.ignore),
                        DeviceRequest("nic", count=0), common_attributes=common)
        busy = changed(shape, {gpu: {"is_drained": True} for gpu in used})
        assert list(ask(busy, wanted).device_set()) == expected, common
    common = [trestle.CommonAttribute("numa")]
    refusal = ask(HGX, demand(DeviceRequest(count=5), common_attributes=common))
    assert refusal.reason == "asked 5 gpu of one numa, at most 4 gpu free of one (numa 0)"
    with pytest.raises(ValueError, match="common_attributes: numa: fpga"):
        trestle.check(Request(devices=[DeviceRequest()],
                              common_attributes=[trestle.CommonAttribute("numa", ["fpga"])]))


def test_alternatives_are_tried_in_their_order():
    cluster = trestle.Cluster.from_text("1 x (8c mem=8G gpu:l40:1 gpu:a100:1)")
    wanted = [DeviceRequest(types=[kind]) for kind in ("h100", "a100", "l40")]
    request = Request(devices=wanted[:1], device_alternatives=[[one] for one in wanted[1:]])
    assert list(trestle.place(cluster, request).nodes[0].device_set()) == [1]


def test_owners_in_other_rows_share_cores():
    shape = testing.node_from_text("2c mem=4G").shape
    ledger, wanted = trestle.NodeLedger(shape), demand(cpus_per_task=2)
    for owner in (1, 2):
        answer = trestle.fit(shape, ledger, wanted, FitOptions(rows=2))
        assert answer.row == owner - 1
        ledger.take(answer, owner)
    assert not trestle.fit(shape, ledger, wanted, FitOptions(rows=2))
    assert not ledger.free_cores() and not ledger.free_cores(1) and len(ledger.free_cores(2)) == 2
    assert ledger.holdings()[1].rows == (trestle.RowCores(1, trestle.CoreSet("0-1")),)
    assert ledger.holdings()[1].all_cores() == ledger.holdings()[1].cores_in(1)
    ledger.give_back(answer, 2)
    assert len(ledger.free_cores(1)) == 2 and not ledger.is_idle()


def test_threads_may_be_what_is_handed_out():
    shape = testing.node_from_text("2c2t mem=4G").shape
    threads = trestle.with_granularity(shape, HardwareLevel.thread)
    assert threads.hardware.core_count() == 4 and threads.socket_count() == 1
    answer = ask(threads, demand(cpus_per_task=3, core_level=HardwareLevel.core))
    assert answer.cores == trestle.CoreSet("0-2")
    assert len(trestle.threads_of(threads, answer)) == 3


def test_tasks_are_dealt_to_packages():
    spread = trestle.TaskDistribution(sockets=trestle.Distribution.cyclic)
    answer = ask(HGX, demand(tasks=4, cpus_per_task=2, distribution=spread))
    assert answer.cores == trestle.CoreSet("0-1,16-17")
    with pytest.raises(ValueError, match="planes of 0 tasks"):
        trestle.check(Request(distribution=spread.replace(plane_size=0)))


def test_tasks_are_dealt_to_numa_domains_and_kept_in_one():
    shape = testing.node_from_text("2s4c numa=2 mem=64G").shape
    numa = HardwareLevel.numa
    cyclic = trestle.TaskDistribution(sockets=trestle.Distribution.cyclic, level=numa)
    assert ask(shape, demand(tasks=4, distribution=cyclic)).cores == trestle.CoreSet("0,2,4,6")
    fcyclic = cyclic.replace(sockets=trestle.Distribution.fcyclic)
    assert ask(shape, demand(cpus_per_task=4, distribution=fcyclic)).cores == trestle.CoreSet("0,2,4,6")
    inside = demand(cpus_per_task=2, distribution=fcyclic, task_level=HardwareLevel.package)
    assert ask(shape, inside).cores == trestle.CoreSet("0,2")
    ledger = trestle.NodeLedger(shape)
    ledger.take(trestle.NodePlacement(cores=trestle.CoreSet("1")), 7)
    answer = trestle.fit(shape, ledger, demand(tasks=2, cpus_per_task=2, task_level=numa))
    assert answer.cores == trestle.CoreSet("2-5")
    refusal = ask(shape, demand(cpus_per_task=3, task_level=numa))
    assert not refusal and refusal.constraint == trestle.Constraint.locality
    assert "the most that a numa has free is 2 CPUs" in refusal.reason
    with pytest.raises(ValueError, match="task_level: level core, expected package"):
        trestle.check(Request(task_level=HardwareLevel.core))


def test_a_no_is_explained_and_the_nearest_yes_is_named():
    shape = changed(HGX, {3: {"health": Health.failure}})
    ledger, wanted = trestle.NodeLedger(shape), demand(DeviceRequest(count=8))
    said = trestle.explain_fit(shape, ledger, wanted)
    assert not said.fits and said.why == trestle.fit(shape, ledger, wanted)
    assert any("gpu 3" in step.reason and (step.before, step.left) == (8, 7)
               for step in said.removed)
    assert said.alone.constraint == trestle.Constraint.devices
    for relaxation in said.relaxations:
        mended = changed(shape, {i: {"health": Health.healthy} for i in relaxation.repaired})
        again = trestle.fit(mended, ledger, relaxation.demand, relaxation.options)
        assert again == relaxation.placement
    assert {trestle.ChangeKind.amount, trestle.ChangeKind.repair} <= {
        relaxation.kind for relaxation in said.relaxations}
    assert trestle.FitExplanation.from_json(said.to_json()) == said
    assert str(said).splitlines()[0] == f"does not fit, {said.why}"


@given(SEEDS, st.lists(SEEDS, max_size=5))
def test_law_a_cache_answers_as_fit_does(node_seed, request_seeds):
    shape = testing.any_node(node_seed).shape
    ledger = trestle.NodeLedger(shape)
    for owner, seed in enumerate(request_seeds, 1):
        wanted = trestle.demand_of(testing.any_request(seed), NodePart(), 2)
        cache = trestle.FitCache(shape, wanted)
        answer = trestle.fit(shape, ledger, wanted)
        assert cache.fit(ledger.free()) == answer == cache.fit(ledger.free())
        assert len(cache) == cache.size() <= 1  # plain demands are worked out again
        assert cache.shape() == shape and cache.demand() == wanted
        assert trestle.FreeState.from_json(ledger.free().to_json()) == ledger.free()
        assert trestle.NodeDemand.from_json(wanted.to_json()) == wanted
        assert trestle.explain_fit(shape, ledger, wanted).fits == bool(answer)
        if answer:
            ledger.take(answer, owner)


def test_what_is_free_of_another_shape_is_refused():
    cache = trestle.FitCache(HGX, demand())
    for state in (trestle.FreeState(), trestle.NodeLedger(HGX).free().replace(
            cores=trestle.CoreSet("40"))):
        with pytest.raises(trestle.ContractViolation, match="belongs to the shape"):
            cache.fit(state)
    small = testing.node_from_text("1c").shape
    with pytest.raises(trestle.ContractViolation, match="belongs to the shape"):
        trestle.fit(HGX, trestle.NodeLedger(small), demand())


def test_placements_print_in_a_line():
    shape = sliceable(HGX)
    answer = ask(shape, demand(DeviceRequest(slice="1g.10gb"), memory=trestle.gib(1)))
    assert str(answer) == "node 0: cores=0 memory=0:1GiB devices=0[1g.10gb@6]"
    assert str(trestle.Placement([answer, answer.replace(node=1, devices=[])])) == (
        f"{answer}; node 1: cores=0 memory=0:1GiB")


def test_cores_of_unlike_thread_counts_count_what_they_have():
    shape = trestle.node("6c2t+8e mem=32G").shape
    assert list(shape.hardware.cores_of_kind(trestle.CoreKind.efficiency)) == list(range(6, 14))
    for cpus in (1, 7, 12, 18, 20):
        answer = ask(shape, demand(cpus_per_task=cpus))
        assert len(trestle.threads_of(shape, answer)) == cpus
    assert ask(shape, demand(cpus_per_task=12)).cores == trestle.CoreSet("0-5")


def test_a_request_names_the_kind_of_core():
    shape = trestle.node("6c2t+8e mem=32G").shape
    fast = trestle.CoreKind.performance
    assert ask(shape, demand(cpus_per_task=1, core_kind=fast)).cores == trestle.CoreSet("0")
    assert ask(shape, demand(cpus_per_task=13, preferred_core_kind=fast)).cores == trestle.CoreSet("0-6")
    refusal = ask(shape, demand(cpus_per_task=13, core_kind="performance"))
    assert not refusal and "7 cores of kind performance, 6 of 6 are free" in refusal.reason
    request = trestle.request("-c 8 --core-kind=efficiency")
    assert request == Request(cpus_per_task=Range(8, 8), core_kind="efficiency")
    cluster = trestle.Cluster.from_text("1 x (8c2t) + 1 x (6c2t+8e)")
    placement = trestle.place(cluster, request)
    assert [(part.node, part.cores) for part in placement.nodes] == [(1, trestle.CoreSet("6-13"))]
    assert trestle.request("--preferred-core-kind=efficiency").preferred_core_kind == trestle.CoreKind.efficiency
