// SPDX-License-Identifier: Apache-2.0
#pragma once

// The small things of a picture: core, memory bar, device, legend swatch, each in a rectangle.
//
// Layer: dialect/svg, inside. Main types: Cells (draws one of them).
// Pitfall: a cell's tooltip is the only text that always tells everything; what is written on a
// cell is cut to its room.

#include <cstddef>
#include <string_view>

#include "canvas.hpp"
#include "frames.hpp"
#include "scene.hpp"
#include "style.hpp"

namespace trestle::svg {

/// Draws on `out`. Keeps references: lives as long as one picture is drawn.
class Cells {
  public:
    Cells(const NodeShape& shape, const Scene& scene)
        : shape_(shape), scene_(scene), sizes_(style::sizes_for(shape)) {}

    static constexpr int memory_height = 28;

    [[nodiscard]] const style::Sizes& sizes() const { return sizes_; }
    [[nodiscard]] int device_height() const;

    void core(Canvas& out, Rect r, CoreId core) const;
    void memory(Canvas& out, Rect r, DomainId domain) const;
    void device(Canvas& out, Rect r, DeviceId device) const;
    /// The owner's colour and mark, the corners with this radius.
    static void fill(Canvas& out, Rect r, const Owner& owner, int radius = 0);
    void fill(Canvas& out, Rect r, std::size_t owner, int radius = 0) const {
        fill(out, r, scene_.owners[owner], radius);
    }
    /// A device as a dot in a picture of links: `r` filled by its owner.
    void link_end(Canvas& out, Rect r, DeviceId device) const;
    /// A device in as little room as shows the share of each owner, with its number.
    void small_device(Canvas& out, Rect r, DeviceId device) const;
    /// What a core of the system and a reserved one look like.
    static void system_ground(Canvas& out, Rect r);
    static void reserved_ground(Canvas& out, Rect r);
    /// 15 pixels each way; nothing for the healthy.
    static void health_mark(Canvas& out, Point at, Health health);

  private:
    /// Dark on light, light on the proposal.
    [[nodiscard]] const char* ink_on(std::size_t owner) const;
    /// The same on a device that an owner has whole, else `free_ink`.
    [[nodiscard]] const char* ink_on(DeviceId device, const char* free_ink) const;
    /// To one owner, or to several where it is for any number of them.
    [[nodiscard]] bool is_given_whole(DeviceId device) const;
    [[nodiscard]] bool is_proposed_whole(DeviceId device) const;
    void threads(Canvas& out, Rect r, CoreId core) const;
    void device_ground(Canvas& out, Rect r, DeviceId device) const;
    void shares(Canvas& out, Rect r, DeviceId device) const;
    void slices(Canvas& out, Rect r, DeviceId device) const;
    const NodeShape& shape_;
    const Scene& scene_;
    style::Sizes sizes_;
};

}  // namespace trestle::svg
