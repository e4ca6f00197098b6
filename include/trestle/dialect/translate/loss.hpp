// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a translation could not carry over.
//
// Layer: dialect/translate. Main types: Loss, Translation.
// Pitfall: what is in no Loss is in the value. Options and keys that mean the same on both sides
// are not mentioned.

#include <array>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"

namespace trestle::translate {

/// How much of it is lost.
enum class LossKind {
    dropped,  ///< nothing of it is in the result
    changed,  ///< the result says something near it
    note      ///< nothing is lost by the translation; the user has to look at it
};

constexpr auto enum_names(LossKind) {
    return std::array{named(LossKind::dropped, "dropped"), named(LossKind::changed, "changed"),
                      named(LossKind::note, "note")};
}

/// One thing that was said and is not, or not quite, in the result.
struct Loss {
    LossKind kind = LossKind::dropped;
    std::string what;   ///< as it is written: `--signal`, `resources.shm_size`, `SLURM_PROCID`
    std::string value;  ///< in canonical form; empty: it has none
    std::string why;

    static constexpr auto fields(auto list) {
        return list(field("kind", &Loss::kind), field("what", &Loss::what),
                    field("value", &Loss::value), field("why", &Loss::why));
    }
    friend bool operator==(const Loss&, const Loss&) = default;
};

/// `dropped: --signal=10@300: ...`, `changed: memory: 200GB..: ...`: an option with `=`, anything
/// else with a colon. A value with line breaks comes in quotes, so that it stays a line.
[[nodiscard]] std::string to_text(const Loss& loss);
/// A line each.
[[nodiscard]] std::string to_text(const std::vector<Loss>& losses);

/// A value of the other language, and what of the original is not in it.
template <class T>
struct Translation {
    T value;
    std::vector<Loss> losses;  ///< in the order of the original's fields

    static constexpr auto fields(auto list) {
        return list(field("value", &Translation::value), field("losses", &Translation::losses));
    }
    friend bool operator==(const Translation&, const Translation&) = default;
};

}  // namespace trestle::translate
