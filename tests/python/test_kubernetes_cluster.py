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
    placement = trestle.place(pods.cluster, waiting['default/train-2'].request)
    assert [pods.cluster.name(part.node) for part in placement.nodes] == ['gpu-1']
    assert not trestle.explain(pods.cluster, waiting['default/train-1'].request).fits


@pytest.mark.parametrize('text', ['', '{', '7', '{"items": []}', TEXT[:5000]])
def test_other_text(text):
    with pytest.raises(ValueError):
        container.read_kubernetes_cluster(text)
