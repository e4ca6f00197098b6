// SPDX-License-Identifier: Apache-2.0
// The recorded machines below data_dir()/hwloc, found by what lies there.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "machines/unpacked.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"
#include "trestle/os/discover.hpp"

namespace trestle {

/// The folder, or nothing (said aloud) when it is not here.
[[nodiscard]] inline std::optional<std::filesystem::path> recordings() {
    std::filesystem::path folder = data_dir() / "hwloc";
    if (std::filesystem::is_directory(folder)) return folder;
    WARN("SKIPPED: no recorded machines at " << folder << "; set TRESTLE_DATA");
    return std::nullopt;
}

/// Every file there that is a machine, without its ending, in order.
[[nodiscard]] inline std::set<std::string> recorded_names(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        for (const std::string end : {".xml", ".tar.bz2"}) {
            if (name.ends_with(end)) names.insert(name.substr(0, name.size() - end.size()));
        }
    }
    return names;
}

/// Reads `<name>.xml` or `<name>.tar.bz2`. Nothing (said aloud) when it cannot be unpacked.
[[nodiscard]] inline std::optional<Node> read_anew(const std::filesystem::path& folder,
                                                   const std::string& name) {
    os::DiscoverOptions options;
    const TemporaryFolder target;
    if (const auto xml = folder / (name + ".xml"); std::filesystem::exists(xml)) {
        options.xml_file = xml.string();
    } else {
        const auto tree = unpack(folder / (name + ".tar.bz2"), target);
        if (!tree) {
            WARN("SKIPPED: " << name << " cannot be unpacked; tar and bzip2 are needed");
            return std::nullopt;
        }
        options.fs_root = tree->string();
    }
    const auto node = os::discover(options);
    INFO(name << ": " << node.status().ToString());
    REQUIRE(node.ok());
    return *node;
}

/// As read_anew, but each machine once in a run: unpacking takes its time.
[[nodiscard]] inline std::optional<Node> read_machine(const std::filesystem::path& folder,
                                                      const std::string& name) {
    static std::map<std::string, std::optional<Node>> machines_read;
    const auto found = machines_read.find(name);
    if (found != machines_read.end()) return found->second;
    return machines_read[name] = read_anew(folder, name);
}

/// The shape of a recorded machine; nothing (said aloud) when it is not here.
[[nodiscard]] inline std::optional<NodeShape> recorded_shape(const std::string& name) {
    const auto folder = recordings();
    const auto node = folder ? read_machine(*folder, name) : std::nullopt;
    if (!node) return std::nullopt;
    return *node->shape;
}

}  // namespace trestle
