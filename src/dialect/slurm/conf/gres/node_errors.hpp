// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mistakes that many nodes have alike, each told once: a line of gres.conf may be of a million.
//
// Layer: dialect/slurm, inside. Main type: NodeErrors.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../cluster_builder.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {

/// Mistakes of nodes: a kind is one place, one token and one sentence but for the node's name.
class NodeErrors {
  public:
    /// The kinds that they are. An error without a node in its words is reported as it is.
    std::vector<std::size_t> add(std::vector<ConfError> errors, const std::string& node) {
        std::vector<std::size_t> kinds;
        for (ConfError& error : errors) {
            const std::string words = fmt::format("node {}", node);
            const std::size_t at = error.error.what.find(words);
            const bool has_name = at != std::string::npos;
            std::string rest = error.error.what;
            if (has_name) rest.erase(at, words.size());
            Key key{error.place.file, error.place.line, error.error.token, std::move(rest)};
            const auto known = numbers_.find(key);
            if (known == numbers_.end() && kinds_.size() == kinds_max) continue;
            const std::size_t number = known == numbers_.end() ? kinds_.size() : known->second;
            if (known == numbers_.end()) {
                numbers_.emplace(std::move(key), number);
                kinds_.push_back({std::move(error), 0, {}});
                if (has_name) kinds_.back().name_end = at + words.size();
            }
            kinds.push_back(number);
        }
        std::sort(kinds.begin(), kinds.end());
        kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
        return kinds;
    }
    /// `nodes` more have mistakes of these kinds.
    void count(const std::vector<std::size_t>& kinds, std::uint64_t nodes) {
        for (const std::size_t kind : kinds) kinds_[kind].nodes += nodes;
    }
    void tell(BuildErrors& errors) {
        for (Kind& kind : kinds_) {
            if (kind.nodes > 1 && kind.name_end) {
                kind.error.error.what.insert(*kind.name_end,
                                             fmt::format(" and {} more", kind.nodes - 1));
            }
            errors.add(std::move(kind.error));
        }
    }

  private:
    using Key = std::tuple<std::string, std::uint32_t, std::string, std::string>;
    struct Kind {
        ConfError error;
        std::uint64_t nodes = 0;
        std::optional<std::size_t> name_end;  ///< of the node's name in what it says
    };
    static constexpr std::size_t kinds_max = 1000;
    std::map<Key, std::size_t> numbers_;
    std::vector<Kind> kinds_;
};

}  // namespace trestle::slurm
