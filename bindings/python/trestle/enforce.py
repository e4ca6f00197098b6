# SPDX-License-Identifier: Apache-2.0
"""Plans, limits, enforcers, and jobs as context managers: what a plan makes is gone when the block
ends, however it ends.

    with trestle.enforce.Job(plan) as job:
        end = job.run(["./train"])
    print(end)                          # exited, status 0; time_limit, SIGTERM; ...

Errors are those of the enforcer: a group that has gone is a LookupError, a machine that refuses a
trestle.Error with path and errno. Waiting lets other threads run; an enforcer is for one thread at
a time all the same.
"""

from __future__ import annotations

import select
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Union

import trestle
from . import (  # noqa: F401
    AllowedFile, Applied, BpfInstruction, Capabilities, Child, Command, CountedPart,
    CpuTimeLimit, CpuWeightLimit, CpusLimit, CpusetPartition, Credential, CredentialDevice,
    CredentialNode, DeviceAccess, DeviceAllowList, DeviceCounters, DeviceNumbering, DeviceProbe,
    DeviceReport, DeviceRule, DeviceRules, Drift, EnableController, EndAction, EndPolicy,
    EndReason, EndSequence, EndStage, Ending, EnergyCounter, Enforcer, EnvironmentValue,
    EnvironmentVariable, EventKind, EventOptions, EventSource, Exceeded, Fault, FaultyEnforcer,
    GpuRates, GpuUsage, Grant, GroupEvent, GroupState, HealthCause, HealthFinding, HealthReport,
    HealthThresholds, HugetlbLimit, HugetlbReservation, IoLimit, IoWeightLimit, JobEnd,
    LabelGroup, LimitPolicy, LimitRow, LimitSource, Limits, LinuxCapability, LoadFilter,
    MakeGroup, MakeScratch, MemoryEnforcer, MemoryFile, MemoryLimit, MemoryMode, MemoryPolicy,
    MemoryRule, MemsLimit, MiscLimit, NodeJudgement, OomGroupLimit, Outcome, PartitionLimit,
    PidsLimit, Plan, PlanOptions, PlanUpdate, PlannedDevice, Presence, Pressure,
    PressureTrigger, ProcessLimit, ProcessResource, ProcessSettings, ProcessUser, Rates,
    RdmaLimit, Requirement, Requirements, ResourceUsage, Scratch, ScratchDirectory, SetFrozen,
    SetLimit, Shortfall, SignalTarget, Stall, Step, StopCause, TaskSettings, UpdateEffect,
    UpdateStep, VendorProfile, VisibilityVariable, WarningSignal, after_health_program, allowed,
    asked_memory, check_group_name, classify, compile_filter, counted_since,
    cpu_weight_of_shares, credential_of, dcgm_report, energy_between, exit_status, exited,
    explain_limits, file_of, file_value, grant_of, is_below, joined_reports, limit_table,
    limits_of, memory_policy_of, parent_group, part_of, plan, plan_diff, plan_of, plan_update,
    pseudo_devices, rates, read_credential, reason_of, signaled, standard_vendor_profiles,
    task_plan, with_device_health, with_filter_in_force, write_credential, xid_health,
)

__all__ = [
    "AllowedFile", "Applied", "BpfInstruction", "Capabilities", "Child", "Command",
    "CountedPart", "CpuTimeLimit", "CpuWeightLimit", "CpusLimit", "CpusetPartition",
    "Credential", "CredentialDevice", "CredentialNode", "DeviceAccess", "DeviceAllowList",
    "DeviceCounters", "DeviceNumbering", "DeviceProbe", "DeviceReport", "DeviceRule",
    "DeviceRules", "Drift", "EnableController", "EndAction", "EndPolicy", "EndReason",
    "EndSequence", "EndStage", "Ending", "EnergyCounter", "Enforcer", "EnvironmentValue",
    "EnvironmentVariable", "EventKind", "EventOptions", "EventSource", "Exceeded", "Fault",
    "FaultyEnforcer", "GpuRates", "GpuUsage", "Grant", "GroupEvent", "GroupState",
    "HealthCause", "HealthFinding", "HealthReport", "HealthThresholds", "HugetlbLimit",
    "HugetlbReservation", "IoLimit", "IoWeightLimit", "Job", "JobEnd", "LabelGroup",
    "LimitPolicy", "LimitRow", "LimitSource", "Limits", "LinuxCapability", "LoadFilter",
    "MakeGroup", "MakeScratch", "MemoryEnforcer", "MemoryFile", "MemoryLimit", "MemoryMode",
    "MemoryPolicy", "MemoryRule", "MemsLimit", "MiscLimit", "NodeJudgement", "OomGroupLimit",
    "Outcome", "PartitionLimit", "PidsLimit", "Plan", "PlanOptions", "PlanUpdate",
    "PlannedDevice", "Presence", "Pressure", "PressureTrigger", "Process", "ProcessLimit",
    "ProcessResource", "ProcessSettings", "ProcessUser", "Rates", "RdmaLimit", "Requirement",
    "Requirements", "ResourceUsage", "Scratch", "ScratchDirectory", "SetFrozen", "SetLimit",
    "Shortfall", "SignalTarget", "Stall", "Step", "StopCause", "TaskSettings", "UpdateEffect",
    "UpdateStep", "VendorProfile", "VisibilityVariable", "WarningSignal",
    "after_health_program", "allowed", "asked_memory", "check_group_name", "classify",
    "compile_filter", "counted_since", "cpu_weight_of_shares", "credential_of", "dcgm_report",
    "energy_between", "exit_status", "exited", "explain_limits", "file_of", "file_value",
    "grant_of", "is_below", "joined_reports", "limit_table", "limits_of", "memory_policy_of",
    "open_enforcer", "parent_group", "part_of", "plan", "plan_diff", "plan_of", "plan_update",
    "pseudo_devices", "rates", "read_credential", "reason_of", "signaled",
    "standard_vendor_profiles", "task_plan", "with_device_health", "with_filter_in_force",
    "write_credential", "xid_health",
]

_Trace = Callable[[trestle.TraceEvent], None]


def open_enforcer(directory: str | None = None) -> trestle.os.CgroupEnforcer:
    """The enforcer below a cgroup's directory; None is what trestle.os.probe_cgroup() finds.

    Jobs at the same time share one: the next probe would find where this one has put the process.
    Errors: trestle.Error (FAILED_PRECONDITION) that says why there is no directory, and what helps.
    """
    support = trestle.os.probe_cgroup(directory)
    if support.is_usable:
        return trestle.os.CgroupEnforcer.open(support.directory)
    raise trestle.Error(
        f"{support.reason}; expected root, or a systemd unit with Delegate=yes, or an enforcer"
        " handed over: os.CgroupEnforcer below an os.SystemdScope, or os.PlainEnforcer, which"
        " limits nothing that takes a group", "FAILED_PRECONDITION")


class Job:
    """A plan that holds for the length of a `with` block.

    Entering applies the plan. Leaving kills what still runs in the group, reaps what was spawned,
    and removes the group and those below, also when the block raises. An error of the removal is
    then a note of that exception.

    enforcer: None is what open_enforcer() gives, for the length of the block. Commands run with
    that and with os.PlainEnforcer, and end as plan.end says. With one in memory they end when the
    test says so, and no time passes. `trace` receives each step, and each signal of an end.
    """

    plan: trestle.Plan
    """What holds in the block."""
    applied: trestle.Applied
    """What the machine could not do of the steps that are best effort."""

    def __init__(self, plan: trestle.Plan, enforcer: trestle.Enforcer | None = None,
                 trace: _Trace | None = None) -> None:
        if not isinstance(plan, trestle.Plan):
            raise TypeError(f"Job: plan is {type(plan).__name__}; expected Plan")
        self.plan = plan
        self.applied = trestle.Applied()
        self._given = enforcer
        self._entered: trestle.Enforcer | None = None
        self._trace = trace
        self._processes: list[Process] = []

    def __enter__(self) -> Job:
        enforcer = open_enforcer() if self._given is None else self._given
        self.applied = enforcer.apply(self.plan, self._trace)
        self._entered = enforcer
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        enforcer, self._entered = self.enforcer, None
        processes, self._processes = self._processes, []
        with _noted_on(error):
            enforcer.remove(self.plan.group)
            for process in processes:
                process.wait()

    @property
    def enforcer(self) -> trestle.Enforcer:
        """The enforcer of the plan. Errors: RuntimeError outside of the block."""
        if self._entered is None:
            raise RuntimeError(f"job {self.plan.group}: it is not entered, expected a with block")
        return self._entered

    def run(self, command: trestle.Command | Iterable[str], *,
            task: trestle.TaskSettings | None = None,
            end: trestle.EndPolicy | None = None) -> trestle.JobEnd:
        """Runs a command to its end: spawn(), then wait().

        trestle.exit_status(end) is what a shell would say, trestle.reason_of(end) what ended it.
        """
        return self.spawn(command, task=task, end=end).wait()

    def spawn(self, command: trestle.Command | Iterable[str], *,
              task: trestle.TaskSettings | None = None,
              end: trestle.EndPolicy | None = None) -> Process:
        """Starts a command inside the group, with the standard files of this process.

        command: words, the program first, run with the environment of this process; a Command has
        its own, and nothing else. The plan's variables come on top. task: CPUs, memory policy and
        variables of this command alone. `end`: when and how it is ended, None as plan.end says.
        Errors: LookupError for a program that does not exist, ValueError for no words and for a
        task outside of the plan. Also trestle.Error where the machine refuses. Then nothing runs.
        """
        if not isinstance(command, trestle.Command):
            command = trestle.Command(command, trestle.os.current_environment())
        plan = self.plan if task is None else trestle.task_plan(self.plan, task)
        plan = plan if end is None else plan.replace(end=end)
        child = self.enforcer.spawn(plan, command)
        process = Process(self, child, _supervisor_of(self.enforcer, plan, child, self._trace))
        self._processes = [one for one in self._processes if one.end is None] + [process]
        return process

    def step(self, plan: trestle.Plan) -> Job:
        """A job below this one, to be entered: `job_42/step_0` is below `job_42`.

        The kernel has processes in the leaves alone: a job with steps runs its commands in them.
        Errors: ValueError for a group that is not below.
        """
        if plan.group == self.plan.group or not trestle.is_below(plan.group, self.plan.group):
            raise ValueError(f"step {plan.group}: expected a group below {self.plan.group}")
        return Job(plan, self.enforcer, self._trace)

    def update(self, plan: trestle.Plan) -> trestle.Applied:
        """Makes another plan of the same group hold while processes run: see trestle.plan_update.

        Errors: ValueError for a plan of another group; those of Enforcer.update. After an error
        `plan` is the old one, and it holds but for the steps that the error names as
        `not taken back`.
        """
        applied = self.enforcer.update(trestle.plan_update(self.plan, plan), self._trace)
        self.plan = plan
        return applied

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Freezes every process of the group for the length of the block."""
        enforcer, group = self.enforcer, self.plan.group
        enforcer.freeze(group)
        try:
            yield
        except BaseException as error:
            with _noted_on(error):
                enforcer.thaw(group)
            raise
        enforcer.thaw(group)

    def signal(self, signal_number: int) -> None:
        """Sends a signal to every process of the group and the groups below."""
        self.enforcer.signal(self.plan.group, signal_number)

    def attach(self, pid: int) -> None:
        """Moves a running process into the group: see Enforcer.attach for what it keeps."""
        self.enforcer.attach(self.plan.group, pid)

    def observe(self) -> trestle.ResourceUsage:
        """What the group uses and has used, in bytes, microseconds and counts; None: not known."""
        return self.enforcer.observe(self.plan.group)

    def rates(self, since: trestle.ResourceUsage) -> trestle.Rates:
        """What the group did since an earlier observe(), also as shares of what the plan grants."""
        return trestle.rates(since, self.observe(), trestle.grant_of(trestle.limits_of(self.plan)))

    def events(self, options: trestle.EventOptions = trestle.EventOptions()) -> trestle.EventSource:
        """A source of events of the group: filled, empty, out of memory, frozen, pressure."""
        return self.enforcer.events(self.plan.group, options)

    def verify(self) -> tuple[trestle.Drift, ...]:
        """What of the plan does not hold now; empty when all does."""
        return self.enforcer.verify(self.plan)

    def __repr__(self) -> str:
        return f"<Job {self.plan.group}{'' if self._entered is None else ', entered'}>"


class Process:
    """A command in the group of a job; Job.spawn starts it.

    wait() and poll() keep its time: they send the signals that are due. In a loop of
    your own, call poll() when fileno() is readable.
    """

    child: trestle.Child
    """Its group and number."""
    end: trestle.JobEnd | None
    """How it ended; None until wait() or poll() has seen it."""

    def __init__(self, job: Job, child: trestle.Child, supervisor: _Supervisor) -> None:
        self.child = child
        self.end = None
        self._job = job
        self._supervisor: _Supervisor | None = supervisor  # None once it has ended

    def poll(self) -> trestle.JobEnd | None:
        """Sends what is due, and tells how it ended, or None. Does not wait."""
        if self._supervisor is not None:
            self.end = self._supervisor.step()
        if self.end is not None:
            self._supervisor = None
        return self.end

    def wait(self) -> trestle.JobEnd:
        """Waits for its end; an exception of a signal handler (KeyboardInterrupt) gets through.

        If it was stopped, that is the end of the whole group, or SIGKILL for it. Errors: trestle.Error
        for one in memory that still runs, because nothing would end it.
        """
        while (end := self.poll()) is None:
            if isinstance(self._supervisor, _StillSupervisor):
                self._supervisor.wait()
            else:
                readable = select.poll()
                readable.register(self.fileno(), select.POLLIN)
                readable.poll()
        return end

    def stop(self, cause: trestle.StopCause = trestle.StopCause.user_stop,
             grace: int | None = None) -> None:
        """Ends the job as plan.end says: end signal, grace, SIGKILL. poll() or wait() sends them.

        grace: in seconds; 0 is SIGKILL at once, None that of the plan. The first cause is kept.
        """
        if self._supervisor is not None:
            self._supervisor.stop(cause, grace)

    def set_time_limit(self, limit: int | None) -> None:
        """Another time limit in seconds since the start, or none."""
        if self._supervisor is not None:
            self._supervisor.set_time_limit(limit)

    def signal(self, signal_number: int) -> None:
        """Sends a signal to the command, not to what it started. Errors: LookupError at its end."""
        self._job.enforcer.signal_child(self.child, signal_number)

    def fileno(self) -> int:
        """Readable when poll() has something to do. -1 in memory and after the end."""
        return -1 if self._supervisor is None else self._supervisor.fileno()

    def __repr__(self) -> str:
        return f"<Process {self.child.pid} in {self.child.group}: {self.end or 'runs'}>"


class _StillSupervisor:
    """The Supervisor of an enforcer without a machine, where no time passes."""

    def __init__(self, enforcer: trestle.Enforcer, plan: trestle.Plan,
                 child: trestle.Child) -> None:
        self._enforcer = enforcer
        self._child = child
        self._sequence = trestle.EndSequence(plan.end, 0)
        self._outcome: trestle.Outcome | None = None

    def step(self) -> trestle.JobEnd | None:
        self._look()
        if self._outcome is None:
            for action in self._sequence.advance(0):
                self._send(action)
            self._look()
        return None if self._outcome is None else self._sequence.end_of(self._outcome)

    def wait(self) -> None:
        self._outcome = self._enforcer.wait(self._child)

    def stop(self, cause: trestle.StopCause, grace: int | None = None) -> None:
        self._sequence.stop(cause, 0, grace)

    def set_time_limit(self, limit: int | None) -> None:
        self._sequence.set_time_limit(limit, 0)

    def fileno(self) -> int:
        return -1

    def _look(self) -> None:
        if self._outcome is None:
            self._outcome = self._enforcer.poll(self._child)

    def _send(self, action: trestle.EndAction) -> None:
        if action.target == trestle.SignalTarget.leader:
            self._enforcer.signal_child(self._child, action.signal_number)
        else:
            self._enforcer.signal(self._child.group, action.signal_number)


_Supervisor = Union[trestle.os.Supervisor, _StillSupervisor]


def _supervisor_of(enforcer: trestle.Enforcer, plan: trestle.Plan, child: trestle.Child,
                   trace: _Trace | None) -> _Supervisor:
    """What supervises the child. After an error the child is killed and reaped."""
    try:
        if isinstance(enforcer, (trestle.os.CgroupEnforcer, trestle.os.PlainEnforcer)):
            return trestle.os.Supervisor.start(enforcer, plan, child, trace)
        return _StillSupervisor(enforcer, plan, child)
    except BaseException:
        enforcer.signal_child(child, signal.SIGKILL)
        enforcer.wait(child)
        raise


@contextmanager
def _noted_on(error: BaseException | None) -> Iterator[None]:
    """An error of the block becomes a note of `error`, which goes on; without one it is raised."""
    try:
        yield
    except Exception as failure:
        if error is None:
            raise
        if sys.version_info >= (3, 11):
            error.add_note(f"and then: {failure}")
        else:
            warnings.warn(f"and then: {failure}", RuntimeWarning, stacklevel=2)
