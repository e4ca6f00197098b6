// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/explain_fit.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "alloc/node/detail/fit_conditions.hpp"
#include "support/catch.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {

static_assert(lists_all_fields<FitExplanation::Removal>);
static_assert(lists_all_fields<FitExplanation::Condition>);
static_assert(lists_all_fields<FitExplanation::Relaxation>);
static_assert(lists_all_fields<FitExplanation>);

namespace {

using detail::FitConditions;
using testing::for_random_choices;

NodeShape shape_of(std::string_view text) {
    const auto node = testing::node_from_text(text);
    REQUIRE(node.ok());
    return *node->shape;
}

/// A node with a demand that it may refuse, and who is on it.
struct Scene {
    NodeShape shape;
    std::vector<std::pair<OwnerId, NodePlacement>> taken;
    NodeDemand demand;
    FitOptions options;

    explicit Scene(std::string_view text) : shape(shape_of(text)) {
        demand.cpus_per_task = Count(1);
    }

    Scene& gpus(std::int64_t count, const std::vector<std::string>& types = {}) {
        NodeDemand::Device one;
        one.request.types = types;
        one.count = Range<Count>::exactly(Count(count));
        demand.devices.push_back(one);
        return *this;
    }
    Scene& take(std::uint64_t owner, NodePlacement placement) {
        taken.emplace_back(owner, std::move(placement));
        return *this;
    }
    Scene& with(const std::function<void(Scene&)>& change) {
        change(*this);
        return *this;
    }

    [[nodiscard]] DeviceRequest& request() { return demand.devices.back().request; }
    [[nodiscard]] NodeLedger ledger() const {
        NodeLedger ledger(shape);
        for (const auto& [owner, placement] : taken) REQUIRE(ledger.take(placement, owner).ok());
        return ledger;
    }
    [[nodiscard]] FitExplanation explain() const {
        return explain_fit(shape, ledger(), demand, options);
    }
};

NodePlacement cores(std::uint32_t first, std::uint32_t last) {
    NodePlacement placement;
    placement.cores = CoreSet::range({first, last});
    return placement;
}
NodePlacement thousandths(std::int64_t milli) {
    NodePlacement placement;
    placement.milli_cpus = MilliCpu(milli);
    return placement;
}
NodePlacement devices(std::initializer_list<DeviceShare> shares) {
    NodePlacement placement;
    placement.devices = shares;
    return placement;
}

}  // namespace

TEST_CASE("explain_fit: eight GPUs are asked, GPU 3 failed", "[alloc][golden]") {
    Scene scene("2s32c mem=512G gpu:8@nvlink");
    scene.gpus(8).shape.devices[3].health = Health::failure;
    const FitExplanation explanation = scene.explain();
    CHECK(to_text(explanation) ==
          "does not fit, devices: asked 8 gpu, 7 of 8 are free on the node; gpu 3 is "
          "failed\n"
          "gpu: 8 asked; of 8, 7 after failed: gpu 3\n"
          "8 gpu: not to be had, whatever else is asked\n"
          "fits: 7 gpu instead of 8\n"
          "fits: with gpu 3 back in use");
    REQUIRE(explanation.relaxations.size() == 2);
    CHECK(explanation.relaxations[0].placement.device_set() ==
          DeviceSet::range({0, 8}) - DeviceSet::of({DeviceId(3)}));
    CHECK(explanation.relaxations[1].repaired == std::vector{DeviceId(3)});
    CHECK(explanation.relaxations[1].demand == scene.demand);
}

TEST_CASE("explain_fit: says what is missing and what would do", "[alloc][golden]") {
    struct Row {
        Scene scene;
        const char* text;  ///< behind the first line
        const char* why;
    };
    const Row rows[] = {
        {Scene("2s4c mem=8G gpu:2").gpus(2), "", "it fits, nothing was in the way"},
        {Scene("4c gpu:a100:2 gpu:v100:2 nic:1").gpus(2, {"h100", "h200"}),
         "gpu: 2 asked; of 5, 4 after name gpu, 0 after type h100|h200\n"
         "2 gpu:h100|h200: not to be had, whatever else is asked\n"
         "fits: gpu of any type",
         "the wrong type"},
        {Scene("4c gpu:a-40G:2 gpu:b-80G:2").gpus(3).with([](Scene& s) {
             s.request().memory = Range<Bytes>::at_least(gib(60));
             s.request().vendor = "nvidia";
             for (Device& device : s.shape.devices) device.vendor = "nvidia";
         }),
         "gpu: 3 asked; of 4, 2 after memory 60GiB..\n"
         "3 gpu: not to be had, whatever else is asked\n"
         "fits: gpu with any memory\n"
         "fits: 2 gpu instead of 3",
         "too few with that much memory: properties are nearer than amounts"},
        {Scene("4c gpu:4")
             .gpus(4)
             .take(7, devices({{DeviceId(0)}}))
             .take(9, devices({{DeviceId(2)}})),
         "gpu: 4 asked; of 4, 2 after held by owners 7, 9\n"
         "4 gpu: not to be had, whatever else is asked\n"
         "fits: 2 gpu instead of 4\n"
         "fits: when owners 7, 9 end",
         "both owners have to end"},
        {Scene("4c gpu:4")
             .gpus(3)
             .take(7, devices({{DeviceId(0)}}))
             .take(9, devices({{DeviceId(2)}})),
         "gpu: 3 asked; of 4, 2 after held by owners 7, 9\n"
         "3 gpu: not to be had, whatever else is asked\n"
         "fits: 2 gpu instead of 3\n"
         "fits: when owner 7 ends\n"
         "fits: when owner 9 ends",
         "either owner is enough"},
        {Scene("8c2t").take(7, cores(0, 6)).take(9, thousandths(1'500)).with([](Scene& s) {
             s.demand.cpus_per_task = Count();
             s.demand.milli_cpus = MilliCpu(2'600);
             s.shape.system_cores = CoreSet::of({CoreId(7)});
         }),
         "milli_cpus: 2600 asked; of 16000, 14000 after kept for the system, 2000 after held by "
         "owner 7, 500 after held by owner 9 in thousandths\n"
         "2600 thousandths of a CPU: not to be had, whatever else is asked\n"
         "fits: 500 thousandths of a CPU instead of 2600\n"
         "fits: when owner 7 ends",
         "thousandths of cores that nobody has"},
        {Scene("4c").take(7, thousandths(2'500)).with([](Scene& s) {
             s.demand.cpus_per_task = Count(2);
         }),
         "cores: 2 asked; of 4, 1 after held by owner 7 in thousandths\n"
         "2 CPUs: not to be had, whatever else is asked\n"
         "fits: 1 CPU instead of 2\n"
         "fits: when owner 7 ends",
         "cores whose CPUs are taken in thousandths"},
        {Scene("4c").with([](Scene& s) {
             s.demand.cpus_per_task = Count(3);
             s.demand.milli_cpus = MilliCpu(1'001);
         }),
         "3 CPUs and 1001 thousandths of a CPU: not to be had at once\n"
         "fits: 1000 thousandths of a CPU instead of 1001\n"
         "fits: 2 CPUs instead of 3",
         "cores and thousandths together"},
        {Scene("4c gpu:3").gpus(3).with([](Scene& s) {
             s.shape.devices[0].is_drained = true;
             s.shape.devices[1].health = Health::warning;
             s.options.warning = FitOptions::WarningUse::never;
         }),
         "gpu: 3 asked; of 3, 2 after drained: gpu 0, 1 after warning not wanted: gpu 1\n"
         "3 gpu: not to be had, whatever else is asked\n"
         "fits: 1 gpu instead of 3",
         "neither the warned nor the drained one alone is enough"},
        {Scene("4c gpu:2").gpus(2).with([](Scene& s) {
             s.shape.devices[1].health = Health::warning;
             s.options.warning = FitOptions::WarningUse::never;
         }),
         "gpu: 2 asked; of 2, 1 after warning not wanted: gpu 1\n"
         "2 gpu: not to be had, whatever else is asked\n"
         "fits: with a device that warns\n"
         "fits: 1 gpu instead of 2",
         "the site may give in"},
        {Scene("2s4c gpu:2@s0").gpus(2).with([](Scene& s) {
             s.request().locality = Strictness::require;
             s.demand.cpus_per_task = Count(6);
         }),
         "cores: 6 asked; of 8, 4 after not near a free gpu\n"
         "2 gpu, gpu near the cores and 6 CPUs: not to be had at once\n"
         "fits: gpu far from the cores\n"
         "fits: 4 CPUs instead of 6",
         "enough of each, but not near each other"},
        {Scene("2s4c").with([](Scene& s) {
             s.demand.tasks = Count(3);
             s.demand.cpus_per_task = Count(2);
             s.demand.core_locality = Strictness::require;
             s.demand.core_level = HardwareLevel::package;
         }),
         "cores: 6 asked; of 8, 4 after not in one group of level package\n"
         "3 tasks of 2 CPUs and cores in one group of level package: not to be had at once\n"
         "fits: cores on 2 packages\n"
         "fits: 2 tasks instead of 3\n"
         "fits: 1 CPU a task instead of 2",
         "one package is too small; the smaller loss stands first"},
        {Scene("2s4c mem=64G").take(7, cores(0, 4)).with([](Scene& s) {
             s.demand.memory = gib(40);
             s.demand.memory_locality = Strictness::require;
         }),
         "cores: 1 asked; of 8, 4 after held by owner 7\n"
         "memory: 40GiB asked; of 64GiB, 32GiB after not near the cores left\n"
         "1 CPU, 40GiB of memory and memory near the cores: not to be had at once\n"
         "fits: spilling 8GiB of memory\n"
         "fits: 32GiB of memory instead of 40GiB",
         "memory of the other socket is far"},
        {Scene("4c2t mem=64G").with([](Scene& s) {
             s.demand.cpus_per_task = Count(10);
             s.demand.memory = gib(80);
         }),
         "10 CPUs: not to be had, whatever else is asked\n"
         "fits: 8 CPUs instead of 10, 64GiB of memory instead of 80GiB",
         "no single change is enough: as little as possible of two"},
        {Scene("4c mem=16G").take(3, cores(0, 1)).with([](Scene& s) {
             s.demand.exclusivity = Exclusivity::whole_node;
         }),
         "cores: 1 asked; of 4, 3 after held by owner 3, 0 after asked whole, others use it\n"
         "the whole node: not to be had, whatever else is asked\n"
         "fits: sharing the node\n"
         "fits: when owner 3 ends",
         "a whole node"},
        {Scene("8c gpu:2").with([](Scene& s) {
             s.shape.system_cores = CoreSet::range({0, 1});
             s.shape.devices[1].reserved_cores = CoreSet::range({4, 8});
             s.demand.cpus_per_task = Count(5);
         }),
         "cores: 5 asked; of 8, 7 after kept for the system, 3 after reserved for gpu 1\n"
         "5 CPUs: not to be had, whatever else is asked\n"
         "fits: 3 CPUs instead of 5",
         "cores that are kept for others"},
        {Scene("2s4c").take(7, cores(0, 2)).with([](Scene& s) {
             s.demand.cores_per_socket = Count(3);
             s.demand.cpus_per_task = Count(5);
         }),
         "cores: 5 asked; of 8, 6 after held by owner 7, 4 after cores_per_socket 3\n"
         "5 CPUs and 3 free cores a socket: not to be had at once\n"
         "fits: fewer than 3 free cores a socket\n"
         "fits: 4 CPUs instead of 5\n"
         "fits: when owner 7 ends",
         "a package with too few free cores"},
        {Scene("2s4c").with([](Scene& s) {
             s.demand.tasks = Count(4);
             s.demand.tasks_per_socket = Count(1);
         }),
         "4 tasks of 1 CPU and 1 task a socket: not to be had at once\n"
         "fits: more than 1 task a socket\n"
         "fits: 2 tasks instead of 4",
         "two sockets, four tasks that will not share one"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const FitExplanation explanation = row.scene.explain();
        const std::string text = to_text(explanation);
        const std::size_t end = text.find('\n');
        CHECK((end == std::string::npos ? "" : text.substr(end + 1)) == row.text);
    }
}

TEST_CASE("explain_fit: parts of devices are counted in parts", "[alloc][golden]") {
    Scene shares("4c gpu:2/4");
    shares.gpus(1).take(7, devices({{DeviceId(0), Count(3)}, {DeviceId(1), Count(2)}}));
    shares.request().shares = Count(4);
    CHECK(to_text(shares.explain()) ==
          "does not fit, devices: asked 4 shares of each of 1 gpu, 0 of 2 that match have them, at "
          "most 2 are free on one\n"
          "gpu: 1 asked; of 2, 0 after held by owner 7\n"
          "1 gpu with 4 shares each: not to be had, whatever else is asked\n"
          "fits: 2 shares of gpu each instead of 4\n"
          "fits: when owner 7 ends");
    shares.request().shares_per = Per::node;
    shares.demand.devices[0].count = Range<Count>::at_least(Count(1));
    CHECK(to_text(shares.explain()) ==
          "does not fit, devices: asked 4 shares of 1.. gpu in all, at most 3 are free\n"
          "gpu shares: 4 asked; of 8, 3 after held by owner 7\n"
          "1.. gpu with 4 shares in all: not to be had, whatever else is asked\n"
          "fits: 3 shares of gpu instead of 4\n"
          "fits: when owner 7 ends");

    Scene slices("4c gpu:2");
    slices.gpus(4);
    slices.request().slice = "1g";
    slices.shape.devices[1].slicing = Slicing{small_geometry(), {}, false};
    slices.take(7, devices({{DeviceId(1), Count(1), Slicing::Instance{0, 1, "1g"}}}));
    CHECK(to_text(slices.explain()) ==
          "does not fit, devices: asked 4 gpu 1g, 2 free on the 2 that match\n"
          "gpu: 1 asked; of 2, 1 after cannot give 1g\n"
          "gpu 1g: 4 asked; of 3, 2 after held by owner 7\n"
          "4 gpu 1g: not to be had, whatever else is asked\n"
          "fits: 2 gpu 1g instead of 4");
}

TEST_CASE("explain_fit: rows, warnings and PCI switches are named", "[alloc]") {
    Scene rows("4c");
    NodePlacement first = cores(0, 4);
    first.row = 0;
    NodePlacement second = cores(0, 3);
    second.row = 1;
    rows.take(7, first).take(9, second).options.rows = 2;
    rows.demand.cpus_per_task = Count(2);
    CHECK(rows.explain().removed ==
          std::vector{FitExplanation::Removal{Constraint::cores, "cores", "held by owner 9",
                                              Count(4), Count(1), Count(2)}});

    Scene switches("4c gpu:1 nic:2");
    switches.gpus(1).gpus(1);
    switches.request().name = "nic";
    switches.request().device_locality = Strictness::require;
    switches.shape.devices[0].switches = {1};
    switches.shape.devices[1].switches = {2};
    switches.shape.devices[2].switches = {2};
    const FitExplanation explanation = switches.explain();
    REQUIRE(explanation.removed.size() == 3);
    CHECK(explanation.removed.back() ==
          FitExplanation::Removal{Constraint::locality, "nic",
                                  "no switch shared with earlier devices", Count(2), Count(0),
                                  Count(1)});
    REQUIRE(explanation.relaxations.size() == 1);
    CHECK(explanation.relaxations[0].text == "nic below another switch");
    CHECK(explanation.together.size() == 2);
}

TEST_CASE("explain_fit: the largest numbers are explained as any others", "[alloc]") {
    const Count most = Count::max();
    Scene scene("2s4c mem=8G gpu:4/8");
    scene.gpus(1).with([&](Scene& s) {
        NodeDemand::Device& gpus = s.demand.devices[0];
        gpus.request.per = Per::socket;
        gpus.request.count = Range<Count>::at_least(most);
        gpus.count = Range<Count>::at_least(most);
        gpus.sockets = Count(2);
        gpus.request.shares = most;
        s.demand.tasks = most;
        s.demand.cpus_per_task = most;
        s.demand.cpus_per_device = most;
        s.demand.memory = Bytes::max();
        s.demand.memory_per = Per::cpu;
        s.demand.distribution = Distribution::cyclic;
        s.demand.tasks_per_socket = most;
    });
    const FitExplanation explanation = scene.explain();
    CHECK_FALSE(explanation.fits);
    CHECK(explanation.is_complete);
    REQUIRE(explanation.relaxations.size() == 1);
    const NodePlacement& placement = explanation.relaxations[0].placement;
    CHECK(placement.cores.count() == 8);
    CHECK(placement.devices.size() == 4);
}

TEST_CASE("explain_fit: a search that gave up proves nothing", "[alloc]") {
    Scene scene("2s4c gpu:6@s0");
    scene.gpus(2).gpus(3).demand.cpus_per_task = Count(8);
    scene.request().locality = Strictness::require;
    for (Device& device : scene.shape.devices) device.type = "t" + std::to_string(device.index);
    scene.options.steps_max = 2;
    const FitExplanation explanation = scene.explain();
    CHECK(explanation.why.constraint == Constraint::gave_up);
    CHECK_FALSE(explanation.is_complete);
    CHECK_FALSE(explanation.alone);
    CHECK(explanation.relaxations.empty());
    CHECK_THAT(to_text(explanation), Catch::Matchers::EndsWith("there may be more to say"));

    scene.options.steps_max = 300;
    const FitExplanation in_part = scene.explain();
    CHECK(in_part.why.constraint == Constraint::locality);
    CHECK_FALSE(in_part.is_complete);
    CHECK_FALSE(in_part.alone);
}

namespace {

/// Fields that differ.
template <class T>
std::size_t changes(const T& a, const T& b) {
    std::size_t count = 0;
    T::fields([&](const auto&... field) {
        ((count += a.*(field.pointer) == b.*(field.pointer) ? 0u : 1u), ...);
    });
    return count;
}

/// Fields that differ, also inside the demands for devices. Counts per socket settle the count.
std::size_t deep_changes(const NodeDemand& a, const NodeDemand& b) {
    std::size_t count = changes(a, b) - (a.devices == b.devices ? 0 : 1);
    for (std::size_t i = 0; i < a.devices.size(); ++i) {
        NodeDemand::Device x = a.devices[i];
        const NodeDemand::Device& y = b.devices[i];
        if (!x.sockets.is_zero()) x.count = y.count;
        count += changes(x.request, y.request);
        x.request = y.request;
        count += changes(x, y);
    }
    return count;
}

/// `relaxed` with one more of the amount in which it differs from `asked`; nothing for others.
std::optional<NodeDemand> one_more(const NodeDemand& asked, NodeDemand relaxed) {
    for (Count NodeDemand::*amount :
         {&NodeDemand::tasks, &NodeDemand::cpus_per_task, &NodeDemand::cpus_per_device}) {
        if (relaxed.*amount == asked.*amount) continue;
        relaxed.*amount += Count(1);
        return relaxed;
    }
    if (relaxed.memory != asked.memory) {
        relaxed.memory += Bytes(1);
        return relaxed;
    }
    for (std::size_t i = 0; i < asked.devices.size(); ++i) {
        NodeDemand::Device& one = relaxed.devices[i];
        if (one.count == asked.devices[i].count || !one.sockets.is_zero()) continue;
        const Count least = one.count.least() + Count(1);
        if (one.count.max == one.count.min) one.count.max = least;
        one.count.min = least;
        return relaxed;
    }
    return std::nullopt;
}

/// The ledger and shape that a relaxation is about.
Verdict<NodePlacement> answer_to(const FitCase& one, const FitExplanation::Relaxation& relaxation) {
    NodeShape shape = one.shape;
    for (const DeviceId id : relaxation.repaired) {
        shape.devices[id.value()].health = Health::healthy;
        shape.devices[id.value()].is_drained = false;
    }
    NodeLedger ledger(shape);
    const auto take = [&](const NodePlacement& placement, OwnerId owner) {
        if (std::count(relaxation.ended.begin(), relaxation.ended.end(), owner) > 0) return;
        REQUIRE(ledger.take(placement, owner).ok());
    };
    take(one.taken, OwnerId(7));
    take(one.in_row, OwnerId(8));
    return fit(shape, ledger, relaxation.demand, relaxation.options);
}

void check_removals(const FitCase& one, const FitExplanation& explanation) {
    const FitExplanation::Removal* before = nullptr;
    for (const FitExplanation::Removal& step : explanation.removed) {
        REQUIRE(step.left < step.before);
        REQUIRE(!step.asked.is_zero());
        REQUIRE(!step.reason.empty());
        if (before && before->subject == step.subject) REQUIRE(before->left == step.before);
        before = &step;
        if (explanation.fits && step.left < step.asked) FAIL(to_text(one) << to_text(step));
    }
}

void check_relaxations(const FitCase& one, const FitExplanation& explanation) {
    for (const FitExplanation::Relaxation& relaxation : explanation.relaxations) {
        INFO(relaxation.text);
        const auto answer = answer_to(one, relaxation);
        REQUIRE(answer.has_value());
        REQUIRE(*answer == relaxation.placement);
        std::size_t changed = deep_changes(one.demand, relaxation.demand);
        changed += changes(one.options, relaxation.options);
        if (relaxation.kind == FitExplanation::Relaxation::Kind::several) {
            REQUIRE(changed > 1);
        } else if (relaxation.kind == FitExplanation::Relaxation::Kind::exclusivity) {
            REQUIRE(relaxation.demand.exclusivity == Exclusivity::shared);
        } else {
            const bool is_demand = relaxation.repaired.empty() && relaxation.ended.empty();
            REQUIRE(changed == (is_demand ? 1 : 0));
        }
        if (relaxation.kind != FitExplanation::Relaxation::Kind::amount) continue;
        const auto more = one_more(one.demand, relaxation.demand);
        if (more) REQUIRE(!fit(one.shape, one.ledger(), *more, relaxation.options));
    }
}

FitConditions::Choice choice_of(std::size_t size, std::uint64_t bits) {
    FitConditions::Choice choice;
    for (std::size_t i = 0; i < size; ++i) choice.push_back((bits >> i & 1) != 0);
    return choice;
}

/// All subsets of the conditions, as bits, that cannot be met.
std::vector<bool> refused_subsets(const FitCase& one, const FitConditions& conditions) {
    std::vector<bool> subsets;
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << conditions.size(); ++bits) {
        const NodeDemand reduced = conditions.reduced(choice_of(conditions.size(), bits));
        subsets.push_back(!fit(one.shape, one.ledger(), reduced, one.options));
    }
    return subsets;
}

}  // namespace

TEST_CASE("explain_fit: agrees with fit, and what it offers fits by the change that it names",
          "[alloc][law]") {
    INFO("seed " << test_seed());
    std::size_t offers = 0;
    for_random_choices({test_seed(), test_rounds(2'000u)}, [&](Choices& choices) {
        const FitCase one = any_fit_case(choices);
        const auto explanation = explain_fit(one.shape, one.ledger(), one.demand, one.options);
        const auto answer = fit(one.shape, one.ledger(), one.demand, one.options);
        REQUIRE(explanation.fits == answer.has_value());
        check_removals(one, explanation);
        if (explanation.fits) {
            REQUIRE((explanation.relaxations.empty() && !explanation.alone));
            return;
        }
        REQUIRE(explanation.why == answer.refusal());
        REQUIRE(explanation.is_complete);
        REQUIRE(explanation.alone.has_value() == explanation.together.empty());
        check_relaxations(one, explanation);
        offers += explanation.relaxations.size();
    });
    CHECK(offers > test_rounds(500u));
}

TEST_CASE("explain_fit: what cannot be met is the first single condition or a smallest set",
          "[alloc][law]") {
    INFO("seed " << test_seed());
    std::size_t alone = 0;
    std::size_t together = 0;
    for_random_choices({test_seed(), test_rounds(2'000u)}, [&](Choices& choices) {
        const FitCase one = any_fit_case(choices);
        const FitConditions conditions(one.demand);
        if (conditions.size() > 6) return;
        INFO(to_text(one));
        const auto explanation = explain_fit(one.shape, one.ledger(), one.demand, one.options);
        const std::vector<bool> subsets = refused_subsets(one, conditions);
        REQUIRE(subsets.back() == !explanation.fits);
        REQUIRE(!subsets[0]);
        std::optional<std::string> first;
        for (std::size_t i = 0; i < conditions.size() && !first; ++i) {
            if (subsets[std::size_t{1} << i]) first = conditions[i].text;
        }
        if (explanation.fits) return;
        REQUIRE(first ==
                (explanation.alone ? std::optional(explanation.alone->text) : std::nullopt));
        if (first) {
            ++alone;
            return;
        }
        ++together;
        std::size_t mask = 0;
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            const auto& set = explanation.together;
            if (std::count(set.begin(), set.end(), conditions[i]) > 0) mask |= std::size_t{1} << i;
        }
        REQUIRE(subsets[mask]);
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            const std::size_t bit = std::size_t{1} << i;
            if ((mask & bit) != 0) REQUIRE(!subsets[mask & ~bit]);
        }
    });
    CHECK(alone > test_rounds(100u));
    CHECK(together > test_rounds(100u));
}

TEST_CASE("explain_fit: dropping conditions never takes a placement away", "[alloc][law]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(1'000u)}, [&](Choices& choices) {
        FitCase one = any_fit_case(choices);
        one.demand.distribution = Distribution::block;
        one.demand.tasks_per_socket = Count();
        one.demand.exclusivity = Exclusivity::shared;
        const FitConditions conditions(one.demand);
        if (conditions.size() > 5) return;
        const std::vector<bool> subsets = refused_subsets(one, conditions);
        for (std::size_t set = 0; set < subsets.size(); ++set) {
            for (std::size_t i = 0; i < conditions.size(); ++i) {
                const std::size_t less = set & ~(std::size_t{1} << i);
                if (!subsets[set] && subsets[less]) {
                    FAIL(to_text(one) << " drops " << conditions[i].text << " from " << set);
                }
            }
        }
    });
}

}  // namespace trestle
