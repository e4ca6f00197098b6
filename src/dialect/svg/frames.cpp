// SPDX-License-Identifier: Apache-2.0
#include "frames.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trestle::svg {

Grid Grid::in(int room, std::size_t count, const Limits& limits) {
    const auto fitting =
        static_cast<std::size_t>(std::max(1, (room + limits.gap) / (limits.cell_min + limits.gap)));
    const std::size_t rows = std::max<std::size_t>(1, (count + fitting - 1) / fitting);
    Grid grid;
    grid.columns = std::max<std::size_t>(1, (count + rows - 1) / rows);
    grid.gap = limits.gap;
    const int columns = static_cast<int>(grid.columns);
    const int cell = std::min((room + limits.gap) / columns, limits.cell_max + limits.gap);
    grid.span = cell < limits.cell_max + limits.gap ? room + limits.gap : columns * cell;
    return grid;
}

Rect Grid::cell(Point at, int height, std::size_t i) const {
    const int row = static_cast<int>(i / columns);
    const int column = static_cast<int>(i % columns);
    const int from = column * span / static_cast<int>(columns);
    const int to = (column + 1) * span / static_cast<int>(columns);
    return {at.x + from, at.y + row * (height + gap), std::max(1, to - from - gap), height};
}

int Grid::height_of(std::size_t count, int height) const {
    const int rows = static_cast<int>((count + columns - 1) / columns);
    return rows == 0 ? 0 : rows * (height + gap) - gap;
}

int draw_framed(Canvas& out, Point at, int width, const std::vector<Draw>& boxes,
                const Frame& frame) {
    const Grid grid = Grid::in(width, boxes.size(), frame.limits);
    int y = at.y;
    for (std::size_t first = 0; first < boxes.size(); first += grid.columns) {
        const std::size_t last = std::min(boxes.size(), first + grid.columns);
        Canvas content;
        int height = 0;
        for (std::size_t i = first; i < last; ++i) {
            const Rect place = grid.cell({at.x, y}, 0, i - first);
            const Point inner{place.x + frame.pad, y + frame.pad};
            height = std::max(height, boxes[i](content, inner, place.width - 2 * frame.pad));
        }
        height += 2 * frame.pad;
        for (std::size_t i = first; i < last; ++i) {
            out.rect(grid.cell({at.x, y}, height, i - first),
                     {.fill = frame.fill, .stroke = style::line, .radius = 6});
        }
        out.append(content);
        y += height + frame.limits.gap;
    }
    return y - at.y - (boxes.empty() ? 0 : frame.limits.gap);
}

int draw_stacked(Canvas& out, Point at, int width, const std::vector<Draw>& parts) {
    int height = 0;
    for (const Draw& part : parts) {
        const int gap = height == 0 ? 0 : style::gap;
        const int added = part(out, {at.x, at.y + height + gap}, width);
        if (added > 0) height += gap + added;
    }
    return height;
}

int part_of(int length, std::int64_t i, std::int64_t n) {
    if (i >= n) return length;
    for (; n >= std::int64_t{1} << 40; n /= 2) i /= 2;  // the product below fits 63 bits
    return static_cast<int>(length * i / n);
}

void draw_bar(Canvas& out, Rect r, const Bar& bar) {
    const Rect all{r.x, r.y + 16, r.width, 12};
    const int label_room = r.width * 2 / 5;
    out.text({r.x, r.y + 11}, bar.label, {.size = 10, .room = label_room});
    out.text(
        {r.x + r.width, r.y + 11}, bar.words,
        {.size = 10, .fill = style::muted, .anchor = Anchor::end, .room = r.width - label_room});
    out.rect(all, {.fill = style::paper});
    std::int64_t from = 0;
    for (const BarPart& part : bar.parts) {
        const std::int64_t to = from + std::min(part.amount, bar.all - from);
        const int x = part_of(all.width, from, bar.all);
        const int width = part_of(all.width, to, bar.all) - x;
        if (part.paint && width > 0) part.paint(out, {all.x + x, all.y, width, all.height});
        from = to;
    }
    out.rect(all, {.stroke = style::cell_line, .radius = 2});
}

std::vector<LegendEntry> first_owners(std::vector<LegendEntry> owners) {
    constexpr std::size_t most = 24;
    if (owners.size() <= most) return owners;
    const std::size_t more = owners.size() - most;
    owners.resize(most);
    owners.push_back({fmt::format("{} more owner{}", more, more == 1 ? "" : "s"), "",
                      [](Canvas& to, Rect r) { to.rect(r, {.fill = style::panel}); }});
    return owners;
}

int draw_legend(Canvas& out, Point at, int width, const std::vector<LegendEntry>& entries) {
    constexpr int height = 30;
    int column = 210;  // or what the longest entry needs
    for (const LegendEntry& one : entries) {
        column =
            std::max({column, 30 + text_width(one.label, 12), 30 + text_width(one.amounts, 10)});
    }
    const Grid grid =
        Grid::in(width, entries.size(), {std::min(column, width), std::max(column, 320), 12});
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Rect place = grid.cell(at, height, i);
        const Rect swatch{place.x, place.y + 2, 22, 22};
        entries[i].swatch(out, swatch);
        out.rect(swatch, {.stroke = style::taken_line, .radius = 2});
        const int room = place.width - 30;
        const bool is_short = entries[i].amounts.empty();
        out.text({place.x + 30, place.y + (is_short ? 17 : 11)}, entries[i].label,
                 {.size = 11, .is_bold = !is_short, .room = room});
        if (is_short) continue;
        out.text({place.x + 30, place.y + 24}, entries[i].amounts,
                 {.size = 10, .fill = style::muted, .room = room});
    }
    return grid.height_of(entries.size(), height);
}

namespace {

/// Colours of a dark ground, for elements of pictures alone: a notebook puts them into its page.
[[nodiscard]] std::string dark_style() {
    std::string rules;
    for (const style::DarkColour& one : style::on_dark) {
        for (const char* what : {"fill", "stroke"}) {
            rules += fmt::format(".trestle-picture [{0}=\"{1}\"]{{{0}:{2}}}\n", what, one.light,
                                 one.dark);
        }
    }
    return "<style>@media (prefers-color-scheme: dark) {\n" + rules + "}</style>\n";
}

}  // namespace

std::string page_of(const Page& page, const Canvas& body) {
    Canvas ground;
    ground.rect({0, 0, page.width, page.height}, {.fill = style::paper});
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" role=\"img\" class=\"trestle-picture\" "
        "font-family=\"Helvetica, Arial, sans-serif\">\n"
        "<title>{2}</title>\n<desc>{3}</desc>\n{4}{5}{6}</svg>\n",
        page.width, page.height, escaped(page.title), escaped(page.description), dark_style(),
        ground.elements(), body.elements());
}

int page_width(std::uint32_t asked) {
    return static_cast<int>(std::clamp<std::uint32_t>(asked, 480, 4096));
}

std::string titled_page(Page page, const Draw& draw) {
    const int room = page.width - 2 * style::margin;
    const Point at{style::margin, style::margin};
    Canvas body;
    body.text({at.x, at.y + 16}, page.title, {.size = 18, .is_bold = true, .room = room});
    page.height = at.y + 28 + draw(body, {at.x, at.y + 28}, room) + style::margin;
    return page_of(page, body);
}

}  // namespace trestle::svg
