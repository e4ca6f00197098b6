// SPDX-License-Identifier: Apache-2.0
// This machine as Slurm numbers it: cores in the order of slurm.conf, devices in that of gres.conf.
#pragma once

#include <unistd.h>

#include <strings.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>

#include "arguments.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/slurm/conf/gres_conf.hpp"
#include "trestle/dialect/slurm/conf/merge.hpp"
#include "trestle/model/node.hpp"
#include "trestle/os/discover.hpp"

namespace trestle_spank {

inline std::string host_name() {
    std::array<char, 256> name = {};
    (void)::gethostname(name.data(), name.size() - 1);
    const std::string full = name.data();
    return full.substr(0, full.find('.'));
}

/// The line of slurm.conf that describes the node.
inline StatusOr<slurm::NodeLine> line_of(const slurm::SlurmConf& conf, const std::string& name) {
    for (const slurm::NodeLine& line : conf.nodes) {
        if (line.names.contains(name)) return line;
    }
    return not_found("slurm.conf has no NodeName={}, expected the host's name or node=NAME", name);
}

/// Ok unless Slurm itself holds each step in a group of cgroup v2, which it must not leave.
inline Status check_process_tracking(const slurm::SlurmConf& conf) {
    std::string type = "proctrack/cgroup";  // Slurm's default
    for (const slurm::PassthroughKey& key : conf.passthrough) {
        if (::strcasecmp(key.key.c_str(), "ProctrackType") == 0) type = key.value;
    }
    if (type != "proctrack/cgroup") return {};
    return failed_precondition(
        "ProctrackType=proctrack/cgroup: Slurm holds the step in a cgroup of its own, expected "
        "proctrack/linuxproc or proctrack/pgid; limit the step by cgroup.conf instead");
}

/// The machine with the devices of gres.conf. CPUs have the kernel's numbers.
/// Errors: FailedPrecondition where slurm.conf counts other cores than the machine has.
inline StatusOr<Node> read_machine(const Arguments& arguments) {
    TRESTLE_TRY(const slurm::ClusterReading reading, slurm::load_cluster(arguments.conf_folder));
    TRESTLE_TRY_STATUS(check_process_tracking(reading.conf));
    const std::string name = arguments.node.empty() ? host_name() : arguments.node;
    slurm::NodeConf conf{name, {}, {}};
    TRESTLE_TRY(conf.node, line_of(reading.conf, name));
    const std::filesystem::path folder = arguments.conf_folder;
    TRESTLE_TRY(const auto gres, slurm::read_file(folder / "gres.conf"));
    if (gres) conf.gres = slurm::read_gres_conf(*gres).lines;
    TRESTLE_TRY(Node node, os::discover());
    TRESTLE_TRY(const slurm::MergedNode merged, slurm::merge(conf, *node.shape));

    NodeShape shape = *node.shape;
    const auto described = merged.shape.hardware.core_count();
    if (described != shape.hardware.core_count()) {
        return failed_precondition(
            "NodeName={}: slurm.conf describes {} cores, the machine has {}, so Slurm's core "
            "numbers do not name its cores",
            name, described, shape.hardware.core_count());
    }
    shape.devices = merged.shape.devices;
    shape.links = merged.shape.links;
    shape.system_cores = {};
    node.name = name;
    node.shape = Shared<NodeShape>(std::move(shape));
    return node;
}

}  // namespace trestle_spank
