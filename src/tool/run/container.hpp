// SPDX-License-Identifier: Apache-2.0
// The plan as a container: its OCI document, and crun or runc to run it.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
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

namespace trestle::tool {

/// The document, with the numbers that the device files have on this machine. Of the environment
/// here, which may hold secrets, nothing goes into it.
inline StatusOr<container::OciDocument> document_of(const Plan& plan, const Command& command,
                                                    const std::string& root,
                                                    const os::CgroupSupport& support) {
    TRESTLE_TRY(const Plan resolved, os::with_device_numbers(plan));
    container::OciBundle bundle;
    bundle.command = {command.arguments,
                      {{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}},
                      ""};
    if (!root.empty()) bundle.root = std::filesystem::absolute(root).string();
    const std::string mount = "/sys/fs/cgroup";
    if (support.directory.starts_with(mount + "/")) {
        bundle.cgroup_parent = support.directory.substr(mount.size());
    }
    return container::oci_config(resolved, bundle);
}

/// A folder that is gone with the object.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::error_code error;
        const auto parent = std::filesystem::temp_directory_path(error);
        std::string pattern = (parent / "trestle-XXXXXX").string();
        if (!error && ::mkdtemp(pattern.data()) == nullptr)
            error = {errno, std::generic_category()};
        if (error) {
            status_ =
                failed_precondition("{}: no folder can be made: {}", pattern, error.message());
        } else {
            path_ = pattern;
        }
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code error;
        if (!path_.empty()) std::filesystem::remove_all(path_, error);
    }

    /// Not ok: there is no folder.
    const Status& status() const { return status_; }
    const std::filesystem::path& path() const { return path_; }

  private:
    Status status_;
    std::filesystem::path path_;
};

/// For its owner alone: the document has the values of variables in clear.
inline Status write_document(const std::filesystem::path& folder,
                             const container::OciConfig& config) {
    const std::string path = (folder / "config.json").string();
    std::ofstream file(path);
    file << json::to_json_text(config);
    file.close();
    if (file) return {};
    return failed_precondition("{}: it cannot be written", path);
}

inline StatusOr<std::string> find_runtime() {
    for (const char* name : {"crun", "runc"}) {
        const auto found = os::find_program({{name}, os::current_environment(), ""});
        if (found.ok()) return *found;
    }
    return not_found("--container: neither crun nor runc is installed");
}

/// Runs the runtime's `delete`, and says where it failed.
inline Status clear_away(Enforcer& enforcer, const Plan& outside, const Command& command) {
    TRESTLE_TRY(const Child cleaner, enforcer.spawn(outside, command));
    TRESTLE_TRY(const Outcome outcome, enforcer.wait(cleaner));
    if (exit_status(outcome) == 0) return {};
    return failed_precondition("container {}: left behind, its delete ended with status {}",
                               command.arguments.back(), exit_status(outcome));
}

/// Runs the container and what is left of it away. The runtime keeps the limits: it makes the group
/// and hands signals on to the command, so that the same Supervisor ends it.
inline StatusOr<JobEnd> run_container(const Plan& plan, const container::OciConfig& config) {
    TRESTLE_TRY(const std::string runtime, find_runtime());
    const TemporaryFolder bundle;
    TRESTLE_TRY_STATUS(bundle.status());
    TRESTLE_TRY_STATUS(write_document(bundle.path(), config));
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
    TRESTLE_TRY_STATUS(enforcer.run({Step::MakeGroup{}, Requirement::require, "", outside.group}));
    const Interrupts interrupts;
    TRESTLE_TRY(const Child child, enforcer.spawn(outside, call({"run", plan.group})));
    const auto end = run_to_the_end(enforcer, outside, child, interrupts);
    if (end.ok() && end->outcome.signal_number == 0) return end;
    // A runtime that was killed, by whomever, left the container running.
    TRESTLE_TRY_STATUS(joined(
        end.status(), clear_away(enforcer, outside, call({"delete", "--force", plan.group}))));
    return end;
}

}  // namespace trestle::tool
