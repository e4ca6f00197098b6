# SPDX-License-Identifier: Apache-2.0
import trestle
from scheduler import Scheduler
from trestle.testing import ManualClock, MemoryPoint, Script, ScriptedEnforcer, seconds

pytest_plugins = ["trestle.pytest_plugin"]  # readable differences of placements and plans


def test_a_job_waits_for_the_gpu_and_gets_it_when_the_first_is_killed_for_memory() -> None:
    clock = ManualClock()
    enforcer = ScriptedEnforcer(clock)
    enforcer.set_script("greedy", Script(duration=seconds(60), memory=[MemoryPoint(seconds(5), trestle.gib(3))]))
    scheduler = Scheduler(trestle.Cluster.from_text("2 x (4c mem=8G gpu:1)"), enforcer)
    request = trestle.Request(memory=trestle.gib(2), devices=[trestle.DeviceRequest("gpu")])
    jobs = [scheduler.submit(request, "greedy") for _ in range(3)]
    scheduler.tick()
    assert len(scheduler.waiting) == 1  # three jobs, two GPUs
    clock.advance(seconds(5))
    scheduler.tick()
    assert scheduler.ended[jobs[0]].ending == trestle.Ending.out_of_memory
    (last,) = [a for a in scheduler.cluster.allocations() if a.owner == jobs[2]]
    assert last.placement.nodes[0].node == 0
