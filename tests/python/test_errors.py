# SPDX-License-Identifier: Apache-2.0
"""Which exception each kind of error becomes, and that it says what and where."""

import pytest
import trestle
from trestle import slurm

CLUSTER = "1 x (4c mem=8G gpu:1)"


def committed():
    cluster = trestle.Cluster.from_text(CLUSTER)
    request = trestle.Request(devices=[trestle.DeviceRequest("gpu")])
    allocation = trestle.Allocation(1, request, trestle.place(cluster, request))
    cluster.commit(allocation)
    return cluster, allocation


def release_twice():
    cluster, _ = committed()
    cluster.release(1)
    cluster.release(1)


def take_what_is_taken():
    cluster, allocation = committed()
    cluster.commit(allocation.replace(owner=2))


def change_a_removed_node():
    cluster = trestle.Cluster.from_text("2 x (4c)")
    cluster.remove_node(0)
    cluster.set_node_state(0, trestle.NodeState.up)


TABLE = [
    # call, exception, a piece of the message, why
    (lambda: slurm.parse_options(["--gres=gpu:a:b"]), ValueError, "--gres", "bad text"),
    (lambda: slurm.parse_memory("99999999999T"), ValueError, "99999999999T", "overflow"),
    (lambda: slurm.parse_memory("-5G"), ValueError, "-5G", "negative"),
    (lambda: trestle.Cluster.from_text("2 x (4c mem=)"), ValueError, "cluster", "bad text"),
    (lambda: trestle.Node.from_json("{"), ValueError, "json", "broken JSON"),
    (lambda: trestle.check(trestle.Request(tasks=0)), ValueError, "tasks", "inconsistent"),
    (release_twice, LookupError, "owner 1", "it has no allocation"),
    (take_what_is_taken, trestle.Error, "belongs to owner 1", "the state does not allow it"),
    (lambda: trestle.os.find_program(trestle.Command(["no-such-program"])), LookupError,
     "no-such-program", "not there"),
    (change_a_removed_node, trestle.ContractViolation, "the node was not removed",
     "a broken precondition"),
    (lambda: trestle.Cluster().node(0), IndexError, "node 0; expected one below 0", "no such node"),
    (lambda: trestle.Request(memory=-1), ValueError, "memory: -1", "below the range"),
    (lambda: trestle.Request(time_limit=2**63), OverflowError, "time_limit", "above the range"),
    (lambda: trestle.Request(devices=[trestle.DeviceRequest(), "gpu"]), TypeError,
     "devices\\[1\\]: expected DeviceRequest, got str", "a wrong element"),
    (lambda: trestle.Allocation(1, trestle.Request(), None), TypeError,
     "placement: expected Placement, got NoneType", "no value"),
    (lambda: trestle.gib("2"), TypeError, "gib: n is str; expected int", "a wrong argument"),
]


@pytest.mark.parametrize("call, error, message, why", TABLE, ids=[row[3] for row in TABLE])
def test_errors_become_exceptions_by_their_code(call, error, message, why):
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value) or error is TypeError


def test_other_codes_are_on_the_exception():
    with pytest.raises(trestle.Error) as caught:
        take_what_is_taken()
    assert caught.value.code == "FAILED_PRECONDITION"


def test_after_an_error_nothing_has_changed():
    cluster, allocation = committed()
    before = cluster.to_json()
    with pytest.raises(trestle.Error):
        cluster.commit(allocation.replace(owner=2))
    with pytest.raises(LookupError):
        cluster.release(3)
    assert cluster.to_json() == before


def test_does_not_fit_is_a_value_and_false():
    cluster, allocation = committed()
    verdict = trestle.place(cluster, allocation.request)
    assert not verdict and isinstance(verdict, trestle.Refusal)
    assert verdict.constraint == trestle.Constraint.devices
    assert "asked 1 gpu" in verdict.reason and str(verdict).startswith("devices: ")
    assert allocation.placement  # a placement is true


def test_an_exception_in_a_sink_reaches_the_caller():
    cluster, _ = committed()

    def sink(event):
        raise KeyError(event.kind)

    with pytest.raises(KeyError):
        cluster.release(1, sink)
