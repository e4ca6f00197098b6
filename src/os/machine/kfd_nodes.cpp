// SPDX-License-Identifier: Apache-2.0
#include "kfd_nodes.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "os/driver_text.hpp"
#include "trestle/base/text.hpp"

namespace trestle::os::detail {

namespace {

/// A line `name number` of a page.
std::optional<std::uint64_t> property(std::string_view page, std::string_view name) {
    TextCursor cursor(page);
    while (!cursor.at_end()) {
        TextCursor line(cursor.take_until("\n"));
        cursor.accept('\n');
        if (!line.accept(name) || !line.accept(' ')) continue;
        line.skip_blanks();
        return line.take_number();
    }
    return std::nullopt;
}

}  // namespace

std::string place_without_function(const std::string& bus_id) {
    return bus_id.substr(0, bus_id.rfind('.'));
}

std::map<std::string, std::vector<std::uint32_t>> kfd_partitions(const SystemRoot& root) {
    const std::string folder = "/sys/class/kfd/kfd/topology/nodes/";
    std::vector<std::pair<std::uint64_t, std::string>> nodes;
    for (const std::string& name : root.names_in(folder)) {
        TextCursor cursor(name);
        if (const auto number = cursor.take_number()) nodes.emplace_back(*number, name);
    }
    std::sort(nodes.begin(), nodes.end());
    std::map<std::string, std::vector<std::uint32_t>> partitions;
    for (const auto& [number, name] : nodes) {
        const std::string page = root.read(folder + name + "/properties");
        const auto location = narrow(property(page, "location_id"));
        const auto render = narrow(property(page, "drm_render_minor"));
        if (!location || !render || *render == 0) continue;  // a processor
        const auto domain = narrow(property(page, "domain")).value_or(0);
        const std::string place =
            bus_id_text(domain, *location >> 8 & 0xff, *location >> 3 & 0x1f, 0);
        partitions[place_without_function(place)].push_back(*render);
    }
    return partitions;
}

}  // namespace trestle::os::detail
