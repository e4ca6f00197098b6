// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/discover.hpp"

#include <array>
#include <utility>

#include "topology.hpp"

namespace trestle::os {

namespace {

struct ArchitectureName {
    std::string_view prefix;  ///< of what uname calls the machine
    Architecture architecture;
};
constexpr std::array architecture_names{
    ArchitectureName{"x86", Architecture::x86},     ArchitectureName{"amd64", Architecture::x86},
    ArchitectureName{"i686", Architecture::x86},    ArchitectureName{"aarch64", Architecture::arm},
    ArchitectureName{"arm", Architecture::arm},     ArchitectureName{"ppc64", Architecture::power},
    ArchitectureName{"riscv", Architecture::riscv},
};

StatusOr<Architecture> architecture_of(std::string_view name) {
    if (name.empty()) return Architecture::x86;
    for (const ArchitectureName& known : architecture_names) {
        if (name.starts_with(known.prefix)) return known.architecture;
    }
    return invalid_argument("architecture {}: expected x86_64, aarch64, ppc64le or riscv64", name);
}

StatusOr<Node> read_node(hwloc_topology_t topology, const DiscoverOptions& options) {
    const hwloc_obj_t machine = hwloc_get_root_obj(topology);
    NodeShape shape;
    TRESTLE_TRY(shape.architecture, architecture_of(detail::info_of(machine, "Architecture")));
    detail::read_hardware(topology, shape);
    // hwloc's own variables (HWLOC_XMLFILE) may have put another machine in place of this one.
    const bool has_files = !options.fs_root.empty() || hwloc_topology_is_thissystem(topology) != 0;
    detail::read_devices(topology, has_files ? &options.fs_root : nullptr, shape);
    TRESTLE_TRY_STATUS(check(shape));

    Node node;
    node.name = detail::info_of(machine, "HostName");
    if (node.name.empty()) node.name = "localhost";
    node.shape = std::move(shape);
    return node;
}

}  // namespace

StatusOr<Node> discover(const DiscoverOptions& options) {
    TRESTLE_TRY(const detail::Topology topology, detail::load_topology(options));
    const std::string& path = options.xml_file.empty() ? options.fs_root : options.xml_file;
    auto node = read_node(topology.get(), options);
    if (!node.ok()) return with_context(path.empty() ? "this machine" : path, node.status());
    return node;
}

}  // namespace trestle::os
