// SPDX-License-Identifier: Apache-2.0
#include "canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

namespace trestle::svg {
namespace {

struct CodePoint {
    std::uint32_t value = 0;
    std::size_t bytes = 0;
};

/// The code point that `text` starts with, or nothing when it is not one in UTF-8 (RFC 3629).
[[nodiscard]] std::optional<CodePoint> first_of(std::string_view text) {
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return CodePoint{lead, 1};
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc0 || lead >= 0xf8 || text.size() < bytes) return std::nullopt;
    std::uint32_t value = lead & (0x7fu >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0u) != 0x80) return std::nullopt;
        value = value << 6 | (next & 0x3fu);
    }
    const bool is_surrogate = value >= 0xd800 && value < 0xe000;
    if (value < least[bytes] || value > 0x10ffff || is_surrogate) return std::nullopt;
    return CodePoint{value, bytes};
}

/// Steps over one character and gives how it is written in XML.
[[nodiscard]] std::string_view take_character(std::string_view& text) {
    const auto point = first_of(text);
    const std::string_view itself = text.substr(0, point ? point->bytes : 1);
    text.remove_prefix(itself.size());
    if (!point) return "\xef\xbf\xbd";
    switch (point->value) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        case '\t':
        case '\n':
        case '\r':
            return " ";
        default:
            break;
    }
    const bool is_control = point->value < 0x20 || (point->value >= 0x7f && point->value < 0xa0);
    const bool is_no_character = point->value == 0xfffe || point->value == 0xffff;
    return is_control || is_no_character ? "\xef\xbf\xbd" : itself;
}

/// Escaped, and cut after so many characters.
[[nodiscard]] std::string escaped_and_cut(std::string_view text, std::size_t characters) {
    std::string out;
    std::size_t before_last = 0;
    for (std::size_t count = 0; !text.empty(); ++count) {
        if (count == characters) return out.substr(0, before_last) + "\xe2\x80\xa6";
        before_last = out.size();
        out += take_character(text);
    }
    return out;
}

[[nodiscard]] const char* name_of(Anchor anchor) {
    return anchor == Anchor::middle ? "middle" : "end";
}

}  // namespace

std::string escaped(std::string_view text) { return escaped_and_cut(text, text.size() + 1); }

void Canvas::paint(const Ink& ink) {
    fmt::format_to(std::back_inserter(out_), " fill=\"{}\"", ink.fill);
    if (ink.stroke == nullptr) return;
    fmt::format_to(std::back_inserter(out_), " stroke=\"{}\"", ink.stroke);
    if (ink.thickness != 1) {
        fmt::format_to(std::back_inserter(out_), " stroke-width=\"{}\"", ink.thickness);
    }
}

void Canvas::rect(Rect r, const Ink& ink) {
    if (r.width <= 0 || r.height <= 0) return;
    fmt::format_to(std::back_inserter(out_), "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
                   r.x, r.y, r.width, r.height);
    if (ink.radius > 0) fmt::format_to(std::back_inserter(out_), " rx=\"{}\"", ink.radius);
    paint(ink);
    out_ += "/>\n";
}

void Canvas::text(Point at, std::string_view text, const TextStyle& style) {
    // A letter of a sans-serif font is a little over half as wide as it is high.
    const auto fitting =
        static_cast<std::size_t>(std::max(1, style.room * 100 / (style.size * 57)));
    fmt::format_to(std::back_inserter(out_), "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"",
                   at.x, at.y, style.size, style.fill);
    if (style.is_bold) out_ += " font-weight=\"bold\"";
    if (style.anchor != Anchor::start) {
        fmt::format_to(std::back_inserter(out_), " text-anchor=\"{}\"", name_of(style.anchor));
    }
    out_ += '>';
    const std::string whole = escaped(text);
    const std::string shown = style.room > 0 ? escaped_and_cut(text, fitting) : whole;
    out_ += shown;
    if (shown != whole) out_ += "<title>" + whole + "</title>";
    out_ += "</text>\n";
}

void Canvas::path(std::string_view data, const Ink& ink) {
    fmt::format_to(std::back_inserter(out_), "<path d=\"{}\"", data);
    paint(ink);
    out_ += "/>\n";
}

void Canvas::hatch(Rect r, const char* stroke) {
    constexpr int step = 5;
    std::string data;
    // Lines x + y = c, from the top or right edge down to the left or bottom one.
    for (int c = step; c < r.width + r.height; c += step) {
        const Point from{std::min(c, r.width), std::max(0, c - r.width)};
        const int length = std::min(from.x, r.height - from.y);
        data += fmt::format("M{} {}l{} {}", r.x + from.x, r.y + from.y, -length, length);
    }
    path(data, {.stroke = stroke});
}

void Canvas::begin_group(std::string_view title) {
    out_ += "<g><title>" + escaped(title) + "</title>\n";
}

}  // namespace trestle::svg
