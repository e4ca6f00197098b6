// SPDX-License-Identifier: Apache-2.0
// For tests on a real kernel: a cgroup of the test's own, and the reason where there is none.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/limit_text.hpp"
#include "trestle/os/cgroup_enforcer.hpp"
#include "trestle/os/cgroup_probe.hpp"
#include "trestle/os/kernel.hpp"

namespace trestle {

/// Where the tests make their groups: what probe_cgroup chose before any of them moved; the top of
/// the hierarchy where other processes are there.
[[nodiscard]] inline const os::CgroupSupport& kernel_support() {
    static const os::CgroupSupport support = [] {
        os::CgroupSupport own = os::probe_cgroup();
        if (own.is_usable && own.crowd.empty()) return own;
        os::CgroupSupport top = os::probe_cgroup("/sys/fs/cgroup");
        return top.is_usable ? top : own;
    }();
    return support;
}

/// True where there is a writable cgroup v2 with all controllers. Otherwise says why the test is
/// skipped.
[[nodiscard]] inline bool has_kernel() {
    const os::CgroupSupport& support = kernel_support();
    std::string reason = support.reason;
    for (const char* needed : {"cpuset", "cpu", "memory", "pids"}) {
        if (std::find(support.capabilities.controllers.begin(),
                      support.capabilities.controllers.end(),
                      needed) == support.capabilities.controllers.end()) {
            reason += std::string(reason.empty() ? "" : "; ") + "no controller " + needed;
        }
    }
    if (!reason.empty()) WARN("SKIPPED: " << reason);
    return reason.empty();
}

/// As has_kernel, and device filters can be loaded; that takes more rights than a delegated group.
[[nodiscard]] inline bool has_device_filters() {
    if (!has_kernel()) return false;
    const std::string& reason = kernel_support().capabilities.no_device_filter;
    if (!reason.empty()) WARN("SKIPPED: " << reason);
    return reason.empty();
}

[[nodiscard]] inline Step make_step(const std::string& group) {
    return {Step::MakeGroup{}, Requirement::require, "", group};
}
[[nodiscard]] inline Step enable_step(const std::string& group, const std::string& controller) {
    return {Step::EnableController{controller}, Requirement::require, "", group};
}
[[nodiscard]] inline Step write_step(const std::string& group,
                                     const std::pair<std::string, std::string>& file_value) {
    return limit_step(group, file_value.first, file_value.second);
}
[[nodiscard]] inline Step label_step(const std::string& group, std::uint64_t owner) {
    return {Step::LabelGroup{OwnerId(owner)}, Requirement::require, "", group};
}
[[nodiscard]] inline Step filter_step(const std::string& group, DeviceAllowList devices) {
    return {Step::LoadFilter{std::move(devices)}, Requirement::require, "devices", group};
}
/// Of a file that no kernel has.
[[nodiscard]] inline Step odd_step(const std::string& group) {
    return {Step::SetLimit{HugetlbLimit{kib(4), kib(4)}}, Requirement::require, "", group};
}

[[nodiscard]] inline Command shell(const std::string& script) {
    return {{"sh", "-c", script}, {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}}, ""};
}

/// An enforcer below a group of the test's own, which is removed with all that is in it.
class KernelGroup {
  public:
    explicit KernelGroup(const os::CgroupOptions& options = {},
                         os::Kernel& kernel = os::real_kernel())
        : name_("trestle_test_" + std::to_string(::getpid())) {
        auto above = os::CgroupEnforcer::open(kernel_support().directory);
        REQUIRE(above.ok());
        above_ = *std::move(above);
        for (const char* controller : {"cpuset", "cpu", "memory", "pids"}) {
            REQUIRE(above_->run(enable_step("", controller)) == Status());
        }
        REQUIRE(above_->run(make_step(name_)) == Status());
        auto enforcer = os::CgroupEnforcer::open(path(), options, kernel);
        REQUIRE(enforcer.ok());
        enforcer_ = *std::move(enforcer);
    }
    KernelGroup(const KernelGroup&) = delete;
    KernelGroup& operator=(const KernelGroup&) = delete;
    ~KernelGroup() {
        enforcer_.reset();
        (void)above_->remove(name_);
    }

    [[nodiscard]] os::CgroupEnforcer& enforcer() { return *enforcer_; }
    [[nodiscard]] os::CgroupEnforcer& above() { return *above_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::string path() const { return kernel_support().directory + "/" + name_; }

    /// Makes the group `job` with these files written, and the plan to spawn into it.
    [[nodiscard]] Plan job(const std::vector<std::pair<std::string, std::string>>& files) {
        Plan plan;
        plan.group = "job";
        plan.steps.push_back(make_step("job"));
        for (const auto& [file, value] : files) {
            const std::string controller = file.substr(0, file.find('.'));
            if (controller != "cgroup") {
                plan.steps.insert(plan.steps.begin(), enable_step("", controller));
            }
            plan.steps.push_back(write_step("job", {file, value}));
        }
        const auto applied = enforcer_->apply(plan);
        INFO(applied.status().ToString());
        REQUIRE(applied.ok());
        return plan;
    }
    [[nodiscard]] Outcome run(const Plan& plan, const std::string& script) {
        const auto child = enforcer_->spawn(plan, shell(script));
        INFO(script << ": " << child.status().ToString());
        REQUIRE(child.ok());
        const auto outcome = enforcer_->wait(*child);
        REQUIRE(outcome.ok());
        return *outcome;
    }

  private:
    std::string name_;
    std::unique_ptr<os::CgroupEnforcer> above_;
    std::unique_ptr<os::CgroupEnforcer> enforcer_;
};

/// The groups that are directly there, whatever any enforcer knows.
[[nodiscard]] inline std::vector<std::string> groups_in(const std::string& path) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
        if (entry.is_directory()) names.push_back(entry.path().filename().string());
    }
    return names;
}

}  // namespace trestle
