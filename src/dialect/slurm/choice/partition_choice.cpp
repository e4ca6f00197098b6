// SPDX-License-Identifier: Apache-2.0
#include "partition_choice.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "alloc/cluster/states/node_classes.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "alloc/node/demand_rules.hpp"
#include "node_placement.hpp"
#include "nodes/ask_nodes.hpp"
#include "nodes/units.hpp"
#include "on_node/reserved.hpp"
#include "on_node/tasks.hpp"
#include "refusals/network_refusal.hpp"
#include "refusals/node_kinds.hpp"
#include "refusals/unavailable.hpp"
#include "rules/partition_limits.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm::choice {
namespace {

/// Nodes picked for a job, with what was asked: picks name candidates.
struct Picked {
    std::optional<std::uint32_t> row;  ///< of cores that the job shares
    Question question;
    Choices choices;
};

/// The answer of one partition.
class PartitionChoice {
  public:
    PartitionChoice(const Context& context, const PartitionLine& line, std::uint32_t partition)
        : cluster_(context.cluster),
          table_(context.table),
          rules_(context.rules),
          alone_(context.alone),
          layered_(context.layered),
          line_(line),
          partition_(cluster_.partitions()[partition]),
          units_(table_.units(topology_of(rules_, line))),
          rows_(cluster_.partitions()),
          first_row_(rows_.first_of(partition)) {
        const NodeClasses& classes = cluster_.classes();
        for (ClassId id(0); id.value() < classes.size(); id = ClassId(id.value() + 1)) {
            const auto& its = classes[id].partitions;
            const bool is_member = std::binary_search(its.begin(), its.end(), partition);
            has_class_.push_back(is_member && table_.nodes_of_class()[id.value()] != 0);
            if (has_class_.back()) nodes_ += table_.nodes_of_class()[id.value()];
        }
    }

    /// The refusal of a job that the limits forbid.
    [[nodiscard]] std::optional<Decision> breach(const NamedJob& asked) {
        const PartitionLimits allowed = limits();
        if (auto decision = allowed.breach_of_time(asked.time, asked.time_min)) return decision;
        const ChoiceJob job = in_partition(asked.job, line_, rules_.parameters, typical_node());
        if (auto decision = allowed.breach_of_size(job)) return decision;
        return allowed.breach_of_memory(job);
    }

    Decision answer(NamedJob asked) {
        if (line_.state == Partition::State::inactive || line_.state == Partition::State::drain) {
            return refused(fmt::format("partition {} takes no jobs", line_.name));
        }
        const PartitionLimits allowed = limits();
        auto time = allowed.breach_of_time(asked.time, asked.time_min);
        if (time && time->answer == Answer::refused) return *std::move(time);
        required_ = std::move(asked.required);
        excluded_ = std::move(asked.excluded);
        is_among_listed_ = asked.is_among_listed;
        ChoiceJob job =
            in_partition(std::move(asked.job), line_, rules_.parameters, typical_node());
        auto beyond = allowed.breach_of_nodes(job);
        if (must_answer(beyond, job)) return *std::move(beyond);
        if (job.is_contiguous && !required_.empty()) require_between(job);
        if (job.max_nodes && static_cast<Number>(required_.size()) > *job.max_nodes) {
            return refused(fmt::format(
                "--nodelist: {} nodes{}, the job may have at most {}", required_.size(),
                job.is_contiguous ? " from the first named to the last" : "", *job.max_nodes));
        }
        if (!beyond) beyond = allowed.breach_of_size(job);
        if (must_answer(beyond, job)) return *std::move(beyond);
        if (beyond) return could_have_a_node(job) ? *std::move(beyond) : never(job);
        beyond = std::move(time);
        if (!beyond) beyond = allowed.breach_of_memory(job);
        if (beyond && !job.rules->refuses_before_limits) return *std::move(beyond);
        if (auto decision = allowed.breach_of_tasks(job)) return *std::move(decision);
        std::string why =
            units_ ? fit_sizes(*units_, rules_.parameters.topology, required_, job) : "";
        if (!why.empty()) return refused(std::move(why));
        if (units_ != nullptr && has_segments(job) && !required_.empty()) {
            // Nodes of segments are chosen anew, among those that are named.
            exclude_others(required_, table_.node_count(), excluded_);
            required_.clear();
        }
        std::vector<ChoiceJob> jobs = preferring_jobs(job);
        if (!jobs.empty() && !serves_any(jobs, Use::ever)) return never(jobs.front());
        add_feature_alternatives(job, jobs);
        if (beyond) return serves_any(jobs, Use::ever) ? *std::move(beyond) : never(job);
        return answer_of(job, jobs);
    }

  private:
    /// Contiguous nodes between required ones are required too, from 24.11 on as many as may be.
    void require_between(const ChoiceJob& job) {
        const auto listed = static_cast<Number>(required_.size());
        const Place first = required_.front();
        Number nodes = Number{required_.back()} - Number{first} + 1;
        if (job.rules->chooses_among_listed) {
            nodes = std::min(nodes, job.max_nodes.value_or(std::max(listed, job.min_nodes)));
        }
        required_.resize(static_cast<std::size_t>(std::max<Number>(nodes, 1)));
        std::iota(required_.begin(), required_.end(), first);
    }

    /// `jobs`: what the job may be instead of itself.
    Decision answer_of(const ChoiceJob& asked, const std::vector<ChoiceJob>& jobs) {
        if (line_.state == Partition::State::down) {
            return pending(Reason::partition_down, line_,
                           fmt::format("partition {} is down: none of its {} nodes takes jobs",
                                       line_.name, nodes_));
        }
        for (const ChoiceJob& job : jobs) {
            if (auto decision = answer_now(job, std::nullopt)) return *std::move(decision);
            const std::uint32_t rows = job.rows > 0 ? rows_to_try(job) : 0;
            for (std::uint32_t row = first_row_; row < first_row_ + rows; ++row) {
                if (auto decision = answer_now(job, row)) return *std::move(decision);
            }
        }
        if (!serves_any(jobs, Use::ever)) return never(asked);
        const std::string unavailable = unavailable_nodes(cluster_, partition_, has_class_, rules_);
        if (!unavailable.empty() && !serves_any(jobs, Use::idle)) {
            return pending(Reason::node_not_available, line_,
                           fmt::format("{} ({})", why(asked, Use::idle), unavailable));
        }
        Reason reason = asked.rules->has_unit_reasons ? reason_of(fault_) : Reason::resources;
        if (lacks_open_layers(asked)) reason = Reason::node_may_be_reserved;
        return pending(reason, line_, why(asked, Use::now));
    }

    /// Whether nothing else is looked at for a job beyond MinNodes, MaxNodes or the partition.
    [[nodiscard]] static bool must_answer(const std::optional<Decision>& beyond,
                                          const ChoiceJob& job) {
        return beyond && (beyond->answer == Answer::refused || !job.rules->refuses_before_size);
    }

    /// Whether the partition has the nodes that the job names, and one with the CPUs and the memory
    /// that it needs of a node.
    bool could_have_a_node(ChoiceJob job) {
        const bool has_named = std::all_of(required_.begin(), required_.end(), [&](Place place) {
            return partition_.nodes.contains(table_.node_at(place));
        });
        job.gres.clear();
        job.ntasks = std::max<Number>(job.ntasks_per_node, 1);
        job.ntasks_per_gpu = job.tasks_of_gpus = job.chosen_tasks = job.nodes_of_tasks = 0;
        job.min_nodes = job.wanted_nodes = 1;
        job.max_nodes = 1;
        return has_named &&
               pick_any(job, Use::ever, std::nullopt, {}).choices.outcome == Outcome::found;
    }

    bool serves_any(const std::vector<ChoiceJob>& jobs, Use use) {
        return std::any_of(jobs.begin(), jobs.end(), [&](const ChoiceJob& job) {
            return pick(job, use).choices.outcome != Outcome::no_fit;
        });
    }

    /// The refusal of a job that no nodes could serve.
    [[nodiscard]] Decision never(const ChoiceJob& job) {
        for (const Place place : required_) {
            const NodeId node = table_.node_at(place);
            if (partition_.nodes.contains(node)) continue;
            return refused(fmt::format("--nodelist: node {} is not in partition {}",
                                       cluster_.name(node), line_.name));
        }
        return refused(why(job, Use::ever));
    }

    /// Which condition the nodes do not meet, and the most that they have.
    [[nodiscard]] std::string why(const ChoiceJob& job, Use use) {
        std::deque<NodeRoom> rooms;
        const Asked asked = asked_in(std::nullopt);
        KindQuestion question{job, rules_.parameters, {required_, excluded_}, {}};
        const bool has_sockets = rules_.parameters.select.unit == SelectUnit::socket;
        Refused refused{job,
                        line_.name,
                        {},
                        {},
                        [&](Place place) { return cluster_.name(table_.node_at(place)); },
                        has_sockets ? "socket" : "core",
                        most_left(layered_, cluster_.free_counts())};
        std::vector<ClosedPlace> closed;
        if (use == Use::now) {
            refused.idle = kinds_of(asked, Use::idle, question, rooms);
            std::erase_if(refused.idle,
                          [](const NodeKind& one) { return one.barrier != Barrier::none; });
            closed = closed_places(job);
            question.closed = closed;
            question.first_row = first_row_;
            question.rows = job.rows > 0 ? rows_to_try(job) : 0;
        }
        refused.kinds = kinds_of(asked, use, question, rooms);
        std::string text = why_not(refused);
        if (text.empty()) {
            const auto& free = use == Use::now ? cluster_.free_counts() : cluster_.counts();
            text = lack_by_node(layered_, free, partition_.nodes, Count(job.min_nodes));
        }
        if (!text.empty()) return text;
        const Picked picked = pick_any(job, use, std::nullopt, required_);
        text = why_apart(picked.question, line_.name, use == Use::now);
        if (text.empty() && use == Use::now && shortage_) {
            text = fmt::format("the chosen node {} has {}M free, {}M are charged for its {} CPUs",
                               cluster_.name(shortage_->node), shortage_->free, shortage_->charged,
                               shortage_->cpus);
        }
        return text.empty() ? why_not_together(refused) : text;
    }
    /// Places that the job may not have now, rising, each with what keeps the job from it.
    [[nodiscard]] std::vector<ClosedPlace> closed_places(const ChoiceJob& job) {
        std::vector<ClosedPlace> closed;
        const auto add = [&](const std::vector<Place>& places, Barrier barrier) {
            for (const Place place : places) closed.push_back({place, barrier});
        };
        add(places_in_closed_layers(), Barrier::layers);
        if (!alone_.empty()) add(units_of_alone(), Barrier::alone);
        if (job.is_topology_exclusive && units_ != nullptr) add(units_in_use(), Barrier::units);
        std::stable_sort(closed.begin(), closed.end(),
                         [](const auto& a, const auto& b) { return a.place < b.place; });
        return closed;
    }

    /// Nodes of the partition whose layers have too little for the job now.
    [[nodiscard]] const std::vector<Place>& places_in_closed_layers() {
        if (closed_layers_) return *closed_layers_;
        closed_layers_.emplace();
        const LayerRoom room(layered_, cluster_.free_counts());
        if (!room.closes_nodes()) return *closed_layers_;
        for (const NodeId node : partition_.nodes) {
            if (!room.is_open(node)) closed_layers_->push_back(table_.place_of(node));
        }
        std::sort(closed_layers_->begin(), closed_layers_->end());
        return *closed_layers_;
    }
    /// Whether a required node is in such a layer, or too few nodes are in others.
    [[nodiscard]] bool lacks_open_layers(const ChoiceJob& job) {
        const std::vector<Place>& closed = places_in_closed_layers();
        const auto is_closed = [&](Place place) {
            return std::binary_search(closed.begin(), closed.end(), place);
        };
        return std::any_of(required_.begin(), required_.end(), is_closed) ||
               nodes_ - static_cast<Number>(closed.size()) < job.min_nodes;
    }
    /// Places that the job may not have now: those that are excluded, those in units of the network
    /// that other jobs have alone, and if it has its units alone those in units that are in use.
    [[nodiscard]] const std::vector<Place>& closed_to(const ChoiceJob& job) {
        const bool is_alone = job.is_topology_exclusive && units_ != nullptr;
        if (!is_alone && alone_.empty() && layered_.empty()) return excluded_;
        closed_ = excluded_;
        const auto add = [&](const std::vector<Place>& places) {
            closed_.insert(closed_.end(), places.begin(), places.end());
        };
        add(units_of_alone());
        add(places_in_closed_layers());
        if (is_alone) add(units_in_use());
        std::sort(closed_.begin(), closed_.end());
        closed_.erase(std::unique(closed_.begin(), closed_.end()), closed_.end());
        return closed_;
    }
    /// Places in units of the partition's topology that any job has nodes in.
    [[nodiscard]] std::vector<Place> units_in_use() const {
        std::vector<Place> busy;
        for (const StateRun& run : table_.runs()) {
            if (cluster_.states()[run.state]->free.is_idle) continue;
            for (Place at = run.places.first; at < run.places.end; ++at) busy.push_back(at);
        }
        return places_of_units(*units_, busy);
    }
    /// Places in the units that jobs have alone, each of the topology of its partition.
    [[nodiscard]] std::vector<Place> units_of_alone() const {
        std::map<const UnitTable*, std::vector<Place>> taken;
        for (const OwnerId owner : alone_) {
            const Allocation* const found = cluster_.find_allocation(owner);
            if (found == nullptr) continue;
            const auto line = std::find_if(
                rules_.partitions.begin(), rules_.partitions.end(), [&](const PartitionLine& one) {
                    const std::string& name = found->request->partition;
                    return name.empty() ? one.is_default : one.name == name;
                });
            if (line == rules_.partitions.end()) continue;
            const UnitTable* const units = table_.units(topology_of(rules_, *line));
            if (units == nullptr) continue;
            for (const NodePlacement& part : found->placement.nodes) {
                taken[units].push_back(table_.place_of(part.node));
            }
        }
        std::vector<Place> all;
        for (auto& [units, places] : taken) {
            std::sort(places.begin(), places.end());
            const std::vector<Place> inside = places_of_units(*units, places);
            all.insert(all.end(), inside.begin(), inside.end());
        }
        return all;
    }

    /// On cores without an owner, or on those that are free in the row. Nothing: they do not
    /// suffice.
    std::optional<Decision> answer_now(const ChoiceJob& job, std::optional<std::uint32_t> row) {
        Picked picked = pick(job, Use::now, row);
        fault_ = picked.choices.fault;
        shortage_.reset();
        if (picked.choices.outcome == Outcome::too_many_switches) {
            std::string why = why_apart(picked.question, line_.name, true);
            if (why.empty()) {
                why = fmt::format(
                    "--switches={}: the nodes chosen for the job are below {} leaf "
                    "switches",
                    job.switches, picked.choices.switches);
            }
            return pending(Reason::resources, line_, std::move(why));
        }
        if (picked.choices.outcome == Outcome::no_fit) return std::nullopt;
        picked.row = job.rows > 0 ? std::optional(row.value_or(first_row_)) : std::nullopt;
        return give(job, picked);
    }
    /// Rows of the partition with taken cores, and one more.
    [[nodiscard]] std::uint32_t rows_to_try(const ChoiceJob& job) const {
        const auto most = static_cast<std::uint32_t>(job.rows);
        std::uint32_t used = 0;
        const NodeStates& states = cluster_.states();
        states.for_each([&](StateId state) {
            for (const Holding::Row& one : states[state]->free.held_rows) {
                const bool is_own = one.row >= first_row_ && one.row - first_row_ < most;
                if (is_own) used = std::max(used, one.row - first_row_ + 1);
            }
        });
        return std::min(used + 1, most);
    }

    /// visit(view, nodes) for each kind of nodes.
    template <class Visit>
    void for_each_class(const Visit& visit) const {
        for (std::uint32_t i = 0; i < has_class_.size(); ++i) {
            if (has_class_[i]) visit(table_.view(ClassId(i)), table_.nodes_of_class()[i]);
        }
    }
    /// Nothing where no limit of memory asks for it, as the first node has to be looked for.
    [[nodiscard]] TypicalNode typical_node() const {
        TypicalNode typical;
        const MemoryLimits limits = memory_limits_of(line_, rules_.parameters);
        if (!limits.of_node && !limits.by_cpu) return typical;
        for_each_class([&](const NodeView& view, Number) {
            typical.most_cpus = std::max(typical.most_cpus, view.cpus);
        });
        const auto first = first_node(table_, partition_);
        if (!first) return typical;
        const NodeView& view = *table_.seen(cluster_, cluster_.states().of(*first)).view;
        typical.memory = view.memory;
        typical.cpus = view.cpus;
        return typical;
    }
    [[nodiscard]] static std::optional<Number> limit(const std::optional<Count>& said) {
        return said ? std::optional(std::min(said->value(), unlimited)) : std::nullopt;
    }
    [[nodiscard]] std::optional<Number> max_cpus() const { return limit(line_.max_cpus_per_node); }
    [[nodiscard]] std::optional<Number> max_cpus_per_socket() const {
        return limit(line_.max_cpus_per_socket);
    }
    [[nodiscard]] PartitionLimits limits() const {
        Number cpus = 0;
        Number most = 0;
        for_each_class([&](const NodeView& view, Number nodes) {
            cpus += std::min(view.cpus, max_cpus().value_or(unlimited)) * nodes;
            most = std::max(most, view.cpus);
        });
        return {line_, rules_.parameters, nodes_, cpus, most};
    }

    Picked pick(const ChoiceJob& job, Use use, std::optional<std::uint32_t> row = std::nullopt) {
        std::set<Place> required(required_.begin(), required_.end());
        for (const FeatureCount& counted : job.feature_counts) {
            ChoiceJob part = job;
            part.features = job.features & counted.features;
            part.min_nodes = part.wanted_nodes = std::min(counted.nodes.value(), unlimited);
            part.max_nodes = part.min_nodes;
            part.ntasks.reset();
            const Picked picked = pick(part, use, row, {});
            if (picked.choices.outcome != Outcome::found) {
                Picked none;
                none.choices.outcome = picked.choices.outcome;
                return none;
            }
            for (const auto& [place, of_node] : picked.choices.picks) required.insert(place);
        }
        return pick(job, use, row, {required.begin(), required.end()});
    }

    /// Of a list of numbers of nodes the largest with which a choice succeeds. -n lowers those
    /// above it; where units of the network are chosen, the least number alone counts then.
    Picked pick(const ChoiceJob& job, Use use, std::optional<std::uint32_t> row,
                const std::vector<Place>& required) {
        const auto& sizes = job.node_sizes;
        const Number most = job.most_nodes_by_tasks();
        const bool has_units = units_ != nullptr && !sizes.empty() && most < sizes.back();
        if (sizes.empty() || has_units) return pick_any(job, use, row, required);
        Picked picked;
        for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
            const Number nodes = std::min(*size, most);
            if (nodes < job.min_nodes || nodes > nodes_) continue;
            ChoiceJob part = job;
            part.max_nodes = part.min_nodes = part.wanted_nodes = nodes;
            picked = pick_any(part, use, row, required);
            picked.question.job = &job;  // what is remembered are answers to the part
            for (Candidate& one : picked.question.candidates) one.known = nullptr;
            if (picked.choices.outcome == Outcome::found) break;
        }
        return picked;
    }

    /// `required` need not be candidates; then nothing fits.
    Picked pick_any(const ChoiceJob& job, Use use, std::optional<std::uint32_t> row,
                    const std::vector<Place>& required) {
        Picked picked;
        Question& question = picked.question;
        question.job = &job;
        question.parameters = &rules_.parameters;
        const bool is_tree = !rules_.parameters.topology.is_optional || job.switches > 0;
        static const SwitchTree no_switches;
        const SwitchTree* const tree = table_.switches(topology_of(rules_, line_));
        question.switches = is_tree && tree != nullptr ? tree : &no_switches;
        question.units = units_;
        question.is_of_idle_nodes = use != Use::now;
        question.takes_least_loaded =
            rules_.parameters.select.takes_least_loaded || line_.takes_least_loaded;
        question.min_nodes = job.min_nodes;
        question.max_nodes = std::min(
            {job.max_nodes.value_or(unlimited), max_nodes_of(line_),
             job.most_nodes_by_tasks({question.is_of_idle_nodes, question.takes_least_loaded})});
        question.wanted_nodes = std::min(job.wanted_nodes, question.max_nodes);
        if (units_ != nullptr) {
            const Number more = std::max<Number>(question.wanted_nodes - job.min_nodes, 0);
            if (job.rules->forgives_nodes_of_blocks && !is_among_listed_) {
                question.block_slack = more;
            }
            question.wanted_nodes = job.min_nodes;
        }
        question.takes_last = rules_.parameters.scheduler.packs_serial_at_end &&
                              job.min_cpus() == 1 && question.wanted_nodes == 1;
        const Asked asked = asked_in(row);
        const std::vector<Place>& excluded = use == Use::now ? closed_to(job) : excluded_;
        ask_nodes(asked, use, {required, excluded}, question);
        LayerRoom layers(layered_, use == Use::now ? cluster_.free_counts() : cluster_.counts());
        if (layers.counts_nodes()) question.layers.emplace(std::move(layers));
        question.table = &table_;
        Number candidates = 0;
        for (const Candidate& one : question.candidates) candidates += one.nodes;
        const bool has_required = question.required.size() == required.size();
        if (has_required && candidates >= job.min_nodes) picked.choices = choose(question);
        return picked;
    }

    [[nodiscard]] Asked asked_in(std::optional<std::uint32_t> row) const {
        return {cluster_, table_, partition_, has_class_, max_cpus(), max_cpus_per_socket(),
                rows_,    row};
    }

    /// Tasks, cores, devices and memory on the picked nodes; nothing: they do not suffice.
    std::optional<Decision> give(const ChoiceJob& job, const Picked& picked) {
        std::vector<NodeShare> shares;
        std::vector<ChosenNode> chosen_nodes;
        std::vector<std::vector<Number>> planned;
        std::vector<bool> serves_rest;
        for (const auto& [place, one] : picked.choices.picks) {
            const SeenNode& seen = *picked.question.candidates[one.candidate].seen;
            const Narrowed& narrowed = *one.narrowed;
            NodeShare& share = shares.emplace_back();
            share.node = seen.view;
            share.cores = narrowed.cores;
            share.rest = narrowed.rest;
            share.has_limited_sockets = max_cpus_per_socket().has_value();
            share.cpus = one.cpus + (one.cpus == narrowed.cpus ? narrowed.idle_cpus : 0);
            if (narrowed.has_task_limit) share.task_limit = narrowed.max_tasks;
            if (rules_.parameters.select.unit != SelectUnit::socket) {
                share.task_limit = std::min(share.task_limit, most_tasks(job, one.planned));
            }
            // Binding is by core: an odd thread brings the rest of its core along.
            const Number threads = cpus_per_core(*seen.view, job);
            const Number whole = product(quotient_up(one.cpus, threads), threads);
            const Number bound = job.rules->binds_devices ? narrowed.bound_cpus
                                                          : std::min(narrowed.bound_cpus, whole);
            share.gres_cpus = std::max(one.gres_cpus, bound);
            chosen_nodes.emplace_back(*seen.view, seen.room);
            planned.push_back(one.planned);
            serves_rest.push_back(narrowed.serves_rest);
        }
        if (job.lacks_tasks_of_nodes()) return std::nullopt;
        const auto placed = distribute(job, shares);
        if (!placed) return std::nullopt;
        const SelectParameters& select = rules_.parameters.select;
        if (has_crowded_sockets(job, shares, *placed)) return std::nullopt;
        const bool is_alone = job.has_implied_core_tasks || job.has_cores_of_gpu_cpus;
        if (is_alone && lacks_cpus_of_tasks(job, shares, *placed)) return std::nullopt;
        const bool is_crowded = !job.has_whole_nodes() && has_crowded_cores(job, shares, *placed);
        const bool has_empty = has_empty_nodes(job, *placed);
        if ((is_crowded || has_empty) && is_cyclic(job, select)) return std::nullopt;
        for (std::size_t n = 0; n < chosen_nodes.size(); ++n) {
            ChosenNode& chosen = chosen_nodes[n];
            chosen.is_empty = has_empty && (*placed)[n].is_empty();
            chosen.cores = job.has_whole_nodes() || is_crowded || chosen.is_empty
                               ? shares[n].cores
                               : choose_cores(shares[n], (*placed)[n], job, select);
            chosen.is_charged_by_task = is_crowded || chosen.is_empty;
            chosen.serves_rest = serves_rest[n];
            chosen.tasks = (*placed)[n].tasks;
            chosen.cpus = std::max((*placed)[n].cpus, (*placed)[n].gres_cpus);
            chosen.planned = planned[n];
            if (job.has_whole_nodes()) take_whole_node(job, chosen);
        }
        if (!choose_devices(job, select, chosen_nodes)) return std::nullopt;
        Decision decision;
        decision.answer = Answer::allocated;
        decision.partition = line_.name;
        auto chosen = chosen_nodes.begin();
        for (const auto& [place, one] : picked.choices.picks) {
            const CoreSet& offered = picked.question.candidates[one.candidate].capacity->cores;
            const bool is_whole = select.unit == SelectUnit::socket;
            if (!is_whole && !return_reserved(job, offered, *chosen)) return std::nullopt;
            if (!give(job, *chosen++, table_.node_at(place), decision)) return std::nullopt;
        }
        auto& nodes = decision.placement.nodes;
        for (NodePlacement& node : nodes) node.row = picked.row;
        std::sort(nodes.begin(), nodes.end(),
                  [](const NodePlacement& a, const NodePlacement& b) { return a.node < b.node; });
        return decision;
    }

    bool give(const ChoiceJob& job, const ChosenNode& chosen, NodeId node, Decision& decision) {
        const SelectUnit unit = rules_.parameters.select.unit;
        const Number memory = charged_memory(job, chosen, unit);
        if (memory > chosen.room->memory) {
            shortage_ = {node, charged_cpus(job, chosen, unit), memory, chosen.room->memory};
            return false;
        }
        const NodeShape& shape = cluster_.shape(node);
        const FreeState& free = cluster_.free(node);
        const auto taking = taking_of(chosen, free, memory);
        if (!taking) return false;
        auto placement = placement_of(shape, free, *taking);
        if (!placement) return false;
        placement->node = node;
        placement->tasks = Count(chosen.tasks);
        NodePlacement all;
        all.cores = chosen.cores;
        decision.grants.push_back({cluster_.name(node), cpu_ids(shape, all),
                                   Count(charged_cpus(job, chosen, unit)), taking->memory,
                                   gres_of(chosen, job.gres, parts_style(rules_, cluster_, node))});
        decision.placement.nodes.push_back(*std::move(placement));
        return true;
    }

    const Cluster& cluster_;
    NodeTable& table_;
    const SelectRules& rules_;
    std::span<const OwnerId> alone_;
    const std::vector<AskedResource>& layered_;
    const PartitionLine& line_;
    const Partition& partition_;
    const UnitTable* units_;       ///< blocks, rings or tori of the partition, or null
    std::vector<bool> has_class_;  ///< by class: nodes of the partition are of it
    Number nodes_ = 0;
    Rows rows_;
    std::uint32_t first_row_;
    std::vector<Place> required_;
    std::vector<Place> excluded_;
    bool is_among_listed_ = false;                     ///< others are excluded
    std::vector<Place> closed_;                        ///< excluded, and units that jobs have alone
    std::optional<std::vector<Place>> closed_layers_;  ///< rising; absent: not looked for yet
    UnitFault fault_ = UnitFault::none;                ///< of what was tried last
    std::optional<MemoryShortage> shortage_;           ///< likewise
};

}  // namespace

std::optional<Decision> breach_in(const Context& context, const PartitionLine& line,
                                  std::uint32_t partition, const NamedJob& asked) {
    return PartitionChoice(context, line, partition).breach(asked);
}

Decision answer_in(const Context& context, const PartitionLine& line, std::uint32_t partition,
                   NamedJob asked) {
    return PartitionChoice(context, line, partition).answer(std::move(asked));
}

}  // namespace trestle::slurm::choice
