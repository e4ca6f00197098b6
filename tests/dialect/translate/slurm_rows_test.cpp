// SPDX-License-Identifier: Apache-2.0
// Each option of Slurm as a key of dstack, or what of it is lost: the rows of the migration
// guide, and every other option.
#include <string>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/golden.hpp"
#include "support/translation_rows.hpp"
#include "trestle/dialect/translate/slurm_to_dstack.hpp"

namespace trestle {
namespace {

using translation_rows::TranslationRow;

const TranslationRow asked_rows[] = {
    {"--gres=gpu:2", "gpu: 2", "", "GPUs of a node"},
    {"--gres=gpu:a100:4", "gpu: A100:4", "", "of a type"},
    {"--gres=gpu:a100_80gb:4", "gpu: A100:80GB:4", "", "a type that says its memory"},
    {"--gres=gpu:h100_80gb", "gpu: H100:1", "", "which one model has anyway"},
    {"--gres=gpu:rtx_4090:1", "gpu: RTX4090:1", "", "spelled as sites do"},
    {"--gres=gpu:nvidia_a100-sxm4-40gb:1", "gpu: A100:40GB:1", "changed --gres", "a driver's name"},
    {"--gres=gpu:tesla_v100-sxm2-32gb:2", "gpu: V100:32GB:2", "changed --gres", "an older one"},
    {"--gres=gpu:nvidia_gh200_480gb:1", "gpu: GH200:1", "changed --gres", "the memory of the host"},
    {"--gres=gpu:tesla:1", "gpu: tesla:1", "note --gres", "a name that nobody knows"},
    {"--gres=gpu:amd:1", "gpu: amd:1", "", "a vendor"},
    {"--gres=gpu:7800xt:1", "gpu: {name: [\"7800xt\"], count: 1}", "note --gres",
     "no name for dstack"},
    {"--gres=gpu:a100:2,gpu:h100:1", "gpu: A100,H100:3", "changed --gres", "several types"},
    {"--gres=gpu:a100_80gb:1,gpu:a100_40gb:1", "gpu: A100:2", "changed --gres", "two of a model"},
    {"--gres=gpu:2,nic:1", "gpu: 2", "dropped --gres", "other devices"},
    {"--gres=none", "gpu: 0", "", "no GPUs"},
    {"--gpus=0", "gpu: 0", "", "nor here"},
    {"--gpus=8 -N2", "nodes: 2; gpu: 4", "", "of the job, by its nodes"},
    {"--gpus=7 -N2", "nodes: 2; gpu: 4", "changed --gpus", "which do not divide"},
    {"--gpus=8", "gpu: 8", "changed --gpus", "on how many nodes Slurm decides"},
    {"--gpus-per-node=a100:2", "gpu: A100:2", "", "by node"},
    {"--gpus-per-task=2 -n4 -N2", "nodes: 2; cpu: 2..; gpu: 4", "changed --ntasks", "by task"},
    {"--gpus=8 --gpus-per-task=1", "cpu: 8..; gpu: 8", "changed --ntasks, changed --ntasks",
     "tasks that nobody said, on how many nodes Slurm decides"},
    {"--gpus=8 --gpus-per-task=1 -N2 -c1", "nodes: 2; cpu: 4..; gpu: 4", "changed --ntasks",
     "nor here, on two nodes"},
    {"-N2 --gpus=3 --gpus-per-task=1 -c1", "nodes: 2; cpu: 2..; gpu: 2",
     "changed --gpus-per-task, changed --ntasks", "tasks that do not divide by the nodes"},
    {"-N2 -n3 --tres-per-task=gres/gpu:1", "nodes: 2; cpu: 2..; gpu: 2",
     "changed --ntasks, changed --tres-per-task", "in other words"},
    {"-O -N2 -n16 --gpus-per-task=1", "nodes: 2; gpu: 8", "changed --ntasks, dropped --overcommit",
     "one CPU a node, but GPUs of all tasks"},
    {"-O -N2 -n16 --tres-per-task=gres/gpu:1", "nodes: 2; gpu: 8",
     "changed --ntasks, dropped --overcommit", "in other words"},
    {"-O -N2 --ntasks-per-node=3 -c4", "nodes: 2; cpu: 4..",
     "changed --ntasks-per-node, dropped --overcommit", "CPUs of one task"},
    {"--gpus-per-socket=2 --sockets-per-node=2", "gpu: 4",
     "dropped --sockets-per-node, changed --gpus-per-socket", "by socket"},
    {"--tres-per-task=cpu:4,gres/gpu:2,gres/nic:1,license/a:1 -n2 -N1", "cpu: 8..; gpu: 4",
     "changed --ntasks, dropped --tres-per-task, dropped --tres-per-task", "three kinds"},
    {"--ntasks-per-gpu=2 --gpus=2 -N1", "cpu: 4..; gpu: 2", "changed --ntasks-per-gpu",
     "tasks by GPU"},
    {"--gres=gpu:1g.10gb:1", "gpu: 1", "changed --gres", "MIG"},
    {"--gres=gpu:a100_1g.5gb:1", "gpu: A100:1", "changed --gres", "MIG of a model"},
    {"--gres=shard:2", "gpu: 1", "changed --gres", "parts of a GPU"},
    {"--gres=mps:50", "gpu: 1", "changed --gres", "parts of a GPU"},
    {"--mem=32G", "memory: 32GB..", "", "memory of a node"},
    {"--mem=0", "", "changed --mem", "all of it"},
    {"--mem-per-cpu=2G -c8 --ntasks-per-node=2", "cpu: 16..; memory: 32GB..",
     "changed --ntasks-per-node", "times CPUs"},
    {"--mem-per-cpu=0", "", "changed --mem-per-cpu", "all of it"},
    {"--mem-per-gpu=0 --gres=gpu:1", "gpu: 1", "", "as if it were not given"},
    {"--mem-per-gpu=40G --gres=gpu:2", "memory: 80GB..; gpu: 2", "", "times GPUs"},
    {"--cpus-per-task=8", "cpu: 8..", "", "CPUs of one task"},
    {"--ntasks=4 -N1", "cpu: 4..", "changed --ntasks", "tasks are CPUs"},
    {"--ntasks=7 -N2", "nodes: 2; cpu: 4..", "changed --ntasks", "of the fullest node"},
    {"--ntasks-per-node=2 -c4", "cpu: 8..", "changed --ntasks-per-node", "times their CPUs"},
    {"--mincpus=16 -c4", "cpu: 16..", "", "at least"},
    {"--cpus-per-gpu=6 --gres=gpu:4", "cpu: 24..; gpu: 4", "", "times GPUs"},
    {"-c2147483647 --ntasks-per-node=2147483647 --mem-per-cpu=1T", "cpu: 4611686014132420609..",
     "changed --ntasks-per-node, dropped --mem-per-cpu", "too many"},
    {"--tmp=500G", "disk: 500GB..", "", "disk"},
    {"--tmp=0", "", "", "no disk is no demand"},
    {"--time=2:00:00", "max_duration: 2h", "", "a limit"},
    {"--time=UNLIMITED", "max_duration: off", "", "none"},
    {"-t 90:30", "max_duration: 91m", "", "minutes and seconds"},
    {"--partition=gpu", "fleets: [\"gpu\"]", "", "a fleet"},
    {"--partition=b,a", "fleets: [\"b\", \"a\"]", "", "the first is tried first"},
    {"--workdir=/d", "working_dir: \"/d\"", "", "--chdir of old"},
    {"--nodes=4", "nodes: 4", "", "nodes"},
    {"--nodes=2-8", "nodes: 2", "changed --nodes", "a range"},
    {"--nodes=2,4", "nodes: 2", "changed --nodes", "sizes"},
    {"-N4 -n2", "nodes: 2", "changed --nodes", "fewer tasks than nodes"},
    {"-N70000", "nodes: 65536", "changed --nodes", "more than a run has"},
    {"-n70000 --ntasks-per-node=1", "nodes: 65536", "changed --ntasks", "nor by their tasks"},
    {"-w n[1-70000]", "nodes: 65536", "changed --nodes, dropped --nodelist", "nor by name"},
    {"-w n[1-3]", "nodes: 3", "dropped --nodelist", "as many as are named"},
    {"--output=train-%j.out --error=train-%j.err", "", "dropped --output, dropped --error",
     "files"},
    {"--chdir=/path/to", "working_dir: \"/path/to\"", "", "a folder"},
    {"-D /a -D '/b c'", "working_dir: \"/b c\"", "", "the last one"},
    {"--export=ALL,VAR=value,HF_TOKEN", "env: [\"VAR=value\", \"HF_TOKEN\"]", "note --export",
     "variables"},
    {"--export=A=1,B=2,A=3", "env: [\"B=2\", \"A=3\"]", "", "the last of a name"},
    {"--export=NONE", "", "", "none of the submitter's: so it is in dstack"},
    {"--export=A-B=1", "", "dropped --export", "no name"},
    {"--exclusive", "", "changed --exclusive, note --exclusive", "the whole node"},
    {"--exclusive -N2", "nodes: 2", "changed --exclusive", "several nodes are whole ones"},
    {"--exclusive=user", "", "dropped --exclusive", "with whom"},
    {"--job-name=train", "name: \"train\"", "", "a name"},
    {"--job-name=Train_Model.2", "name: \"train-model-2\"", "changed --job-name",
     "characters that dstack has not"},
    {"--job-name=7", "name: \"job-7\"", "changed --job-name", "no letter first"},
    {"--requeue", "retry: {on_events: [interruption], duration: 1h}", "note --requeue", "again"},
    {"--requeue=expedite", "retry: {on_events: [interruption], duration: 1h}",
     "note --requeue, changed --requeue", "sooner"},
    {"--no-requeue", "retry: false", "", "never again"},
    {"--container=/images/pytorch", "image: \"/images/pytorch\"", "changed --container",
     "a bundle"},
    {"--signal=B:USR1@300", "", "dropped --signal", "a warning"},
    {"--array=1-100", "", "dropped --array", "many jobs"},
    {"--dependency=afterok:1234", "", "dropped --dependency", "after another"},
    {"-n1 : -n2 --gres=gpu:1", "", "dropped component 2", "a heterogeneous job"},
    {"--wrap='python train.py'", "commands: [\"python train.py\"]", "", "commands"},
    {"-- ./run 'two words'", "commands: [\"./run 'two words'\"]", "", "a command"},
    {"--wrap=a -- b", "commands: [\"b\"]", "dropped --wrap", "two of them"},
    {"-N2 --wrap='srun hostname'", "nodes: 2; commands: [\"srun hostname\"]",
     "note commands, note srun", "on each node"},
    {"--ntasks-per-node=1 -N2", "nodes: 2", "", "no more than commands"},
    {"--gres=gpu:amd:1,gpu:a100:1", "gpu: A100:2", "changed --gres, changed --gres",
     "a vendor among types"},
    {"--ntasks=32", "cpu: 32..", "changed --ntasks, changed --ntasks", "Slurm would spread them"},
};

const TranslationRow lost_rows[] = {
    {"--account=research", "", "dropped --account", "no accounts"},
    {"--qos=high", "", "dropped --qos", "no qualities of service"},
    {"--nice=5", "", "dropped --nice", "no such priority"},
    {"--priority=9", "", "dropped --priority", "no such priority"},
    {"--comment=text", "", "dropped --comment", "no comment"},
    {"--begin=now+2hours", "", "dropped --begin", "no later start"},
    {"--deadline=noon", "", "dropped --deadline", "no deadline"},
    {"--hold", "", "dropped --hold", "nothing is held back"},
    {"--licenses=a:1", "", "dropped --licenses", "no licences"},
    {"--reservation=r1", "", "dropped --reservation", "another kind of reservation"},
    {"--constraint=a100&ib", "", "dropped --constraint", "no features"},
    {"--prefer=ib", "", "dropped --prefer", "no wishes"},
    {"--nodelist=n[1-2] --exclude=n4", "nodes: 2", "dropped --nodelist, dropped --exclude",
     "no names"},
    {"--nodefile=./hosts", "", "dropped --nodefile", "no names"},
    {"--switches=1@60", "", "dropped --switches", "no network"},
    {"--contiguous", "", "dropped --contiguous", "no network"},
    {"--segment=2 -N4", "nodes: 4", "dropped --segment", "no network"},
    {"--spread-job", "", "dropped --spread-job", "no choice of nodes"},
    {"--use-min-nodes", "", "dropped --use-min-nodes", "one number of nodes"},
    {"--oversubscribe --overcommit", "", "dropped --oversubscribe, dropped --overcommit",
     "blocks of the fleet"},
    {"--distribution=cyclic", "", "dropped --distribution", "no tasks"},
    {"--hint=nomultithread", "", "dropped --hint", "no cores"},
    {"--extra-node-info=2:8:1", "cpu: 16..",
     "dropped --extra-node-info, changed --ntasks, changed --ntasks", "a task for each core"},
    {"--ntasks-per-socket=1 --ntasks-per-core=1", "",
     "dropped --ntasks-per-socket, dropped --ntasks-per-core", "no cores"},
    {"--core-spec=2", "", "dropped --core-spec", "no cores for the system"},
    {"--thread-spec=2", "", "dropped --thread-spec", "no cores for the system"},
    {"--gpu-bind=closest --gres=gpu:1", "gpu: 1", "dropped --tres-bind", "no binding"},
    {"--gpu-freq=high --gres=gpu:1", "gpu: 1", "dropped --gpu-freq", "no frequencies"},
    {"--gres-flags=enforce-binding", "", "dropped --gres-flags", "no binding"},
    {"--mem-bind=local", "", "dropped --mem-bind", "no binding"},
    {"--time-min=10", "", "dropped --time-min", "one limit"},
    {"--propagate=NONE", "", "dropped --propagate", "no limits of the submitter"},
    {"--oom-kill-step=1", "", "dropped --oom-kill-step", "a container ends as a whole"},
    {"--mail-type=END --mail-user=me", "", "dropped --mail-type, dropped --mail-user", "no mail"},
    {"--cpu-freq=high", "", "dropped --cpu-freq", "no frequencies"},
    {"--network=x", "", "dropped --network", "no network"},
    {"--no-kill", "", "dropped --no-kill", "all end together"},
    {"--wait", "", "dropped --wait", "the client waits"},
    {"--bb=x --bbf=y", "", "dropped --bb, dropped --bbf", "no burst buffers"},
    {"--clusters=a --cluster-constraint=b", "", "dropped --clusters, dropped --cluster-constraint",
     "no federation"},
    {"--uid=a --get-user-env --export-file=f", "",
     "dropped --uid, dropped --get-user-env, dropped --export-file", "the image's"},
    {"--reboot --profile=all --open-mode=append --input=f --wckey=k", "",
     "dropped --reboot, dropped --profile, dropped --open-mode, dropped --input, dropped --wckey",
     "and the like"},
    {"--kill-on-invalid-dep=yes --wait-all-nodes=1 --container-id=c --x11", "",
     "dropped --kill-on-invalid-dep, dropped --wait-all-nodes, dropped --container-id, dropped "
     "--x11",
     "and the like"},
    {"--exact --overlap --cpu-bind=cores --immediate", "",
     "dropped --cpu-bind, dropped --exact, dropped --overlap, dropped --immediate", "of steps"},
    {"--whole", "", "dropped --whole", "of steps"},
    {"--sockets-per-node=2 --cores-per-socket=8 --threads-per-core=1", "",
     "dropped --sockets-per-node, dropped --cores-per-socket, dropped --threads-per-core",
     "no cores"},
    {"-N1 -B2:8:1", "cpu: 16..", "dropped --extra-node-info, changed --ntasks",
     "which say how many tasks"},
    {"--tres-bind=gres/gpu:closest --consolidate-segments --spread-segments", "",
     "dropped --tres-bind, dropped --spread-segments, dropped --consolidate-segments", "placing"},
    {"--test-only", "", "dropped --test-only", "nothing like it"},
};

slurm::Submission submission_of(const std::string& text) {
    const auto batch = slurm::parse_option_text(text);
    if (batch.ok()) return *batch;
    return slurm::parse_option_text(text, slurm::Tool::srun).value();  // some are only srun's
}

void check_row(const TranslationRow& row, std::string& text) {
    INFO(row.text << ": " << row.why);
    const std::string usual = to_text(translate::to_dstack(slurm::Submission())->value);
    const auto task = translate::to_dstack(submission_of(row.text));
    REQUIRE(task.ok());
    const std::string yaml = to_text(task->value);
    CHECK(translation_rows::lines_beside(yaml, usual) == row.becomes);
    CHECK(translation_rows::lost_in(task->losses, {}) == row.lost);
    CHECK(dstack::parse_configuration(yaml).ok());
    text += to_text(task->losses);
}

}  // namespace

TEST_CASE("Slurm to dstack: what is asked is asked there, or named", "[dialect][translate]") {
    std::string losses;
    for (const TranslationRow& row : asked_rows) check_row(row, losses);
    for (const TranslationRow& row : lost_rows) check_row(row, losses);
    check_golden("translate_slurm_losses.txt", losses);
}

TEST_CASE("Slurm to dstack: nothing said is nothing lost", "[dialect][translate]") {
    const auto task = translate::to_dstack(slurm::Submission());
    REQUIRE(task.ok());
    CHECK(task->losses.empty());
    CHECK(task->value.resources == dstack::Resources::unconstrained());
    dstack::RunConfiguration nothing;
    nothing.resources = dstack::Resources::unconstrained();
    CHECK(task->value == nothing);
}

TEST_CASE("Slurm to dstack: the interpreter is a shell, or named", "[dialect][translate]") {
    const TranslationRow rows[] = {
        {"/bin/zsh", "shell: \"/bin/zsh\"", "", "a shell by its path"},
        {"/bin/bash -e", "shell: \"/bin/bash\"", "changed #!", "with arguments"},
        {"/usr/bin/env bash", "shell: \"bash\"", "", "wherever it is"},
        {"/usr/bin/env bash -e", "shell: \"bash\"", "changed #!", "and with arguments"},
        {"/usr/bin/env python3", "", "dropped #!, changed commands", "another program"},
        {"/usr/bin/python3", "", "dropped #!, changed commands", "by its path"},
    };
    const std::string usual = to_text(translate::to_dstack(slurm::BatchScript{"", {}, "x"})->value);
    for (const TranslationRow& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto task = translate::to_dstack(slurm::BatchScript{row.text, {}, "x"});
        REQUIRE(task.ok());
        CHECK(translation_rows::lines_beside(to_text(task->value), usual) == row.becomes);
        CHECK(translation_rows::lost_in(task->losses, {}) == row.lost);
    }
    const auto idle = translate::to_dstack(slurm::BatchScript{"/usr/bin/python3", {}, ""});
    CHECK(translation_rows::lost_in(idle->losses, {}) == "dropped #!");
}

TEST_CASE("Slurm to dstack: DOS line breaks of commands are reported", "[dialect][translate]") {
    const auto lost = [](const char* text) {
        const auto reading = slurm::read_batch_script(text);
        return translation_rows::lost_in(translate::to_dstack(reading.script)->losses, {});
    };
    CHECK(lost("#!/bin/sh\r\n\r\na\r\nb\r\n") == "note commands");
    CHECK(lost("#!/bin/sh\n\na\nb\n") == "");
}

TEST_CASE("Slurm to dstack: amounts may be exact, and runs may wait", "[dialect][translate]") {
    const auto submission = submission_of("-c4 --mem=8G --tmp=10G --requeue");
    translate::SlurmToDstack rules{dstack::BareValue::exact, Seconds(7200)};
    const auto task = translate::to_dstack(submission, rules);
    REQUIRE(task.ok());
    const dstack::Resources& asked = task->value.resources;
    CHECK(asked.cpu.count == Range<Count>::exactly(Count(4)));
    CHECK(asked.memory == Range<Bytes>::exactly(gib(8)));
    CHECK(asked.disk == Range<Bytes>::exactly(gib(10)));
    using enum dstack::RetryEvent;
    CHECK(task->value.profile.retry == dstack::Retry{{no_capacity, interruption}, Seconds(7200)});
    const auto waiting = translate::to_dstack(slurm::Submission(), rules);
    CHECK(waiting->value.profile.retry == dstack::Retry{{no_capacity}, Seconds(7200)});
    CHECK_FALSE(translate::to_dstack(submission_of("--tmp=0"), rules)->value.resources.disk);
}

TEST_CASE("Slurm to dstack: options that disagree are no job", "[dialect][translate][error]") {
    const auto two = translate::to_dstack(submission_of("--mem=1G --mem-per-cpu=1G"));
    CHECK(two.status().code() == invalid);
    CHECK(message(two.status()) == "--mem-per-cpu: conflicts with --mem: expected one of the two");
    const auto none = translate::to_dstack(slurm::Submission{{}});
    CHECK(none.status().code() == invalid);
    CHECK(message(none.status()) == "submission: no component: expected 1 or more");
}

}  // namespace trestle
