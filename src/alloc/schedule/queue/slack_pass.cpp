// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/queue/slack_pass.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alloc/schedule/queue/pass.hpp"

namespace trestle {

namespace detail {

namespace {

class SlackPass {
  public:
    SlackPass(const Timeline& timeline, std::span<const QueuedJob> queue,
              const Discipline& discipline, StartFinder& finder)
        : timeline_(timeline), queue_(queue), finder_(finder) {
        rules_.order = discipline.order;
        rules_.spares_idle = discipline.spares_idle;
    }

    [[nodiscard]] StatusOr<PassResult> run();

  private:
    /// All jobs but those that were put ahead, each with its earliest start in its turn.
    struct Plan {
        PassResult result;                           ///< positions are those of the queue
        std::vector<std::optional<Instant>> starts;  ///< by position; nothing: none is known
    };
    [[nodiscard]] StatusOr<Plan> plan_beside(const Timeline& timeline) const;
    /// The job, beside what runs and what was put ahead, from now on; nothing where it has no
    /// place.
    [[nodiscard]] std::optional<TimedAllocation> at_once(const QueuedJob& job);
    /// True when no job starts too late in the second plan, and all start earlier in sum.
    [[nodiscard]] bool is_better(const Plan& now, const Plan& then, std::size_t ahead) const;

    Timeline timeline_;  ///< with those that were put ahead
    std::span<const QueuedJob> queue_;
    Discipline rules_;
    StartFinder& finder_;
};

StatusOr<SlackPass::Plan> SlackPass::plan_beside(const Timeline& timeline) const {
    Timeline plan = timeline;
    Pass pass(plan, rules_, finder_);
    for (const std::size_t position : turns(plan.cluster(), queue_, rules_.order)) {
        if (plan.period_of(queue_[position].owner)) continue;
        const Status status = pass.look_at(queue_[position], position);
        if (!status.ok()) {
            return with_context(fmt::format("owner {}", queue_[position].owner), status);
        }
    }
    Plan made{std::move(pass.result()), std::vector<std::optional<Instant>>(queue_.size())};
    for (auto& start : made.starts) start = plan.now();
    for (const PassResult::Waiting& one : made.result.waiting) made.starts[one.job] = one.until;
    return made;
}

std::optional<TimedAllocation> SlackPass::at_once(const QueuedJob& job) {
    auto found = finder_.earliest_start(timeline_, job.request,
                                        {std::nullopt, job.duration, timeline_.now()});
    if (!found || found->period.first != timeline_.now()) return std::nullopt;
    return TimedAllocation{{job.owner, job.request, std::move(found->placement)}, found->period};
}

bool SlackPass::is_better(const Plan& now, const Plan& then, std::size_t ahead) const {
    Seconds gained, lost;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        const auto before = now.starts[i];
        const auto after = i == ahead ? std::optional(timeline_.now()) : then.starts[i];
        if (!before) continue;
        if (!after) return false;
        if (*after <= *before) {
            gained = saturating_add(gained, *before - *after);
            continue;
        }
        if (*after > std::max(*before, queue_[i].start_by.value_or(*before))) return false;
        lost = saturating_add(lost, *after - *before);
    }
    return lost < gained;
}

StatusOr<PassResult> SlackPass::run() {
    std::vector<TimedAllocation> ahead;
    TRESTLE_TRY(Plan plan, plan_beside(timeline_));
    for (const std::size_t position : turns(timeline_.cluster(), queue_, rules_.order)) {
        const auto planned = plan.starts[position];
        if (!planned || planned == timeline_.now()) continue;
        auto start = at_once(queue_[position]);
        if (!start) continue;
        Timeline with = timeline_;
        TRESTLE_TRY_STATUS(with.reserve(start->allocation, start->period));
        TRESTLE_TRY(Plan other, plan_beside(with));
        if (!is_better(plan, other, position)) continue;
        plan = std::move(other);
        timeline_ = std::move(with);
        ahead.push_back(*std::move(start));
    }
    plan.result.starts.insert(plan.result.starts.begin(), std::make_move_iterator(ahead.begin()),
                              std::make_move_iterator(ahead.end()));
    return std::move(plan.result);
}

}  // namespace

StatusOr<PassResult> slack_pass(const Timeline& timeline, std::span<const QueuedJob> queue,
                                const Discipline& discipline, StartFinder& finder) {
    return SlackPass(timeline, queue, discipline, finder).run();
}

}  // namespace detail

}  // namespace trestle
