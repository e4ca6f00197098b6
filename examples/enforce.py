# SPDX-License-Identifier: Apache-2.0
"""A job on this machine: limited while its block lasts, gone behind it, and told apart how its
commands ended. Without a cgroup v2 to write to the commands run all the same."""

import sys

import trestle
from trestle import enforce

# What the job gets: a core and 256 MiB of this machine. What the machine cannot do is left out.
node = trestle.os.discover().replace(name="here")
cluster = trestle.Cluster.create(trestle.ClusterParts(nodes=[node]))
request = trestle.Request(memory=trestle.Range.exactly(trestle.mib(256)), time_limit=60)
placement = trestle.place(cluster, request)
assert isinstance(placement, trestle.Placement)
policy = trestle.LimitPolicy(
    requirements=trestle.Requirements.all(trestle.Requirement.best_effort))
plan = trestle.plan(node, placement.nodes[0], request, policy,
                    trestle.PlanOptions(group="trestle_example", owner=42))

support = trestle.os.probe_cgroup()
enforcer = None if support.is_usable else trestle.os.PlainEnforcer(support.reason)
with enforce.Job(plan, enforcer) as job:
    if job.applied.shortfalls:
        print("not enforced:", job.applied, file=sys.stderr)
    print(job.run(["sh", "-c", "exit 3"]))
    print(job.run(["sleep", "600"], end=trestle.EndPolicy(time_limit=1, grace=5)))
    server = job.spawn(["sleep", "600"])
    server.stop(trestle.StopCause.preempted)
    print(server.wait())
    forgotten = job.spawn(["sleep", "600"])
print(forgotten.end)
