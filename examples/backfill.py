# SPDX-License-Identifier: Apache-2.0
"""When does each job start, as in backfill.cpp: it prints the same."""
import trestle

MINUTE = 60


def job(owner: int, nodes: int, minutes: int) -> trestle.QueuedJob:
    request = trestle.Request(nodes=nodes, exclusivity=trestle.Exclusivity.whole_node)
    return trestle.QueuedJob(owner, request, minutes * MINUTE)


def start_of(result: trestle.PassResult, owner: int) -> str:
    """What the pass said of a job: `now`, `in 60`, `waits`."""
    if any(one.allocation.owner == owner for one in result.starts):
        return "now"
    for one in result.reservations:
        if one.allocation.owner == owner:
            return f"in {one.period.start // MINUTE}"
    return "waits"


timeline = trestle.Timeline(trestle.Cluster.from_text("4 x (16c)"))
half = trestle.whole_nodes(timeline.cluster(), trestle.NodeSet("0-1"))
timeline.reserve(trestle.Allocation(1, placement=half), range(60 * MINUTE))

queue = [job(2, 3, 60), job(3, 4, 30), job(4, 1, 180), job(5, 1, 60)]
passes = [trestle.schedule_pass(timeline, queue, discipline) for discipline in (
    trestle.Discipline.strict(), trestle.Discipline.easy(), trestle.Discipline.conservative())]

print("job  nodes  minutes  strict  EASY    conservative")
for one in queue:
    strict, easy, conservative = (start_of(result, one.owner) for result in passes)
    print(f"{one.owner:<3}  {one.request.nodes.min:<5}  {(one.duration or 0) // MINUTE:<7}  "
          f"{strict:<6}  {easy:<6}  {conservative}")
first = passes[-1].waiting[0]
print(f"job {queue[first.job].owner}: {first.why.reason}")
