# SPDX-License-Identifier: Apache-2.0
"""A scheduler for Batsim: the protocol's messages in, answers with Trestle's placements out.

    scheduler = batsim.Scheduler(trestle.Discipline.easy())
    answer = scheduler.answer({"now": 0, "events": [...]})

`python -m trestle batsim` serves a Batsim that runs beside it; it needs pyzmq, in the extra
[batsim]. Scheduler itself has no socket and no clock: equal messages get equal answers.

The rules are those of the JSON protocol of Batsim 3 and 4. At https://github.com/oar-team/batsim
they are in docs/protocol.rst (of commit 9ec3a42), interval-set.rst, input-events.rst and
input-workload.rst. The types of a NOTIFY of machines are those that Batsim's own writer sends. The
batprotocol of Batsim 5 is another one: see examples/batsim_edc. What the pages leave open is
decided here:

- Every message gets a pass of the discipline over the queue, whatever its events. Answers have
  the `now` of the message: decisions take no time in the simulation.
- A compute resource is a node, its properties are features `name=value`. A job has `res` nodes
  alone; storage is not scheduled.
- Moments count in microseconds. A message up to 10 microseconds behind a reserved start is taken
  for one at it. Ends at a walltime may come in a later message of the same moment.
- `walltime` is the estimate; Batsim kills. A job without one (absent, null or -1) counts
  with Scheduler(walltime_default=...). A job that runs longer than estimated keeps its nodes and
  may end at any moment.
- A job that could not start on the idle platform with all machines up is rejected at once.
- Machines take no work between the NOTIFY event_machine_unavailable and event_machine_available;
  their jobs run on. The same holds while RESOURCE_STATE_CHANGED, or SIMULATION_BEGINS, has said
  `sleeping`, `switching_on` or `switching_off`, or a power state among the host's `sleep_pstates`.
- A NOTIFY of another type is an error, unless Batsim forwards unknown events.
- CALL_ME_LATER is sent for a reserved start that is kept, where no walltime ends by then.
- A QUERY of estimate_waiting_time is answered for the last in the queue, all others given a reserved
  start; -1 where there is none.
- NOTIFY registration_finished is sent at once where dynamic jobs are enabled: none are registered.
- Redis is not read: JOB_SUBMITTED has to bring the job.
"""

from ._reading import BadMessage
from .scheduler import Scheduler
from .server import serve

__all__ = ["BadMessage", "Scheduler", "serve"]
