// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mistakes and suspicions in configuration files and job scripts.
//
// Layer: dialect/slurm. Main names: Severity, Finding, lint.
// Pitfall: a suspicion is no mistake: Slurm does what the file says. A file alone is checked
// against nothing: gres.conf without its slurm.conf may name any node.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/known_options.hpp"

namespace trestle::slurm {

/// error: the file is not read. warning: it is read otherwise than it is written. suspicion: it is
/// read, but probably not what is meant.
enum class Severity { error, warning, suspicion };

constexpr auto enum_names(Severity) {
    using enum Severity;
    return std::array{named(error, "error"), named(warning, "warning"),
                      named(suspicion, "suspicion")};
}

/// One thing that should be looked at.
struct Finding {
    std::string file;
    std::uint32_t line = 0;    ///< from 1; 0: the file as a whole
    std::uint32_t column = 0;  ///< from 1; 0: the line as a whole
    Severity severity = Severity::error;
    std::string message;
    std::string suggestion = {};  ///< a line to stand there instead, or beside it; empty: none

    static constexpr auto fields(auto list) {
        return list(field("file", &Finding::file), field("line", &Finding::line),
                    field("column", &Finding::column), field("severity", &Finding::severity),
                    field("message", &Finding::message), field("suggestion", &Finding::suggestion));
    }
    friend bool operator==(const Finding&, const Finding&) = default;
};

/// `gres.conf:3:14: error: unknown key ("Corez"), ...`.
[[nodiscard]] std::string to_text(const Finding& finding);

/// What is to be said of a folder with slurm.conf, or of one file. The name tells slurm.conf,
/// gres.conf and cgroup.conf, and .yml or .yaml a file of dstack. All others are batch scripts.
/// `known`: the release, absent the default one, and options that plug-ins add. Errors: NotFound
/// for what is not there, InvalidArgument for what cannot be read and for topology files, which
/// mean nothing without slurm.conf.
[[nodiscard]] StatusOr<std::vector<Finding>> lint(const std::string& path,
                                                  const KnownOptions& known = {});

}  // namespace trestle::slurm
