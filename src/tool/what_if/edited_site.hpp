// SPDX-License-Identifier: Apache-2.0
#pragma once

// A cluster as it would be with other lines in its files.
//
// Layer: tool. Main names: SiteEdits, edited_site.
// Pitfall: gres.conf and the files of topologies stay as they are.

#include <string>
#include <vector>

#include "../site/site.hpp"
#include "trestle/base/status.hpp"

namespace trestle::tool {

/// What is changed.
struct SiteEdits {
    std::vector<std::string> drained = {};  ///< lists of nodes
    std::vector<std::string> added = {};    ///< lines NodeName=
    std::vector<std::string> set = {};      ///< `PartitionName=gpu MaxTime=60`, `KEY=VALUE`
};

/// The cluster with edits of slurm.conf and of what that includes, then with nodes drained. Nodes
/// have the states, and running jobs the cores and devices, that they have before; a job that has
/// no place any more is a problem. Errors: InvalidArgument for edits that cannot be read; NotFound
/// for lines and nodes that are not there.
[[nodiscard]] StatusOr<Site> edited_site(const Site& site, const SiteEdits& edits);

}  // namespace trestle::tool
