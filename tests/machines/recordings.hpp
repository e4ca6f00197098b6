// SPDX-License-Identifier: Apache-2.0
// The recorded machines below data_dir()/hwloc, found by what lies there.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "machines/unpacked.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"
#include "trestle/os/discover.hpp"

namespace trestle {

/// Where the recorded machines are. A test without them fails.
[[nodiscard]] inline std::filesystem::path recordings() {
    std::filesystem::path folder = data_dir() / "hwloc";
    INFO(folder);
    REQUIRE(std::filesystem::is_directory(folder));
    return folder;
}

/// Every file there that is a machine, without its ending, in order.
[[nodiscard]] inline std::set<std::string> recorded_names() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(recordings())) {
        const std::string name = entry.path().filename().string();
        for (const std::string end : {".xml", ".tar.bz2"}) {
            if (name.ends_with(end)) names.insert(name.substr(0, name.size() - end.size()));
        }
    }
    return names;
}

/// The folder in `<name>.tar.bz2`, unpacked into `target`.
[[nodiscard]] inline std::filesystem::path unpacked(const std::string& name,
                                                    const TemporaryFolder& target) {
    const auto tree = unpack(recordings() / (name + ".tar.bz2"), target);
    INFO(name << " cannot be unpacked; tar and bzip2 are needed");
    REQUIRE(tree);
    return *tree;
}

/// Reads `<name>.xml` or `<name>.tar.bz2`.
[[nodiscard]] inline Node read_anew(const std::string& name) {
    os::DiscoverOptions options;
    const TemporaryFolder target;
    if (const auto xml = recordings() / (name + ".xml"); std::filesystem::exists(xml)) {
        options.xml_file = xml.string();
    } else {
        options.fs_root = unpacked(name, target).string();
    }
    const auto node = os::discover(options);
    INFO(name << ": " << node.status().ToString());
    REQUIRE(node.ok());
    return *node;
}

/// As read_anew, but each machine once in a run: unpacking takes its time.
[[nodiscard]] inline const Node& read_machine(const std::string& name) {
    static std::map<std::string, Node> machines_read;
    const auto found = machines_read.find(name);
    if (found != machines_read.end()) return found->second;
    return machines_read.emplace(name, read_anew(name)).first->second;
}

/// The shape of a recorded machine.
[[nodiscard]] inline const NodeShape& recorded_shape(const std::string& name) {
    return *read_machine(name).shape;
}

}  // namespace trestle
