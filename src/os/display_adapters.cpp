// SPDX-License-Identifier: Apache-2.0
#include "os/display_adapters.hpp"

#include <algorithm>
#include <array>

namespace trestle::os::detail {

namespace {

struct DeviceRange {
    std::uint16_t first;
    std::uint16_t last;
};

/// AMD's and ATI's numbers, by generation.
constexpr std::array plain_displays{
    DeviceRange{0x1304, 0x131d},      // Kaveri
    DeviceRange{0x13c0, 0x13c0},      // Granite Ridge
    DeviceRange{0x13fe, 0x13fe},      // Cyan Skillfish
    DeviceRange{0x1435, 0x1435},      // Van Gogh
    DeviceRange{0x1506, 0x1506},      // Mendocino
    DeviceRange{0x150e, 0x150e},      // Strix
    DeviceRange{0x1586, 0x1586},      // Strix Halo
    DeviceRange{0x15bf, 0x15bf},      // Phoenix
    DeviceRange{0x15c8, 0x15c8},      // Phoenix 2
    DeviceRange{0x15d8, 0x15d8},      // Picasso, Raven 2
    DeviceRange{0x15dd, 0x15dd},      // Raven Ridge
    DeviceRange{0x15e7, 0x15e7},      // Barcelo
    DeviceRange{0x1636, 0x1638},      // Renoir, Cezanne
    DeviceRange{0x163f, 0x163f},      // Van Gogh
    DeviceRange{0x164c, 0x164f},      // Lucienne, Raphael
    DeviceRange{0x1681, 0x1681},      // Rembrandt
    DeviceRange{0x1900, 0x1902},      // Hawk Point
    DeviceRange{0x1114, 0x1114},      // Krackan Point
    DeviceRange{0x3150, 0x3e54},      // R300, R400, mobile
    DeviceRange{0x4136, 0x4e71},      // Mach64, Rage, R100 to R400
    DeviceRange{0x5041, 0x5e4f},      // Rage 128 to R400; 515e and 5969 are the ES1000
    DeviceRange{0x7100, 0x7300 - 1},  // R500
    DeviceRange{0x7834, 0x7942},      // chipsets with R300 to R500
    DeviceRange{0x9610, 0x9616},      // chipsets with R600
    DeviceRange{0x9640, 0x964f},      // Llano
    DeviceRange{0x9710, 0x9715},      // chipsets with R600
    DeviceRange{0x9802, 0x980a},      // Wrestler
    DeviceRange{0x9830, 0x9856},      // Kabini, Mullins
    DeviceRange{0x9874, 0x9874},      // Carrizo
    DeviceRange{0x98e4, 0x98e4},      // Stoney
    DeviceRange{0x9900, 0x99a4},      // Trinity, Richland
};

}  // namespace

bool is_plain_display(const DisplayFunction& function) {
    const bool is_display = function.class_id >> 8 == 0x03 && function.class_id != 0x0302;
    if (!is_display) return false;
    if (function.vendor_id == 0x8086) {
        return function.class_id == 0x0300 && function.is_integrated_place;
    }
    return function.vendor_id == 0x1002 &&
           std::any_of(plain_displays.begin(), plain_displays.end(), [&](const DeviceRange& range) {
               return range.first <= function.device_id && function.device_id <= range.last;
           });
}

}  // namespace trestle::os::detail
