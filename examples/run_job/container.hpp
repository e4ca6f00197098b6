// SPDX-License-Identifier: Apache-2.0
// The plan as a container: its OCI document, and crun or runc to run it.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "to_the_end.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/container/oci.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/os/cgroup_probe.hpp"
#include "trestle/os/device_numbers.hpp"
#include "trestle/os/plain_enforcer.hpp"
#include "trestle/os/program.hpp"

namespace run_job {

using namespace trestle;

/// The document, with the numbers that the device files have on this machine. Of the environment
/// here, which may hold secrets, nothing goes into it.
inline StatusOr<container::OciDocument> document_of(const Plan& plan, const Command& command,
                                                    const std::string& root,
                                                    const os::CgroupSupport& support) {
    TRESTLE_TRY(const Plan looked_up, os::with_device_numbers(plan));
    container::OciBundle bundle;
    bundle.command = {command.arguments,
                      {{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}},
                      ""};
    if (!root.empty()) bundle.root = std::filesystem::absolute(root).string();
    const std::string mount = "/sys/fs/cgroup";
    if (support.directory.starts_with(mount + "/")) {
        bundle.cgroup_parent = support.directory.substr(mount.size());
    }
    return container::oci_config(looked_up, bundle);
}

/// A folder that is gone with the object.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "run_job-XXXXXX").string();
        if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code error;
        if (!path_.empty()) std::filesystem::remove_all(path_, error);
    }

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

inline StatusOr<std::string> find_runtime() {
    for (const char* name : {"crun", "runc"}) {
        const auto found = os::find_program({{name}, os::current_environment(), ""});
        if (found.ok()) return *found;
    }
    return not_found("--container: neither crun nor runc is installed");
}

/// Runs the container and what is left of it away. The runtime keeps the limits: it makes the group
/// and hands signals on to the command, so that the same TimeKeeper ends it.
inline StatusOr<JobEnd> run_container(const Plan& plan, const container::OciConfig& config) {
    TRESTLE_TRY(const std::string runtime, find_runtime());
    const TemporaryFolder bundle;
    std::ofstream(bundle.path() / "config.json") << json::to_json_text(config);
    std::vector<std::string> words{runtime, "--root", (bundle.path() / "state").string()};
    if (runtime.ends_with("crun")) words.push_back("--cgroup-manager=cgroupfs");

    const auto call = [&](const std::vector<std::string>& more) {
        Command command{words, os::current_environment(), bundle.path().string()};
        command.arguments.insert(command.arguments.end(), more.begin(), more.end());
        return command;
    };
    os::PlainEnforcer enforcer("the runtime keeps the limits");
    Plan outside;  // nothing of the plan is for the runtime itself, but the time
    outside.owner = plan.owner;
    outside.group = "runtime";
    outside.end = plan.end;
    Step make;
    make.group = outside.group;
    TRESTLE_TRY_STATUS(enforcer.run(make));
    const Interrupts interrupts;
    TRESTLE_TRY(const Child child, enforcer.spawn(outside, call({"run", plan.group})));
    const auto end = run_to_the_end(enforcer, outside, child, interrupts);
    if (end.ok() && !end->is_killed) return end;
    // A runtime that was killed left the container running.
    TRESTLE_TRY(const Child cleaner,
                enforcer.spawn(outside, call({"delete", "--force", plan.group})));
    TRESTLE_TRY_STATUS(enforcer.wait(cleaner).status());
    return end;
}

}  // namespace run_job
