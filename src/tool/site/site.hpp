// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cluster that a question is about, and what runs there.
//
// Layer: tool. Main types: SiteOptions, Site; read_site reads one.
// Pitfall: a job without a time limit never ends, as far as anything here knows.

#include <CLI/App.hpp>

#include <string>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/live/live_cluster.hpp"
#include "trestle/dialect/slurm/options/known_options.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::tool {

/// Where the cluster is described.
struct SiteOptions {
    std::string directory =
        {};  ///< with slurm.conf and its like; empty: that of this machine; `live`
    std::string release = {};  ///< of Slurm; empty: the default one
    std::string jobs = {};     ///< a file with the jobs that run, a line each; empty: none
    std::string state = {};    ///< a folder with answers of Slurm's commands; empty: none
    std::vector<std::string> plugin_options = {};  ///< of sbatch, as parse_plugin_option reads them
};

/// A cluster as it is now, and its folder.
struct Site {
    slurm::LiveCluster live;
    std::string directory = {};  ///< with slurm.conf
};

void add_release_option(CLI::App& command, std::string& release);
/// The value of that option; empty: the default release.
[[nodiscard]] StatusOr<slurm::Release> release_of(const std::string& text);
void add_plugin_options(CLI::App& command, std::vector<std::string>& options);
/// The values of those options. Errors: those of parse_plugin_option.
[[nodiscard]] StatusOr<slurm::KnownOptions> known_options(const std::vector<std::string>& options);
void add_site_options(CLI::App& command, SiteOptions& options);

/// The idle cluster. Every error and warning of the files is printed to standard error. Errors:
/// NotFound without slurm.conf, InvalidArgument for files with errors.
[[nodiscard]] StatusOr<slurm::Controller> read_controller(const SiteOptions& options);

/// Prints every error and warning of the files of a folder. Errors: InvalidArgument for files with
/// errors.
[[nodiscard]] StatusOr<slurm::ClusterReading> checked(slurm::ClusterReading reading,
                                                      const std::string& directory);

/// The cluster with what runs there: the jobs of `options.jobs`, placed in the order of the file,
/// or those of the live state. Problems are printed to standard error. Errors: also
/// InvalidArgument, with the line, for a job that does not start, and for a live state that cannot
/// be read.
[[nodiscard]] StatusOr<Site> read_site(const SiteOptions& options);

}  // namespace trestle::tool
