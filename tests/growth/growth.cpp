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
