# SPDX-License-Identifier: Apache-2.0
"""A toy scheduler: a queue, first fit in order of submission. No machine, no time of its own."""

import trestle


class Scheduler:
    def __init__(self, cluster: trestle.Cluster, enforcer: trestle.Enforcer) -> None:
        self.cluster, self.enforcer = cluster, enforcer
        self.waiting: list[tuple[int, trestle.Request, trestle.Command]] = []
        self.running: dict[int, trestle.Child] = {}
        self.ended: dict[int, trestle.Outcome] = {}
        self.jobs = 0

    def submit(self, request: trestle.Request, program: str) -> int:
        self.jobs += 1
        self.waiting.append((self.jobs, request, trestle.Command(arguments=[program])))
        return self.jobs

    def tick(self) -> None:
        """Notes what has ended, then starts what fits; what does not fit lets others pass."""
        for job, child in list(self.running.items()):
            if job not in self.ended:
                outcome = self.enforcer.poll(child)
                if outcome is None:
                    continue
                self.ended[job] = outcome
            # Only what is cleaned up is forgotten: the next tick tries again what fails here.
            self.enforcer.remove(child.group)
            self.cluster.release(job)
            del self.running[job]
        for entry in list(self.waiting):
            job, request, command = entry
            placement = trestle.place(self.cluster, request)
            if placement:
                self.running[job] = self.start(job, request, placement, command)
                self.waiting.remove(entry)

    def start(self, job: int, request: trestle.Request, placement: trestle.Placement,
              command: trestle.Command) -> trestle.Child:
        part = placement.nodes[0]
        plan = trestle.plan(
            self.cluster.node(part.node), part, request, trestle.LimitPolicy(),
            trestle.PlanOptions(group=f"job_{job}", owner=job),
        )
        self.cluster.commit(trestle.Allocation(job, request, placement))
        try:
            self.enforcer.apply(plan)
            return self.enforcer.spawn(plan, command)
        except Exception:
            self.enforcer.remove(plan.group)
            self.cluster.release(job)
            raise
