# SPDX-License-Identifier: Apache-2.0
"""Jobs of Slurm as tasks of dstack and back, and what is lost on the way."""

import copy
import pickle

import pytest
import trestle
from hypothesis import given
from hypothesis import strategies as st
from trestle import dstack, slurm, translate

GB = 1 << 30
SCRIPT = """#!/bin/bash
#SBATCH --job-name=train --nodes=2 --gres=gpu:a100:8
#SBATCH --mem-per-cpu=2G --cpus-per-task=16 --ntasks-per-node=1
#SBATCH --time=2:00:00 --signal=USR1

srun ./train $SLURM_PROCID
"""


def test_a_script_becomes_a_task():
    task = translate.to_dstack(slurm.parse_batch_script(SCRIPT))
    run = task.value
    assert (run.name, run.nodes, run.kind) == ("train", 2, dstack.RunKind.task)
    assert run.resources.memory == trestle.Range.at_least(32 * GB)
    assert run.resources.gpu == dstack.parse_gpu("A100:8")
    assert run.profile.max_duration.seconds == 7200
    assert [(str(loss.kind), loss.what) for loss in task.losses] == [
        ("dropped", "--signal"), ("note", "commands"), ("note", "srun"), ("note", "SLURM_PROCID")]
    assert str(task.losses[0]).startswith("dropped: --signal=10@60: dstack sends no warning")
    assert dstack.parse_configuration(str(run)).run.resources == run.resources


def test_the_rules_say_what_slurm_does_not():
    rules = translate.SlurmToDstack(amounts=dstack.BareValue.exact, queue_for=600)
    submission = slurm.parse_option_text("--mem=1G -c2")
    run = translate.to_dstack(submission, rules).value
    assert run.resources.memory == trestle.Range(GB, GB)
    assert run.profile.retry == dstack.Retry([dstack.RetryEvent.no_capacity], 600)
    assert translate.to_dstack(submission).value.profile.retry is None


def test_a_task_becomes_a_script():
    run = dstack.parse_configuration(
        "type: task\nnodes: 2\ncommands: [./train]\nmax_duration: 1h\nspot_policy: auto\n"
        "resources: {gpu: 'A100:80GB:8', cpu: 4, memory: 32GB.., disk: null}").run
    script = translate.to_slurm(run)
    options = script.value.submission.components[0].options
    assert options.gres == (trestle.Gres("gpu", "a100", 8),)
    assert (options.mem, options.cpus_per_task) == (32 * GB, 4)
    assert [loss.what for loss in script.losses] == [
        "resources.memory", "resources.gpu", "spot_policy", "commands"]
    text = slurm.script_text(script.value)
    assert text == ("#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --cpus-per-task=4\n"
                    "#SBATCH --ntasks-per-node=1\n#SBATCH --mem=32G\n#SBATCH --gres=gpu:a100:8\n"
                    "#SBATCH --time=01:00:00\n\n./train\n")
    assert slurm.parse_batch_script(text) == script.value


def test_options_and_scripts_are_printed():
    submission = slurm.parse_option_text("-N2 --gres=gpu:1 --contiguous -J 'a b'")
    options = submission.components[0].options
    assert slurm.option_arguments(options) == slurm.option_arguments(submission) == (
        "--nodes=2", "--gres=gpu:1", "--contiguous", "--job-name=a b")
    assert slurm.option_texts(options)[2] == slurm.OptionText("contiguous")
    assert str(slurm.option_texts(options)[0]) == "--nodes=2"
    assert slurm.directive_lines(submission).splitlines()[-1] == '#SBATCH "--job-name=a b"'
    reading = slurm.read_batch_script("#!/bin/sh\n#SBATCH -N0\nx\n")
    assert (reading.script.interpreter, reading.script.commands) == ("/bin/sh", "x")
    assert [error.option for error in reading.errors] == ["--nodes"]


def test_mistakes_are_exceptions():
    with pytest.raises(ValueError, match="--mem-per-cpu: conflicts with --mem"):
        translate.to_dstack(slurm.parse_option_text("--mem=1G --mem-per-cpu=1G"))
    with pytest.raises(ValueError, match="line 2, column 11: --nodes: zero"):
        slurm.parse_batch_script("#!/bin/sh\n#SBATCH -N0\n")
    with pytest.raises(ValueError, match="would be a directive"):
        slurm.script_text(slurm.BatchScript("/bin/sh", commands="#SBATCH -N1"))


def test_translations_are_values():
    task = translate.to_dstack(slurm.parse_batch_script(SCRIPT))
    assert pickle.loads(pickle.dumps(task)) == copy.copy(task) == task
    loss = translate.Loss(translate.LossKind.note, "srun", "", "why")
    assert eval(repr(loss), {"trestle": trestle, **vars(translate)}) == loss
    assert str(loss) == "note: srun: why"


@given(st.integers(1, 64), st.integers(1, 256), st.integers(1, 2**20), st.integers(0, 16))
def test_what_has_a_key_of_its_own_comes_back(nodes, cpus, mebibytes, gpus):
    text = f"--nodes={nodes} --cpus-per-task={cpus} --mem={mebibytes}M --gres=gpu:{gpus}"
    task = translate.to_dstack(slurm.parse_option_text(text))
    options = translate.to_slurm(task.value).value.submission.components[0].options
    asked = slurm.parse_option_text(text).components[0].options
    assert (options.mem, options.gres) == (asked.mem, asked.gres)
    assert options.nodes == asked.nodes
    assert (options.cpus_per_task or 1) == cpus
