// SPDX-License-Identifier: Apache-2.0
#pragma once

// FaultyEnforcer: an enforcer in front of another one that fails chosen calls.
//
// Layer: enforce. Main types: FaultyEnforcer, Fault. For tests of what holds after a failure: fail
// the n-th call for all n, once and for good. The calls that apply() and update() make count
// singly, one for each step and each removal, so that they fail in the middle. A source of events
// counts its reads.
// Pitfall: a call that fails here does not reach the other enforcer at all.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/enforce/drift.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/events.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/outcome.hpp"
#include "trestle/enforce/process/usage.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

class FaultyEnforcer final : public Enforcer {
  public:
    /// Which calls fail, counted from 0.
    struct Fault {
        Interval<std::size_t> calls;

        [[nodiscard]] static constexpr Fault once(std::size_t call) { return {{call, call + 1}}; }
        [[nodiscard]] static constexpr Fault for_good(std::size_t call) {
            return {{call, std::numeric_limits<std::size_t>::max()}};
        }

        static constexpr auto fields(auto list) { return list(field("calls", &Fault::calls)); }
        friend bool operator==(const Fault&, const Fault&) = default;
    };

    /// `inner` must outlive this.
    FaultyEnforcer(Enforcer& inner, Fault fault) : inner_(inner), fault_(fault) {}

    /// How many calls were made, failed ones too.
    [[nodiscard]] std::size_t call_count() const { return call_count_; }
    /// From now on other calls fail, counted as before. A default Fault fails none.
    void set_fault(Fault fault) { fault_ = fault; }

    [[nodiscard]] Status run(const Step& step) override;
    [[nodiscard]] Status attach(const std::string& group, std::int64_t pid) override;
    [[nodiscard]] StatusOr<Outcome> wait(const Child& child) override;
    [[nodiscard]] StatusOr<std::optional<Outcome>> poll(const Child& child) override;
    [[nodiscard]] Status signal(const std::string& group, int signal_number) override;
    [[nodiscard]] Status signal_child(const Child& child, int signal_number) override;
    [[nodiscard]] Status freeze(const std::string& group) override;
    [[nodiscard]] Status thaw(const std::string& group) override;
    [[nodiscard]] StatusOr<ResourceUsage> observe(const std::string& group) override;
    [[nodiscard]] StatusOr<std::unique_ptr<EventSource>> events(
        const std::string& group, const EventOptions& options) override;
    [[nodiscard]] StatusOr<std::vector<Drift>> verify(const Plan& plan) override;
    [[nodiscard]] StatusOr<std::vector<GroupState>> recover() override;

  private:
    [[nodiscard]] Status remove_group(const std::string& group) override;
    [[nodiscard]] StatusOr<Child> start(const Plan& plan, const Command& command) override;
    class Source final : public EventSource {
      public:
        Source(FaultyEnforcer& enforcer, std::unique_ptr<EventSource> inner)
            : enforcer_(enforcer), inner_(std::move(inner)) {}

        [[nodiscard]] int fd() const override { return inner_->fd(); }
        [[nodiscard]] StatusOr<std::vector<GroupEvent>> read() override;
        [[nodiscard]] StatusOr<std::vector<GroupEvent>> next(Microseconds timeout) override;

      private:
        FaultyEnforcer& enforcer_;
        std::unique_ptr<EventSource> inner_;
    };

    [[nodiscard]] Status pass(const char* call);

    Enforcer& inner_;
    Fault fault_;
    std::size_t call_count_ = 0;
};

}  // namespace trestle
