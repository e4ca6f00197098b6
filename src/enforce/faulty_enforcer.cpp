// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/faulty_enforcer.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/status.hpp"

namespace trestle {

Status FaultyEnforcer::run(const Step& step) {
    TRESTLE_TRY_STATUS(pass("run"));
    return inner_.run(step);
}

StatusOr<Child> FaultyEnforcer::start(const Plan& plan, const Command& command) {
    TRESTLE_TRY_STATUS(pass("spawn"));
    return inner_.spawn(plan, command);
}

Status FaultyEnforcer::attach(const std::string& group, std::int64_t pid) {
    TRESTLE_TRY_STATUS(pass("attach"));
    return inner_.attach(group, pid);
}

StatusOr<Outcome> FaultyEnforcer::wait(const Child& child) {
    TRESTLE_TRY_STATUS(pass("wait"));
    return inner_.wait(child);
}

StatusOr<std::optional<Outcome>> FaultyEnforcer::poll(const Child& child) {
    TRESTLE_TRY_STATUS(pass("poll"));
    return inner_.poll(child);
}

Status FaultyEnforcer::signal(const std::string& group, int signal_number) {
    TRESTLE_TRY_STATUS(pass("signal"));
    return inner_.signal(group, signal_number);
}

Status FaultyEnforcer::signal_child(const Child& child, int signal_number) {
    TRESTLE_TRY_STATUS(pass("signal_child"));
    return inner_.signal_child(child, signal_number);
}

Status FaultyEnforcer::freeze(const std::string& group) {
    TRESTLE_TRY_STATUS(pass("freeze"));
    return inner_.freeze(group);
}

Status FaultyEnforcer::thaw(const std::string& group) {
    TRESTLE_TRY_STATUS(pass("thaw"));
    return inner_.thaw(group);
}

StatusOr<ResourceUsage> FaultyEnforcer::observe(const std::string& group) {
    TRESTLE_TRY_STATUS(pass("observe"));
    return inner_.observe(group);
}

StatusOr<std::unique_ptr<EventSource>> FaultyEnforcer::events(const std::string& group,
                                                              const EventOptions& options) {
    TRESTLE_TRY_STATUS(pass("events"));
    TRESTLE_TRY(auto source, inner_.events(group, options));
    return std::make_unique<Source>(*this, std::move(source));
}

StatusOr<std::vector<Drift>> FaultyEnforcer::verify(const Plan& plan) {
    TRESTLE_TRY_STATUS(pass("verify"));
    return inner_.verify(plan);
}

Status FaultyEnforcer::remove_group(const std::string& group) {
    TRESTLE_TRY_STATUS(pass("remove"));
    return inner_.remove(group);
}

StatusOr<std::vector<GroupState>> FaultyEnforcer::recover() {
    TRESTLE_TRY_STATUS(pass("recover"));
    return inner_.recover();
}

StatusOr<std::vector<GroupEvent>> FaultyEnforcer::Source::read() {
    TRESTLE_TRY_STATUS(enforcer_.pass("read of events"));
    return inner_->read();
}

StatusOr<std::vector<GroupEvent>> FaultyEnforcer::Source::next(Microseconds timeout) {
    TRESTLE_TRY_STATUS(enforcer_.pass("next of events"));
    return inner_->next(timeout);
}

Status FaultyEnforcer::pass(const char* call) {
    const std::size_t number = call_count_++;
    if (!fault_.calls.contains(number)) return {};
    return make_error(StatusCode::kInternal, "injected fault at call {} ({})", number, call);
}

}  // namespace trestle
