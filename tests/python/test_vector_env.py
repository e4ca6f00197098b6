# SPDX-License-Identifier: Apache-2.0
"""trestle.vector_env: queues in time, and that each row is an episode of its own."""

import re

import pytest
import trestle

gymnasium = pytest.importorskip("gymnasium")
numpy = pytest.importorskip("numpy")

from trestle import vector_env  # noqa: E402
from trestle.gym_env import poisson_jobs  # noqa: E402
from trestle.vector_env import QueueVectorEnv  # noqa: E402

REQUESTS = [trestle.Request(tasks=3),
            trestle.Request(tasks=4, devices=[trestle.DeviceRequest(count=1)]),
            trestle.Request(nodes=2, tasks=2, exclusivity=trestle.Exclusivity.whole_node)]


def cluster():
    return trestle.Cluster.from_text("3 x (8c mem=16G gpu:2) + 2 x (4c mem=8G)")


def env(count, jobs=None, **more):
    return QueueVectorEnv(count, cluster(), REQUESTS,
                          jobs or poisson_jobs(40, gap=10, runtime=80), **{"slots": 5, **more})


def run(one, steps, seed, choose):
    """Observations, rewards, ends and masks of so many steps."""
    observations, infos = one.reset(seed=seed)
    told = [(observations, None, None, infos["action_mask"])]
    for _ in range(steps):
        actions = numpy.array([choose(mask) for mask in infos["action_mask"]])
        observations, rewards, ended, cut, infos = one.step(actions)
        assert not cut.any()
        told.append((observations, rewards, ended, infos["action_mask"]))
    return told


def first_that_fits(mask):
    return int(numpy.argmax(mask))


def test_it_is_a_vector_environment_of_gymnasium():
    one = env(3)
    assert isinstance(one, gymnasium.vector.VectorEnv) and one.num_envs == 3
    assert one.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP
    for observations, *_ in run(one, 60, 1, first_that_fits):
        assert one.observation_space.contains(observations), observations
        for at in range(3):
            row = {name: values[at] for name, values in observations.items()}
            assert one.single_observation_space.contains(row), row
    assert one.action_space.shape == (3,)
    one.close()


def test_rows_are_episodes_of_their_own():
    """Row i of three has what one environment with seed + i has."""
    together = run(env(3), 120, 7, first_that_fits)
    for at in range(3):
        alone = run(env(1), 120, 7 + at, first_that_fits)
        for (many, rewards, ends, masks), (one, reward, end, mask) in zip(together, alone):
            assert all(numpy.array_equal(many[name][at], one[name][0]) for name in one)
            assert numpy.array_equal(masks[at], mask[0])
            assert rewards is None or (rewards[at], ends[at]) == (reward[0], end[0])


def test_equal_seeds_give_equal_episodes_and_others_do_not():
    def ends(seed):
        return [told[0]["time"].tolist() for told in run(env(2), 40, seed, first_that_fits)]
    assert ends(3) == ends(3) != ends(4)
    assert ends([3, 4]) == ends(3)


@pytest.mark.parametrize("seed", range(3))
def test_the_mask_is_what_place_says(seed):
    one, rng = env(2), numpy.random.default_rng(seed)
    observations, infos = one.reset(seed=seed)
    for _ in range(80):
        for at, episode in enumerate(one._episodes):
            for slot in range(5):
                kind = observations["kind"][at, slot] - 1
                fits = kind >= 0 and bool(trestle.place(episode.cluster, REQUESTS[kind]))
                assert fits == bool(infos["action_mask"][at, slot])
            assert infos["action_mask"][at, 5] == 1
        actions = [rng.choice(numpy.flatnonzero(mask)) for mask in infos["action_mask"]]
        observations, *_, infos = one.step(numpy.array(actions))


def by_hand(random, requests):
    """Two whole-node jobs at once on two of three nodes with GPUs, a small one 4 s later."""
    return [(2, 0, 10), (2, 0, 5), (0, 4, 7)]


def test_an_episode_worked_by_hand():
    one = QueueVectorEnv(1, trestle.Cluster.from_text("3 x (8c mem=16G gpu:2)"), REQUESTS, by_hand,
                         slots=2)
    observations, infos = one.reset(seed=0)
    assert observations["kind"].tolist() == [[3, 3]] and observations["time"].tolist() == [[0]]
    assert observations["runtime"].tolist() == [[10, 5]]
    assert observations["free"].tolist() == [[[1, 1, 1]] * 3]
    assert infos["action_mask"].tolist() == [[1, 1, 1]]
    steps = [
        # action, reward, ended, time, waiting, waited, mask
        (0, 0, False, 0, 1, [0, 0], [0, 0, 1], "the first starts; the second lacks a node"),
        (0, -4, False, 4, 2, [4, 0], [0, 1, 1], "without room the action waits, for an arrival"),
        (1, 0, False, 4, 1, [4, 0], [0, 0, 1], "the small one passes it"),
        (2, -6, False, 10, 1, [10, 0], [1, 0, 1], "to the end of the first job"),
        (0, 0, True, 10, 0, [0, 0], [0, 0, 1], "the last one starts"),
        (0, 0, False, 0, 2, [0, 0], [1, 1, 1], "another episode begins, whatever the action"),
    ]
    for action, reward, has_ended, now, waiting, waited, mask, why in steps:
        observations, rewards, ended, _, infos = one.step(numpy.array([action]))
        assert rewards.tolist() == [reward] and ended.tolist() == [has_ended], why
        assert observations["time"].tolist() == [[now]], why
        assert observations["waiting"].tolist() == [[waiting]], why
        assert observations["waited"].tolist() == [waited], why
        assert infos["action_mask"].tolist() == [mask], why


def test_the_reward_is_what_jobs_wait():
    """Over an episode: the sum of start minus arrival, told by what starts when."""
    one = env(1)
    observations, infos = one.reset(seed=5)
    total = waited = 0.0
    while True:
        action = first_that_fits(infos["action_mask"][0])
        if action < 5:
            waited += observations["waited"][0, action]
        observations, rewards, ended, _, infos = one.step(numpy.array([action]))
        total -= rewards[0]
        if ended[0]:
            break
    assert total == waited > 0


def test_an_agent_that_only_waits_starts_the_first_when_nothing_is_to_come():
    one = env(1, lambda random, requests: [(2, 0, 10), (2, 3, 5)])
    one.reset(seed=0)
    ended, steps = [False], 0
    while not ended[0]:
        _, _, ended, *_ = one.step(numpy.array([5]))
        steps += 1
    assert steps == 4  # for the arrival, the first starts, for its end, the second starts


@pytest.mark.parametrize("arguments, message", [
    ({"num_envs": 0}, "0 environments, 16 slots, 1 requests; expected 1 or more of each"),
    ({"slots": 0}, "1 environments, 0 slots, 1 requests; expected 1 or more of each"),
    ({"requests": []}, "1 environments, 16 slots, 0 requests; expected 1 or more of each"),
    ({"requests": [REQUESTS[0], trestle.Request(tasks=99)]},
     "requests[1]: expected what fits on the cluster as it is given; "),
])
def test_what_it_cannot_be_made_of(arguments, message):
    given = {"num_envs": 1, "cluster": cluster(), "requests": REQUESTS[:1], **arguments}
    with pytest.raises(ValueError, match=re.escape(message)):
        QueueVectorEnv(**given)


@pytest.mark.parametrize("actions", [[0], [0, 1, 2], [0, 6], [0, -1], [0.0, 1.0], [[0, 1]], "ab"])
def test_actions_that_are_none_change_nothing(actions):
    one = env(2)
    one.reset(seed=1)
    before = one.observations()
    with pytest.raises(ValueError, match="expected 2 integers from 0 to 5"):
        one.step(numpy.array(actions))
    after = one.observations()
    assert all(numpy.array_equal(before[name], after[name]) for name in before)


def test_a_step_before_reset_and_bad_seeds():
    one = env(2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        one.step(numpy.array([0, 0]))
    with pytest.raises(ValueError, match="seed: 3 of them; expected 2"):
        one.reset(seed=[1, 2, 3])


@pytest.mark.parametrize("jobs, message", [
    ([], "jobs: expected one or more in an episode"),
    ([(3, 0, 1)], "jobs: arrival 0: (3, 0, 1); expected three integers: a request below 3"),
    ([(0, 5, 1), (0, 4, 1)], "jobs: arrival 1: (0, 4, 1); expected three integers: a request below"
     " 3, a moment from 5 on"),
])
def test_jobs_that_are_none(jobs, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        env(1, lambda random, requests: jobs).reset()


def test_its_names():
    assert vector_env.__all__ == ["QueueVectorEnv"]


def test_what_is_free_is_what_the_clusters_say():
    one, rng = env(2), numpy.random.default_rng(4)
    observations, infos = one.reset(seed=4)
    idle = cluster()
    for _ in range(60):
        for at, episode in enumerate(one._episodes):
            for node in range(5):
                now, full = episode.cluster.free(node), idle.free(node)
                shares = [len(now.cores) / len(full.cores), sum(now.memory) / sum(full.memory),
                          sum(now.shares) / (sum(full.shares) or 1)]
                assert numpy.allclose(observations["free"][at, node], shares)
        actions = [rng.choice(numpy.flatnonzero(mask)) for mask in infos["action_mask"]]
        observations, *_, infos = one.step(numpy.array(actions))
