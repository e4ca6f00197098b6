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

std::optional<std::uint64_t> number_in(const GroupDirectory& group, const char* file) {
    const auto text = group.read(file);
    return text.ok() ? whole_number(*text) : std::nullopt;
}

std::optional<std::uint64_t> number_in(const GroupDirectory& group, const char* file,
                                       const char* key) {
    const auto text = group.read(file);
    return text.ok() ? keyed_number(*text, key) : std::nullopt;
}

std::optional<Count> oom_kills_in(const GroupDirectory& group) {
    return quantity<Count>(number_in(group, "memory.events", "oom_kill"));
}

}  // namespace trestle::os::detail
