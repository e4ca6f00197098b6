// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/environment.hpp"

#include <map>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/slurm_oracle.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/dialect/slurm/options/settle.hpp"

namespace trestle::slurm {
namespace {

using Variables = std::vector<EnvironmentVariable>;

NodeGrant granted(const std::string& node, std::int64_t cpus) {
    NodeGrant grant;
    grant.node = node;
    grant.cpus = Count(cpus);
    return grant;
}

JobOptions settled(const std::string& text) {
    return settle(parse_option_text(text)->components.front().options)->options;
}

std::string tasks_text(const std::string& options, const std::vector<std::int64_t>& cpus,
                       bool packs_nodes = false) {
    JobContext job{1, settled(options), {}, {}, packs_nodes};
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

TEST_CASE("Slurm environment: what a job and its nodes see", "[slurm]") {
    JobContext job;
    job.id = 42;
    job.options = settled("-N2 -n4 -c2 --mem=16G --ntasks-per-socket=2 -m cyclic:block");
    job.nodes = {granted("gpu-01", 4), granted("gpu-02", 4)};
    job.nodes[1].gres = {*parse_gres_details("gpu:a100:2(IDX:1,3)")->begin(),
                         *parse_gres_details("shard:6")->begin()};
    CHECK(job_environment(job) == Variables{{"SLURM_JOB_ID", "42"},
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
                                            {"SLURM_MEM_PER_NODE", "16384"}});
    CHECK(node_environment(job, 0) ==
          Variables{{"SLURM_NODEID", "0"}, {"SLURM_CPUS_ON_NODE", "4"}});
    CHECK(node_environment(job, 1) == Variables{{"SLURM_NODEID", "1"},
                                                {"SLURM_CPUS_ON_NODE", "4"},
                                                {"SLURM_JOB_GPUS", "1,3"},
                                                {"SLURM_GPUS_ON_NODE", "2"},
                                                {"SLURM_SHARDS_ON_NODE", "6"}});
    CHECK(broken_contract([&] { (void)node_environment(job, 2); }) != "");
    job.nodes.clear();
    CHECK(broken_contract([&] { (void)job_environment(job); }) != "");
}

TEST_CASE("Slurm environment: what an array's task sees", "[slurm]") {
    JobContext job{1007, settled("-n1 --array=1,5-7%2"), {granted("n1", 1)}, {}, false};
    job.array_element = ArrayElement{1001, 6, *job.options.array};
    const Variables variables = job_environment(job);
    const Variables of_array(variables.end() - 5, variables.end());
    CHECK(of_array == Variables{{"SLURM_ARRAY_JOB_ID", "1001"},
                                {"SLURM_ARRAY_TASK_ID", "6"},
                                {"SLURM_ARRAY_TASK_COUNT", "4"},
                                {"SLURM_ARRAY_TASK_MIN", "1"},
                                {"SLURM_ARRAY_TASK_MAX", "7"}});
}

TEST_CASE("Slurm environment: what a task sees", "[slurm]") {
    TaskContext task;
    task.task = 5;
    task.local = 1;
    task.cpus = {PuSet::range({0, 2}), PuSet::range({2, 4})};
    task.gpus = SmallSet<>::of({1, 3});
    CHECK(task_environment(task) == Variables{{"SLURM_PROCID", "5"},
                                              {"SLURM_LOCALID", "1"},
                                              {"SLURM_CPU_BIND", "quiet,mask_cpu:0x3,0xc"},
                                              {"SLURM_STEP_GPUS", "1,3"}});
    CHECK(task_environment({}) == Variables{{"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}});
}

TEST_CASE("Slurm environment: all that clients of a real Slurm set", "[slurm][data]") {
    const auto recordings = slurm_oracle::load_all();
    REQUIRE(message(recordings.status()) == "");
    if (recordings->empty()) {
        WARN("skipped: no recordings of Slurm in " << data_dir());
        return;
    }
    std::size_t compared = 0;
    for (const slurm_oracle::Recording& recording : *recordings) {
        for (const slurm_oracle::Step& step : recording.steps) {
            if (step.result.status != "allocated") continue;
            INFO(recording.file << ": " << step.options);
            JobContext job{1, settled(step.options), step.result.nodes, {}, false};
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
                made[variable.name] = variable.value;
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
