// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scratch: a directory of its own for each job, gone with the job.
//
// Layer: enforce. Main types: Scratch, which a caller asks for, and Scratch::Directory, which a
// plan makes. It is named after the group: `job_42%2fstep_0`.
// Pitfall: it keeps others out and cleans up; it limits nothing. How much a job writes there is not
// enforced.

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
    /// A scratch directory as it is made, with mode 0700; no root: none.
    struct Directory {
        std::string root;
        std::string name;
        std::optional<std::uint32_t> uid;  ///< its owner; absent: the embedder
        std::optional<std::uint32_t> gid;

        static constexpr auto fields(auto list) {
            return list(field("root", &Directory::root), field("name", &Directory::name),
                        field("uid", &Directory::uid), field("gid", &Directory::gid));
        }
        friend bool operator==(const Directory&, const Directory&) = default;

        [[nodiscard]] std::string path() const {
            return root + (root.ends_with('/') ? "" : "/") + name;
        }
    };

    std::string root = {};  ///< an absolute folder of the machine: the enforcer's scratch_root
    std::vector<std::string> variables = {"SLURM_TMPDIR", "TMPDIR"};  ///< are set to its path

    static constexpr auto fields(auto list) {
        return list(field("root", &Scratch::root), field("variables", &Scratch::variables));
    }
    friend bool operator==(const Scratch&, const Scratch&) = default;
};

/// `/scratch/job_42, owner 1000:100`.
[[nodiscard]] std::string to_text(const Scratch::Directory& scratch);

}  // namespace trestle
