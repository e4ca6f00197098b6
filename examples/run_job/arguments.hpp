// SPDX-License-Identifier: Apache-2.0
// What run_job is told, and the machine that it is told of.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/os/discover.hpp"

namespace run_job {

using namespace trestle;

struct Options {
    std::map<std::string, std::string> own;  ///< those of run_job, with their files
    std::vector<std::string> request;        ///< what srun knows, and the command

    bool has(const std::string& name) const { return own.count(name) != 0; }
    std::string file(const std::string& name) const { return has(name) ? own.at(name) : ""; }
    /// A container without a root is printed only.
    bool is_dry() const {
        return has("--dry-run") || (has("--container") && file("--container").empty());
    }
};

inline StatusOr<Options> read_arguments(const std::vector<std::string>& words) {
    const std::set<std::string> files = {"--machine", "--node-conf", "--gres-conf"};
    const std::set<std::string> switches = {"--dry-run", "--json", "--require-enforcement",
                                            "--container"};
    const std::string container = "--container=";
    const auto end = std::find(words.begin(), words.end(), "--");
    if (end == words.end()) return invalid_argument("command: missing, expected -- COMMAND...");
    Options options;
    for (auto word = words.begin(); word != end; ++word) {
        const std::string name = word->substr(0, word->find('='));
        if (switches.contains(*word)) {
            options.own[*word] = "";
        } else if (word->starts_with(container)) {
            options.own["--container"] = word->substr(container.size());
        } else if (!files.contains(name)) {
            options.request.push_back(*word);
        } else if (name != *word) {
            options.own[name] = word->substr(name.size() + 1);
        } else if (++word != end) {
            options.own[name] = *word;
        } else {
            return invalid_argument("{}: expected a file", name);
        }
    }
    options.request.insert(options.request.end(), end, words.end());
    return options;
}

inline StatusOr<std::string> read_file(const std::string& path) {
    std::ifstream file(path);
    std::error_code error;
    if (!file || std::filesystem::is_directory(path, error)) {
        return not_found("{}: it cannot be read, expected a text file", path);
    }
    return std::string(std::istreambuf_iterator<char>(file), {});
}

inline StatusOr<std::vector<Node>> read_nodes(const Options& options) {
    if (!options.has("--node-conf")) {
        if (options.has("--gres-conf")) return invalid_argument("--gres-conf: not alone");
        TRESTLE_TRY(Node node, os::discover({options.file("--machine"), ""}));
        return std::vector<Node>{std::move(node)};
    }
    if (options.has("--machine")) return invalid_argument("--machine: not with --node-conf");
    TRESTLE_TRY(const std::string node_conf, read_file(options.file("--node-conf")));
    std::string gres_conf;
    if (options.has("--gres-conf")) {
        TRESTLE_TRY(gres_conf, read_file(options.file("--gres-conf")));
    }
    TRESTLE_TRY(slurm::BuiltNodes built,
                slurm::parse_nodes({.slurm_conf = node_conf, .gres_conf = gres_conf}));
    for (const slurm::ConfWarning& warning : built.warnings) {
        fmt::print(stderr, "{}\n", to_text(warning));
    }
    return std::move(built.nodes);
}

}  // namespace run_job
