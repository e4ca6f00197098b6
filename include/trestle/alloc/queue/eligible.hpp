// SPDX-License-Identifier: Apache-2.0
#pragma once

// eligible_jobs: which jobs of a queue may start now, whatever there is for them to start on.
//
// Layer: alloc. Main function: eligible_jobs(queue, state, now); main type: EligibleJobs. It looks
// at dependencies, begin times, holds and throttles of arrays, and at nothing else; who of the
// eligible ones starts says schedule_pass(), which takes them as they are. Everything is judged
// anew from the records, each time: nothing is remembered, and a job that was put back into the
// queue is waited for again. Starts count too (after): whoever lets jobs start asks once more.
// A reader would get wrong: positions in the answer are those in the whole queue, positions in the
// answer of a pass over the eligible ones are others.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trestle/alloc/queue/detail/cycle.hpp"
#include "trestle/alloc/queue/detail/known_jobs.hpp"
#include "trestle/alloc/queue/detail/term_findings.hpp"
#include "trestle/alloc/queue/terms.hpp"
#include "trestle/alloc/time/schedule_pass.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

/// Each job of the queue is in one of these, in the queue's order.
struct EligibleJobs {
    std::vector<QueuedJob> eligible;
    /// `until`: the moment from which the job may start if nothing but time passes.
    std::vector<WaitingJob> waiting;
    /// With a dependency that cannot be met any more, however those end that have not; with
    /// is_any_of all are such.
    std::vector<WaitingJob> never;

    static constexpr auto fields(auto list) {
        return list(field("eligible", &EligibleJobs::eligible),
                    field("waiting", &EligibleJobs::waiting), field("never", &EligibleJobs::never));
    }
    friend bool operator==(const EligibleJobs&, const EligibleJobs&) = default;
};

namespace detail {

/// One look at a queue.
class QueueReading {
  public:
    QueueReading(std::span<const QueuedJob> queue, const KnownJobs& jobs, Instant now)
        : queue_(queue), jobs_(jobs), now_(now) {}

    [[nodiscard]] StatusOr<EligibleJobs> run(const QueueState& state) {
        TRESTLE_TRY_STATUS(count_running(state));
        for (std::size_t i = 0; i < queue_.size(); ++i) find_terms(i);
        TRESTLE_TRY_STATUS(check_cycles());
        for (std::size_t i = 0; i < queue_.size(); ++i) answer(i);
        return std::move(answer_);
    }

  private:
    struct Throttle {
        std::int64_t at_once_max = 0;
        std::int64_t left = 0;
    };
    /// Of the jobs that go by one name.
    struct Namesakes {
        std::optional<OwnerId> running;   ///< the lowest
        std::optional<std::size_t> last;  ///< in the queue, of those looked at
    };

    /// Who runs, by array and by name.
    [[nodiscard]] Status count_running(const QueueState& state) {
        for (const ArrayTerms& one : state.arrays) {
            TRESTLE_TRY_STATUS(check(one));
            const std::int64_t most = one.at_once_max.value();
            if (throttles_.emplace(one.array, Throttle{most, most}).second) continue;
            return failed_precondition("array {} has terms twice", one.array.value());
        }
        for (const JobTerms& one : state.terms) {
            if (!jobs_.at(one.owner).runs()) continue;
            if (Throttle* const throttle = throttle_of(one)) --throttle->left;
            if (one.name.empty()) continue;
            std::optional<OwnerId>& first = namesakes_[one.name].running;
            if (!first || one.owner < *first) first = one.owner;
        }
        return {};
    }
    [[nodiscard]] Throttle* throttle_of(const JobTerms& terms) {
        if (!terms.array) return nullptr;
        const auto found = throttles_.find(*terms.array);
        return found == throttles_.end() ? nullptr : &found->second;
    }

    /// What the dependencies of a job say, and whom it waits for.
    void find_terms(std::size_t position) {
        const JobTerms* const terms = jobs_.at(queue_[position].owner).terms;
        std::optional<Finding> finding;
        std::optional<std::size_t> before;  // the last of its name in front of it
        if (terms != nullptr) {
            Namesakes* const same = terms->name.empty() ? nullptr : &namesakes_[terms->name];
            for (const Dependency& one : terms->dependencies) {
                const Finding found = one.kind == DependencyKind::singleton
                                          ? singleton_finding(one, *same)
                                          : finding_of(one, jobs_);
                finding = finding ? combined(*finding, found, terms->is_any_of) : found;
                link(one, same);
            }
            if (same != nullptr) before = std::exchange(same->last, position);
        }
        links_.end_node();
        before_.push_back(before);
        findings_.push_back(finding.value_or(Finding{}));
    }
    [[nodiscard]] Finding singleton_finding(const Dependency& singleton,
                                            const Namesakes& same) const {
        Finding finding{Answer::met, {}, &singleton, {}};
        if (!same.running && !same.last) return finding;
        finding.answer = Answer::waits;
        finding.who = same.running ? *same.running : queue_[*same.last].owner;
        return finding;
    }
    void link(const Dependency& one, const Namesakes* same) {
        for (const OwnerId owner : one.jobs) {
            const KnownJob known = jobs_.find(owner);
            if (known.position) links_.targets.push_back(*known.position);
        }
        if (one.kind == DependencyKind::singleton && same->last) {
            links_.targets.push_back(queue_.size() + *same->last);
        }
    }
    /// Whoever waits for a name waits for all of it in front: behind the jobs the graph has a node
    /// for each that leads to the job and to the node of the one of its name before it.
    [[nodiscard]] Status check_cycles() {
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            links_.targets.push_back(i);
            if (before_[i]) links_.targets.push_back(queue_.size() + *before_[i]);
            links_.end_node();
        }
        std::string cycle;
        std::optional<OwnerId> first;
        for (const std::size_t node : find_cycle(links_)) {
            if (node >= queue_.size()) continue;
            if (!first) first = queue_[node].owner;
            cycle += fmt::format("owner {} waits for ", queue_[node].owner);
        }
        if (!first) return {};
        return invalid_argument("{}owner {}", cycle, first->value());
    }

    void answer(std::size_t position) {
        const QueuedJob& job = queue_[position];
        const JobTerms* const terms = jobs_.at(job.owner).terms;
        const Finding& finding = findings_[position];
        const auto wait = [&](std::string why, std::optional<Instant> until = {}) {
            auto& list = finding.answer == Answer::never ? answer_.never : answer_.waiting;
            list.push_back({position, {Constraint::none, std::move(why)}, until});
        };
        if (finding.answer == Answer::never) return wait(words_of(finding, jobs_));
        if (terms != nullptr) {
            if (terms->is_held) return wait("is held");
            if (finding.answer == Answer::waits) return wait(words_of(finding, jobs_));
            const Instant begin = terms->begin.value_or(Instant());
            if (now_ < begin && finding.from <= begin) {
                return wait(fmt::format("begins not before {}", begin), begin);
            }
            if (now_ < finding.from) return wait(words_of(finding, jobs_), finding.from);
            if (Throttle* const throttle = throttle_of(*terms)) {
                if (throttle->left <= 0) {
                    return wait(fmt::format("array {} has its {} at once", *terms->array,
                                            throttle->at_once_max));
                }
                --throttle->left;
            }
        }
        answer_.eligible.push_back(job);
    }

    std::span<const QueuedJob> queue_;
    const KnownJobs& jobs_;
    Instant now_;
    std::unordered_map<ArrayId, Throttle> throttles_;
    std::unordered_map<std::string_view, Namesakes> namesakes_;
    Links links_;  ///< from each job to those in the queue that it waits for
    std::vector<std::optional<std::size_t>> before_;
    std::vector<Finding> findings_;
    EligibleJobs answer_;
};

}  // namespace detail

/// Which jobs may start now. A task is throttled behind all else: the first in the queue that may
/// start but for its array do, as long as the array runs fewer than it may at once.
/// Errors: those of check() for terms and records; InvalidArgument for a record from after `now`,
/// and for a cycle, with all its owners in order, also one that leads over is_any_of or a name;
/// FailedPrecondition for an owner that stands twice in the queue, has a record beside it, or has
/// terms or records twice, and for an array that has terms twice.
/// Complexity: linear in jobs, records and dependencies.
[[nodiscard]] inline StatusOr<EligibleJobs> eligible_jobs(std::span<const QueuedJob> queue,
                                                          const QueueState& state, Instant now) {
    TRESTLE_TRY(const auto jobs, detail::KnownJobs::create(queue, state, now));
    return detail::QueueReading(queue, jobs, now).run(state);
}

}  // namespace trestle
