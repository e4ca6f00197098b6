// SPDX-License-Identifier: Apache-2.0
// growth NODES KINDS: makes each call that takes a cluster or a timeline once, on so many nodes of
// so many kinds, half of which have a job. Under valgrind's callgrind each call leaves its count of
// instructions in a file of its own; growth.py runs this at several sizes and compares.
#include "growth.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle::growth {

void require(bool is_so, const char* what) {
    if (is_so) return;
    fmt::print(stderr, "growth: expected {}\n", what);
    std::exit(2);
}

PreparedRequest gpus(std::int64_t nodes, std::int64_t each, std::int64_t memory_gib) {
    Request request;
    request.nodes = Range<Count>::exactly(Count(nodes));
    request.tasks = Count(nodes);
    request.cpus_per_task = Range<Count>::exactly(Count(each));
    request.memory = Range<Bytes>::at_least(gib(memory_gib));
    DeviceRequest device;
    device.count = Range<Count>::exactly(Count(each));
    request.devices = {device};
    return PreparedRequest(std::move(request));
}

Timeline half_full(Size size) {
    std::string text;
    for (std::uint32_t kind = 0; kind < size.kinds; ++kind) {
        text += fmt::format("{}{} x (2s32c mem={}G gpu:8)", kind == 0 ? "" : " + ",
                            size.nodes / size.kinds, 1024 + kind);
    }
    auto cluster = testing::cluster_from_text(text);
    require(cluster.ok(), "a cluster: as many nodes as kinds of them, or more");
    Timeline timeline(*std::move(cluster));
    std::vector<PreparedRequest> requests;
    for (std::int64_t each = 1; each <= 8; ++each) requests.push_back(gpus(1, each));
    Placer placer;
    for (std::uint32_t node = 0; node < timeline.cluster().node_count(); node += 2) {
        const PreparedRequest& request = requests[node / 2 % 8];
        NodeSet here;
        here.insert(NodeId(node));
        auto placement = placer.place(timeline.cluster(), request, {&here, {}});
        require(placement.has_value(), "room for a job");
        const Instant end(1000 + (node * 7919) % 1'000'003);
        require(timeline.reserve({OwnerId(node), request, *std::move(placement)}, {{}, end}).ok(),
                "a reservation");
    }
    return timeline;
}

namespace {

/// The same with each idle node given to somebody, for a time of its own.
Timeline filled(Timeline timeline) {
    const PreparedRequest whole = gpus(1, 8);
    Placer placer;
    for (std::uint64_t owner = 60'000'000;; ++owner) {
        auto placement = placer.place(timeline.cluster(), whole);
        if (!placement) return timeline;
        const Instant end(static_cast<std::int64_t>(1000 + (owner * 7919) % 1'000'003));
        require(timeline.reserve({OwnerId(owner), whole, *std::move(placement)}, {{}, end}).ok(),
                "a reservation");
    }
}

/// Jobs of 1 to 8 GPUs of a node, and of 8 GPUs on each of 2 and 8 nodes, for unlike durations.
std::vector<QueuedJob> queue_of(std::uint64_t count) {
    std::vector<PreparedRequest> requests;
    for (const std::int64_t each : {1, 2, 4, 8}) requests.push_back(gpus(1, each));
    for (const std::int64_t nodes : {2, 8}) requests.push_back(gpus(nodes, 8));
    std::vector<QueuedJob> jobs;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto minutes = static_cast<std::int64_t>(1 + (i * 7919) % 6000);
        jobs.push_back(
            {OwnerId(10'000'000 + i), requests[i % requests.size()], Seconds(60 * minutes), 0});
    }
    return jobs;
}

const OwnerId newcomer(20'000'000);

void deciding(const Cluster& cluster) {
    const PreparedRequest one = gpus(1, 1);
    const PreparedRequest wide = gpus(64, 8);
    (void)measure("place", [&] { return place(cluster, one); });
    (void)measure("place 64 nodes", [&] { return place(cluster, wide); });
    (void)measure("place a never", [&] { return place(cluster, gpus(1, 9)); });

    Cluster own = cluster;
    Placer placer;
    (void)placer.place(own, one);
    (void)placer.place(own, wide);
    auto placed = measure("Placer again", [&] { return placer.place(own, one); });
    require(placed.has_value(), "room for one GPU");
    (void)measure("Placer again 64 nodes", [&] { return placer.place(own, wide); });
    measure("commit and release", [&] {
        require(own.commit({newcomer, one, *placed}).ok(), "a commit");
        return own.release(newcomer).ok();
    });
    measure("Placer and commit 100 alike", [&] {
        for (std::uint64_t i = 0; i < 100; ++i) {
            require(own.commit({OwnerId(30'000'000 + i), one, *placer.place(own, one)}).ok(),
                    "a job");
        }
        return true;
    });
    measure("Placer 20 that differ", [&] {
        for (std::int64_t i = 0; i < 20; ++i) (void)placer.place(own, gpus(1, 1, 17 + i));
        return true;
    });
    measure("trial with a job", [&] {
        auto trial = own.trial();
        return own.commit({newcomer, one, *placer.place(own, one)}).ok();
    });
    std::vector<JobOrder> orders;
    for (std::uint64_t i = 0; i < 100; ++i) orders.push_back({OwnerId(40'000'000 + i), one});
    (void)measure("place_many 100", [&] { return place_many(own, orders, placer); });
}

void explaining(const Cluster& cluster) {
    (void)measure("explain a never", [&] { return explain(cluster, gpus(1, 9)); });
    (void)measure("explain a no of 64 nodes", [&] { return explain(cluster, gpus(64, 8, 4096)); });
}

void making_room(const Cluster& full) {
    const PreparedRequest whole = gpus(1, 8);
    std::vector<PreemptionPlan::Victim> victims;
    std::vector<OwnerId> movable;
    for (const Allocation& one : full.allocations()) {
        victims.push_back({one.owner, 1, {}});
        movable.push_back(one.owner);
    }
    (void)measure("plan_preemption", [&] { return plan_preemption(full, whole, victims); });
    (void)measure("plan_compaction", [&] { return plan_compaction(full, whole, movable); });
}

void changing(const Cluster& cluster) {
    Cluster own = measure("copy of a cluster", [&] { return cluster; });
    measure("drain and resume a node", [&] {
        own.set_node_state(NodeId(0), NodeState::drained);
        own.set_node_state(NodeId(0), NodeState::up);
        return true;
    });
    measure("add and remove a node", [&] {
        Node node = own.node(NodeId(0));
        node.name = "newcomer";
        return own.remove_node(*own.add_node(node)).ok();
    });
    require(own.release(OwnerId(0)).ok(), "a job to end");
    (void)measure("diff of a job", [&] { return diff(cluster, own); });
    (void)measure("owners_on, ledger, node", [&] {
        return own.owners_on(NodeId(2)).size() + own.ledger(NodeId(2)).holdings().size() +
               own.node(NodeId(2)).name.size();
    });
    (void)measure("find_node", [&] { return own.find_node(own.name(NodeId(7))); });
    const auto bytes = measure("to_bytes", [&] { return to_bytes(cluster); });
    (void)measure("from_bytes", [&] { return from_bytes(bytes); });
    (void)measure("allocations", [&] { return own.allocations(); });
    (void)measure("parts and create", [&] { return Cluster::create(own.parts()); });
}

void over_time(const Timeline& timeline) {
    const PreparedRequest one = gpus(1, 1);
    const PreparedRequest whole = gpus(1, 8);
    const PreparedRequest wide = gpus(64, 8);
    StartFinder finder;
    const auto start = [&](const PreparedRequest& request, std::int64_t seconds) {
        return finder.earliest_start(timeline, request, {{}, Seconds(seconds), {}});
    };
    require(measure("earliest_start", [&] { return start(wide, 1000); }).has_value(), "a start");
    (void)measure("earliest_start again", [&] { return start(wide, 2000); });
    (void)measure("earliest_start of another", [&] { return start(whole, 2000); });
    const auto jobs = queue_of(100);
    (void)measure("EASY pass 100",
                  [&] { return schedule_pass(timeline, jobs, Discipline::easy()); });
    (void)measure("conservative pass 100",
                  [&] { return schedule_pass(timeline, jobs, Discipline::conservative()); });
    StartFinder kept;
    (void)schedule_pass(timeline, jobs, Discipline::easy(), kept);
    (void)measure("EASY pass 100 again",
                  [&] { return schedule_pass(timeline, jobs, Discipline::easy(), kept); });
    (void)measure("explain when", [&] { return explain(timeline, wide, {{}, Seconds(60), {}}); });
    (void)measure("explain when, a never", [&] {
        return explain(timeline, gpus(1, 9), {{}, Seconds(60), {}});
    });

    Timeline own = measure("copy of a timeline", [&] { return timeline; });
    const Allocation job{newcomer, one, *place(own.cluster(), one)};
    measure("reserve and cancel", [&] {
        require(own.reserve(job, {Instant(500), Instant(900)}).ok(), "a reservation");
        return own.cancel(newcomer).ok();
    });
    measure("set_end", [&] { return own.set_end(OwnerId(2), Instant(2'000'000)).ok(); });
    require(own.reserve(job, {Instant(1), Instant(2)}).ok(), "a reservation");
    measure("advance over a start and an end", [&] { return own.advance(Instant(3)).ok(); });
    (void)measure("diff of timelines", [&] { return diff(timeline, own); });
    (void)measure("free_at the next end", [&] { return own.free_at(Instant(1001)); });
    const auto bytes = measure("timeline to_bytes", [&] { return to_bytes(timeline); });
    (void)measure("timeline_from_bytes", [&] { return timeline_from_bytes(bytes); });
    (void)measure("reservations", [&] { return timeline.reservations(); });
}

std::uint32_t number(const char* text) {
    std::uint32_t value = 0;
    const std::string_view view(text);
    std::from_chars(view.data(), view.data() + view.size(), value);
    require(value > 0, "growth NODES KINDS, two numbers above 0");
    return value;
}

void count_all(Size size) {
    const Timeline half = half_full(size);
    count_placing(half.cluster());
    count_reading_and_changing(half.cluster());
    count_columns(half.cluster());
    const Timeline full = filled(half);
    count_making_room(full.cluster());
    count_starts(full);
    count_passes(full);
    count_reserving(full);
    count_documents(size);
    count_pictures(full);
    count_slurm(size);
    count_kubernetes(size);
    count_offers(size);
}

}  // namespace
}  // namespace trestle::growth

int main(int count, char** words) {
    using namespace trestle::growth;
    require(count == 3, "growth NODES KINDS");
    count_all({number(words[1]), number(words[2])});
}
