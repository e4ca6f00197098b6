# SPDX-License-Identifier: Apache-2.0
"""What kubectl prints, as a cluster in Python."""
import pytest

import trestle
from data_folders import DATA
from trestle import container

TEXT = (DATA / 'kubernetes/nodes_and_pods.json').read_text()


def test_a_cluster_with_its_pods():
    pods = container.read_kubernetes_cluster(TEXT)
    assert 'default/train-0' in [pod.name for pod in pods.running]
    assert [problem.split(':')[0] for problem in pods.problems] == ['pod default/lost-0', 'pod default/huge-0']
    timeline = trestle.Timeline(pods.cluster)
    assert timeline.cluster() == pods.cluster
    waiting = {pod.name: pod for pod in pods.waiting}
    pod = waiting['default/train-2']
    placement = trestle.place(pods.cluster, pod.request, candidates=pod.nodes)
    assert [pods.cluster.name(part.node) for part in placement.nodes] == ['gpu-1']
    assert not trestle.explain(pods.cluster, waiting['default/train-1'].request).fits


def test_starts_of_pods():
    text = (DATA / 'kubernetes/with_deadlines.json').read_text()
    pods = container.read_kubernetes_cluster(text)
    starts = dict(zip((pod.name for pod in pods.waiting), container.pod_starts(pods, pods.waiting)))
    assert {name: start.starts_in for name, start in starts.items()} == {
        'default/first': 0, 'default/wait-gpu': 1800, 'default/wait-io': 25, 'default/wait-com': None,
        'default/wait-two': 3600}
    assert starts['default/wait-com'].may_ever_start
    alone = container.pod_start(pods, pods.waiting[1])
    assert [pod.name for pod in alone.waits_for] == ['default/short-0']
    asked = container.pod_of_request(pods, trestle.request('--gres=gpu:4'))
    assert container.pod_start(pods, asked).starts_in == 1800
    more = container.with_nodes_like(pods, 'gpu-1', 2)
    assert more.cluster.node_count() == pods.cluster.node_count() + 2
    assert container.pod_start(more, more.waiting[1]).starts_in == 0
    assert container.timeline_of(pods).next_change() == 25
    later = container.read_kubernetes_cluster(text, now=1767607200 + 1800)
    assert {pod.name: pod.ends_in for pod in later.running if pod.ends_in} == {
        'default/train-a': 1800, 'default/short-0': 1, 'default/leaving-0': 1}
    with pytest.raises(LookupError):
        container.with_nodes_like(pods, 'gpu-9')
    with pytest.raises(ValueError):
        container.with_nodes_like(pods, 'gpu-1', 0)


@pytest.mark.parametrize('text', ['', '{', '7', '{"items": []}', TEXT[:5000]])
def test_other_text(text):
    with pytest.raises(ValueError):
        container.read_kubernetes_cluster(text)
