// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes picked so far, and what is still to be found.
//
// Layer: dialect/slurm, inside. Main types: NodeChoice; main function: take_by_leaves, the way of
// clusters with switches. The other ways stand in choose_nodes.cpp.

#include <map>
#include <utility>
#include <vector>

#include "choose_nodes.hpp"

namespace trestle::slurm::choice {

/// Lower goes first: the configured weight, then the GPUs near free cores.
using ChoiceWeight = std::pair<Number, Number>;

class NodeChoice {
  public:
    NodeChoice(const Question& question, Pass pass, NarrowMemory& memory);

    /// False: a required node cannot be had.
    [[nodiscard]] bool take_required();

    [[nodiscard]] const Question& question() const { return question_; }
    [[nodiscard]] const ChoiceJob& job() const { return *question_.job; }
    [[nodiscard]] std::size_t size() const { return usable_.size(); }
    [[nodiscard]] bool is_usable(std::size_t i) const { return usable_[i] != nullptr; }
    [[nodiscard]] bool is_picked(std::size_t i) const { return picks_.count(i) != 0; }
    [[nodiscard]] bool is_free(std::size_t i) const { return is_usable(i) && !is_picked(i); }
    [[nodiscard]] Number cpus_of(std::size_t i) const { return usable_[i]->cpus; }
    [[nodiscard]] ChoiceWeight weight(std::size_t i) const {
        const Candidate& node = question_.nodes[i];
        return {node.view->weight, -node.offer->near_gpus};
    }
    [[nodiscard]] Number cpus_left() const { return cpus_left_; }
    [[nodiscard]] Number nodes_left() const { return nodes_left_; }
    [[nodiscard]] const std::map<std::size_t, Pick>& picks() const { return picks_; }

    [[nodiscard]] bool is_done() const { return nodes_left_ <= 0 && cpus_left_ <= 0 && has_gres(); }
    /// Nothing is left to do, or nothing more may be taken.
    [[nodiscard]] bool is_over() const { return is_done() || nodes_max_ <= 0; }
    [[nodiscard]] bool may_take() const { return nodes_max_ > 0; }
    [[nodiscard]] bool is_enough_nodes(Number count) const;
    [[nodiscard]] bool is_accepted() const;

    /// Devices of nodes added up, by position in ChoiceJob::gres.
    void add_gres(std::vector<Number>& sums, std::size_t i) const;
    [[nodiscard]] bool is_enough_gres(const std::vector<Number>& sums) const;
    [[nodiscard]] bool has_enough_gres(std::size_t i) const;

    bool take(std::size_t i);
    /// Takes a free node unless it would be the last one allowed and leave something over.
    void try_take(std::size_t i);
    /// Takes free nodes in this order while something is left.
    void take_all(const std::vector<std::size_t>& order);
    /// Nodes for which `is_kept` is false, and that are not picked, are no longer usable.
    template <class IsKept>
    void keep(const IsKept& is_kept) {
        for (std::size_t i = 0; i < usable_.size(); ++i) {
            if (is_free(i) && !is_kept(i)) usable_[i] = nullptr;
        }
    }

  private:
    [[nodiscard]] Bounds bounds_of(const NodeView& node, Pass pass) const;
    [[nodiscard]] bool has_gres() const;
    [[nodiscard]] Number capped_cpus(std::size_t i) const;
    [[nodiscard]] Number cpus_for_gres(std::size_t i) const;

    const Question& question_;
    std::vector<const Narrowed*> usable_;
    std::map<std::size_t, Pick> picks_;
    std::vector<Number> gres_left_;  ///< by position in ChoiceJob::gres, counts of the job
    Number cpus_left_ = 0;
    Number nodes_left_ = 0;
    Number min_nodes_left_ = 0;
    Number nodes_max_ = 0;
};

/// Leaf after leaf: the closest to those taken, among those the tightest that is enough. False:
/// no switch holds enough nodes. Requires: the question has switches.
[[nodiscard]] bool take_by_leaves(NodeChoice& work);

/// Leaf switches that the picks are on.
[[nodiscard]] Number count_leaves(const NodeChoice& work);

}  // namespace trestle::slurm::choice
