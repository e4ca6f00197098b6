// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/volumes.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "../../words.hpp"
#include "carried.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::dstack {
namespace {

/// The names of the volumes of which one is mounted; empty for a folder of the instance.
StatusOr<std::vector<std::string>> volumes_of_mount(const PassthroughKey& key,
                                                    const YAML::Node& item) {
    std::vector<std::string> names;
    if (item.IsScalar()) {
        const std::string source = item.Scalar().substr(0, item.Scalar().find(':'));
        if (source.find('/') == std::string::npos) names.push_back(source);
        return names;
    }
    const bool is_mapping = item.IsMap();
    if (is_mapping && item["instance_path"]) return names;
    const YAML::Node name = is_mapping ? item["name"] : YAML::Node();
    if (name && name.IsScalar()) names.push_back(name.Scalar());
    if (name && name.IsSequence()) {
        for (const YAML::Node& one : name) {
            if (one.IsScalar()) names.push_back(one.Scalar());
        }
    }
    if (!names.empty()) return names;
    return invalid_argument("line {}: volumes: no mount: expected name:/path or a mapping",
                            key.line);
}

/// Narrows a list of names that accepts everything when it is empty.
Status narrow(std::vector<std::string>& list, const std::string& name, std::string_view key,
              const std::string& volume) {
    if (name.empty()) return {};
    const bool is_in = list.empty() || std::any_of(list.begin(), list.end(), [&](const auto& one) {
                           return words::same_word(one, name);
                       });
    if (!is_in) {
        return invalid_argument("volume {}: it is in {}, the run takes {} {}", volume, name, key,
                                fmt::join(list, ", "));
    }
    list = {name};
    return {};
}

}  // namespace

StatusOr<RunConfiguration> with_volumes(const RunConfiguration& run,
                                        std::span<const VolumeConfiguration> volumes) {
    RunConfiguration placed = run;
    TRESTLE_TRY(const auto value, find_carried(run, "volumes"));
    if (!value) return placed;
    for (const YAML::Node& item : value->node) {
        TRESTLE_TRY(const auto names, volumes_of_mount(*value->key, item));
        const VolumeConfiguration* first = nullptr;
        for (const std::string& name : names) {
            if (name.find("${{") != std::string::npos) continue;
            const auto at = std::find_if(volumes.begin(), volumes.end(),
                                         [&](const auto& one) { return one.name == name; });
            if (at == volumes.end()) return not_found("volume {}: it is not known", name);
            if (first != nullptr &&
                (first->backend != at->backend || first->region != at->region)) {
                return invalid_argument(
                    "volumes {} and {}: expected volumes of one mount in one backend and region",
                    first->name, name);
            }
            if (first == nullptr) first = &*at;
        }
        if (first == nullptr) continue;  // a folder, or a name that each node fills in
        Profile& profile = placed.profile;
        TRESTLE_TRY_STATUS(narrow(profile.backends, first->backend, "backends", first->name));
        TRESTLE_TRY_STATUS(narrow(profile.regions, first->region, "regions", first->name));
        if (names.size() != 1) continue;
        TRESTLE_TRY_STATUS(
            narrow(profile.availability_zones, first->availability_zone, "zones", first->name));
    }
    return placed;
}

}  // namespace trestle::dstack
