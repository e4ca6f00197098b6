// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the files of a group say, as values.
//
// Layer: os, private. Main names: words_in, pids_in, quantity, oom_kills_in.
// Pitfall: words and processes are always there, so that a failure to read them is an error; a
// number may lack, with its controller or on an older kernel, and is then nothing.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "os/directory.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"

namespace trestle::os::detail {

[[nodiscard]] StatusOr<std::vector<std::string>> words_in(const GroupDirectory& group,
                                                          const char* file);

/// The processes of the group itself, rising. Of a threaded group: those with a thread in it, for
/// the kernel lists its processes in the group that it is a part of.
[[nodiscard]] StatusOr<std::vector<std::int64_t>> pids_in(const GroupDirectory& group);

/// True when this process is one of them.
[[nodiscard]] bool has_self(const std::vector<std::int64_t>& pids);

/// As much of it as the quantity can say.
template <class Quantity>
[[nodiscard]] std::optional<Quantity> quantity(std::optional<std::uint64_t> number) {
    if (!number) return std::nullopt;
    return Quantity(static_cast<std::int64_t>(
        std::min<std::uint64_t>(*number, static_cast<std::uint64_t>(Quantity::max().value()))));
}

/// Processes of the group, and of those below, that were killed for memory; nothing where they are
/// not counted.
[[nodiscard]] std::optional<Count> oom_kills_in(const GroupDirectory& group);

}  // namespace trestle::os::detail
