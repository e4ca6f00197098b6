# SPDX-License-Identifier: Apache-2.0
"""A scheduler for Ray's autoscaler v2: which nodes a Ray cluster launches and ends.

    from trestle.ray import Scheduler
    reply = Scheduler().schedule(request)    # a SchedulingRequest of ray.autoscaler.v2.scheduler

Scheduler is an IResourceScheduler with the steps and the reply of Ray's own ResourceDemandScheduler.
It differs in which bundles share a node: place() chooses among the nodes that are there. A search
fills the nodes to be launched, so it launches fewer. What the interface leaves open is decided
here:

- Amounts count in ten-thousandths, as in Ray's own accounts.
- An instance that is to end takes no bundles. It counts below max_num_nodes until it is gone.
- Of a gang's bundle_selectors the first that can be placed is. One with a locality requirement never
  can: that is not supported, and a warning says so.
- A label selector with an unknown operator selects no node, as in Ray.
- Several cluster resource constraints are held one after the other, each as a whole.
- A node type that is missing from the configuration has no limits.

Needs ray, in the extra [ray]; docs/guides/ray.md names the versions that were tried.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from trestle import _optional

from ._bundles._demand import (AMOUNT_MAX, Cause, Demand, LabelTest, Node, NodeType, Resize,
                               Source, Stage, launched, total_of)
from ._bundles._plan import Answer, Gang, Planner, Question

__all__ = ["Scheduler"]

_api = _optional.load("ray.autoscaler.v2.scheduler", "ray")
_manager = _optional.load("ray.core.generated.instance_manager_pb2", "ray")
_common = _optional.load("ray.core.generated.common_pb2", "ray")
_utils = _optional.load("ray.autoscaler.v2.utils", "ray")
_constants = _optional.load("ray.autoscaler._private.constants", "ray")
_Base: Any = _api.IResourceScheduler
_IMPLICIT: str = _optional.load("ray._raylet", "ray").IMPLICIT_RESOURCE_PREFIX
_log = logging.getLogger(__name__)

_STAGES = {_manager.Instance.QUEUED: Stage.queued, _manager.Instance.ALLOCATED: Stage.allocated,
           _manager.Instance.RAY_INSTALLING: Stage.installing}
_CAUSES = {Cause.outdated: "OUTDATED", Cause.type_max: "MAX_NUM_NODE_PER_TYPE",
           Cause.cluster_max: "MAX_NUM_NODES", Cause.idle: "IDLE"}


class Scheduler(_Base):  # type: ignore[misc]  # ray need not be there
    """Answers Ray's autoscaler. One object serves one cluster: it remembers since when instances that
    do not run yet are not needed.
    """

    def __init__(self, event_logger: Any = None, clock: Callable[[], float] = time.monotonic) -> None:
        """`event_logger` is None or Ray's AutoscalerEventLogger; `clock` gives seconds."""
        self._event_logger = event_logger
        self._planner = Planner(clock)

    def schedule(self, request: Any) -> Any:
        """The SchedulingReply to a SchedulingRequest. Errors: ValueError for an amount that is
        negative or above 1e13."""
        answer = self._planner.answer(_question(request))
        reply = _reply(request, answer)
        if self._event_logger is not None:
            self._write_event(reply)
        return reply

    def _write_event(self, reply: Any) -> None:
        try:
            self._event_logger.log_cluster_scheduling_update(
                launch_requests=reply.to_launch, terminate_requests=reply.to_terminate,
                infeasible_requests=reply.infeasible_resource_requests,
                infeasible_gang_requests=reply.infeasible_gang_resource_requests,
                infeasible_cluster_resource_constraints=reply.infeasible_cluster_resource_constraints,
                cluster_resources=reply.cluster_resources)
        except Exception:  # a log that cannot be written stops no cluster
            _log.exception("the event log was not written")


def _question(request: Any) -> Question:
    types = {name: NodeType(name, dict(config.resources), config.min_worker_nodes,
                            config.max_worker_nodes, dict(config.labels), config.priority,
                            config.idle_timeout_s, config.launch_config_hash,
                            request.recoverable_resource_availabilities.get(name, 1.0),
                            request.cloud_resource_availabilities.get(name, 1.0))
             for name, config in request.node_type_configs.items()}
    groups = request.ippr_specs.groups if request.ippr_specs else {}

    def largest(kind: NodeType) -> Mapping[str, float]:
        return _grown(kind.amounts, groups.get(kind.name))

    nodes = [node for node in (_node(instance, types, request) for instance in request.current_instances)
             if node is not None]
    return Question(
        types=types, nodes=nodes,
        demands=_demands(request.resource_requests),
        gangs=[Gang(_alternatives(gang), gang) for gang in request.gang_resource_requests],
        constraints=[Gang([_demands(constraint.resource_requests)], constraint)
                     for constraint in request.cluster_resource_constraints],
        nodes_max=request.max_num_nodes, idle_max=request.idle_timeout_s,
        pending_idle_max=request.pending_idle_timeout_s,
        checks_config=not request.disable_launch_config_check,
        spares_gpus=bool(_constants.AUTOSCALER_CONSERVE_GPU_NODES), largest=largest,
        missing=lambda name: 1.0 if name.startswith(_IMPLICIT) else 0.0)


def _node(instance: Any, types: Mapping[str, NodeType], request: Any) -> Node | None:
    """None: the instance does not run Ray and will not, or its state is incomplete."""
    managed = instance.im_instance
    if managed is None or not _api.SchedulingNode.is_schedulable(instance):
        return None
    kind = types.get(managed.instance_type)
    is_head = managed.node_kind == _manager.NodeKind.HEAD
    if managed.status != _manager.Instance.RAY_RUNNING:
        if kind is None and request.disable_launch_config_check:
            return None
        node = launched(kind or NodeType(managed.instance_type, {}))
        node.stage = _STAGES.get(managed.status, Stage.other)
    elif instance.ray_node is None:
        _log.warning("instance %s: RAY_RUNNING without a Ray node; expected one. It is left out.",
                     managed.instance_id)
        return None
    else:
        running = instance.ray_node
        total = dict(running.total_resources)
        node = Node(managed.instance_type, total,
                    {Source.pending: dict(running.available_resources), Source.constraint: dict(total)},
                    {**running.labels, **running.dynamic_labels}, idle=running.idle_duration_ms / 1000)
    node.item, node.is_head, node.config_hash = managed, is_head, managed.launch_config_hash
    status = request.ippr_statuses.get(instance.cloud_instance_id)
    if status is not None and request.ippr_specs and managed.instance_type in request.ippr_specs.groups:
        if node.stage is None and managed.node_id:
            status.raylet_id = managed.node_id
        node.resize = _PodResize(status)
    return node


class _PodResize(Resize):
    """Ray's IPPRStatus: a pod that is resized in place."""

    def __init__(self, status: Any) -> None:
        self.status = status

    def current(self) -> Mapping[str, float]:
        status = self.status
        if not status.is_in_progress():
            return {}
        return {"CPU": status.desired_cpu, "memory": status.desired_memory}

    def most(self) -> Mapping[str, float]:
        status = self.status
        return {"CPU": status.max_cpu(), "memory": status.max_memory()} if status.can_resize_up() else {}

    def grow(self) -> None:
        self.status.queue_resize_request(desired_cpu=self.status.max_cpu(),
                                         desired_memory=self.status.max_memory())


def _grown(amounts: Mapping[str, float], group: Any) -> Mapping[str, float]:
    """What a node has once it is as large as its group allows."""
    if group is None:
        return amounts
    return {**amounts, "CPU": float(max(group.max_cpu, amounts.get("CPU", 0))),
            "memory": float(max(group.max_memory, amounts.get("memory", 0)))}


def _demands(counted: Iterable[Any]) -> list[Demand]:
    """Of ResourceRequestByCount."""
    return [_demand(one.request, one.count) for one in counted if one.count > 0]


def _demand(request: Any, count: int) -> Demand:
    amounts = dict(request.resources_bundle)
    for name, amount in amounts.items():
        if not 0 <= amount < AMOUNT_MAX:
            raise ValueError(f"resource bundle: {name} {amount}; expected 0 or more, below {AMOUNT_MAX:g}")
    apart = [constraint.anti_affinity for constraint in request.placement_constraints
             if constraint.HasField("anti_affinity")]
    return Demand(amounts, count, tuple(_selector(one) for one in request.label_selectors),
                  frozenset((one.label_name, one.label_value) for one in apart), request)


def _selector(selector: Any) -> tuple[LabelTest, ...]:
    wanted = {_common.LabelSelectorOperator.LABEL_OPERATOR_IN: True,
              _common.LabelSelectorOperator.LABEL_OPERATOR_NOT_IN: False}
    return tuple(LabelTest(one.label_key, frozenset(one.label_values), wanted[one.operator])
                 if one.operator in wanted else LabelTest(one.label_key, frozenset(), True)
                 for one in selector.label_constraints)


def _alternatives(gang: Any) -> list[list[Demand]]:
    """Bundles that lie on one node together are one demand; equal ones are counted."""
    found = []
    for bundles in list(gang.bundle_selectors) or [None]:
        if bundles is not None and bundles.HasField("locality_requirement"):
            _log.warning("gang %s: a bundle selector has a locality requirement, which is not"
                         " supported; expected none. It counts as infeasible.", gang.details)
            continue
        requests = gang.requests if bundles is None else bundles.resource_requests
        joined = _utils.ResourceRequestUtil.combine_requests_with_affinity(requests)
        found.append(_demands(_utils.ResourceRequestUtil.group_by_count(joined)))
    return found


def _reply(request: Any, answer: Answer) -> Any:
    to_launch: dict[str, int] = {}
    for node in answer.nodes:
        if not node.is_launched:
            to_launch[node.type] = to_launch.get(node.type, 0) + 1
    statuses = [node.resize.status for node in answer.nodes if isinstance(node.resize, _PodResize)]
    return _api.SchedulingReply(
        to_launch=[_manager.LaunchRequest(instance_type=name, count=count, id=str(uuid.uuid4()),
                                          request_ts_ms=time.time_ns() // 1_000_000)
                   for name, count in to_launch.items()],
        to_ippr=[status for status in statuses if status.has_resize_request_to_send()],
        to_terminate=[_termination(node, request) for node in answer.nodes if node.cause is not None],
        cluster_resources=total_of(answer.nodes),
        infeasible_resource_requests=[demand.item for demand, count in answer.demands
                                      for _ in range(count)],
        infeasible_gang_resource_requests=_items(answer.gangs),
        infeasible_cluster_resource_constraints=_items(answer.constraints))


def _items(gangs: Sequence[Gang]) -> list[Any]:
    return [gang.item for gang in gangs]


def _termination(node: Node, request: Any) -> Any:
    assert node.cause is not None
    managed = node.item
    made = _manager.TerminationRequest(
        id=str(uuid.uuid4()), instance_id=managed.instance_id, ray_node_id=managed.node_id,
        cause=_manager.TerminationRequest.Cause.Value(_CAUSES[node.cause]),
        instance_type=node.type, instance_status=managed.status)
    if node.cause is Cause.type_max:
        made.max_num_nodes_per_type = request.node_type_configs[node.type].max_worker_nodes
        made.details = f"more than {made.max_num_nodes_per_type} nodes of type {node.type}"
    elif node.cause is Cause.cluster_max:
        made.max_num_nodes = request.max_num_nodes
        made.details = f"more than {made.max_num_nodes} nodes"
    elif node.cause is Cause.idle:
        made.idle_duration_ms = int(node.idle * 1000)
        state = "idle" if node.stage is None else "not needed and not running yet"
        made.details = f"{state} for {node.idle:g} s, more than {node.idle_max:g} s"
    else:
        made.details = f"launched by another configuration of {node.type}"
    return made
