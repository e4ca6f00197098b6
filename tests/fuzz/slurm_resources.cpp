// SPDX-License-Identifier: Apache-2.0
// resources.yaml. What is read gives counts that a cluster takes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/target.hpp"
#include "trestle/alloc/cluster/node_names.hpp"
#include "trestle/dialect/slurm/conf/resources_conf.hpp"
#include "trestle/model/cluster_count.hpp"

TRESTLE_FUZZ(slurm_resources) {
    using namespace trestle;
    const std::string text(data, data + size);
    NodeNames nodes;
    for (int i = 0; i < 40; ++i) nodes.append("n" + std::to_string(i));
    if (nodes.index()) std::abort();
    const auto reading = slurm::read_resources_yaml(text, nodes);
    if (!check(slurm::layer_counts(reading.resources)).ok()) std::abort();
    for (const slurm::ConfError& error : reading.errors) {
        if (to_text(error).find('\n') != std::string::npos) std::abort();
    }
}
