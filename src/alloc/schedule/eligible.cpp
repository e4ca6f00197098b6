// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/eligible.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alloc/schedule/detail/condition_findings.hpp"
#include "alloc/schedule/detail/known_jobs.hpp"
#include "alloc/schedule/detail/queue_findings.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

namespace detail {

/// The next tasks of an array: of those that come, in the queue's order, the first that are ready.
class Turns {
  public:
    /// Requires: the conditions pass check().
    explicit Turns(Count at_once_max) : at_once_max_(at_once_max), left_(at_once_max.value()) {}

    [[nodiscard]] Count at_once_max() const { return at_once_max_; }
    /// One runs.
    void run() { --left_; }
    /// True when there is room for a task at the moment from which it is ready, if nothing but time
    /// passes. Complexity: logarithmic in those that have been here.
    [[nodiscard]] bool take(Instant ready);

  private:
    Count at_once_max_;
    std::int64_t left_;
    std::priority_queue<Instant>
        ready_;  ///< the first of all that came, as many as there is room for
};

/// One look at a queue.
class QueueReading {
  public:
    QueueReading(std::span<const QueuedJob> queue, const KnownJobs& jobs, QueueFindings& findings,
                 Instant now)
        : queue_(queue), jobs_(jobs), findings_(findings), now_(now) {}

    [[nodiscard]] StatusOr<EligibleJobs> run(const QueueState& state);

  private:
    [[nodiscard]] Status count_running(const QueueState& state);
    [[nodiscard]] Turns* turns_of(const StartConditions& conditions);

    void answer(std::size_t position);

    std::span<const QueuedJob> queue_;
    const KnownJobs& jobs_;
    QueueFindings& findings_;
    Instant now_;
    std::unordered_map<ArrayId, Turns> turns_;
    EligibleJobs answer_;
};

}  // namespace detail

namespace detail {

bool Turns::take(Instant ready) {
    if (left_ <= static_cast<std::int64_t>(ready_.size())) {
        if (left_ <= 0 || ready_.top() <= ready) return false;
        ready_.pop();
    }
    ready_.push(ready);
    return true;
}

StatusOr<EligibleJobs> QueueReading::run(const QueueState& state) {
    TRESTLE_TRY_STATUS(count_running(state));
    findings_.find_stuck();
    for (std::size_t i = 0; i < queue_.size(); ++i) answer(i);
    return std::move(answer_);
}

Status QueueReading::count_running(const QueueState& state) {
    for (const QueueState::Array& one : state.arrays) {
        TRESTLE_TRY_STATUS(check(one));
        if (turns_.emplace(one.array, Turns(one.at_once_max)).second) continue;
        return failed_precondition("array {} has conditions twice", one.array.value());
    }
    if (turns_.empty()) return {};
    for (const StartConditions& one : state.conditions) {
        Turns* const turns = turns_of(one);
        if (turns != nullptr && jobs_.at(one.owner).runs()) turns->run();
    }
    return {};
}

Turns* QueueReading::turns_of(const StartConditions& conditions) {
    if (!conditions.array) return nullptr;
    const auto found = turns_.find(*conditions.array);
    return found == turns_.end() ? nullptr : &found->second;
}

void QueueReading::answer(std::size_t position) {
    const QueuedJob& job = queue_[position];
    const StartConditions* const conditions = jobs_.at(job.owner).conditions;
    const auto say = [&](std::vector<PassResult::Waiting>& list, std::string why,
                         std::optional<Instant> until = {}) {
        list.push_back({position, {Constraint::none, std::move(why)}, until});
    };
    if (conditions != nullptr) {
        const Finding& finding = findings_[position];
        if (finding.answer == Answer::never) return say(answer_.never, words_of(finding, jobs_));
        if (findings_.is_on_cycle(position)) {
            return say(answer_.never, findings_.words_of_cycle(position));
        }
        if (conditions->is_held) return say(answer_.waiting, "is held");
        if (finding.answer == Answer::waits) {
            const char* more = findings_.is_stuck(position) ? ", behind a cycle of jobs" : "";
            return say(answer_.waiting, words_of(finding, jobs_) + more);
        }
        const Instant begin = conditions->begin.value_or(Instant());
        const Instant ready = std::max({now_, begin, finding.from});
        Turns* const turns = turns_of(*conditions);
        const bool has_turn = turns == nullptr || turns->take(ready);
        if (now_ < ready) {
            return say(answer_.waiting,
                       ready == begin ? fmt::format("begins not before {}", begin)
                                      : words_of(finding, jobs_),
                       has_turn ? std::optional(ready) : std::nullopt);
        }
        if (!has_turn) {
            return say(answer_.waiting, fmt::format("array {} has its {} at once",
                                                    *conditions->array, turns->at_once_max()));
        }
    }
    answer_.eligible.push_back(job);
}

}  // namespace detail

StatusOr<EligibleJobs> eligible_jobs(std::span<const QueuedJob> queue, const QueueState& state,
                                     Instant now) {
    TRESTLE_TRY(const auto jobs, detail::KnownJobs::create(queue, state, now));
    detail::QueueFindings findings(queue, state, jobs);
    return detail::QueueReading(queue, jobs, findings, now).run(state);
}

Status check_cycles(std::span<const QueuedJob> queue, const QueueState& state) {
    TRESTLE_TRY(const auto jobs, detail::KnownJobs::create(queue, state, end_of_time));
    return detail::QueueFindings(queue, state, jobs).check_cycles();
}

}  // namespace trestle
