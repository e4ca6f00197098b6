// SPDX-License-Identifier: Apache-2.0
#pragma once

// Canvas: SVG elements one after the other, in whole pixels, with every text escaped.
//
// Layer: dialect/svg, inside. Main types: Canvas, Rect, Ink, TextStyle.
// Pitfall: later elements lie over earlier ones. A frame whose height its content decides is drawn
// by drawing the content on a canvas of its own and appending that.

#include <string>
#include <string_view>

namespace trestle::svg {

struct Rect {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
};

[[nodiscard]] constexpr Rect inset(Rect r, int by) {
    return {r.x + by, r.y + by, r.width - 2 * by, r.height - 2 * by};
}

struct Point {
    int x = 0;
    int y = 0;
};

/// How a shape is painted. Colours are literals of this library.
struct Ink {
    const char* fill = "none";
    const char* stroke = nullptr;
    int radius = 0;     ///< of the corners
    int thickness = 1;  ///< of the stroke, in pixels
};

enum class Anchor { start, middle, end };

struct TextStyle {
    int size = 11;
    const char* fill = "#1f2328";
    Anchor anchor = Anchor::start;
    bool is_bold = false;
    int room = 0;  ///< pixels after which the text is cut, with a <title> of all of it; 0: never
};

/// About how many pixels a text needs: a letter of a sans-serif font is a little over half as wide
/// as it is high.
[[nodiscard]] constexpr int text_width(std::string_view text, int size) {
    return static_cast<int>(text.size()) * size * 57 / 100 + 1;
}

/// Text that may stand between tags and in attributes: markup is escaped, line ends and tabs are
/// blanks, what is not UTF-8 or not allowed in XML 1.0 is U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

class Canvas {
  public:
    void rect(Rect r, const Ink& ink);
    void text(Point at, std::string_view text, const TextStyle& style);
    /// `data` is path data made of numbers and letters.
    void path(std::string_view data, const Ink& ink);
    /// Diagonal lines all over `r`.
    void hatch(Rect r, const char* stroke);
    /// What a pointer over the group shows, and a screen reader says. Ends with end_group().
    void begin_group(std::string_view title);
    void end_group() { out_ += "</g>\n"; }
    void append(const Canvas& other) { out_ += other.out_; }

    [[nodiscard]] const std::string& elements() const { return out_; }

  private:
    void paint(const Ink& ink);

    std::string out_;
};

}  // namespace trestle::svg
