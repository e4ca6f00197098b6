// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/environment.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "enforce/process/environment_words.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "support/shown.hpp"
#include "support/slurm_oracle.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/dialect/slurm/options/resolve.hpp"

namespace trestle::slurm {
namespace {

using Variables = std::vector<EnvironmentVariable>;

NodeGrant granted(const std::string& node, std::int64_t cpus) {
    NodeGrant grant;
    grant.node = node;
    grant.cpus = Count(cpus);
    return grant;
}

JobOptions settled_job(const std::string& text) {
    return resolve(parse_option_text(text)->components.front().options)->options;
}

std::string tasks_text(const std::string& options, const std::vector<std::int64_t>& cpus,
                       bool packs_nodes = false) {
    JobContext job{1, settled_job(options), {}, {}, packs_nodes};
    for (const std::int64_t count : cpus) job.nodes.push_back(granted("n", count));
    std::string text;
    for (const Count count : tasks_per_node(job)) {
        text += (text.empty() ? "" : ",") + std::to_string(count.value());
    }
    return text;
}

/// What a job of the recordings is charged for on a node. Under CR_CPU, and with --thread-spec,
/// that is not in the allocation, and taken from what Slurm's client says.
Count charged(const slurm_oracle::Recording& recording, const JobOptions& options,
              const NodeGrant& grant) {
    for (const slurm_oracle::KnownNode& node : recording.nodes) {
        if (node.name != grant.node) continue;
        const bool one_thread = options.threads_per_core == Range<Count>::exactly(Count(1)) ||
                                (options.hint && *options.hint != Hint::multithread);
        const std::int64_t threads = node.threads_per_core;
        return one_thread ? Count(grant.cpu_ids.count() / threads) : grant.cpus;
    }
    return {};
}

/// `4(x2),3` as counts.
std::vector<Count> counts_of(std::string_view text) {
    std::vector<Count> counts;
    TextCursor cursor(text);
    while (!cursor.at_end()) {
        const auto count = cursor.take_number();
        std::uint64_t times = 1;
        if (cursor.accept("(x")) {
            times = *cursor.take_number();
            (void)cursor.accept(')');
        }
        counts.insert(counts.end(), times, Count(static_cast<std::int64_t>(*count)));
        (void)cursor.accept(',');
    }
    return counts;
}

}  // namespace

TEST_CASE("Slurm environment: tasks are dealt as clients deal them", "[slurm]") {
    struct Row {
        const char* options;
        std::vector<std::int64_t> cpus;
        const char* tasks;
        const char* reason;
    };
    const Row rows[] = {
        {"-n4", {2, 2}, "2,2", "in turn"},
        {"-n17", {16, 2}, "15,2", "in turn while there are CPUs for one more"},
        {"-n5", {8, 16}, "3,2", "the first node has one more"},
        {"-n4 -c3", {9, 3}, "3,1", "a task needs three CPUs"},
        {"-n6 -O", {2, 2}, "3,3", "more tasks than CPUs are dealt in turn"},
        {"-N2 --ntasks-per-node=3", {4, 4}, "3,3", "tasks follow from nodes"},
        {"-N2", {4, 4}, "4,4", "without a number one for each CPU"},
        {"-N2 -c2", {4, 4}, "2,2", "or for each two"},
        {"-n10 -m plane=4", {8, 8}, "6,4", "planes of four, then the rest"},
        {"-n10 -m plane=3", {8, 8}, "6,4", "planes of three"},
        {"-n3 -m plane=2", {1, 1}, "2,1", "planes that no node has CPUs for"},
    };
    for (const Row& row : rows) {
        INFO(row.options << ": " << row.reason);
        CHECK(tasks_text(row.options, row.cpus) == row.tasks);
    }
    CHECK(tasks_text("-n17", {16, 2}, true) == "16,1");
    CHECK(tasks_text("-n5", {4, 2}, true) == "4,1");
    CHECK(tasks_text("-n2", {4, 2}, true) == "1,1");
}

namespace {

/// The same round by round.
std::vector<Count> plainly_dealt(std::vector<std::int64_t> room, std::int64_t tasks,
                                 std::int64_t turn, bool packs_nodes) {
    std::vector<Count> dealt(room.size());
    const auto give = [&](std::size_t node, std::int64_t most) {
        const std::int64_t given = std::max<std::int64_t>(std::min(most, tasks), 0);
        room[node] -= given;
        tasks -= given;
        dealt[node] += Count(given);
        return given > 0;
    };
    if (packs_nodes) {
        for (std::size_t node = 0; node < room.size(); ++node) give(node, 1);
        turn = std::max<std::int64_t>(*std::max_element(room.begin(), room.end()), 1);
    }
    bool has_room = true;
    while (tasks > 0) {
        bool gave = false;
        for (std::size_t node = 0; node < room.size(); ++node) {
            gave = give(node, has_room ? std::min(turn, room[node]) : turn) || gave;
        }
        has_room = has_room && gave;
    }
    return dealt;
}

}  // namespace

TEST_CASE("Slurm environment, law: tasks are dealt as if it were done round by round",
          "[slurm][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    for (int round = 0; round < 3000; ++round) {
        JobContext job;
        std::vector<std::int64_t> cpus;
        for (std::uint64_t nodes = 1 + rng.below(5); nodes > 0; --nodes) {
            cpus.push_back(static_cast<std::int64_t>(rng.below(12)));
            job.nodes.push_back(granted("n", cpus.back()));
        }
        const auto tasks = static_cast<std::int64_t>(rng.below(70));
        job.options.ntasks = Count(tasks);
        job.packs_nodes = rng.chance(1, 3);
        std::int64_t turn = 1;
        if (rng.chance(1, 2)) {
            turn = 1 + static_cast<std::int64_t>(rng.below(6));
            job.options.distribution = TaskOrder{};
            job.options.distribution->nodes = TaskSpread::plane;
            job.options.distribution->plane_size = Count(turn);
        }
        const bool packs = job.packs_nodes && !job.options.distribution;
        INFO(tasks << " tasks, " << cpus.size() << " nodes, turns of " << turn << ", " << packs);
        REQUIRE(tasks_per_node(job) == plainly_dealt(cpus, tasks, turn, packs));
    }
}

TEST_CASE("Slurm environment: any numbers are dealt at once", "[slurm]") {
    constexpr std::int64_t much = std::int64_t{1} << 62;
    JobContext job{1, {}, {granted("a", 4), granted("b", 2)}, {}, false};
    job.options.ntasks = Count(much);
    CHECK(tasks_per_node(job) == std::vector{Count(much / 2 + 1), Count(much / 2 - 1)});
    job.packs_nodes = true;
    CHECK(tasks_per_node(job).size() == 2);
    job.options.distribution = TaskOrder{};
    job.options.distribution->nodes = TaskSpread::plane;
    job.options.distribution->plane_size = Count::max();
    CHECK(tasks_per_node(job) == std::vector{Count(much - 2), Count(2)});

    JobContext large{1, {}, {granted("a", much), granted("b", much)}, {}, false};
    CHECK(tasks_per_node(large) == std::vector{Count(much), Count(much - 1)});
    large.options.ntasks = Count::max();
    CHECK(tasks_per_node(large) == std::vector{Count(much), Count(much - 1)});

    JobContext none{1, {}, {granted("a", 3)}, {}, false};
    none.options.cpus_per_task = Count();
    CHECK(tasks_per_node(none) == std::vector{Count(3)});
}

TEST_CASE("Slurm environment: names of nodes may be any text", "[slurm]") {
    for (const auto& [second, list] : {std::pair{"n2", "n[1-2]"}, std::pair{"n[2-3]", "n1,n[2-3]"},
                                       std::pair{"", "n1,"}, std::pair{"a,b", "n1,a,b"}}) {
        const JobContext job{1, {}, {granted("n1", 1), granted(second, 1)}, {}, false};
        INFO(second);
        CHECK(job_environment(job).at(1) == shown_variable("SLURM_JOB_NODELIST", list));
    }
}

TEST_CASE("Slurm environment: counts of devices stop at the largest", "[slurm]") {
    JobContext job{1, {}, {granted("n1", 1)}, {}, false};
    job.nodes[0].gres = {{{"gpu", "a", Count::max()}, {}, {}},
                         {{"gpu", "b", Count(1)}, {}, {}},
                         {{"shard", "a", Count::max()}, {}, {}},
                         {{"shard", "b", Count(1)}, {}, {}}};
    const std::string largest = std::to_string(Count::max().value());
    const Variables variables = node_environment(job, 0);
    CHECK(variables.at(2) == shown_variable("SLURM_GPUS_ON_NODE", largest));
    CHECK(variables.at(3) == shown_variable("SLURM_SHARDS_ON_NODE", largest));
}

TEST_CASE("Slurm environment: what a job and its nodes see", "[slurm]") {
    JobContext job;
    job.id = 42;
    job.options = settled_job("-N2 -n4 -c2 --mem=16G --ntasks-per-socket=2 -m cyclic:block");
    job.nodes = {granted("gpu-01", 4), granted("gpu-02", 4)};
    job.nodes[1].gres = {*parse_gres_details("gpu:a100:2(IDX:1,3)")->begin(),
                         *parse_gres_details("shard:6")->begin()};
    CHECK(job_environment(job) == shown({{"SLURM_JOB_ID", "42"},
                                         {"SLURM_JOB_NODELIST", "gpu-[01-02]"},
                                         {"SLURM_NODELIST", "gpu-[01-02]"},
                                         {"SLURM_JOB_NUM_NODES", "2"},
                                         {"SLURM_NNODES", "2"},
                                         {"SLURM_TASKS_PER_NODE", "2(x2)"},
                                         {"SLURM_JOB_CPUS_PER_NODE", "4(x2)"},
                                         {"SLURM_NTASKS", "4"},
                                         {"SLURM_NTASKS_PER_SOCKET", "2"},
                                         {"SLURM_CPUS_PER_TASK", "2"},
                                         {"SLURM_DISTRIBUTION", "cyclic:block"},
                                         {"SLURM_MEM_PER_NODE", "16384"}}));
    CHECK(node_environment(job, 0) == shown({{"SLURM_NODEID", "0"}, {"SLURM_CPUS_ON_NODE", "4"}}));
    CHECK(node_environment(job, 1) == shown({{"SLURM_NODEID", "1"},
                                             {"SLURM_CPUS_ON_NODE", "4"},
                                             {"SLURM_JOB_GPUS", "1,3"},
                                             {"SLURM_GPUS_ON_NODE", "2"},
                                             {"SLURM_SHARDS_ON_NODE", "6"}}));
    CHECK(broken_contract([&] { (void)node_environment(job, 2); }) != "");
    job.nodes.clear();
    CHECK(broken_contract([&] { (void)job_environment(job); }) != "");
}

TEST_CASE("Slurm environment: what an array's task sees", "[slurm]") {
    JobContext job{1007, settled_job("-n1 --array=1,5-7%2"), {granted("n1", 1)}, {}, false};
    job.array_element = ArrayElement{1001, 6, *job.options.array};
    const Variables variables = job_environment(job);
    const Variables of_array(variables.end() - 5, variables.end());
    CHECK(of_array == shown({{"SLURM_ARRAY_JOB_ID", "1001"},
                             {"SLURM_ARRAY_TASK_ID", "6"},
                             {"SLURM_ARRAY_TASK_COUNT", "4"},
                             {"SLURM_ARRAY_TASK_MIN", "1"},
                             {"SLURM_ARRAY_TASK_MAX", "7"}}));
}

TEST_CASE("Slurm environment: tasks of an array are counted once whatever the ranges", "[slurm]") {
    struct Row {
        std::vector<ArrayRange> ranges;
        const char* summary;
        const char* reason;
    };
    const Row rows[] = {
        {{{5, 7, 1}, {1, 1, 1}}, "4 1 7", "apart, in any order"},
        {{{0, 4'000'000, 1}}, "4000001 0 4000000", "as many as there may be"},
        {{{0, 15, 4}}, "4 0 12", "the last is a step"},
        {{{1, 5, 1}, {3, 9, 1}, {9, 9, 7}}, "9 1 9", "overlapping"},
        {{{0, 10, 5}, {5, 20, 5}, {30, 31, 1}}, "7 0 31", "overlapping with steps"},
        {{{0, 10, 2}, {3, 3, 1}}, "7 0 10", "within another's steps"},
        {{{0, 4'294'967'295, 1}}, "4294967296 0 4294967295", "all numbers"},
        {{{3, 2, 1}, {1, 9, 0}, {4, 4, 1}}, "1 4 4", "ranges without any"},
    };
    for (const Row& row : rows) {
        INFO(row.reason);
        JobContext job{1, {}, {granted("n1", 1)}, {}, false};
        job.array_element = ArrayElement{1, 1, {row.ranges, {}}};
        const Variables variables = job_environment(job);
        const auto value = [&](std::size_t from_end) {
            return variables.at(variables.size() - from_end).value.reveal();
        };
        CHECK(value(3) + " " + value(2) + " " + value(1) == row.summary);
    }
    JobContext job{1, {}, {granted("n1", 1)}, {}, false};
    job.array_element = ArrayElement{1, 1, {{{2, 1, 1}}, {}}};
    CHECK(broken_contract([&] { (void)job_environment(job); }) != "");
}

TEST_CASE("Slurm environment: what a task sees", "[slurm]") {
    TaskContext task;
    task.task = 5;
    task.local = 1;
    task.cpus = {PuSet::range({0, 2}), PuSet::range({2, 4})};
    task.gpus = SmallSet<>::of({1, 3});
    CHECK(task_environment(task) == shown({{"SLURM_PROCID", "5"},
                                           {"SLURM_LOCALID", "1"},
                                           {"SLURM_CPU_BIND", "quiet,mask_cpu:0x3,0xc"},
                                           {"SLURM_STEP_GPUS", "1,3"}}));
    CHECK(task_environment({}) == shown({{"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}}));
}

TEST_CASE("Slurm environment: all that clients of a real Slurm set", "[slurm][data]") {
    const auto recordings = slurm_oracle::load_all();
    REQUIRE(message(recordings.status()) == "");
    std::size_t compared = 0;
    for (const slurm_oracle::Recording& recording : *recordings) {
        for (const slurm_oracle::Step& step : recording.steps) {
            if (step.result.status != "allocated") continue;
            INFO(recording.file << ": " << step.options);
            JobContext job{1, settled_job(step.options), step.result.nodes, {}, false};
            if (job.options.ntasks_per_node) job.options.ntasks.reset();  // so does a 22.05
            job.packs_nodes = recording.slurm_conf.find("CR_Pack_Nodes") != std::string::npos ||
                              recording.slurm_conf.find("CR_PACK_NODES") != std::string::npos;
            const bool cpus_are_unseen = recording.slurm_conf.find("CR_CPU") != std::string::npos ||
                                         job.options.thread_spec.has_value();
            const auto& expected = step.result.environment;
            const auto told = counts_of(expected.at("SLURM_JOB_CPUS_PER_NODE"));
            for (std::size_t i = 0; i < job.nodes.size(); ++i) {
                job.nodes[i].cpus =
                    cpus_are_unseen ? told.at(i) : charged(recording, job.options, job.nodes[i]);
            }
            // MaxMemPerCPU lowered it and raised the CPUs: the controller's part, not the client's.
            if (job.options.mem_per_cpu && expected.count("SLURM_MEM_PER_CPU") != 0) {
                job.options.mem_per_cpu = mib(std::stoll(expected.at("SLURM_MEM_PER_CPU")));
            }
            std::map<std::string, std::string> made;
            for (const EnvironmentVariable& variable : job_environment(job)) {
                made[variable.name] = variable.value.reveal();
            }
            for (const auto& [name, value] : expected) {
                INFO(name);
                CHECK(made[name] == value);
                ++compared;
            }
            for (const auto& [name, value] : made) {
                INFO(name << " is " << value);
                const bool is_recorded =
                    name.starts_with("SLURM_NTASKS") || name.starts_with("SLURM_MEM") ||
                    name == "SLURM_CPUS_PER_TASK" || name == "SLURM_DISTRIBUTION";
                CHECK((!is_recorded || expected.count(name) != 0));
            }
        }
    }
    CHECK(compared > 3'000);
}

}  // namespace trestle::slurm
