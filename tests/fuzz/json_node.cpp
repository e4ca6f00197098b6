// SPDX-License-Identifier: Apache-2.0
// Any bytes as the JSON of a node: an error of one line, or a node that comes back from its text.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fuzz/target.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/model/node.hpp"

TRESTLE_FUZZ(json_node) {
    using namespace trestle;
    const auto node = json::from_json_text<Node>({reinterpret_cast<const char*>(data), size});
    if (!node.ok()) {
        if (message(node.status()).find('\n') != std::string_view::npos) std::abort();
        return;
    }
    const auto again = json::from_json_text<Node>(json::to_json_text(*node));
    if (!again.ok() || *again != *node) std::abort();
}
