// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "../../kernel_text.hpp"

namespace trestle::os::detail {

StatusOr<std::vector<std::string>> words_in(const GroupDirectory& group, const char* file) {
    TRESTLE_TRY(const std::string text, group.read(file));
    return words_of(text);
}

namespace {

/// The process that a thread is of; nothing when it has ended.
StatusOr<std::optional<std::int64_t>> process_of(Kernel& kernel, std::int64_t thread) {
    const std::string path = fmt::format("/proc/{}/status", thread);
    const auto status = read_file_at(kernel, AT_FDCWD, path.c_str(), path);
    if (status.status().code() == StatusCode::kNotFound) return std::optional<std::int64_t>();
    TRESTLE_TRY_STATUS(status.status());
    const auto words = words_of(*status);
    const auto key = std::find(words.begin(), words.end(), "Tgid:");
    const auto pids = pids_of(key == words.end() ? "" : *(key + 1));
    return pids.empty() ? std::optional<std::int64_t>() : std::optional(pids.front());
}

StatusOr<std::vector<std::int64_t>> pids_in_threaded(const GroupDirectory& group) {
    TRESTLE_TRY(const std::string text, group.read("cgroup.threads"));
    std::vector<std::int64_t> pids;
    for (const std::int64_t thread : pids_of(text)) {
        TRESTLE_TRY(const auto pid, process_of(group.kernel(), thread));
        if (pid) pids.push_back(*pid);
    }
    std::sort(pids.begin(), pids.end());
    pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
    return pids;
}

}  // namespace

StatusOr<std::vector<std::int64_t>> pids_in(const GroupDirectory& group) {
    const auto text = group.read("cgroup.procs");
    // EOPNOTSUPP: the group is threaded, which takes one write of a job that may make groups.
    if (text.status().code() == StatusCode::kUnimplemented) return pids_in_threaded(group);
    TRESTLE_TRY_STATUS(text.status());
    return pids_of(*text);
}

bool has_self(const std::vector<std::int64_t>& pids) {
    return std::find(pids.begin(), pids.end(), ::getpid()) != pids.end();
}

std::optional<Count> oom_kills_in(const GroupDirectory& group) {
    const auto text = group.read("memory.events");
    return quantity<Count>(text.ok() ? keyed_number(*text, "oom_kill") : std::nullopt);
}

}  // namespace trestle::os::detail
