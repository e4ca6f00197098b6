// SPDX-License-Identifier: Apache-2.0
#pragma once

// FitOptions: what a site decides about fit(), as against what a job asks.
//
// Layer: alloc. Main types: FitOptions, FitOptions::WarningUse.
// Pitfall: steps, not time, bound the search, so that the same question has the same answer on
// every machine.

#include <array>
#include <cstdint>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"

namespace trestle {

/// How much work a search on one node may be, and what a site lets it choose.
struct FitOptions {
    /// When devices with Health::warning are chosen. last: only where healthy ones do not do.
    /// Devices that failed or are drained are never chosen; unknown health counts as healthy.
    enum class WarningUse { last, alike, never };

    /// Work budget: a step is one subset of devices, of instances or of groups of cores.
    std::uint64_t steps_max = 1'000'000;
    WarningUse warning = WarningUse::last;
    /// Owners that may share a core (a partition's OverSubscribe), each in a row of its own. The
    /// first row in which the demand fits is taken. 0 and 1: cores are not shared.
    std::uint32_t rows = 1;

    static constexpr auto fields(auto list) {
        return list(field("steps_max", &FitOptions::steps_max),
                    field("warning", &FitOptions::warning), field("rows", &FitOptions::rows));
    }
    friend bool operator==(const FitOptions&, const FitOptions&) = default;
};

constexpr auto enum_names(FitOptions::WarningUse) {
    return std::array{named(FitOptions::WarningUse::last, "last"),
                      named(FitOptions::WarningUse::alike, "alike"),
                      named(FitOptions::WarningUse::never, "never")};
}

}  // namespace trestle
