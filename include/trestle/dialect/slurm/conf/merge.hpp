// SPDX-License-Identifier: Apache-2.0
#pragma once

// One node out of what slurm.conf, gres.conf and the machine itself say of it.
//
// Layer: dialect/slurm. Main names: NodeConf, merge, NodeFault, autodetect_of, configured_gres,
// detected_gres.
// Pure: what was detected is a value, the shape that discovery gave.
// Pitfall: slurm.conf alone decides names, types and counts. gres.conf and the machine say which
// files, cores and links these devices have. What they have more is left out with a warning, what
// they lack is a device without a file.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/conf/gres_conf.hpp"
#include "trestle/dialect/slurm/conf/node_conf.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/model/node.hpp"

namespace trestle::slurm {

/// A node has at most so many devices; what is counted beyond is one device.
inline constexpr std::int64_t devices_of_node_max = 4096;

/// What the files say of one node.
struct NodeConf {
    std::string name;
    NodeLine node;
    std::vector<GresLine> gres;  ///< lines of other nodes are passed over
    SystemCoresFrom system_cores_from = SystemCoresFrom::last;

    static constexpr auto fields(auto list) {
        return list(field("name", &NodeConf::name), field("node", &NodeConf::node),
                    field("gres", &NodeConf::gres),
                    field("system_cores_from", &NodeConf::system_cores_from));
    }
    friend bool operator==(const NodeConf&, const NodeConf&) = default;
};

/// Why a slurmctld makes a node invalid when it registers.
enum class NodeFaultKind {
    missing_gpus,   ///< gres.conf has fewer GPUs with files, or parts of them, than promised
    part_of_socket  ///< Cores= of a device with a file cuts a socket; a fault from Slurm 24.11 on
};

constexpr auto enum_names(NodeFaultKind) {
    using enum NodeFaultKind;
    return std::array{named(missing_gpus, "missing_gpus"), named(part_of_socket, "part_of_socket")};
}

/// What keeps a slurmctld from using a node.
struct NodeFault {
    NodeFaultKind kind = NodeFaultKind::missing_gpus;
    ConfPlace place;     ///< the line of gres.conf; without one, that of the node
    std::string reason;  ///< as Slurm gives it, without the node's name

    static constexpr auto fields(auto list) {
        return list(field("kind", &NodeFault::kind), field("place", &NodeFault::place),
                    field("reason", &NodeFault::reason));
    }
    friend bool operator==(const NodeFault&, const NodeFault&) = default;
};

/// What they come to, and what of the files was not used.
struct MergedNode {
    NodeShape shape;
    std::vector<ConfWarning> warnings;
    std::optional<NodeFault> fault;  ///< the first one

    static constexpr auto fields(auto list) {
        return list(field("shape", &MergedNode::shape), field("warnings", &MergedNode::warnings),
                    field("fault", &MergedNode::fault));
    }
    friend bool operator==(const MergedNode&, const MergedNode&) = default;
};

/// What detects devices on the node: a line with NodeName goes before one for all nodes; absent
/// where no line says. Errors: InvalidArgument for two such lines that differ.
[[nodiscard]] StatusOr<std::optional<AutoDetect>> autodetect_of(const NodeConf& conf);

/// The shape of the node.
///
/// Sockets are packages, or L3 caches or NUMA nodes if Parameters says so. Each socket is one
/// memory domain with an equal part of RealMemory. The remainder is dealt byte by byte to the first
/// ones. MemSpecLimit is divided in the same way. Hardware threads have Slurm's abstract numbers.
///
/// Devices (gres.c, gres_gpu.c, gres_c_s.c): each item of slurm.conf takes lines of its name in the
/// order of gres.conf. A typed item takes lines of its type, without regard to case. An untyped
/// item takes any line, and its devices have no type. The last line taken is cut down to the count.
/// Lines left over are warned of, and missing devices have no files. CountOnly lines give no files.
/// More than 4096 of a name and type become one device with that many shares, and the attribute
/// `shares` with the name.
///
/// Detected GPUs are used if `detected` is given and AutoDetect is not off, and also if gres.conf
/// has neither AutoDetect nor lines for GPUs. Those of the vendor that AutoDetect names are matched
/// with the configured ones by type, and by file if one is configured. A type matches if it is part
/// of the detected type, or of the type that Slurm would make of the model
/// (`nvidia_a100-sxm4-40gb`). In Slurm, a device also uses up the type of a line that names another
/// file, and the right device is then missed. A match has the detected device's files, UUID,
/// memory, model, cores and links, and the configured type. A GPU whose configured Cores or Links
/// differ is left out with a warning. So is a GPU that has no file in the end. GPUs are ordered by
/// their own place in Links, then by file.
///
/// mps and shard are parts of GPUs: the GPU's `shares`, with the attribute `shares` that names
/// which of the two. A Count without File is spread over the GPUs (of its type); the first ones get
/// the remainder. A GPU has only one kind of parts here; a second one is warned of.
/// RestrictedCoresPerGPU reserves the first cores near each GPU that no other GPU has.
///
/// Cores= may be any cores, and GPUs may lack files. The shape has them all the same, and `fault`
/// says why Slurm would not use the node. Which GPUs AutoDetect finds is not known here, so with it
/// none are missing.
///
/// Errors: InvalidArgument that names line and node: a core that does not exist. Lines of a name
/// some with files and some without, or some with a type and some without, or several with neither.
/// One file for two devices (of MultipleFiles all files, for instances of a GPU share its own).
/// Links that contradict each other or have one place for two. More than 4096 devices. Those of
/// autodetect_of.
[[nodiscard]] StatusOr<MergedNode> merge(const NodeConf& conf,
                                         const std::optional<NodeShape>& detected = std::nullopt);

/// What Slurm prints as the node's Gres=: `gpu:a100:4(S:0-1)`, with the sockets near the devices of
/// each name and type, none where no device has cores. Parts of GPUs behind the GPUs. Sockets are
/// packages, or the L3 or NUMA domains that a configuration calls so. gres_list_text prints it.
[[nodiscard]] std::vector<GresDetail> configured_gres(const NodeShape& shape);

/// The lines of gres.conf that describe a detected node's GPUs as AutoDetect finds them, one for
/// each device with a file, in their order. Their to_text() is a file that needs no AutoDetect:
/// merge() of the node gives the same result with either. File= is the first file. NVIDIA's devices
/// have all of their own files (instances have three), without the render node. Types are written
/// if all devices have one. Env flags are written if all devices are of one known vendor, because
/// one file may not mix them.
[[nodiscard]] std::vector<GresLine> detected_gres(const NodeShape& detected);

}  // namespace trestle::slurm
