# SPDX-License-Identifier: Apache-2.0
"""Replays of a trace: jobs arrive at a cluster, each is placed by a policy or dropped, none leaves.

    workload = trestle.replay.load(["nodes.csv"], "pods.csv")
    curve = trestle.replay.replay(workload, workload.order("42"), "fgd")
    print(curve.allocated_percent[100])

`python -m trestle replay` does it from the shell. Which GPUs are how much in fragments is counted
with NumPy (`trestle[sim]`); plots want matplotlib (`trestle[plot]`).
"""

from .evaluate import Evaluation as Evaluation
from .evaluate import Evaluator as Evaluator
from .results import by_policy as by_policy
from .results import rows_of as rows_of
from .results import write as write
from .run import AnyPolicy as AnyPolicy
from .run import Arrivals as Arrivals
from .run import Curve as Curve
from .run import find_policy as find_policy
from .run import replay as replay
from .sweep import sweep as sweep
from .workload import Job as Job
from .workload import Workload as Workload
from .workload import load as load
from .workload import load_jobs as load_jobs
from .workload import load_nodes as load_nodes

__all__ = [
    "AnyPolicy", "Arrivals", "Curve", "Evaluation", "Evaluator", "Job", "Workload", "by_policy",
    "find_policy", "load", "load_jobs", "load_nodes", "replay", "rows_of", "sweep",
    "write",
]
