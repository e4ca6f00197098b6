// SPDX-License-Identifier: Apache-2.0
#pragma once

// Discovery: a machine, this one or a recorded one, read into a Node.
//
// Layer: os. Main names: discover, DiscoverOptions, DriverSource, device_type. Uses hwloc. What
// hwloc's build does not report (file of a GPU, its model) is read from /proc and /sys, and from
// the vendors' libraries if installed. Unknown values stay empty.
// Pitfall: only what this process may use is reported. Threads and memory outside the allowed
// cpuset are no part of the node, so OsIndex values may start at 6 and have gaps.

#include <array>
#include <string>
#include <string_view>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/node.hpp"

namespace trestle::os {

/// The vendor libraries that are asked about accelerators, beside hwloc, /sys and /proc, which are
/// always read. The names are those of AutoDetect= in Slurm's gres.conf, where `present` is called
/// `full`.
enum class DriverSource {
    present,  ///< every library below that is there; one that fails tells nothing
    off,      ///< no library
    nvml,     ///< libnvidia-ml.so.1
    rsmi,     ///< librocm_smi64.so
    oneapi,   ///< libze_loader.so.1
    nrt,      ///< no library: /sys/devices/virtual/neuron_device has to be there
    nvidia    ///< no library: /proc/driver/nvidia has to be there
};

constexpr auto enum_names(DriverSource) {
    using enum DriverSource;
    return std::array{named(present, "present"), named(off, "off"),       named(nvml, "nvml"),
                      named(rsmi, "rsmi"),       named(oneapi, "oneapi"), named(nrt, "nrt"),
                      named(nvidia, "nvidia")};
}

/// Which machine to read. At most one of the first two fields is set; none: this machine.
struct DiscoverOptions {
    std::string xml_file = {};  ///< hwloc XML, format 1 or 2 (`lstopo machine.xml`)
    /// A folder with the /sys and /proc of another machine (hwloc-gather-topology).
    std::string fs_root = {};
    DriverSource drivers = DriverSource::present;
    /// Where the libraries are; empty: where the dynamic linker looks. Libraries speak of this
    /// machine, so for another one they are asked only when this is set.
    std::string library_folder = {};

    static constexpr auto fields(auto list) {
        return list(field("xml_file", &DiscoverOptions::xml_file),
                    field("fs_root", &DiscoverOptions::fs_root),
                    field("drivers", &DiscoverOptions::drivers),
                    field("library_folder", &DiscoverOptions::library_folder));
    }
    friend bool operator==(const DiscoverOptions&, const DiscoverOptions&) = default;
};

/// Reads the machine. The result passes check(shape); equal input gives equal nodes.
///
/// Cores are in tree order; those of faster kinds have a higher Core::kind if hwloc can rank the
/// kinds. Groups are packages, dies and those L3 and L2 caches that join several cores. Hwloc's
/// Group objects are left out, because their meaning differs from machine to machine (a NUMA node,
/// a cluster, a tile). Domains and caches have what matters of them. Memory domains are the NUMA
/// nodes that have memory; those without cores stay. A machine with one NUMA node has all memory of
/// /proc/meminfo in it, because Linux can count memory that was added later in no node. On POWER,
/// where there are as many of those as GPUs and each is as large as a GPU's memory, they are
/// MemoryDomain::Kind::device. Devices are PCI functions with a driver or a compute class, in the
/// order of their bus ids:
///   `gpu`  whatever CUDA, NVML, RSMI, Level Zero or OpenCL know, and display or accelerator
///          functions of vendors that make GPUs. One Device however many of these name it, but
///          each compute partition of an AMD GPU (SPX, TPX, CPX) is a Device. Graphics of a
///          management controller and those inside of a processor are none. TPUs, which have no
///          class, by their PCI numbers. AWS Neuron devices, whose bus ids are not
///          told, come last, by number
///   `nic`  functions with a network or InfiniBand interface of their own, not behind USB
///
/// Where a driver tells model, UUID, memory or compute capability of a device, hwloc's word does
/// not count. Its cores count where hwloc knows no place. A GPU in MIG mode is replaced by its
/// compute instances. Each is a device with the parent's place and cores, and its own UUID and
/// memory. Its type is `a100_1g.10gb`, or `a100_mig` where no library names the profile. Its files
/// are the parent's and those of its two capabilities. One with unknown ids is left out. Without
/// instances it is no device. Virtual functions (SR-IOV) are parts of their physical function and
/// no devices of their own. Disks count into NodeShape::disk. Loop devices, bridges and the like
/// are nothing. A device has the files that exist, the vendor's own (/dev/nvidia0) first; what VFIO
/// has goes by its group
/// (/dev/vfio/7). A folder without /dev has no device nodes: then it has those that /sys and /proc
/// name, with the numbers they tell. Device::switches: of the PCI-to-PCI bridges above a device,
/// root ports (directly below a host bridge) and downstream ports are no switches, upstream ports
/// are. PCI Express joins two ends by each link, so a bridge with several bridges directly below is
/// an upstream port. One with a single bridge below (ports that lead nowhere are not recorded) is
/// one if it lies below a root or a downstream port. Numbers rise as switches are met, device by
/// device. Links come from all matrices of bandwidths that hwloc has (NVLinkBandwidth,
/// XGMIBandwidth, XeLinkBandwidth, and those that users added), never from latencies. Strength is
/// the bandwidth in MB/s: of the two directions the lower one, of several matrices the one that
/// tells most, 2^32 - 1 at most. GPUs that meet through NVSwitches are linked to each other. Where
/// a driver counts the links of two GPUs (NVLink, XGMI, Neuron), strength is their number instead.
/// Through switches the number of the GPU that has fewer. (Slurm counts direct ones alone.) A
/// recording that does not name its architecture is taken for x86, one without host name is called
/// `localhost`.
///
/// Errors: InvalidArgument for a file that is no hwloc XML of format 1 or 2, and for a folder that
/// holds no machine. The same for both options at once, for an unknown architecture, and for a
/// library asked about another machine without library_folder. NotFound and others from errno when
/// something cannot be read. A source asked for by name gives NotFound when the library, a function
/// that it must have or the folder is not there. It gives Unavailable when the library does not
/// start or does not say how many devices there are. With `present` such a library tells nothing. A
/// single question that a driver does not answer is no error; what it would tell stays unknown. One
/// line with the path, or `this machine`.
///
/// Not for use beside threads that touch the environment when `fs_root` is set. Since hwloc takes
/// that folder from the environment only, the call sets HWLOC_FSROOT and puts it back. Otherwise
/// the call may run in parallel with itself. It binds no thread; hwloc itself may complain on
/// stderr about broken firmware tables unless HWLOC_HIDE_ERRORS=2 is set. Libraries are started and
/// shut down again (Level Zero cannot be), and stay mapped, for their exit handlers do.
[[nodiscard]] StatusOr<Node> discover(const DiscoverOptions& options = {});

/// The GRES type for a GPU model as vendors write it: `a100` for `NVIDIA A100-SXM4-80GB`, `h100`
/// for `GH100 [H100 SXM5 80GB]`, `mi300x` for `AMD Instinct MI300X`, `rtx3080ti` for `NVIDIA
/// GeForce RTX 3080 Ti`. The first word that starts with a letter and holds a digit, or a number
/// with the word before it. Words behind it that make another card of it (Ti, SUPER, Ada, NVL and
/// the like) belong to it. It is in brackets if there are any. Without a digit all words that say
/// which card it is: `radeonprovii`. Empty when there is no such word.
[[nodiscard]] std::string device_type(std::string_view model);

}  // namespace trestle::os
