// SPDX-License-Identifier: Apache-2.0
#pragma once

// Outcome: how a command ended.
//
// Layer: enforce. Main types: Outcome, Ending; exited() and signaled() make them.
// Pitfall: SIGKILL alone does not mean out of memory; the group's count of kills does.

#include <array>
#include <optional>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// How a command ended.
struct Outcome {
    /// How a command ended.
    enum class Ending { exited, signaled, out_of_memory };

    Ending ending = Ending::exited;
    int exit_code = 0;               ///< when it exited
    int signal_number = 0;           ///< when a signal ended it, SIGKILL for out_of_memory
    std::optional<Count> oom_kills;  ///< processes of the group killed for memory

    static constexpr auto fields(auto list) {
        return list(field("ending", &Outcome::ending), field("exit_code", &Outcome::exit_code),
                    field("signal_number", &Outcome::signal_number),
                    field("oom_kills", &Outcome::oom_kills));
    }
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

constexpr auto enum_names(Outcome::Ending) {
    return std::array{named(Outcome::Ending::exited, "exited"),
                      named(Outcome::Ending::signaled, "signaled"),
                      named(Outcome::Ending::out_of_memory, "out_of_memory")};
}

/// A command that left by itself.
[[nodiscard]] Outcome exited(int exit_code, std::optional<Count> oom_kills = {});

/// A command that a signal ended: out of memory when it was SIGKILL and the kernel counts a kill
/// for memory in the group. One that outlived the death of its child for memory has just exited.
[[nodiscard]] Outcome signaled(int signal_number, std::optional<Count> oom_kills = {});

/// For a shell: the command's own status; 128+n for signal n; 125 when killed for memory.
[[nodiscard]] constexpr int exit_status(const Outcome& outcome) {
    switch (outcome.ending) {
        case Outcome::Ending::out_of_memory:
            return 125;
        case Outcome::Ending::signaled:
            return 128 + outcome.signal_number;
        case Outcome::Ending::exited:
            break;
    }
    return outcome.exit_code;
}

}  // namespace trestle
