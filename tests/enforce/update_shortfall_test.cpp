// SPDX-License-Identifier: Apache-2.0
// Updates of which steps fail: best effort, required, and on the way back.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "enforce/detail/step_parts.hpp"
#include "support/catch.hpp"
#include "support/oracle_update.hpp"
#include "support/seed.hpp"
#include "support/update_world.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/plan_update.hpp"

namespace {

using namespace trestle;

/// A group whose every step may fail, and that is looked at after each.
class ModelEnforcer final : public Enforcer {
  public:
    ModelEnforcer(const Plan& from, const Plan& to)
        : before_(GroupModel::of(from)), after_(GroupModel::of(to)), state_(before_) {}

    void fail_calls(std::size_t first, std::size_t end) { failing_ = {first, end}; }
    [[nodiscard]] std::size_t call_count() const { return call_count_; }
    [[nodiscard]] bool is_lawful() const { return is_lawful_; }
    [[nodiscard]] const GroupModel& state() const { return state_; }

    [[nodiscard]] Status run(const Step& step) override {
        if (failing_.contains(call_count_++)) return failed_precondition("injected");
        state_.run(step);
        is_lawful_ = is_lawful_ && (update_oracle::is_within(state_, before_) ||
                                    update_oracle::is_within(state_, after_));
        return {};
    }
    [[nodiscard]] StatusOr<Child> start(const Plan&, const Command&) override { return none(); }
    [[nodiscard]] Status attach(const std::string&, std::int64_t) override { return none(); }
    [[nodiscard]] StatusOr<Outcome> wait(const Child&) override { return none(); }
    [[nodiscard]] StatusOr<std::optional<Outcome>> poll(const Child&) override { return none(); }
    [[nodiscard]] Status signal(const std::string&, int) override { return none(); }
    [[nodiscard]] Status signal_child(const Child&, int) override { return none(); }
    [[nodiscard]] Status freeze(const std::string&) override { return none(); }
    [[nodiscard]] Status thaw(const std::string&) override { return none(); }
    [[nodiscard]] StatusOr<ResourceUsage> observe(const std::string&) override { return none(); }
    [[nodiscard]] StatusOr<std::unique_ptr<EventSource>> events(const std::string&,
                                                                const EventOptions&) override {
        return none();
    }
    [[nodiscard]] StatusOr<std::vector<Drift>> verify(const Plan&) override { return none(); }
    [[nodiscard]] Status remove_group(const std::string&) override { return none(); }
    [[nodiscard]] StatusOr<std::vector<GroupState>> recover() override { return none(); }

  private:
    static Status none() { return failed_precondition("not of this test"); }

    GroupModel before_, after_, state_;
    Interval<std::size_t> failing_{0, 0};
    std::size_t call_count_ = 0;
    bool is_lawful_ = true;
};

/// The law where steps fall short: what a failing update leaves, and each moment before, is within
/// one of the plans, unless one of two moves cannot be taken back; an Ok means that nothing is
/// missing but what is a shortfall.
std::string breach_with_failures(const Plan& from, const Plan& to) {
    const PlanUpdate update = plan_update(from, to).value();
    ModelEnforcer whole(from, to);
    if (!whole.update(update).ok()) return "fails without a fault";
    const auto moves = std::count_if(
        update.steps.begin(), update.steps.end(),
        [](const UpdateStep& one) { return one.effect == UpdateStep::Effect::moves; });
    for (std::size_t first = 0; first < whole.call_count(); ++first) {
        for (const std::size_t end : {first + 1, first + 2, whole.call_count()}) {
            ModelEnforcer enforcer(from, to);
            enforcer.fail_calls(first, end);
            const auto applied = enforcer.update(update);
            const std::string where =
                " when calls " + std::to_string(first) + " to " + std::to_string(end) + " fail";
            if (applied.ok() && applied->shortfalls.empty() &&
                !update_oracle::is_same(enforcer.state(), GroupModel::of(to))) {
                return "Ok and not there" + where;
            }
            const bool is_back = update_oracle::is_same(enforcer.state(), GroupModel::of(from));
            const bool is_left =
                !applied.ok() &&
                message(applied.status()).find("not taken back") != std::string_view::npos;
            if (!enforcer.is_lawful() && !(is_left && moves > 1)) return "looser" + where;
            if (!applied.ok() && !is_left && !is_back) return "neither done nor back" + where;
        }
    }
    return "";
}

TEST_CASE("update: nothing is loosened after a best-effort step fell short",
          "[enforce][update][law]") {
    const std::vector<FileWorld> world = {{"cpuset.cpus", {"0", "1"}},
                                          {"cpuset.mems", {"0", "1"}},
                                          {"memory.max", {"1000", "2000"}},
                                          {"pids.max", {"10", "20"}}};
    const std::vector<DeviceAllowList> filters = filter_world();
    const std::size_t count = choice_count(world, filters);
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    const auto draw = [&] {
        Plan made = plan_of_choice(world, filters, rng.below(count));
        for (Step& step : made.steps) {
            if (action_of<Step::MakeGroup>(step) != nullptr || rng.below(4) == 0) continue;
            step.requirement = Requirement::best_effort;
        }
        return made;
    };
    for (std::uint64_t round = 0; round < test_rounds(3000u); ++round) {
        const Plan from = draw();
        const Plan to = draw();
        const std::string breach = breach_with_failures(from, to);
        if (!breach.empty()) FAIL(breach << "\n" << to_text(from) << to_text(to));
    }
    SUCCEED();
}

TEST_CASE("update: GPUs that could not be taken are not paid for with memory",
          "[enforce][update]") {
    const auto with = [](const DeviceAllowList& devices, const char* memory, Requirement required) {
        Plan made;
        made.group = "job";
        made.steps = {
            {Step::SetLimit{limit_of_text("memory.max", memory)}, required, "memory", "job"},
            {Step::LoadFilter{devices}, Requirement::best_effort, "devices", "job"}};
        return made;
    };
    const auto both = devices_of({char_rule(195, 0, 6), char_rule(195, 1, 6)});
    const auto one = devices_of({char_rule(195, 0, 6)});
    for (const Requirement required : {Requirement::require, Requirement::best_effort}) {
        const Plan from = with(both, "1000", required);
        const Plan to = with(one, "2000", required);
        ModelEnforcer enforcer(from, to);
        enforcer.fail_calls(0, 1);
        const auto applied = enforcer.update(plan_update(from, to).value());
        CHECK(enforcer.state().text("memory.max", "") == "1000");
        if (required == Requirement::require) {
            CHECK(applied.status().code() == StatusCode::kFailedPrecondition);
            CHECK_THAT(std::string(message(applied.status())),
                       Catch::Matchers::Contains("not tried after a shortfall: filter devices"));
        } else {
            REQUIRE(applied.ok());
            REQUIRE(applied->shortfalls.size() == 2);
            CHECK(applied->shortfalls[0].resource == "devices");
            CHECK(applied->shortfalls[1].resource == "memory");
        }
    }
}

TEST_CASE("filter_step_of: the last filter counts", "[enforce][plan]") {
    const auto one = devices_of({char_rule(1, 1, 6)});
    const auto other = devices_of({char_rule(1, 2, 6)});
    const std::vector<Step> steps = {{Step::LoadFilter{one}, {}, "devices", "job"},
                                     {Step::LoadFilter{other}, {}, "devices", "job"}};
    REQUIRE(filter_step_of(steps) != nullptr);
    CHECK(action_of<Step::LoadFilter>(*filter_step_of(steps))->devices == other);
    CHECK(filter_step_of({}) == nullptr);
}

}  // namespace
