// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/choice/select.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "../node_lookup.hpp"
#include "../options/resolve/release_options.hpp"
#include "account.hpp"
#include "alloc/cluster/states/description.hpp"
#include "base/nearest_word.hpp"
#include "ignored_inputs.hpp"
#include "model/cluster_counts.hpp"
#include "partition_choice.hpp"
#include "refusals/known_features.hpp"
#include "rules/partition_limits.hpp"
#include "rules/release_rules.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/selector.hpp"
#include "trestle/dialect/slurm/options/resolve.hpp"

namespace trestle::slurm {
namespace choice {
namespace {

/// A partition that a job names, and its number in the cluster.
struct NamedPartition {
    const PartitionLine* line = nullptr;
    std::uint32_t number = 0;
};

/// Finds what names of the options mean. Errors: InvalidArgument for one that means nothing.
class NameLookup {
  public:
    explicit NameLookup(const Context& context) : context_(context), rules_(context.rules) {}

    [[nodiscard]] StatusOr<std::vector<Place>> places(const std::optional<Hostlist>& list) const {
        std::vector<Place> places;
        if (!list) return places;
        const NodesOfList found = look_up(*list, *context_.cluster.description()->names);
        if (found.strangers != 0) {
            return invalid_argument("unknown node {}", found.first_stranger);
        }
        for (const NodeId node : found.nodes) places.push_back(context_.table.place_of(node));
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        return places;
    }

    [[nodiscard]] Status check_gres(const ChoiceJob& job) const {
        const auto& known = rules_.parameters.gres_types;
        for (const GresWant& want : job.gres) {
            if (std::find(known.begin(), known.end(), want.name) != known.end()) continue;
            return invalid_argument(
                "{}",
                words::with_nearest(fmt::format("unknown GRES {}", want.name), want.name, known,
                                    [](const std::string& one) { return std::string_view(one); }));
        }
        return {};
    }

    [[nodiscard]] StatusOr<std::vector<NamedPartition>> partitions(
        const std::vector<std::string>& names) const {
        std::vector<const PartitionLine*> lines;
        for (const PartitionLine& line : rules_.partitions) {
            if (names.empty() && line.is_default) lines = {&line};
        }
        for (const std::string& name : names) {
            const auto at = std::find_if(rules_.partitions.begin(), rules_.partitions.end(),
                                         [&](const auto& line) { return line.name == name; });
            if (at == rules_.partitions.end()) {
                return invalid_argument(
                    "{}", words::with_nearest(fmt::format("unknown partition {}", name), name,
                                              rules_.partitions, [](const PartitionLine& line) {
                                                  return std::string_view(line.name);
                                              }));
            }
            lines.push_back(&*at);
        }
        if (lines.empty())
            return invalid_argument("no partition was named and none is the default");
        std::vector<NamedPartition> found;
        const auto& all = context_.cluster.partitions();
        for (const PartitionLine* const line : lines) {
            const auto at = std::find_if(all.begin(), all.end(),
                                         [&](const auto& one) { return one.name == line->name; });
            if (at == all.end()) {
                return invalid_argument("the cluster has no partition {}", line->name);
            }
            found.push_back({line, static_cast<std::uint32_t>(at - all.begin())});
        }
        return found;
    }

  private:
    const Context& context_;
    const SelectRules& rules_;
};

/// `--licenses=matlab:2: 1 of 3 matlab is free`, of each licence that has too few.
std::string lacking_licenses(const LicenseList& asked, const Cluster& cluster) {
    std::vector<std::string> lacking;
    for (const ClusterCount& one : asked.counts) {
        const Count free = count_of(cluster.free_counts(), one.name);
        if (free >= one.count) continue;
        lacking.push_back(fmt::format("{} of {} {} {} free", free.value(),
                                      count_of(cluster.counts(), one.name).value(), one.name,
                                      free.value() == 1 ? "is" : "are"));
    }
    std::vector<std::string> names;
    for (const ClusterCount& one : asked.counts) names.push_back(to_text(one));
    return fmt::format("--licenses={}: {}", fmt::join(names, asked.is_any_of ? "|" : ","),
                       fmt::join(lacking, ", "));
}

/// Adds licences to what was allocated, or makes the job wait for them.
Decision with_licenses(Decision decision, const JobOptions& options, const Cluster& cluster) {
    if (!options.licenses || options.licenses->counts.empty()) return decision;
    std::vector<std::vector<ClusterCount>> choices;
    if (options.licenses->is_any_of) {
        for (const ClusterCount& one : options.licenses->counts) choices.push_back({one});
    } else {
        choices.push_back(options.licenses->counts);
    }
    const auto first_in = [&](const std::vector<ClusterCount>& counts) {
        return std::find_if(choices.begin(), choices.end(),
                            [&](const auto& choice) { return contains(counts, choice); });
    };
    for (const ClusterCount& one : options.licenses->counts) {
        const Count has = count_of(cluster.counts(), one.name);
        if (has < one.count) {
            return refused(
                fmt::format("--licenses={}: the cluster has {}", to_text(one), has.value()));
        }
    }
    if (decision.answer != Answer::allocated) return decision;
    const auto choice = first_in(cluster.free_counts());
    if (choice != choices.end()) {
        decision.placement.cluster_counts = *choice;
        decision.licenses = *choice;
        return decision;
    }
    Decision waits;
    waits.answer = Answer::pending;
    waits.reason = Reason::licenses;
    waits.message = lacking_licenses(*options.licenses, cluster);
    waits.partition = std::move(decision.partition);
    return waits;
}

/// The lower one is reported when several partitions say no.
int rank_of(const Decision& decision) {
    return (decision.answer == Answer::pending ? 0 : 2) +
           (decision.reason == Reason::resources ? 0 : 1);
}

/// Only select/cons_tres knows counts of GRES other than those of a node.
Status check_plugin(const JobOptions& options, const ClusterParameters& parameters) {
    const std::string& plugin = parameters.select.type;
    if (plugin != "select/linear" && plugin != "select/cons_res") return {};
    const auto check = [&](bool is_said, std::string_view option) -> Status {
        if (!is_said) return {};
        return invalid_argument("{}: {} knows GRES by node alone", option, plugin);
    };
    TRESTLE_TRY_STATUS(check(options.gpus.has_value(), "--gpus"));
    TRESTLE_TRY_STATUS(check(options.gpus_per_socket.has_value(), "--gpus-per-socket"));
    TRESTLE_TRY_STATUS(check(options.gpus_per_task.has_value(), "--gpus-per-task"));
    TRESTLE_TRY_STATUS(check(options.tres_per_task.has_value(), "--tres-per-task"));
    TRESTLE_TRY_STATUS(check(options.ntasks_per_gpu.has_value(), "--ntasks-per-gpu"));
    TRESTLE_TRY_STATUS(check(options.cpus_per_gpu.has_value(), "--cpus-per-gpu"));
    return check(options.mem_per_gpu.has_value(), "--mem-per-gpu");
}

/// Newer clients refuse a segment that does not divide the least number of nodes. Of a list of
/// numbers that is the largest.
Status check_segment(const JobOptions& said, Release release) {
    if (!said.segment || !said.nodes || !rules_of(release).has_long_segments) return {};
    const std::vector<Count>& sizes = said.nodes->sizes;
    const Count segment = *said.segment;
    if (segment.is_zero()) return {};
    const Count nodes = sizes.empty() ? said.nodes->range.least() : sizes.back();
    if (nodes <= segment || nodes.value() % segment.value() == 0) return {};
    return invalid_argument("--segment: {} does not divide --nodes: {}", segment.value(),
                            nodes.value());
}

/// The options as clients of the release read them, and what was taken out of them.
struct ReadOptions {
    JobOptions options;
    std::optional<Hostlist>
        among;                    ///< a list of more nodes than the job needs, or may have in a row
    std::optional<Count> ntasks;  ///< where GPUs and tasks per GPU say how many there are
};

ReadOptions as_read_by(const ReleaseRules& rules, JobOptions options) {
    ReadOptions read;
    std::optional<Count> most = options.ntasks;
    if (options.nodes) {
        const Range<Count>& range = options.nodes->range;
        most = options.contiguous && range.max ? range.max : range.least();
    }
    if (rules.chooses_among_listed && options.nodelist && most &&
        options.nodelist->sorted().size() > static_cast<std::uint64_t>(most->value())) {
        read.among = std::move(options.nodelist);
        options.nodelist.reset();
        if (!options.nodes) options.nodes = NodeCounts{Range<Count>::at_least(*most), {}};
    }
    if (!rules.refuses_gpus_twice && options.gpus_per_node && options.gres) {
        for (Gres& one : *options.gpus_per_node) {
            const bool is_said =
                std::any_of(options.gres->begin(), options.gres->end(), [&](const Gres& known) {
                    return known.name == one.name && known.type == one.type;
                });
            if (!is_said) options.gres->push_back(std::move(one));
        }
        options.gpus_per_node.reset();
    }
    const bool has_gpus = options.gpus || options.gpus_per_node || options.gres;
    if (options.ntasks_per_gpu && has_gpus) {
        read.ntasks = std::exchange(options.ntasks, {});
        // Fewer tasks than nodes lower these all the same.
        if (read.ntasks && options.nodes && *read.ntasks < options.nodes->range.least()) {
            options.nodes = NodeCounts{Range<Count>::exactly(*read.ntasks), {}};
        }
    }
    read.options = std::move(options);
    return read;
}

/// Devices per task need a number of tasks: -n, a count of the job, or one number of nodes with
/// --ntasks-per-node or without CPUs per task.
bool has_open_tasks(const JobOptions& said) {
    const bool has_tres = said.tres_per_task && !said.tres_per_task->gres.empty();
    if ((!said.gpus_per_task && !has_tres) || said.ntasks || said.gpus) return false;
    const bool has_cpus = said.tres_per_task && said.tres_per_task->cpus;
    if (!said.ntasks_per_node) return has_cpus;
    return !said.nodes || !said.nodes->range.is_single();
}

/// What clients and slurmctld of the release refuse before anything is chosen.
Status check_release(const JobOptions& said, const JobOptions& resolved, const ChoiceJob& job,
                     const ClusterParameters& parameters) {
    const ReleaseRules& rules = *job.rules;
    const bool has_gpus = std::any_of(job.gres.begin(), job.gres.end(),
                                      [](const GresWant& want) { return want.name == "gpu"; });
    if (rules.counts_tasks_of_devices && has_open_tasks(said)) {
        return invalid_argument("--gpus-per-task: the number of tasks is open: expected --ntasks");
    }
    if (rules.needs_gpus_for_counts && resolved.cpus_per_gpu && !has_gpus) {
        return invalid_argument("--cpus-per-gpu: no GPU is asked for");
    }
    if (resolved.tres_per_task && !resolved.tres_per_task->licenses.empty()) {
        return invalid_argument("--tres-per-task: licences are no TRES of tasks: use --licenses");
    }
    // Every node needs a task; without numbers of tasks clients count one.
    if (said.distribution && said.distribution->nodes == TaskSpread::plane) {
        const bool says_tasks = said.ntasks || said.ntasks_per_node || said.ntasks_per_gpu;
        const Number said_tasks = says_tasks ? job.ntasks.value_or(1) : 1;
        const Number plane =
            said.distribution->plane_size ? said.distribution->plane_size->value() : 1;
        const Number nodes =
            said.nodes ? std::max(job.min_nodes, said.nodes->range.least().value()) : job.min_nodes;
        if (product(plane, nodes - 1) >= said_tasks) {
            return invalid_argument("--distribution: too few tasks for planes of {} on {} nodes",
                                    plane, nodes);
        }
    }
    const auto& modes = parameters.preempt_modes;
    const bool can_preempt = std::any_of(modes.begin(), modes.end(),
                                         [](PreemptMode mode) { return mode != PreemptMode::off; });
    if (said.signal && said.signal->for_reservation && rules.needs_preemption_for_signal &&
        !can_preempt) {
        return invalid_argument("--signal: R needs PreemptMode, which is OFF");
    }
    if (said.time_min && !said.time_min->limit) {
        return invalid_argument("--time-min: no limit: expected a time of at least a minute");
    }
    const bool is_arbitrary =
        said.distribution && said.distribution->nodes == TaskSpread::arbitrary;
    if (is_arbitrary && !said.nodelist && said.nodefile.empty()) {
        return invalid_argument("--distribution=arbitrary: expected --nodelist or --nodefile");
    }
    if (said.gres_flags && said.gres_flags->allow_task_sharing) {
        return invalid_argument("--gres-flags: allow-task-sharing is for steps (srun)");
    }
    return {};
}

/// Clients leave out --core-spec and --thread-spec where jobs may not say them.
void drop_system_cores(ResolvedOptions& resolved) {
    const auto drop = [&](auto& option, std::string_view name) {
        if (!option) return;
        option.reset();
        resolved.warnings.push_back(
            fmt::format("--{}: ignored without AllowSpecResourcesUsage", name));
    };
    drop(resolved.options.core_spec, "core-spec");
    drop(resolved.options.thread_spec, "thread-spec");
}

StatusOr<ChoiceJob> checked_job(const ReadOptions& read, const ResolvedOptions& resolved,
                                const SelectRules& rules) {
    const JobOptions& said = read.options;
    const ClusterParameters& parameters = rules.parameters;
    TRESTLE_TRY_STATUS(check_plugin(said, parameters));
    const auto& flags = resolved.options.gres_flags;
    if (flags && flags->one_task_per_sharing && !parameters.select.shares_several_devices) {
        return invalid_argument(
            "--gres-flags: one-task-per-sharing where a job has parts of one GPU only: expected "
            "MULTIPLE_SHARING_GRES_PJ in SelectTypeParameters");
    }
    TRESTLE_TRY_STATUS(check_segment(said, rules.release));
    TRESTLE_TRY(ChoiceJob job, job_of(said, resolved, read.ntasks, rules.release));
    TRESTLE_TRY_STATUS(check_release(said, resolved.options, job, parameters));
    return job;
}

StatusOr<Decision> decide(const Context& context, const JobOptions& resolved, const ChoiceJob& job,
                          const std::optional<Hostlist>& among) {
    const NameLookup names(context);
    TRESTLE_TRY_STATUS(names.check_gres(job));
    TRESTLE_TRY_STATUS(check_features(resolved, context.cluster, context.rules.parameters));
    TRESTLE_TRY(auto required, names.places(resolved.nodelist));
    TRESTLE_TRY(auto excluded, names.places(resolved.exclude));
    TRESTLE_TRY(const auto listed, names.places(among));
    const bool is_in_a_row = job.is_contiguous && !listed.empty();
    if (is_in_a_row) {  // from the first listed node on, also nodes that are not listed
        required = {listed.front()};
        if (listed.size() > 1 && job.max_nodes != 1) required.push_back(listed.back());
    } else if (among) {
        exclude_others(listed, context.cluster.node_count(), excluded);
    }
    TRESTLE_TRY(const auto lines, names.partitions(resolved.partitions));
    const NamedJob asked{job,           required,
                         excluded,      among.has_value() && !is_in_a_row,
                         resolved.time, resolved.time_min};
    const bool are_all_enforced =
        context.rules.parameters.enforce_part_limits == EnforcePartLimits::all && lines.size() > 1;
    for (const NamedPartition& one : lines) {
        if (!are_all_enforced) break;
        if (auto refusal = breach_in(context, *one.line, one.number, asked)) return *refusal;
    }
    std::optional<Decision> best;
    for (const NamedPartition& one : lines) {
        Decision decision = with_licenses(answer_in(context, *one.line, one.number, asked),
                                          resolved, context.cluster);
        if (decision.answer == Answer::allocated) {
            const auto layers =
                layers_taken(context.layered, context.cluster.free_counts(), decision.placement);
            auto& counts = decision.placement.cluster_counts;
            counts = add(counts, layers);
            const auto shown = shown_resources(context.layered, layers);
            decision.licenses.insert(decision.licenses.end(), shown.begin(), shown.end());
            return decision;
        }
        if (!best || rank_of(decision) < rank_of(*best)) best = std::move(decision);
    }
    return *std::move(best);
}

/// MiB of the partition's first node.
Number node_memory(const Context& context, const std::string& partition) {
    const auto& all = context.cluster.partitions();
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const Partition& one) { return one.name == partition; });
    const auto first = at != all.end() ? first_node(context.table, *at) : std::nullopt;
    if (!first) return 0;
    return div_floor(context.cluster.shape(*first).ordinary_memory(), mib(1).value()).value();
}

/// Fills in what the job asks for and, if it was allocated, what it was given and what clients show
/// of it.
void account(Decision& decision, const Context& context, ChoiceJob&& raw,
             const JobOptions& resolved, const PartitionLine& line) {
    const SelectRules& rules = context.rules;
    const TypicalNode node{node_memory(context, line.name), 0, 0};
    const ChoiceJob job = in_partition(std::move(raw), line, rules.parameters, node);
    const TresRules tres = tres_rules_of(rules.parameters, line, rules.typed);
    const LicenseList licenses = resolved.licenses.value_or(LicenseList());
    decision.req_tres = asked_tres(job, node.memory, licenses.counts, tres);
    decision.client = client_view(context.cluster, decision.grants, resolved, job, line,
                                  rules.parameters.select, rules.release);
    if (decision.answer != Answer::allocated) return;
    decision.tres =
        granted_tres(decision.grants, resolved, decision.placement.cluster_counts, tres);
}

}  // namespace
}  // namespace choice

Selector::Selector(SelectRules rules) : rules_(std::move(rules)) {}
Selector::Selector(const Selector& other) : rules_(other.rules_) {}
Selector::Selector(Selector&&) noexcept = default;
Selector& Selector::operator=(const Selector& other) { return *this = Selector(other); }
Selector& Selector::operator=(Selector&&) noexcept = default;
Selector::~Selector() = default;

Decision Selector::select(const Cluster& cluster, const JobOptions& given,
                          std::span<const OwnerId> alone) {
    const Status known = check_options_of(given, rules_.release);
    if (!known.ok()) return choice::refused(std::string(message(known)));
    const choice::ReleaseRules& release = choice::rules_of(rules_.release);
    const choice::ReadOptions read = choice::as_read_by(release, given);
    const JobOptions& options = read.options;
    auto resolved = resolve(options);
    if (!resolved.ok()) return choice::refused(std::string(message(resolved.status())));
    if (!rules_.parameters.allows_system_cores) choice::drop_system_cores(*resolved);
    auto job = choice::checked_job(read, *resolved, rules_);
    if (!job.ok()) return choice::refused(std::string(message(job.status())));
    if (!table_ || !table_->is_of(cluster)) {
        table_ = std::make_unique<choice::NodeTable>(cluster, rules_);
    }
    table_->follow(cluster);
    auto layered = choice::asked_resources(options, rules_);
    if (!layered.ok()) return choice::refused(std::string(message(layered.status())));
    if (!layered->empty() && options.licenses && options.licenses->is_any_of) {
        return choice::refused("--licenses: | between licences beside --resources");
    }
    const choice::Context context{cluster, *table_, rules_, alone, *std::move(layered)};
    auto decision = choice::decide(context, resolved->options, *job, read.among);
    if (!decision.ok()) return choice::refused(std::string(message(decision.status())));
    const auto line =
        std::find_if(rules_.partitions.begin(), rules_.partitions.end(),
                     [&](const PartitionLine& one) { return one.name == decision->partition; });
    const bool has_line = line != rules_.partitions.end();
    if (has_line && decision->answer != Answer::refused) {
        choice::account(*decision, context, *std::move(job), resolved->options, *line);
    }
    if (decision->answer != Answer::refused) decision->options = std::move(resolved->options);
    decision->warnings = std::move(resolved->warnings);
    choice::warn_of_options(options, rules_.parameters, decision->warnings);
    if (has_line) choice::warn_of_rules(options, rules_, *line, *decision);
    return *std::move(decision);
}

Decision select(const Cluster& cluster, const JobOptions& options, const SelectRules& rules) {
    return Selector(rules).select(cluster, options);
}

}  // namespace trestle::slurm
