// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names of devices in the words of drivers, of Slurm and of price lists.
//
// Layer: alloc. Main functions: vendor_of, device_of_driver_name, snap_memory, devices_of_type,
// type_of.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/market/offers/known_devices.hpp"

namespace trestle {

/// The only vendor of these models; nothing when a model is unknown, when two vendors have a model
/// of them, or without models.
[[nodiscard]] std::optional<std::string> vendor_of(std::span<const KnownDevice> known,
                                                   std::span<const std::string> models);

/// The known device that a driver calls `name`: `NVIDIA A100-SXM4-40GB` is an A100, `NVIDIA GeForce
/// RTX 4060 Ti` an RTX4060Ti, `AMD Instinct MI300X` an MI300X. The longest model counts whose
/// letters are whole words of the name in a row, of these the first in the name. Null when there is
/// none, and for a part of a device (`... MIG 1g.5gb`), which is not a device of that model.
/// Complexity: words times devices.
[[nodiscard]] const KnownDevice* device_of_driver_name(std::span<const KnownDevice> known,
                                                       std::string_view name);

/// The memory that a device of this model is sold with, where a driver says a little less: the
/// nearest known one within 7 %, else what the driver says in whole GB, rounded. 0 stays 0.
[[nodiscard]] Bytes snap_memory(std::span<const KnownDevice> known, std::string_view model,
                                Bytes memory);

/// What Slurm's type of a GRES means: `a100` every known A100, `a100_80gb` and `a100-80g` the one
/// with 80 GB. The other way round see type_of. Empty when nothing is called so.
[[nodiscard]] std::vector<KnownDevice> devices_of_type(std::span<const KnownDevice> known,
                                                       std::string_view type);

/// The type of a GRES that means this model: its letters and digits and `-`, in lower case.
[[nodiscard]] std::string type_of(const KnownDevice& device);

}  // namespace trestle
