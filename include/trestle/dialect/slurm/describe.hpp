// SPDX-License-Identifier: Apache-2.0
#pragma once

// From slurm.conf and gres.conf to nodes.
//
// Layer: dialect/slurm. Main names: parse_nodes and build_nodes, functions of the two files and
// nothing else.
// A reader would get wrong: hardware threads get Slurm's abstract numbers, because a file cannot
// know the kernel's: thread t of core c of socket s is
// (s * cores_per_socket + c) * threads_per_core + t. A discovered node has the kernel's.

#include <span>
#include <string_view>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/gres_conf.hpp"
#include "trestle/dialect/slurm/node_conf.hpp"
#include "trestle/model/node.hpp"

namespace trestle::slurm {

/// One node for every name, in the order of the files; nodes that are described alike share a
/// shape. Sockets are packages; each is one memory domain with an equal part of RealMemory, what
/// does not divide goes to the first ones byte by byte.
///
/// Devices: slurm.conf says names, types and counts, gres.conf files, cores and links. A type of
/// slurm.conf takes lines of the same type without regard to case; an untyped GRES takes every line
/// of the name, and its devices have no type. A GRES without any line, or with CountOnly, has
/// devices without files and cores. Links[i] is the strength to the device whose own place is i.
/// The lines of names that no node has are passed over.
///
/// Errors: InvalidArgument that names the line and node: a node named twice; a count that differs
/// between the files (more in slurm.conf is right under AutoDetect, where the missing ones have no
/// files); a core that does not exist; links that contradict each other or lead nowhere; one file
/// used by two devices; more than 4096 devices on a node.
[[nodiscard]] StatusOr<std::vector<Node>> build_nodes(std::span<const NodeLine> nodes,
                                                      std::span<const GresLine> gres);

/// The texts of slurm.conf (its NodeName lines) and gres.conf; no gres.conf is an empty one.
struct ConfTexts {
    std::string_view node_conf;
    std::string_view gres_conf;
};

/// The nodes that the texts describe. Errors: the first of parse_node_conf, parse_gres_conf and
/// build_nodes, naming the file.
[[nodiscard]] StatusOr<std::vector<Node>> parse_nodes(const ConfTexts& texts);

}  // namespace trestle::slurm
