// SPDX-License-Identifier: Apache-2.0
#include "edited_site.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edits.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/model/node.hpp"

namespace trestle::tool {
namespace {

/// Lines of gres.conf for lines NodeName=... of slurm.conf: the GPUs of such nodes are found there.
std::string detecting_lines(const std::vector<std::string>& added) {
    std::string lines;
    for (const std::string& line : added) {
        lines += "\n" + line.substr(0, line.find_first_of(" \t")) + " AutoDetect=nvml";
    }
    return lines;
}

/// The files with edits. A key of the cluster that no line has gets one.
StatusOr<slurm::ClusterReading> read_with(const std::string& directory, const SiteEdits& edits) {
    std::vector<ConfEdit> parsed;
    for (const std::string& text : edits.set) {
        auto edit = parse_edit(text);
        if (!edit.ok()) return with_context("--set", edit.status());
        parsed.push_back(*std::move(edit));
    }
    std::string added;
    for (const std::string& line : edits.added) added += line + "\n";
    std::vector<bool> is_found(parsed.size(), false);
    std::vector<std::string> names;  // of the lines of the kind that an edit did not find
    const auto edit = [&](std::string& text) {
        for (std::size_t i = 0; i < parsed.size(); ++i) {
            if (edit_conf(parsed[i], text)) is_found[i] = true;
            if (is_found[i] || parsed[i].line_key.empty()) continue;
            for (std::string& name : names_of_lines(parsed[i].line_key, text)) {
                names.push_back(std::move(name));
            }
        }
    };
    const auto load = [&]() -> StatusOr<slurm::ClusterReading> {
        const std::filesystem::path folder = directory;
        std::array<std::string, 5> texts;
        constexpr std::array file_names{"slurm.conf", "gres.conf", "topology.conf", "topology.yaml",
                                        "resources.yaml"};
        for (std::size_t i = 0; i < texts.size(); ++i) {
            TRESTLE_TRY(const auto text, slurm::read_file(folder / file_names[i]));
            texts[i] = text.value_or("");
        }
        texts[0] += "\n" + added;
        texts[1] += detecting_lines(edits.added);
        edit(texts[0]);
        const slurm::ConfFiles included = [&](std::string_view name) -> std::optional<std::string> {
            auto text = slurm::read_file(folder / name);
            if (!text.ok() || !*text) return std::nullopt;
            edit(**text);
            return *std::move(text);
        };
        return slurm::read_cluster({texts[0], texts[1], texts[2], texts[3], &included,
                                    slurm::MendedMistakes::warnings, texts[4]});
    };
    TRESTLE_TRY(slurm::ClusterReading reading, load());
    const std::string before = added;
    for (std::size_t i = 0; i < parsed.size(); ++i) {
        if (is_found[i]) continue;
        if (!parsed[i].line_key.empty()) {
            return not_found("--set: no line {}={}, expected one of {}", parsed[i].line_key,
                             parsed[i].line_name, fmt::join(names, ", "));
        }
        for (const auto& [key, value] : parsed[i].values) {
            added += fmt::format("{}={}\n", key.substr(0, key.find('+')), value);
        }
    }
    if (added != before) {
        TRESTLE_TRY(reading, load());
    }
    return checked(std::move(reading), directory);
}

}  // namespace

StatusOr<Site> edited_site(const Site& site, const SiteEdits& edits) {
    for (const std::string& line : edits.added) {
        if (line.starts_with("NodeName=")) continue;
        return invalid_argument("--add: \"{}\", expected a line NodeName=... of slurm.conf", line);
    }
    TRESTLE_TRY(slurm::ClusterReading reading, read_with(site.directory, edits));
    const Cluster& before = site.live.controller.cluster();
    Cluster& cluster = reading.built.cluster;
    for (std::uint32_t i = 0; i < before.node_count(); ++i) {
        const auto node = cluster.find_node(before.name(NodeId(i)));
        if (node) cluster.set_node_state(*node, before.class_of(NodeId(i)).state);
    }
    TRESTLE_TRY(slurm::Controller controller,
                slurm::Controller::of(std::move(reading), site.live.controller.rules().release));
    Site after{{std::move(controller), {}, site.live.reservations, site.live.jobs}, site.directory};
    for (const slurm::RunningJob& job : site.live.running) {
        TRESTLE_TRY(const auto grants, site.live.controller.grants(job.owner));
        const auto owner = job.licenses.empty()
                               ? after.live.controller.adopt(grants, job.options)
                               : after.live.controller.adopt(grants, job.options, job.licenses);
        if (!owner.ok()) {
            after.live.problems.push_back(
                fmt::format("{} loses what it has: {}", job.name, message(owner.status())));
            continue;
        }
        after.live.running.push_back({*owner, job.name, job.ends_in, job.options, job.licenses});
    }
    for (const std::string& text : edits.drained) {
        auto nodes = slurm::Hostlist::parse(text);
        if (!nodes.ok()) return with_context("--drain", nodes.status());
        const Status status = after.live.controller.set_node_state(*nodes, NodeState::drained);
        if (!status.ok()) return with_context("--drain", status);
    }
    return after;
}

}  // namespace trestle::tool
