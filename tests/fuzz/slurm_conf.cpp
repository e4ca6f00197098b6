// SPDX-License-Identifier: Apache-2.0
// slurm.conf and gres.conf in one text, a line `---` between them. Nodes that can be built are
// consistent.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "trestle/dialect/slurm/describe.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trestle;
    const std::string text(data, data + size);
    const std::size_t cut = std::min(text.find("---"), text.size());
    const auto nodes = slurm::read_node_conf(text.substr(0, cut));
    const auto gres = slurm::read_gres_conf(text.substr(std::min(cut + 3, text.size())));
    std::size_t cpus = 0;  // a long list of large nodes is slow, and tells nothing new
    for (const slurm::NodeLine& line : nodes.lines) {
        cpus += line.names.size() +
                std::size_t{line.sockets} * line.cores_per_socket * line.threads_per_core;
    }
    if (cpus > 10'000) return 0;
    const auto built = slurm::build_nodes(nodes.lines, gres.lines);
    if (!built.ok()) return 0;
    for (const Node& node : *built) {
        if (!check(*node.shape).ok()) std::abort();
    }
    return 0;
}
