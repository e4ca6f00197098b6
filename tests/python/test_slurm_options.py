# SPDX-License-Identifier: Apache-2.0
"""What sbatch's options say, from arguments, text, scripts and variables."""

import copy
import pickle

import pytest
import trestle
from trestle import slurm


def test_options_are_values():
    (job,) = slurm.parse_option_text("-N 2-4 -n 8 --gres=gpu:a100:2 -t 10 -J name").components
    options = job.options
    assert options.nodes.range == trestle.Range(2, 4)
    assert (options.ntasks, options.time.limit) == (8, 600)
    assert options.gres == (trestle.Gres("gpu", "a100", 2),)
    assert options.passthrough == (slurm.PassthroughOption("job-name", "name"),)
    assert options.mem is None and not options.contiguous
    assert pickle.loads(pickle.dumps(options)) == copy.copy(options) == options
    assert str(slurm.JobOptions(ntasks=2)) == "{ntasks=2}"
    assert slurm.overlaid(slurm.JobOptions(ntasks=2), options).ntasks == 2


def test_all_errors_with_their_places():
    reading = slurm.read_script("#SBATCH --gres=gpu:\n#SBATCH -n 4\n#SBATCH --ntaks=2\n")
    assert [(e.source, e.position, e.column, e.option) for e in reading.errors] == [
        (slurm.OptionSource.script, 1, 20, "--gres"), (slurm.OptionSource.script, 3, 9, "")]
    assert reading.submission.components[0].options.ntasks == 4
    with pytest.raises(ValueError, match=r"line 1, column 20: --gres: neither count.*\(and 1 more\)"):
        slurm.parse_script("#SBATCH --gres=gpu:\n#SBATCH --ntaks=2\n")
    assert slurm.read_arguments(["-K", "x"], slurm.Tool.srun).submission.components[0].command


def test_arguments_go_before_variables_before_the_script():
    submission = slurm.parse_submission(
        arguments=["-n1"],
        environment=[trestle.EnvironmentVariable("SBATCH_TIMELIMIT", "5")],
        script="#SBATCH -n 2 -t 9 -c 3\n")
    options = submission.components[0].options
    assert (options.ntasks, options.time.limit, options.cpus_per_task) == (1, 300, 3)
    assert slurm.read_environment([]).submission == slurm.Submission()


def test_options_settle_and_make_a_request():
    options = slurm.parse_option_text("-G 8 --gpus-per-node=4").components[0].options
    resolved = slurm.resolve(options)
    assert resolved.options.nodes.range == trestle.Range(2, 2) and not resolved.warnings
    assert slurm.request_of(options).nodes == trestle.Range(2, 2)
    het = slurm.parse_option_text("-n 1 : -n 2")
    assert len(slurm.request_of(het).components) == 1
    with pytest.raises(ValueError, match="--mem-per-cpu: conflicts with --mem"):
        slurm.resolve(slurm.JobOptions(mem=1 << 30, mem_per_cpu=1 << 30))
    array = slurm.parse_option_text("-a 0-6:3").components[0].options.array
    assert list(slurm.task_ids(array)) == [0, 3, 6]


def test_options_of_plugins_are_declared():
    known = slurm.KnownOptions([slurm.parse_plugin_option("container-image=IMAGE"),
                                slurm.PluginOption("no-container-entrypoint", slurm.OptionValue.none)])
    words = ["--container-image=ubuntu", "--no-container-entrypoint", "-n2"]
    options = slurm.parse_options(words, known).options
    assert [(one.name, one.value) for one in options.passthrough] == [
        ("container-image", "ubuntu"), ("no-container-entrypoint", None)]
    with pytest.raises(ValueError, match="one that KnownOptions or --plugin-option declares"):
        slurm.parse_options(words)
    script = "#!/bin/sh\n#SBATCH --container-image=ubuntu\nsrun a\n"
    assert not slurm.read_batch_script(script, known).errors
    assert slurm.read_batch_script(script).errors
    with pytest.raises(ValueError, match="name=VALUE"):
        slurm.parse_plugin_option("")


def test_what_a_release_lacks_is_named():
    known = slurm.KnownOptions(release=slurm.Release.v22_05)
    reading = slurm.read_option_text("--segment=2", known=known)
    assert reading.warnings == ("word 1: --segment: no option of Slurm 22.05 (since 24.05)",)
    assert not slurm.read_option_text("--segment=2").warnings
    (key,) = slurm.refused_keys("CacheGroups=1\nInclude a\n", slurm.Release.v24_11, {"a": "SlurmUser=x\n"})
    assert str(key) == ("slurm.conf line 1: CacheGroups: no key of Slurm 24.11, which does not start with it "
                        "(dropped after 20.11)")
