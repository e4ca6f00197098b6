// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scratch: a directory of its own for each job, gone with the job.
//
// Layer: enforce. Main types: Scratch, which a caller asks for, and Scratch::Directory, which a
// plan makes. It is named after the group: `job_42%2fstep_0`. Pitfall: it keeps others out and
// cleans up; it limits nothing. How much a job writes there is not enforced.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
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
        return list(field("root", &Scratch::Directory::root),
                    field("name", &Scratch::Directory::name),
                    field("uid", &Scratch::Directory::uid), field("gid", &Scratch::Directory::gid));
    }
    friend bool operator==(const Scratch::Directory&, const Scratch::Directory&) = default;

    [[nodiscard]] std::string path() const {
        return root + (root.ends_with('/') ? "" : "/") + name;
    }
};

/// `/scratch/job_42, owner 1000:100`.
[[nodiscard]] std::string to_text(const Scratch::Directory& scratch);

}  // namespace trestle
