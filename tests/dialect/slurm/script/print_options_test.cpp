// SPDX-License-Identifier: Apache-2.0
// Options printed: the text of each, and read back the same options.
#include "trestle/dialect/slurm/script/print_options.hpp"

#include <string>
#include <vector>

#include "base/join.hpp"
#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/slurm/options/resolve.hpp"

namespace trestle {
namespace {

using slurm::JobOptions;

/// Where a passthrough option stood is nothing that it says.
JobOptions without_lines(JobOptions options) {
    for (slurm::PassthroughOption& one : options.passthrough) one.line = 0;
    return options;
}

JobOptions said_in(const std::string& text) {
    const auto reading = slurm::read_option_text(text, slurm::Tool::srun);
    INFO(text);
    for (const auto& error : reading.errors) FAIL(to_text(error));
    return reading.submission.components.front().options;
}

std::string printed(const JobOptions& options) {
    return trestle::detail::join(slurm::option_arguments(options), " ");
}

void check_comes_back(const JobOptions& options) {
    const auto arguments = slurm::option_arguments(options);
    INFO(printed(options));
    const auto again = slurm::read_arguments(arguments, slurm::Tool::srun);
    CHECK(again.errors.empty());
    CHECK(without_lines(again.submission.components.front().options) == without_lines(options));
    slurm::Submission submission;
    submission.components.front().options = options;
    const auto lines = slurm::directive_lines(submission);
    REQUIRE(lines.ok());
    const auto script = slurm::read_script("#!/bin/sh\n" + *lines);
    CHECK(script.errors.empty());
    CHECK(without_lines(script.submission.components.front().options) == without_lines(options));
}

struct PrintRow {
    const char* text;
    const char* expected;
    const char* why;
};

const PrintRow print_rows[] = {
    {"-N4", "--nodes=4", "a single number"},
    {"-N2-8", "--nodes=2-8", "a range"},
    {"-N2k", "--nodes=2048", "a suffix is a number"},
    {"-N1,4,8", "--nodes=1,4,8", "sizes"},
    {"-N1-9:4", "--nodes=1,5", "sizes by a step, below the end"},
    {"-N4,4", "--nodes=4,4", "one size alone is still a list"},
    {"-n8 -c2", "--ntasks=8 --cpus-per-task=2", "counts"},
    {"--ntasks-per-node=2 --ntasks-per-socket=1 --ntasks-per-core=1",
     "--ntasks-per-node=2 --ntasks-per-socket=1 --ntasks-per-core=1", "tasks by unit"},
    {"--ntasks-per-gpu=2", "--ntasks-per-gpu=2", "tasks by GPU"},
    {"-B2:4-8:1", "--extra-node-info=2:4-8:1", "the option that sets three"},
    {"-B2 --threads-per-core=1", "--extra-node-info=2 --threads-per-core=1", "and one beside it"},
    {"-B*:4", "--extra-node-info=*:4", "any number of sockets"},
    {"--sockets-per-node=2 --cores-per-socket=*", "--sockets-per-node=2 --cores-per-socket=*",
     "parts by themselves"},
    {"--hint=Memory_Bound", "--hint=memory_bound", "a word in any case"},
    {"--mincpus=4 -S2", "--mincpus=4 --core-spec=2", "CPUs of a node"},
    {"--thread-spec=1", "--thread-spec=1", "threads"},
    {"-m plane=4", "--distribution=plane=4", "planes"},
    {"-m *:*:fcyclic,nopack", "--distribution=block:cyclic:fcyclic,NoPack", "levels"},
    {"-m pack", "--distribution=Pack", "pack alone"},
    {"-m hostfile", "--distribution=arbitrary", "the other word for it"},
    {"--cpu-bind=v,map_cpu:0,1,1,1", "--cpu-bind=verbose,map_cpu:0,1*3", "a map with repeats"},
    {"--cpu-bind=mask_ldom:3,0xc*2", "--cpu-bind=mask_ldom:0x3,0xc*2", "masks"},
    {"--cpu-bind=q", "--cpu-bind=quiet", "a report alone"},
    {"--cpu-bind=core", "--cpu-bind=cores", "the singular"},
    {"--mem-bind=prefer,nosort,q,local", "--mem-bind=quiet,prefer,nosort,local", "in any order"},
    {"--mem-bind=map_mem:0,1", "--mem-bind=map_mem:0,1", "a map"},
    {"--mem=16G", "--mem=16G", "memory"},
    {"--mem=1536", "--mem=1536", "in MiB"},
    {"--mem=0", "--mem=0", "all of a node's"},
    {"--mem-per-cpu=1K", "--mem-per-cpu=1", "rounded when it was read"},
    {"--mem-per-gpu=40G --tmp=1T", "--mem-per-gpu=40G --tmp=1T", "by GPU, and disk"},
    {"--gres=gpu:a100:2,nic", "--gres=gpu:a100:2,nic:1", "devices"},
    {"--gres=none", "--gres=none", "no devices"},
    {"--gres=gpu:0", "--gres=none", "nor here"},
    {"-G a100:2,h100:1", "--gpus=a100:2,h100:1", "GPUs"},
    {"-G 0", "--gpus=0", "no GPU"},
    {"--gpus-per-node=2 --gpus-per-socket=1 --gpus-per-task=a100:1",
     "--gpus-per-node=2 --gpus-per-socket=1 --gpus-per-task=a100:1", "GPUs by unit"},
    {"--tres-per-task=cpu:4,gres:gpu=2,license/a", "--tres-per-task=cpu=4,gres/gpu:2,license/a:1",
     "three kinds"},
    {"--tres-per-task=,", "--tres-per-task=,", "nothing at all"},
    {"--gpu-bind=verbose,single:2", "--tres-bind=gres/gpu:verbose,single:2", "one name"},
    {"--tres-bind=gres/gpu:map:0,1+gres/shard:per_task:3+gres/nic:none",
     "--tres-bind=gres/gpu:map:0,1+gres/shard:per_task:3+gres/nic:none", "several"},
    {"--tres-bind=gres/gpu:mask:1,2*3", "--tres-bind=gres/gpu:mask:0x1,0x2*3", "masks"},
    {"--gpu-freq=medium,memory=900,verbose", "--gpu-freq=medium,memory=900,verbose", "frequency"},
    {"--gres-flags=enforce-binding,allow-task-sharing",
     "--gres-flags=enforce-binding,allow-task-sharing", "flags"},
    {"-p b,a", "--partition=b,a", "partitions in order"},
    {"-C a&(b|c)", "--constraint=a&(b|c)", "features"},
    {"-C [rack1*2&(a|b)*4]&ib", "--constraint=ib&[rack1*2&(a|b)*4]", "counts"},
    {"-C rack1*2", "--constraint=rack1*2", "one count"},
    {"-C [a|b&c]&(d|e)", "--constraint=(d|e)&[a|b&c]", "a choice"},
    {"--prefer=a|b", "--prefer=a|b", "a wish"},
    {"-w n[1-3] -x n4", "--nodelist=n[1-3] --exclude=n4", "names"},
    {"-w ./hosts", "--nodefile=./hosts", "a slash is a path"},
    {"--contiguous --switches=2@60", "--contiguous --switches=2@01:00:00", "network"},
    {"--switches=1", "--switches=1", "without a wait"},
    {"--core-kind=efficiency", "--core-kind=efficiency", "required"},
    {"--preferred-core-kind=performance", "--preferred-core-kind=performance", "preferred"},
    {"--segment=4 --spread-segments --consolidate-segments",
     "--segment=4 --spread-segments --consolidate-segments", "segments"},
    {"--spread-job -s -O", "--spread-job --oversubscribe --overcommit", "flags"},
    {"--use-min-nodes --exact --whole", "--use-min-nodes --exact --whole", "more flags"},
    {"--exclusive", "--exclusive", "alone"},
    {"--exclusive=USER", "--exclusive=user", "with a word"},
    {"--overlap", "--overlap", "alone"},
    {"--overlap=force", "--overlap=force", "with a word"},
    {"-t 2:00:00 --time-min=1-0", "--time=02:00:00 --time-min=1-00:00:00", "times"},
    {"-t 0", "--time=UNLIMITED", "no limit"},
    {"-b now+2hours", "--begin=now+2hours", "later"},
    {"--signal=rb:usr1@300", "--signal=RB:10@300", "a signal"},
    {"--signal=9", "--signal=9@60", "a minute before"},
    {"-d afterok:1:2_3,after:4+10,singleton", "--dependency=afterok:1:2_3,after:4+10,singleton",
     "all of them"},
    {"-d afterany:1_*?afternotok:2", "--dependency=afterany:1_*?afternotok:2", "one of them"},
    {"-d 7", "--dependency=afterany:7", "the old form"},
    {"--array=1-9:4,3,5-5:2%2", "--array=1-9:4,3,5-5:2%2", "an array"},
    {"--requeue", "--requeue", "again"},
    {"--requeue=expedite", "--requeue=expedite", "sooner"},
    {"--no-requeue", "--no-requeue", "not again"},
    {"-L b:2,a", "--licenses=a:1,b:2", "licences"},
    {"-L b:2|a:1", "--licenses=b:2|a:1", "one of them, the first that is free"},
    {"-L a:1|a:2", "--licenses=a:3|none:0", "one of one"},
    {"-L a:0", "--licenses=none:0", "none"},
    {"--reservation=r1,r2", "--reservation=r1,r2", "reservations"},
    {"--propagate", "--propagate=ALL", "all limits"},
    {"--propagate=NONE", "--propagate=NONE", "no limit"},
    {"--propagate=RLIMIT_CORE,AS", "--propagate=CORE,AS", "some"},
    {"--oom-kill-step=0", "--oom-kill-step=0", "no"},
    {"--oom-kill-step", "--oom-kill-step=1", "yes"},
    {"--export=ALL,A=1,B", "--export=ALL,A=1,B", "variables"},
    {"--export=none", "--export=NONE", "none"},
    {"--export=nil", "--export=NIL", "not even Slurm's"},
    {"'--export=A=\"1,2\"'", "--export=A=1\",\"2", "a comma in a value"},
    {"'--export=\"none\"'", "--export=\"none\"", "a variable of that name"},
    {"--container=/bundle", "--container=/bundle", "a container"},
    {"-J train --nice -o '%j #1.out'", "--job-name=train --nice --output=%j #1.out", "carried"},
    {"--comment=", "--comment=", "an empty one"},
};

}  // namespace

TEST_CASE("Options are printed by their long names and read back", "[slurm][golden]") {
    for (const PrintRow& row : print_rows) {
        INFO(row.text << ": " << row.why);
        const JobOptions options = said_in(row.text);
        CHECK(printed(options) == row.expected);
        check_comes_back(options);
    }
}

TEST_CASE("Options drawn together are read back", "[slurm][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    for (int round = 0; round < 500; ++round) {
        JobOptions options;
        const auto count = rng.below(8);
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto at = rng.below(std::size(print_rows));
            options = slurm::overlaid(std::move(options), said_in(print_rows[at].text));
        }
        check_comes_back(options);
    }
}

TEST_CASE("A submission is printed with its components and its command", "[slurm]") {
    const auto submission = slurm::parse_option_text("-N2 : -N1 --gres=gpu:1 -- ./run --x");
    REQUIRE(submission.ok());
    const std::vector<std::string> expected{"--nodes=2", ":",     "--nodes=1", "--gres=gpu:1",
                                            "--",        "./run", "--x"};
    CHECK(slurm::option_arguments(*submission) == expected);
    const auto again = slurm::read_arguments(expected);
    CHECK(again.errors.empty());
    CHECK(again.submission == *submission);
    const auto lines = slurm::directive_lines(*submission);
    REQUIRE(lines.ok());
    CHECK(*lines == "#SBATCH --nodes=2\n#SBATCH hetjob\n#SBATCH --nodes=1\n#SBATCH --gres=gpu:1\n");
    CHECK(slurm::option_arguments(slurm::Submission{{}}).empty());
}

TEST_CASE("No line holds a line break", "[slurm][error]") {
    slurm::Submission submission;
    submission.components.front().options.passthrough = {{"comment", "a\nb", 0}};
    const auto lines = slurm::directive_lines(submission);
    CHECK(lines.status().code() == invalid);
    CHECK(message(lines.status()).find("--comment: a line break") == 0);
}

TEST_CASE("What resolving opens is printed as its least number", "[slurm]") {
    const auto resolved = slurm::resolve(said_in("-w n[1-3]"));
    REQUIRE(resolved.ok());
    CHECK(printed(resolved->options) == "--nodes=3 --nodelist=n[1-3]");
}

}  // namespace trestle
