// SPDX-License-Identifier: Apache-2.0
#include "live_state.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/value.hpp"

namespace trestle::slurm {

StatusOr<LiveState> read_live_state(const LiveTexts& texts) {
    LiveState state;
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
    std::stable_sort(state.jobs.begin(), state.jobs.end(),
                     [](const LiveJob& a, const LiveJob& b) { return a.id < b.id; });
    return state;
}

}  // namespace trestle::slurm
