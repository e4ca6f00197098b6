// SPDX-License-Identifier: Apache-2.0
#pragma once

// Colours, spaces and sizes of a picture.
//
// Layer: dialect/svg, inside. The owners' colours are Paul Tol's "light" scheme, made for fills
// with dark text that stay distinct in every kind of colour blindness
// (https://personal.sron.nl/~pault/). From the ninth owner on, a mark is added.
// Elements carry the colours for a light ground. `on_dark` has what a style sheet in the picture
// puts in their place where the reader prefers a dark one; a renderer without style sheets draws
// the light picture. Owners' colours are the same on both, and so is the ink on them.

#include <cstddef>

#include "scene.hpp"

namespace trestle::svg::style {

inline constexpr const char* owner_fills[] = {"#77aadd", "#ee8866", "#44bb99", "#eedd88",
                                              "#ffaabb", "#bbcc33", "#99ddff", "#aaaa00"};
inline constexpr const char* owner_ink = "#14181d";  ///< on owners' fills
inline constexpr const char* proposed_fill = "#24304a";
inline constexpr const char* proposed_ink = "#fafbfc";

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

struct DarkColour {
    const char* light;
    const char* dark;
};
inline constexpr DarkColour on_dark[] = {
    {ink, "#e6edf3"},           {muted, "#9198a1"},        {paper, "#0d1117"},
    {panel, "#161b22"},         {line, "#30363d"},         {cell_line, "#6e7681"},
    {taken_line, "#8b949e"},    {thread_line, "#484f58"},  {system_fill, "#262c36"},
    {hatch, "#484f58"},         {warning, "#f0883e"},      {failure, "#ff7b72"},
    {proposed_fill, "#c5d3f6"}, {proposed_ink, "#14181e"},
};

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
