// SPDX-License-Identifier: Apache-2.0
#include "group_values.hpp"

#include <unistd.h>

#include "../kernel_text.hpp"

namespace trestle::os::detail {

StatusOr<std::vector<std::string>> words_in(const GroupDirectory& group, const char* file) {
    TRESTLE_TRY(const std::string text, group.read(file));
    return words_of(text);
}

StatusOr<std::vector<std::int64_t>> pids_in(const GroupDirectory& group) {
    TRESTLE_TRY(const std::string text, group.read("cgroup.procs"));
    return pids_of(text);
}

bool has_self(const std::vector<std::int64_t>& pids) {
    return std::find(pids.begin(), pids.end(), ::getpid()) != pids.end();
}

std::optional<Count> oom_kills_in(const GroupDirectory& group) {
    const auto text = group.read("memory.events");
    return quantity<Count>(text.ok() ? keyed_number(*text, "oom_kill") : std::nullopt);
}

}  // namespace trestle::os::detail
