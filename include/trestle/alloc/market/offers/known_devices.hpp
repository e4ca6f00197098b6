// SPDX-License-Identifier: Apache-2.0
#pragma once

// GPUs and other accelerators that are known by name: vendor, memory, compute capability.
//
// Layer: model. Main names: KnownDevice, known_devices() and the questions to such a list. A caller
// with others copies the list and adds to it; every question takes the list that it is asked of.
// A reader would get wrong: a model stands there once for each memory that it is sold with, and
// cloud TPUs have no memory here because offers do not state it.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/words.hpp"
#include "trestle/model/device.hpp"

namespace trestle {

/// One kind of device.
struct KnownDevice {
    std::string vendor;  ///< lower case: nvidia, amd, intel, tenstorrent, google
    std::string model;   ///< as offers call it: A100, RTX4090, MI300X
    Bytes memory;        ///< 0: not stated
    std::optional<Version> compute_capability;  ///< of NVIDIA

    static constexpr auto fields(auto list) {
        return list(field("vendor", &KnownDevice::vendor), field("model", &KnownDevice::model),
                    field("memory", &KnownDevice::memory),
                    field("compute_capability", &KnownDevice::compute_capability));
    }
    friend bool operator==(const KnownDevice&, const KnownDevice&) = default;
};

namespace detail {

struct KnownDeviceRow {
    std::string_view vendor;
    std::string_view model;
    std::int64_t gigabytes;
    Version compute_capability;  ///< 0.0: none
};

/// As the price lists of clouds name them (gpuhunt 0.1.30).
inline constexpr std::array<KnownDeviceRow, 94> known_device_rows{{
    {"nvidia", "A10", 24, {8, 6}},
    {"nvidia", "A16", 16, {8, 6}},
    {"nvidia", "A40", 48, {8, 6}},
    {"nvidia", "A100", 40, {8, 0}},
    {"nvidia", "A100", 80, {8, 0}},
    {"nvidia", "A10G", 24, {8, 6}},
    {"nvidia", "A4000", 16, {8, 6}},
    {"nvidia", "A4500", 20, {8, 6}},
    {"nvidia", "A5000", 24, {8, 6}},
    {"nvidia", "A6000", 48, {8, 6}},
    {"nvidia", "H100", 80, {9, 0}},
    {"nvidia", "H100NVL", 94, {9, 0}},
    {"nvidia", "H200", 141, {9, 0}},
    {"nvidia", "H200NVL", 141, {9, 0}},
    {"nvidia", "B200", 180, {10, 0}},
    {"nvidia", "GB200", 186, {10, 0}},
    {"nvidia", "B300", 270, {10, 0}},
    {"nvidia", "L4", 24, {8, 9}},
    {"nvidia", "L40", 48, {8, 9}},
    {"nvidia", "L40S", 48, {8, 9}},
    {"nvidia", "P100", 16, {6, 0}},
    {"nvidia", "RTX2060", 6, {7, 5}},
    {"nvidia", "RTX2060", 12, {7, 5}},
    {"nvidia", "RTX2060SUPER", 8, {7, 5}},
    {"nvidia", "RTX2070", 8, {7, 5}},
    {"nvidia", "RTX2070SUPER", 8, {7, 5}},
    {"nvidia", "RTX2080", 8, {7, 5}},
    {"nvidia", "RTX2080SUPER", 8, {7, 5}},
    {"nvidia", "RTX2080Ti", 11, {7, 5}},
    {"nvidia", "RTX3050", 6, {8, 6}},
    {"nvidia", "RTX3050", 8, {8, 6}},
    {"nvidia", "RTX3060", 8, {8, 6}},
    {"nvidia", "RTX3060", 12, {8, 6}},
    {"nvidia", "RTX3060Ti", 8, {8, 6}},
    {"nvidia", "RTX3070", 8, {8, 6}},
    {"nvidia", "RTX3070Ti", 8, {8, 6}},
    {"nvidia", "RTX3080", 10, {8, 6}},
    {"nvidia", "RTX3080Ti", 12, {8, 6}},
    {"nvidia", "RTX3090", 24, {8, 6}},
    {"nvidia", "RTX3090Ti", 24, {8, 6}},
    {"nvidia", "RTX4060", 8, {8, 9}},
    {"nvidia", "RTX4060Ti", 8, {8, 9}},
    {"nvidia", "RTX4060Ti", 16, {8, 9}},
    {"nvidia", "RTX4070", 12, {8, 9}},
    {"nvidia", "RTX4070SUPER", 12, {8, 9}},
    {"nvidia", "RTX4070Ti", 12, {8, 9}},
    {"nvidia", "RTX4070TiSUPER", 16, {8, 9}},
    {"nvidia", "RTX4080", 16, {8, 9}},
    {"nvidia", "RTX4080SUPER", 16, {8, 9}},
    {"nvidia", "RTX4090", 24, {8, 9}},
    {"nvidia", "RTX5060", 8, {12, 0}},
    {"nvidia", "RTX5060Ti", 8, {12, 0}},
    {"nvidia", "RTX5060Ti", 16, {12, 0}},
    {"nvidia", "RTX5070", 12, {12, 0}},
    {"nvidia", "RTX5070Ti", 16, {12, 0}},
    {"nvidia", "RTX5080", 16, {12, 0}},
    {"nvidia", "RTX5090", 32, {12, 0}},
    {"nvidia", "RTX6000", 24, {7, 5}},
    {"nvidia", "RTX2000Ada", 16, {8, 9}},
    {"nvidia", "RTX4000Ada", 20, {8, 9}},
    {"nvidia", "RTX6000Ada", 48, {8, 9}},
    {"nvidia", "RTXPRO4500", 32, {12, 0}},
    {"nvidia", "RTXPRO6000", 96, {12, 0}},
    {"nvidia", "T4", 16, {7, 5}},
    {"nvidia", "V100", 16, {7, 0}},
    {"nvidia", "V100", 32, {7, 0}},
    {"nvidia", "GH200", 96, {9, 0}},
    {"amd", "MI100", 32, {0, 0}},
    {"amd", "MI210", 64, {0, 0}},
    {"amd", "MI250", 128, {0, 0}},
    {"amd", "MI250X", 128, {0, 0}},
    {"amd", "MI300A", 128, {0, 0}},
    {"amd", "MI300X", 192, {0, 0}},
    {"amd", "MI308X", 128, {0, 0}},
    {"amd", "MI325X", 288, {0, 0}},
    {"amd", "MI350X", 288, {0, 0}},
    {"amd", "MI355X", 288, {0, 0}},
    {"intel", "Gaudi", 32, {0, 0}},
    {"intel", "Gaudi2", 96, {0, 0}},
    {"intel", "Gaudi3", 128, {0, 0}},
    {"tenstorrent", "n150", 12, {0, 0}},
    {"tenstorrent", "n300", 24, {0, 0}},
    {"tenstorrent", "tt-galaxy-wh", 12, {0, 0}},
    {"tenstorrent", "p100a", 28, {0, 0}},
    {"tenstorrent", "p150", 32, {0, 0}},
    {"tenstorrent", "p300", 32, {0, 0}},
    {"tenstorrent", "p300", 64, {0, 0}},
    {"tenstorrent", "tt-galaxy-bh", 32, {0, 0}},
    {"google", "v2", 0, {0, 0}},
    {"google", "v3", 0, {0, 0}},
    {"google", "v4", 0, {0, 0}},
    {"google", "v5p", 0, {0, 0}},
    {"google", "v5litepod", 0, {0, 0}},
    {"google", "v6e", 0, {0, 0}},
}};

/// The part of a text that names a model: letters and digits.
[[nodiscard]] constexpr bool is_model_letter(char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
}

/// The words of a driver's name: `NVIDIA GeForce RTX 4060 Ti` has five.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

/// True when the text differs from the model in case and in `-`, `_` and blanks at most.
[[nodiscard]] bool is_same_model(std::string_view text, std::string_view model);

}  // namespace detail

/// The devices that price lists name. A model with several memories stands there for each.
[[nodiscard]] const std::vector<KnownDevice>& known_devices();

/// The first device of the model, without regard to case, or null. `v5litepod-8`, a TPU with the
/// number of its cores, is a v5litepod. Complexity: linear.
[[nodiscard]] const KnownDevice* find_device(std::span<const KnownDevice> known,
                                             std::string_view model);

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
