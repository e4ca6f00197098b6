// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which nodes. Every way is greedy over an order of nodes.
//
// Layer: dialect/slurm, inside. Main types: Question, Choices; main function: choose. Nodes are
// known by their place in Slurm's order.
// Pitfall: nodes are not looked at one by one. Neighbours that give the same answers stand in one
// CandidateRun; a rule that takes the first of equals takes the lowest place of a run, and what
// holds for one of its nodes holds for all of them.

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "../network/layers.hpp"
#include "../on_node/node_fit.hpp"
#include "answer_memory.hpp"
#include "node_table.hpp"

namespace trestle::slurm::choice {

/// Nodes that can take part and give the same answers. Required ones stand apart from others.
struct Candidate {
    const SeenNode* seen = nullptr;
    const NodeCapacity* capacity = nullptr;
    StateAnswers* known = nullptr;  ///< null: the nodes are not asked as their state is
    Number nodes = 0;               ///< how many there are
    bool is_required = false;
};

/// Neighbouring nodes of one candidate.
struct CandidateRun {
    Places places;
    std::uint32_t candidate = 0;  ///< position in Question::candidates

    [[nodiscard]] Number size() const { return Number{places.end} - places.first; }
};

struct UnitTable;

/// One choice to make.
struct Question {
    const ChoiceJob* job = nullptr;
    const ClusterParameters* parameters = nullptr;
    const SwitchTree* switches = nullptr;
    const UnitTable* units = nullptr;  ///< blocks, rings or tori; null: none of them
    std::deque<SeenNode>
        looked_at;  ///< nodes of candidates that are no state's: rows of cores, MPS
    std::deque<NodeCapacity> capacities;  ///< of candidates whose answers are not remembered
    std::shared_ptr<JobAnswers> answers;  ///< of all others
    std::vector<Candidate> candidates;
    std::vector<CandidateRun> runs;      ///< rising; a required node is a run of its own
    std::vector<CandidateRun> required;  ///< of these
    Number min_nodes = 1;
    Number max_nodes = 1;
    Number wanted_nodes = 1;
    Number block_slack = 0;  ///< nodes that a block may lack of min_nodes and is chosen still
    bool takes_least_loaded = false;
    bool takes_last = false;        ///< pack_serial_at_end
    bool is_of_idle_nodes = false;  ///< not of what is free now
    const NodeTable* table = nullptr;
    std::optional<LayerRoom> layers;  ///< of resources that are counted by node; absent: of none

    /// Whether nodes are least loaded ones that keep to the cores near their devices.
    [[nodiscard]] bool keeps_near_cores() const {
        return takes_least_loaded && !job->gres.empty() &&
               job->rules->keeps_near_cores_of_least_loaded;
    }
};

/// A chosen node and the CPUs that it was chosen for.
struct Pick {
    std::uint32_t candidate = 0;
    const Narrowed* narrowed = nullptr;
    Number cpus = 0;
    Number gres_cpus = 0;
    std::vector<Number> planned;  ///< devices of counts of the job, by want; 0: none were left
};

/// A candidate's answer under bounds; bounds are equal for all nodes of one description.
struct NarrowAnswer {
    const std::optional<Narrowed>* narrowed = nullptr;  ///< null: not asked yet
    std::optional<Narrowed> own;                        ///< where it is not one of StateAnswers
};

/// By pass and candidate.
using NarrowMemory = std::array<std::vector<NarrowAnswer>, 2>;

enum class Outcome { found, no_fit, too_many_switches };

/// Why units of the network do not serve a job although there are nodes enough.
enum class UnitFault { none, too_few_nodes, too_few_for_segment, too_little_else };

/// What choose() found. Picks point into `narrowed`.
struct Choices {
    Outcome outcome = Outcome::no_fit;
    UnitFault fault = UnitFault::none;  ///< of what was tried last
    Number switches = 0;                ///< leaves of a choice that is on too many
    std::map<Place, Pick> picks;
    NarrowMemory narrowed;
};

[[nodiscard]] Choices choose(const Question& question);

/// Whether nodes are chosen in runs of neighbours: what --contiguous is about.
[[nodiscard]] bool goes_by_neighbours(const Question& question);
/// Whether they are chosen leaf switch after leaf switch: what --switches is about.
[[nodiscard]] bool goes_by_leaves(const Question& question);

}  // namespace trestle::slurm::choice
