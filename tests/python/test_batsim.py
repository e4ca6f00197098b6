# SPDX-License-Identifier: Apache-2.0
"""trestle.batsim: the protocol's messages replayed, what is no message, and laws of conversations.

The messages have the form of those in Batsim's docs/protocol.rst, with hosts and jobs of our own.
"""

import heapq
import itertools
import json
import pickle
import random
import socket
import sys
import threading

import pytest
import trestle
from hypothesis import given, settings
from hypothesis import strategies as st
from random_sim import job_lists
from trestle import __main__ as shell
from trestle import batsim, sim

EASY = trestle.Discipline.easy()
FCFS = trestle.Discipline.strict()
CONSERVATIVE = trestle.Discipline.conservative()
CONFIG = {"redis-enabled": False, "redis-hostname": "127.0.0.1", "redis-port": 6379,
          "redis-prefix": "default", "profiles-forwarded-on-submission": False,
          "dynamic-jobs-enabled": False, "dynamic-jobs-acknowledged": False,
          "forward-unknown-events": False, "sched-config": ""}


def event(at, kind, **data):
    return {"timestamp": at, "type": kind, "data": data}


def host(id, **more):
    return {"id": id, "name": f"host{id}", "state": "idle", "properties": {}, **more}


def begins(hosts=4, at=0, **more):
    listed = [host(id) for id in range(hosts)]
    data = {"nb_resources": hosts, "nb_compute_resources": hosts, "nb_storage_resources": 0,
            "allow_compute_sharing": False, "allow_storage_sharing": True, "config": CONFIG,
            "compute_resources": listed, "storage_resources": [],
            "workloads": {"w0": "/a/workload.json"}, "profiles": {"w0": {"d": {"type": "delay"}}}}
    return event(at, "SIMULATION_BEGINS", **{**data, **more})


def submitted(name, res, walltime=None, at=None, **more):
    """Now, where no moment is given."""
    job = {"id": name, "res": res, "profile": "d", **more}
    if walltime is not None:
        job["walltime"] = walltime
    return event(at, "JOB_SUBMITTED", job_id=name, job=job)


def completed(name, at, alloc=None, state="COMPLETED_SUCCESSFULLY"):
    more = {} if alloc is None else {"alloc": alloc}
    return event(at, "JOB_COMPLETED", job_id=name, job_state=state, return_code=0, **more)


def machines(kind, resources, at):
    return event(at, "NOTIFY", type=f"event_machine_{kind}", resources=resources)


def message(now, *events):
    return {"now": now, "events": [{**one, "timestamp": now} if isinstance(one, dict) and (
        one.get("timestamp", 0) is None) else one for one in events]}


def ask(scheduler, now, *events):
    """The answer in short: what is executed where, and what else there is."""
    answer = scheduler.answer(message(now, *events))
    assert answer["now"] == now
    assert all(one["timestamp"] == now for one in answer["events"])
    assert answer == json.loads(json.dumps(answer))
    return [(one["data"]["job_id"], one["data"]["alloc"]) if one["type"] == "EXECUTE_JOB" else
            (one["type"], *one["data"].values()) for one in answer["events"]]


def begun(hosts=4, discipline=EASY, more={}, **options):
    scheduler = batsim.Scheduler(discipline, **options)
    assert ask(scheduler, 0, begins(hosts, **more)) == []
    return scheduler


# Conversations.

def test_a_conversation_from_begin_to_end():
    scheduler = batsim.Scheduler()
    assert scheduler.answer(message(0, begins())) == {"now": 0, "events": []}
    assert scheduler.answer(message(10.0, submitted("w0!1", 4, 100.0, at=10.0))) == {
        "now": 10.0, "events": [{"timestamp": 10.0, "type": "EXECUTE_JOB",
                                 "data": {"job_id": "w0!1", "alloc": "0-3"}}]}
    assert ask(scheduler, 12.5, submitted("w0!2", 1, 12.0, at=11),
               submitted("w0!3", 5, 12.0, at=12.5)) == [("REJECT_JOB", "w0!3")]
    assert ask(scheduler, 23.5, event(23.5, "NOTIFY", type="no_more_static_job_to_submit")) == []
    assert ask(scheduler, 23.5, event(23.5, "NOTIFY", type="no_more_external_event_to_occur")) == []
    assert scheduler.reservations() == {"w0!2": 110}
    assert ask(scheduler, 80.087881, completed("w0!1", 80.087881, "0-3")) == [("w0!2", "0")]
    assert ask(scheduler, 92.087881, completed("w0!2", 92.087881, "0",
                                               "COMPLETED_WALLTIME_REACHED")) == []
    assert not scheduler.is_over
    assert ask(scheduler, 100.0, event(100.0, "SIMULATION_ENDS")) == []
    assert scheduler.is_over
    with pytest.raises(batsim.BadMessage, match=r"^events\[0\]: the simulation is over"):
        ask(scheduler, 101, submitted("w0!4", 1))


def test_the_end_is_answered_without_events():
    assert ask(begun(), 1, submitted("w0!1", 1), submitted("w0!2", 9),
               event(1, "SIMULATION_ENDS")) == []


def test_json_in_and_json_out():
    scheduler = batsim.Scheduler()
    assert json.loads(scheduler.answer_text(json.dumps(message(0, begins())))) == message(0)
    answer = scheduler.answer_text(json.dumps(message(1.5, submitted("w0!é", 2))).encode())
    assert json.loads(answer)["events"][0]["data"] == {"job_id": "w0!é", "alloc": "0-1"}


def test_events_that_tell_a_scheduler_nothing():
    scheduler = begun()
    assert ask(scheduler, 10, event(10, "ANSWER", consumed_energy=12500.0)) == []
    assert ask(scheduler, 25.5, event(25.5, "REQUESTED_CALL")) == []
    assert ask(scheduler, 25.5) == []


def test_killed_jobs_give_back_once():
    scheduler = begun(2)
    ask(scheduler, 0, submitted("w0!1", 1), submitted("w0!2", 1), submitted("w0!3", 2))
    assert ask(scheduler, 10.0, completed("w0!1", 10, state="COMPLETED_KILLED"),
               event(10, "JOB_KILLED", job_ids=["w0!1", "w0!2"], job_progress={
                   "w0!2": {"profile": "d", "progress": 0.52}})) == [("w0!3", "0-1")]
    assert ask(scheduler, 11, event(11, "JOB_KILLED", job_ids=["w0!1"])) == []


def test_dynamic_jobs_are_none():
    scheduler = batsim.Scheduler()
    config = {**CONFIG, "dynamic-jobs-enabled": True}
    assert ask(scheduler, 0, begins(config=config)) == [("NOTIFY", "registration_finished")]


def test_resources_need_not_be_counted_from_0():
    """Storage has a number of its own; an allocation is a canonical interval set."""
    hosts = [host(id) for id in (8, 0, 3, 2, 5)]
    scheduler = begun(5, more={"compute_resources": hosts, "storage_resources": [host(4)]})
    assert ask(scheduler, 1, machines("unavailable", "5 4", 1),
               submitted("w0!1", 4, 9)) == [("w0!1", "0 2-3 8")]
    assert ask(scheduler, 2, completed("w0!1", 2, "2 0-0 8 2-3")) == []


def test_a_platform_that_is_only_counted():
    scheduler = batsim.Scheduler()
    ask(scheduler, 0, event(0, "SIMULATION_BEGINS", nb_resources=3))
    assert ask(scheduler, 0, submitted("w0!1", 3)) == [("w0!1", "0-2")]


# Disciplines.

def four_jobs(discipline):
    """On 4 hosts: 3 taken until 100, all wanted next, then a short and a long one for one host."""
    scheduler = begun(4, discipline)
    assert ask(scheduler, 0, submitted("w0!1", 3, 100)) == [("w0!1", "0-2")]
    return scheduler, ask(scheduler, 1, submitted("all", 4, 50), submitted("long", 1, 100),
                          submitted("short", 1, 99))


def test_easy_backfills_where_first_come_first_served_does_not():
    scheduler, started = four_jobs(FCFS)
    assert started == [] and scheduler.reservations() == {}
    scheduler, started = four_jobs(EASY)
    assert started == [("short", "3")] and scheduler.reservations() == {"all": 100}
    assert ask(scheduler, 100, completed("short", 100), completed("w0!1", 100)) == [("all", "0-3")]


def test_conservative_promises_to_all():
    scheduler, started = four_jobs(CONSERVATIVE)
    assert started == [("short", "3")] and scheduler.reservations() == {"all": 100, "long": 150}


def test_conservative_keeps_what_easy_does_not_promise():
    """A third job that waits behind two is delayed under EASY alone."""
    def wait_of_third(discipline):
        scheduler = begun(4, discipline)
        ask(scheduler, 0, submitted("a", 2, 10), submitted("b", 2, 20))
        ask(scheduler, 1, submitted("c", 4, 10), submitted("d", 2, 10))
        return ask(scheduler, 2, submitted("e", 2, 100))
    assert wait_of_third(EASY) == wait_of_third(CONSERVATIVE) == []


def test_walltime_is_an_estimate_and_has_a_default():
    for given_walltime in (None, -1, -1.0):
        scheduler = begun(2, walltime_default=1000)
        ask(scheduler, 0, submitted("w0!1", 1, given_walltime), submitted("w0!2", 2, 5))
        assert scheduler.reservations() == {"w0!2": 1000}
        assert ask(scheduler, 1, submitted("w0!3", 1, 999), submitted("w0!4", 1, 1000)) == [
            ("w0!3", "1")]
        assert ask(scheduler, 1000, completed("w0!3", 1000)) == []
        assert ask(scheduler, 2000, submitted("w0!5", 1, 1)) == []  # it may end at any moment
        assert scheduler.reservations() == {"w0!2": pytest.approx(2000)}
        assert ask(scheduler, 3000, completed("w0!1", 3000)) == [("w0!2", "0-1")]


def test_a_job_that_outlives_its_walltime_keeps_its_hosts():
    for discipline in (FCFS, EASY, CONSERVATIVE):
        scheduler = begun(2, discipline)
        ask(scheduler, 0, submitted("w0!1", 1, 10), submitted("w0!2", 2, 10))
        for now in (10, 10, 11, 11, 11.000001, 12.5):
            assert ask(scheduler, now) == []
        assert ask(scheduler, 12.5, submitted("w0!3", 1, 10, at=12)) == []
        assert ask(scheduler, 13, completed("w0!1", 13)) == [("w0!2", "0-1")]


def test_a_promise_holds_when_floats_come_late():
    scheduler = begun(4, CONSERVATIVE)
    ask(scheduler, 0.1, submitted("a", 4, 0.2))
    ask(scheduler, 0.2, submitted("b", 4, 5))
    assert scheduler.reservations() == {"b": 0.3}
    late = 0.300004
    assert ask(scheduler, late, completed("a", late)) == [("b", "0-3")]


def test_estimated_waiting_time():
    scheduler = begun(2)
    ask(scheduler, 0, submitted("w0!1", 2, 10), submitted("w0!2", 2, 20))
    for name, res, expected in (("a", 1, 26), ("b", 2, 26), ("c", 3, -1)):
        query = {"estimate_waiting_time": {"job_id": name, "job": {"res": res, "walltime": 12.0}}}
        assert ask(scheduler, 4, event(4, "QUERY", requests=query)) == [
            ("ANSWER", {"job_id": name, "estimated_waiting_time": expected})]


def test_requests_of_ones_own():
    """Fields of the user's own, over features that are the hosts' properties."""
    def request(job):
        return trestle.Request(nodes=job["res"], features=job.get("needs", ()),
                               exclusivity=trestle.Exclusivity.whole_node)
    hosts = [host(id, properties={"rack": "ab"[id % 2], "core": "4"}) for id in range(4)]
    scheduler = begun(4, more={"compute_resources": hosts}, request=request)
    assert ask(scheduler, 0, submitted("w0!1", 2, needs=["rack=b"]),
               submitted("w0!2", 3, needs=["rack=a"])) == [
                   ("REJECT_JOB", "w0!2"), ("w0!1", "1 3")]
    with pytest.raises(ValueError, match="request of w0!3: 7; expected a Request"):
        ask(begun(request=lambda job: 7), 0, submitted("w0!3", 1))


def test_options_choose_the_hosts():
    options = trestle.PlaceOptions(trestle.Policy.random, trestle.PolicyOptions(seed=5))
    drawn = [ask(begun(64, options=options), 1, submitted("w0!1", 3)) for _ in range(2)]
    assert drawn[0] == drawn[1] != ask(begun(64), 1, submitted("w0!1", 3)) == [("w0!1", "0-2")]


# Machines that fail.

def test_a_machine_that_fails_and_comes_back():
    scheduler = begun(4)
    assert ask(scheduler, 1, machines("unavailable", "0 2-3", 1)) == []
    assert ask(scheduler, 2, submitted("w0!1", 2, 10), submitted("w0!2", 1, 100)) == [
        ("w0!2", "1")]
    assert ask(scheduler, 3, machines("available", "2-3", 3)) == [("w0!1", "2-3")]


def test_a_job_on_a_machine_that_fails_runs_on():
    scheduler = begun(2)
    ask(scheduler, 0, submitted("w0!1", 2, 10))
    assert ask(scheduler, 1, machines("unavailable", "0", 1), submitted("w0!2", 1, 10)) == []
    assert ask(scheduler, 5, completed("w0!1", 5, "0-1", "COMPLETED_RESOURCE_FAILED")) == [
        ("w0!2", "1")]
    assert ask(scheduler, 6, submitted("w0!3", 2), submitted("w0!4", 1)) == []
    assert ask(scheduler, 7, completed("w0!2", 7), machines("available", "0", 7)) == [
        ("w0!3", "0-1")]


@pytest.mark.parametrize("name", ["easy", "conservative"])
def test_promises_are_made_anew_when_a_machine_fails(name):
    scheduler = begun(4, getattr(trestle.Discipline, name)())
    ask(scheduler, 0, submitted("w0!1", 2, 10), submitted("w0!2", 2, 30), submitted("w0!3", 3, 5))
    assert scheduler.reservations() == {"w0!3": 30}
    ask(scheduler, 1, machines("unavailable", "3", 1))
    assert scheduler.reservations() == {"w0!3": 30}
    ask(scheduler, 2, machines("unavailable", "0", 2))
    assert scheduler.reservations() == {}
    assert ask(scheduler, 3, machines("available", "0", 3)) == []
    assert scheduler.reservations() == {"w0!3": 30}


def test_power_states():
    properties = {"watt_per_state": "95:190, 9:9, 120:120, 100:100", "sleep_pstates": "1:3:2"}
    hosts = [host(0, properties=properties), host(1, properties=properties, state="sleeping")]
    scheduler = begun(2, more={"compute_resources": hosts})
    assert ask(scheduler, 0, submitted("w0!1", 2, 10)) == []
    for state, now in (("switching_on", 1), ("2", 2), (1, 3)):
        assert ask(scheduler, now, event(now, "RESOURCE_STATE_CHANGED", resources="1",
                                         state=state)) == []
    assert ask(scheduler, 4, event(4, "RESOURCE_STATE_CHANGED", resources="0-1", state="0")) == [
        ("w0!1", "0-1")]


def test_a_machine_may_be_out_for_two_reasons():
    scheduler = begun(1)
    ask(scheduler, 1, machines("unavailable", "0", 1),
        event(1, "RESOURCE_STATE_CHANGED", resources="0", state="sleeping"))
    assert ask(scheduler, 2, machines("available", "0", 2), submitted("w0!1", 1)) == []
    assert ask(scheduler, 3, event(3, "RESOURCE_STATE_CHANGED", resources="0",
                                   state="idle")) == [("w0!1", "0")]


# What is no message.

JOB = {"id": "w0!9", "res": 1, "walltime": 12.0}
BAD = [
    (7, "message: 7; expected an object"),
    ({"events": []}, "message: no now; expected one"),
    ({"now": 20}, "message: no events; expected one"),
    ({"now": 20, "events": {}}, "events: {}; expected a list"),
    ({"now": "20", "events": []}, "now: '20'; expected seconds from 0 to 4000000000"),
    ({"now": True, "events": []}, "now: True; expected seconds from 0"),
    ({"now": float("nan"), "events": []}, "now: nan; expected seconds from 0"),
    ({"now": 10**400, "events": []}, "expected seconds from 0 to 4000000000"),
    ({"now": 9.5, "events": []}, "now: 9.5; expected 10, the last message's, or more"),
    (message(20, 5), "events[0]: 5; expected an object"),
    (message(20, {"type": "REQUESTED_CALL", "data": {}}), "events[0]: no timestamp; expected one"),
    (message(20, {"timestamp": 20, "data": {}}), "events[0]: no type; expected one"),
    (message(20, {"timestamp": 20, "type": "REQUESTED_CALL"}), "events[0]: no data; expected one"),
    (message(20, {"timestamp": 20, "type": "REQUESTED_CALL", "data": None}),
     "events[0].data: None; expected an object"),
    (message(20, event(21, "REQUESTED_CALL")), "events[0].timestamp: 21; expected seconds from 0,"),
    (message(20, event(-1, "REQUESTED_CALL")), "events[0].timestamp: -1; expected seconds"),
    (message(20, event(19, "REQUESTED_CALL"), event(18, "REQUESTED_CALL")),
     "events[1].timestamp: 18; expected seconds from 19, of the event before, to 20"),
    (message(20, event(20, "NOP")), "events[0].type: 'NOP'; expected one of SIMULATION_BEGINS, "),
    (message(20, event(20, "EXECUTE_JOB", job_id="w0!1", alloc="0")), "events[0].type: 'EXECUTE_"),
    (message(20, event(20, 5)), "events[0].type: 5; expected one of"),
    (message(20, begins()), "events[0].data: SIMULATION_BEGINS again; expected it once"),
    (message(20, event(20, "SIMULATION_ENDS"), event(20, "REQUESTED_CALL")),
     "events[1]: the simulation is over; expected no more events"),
    (message(20, event(20, "JOB_SUBMITTED", job=JOB)), "events[0].data: no job_id; expected one"),
    (message(20, event(20, "JOB_SUBMITTED", job_id=3, job=JOB)), "data.job_id: 3; expected a text"),
    (message(20, event(20, "JOB_SUBMITTED", job_id="w0!9")),
     "events[0].data: no job; expected that of w0!9: Batsim has to be run without Redis"),
    (message(20, event(20, "JOB_SUBMITTED", job_id="w0!9", job=[])), "data.job: []; expected an"),
    (message(20, event(20, "JOB_SUBMITTED", job_id="w0!9", job={})), "data.job: no res; expected"),
    (message(20, submitted("w0!9", 0)), "data.job.res: 0; expected a whole number from 1"),
    (message(20, submitted("w0!9", 1.0)), "data.job.res: 1.0; expected a whole number from 1"),
    (message(20, submitted("w0!9", True)), "data.job.res: True; expected a whole number from 1"),
    (message(20, submitted("w0!9", 1, 0)), "job.walltime: 0; expected seconds above 0, or -1"),
    (message(20, submitted("w0!9", 1, "5")), "job.walltime: '5'; expected seconds above 0, or -1"),
    (message(20, submitted("w0!9", 1, float("inf"))), "job.walltime: inf; expected seconds"),
    (message(20, submitted("w0!1", 1)), "job_id: w0!1 was submitted before; expected another id"),
    (message(20, submitted("w0!0", 1)), "job_id: w0!0 was submitted before; expected another id"),
    (message(20, submitted("w0!9", 1), submitted("w0!9", 1)), "events[1].data.job_id: w0!9 was"),
    (message(20, completed("w0!9", 20)), "events[0].data.job_id: 'w0!9'; expected a job that runs"),
    (message(20, completed("w0!0", 20)), "events[0].data.job_id: 'w0!0'; expected a job that runs"),
    (message(20, completed("w0!2", 20)), "events[0].data.job_id: 'w0!2'; expected a job that runs"),
    (message(20, completed("w0!1", 20), completed("w0!1", 20)), "events[1].data.job_id: 'w0!1'"),
    (message(20, submitted("w0!9", 1), completed("w0!9", 20)), "events[1].data.job_id: 'w0!9'"),
    (message(20, completed("w0!1", 20, state="RUNNING")), "job_state: 'RUNNING'; expected one"),
    (message(20, completed("w0!1", 20, "1-3")), "alloc: '1-3'; expected 0-2, as the job was exec"),
    (message(20, completed("w0!1", 20, "0-9")), "alloc: resource 4; expected one that SIMULATION_"),
    (message(20, completed("w0!1", 20, "2-0")), "alloc: '2-0'; expected resources upwards, not"),
    (message(20, completed("w0!1", 20, "0,1,2")), "alloc: '0,1,2'; expected resources as 1-3 5 7"),
    (message(20, completed("w0!1", 20, "0-1  2")), "alloc: '0-1  2'; expected resources as 1-3 5"),
    (message(20, completed("w0!1", 20, "0-999999999")), "alloc: resource 4; expected one that"),
    (message(20, event(20, "JOB_KILLED", job_ids="w0!1")), "job_ids: 'w0!1'; expected a list"),
    (message(20, event(20, "JOB_KILLED", job_ids=["w0!1", "w"])), "job_ids[1]: 'w'; expected a"),
    (message(20, event(20, "JOB_KILLED", job_ids=["w0!2"])), "'w0!2'; expected a job that runs"),
    (message(20, machines("unavailable", "", 20)), "resources: ''; expected a text"),
    (message(20, machines("available", "7", 20)), "resources: resource 7; expected one that"),
    (message(20, event(20, "NOTIFY", type="event_machine_available")), "data: no resources; expec"),
    (message(20, event(20, "NOTIFY", type="snow")), "data.type: 'snow'; expected one of no_more"),
    (message(20, event(20, "NOTIFY")), "data: no type; expected one"),
    (message(20, event(20, "RESOURCE_STATE_CHANGED", resources="0", state="on")),
     "data.state: 'on'; expected the number of a power state, or one of idle, computing, sleeping"),
    (message(20, event(20, "QUERY", requests={"consumed_energy": {}})),
     "data.requests.consumed_energy: consumed_energy; expected estimate_waiting_time"),
]


@pytest.mark.parametrize("words, expected", BAD, ids=range(len(BAD)))
def test_a_bad_message_says_where_and_what_and_changes_nothing(words, expected):
    """The rest of the conversation goes on as if it had not come, also what it did rightly."""
    def talk(bad=None):
        scheduler = begun()
        ask(scheduler, 0, submitted("w0!0", 9), submitted("w0!1", 3, 100))
        ask(scheduler, 10, submitted("w0!2", 4, 10), machines("unavailable", "3", 10))
        if bad is not None:
            with pytest.raises(batsim.BadMessage) as caught:
                scheduler.answer(bad)
            assert expected in str(caught.value)
        return [ask(scheduler, 10.5, submitted("w0!8", 1, 80), machines("available", "3", 10.5)),
                ask(scheduler, 20, event(20, "REQUESTED_CALL"), submitted("w0!9", 1, 1)),
                ask(scheduler, 100, completed("w0!1", 100)), scheduler.reservations(),
                ask(scheduler, 101, completed("w0!8", 101)), scheduler.reservations(),
                scheduler.is_over]
    rightly = [submitted("w0!5", 2, 7, at=0), machines("available", "0-3", 0), completed("w0!1", 0)]
    assert talk(words) == talk()
    if isinstance(words, dict) and words.get("events") and "events[0]" in expected and (
            "'w0!1'" not in expected and "w0!1" not in json.dumps(words)):
        later = {**words, "events": rightly + words["events"]}
        expected = expected.replace("events[0]", "events[3]")
        assert talk(later) == talk()


BAD_PLATFORMS = [
    ({"compute_resources": None, "nb_compute_resources": None, "nb_resources": None},
     "events[0].data: no compute_resources; expected a list of them, or how many there are"),
    ({"compute_resources": []}, "compute_resources: []; expected one or more"),
    ({"compute_resources": {}}, "compute_resources: {}; expected a list"),
    ({"nb_compute_resources": 3}, "nb_compute_resources: 3; expected 4, as many as compute"),
    ({"nb_compute_resources": 0, "compute_resources": None}, "0; expected a whole number from 1"),
    ({"compute_resources": [host(0), {}]}, "compute_resources[1]: no id; expected one"),
    ({"compute_resources": [host(0), host("1")]}, "compute_resources[1].id: '1'; expected a whole"),
    ({"compute_resources": [host(0), host(-1)]}, "compute_resources[1].id: -1; expected a whole"),
    ({"compute_resources": [host(0), host(0)]}, "compute_resources[1].id: 0 stands twice"),
    ({"compute_resources": [host(0), host(1, name="host0")], "nb_compute_resources": 2},
     "compute_resources[1]: name host0 is that of resource 0 too; expected another"),
    ({"compute_resources": [host(0, name=7)], "nb_compute_resources": 1}, "name: 7; expected a"),
    ({"compute_resources": [host(0, state="on")], "nb_compute_resources": 1},
     "compute_resources[0].state: 'on'; expected one of idle, computing"),
    ({"compute_resources": [host(0, properties={"a": []})], "nb_compute_resources": 1},
     "compute_resources[0].properties.a: []; expected a text or a number"),
    ({"compute_resources": [host(0, properties={"sleep_pstates": "1:2"})],
      "nb_compute_resources": 1}, "sleep_pstates: '1:2'; expected power states as 13:14:15"),
    ({"storage_resources": [host(2)]}, "storage_resources[0].id: 2 stands twice; expected each"),
    ({"config": 3}, "config: 3; expected an object"),
    ({"config": {"dynamic-jobs-enabled": 1}}, "dynamic-jobs-enabled: 1; expected true or false"),
]


@pytest.mark.parametrize("more, expected", BAD_PLATFORMS, ids=range(len(BAD_PLATFORMS)))
def test_a_bad_platform(more, expected):
    scheduler = batsim.Scheduler()
    with pytest.raises(batsim.BadMessage) as caught:
        scheduler.answer(message(5, begins(**more)))
    assert expected in str(caught.value)
    assert ask(scheduler, 0, begins(), submitted("w0!1", 4)) == [("w0!1", "0-3")]


def test_the_simulation_begins_first():
    with pytest.raises(batsim.BadMessage, match=r"^events\[0\]: JOB_SUBMITTED; expected SIM"):
        ask(batsim.Scheduler(), 0, submitted("w0!1", 1), begins())


def test_unknown_notices_are_known_when_batsim_forwards_them():
    scheduler = begun(more={"config": {**CONFIG, "forward-unknown-events": True}})
    assert ask(scheduler, 1, event(1, "NOTIFY", type="snow", depth=3)) == []
    with pytest.raises(batsim.BadMessage, match="type: 5; expected a text"):
        ask(scheduler, 2, event(2, "NOTIFY", type=5))


@pytest.mark.parametrize("text, expected", [
    ("", "message: offset 0: Expecting value; expected JSON"),
    ('{"now": 1,}', "message: offset 10: Expecting property name enclosed in double quotes"),
    (b'{"now": \xff}', "expected JSON in UTF-8"), ("[" * 10**6, "expected JSON"),
    ("1" * 10**5, "expected JSON"), ("[]", "message: []; expected an object"),
    ('{"now": NaN, "events": []}', "now: nan; expected seconds")])
def test_what_is_no_json(text, expected):
    with pytest.raises(batsim.BadMessage) as caught:
        batsim.Scheduler().answer_text(text)
    assert expected in str(caught.value)


def test_a_bad_message_is_a_value_error_that_can_be_pickled():
    error = batsim.BadMessage("events[0]", "what")
    copied = pickle.loads(pickle.dumps(error))
    assert isinstance(copied, ValueError) and str(copied) == "events[0]: what"
    assert (copied.where, copied.what) == ("events[0]", "what")


def test_a_walltime_that_is_none_is_no_default():
    for seconds in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="walltime_default: .*; expected seconds above 0"):
            batsim.Scheduler(walltime_default=seconds)


# Laws, with a Batsim that is played.

class Batsim:
    """Runs jobs of trestle.sim for as long as they take, at most for their limit.

    All that happens at a moment is in one message, in the order of trestle.sim; where `is_split`,
    each in one of its own. `outages` are (host, from, to). Ends come `late` seconds late. What is
    executed must be as it can be.
    """

    def __init__(self, jobs, hosts, discipline, outages=(), is_split=False, unit=1, late=0):
        self.scheduler, self.late = batsim.Scheduler(discipline), late
        self.jobs, self.free, self.is_split, self.unit = jobs, set(range(hosts)), is_split, unit
        self.out, self.heap, self.count = set(), [], itertools.count()
        self.start, self.hosts, self.end, self.reserved, self.calls = {}, {}, {}, {}, []
        for job in jobs:
            self.add(job.arrival, 3, submitted(f"w0!{job.id}", job.request.nodes.min,
                                               job.limit * unit))
        for one, first, last in outages:
            self.add(first, 2, machines("unavailable", str(one), None))
            self.add(last, 1, machines("available", str(one), None))
        self.ask(0, [begins(hosts)])

    def add(self, at, rank, what):
        heapq.heappush(self.heap, (at, rank, next(self.count), what))

    def run(self):
        while self.heap:
            now, events = self.heap[0][0], []
            while self.heap and self.heap[0][0] == now and not (self.is_split and events):
                events.append(heapq.heappop(self.heap)[3])
            for one in events:
                self.happen(now, one["type"], one["data"])
            self.ask(now, [{**one, "timestamp": now * self.unit} for one in events])
        assert self.start.keys() == self.end.keys() == {job.id for job in self.jobs}
        self.ask(now, [event(now * self.unit, "SIMULATION_ENDS")])
        assert self.scheduler.is_over
        return self

    def happen(self, now, kind, data):
        if kind == "JOB_COMPLETED":
            id = int(data["job_id"][3:])
            self.end[id] = now
            self.free |= self.hosts[id]
        if kind == "NOTIFY":
            (self.out.add if "un" in data["type"] else self.out.discard)(int(data["resources"]))

    def ask(self, now, events):
        answer = self.scheduler.answer({"now": now * self.unit, "events": events})
        assert answer["now"] >= now * self.unit
        for one in answer["events"]:
            assert now * self.unit <= one["timestamp"] <= answer["now"]
            data = one["data"]
            if one["type"] == "CALL_ME_LATER":
                assert self.unit == 1 and data["timestamp"] > now
                self.calls.append(int(data["timestamp"]))
                assert self.calls[-1] == data["timestamp"]
                self.add(self.calls[-1], 4, event(None, "REQUESTED_CALL"))
                continue
            assert one["type"] == "EXECUTE_JOB"
            job = self.jobs[int(data["job_id"][3:])]
            hosts = set(trestle.NodeSet.from_str(data["alloc"]))
            assert len(hosts) == job.request.nodes.min and hosts <= self.free - self.out
            assert job.id not in self.start and job.arrival <= now
            self.start[job.id], self.hosts[job.id] = now, hosts
            self.free -= hosts
            self.add(now + min(job.limit, job.runtime) + self.late, 0, completed(
                data["job_id"], None, data["alloc"], "COMPLETED_WALLTIME_REACHED"
                if job.runtime > job.limit else "COMPLETED_SUCCESSFULLY"))
        for name, start in self.scheduler.reservations().items():
            self.reserved.setdefault(int(name[3:]), start / self.unit)


HOSTS = 5
REQUESTS = [trestle.Request(nodes=count, exclusivity=trestle.Exclusivity.whole_node)
            for count in range(1, HOSTS + 1)]
DISCIPLINES = [FCFS, EASY, CONSERVATIVE, trestle.Discipline.easy(trestle.QueueOrder.shortest_first)]


def simulated(jobs, discipline):
    cluster = trestle.Cluster.from_text(f"{HOSTS} x (1c)")
    result = sim.simulate(cluster, jobs, discipline)
    return ({one.job.id: one.period.start for one in result.attempts},
            {one.job.id: {part.node for part in one.placement.nodes} for one in result.attempts})


@settings(max_examples=300)
@given(job_lists(REQUESTS, 18), st.integers(0, len(DISCIPLINES) - 1))
def test_law_a_conversation_is_what_the_simulator_says(jobs, discipline):
    played = Batsim(jobs, HOSTS, DISCIPLINES[discipline]).run() if jobs else None
    assert not jobs or (played.start, played.hosts) == simulated(jobs, DISCIPLINES[discipline])


@settings(max_examples=150)
@given(job_lists(REQUESTS, 18), st.integers(0, len(DISCIPLINES) - 1), st.booleans(),
       st.lists(st.tuples(st.integers(0, 80), st.integers(1, 40)), max_size=HOSTS))
def test_law_each_job_runs_once_on_hosts_of_its_own(jobs, discipline, is_split, outages):
    """Batsim looks at it, also where hosts fail."""
    downs = [(one, first, first + length) for one, (first, length) in enumerate(outages)]
    if jobs:
        Batsim(jobs, HOSTS, DISCIPLINES[discipline], downs, is_split).run()


@given(job_lists(REQUESTS, 18), st.booleans())
def test_law_first_come_first_served(jobs, is_split):
    if jobs:
        start = Batsim(jobs, HOSTS, FCFS, is_split=is_split).run().start
        assert [start[job.id] for job in jobs] == sorted(start.values())


@given(job_lists(REQUESTS, 18), st.booleans(), st.booleans())
def test_law_no_job_starts_later_than_promised(jobs, is_easy, is_split):
    """Under EASY the first of the queue, under conservative all."""
    if jobs:
        discipline = EASY if is_easy else CONSERVATIVE
        played = Batsim(jobs, HOSTS, discipline, is_split=is_split).run()
        assert all(played.start[job] <= start for job, start in played.reserved.items())


@pytest.mark.parametrize("more", [{}, {"is_split": True}, {"late": 4e-7}], ids=str)
def test_law_conservative_promises_are_kept_in_long_conversations(more):
    """Also where ends are told behind what came at their moment, or late as sums of floats are."""
    for seed in range(80):
        rng = random.Random(seed)
        limits = [rng.randrange(1, 30) for _ in range(25)]
        jobs = [sim.Job(number, rng.randrange(100), REQUESTS[rng.randrange(HOSTS)], limit,
                        rng.choice([limit, limit, rng.randrange(limit + 1)]))
                for number, limit in enumerate(limits)]
        played = Batsim(jobs, HOSTS, CONSERVATIVE, **more).run()
        assert not played.calls
        for job, start in played.reserved.items():
            assert played.start[job] <= start + (1e-5 if "late" in more else 0)


@given(job_lists(REQUESTS, 18), st.integers(0, len(DISCIPLINES) - 2), st.floats(0.01, 1000))
def test_law_moments_are_floats(jobs, discipline, unit):
    """In another unit of time, rounded as floats are, the same happens."""
    if jobs and not Batsim(jobs, HOSTS, DISCIPLINES[discipline]).run().calls:
        played = Batsim(jobs, HOSTS, DISCIPLINES[discipline], unit=unit).run()
        assert (played.start, played.hosts) == simulated(jobs, DISCIPLINES[discipline])


def test_call_me_later_where_a_promise_begins_and_no_walltime_ends():
    """Jobs without a walltime, estimated to take 20: at 23 one has ended early, the next is held to
    24 by those behind it, and at 24 nothing else happens."""
    scheduler = begun(5, CONSERVATIVE, walltime_default=20)
    assert ask(scheduler, 4, submitted("a", 4), submitted("b", 1)) == [("a", "0-3"), ("b", "4")]
    assert ask(scheduler, 6, submitted("c", 1), submitted("d", 5)) == []
    assert ask(scheduler, 11, submitted("e", 1, 8), submitted("f", 3)) == []
    assert ask(scheduler, 23, completed("b", 23)) == [("CALL_ME_LATER", 24)]
    assert ask(scheduler, 23) == []  # once is enough
    assert ask(scheduler, 23.5, event(23.5, "REQUESTED_CALL")) == [("CALL_ME_LATER", 24)]
    assert ask(scheduler, 24, event(24, "REQUESTED_CALL")) == [("c", "4")]


# From the shell.

def test_batsim_over_a_socket():
    """A REQ socket, as Batsim has one."""
    zmq = pytest.importorskip("zmq", reason="no pyzmq: NO SOCKET IS TESTED")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    served = threading.Thread(target=shell.main, args=(["batsim", "--socket", address],))
    served.start()
    with zmq.Context() as context, context.socket(zmq.REQ) as asking:
        asking.setsockopt(zmq.LINGER, 0)
        asking.setsockopt(zmq.RCVTIMEO, 10_000)
        asking.connect(address)
        answers = []
        for one in (message(0, begins()), message(1, submitted("w0!1", 2)),
                    message(2, completed("w0!1", 2)), message(3, event(3, "SIMULATION_ENDS"))):
            asking.send(json.dumps(one).encode())
            answers.append(json.loads(asking.recv()))
    served.join(10)
    assert not served.is_alive()
    assert [one["now"] for one in answers] == [0, 1, 2, 3]
    assert [len(one["events"]) for one in answers] == [0, 1, 0, 0]


def test_the_shell_helps(capsys):
    with pytest.raises(SystemExit) as ended:
        shell.main(["batsim", "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert "usage: " in shown and "{fcfs,easy,conservative}" in shown


def test_the_shell_says_what_is_wrong(capsys, monkeypatch):
    pytest.importorskip("zmq", reason="no pyzmq: NO SOCKET IS TESTED")
    assert shell.main(["batsim", "--socket", "nowhere"]) == 2
    assert "nowhere: " in capsys.readouterr().err
    assert shell.main(["batsim", "--walltime", "0"]) == 2
    assert "walltime_default: 0.0; expected seconds above 0" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "zmq", None)
    assert shell.main(["batsim", "--discipline", "fcfs", "--policy", "best_fit"]) == 2
    assert "zmq is not installed: pip install 'trestle[batsim]'" in capsys.readouterr().err


@pytest.mark.parametrize("discipline", ["easy", 5, None])
def test_a_discipline_is_one(discipline):
    with pytest.raises(TypeError, match="discipline: .*expected a Discipline"):
        batsim.Scheduler(discipline)
