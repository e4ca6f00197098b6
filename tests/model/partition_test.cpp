// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/partition.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "model/partition_rules.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

Partition batch() {
    Partition partition;
    partition.name = "batch";
    partition.nodes = NodeSet::range({0, 8});
    partition.nodes_per_job = Range<Count>::between(Count(2), Count(4));
    partition.max_time = Seconds(3600);
    partition.max_cpus_per_node = Count(8);
    partition.max_memory_per_node = gib(16);
    return partition;
}

Request on_nodes(Range<Count> nodes) {
    Request request;
    request.nodes = nodes;
    return request;
}

TEST_CASE("Partition: prints what differs from a default one", "[model][golden]") {
    Partition partition = batch();
    partition.state = Partition::State::drain;
    partition.oversubscribe = Partition::OverSubscribe::force;
    partition.jobs_per_core = Count(2);
    CHECK(to_text(partition) ==
          "{name=batch, nodes=0-7, state=drain, nodes_per_job=2..4, max_time=3600, "
          "max_cpus_per_node=8, max_memory_per_node=16GiB, oversubscribe=force, jobs_per_core=2}");
}

TEST_CASE("check: limits of a partition that cannot be met are named", "[model]") {
    struct Row {
        std::function<void(Partition&)> change;
        const char* error;
        const char* why;
    };
    const Row rows[] = {
        {[](Partition& p) {
             p.nodes_per_job = {Count(2), Count(1)};
         },
         "partition batch: nodes_per_job: expected a rising range that holds 1 or more",
         "from 2 to 1"},
        {[](Partition& p) { p.nodes_per_job = Range<Count>::at_most(Count(0)); },
         "partition batch: nodes_per_job: expected a rising range that holds 1 or more",
         "no node at all"},
        {[](Partition& p) { p.max_cpus_per_node = Count(0); },
         "partition batch: max_cpus_per_node: 0, expected 1 or more", "every job has a CPU"},
        {[](Partition& p) { p.jobs_per_core = Count(0); },
         "partition batch: jobs_per_core: 0, expected 1 or more", "not even one job"},
        {[](Partition& p) { p.default_time = Seconds(3601); },
         "partition batch: default_time: expected at most max_time", "a default that is refused"},
    };
    CHECK(check(Partition{}).ok());
    CHECK(check(batch()).ok());
    for (const Row& row : rows) {
        INFO(row.why);
        Partition partition = batch();
        row.change(partition);
        CHECK(check(partition).code() == StatusCode::kInvalidArgument);
        CHECK(message(check(partition)) == row.error);
    }
}

TEST_CASE("effective_time_limit: asked, else the default, else the longest", "[model]") {
    Request request;
    Partition partition;
    CHECK(effective_time_limit(partition, request) == std::nullopt);
    partition.max_time = Seconds(100);
    CHECK(effective_time_limit(partition, request) == Seconds(100));
    partition.default_time = Seconds(10);
    CHECK(effective_time_limit(partition, request) == Seconds(10));
    request.time_limit = Seconds(50);
    CHECK(effective_time_limit(partition, request) == Seconds(50));
}

TEST_CASE("OverSubscribe: what a partition makes of what a job asks", "[model]") {
    struct Row {
        Partition::OverSubscribe mode;
        std::uint32_t rows_of_1, rows_of_9;  ///< for jobs that ask for so many
        Exclusivity of_shared, of_whole;     ///< for jobs that ask for it
        const char* why;
    };
    using enum Exclusivity;
    const Row rows[] = {
        {Partition::OverSubscribe::no, 1, 1, shared, whole_node, "cores are not shared"},
        {Partition::OverSubscribe::yes, 1, 3, shared, whole_node, "shared where it is asked for"},
        {Partition::OverSubscribe::force, 3, 3, shared, shared, "shared whatever is asked for"},
        {Partition::OverSubscribe::exclusive, 1, 1, whole_node, whole_node, "nodes are not shared"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Partition partition;
        partition.oversubscribe = row.mode;
        partition.jobs_per_core = Count(3);
        CHECK(effective_rows(partition, 1) == row.rows_of_1);
        CHECK(effective_rows(partition, 9) == row.rows_of_9);
        Request request;
        CHECK(effective_exclusivity(partition, request) == row.of_shared);
        request.exclusivity = whole_node;
        CHECK(effective_exclusivity(partition, request) == row.of_whole);
    }
}

TEST_CASE("refuse: what a partition never takes", "[model]") {
    struct Row {
        std::function<void(Partition&, Request&)> change;
        std::string refusal;  ///< empty: taken
        const char* why;
    };
    const auto with_tasks = [](std::int64_t tasks, std::int64_t cpus) {
        return [tasks, cpus](Partition&, Request& r) {
            r.tasks = Count(tasks);
            r.cpus_per_task = Range<Count>::at_least(Count(cpus));
        };
    };
    const std::vector<Row> rows = {
        {[](Partition&, Request&) {}, "", "within all limits"},
        {[](Partition& p, Request&) { p.state = Partition::State::down; }, "is down",
         "starts none"},
        {[](Partition& p, Request&) { p.state = Partition::State::drain; }, "is drain",
         "takes none"},
        {[](Partition& p, Request&) { p.state = Partition::State::inactive; }, "is inactive",
         "neither"},
        {[](Partition&, Request& r) { r.nodes = Range<Count>::exactly(Count(5)); },
         "has 8 nodes, 2..4 a job, asked 5", "more nodes than a job may have"},
        {[](Partition&, Request& r) { r.nodes = Range<Count>::exactly(Count(1)); },
         "has 8 nodes, 2..4 a job, asked 1", "fewer nodes than a job must have"},
        {[](Partition& p, Request& r) {
             p.nodes_per_job = {{}, Count(1)};
             r.nodes = Range<Count>::exactly(Count(2));
         },
         "has 8 nodes, at most 1 a job, asked 2", "a limit without a least number"},
        {[](Partition& p, Request& r) {
             p.nodes_per_job = Range<Count>::at_least(Count(2));
             r.nodes = Range<Count>::exactly(Count(1));
         },
         "has 8 nodes, 2.. a job, asked 1", "a least number without a limit"},
        {[](Partition&, Request& r) { r.nodes = Range<Count>::at_least(Count(1)); }, "",
         "some number is allowed"},
        {[](Partition& p, Request&) {
             p.nodes = NodeSet::range({0, 1});
         },
         "has 1 node, 2..4 a job, asked 2", "more nodes than there are"},
        {[](Partition& p, Request&) { p.nodes = {}; }, "has 0 nodes, 2..4 a job, asked 2", "none"},
        {[](Partition&, Request& r) {
             r.nodes = {};
             r.node_counts = {Count(1), Count(8)};
         },
         "has 8 nodes, 2..4 a job, asked 1,8", "no number in the list is allowed"},
        {[](Partition&, Request& r) {
             r.nodes = {};
             r.node_counts = {Count(1), Count(3), Count(8)};
         },
         "", "one number in the list is allowed"},
        {[](Partition&, Request& r) { r.time_limit = Seconds(3600); }, "", "just as long"},
        {[](Partition&, Request& r) { r.time_limit = Seconds(3601); },
         "runs jobs for at most 3600 s, asked 3601", "too long"},
        {[](Partition& p, Request& r) {
             p.max_time.reset();
             r.time_limit = Seconds::max();
         },
         "", "no limit"},
        {[](Partition& p, Request& r) {
             p.nodes = {};
             p.nodes_per_job = {};
             r.nodes = {};
         },
         "has 0 nodes, asked any number", "any number, but one is the least"},
        {[](Partition& p, Request& r) {
             p.nodes = {};
             p.nodes_per_job = Range<Count>::at_least(Count(1));
             r.nodes = {};
         },
         "has 0 nodes, asked any number", "one at least is no limit"},
        {with_tasks(2, 8), "", "a task on each node"},
        {with_tasks(2, 9), "gives 8 CPUs of a node, asked 9", "a task that is too large"},
        {with_tasks(3, 8), "gives 8 CPUs of a node, asked 16", "one node has two tasks"},
        {[](Partition&, Request& r) {
             r.nodes = {};
             r.tasks = Count(8);
             r.cpus_per_task = Range<Count>::exactly(Count(4));
         },
         "", "over as many nodes as the partition allows"},
        {[](Partition&, Request& r) {
             r.nodes = {};
             r.tasks = Count(9);
             r.cpus_per_task = Range<Count>::exactly(Count(4));
         },
         "gives 8 CPUs of a node, asked 12", "on no more nodes than the partition allows"},
        {[](Partition&, Request& r) { r.milli_cpus = MilliCpu(7001); },
         "gives 8 CPUs of a node, asked 9", "one CPU and a little more than seven"},
        {with_tasks(4, std::numeric_limits<std::int64_t>::max()),
         "gives 8 CPUs of a node, asked 9223372036854775807", "more than can be counted"},
        {[](Partition&, Request& r) { r.memory = Range<Bytes>::at_least(gib(16)); }, "",
         "just as much"},
        {[](Partition&, Request& r) { r.memory = Range<Bytes>::at_least(gib(17)); },
         "gives 16GiB of memory of a node, asked 17GiB", "too much"},
        {[](Partition&, Request& r) {
             r.cpus_per_task = Range<Count>::exactly(Count(4));
             r.memory = Range<Bytes>::at_least(gib(5));
             r.memory_per = Per::cpu;
         },
         "gives 16GiB of memory of a node, asked 20GiB", "too much for all CPUs"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Partition partition = batch();
        Request request = on_nodes(Range<Count>::exactly(Count(2)));
        row.change(partition, request);
        REQUIRE(check(partition).ok());
        REQUIRE(check(request).ok());
        const auto refusal = refuse(partition, request);
        CHECK((refusal ? to_text(*refusal) : "") ==
              (row.refusal.empty() ? "" : "partition: partition batch " + row.refusal));
    }
}

}  // namespace
}  // namespace trestle
