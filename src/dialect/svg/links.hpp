// SPDX-License-Identifier: Apache-2.0
#pragma once

// Links between devices: arcs below a row of their names, or one bar where all are linked alike.
//
// Layer: dialect/svg, inside. Main function: draw_links.

#include <vector>

#include "canvas.hpp"
#include "cells.hpp"
#include "scene.hpp"

namespace trestle::svg {

struct LinkScene {
    const NodeShape& shape;
    const Cells& cells;
    const std::vector<LinkGroup>& groups;
};

/// Returns the height. Stronger links are thicker; each says in its tooltip how strong it is.
[[nodiscard]] int draw_links(Canvas& out, Point at, int width, const LinkScene& scene);

}  // namespace trestle::svg
