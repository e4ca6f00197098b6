// SPDX-License-Identifier: Apache-2.0
// NodeCalendar against a list of seconds with a set of nodes each.
#include "alloc/schedule/sets/node_calendar.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"

namespace trestle {
namespace {

using detail::NodeBits;
using detail::NodeCalendar;
using FreeSet = std::set<std::uint32_t>;

FreeSet free_set(const NodeBits& bits) {
    FreeSet nodes;
    detail::for_each_bit(bits, [&](std::uint32_t node) { nodes.insert(node); });
    return nodes;
}

/// Nodes that are free at each second; the last one has no end.
class CalendarOracle {
  public:
    CalendarOracle(std::uint32_t nodes, std::size_t seconds) : free_(seconds) {
        for (auto& one : free_) {
            for (std::uint32_t node = 0; node < nodes; ++node) one.insert(node);
        }
    }
    void take(const FreeSet& nodes, const Period& period) {
        for_each_second(period, [&](FreeSet& free) {
            for (const std::uint32_t node : nodes) free.erase(node);
        });
    }
    void give_back(const FreeSet& nodes, const Period& period) {
        for_each_second(period, [&](FreeSet& free) { free.insert(nodes.begin(), nodes.end()); });
    }
    [[nodiscard]] FreeSet free_in(const Period& period) {
        FreeSet all = free_[static_cast<std::size_t>(period.first.value())];
        for_each_second(period, [&](const FreeSet& free) {
            std::erase_if(all, [&](std::uint32_t node) { return !free.contains(node); });
        });
        return all;
    }
    [[nodiscard]] std::optional<std::int64_t> find(std::int64_t now, std::size_t wanted,
                                                   std::optional<Seconds> duration,
                                                   std::optional<Instant> not_beyond) {
        for (auto at = now; at < static_cast<std::int64_t>(free_.size()); ++at) {
            if (not_beyond && *not_beyond < Instant(at)) break;
            if (free_in(period_of(Instant(at), duration)).size() >= wanted) return at;
        }
        return std::nullopt;
    }

  private:
    template <class Visit>
    void for_each_second(const Period& period, const Visit& visit) {
        const auto last = static_cast<std::int64_t>(free_.size()) - 1;
        const std::int64_t end = std::min(period.end.value() - 1, last);
        for (std::int64_t at = period.first.value(); at <= end; ++at) {
            visit(free_[static_cast<std::size_t>(at)]);
        }
    }

    std::vector<FreeSet> free_;
};

}  // namespace

TEST_CASE("law: a calendar of nodes says what a list of seconds says", "[law][time]") {
    constexpr std::int64_t seconds = 160;
    std::mt19937 random(test_seed());
    const auto below = [&](std::int64_t end) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    std::size_t most_moments = 0;
    int found_later = 0, ends_there = 0;
    for (int round = 0; round < std::max(test_rounds(60), 25); ++round) {
        const auto count = static_cast<std::uint32_t>(1 + below(round % 2 == 0 ? 6 : 140));
        NodeCalendar calendar;
        calendar.reset(count, Instant(0));
        CalendarOracle oracle(count, 2 * seconds);  // behind the end of all
        struct Taken {
            NodeBits nodes;
            Period period;
        };
        std::vector<Taken> taken;
        std::int64_t now = 0;
        const auto any_duration = [&]() -> std::optional<Seconds> {
            if (below(12) == 0) return std::nullopt;
            return Seconds(1 + below(below(4) == 0 ? 60 : 8));
        };
        for (int step = 0; step < 220; ++step) {
            INFO("round " << round << " step " << step << ", " << count << " nodes");
            const auto duration = any_duration();
            const std::int64_t wanted = 1 + below(1 + below(count));
            const std::int64_t what = below(12);
            if (what == 0 && now < seconds / 3) {
                calendar.set_now(Instant(now += below(3)));
            } else if (what == 1 && below(8) == 0) {
                calendar.drop_equal();
            } else if (what == 2 && !taken.empty()) {
                const auto at = static_cast<std::size_t>(below(std::ssize(taken)));
                Taken one = taken[at];
                taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(at));
                one.period.first = std::max(one.period.first, Instant(now));
                if (one.period.end <= one.period.first) continue;
                calendar.give_back(one.nodes, one.period);
                oracle.give_back(free_set(one.nodes), one.period);
            } else if (what < 5) {
                const Period period = period_of(Instant(now + below(seconds - now)), duration);
                NodeBits nodes;
                calendar.free_in(period, nodes);
                REQUIRE(free_set(nodes) == oracle.free_in(period));
            } else {
                std::optional<Instant> not_beyond;
                if (below(4) == 0) not_beyond = Instant(now + below(20));
                // Nodes of a job may be free from some moment on.
                const Instant moment(now + 1 + below(20));
                NodeBits more((count + 63) / 64);
                detail::insert_run(more, 0, static_cast<std::uint32_t>(below(count + 1)));
                FreeSet then = oracle.free_in({moment, saturating_add(moment, Seconds(1))});
                then.merge(free_set(more));
                FreeSet both = oracle.free_in({Instant(moment.value() - 1), moment});
                std::erase_if(both, [&](std::uint32_t node) { return !then.contains(node); });
                const bool may = wanted <= std::ssize(both);
                REQUIRE(calendar.may_go_on(wanted, moment, more) == may);
                ends_there += !may;
                NodeCalendar::Found found;
                const auto start =
                    oracle.find(now, static_cast<std::size_t>(wanted), duration, not_beyond);
                // Known from another search, or not.
                const bool is_known = start && below(2) == 0;
                const Instant known(is_known ? now + below(*start - now + 1) : 0);
                const bool is_there = calendar.find({wanted, duration, known, not_beyond}, found);
                REQUIRE(is_there == start.has_value());
                if (!start) continue;
                REQUIRE(found.period.first == Instant(*start));
                const Period period = period_of(Instant(*start), duration);
                REQUIRE(found.period == period);
                REQUIRE(free_set(found.nodes) == oracle.free_in(period));
                found_later += *start > now;
                if (saturating_add(Instant(*start), Seconds(1)) > Instant(seconds - 1)) continue;
                REQUIRE(found.count == std::ssize(free_set(found.nodes)));
                NodeBits nodes = found.nodes;
                detail::keep_lowest(nodes, wanted);
                REQUIRE(free_set(nodes).size() == static_cast<std::size_t>(wanted));
                REQUIRE(*free_set(nodes).begin() == *free_set(found.nodes).begin());
                if (below(2) == 0) {
                    calendar.take(nodes, found);
                } else {
                    calendar.take(nodes, period);
                }
                oracle.take(free_set(nodes), period);
                taken.push_back({nodes, period});
            }
            REQUIRE(calendar.free_now() ==
                    std::ssize(oracle.free_in({Instant(now), Instant(now + 1)})));
            most_moments = std::max(most_moments, calendar.moments());
        }
    }
    CHECK(most_moments > 40);  // more than a block has
    CHECK(found_later > test_rounds(60) * 20);
    CHECK(ends_there > test_rounds(60) * 20);
}

}  // namespace trestle
