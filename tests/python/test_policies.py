# SPDX-License-Identifier: Apache-2.0
"""Who comes first: a policy of the caller's own over columns, and options of the policies."""

import copy
import gc
import weakref

import numpy
import pytest
import trestle

CLUSTER = "3 x (2c mem=4G gpu:2); 2 x (8c mem=16G); (4c mem=8G gpu:4)"


def placed(cluster, request, **options):
    return [part.node for part in trestle.place(cluster, request, **options).nodes]


def asking(gpus):
    return trestle.Request(devices=[trestle.DeviceRequest(count=gpus)], memory=trestle.gib(1))


def least_left(columns):
    """best_fit of Trestle's own: the mean of CPUs and devices, of those of the largest node."""
    return (-0.5 * columns.milli_cpus_after / 8000
            - 0.5 * columns.devices_after / 4000)


def test_what_columns_name_outlives_them():
    """Classes and their shapes are values of their own: the columns may be gone."""
    kept = []

    def policy(columns):
        kept.extend(one.shape for one in columns.classes)
        kept.extend(columns.classes)
        return -1.0 * columns.devices_after
    cluster = trestle.Cluster.from_text(CLUSTER)
    trestle.place(cluster, asking(1), policy=policy)
    gc.collect()
    shapes = {cluster.node(node).shape for node in (0, 5)}
    assert set(kept[:2]) == shapes == {one.shape for one in kept[2:]}


def test_columns_are_what_the_states_have():
    seen = []
    cluster = trestle.Cluster.from_text(CLUSTER)
    cluster.set_node_weight(5, 7)
    cluster.adopt(1, trestle.Placement([trestle.NodePlacement(
        node=1, cores=trestle.CoreSet("0"), devices=[trestle.DeviceShare(1, 1)])]))
    trestle.place(cluster, asking(1), policy=lambda columns: seen.append(columns) or
                  numpy.zeros(len(columns)))
    (columns,) = seen  # one call, and still good
    rows = numpy.argsort(columns.milli_cpus_before).tolist()
    assert len(columns) == 3  # the nodes without GPUs do not fit
    assert columns.milli_cpus_before[rows].tolist() == [1000, 2000, 4000]
    assert columns.milli_cpus_after[rows].tolist() == [0, 1000, 3000]
    assert columns.memory_before[rows].tolist() == [n << 30 for n in (4, 4, 8)]
    assert columns.memory_after[rows].tolist() == [n << 30 for n in (3, 3, 7)]
    assert columns.devices_before[rows].tolist() == [1000, 2000, 4000]
    assert columns.devices_after[rows].tolist() == [0, 1000, 3000]
    assert columns.each_device_before[rows].tolist() == [
        [1000, 0, -1, -1], [1000, 1000, -1, -1], [1000] * 4]
    assert columns.each_device_after[rows].tolist() == [
        [0, 0, -1, -1], [0, 1000, -1, -1], [0, 1000, 1000, 1000]]
    assert columns.is_idle[rows].tolist() == [False, True, True]
    weights = numpy.array([one.weight for one in columns.classes])
    assert weights[columns.node_class][rows].tolist() == [1, 1, 7]
    for name in dir(columns):
        column = getattr(columns, name)
        if isinstance(column, numpy.ndarray):
            assert not column.flags.writeable and len(column) == len(columns), name


def test_a_policy_over_columns_chooses_as_one_of_trestles_own():
    cluster = trestle.Cluster.from_text(CLUSTER)
    own = trestle.Placer(policy=least_left)
    theirs = trestle.Placer(trestle.PlaceOptions(policy=trestle.Policy.best_fit))
    requests = [asking(1), asking(2), asking(4), trestle.Request(cpus_per_task=3)]
    given = 0
    for owner in range(40):
        request = requests[owner * 7 % 4]
        placement = own.place(cluster, request)
        assert placement == theirs.place(cluster, request)
        assert placement == trestle.place(cluster, request, policy=least_left)
        if placement:
            given += 1
            cluster.commit(trestle.Allocation(owner, request, placement))
        if owner % 3 == 2 and cluster.find_allocation(owner - 2):
            cluster.release(owner - 2)
    assert given > 10


def test_known_states_are_not_asked_about_again():
    rows = []

    def policy(columns):
        rows.append(len(columns))
        return columns.milli_cpus_after.astype(numpy.float32)  # any numbers will do

    cluster = trestle.Cluster.from_text(CLUSTER)
    placer = trestle.Placer(policy=policy)
    request = trestle.Request()
    for owner in range(3):
        cluster.commit(trestle.Allocation(owner, request, placer.place(cluster, request)))
    assert rows == [3, 1]  # a node with one core taken is new once
    jobs = [trestle.JobOrder(10 + i, request) for i in range(4)]
    assert trestle.place_many(cluster, jobs, placer).placed == (0, 1, 2, 3)


def test_no_number_is_no_place():
    cluster = trestle.Cluster.from_text(CLUSTER)
    request = trestle.Request()
    only = lambda columns: numpy.where(columns.milli_cpus_before == 4000, 1.0, numpy.nan)  # noqa: E731
    assert placed(cluster, request, policy=only) == [5]
    none = trestle.place(cluster, request, policy=lambda columns: numpy.full(len(columns), numpy.nan))
    assert not none and none.constraint == trestle.Constraint.candidates
    assert none.reason == "n0 has no score, the caller's policy leaves it out"


BAD = [
    (lambda columns: [0.0] * len(columns), TypeError, "got list"),
    (lambda columns: None, TypeError, "got NoneType"),
    (lambda columns: numpy.zeros((len(columns), 1)), TypeError, "of one dimension"),
    (lambda columns: numpy.zeros(2), ValueError, "expected 3 scores, one for each row, got 2"),
    (lambda columns: columns.nonsense, AttributeError, "nonsense"),
]


@pytest.mark.parametrize(("policy", "error", "message"), BAD)
def test_what_is_wrong_reaches_the_caller_and_leaves_nothing_behind(policy, error, message):
    cluster = trestle.Cluster.from_text(CLUSTER)
    is_bad = True
    placer = trestle.Placer(
        policy=lambda columns: policy(columns) if is_bad else 1.0 * columns.milli_cpus_after)
    with pytest.raises(error, match=message):
        placer.place(cluster, trestle.Request())
    is_bad = False
    assert placer.place(cluster, trestle.Request()).nodes[0].node == 3


def test_a_list_of_which_a_policy_raises_in_the_middle_leaves_the_cluster_as_it_was():
    cluster = trestle.Cluster.from_text(CLUSTER)
    cluster.commit(trestle.Allocation(1, placement=trestle.place(cluster, trestle.Request())))
    before = copy.copy(cluster)
    jobs = [trestle.JobOrder(10 + i, asking(1 + i % 2)) for i in range(4)]

    def raising_at(last):
        calls = []

        def policy(columns):
            calls.append(len(columns))
            if len(calls) == last:
                raise KeyError("the last")
            return 1.0 * columns.milli_cpus_after

        return policy, calls

    policy, calls = raising_at(None)
    assert len(trestle.place_many(copy.copy(cluster), jobs, trestle.Placer(policy=policy)).placed) == 4
    assert len(calls) > 2  # so that the first job has its place when the last call is made
    policy, _ = raising_at(len(calls))
    placer = trestle.Placer(policy=policy)
    with pytest.raises(KeyError, match="the last") as caught:
        trestle.place_many(cluster, jobs, placer)
    assert cluster == before
    notes = ["policy: for the job of owner 12"]  # the second time that the cluster is not as it was
    assert getattr(caught.value, "__notes__", notes) == notes
    wrong = trestle.Placer(policy=lambda columns: numpy.zeros(9))
    with pytest.raises(ValueError, match="one for each row, got 9, for the job of owner 10$"):
        trestle.place_many(cluster, jobs, wrong)
    assert cluster == before
    assert len(trestle.place_many(cluster, jobs, placer).placed) == 4


def decisions(cluster, meddle):
    """Each of them calls `meddle` in its midst."""
    def policy(columns):
        meddle()
        return 1.0 * columns.milli_cpus_after

    def predicate(node):
        meddle()
        return True

    request = asking(1)
    placer = trestle.Placer(policy=policy)
    yield lambda: trestle.place(cluster, request, policy=policy)
    yield lambda: trestle.place(cluster, request, predicate=predicate)
    yield lambda: placer.place(cluster, request)
    yield lambda: placer.place(cluster, request, predicate=predicate)
    yield lambda: trestle.place_many(cluster, [trestle.JobOrder(50, request)], placer)
    yield lambda: trestle.score(cluster, request, policy)
    yield lambda: trestle.explain(cluster, asking(9), predicate=predicate)


def test_what_a_decision_calls_must_leave_its_cluster_alone():
    cluster = trestle.Cluster.from_text(CLUSTER)
    given = trestle.place(cluster, trestle.Request())

    def come_and_go():
        cluster.adopt(7, given)
        cluster.release(7)

    def leave():
        with cluster.trial():
            cluster.set_node_state(0, trestle.NodeState.drained)

    for meddle in (come_and_go, leave):
        for decide in decisions(cluster, meddle):
            with pytest.raises(trestle.ContractViolation, match="leaves the cluster as it is"):
                decide()
    other = copy.copy(cluster)
    for decide in decisions(cluster, lambda: other.set_node_state(0, trestle.NodeState.drained)):
        decide()


def test_a_policy_cannot_ask_its_own_placer():
    cluster = trestle.Cluster.from_text(CLUSTER)
    placer = None

    def policy(columns):
        placer.place(cluster, asking(2))
        return 1.0 * columns.milli_cpus_after

    placer = trestle.Placer(policy=policy)
    with pytest.raises(trestle.ContractViolation, match="own policy"):
        placer.place(cluster, asking(1))


def test_which_request_of_a_list_is_wrong_is_said():
    cluster = trestle.Cluster.from_text(CLUSTER)
    bad = trestle.Request(devices=[trestle.DeviceRequest(count=1, shares=1, slice="1g")])
    with pytest.raises(ValueError, match=r"^requests\[1\]"):
        trestle.feasible(cluster, [asking(1), bad])
    with pytest.raises(ValueError, match="^request: devices: gpu: shares of instances"):
        trestle.JobOrder(2, bad)
    with pytest.raises(ValueError, match="^request: devices: gpu: shares of instances"):
        trestle.PreparedRequest(bad)


def test_a_prepared_request_is_a_request():
    cluster = trestle.Cluster.from_text(CLUSTER)
    request = asking(1)
    prepared = trestle.PreparedRequest(request)
    assert prepared.request == request
    assert prepared == trestle.PreparedRequest(request) != trestle.PreparedRequest(asking(2))
    assert hash(prepared) == hash(trestle.PreparedRequest(request))
    placer = trestle.Placer()
    assert placer.place(cluster, prepared) == placer.place(cluster, request)
    assert trestle.place(cluster, prepared) == trestle.place(cluster, request)
    assert trestle.JobOrder(1, prepared) == trestle.JobOrder(1, request)
    assert trestle.JobOrder(1, prepared).request == request


def test_a_policy_may_be_one_by_name():
    cluster = trestle.Cluster.from_text(CLUSTER)
    for policy in trestle.Policy:
        if policy is trestle.Policy.random:
            continue
        options = trestle.PlaceOptions(policy=policy)
        expected = trestle.place(cluster, asking(1), options)
        assert trestle.place(cluster, asking(1), policy=policy) == expected
        placer = trestle.Placer(policy=policy)
        assert placer.options() == options
        assert placer.place(cluster, asking(1)) == expected


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="^Placer: policy is int; expected Policy or "):
        trestle.Placer(policy=5)
    with pytest.raises(ValueError, match='unknown policy at offset 0 \\("bestest"\\): expected one of first_fit'):
        trestle.Placer(policy="bestest")


def test_the_name_of_a_policy_is_as_good_as_the_policy():
    for policy in trestle.Policy:
        assert trestle.PlaceOptions(policy=str(policy)) == trestle.PlaceOptions(policy=policy)
        assert trestle.Placer(policy=str(policy)).options().policy is policy
    assert trestle.Discipline(order="by_priority").order is trestle.QueueOrder.by_priority
    device = trestle.DeviceRequest(per="task", share_kind="mps")
    assert (device.per, device.share_kind) == (trestle.Per.task, trestle.ShareKind.mps)
    with pytest.raises(ValueError, match="^per: expected one of node, job, .*, got 'tasks'"):
        trestle.DeviceRequest(per="tasks")


def test_a_placer_in_a_ring_with_its_policy_is_collected():
    class Policy:
        def __call__(self, columns):
            return 1.0 * columns.milli_cpus_after

    policy = Policy()
    policy.placer = trestle.Placer(policy=policy)
    policy.placer.place(trestle.Cluster.from_text(CLUSTER), trestle.Request())
    gone = weakref.ref(policy)
    del policy
    gc.collect()
    assert gone() is None


def test_devices_are_spared_for_jobs_that_ask():
    cluster = trestle.Cluster.from_text(CLUSTER)
    options = trestle.PlaceOptions(spare_devices=True)
    assert placed(cluster, trestle.Request()) == [0]
    assert placed(cluster, trestle.Request(), options=options) == [3]
    assert placed(cluster, trestle.Request(nodes=3), options=options) == [0, 3, 4]
    assert placed(cluster, asking(1), options=options) == [0]
    fullest = lambda columns: -1.0 * columns.milli_cpus_after  # noqa: E731
    assert placed(cluster, trestle.Request(), policy=fullest) == [0]
    assert placed(cluster, trestle.Request(), options=options, policy=fullest) == [3]
