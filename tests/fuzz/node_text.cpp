// SPDX-License-Identifier: Apache-2.0
// Any bytes as the line of a cluster: an error of one line, or groups whose nodes print and read
// back as themselves.
#include <cstdint>
#include <string_view>

#include "fuzz/target.hpp"
#include "testing/detail/cluster_spec.hpp"
#include "testing/detail/node_lines.hpp"
#include "trestle/testing/cluster_text.hpp"
#include "trestle/testing/node_text.hpp"

using trestle::fuzz::require;

namespace {

void check_node(const trestle::NodeDescription& node) {
    using namespace trestle::testing;
    const auto again = trestle::testing::detail::parse_node(
        trestle::TextCursor(trestle::testing::detail::node_line(node)));
    require(again && *again == node);
    std::uint32_t devices = 0;
    for (const trestle::NodeDescription::Devices& one : node.devices) devices += one.count;
    const std::uint32_t threads = node.packages * node.cores_per_package * node.threads_per_core;
    if (threads > 256 || devices > 32) return;  // slow, not new
    const auto made = make_node(node);
    require(made.ok() && check(*made->shape).ok());
    const auto text = node_to_text(*made);
    require(text && *node_from_text(*text) == *made);
}

}  // namespace

TRESTLE_FUZZ(node_text) {
    using namespace trestle::testing;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto groups = trestle::testing::detail::parse_cluster_spec(trestle::TextCursor(bytes));
    if (!groups) {
        const std::string line = to_text(groups.error());
        require(!groups.error().expected.empty());
        for (const char c : line) require(c >= ' ' && c <= '~');
        return;
    }
    for (const auto& group : *groups) check_node(group.node);
}
