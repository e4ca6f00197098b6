// SPDX-License-Identifier: Apache-2.0
#include "live_state.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/value.hpp"

namespace trestle::slurm {

bool JobRecord::has_nodes() const {
    constexpr std::string_view without_nodes[] = {
        "PENDING",      "COMPLETED",    "CANCELLED", "FAILED",        "TIMEOUT",      "NODE_FAIL",
        "PREEMPTED",    "BOOT_FAIL",    "DEADLINE",  "OUT_OF_MEMORY", "REQUEUED",     "REQUEUE_FED",
        "REQUEUE_HOLD", "SPECIAL_EXIT", "REVOKED",   "LAUNCH_FAILED", "RECONFIG_FAIL"};
    return std::find(std::begin(without_nodes), std::end(without_nodes), state) ==
           std::end(without_nodes);
}

StatusOr<LiveState> read_live_state(const LiveTexts& texts) {
    LiveState state;
    state.version = texts.version;
    std::vector<live::Document> documents;
    const std::pair<const char*, std::string_view> sources[] = {
        {"nodes", texts.nodes}, {"jobs", texts.jobs}, {"reservations", texts.reservations}};
    for (const auto& [name, text] : sources) {
        const std::size_t first = text.find_first_not_of(" \t\r\n");
        if (first == std::string_view::npos) continue;
        if (text[first] == '{') {
            auto value = json::parse(text);
            if (!value.ok()) return with_context(name, value.status());
            documents.push_back({name, *std::move(value)});
        } else if (!text.substr(first).starts_with("No ")) {  // "No reservations in the system"
            TRESTLE_TRY_STATUS(live::read_text(name, text, state));
        }
    }
    TRESTLE_TRY_STATUS(live::read_json(documents, texts.now, state));
    if (state.nodes.empty()) {
        state.problems.push_back("no answer about nodes: all are taken to be up");
    }
    const bool is_asked = texts.jobs.find_first_not_of(" \t\r\n") != std::string_view::npos;
    if (!is_asked) state.problems.push_back("no answer about jobs: none is taken to run");
    std::stable_sort(state.jobs.begin(), state.jobs.end(),
                     [](const JobRecord& a, const JobRecord& b) { return a.id < b.id; });
    return state;
}

}  // namespace trestle::slurm
