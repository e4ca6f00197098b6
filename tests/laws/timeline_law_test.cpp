// SPDX-License-Identifier: Apache-2.0
// Whatever happened to a timeline, it is at every second the cluster that is made from nothing; an
// operation that fails leaves it as it was; the earliest start is the one that looking at every
// second finds.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "alloc/cluster/place/eligibility.hpp"
#include "support/catch.hpp"
#include "support/oracle_time.hpp"
#include "support/random_expression.hpp"
#include "support/seed.hpp"
#include "support/timeline_history.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::for_random_choices;

void check_timelines(std::uint64_t histories) {
    TimelineCounts sum;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), histories}, [&](Choices& choices) {
        TimelineHistory history(choices);
        history.run(20);
        sum.done += history.counts().done;
        sum.refused += history.counts().refused;
        sum.reserved += history.counts().reserved;
        sum.found += history.counts().found;
    });
    CHECK(sum.done > 3 * histories);
    CHECK(sum.refused > 3 * histories);
    CHECK(sum.reserved > 2 * histories);
    CHECK(sum.found > histories / 4);
}

/// Policies whose scores look at the state of a node alone.
PlaceOptions any_policy(Choices& choices) {
    PlaceOptions options = any_place_options(choices);
    using enum Policy;
    if (options.policy == clustering || options.policy == random) options.policy = first_fit;
    return options;
}

/// What is wrong with a start; empty when nothing is.
std::string wrong_with(const Start& start, const TimeOracle& oracle, const Request& request) {
    const std::int64_t last = std::min(start.period.end.value(),
                                       std::max(oracle.last_end(), start.period.first.value()) + 1);
    for (std::int64_t at = start.period.first.value(); at < last; ++at) {
        Cluster then = oracle.at(at);
        const Status given = then.commit({OwnerId(77), request, start.placement});
        if (!given.ok()) return std::string(message(given));
    }
    return "";
}

/// One that is always a number: which node comes first is no matter of when.
PlaceOptions any_expression_policy(Choices& choices) {
    PlaceOptions options = any_place_options(choices);
    do {
        options.policy = any_score_expression(choices);
    } while (options.policy.may_refuse());
    return options;
}

void check_starts(std::uint64_t cases, PlaceOptions (*any_options)(Choices&) = any_policy) {
    constexpr std::uint64_t questions = 4;
    std::uint64_t at_once = 0;
    std::uint64_t later = 0;
    std::uint64_t never = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), cases / questions}, [&](Choices& choices) {
        TimelineHistory history(choices);
        history.run(12);
        const TimeOracle& oracle = history.oracle();
        const PlaceOptions options = any_options(choices);
        StartFinder finder(options);
        for (std::uint64_t i = 0; i < questions; ++i) {
            Request request = history.any_request();
            if (choices.one_in(3)) request.exclusivity = Exclusivity::whole_node;
            if (!check(request).ok()) continue;
            auto duration = history.any_duration();
            std::optional<Instant> after;
            if (choices.one_in(3)) {
                after = Instant(oracle.now() + static_cast<std::int64_t>(choices.below(6)));
            }
            const auto found =
                finder.earliest_start(history.timeline(), request, {after, duration, {}});
            if (!duration) duration = request.time_limit;
            const auto expected = oracle.earliest(
                request, duration, after.value_or(Instant(oracle.now())).value(), options);
            if (!expected) {
                ++never;
                REQUIRE(!found);
                REQUIRE(to_text(found.refusal()) == to_text(expected.refusal()));
                continue;
            }
            REQUIRE(found);
            REQUIRE(found->period == expected->period);
            REQUIRE(to_text(found->placement) == to_text(expected->placement));
            REQUIRE(found->waits_for.has_value() == expected->waits_for.has_value());
            REQUIRE(wrong_with(*found, oracle, request).empty());
            const Instant first = after.value_or(Instant(oracle.now()));
            ++(first < expected->period.first ? later : at_once);
        }
    });
    CHECK(at_once > cases / 20);
    CHECK(later > cases / 50);
    CHECK(never > cases / 50);
}

/// Whether a job of one node has a place all through a period, where partitions count CPUs: tried
/// node by node without the count, which is then made second by second.
class CountedCpus {
  public:
    explicit CountedCpus(const TimeOracle& oracle) : oracle_(oracle) {}

    [[nodiscard]] bool has_place(const Request& request, const Period& period) const {
        Cluster cluster = oracle_.throughout(period);
        const Partition& partition =
            cluster.partitions()[*find_partition(cluster, request.partition)];
        const std::int64_t most =
            1000 * partition.max_cpus_per_node.value_or(Count(1'000'000)).value();
        auto partitions = cluster.partitions();
        for (Partition& one : partitions) one.max_cpus_per_node.reset();
        REQUIRE(cluster.set_partitions(partitions).ok());
        for (std::uint32_t n = 0; n < cluster.node_count(); ++n) {
            const NodeSet alone = NodeSet::of({NodeId(n)});
            const auto found = place(cluster, request, {}, {&alone, {}});
            if (!found) continue;
            if (most_of(request.partition, found->nodes[0], period) <= most) return true;
        }
        return false;
    }

  private:
    /// Thousandths of CPUs that jobs of the partition and the part have at any second, at most.
    [[nodiscard]] std::int64_t most_of(const std::string& partition, const NodePlacement& part,
                                       const Period& period) const {
        std::int64_t most = 0;
        const std::int64_t last = std::min(period.end.value(), oracle_.last_end() + 1);
        for (std::int64_t at = period.first.value(); at < std::max(last, period.first.value() + 1);
             ++at) {
            std::int64_t taken = thousandths(part);
            for (const auto& [owner, one] : oracle_.all()) {
                if (!one.period.contains(Instant(at))) continue;
                if (one.allocation.request->partition != partition) continue;
                for (const NodePlacement& has : one.allocation.placement.nodes) {
                    if (has.node == part.node) taken += thousandths(has);
                }
            }
            most = std::max(most, taken);
        }
        return most;
    }
    [[nodiscard]] std::int64_t thousandths(const NodePlacement& part) const {
        const HardwareTree& hardware = oracle_.idle().shape(part.node).hardware;
        return 1000 * static_cast<std::int64_t>(hardware.threads_of(part.cores).count()) +
               part.milli_cpus.value();
    }

    const TimeOracle& oracle_;
};

void check_counted_cpus(std::uint64_t histories) {
    std::uint64_t at_once = 0;
    std::uint64_t later = 0;
    std::uint64_t counted = 0;  ///< of the later ones, by the count
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), histories}, [&](Choices& choices) {
        TimelineHistory history(choices, {true});
        StartFinder finder;
        for (std::uint64_t i = 0; i < 12; ++i) {
            history.step();
            const TimeOracle& oracle = history.oracle();
            Request request;
            request.nodes = Range<Count>::exactly(Count(1));
            request.partition = choices.one_in(2) ? "day" : "night";
            const auto cpus = 1 + static_cast<int>(choices.below(3));
            request.cpus_per_task = Range<Count>::exactly(Count(cpus));
            const auto duration = history.any_duration();
            const auto found =
                finder.earliest_start(history.timeline(), request, {{}, duration, {}});
            const CountedCpus counts(oracle);
            std::optional<Instant> expected;
            for (std::int64_t at = oracle.now(); at <= oracle.last_end() && !expected; ++at) {
                const Period period = period_of(Instant(at), duration);
                if (counts.has_place(request, period)) expected = period.first;
            }
            REQUIRE(found.has_value() == expected.has_value());
            if (!found) continue;
            REQUIRE(found->period.first == *expected);
            ++(found->waits_for ? later : at_once);
            if (found->waits_for && found->waits_for->constraint == Constraint::partition)
                ++counted;
            if (choices.one_in(3)) continue;
            history.reserve({OwnerId(100 + i), request, found->placement}, found->period);
        }
    });
    CHECK(at_once > histories);
    CHECK(later > histories / 4);
    CHECK(counted > histories / 20);
}

}  // namespace

TEST_CASE("law: CPUs that a partition counts are those of the worst second", "[law][time]") {
    check_counted_cpus(test_rounds(150u));
}
TEST_CASE("law: CPUs that a partition counts are those of the worst second, 3,000 histories",
          "[law][time][slow]") {
    check_counted_cpus(3'000);
}
TEST_CASE("law: a timeline is at every second the cluster made from nothing", "[law][time]") {
    check_timelines(test_rounds(60u));
}
TEST_CASE("law: a timeline is the cluster made from nothing, 2,000 histories",
          "[law][time][slow]") {
    check_timelines(2'000);
}
TEST_CASE("law: the earliest start is what looking at every second finds", "[law][time]") {
    check_starts(test_rounds(2'400u));
}
TEST_CASE("law: the earliest start by an expression is what looking at every second finds",
          "[law][time][unsanitized]") {
    check_starts(test_rounds(4'000u), any_expression_policy);
}
TEST_CASE("law: the earliest start is what looking at every second finds, 20,000 cases",
          "[law][time][slow]") {
    check_starts(20'000);
}
TEST_CASE("law: the earliest start is what looking at every second finds, a million cases",
          "[law][time][long]") {
    check_starts(1'000'000);
}

namespace {

/// Nodes of one core, and jobs of one node each: small enough to go through all there are.
class SmallTimes {
  public:
    struct Bounds {
        std::uint32_t nodes = 0;
        std::uint32_t jobs = 0;
        std::uint32_t times = 0;
        bool asks_everything = false;  ///< else one question a world, another each time
    };

    explicit SmallTimes(Bounds bounds) : bounds_(bounds) {
        std::string text = std::to_string(bounds.nodes) + " x (1c)";
        start_ = Timeline(*testing::cluster_from_text(text));
        for (std::uint32_t nodes = 1; nodes <= bounds.nodes; ++nodes) {
            Request request;
            request.nodes = Range<Count>::exactly(Count(nodes));
            requests_.emplace_back(request);
        }
    }
    /// The worlds there are.
    std::uint64_t run() {
        go(start_, 0);
        return worlds_;
    }

  private:
    struct Job {
        std::uint32_t node = 0;
        std::uint32_t first = 0;
        std::uint32_t last = 0;
    };

    /// All worlds with the jobs so far and others that come after `code`.
    void go(const Timeline& timeline, std::uint32_t code) {
        ++worlds_;
        ask(timeline);
        if (jobs_.size() == bounds_.jobs) return;
        const std::uint32_t times = bounds_.times;
        for (; code < bounds_.nodes * times * times; ++code) {
            const Job job{code / (times * times), code / times % times, 1 + code % times};
            Timeline next = timeline;
            NodePlacement part;
            part.node = NodeId(job.node);
            part.cores.insert(CoreId(0));
            const Status given = next.reserve({OwnerId(jobs_.size()), {}, {{part}, {}}},
                                              {Instant(job.first), Instant(job.last)});
            REQUIRE(given.ok() == (job.first < job.last && is_free(job.node, job.first, job.last)));
            if (!given.ok()) continue;
            jobs_.push_back(job);
            go(next, code + 1);
            jobs_.pop_back();
        }
    }
    bool is_free(std::uint32_t node, std::uint32_t first, std::uint32_t last) const {
        return std::none_of(jobs_.begin(), jobs_.end(), [&](const Job& job) {
            return job.node == node && job.first < last && first < job.last;
        });
    }
    void ask(const Timeline& timeline) {
        const std::uint32_t count = bounds_.nodes * bounds_.times;
        if (!bounds_.asks_everything) {
            return ask(timeline, static_cast<std::uint32_t>(worlds_ % count));
        }
        for (std::uint32_t question = 0; question < count; ++question) ask(timeline, question);
    }
    void ask(const Timeline& timeline, std::uint32_t question) {
        const std::uint32_t nodes = 1 + question % bounds_.nodes;
        const std::uint32_t duration = 1 + question / bounds_.nodes;
        std::vector<NodeId> expected;
        std::uint32_t at = 0;
        for (;; ++at) {
            expected.clear();
            for (std::uint32_t n = 0; n < bounds_.nodes && expected.size() < nodes; ++n) {
                if (is_free(n, at, at + duration)) expected.emplace_back(n);
            }
            if (expected.size() == nodes) break;
        }
        const auto found =
            finder_.earliest_start(timeline, requests_[nodes - 1], {{}, Seconds(duration), {}});
        REQUIRE(found);
        REQUIRE(found->period.first == Instant(at));
        std::vector<NodeId> given;
        for (const NodePlacement& part : found->placement.nodes) given.push_back(part.node);
        REQUIRE(given == expected);
    }

    Bounds bounds_;
    Timeline start_;
    std::vector<PreparedRequest> requests_;
    std::vector<Job> jobs_;
    StartFinder finder_;
    std::uint64_t worlds_ = 0;
};

}  // namespace

TEST_CASE("law: the earliest start in all worlds of 2 nodes, 3 jobs and 3 times",
          "[law][time][unsanitized]") {
    CHECK(SmallTimes({2, 3, 3, true}).run() == 121);
}
TEST_CASE("law: the earliest start in all worlds of 3 nodes, 4 jobs and 6 times",
          "[law][time][slow]") {
    CHECK(SmallTimes({3, 4, 6, false}).run() > 100'000);
}

}  // namespace trestle
