// SPDX-License-Identifier: Apache-2.0
// Any bytes as what Slurm's commands print of nodes, jobs and reservations, a line `---` between
// them: an error of one line, or a cluster of which each waiting job can be asked about.
#include <algorithm>
#include <cstddef>
#include <string_view>

#include "fuzz/target.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/live/live_cluster.hpp"
#include "trestle/dialect/slurm/live/why.hpp"

namespace {

/// The cluster of tests/data/slurm-live, in short.
const trestle::slurm::ClusterReading& files() {
    static const auto reading = trestle::slurm::read_cluster(
        {.slurm_conf =
             "ClusterName=x\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
             "GresTypes=gpu\nLicenses=matlab:4\n"
             "NodeName=g[1-2] Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=8000 "
             "Gres=gpu:a100:4\n"
             "NodeName=c[1-3] Sockets=2 CoresPerSocket=4 RealMemory=4000\n"
             "PartitionName=cpu Nodes=c[1-3] Default=YES DefaultTime=30\n"
             "PartitionName=gpu Nodes=g[1-2]\n",
         .gres_conf = "NodeName=g[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-3]\n"});
    return reading;
}

/// The text before the next line of dashes, which is taken away.
std::string_view next_part(std::string_view& text) {
    const std::size_t cut = std::min(text.find("---\n"), text.size());
    const std::string_view part = text.substr(0, cut);
    text.remove_prefix(std::min(cut + 4, text.size()));
    return part;
}

}  // namespace

TRESTLE_FUZZ(slurm_live) {
    using namespace trestle;
    std::string_view text(reinterpret_cast<const char*>(data), size);
    slurm::LiveTexts texts;
    texts.nodes = next_part(text);
    texts.jobs = next_part(text);
    texts.reservations = next_part(text);
    const auto live = slurm::read_live_cluster(files(), texts);
    if (!live.ok()) {
        fuzz::require(message(live.status()).find('\n') == std::string_view::npos);
        return;
    }
    fuzz::require(slurm::timeline_of(*live).size() == live->running.size());
    std::size_t asked = 0;
    for (const slurm::LiveJob& job : live->jobs) {
        if (job.state == "PENDING" && ++asked <= 2) (void)slurm::why(*live, job.id);
    }
}
