// SPDX-License-Identifier: Apache-2.0
// Any bytes as a credential: an error of one line, or one that comes back. Any bytes as its content
// (which the checksum keeps the first kind from): a plan of one's own, or an error.
#include <cstdint>
#include <string_view>

#include "fuzz/target.hpp"
#include "trestle/dialect/json/credential.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/testing/node_text.hpp"

using trestle::fuzz::require;

namespace {

bool is_one_line(const trestle::Status& status) {
    return trestle::message(status).find('\n') == std::string_view::npos;
}

}  // namespace

TRESTLE_FUZZ(credential) {
    using namespace trestle;
    static const Node node = *testing::node_from_text("2s4c mem=16G nic:1 gpu:a100:4 name=n0");
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto credential = json::read_credential(text);
    require(credential.ok() || is_one_line(credential.status()));
    if (credential.ok()) {
        require(json::read_credential(*json::write_credential(*credential)) == credential);
    }
    const auto content = json::from_json_text<Credential>(text);
    if (!content.ok()) return;
    PlanOptions options;
    options.group = "job";
    const auto plan = plan_of(*content, node, {}, options);
    require(plan.ok() ? plan->owner == content->allocation.owner : is_one_line(plan.status()));
}
