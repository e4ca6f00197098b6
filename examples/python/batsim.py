# SPDX-License-Identifier: Apache-2.0
"""What Batsim would say on a small machine, and what EASY backfilling answers.

Beside a real Batsim `python -m trestle batsim` does the same over its socket.
"""
import trestle
from trestle import batsim


def event(at: float, kind: str, **data: object) -> dict[str, object]:
    return {"timestamp": at, "type": kind, "data": data}


def submitted(at: float, name: str, hosts: int, walltime: float) -> dict[str, object]:
    return event(at, "JOB_SUBMITTED", job_id=name, job={"res": hosts, "walltime": walltime})


hosts = [{"id": id, "name": f"host-{id}", "state": "idle", "properties": {}} for id in range(4)]
messages = [
    (0, [event(0, "SIMULATION_BEGINS", nb_compute_resources=4, compute_resources=hosts)]),
    (1, [submitted(1, "w0!wide", 3, 100)]),
    (5, [submitted(5, "w0!all", 4, 50), submitted(5, "w0!long", 1, 500),
         submitted(5, "w0!short", 1, 60), submitted(5, "w0!giant", 9, 60)]),
    (60.5, [event(60.5, "JOB_COMPLETED", job_id="w0!short", alloc="3"),
            event(60.5, "JOB_COMPLETED", job_id="w0!wide", alloc="0-2")]),
    (70, [event(70, "NOTIFY", type="event_machine_unavailable", resources="0-1")]),
    (110.5, [event(110.5, "JOB_COMPLETED", job_id="w0!all", alloc="0-3")]),
    (120, [event(120, "JOB_COMPLETED", job_id="w0!long", alloc="2")]),
    (120, [event(120, "SIMULATION_ENDS")]),
]

scheduler = batsim.Scheduler(trestle.Discipline.easy())
for now, events in messages:
    print(f"{now:>6}  {', '.join(str(one['type']) for one in events)}")
    for one in scheduler.answer({"now": now, "events": events})["events"]:
        print(f"          {one['type']} {' on '.join(one['data'].values())}")
    for name, start in scheduler.reservations().items():
        print(f"          {name} starts at {start:g} at the latest")

try:
    batsim.Scheduler().answer({"now": 3, "events": [event(7, "REQUESTED_CALL")]})
except batsim.BadMessage as error:
    print(error)
