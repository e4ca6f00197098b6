// SPDX-License-Identifier: Apache-2.0
#pragma once

// slurm.conf with a change that was never made.
//
// Layer: tool. Main names: ConfEdit, parse_edit, edit_conf.
// Pitfall: a line of nodes is named as the file names it: NodeName=n[1-4] and not NodeName=n1.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/status.hpp"

namespace trestle::tool {

/// `PartitionName=gpu MaxTime=60 Nodes+=g3`, or `SelectTypeParameters=CR_CPU`.
struct ConfEdit {
    std::string line_key = {};   ///< `PartitionName`; empty: keys of the cluster
    std::string line_name = {};  ///< `gpu`
    /// Keys and values; a key that ends with + adds to a list.
    std::vector<std::pair<std::string, std::string>> values;
};

/// Errors: InvalidArgument for a word without `=`, and for a line that sets nothing.
[[nodiscard]] StatusOr<ConfEdit> parse_edit(std::string_view text);

/// True: a line of the text is what the edit names, and is changed. Of a key of the cluster all
/// lines are. Lines that go on behind a `\` become one.
[[nodiscard]] bool edit_conf(const ConfEdit& edit, std::string& text);

/// What stands in the text behind `key=` at the start of lines.
[[nodiscard]] std::vector<std::string> names_of_lines(std::string_view key, std::string_view text);

}  // namespace trestle::tool
