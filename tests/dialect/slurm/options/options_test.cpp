// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/options.hpp"

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::string>;

namespace {

slurm::ParsedOptions parsed(const Words& words) {
    const auto options = slurm::parse_options(words);
    INFO(message(options.status()));
    REQUIRE(options.ok());
    return *options;
}

/// The request as text, which leaves out what has its default.
std::string request_of(const Words& words) { return to_text(parsed(words).request); }

std::string error_of(const Words& words) {
    const auto options = slurm::parse_options(words);
    REQUIRE_FALSE(options.ok());
    CHECK(options.status().code() == StatusCode::kInvalidArgument);
    const std::string line(message(options.status()));
    CHECK(line.find('\n') == std::string::npos);
    return line;
}

}  // namespace

TEST_CASE("Slurm options: each option sets its part of the request", "[dialect][slurm]") {
    struct Row {
        Words words;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {{}, "{}", "nothing asked: one CPU on one node"},
        {{"--gres=gpu:2"}, "{devices=[{count=2}]}", "any type, per node"},
        {{"--gres=gpu:a100:2"}, "{devices=[{types=[a100], count=2}]}", "one type"},
        {{"--gres", "gpu:1,nic:2"}, "{devices=[{}, {name=nic, count=2}]}", "two names"},
        {{"--gres=gpu:2", "--gres=none"}, "{}", "none takes it back"},
        {{"--gres=gpu:0"}, "{}", "zero is nothing"},
        {{"--gpus=8"}, "{devices=[{count=8, per=job}]}", "per job, not per node"},
        {{"-G", "a100:4"}, "{devices=[{types=[a100], count=4, per=job}]}", "short form"},
        {{"--gpus-per-node=2"}, "{devices=[{count=2}]}", "the long form of --gres=gpu"},
        {{"-n", "4"}, "{nodes=1..4, tasks=4}", "tasks may lie on up to as many nodes"},
        {{"-n1"}, "{tasks=1}", "one task, one node"},
        {{"-N4"}, "{nodes=4}", "one task a node"},
        {{"--nodes=2-4"}, "{nodes=2..4}", "a range"},
        {{"-N", "1k"}, "{nodes=1024}", "with a suffix"},
        {{"-N4", "-n32"}, "{nodes=4, tasks=32}", "both"},
        {{"-N4", "-n2"}, "{nodes=2, tasks=2}", "never more nodes than tasks, as srun does"},
        {{"-N2-8", "-n4"}, "{nodes=2..4, tasks=4}", "also at the upper end alone"},
        {{"-c8"}, "{cpus_per_task=8}", "CPUs of each task"},
        {{"--cpus-per-task=8", "-c", "2"}, "{cpus_per_task=2}", "the last one wins"},
        {{"--mem=16G"}, "{memory=16GiB}", "of each node"},
        {{"--mem=512"}, "{memory=512MiB}", "no unit is MiB"},
        {{"--mem-per-cpu=2G"}, "{memory=2GiB, memory_per=cpu}", "of each CPU"},
        {{"--time=2:00:00"}, "{time_limit=7200}", "in seconds"},
        {{"-t", "UNLIMITED"}, "{}", "no limit"},
        {{"-C", "a100&nvlink"}, "{features=a100&nvlink}", "all of them"},
        {{"--exclusive"},
         "{devices=[{count=0.., prefer=most}], exclusivity=whole_node}",
         "no other job there, and all GPUs"},
        {{"-G4", "--gres=gpu:2"}, "{nodes=2, devices=[{count=2}]}", "per job by per node: nodes"},
        {{"-N1", ":", "-N2"},
         "{components=[{nodes=2}], component_nodes=shared}",
         "a heterogeneous job"},
    };
    for (const Row& row : rows) {
        INFO(row.expected << ": " << row.why);
        CHECK(request_of(row.words) == row.expected);
    }
}

TEST_CASE("Slurm options: names of old, and options of all three programs", "[dialect][slurm]") {
    using slurm::Tool;
    const auto text_of = [](const char* words, Tool tool) {
        const auto submission = slurm::parse_option_text(words, tool);
        INFO(words << ": " << message(submission.status()));
        REQUIRE(submission.ok());
        return to_text(submission->components.front().options);
    };
    struct Row {
        const char* words;
        const char* today;
    };
    const Row rows[] = {
        {"--mincores=4", "--cores-per-socket=4"},
        {"--minsockets=2", "--sockets-per-node=2"},
        {"--minthreads=2", "--threads-per-core=2"},
    };
    for (const Row& row : rows) {
        INFO(row.words);
        CHECK(text_of(row.words, Tool::sbatch) == text_of(row.today, Tool::sbatch));
    }
    CHECK(text_of("--workdir=/d", Tool::sbatch) == "{passthrough=[{name=workdir, value=/d}]}");
    for (const Tool tool : {Tool::sbatch, Tool::srun, Tool::salloc}) {
        CHECK(slurm::parse_option_text("--gid=1 --uid=1", tool).ok());
        CHECK(slurm::parse_option_text("--get-user-env", tool).ok());
    }
}

TEST_CASE("Slurm options: the command is what is left", "[dialect][slurm]") {
    CHECK(parsed({"-c2", "--", "sh", "-c", "true"}).command == Words{"sh", "-c", "true"});
    CHECK(parsed({"-c2", "hostname", "-n", "3"}).command == Words{"hostname", "-n", "3"});
    CHECK(parsed({"-c2"}).command.empty());
    CHECK(parsed({"--", "--gres=gpu:1"}).command == Words{"--gres=gpu:1"});
    CHECK(parsed({"-", "x"}).command == Words{"-", "x"});
    CHECK(parsed({"", "x"}).command == Words{"", "x"});
}

TEST_CASE("Slurm options: --mem=0 means all memory", "[dialect][slurm]") {
    const auto options = parsed({"--mem=0"});
    CHECK(options.wants_all_memory);
    CHECK(options.request.memory == Range<Bytes>::at_least(Bytes()));
    CHECK_FALSE(parsed({"--mem=0", "--mem=1G"}).wants_all_memory);
    CHECK(parsed({"--mem-per-cpu=0"}).wants_all_memory);
    CHECK_FALSE(parsed({"--mem-per-cpu=1G"}).wants_all_memory);
    CHECK_FALSE(parsed({"--mem-per-gpu=0", "-G1"}).wants_all_memory);
    CHECK_FALSE(parsed({}).wants_all_memory);
}

TEST_CASE("Slurm options: bad input gives one line with what, where and what was expected",
          "[dialect][slurm]") {
    struct Row {
        Words words;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {{"--grse=gpu:1"},
         "argument 1: unknown option at offset 0 (\"--grse\"): expected a known option, or "
         "one that KnownOptions or --plugin-option declares; the nearest is --gres",
         "unknown"},
        {{"-c2", "--cpu-per-task=2"}, "argument 2: unknown option", "the second word"},
        {{"--cpu-per-task=2"}, "the nearest is --cpus-per-task", "one letter off"},
        {{"--gers=gpu:1"}, "the nearest is --gres", "two letters swapped"},
        {{"--mem_per_cpu=2"}, "the nearest is --mem-per-cpu", "two letters off"},
        {{"--a\nb"}, "unknown option at offset 0 (\"--a\\x0ab\")", "never two lines"},
        {{"-y", "n1"}, "unknown option at offset 0 (\"-y\")", "no such letter"},
        {{"--gres"}, "--gres: missing value at offset 0 (end of text)", "at the end"},
        {{"--mem="}, "--mem: empty value at offset 0", "nothing behind the sign"},
        {{"--gres=gpu:"}, "--gres: neither count nor type at offset 4 (end of text)", "gpu:"},
        {{"--gres=gpu:a:b"}, "--gres: malformed count at offset 6 (\"b\")", "gpu:a:b"},
        {{"--gres=gpu:a100:x"}, "--gres: malformed count at offset 9 (\"x\")", "malformed count"},
        {{"--gres=gpu=two"}, "--gres: malformed count at offset 4 (\"two\")", "malformed count"},
        {{"--gpus=-1"}, "--gpus: negative count at offset 0 (\"-1\")", "negative count"},
        {{"-nfour"},
         "--ntasks: malformed count at offset 0 (\"four\"): expected a count",
         "the long name, whatever was typed"},
        {{"-c", "2x"}, "--cpus-per-task: malformed count at offset 0 (\"2x\")", "malformed count"},
        {{"-c0"}, "--cpus-per-task: zero at offset 0 (\"0\"): expected 1 or more", "no CPU"},
        {{"-N0"}, "--nodes: zero at offset 0", "no node"},
        {{"-N4-2"}, "--nodes: a range that goes down at offset 0 (\"4-2\")", "downwards"},
        {{"-N1-x"}, "--nodes: malformed count at offset 2 (\"x\")", "half a range"},
        {{"--mem=-5G"}, "--mem: negative memory at offset 0 (\"-5G\"): expected", "negative"},
        {{"--mem=99999999999T"}, "--mem: memory beyond 2^63 bytes at offset 0", "overflow"},
        {{"--mem=1.5G"}, "--mem: unknown memory unit at offset 1", "fraction"},
        {{"--time=1:2:3:4"}, "--time: malformed time at offset 6", "too many parts"},
        {{"--exclusive=user"}, "--exclusive=user: a request of the core cannot say", "its users"},
        {{"--contiguous=1"}, "--contiguous: unexpected value at offset 0 (\"1\")", "no value"},
        {{"-N4", "-G3"}, "--gpus: 3 disagrees with --nodes: 4: expected one for each", "too few"},
        {{"--mem=1G", "--mem-per-cpu=1G"},
         "--mem-per-cpu: conflicts with --mem: expected one",
         "both per node and per CPU"},
        {{"--gpus-per-node=2", "--gres=gpu:1"},
         "--gpus-per-node: conflicts with --gres=gpu",
         "GPUs twice"},
        {{"-G3", "--gpus-per-node=2"},
         "--gpus: 3 disagrees with --gpus-per-node: 2: expected a multiple",
         "no whole number of nodes"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK_THAT(error_of(row.words), ContainsSubstring(row.expected));
    }
    CHECK(parsed({"--gres=nic:1", "--gpus=2"}).request.devices.size() == 2);  // no GPU in --gres
}
