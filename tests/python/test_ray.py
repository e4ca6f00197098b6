# SPDX-License-Identifier: Apache-2.0
"""trestle.ray.Scheduler beside Ray's own: Ray's types in and out, and the same decisions."""

import copy
import inspect
import logging
import random

import pytest

pytest.importorskip("ray", reason="ray is not installed: pip install 'trestle[ray]'")
api = pytest.importorskip("ray.autoscaler.v2.scheduler")
from ray.autoscaler.v2.schema import AutoscalerInstance, IPPRGroupSpec, IPPRSpecs, IPPRStatus  # noqa: E402
from ray.autoscaler.v2.utils import ResourceRequestUtil as Requests  # noqa: E402
from ray.core.generated.autoscaler_pb2 import (  # noqa: E402
    BundleSelector, ClusterResourceConstraint, GangResourceRequest, NodeState)
from ray.core.generated.instance_manager_pb2 import (  # noqa: E402
    Instance, NodeKind, TerminationRequest)
from trestle.ray import Scheduler  # noqa: E402

Cause = TerminationRequest.Cause
AFFINITY = Requests.PlacementConstraintType.AFFINITY
ANTI_AFFINITY = Requests.PlacementConstraintType.ANTI_AFFINITY
IN, NOT_IN = 1, 2


def config(name="w", most=10, least=0, labels={}, **members):
    resources = {name: members.pop(name) for name in list(members) if name in ("CPU", "GPU", "memory", "x")}
    return api.NodeTypeConfig(name=name, min_worker_nodes=least, max_worker_nodes=most,
                              resources=resources, labels=labels, **members)


def instance(id, type="w", status=Instance.RAY_RUNNING, total=None, free=None, idle=0, head=False,
             labels={}, dynamic={}, hash=""):
    runs = status == Instance.RAY_RUNNING
    state = NodeState(ray_node_type_name=type, total_resources=total or {}, labels=labels,
                      available_resources=total if free is None else free, dynamic_labels=dynamic,
                      idle_duration_ms=idle) if runs and total is not None else None
    return AutoscalerInstance(
        cloud_instance_id=f"c{id}", ray_node=state,
        im_instance=Instance(instance_id=id, instance_type=type, status=status, launch_config_hash=hash,
                             cloud_instance_id=f"c{id}", node_id=f"r{id}" if runs else "",
                             node_kind=NodeKind.HEAD if head else NodeKind.WORKER))


def request(*configs, bundles=(), gangs=(), constraint=(), **members):
    members.setdefault("disable_launch_config_check", False)
    return api.SchedulingRequest(
        node_type_configs={one.name: one for one in configs},
        resource_requests=Requests.group_by_count([
            one if not isinstance(one, dict) else Requests.make(one) for one in bundles]),
        gang_resource_requests=list(gangs),
        cluster_resource_constraints=[ClusterResourceConstraint(resource_requests=Requests.group_by_count(
            [Requests.make(one) for one in constraint]))] if constraint else [], **members)


def launches(reply):
    return {one.instance_type: one.count for one in reply.to_launch}


def ends(reply):
    return {one.instance_id: Cause.Name(one.cause) for one in reply.to_terminate}


def test_it_is_a_scheduler_of_rays():
    assert isinstance(Scheduler(), api.IResourceScheduler)


def test_a_reply_to_bundles():
    reply = Scheduler().schedule(request(config(CPU=4), bundles=[{"CPU": 2}] * 5 + [{"CPU": 9}]))
    assert launches(reply) == {"w": 3} and reply.cluster_resources == {"CPU": 12}
    assert [dict(one.resources_bundle) for one in reply.infeasible_resource_requests] == [{"CPU": 9}]
    [launch] = reply.to_launch
    assert launch.id and launch.request_ts_ms > 1_600_000_000_000


def test_labels_of_running_nodes_and_of_types():
    east = Requests.make({"CPU": 1}, label_selectors=[[("zone", IN, ["east"])]])
    not_east = Requests.make({"CPU": 1}, label_selectors=[[("zone", NOT_IN, ["east"])]])
    unknown = Requests.make({"CPU": 1}, label_selectors=[[("zone", 0, ["east"])]])
    types = config("e", labels={"zone": "east"}, CPU=4), config(CPU=4)
    there = [instance("0", total={"CPU": 4}, labels={"zone": "east"}, head=True)]
    reply = Scheduler().schedule(request(*types, bundles=[east] * 6, current_instances=there))
    assert launches(reply) == {"e": 1}
    reply = Scheduler().schedule(request(*types, bundles=[not_east, unknown], current_instances=there))
    assert launches(reply) == {"w": 1}
    assert list(reply.infeasible_resource_requests) == [unknown]


def gang(*requests, **members):
    return GangResourceRequest(requests=list(requests), **members)


def test_strict_pack_is_one_node_and_strict_spread_many():
    pack = [Requests.make({"CPU": 2}, [(AFFINITY, "g", "1")])] * 2
    spread = [Requests.make({"CPU": 1}, [(ANTI_AFFINITY, "h", "1")])] * 3
    reply = Scheduler().schedule(request(config(CPU=4), gangs=[gang(*pack), gang(*spread)]))
    assert launches(reply) == {"w": 4}
    too_large = gang(*[Requests.make({"CPU": 3}, [(AFFINITY, "g", "1")])] * 2)
    reply = Scheduler().schedule(request(config(CPU=4), gangs=[too_large]))
    assert list(reply.infeasible_gang_resource_requests) == [too_large] and not launches(reply)


def test_a_spread_gang_avoids_nodes_that_have_its_label():
    there = [instance("0", total={"CPU": 4}, dynamic={"g": "1"}, head=True)]
    one = gang(Requests.make({"CPU": 1}, [(ANTI_AFFINITY, "g", "1")]))
    assert launches(Scheduler().schedule(request(config(CPU=4), gangs=[one], current_instances=there))) == {"w": 1}


def test_bundle_selectors_are_alternatives(caplog):
    first = BundleSelector(resource_requests=[Requests.make({"GPU": 1})])
    second = BundleSelector(resource_requests=[Requests.make({"CPU": 1})])
    reply = Scheduler().schedule(request(config(CPU=4), gangs=[gang(bundle_selectors=[first, second])]))
    assert launches(reply) == {"w": 1}
    local = BundleSelector(resource_requests=[Requests.make({"CPU": 1})])
    local.locality_requirement.SetInParent()
    reply = Scheduler().schedule(request(config(CPU=4), gangs=[gang(bundle_selectors=[local], details="pg")]))
    assert len(reply.infeasible_gang_resource_requests) == 1
    assert "gang pg: a bundle selector has a locality requirement" in caplog.text


def test_constraints():
    there = [instance("0", total={"CPU": 4}, free={"CPU": 0}, head=True)]
    reply = Scheduler().schedule(request(config(CPU=4), constraint=[{"CPU": 2}] * 4, current_instances=there))
    assert launches(reply) == {"w": 1} and not reply.infeasible_cluster_resource_constraints
    reply = Scheduler().schedule(request(config(CPU=4), constraint=[{"CPU": 5}], current_instances=there))
    assert len(reply.infeasible_cluster_resource_constraints) == 1


def test_terminations_say_why():
    there = [instance("head", total={"CPU": 1}, head=True), instance("old", "w", total={"CPU": 1}, hash="old"),
             instance("idle", "i", total={"CPU": 1}, idle=61_000),
             *(instance(f"x{at}", "x", total={"CPU": 1}) for at in range(3)),
             instance("gone", "gone", Instance.REQUESTED)]
    reply = Scheduler().schedule(request(
        config(CPU=1, launch_config_hash="new"), config("i", CPU=1), config("x", most=1, CPU=1),
        current_instances=there, idle_timeout_s=60))
    found = ends(reply)
    assert found.pop("old") == found.pop("gone") == "OUTDATED" and found.pop("idle") == "IDLE"
    assert list(found.values()) == ["MAX_NUM_NODE_PER_TYPE"] * 2
    by_cause = {Cause.Name(one.cause): one for one in reply.to_terminate}
    assert by_cause["IDLE"].idle_duration_ms == 61_000 and by_cause["IDLE"].ray_node_id == "ridle"
    assert by_cause["IDLE"].details == "idle for 61 s, more than 60 s"
    assert by_cause["MAX_NUM_NODE_PER_TYPE"].max_num_nodes_per_type == 1
    reply = Scheduler().schedule(request(config("x", CPU=1), current_instances=there[3:6], max_num_nodes=1))
    assert list(ends(reply).values()) == ["MAX_NUM_NODES"] * 2 and reply.to_terminate[0].max_num_nodes == 1


def test_instances_that_are_no_nodes():
    there = [AutoscalerInstance(ray_node=NodeState(total_resources={"CPU": 8}, available_resources={"CPU": 8})),
             instance("0", status=Instance.TERMINATING), instance("1", total=None)]
    reply = Scheduler().schedule(request(config(CPU=1), bundles=[{"CPU": 1}], current_instances=there))
    assert launches(reply) == {"w": 1} and not ends(reply)


def test_pending_nodes_end_after_their_own_time():
    now = [0.0]
    scheduler = Scheduler(clock=lambda: now[0])
    there = [instance("0", status=Instance.ALLOCATED), instance("1", status=Instance.QUEUED)]
    asked = request(config(CPU=1, least=1), current_instances=there, pending_idle_timeout_s=30)
    assert not ends(scheduler.schedule(asked))
    now[0] = 31
    [end] = scheduler.schedule(asked).to_terminate
    assert (end.instance_id, end.instance_status) == ("1", Instance.QUEUED)
    assert end.details == "not needed and not running yet for 31 s, more than 30 s"


def test_a_pod_is_resized_in_place():
    spec = IPPRGroupSpec(min_cpu=2, max_cpu=6, min_memory=1, max_memory=1, resize_timeout=60)

    def status():
        return IPPRStatus(cloud_instance_id="c0", spec=spec, current_cpu=2, current_memory=1, desired_cpu=2,
                          desired_memory=1)

    def ask(pods, bundles):
        there = [instance("0", total={"CPU": 2, "memory": 1}, free={"CPU": 0, "memory": 1})]
        return Scheduler().schedule(request(
            config(CPU=2, memory=1), bundles=[{"CPU": 2}] * bundles, current_instances=there,
            ippr_specs=IPPRSpecs(groups={"w": spec}), ippr_statuses=pods))

    reply = ask({"c0": status()}, 2)
    assert not launches(reply) and [one.desired_cpu for one in reply.to_ippr] == [6]
    assert reply.to_ippr[0].raylet_id == "r0" and reply.cluster_resources["CPU"] == 6
    assert launches(ask({"c0": status()}, 5)) == {"w": 1}, "which may grow to 6, too"
    assert not ask({"c0": status()}, 0).to_ippr
    failed = status()
    failed.record_failure("no room")
    assert launches(ask({"c0": failed}, 2)) == {"w": 1}


class Events:
    def __init__(self, fails=False):
        self.seen, self.fails = [], fails

    def log_cluster_scheduling_update(self, **what):
        self.seen.append(what)
        if self.fails:
            raise OSError("disk full")


def test_events_are_written(caplog):
    events = Events()
    Scheduler(events).schedule(request(config(CPU=1), bundles=[{"CPU": 1}]))
    assert events.seen[0]["launch_requests"][0].count == 1 and events.seen[0]["cluster_resources"] == {"CPU": 1}
    assert launches(Scheduler(Events(fails=True)).schedule(request(config(CPU=1, least=1)))) == {"w": 1}
    assert "the event log was not written" in caplog.text


@pytest.mark.parametrize("amount", [-1, 1e13, float("nan")])
def test_amounts_that_are_none(amount):
    with pytest.raises(ValueError, match="resource bundle: CPU .*; expected 0 or more, below 1e\\+13"):
        Scheduler().schedule(request(config(CPU=1), bundles=[{"CPU": amount}]))


# What docs/guides/ray.md shows.

def test_a_question_without_a_cluster(capsys):
    from ray.autoscaler.v2.instance_manager.config import NodeTypeConfig
    from ray.autoscaler.v2.scheduler import SchedulingRequest
    from ray.autoscaler.v2.utils import ResourceRequestUtil as Requests
    from trestle.ray import Scheduler

    worker = NodeTypeConfig("worker", min_worker_nodes=0, max_worker_nodes=100,
                            resources={"CPU": 64, "GPU": 8})
    bundles = [Requests.make({"CPU": 6, "GPU": 1})] * 80 + [Requests.make({"CPU": 4})] * 40
    reply = Scheduler().schedule(SchedulingRequest(
        disable_launch_config_check=False, node_type_configs={"worker": worker},
        resource_requests=Requests.group_by_count(bundles)))
    print({one.instance_type: one.count for one in reply.to_launch})
    assert capsys.readouterr().out == "{'worker': 10}\n"


def test_the_autoscaler_makes_the_scheduler_by_this_name(monkeypatch):
    monkeypatch.setattr("ray.autoscaler.v2.autoscaler.ResourceDemandScheduler", api.ResourceDemandScheduler)
    import ray.autoscaler.v2.autoscaler as autoscaler
    from trestle.ray import Scheduler

    autoscaler.ResourceDemandScheduler = Scheduler
    assert "ResourceDemandScheduler(self._event_logger)" in inspect.getsource(autoscaler.Autoscaler)


# Beside Ray's own.

def world(draw):
    """A small cluster in any state. Types that are gone are left to other tests: Ray fails at some."""
    types = {}
    for at in range(draw.randint(1, 3)):
        least = draw.choice([0, 0, 0, 1, 2])
        name = f"t{at}"
        types[name] = config(name, least + draw.choice([0, 1, 3, 10]), least, draw.choice([{}, {"z": "a"}, {"z": "b"}]),
                             idle_timeout_s=draw.choice([None, None, 5]), priority=draw.choice([0, 0, 1]),
                             CPU=draw.choice([1, 2, 4, 8]), **draw.choice([{}, {"GPU": draw.choice([1, 2])}, {"x": 2}]))
    there = []
    for at in range(draw.randint(0, 5)):
        name = draw.choice(list(types))
        status = draw.choice([Instance.RAY_RUNNING] * 4 + [Instance.QUEUED, Instance.REQUESTED, Instance.ALLOCATED,
                                                           Instance.RAY_STOPPING])
        total = dict(types[name].resources)
        free = {one: draw.choice([0, amount, amount / 2, amount]) for one, amount in total.items()}
        there.append(instance(str(at), name, status, total, free, draw.choice([0, 0, 3000, 20_000]) * (free == total),
                              at == 0 and status == Instance.RAY_RUNNING, dict(types[name].labels)))

    def amounts():
        return {"CPU": draw.choice([0.5, 1, 1, 2, 4, 9]), **draw.choice([{}, {}, {"GPU": draw.choice([0.5, 1])}, {"x": 1}])}

    def selectors():
        return draw.choice([None, None, None, [[("z", IN, ["a"])]], [[("z", NOT_IN, ["a"])]],
                            [[("z", IN, ["b"])], [("z", IN, ["a"])]]])

    bundles = [Requests.make(amounts(), label_selectors=selectors()) for _ in range(draw.randint(0, 6))]
    gangs = []
    for at in range(draw.choice([0, 0, 1, 2])):
        mark = draw.choice([None, (AFFINITY, f"g{at}", "1"), (ANTI_AFFINITY, f"g{at}", "1")])
        gangs.append(gang(*(Requests.make(amounts(), [mark] if mark else None) for _ in range(draw.randint(1, 3)))))
    constraint = [amounts() for _ in range(draw.choice([0, 0, 0, 2, 4]))]
    return request(*types.values(), bundles=bundles, gangs=gangs, constraint=constraint, current_instances=there,
                   max_num_nodes=draw.choice([None, None, 3, 6]), idle_timeout_s=draw.choice([None, 5]))


def summary(reply):
    return (launches(reply), ends(reply), len(reply.infeasible_resource_requests),
            len(reply.infeasible_gang_resource_requests), len(reply.infeasible_cluster_resource_constraints))


def test_small_worlds_are_decided_as_ray_does():
    """They may differ where bundles can share nodes in several ways. Where Ray ends nodes for their
    number or configuration it still gives them bundles: only the ends are compared then."""
    logging.getLogger("ray.autoscaler.v2.scheduler").setLevel(logging.ERROR)
    equal = compared = 0
    for seed in range(600):
        asked = world(random.Random(seed))
        theirs = api.ResourceDemandScheduler().schedule(copy.deepcopy(asked))
        ours = Scheduler().schedule(asked)
        forced = sorted(cause for one, cause in ends(theirs).items() if cause != "IDLE" and one)
        assert forced == sorted(cause for cause in ends(ours).values() if cause != "IDLE"), seed
        if not forced and not any(one.instance_id == "" for one in theirs.to_terminate):
            compared += 1
            equal += summary(ours) == summary(theirs)
    assert compared > 350 and equal >= 0.97 * compared


def test_many_bundles_need_fewer_nodes_than_in_ray():
    over = []
    for seed in range(3):
        draw = random.Random(seed)
        room = {"CPU": 64, "memory": 256, "GPU": 8}
        kinds = [{"CPU": draw.choice([1, 2, 3, 6]), "memory": draw.choice([2, 8, 24]), "GPU": draw.choice([0, 1])}
                 for _ in range(8)]
        asked = request(config(most=10_000, **room), bundles=[one for one in kinds for _ in range(125)])
        theirs, ours = (launches(one.schedule(asked))["w"] for one in (api.ResourceDemandScheduler(), Scheduler()))
        over.append(theirs - ours)
    assert min(over) >= 0
