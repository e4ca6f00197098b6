// SPDX-License-Identifier: Apache-2.0
// topology.yaml when the text starts with `y`, else topology.conf. What is read is consistent.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/target.hpp"
#include "trestle/dialect/slurm/conf/topology_conf.hpp"

TRESTLE_FUZZ(slurm_topology) {
    using namespace trestle;
    const std::string text(data, data + size);
    NodeNames nodes;
    for (int i = 0; i < 40; ++i) nodes.append("n" + std::to_string(i));
    if (nodes.index()) std::abort();
    const bool is_yaml = text.starts_with('y');
    const auto reading = is_yaml ? slurm::read_topology_yaml(text.substr(1), nodes)
                                 : slurm::read_topology_conf(text, nodes);
    if (!check(reading.topology.network).ok()) std::abort();
    for (const slurm::ConfError& error : reading.errors) {
        if (to_text(error).find('\n') != std::string::npos) std::abort();
    }
}
