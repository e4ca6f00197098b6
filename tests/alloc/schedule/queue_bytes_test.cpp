// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/queue_bytes.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "alloc/schedule/detail/queue_format.hpp"
#include "support/catch.hpp"
#include "support/codes.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<SavedQueue>);

Request queued_gpus(std::int64_t count) {
    Request request;
    request.devices.emplace_back().count = Range<Count>::exactly(Count(count));
    return request;
}

/// Two jobs of one request and one of another, with all kinds of conditions and records.
SavedQueue full_queue() {
    const PreparedRequest two(queued_gpus(2));
    SavedQueue queue;
    queue.jobs = {{OwnerId(7), two, Seconds(60), -3},
                  {OwnerId(5), queued_gpus(1), {}, 9},
                  {OwnerId(6), two, {}, 0}};
    Dependency after;
    after.jobs = {OwnerId(1)};
    after.delay = Seconds(5);
    StartConditions conditions;
    conditions.owner = OwnerId(5);
    conditions.dependencies = {after};
    conditions.begin = Instant(100);
    conditions.array = ArrayId(4);
    conditions.name = "train";
    StartConditions held;
    held.owner = OwnerId(6);
    held.is_held = true;
    queue.state.conditions = {conditions, held};
    queue.state.records = {{OwnerId(1), JobRecord::Phase::running, Instant(3), {}},
                           {OwnerId(2), JobRecord::Phase::failed, Instant(3), Instant(8)}};
    queue.state.arrays = {{ArrayId(4), Count(2)}};
    return queue;
}

/// The bytes of a queue with one job, of which `change` may make what no queue says.
template <class Change>
std::vector<std::uint8_t> forged(const Change& change) {
    std::vector<Request> requests{queued_gpus(1)};
    std::vector<detail::QueuedRequest> queued{{OwnerId(1), 0, {}, 0, {}}};
    QueueState state;
    change(requests, queued, state);
    ByteWriter content;
    write_bytes(content, requests);
    write_bytes(content, queued);
    write_bytes(content, state);
    return detail::with_head(detail::queue_format, content);
}

}  // namespace

TEST_CASE("queue bytes: there and back, and equal bytes for equal queues", "[alloc][queue]") {
    for (const SavedQueue& queue : {SavedQueue(), full_queue()}) {
        const auto back = queue_from_bytes(to_bytes(queue));
        REQUIRE(back.ok());
        CHECK(*back == queue);
        CHECK(to_bytes(*back) == to_bytes(queue));
    }
    SavedQueue other = full_queue();
    std::swap(other.jobs[0], other.jobs[1]);
    CHECK(to_bytes(other) != to_bytes(full_queue()));
}

TEST_CASE("queue bytes: a request of several jobs is written and prepared once", "[alloc][queue]") {
    SavedQueue one = full_queue();
    one.jobs.resize(1);
    SavedQueue two = one;
    two.jobs.push_back({OwnerId(8), one.jobs[0].request, Seconds(60), -3});
    CHECK(to_bytes(two).size() < to_bytes(one).size() + 20);
    const auto back = queue_from_bytes(to_bytes(two));
    REQUIRE(back.ok());
    CHECK(back->jobs[0].request.shared().is_same_object(back->jobs[1].request.shared()));
}

TEST_CASE("queue bytes: damage is found", "[alloc][queue]") {
    const std::vector<std::uint8_t> bytes = to_bytes(full_queue());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::vector<std::uint8_t> damaged = bytes;
        damaged[i] ^= 1;
        CHECK(queue_from_bytes(damaged).status().code() == invalid);
        CHECK(queue_from_bytes({bytes.data(), i}).status().code() == invalid);
    }
    CHECK_THAT(std::string(message(queue_from_bytes(to_bytes(Cluster())).status())),
               ContainsSubstring("queue bytes: offset 0: expected the bytes of a queue"));
}

TEST_CASE("queue bytes: forged bytes are rejected by what they say", "[alloc][queue]") {
    using Requests = std::vector<Request>;
    using Queued = std::vector<detail::QueuedRequest>;
    const auto words = [](const std::vector<std::uint8_t>& bytes) {
        const auto read = queue_from_bytes(bytes);
        CHECK(read.status().code() == invalid);
        return std::string(message(read.status()));
    };
    REQUIRE(queue_from_bytes(forged([](Requests&, Queued&, QueueState&) {})).ok());
    CHECK(words(forged([](Requests&, Queued& queued, QueueState&) { queued[0].request = 1; })) ==
          "queue bytes: owner 1: request 1, expected one below 1");
    CHECK(words(forged([](Requests& requests, Queued&, QueueState&) {
              requests[0].nodes = Range<Count>::exactly(Count(0));
          })) == "queue bytes: owner 1: nodes: expected a rising range that holds 1 or more");
    CHECK(words(forged([](Requests&, Queued& queued, QueueState&) {
              queued.push_back(queued[0]);
          })) == "queue bytes: owner 1 stands twice in the queue");
    CHECK_THAT(words(forged([](Requests&, Queued&, QueueState& state) {
                   state.records = {{OwnerId(1), JobRecord::Phase::running, Instant(3), {}}};
               })),
               ContainsSubstring("owner 1: running, but it stands in the queue"));
    CHECK_THAT(words(forged([](Requests&, Queued&, QueueState& state) {
                   state.arrays = {{ArrayId(4), Count(0)}};
               })),
               ContainsSubstring("queue bytes: array 4"));
}

}  // namespace trestle
