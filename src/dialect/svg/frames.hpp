// SPDX-License-Identifier: Apache-2.0
#pragma once

// What pictures of nodes and of clusters have in common: frames, bars, the legend, the page.
//
// Layer: dialect/svg, inside. Main names: Draw, Grid, draw_framed, draw_labelled_bar, draw_legend,
// page_of, titled_page.
// Pitfall: what draws returns its height, which its width decides; frames are drawn behind their
// content when that is known.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "style.hpp"

namespace trestle::svg {

/// Equal cells, line by line, lines as equally long as can be.
struct Grid {
    struct Limits {
        int cell_min = 1;
        int cell_max = 1 << 20;
        int gap = 4;
    };

    std::size_t columns = 1;
    int span = 0;  ///< of a full line, with the gap behind its last cell
    int gap = 0;

    [[nodiscard]] static Grid in(int room, std::size_t count, const Limits& limits);
    /// The place of cell `i` in lines of this height, the first of which starts at `at`.
    [[nodiscard]] Rect cell(Point at, int height, std::size_t i) const;
    [[nodiscard]] int height_of(std::size_t count, int height) const;
};

/// Something that draws itself below a point in some width and says how high it is.
using Draw = std::function<int(Canvas& out, Point at, int width)>;
/// Something that fills a rectangle.
using Paint = std::function<void(Canvas& out, Rect r)>;

struct Frame {
    const char* fill = style::panel;
    int pad = style::pad;
    Grid::Limits limits{};
};

/// Draws the boxes in lines of equal width, each line as high as its highest box.
[[nodiscard]] int draw_framed(Canvas& out, Point at, int width, const std::vector<Draw>& boxes,
                              const Frame& frame);

/// One below the other with a gap, those of height 0 without.
[[nodiscard]] int draw_stacked(Canvas& out, Point at, int width, const std::vector<Draw>& parts);

/// Where part `i` of `n` of a line of that length starts, in whole pixels.
[[nodiscard]] int part_of(int length, std::int64_t i, std::int64_t n);

/// A stretch of a bar; without paint it stays free.
struct BarPart {
    std::int64_t amount = 0;
    Paint paint{};
};

/// A bar of `all` with its parts from left to right, a name and a word above it.
struct Bar {
    static constexpr int height = 28;

    std::string label;
    std::string words;
    std::int64_t all = 0;
    std::vector<BarPart> parts;
};

void draw_bar(Canvas& out, Rect r, const Bar& bar);

/// One line of a legend; `amounts` may be empty.
struct LegendEntry {
    std::string label;
    std::string amounts;
    Paint swatch;
};

/// The entries of the first owners, and one that counts the others.
[[nodiscard]] std::vector<LegendEntry> first_owners(std::vector<LegendEntry> owners);

/// Columns are as wide as the longest entry needs.
[[nodiscard]] int draw_legend(Canvas& out, Point at, int width,
                              const std::vector<LegendEntry>& entries);

/// What a picture is called, what it tells without pictures, and how large it is.
struct Page {
    std::string title;
    std::string description;
    int width = 0;
    int height = 0;
};

/// The whole document: `body` on white.
[[nodiscard]] std::string page_of(const Page& page, const Canvas& body);

/// The width of a picture in pixels: what is asked for, from 480 to 4096.
[[nodiscard]] int page_width(std::uint32_t asked);

/// The document with its title above what `draw` draws. The page's height follows from that.
[[nodiscard]] std::string titled_page(Page page, const Draw& draw);

}  // namespace trestle::svg
