// SPDX-License-Identifier: Apache-2.0
// The arguments of the plugin's line in plugstack.conf.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/status.hpp"

namespace trestle_spank {

using namespace trestle;

struct Arguments {
    bool is_strict = false;  ///< a step that cannot be limited does not start
    bool binds = true;       ///< tasks are bound to CPUs where Slurm has not done it
    std::string cgroup = "/sys/fs/cgroup/trestle";  ///< the groups of all jobs are below it
    std::string conf_folder;                        ///< of slurm.conf and gres.conf
    std::string node;                               ///< NodeName; empty: the host's name
};

/// The folder of slurm.conf where no argument names one: Slurm's daemons have SLURM_CONF.
inline std::string default_conf_folder() {
    const char* conf = std::getenv("SLURM_CONF");
    if (conf == nullptr || *conf == '\0') return "/etc/slurm";
    return std::filesystem::path(conf).parent_path().string();
}

/// Reads all arguments that it knows. The error, of the first one that it does not know, comes
/// with the others in force: `strict` counts even beside a misspelt word.
inline Status read_arguments(const std::vector<std::string_view>& words, Arguments& arguments) {
    Status status;
    for (const std::string_view word : words) {
        const std::string_view key = word.substr(0, word.find('='));
        const std::string value(key == word ? std::string_view() : word.substr(key.size() + 1));
        if (word == "strict" || word == "warn") {
            arguments.is_strict = word == "strict";
        } else if (word == "bind=yes" || word == "bind=no") {
            arguments.binds = word == "bind=yes";
        } else if (key == "cgroup" && value.starts_with("/sys/fs/cgroup/")) {
            arguments.cgroup = value;
        } else if (key == "conf" && value.starts_with("/")) {
            arguments.conf_folder = value;
        } else if (key == "node" && !value.empty()) {
            arguments.node = value;
        } else if (status.ok()) {
            status = invalid_argument(
                "plugstack.conf: unknown argument '{}', expected strict, warn, bind=yes, bind=no, "
                "cgroup=/sys/fs/cgroup/FOLDER, conf=/FOLDER or node=NAME",
                word);
        }
    }
    if (arguments.conf_folder.empty()) arguments.conf_folder = default_conf_folder();
    return status;
}

}  // namespace trestle_spank
