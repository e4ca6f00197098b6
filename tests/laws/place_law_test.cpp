// SPDX-License-Identifier: Apache-2.0
// Laws of place(): its answers are those of a plain search, for every policy and everything that a
// job can ask; and a Placer that remembers says what one without a past would say.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/odd_policy.hpp"
#include "support/oracle_place.hpp"
#include "support/random_job.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::for_all_choices;
using testing::for_random_choices;

/// How often there was an answer, so that a test can ask for enough of them.
struct Tally {
    std::uint64_t asked = 0;
    std::uint64_t placed = 0;
    std::uint64_t gave_up = 0;
};

std::string place_question(const Cluster& cluster, const Request& request,
                           const PlaceOptions& options) {
    std::string text = to_text(cluster.parts());
    for (const Allocation& taken : cluster.allocations()) text += "\n" + to_text(taken);
    return text + "\n" + to_text(request) + "\n" + std::string(to_text(options.policy));
}

/// A filter that stays where it is.
struct OwnFilter {
    NodeSet candidates;
    NodeFilter filter;
};
void make_filter(Choices& choices, const Cluster& cluster, OwnFilter& own) {
    own.filter = {};
    if (choices.one_in(6)) {
        own.candidates = {};
        for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
            if (!choices.one_in(3)) own.candidates.insert(NodeId(i));
        }
        own.filter.candidates = &own.candidates;
    }
    if (choices.one_in(6)) {
        const auto rest = static_cast<std::uint32_t>(choices.below(3));
        own.filter.predicate = [rest](NodeId node) { return node.value() % 3 != rest; };
    }
}

/// The same answer, to the last bit.
void expect_best(const Cluster& cluster, const Request& request, const PlaceOptions& options,
                 const NodeFilter& filter, Tally& tally) {
    const auto answer = place(cluster, request, options, filter);
    const auto expected = PlaceOracle(cluster, request, options, filter).best();
    ++tally.asked;
    tally.placed += expected ? 1u : 0u;
    if (answer.has_value() == expected.has_value() && (!expected || *answer == *expected)) return;
    FAIL(place_question(cluster, request, options)
         << "\nanswer " << to_text(answer) << "\nexpected "
         << (expected ? to_text(Verdict<Placement>(*expected)) : std::string("none")));
}

/// A right answer, exactly when there is one.
void expect_right(const Cluster& cluster, const Request& request, const PlaceOptions& options,
                  const NodeFilter& filter, Tally& tally) {
    const auto answer = place(cluster, request, options, filter);
    const PlaceOracle oracle(cluster, request, options, filter);
    ++tally.asked;
    if (!answer && answer.refusal().constraint == Constraint::gave_up) {
        ++tally.gave_up;
        return;
    }
    if (answer.has_value() != oracle.has_placement()) {
        FAIL(place_question(cluster, request, options) << "\nanswer " << to_text(answer));
    }
    if (!answer) return;
    ++tally.placed;
    const std::string wrong = oracle.wrong_with(*answer);
    if (!wrong.empty()) {
        FAIL(place_question(cluster, request, options) << "\nanswer " << to_text(answer) << "\n"
                                                       << wrong);
    }
}

/// What is asked of worlds of one kind.
struct Law {
    std::uint64_t seed = 0;
    std::uint64_t worlds = 0;
    JobWorldBounds world;
    JobBounds job;
};

/// Several jobs for each world, each of which may stay there.
template <class Expect>
Tally check_law(const Law& law, const Expect& expect) {
    Tally tally;
    for_random_choices({law.seed, law.worlds}, [&](Choices& choices) {
        Cluster cluster = any_job_world(choices, law.world);
        OwnFilter own;
        for (std::uint64_t i = 0; i < 10; ++i) {
            const PlaceOptions options = any_place_options(choices);
            const Request request = any_job(choices, cluster, law.job);
            if (!check(request).ok()) continue;
            make_filter(choices, cluster, own);
            expect(cluster, request, options, own.filter, tally);
            if (!choices.one_in(4)) continue;
            const auto placement = place(cluster, request, options, own.filter);
            if (!placement) continue;
            const OwnerId owner(1'000 + i);
            REQUIRE(cluster.commit({owner, request, *placement}).ok());
        }
    });
    return tally;
}

}  // namespace

TEST_CASE("law: without a network the answer is that of a search part by part", "[law]") {
    INFO("seed " << test_seed());
    const Tally tally = check_law({test_seed(), test_rounds(100u), {6, false}, {}}, expect_best);
    CHECK(tally.placed > tally.asked / 20);
}

TEST_CASE("law: with a network there is an answer exactly when there is one, and it is right",
          "[law]") {
    INFO("seed " << test_seed());
    const Tally tally =
        check_law({test_seed(), test_rounds(200u), {6, true}, {false, true}}, expect_right);
    CHECK(tally.placed > tally.asked / 20);
    CHECK(tally.gave_up < tally.asked / 20);
}

TEST_CASE("law: under a policy of the caller's the answer is that of a search part by part",
          "[law]") {
    INFO("seed " << test_seed());
    const auto expect = [](const Cluster& cluster, const Request& request,
                           const PlaceOptions& options, const NodeFilter& filter, Tally& tally) {
        const auto expected =
            PlaceOracle(cluster, request, options, filter, OddPolicy::oracle).best();
        ++tally.asked;
        tally.placed += expected ? 1u : 0u;
        const PreparedRequest shared(request);
        const auto answer = Placer(options, OddPolicy::one).place(cluster, shared, filter);
        CHECK(answer == Placer(options, OddPolicy::batch).place(cluster, shared, filter));
        if (answer.has_value() == expected.has_value() && (!expected || *answer == *expected)) {
            return;
        }
        FAIL(place_question(cluster, request, options) << "\nanswer " << to_text(answer));
    };
    const Tally tally = check_law({test_seed() + 3, test_rounds(60u), {6, false}, {}}, expect);
    CHECK(tally.placed > tally.asked / 40);
}

TEST_CASE("law: in large clusters the answer is that of a search part by part", "[law]") {
    INFO("seed " << test_seed());
    const Tally tally = check_law({test_seed(), 5, {200, false}, {true, false}}, expect_best);
    CHECK(tally.placed > tally.asked / 20);
}

TEST_CASE("law: place agrees with plain searches on thousands of questions", "[law][slow]") {
    INFO("seed " << test_seed());
    const std::uint64_t seed = test_seed() + 1;
    const Tally small = check_law({seed, 900, {6, false}, {}}, expect_best);
    const Tally network = check_law({seed + 1, 900, {6, true}, {false, true}}, expect_right);
    const Tally large = check_law({seed + 2, 250, {200, false}, {true, false}}, expect_best);
    CHECK(small.asked + network.asked + large.asked > 20'000);
    CHECK(small.placed + network.placed + large.placed > 3'000);
}

TEST_CASE("law: place agrees with plain searches on a million questions", "[law][long]") {
    INFO("seed " << test_seed());
    const std::uint64_t seed = test_seed() + 2;
    std::uint64_t asked = check_law({seed, 42'000, {6, false}, {}}, expect_best).asked;
    asked += check_law({seed + 1, 42'000, {6, true}, {false, true}}, expect_right).asked;
    asked += check_law({seed + 2, 20'000, {200, false}, {true, false}}, expect_best).asked;
    CHECK(asked > 1'000'000);
}

TEST_CASE("law: all small worlds, all policies", "[law][slow]") {
    NodeShape one_core;
    one_core.hardware.cores = {Core{{OsIndex(0)}, 0}};
    NodeShape two_cores;
    two_cores.hardware.cores = {Core{{OsIndex(0)}, 0}, Core{{OsIndex(1)}, 0}};
    Device gpu;
    gpu.name = "gpu";
    gpu.shares = Count(2);
    two_cores.devices = {gpu};
    const std::vector<Shared<NodeShape>> shapes{one_core, two_cores};
    const auto policies = enum_names(Policy());
    Tally tally;
    const std::uint64_t worlds = for_all_choices([&](Choices& choices) {
        ClusterParts parts;
        for (std::uint32_t i = 0; i < 3; ++i) {
            Node node;
            node.name = "n" + std::to_string(i);
            node.shape = shapes[choices.below(2)];
            parts.nodes.push_back(std::move(node));
        }
        if (choices.below(2) == 1) parts.nodes[1].features = {"fast"};
        Cluster cluster = *Cluster::create(parts);
        for (std::uint32_t i = 0; i < 2; ++i) {
            NodePlacement taken;
            taken.node = NodeId(i);
            const std::uint64_t what = choices.below(3);
            if (what == 0) continue;
            taken.cores = CoreSet::of({CoreId(0)});
            if (what == 2 && !cluster.shape(NodeId(i)).devices.empty()) {
                taken.devices = {{DeviceId(0), Count(1)}};
            }
            REQUIRE(cluster.commit({OwnerId(i), {}, {{taken}, {}}}).ok());
        }
        Request request;
        request.nodes = Range<Count>::exactly(Count(1 + static_cast<int>(choices.below(2))));
        request.tasks = Count(1 + static_cast<int>(choices.below(3)));
        if (*request.tasks < request.nodes.least()) request.tasks.reset();
        switch (choices.below(5)) {
            case 1:
                request.devices = {DeviceRequest()};
                request.devices[0].shares = Count(1);
                break;
            case 2:
                request.feature_counts = {{{"fast"}, Count(1)}};
                break;
            case 3:
                request.components = {Request()};
                break;
            case 4:
                request.required_nodes = {"n1"};
                break;
            default:
                break;
        }
        PlaceOptions options;
        options.policy = policies[choices.below(policies.size())].value;
        PolicyOptions::TypicalJob typical;
        typical.devices = Count(1);
        typical.thousandths = Count(500);
        options.policy_options.typical_jobs = std::vector{typical};
        expect_best(cluster, request, options, {}, tally);
    });
    CHECK(worlds > 10'000);
    CHECK(tally.placed > tally.asked / 4);
}

namespace {

/// A cluster to which things happen, and placers that follow it.
class PlacerHistory {
  public:
    explicit PlacerHistory(Choices& choices)
        : choices_(choices), cluster_(any_job_world(choices, {8, true})) {
        for (const auto& entry : enum_names(Policy())) {
            placers_.emplace_back(any_place_options(choices, entry.value));
        }
        functions_.resize(placers_.size());
        functions_.emplace_back(OddPolicy::batch);
        placers_.emplace_back(placers_.back().options(), functions_.back());
        for (int i = 0; i < 6; ++i) requests_.emplace_back(any_good_job());
    }

    void run(std::uint64_t steps, int depth = 0) {
        while (steps-- > 0) {
            step(depth);
            for (auto n = choices_.below(4); n > 0; --n) ask();
        }
    }
    [[nodiscard]] const Tally& tally() const { return tally_; }

  private:
    [[nodiscard]] Request any_good_job() {
        for (;;) {
            Request request = any_job(choices_, cluster_, {false, true});
            if (check(request).ok()) return request;
        }
    }
    [[nodiscard]] NodeId any_node_id() {
        return NodeId(static_cast<std::uint32_t>(choices_.below(cluster_.node_count())));
    }
    [[nodiscard]] bool is_there(NodeId id) const {
        return cluster_.class_of(id).state != NodeState::removed;
    }
    [[nodiscard]] std::optional<OwnerId> any_owner() {
        const std::vector<Allocation> all = cluster_.allocations();
        if (all.empty()) return std::nullopt;
        return all[choices_.below(all.size())].owner;
    }

    void ask() {
        const std::size_t which = choices_.below(placers_.size());
        Placer& placer = placers_[which];
        if (choices_.one_in(12)) requests_[choices_.below(requests_.size())] = any_good_job();
        const PreparedRequest& known = requests_[choices_.below(requests_.size())];
        make_filter(choices_, cluster_, own_);
        const auto expected = Placer(placer.options(), functions_[which])
                                  .place(cluster_, PreparedRequest(*known), own_.filter);
        const auto answer = choices_.one_in(4)
                                ? placer.place(cluster_, PreparedRequest(*known), own_.filter)
                                : placer.place(cluster_, known, own_.filter);
        ++tally_.asked;
        tally_.placed += answer ? 1u : 0u;
        if (answer == expected) return;
        FAIL(place_question(cluster_, *known, placer.options())
             << "\nanswer " << to_text(answer) << "\nexpected " << to_text(expected));
    }

    void step(int depth) {
        switch (choices_.below(14)) {
            case 0:
            case 1:
            case 2:
                return commit();
            case 3:
            case 4:
                if (const auto owner = any_owner()) REQUIRE(cluster_.release(*owner).ok());
                return;
            case 5:
                return release_part();
            case 6:
            case 7:
                return change_node();
            case 8:
                return describe();
            case 9:
                return add_or_remove();
            case 10: {
                Cluster::Trial trial = cluster_.trial();
                if (depth < 2) run(choices_.below(4), depth + 1);
                if (choices_.one_in(3)) trial.keep();
                return;
            }
            case 11:
                if (depth == 0) copies_.push_back(cluster_);
                return;
            case 12:
                if (depth == 0 && !copies_.empty()) {
                    std::swap(cluster_, copies_[choices_.below(copies_.size())]);
                }
                return;
            default:
                if (depth == 0 && choices_.one_in(4)) cluster_ = any_job_world(choices_, {8, true});
                return;
        }
    }
    void commit() {
        const PreparedRequest& request = requests_[choices_.below(requests_.size())];
        const auto placement = placers_[choices_.below(placers_.size())].place(cluster_, request);
        if (!placement) return;
        REQUIRE(cluster_.commit({OwnerId(++owner_), request, *placement}).ok());
    }
    void release_part() {
        const auto owner = any_owner();
        if (!owner) return;
        Placement part = cluster_.find_allocation(*owner)->placement;
        for (NodePlacement& one : part.nodes) {
            if (choices_.one_in(2)) one.cores = {};
            if (choices_.one_in(2)) one.devices.clear();
            one.milli_cpus = {};
        }
        REQUIRE(cluster_.release_part(*owner, part).ok());
    }
    void change_node() {
        const NodeId id = any_node_id();
        if (!is_there(id)) return;
        switch (choices_.below(4)) {
            case 0:
                return cluster_.set_node_state(
                    id, choices_.one_in(3) ? NodeState::drained : NodeState::up);
            case 1:
                return cluster_.set_node_health(
                    id, choices_.one_in(3) ? Health::failure : Health::healthy);
            case 2:
                return cluster_.set_node_weight(id, static_cast<std::uint32_t>(choices_.below(3)));
            default:
                return cluster_.set_node_features(id, detail::any_features(choices_));
        }
    }
    void describe() {
        // What names removed nodes is refused, and nothing happens.
        if (choices_.one_in(2)) {
            static_cast<void>(
                cluster_.set_network(testing::any_network(choices_, cluster_.node_count())));
        } else {
            static_cast<void>(cluster_.set_partitions(
                {detail::any_partition(choices_, "day", cluster_.node_count()),
                 detail::any_partition(choices_, "night", cluster_.node_count())}));
        }
    }
    void add_or_remove() {
        if (choices_.one_in(2)) {
            Node node = cluster_.node(any_node_id());
            node.name = "m" + std::to_string(++owner_);
            node.state = NodeState::up;
            if (cluster_.node_count() < 12) REQUIRE(cluster_.add_node(node).ok());
        } else {
            static_cast<void>(cluster_.remove_node(any_node_id()));  // unless a job is there
        }
    }

    Choices& choices_;
    Cluster cluster_;
    std::vector<Cluster> copies_;
    std::vector<Placer> placers_;
    std::vector<BatchScoreFunction> functions_;  ///< of the placers; empty: by the policy
    std::vector<PreparedRequest> requests_;
    OwnFilter own_;
    std::uint64_t owner_ = 10'000;
    Tally tally_;
};

Tally check_placers(std::uint64_t seed, std::uint64_t histories) {
    Tally all;
    for_random_choices({seed, histories}, [&](Choices& choices) {
        PlacerHistory history(choices);
        history.run(60);
        all.asked += history.tally().asked;
        all.placed += history.tally().placed;
    });
    return all;
}

}  // namespace

TEST_CASE("law: a placer that remembers answers as one without a past", "[law]") {
    INFO("seed " << test_seed());
    const Tally tally = check_placers(test_seed(), test_rounds(30u));
    CHECK(tally.placed > tally.asked / 20);
}

TEST_CASE("law: placers follow many histories", "[law][slow]") {
    INFO("seed " << test_seed());
    const Tally tally = check_placers(test_seed() + 1, 1'000);
    CHECK(tally.asked > 50'000);
}

TEST_CASE("law: placers follow a great many histories", "[law][long]") {
    INFO("seed " << test_seed());
    CHECK(check_placers(test_seed() + 2, 100'000).asked > 5'000'000);
}

}  // namespace trestle
