# SPDX-License-Identifier: Apache-2.0
"""trestle.enforce without a kernel: jobs in memory, and commands that run without a cgroup."""

import contextlib
import inspect
import os
import shutil
import signal
import subprocess
import sys
import threading

import pytest
import trestle
from trestle import enforce

MIB = 1 << 20


def plan_of(group="job_1", memory=64 * MIB, **options):
    node = trestle.testing.node_from_text("4c mem=8G").replace(name="n0")
    request = trestle.Request(memory=memory)
    cluster = trestle.Cluster.create(trestle.ClusterParts(nodes=[node]))
    return trestle.plan(node, trestle.place(cluster, request).nodes[0], request,
                        trestle.LimitPolicy(),
                        trestle.PlanOptions(group=group, owner=7, **options))


def loose_plan(**options):
    """On this machine, of which nothing is required."""
    node = trestle.os.discover().replace(name="here")
    cluster = trestle.Cluster.create(trestle.ClusterParts(nodes=[node]))
    policy = trestle.LimitPolicy(
        requirements=trestle.Requirements.all(trestle.Requirement.best_effort))
    return trestle.plan(node, trestle.place(cluster, trestle.Request()).nodes[0],
                        trestle.Request(), policy, trestle.PlanOptions(group="job", **options))


@pytest.fixture
def memory():
    return trestle.MemoryEnforcer()


@pytest.fixture
def plain():
    return trestle.os.PlainEnforcer("no cgroup wanted")


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_everything_says_what_it_is():
    for kind in (enforce.Job, enforce.Process, enforce.open_enforcer):
        assert inspect.getdoc(kind)
        for name, value in vars(kind).items() if inspect.isclass(kind) else ():
            if not name.startswith("_") and (callable(value) or isinstance(value, property)):
                assert inspect.getdoc(value), f"{kind.__name__}.{name}"
    own = {name for name in enforce.__all__ if not hasattr(trestle, name)}
    assert own == {"Job", "Process", "open_enforcer"}


def test_a_job_applies_runs_and_removes_in_this_order(memory):
    plan, traced = plan_of(), []
    with enforce.Job(plan, memory, traced.append) as job:
        assert memory.files("job_1")["memory.max"] == str(64 * MIB)
        assert job.applied == trestle.Applied() and job.verify() == ()
        process = job.spawn(["train", "--fast"])
        memory.end_process(process.child.pid, trestle.exited(3))
        assert trestle.exit_status(process.wait()) == 3
    steps = [str(step) for step in plan.steps]
    assert memory.calls() == (*steps, "verify job_1", "spawn train in job_1", "poll 1000",
                              "remove job_1")
    assert [event.detail for event in traced] == steps
    assert memory.recover() == ()


def test_words_get_the_environment_of_this_process_and_a_command_has_its_own(memory, monkeypatch):
    monkeypatch.setenv("MODEL", "large")
    with enforce.Job(plan_of(), memory) as job:
        words = memory.command(job.spawn(["train"]).child)
        assert words.arguments == ("train",)
        variables = {one.name: one.value.reveal() for one in words.environment}
        assert dict(os.environ).items() <= variables.items() and variables["MODEL"] == "large"
        command = trestle.Command(["train"], [trestle.EnvironmentVariable("A", "b")], "/tmp")
        assert memory.command(job.spawn(command).child) == command
        with pytest.raises(TypeError, match="arguments: expected an iterable, got str"):
            job.spawn("train --fast")


def test_what_still_runs_is_killed_and_reaped_at_the_end(memory):
    with enforce.Job(plan_of(), memory) as job:
        process, other = job.spawn(["daemon"]), job.spawn(["daemon"])
        assert process.poll() is None and process.end is None
        assert repr(process) == "<Process 1000 in job_1: runs>"
    assert process.end == trestle.JobEnd(trestle.signaled(signal.SIGKILL))
    assert repr(other) == "<Process 1001 in job_1: signaled, SIGKILL>"
    assert process.wait() == process.poll() == process.end
    with pytest.raises(LookupError, match="no such child"):
        memory.poll(process.child)


def test_an_exception_of_the_block_removes_the_job_and_goes_on(memory):
    with pytest.raises(KeyError, match="mine"):
        with enforce.Job(plan_of(), memory) as job:
            process = job.spawn(["train"])
            raise KeyError("mine")
    assert memory.files("job_1") is None
    assert process.end.outcome.signal_number == signal.SIGKILL


def test_a_plan_that_cannot_be_applied_never_enters(memory):
    plan = plan_of()
    with enforce.Job(plan, memory):
        again = enforce.Job(plan, memory)
        with pytest.raises(trestle.Error, match="make group job_1: /job_1: the group exists"):
            again.__enter__()
        assert memory.files("job_1"), "which is not the second one's to remove"
    with pytest.raises(RuntimeError, match="job job_1: it is not entered"):
        again.observe()
    with again:
        assert repr(again) == "<Job job_1, entered>"
    assert repr(again) == "<Job job_1>"


def failing_at_the_end(memory):
    """An enforcer whose removals fail from now on, once it is told."""
    faulty = trestle.FaultyEnforcer(memory)
    return faulty, lambda: faulty.set_fault(trestle.Fault.for_good(faulty.call_count()))


def test_an_error_of_the_removal_is_raised_where_there_is_no_other(memory):
    faulty, break_it = failing_at_the_end(memory)
    with pytest.raises(trestle.Error, match=r"injected fault at call \d+ \(remove\)"):
        with enforce.Job(plan_of(), faulty):
            break_it()


def test_an_error_of_the_removal_never_hides_that_of_the_block(memory):
    faulty, break_it = failing_at_the_end(memory)
    has_notes = sys.version_info >= (3, 11)
    told = contextlib.nullcontext() if has_notes else pytest.warns(RuntimeWarning, match="injected")
    with told, pytest.raises(KeyError, match="mine") as caught:
        with enforce.Job(plan_of(), faulty):
            break_it()
            raise KeyError("mine")
    if has_notes:
        note, = caught.value.__notes__
        assert note.startswith("and then: injected fault")


def test_frozen_thaws_also_after_an_exception(memory):
    with enforce.Job(plan_of(), memory) as job:
        with job.frozen():
            assert memory.recover()[0].is_frozen
        assert not memory.recover()[0].is_frozen
        with pytest.raises(KeyError), job.frozen():
            raise KeyError("mine")
        assert not memory.recover()[0].is_frozen


def test_frozen_raises_what_freezing_and_thawing_raise(memory):
    faulty, break_it = failing_at_the_end(memory)
    job = enforce.Job(plan_of(), faulty)
    with job:
        with pytest.raises(trestle.Error, match=r"\(thaw\)"):
            with job.frozen():
                break_it()
        with pytest.raises(trestle.Error, match=r"\(freeze\)"):
            with job.frozen():
                pytest.fail("it is not frozen")
        faulty.set_fault(trestle.Fault())


def test_update_goes_over_to_another_plan_and_stays_with_the_old_after_an_error(memory):
    small, large = plan_of(), plan_of(memory=128 * MIB)
    with enforce.Job(small, memory) as job:
        with pytest.raises(ValueError, match="expected plans of one group"):
            job.update(plan_of("job_2"))
        assert job.plan == small
        assert job.update(large) == trestle.Applied()
        assert job.plan == large and job.verify() == ()
        assert memory.files("job_1")["memory.max"] == str(128 * MIB)
        unlimited = trestle.SetLimit(trestle.MemoryLimit(trestle.MemoryFile.max))
        memory.run(large.steps[1].replace(action=unlimited, group="job_1"))
        drift, = job.verify()
        assert (drift.resource, drift.found) == ("memory", "max")


def test_a_command_has_a_plan_of_its_own_with_a_task_or_an_end(memory):
    with enforce.Job(plan_of(), memory) as job:
        with pytest.raises(ValueError, match="task: CPU 99 is none of the plan's"):
            job.spawn(["train"], task=trestle.TaskSettings(cpus=trestle.PuSet([99])))
        process = job.spawn(["train"], task=trestle.TaskSettings(cpus=trestle.PuSet([0])),
                            end=trestle.EndPolicy(time_limit=0, grace=0))
        end = process.wait()
        assert trestle.reason_of(end) == trestle.EndReason.time_limit
        assert trestle.exit_status(end) == 124
        assert job.plan == plan_of()
        with pytest.raises(ValueError, match="signal 99"):
            job.spawn(["train"], end=trestle.EndPolicy(end_signal=99))
        assert job.enforcer.recover()[0].processes == (), "one that cannot be ended does not run"


def test_stop_sends_what_the_plan_says_and_keeps_the_first_cause(memory):
    end = trestle.EndPolicy(end_target=trestle.SignalTarget.leader)
    with enforce.Job(plan_of(end=end), memory) as job:
        process = job.spawn(["train"])
        process.signal(signal.SIGUSR1)
        job.signal(signal.SIGUSR2)
        process.stop(trestle.StopCause.preempted)
        assert process.poll() is None
        process.stop(trestle.StopCause.shutdown, grace=0)
        assert process.poll() == trestle.JobEnd(trestle.signaled(9), trestle.StopCause.preempted,
                                                is_killed=True)
        sent = [call for call in memory.calls() if call.startswith("signal ")]
        assert sent == ["signal 10 child 1000", "signal 12 job_1", "signal 15 child 1000",
                        "signal 9 job_1"]


def test_waiting_for_what_never_ends_is_an_error_in_memory(memory):
    with enforce.Job(plan_of(), memory) as job:
        with pytest.raises(trestle.Error, match="process 1000: it still runs"):
            job.run(["train"])


def test_a_script_ends_commands_in_its_own_time():
    clock = trestle.testing.ManualClock()
    scripted = trestle.testing.ScriptedEnforcer(clock)
    scripted.set_script("train", trestle.testing.Script(
        duration=trestle.testing.seconds(60), outcome=trestle.exited(4)))
    with enforce.Job(plan_of(), scripted) as job:
        before = job.observe()
        assert job.run(["train"]) == trestle.JobEnd(trestle.exited(4))
        assert clock.now() == trestle.testing.seconds(60)
        assert job.rates(before).cpu == 10_000, "hundredths of a percent of one CPU"


def test_a_step_is_a_job_below_another(memory):
    with enforce.Job(plan_of(), memory) as job:
        for group in ("job_1", "job_10/step_0", "step_0"):
            with pytest.raises(ValueError, match="expected a group below job_1"):
                job.step(plan_of(group))
        with job.step(plan_of("job_1/step_0", 32 * MIB)) as step:
            step.spawn(["task"])
            assert [state.group for state in memory.recover()] == ["job_1", "job_1/step_0"]
        assert [state.group for state in memory.recover()] == ["job_1"]


def test_observe_and_events_are_of_the_group(memory):
    with enforce.Job(plan_of(), memory) as job:
        memory.set_usage("job_1", trestle.ResourceUsage(memory=MIB, at=0, cpu_time=0))
        before = job.observe()
        events = job.events()
        assert [str(event) for event in events.read()] == ["job_1: emptied"]
        job.attach(4711)
        memory.set_usage("job_1", trestle.ResourceUsage(working_set=32 * MIB, at=1_000_000,
                                                cpu_time=500_000, oom_kills=1))
        rates = job.rates(before)
        assert (rates.cpu, rates.memory) == (5_000, 5_000)
        assert [str(event) for event in events.next(0)] == ["job_1: populated", "job_1: oom_kill"]


def test_without_a_cgroup_the_error_says_why_and_what_helps(monkeypatch):
    monkeypatch.setattr(trestle.os, "probe_cgroup", lambda _: trestle.os.CgroupSupport(
        reason="no cgroup v2 hierarchy is mounted"))
    with pytest.raises(trestle.Error) as caught:
        with enforce.Job(plan_of()):
            pytest.fail("there is nothing to enforce it")
    assert caught.value.code == "FAILED_PRECONDITION"
    assert str(caught.value).startswith("no cgroup v2 hierarchy is mounted; expected root, or")
    assert "\n" not in str(caught.value)


def test_commands_run_without_a_cgroup(plain):
    with enforce.Job(loose_plan(), plain) as job:
        assert job.applied.shortfalls
        end = job.run([sys.executable, "-c", "import sys; sys.exit(5)"])
        assert str(end) == "exited, status 5"
        with pytest.raises(LookupError, match="no-such-program"):
            job.run(["no-such-program"])


def test_time_is_kept_by_the_caller_that_waits(plain):
    traced = []
    with enforce.Job(loose_plan(), plain, traced.append) as job:
        end = job.run(["sleep", "600"], end=trestle.EndPolicy(time_limit=0, grace=600))
        assert str(end) == "time_limit, SIGTERM" and trestle.exit_status(end) == 124
    assert traced[-1].detail == "end_signal: SIGTERM to every_process"


def test_a_process_can_be_stopped_and_fits_a_loop_of_ones_own(plain):
    with enforce.Job(loose_plan(), plain) as job:
        process = job.spawn(["sleep", "600"])
        process.set_time_limit(600)
        assert process.fileno() >= 0 and process.poll() is None
        process.stop(trestle.StopCause.shutdown, grace=0)
        assert str(process.wait()) == "shutdown, SIGKILL after the grace"
        assert process.fileno() == -1
        process.stop()
        process.set_time_limit(None)
        with pytest.raises(LookupError):
            process.signal(signal.SIGTERM)


def test_waiting_lets_other_threads_run(plain):
    with enforce.Job(loose_plan(), plain) as job:
        process = job.spawn(["sleep", "600"])
        other = threading.Timer(0.05, os.kill, (process.child.pid, signal.SIGUSR1))
        other.start()
        assert process.wait().outcome.signal_number == signal.SIGUSR1
        other.join()


def test_an_exception_of_a_signal_handler_gets_through_and_nothing_is_left(plain):
    class Interrupted(Exception):
        pass

    def interrupt(*_):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(Interrupted), enforce.Job(loose_plan(), plain) as job:
            process = job.spawn(["sleep", "600"])
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            process.wait()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not is_running(process.child.pid)


def test_a_running_command_does_not_outlive_the_block(plain):
    with enforce.Job(loose_plan(), plain) as job:
        process = job.spawn(["sleep", "600"])
        assert is_running(process.child.pid)
    assert not is_running(process.child.pid)
    assert process.end == trestle.JobEnd(trestle.signaled(signal.SIGKILL))


def test_types_of_the_block_are_known_to_a_strict_checker(tmp_path):
    code = tmp_path / "use.py"
    code.write_text("import trestle\n"
                    "def use(plan: trestle.Plan) -> int:\n"
                    "    with trestle.enforce.Job(plan) as job, job.frozen():\n"
                    "        reveal_type(job.run(['a']))\n"
                    "    return 0\n")
    # A copy with its stubs: mypy reports nothing of what it finds in site-packages.
    shutil.copytree(os.path.dirname(trestle.__file__), tmp_path / "trestle")
    environment = {**os.environ, "MYPYPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir",
                           tmp_path / "cache", code], text=True, capture_output=True,
                          env=environment)
    assert done.returncode == 0, done.stdout
    assert 'Revealed type is "trestle.JobEnd"' in done.stdout
