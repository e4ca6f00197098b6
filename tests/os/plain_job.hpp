// SPDX-License-Identifier: Apache-2.0
// A job of the plain enforcer: the group "job", and the plan for it.
#pragma once

#include <string>

#include "support/catch.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/os/plain_enforcer.hpp"

namespace trestle {

inline Command plain_shell(const std::string& script) {
    return {{"sh", "-c", script}, {{"PATH", "/usr/bin:/bin"}}, ""};
}

struct PlainJob {
    PlainJob() {
        plan.group = "job";
        REQUIRE(enforcer.run({Step::MakeGroup{}, Requirement::require, "", "job"}) == Status());
    }
    StatusOr<Outcome> run(const Command& command) {
        const auto child = enforcer.spawn(plan, command);
        if (!child.ok()) return child.status();
        return enforcer.wait(*child);
    }

    os::PlainEnforcer enforcer{"there is no cgroup here"};
    Plan plan;
};

}  // namespace trestle
