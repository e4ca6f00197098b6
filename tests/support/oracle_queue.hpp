// SPDX-License-Identifier: Apache-2.0
// Who may start, without thinking: each job is asked about by the definition of each condition, the
// moment from which it may is looked for second by second and asked about again, whether it ever
// may in all futures, and a cycle is there when no order of the queue puts everybody behind those
// that it waits for. Stuck are the most jobs of which none may start before another of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "trestle/alloc/schedule/eligible.hpp"
#include "trestle/alloc/schedule/start_conditions.hpp"

namespace trestle {

/// What is said of one job of the queue.
struct OracleSaying {
    enum class What { eligible, waits, never };
    What what = What::eligible;
    std::optional<Instant> until;
    friend bool operator==(const OracleSaying&, const OracleSaying&) = default;
};

class QueueOracle {
  public:
    /// All moments in the state are before `horizon`.
    QueueOracle(std::vector<QueuedJob> queue, QueueState state, std::int64_t now,
                std::int64_t horizon)
        : queue_(std::move(queue)), state_(std::move(state)), now_(now), horizon_(horizon) {}

    /// True when the first has to wait for the second, both in the queue, as things are.
    [[nodiscard]] bool waits_for(std::size_t a, std::size_t b) const {
        const auto& list = conditions_of(queue_[a].owner).dependencies;
        const bool is_open = std::any_of(list.begin(), list.end(), [&](const Dependency& one) {
            return names(one, a, b) && !is_met(a, one, state_.records, far_off) &&
                   may_ever_be_met(a, one, {});
        });
        return is_open && may_ever_start(a) && !are_met(a, state_.records, far_off);
    }
    [[nodiscard]] bool has_cycle() const {
        std::vector<std::uint64_t> awaited(queue_.size());
        for (std::size_t a = 0; a < queue_.size(); ++a) {
            for (std::size_t b = 0; b < queue_.size(); ++b) {
                if (waits_for(a, b)) awaited[a] |= std::uint64_t{1} << b;
            }
        }
        std::vector<std::size_t> order(queue_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        do {
            std::uint64_t done = 0;
            const bool goes = std::all_of(order.begin(), order.end(), [&](std::size_t job) {
                const bool may_go = (awaited[job] & ~done) == 0;
                done |= std::uint64_t{1} << job;
                return may_go;
            });
            if (goes) return false;
        } while (std::next_permutation(order.begin(), order.end()));
        return true;
    }

    [[nodiscard]] std::vector<OracleSaying> sayings() const {
        using enum OracleSaying::What;
        std::vector<OracleSaying> all;
        const std::uint64_t cycles = on_cycles();
        const std::uint64_t now = eligible_at(now_);
        for (std::size_t job = 0; job < queue_.size(); ++job) {
            if (!may_ever_start(job) || (cycles >> job & 1) != 0) {
                all.push_back({never, {}});
            } else if ((now >> job & 1) != 0) {
                all.push_back({eligible, {}});
            } else {
                const auto from = starts_from(job);
                const bool is_so = from && (eligible_at(from->value()) >> job & 1) != 0;
                all.push_back({waits, is_so ? from : std::nullopt});
            }
        }
        return all;
    }
    /// The jobs that wait for each other with no other way, and those that wait for them, a bit
    /// each: everybody, but for those who could start if all others ended as they like, and so on.
    [[nodiscard]] std::uint64_t stuck() const {
        std::uint64_t some = 0;
        for (std::size_t job = 0; job < queue_.size(); ++job) {
            if (may_ever_start(job)) some |= std::uint64_t{1} << job;
        }
        for (std::uint64_t before = 0; before != some;) {
            before = some;
            for (std::size_t job = 0; job < queue_.size(); ++job) {
                if ((some >> job & 1) == 0) continue;
                if (may_start_without(job, some)) some &= ~(std::uint64_t{1} << job);
            }
        }
        return some;
    }

  private:
    using Records = std::vector<JobRecord>;
    static constexpr std::int64_t far_off = 1'000'000;  ///< when all delays are past

    /// The stuck jobs from which a way leads over such back to themselves.
    [[nodiscard]] std::uint64_t on_cycles() const {
        const std::uint64_t among = stuck();
        std::vector<std::uint64_t> reached(queue_.size());
        for (std::size_t a = 0; a < queue_.size(); ++a) {
            for (std::size_t b = 0; b < queue_.size(); ++b) {
                const bool are_stuck = (among >> a & 1) != 0 && (among >> b & 1) != 0;
                if (are_stuck && waits_for(a, b)) reached[a] |= std::uint64_t{1} << b;
            }
        }
        for (std::size_t over = 0; over < queue_.size(); ++over) {
            for (std::uint64_t& one : reached) {
                if ((one >> over & 1) != 0) one |= reached[over];
            }
        }
        std::uint64_t cycles = 0;
        for (std::size_t a = 0; a < queue_.size(); ++a) {
            cycles |= reached[a] & std::uint64_t{1} << a;
        }
        return cycles;
    }
    /// Who may start at a moment when nothing has happened but time.
    [[nodiscard]] std::uint64_t eligible_at(std::int64_t at) const {
        std::vector<std::size_t> started;
        std::uint64_t all = 0;
        for (std::size_t job = 0; job < queue_.size(); ++job) {
            const StartConditions& conditions = conditions_of(queue_[job].owner);
            if (conditions.is_held || Instant(at) < conditions.begin.value_or(Instant())) continue;
            if (!are_met(job, state_.records, at) || is_throttled(conditions, started)) continue;
            started.push_back(job);
            all |= std::uint64_t{1} << job;
        }
        return all;
    }
    /// True when the condition of the first job is about the second.
    [[nodiscard]] bool names(const Dependency& one, std::size_t a, std::size_t b) const {
        const auto jobs = jobs_of(one);
        if (std::count(jobs.begin(), jobs.end(), queue_[b].owner) != 0) return true;
        const bool have_one_name =
            conditions_of(queue_[a].owner).name == conditions_of(queue_[b].owner).name;
        return one.kind == Dependency::Kind::singleton && b < a && have_one_name;
    }
    /// Those it names, and the tasks of its array.
    [[nodiscard]] std::vector<OwnerId> jobs_of(const Dependency& one) const {
        std::vector<OwnerId> jobs = one.jobs;
        for (const StartConditions& conditions : state_.conditions) {
            if (one.array && conditions.array == one.array) jobs.push_back(conditions.owner);
        }
        return jobs;
    }

    [[nodiscard]] const StartConditions& conditions_of(OwnerId owner) const {
        static const StartConditions none;
        for (const StartConditions& one : state_.conditions) {
            if (one.owner == owner) return one;
        }
        return none;
    }
    [[nodiscard]] std::optional<std::size_t> position_of(OwnerId owner) const {
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            if (queue_[i].owner == owner) return i;
        }
        return std::nullopt;
    }
    [[nodiscard]] static const JobRecord* record_of(const Records& records, OwnerId owner) {
        for (const JobRecord& one : records) {
            if (one.owner == owner) return &one;
        }
        return nullptr;
    }

    /// Whether the condition is met at a moment, if these records are all there is to say.
    [[nodiscard]] bool is_met(std::size_t job, const Dependency& one, const Records& records,
                              std::int64_t at) const {
        const auto is_past = [&](Instant moment) {
            return moment.value() + one.delay.value() <= at;
        };
        if (one.kind == Dependency::Kind::singleton) return is_alone(job, records);
        const auto jobs = jobs_of(one);
        bool is_one_bad = one.array && jobs.size() == one.jobs.size();  // the array has gone
        for (const OwnerId owner : jobs) {
            const JobRecord* const record = record_of(records, owner);
            if (record == nullptr && position_of(owner)) return false;
            if (record == nullptr) {
                is_one_bad = true;
                continue;
            }
            if (one.kind == Dependency::Kind::after) {
                if (!is_past(record->started ? *record->started : *record->ended)) return false;
                continue;
            }
            if (!record->ended || !is_past(*record->ended)) return false;
            const bool is_bad = record->phase != JobRecord::Phase::completed;
            if (one.kind == Dependency::Kind::afterok && is_bad) return false;
            is_one_bad |= is_bad;
        }
        return one.kind != Dependency::Kind::afternotok || is_one_bad;
    }
    [[nodiscard]] bool is_alone(std::size_t job, const Records& records) const {
        const std::string& name = conditions_of(queue_[job].owner).name;
        for (const JobRecord& one : records) {
            if (one.phase == JobRecord::Phase::running && conditions_of(one.owner).name == name)
                return false;
        }
        for (std::size_t i = 0; i < job; ++i) {
            const bool waits = record_of(records, queue_[i].owner) == nullptr;
            if (waits && conditions_of(queue_[i].owner).name == name) return false;
        }
        return true;
    }
    [[nodiscard]] bool are_met(std::size_t job, const Records& records, std::int64_t at) const {
        const StartConditions& conditions = conditions_of(queue_[job].owner);
        const auto is_one_met = [&](const Dependency& one) {
            return is_met(job, one, records, at);
        };
        const auto& list = conditions.dependencies;
        if (conditions.is_any_of && !list.empty()) {
            return std::any_of(list.begin(), list.end(), is_one_met);
        }
        return std::all_of(list.begin(), list.end(), is_one_met);
    }
    /// The first moment at which it may start if nothing happens.
    [[nodiscard]] std::optional<Instant> starts_from(std::size_t job) const {
        const Instant begin = conditions_of(queue_[job].owner).begin.value_or(Instant());
        for (std::int64_t at = now_; at < 3 * horizon_; ++at) {
            if (begin <= Instant(at) && are_met(job, state_.records, at)) return Instant(at);
        }
        return std::nullopt;
    }
    [[nodiscard]] bool may_ever_start(std::size_t job) const { return may_start_without(job, {}); }
    /// Some of the queue, a bit each, neither start nor end before.
    [[nodiscard]] bool may_start_without(std::size_t job, std::uint64_t those) const {
        const StartConditions& conditions = conditions_of(queue_[job].owner);
        const auto& list = conditions.dependencies;
        const auto may_be = [&](const Dependency& one) { return may_ever_be_met(job, one, those); };
        if (conditions.is_any_of && !list.empty())
            return std::any_of(list.begin(), list.end(), may_be);
        return std::all_of(list.begin(), list.end(), may_be);
    }
    /// In some future: whoever has not ended ends, well or not, but for those; also the job itself,
    /// which may be cancelled, and so is no condition.
    [[nodiscard]] bool may_ever_be_met(std::size_t job, const Dependency& dependency,
                                       std::uint64_t those) const {
        std::vector<OwnerId> open;
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            if ((those >> i & 1) == 0) open.push_back(queue_[i].owner);
        }
        for (const JobRecord& one : state_.records) {
            if (!one.ended) open.push_back(one.owner);
        }
        for (std::uint64_t future = 0; future < std::uint64_t{1} << open.size(); ++future) {
            Records records = state_.records;
            std::erase_if(records, [](const JobRecord& one) { return !one.ended; });
            for (std::size_t i = 0; i < open.size(); ++i) {
                const bool is_good = (future >> i & 1) != 0;
                records.push_back({open[i],
                                   is_good ? JobRecord::Phase::completed : JobRecord::Phase::failed,
                                   Instant(now_), Instant(now_)});
            }
            if (is_met(job, dependency, records, 3 * horizon_)) return true;
        }
        return false;
    }
    [[nodiscard]] bool is_throttled(const StartConditions& conditions,
                                    const std::vector<std::size_t>& started) const {
        const auto at = std::find_if(
            state_.arrays.begin(), state_.arrays.end(),
            [&](const QueueState::Array& one) { return one.array == conditions.array; });
        if (at == state_.arrays.end()) return false;
        std::int64_t tasks = 0;
        for (const JobRecord& one : state_.records) {
            if (!one.ended && conditions_of(one.owner).array == conditions.array) ++tasks;
        }
        for (const std::size_t job : started) {
            if (conditions_of(queue_[job].owner).array == conditions.array) ++tasks;
        }
        return tasks >= at->at_once_max.value();
    }

    std::vector<QueuedJob> queue_;
    QueueState state_;
    std::int64_t now_;
    std::int64_t horizon_;
};

}  // namespace trestle
