// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes picked so far, and what is still to be found.
//
// Layer: dialect/slurm, inside. Main types: NodeChoice; main function: take_by_leaves, the way of
// clusters with switches. The other ways stand in choose_nodes.cpp.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "../network/unit_supply.hpp"
#include "choose_nodes.hpp"

namespace trestle::slurm::choice {

/// Lower goes first: the configured weight, then the GPUs near free cores.
using ChoiceWeight = std::pair<Number, Number>;

/// What a node of the candidate gives to the job, which may be another than the question's; absent:
/// it cannot be taken.
[[nodiscard]] std::optional<Narrowed> narrowed_for(const Question& question, std::size_t candidate,
                                                   Pass pass, const ChoiceJob& job);
/// The same for the question's job, worked out once for a memory.
[[nodiscard]] const std::optional<Narrowed>& narrowed_of(const Question& question,
                                                         std::size_t candidate, Pass pass,
                                                         NarrowMemory& memory);

/// visit(run) for each part of the runs that lies in the places. `runs`: rising and apart.
template <class Visit>
void for_each_run(const std::vector<CandidateRun>& runs, const Places& places, const Visit& visit) {
    auto run = std::partition_point(runs.begin(), runs.end(), [&](const CandidateRun& one) {
        return one.places.end <= places.first;
    });
    for (; run != runs.end() && run->places.first < places.end; ++run) {
        visit(CandidateRun{intersect(run->places, places), run->candidate});
    }
}

/// By candidate: its nodes from this place on take part; absent: none of them do.
using TakingPart = std::vector<std::optional<Place>>;

class NodeChoice {
  public:
    NodeChoice(const Question& question, const TakingPart& taking_part, Pass pass,
               NarrowMemory& memory);

    /// Nodes of the candidate give this from now on. The CPUs by which it is chosen stay.
    void replace(std::size_t candidate, const Narrowed& narrowed) {
        usable_[candidate].narrowed = &narrowed;
    }
    /// False: a required node cannot be had.
    [[nodiscard]] bool take_required();

    [[nodiscard]] const Question& question() const { return question_; }
    [[nodiscard]] const ChoiceJob& job() const { return *question_.job; }
    /// Runs of nodes that can be taken or were, rising.
    [[nodiscard]] const std::vector<CandidateRun>& runs() const { return runs_; }
    [[nodiscard]] bool is_required(const CandidateRun& run) const {
        return usable_[run.candidate].is_required;
    }
    [[nodiscard]] Number cpus_of(const CandidateRun& run) const {
        return usable_[run.candidate].cpus;
    }
    [[nodiscard]] const ChoiceWeight& weight(const CandidateRun& run) const {
        return usable_[run.candidate].weight;
    }
    [[nodiscard]] Number cpus_left() const { return cpus_left_; }
    [[nodiscard]] Number nodes_left() const { return nodes_left_; }
    /// By position in ChoiceJob::gres, counts of the job.
    [[nodiscard]] const GresSums& gres_left() const { return gres_left_; }
    [[nodiscard]] const std::map<Place, Pick>& picks() const { return picks_; }
    [[nodiscard]] bool is_picked(Place place) const { return picks_.count(place) != 0; }

    [[nodiscard]] bool is_done() const { return nodes_left_ <= 0 && cpus_left_ <= 0 && has_gres(); }
    /// Nothing is left to do, or nothing more may be taken.
    [[nodiscard]] bool is_over() const { return is_done() || nodes_max_ <= 0; }
    [[nodiscard]] bool may_take() const { return nodes_max_ > 0; }
    [[nodiscard]] bool is_enough_nodes(Number count) const;
    [[nodiscard]] bool is_accepted() const;

    /// Adds the devices of so many nodes of the run.
    void add_gres(GresSums& sums, const CandidateRun& run, Number nodes) const {
        if (sums.empty()) sums.resize(gres_left_.size(), 0);
        for (const UsableGres& one : usable_[run.candidate].narrowed->gres) {
            sums[one.want] = std::min(sums[one.want] + product(one.count, nodes), unlimited);
        }
    }
    [[nodiscard]] bool is_enough_gres(const GresSums& sums) const;
    /// Whether one node of the run has all devices that are left to find.
    [[nodiscard]] bool has_enough_gres(const CandidateRun& run) const;

    // A node that is not taken leaves everything as it was, and so would its likes: these stop at
    // the first one. They pass over nodes that were picked before.
    /// Takes nodes of the run from the lowest up while something is left; on_taken(place) for each.
    template <class OnTaken>
    void take_up(const CandidateRun& run, const OnTaken& on_taken) {
        for (Place place = run.places.first; place < run.places.end && !is_over(); ++place) {
            if (is_picked(place) || !has_layers(place)) continue;
            if (!take(place, run)) return;
            on_taken(place);
        }
    }
    /// From the highest down.
    void take_down(const CandidateRun& run);
    /// From the lowest up, but none as the last one allowed that would leave something over.
    /// `goes_on`: whether another node is wanted.
    template <class GoesOn>
    void try_up(const CandidateRun& run, const GoesOn& goes_on) {
        for (Place place = run.places.first; place < run.places.end && goes_on(); ++place) {
            if (!is_picked(place) && has_layers(place) && !try_take(place, run)) return;
        }
    }
    /// From the highest down, in the same way.
    void try_down(const CandidateRun& run);
    /// The lowest node of the run that can be had, in the same way.
    void try_first(const CandidateRun& run) {
        if (const auto place = first_of(run)) try_take(*place, run);
    }
    /// The lowest node of the run whose layers have enough, or nothing.
    [[nodiscard]] std::optional<Place> first_of(const CandidateRun& run) const;
    /// Whether the layers of the node have enough for it: what no other node of its run tells.
    [[nodiscard]] bool has_layers(Place place) const {
        return !layers_ || layers_->has(question_.table->node_at(place));
    }
    /// Takes a node of the run that was not picked; false: it cannot be had.
    bool take(Place place, const CandidateRun& run);
    /// The next so many nodes are bounded as if they alone served the job.
    void begin_segment(Number nodes) { segment_left_ = nodes; }
    /// So many CPUs of the job need not be found.
    void leave_cpus(Number cpus) { cpus_left_ -= cpus; }
    /// The nodes taken from here on give all that they can, for tasks to be dealt to in turn.
    void give_all() { gives_all_ = true; }
    /// One node may still be taken, whatever the job may have.
    void allow_a_node() { nodes_max_ = std::max<Number>(nodes_max_, 1); }
    /// Leaves the lowest so many picks; required ones go as well, as recorded decisions have it.
    void keep_first(Number nodes) {
        while (static_cast<Number>(picks_.size()) > nodes) picks_.erase(std::prev(picks_.end()));
    }
    /// Nodes elsewhere are no longer usable. `places`: rising; all picks are in them.
    void keep(const std::vector<Places>& places);

  private:
    [[nodiscard]] bool has_tasks_of_gpus() const;
    [[nodiscard]] Number cpus_of_even_tasks() const;
    /// What every way of choosing looks at of a candidate.
    struct Usable {
        const Narrowed* narrowed = nullptr;   ///< null: no node of it can be taken
        const Narrowed* of_others = nullptr;  ///< while other nodes are to come; null: as narrowed
        Number cpus = 0;
        ChoiceWeight weight;
        bool is_required = false;
    };

    [[nodiscard]] bool has_gres() const;
    [[nodiscard]] const Narrowed& narrowed_now(const CandidateRun& run) const;
    [[nodiscard]] Number most_cpus(const CandidateRun& run) const;
    [[nodiscard]] Number capped_cpus(const CandidateRun& run) const;
    [[nodiscard]] Number bound_cpus(const CandidateRun& run) const;
    [[nodiscard]] Number of_whole_gpus(const Narrowed& narrowed, Number cpus) const;
    [[nodiscard]] Number expected_of(const UsableGres& one) const;
    [[nodiscard]] Number cpus_for_gres(const Narrowed& narrowed) const;
    bool try_take(Place place, const CandidateRun& run);

    const Question& question_;
    std::vector<Usable> usable_;  ///< by candidate
    std::vector<CandidateRun> runs_;
    std::map<Place, Pick> picks_;
    GresSums gres_left_;
    Number cpus_left_ = 0;
    Number nodes_left_ = 0;
    Number min_nodes_left_ = 0;
    Number nodes_max_ = 0;
    std::optional<Number> segment_left_;  ///< nodes; absent: there are no segments
    bool gives_all_ = false;              ///< else no more than is still needed
    std::optional<LayerRoom> layers_;     ///< what the picks leave
};

/// Leaf after leaf: the closest to those taken, among those the tightest that is enough. False:
/// no switch holds enough nodes. Requires: the question has switches.
[[nodiscard]] bool take_by_leaves(NodeChoice& work);

/// Leaf switches that the picks are on.
[[nodiscard]] Number count_leaves(const NodeChoice& work);

}  // namespace trestle::slurm::choice
