# SPDX-License-Identifier: Apache-2.0
"""trestle.gym_env: what Gymnasium asks of an environment, and that its mask is what place says."""

import re
import warnings

import pytest
import trestle

gymnasium = pytest.importorskip("gymnasium")
numpy = pytest.importorskip("numpy")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from trestle import gym_env  # noqa: E402
from trestle.gym_env import PlacementEnv, poisson_jobs  # noqa: E402

GPU = trestle.Request(tasks=4, devices=[trestle.DeviceRequest(count=1)])
REQUESTS = [trestle.Request(tasks=3), GPU, trestle.Request(memory=trestle.Range(6 << 30)),
            trestle.Request(nodes=1, exclusivity=trestle.Exclusivity.whole_node)]


def cluster():
    return trestle.Cluster.from_text("3 x (8c mem=16G gpu:2) + 2 x (4c mem=8G)")


def env(count=60, **more):
    return PlacementEnv(cluster(), REQUESTS, poisson_jobs(count, gap=10, runtime=80), **more)


def episode(one, seed, choose):
    """(observation, reward, mask) of each step."""
    observation, info = one.reset(seed=seed)
    told, has_ended = [(observation, 0.0, info["action_mask"])], False
    while not has_ended:
        observation, reward, has_ended, is_cut, info = one.step(choose(info["action_mask"]))
        assert not is_cut
        told.append((observation, reward, info["action_mask"]))
    return told


def at_random(seed):
    rng = numpy.random.default_rng(seed)
    return lambda mask: int(rng.choice(numpy.flatnonzero(mask)))


def test_gymnasium_accepts_it():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*spec.*")  # nobody has registered it
        check_env(env(), skip_render_check=True)


@pytest.mark.parametrize("seed", range(3))
def test_the_mask_is_what_place_says(seed):
    """Also of states that were seen before, at another node."""
    one = env(150)
    choose = at_random(seed)

    def checked(mask):
        request = REQUESTS[one.observation()["kind"]]
        for node in range(5):
            found = trestle.place(one.cluster, request, candidates=trestle.NodeSet([node]))
            assert bool(found) == bool(mask[node])
        assert mask[5] and numpy.array_equal(mask, one.action_masks())
        action = choose(mask)
        checked.placed += action < 5
        return action
    checked.placed = 0
    told = episode(one, seed, checked)
    assert sum(reward for _, reward, _ in told) == checked.placed > 50
    assert len(told) == 151
    assert one.observation_space.contains(told[-1][0])


def test_a_job_that_has_ended_gives_back():
    one = PlacementEnv(cluster(), REQUESTS, lambda random, count: [(3, 0, 5), (3, 0, 9), (3, 9, 1)])
    observation, _ = one.reset()
    assert observation["free"].tolist() == [[1, 1, 1]] * 3 + [[1, 1, 0]] * 2
    observation, *_, info = one.step(1)
    assert observation["free"][1, 0] == 0 and info["action_mask"].tolist() == [1, 0, 1, 1, 1, 1]
    observation, reward, has_ended, _, _ = one.step(1)
    assert (reward, has_ended, observation["free"][1, 0]) == (0, False, 1)
    assert one.step(1)[1:3] == (1, True)


def test_equal_seeds_give_equal_episodes():
    first, second = (episode(env(), 7, at_random(7)) for _ in range(2))
    for one, other in zip(first, second):
        assert one[1] == other[1] and numpy.array_equal(one[2], other[2])
        assert all(numpy.array_equal(one[0][name], other[0][name]) for name in one[0])


def test_what_is_allocated_stays_and_values_count():
    given = cluster()
    given.adopt(9, trestle.whole_nodes(given, trestle.NodeSet("0-3")))
    one = PlacementEnv(given, REQUESTS[:1], poisson_jobs(5, gap=0, runtime=500), values=[2.5])
    told = episode(one, 1, lambda mask: int(mask.argmax()))
    assert [reward for _, reward, _ in told] == [0, 2.5, 0, 0, 0, 0]
    assert given.allocation_count() == 1 and one.cluster.allocation_count() == 2


@pytest.mark.parametrize("requests, more, message", [
    ([], {}, "0 requests"), (REQUESTS, {"values": [1]}, "4 requests, 1 values"),
    ([REQUESTS[0], trestle.Request(nodes=2)], {}, r"requests\[1\]: expected what fits"),
    (REQUESTS, {"values": [1, 1, float("nan"), 1]}, r"values\[2\]: nan; expected a finite number"),
    (REQUESTS[:1], {"values": [float("inf")]}, r"values\[0\]: inf"),
    ([trestle.Request(tasks=99)], {}, r"requests\[0\]")])
def test_bad_input(requests, more, message):
    with pytest.raises(ValueError, match=message):
        PlacementEnv(cluster(), requests, **more)


def test_episodes_that_cannot_be():
    for count in (0, 1.5, None, "3"):
        with pytest.raises(ValueError, match=f"count {count!r}; expected an integer of 1 or more"):
            poisson_jobs(count)
    for value in (-1, float("inf"), float("nan")):
        with pytest.raises(ValueError, match=f"gap {value}; expected 0 or more seconds"):
            poisson_jobs(1, gap=value)
        with pytest.raises(ValueError, match=f"runtime {value}; expected more than 0 seconds"):
            poisson_jobs(1, runtime=value)
    with pytest.raises(ValueError, match="expected one or more in an episode"):
        PlacementEnv(cluster(), REQUESTS, lambda random, count: []).reset()


@pytest.mark.parametrize("arrival", [
    (-1, 5, 1), (4, 5, 1), (0.0, 5, 1), (0, 4, 1), (0, 5, -1), (0, float("nan"), 1), (0, 5), None],
    ids=str)
def test_an_arrival_that_is_none_is_reported_before_anything_is_placed(arrival):
    one = PlacementEnv(cluster(), REQUESTS, lambda random, count: [(0, 5, 9), arrival, (0, 6, 9)])
    one.reset()
    message = re.escape(f"jobs: arrival 1: {arrival!r}; expected three integers: a request below 4")
    with pytest.raises(ValueError, match=message):
        one.step(0)
    assert one.cluster.allocation_count() == 0
    with pytest.raises(gymnasium.error.ResetNeeded):
        one.step(0)
    with pytest.raises(ValueError, match="jobs: arrival 0"):
        PlacementEnv(cluster(), REQUESTS, lambda random, count: [(4, 5, 9)]).reset()


def test_what_jobs_raises_leaves_the_cluster_as_it_was():
    def jobs(random, count):
        yield 0, 5, 9
        raise KeyError("mine")
    one = PlacementEnv(cluster(), REQUESTS, jobs)
    one.reset()
    with pytest.raises(KeyError, match="mine"):
        one.step(0)
    assert one.cluster.allocation_count() == 0
    with pytest.raises(gymnasium.error.ResetNeeded):
        one.step(0)
    one.reset()


def test_what_is_remembered_is_bounded_and_changes_nothing(monkeypatch):
    first = episode(env(200), 3, at_random(3))
    monkeypatch.setattr(gym_env, "LOOKS_MAX", 4)
    for one, other in zip(first, episode(env(200), 3, at_random(3))):
        assert one[1] == other[1] and numpy.array_equal(one[2], other[2])


def test_a_partition_whose_limit_would_not_count_is_refused():
    part = trestle.Partition(name="p", nodes=trestle.NodeSet("0-2"), max_cpus_per_node=4)
    limited = trestle.Cluster.create(cluster().parts().replace(partitions=[part]))
    with pytest.raises(ValueError, match="cluster: partitions p limit the CPUs of a node"):
        PlacementEnv(limited, [trestle.Request(tasks=3, partition="p")])


@pytest.mark.parametrize("action", [-1, 6, 2.7, float("nan"), None, "1"], ids=str)
def test_an_action_that_is_none_is_refused(action):
    one = env()
    one.reset(seed=1)
    with pytest.raises(ValueError, match="action .*; expected an integer from 0 to 5"):
        one.step(action)
    assert one.cluster.allocation_count() == 0
    one.step(numpy.int64(5))
    one.step(numpy.array(5))


def test_an_episode_begins_with_reset_and_ends_once():
    one = env(1)
    for _ in range(2):
        with pytest.raises(gymnasium.error.ResetNeeded):
            one.step(5)
        one.reset(seed=1)
        assert one.step(5)[2]
    with pytest.raises(gymnasium.error.ResetNeeded):
        one.step(5)
