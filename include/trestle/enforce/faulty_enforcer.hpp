// SPDX-License-Identifier: Apache-2.0
#pragma once

// FaultyEnforcer: an enforcer in front of another one that fails chosen calls.
//
// Layer: enforce. Main types: FaultyEnforcer, Fault. For tests of what holds after a failure: fail
// the n-th call for all n, once and for good. apply() and update() count as the calls that they
// make, one for each step and each removal, so that they fail in the middle; a source of events
// counts its reads.
// A reader would get wrong: a call that fails here does not reach the other enforcer at all.

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
#include "trestle/base/status.hpp"
#include "trestle/enforce/drift.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/events.hpp"
#include "trestle/enforce/health/usage.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/outcome.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

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

class FaultyEnforcer final : public Enforcer {
  public:
    /// `inner` must outlive this.
    FaultyEnforcer(Enforcer& inner, Fault fault) : inner_(inner), fault_(fault) {}

    /// How many calls were made, failed ones too.
    [[nodiscard]] std::size_t call_count() const { return call_count_; }
    /// From now on other calls fail, counted as before. A default Fault fails none.
    void set_fault(Fault fault) { fault_ = fault; }

    [[nodiscard]] Status run(const Step& step) override {
        TRESTLE_TRY_STATUS(pass("run"));
        return inner_.run(step);
    }
    [[nodiscard]] StatusOr<Child> spawn(const Plan& plan, const Command& command) override {
        TRESTLE_TRY_STATUS(pass("spawn"));
        return inner_.spawn(plan, command);
    }
    [[nodiscard]] Status attach(const std::string& group, std::int64_t pid) override {
        TRESTLE_TRY_STATUS(pass("attach"));
        return inner_.attach(group, pid);
    }
    [[nodiscard]] StatusOr<Outcome> wait(const Child& child) override {
        TRESTLE_TRY_STATUS(pass("wait"));
        return inner_.wait(child);
    }
    [[nodiscard]] StatusOr<std::optional<Outcome>> poll(const Child& child) override {
        TRESTLE_TRY_STATUS(pass("poll"));
        return inner_.poll(child);
    }
    [[nodiscard]] Status signal(const std::string& group, int signal_number) override {
        TRESTLE_TRY_STATUS(pass("signal"));
        return inner_.signal(group, signal_number);
    }
    [[nodiscard]] Status signal_child(const Child& child, int signal_number) override {
        TRESTLE_TRY_STATUS(pass("signal_child"));
        return inner_.signal_child(child, signal_number);
    }
    [[nodiscard]] Status freeze(const std::string& group) override {
        TRESTLE_TRY_STATUS(pass("freeze"));
        return inner_.freeze(group);
    }
    [[nodiscard]] Status thaw(const std::string& group) override {
        TRESTLE_TRY_STATUS(pass("thaw"));
        return inner_.thaw(group);
    }
    [[nodiscard]] StatusOr<Usage> observe(const std::string& group) override {
        TRESTLE_TRY_STATUS(pass("observe"));
        return inner_.observe(group);
    }
    [[nodiscard]] StatusOr<std::unique_ptr<EventSource>> events(
        const std::string& group, const EventOptions& options) override {
        TRESTLE_TRY_STATUS(pass("events"));
        TRESTLE_TRY(auto source, inner_.events(group, options));
        return std::make_unique<Source>(*this, std::move(source));
    }
    [[nodiscard]] StatusOr<std::vector<Drift>> verify(const Plan& plan) override {
        TRESTLE_TRY_STATUS(pass("verify"));
        return inner_.verify(plan);
    }
    [[nodiscard]] Status remove(const std::string& group) override {
        TRESTLE_TRY_STATUS(pass("remove"));
        return inner_.remove(group);
    }
    [[nodiscard]] StatusOr<std::vector<GroupState>> recover() override {
        TRESTLE_TRY_STATUS(pass("recover"));
        return inner_.recover();
    }

  private:
    class Source final : public EventSource {
      public:
        Source(FaultyEnforcer& enforcer, std::unique_ptr<EventSource> inner)
            : enforcer_(enforcer), inner_(std::move(inner)) {}

        [[nodiscard]] int fd() const override { return inner_->fd(); }
        [[nodiscard]] StatusOr<std::vector<GroupEvent>> read() override {
            TRESTLE_TRY_STATUS(enforcer_.pass("read of events"));
            return inner_->read();
        }
        [[nodiscard]] StatusOr<std::vector<GroupEvent>> next(Microseconds timeout) override {
            TRESTLE_TRY_STATUS(enforcer_.pass("next of events"));
            return inner_->next(timeout);
        }

      private:
        FaultyEnforcer& enforcer_;
        std::unique_ptr<EventSource> inner_;
    };

    [[nodiscard]] Status pass(const char* call) {
        const std::size_t number = call_count_++;
        if (!fault_.calls.contains(number)) return {};
        return make_error(StatusCode::kInternal, "injected fault at call {} ({})", number, call);
    }

    Enforcer& inner_;
    Fault fault_;
    std::size_t call_count_ = 0;
};

}  // namespace trestle
