// SPDX-License-Identifier: Apache-2.0
#include "cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

namespace trestle::svg {
namespace {

constexpr int thread_strip = 7;  // height of the hardware threads below a core's number
constexpr int share_strip = 8;
constexpr int slice_strip = 14;

/// Column `i` of `n` of a rectangle.
[[nodiscard]] Rect column(Rect r, std::size_t i, std::size_t n) {
    const int from = r.width * static_cast<int>(i) / static_cast<int>(n);
    const int to = r.width * static_cast<int>(i + 1) / static_cast<int>(n);
    return {r.x + from, r.y, to - from, r.height};
}

/// Only an owner of the whole cell fills its corners.
template <class Holds>
[[nodiscard]] int cell_radius(const Holds& holds) {
    return holds.size() == 1 ? style::radius : 0;
}

[[nodiscard]] const char* short_name(MemoryDomain::Kind kind) {
    switch (kind) {
        case MemoryDomain::Kind::dram:
            return "";
        case MemoryDomain::Kind::high_bandwidth:
            return " hbm";
        case MemoryDomain::Kind::persistent:
            return " pmem";
        case MemoryDomain::Kind::device:
            return " device";
    }
    return "";
}

/// What is written below the name.
[[nodiscard]] std::string subtitle(const Device& device) {
    const std::string kind = kind_words(device);
    const std::string state = device.health != Health::healthy ? std::string(to_text(device.health))
                              : device.is_drained              ? "drained"
                                                               : "";
    return kind + (kind.empty() || state.empty() ? "" : ", ") + state;
}

}  // namespace

int Cells::device_height() const {
    const bool is_cut =
        std::any_of(shape_.devices.begin(), shape_.devices.end(),
                    [](const Device& device) { return device.slicing.has_value(); });
    return sizes_.device_height + (is_cut ? slice_strip - share_strip + 4 : 0);
}

const char* Cells::ink_on(std::size_t owner) const {
    return scene_.owners[owner].is_proposed() ? style::proposed_ink : style::owner_ink;
}

bool Cells::is_given_whole(DeviceId id) const {
    const auto& holds = scene_.devices[id.value()];
    return !holds.empty() && std::all_of(holds.begin(), holds.end(), [&](const DeviceHold& hold) {
        return !hold.share.slice && hold.share.shares >= shape_.devices[id.value()].shares;
    });
}

bool Cells::is_proposed_whole(DeviceId id) const {
    const auto& holds = scene_.devices[id.value()];
    return is_given_whole(id) && holds.size() == 1 &&
           scene_.owners[holds.front().owner].is_proposed();
}

const char* Cells::ink_on(DeviceId id, const char* free_ink) const {
    if (is_proposed_whole(id)) return style::proposed_ink;
    return is_given_whole(id) ? style::owner_ink : free_ink;
}

void Cells::fill(Canvas& out, Rect r, const Owner& owner, int radius) {
    if (owner.is_proposed()) {
        return out.rect(r, {.fill = style::proposed_fill, .radius = radius});
    }
    constexpr std::size_t colours = std::size(style::owner_fills);
    out.rect(r, {.fill = style::owner_fills[owner.colour % colours], .radius = radius});
    switch (owner.colour / colours % 4) {
        case 1:
            return out.rect({r.x, r.y, r.width, 3}, {.fill = style::ink});
        case 2:
            return out.rect({r.x, r.y, 3, r.height}, {.fill = style::ink});
        case 3:
            return out.rect({r.x + r.width - 3, r.y, 3, r.height}, {.fill = style::ink});
        default:
            return;
    }
}

void Cells::system_ground(Canvas& out, Rect r) {
    out.rect(r, {.fill = style::system_fill});
    out.hatch(r, style::cell_line);
}

void Cells::reserved_ground(Canvas& out, Rect r) { out.hatch(r, style::hatch); }

void Cells::threads(Canvas& out, Rect r, CoreId id) const {
    const std::size_t count = shape_.hardware.cores[id.value()].threads.size();
    const auto& holds = scene_.cores[id.value()];
    if (holds.size() == 1) {
        for (std::size_t i = holds.front().threads; i < count; ++i) {
            out.rect(column(r, i, count), {.fill = style::paper});
        }
    }
    if (count < 2) return;
    std::string data;
    for (std::size_t i = 1; i < count; ++i) {
        data += fmt::format("M{} {}v{}", column(r, i, count).x, r.y, r.height);
    }
    if (r.height < sizes_.core_height) data += fmt::format("M{} {}h{}", r.x, r.y, r.width);
    out.path(data, {.stroke = holds.empty() ? style::thread_line : style::taken_line});
}

void Cells::core(Canvas& out, Rect r, CoreId id) const {
    const auto& holds = scene_.cores[id.value()];
    out.begin_group(core_title(shape_, scene_, id));
    out.rect(r, {.fill = style::paper});
    if (shape_.system_cores.contains(id)) {
        system_ground(out, r);
    } else if (scene_.reserved_cores.contains(id) && holds.empty()) {
        reserved_ground(out, r);
    }
    for (std::size_t i = 0; i < holds.size(); ++i) {
        const int from = r.height * static_cast<int>(i) / static_cast<int>(holds.size());
        const int to = r.height * static_cast<int>(i + 1) / static_cast<int>(holds.size());
        fill(out, {r.x, r.y + from, r.width, to - from}, holds[i].owner, cell_radius(holds));
    }
    const bool is_numbered = sizes_.core_text > 0;
    const int strip = is_numbered ? std::min(thread_strip, r.height) : r.height;
    threads(out, {r.x, r.y + r.height - strip, r.width, strip}, id);
    out.rect(r, {.stroke = holds.empty() ? style::cell_line : style::taken_line,
                 .radius = style::radius});
    const bool is_legible = std::none_of(holds.begin(), holds.end(), [&](const CoreHold& hold) {
        return scene_.owners[hold.owner].is_proposed() && holds.size() > 1;
    });
    if (is_numbered && is_legible) {
        const int body = r.height - strip;
        out.text({r.x + r.width / 2, r.y + (body + sizes_.core_text) / 2},
                 std::to_string(id.value()),
                 {.size = sizes_.core_text,
                  .fill = holds.empty() ? style::muted : ink_on(holds.front().owner),
                  .anchor = Anchor::middle});
    }
    out.end_group();
}

void Cells::memory(Canvas& out, Rect r, DomainId id) const {
    const MemoryDomain& domain = shape_.memory[id.value()];
    const std::int64_t capacity = domain.capacity.value();
    const Bytes free = free_bytes(shape_, scene_, id);
    std::vector<BarPart> parts;
    for (const MemoryHold& hold : scene_.memory[id.value()]) {
        parts.push_back({hold.bytes.value(),
                         [this, &hold](Canvas& to, Rect part) { fill(to, part, hold.owner); }});
    }
    parts.push_back({free.value()});
    parts.push_back({domain.reserved.value(), system_ground});
    out.begin_group(memory_title(shape_, scene_, id));
    draw_bar(out, r,
             {fmt::format("memory {}{}", domain.os_index.value(), short_name(domain.kind)),
              free_words(free, domain.capacity) + (r.width < 190 ? "" : " free"), capacity, parts});
    out.end_group();
}

void Cells::device_ground(Canvas& out, Rect r, DeviceId id) const {
    const Device& device = shape_.devices[id.value()];
    const auto& holds = scene_.devices[id.value()];
    const bool is_open = is_usable(device) && !scene_.is_drained && !scene_.is_broken;
    out.rect(r, {.fill = is_open ? style::paper : style::system_fill});
    if (device.is_drained || scene_.is_drained) out.hatch(r, style::hatch);
    for (std::size_t i = 0; is_given_whole(id) && i < holds.size(); ++i) {
        fill(out, column(r, i, holds.size()), holds[i].owner, cell_radius(holds));
    }
}

void Cells::shares(Canvas& out, Rect r, DeviceId id) const {
    const Device& device = shape_.devices[id.value()];
    std::int64_t all = 0;
    for (const DeviceHold& hold : scene_.devices[id.value()]) all += hold.share.shares.value();
    all = std::max(all, device.shares.value());
    out.rect(r, {.fill = style::paper});
    std::int64_t from = 0;
    for (const DeviceHold& hold : scene_.devices[id.value()]) {
        const std::int64_t to = from + hold.share.shares.value();
        const int x = part_of(r.width, from, all);
        fill(out, {r.x + x, r.y, part_of(r.width, to, all) - x, r.height}, hold.owner);
        from = to;
    }
    std::string data;
    for (std::int64_t i = 1; i < all && all <= 16; ++i) {
        data += fmt::format("M{} {}v{}", r.x + part_of(r.width, i, all), r.y, r.height);
    }
    if (!data.empty()) out.path(data, {.stroke = style::thread_line});
    out.rect(r, {.stroke = style::cell_line});
}

void Cells::slices(Canvas& out, Rect r, DeviceId id) const {
    const Slicing& slicing = *shape_.devices[id.value()].slicing;
    const auto all = static_cast<std::size_t>(slicing.geometry.memory_slices);
    const auto place_of = [&](const Slicing::Instance& slice) {
        const int from = r.width * static_cast<int>(slice.start) / static_cast<int>(all);
        const int to = r.width * static_cast<int>(slice.end()) / static_cast<int>(all);
        return Rect{r.x + from, r.y, to - from, r.height};
    };
    const auto write = [&](Rect place, const Slicing::Instance& slice, const char* ink) {
        const std::string profile = slice.profile.substr(0, slice.profile.find('.'));
        out.text({place.x + place.width / 2, place.y + place.height - 4}, profile,
                 {.size = 9, .fill = ink, .anchor = Anchor::middle, .room = place.width + 6});
    };
    out.rect(r, {.fill = style::paper});
    std::string data;
    for (std::size_t i = 1; i < all; ++i) {
        data += fmt::format("M{} {}v{}", column(r, i, all).x, r.y, r.height);
    }
    out.path(data, {.stroke = style::line});
    for (const Slicing::Instance& slice : slicing.instances) {
        out.rect(place_of(slice), {.fill = style::panel, .stroke = style::cell_line});
        write(place_of(slice), slice, style::muted);
    }
    for (const DeviceHold& hold : scene_.devices[id.value()]) {
        if (!hold.share.slice) continue;
        const Rect place = place_of(*hold.share.slice);
        fill(out, place, hold.owner);
        out.rect(place, {.stroke = style::taken_line});
        write(place, *hold.share.slice, ink_on(hold.owner));
    }
    out.rect(r, {.stroke = style::cell_line});
}

void Cells::health_mark(Canvas& out, Point at, Health health) {
    const TextStyle letter{.size = 10, .anchor = Anchor::middle, .is_bold = true};
    const auto write = [&](const char* text, const char* ink) {
        TextStyle style = letter;
        style.fill = ink;
        out.text({at.x + 7, at.y + 11}, text, style);
    };
    if (health == Health::failure) {
        out.path(fmt::format("M{} {}l11 11m-11 0l11 -11", at.x + 1, at.y + 1),
                 {.stroke = style::failure, .thickness = 3});
    } else if (health == Health::warning) {
        out.path(fmt::format("M{} {}l7 13h-14z", at.x + 7, at.y - 1),
                 {.fill = style::paper, .stroke = style::warning});
        write("!", style::warning);
    } else if (health == Health::unknown) {
        out.rect({at.x + 1, at.y + 1, 13, 13},
                 {.fill = style::paper, .stroke = style::muted, .radius = 6});
        write("?", style::muted);
    }
}

void Cells::device(Canvas& out, Rect r, DeviceId id) const {
    const Device& device = shape_.devices[id.value()];
    const auto& holds = scene_.devices[id.value()];
    const bool is_cut = device.slicing && device.slicing->geometry.memory_slices > 0;
    const bool has_strip = !is_given_whole(id) && (is_cut || device.shares > Count(1));

    out.begin_group(device_title(shape_, scene_, id));
    device_ground(out, r, id);
    out.text({r.x + 7, r.y + 14}, device_words(device),
             {.size = 11, .fill = ink_on(id, style::ink), .is_bold = true, .room = r.width - 10});
    if (sizes_.has_device_type) {
        out.text({r.x + 7, r.y + 26}, subtitle(device),
                 {.size = 10, .fill = ink_on(id, style::muted), .room = r.width - 10});
    }
    const int strip = is_cut ? slice_strip : share_strip;
    const Rect bottom{r.x + 6, r.y + r.height - strip - 4, r.width - 12, strip};
    if (has_strip) is_cut ? slices(out, bottom, id) : shares(out, bottom, id);
    const int mark_y = has_strip ? r.y + 4 : r.y + r.height - 16;
    health_mark(out, {r.x + r.width - 19, mark_y}, device.health);
    out.rect(r, {.stroke = holds.empty() ? style::cell_line : style::taken_line,
                 .radius = style::radius});
    out.end_group();
}

void Cells::link_end(Canvas& out, Rect r, DeviceId id) const {
    const Device& device = shape_.devices[id.value()];
    device_ground(out, r, id);
    const std::string name = r.width >= 36 ? device_words(device) : std::to_string(device.index);
    out.text(
        {r.x + r.width / 2, r.y + r.height - 4}, name,
        {.size = 9, .fill = ink_on(id, style::ink), .anchor = Anchor::middle, .room = r.width + 2});
    out.rect(r, {.stroke = style::cell_line, .radius = style::radius});
}

void Cells::small_device(Canvas& out, Rect r, DeviceId id) const {
    const Device& device = shape_.devices[id.value()];
    const auto& holds = scene_.devices[id.value()];
    const bool is_cut = device.slicing && device.slicing->geometry.memory_slices > 0;
    const std::int64_t all =
        is_cut ? device.slicing->geometry.memory_slices : device.shares.value();
    out.begin_group(device_title(shape_, scene_, id));
    device_ground(out, r, id);
    bool is_middle_taken = false;
    if (!is_given_whole(id)) {
        std::int64_t from = 0;
        for (const DeviceHold& hold : holds) {
            const auto& slice = hold.share.slice;
            if (slice) from = slice->start;
            const std::int64_t to =
                from + (slice ? std::int64_t{slice->size} : hold.share.shares.value());
            const int x = part_of(r.width, from, all);
            const int width = part_of(r.width, to, all) - x;
            fill(out, {r.x + x, r.y, width, r.height}, hold.owner);
            is_middle_taken |= x <= r.width / 2 && r.width / 2 < x + width;
            from = to;
        }
    }
    out.rect(r, {.stroke = holds.empty() ? style::cell_line : style::taken_line, .radius = 2});
    if (!is_usable(device)) {
        out.path(fmt::format("M{} {}l{} {}m{} 0l{} {}", r.x + 2, r.y + 2, r.width - 4, r.height - 4,
                             4 - r.width, r.width - 4, 4 - r.height),
                 {.stroke = device.is_drained ? style::muted : style::failure, .thickness = 2});
    } else if (r.width >= 12) {
        out.text({r.x + r.width / 2, r.y + r.height - 4}, std::to_string(device.index),
                 {.size = 9,
                  .fill = ink_on(id, is_middle_taken ? style::owner_ink
                                     : holds.empty() ? style::muted
                                                     : style::ink),
                  .anchor = Anchor::middle});
    }
    out.end_group();
}

}  // namespace trestle::svg
