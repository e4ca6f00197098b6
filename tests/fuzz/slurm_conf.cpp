// SPDX-License-Identifier: Apache-2.0
// slurm.conf and gres.conf in one text, a line `---` between them; either may include the other.
// Clusters that can be built are consistent, and so are nodes whose own devices were detected.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/target.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

namespace {

/// A long list of large nodes is slow, and tells nothing new.
bool is_small(const trestle::slurm::SlurmConf& conf) {
    constexpr std::uint64_t most = 1000;
    std::uint64_t sum = 0;
    for (const trestle::slurm::NodeLine& line : conf.nodes) {
        sum += line.names.size() +
               std::uint64_t{line.sockets} * line.cores_per_socket * line.threads_per_core;
        for (const trestle::slurm::NodeGres& gres : line.gres) {
            const auto count = static_cast<std::uint64_t>(gres.gres.count.value());
            sum += gres.gres.count.value() > trestle::slurm::devices_of_node_max ? 1 : count;
        }
        if (sum > most) return false;
    }
    return true;
}

}  // namespace

TRESTLE_FUZZ(slurm_conf) {
    using namespace trestle;
    const std::string text(data, data + size);
    const std::size_t cut = std::min(text.find("---"), text.size());
    const std::string first = text.substr(0, cut);
    const std::string second = text.substr(std::min(cut + 3, text.size()));
    const slurm::ConfFiles files = [&](std::string_view name) -> std::optional<std::string> {
        if (name == "a") return first;
        if (name == "b") return second;
        return std::nullopt;
    };
    const auto conf = slurm::read_slurm_conf(first, files);
    const auto gres = slurm::read_gres_conf(second, files);
    if (!is_small(conf.conf)) return;
    const auto reading = slurm::read_cluster(
        {.slurm_conf = first, .gres_conf = second, .topology_conf = second, .files = &files});
    for (const slurm::ConfError& error : reading.errors) {
        if (error.error.what.empty() || error.error.expected.empty()) std::abort();
    }
    const auto built = slurm::build_nodes(conf.conf, gres.lines);
    const auto cluster = slurm::build_cluster(conf.conf, gres.lines);
    if (cluster.ok() && !built.ok()) std::abort();
    if (!built.ok()) return;
    for (const Node& node : built->nodes) {
        if (!check(*node.shape).ok()) std::abort();
        if (slurm::configured_gres(*node.shape).empty() != node.shape->devices.empty()) {
            std::abort();
        }
    }
    if (built->nodes.empty()) return;
    const NodeShape& shape = *built->nodes.back().shape;
    const auto merged =
        slurm::merge({built->nodes.front().name, conf.conf.nodes.front(), gres.lines}, shape);
    if (merged.ok() && !check(merged->shape).ok()) std::abort();
}
