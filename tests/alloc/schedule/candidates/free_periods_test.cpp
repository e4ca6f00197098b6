// SPDX-License-Identifier: Apache-2.0
// Numbers that say when place() is worth a question: what they need of a node, when it is free, and
// that they never overlook a place.
#include "alloc/schedule/candidates/free_periods.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alloc/cluster/node_part.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "support/catch.hpp"
#include "support/random_job.hpp"
#include "support/seed.hpp"
#include "support/timeline_history.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using detail::CandidateSweep;
using detail::FreePeriods;
using detail::least_need;
using detail::NodeNeed;
using detail::NodeParts;
using testing::Choices;

Request of_one_node(std::int64_t tasks, std::int64_t cpus) {
    Request request;
    request.tasks = Count(tasks);
    request.cpus_per_task = Range<Count>::exactly(Count(cpus));
    return request;
}

DeviceRequest whole_gpus(std::int64_t count, Per per) {
    DeviceRequest device;
    device.count = Range<Count>::exactly(Count(count));
    device.per = per;
    return device;
}

Allocation taken_cores(std::uint64_t owner, std::uint32_t node, CoreSet cores) {
    NodePlacement part;
    part.node = NodeId(node);
    part.cores = std::move(cores);
    return {OwnerId(owner), {}, {{std::move(part)}, {}}};
}

CoreSet first_cores(std::uint32_t count) {
    CoreSet cores;
    for (std::uint32_t core = 0; core < count; ++core) cores.insert(CoreId(core));
    return cores;
}

const std::vector<bool> each_class_may(8, true);

/// Owners and periods of the parts, one by one.
std::vector<std::pair<Instant, OwnerId>> starts_of(std::span<const NodeParts::Part> parts) {
    std::vector<std::pair<Instant, OwnerId>> starts;
    for (const NodeParts::Part& part : parts) starts.emplace_back(part.period.first, part.owner);
    return starts;
}

/// The same by a look at all that the timeline holds.
std::vector<std::pair<Instant, OwnerId>> starts_on(const Timeline& timeline, NodeId node) {
    std::vector<std::pair<Instant, OwnerId>> starts;
    for (const TimedAllocation& one : timeline.reservations()) {
        for (const NodePlacement& part : one.allocation.placement.nodes) {
            if (part.node != node || detail::is_empty(part)) continue;
            starts.emplace_back(one.period.first, one.allocation.owner);
        }
    }
    std::sort(starts.begin(), starts.end());
    return starts;
}

struct ReadCounts {
    std::uint64_t known = 0;    ///< periods
    std::uint64_t unread = 0;   ///< that a table of all nodes would have
    std::uint64_t further = 0;  ///< looks
};

/// The table has each period that begins until known_until() and ends behind now, and no other than
/// those of a table of all nodes.
void check_periods(const Timeline& timeline, const FreePeriods& periods, ReadCounts& counts) {
    NodeParts fresh;
    fresh.follow(timeline);
    std::vector<Period> found;
    std::size_t expected = 0;
    for (std::uint32_t i = 0; i < timeline.cluster().node_count(); ++i) {
        const NodeId node(i);
        const auto& known =
            timeline.cluster().classes().known(timeline.cluster().state(node).node_class);
        detail::ClassNeed(periods.need(), known).find_periods(fresh.on(node), found);
        for (const Period& one : found) {
            const FreePeriods::Set& set = periods.by_length()[FreePeriods::set_of(one)];
            const bool is_there = set.contains({one.first, node, one.end});
            const bool is_due = one.first <= periods.known_until() && timeline.now() < one.end;
            REQUIRE((is_there || !is_due));
            ++(is_there ? counts.known : counts.unread);
            if (is_there) ++expected;
        }
    }
    std::size_t all = 0;
    for (const FreePeriods::Set& set : periods.by_length()) all += set.size();
    REQUIRE(all == expected);
}

}  // namespace

TEST_CASE("least_need: what no node of the job can do with less than", "[alloc][time]") {
    struct Row {
        const char* why;
        Request request;
        std::int64_t cpus;
        std::int64_t memory;
        std::int64_t devices;
    };
    std::vector<Row> rows{
        {"one node has all tasks", of_one_node(4, 2), 8, 0, 0},
        {"of several nodes each has a task at least", of_one_node(4, 2), 2, 0, 0},
        {"devices per task come with each", of_one_node(4, 1), 4, 0, 8},
        {"devices of the job may all lie elsewhere", of_one_node(4, 1), 1, 0, 0},
        {"memory for each CPU", of_one_node(2, 3), 6, 600, 0},
        {"CPUs that devices bring", of_one_node(1, 1), 12, 0, 2},
        {"devices of another name bring none", of_one_node(1, 1), 6, 0, 2},
        {"nor memory", of_one_node(1, 1), 1, 100, 2},
        {"shares of a device are no whole one", of_one_node(1, 1), 1, 0, 0},
        {"an alternative may do without devices", of_one_node(1, 1), 1, 0, 0},
        {"tasks that share a core", of_one_node(8, 1), 1, 0, 0},
    };
    rows[1].request.nodes = Range<Count>::exactly(Count(2));
    rows[2].request.devices = {whole_gpus(2, Per::task)};
    rows[3].request.devices = {whole_gpus(4, Per::job)};
    rows[3].request.nodes = Range<Count>::exactly(Count(2));
    rows[4].request.memory = Range<Bytes>::at_least(Bytes(100));
    rows[4].request.memory_per = Per::cpu;
    rows[5].request.devices = {whole_gpus(2, Per::node)};
    rows[5].request.cpus_per_device = Count(6);
    rows[6].request.devices = {whole_gpus(1, Per::node), whole_gpus(1, Per::node)};
    rows[6].request.devices[1].name = "nic";
    rows[6].request.cpus_per_device = Count(6);
    rows[7].request.devices = {whole_gpus(1, Per::node), whole_gpus(1, Per::node)};
    rows[7].request.devices[1].name = "nic";
    rows[7].request.memory = Range<Bytes>::at_least(Bytes(100));
    rows[7].request.memory_per = Per::device;
    rows[8].request.devices = {whole_gpus(1, Per::node)};
    rows[8].request.devices[0].shares = Count(50);
    rows[9].request.devices = {whole_gpus(1, Per::node)};
    rows[9].request.device_alternatives = {{}};
    rows[10].request.tasks_per_core = Count(2);
    for (const Row& row : rows) {
        INFO(row.why);
        const NodeNeed need = least_need(row.request);
        CHECK(need.cpus == row.cpus);
        CHECK(need.memory == row.memory);
        std::int64_t devices = 0;
        for (const DeviceRequest& one : need.devices) devices += one.count.least().value();
        CHECK(devices == row.devices);
    }
}

TEST_CASE("CandidateSweep: moments at which enough nodes are free for long enough",
          "[alloc][time]") {
    Timeline timeline(*testing::cluster_from_text("3 x (1s4c)"));
    const auto take = [&](std::uint64_t owner, std::uint32_t node, std::int64_t first,
                          std::int64_t end) {
        const Period period{Instant(first), Instant(end)};
        REQUIRE(timeline.reserve(taken_cores(owner, node, first_cores(3)), period).ok());
    };
    take(1, 0, 0, 10);
    take(2, 1, 0, 20);
    take(3, 2, 0, 30);
    take(4, 0, 15, 40);  // node 0 is free from 10 to 15
    NodeParts parts;
    parts.follow(timeline);
    FreePeriods periods(least_need(of_one_node(1, 2)));
    periods.follow(timeline, parts);
    const auto first_moment = [&](std::int64_t duration, std::int64_t wanted,
                                  std::optional<Instant> not_beyond = {}) {
        CandidateSweep sweep(timeline, parts, periods, each_class_may,
                             {Instant(0), Seconds(duration), not_beyond, wanted});
        CHECK_FALSE(sweep.has_enough());
        return sweep.advance() ? sweep.at().value() : -1;
    };
    CHECK(first_moment(5, 1) == 10);
    CHECK(first_moment(6, 1) == 20);  // the hole is too short
    CHECK(first_moment(5, 2) == 30);  // nodes 1 and 2; 0 is taken again by 20
    CHECK(first_moment(100, 3) == 40);
    CHECK(first_moment(5, 4) == -1);
    CHECK(first_moment(5, 2, Instant(29)) == -1);  // the bound counts
    CHECK(first_moment(5, 2, Instant(30)) == 30);
    CHECK(first_moment(5, 2, end_of_time) == 30);

    REQUIRE(timeline.cancel(OwnerId(4)).ok());  // and follows
    parts.follow(timeline);
    periods.follow(timeline, parts);
    CHECK(first_moment(6, 1) == 10);
    CHECK(first_moment(5, 2) == 20);
}

TEST_CASE("law: where place() finds a place, the numbers do not say no", "[alloc][time][law]") {
    std::uint64_t places = 0;
    testing::for_random_choices({test_seed(), test_rounds(std::uint64_t{2000})}, [&](Choices&
                                                                                         choices) {
        Timeline timeline(any_job_world(choices, {4, choices.one_in(3)}));
        NodeParts parts;
        for (std::uint64_t owner = 1000; owner < 1006; ++owner) {
            const Request request = any_job(choices, timeline.cluster(), {choices.one_in(2), true});
            if (!check(request).ok() || !request.components.empty()) continue;
            auto found = place(timeline.cluster(), request);
            if (!found) continue;
            parts.follow(timeline);
            FreePeriods periods(least_need(request));
            periods.follow(timeline, parts);
            const CandidateSweep sweep(
                timeline, parts, periods, each_class_may,
                {timeline.now(), {}, {}, static_cast<std::int64_t>(found->nodes.size())});
            REQUIRE(sweep.has_enough());
            const NodeSet nodes = sweep.nodes();
            for (const NodePlacement& one : found->nodes) REQUIRE(nodes.contains(one.node));
            ++places;
            REQUIRE(timeline
                        .reserve({OwnerId(owner), request, *std::move(found)},
                                 {timeline.now(), end_of_time})
                        .ok());
        }
    });
    CHECK(places > test_rounds(std::uint64_t{1000}));
}

TEST_CASE("law: no period that has to be known is missing, however few nodes were read",
          "[alloc][time][law]") {
    ReadCounts counts;
    testing::for_random_choices(
        {test_seed(), test_rounds(std::uint64_t{1200})}, [&](Choices& choices) {
            TimelineHistory history(choices);
            const Timeline& timeline = history.timeline();
            NodeParts parts;
            std::vector<FreePeriods> tables;
            for (int step = 0; step < 12; ++step) {
                history.step();
                if (choices.one_in(6)) {  // a finder that is new
                    parts = NodeParts();
                    tables.clear();
                }
                if (tables.size() < 3) tables.emplace_back(least_need(history.any_request()));
                parts.follow(timeline);
                for (FreePeriods& periods : tables) {
                    if (choices.one_in(4)) continue;
                    periods.follow(timeline, parts);
                    check_periods(timeline, periods, counts);
                    if (!choices.one_in(3)) continue;
                    const Instant before = periods.known_until();
                    periods.look_further(timeline, parts);
                    if (before < periods.known_until()) ++counts.further;
                    check_periods(timeline, periods, counts);
                }
                const NodeId node(
                    static_cast<std::uint32_t>(choices.below(timeline.cluster().node_count())));
                if (choices.one_in(4))
                    REQUIRE(starts_of(parts.on(node)) == starts_on(timeline, node));
            }
        });
    CHECK(counts.known > test_rounds(std::uint64_t{4000}));
    CHECK(counts.unread > test_rounds(std::uint64_t{400}));
    CHECK(counts.further > test_rounds(std::uint64_t{1000}));
}

}  // namespace trestle
