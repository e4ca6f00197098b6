// SPDX-License-Identifier: Apache-2.0
// Timelines: a cluster, now and later.
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/alloc/schedule/timeline_bytes.hpp"
#include "trestle/dialect/json/cluster.hpp"
#include "trestle/dialect/json/json.hpp"
#include "values.hpp"

namespace trestle::c {
namespace {

/// Nothing for TRESTLE_UNKNOWN.
template <class Amount>
std::optional<Amount> amount_or_none(std::int64_t value, std::string_view name) {
    if (value == TRESTLE_UNKNOWN) return {};
    return amount_of<Amount>(value, name);
}

Discipline discipline_of(trestle_discipline discipline) {
    switch (discipline) {
        case TRESTLE_STRICT:
            return Discipline::strict(Discipline::Order::by_priority);
        case TRESTLE_EASY:
            return Discipline::easy(Discipline::Order::by_priority);
        case TRESTLE_CONSERVATIVE:
            return Discipline::conservative(Discipline::Order::by_priority);
        default:
            fail(TRESTLE_INVALID, "discipline {}, expected a trestle_discipline", discipline);
    }
}

std::vector<QueuedJob> queue_of(const Border& call, const trestle_queued_job* jobs,
                                std::size_t count) {
    std::vector<QueuedJob> queue;
    if (count > 0 && jobs == nullptr) {
        fail(TRESTLE_INVALID, "jobs is NULL, expected {} jobs", count);
    }
    for (std::size_t i = 0; i < count; ++i) {
        queue.push_back({OwnerId(jobs[i].owner), call.value<RequestValue>(jobs[i].request).prepared,
                         amount_or_none<Seconds>(jobs[i].duration, "duration"), jobs[i].priority});
    }
    return queue;
}

/// The turns of a pass, for the caller. Where the pass does not come to its end they are 0 again.
class Turns {
  public:
    Turns(trestle_turn* turns, const std::vector<QueuedJob>& queue)
        : turns_(turns), count_(queue.size()) {
        for (std::size_t i = 0; i < count_; ++i) {
            turns_[i].owner = queue[i].owner.value();
            turns_[i].start = TRESTLE_UNKNOWN;
            turns_[i].end = TRESTLE_UNKNOWN;
            position_.emplace(queue[i].owner, i);
        }
    }
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;
    ~Turns() {
        if (is_kept_) return;
        for (std::size_t i = 0; i < count_; ++i) {
            trestle_placement_free(std::exchange(turns_[i], {}).placement);
        }
    }
    void enter(const PassResult& result) {
        for (const PassResult::Waiting& job : result.waiting) {
            turns_[job.job].kind = job.can_start ? TRESTLE_WAITS : TRESTLE_CANNOT_START;
        }
        for (const TimedAllocation& one : result.starts) enter(one, TRESTLE_STARTS);
        for (const TimedAllocation& one : result.reservations) enter(one, TRESTLE_RESERVED);
    }
    void keep() { is_kept_ = true; }

  private:
    void enter(const TimedAllocation& given, trestle_turn_kind kind) {
        trestle_turn& turn = turns_[position_.at(given.allocation.owner)];
        turn.kind = kind;
        turn.start = given.period.first.value();
        turn.end = given.period.end.value();
        turn.placement = make_handle<trestle_placement>(Placement(given.allocation.placement));
    }

    trestle_turn* turns_;
    std::size_t count_;
    absl::flat_hash_map<OwnerId, std::size_t> position_;
    bool is_kept_ = false;
};

}  // namespace
}  // namespace trestle::c

using namespace trestle;
using namespace trestle::c;

int trestle_timeline_create(const trestle_cluster* cluster, int64_t now, trestle_timeline** result,
                            trestle_error* error) {
    return border(error, [&](Border& call) {
        auto*& made = result_of(result, "result");
        const auto& of = call.value<ClusterValue>(cluster);
        Timeline timeline(of.cluster, amount_of<Instant>(now, "now"));
        made = make_handle<trestle_timeline>(TimelineValue(std::move(timeline), of.options));
    });
}

int trestle_timeline_from_bytes(const void* bytes, size_t size, trestle_timeline** result,
                                trestle_error* error) {
    return border(error, [&](Border&) {
        auto*& made = result_of(result, "result");
        if (bytes == nullptr) fail(TRESTLE_INVALID, "bytes is NULL, expected bytes of a timeline");
        const std::span read(static_cast<const std::uint8_t*>(bytes), size);
        auto timeline = take(timeline_from_bytes(read, {.requires_utf8 = true}));
        made = make_handle<trestle_timeline>(TimelineValue(std::move(timeline), {}));
    });
}

void trestle_timeline_free(trestle_timeline* timeline) { free_handle<TimelineValue>(timeline); }

int trestle_reserve(trestle_timeline* timeline, uint64_t owner, const trestle_request* request,
                    const trestle_placement* placement, int64_t start, int64_t end,
                    trestle_error* error) {
    return border(error, [&](Border& call) {
        const auto& asked = call.value<RequestValue>(request);
        const auto& given = call.value<Placement>(placement);
        const Period period{amount_of<Instant>(start, "start"), amount_of<Instant>(end, "end")};
        must(call.change<TimelineValue>(timeline, [&](TimelineValue& to) {
            return to.timeline.reserve({OwnerId(owner), asked.prepared, given}, period);
        }));
    });
}

int trestle_set_end(trestle_timeline* timeline, uint64_t owner, int64_t end, trestle_error* error) {
    return border(error, [&](Border& call) {
        must(call.change<TimelineValue>(timeline, [&](TimelineValue& to) {
            return to.timeline.set_end(OwnerId(owner), amount_of<Instant>(end, "end"));
        }));
    });
}

int trestle_advance(trestle_timeline* timeline, int64_t to, int64_t* next, trestle_error* error) {
    return border(error, [&](Border& call) {
        if (next != nullptr) *next = 0;
        must(call.change<TimelineValue>(timeline, [&](TimelineValue& of) {
            return of.timeline.advance(amount_of<Instant>(to, "to")).status();
        }));
        if (next == nullptr) return;
        const auto change = call.value<TimelineValue>(timeline).timeline.next_change();
        *next = change ? change->value() : TRESTLE_NEVER;
    });
}

int trestle_earliest_start(trestle_timeline* timeline, const trestle_request* request,
                           int64_t after, int64_t duration, trestle_start* start,
                           trestle_placement** result, trestle_error* error) {
    return border(error, [&](Border& call) {
        if (result != nullptr) *result = nullptr;
        check_struct(start, "trestle_start");
        const auto& asked = call.value<RequestValue>(request);
        StartQuestion question;
        question.after = amount_or_none<Instant>(after, "after");
        question.duration = amount_or_none<Seconds>(duration, "duration");
        auto found = call.change<TimelineValue>(timeline, [&](TimelineValue& of) {
            return of.finder.earliest_start(of.timeline, asked.prepared, question);
        });
        if (!found) return refuse(error, found.refusal());
        Start said = *std::move(found);
        if (result != nullptr) {
            *result = make_handle<trestle_placement>(std::move(said.placement));
        }
        fill(start,
             {0, said.period.first.value(), said.period.end.value(), said.is_earliest ? 1 : 0, 0});
        return report_ok(error);
    });
}

int trestle_schedule_pass(trestle_timeline* timeline, const trestle_queued_job* jobs, size_t count,
                          trestle_discipline discipline, trestle_turn* turns, char** json,
                          trestle_error* error) {
    return border(error, [&](Border& call) {
        if (json != nullptr) *json = nullptr;
        if (count > 0 && turns == nullptr) {
            fail(TRESTLE_INVALID, "turns is NULL, expected room for {}", count);
        }
        std::fill_n(turns, count, trestle_turn{});
        const auto queue = queue_of(call, jobs, count);
        const Discipline how = discipline_of(discipline);
        const auto result = take(call.change<TimelineValue>(timeline, [&](TimelineValue& of) {
            return schedule_pass(of.timeline, queue, how, of.finder);
        }));
        Turns said(turns, queue);
        said.enter(result);
        if (json != nullptr) *json = copy_text(json::to_json_text(result));
        said.keep();
    });
}
