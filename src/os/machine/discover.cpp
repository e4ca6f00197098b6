// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/discover.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "../drivers/drivers.hpp"
#include "os/driver_text.hpp"
#include "topology.hpp"
#include "trestle/base/text.hpp"

namespace trestle::os {

namespace {

using detail::DriverGpus;

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

struct LibraryReader {
    DriverSource source;
    StatusOr<DriverGpus> (*read)(const std::string& folder);
};
constexpr std::array library_readers{LibraryReader{DriverSource::nvml, &detail::read_nvml},
                                     LibraryReader{DriverSource::rsmi, &detail::read_rsmi},
                                     LibraryReader{DriverSource::oneapi, &detail::read_level_zero}};

struct FolderReader {
    DriverSource source;
    StatusOr<DriverGpus> (*read)(const detail::SystemRoot& root);
};
constexpr std::array folder_readers{FolderReader{DriverSource::nrt, &detail::read_neuron},
                                    FolderReader{DriverSource::nvidia, &detail::read_nvidia_proc}};

/// What all drivers tell that may be asked, the libraries last. `is_here`: it is this machine.
StatusOr<std::vector<DriverGpus>> ask_drivers(const DiscoverOptions& options,
                                              const detail::SystemRoot& root, bool is_here) {
    std::vector<DriverGpus> told;
    const auto ask = [&](const auto& reader, const auto& whom) -> Status {
        StatusOr<DriverGpus> gpus = reader.read(whom);
        if (gpus.ok()) {
            told.push_back(*std::move(gpus));
        } else if (reader.source == options.drivers) {
            return with_context(to_text(reader.source), gpus.status());
        }
        return {};
    };
    for (const FolderReader& reader : folder_readers) TRESTLE_TRY_STATUS(ask(reader, root));
    const bool has_libraries = is_here || !options.library_folder.empty();
    for (const LibraryReader& reader : library_readers) {
        const bool is_asked_by_name = options.drivers == reader.source;
        if (is_asked_by_name && !has_libraries) {
            return invalid_argument(
                "{}: expected library_folder, for this machine's library does "
                "not know another machine",
                to_text(reader.source));
        }
        const bool is_asked = options.drivers == DriverSource::present && has_libraries;
        if (!is_asked && !is_asked_by_name) continue;
        TRESTLE_TRY_STATUS(ask(reader, options.library_folder));
    }
    return told;
}

/// Linux can count memory in no NUMA node, as that which a virtual machine got after its start. A
/// machine with one node has all of it there.
void complete_memory(hwloc_topology_t topology, const detail::SystemRoot& root, NodeShape& shape) {
    const hwloc_const_bitmap_t nodes = hwloc_get_root_obj(topology)->complete_nodeset;
    if (shape.memory.size() != 1 || hwloc_bitmap_weight(nodes) != 1) return;
    const std::string total = detail::page_value(root.read("/proc/meminfo"), "MemTotal");
    const auto kibibytes = TextCursor(total).take_number();
    if (!total.ends_with(" kB") || !kibibytes || *kibibytes >= std::uint64_t{1} << 53) return;
    Bytes& capacity = shape.memory.front().capacity;
    capacity = std::max(capacity, detail::bytes_told(*kibibytes << 10));
}

StatusOr<Node> read_node(hwloc_topology_t topology, const DiscoverOptions& options) {
    const hwloc_obj_t machine = hwloc_get_root_obj(topology);
    NodeShape shape;
    TRESTLE_TRY(shape.architecture, architecture_of(detail::info_of(machine, "Architecture")));
    detail::read_hardware(topology, shape);
    // hwloc's own variables (HWLOC_XMLFILE) may have put another machine in place of this one.
    const bool is_here = options.fs_root.empty() && hwloc_topology_is_thissystem(topology) != 0;
    const bool has_files = is_here || !options.fs_root.empty();
    const detail::SystemRoot root =
        has_files ? detail::SystemRoot(options.fs_root) : detail::SystemRoot();
    complete_memory(topology, root, shape);
    detail::read_devices(topology, root, shape);
    TRESTLE_TRY(const auto told, ask_drivers(options, root, is_here));
    detail::complete_devices(told, root, shape);
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
