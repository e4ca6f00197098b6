# SPDX-License-Identifier: Apache-2.0
"""batsim_edc.py BATSIM_EDC BATSIM_EDC_FLAGS: loads the two libraries as Batsim does, replays the recorded
messages of batsim_edc.jsonl, and sends messages that the protocol does not have.

Each line of the recording has what Batsim sends (`asked`) and what the component answers (`answered`).
With TRESTLE_UPDATE_GOLDEN=1 the answers are written anew.
"""

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import unittest

NEW, OLD = (pathlib.Path(one) for one in sys.argv[1:3])
RECORDING = pathlib.Path(__file__).with_suffix(".jsonl")
BYTES, UINT = ctypes.POINTER(ctypes.c_uint8), ctypes.c_uint32
JSON = 2


class Component:
    """A library, initialized."""

    def __init__(self, path, init=b""):
        self.library = ctypes.CDLL(str(path))
        self.library.batsim_edc_init.restype = ctypes.c_uint8
        self.library.batsim_edc_take_decisions.restype = ctypes.c_uint8
        if path == OLD:
            self.status = self.library.batsim_edc_init(init, UINT(len(init)), UINT(JSON))
            return
        flags, data, size = UINT(0), BYTES(), UINT(0)
        self.status = self.library.batsim_edc_init(init, UINT(len(init)), ctypes.byref(flags),
                                                   ctypes.byref(data), ctypes.byref(size))
        if self.status == 0:
            assert flags.value == JSON
            self.greeting = read(data, size)

    def answer(self, message):
        """The reply to bytes; None: an error."""
        data, size = BYTES(), UINT(0)
        status = self.library.batsim_edc_take_decisions(message, UINT(len(message)), ctypes.byref(data),
                                                        ctypes.byref(size))
        return read(data, size) if status == 0 else None


def read(data, size):
    assert data[size.value] == 0
    return json.loads(bytes(data[:size.value]))


def event(type, moment=0, **data):
    return {"timestamp": moment, "event_type": type, "event": data}


def message(now, *events):
    return json.dumps({"now": now, "events": events}).encode()


BEGINS = event("SimulationBeginsEvent", computation_host_number=4)


def submitted(id="w!1", hosts=1, walltime=10, moment=0):
    return event("JobSubmittedEvent", moment, job_id=id, submission_time=moment,
                 job={"resource_request": hosts, "walltime": walltime, "profile_id": "w!p"})


BAD_INIT = [
    (b"{", "message: no JSON"), (b"[]", "init: expected an object"), (b'{"color": 1}', "init: color; expected discipline"),
    (b'{"discipline": "lifo"}', 'init.discipline: "lifo"; expected fcfs, easy or conservative'),
    (b'{"walltime_default": 0}', "init.walltime_default: 0; expected seconds")]
BAD = [  # what comes after SimulationBeginsEvent, and what is said of it
    (b"{", "message: no JSON"), (b"", "message: no JSON"), (b"[]", "message: expected an object"),
    (b"{}", "message: no now; expected one"), (b'{"now": 1}', "message: no events"), (b"\xff", "message: no JSON"),
    (b'{"now": "x", "events": []}', 'now: "x"; expected seconds'), (b'{"now": -1, "events": []}', "now: -1; expected"),
    (b'{"now": 1e300, "events": []}', "now: 1e+300; expected"), (b'{"now": 1, "events": {}}', "events: expected a list"),
    (message(1, 5), "events[0]: expected an object"), (message(1, {}), "events[0]: no timestamp"),
    (message(1, {"timestamp": 0}), "events[0]: no event_type"), (message(1, event("X", 2)), "events[0].timestamp: after now"),
    (message(1, event("ProbeDataEmittedEvent", 1), event("ProbeDataEmittedEvent", 0)), "events[1].timestamp: 0; expected"),
    (message(1, event("DanceEvent")), "events[0].event_type: DanceEvent; expected an event that Batsim sends"),
    (message(1, {"timestamp": 0, "event_type": 5}), "events[0].event_type: 5; expected a text"),
    (message(1, {"timestamp": 0, "event_type": "JobSubmittedEvent"}), "events[0]: no event; expected one"),
    (message(1, BEGINS), "events[0].event: SimulationBeginsEvent again"),
    (message(1, event("JobSubmittedEvent", job_id="")), 'events[0].event.job_id: ""; expected a text'),
    (message(1, event("JobSubmittedEvent", job_id="a")), "events[0].event: no job"),
    (message(1, event("JobSubmittedEvent", job_id="a", job={})), "events[0].event.job: no resource_request"),
    *((message(1, submitted(hosts=hosts)), "resource_request: ") for hosts in (0, -1, 1.5, "2", None, [[]], 2**63, True)),
    *((message(1, submitted(walltime=walltime)), "job.walltime: ") for walltime in (-2, "1h", [], False)),
    (message(1, submitted(), submitted()), "events[1].event.job_id: w!1 was submitted before"),
    (message(1, event("JobCompletedEvent", job_id="w!9")), "w!9; expected a job that runs"),
    (message(1, event("JobsKilledEvent", job_ids="w!9")), "job_ids: expected a list"),
    (message(1, event("JobsKilledEvent", job_ids=[5])), "job_ids: 5; expected a text"),
    (message(1, submitted(walltime=[[0] * 99])), "walltime: a JSON array; expected seconds"),
    (b'{"now": 1, "events": ' + b"[" * 20_000 + b"]" * 20_000 + b"}", "events[0]: expected an object")]
BAD_BEGINS = [
    ({}, "no computation_host_number"), ({"computation_host_number": 0}, "computation_host_number: 0; expected"),
    ({"computation_host_number": 2_000_000}, "expected a whole number from 1 to 1000000"),
    ({"computation_host_number": 2, "computation_hosts": [{"id": 0}]}, "expected a list of 2 hosts"),
    ({"computation_host_number": 2, "computation_hosts": [{"id": 1}, {"id": 1}]}, "an id twice"),
    ({"computation_host_number": 1, "computation_hosts": [{}]}, "no id")]


class Messages(unittest.TestCase):
    def test_the_recording(self):
        lines = [json.loads(line) for line in RECORDING.read_text().splitlines()]
        found, component = [], None
        for line in lines:
            if "init" in line:
                component = Component(NEW, json.dumps(line["init"]).encode() if line["init"] else b"")
                component.greeting["events"][0]["event"]["decision_component_version"] = "VERSION"
                found.append({"init": line["init"], "answered": component.greeting})
            else:
                zero = b"\0" if len(found) % 2 else b""  # Batsim counts it in some versions
                found.append({"asked": line["asked"],
                              "answered": component.answer(json.dumps(line["asked"]).encode() + zero)})
        if os.environ.get("TRESTLE_UPDATE_GOLDEN", "0") not in ("", "0"):
            RECORDING.write_text("".join(json.dumps(line) + "\n" for line in found))
        self.assertEqual(found, lines)

    def test_a_greeting_in_the_first_message(self):
        component = Component(OLD)
        self.assertEqual(component.status, 0)
        answer = component.answer(message(0, event("BatsimHelloEvent", batsim_version="5.0.0")))
        self.assertEqual(answer["events"], Component(NEW).greeting["events"])
        self.assertEqual(component.answer(message(0, BEGINS, submitted()))["events"][0]["event"]["job_id"], "w!1")

    def test_a_new_begin_forgets_the_last_simulation(self):
        for _ in range(2):
            component = Component(NEW)
            self.assertEqual(len(component.answer(message(0, BEGINS, submitted()))["events"]), 1)
            self.assertEqual(component.library.batsim_edc_deinit(), 0)
        self.assertIsNone(component.answer(message(0)))

    def test_many_jobs_leave_no_host_twice(self):
        component, hosts, running, order = Component(NEW), 64, {}, 12345
        component.answer(message(0, event("SimulationBeginsEvent", computation_host_number=hosts)))
        for now in range(1, 400):
            events = []
            for id in [id for id in running if id % 7 == now % 7]:
                events.append(event("JobCompletedEvent", now, job_id=f"w!{id}", state="COMPLETED_SUCCESSFULLY"))
                del running[id]
            order = order * 1103515245 % 2**31
            events.append(submitted(f"w!{now}", 1 + order % 20, 1 + order % 9, now))
            for one in component.answer(message(now, *events))["events"]:
                taken = set()
                for run in one["event"]["allocation"]["host_allocation"].split():
                    first, _, last = run.partition("-")
                    taken |= set(range(int(first), int(last or first) + 1))
                self.assertFalse(taken & set().union(*running.values()))
                running[int(one["event"]["job_id"][2:])] = taken


def said(path, init, *messages):
    """What a process with the library prints, and whether its last call failed."""
    program = (f"import sys; sys.argv[1:] = {[str(NEW), str(OLD)]!r}; sys.path.insert(0, {str(RECORDING.parent)!r})\n"
               f"import batsim_edc, pathlib\ncomponent = batsim_edc.Component(pathlib.Path({str(path)!r}), {init!r})\n"
               "failed = component.status\n"
               f"for one in {list(messages)!r}: failed = component.answer(one) is None\nprint(int(failed))")
    done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True)
    return done.stderr.strip(), done.stdout.strip()


class Mistakes(unittest.TestCase):
    def check(self, expected, path, init, *messages):
        error, failed = said(path, init, *messages)
        self.assertIn(expected, error)
        self.assertTrue(error.startswith("trestle: ") and error.count("\n") == 0, error)
        self.assertEqual(failed, "1")

    def test_init(self):
        for init, expected in BAD_INIT:
            self.check(expected, NEW, init)

    def test_messages(self):
        for bad, expected in BAD:
            with self.subTest(bad[:99]):
                self.check(expected, NEW, b"", message(0, BEGINS), bad)

    def test_begins(self):
        for data, expected in BAD_BEGINS:
            self.check(expected, OLD, b"", message(0, event("SimulationBeginsEvent", **data)))

    def test_order(self):
        self.check("JobSubmittedEvent; expected SimulationBeginsEvent first", NEW, b"", message(0, submitted()))
        self.check("now: 4; expected seconds from 5", NEW, b"", message(5, BEGINS), message(4))
        self.check("the simulation is over", NEW, b"", message(0, BEGINS), message(9, event("SimulationEndsEvent")),
                   message(9, submitted()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
