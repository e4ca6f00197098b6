// SPDX-License-Identifier: Apache-2.0
#pragma once

// Devices between configuration and shape: one record each, of which merge() makes the devices.
//
// Layer: dialect/slurm, inside. Main types: GresRecord, NodeView.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/conf/merge.hpp"

namespace trestle::slurm {

/// What the files say of one node, without copies.
struct NodeView {
    const std::string& name;
    const NodeLine& node;
    std::vector<const GresLine*> lines;  ///< in the order of gres.conf, the node's alone
    SystemCoresFrom system_cores_from = SystemCoresFrom::last;
};

/// One device, or as many as a counter counts.
struct GresRecord {
    std::string name;
    std::string type;
    Count count{1};  ///< 1, but for counters and parts of devices
    bool is_consumed = true;
    std::vector<std::string> files;
    std::optional<CoreSet> cores;
    std::vector<std::int32_t> links;
    const GresLine* line = nullptr;    ///< absent: slurm.conf alone
    const Device* detected = nullptr;  ///< what was found on the machine

    [[nodiscard]] std::string file() const { return files.empty() ? "" : files.front(); }
};

/// What slurm.conf and gres.conf come to, and warnings.
struct GresRecords {
    std::vector<GresRecord> devices;
    std::vector<GresRecord> parts;  ///< mps and shard
    std::vector<ConfWarning> warnings;
};

/// What a line describes. The Count of parts is of all its files together, which give as many each.
[[nodiscard]] Count count_of_line(const GresLine& line);

/// slurm.conf x gres.conf, as far as they go together; the rest is added to `errors`.
[[nodiscard]] GresRecords records_of(const NodeView& view, std::vector<ConfError>& errors);

/// What makes the node invalid. `is_detecting`: AutoDetect may find GPUs that have no line.
[[nodiscard]] std::optional<NodeFault> fault_of(const NodeView& view, const GresRecords& records,
                                                const HardwareTree& hardware, bool is_detecting);

/// The GPUs of `records` matched with detected ones, of the vendor that AutoDetect names.
void match_detected(const NodeView& view, const NodeShape& detected,
                    std::optional<AutoDetect> autodetect, GresRecords& records);

/// Links= of a GPU: its strengths to all GPUs of the node in their order, -1 at its own place.
/// Empty when no GPU there has a link, and for an instance of a GPU.
[[nodiscard]] std::vector<std::int32_t> links_of(const NodeShape& shape, DeviceId id);

[[nodiscard]] std::optional<AutoDetect> autodetect_of(const NodeView& view,
                                                      std::vector<ConfError>& errors);

/// The node as far as it goes: devices that cannot be are left out or have no cores or links.
[[nodiscard]] MergedNode merge(const NodeView& view, const std::optional<NodeShape>& detected,
                               std::vector<ConfError>& errors);

}  // namespace trestle::slurm
