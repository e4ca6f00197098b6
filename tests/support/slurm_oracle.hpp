// SPDX-License-Identifier: Apache-2.0
// Decisions that real controllers made, as values: data_dir()/slurm-oracle of 22.05, whose README
// says what each field means, slurm-oracle-24.11 and slurm-oracle-26.05.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include "support/paths.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/value.hpp"
#include "trestle/dialect/slurm/print.hpp"

namespace trestle::slurm_oracle {

/// What the controller answered to one request.
struct Result {
    std::string status;  ///< allocated, pending, refused, or crash of the controller
    std::string reason;  ///< of what is pending
    std::vector<slurm::NodeGrant> nodes;  ///< cpus are those of cpu_ids
    std::int64_t num_cpus = 0;
    std::int64_t num_tasks = 0;
    std::string cpus_per_task;
    std::string over_subscribe;
    std::map<std::string, std::string> environment;
    std::string tres;                 ///< of what is allocated
    std::string req_tres;             ///< of what is pending
    std::vector<std::string> raw;     ///< lines of scontrol show job -d
    std::vector<std::string> errors;  ///< of the client
    bool is_suspect = false;
};

/// One step of a recording.
struct Step {
    std::string op;  ///< submit or release
    std::string tag;
    std::string options;  ///< of a submit
    Result result;        ///< of a submit
};

/// A node as slurmctld understood it.
struct KnownNode {
    std::string name;
    std::uint32_t sockets = 1;
    std::uint32_t cores_per_socket = 1;
    std::uint32_t threads_per_core = 1;
};

struct Recording {
    std::string file;
    std::string slurm_conf;
    std::string gres_conf;
    std::string topology_conf;
    std::string topology_yaml;
    std::string resources_yaml;
    std::vector<KnownNode> nodes;
    std::vector<Step> steps;
    std::map<std::string, std::string> gres_used;  ///< after the last step, by node
};

namespace detail {

[[nodiscard]] inline const json::Value& member(const json::Value& value, std::string_view name) {
    static const json::Value nothing;
    const auto* object = std::get_if<json::Object>(&value.data);
    if (object == nullptr) return nothing;
    for (const json::Member& one : *object) {
        if (one.name == name) return one.value;
    }
    return nothing;
}
[[nodiscard]] inline std::string text(const json::Value& value) {
    const auto* found = std::get_if<std::string>(&value.data);
    return found != nullptr ? *found : "";
}
[[nodiscard]] inline std::uint64_t number(const json::Value& value) {
    const auto* found = std::get_if<std::uint64_t>(&value.data);
    return found != nullptr ? *found : 0;
}
[[nodiscard]] inline const json::List& list(const json::Value& value) {
    static const json::List none;
    const auto* found = std::get_if<json::List>(&value.data);
    return found != nullptr ? *found : none;
}
[[nodiscard]] inline std::vector<std::string> texts(const json::Value& value) {
    std::vector<std::string> all;
    for (const json::Value& one : list(value)) all.push_back(text(one));
    return all;
}

/// Of `4/4,1/4,-/4`, as newer releases show parts device by device; else nothing.
[[nodiscard]] inline std::vector<slurm::GresPart> parts_of(const std::string& detail) {
    std::vector<slurm::GresPart> parts;
    if (detail.find('/') == std::string::npos) return parts;
    for (std::size_t at = 0; at < detail.size(); at = detail.find(',', at) + 1) {
        const std::size_t slash = detail.find('/', at);
        slurm::GresPart& part = parts.emplace_back();
        if (detail[at] != '-') part.used = Count(std::stoll(detail.substr(at, slash - at)));
        part.all = Count(std::stoll(detail.substr(slash + 1)));
        if (detail.find(',', at) == std::string::npos) break;
    }
    return parts;
}

[[nodiscard]] inline slurm::NodeGrant grant_of(const json::Value& value) {
    slurm::NodeGrant grant;
    grant.node = text(member(value, "node"));
    for (const json::Value& id : list(member(value, "cpu_ids"))) {
        grant.cpu_ids.insert(OsIndex(static_cast<std::uint32_t>(number(id))));
    }
    grant.cpus = Count(grant.cpu_ids.count());
    grant.memory = mib(static_cast<std::int64_t>(number(member(value, "mem_mb"))));
    for (const json::Value& one : list(member(value, "gres"))) {
        slurm::GresDetail& gres = grant.gres.emplace_back();
        gres.gres.name = text(member(one, "name"));
        gres.gres.type = text(member(one, "type"));
        gres.gres.count = Count(static_cast<std::int64_t>(number(member(one, "count"))));
        gres.parts = parts_of(text(member(one, "detail")));
        if (!gres.parts.empty()) continue;  // which say the devices, too
        for (const json::Value& index : list(member(one, "idx"))) {
            gres.indexes.insert(static_cast<std::uint32_t>(number(index)));
        }
    }
    return grant;
}

[[nodiscard]] inline Result result_of(const json::Value& value) {
    Result result;
    result.status = text(member(value, "status"));
    result.reason = text(member(value, "reason"));
    for (const json::Value& node : list(member(value, "nodes"))) {
        result.nodes.push_back(grant_of(node));
    }
    result.num_cpus = static_cast<std::int64_t>(number(member(value, "num_cpus")));
    result.num_tasks = static_cast<std::int64_t>(number(member(value, "num_tasks")));
    result.cpus_per_task = text(member(value, "cpus_per_task"));
    result.over_subscribe = text(member(value, "over_subscribe"));
    if (const auto* object = std::get_if<json::Object>(&member(value, "env").data)) {
        for (const json::Member& one : *object) result.environment[one.name] = text(one.value);
    }
    result.tres = text(member(value, "tres"));
    result.req_tres = text(member(value, "req_tres"));
    result.raw = texts(member(value, "raw"));
    result.errors = texts(member(value, "error"));
    result.is_suspect = !list(member(value, "suspect")).empty();
    return result;
}

[[nodiscard]] inline Recording recording_of(const json::Value& value) {
    Recording recording;
    const json::Value& cluster = member(value, "cluster");
    recording.slurm_conf = text(member(cluster, "slurm_conf"));
    recording.gres_conf = text(member(cluster, "gres_conf"));
    recording.topology_conf = text(member(cluster, "topology_conf"));
    recording.resources_yaml = text(member(member(cluster, "files"), "resources.yaml"));
    recording.topology_yaml = text(member(cluster, "topology_yaml"));
    for (const json::Value& node : list(member(cluster, "nodes"))) {
        const auto count = [&](std::string_view name) {
            return static_cast<std::uint32_t>(number(member(node, name)));
        };
        recording.nodes.push_back({text(member(node, "node")), count("sockets"),
                                   count("cores_per_socket"), count("threads_per_core")});
    }
    for (const json::Value& step : list(member(value, "steps"))) {
        recording.steps.push_back({text(member(step, "op")), text(member(step, "tag")),
                                   text(member(step, "opts")), result_of(member(step, "result"))});
    }
    for (const json::Value& node : list(member(value, "nodes_after"))) {
        recording.gres_used[text(member(node, "node"))] = text(member(node, "gres_used"));
    }
    return recording;
}

}  // namespace detail

/// All recordings of the folder by file name.
/// Errors: NotFound if there are none, InvalidArgument for a file that is no JSON.
[[nodiscard]] inline StatusOr<std::vector<Recording>> load_all(
    std::string_view name = "slurm-oracle") {
    const std::filesystem::path folder = data_dir() / name;
    std::vector<std::filesystem::path> files;
    std::error_code error;  // a missing folder has no files
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    if (files.empty()) return not_found("{}: no recorded decisions", folder.string());
    std::sort(files.begin(), files.end());
    std::vector<Recording> recordings;
    for (const std::filesystem::path& file : files) {
        std::ifstream stream(file, std::ios::binary);
        const std::string content{std::istreambuf_iterator<char>(stream), {}};
        const auto document = json::parse(content);
        if (!document.ok()) return with_context(file.filename().string(), document.status());
        recordings.push_back(detail::recording_of(*document));
        recordings.back().file = file.filename().string();
    }
    return recordings;
}

}  // namespace trestle::slurm_oracle
