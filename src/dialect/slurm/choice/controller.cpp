// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/choice/controller.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "../conf/conf_lines.hpp"
#include "../node_lookup.hpp"
#include "adopt/recorded.hpp"
#include "alloc/cluster/states/description.hpp"
#include "model/cluster_counts.hpp"
#include "network/layers.hpp"
#include "nodes/node_table.hpp"
#include "rows.hpp"
#include "rules/partition_limits.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {
namespace choice {
namespace {

/// Whether the job may have cores beside others.
bool shares_cores(const Partition& partition, const JobOptions& options,
                  const ClusterParameters& parameters) {
    const bool has_system_cores =
        parameters.allows_system_cores && (options.core_spec || options.thread_spec);
    const bool is_alone = options.exclusive == ExclusiveKind::whole_node || has_system_cores;
    if (partition.oversubscribe == Partition::OverSubscribe::force) {
        return !is_alone || partition.jobs_per_core > Count(1);
    }
    return partition.oversubscribe == Partition::OverSubscribe::yes && options.oversubscribe &&
           !is_alone;
}

/// The first row of the partition in which all cores are free; else its last one.
void set_row(const Cluster& cluster, const Partition& partition, std::uint32_t first,
             Placement& placement) {
    const auto rows = static_cast<std::uint32_t>(partition.jobs_per_core.value());
    const auto is_free = [&](std::uint32_t row) {
        return std::all_of(
            placement.nodes.begin(), placement.nodes.end(), [&](const NodePlacement& node) {
                return cluster.free(node.node).cores_in(row).contains_all(node.cores);
            });
    };
    std::uint32_t row = first;
    while (row + 1 < first + rows && !is_free(row)) ++row;
    for (NodePlacement& node : placement.nodes) node.row = row;
}

/// The options as sbatch of the release reads them.
StatusOr<Submission> read_options(std::string_view text, Release release) {
    KnownOptions known;
    known.release = release;
    return parse_option_text(text, Tool::sbatch, known);
}

/// The answer to one component that does not go beside another.
Decision held_back(Decision decision, const Decision& other, std::size_t number) {
    if (other.answer == Answer::refused) {
        return refused(fmt::format("component {}: {}", number, other.message));
    }
    if (decision.answer != Answer::allocated) return decision;
    Decision waits;
    waits.answer = Answer::pending;
    waits.message = fmt::format("component {} waits: {}", number, other.message);
    waits.partition = std::move(decision.partition);
    waits.options = std::move(decision.options);
    waits.warnings = std::move(decision.warnings);
    waits.req_tres = std::move(decision.req_tres);
    return waits;
}

/// All of them as what the worst makes of them.
void hold_back(std::vector<Decision>& decisions) {
    const auto worst =
        std::max_element(decisions.begin(), decisions.end(),
                         [](const Decision& a, const Decision& b) { return a.answer < b.answer; });
    const auto at = static_cast<std::size_t>(worst - decisions.begin());
    const Decision other = *worst;
    for (std::size_t i = 0; i < decisions.size(); ++i) {
        if (i != at) decisions[i] = held_back(std::move(decisions[i]), other, at);
    }
}

}  // namespace
}  // namespace choice

namespace {

/// Nodes that a slurmctld of the release does not use are drained, with a warning each kind.
void drain_invalid(BuiltCluster& built, SelectRules& rules) {
    const choice::ReleaseRules& release = choice::rules_of(rules.release);
    for (const InvalidNodes& one : built.invalid) {
        const bool is_part = one.fault.kind == NodeFaultKind::part_of_socket;
        if (is_part && !release.refuses_part_of_socket) continue;
        for (const NodeId node : look_up(one.nodes, *built.cluster.description()->names).nodes) {
            built.cluster.set_node_state(node, NodeState::drained);
        }
        built.warnings.push_back(
            {one.fault.place,
             fmt::format("nodes {} take no jobs: {}", one.nodes.sorted(), one.fault.reason)});
        rules.invalid.push_back(one);
    }
}

}  // namespace

StatusOr<Controller> Controller::create(const ConfTexts& texts, Release release,
                                        TypedCounts typed) {
    ConfTexts of_release = texts;
    of_release.release = release;
    return of(read_cluster(of_release), release, typed);
}

StatusOr<Controller> Controller::of(ClusterReading reading, Release release, TypedCounts typed) {
    TRESTLE_TRY_STATUS(all_errors(reading.errors));
    SelectRules rules = select_rules_of(reading.conf, reading.built.cluster);
    rules.release = release;
    rules.typed = typed;
    rules.default_topology = reading.built.default_topology;
    rules.placements = reading.built.placements;
    rules.resources = reading.built.resources;
    choice::order_nodes(reading.built.cluster, rules);  // by release and default topology
    drain_invalid(reading.built, rules);
    return Controller(std::move(reading.built), std::move(rules));
}

namespace {

/// The MPS that a job has of the first node that gives it any.
Count mps_of(std::span<const NodeGrant> grants) {
    for (const NodeGrant& grant : grants) {
        for (const GresDetail& one : grant.gres) {
            if (one.gres.name == "mps") return one.gres.count;
        }
    }
    return {};
}

}  // namespace

StatusOr<Decision> Controller::submit(std::string_view options) {
    const auto submission = choice::read_options(options, rules().release);
    if (!submission.ok()) return choice::refused(std::string(message(submission.status())));
    if (submission->components.size() != 1) {
        return invalid_argument("a job of {} components, expected one (submit_all takes more)",
                                submission->components.size());
    }
    return submit(submission->components.front().options);
}

StatusOr<Decision> Controller::submit(const JobOptions& options) {
    Decision decision = selector_.select(cluster_, options, alone_);
    if (decision.answer == Answer::allocated) {
        TRESTLE_TRY(decision.owner, commit(decision.placement, decision.partition,
                                           decision.client.time.limit, mps_of(decision.grants)));
        note_alone(*decision.owner, options, decision.partition);
    }
    return decision;
}

StatusOr<std::vector<Decision>> Controller::submit_all(std::string_view options) {
    const auto submission = choice::read_options(options, rules().release);
    if (submission.ok()) return submit_all(*submission);
    return std::vector{choice::refused(std::string(message(submission.status())))};
}

StatusOr<std::vector<Decision>> Controller::submit_all(const Submission& submission) {
    const std::uint64_t first_owner = next_owner_;
    const std::vector<OwnerId> alone = alone_;
    const auto take_back = [&] {
        next_owner_ = first_owner;
        alone_ = alone;
    };
    std::vector<Decision> decisions;
    Cluster::Trial trial = cluster_.trial();
    bool are_all_allocated = true;
    for (const JobComponent& component : submission.components) {
        auto decision = submit(component.options);
        if (!decision.ok()) {
            take_back();
            return decision.status();
        }
        are_all_allocated = are_all_allocated && decision->answer == Answer::allocated;
        decisions.push_back(*std::move(decision));
    }
    if (are_all_allocated) {
        trial.keep();
        return decisions;
    }
    take_back();
    choice::hold_back(decisions);
    return decisions;
}

StatusOr<OwnerId> Controller::adopt(std::span<const NodeGrant> grants, std::string_view partition) {
    JobOptions options;
    if (!partition.empty()) options.partitions = {std::string(partition)};
    return adopt(grants, options);
}

StatusOr<OwnerId> Controller::adopt(std::span<const NodeGrant> grants, const JobOptions& options) {
    return enter(grants, options, std::nullopt);
}

StatusOr<OwnerId> Controller::adopt(std::span<const NodeGrant> grants, const JobOptions& options,
                                    std::span<const ClusterCount> licenses) {
    return enter(grants, options, licenses);
}

StatusOr<OwnerId> Controller::enter(std::span<const NodeGrant> grants, const JobOptions& options,
                                    std::optional<std::span<const ClusterCount>> licenses) {
    const std::string partition = options.partitions.empty() ? "" : options.partitions.front();
    const auto& partitions = cluster_.partitions();
    const auto line = std::find_if(partitions.begin(), partitions.end(), [&](const Partition& one) {
        return partition.empty() ? one.is_default : one.name == partition;
    });
    if (line == partitions.end() && !partition.empty()) {
        return invalid_argument("unknown partition {}", partition);
    }
    Placement placement;
    for (const NodeGrant& grant : grants) {
        TRESTLE_TRY(NodePlacement part, choice::recorded_part(cluster_, grant));
        placement.nodes.push_back(std::move(part));
    }
    std::sort(placement.nodes.begin(), placement.nodes.end(),
              [](const NodePlacement& a, const NodePlacement& b) { return a.node < b.node; });
    if (line != partitions.end() && choice::shares_cores(*line, options, rules().parameters)) {
        const choice::Rows rows(partitions);
        choice::set_row(cluster_, *line,
                        rows.first_of(static_cast<std::size_t>(line - partitions.begin())),
                        placement);
    }
    if (licenses) {
        TRESTLE_TRY(placement.cluster_counts,
                    choice::recorded_counts(cluster_, rules(), *licenses, placement));
    } else {
        TRESTLE_TRY(const auto layered, choice::asked_resources(options, rules()));
        placement.cluster_counts =
            add(choice::licenses_of(cluster_, options),
                choice::layers_taken(layered, cluster_.free_counts(), placement));
    }
    const auto time_limit = options.time ? options.time->limit : std::nullopt;
    TRESTLE_TRY(const OwnerId owner,
                commit(std::move(placement), partition, time_limit, mps_of(grants)));
    note_alone(owner, options, partition);
    return owner;
}

void Controller::note_alone(OwnerId owner, const JobOptions& options, std::string_view partition) {
    const auto& lines = rules().partitions;
    const bool is_of_partition =
        std::any_of(lines.begin(), lines.end(), [&](const PartitionLine& line) {
            const bool is_its = partition.empty() ? line.is_default : line.name == partition;
            return is_its && line.is_topology_exclusive;
        });
    if (!is_of_partition && options.exclusive != ExclusiveKind::topo) return;
    std::erase_if(alone_, [&](OwnerId one) { return cluster_.find_allocation(one) == nullptr; });
    alone_.push_back(owner);
}

namespace {

/// A plan limits a node's memory to the lesser of what is asked for and of what the node gives: so
/// the most that any node gives is asked for.
Range<Bytes> memory_to_ask_for(const Placement& placement) {
    Bytes most;
    for (const NodePlacement& part : placement.nodes) most = std::max(most, part.total_memory());
    return most.is_zero() ? Range<Bytes>() : Range<Bytes>::exactly(most);
}

}  // namespace

StatusOr<OwnerId> Controller::commit(Placement placement, std::string_view partition,
                                     std::optional<Seconds> time_limit, Count mps) {
    Request request;
    if (!mps.is_zero()) {  // which keeps others from the MPS of other devices
        DeviceRequest& device = request.devices.emplace_back();
        device.shares = mps;
        device.shares_per = Per::node;
        device.share_kind = ShareKind::mps;
    }
    request.partition = partition;  // whose CPUs MaxCPUsPerNode counts
    request.time_limit = time_limit;
    request.memory = memory_to_ask_for(placement);
    const OwnerId owner(next_owner_);
    TRESTLE_TRY_STATUS(cluster_.commit({owner, std::move(request), std::move(placement)}));
    ++next_owner_;
    return owner;
}

StatusOr<std::vector<NodeId>> Controller::known_nodes(const Hostlist& nodes) const {
    const NodesOfList found = look_up(nodes, *cluster_.description()->names);
    if (found.strangers != 0) return invalid_argument("unknown node {}", found.first_stranger);
    std::vector<NodeId> known(found.nodes.begin(), found.nodes.end());
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    return known;
}

Status Controller::set_node_state(const Hostlist& nodes, NodeState state) {
    if (state == NodeState::removed) {
        return invalid_argument("state removed, expected up, drained or down");
    }
    TRESTLE_TRY(const auto found, known_nodes(nodes));
    for (const InvalidNodes& invalid : rules().invalid) {
        if (state != NodeState::up) break;
        for (const NodeId node : found) {
            const std::string name = cluster_.name(node);
            if (!invalid.nodes.contains(name)) continue;
            return failed_precondition("node {}: {}", name, invalid.fault.reason);
        }
    }
    for (const NodeId node : found) cluster_.set_node_state(node, state);
    forget_reasons(nodes);
    return {};
}

void Controller::forget_reasons(const Hostlist& nodes) {
    const auto& known = rules().reasons;
    const bool has_any = std::any_of(known.begin(), known.end(), [&](const DownLine& line) {
        return !(line.names & nodes).is_empty();
    });
    if (!has_any) return;
    SelectRules changed = rules();
    for (DownLine& line : changed.reasons) line.names = line.names - nodes;
    selector_ = Selector(std::move(changed));
}

Status Controller::add_node(const Node& node, std::span<const std::string> partitions) {
    Cluster changed = cluster_;
    TRESTLE_TRY(const NodeId added, changed.add_node(node));
    std::vector<Partition> all = changed.partitions();
    for (const std::string& name : partitions) {
        const auto at = std::find_if(all.begin(), all.end(),
                                     [&](const Partition& one) { return one.name == name; });
        if (at == all.end()) return invalid_argument("unknown partition {}", name);
        at->nodes.insert(added);
    }
    TRESTLE_TRY_STATUS(changed.set_partitions(std::move(all)));
    cluster_ = std::move(changed);
    SelectRules rules = selector_.rules();
    Hostlist name;
    name.push_back(node.name);  // which a removed node may have had
    for (InvalidNodes& invalid : rules.invalid) invalid.nodes = invalid.nodes - name;
    rules.typed_parts = rules.typed_parts - name;
    for (DownLine& line : rules.reasons) line.names = line.names - name;
    choice::order_nodes(cluster_, rules);
    selector_ = Selector(std::move(rules));
    return {};
}

Status Controller::remove_nodes(const Hostlist& nodes) {
    TRESTLE_TRY(const auto found, known_nodes(nodes));
    Cluster::Trial trial = cluster_.trial();
    for (const NodeId node : found) TRESTLE_TRY_STATUS(cluster_.remove_node(node));
    trial.keep();
    return {};
}

Status Controller::release(OwnerId owner) { return cluster_.release(owner).status(); }

StatusOr<JobState> Controller::job(OwnerId owner) const {
    const Allocation* const found = cluster_.find_allocation(owner);
    if (found == nullptr) return not_found("owner {} has no allocation", owner.value());
    JobState job;
    TRESTLE_TRY(job, JobState::create({}, {owner, *found->request, {}}));
    for (const NodePlacement& part : found->placement.nodes) {
        TRESTLE_TRY_STATUS(job.add_node(cluster_.node(part.node), part));
    }
    return job;
}

StatusOr<std::vector<NodeGrant>> Controller::grants(OwnerId owner) const {
    const Allocation* const found = cluster_.find_allocation(owner);
    if (found == nullptr) return not_found("owner {} has no allocation", owner.value());
    std::vector<NodeGrant> grants;
    for (const NodePlacement& part : found->placement.nodes) {
        grants.push_back(grant_of(cluster_.node(part.node), part));
    }
    return grants;
}

Status Controller::check_known(const JobState& job) const {
    const Allocation* const found = cluster_.find_allocation(job.owner());
    const std::uint64_t owner = job.owner().value();
    if (found == nullptr) return failed_precondition("owner {} has no allocation", owner);
    if (found->placement.nodes == job.allocation().placement.nodes) return {};
    return failed_precondition("the job is not what owner {} has", owner);
}

Status Controller::shrink(JobState& job, const Hostlist& keep) {
    TRESTLE_TRY_STATUS(check_known(job));
    if (keep.is_empty()) return invalid_argument("no node would be left, expected one or more");
    const NodesOfList kept = look_up(keep, *cluster_.description()->names);
    if (kept.strangers != 0) return invalid_argument("unknown node {}", kept.first_stranger);
    NodeSet kept_set;
    for (const NodeId node : kept.nodes) {
        if (job.find_node(node) == nullptr) {
            return invalid_argument("node {} is not the job's", cluster_.name(node));
        }
        kept_set.insert(node);
    }
    JobState smaller = job;
    Placement freed;
    for (const JobNode& node : job.nodes()) {
        if (kept_set.contains(node.granted.node)) continue;
        TRESTLE_TRY(Placement part, smaller.remove_node(node.granted.node));
        freed.nodes.push_back(std::move(part.nodes.front()));
    }
    if (freed.nodes.empty()) return {};
    TRESTLE_TRY_STATUS(cluster_.release_part(job.owner(), freed));
    job = std::move(smaller);
    return {};
}

Status Controller::grow(JobState& job, const JobState& other) {
    if (job.owner() == other.owner()) {
        return invalid_argument("owner {} cannot grow by itself", job.owner().value());
    }
    TRESTLE_TRY_STATUS(check_known(job));
    TRESTLE_TRY_STATUS(check_known(other));
    if (!other.steps().empty()) {
        return failed_precondition("step {} of owner {} runs", other.steps().front().id.value(),
                                   other.owner().value());
    }
    Cluster::Trial trial = cluster_.trial();
    TRESTLE_TRY(const Allocation given, cluster_.release(other.owner()));
    TRESTLE_TRY_STATUS(cluster_.extend(job.owner(), given.placement));
    TRESTLE_TRY(Allocation whole, cluster_.release(job.owner()));
    Request request = *whole.request;
    request.memory = memory_to_ask_for(whole.placement);
    if (request.devices.empty()) request.devices = given.request->devices;  // MPS in use
    TRESTLE_TRY_STATUS(cluster_.commit({job.owner(), request, whole.placement}));
    JobState larger;
    TRESTLE_TRY(larger, JobState::create({}, {job.owner(), request, {}}));
    for (NodePlacement& part : whole.placement.nodes) {
        const NodeId node = part.node;
        TRESTLE_TRY_STATUS(larger.add_node(cluster_.node(node), std::move(part)));
    }
    for (const JobStep& step : job.steps()) TRESTLE_TRY_STATUS(larger.start(step));
    trial.keep();
    job = std::move(larger);
    return {};
}

}  // namespace trestle::slurm
