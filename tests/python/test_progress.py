# SPDX-License-Identifier: Apache-2.0
"""Calls that look at many jobs: a bar on a terminal, and Ctrl-C ends them without half a result."""

import io
import signal
import sys
import threading
import time

import pytest
import trestle
from trestle import _progress

NODES = 200
REQUESTS = [trestle.request(f"--gres=gpu:{1 + i % 8} -c {1 + i % 5} --mem={1 + i % 7}G -N {1 + i % 3}")
            for i in range(840)]


def cluster():
    return trestle.Cluster.from_text(f"{NODES} x (2s16c2t mem=512G gpu:a100:8)")


def orders(count):
    return [trestle.JobOrder(i, REQUESTS[i % len(REQUESTS)]) for i in range(count)]


def queue(count):
    return [trestle.QueuedJob(i, REQUESTS[i % len(REQUESTS)], 60 + 7 * i) for i in range(count)]


def placing(count):
    here = cluster()
    return here, lambda: trestle.place_many(here, orders(count), trestle.Placer(),
                                            trestle.PlaceManyOptions(on_failure="skip"))


def passing(count, **finder):
    timeline = trestle.Timeline(cluster())
    return timeline, lambda: trestle.schedule_pass(timeline, queue(count), trestle.Discipline.easy(), **finder)


def scheduling(count):
    timeline, jobs = trestle.Timeline(cluster()), trestle.JobQueue(trestle.Discipline.easy())
    for one in queue(count):
        jobs.add(one)
    finder = trestle.StartFinder()
    return timeline, lambda: jobs.schedule(timeline, finder)


def compacting(count):
    """Three of eight GPUs of each node are taken, and a job wants eight on two."""
    here = trestle.Cluster.from_text(f"{count} x (2s16c2t mem=512G gpu:a100:8)")
    trestle.place_many(here, [trestle.JobOrder(i, trestle.request("--gres=gpu:3 -c 2")) for i in range(count)],
                       trestle.Placer(trestle.PlaceOptions(policy=trestle.Policy.worst_fit)))
    return here, lambda: trestle.plan_compaction(here, trestle.request("-N 30 --gres=gpu:8"), range(count))


CALLS = {"place_many": placing, "schedule_pass": passing, "JobQueue": scheduling,
         "finder": lambda count: passing(count, finder=trestle.StartFinder())}
LONG = {**CALLS, "plan_compaction": lambda _: compacting(200)}


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("call", CALLS)
def test_a_bar_is_shown_on_a_terminal(monkeypatch, call):
    written = Terminal()
    monkeypatch.setattr(sys, "stderr", written)
    monkeypatch.setattr(_progress, "DELAY", 0.0)
    CALLS[call](3000)[1]()
    title = "placing" if call == "place_many" else "schedule"
    assert f"{title}: 100%" in written.getvalue() and "3000/3000" in written.getvalue()


def test_a_search_shows_its_trials(monkeypatch):
    written = Terminal()
    monkeypatch.setattr(sys, "stderr", written)
    monkeypatch.setattr(_progress, "DELAY", 0.0)
    compacting(200)[1]()
    assert "compaction: " in written.getvalue() and "/10000" in written.getvalue()


@pytest.mark.parametrize("call", CALLS)
def test_short_calls_show_none(monkeypatch, call):
    written = Terminal()
    monkeypatch.setattr(sys, "stderr", written)
    CALLS[call](10)[1]()
    assert written.getvalue() == ""


def test_a_bar_within_another_is_silent(monkeypatch):
    written = Terminal()
    monkeypatch.setattr(sys, "stderr", written)
    monkeypatch.setattr(_progress, "DELAY", 0.0)
    with _progress.Progress("outer", "round", 2) as progress:
        progress.reach(1)
        CALLS["place_many"](3000)[1]()
        progress.reach(2)
    assert "outer: 100%" in written.getvalue() and "placing" not in written.getvalue()
    CALLS["place_many"](3000)[1]()
    assert "placing: 100%" in written.getvalue()


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals")
@pytest.mark.parametrize("call", LONG)
def test_an_interrupt_ends_the_call_and_leaves_all_as_it_was(call):
    def interrupt(number, frame):
        raise KeyboardInterrupt

    subject, run = LONG[call](20_000)
    before = subject.to_bytes()
    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            run()
        assert time.monotonic() - begun < 5
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert subject.to_bytes() == before


def test_a_queue_decides_after_an_interrupt_as_before_it():
    def interrupt(number, frame):
        raise KeyboardInterrupt

    timeline, again = scheduling(3000)
    expected = scheduling(3000)[1]()
    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.03)
        with pytest.raises(KeyboardInterrupt):
            again()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert again() == expected
