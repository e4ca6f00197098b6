# SPDX-License-Identifier: Apache-2.0
"""One node and clusters: what is allocated, and where a request fits.

    cluster = trestle.cluster.Cluster.from_text("8 x (2s16c2t gpu:a100:4)")
    placement = trestle.cluster.place(cluster, trestle.request("--gres=gpu:1"))

fit() decides on one node, place() on a cluster; explain_fit() and trestle.schedule.explain() say why
not. JobState has the steps of a job, Observer and NodeColumns the columns for learners.
All names are in `trestle` too, where pickles and reprs find them.
"""

from . import (  # noqa: F401
    AllocationChange, BindNumbers, BindRule, ChangeKind, Cluster, ClusterDiff, ClusterParts,
    Condition, Consequence, CountChange, DeviceBind, DeviceDemand, FitCache, FitExplanation,
    FitOptions, FleetChange, FreeState, HeldSlice, Holding, JobNode, JobOrder, JobState,
    JobStep, NodeChange, NodeClass, NodeDemand, NodeLedger, NodePart, ObservationLayout,
    ObserveOptions, Observer, OnFailure, PartitionChange, PlaceManyOptions, PlaceOptions,
    PlacedJobs, Placer, Policy, PolicyColumns, PolicyOptions, PreparedRequest, RefusedJob,
    RegistrationFinding, RegistrationIssue, Relaxation, Removal, RowCores, SliceChanges,
    StepOptions, StepUse, TaskBind, TaskBindTo, TaskPlacement, Trial, TrialMark, TypicalJob,
    WarningUse, bind_cpus, bind_devices, check_bind, check_registration, cluster_of, demand_of,
    diff, explain_fit, feasible, fit, fit_count, geometry_after, instances_possible, is_usable,
    layout_tasks, observe, place, place_many, place_step, placed_table, release_many,
    render_cluster, score, slice_changes, to_text, worst_of,
)

__all__ = [
    "AllocationChange", "BindNumbers", "BindRule", "ChangeKind", "Cluster", "ClusterDiff",
    "ClusterParts", "Condition", "Consequence", "CountChange", "DeviceBind", "DeviceDemand",
    "FitCache", "FitExplanation", "FitOptions", "FleetChange", "FreeState", "HeldSlice",
    "Holding", "JobNode", "JobOrder", "JobState", "JobStep", "NodeChange", "NodeClass",
    "NodeDemand", "NodeLedger", "NodePart", "ObservationLayout", "ObserveOptions", "Observer",
    "OnFailure", "PartitionChange", "PlaceManyOptions", "PlaceOptions", "PlacedJobs", "Placer",
    "Policy", "PolicyColumns", "PolicyOptions", "PreparedRequest", "RefusedJob",
    "RegistrationFinding", "RegistrationIssue", "Relaxation", "Removal", "RowCores",
    "SliceChanges", "StepOptions", "StepUse", "TaskBind", "TaskBindTo", "TaskPlacement",
    "Trial", "TrialMark", "TypicalJob", "WarningUse", "bind_cpus", "bind_devices", "check_bind",
    "check_registration", "cluster_of", "demand_of", "diff", "explain_fit", "feasible", "fit",
    "fit_count", "geometry_after", "instances_possible", "is_usable", "layout_tasks", "observe",
    "place", "place_many", "place_step", "placed_table", "release_many", "render_cluster",
    "score", "slice_changes", "to_text", "worst_of",
]
