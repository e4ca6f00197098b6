// SPDX-License-Identifier: Apache-2.0
#pragma once

// Slurm's configuration from a folder.
//
// Layer: dialect/slurm. Main names: load_cluster, load_controller, read_file. All else in this
// layer is a function of texts; only this reads files.
// Pitfall: a missing file counts as empty. A file that exists and cannot be read is an error:
// without gres.conf, GPUs would silently become counts without devices.

#include <filesystem>
#include <optional>
#include <string>

#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/choice/job_tres.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

namespace trestle::slurm {

/// The text of a file; nothing where there is no such name. Errors: InvalidArgument for a folder
/// and above 64 MiB, else what the system says (errno_status).
[[nodiscard]] StatusOr<std::optional<std::string>> read_file(const std::filesystem::path& path);

/// The cluster of a folder with slurm.conf and, where they are there, gres.conf, topology.conf or
/// topology.yaml; included files are looked for in the folder. What is wrong in the files stands in
/// the reading. `release`: whose slurmctld reads them (ConfTexts::release). Errors: NotFound
/// without slurm.conf; those of read_file() for the others.
[[nodiscard]] StatusOr<ClusterReading> load_cluster(
    const std::filesystem::path& folder, MendedMistakes mended = MendedMistakes::warnings,
    std::optional<Release> release = {});

/// The controller of such a folder. Errors: those of load_cluster() and Controller::of().
[[nodiscard]] StatusOr<Controller> load_controller(
    const std::filesystem::path& folder, Release release = default_release,
    TypedCounts typed = TypedCounts::by_device, MendedMistakes mended = MendedMistakes::warnings);

}  // namespace trestle::slurm
