# SPDX-License-Identifier: Apache-2.0
"""The live state of Slurm in Python, and the questions that the program `trestle` answers about it."""
import json

import pytest

from data_folders import DATA
from trestle import slurm

FOLDER = DATA / 'slurm-live'
RELEASES = {'22.05': slurm.Release.v22_05, '24.11': slurm.Release.v24_11, '26.05': slurm.Release.v26_05}


def live_of(release, **more):
    folder = FOLDER / release
    nodes = folder / ('sinfo.json' if release == '22.05' else 'nodes.json')
    texts = {'nodes': nodes.read_text(), 'jobs': (folder / 'squeue.json').read_text(),
             **more}
    if (folder / 'reservations.json').exists():
        texts.setdefault('reservations', (folder / 'reservations.json').read_text())
    return slurm.read_live_cluster(slurm.load_cluster(str(FOLDER)), release=RELEASES[release], **texts)


@pytest.mark.parametrize('release', RELEASES)
def test_every_release_gives_the_same_cluster(release):
    live = live_of(release)
    assert not live.problems
    assert [job.name for job in live.running] == [f'job {i}' for i in range(1, 6)]
    assert live.controller.cluster() == live_of('24.11').controller.cluster()
    timeline = slurm.timeline_of(live)
    assert timeline.cluster() == live.controller.cluster()
    assert all(timeline.period_of(job.owner).stop == max(1, job.ends_in)
               for job in live.running if job.ends_in is not None)


def test_a_job_that_waits_by_its_number():
    live = live_of('24.11')
    answer = slurm.why(live, 6)
    assert not answer.starts_now()
    assert str(answer).startswith('job 6 (big): Slurm says Resources\n')
    for change in answer.changes:
        assert slurm.where(live, change.job).starts_in == 0
    said = json.loads(answer.to_json())
    assert said["changes"] == [change.text for change in answer.changes]
    assert said['starts_in'] == answer.start.starts_in


@pytest.mark.parametrize('job, error, text', [
    (1, ValueError, 'job 1: it is RUNNING'), (77, LookupError, 'job 77: not among'),
    ('--gers=gpu:1', ValueError, '--gres'), (1.5, TypeError, 'int, str or Submission'), (-1, ValueError, '-1')])
def test_a_question_that_means_nothing(job, error, text):
    with pytest.raises(error, match=text):
        slurm.why(live_of('24.11'), job)


@pytest.mark.parametrize('texts, text', [
    ({'jobs': '{"jobs": [{'}, 'jobs: '), ({'jobs': '{"pods": []}'}, 'no answer of Slurm'),
    ({'nodes': '{"nodes": 7}'}, 'member nodes is no list'), ({'nodes': 'hello'}, 'no record of scontrol')])
def test_text_of_another_program(texts, text):
    with pytest.raises(ValueError, match=text):
        live_of('24.11', **texts)


def test_a_controller_without_a_live_state():
    controller = slurm.Controller.load('examples/slurm_cluster')
    owner = controller.submit('-p gpu --gres=gpu:4').owner
    live = slurm.LiveCluster(controller, [slurm.RunningJob(owner, 'mine', ends_in=60)])
    later = slurm.where(live, '-p gpu --gres=gpu:4')
    assert later.starts_in == 60 or later.starts_in == 0
    assert slurm.where(live, '-p gpu --gres=gpu:9').may_ever_start is False
    assert str(slurm.where(live, '-p cpu -n 1')).startswith('starts now in partition cpu')
    words = ['-p', 'gpu', '-G', 'v100:2']
    typed = slurm.why(live, slurm.parse_submission(words), words)
    assert any(change.text.startswith('-G ') for change in typed.changes)


def test_findings_of_files():
    findings = slurm.lint('tests/golden/tool/mistakes')
    assert {finding.severity for finding in findings} == set(slurm.Severity)
    assert any('slurmctld drains gpu-[01-02]' in finding.message for finding in findings)
    assert str(findings[0]).startswith('tests/golden/tool/mistakes/slurm.conf:')
    assert slurm.lint('examples/slurm_cluster') == ()
    with pytest.raises(LookupError, match='/nonexistent'):
        slurm.lint('/nonexistent')
