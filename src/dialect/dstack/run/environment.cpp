// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/environment.hpp"

#include <algorithm>

#include "../../words.hpp"
#include "alloc/market/offers/offer_counts.hpp"
#include "enforce/process/environment_words.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::dstack {
namespace {

[[nodiscard]] bool is_address_sign(char c) {
    return words::is_letter(c) || words::is_digit(c) ||
           std::string_view(".:-_%").find(c) != std::string_view::npos;
}

[[nodiscard]] Status check_addresses(std::span<const RunNode> nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::string& address = nodes[i].address;
        if (std::all_of(address.begin(), address.end(), &is_address_sign)) continue;
        return invalid_argument("node {}: address \"{}\", expected letters, digits and .:-_%", i,
                                address);
    }
    return {};
}

}  // namespace

Count gpus_of(const Instance::Share& share) { return count_of(share.devices, "gpu"); }

StatusOr<std::string> mpi_hostfile(std::span<const RunNode> nodes) {
    TRESTLE_TRY_STATUS(check_addresses(nodes));
    std::string text;
    for (const RunNode& node : nodes) {
        if (node.address.empty()) return std::string();
        text += node.address;
        if (!node.gpus.is_zero()) text += fmt::format(" slots={}", node.gpus);
        text += '\n';
    }
    return text;
}

StatusOr<std::vector<EnvironmentVariable>> run_environment(std::span<const RunNode> nodes,
                                                           std::uint32_t rank,
                                                           const std::string& hostfile) {
    if (rank >= nodes.size()) {
        return invalid_argument("rank {} of {} nodes, expected one that there is", rank,
                                nodes.size());
    }
    TRESTLE_TRY_STATUS(check_addresses(nodes));
    std::string addresses;
    std::optional<Count> gpus = Count();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (i != 0) addresses += '\n';
        addresses += nodes[i].address;
        if (gpus) gpus = checked_add(*gpus, nodes[i].gpus);
    }
    if (!gpus) return invalid_argument("nodes: they have more than 2^63 GPUs");
    return std::vector<EnvironmentVariable>{
        shown_variable("DSTACK_NODES_IPS", addresses),
        shown_variable("DSTACK_MASTER_NODE_IP", nodes[0].address),
        shown_variable("DSTACK_NODE_RANK", std::to_string(rank)),
        shown_variable("DSTACK_NODES_NUM", std::to_string(nodes.size())),
        shown_variable("DSTACK_GPUS_PER_NODE", to_text(nodes[rank].gpus)),
        shown_variable("DSTACK_GPUS_NUM", to_text(*gpus)),
        shown_variable("DSTACK_MPI_HOSTFILE", hostfile),
    };
}

}  // namespace trestle::dstack
