// SPDX-License-Identifier: Apache-2.0
#pragma once

// What nodes have and have left, in the numbers that policies reckon with.
//
// Layer: alloc. Main types: ClassAmounts, TakenAmounts; amounts_of, amounts_after. CPUs in
// thousandths of hardware threads, devices of one name in thousandths of a device.
// Pitfall: a device with held instances has as many thousandths left as memory slices that are
// free; one that is not consumed does not count.

#include <absl/container/inlined_vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "alloc/cluster/states/node_classes.hpp"
#include "trestle/alloc/cluster/node_class.hpp"
#include "trestle/alloc/cluster/place/policy.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// The devices of a class that count, and what an idle node of it has.
struct ClassAmounts {
    std::vector<DeviceId> devices;
    /// Of each, the position of the first that is like it but for its number.
    std::vector<std::size_t> first_alike;
    ScoreInput::Amounts idle;
};

[[nodiscard]] inline std::int64_t thousandths(Count part, Count whole) {
    return 1000 * part.value() / whole.value();
}

/// Thousandths of a device that are left.
[[nodiscard]] std::int64_t left_of(const NodeShape& shape, DeviceId id, const FreeState& free);

[[nodiscard]] ScoreInput::Amounts amounts_of(const KnownClass& known,
                                             const std::vector<DeviceId>& devices,
                                             const FreeState& free);

/// The position in `some` of the first device that is like `id` but for its number.
[[nodiscard]] std::size_t position_of_first_alike(const std::vector<Device>& devices,
                                                  const std::vector<DeviceId>& some, DeviceId id);

[[nodiscard]] ClassAmounts class_amounts(const KnownClass& known, std::string_view name);

/// What a placement takes of a node, and the kind of job that it makes there.
struct TakenAmounts {
    struct OfDevice {
        std::size_t at = 0;  ///< position among ClassAmounts::devices
        std::int64_t thousandths = 0;
    };

    std::int64_t milli_cpus = 0;
    std::int64_t memory = 0;       ///< bytes
    std::int64_t all_devices = 0;  ///< thousandths, all together
    absl::InlinedVector<OfDevice, 8> devices{};
    std::uint64_t kind = 0;  ///< see NodeStateData::kinds

    /// Each device is listed once, whatever is taken of it. Requires: none that comes before the
    /// last one.
    void add(OfDevice one);
};

/// The position of a device among those that count, or nothing.
[[nodiscard]] std::optional<std::size_t> position_of(const ClassAmounts& scale, DeviceId device);

[[nodiscard]] TakenAmounts amounts_taken(const KnownClass& known, const ClassAmounts& scale,
                                         const NodePlacement& placement);

/// What is left when so much has been taken.
[[nodiscard]] ScoreInput::Amounts amounts_after(ScoreInput::Amounts before,
                                                const TakenAmounts& taken);

}  // namespace trestle::detail
