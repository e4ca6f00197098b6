// SPDX-License-Identifier: Apache-2.0
// fit() and layout_tasks() agree: what the first gives has room for the tasks.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/alloc/node/job/task_layout.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/set/text.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

/// `0,1;4,5`: the threads of each task where fit() places them beside an owner of the cores
/// `taken`; `no` where it refuses.
std::string seats_text(const char* text, const char* taken, const Request& request) {
    const std::vector<Node> nodes{*testing::node_from_text(text)};
    const NodeShape& shape = *nodes[0].shape;
    NodeLedger ledger(shape);
    NodePlacement held;
    held.cores = *parse_set<CoreSet>(taken);
    if (!held.cores.is_empty()) REQUIRE(ledger.take(held, OwnerId(1)).ok());
    const auto given = fit(shape, ledger, demand_of(request, {}, shape.socket_count()));
    if (!given) return "no";
    const auto layout = layout_tasks(nodes, {{*given}}, request);
    if (!layout) return to_text(layout.refusal());
    std::string seats;
    for (const TaskPlacement& task : *layout) {
        if (!seats.empty()) seats += ";";
        std::string threads;
        for (const OsIndex thread : task.threads) {
            threads += (threads.empty() ? "" : ",") + to_text(thread);
        }
        seats += threads;
    }
    return seats;
}

}  // namespace

TEST_CASE("layout_tasks: has room for what fit() gives to tasks of sockets", "[alloc]") {
    struct Row {
        const char* node;
        const char* taken;
        std::int64_t tasks;
        std::int64_t cpus;
        void (*change)(Request&);
        const char* threads;  // of the tasks; `no`: fit() refuses
        const char* why;
    };
    const auto fcyclic = [](Request& r) {
        r.distribution.sockets = Distribution::fcyclic;
        r.tasks_per_socket = Count(1);
    };
    const auto whole = [](Request& r) {
        r.exclusivity = Exclusivity::whole_node;
        r.tasks_per_socket = Count(1);
    };
    const auto cyclic = [](Request& r) { r.distribution.sockets = Distribution::cyclic; };
    const auto plane = [](Request& r) { r.distribution.sockets = Distribution::plane; };
    const Row rows[] = {
        {"1s1c2t", "", 2, 1, fcyclic, "no", "two tasks on the one socket, be it on one core"},
        {"2s1c2t", "", 2, 1, fcyclic, "0;1", "a task on each socket"},
        {"2s1c2t", "", 3, 1, fcyclic, "no", "a third one finds no socket"},
        {"2s4c", "", 2, 2, fcyclic, "0,1;4,5", "beside the limit a task lies on one socket"},
        {"2s4c", "", 1, 5, fcyclic, "no", "no socket holds it"},
        {"2s4c", "0-2", 2, 2, fcyclic, "no", "one socket has too few free cores"},
        {"2s4c", "", 8, 1, whole, "no", "a socket may have one task, not four"},
        {"2s4c", "", 2, 1, whole, "0;4", "one on each socket"},
        {"2s4c", "", 2, 4, whole, "0,1,2,3;4,5,6,7", "one that fills each"},
        {"2s4c", "", 1, 5, whole, "no", "one that no socket holds"},
        {"2s2c", "", 2, 2,
         [](Request& r) {
             r.exclusivity = Exclusivity::whole_node;
             r.tasks_per_socket = Count(1);
             r.system_cores = Count(1);
         },
         "no", "the second socket keeps a core for the system"},
        {"2s2c2t", "", 4, 1,
         [](Request& r) {
             r.exclusivity = Exclusivity::whole_node;
             r.tasks_per_socket = Count(2);
             r.tasks_per_core = Count(1);
             r.distribution.sockets = Distribution::cyclic;
         },
         "0;2;1;3", "both limits hold, in turn"},
        {"2s2c", "", 3, 1,
         [](Request& r) {
             r.exclusivity = Exclusivity::whole_node;
             r.tasks_per_socket = Count(1);
             r.distribution.sockets = Distribution::fcyclic;
         },
         "no", "fcyclic tasks are counted on a whole node too"},
        {"2s3c", "", 3, 2, cyclic, "0,1;2,3;4,5", "the third one lies over the ends of sockets"},
        {"2s1c", "", 1, 2, cyclic, "0,1", "no socket holds the task"},
        {"2s1c", "", 1, 2, plane, "0,1", "in planes too"},
        {"2s1c2t", "", 1, 3, cyclic, "0,1,2", "three threads of two cores"},
        {"2s3c", "", 3, 2, plane, "0,1;2,3;4,5", "as cyclic"},
        {"2s3c", "0-1", 2, 2, cyclic, "2,3;4,5", "the free cores of the first socket are too few"},
        {"2s3c", "", 2, 2, cyclic, "0,1;3,4", "tasks that fit are dealt"},
        {"2s3c", "", 4, 2, cyclic, "no", "there are six cores"},
        {"2s3c", "", 3, 2,
         [](Request& r) {
             r.distribution.sockets = Distribution::cyclic;
             r.task_level = HardwareLevel::package;
         },
         "no", "each task in one package, as asked"},
        {"2s3c", "", 3, 2,
         [](Request& r) {
             r.distribution.sockets = Distribution::cyclic;
             r.tasks_per_socket = Count(2);
         },
         "no", "a limit of a socket counts tasks that lie in it"},
        {"2s2c", "", 2, 1,
         [](Request& r) {
             r.distribution.sockets = Distribution::cyclic;
             r.core_locality = Strictness::require;
         },
         "0;1", "cores in one group: yes on the idle node"},
        {"2s2c", "0-1", 2, 1,
         [](Request& r) {
             r.distribution.sockets = Distribution::plane;
             r.core_locality = Strictness::require;
         },
         "2;3", "and on a fuller one"},
        {"2s2c", "", 2, 1,
         [](Request& r) {
             r.distribution.sockets = Distribution::plane;
             r.core_locality = Strictness::require;
         },
         "0;1", "planes too"},
    };
    for (const Row& row : rows) {
        INFO(row.why << ": " << row.node << ", " << row.tasks << " tasks of " << row.cpus);
        Request request;
        request.tasks = Count(row.tasks);
        request.cpus_per_task = Range<Count>::exactly(Count(row.cpus));
        row.change(request);
        REQUIRE(check(request).ok());
        CHECK(seats_text(row.node, row.taken, request) == row.threads);
    }
}

TEST_CASE("layout_tasks: law: has room for all that fit() gives", "[alloc][law]") {
    INFO("seed " << test_seed());
    std::uint64_t placed = 0;
    testing::for_random_choices(
        {test_seed(), test_rounds(10'000u)}, [&](testing::Choices& choices) {
            FitCase one = any_fit_case(choices);
            NodeDemand& demand = one.demand;
            demand.cpus_per_task = std::max(demand.cpus_per_task, Count(1));
            demand.plane_size = std::max(demand.plane_size, Count(1));
            if (choices.one_in(2)) demand.devices.clear();
            if (choices.one_in(4)) demand.exclusivity = Exclusivity::whole_node;
            if (choices.one_in(2)) demand.tasks_per_socket = Count(choices.one_in(2) ? 1 : 2);
            const auto given = fit(one.shape, one.ledger(), demand, one.options);
            if (!given) return;
            ++placed;
            Request request;
            request.tasks = demand.tasks;
            request.cpus_per_task = Range<Count>::exactly(demand.cpus_per_task);
            request.distribution.sockets = demand.distribution;
            request.distribution.level = demand.distribution_level;
            request.distribution.plane_size = demand.plane_size;
            request.task_level = demand.task_level;
            request.core_kind = demand.core_kind;
            const auto limit = [](Count count) {
                return count.is_zero() ? std::nullopt : std::optional(count);
            };
            request.tasks_per_core = limit(demand.tasks_per_core);
            request.tasks_per_socket = limit(demand.tasks_per_socket);
            request.threads_per_core = limit(demand.threads_per_core);
            Node node;
            node.name = "n0";
            node.shape = one.shape;
            const auto layout = layout_tasks(std::vector<Node>{node}, {{*given}}, request);
            INFO(to_text(one) << "\n" << to_text(given) << "\n" << to_text(layout));
            REQUIRE(layout.has_value());
        });
    CHECK(placed > test_rounds(1'000u));
}

}  // namespace trestle
