// SPDX-License-Identifier: Apache-2.0
// How a job may be split over its nodes, by writing down every way of giving tasks and devices to
// them, and sorting those by the order of place(). For few nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// The numbers of nodes that a request, or component, may have, rising, of which so many are
/// required by name.
[[nodiscard]] inline std::vector<std::int64_t> oracle_sizes(const Cluster& cluster,
                                                            const Request& request,
                                                            const Partition* partition,
                                                            std::size_t required_nodes) {
    std::vector<std::int64_t> sizes;
    const auto required = static_cast<std::int64_t>(required_nodes);
    for (std::int64_t n = 1; n <= cluster.node_count(); ++n) {
        const Count count(n);
        if (!request.nodes.contains(count) || n < required) continue;
        if (partition && !partition->nodes_per_job.contains(count)) continue;
        const auto& list = request.node_counts;
        if (!list.empty() && std::count(list.begin(), list.end(), count) == 0) continue;
        // A task more or less: nodes beyond the tasks are taken only when they are asked for.
        std::int64_t least = std::max(request.nodes.least().value(), required);
        if (partition) {
            least = std::max(least, partition->nodes_per_job.least().value());
        }
        for (const Count& one : list) {  // rising: the least that is asked for
            if (request.nodes.contains(one) && one.value() >= least) {
                least = one.value();
                break;
            }
        }
        if (request.tasks && n > std::max({request.tasks->value(), least, std::int64_t{1}})) {
            continue;
        }
        const Range<Count>& each = request.tasks_per_node;
        if (request.tasks && each.max && n * each.max->value() < request.tasks->value()) {
            continue;
        }
        if (request.tasks && each.least() > Count(1) &&
            n * each.least().value() > request.tasks->value()) {
            continue;
        }
        sizes.push_back(n);
    }
    return sizes;
}

/// The splits of one request, or component, on so many nodes.
class OracleSplits {
  public:
    OracleSplits(const Cluster& cluster, const Request& request, std::int64_t nodes)
        : request_(request), nodes_(nodes) {
        for (const DeviceRequest& one : request.devices) {
            if (one.per == Per::job) devices_.push_back(&one);
        }
        for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
            std::vector<std::int64_t> here;
            for (const DeviceRequest* one : devices_) {
                const auto& all = cluster.shape(NodeId(i)).devices;
                const auto count = std::count_if(all.begin(), all.end(), [&](const Device& device) {
                    return device.name == one->name;
                });
                here.push_back(one->slice.empty() ? count : 7 * count);  // instances of each
            }
            devices_of_node_.insert(std::move(here));
        }
    }

    /// The parts of each split, largest first, in the order in which they are preferred.
    [[nodiscard]] std::vector<std::vector<NodePart>> in_order() const {
        std::vector<std::vector<NodePart>> found;
        const TaskDistribution::Split wanted = request_.distribution.split;
        const bool is_packed = wanted == TaskDistribution::Split::packed && nodes_ > 1;
        if (!is_packed) found.push_back(even());
        if (wanted == TaskDistribution::Split::even || nodes_ == 1) return found;
        const std::set<Shares> all = every_one();
        std::vector<Shares> rising(all.begin(), all.end());
        std::stable_sort(rising.begin(), rising.end(),
                         [&](const Shares& a, const Shares& b) { return comes_before(a, b); });
        for (const Shares& shares : rising) {
            found.emplace_back();
            for (const Share& share : shares) {
                NodePart part{0, nodes_, Count(share[0]), {}};
                for (std::size_t i = 1; i < share.size(); ++i) part.devices.emplace_back(share[i]);
                found.back().push_back(std::move(part));
            }
        }
        return found;
    }

  private:
    using Share = std::vector<std::int64_t>;  ///< tasks, then the devices of each demand
    using Shares = std::vector<Share>;        ///< of all nodes, falling

    [[nodiscard]] std::vector<NodePart> even() const {
        std::vector<NodePart> parts;
        for (std::int64_t i = 0; i < nodes_; ++i) parts.push_back({i, nodes_, {}, {}});
        return parts;
    }

    /// All shares of one node that could be of use.
    [[nodiscard]] std::vector<Share> shares_of_node() const {
        const std::int64_t least =
            std::max<std::int64_t>(1, request_.tasks_per_node.least().value());
        std::int64_t most = least;
        if (request_.tasks) most = std::max(most, request_.tasks->value());
        if (request_.tasks && request_.tasks_per_node.max) {
            most = std::min(most, request_.tasks_per_node.max->value());
        }
        std::vector<Share> shares;
        for (std::int64_t tasks = least; tasks <= most; ++tasks) {
            Shares some{{tasks}};
            for (std::size_t i = 0; i < devices_.size(); ++i) {
                std::int64_t devices = 0;
                for (const auto& here : devices_of_node_) devices = std::max(devices, here[i]);
                Shares more;
                for (const Share& share : some) {
                    for (std::int64_t n = 0; n <= devices; ++n) {
                        more.push_back(share);
                        more.back().push_back(n);
                    }
                }
                some = std::move(more);
            }
            shares.insert(shares.end(), some.begin(), some.end());
        }
        return shares;
    }

    [[nodiscard]] std::set<Shares> every_one() const {
        const std::vector<Share> all = shares_of_node();
        const std::int64_t least =
            std::max<std::int64_t>(1, request_.tasks_per_node.least().value());
        std::int64_t tasks = least * nodes_;
        if (request_.tasks) tasks = std::max(tasks, request_.tasks->value());
        std::set<Shares> found;
        Shares chosen;
        const auto choose = [&](const auto& self, std::size_t from, std::int64_t given) -> void {
            const std::int64_t left = nodes_ - static_cast<std::int64_t>(chosen.size());
            if (given + least * left > tasks) return;
            if (left == 0) {
                if (given == tasks && has_devices(chosen)) {
                    Shares falling = chosen;
                    std::sort(falling.begin(), falling.end(), std::greater<>());
                    found.insert(std::move(falling));
                }
                return;
            }
            for (std::size_t i = from; i < all.size(); ++i) {
                chosen.push_back(all[i]);
                self(self, i, given + all[i][0]);
                chosen.pop_back();
            }
        };
        choose(choose, 0, 0);
        return found;
    }

    [[nodiscard]] static std::int64_t total(const Shares& shares, std::size_t i) {
        return std::accumulate(
            shares.begin(), shares.end(), std::int64_t{0},
            [&](std::int64_t sum, const Share& share) { return sum + share[i]; });
    }
    [[nodiscard]] bool has_devices(const Shares& shares) const {
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            if (!devices_[i]->count.contains(Count(total(shares, i + 1)))) return false;
        }
        return true;
    }

    [[nodiscard]] static Share numbers(const Shares& shares, std::size_t i) {
        Share found;
        for (const Share& share : shares) found.push_back(share[i]);
        return found;
    }
    [[nodiscard]] static Share falling_numbers(const Shares& shares, std::size_t i) {
        Share found = numbers(shares, i);
        std::sort(found.begin(), found.end(), std::greater<>());
        return found;
    }
    [[nodiscard]] bool comes_before(const Shares& a, const Shares& b) const {
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            const std::int64_t in_a = total(a, i + 1);
            const std::int64_t in_b = total(b, i + 1);
            if (in_a == in_b) continue;
            return (in_a < in_b) == (devices_[i]->prefer == DeviceRequest::Prefer::fewest);
        }
        for (std::size_t i = 0; i <= devices_.size(); ++i) {
            const Share of_a = falling_numbers(a, i);
            const Share of_b = falling_numbers(b, i);
            if (of_a == of_b) continue;
            return (of_a < of_b) ==
                   (request_.distribution.split != TaskDistribution::Split::packed);
        }
        for (std::size_t i = 1; i <= devices_.size(); ++i) {
            const Share of_a = numbers(a, i);
            const Share of_b = numbers(b, i);
            if (of_a != of_b) return of_b < of_a;
        }
        return false;
    }

    const Request& request_;
    std::int64_t nodes_;
    std::vector<const DeviceRequest*> devices_;  ///< demands counted per job
    std::set<std::vector<std::int64_t>> devices_of_node_;
};

}  // namespace trestle
