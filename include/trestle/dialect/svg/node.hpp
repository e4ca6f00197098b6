// SPDX-License-Identifier: Apache-2.0
#pragma once

// A picture of a node: its packages, cores, memory and devices, and their owners.
//
// Layer: dialect/svg. Main names: render_node, Taken, PictureOptions. The SVG is self-contained: no
// script, no style sheet, no font, no references, and no id that could clash in a page with several
// pictures. Colours stay distinct for the colour-blind, and the background is always white. Every
// core, memory share and device has a <title> with its description and owner.
// Pitfall: without options the colours follow the order of the owners in this one picture; in the
// next one an owner may have another.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::svg {

/// What a picture calls an owner.
struct OwnerName {
    OwnerId owner;
    std::string name;

    static constexpr auto fields(auto list) {
        return list(field("owner", &OwnerName::owner), field("name", &OwnerName::name));
    }
    friend bool operator==(const OwnerName&, const OwnerName&) = default;
};

/// A part of the node that has an owner.
struct Taken {
    std::optional<OwnerId> owner;  ///< absent: none yet, a decision that is proposed
    NodePlacement part;

    static constexpr auto fields(auto list) {
        return list(field("owner", &Taken::owner), field("part", &Taken::part));
    }
    friend bool operator==(const Taken&, const Taken&) = default;
};

/// How a picture looks, and what it shows beside the ledger.
struct PictureOptions {
    std::uint32_t width = 960;       ///< in pixels; 480 to 4096, else the nearer of the two
    std::string title{};             ///< empty: the name of the node
    std::vector<OwnerName> names{};  ///< the first one of an owner counts; others are numbers
    /// What a decision would take, drawn dark over the ledger.
    std::optional<NodePlacement> proposed{};

    static constexpr auto fields(auto list) {
        return list(field("width", &PictureOptions::width), field("title", &PictureOptions::title),
                    field("names", &PictureOptions::names),
                    field("proposed", &PictureOptions::proposed));
    }
    friend bool operator==(const PictureOptions&, const PictureOptions&) = default;
};

/// The picture as one SVG document, the same for the same arguments. `taken` may overlap: cores,
/// bytes and devices of several owners are split between them. The text of the node and of the
/// names may be anything; what XML cannot say becomes U+FFFD. Requires: what is taken and proposed
/// exists on the node, and check(*node.shape) is ok. Complexity: linear in the cores times what is
/// taken of the node.
[[nodiscard]] std::string render_node(const Node& node, std::span<const Taken> taken,
                                      const PictureOptions& options = {});

/// The node with what its owners have.
[[nodiscard]] std::string render_node(const Node& node, const NodeLedger& ledger,
                                      const PictureOptions& options = {});

/// The node, otherwise idle, with a placement on it. It takes the place of options.proposed.
[[nodiscard]] std::string render_node(const Node& node, const NodePlacement& placement,
                                      const PictureOptions& options = {});

}  // namespace trestle::svg
