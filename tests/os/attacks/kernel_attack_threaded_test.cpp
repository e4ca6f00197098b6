// SPDX-License-Identifier: Apache-2.0
// A job makes a threaded group below its own, whose processes the kernel lists elsewhere.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "os/kernel_support.hpp"
#include "os/soon.hpp"

namespace trestle {
namespace {

/// A process in the threaded group `a` of the job, beside a group that is good for nothing.
Child start_threaded(KernelGroup& group, const Plan& plan) {
    const auto child = group.enforcer().spawn(
        plan, shell("trap 'exit 7' TERM; cd " + group.path() +
                    "/job && mkdir -p a b && echo threaded > a/cgroup.type &&"
                    " echo 0 > a/cgroup.procs && mkdir a/ready; while :; do sleep 0.1; done"));
    REQUIRE(child.ok());
    const std::string ready = group.path() + "/job/a/ready";
    REQUIRE(is_soon([&] { return ::access(ready.c_str(), F_OK) == 0; }));
    return *child;
}

}  // namespace

TEST_CASE("attack: a threaded group hides no process and stops nothing", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    os::CgroupEnforcer& enforcer = group.enforcer();
    const Plan plan = group.job({{"pids.max", "64"}});
    REQUIRE(enforcer.run(make_step("other")) == Status());

    Child child = start_threaded(group, plan);
    const auto states = enforcer.recover();
    INFO(states.status().ToString());
    REQUIRE(states.ok());
    std::vector<std::string> names;
    for (const GroupState& state : *states) {
        names.push_back(state.group);
        CHECK(state.is_populated == (state.group == "job" || state.group == "job/a"));
        const bool is_inside =
            std::count(state.processes.begin(), state.processes.end(), child.pid) == 1;
        CHECK(is_inside == (state.group == "job" || state.group == "job/a"));
    }
    CHECK(names == std::vector<std::string>{"job", "job/a", "job/a/ready", "job/b", "other"});
    CHECK(message(enforcer.signal("job", SIGTERM)) == "");
    CHECK(enforcer.wait(child).value() == exited(7));

    // The kernel kills no threaded group as a whole.
    REQUIRE(enforcer.remove("job/a") == Status());
    child = start_threaded(group, plan);
    CHECK(message(enforcer.remove("job/a")) == "");
    CHECK(enforcer.wait(child).value() == signaled(SIGKILL));

    child = start_threaded(group, plan);
    CHECK(message(enforcer.remove("job")) == "");
    CHECK(enforcer.wait(child).value() == signaled(SIGKILL));
    CHECK(groups_in(group.path()) == std::vector<std::string>{"other"});
}

}  // namespace trestle
