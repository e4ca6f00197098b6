# SPDX-License-Identifier: Apache-2.0
"""trestle.enforce on a kernel with cgroup v2, which has to be writable:

sh tests/vm/privileged.sh systemd python -m pytest --noconftest tests/python/test_enforce_kernel.py
"""

import os
import signal
import sys
import time
from pathlib import Path

import pytest
import trestle
from trestle import enforce

MIB = 1 << 20
SUPPORT = trestle.os.probe_cgroup()
EATER = "b = bytearray(%d)"  # touches all of it

pytestmark = pytest.mark.skipif(not SUPPORT.is_usable, reason=SUPPORT.reason)


def plan_of(group="job", memory=96 * MIB, **options):
    node = trestle.os.discover().replace(name="here")
    cluster = trestle.Cluster.create(trestle.ClusterParts(nodes=[node]))
    request = trestle.Request(memory=memory)
    policy = trestle.LimitPolicy(requirements=trestle.Requirements(
        swap=trestle.Requirement.best_effort, devices=trestle.Requirement.skip))
    return trestle.plan(node, trestle.place(cluster, request).nodes[0], request, policy,
                        trestle.PlanOptions(group=group, owner=7, **options))


def folder_of(plan):
    return Path(SUPPORT.directory, plan.group)


def python(code):
    return [sys.executable, "-S", "-c", code]


def test_limits_bite_and_ends_are_distinguished():
    plan = plan_of()
    with enforce.Job(plan) as job:
        assert job.verify() == ()
        assert (folder_of(plan) / "memory.max").read_text() == f"{96 * MIB}\n"
        end = job.run(python(EATER % (256 * MIB)))
        assert trestle.reason_of(end) == trestle.EndReason.out_of_memory
        assert str(job.run(python("raise SystemExit(3)"))) == "exited, status 3"
        end = job.run(["sleep", "600"], end=trestle.EndPolicy(time_limit=1, grace=5))
        assert trestle.exit_status(end) == 124 and str(end) == "time_limit, SIGTERM"
        assert job.observe().oom_kills >= 1
    assert not folder_of(plan).exists()


def test_daemons_do_not_outlive_the_block():
    plan = plan_of()
    with pytest.raises(KeyError), enforce.Job(plan) as job:
        job.run(["sh", "-c", "setsid sleep 600 & setsid sleep 600 &"])
        leader = job.spawn(["sleep", "600"])
        daemons = job.enforcer.recover()[0].processes
        assert len(daemons) == 3
        raise KeyError
    assert not folder_of(plan).exists()
    assert leader.end.outcome.signal_number == signal.SIGKILL
    for pid in daemons:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_frozen_stands_still_and_goes_on():
    plan = plan_of()
    count = "import time\nwhile True: time.sleep(0.01)"
    with enforce.Job(plan) as job:
        job.spawn(python(count))
        with job.frozen():
            before = job.observe().cpu_time
            time.sleep(0.5)
            assert job.observe().cpu_time == before
            assert "frozen 1" in (folder_of(plan) / "cgroup.events").read_text()
        assert "frozen 0" in (folder_of(plan) / "cgroup.events").read_text()
        deadline = time.monotonic() + 60
        while job.observe().cpu_time == before:
            assert time.monotonic() < deadline


def test_a_running_job_goes_over_to_another_plan():
    small, large = plan_of(), plan_of(memory=128 * MIB)
    with enforce.Job(small) as job:
        events = job.events()
        assert [str(event) for event in events.read()] == ["job: emptied"]
        process = job.spawn(["sleep", "600"])
        assert [str(event) for event in events.next(60_000_000)] == ["job: populated"]
        assert job.update(large) == trestle.Applied()
        assert (folder_of(large) / "memory.max").read_text() == f"{128 * MIB}\n"
        assert job.verify() == () and process.poll() is None
        (folder_of(large) / "memory.max").write_text("max")
        assert [drift.resource for drift in job.verify()] == ["memory"]


def test_steps_are_groups_below_and_end_first():
    plan = plan_of()
    with enforce.Job(plan) as job:
        with job.step(plan_of("job/step_0", 48 * MIB)) as step:
            end = step.run(python(EATER % (64 * MIB)))
            assert trestle.reason_of(end) == trestle.EndReason.out_of_memory
            assert folder_of(step.plan).exists()
        assert not folder_of(step.plan).exists()
        with job.step(plan_of("job/step_1", 48 * MIB)) as step:
            step.spawn(["sleep", "600"])
    assert not folder_of(plan).exists()


def test_jobs_share_an_enforcer():
    with enforce.Job(plan_of("a")) as one, enforce.Job(plan_of("b"), one.enforcer) as other:
        processes = [job.spawn(["sleep", "0.2"]) for job in (one, other)]
        assert [str(process.wait()) for process in processes] == ["exited, status 0"] * 2
        assert [state.group for state in one.enforcer.recover()] == ["a", "b"]


def test_the_manager_is_where_it_was_when_a_block_has_ended():
    before = Path("/proc/self/cgroup").read_text()
    for _ in range(2):
        with enforce.Job(plan_of()) as job:
            job.run(["true"])
        assert Path("/proc/self/cgroup").read_text() == before
        assert trestle.os.probe_cgroup().directory == SUPPORT.directory


@pytest.mark.skipif(not Path("/run/systemd/system").exists(), reason="systemd is not pid 1")
def test_a_scope_of_systemd_ends_with_its_block():
    options = trestle.os.ScopeOptions(unit="trestle-python.scope")
    with trestle.os.SystemdScope.start(options) as scope:
        assert scope.unit() == "trestle-python.scope"
        folder = Path(scope.directory())
        with enforce.Job(plan_of(), trestle.os.CgroupEnforcer.open(str(folder))) as job:
            assert str(job.run(["true"])) == "exited, status 0"
            assert (folder / "job/memory.max").read_text() == f"{96 * MIB}\n"
        assert folder.exists()
    assert not folder.exists()
    with pytest.raises(KeyError), trestle.os.SystemdScope.start(options):
        raise KeyError
    with pytest.raises(LookupError):
        trestle.os.SystemdScope.adopt(options)
