// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/requirements.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "../../words.hpp"
#include "../readers.hpp"
#include "../spec_reader.hpp"
#include "carried.hpp"

namespace trestle::dstack {
namespace {

[[nodiscard]] Status refuse(const PassthroughKey& key, std::string_view what,
                            std::string_view expected) {
    return invalid_argument("line {}: {}: {}: expected {}", key.line, key.name, what, expected);
}

/// False where nothing is said.
[[nodiscard]] StatusOr<bool> switch_of(const RunConfiguration& run, std::string_view name) {
    TRESTLE_TRY(const auto value, find_carried(run, name));
    if (!value) return false;
    if (const auto is_on = read_switch(value->node)) return *is_on;
    return refuse(*value->key, "malformed switch", "true or false");
}

/// True when the run names its image. One that is malformed may be any.
[[nodiscard]] bool has_image(const RunConfiguration& run) {
    const auto image = find_carried(run, "image");
    return !image.ok() || image->has_value();
}

/// True for `docker: true`. A malformed switch is options_of's to refuse.
[[nodiscard]] bool has_docker(const RunConfiguration& run) {
    const auto docker = switch_of(run, "docker");
    return docker.ok() && *docker;
}

/// Whether one item of `volumes:` needs a folder of the instance; nothing: it is no volume. One
/// that is optional needs none: it is left out where there is no such folder.
[[nodiscard]] std::optional<bool> is_of_instance(const YAML::Node& item) {
    if (item.IsScalar()) {
        const std::string& text = item.Scalar();
        if (text.find(':') == std::string::npos) return std::nullopt;
        return text.front() == '/';
    }
    if (!item.IsMap()) return std::nullopt;
    if (!item["instance_path"]) return false;
    const YAML::Node optional = item["optional"];
    if (!optional || optional.IsNull()) return true;
    const auto is_optional = read_switch(optional);
    if (!is_optional) return std::nullopt;
    return !*is_optional;
}

[[nodiscard]] StatusOr<bool> has_instance_volumes(const RunConfiguration& run) {
    TRESTLE_TRY(const auto value, find_carried(run, "volumes"));
    if (!value) return false;
    constexpr std::string_view expected = "a list of name:/path, /path:/path or mappings";
    if (!value->node.IsSequence()) return refuse(*value->key, "no list", expected);
    bool has_any = false;
    for (const YAML::Node& item : value->node) {
        const auto is_one = is_of_instance(item);
        if (!is_one) return refuse(*value->key, "malformed volume", expected);
        has_any |= *is_one;
    }
    return has_any;
}

}  // namespace

StatusOr<std::optional<PassthroughValue>> find_carried(const RunConfiguration& run,
                                                       std::string_view name) {
    const auto at = std::find_if(run.passthrough.begin(), run.passthrough.end(),
                                 [&](const PassthroughKey& key) { return key.name == name; });
    if (at == run.passthrough.end()) return std::optional<PassthroughValue>();
    SpecReader reader(BareValue::exact);
    const auto node = reader.load(at->text);
    if (!node) return refuse(*at, reader.errors().front().error.what, "YAML");
    if (node->IsNull()) return std::optional<PassthroughValue>();
    return std::optional(PassthroughValue{&*at, *node});
}

Resources resources_of(const RunConfiguration& run, std::span<const KnownDevice> known) {
    Resources resources = run.resources;
    const bool is_own = has_image(run);
    if (!is_own && !resources.cpu.architecture) resources.cpu.architecture = Architecture::x86;
    if (!resources.gpu) return resources;
    GpuSpec& gpu = *resources.gpu;
    gpu = with_vendor(std::move(gpu), known);
    const bool wants_any = gpu.count.max != Count(0);
    const bool is_default = !is_own && !has_docker(run);
    if (is_default && wants_any && gpu.vendor.empty() && gpu.names.empty()) gpu.vendor = "nvidia";
    return resources;
}

StatusOr<MatchOptions> options_of(const RunConfiguration& run, MatchOptions options) {
    options.nodes = run.nodes;
    TRESTLE_TRY(const bool is_privileged, switch_of(run, "privileged"));
    TRESTLE_TRY(const bool is_docker, switch_of(run, "docker"));
    TRESTLE_TRY(const bool has_volumes, has_instance_volumes(run));
    options.is_privileged |= is_privileged || is_docker;
    options.has_instance_volumes |= has_volumes;
    return options;
}

StatusOr<std::vector<std::string>> instances_of(const RunConfiguration& run) {
    std::vector<std::string> names;
    TRESTLE_TRY(const auto value, find_carried(run, "instances"));
    if (!value) return names;
    constexpr std::string_view expected = "a list of names, or of {name}";
    if (!value->node.IsSequence() || value->node.size() == 0) {
        return refuse(*value->key, "no list of instances", expected);
    }
    for (const YAML::Node& item : value->node) {
        const bool is_mapping = item.IsMap() && item.size() == 1 && item["name"];
        const YAML::Node name = is_mapping ? item["name"] : item;
        if (!name.IsScalar() || name.Scalar().empty()) {
            return refuse(*value->key, "no name of an instance", expected);
        }
        names.push_back(name.Scalar());
    }
    return names;
}

}  // namespace trestle::dstack
