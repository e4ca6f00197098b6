// SPDX-License-Identifier: Apache-2.0
// A queue from its first moment to its last: what is eligible goes into a pass, what the pass
// starts goes into the timeline and the records, and time goes on to where something changes.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/schedule/eligible.hpp"
#include "trestle/alloc/schedule/requeue.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

class QueueLife {
  public:
    explicit QueueLife(const char* cluster) : timeline_(*testing::cluster_from_text(cluster)) {}

    QueueState state;
    RequeueRules rules;
    std::map<std::uint64_t, int> failures;  ///< by owner: how often it fails before it goes well

    void submit(std::uint64_t owner, std::int64_t nodes, std::int64_t seconds,
                const StartConditions& conditions = {}) {
        Request request;
        request.nodes = Range<Count>::exactly(Count(nodes));
        request.exclusivity = Exclusivity::whole_node;
        queue_.push_back({OwnerId(owner), request, Seconds(seconds)});
        state.conditions.push_back(conditions);
        state.conditions.back().owner = OwnerId(owner);
    }
    /// Lives until nothing changes any more; what happened, as `0:+1 0:+2 10:-1`.
    [[nodiscard]] std::string run() {
        std::string story;
        while (true) {
            const auto found = eligible_jobs(queue_, state, timeline_.now());
            REQUIRE(found.ok());
            const auto pass =
                schedule_pass(timeline_, found->eligible, Discipline::easy(), finder_);
            REQUIRE(pass.ok());
            for (const TimedAllocation& start : pass->starts) story += begin(start);
            if (!pass->starts.empty()) continue;  // others may wait for just that
            const auto next = next_moment(found->waiting);
            if (!next) return story;
            REQUIRE(timeline_.advance(*next).ok());
            story += end_those_that_have();
        }
    }
    [[nodiscard]] std::vector<std::uint64_t> left() const {
        std::vector<std::uint64_t> owners;
        for (const QueuedJob& job : queue_) owners.push_back(job.owner.value());
        return owners;
    }
    void release(std::uint64_t owner) {
        for (StartConditions& one : state.conditions) one.is_held &= one.owner != OwnerId(owner);
    }

  private:
    [[nodiscard]] std::string begin(const TimedAllocation& start) {
        const OwnerId owner = start.allocation.owner;
        REQUIRE(timeline_.reserve(start.allocation, start.period).ok());
        state.records.push_back({owner, JobRecord::Phase::running, start.period.first, {}});
        const auto at = std::find_if(queue_.begin(), queue_.end(),
                                     [&](const QueuedJob& one) { return one.owner == owner; });
        started_.insert({owner, *at});
        queue_.erase(at);
        return fmt::format("{}:+{} ", start.period.first, owner);
    }
    [[nodiscard]] std::optional<Instant> next_moment(
        const std::vector<PassResult::Waiting>& waiting) const {
        std::optional<Instant> next = timeline_.next_change();
        for (const PassResult::Waiting& one : waiting) {
            if (one.until && (!next || *one.until < *next)) next = one.until;
        }
        return next;
    }
    [[nodiscard]] std::string end_those_that_have() {
        std::string story;
        for (JobRecord& record : state.records) {
            if (record.ended || timeline_.period_of(record.owner)) continue;
            const bool fails = failures[record.owner.value()]-- > 0;
            record.phase = fails ? JobRecord::Phase::failed : JobRecord::Phase::completed;
            record.ended = timeline_.now();
            story += fmt::format("{}:{}{} ", timeline_.now(), fails ? "!" : "-", record.owner);
            if (fails) put_back(record);
        }
        std::erase_if(state.records,
                      [](const JobRecord& one) { return one.ended && !one.started; });
        return story;
    }
    void put_back(JobRecord& record) {
        for (StartConditions& conditions : state.conditions) {
            if (conditions.owner != record.owner || !rules.requeues_max) continue;
            conditions = *requeued(conditions, record, rules);
            queue_.push_back(started_.at(record.owner));
            started_.erase(record.owner);
            record.started.reset();  // and so dropped
        }
    }

    Timeline timeline_;
    StartFinder finder_;
    std::vector<QueuedJob> queue_;
    std::map<OwnerId, QueuedJob> started_;
};

StartConditions life_after(Dependency::Kind kind, std::uint64_t owner, std::int64_t delay = 0) {
    StartConditions conditions;
    conditions.dependencies.push_back({kind, {OwnerId(owner)}, Seconds(delay), {}});
    return conditions;
}

}  // namespace

TEST_CASE("Queue life: a pipeline, with a job that watches and one that clears up",
          "[alloc][queue]") {
    QueueLife life("4 x (4c)");
    life.submit(1, 2, 10);
    life.submit(2, 4, 5, life_after(Dependency::Kind::afterok, 1));
    life.submit(3, 1, 3, life_after(Dependency::Kind::after, 1, 4));
    life.submit(4, 1, 1, life_after(Dependency::Kind::afternotok, 2));
    life.failures[2] = 1;
    CHECK(life.run() == "0:+1 4:+3 7:-3 10:-1 10:+2 15:!2 15:+4 16:-4 ");
    CHECK(life.left().empty());
}

TEST_CASE("Queue life: what can never start is left", "[alloc][queue]") {
    QueueLife life("1 x (4c)");
    life.submit(1, 1, 10);
    life.submit(2, 1, 5, life_after(Dependency::Kind::afterok, 1));
    life.failures[1] = 1;
    CHECK(life.run() == "0:+1 10:!1 ");
    CHECK(life.left() == std::vector<std::uint64_t>{2});
}

TEST_CASE("Queue life: an array, two of its tasks at a time, beside others", "[alloc][queue]") {
    QueueLife life("4 x (4c)");
    StartConditions task;
    task.array = ArrayId(1);
    life.state.arrays.push_back({ArrayId(1), Count(2)});
    for (const std::uint64_t owner : {1u, 2u, 3u, 4u}) {
        life.submit(owner, 1, 4 + static_cast<std::int64_t>(owner), task);
    }
    life.submit(5, 1, 2);
    CHECK(life.run() == "0:+1 0:+2 0:+5 2:-5 5:-1 5:+3 6:-2 6:+4 12:-3 14:-4 ");
}

TEST_CASE("Queue life: begin times, names and holds", "[alloc][queue]") {
    QueueLife life("4 x (4c)");
    StartConditions named = life_after(Dependency::Kind::singleton, 0);
    named.dependencies[0].jobs.clear();
    named.name = "nightly";
    StartConditions later = named;
    later.begin = Instant(3);
    StartConditions held;
    held.is_held = true;
    life.submit(1, 1, 5, named);
    life.submit(2, 1, 5, later);
    life.submit(3, 1, 5, held);
    CHECK(life.run() == "0:+1 5:-1 5:+2 10:-2 ");
    CHECK(life.left() == std::vector<std::uint64_t>{3});
    life.release(3);
    CHECK(life.run() == "10:+3 15:-3 ");
    CHECK(life.left().empty());
}

TEST_CASE("Queue life: a job that fails comes back later, and is held in the end",
          "[alloc][queue]") {
    QueueLife life("1 x (4c)");
    life.rules = {Seconds(3), Count(1)};
    life.submit(1, 1, 10);
    life.submit(2, 1, 2);
    life.submit(3, 1, 1, life_after(Dependency::Kind::afterok, 1));
    life.failures[1] = 2;
    CHECK(life.run() == "0:+1 10:!1 10:+2 12:-2 13:+1 23:!1 ");
    CHECK(life.left() == std::vector<std::uint64_t>{3, 1});
    life.release(1);
    CHECK(life.run() == "26:+1 36:-1 36:+3 37:-3 ");
}

}  // namespace trestle
