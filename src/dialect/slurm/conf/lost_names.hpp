// SPDX-License-Identifier: Apache-2.0
#pragma once

// What lines with mistakes would have named: that it is not there is no mistake of its own.
//
// Layer: dialect/slurm, inside. Main types: LostNames; SlurmConfDraft, a reading with them.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "trestle/dialect/slurm/conf/slurm_conf.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle::slurm {

class LostNames {
  public:
    /// Names of nodes; of none, as of more than are kept, any name may be one.
    void add_nodes(const Hostlist& names) {
        constexpr std::size_t kept_max = 100'000;
        is_any_node_ = is_any_node_ || names.is_empty() || names.size() > kept_max - names_.size();
        if (is_any_node_) return;
        names.for_each([&](const std::string& name) { names_.insert(name); });
    }
    void add_node_set(std::string name) { node_sets_.insert(std::move(name)); }
    /// Topologies, or units of them, with unknown names.
    void add_topologies() { is_any_topology_ = true; }

    /// What Nodes= of a partition may mean.
    [[nodiscard]] bool has_nodes(const std::string& name) const {
        return is_any_node_ || names_.contains(name) || node_sets_.contains(name);
    }
    [[nodiscard]] bool has_topologies() const { return is_any_topology_; }

  private:
    std::unordered_set<std::string> names_;
    std::set<std::string> node_sets_;
    bool is_any_node_ = false;
    bool is_any_topology_ = false;
};

/// slurm.conf as far as it could be read.
struct SlurmConfDraft {
    SlurmConfReading reading;
    LostNames lost;
    bool has_names_twice = false;  ///< nodes that stand twice, in one line or in several
};

/// read_slurm_conf() for a caller that goes on with what is left.
[[nodiscard]] SlurmConfDraft draft_slurm_conf(std::string_view text, const ConfFiles& files,
                                              std::optional<Release> release);

/// Whether an error of the reader is that of a key which only other releases have.
[[nodiscard]] bool is_key_of_others(const TextError& error);

}  // namespace trestle::slurm
