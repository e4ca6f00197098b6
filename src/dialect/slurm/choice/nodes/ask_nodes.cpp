// SPDX-License-Identifier: Apache-2.0
#include "ask_nodes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "alloc/cluster/states/node_classes.hpp"

#include "alloc/cluster/states/node_states.hpp"

namespace trestle::slurm::choice {
namespace {

/// A position in Question::candidates, or one of these.
using CandidateId = std::uint32_t;
constexpr CandidateId takes_no_part = ~CandidateId{0};
constexpr CandidateId not_asked = takes_no_part - 1;

class Asking {
  public:
    Asking(const Asked& asked, Use use, const NamedPlaces& named, Question& question)
        : asked_(asked),
          use_(use),
          question_(question),
          required_(named.required),
          excluded_(named.excluded),
          idle_(asked.has_class.size(), not_asked),
          now_(asked.cluster.states().limit(), not_asked),
          wants_mps_(wants_mps(*question.job)) {
        const bool is_of_states = use == Use::now && !asked.row && !asked.max_cpus &&
                                  !asked.max_cpus_per_socket && !wants_mps_;
        if (is_of_states) question.answers = asked.table.answers().of(*question.job);
    }

    void run() {
        const auto& runs = asked_.table.runs();
        question_.runs.reserve(runs.size());
        question_.candidates.reserve(asked_.cluster.states().count());
        for (const StateRun& run : runs) {
            CandidateId& known = now_[run.state.value()];
            if (known == not_asked && !goes_beside(run.state)) known = takes_no_part;
            if (known == not_asked && (counts_cores(run.state) || looks_for_mps(run.state))) {
                add_by_jobs(run);
                continue;
            }
            if (known == not_asked) known = candidate_of(run.state);
            if (known != takes_no_part) add(run.places, known);
        }
        for (std::size_t c = 0; c < nodes_.size(); ++c) question_.candidates[c].nodes = nodes_[c];
    }

  private:
    [[nodiscard]] const NodeStateData& data(StateId state) const {
        return *asked_.cluster.states()[state];
    }
    [[nodiscard]] bool takes_part(ClassId id) const {
        if (!asked_.has_class[id.value()]) return false;
        const NodeClass& one = asked_.cluster.classes()[id];
        return (use_ == Use::ever || is_usable(one)) &&
               matches(question_.job->features, one.features);
    }
    [[nodiscard]] bool goes_beside(StateId state) const {
        return use_ != Use::now || choice::goes_beside(asked_, *question_.job, state);
    }
    [[nodiscard]] bool counts_cores(StateId state) const {
        return use_ == Use::now && choice::counts_cores(asked_, state) &&
               takes_part(data(state).node_class);
    }
    /// Whether nodes in the state differ by the MPS that jobs use there.
    [[nodiscard]] bool looks_for_mps(StateId state) {
        if (!wants_mps_ || use_ != Use::now || data(state).free.is_idle) return false;
        if (!takes_part(data(state).node_class)) return false;
        const SeenNode& node = seen(state);
        return may_have_mps_in_use(*node.view, node.room);
    }
    [[nodiscard]] const SeenNode& seen(StateId state) {
        if (!asked_.row) return asked_.table.seen(asked_.cluster, state);
        const SeenNode*& known = in_row_[state];
        if (known == nullptr) {
            const NodeView& view = asked_.table.view(data(state).node_class);
            question_.looked_at.push_back({&view, room_of(view, data(state).free, asked_.row)});
            known = &question_.looked_at.back();
        }
        return *known;
    }

    [[nodiscard]] CandidateId candidate_of(StateId state) {
        const ClassId id = data(state).node_class;
        if (!takes_part(id)) return takes_no_part;
        if (use_ == Use::now) return ask_state(state);
        CandidateId& known = idle_[id.value()];
        if (known == not_asked) known = ask(asked_.table.idle(id), {});
        return known;
    }
    [[nodiscard]] CandidateId ask_state(StateId state) {
        const SeenNode& node = seen(state);
        if (question_.answers == nullptr) return ask(node, {});
        StateAnswers& known = question_.answers->of(state, asked_.cluster.states()[state], [&] {
            return capacity(*node.view, node.room, *question_.job, *question_.parameters, {});
        });
        if (!known.capacity) return takes_no_part;
        return enter({&node, &*known.capacity, &known});
    }
    /// `cores`: that jobs of the partition have, by socket; empty: none.
    [[nodiscard]] CandidateId ask(const SeenNode& node, const std::vector<Number>& cores) {
        const PartitionRoom left = room_in_partition(asked_, *node.view, cores);
        auto first = capacity(*node.view, node.room, *question_.job, *question_.parameters, left);
        if (!first) return takes_no_part;
        question_.capacities.push_back(*std::move(first));
        return enter({&node, &question_.capacities.back()});
    }
    CandidateId enter(Candidate candidate) {
        question_.candidates.push_back(std::move(candidate));
        nodes_.push_back(0);
        return static_cast<CandidateId>(nodes_.size() - 1);
    }

    void add_by_jobs(const StateRun& run) {
        const SeenNode& node = seen(run.state);
        const bool counts = counts_cores(run.state);
        const bool looks = looks_for_mps(run.state);
        for (Place place = run.places.first; place < run.places.end; ++place) {
            const NodeId id = asked_.table.node_at(place);
            JobsOnNode jobs{run.state, {}, looks && has_mps_in_use(asked_.cluster, id)};
            if (counts) {
                jobs.cores = partition_cores(asked_.cluster, id, *node.view, asked_.partition);
            }
            const auto [at, is_new] = by_jobs_.try_emplace(jobs, takes_no_part);
            if (is_new) at->second = ask(jobs.use_mps ? with_mps_in_use(node) : node, jobs.cores);
            if (at->second != takes_no_part) add({place, place + 1}, at->second);
        }
    }
    [[nodiscard]] const SeenNode& with_mps_in_use(const SeenNode& node) {
        SeenNode& made = question_.looked_at.emplace_back(node);
        keep_to_mps_in_use(*made.view, made.room);
        return made;
    }

    void add(const Places& places, CandidateId candidate) {
        if (at_required_ == required_.size() && at_excluded_ == excluded_.size()) {
            put({places, candidate}, false);
        } else {
            add_around_names(places, candidate);
        }
    }
    /// Adds neighbours but for those that are excluded; required ones apart.
    void add_around_names(Places places, CandidateId candidate) {
        while (!places.is_empty()) {
            const Place next_excluded = skip_to(places.first, excluded_, at_excluded_);
            const Place next_required = skip_to(places.first, required_, at_required_);
            if (next_excluded == places.first) {
                ++places.first;
            } else if (next_required == places.first) {
                const CandidateRun one{{places.first, places.first + 1}, twin_of(candidate)};
                put(one, true);
                question_.required.push_back(one);
                ++places.first;
            } else {
                const Place end = std::min({places.end, next_excluded, next_required});
                put({{places.first, end}, candidate}, false);
                places.first = end;
            }
        }
    }
    /// The first that is named from `place` on.
    static Place skip_to(Place place, const std::vector<Place>& named, std::size_t& at) {
        while (at < named.size() && named[at] < place) ++at;
        return at < named.size() ? named[at] : ~Place{0};
    }
    /// The candidate's like among the required nodes.
    [[nodiscard]] CandidateId twin_of(CandidateId candidate) {
        const auto [at, is_new] =
            twins_.try_emplace(candidate, static_cast<CandidateId>(question_.candidates.size()));
        if (is_new) {
            Candidate twin = question_.candidates[candidate];
            twin.is_required = true;
            enter(std::move(twin));
        }
        return at->second;
    }
    void put(const CandidateRun& run, bool is_required) {
        nodes_[run.candidate] += run.size();
        const bool goes_on = !question_.runs.empty() && !is_required &&
                             question_.runs.back().candidate == run.candidate &&
                             question_.runs.back().places.end == run.places.first;
        if (goes_on) {
            question_.runs.back().places.end = run.places.end;
        } else {
            question_.runs.push_back(run);
        }
    }

    /// What jobs on a node matter for beside its state.
    struct JobsOnNode {
        StateId state;
        std::vector<Number> cores;  ///< of jobs of the partition, by socket
        bool use_mps = false;

        friend auto operator<=>(const JobsOnNode&, const JobsOnNode&) = default;
    };

    const Asked& asked_;
    Use use_;
    Question& question_;
    const std::vector<Place>& required_;
    const std::vector<Place>& excluded_;
    std::size_t at_required_ = 0;
    std::size_t at_excluded_ = 0;
    std::vector<CandidateId> idle_;  ///< by class
    std::vector<CandidateId> now_;   ///< by state
    std::map<StateId, const SeenNode*> in_row_;
    std::map<JobsOnNode, CandidateId> by_jobs_;
    bool wants_mps_;
    std::map<CandidateId, CandidateId> twins_;
    std::vector<Number> nodes_;  ///< by candidate
};

}  // namespace

bool goes_beside(const Asked& asked, const ChoiceJob& job, StateId state) {
    const NodeStateData& data = *asked.cluster.states()[state];
    if (data.free.is_idle) return true;
    if (job.rows == 0) {
        const auto own =
            static_cast<std::size_t>(&asked.partition - asked.cluster.partitions().data());
        return std::none_of(
            data.free.held_rows.begin(), data.free.held_rows.end(),
            [&](const Holding::Row& one) { return asked.rows.is_shared(one.row, own); });
    }
    const NodeClass& its = asked.cluster.classes()[data.node_class];
    CoreSet alone = its.shape->allocatable_cores() - data.free.cores;
    for (const Holding::Row& one : data.free.held_rows) alone -= one.cores;
    return alone.is_empty();
}

PartitionRoom room_in_partition(const Asked& asked, const NodeView& node,
                                const std::vector<Number>& cores) {
    PartitionRoom left;
    if (asked.max_cpus) left.cpus = *asked.max_cpus;
    if (asked.max_cpus_per_socket) {
        left.by_socket.assign(node.sockets.size(), *asked.max_cpus_per_socket);
    }
    for (std::size_t s = 0; s < cores.size(); ++s) {
        const Number cpus = product(cores[s], node.threads);
        if (asked.max_cpus) left.cpus -= cpus;
        // A socket below the limit offers as much as it would if the jobs had nothing of it.
        if (cpus > 0 && asked.max_cpus_per_socket && cpus >= left.by_socket[s]) {
            left.by_socket[s] = 0;
        }
    }
    return left;
}

bool counts_cores(const Asked& asked, StateId state) {
    return (asked.max_cpus || asked.max_cpus_per_socket) &&
           !asked.cluster.states()[state]->free.is_idle;
}

bool wants_mps(const ChoiceJob& job) {
    return std::any_of(job.gres.begin(), job.gres.end(),
                       [](const GresWant& want) { return want.name == "mps"; });
}

bool has_mps_in_use(const Cluster& cluster, NodeId node) {
    const auto owners = cluster.owners_on(node);
    return std::any_of(owners.begin(), owners.end(), [&](OwnerId owner) {
        const Allocation& job = *cluster.find_allocation(owner);
        const auto& devices = job.request->devices;
        return std::any_of(devices.begin(), devices.end(), [](const DeviceRequest& one) {
            return one.share_kind == ShareKind::mps;
        });
    });
}

void ask_nodes(const Asked& asked, Use use, const NamedPlaces& named, Question& question) {
    Asking(asked, use, named, question).run();
}

}  // namespace trestle::slurm::choice
