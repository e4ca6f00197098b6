// SPDX-License-Identifier: Apache-2.0
// The replay of the openb trace as a plain loop: arrays of numbers, every node looked at for every
// pod, nothing remembered, nothing said about why. The yardstick of bench_replay.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/openb.hpp"

namespace trestle::openb {

class PlainReplay {
  public:
    PlainReplay(const Trace& trace, const Order& order) : idle_(trace.nodes.size()) {
        std::map<std::string, std::uint32_t> models;
        for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
            const NodeRow& row = trace.nodes[i];
            const auto number = static_cast<std::uint32_t>(models.size());
            Node& node = idle_[order.ranks[i]];
            node.model = std::uint32_t{1} << models.emplace(row.model, number).first->second;
            node.milli_cpus = row.milli_cpus;
            node.mebibytes = row.mebibytes;
            node.gpus = row.gpus;
            for (std::uint32_t g = 0; g < row.gpus; ++g) node.left[g] = 1000;
            node.all_left = 1000 * std::int64_t{row.gpus};
        }
        for (const std::uint32_t at : order.arrivals) {
            std::uint32_t allowed = trace.pods[at].models.empty() ? ~std::uint32_t{0} : 0;
            for (const std::string& model : models_of(trace.pods[at])) {
                if (models.contains(model)) allowed |= std::uint32_t{1} << models[model];
            }
            arrivals_.push_back({trace.pods[at], allowed});
        }
    }

    /// best_fit in a hundred steps. Thousandths of GPUs that are given in the end.
    [[nodiscard]] std::int64_t best_fit() const {
        std::vector<Node> nodes = idle_;
        std::int64_t given = 0;
        for (const Arrival& arrival : arrivals_) {
            Node* best = nullptr;
            double highest = -1;
            for (Node& node : nodes) {
                if (!fits(node, arrival)) continue;
                const double score = std::trunc(100.0 * fullness(node, arrival.pod));
                if (score <= highest) continue;
                highest = score;
                best = &node;
            }
            if (best == nullptr) continue;
            take(*best, arrival.pod);
            given += arrival.pod.all_thousandths();
        }
        return given;
    }

  private:
    struct Node {
        std::int64_t milli_cpus = 0;
        std::int64_t mebibytes = 0;
        std::int64_t all_left = 0;
        std::array<std::int64_t, 8> left{};
        std::uint32_t gpus = 0;
        std::uint32_t model = 0;  ///< one bit
    };
    struct Arrival {
        Pod pod;
        std::uint32_t models = 0;  ///< bits
    };

    [[nodiscard]] static bool fits(const Node& node, const Arrival& arrival) {
        const Pod& pod = arrival.pod;
        if (node.milli_cpus < pod.milli_cpus || node.mebibytes < pod.mebibytes) return false;
        if (pod.gpus == 0) return true;
        if ((arrival.models & node.model) == 0) return false;
        std::int64_t able = 0;
        for (std::uint32_t g = 0; g < node.gpus; ++g) able += node.left[g] >= pod.thousandths;
        return able >= pod.gpus;
    }
    [[nodiscard]] static double fullness(const Node& node, const Pod& pod) {
        return 1.0 - 0.5 * static_cast<double>(node.milli_cpus - pod.milli_cpus) / 128'000 -
               0.5 * static_cast<double>(node.all_left - pod.all_thousandths()) / 8'000;
    }
    /// The devices with least left, then the lowest.
    static void take(Node& node, const Pod& pod) {
        node.milli_cpus -= pod.milli_cpus;
        node.mebibytes -= pod.mebibytes;
        node.all_left -= pod.all_thousandths();
        for (std::int64_t i = 0; i < pod.gpus; ++i) {
            std::int64_t* least = nullptr;
            for (std::int64_t& left : node.left) {
                if (left >= pod.thousandths && (least == nullptr || left < *least)) least = &left;
            }
            *least -= pod.thousandths;
        }
    }

    std::vector<Node> idle_;  ///< by rank
    std::vector<Arrival> arrivals_;
};

}  // namespace trestle::openb
