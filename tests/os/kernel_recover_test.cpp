// SPDX-License-Identifier: Apache-2.0
// What a manager that was killed leaves on a real kernel tells whose it is and whether it runs.
#include <signal.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "os/kernel_support.hpp"
#include "os/soon.hpp"
#include "support/catch.hpp"

namespace trestle {
namespace {

constexpr const char* owner_attribute = "user.trestle.owner";

/// A manager in a process of its own that starts a job and a step of it, and is killed then. Gives
/// the process of the step.
std::int64_t left_by_manager(const std::string& path) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const pid_t manager = ::fork();
    REQUIRE(manager >= 0);
    if (manager == 0) {
        auto enforcer = os::CgroupEnforcer::open(path);
        if (!enforcer.ok()) ::_exit(1);
        Plan plan;
        plan.owner = OwnerId(42);
        plan.group = "job";
        plan.steps = {make_step("job"), label_step("job", 42)};
        Plan step = plan;
        step.group = "job/step";
        step.steps = {make_step("job/step"), label_step("job/step", 42)};
        if (!(*enforcer)->apply(plan).ok() || !(*enforcer)->apply(step).ok()) ::_exit(2);
        const auto child = (*enforcer)->spawn(step, shell("exec sleep 1000"));
        if (!child.ok()) ::_exit(3);
        (void)!::write(ends[1], &child->pid, sizeof child->pid);
        for (;;) ::pause();
    }
    ::close(ends[1]);
    std::int64_t pid = 0;
    CHECK(::read(ends[0], &pid, sizeof pid) == sizeof pid);
    ::close(ends[0]);
    CHECK(::kill(manager, SIGKILL) == 0);
    CHECK(::waitpid(manager, nullptr, 0) == manager);
    return pid;
}

}  // namespace

TEST_CASE("kernel: after the manager was killed its groups say whose they are and what runs",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const std::int64_t pid = left_by_manager(group.path());
    REQUIRE(pid > 0);
    CHECK(group.enforcer().recover().value() ==
          std::vector<GroupState>{{"job", {}, OwnerId(42), true, false},
                                  {"job/step", {pid}, OwnerId(42), true, false}});
    REQUIRE(group.enforcer().freeze("job") == Status());
    CHECK(group.enforcer().recover().value() ==
          std::vector<GroupState>{{"job", {}, OwnerId(42), true, true},
                                  {"job/step", {pid}, OwnerId(42), true, true}});
    REQUIRE(group.enforcer().thaw("job") == Status());
    REQUIRE(::kill(static_cast<pid_t>(pid), SIGKILL) == 0);
    REQUIRE(is_soon([&] { return !group.enforcer().recover()->at(0).is_populated; }));
    CHECK(group.enforcer().recover().value() ==
          std::vector<GroupState>{{"job", {}, OwnerId(42), false, false},
                                  {"job/step", {}, OwnerId(42), false, false}});
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(groups_in(group.path()).empty());
}

TEST_CASE("kernel: a label that is no number names no owner", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    REQUIRE(group.enforcer().run(make_step("job")) == Status());
    const auto owner = [&] { return group.enforcer().recover()->at(0).owner; };
    CHECK_FALSE(owner());
    const std::string path = group.path() + "/job";
    struct Row {
        std::string text;
        std::optional<OwnerId> owner;
        const char* why;
    };
    const Row rows[] = {
        {"7", OwnerId(7), "a number"},
        {"18446744073709551615", OwnerId(~0ULL), "the largest one"},
        {"18446744073709551616", {}, "larger than that"},
        {std::string(40, '1'), {}, "longer than a label"},
        {std::string(4000, '1'), {}, "much longer"},
        {"", {}, "nothing"},
        {"-1", {}, "no owner is negative"},
        {"7\n", {}, "a line end"},
        {" 7", {}, "a blank"},
        {std::string("7\0", 2), {}, "a NUL"},
        {"007", {}, "not as a label is written"},
        {"job_42", {}, "a name"},
        {"$(reboot)", {}, "what a shell would take"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        REQUIRE(::setxattr(path.c_str(), owner_attribute, row.text.data(), row.text.size(), 0) ==
                0);
        CHECK(owner() == row.owner);
    }
    CHECK(group.enforcer().run(label_step("none", 1)).code() == StatusCode::kNotFound);
    REQUIRE(group.enforcer().run(label_step("job", 8)) == Status());
    CHECK(owner() == OwnerId(8));
}

}  // namespace trestle
