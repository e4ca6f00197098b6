# SPDX-License-Identifier: Apache-2.0
"""What jobs of trestle.sim wait for: told in parts, yet the same comes out as of all there is."""

import dataclasses
import random

import pytest
import trestle
from random_sim import WHOLE, random_jobs, random_world
from trestle import Dependency, DependencyKind, sim
from trestle.sim import RetryEvent, _simulation
from trestle.sim._conditions import _PHASES, Look

ONE = trestle.Request(nodes=1, exclusivity=WHOLE)
CLUSTER = trestle.Cluster.from_text("8 x (4c gpu:2)")


class PlainTerms:
    """Tells eligible_jobs() each time of everybody who is, was or will be waited for."""

    asleep = frozenset()

    def __init__(self, jobs, queued, arrays):
        self.arrays = [trestle.ArrayConditions(array, most) for array, most in arrays.items()]
        self.given = {job.id: job.conditions() for job in jobs if job.has_conditions}
        self.awaited = {other for conditions in self.given.values()
                        for one in conditions.dependencies for other in one.jobs}
        self.records, self.waiting = {}, set()
        self.expected = {job.id: queued[job.id] for job in sorted(jobs, key=lambda one: one.arrival)
                         if job.id in self.awaited}
        self.conditions = {job: self.given.get(job, trestle.StartConditions(job)).replace(is_held=True)
                      for job in self.expected}

    @property
    def are_any(self):
        return bool(self.waiting)

    def arrive(self, job):
        if self.expected.pop(job, None) is not None:
            del self.conditions[job]
        if job in self.given:
            self.conditions[job] = self.given[job]
            self.waiting.add(job)

    def start(self, job, now):
        self.waiting.discard(job)
        if job in self.conditions or job in self.awaited:
            self.records[job] = trestle.JobRecord(job, started=now)

    def put_back(self, job, period, rules):
        self.records.pop(job, None)
        first = 2**62 + job  # who waits for its start need not wait again
        if job in self.awaited and first not in self.records:
            self.records[first] = trestle.JobRecord(first, started=period.start)
            for some in (self.given, self.conditions):
                for owner, conditions in some.items():
                    some[owner] = conditions.replace(dependencies=[
                        one.replace(jobs=[first if other == job else other for other in one.jobs])
                        if one.kind is DependencyKind.after else one for one in conditions.dependencies])
        record = trestle.JobRecord(job, trestle.JobPhase.failed, period.start, period.stop)
        self.conditions[job] = trestle.requeued(self.conditions.get(job, trestle.StartConditions(job)), record, rules)
        self.waiting.add(job)

    def end(self, job, outcome, now):
        self.waiting.discard(job)
        self.conditions.pop(job, None)
        record = self.records.pop(job, None)
        if job in self.awaited:
            self.records[job] = trestle.JobRecord(
                job, _PHASES.get(outcome, trestle.JobPhase.failed),
                None if record is None else record.started, now)

    def ask(self, queue, now):
        state = trestle.QueueState(self.conditions.values(), self.records.values(), self.arrays)
        return trestle.eligible_jobs([*queue, *self.expected.values()], state, now)

    def look(self, ahead, queue, now):
        every, found, first = [*ahead, *queue], self.ask([*ahead, *queue], now), len(ahead)
        waiting = [one for one in found.waiting if first <= one.job < len(every)]
        taken = {one.owner for one in ahead}
        return Look([one for one in found.eligible if one.owner not in taken],
                    [every[one.job].owner for one in found.never if first <= one.job < len(every)],
                    min((one.until for one in waiting if one.until is not None), default=None))

    def reasons(self, queue, now):
        return {queue[one.job].owner: one.why.reason for one in self.ask(queue, now).waiting
                if one.job < len(queue)}


def entangled_jobs(seed, count):
    """Jobs that wait for earlier and later ones, names, arrays, in circles and for nobody."""
    rng = random.Random(seed)
    share, is_wild = rng.choice([0.3, 0.6, 0.9]), seed % 3 == 0
    kinds = [kind for kind in DependencyKind if kind.name != "singleton"]
    changed = []
    for job in random_jobs(seed, count, gap=rng.choice([1, 6, 20])):
        more = {"priority": rng.randrange(4), "failures": rng.choice([0, 0, 0, 1, 2]),
                "preemption_cost": rng.randrange(3), "grace": rng.choice([0, 0, 3, 12]),
                "is_held": rng.random() < 0.03, "is_any_of": rng.random() < 0.25}
        if rng.random() < 0.5:
            on = frozenset(one for one in RetryEvent if rng.random() < 0.7)
            more["retry"] = sim.Retry(on, rng.choice([None, 30, 200]), rng.choice([0, 5]),
                                      rng.choice([None, 0, 1]))
        dependencies = []
        while rng.random() < share and len(dependencies) < 3:
            last = count + 2 if is_wild and rng.random() < 0.3 else max(job.id, 1)
            others = [rng.randrange(last) for _ in range(rng.choice([1, 1, 2, 9]))]
            dependencies.append(Dependency(rng.choice(kinds), others, rng.choice([0, 0, 7])))
        if is_wild and rng.random() < 0.1:
            dependencies.append(Dependency(rng.choice(kinds), array=rng.randrange(3)))
        if rng.random() < 0.15:
            more["name"] = rng.choice("xy")
            if rng.random() < 0.7:
                dependencies.append(Dependency(DependencyKind.singleton))
        if rng.random() < 0.2:
            more["array"] = rng.randrange(3)
        if rng.random() < 0.1:
            more["begin"] = job.arrival + rng.randrange(40)
        changed.append(dataclasses.replace(job, dependencies=tuple(dependencies), **more))
    return changed


@pytest.mark.parametrize("seed", range(30))
def test_what_is_reported_in_parts_gives_what_all_gives(seed, monkeypatch):
    """Bit for bit, also the notes of who never starts."""
    jobs, world = entangled_jobs(seed, 60), random_world(seed) if seed % 2 else {"arrays": {0: 1}}
    discipline = [trestle.Discipline.strict(), trestle.Discipline.easy(),
                  trestle.Discipline.conservative()][seed // 2 % 3]
    may = (lambda one, other: one.priority > other.priority + 1) if seed % 5 < 2 else None
    result = sim.simulate(CLUSTER, jobs, discipline, preempts=may, **world)
    monkeypatch.setattr(_simulation, "Conditions", PlainTerms)
    assert sim.simulate(CLUSTER, jobs, discipline, preempts=may, **world) == result


def told(monkeypatch, jobs):
    """How many jobs, conditions and records eligible_jobs() is told of in a simulation."""
    counts, eligible_jobs = [], trestle.eligible_jobs

    def counted(queue, state, now):
        counts.append(len(queue) + len(state.conditions) + len(state.records))
        return eligible_jobs(queue, state, now)
    monkeypatch.setattr(trestle, "eligible_jobs", counted)
    result = sim.simulate(CLUSTER, jobs)
    monkeypatch.undo()
    assert result.outcomes() == {sim.Outcome.completed: len(jobs)}
    return sum(counts)


def after(*others):
    return (Dependency(DependencyKind.afterok, others),)


@pytest.mark.parametrize("arrival, width", [
    (lambda job: 0, 1), (lambda job: 7 * job, 1), (lambda job: job // 10 * 40, 10)])
def test_a_workflow_costs_what_changes_and_not_what_waits(arrival, width, monkeypatch):
    """Chains that are there at once, that come more slowly than they run, and many short ones."""
    def chain(count):
        return [sim.Job(job, arrival(job), ONE, 10, 9, dependencies=after(job - 1)
                        if job % (count if width == 1 else width) else ())
                for job in range(count)]
    small, large = (told(monkeypatch, chain(count)) for count in (100, 400))
    assert large < 5 * small


def test_a_job_that_waits_for_many_is_looked_at_when_the_last_has_ended(monkeypatch):
    def joined(count):
        jobs = [sim.Job(job, 9 * job, ONE, 10, 9) for job in range(count)]
        return [*jobs, sim.Job(count, 0, ONE, 10, 9, dependencies=after(*range(count)))]
    small, large = (told(monkeypatch, joined(count)) for count in (100, 400))
    assert large < 5 * small


def test_a_wait_for_a_failure_ends_with_a_good_end_at_once():
    """Though it still waits for another."""
    waits = sim.Job(2, 0, ONE, 10, 9, dependencies=(
        Dependency(DependencyKind.afternotok, [0]), Dependency(DependencyKind.afterany, [1])))
    jobs = [sim.Job(0, 0, ONE, 10, 9), sim.Job(1, 0, ONE, 90, 80), waits]
    assert [one.end for one in sim.simulate(CLUSTER, jobs).jobs] == [9, 80, 9]
