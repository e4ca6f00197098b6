// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scratch: a directory of its own for each job, gone with the job.
//
// Layer: enforce. Main types: Scratch, which a caller asks for, and ScratchDirectory, which a plan
// makes; scratch_name() is the directory's name.
// A reader would get wrong: it keeps others out and cleans up; it limits nothing. How much a job
// writes there is not enforced.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/enforce/process/user.hpp"

namespace trestle {

/// A scratch directory that a plan is to make.
struct Scratch {
    std::string root = {};  ///< an absolute folder of the machine: the enforcer's scratch_root
    std::vector<std::string> variables = {"SLURM_TMPDIR", "TMPDIR"};  ///< are set to its path

    static constexpr auto fields(auto list) {
        return list(field("root", &Scratch::root), field("variables", &Scratch::variables));
    }
    friend bool operator==(const Scratch&, const Scratch&) = default;
};

/// A scratch directory as it is made, with mode 0700; no root: none.
struct ScratchDirectory {
    std::string root;
    std::string name;
    std::optional<std::uint32_t> uid;  ///< its owner; absent: the embedder
    std::optional<std::uint32_t> gid;

    static constexpr auto fields(auto list) {
        return list(field("root", &ScratchDirectory::root), field("name", &ScratchDirectory::name),
                    field("uid", &ScratchDirectory::uid), field("gid", &ScratchDirectory::gid));
    }
    friend bool operator==(const ScratchDirectory&, const ScratchDirectory&) = default;

    [[nodiscard]] std::string path() const {
        return root + (root.ends_with('/') ? "" : "/") + name;
    }
};

/// `/scratch/job_42, owner 1000:100`.
[[nodiscard]] inline std::string to_text(const ScratchDirectory& scratch) {
    std::string text = scratch.path();
    if (scratch.uid || scratch.gid) text += ", owner ";
    if (scratch.uid) text += std::to_string(*scratch.uid);
    if (scratch.gid) text += ":" + std::to_string(*scratch.gid);
    return text;
}

inline constexpr std::string_view scratch_separator = "%2f";  ///< in place of / in a group's name

/// The directory's name for a group: `job_42%2fstep_0`, with `%25` for `%`, so that no two groups
/// have one directory.
[[nodiscard]] inline std::string scratch_name(std::string_view group) {
    std::string name;
    for (const char c : group) {
        if (c == '/') {
            name += scratch_separator;
        } else if (c == '%') {
            name += "%25";
        } else {
            name += c;
        }
    }
    return name;
}

/// The group of a directory: what scratch_name made into `name`.
[[nodiscard]] inline std::string group_of_scratch_name(std::string_view name) {
    constexpr std::string_view percent = "%25";
    std::string group;
    while (!name.empty()) {
        const bool is_separator = name.starts_with(scratch_separator);
        const bool is_percent = name.starts_with(percent);
        group += is_separator ? '/' : name.front();
        name.remove_prefix(is_separator || is_percent ? percent.size() : 1);
    }
    return group;
}

/// The directory for `group`, of `user` where there is one. Requires: the group's name is good.
/// Errors: InvalidArgument for a root that is not absolute, and where the name is too long.
[[nodiscard]] inline StatusOr<ScratchDirectory> scratch_directory(
    const Scratch& scratch, const std::string& group, const std::optional<ProcessUser>& user) {
    constexpr std::size_t name_max = 255;
    if (!scratch.root.starts_with('/') || scratch.root.find('\0') != std::string::npos) {
        return invalid_argument("scratch: the root is not absolute, expected a folder as /scratch");
    }
    ScratchDirectory made{scratch.root, scratch_name(group), {}, {}};
    if (made.name.size() > name_max) {
        return invalid_argument("scratch: the name has {} bytes, expected {} at most",
                                made.name.size(), name_max);
    }
    if (user) made.uid = user->uid;
    if (user) made.gid = user->gid;
    return made;
}

/// The variables that name the directory; everybody may see them.
[[nodiscard]] inline std::vector<EnvironmentVariable> scratch_environment(
    const Scratch& scratch, const ScratchDirectory& directory) {
    std::vector<EnvironmentVariable> variables;
    for (const std::string& name : scratch.variables) {
        variables.push_back(shown_variable(name, directory.path()));
    }
    return variables;
}

}  // namespace trestle
