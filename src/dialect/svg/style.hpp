// SPDX-License-Identifier: Apache-2.0
#pragma once

// Colours, spaces and sizes of a picture.
//
// Layer: dialect/svg, inside. The owners' colours are Paul Tol's "light" scheme, made for fills
// with dark text that stay distinct in every kind of colour blindness
// (https://personal.sron.nl/~pault/). From the ninth owner on, a mark is added.

#include <cstddef>

#include "scene.hpp"

namespace trestle::svg::style {

inline constexpr const char* owner_fills[] = {"#77aadd", "#ee8866", "#44bb99", "#eedd88",
                                              "#ffaabb", "#bbcc33", "#99ddff", "#aaaa00"};
inline constexpr const char* proposed_fill = "#24304a";

inline constexpr const char* ink = "#1f2328";
inline constexpr const char* muted = "#59636e";
inline constexpr const char* paper = "#ffffff";
inline constexpr const char* panel = "#f6f8fa";
inline constexpr const char* line = "#d0d7de";
inline constexpr const char* cell_line = "#8c959f";
inline constexpr const char* taken_line = "#57606a";
inline constexpr const char* thread_line = "#afb8c1";
inline constexpr const char* system_fill = "#e7ebef";
inline constexpr const char* hatch = "#b3bcc5";
inline constexpr const char* warning = "#b35900";
inline constexpr const char* failure = "#c3202b";

inline constexpr int margin = 20;  ///< of the page
inline constexpr int gap = 10;     ///< between boxes
inline constexpr int pad = 10;     ///< inside boxes
inline constexpr int radius = 3;   ///< of the corners of cells

/// How large cells are drawn: smaller ones on larger nodes.
struct Sizes {
    int core_width;  ///< at least; up to twice as wide where there is room
    int core_height;
    int core_text;  ///< of the core's number; 0: it is not written
    int device_width;
    int device_height;
    bool has_device_type;
};

[[nodiscard]] inline Sizes sizes_for(const NodeShape& shape) {
    const std::size_t cores = shape.hardware.cores.size();
    Sizes sizes = cores <= 64    ? Sizes{28, 28, 10, 0, 0, false}
                  : cores <= 256 ? Sizes{20, 20, 8, 0, 0, false}
                                 : Sizes{12, 12, 0, 0, 0, false};
    sizes.has_device_type = shape.devices.size() <= 16;
    sizes.device_width = sizes.has_device_type ? 60 : 54;
    sizes.device_height = sizes.has_device_type ? 48 : 30;
    return sizes;
}

}  // namespace trestle::svg::style
