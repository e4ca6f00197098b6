// SPDX-License-Identifier: Apache-2.0
// A queue that is kept from pass to pass decides as a pass over the same jobs does.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/seed.hpp"
#include "support/timeline_history.hpp"
#include "trestle/alloc/schedule/queue/job_queue.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::for_random_choices;

Discipline kept_discipline(Choices& choices) {
    Discipline discipline;
    discipline.order = enum_names(Discipline::Order())[choices.below(3)].value;
    if (!choices.one_in(4)) discipline.reservations_max = Count(static_cast<int>(choices.below(4)));
    if (choices.one_in(8)) discipline.depth = Count(static_cast<int>(choices.below(6)));
    if (choices.one_in(6)) discipline.horizon = Seconds(static_cast<int>(choices.below(8)));
    if (choices.one_in(8)) discipline.lookahead_max = Count(static_cast<int>(choices.below(6)));
    discipline.is_slack_based = choices.one_in(12);
    discipline.spares_idle = !choices.one_in(3);
    return discipline;
}

/// One of few kinds, which mostly fit some time.
Request job_of_few_kinds(Choices& choices) {
    Request request;
    request.nodes = Range<Count>::exactly(Count(1 + static_cast<int>(choices.below(3))));
    if (choices.one_in(3)) {
        request.nodes = Range<Count>::at_least(Count(1));
        request.tasks = Count(1 + static_cast<int>(choices.below(6)));
    }
    if (choices.one_in(2)) request.exclusivity = Exclusivity::whole_node;
    return request;
}

/// What the queue was asked to do, and what it said.
struct KeptQueueCounts {
    std::uint64_t passes = 0, starts = 0, reservations = 0, unchanged = 0;
};

class KeptQueueHistory {
  public:
    KeptQueueHistory(Choices& choices, KeptQueueCounts& counts)
        : choices_(choices),
          counts_(counts),
          history_(choices),
          discipline_(kept_discipline(choices)),
          queue_(discipline_),
          unplaced_(discipline_, {false}) {}

    void run(std::uint64_t steps) {
        for (; steps > 0; --steps) {
            switch (choices_.below(8)) {
                case 0:
                case 1:
                    history_.step();
                    break;
                case 2:
                    remove();
                    break;
                case 3:
                case 4:
                    schedule();
                    break;
                default:
                    add();
            }
        }
    }

  private:
    void add() {
        QueuedJob job{OwnerId(100 + added_++),
                      choices_.one_in(4) ? history_.any_request() : job_of_few_kinds(choices_),
                      history_.any_duration(), static_cast<std::int64_t>(choices_.below(3)) - 1};
        if (choices_.one_in(2)) job.start_by = Instant(history_.oracle().now() + 4);
        std::optional<std::uint64_t> place;
        if (choices_.one_in(4)) place = choices_.below(added_);
        REQUIRE(queue_.add(job, place).ok());
        REQUIRE(unplaced_.add(job, place).ok());
        REQUIRE(queue_.add(job).code() == refused);
    }
    void remove() {
        const auto all = queue_.jobs();
        if (all.empty()) return;
        const QueuedJob& one = all[choices_.below(all.size())];
        REQUIRE(*queue_.remove(one.owner) == one);
        REQUIRE(*unplaced_.remove(one.owner) == one);
        REQUIRE(queue_.remove(one.owner).status().code() == absent);
        REQUIRE(queue_.size() + 1 == all.size());
    }
    void schedule() {
        const auto jobs = queue_.jobs();
        const auto expected = schedule_pass(history_.timeline(), jobs, queue_.discipline());
        REQUIRE(expected.ok());
        const auto before = reservations();
        if (choices_.one_in(12)) finder_ = StartFinder();  // another one, in the same place
        const auto pass = queue_.schedule(history_.timeline(), finder_);
        REQUIRE(pass.ok());
        REQUIRE(pass->starts == expected->starts);
        REQUIRE(reservations() == expected->reservations);
        for (const TimedAllocation& one : reservations()) {
            const auto has = [&](const auto& all) {
                return std::find(all.begin(), all.end(), one) != all.end();
            };
            REQUIRE(has(pass->reservations) == !has(before));
        }
        REQUIRE(queue_.size() == jobs.size() - pass->starts.size());
        const auto other = unplaced_.schedule(history_.timeline(), other_finder_);
        REQUIRE(other.ok());
        REQUIRE(other->starts == expected->starts);
        REQUIRE(periods_of(unplaced_) == periods_of(queue_));
        for (const TimedAllocation& one : other->reservations) {
            REQUIRE(one.allocation.placement == Placement());
        }
        ++counts_.passes;
        counts_.starts += pass->starts.size();
        counts_.reservations += pass->reservations.size();
        counts_.unchanged += pass->starts.empty() && pass->reservations.empty() && !jobs.empty();
        for (const TimedAllocation& one : pass->starts) {
            if (choices_.one_in(8)) continue;  // it is not taken
            history_.reserve(one.allocation, one.period);
        }
    }
    [[nodiscard]] std::vector<TimedAllocation> reservations() const {
        return queue_.reservations();
    }
    [[nodiscard]] static std::vector<OwnerPeriod> periods_of(const JobQueue& queue) {
        std::vector<OwnerPeriod> periods;
        for (const TimedAllocation& one : queue.reservations()) {
            periods.push_back({one.period, one.allocation.owner});
        }
        return periods;
    }

    Choices& choices_;
    KeptQueueCounts& counts_;
    TimelineHistory history_;
    Discipline discipline_;
    JobQueue queue_;
    JobQueue unplaced_;  ///< where reservations are placed only as far as starts depend on them
    StartFinder finder_;
    StartFinder other_finder_;
    std::uint64_t added_ = 0;
};

void check_queues(std::uint64_t cases) {
    KeptQueueCounts counts;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), cases},
                       [&](Choices& choices) { KeptQueueHistory(choices, counts).run(30); });
    CHECK(counts.passes > cases * 4);
    CHECK(counts.starts > cases);
    CHECK(counts.reservations > cases / 2);
    CHECK(counts.unchanged > cases / 4);
}

}  // namespace

TEST_CASE("law: a queue that is kept decides as a pass over its jobs", "[law][time]") {
    check_queues(test_rounds(300u));
}
TEST_CASE("law: a queue that is kept decides as a pass over its jobs, 20,000 cases",
          "[law][time][slow]") {
    check_queues(20'000);
}

}  // namespace trestle
