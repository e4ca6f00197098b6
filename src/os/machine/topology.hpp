// SPDX-License-Identifier: Apache-2.0
#pragma once

// An hwloc topology with an owner, and how it is loaded from each source.
//
// Layer: os, private. Main names: Topology, load_topology, info_of, and the readers of the parts of
// a NodeShape.

#include <hwloc.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "os/system_root.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/os/discover.hpp"

namespace trestle::os::detail {

struct TopologyDeleter {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

/// The machine that `options` name, with its important I/O objects.
[[nodiscard]] StatusOr<Topology> load_topology(const DiscoverOptions& options);

/// The value of hwloc's info attribute `name`; empty when the object has none.
[[nodiscard]] std::string_view info_of(hwloc_obj_t object, const char* name);

[[nodiscard]] std::string_view text_of(const char* text_or_null);

/// What stands in the last pair of brackets, as in "GH100 [H100 SXM5 80GB]"; else all of it.
[[nodiscard]] std::string_view marketing_name(std::string_view model);

/// Without numbers that no PuSet holds; check(shape) refuses the threads that have them.
[[nodiscard]] PuSet pus_of(hwloc_const_bitmap_t bitmap);

/// Cores, groups, memory domains and distances.
void read_hardware(hwloc_topology_t topology, NodeShape& shape);

using DeviceOfPci = std::map<hwloc_obj_t, DeviceId>;

/// Numbers for PCI switches, in the order in which they are met.
class SwitchNumbers {
  public:
    /// Those above a PCI function, outermost first.
    [[nodiscard]] std::vector<std::uint32_t> above(hwloc_obj_t pci);

  private:
    std::map<hwloc_obj_t, std::uint32_t> numbers_;
};

/// Links from matrices of bandwidths: direct ones, and those through switches, which hwloc gives as
/// GPU to switch.
[[nodiscard]] std::vector<DeviceLink> read_links(hwloc_topology_t topology,
                                                 const DeviceOfPci& device_of_pci);

/// Devices, links and disk, with what the /sys, /proc and /dev at `root` tell, which belong to the
/// topology. Requires: the hardware of `shape` was read.
void read_devices(hwloc_topology_t topology, const SystemRoot& root, NodeShape& shape);

}  // namespace trestle::os::detail
