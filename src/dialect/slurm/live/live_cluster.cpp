// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/live/live_cluster.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dialect/slurm/known_releases.hpp"
#include "live_state.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/dialect/slurm/print.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::slurm {
namespace {

void set_states(Cluster& cluster, const LiveState& state, std::vector<std::string>& problems) {
    std::size_t known = 0;
    for (const LiveNode& node : state.nodes) {
        const auto id = cluster.find_node(node.name);
        if (!id) {
            problems.push_back(
                fmt::format("node {}: not in slurm.conf, so it is left out", node.name));
            continue;
        }
        ++known;
        cluster.set_node_state(*id, node.state);
    }
    if (!state.nodes.empty() && known < cluster.node_count()) {
        problems.push_back(
            fmt::format("{} of the {} nodes of slurm.conf are not in the answer of Slurm; their "
                        "states are those of the file",
                        cluster.node_count() - known, cluster.node_count()));
    }
}

/// The abstract CPU ids of cores that are known by socket. Error: a core that does not exist.
Status set_cpu_ids(const Cluster& cluster, LiveGrant& grant) {
    if (grant.cores.empty()) return {};
    const auto node = cluster.find_node(grant.grant.node);
    if (!node) return invalid_argument("unknown node {}", grant.grant.node);
    const NodeShape& shape = cluster.shape(*node);
    const std::uint32_t each =
        shape.hardware.core_count() / std::max<std::uint32_t>(1, shape.socket_count());
    NodePlacement part;
    for (const auto& [socket, core] : grant.cores) {
        const std::uint32_t id = socket * each + core;
        if (core >= each || id >= shape.hardware.core_count()) {
            return invalid_argument("node {}: core {} of socket {} does not exist",
                                    grant.grant.node, core, socket);
        }
        part.cores.insert(CoreId(id));
    }
    grant.grant.cpu_ids = cpu_ids(shape, part);
    return {};
}

/// The partition of the job, and the licences that it asks for. Errors: those of
/// parse_submission().
StatusOr<JobOptions> options_of(const JobRecord& job) {
    const std::vector<std::string> words{
        "--partition=" + job.partition.substr(0, job.partition.find(',')),
        "--licenses=" + job.licenses};
    TRESTLE_TRY(Submission submission, parse_submission({words, {}, ""}));
    return std::move(submission.components.front().options);
}

/// Enters the job with the licences that its record tells.
StatusOr<RunningJob> adopt_with_licenses(Controller& controller, const JobRecord& job,
                                         const RunningJob& plain,
                                         std::span<const NodeGrant> grants) {
    RunningJob running = plain;
    if (!job.licenses_alloc.empty()) {
        TRESTLE_TRY(running.licenses, parse_licenses(job.licenses_alloc));
        TRESTLE_TRY(running.owner, controller.adopt(grants, running.options, running.licenses));
        return running;
    }
    TRESTLE_TRY(running.options, options_of(job));
    TRESTLE_TRY(running.owner, controller.adopt(grants, running.options));
    return running;
}

/// Licences that cannot be counted are a problem, and no reason to leave the job out.
StatusOr<RunningJob> adopt_job(Controller& controller, const JobRecord& job,
                               std::vector<std::string>& problems) {
    if (job.grants.empty()) return invalid_argument("what it has of its nodes is not said");
    std::vector<NodeGrant> grants;
    for (LiveGrant grant : job.grants) {
        TRESTLE_TRY_STATUS(set_cpu_ids(controller.cluster(), grant));
        grants.push_back(std::move(grant.grant));
    }
    RunningJob plain{OwnerId(), fmt::format("job {}", job.id), job.ends_in};
    plain.options.partitions = {job.partition.substr(0, job.partition.find(','))};
    Status lost;
    if (!job.licenses.empty() || !job.licenses_alloc.empty()) {
        auto with = adopt_with_licenses(controller, job, plain, grants);
        if (with.ok()) return with;
        lost = with.status();
    }
    TRESTLE_TRY(plain.owner, controller.adopt(grants, plain.options));
    if (!lost.ok()) {
        problems.push_back(fmt::format("job {}: its licences ({}) are not counted: {}", job.id,
                                       job.licenses, message(lost)));
    }
    return plain;
}

}  // namespace

StatusOr<LiveCluster> live_cluster(ClusterReading reading, LiveState state, Release release) {
    set_states(reading.built.cluster, state, state.problems);
    TRESTLE_TRY(Controller controller, Controller::of(std::move(reading), release));
    LiveCluster live{
        std::move(controller), {}, std::move(state.reservations), {}, std::move(state.problems)};
    for (JobRecord& job : state.jobs) {
        if (job.has_nodes()) {
            auto adopted = adopt_job(live.controller, job, live.problems);
            if (adopted.ok()) {
                live.running.push_back(*std::move(adopted));
            } else {
                live.problems.push_back(
                    fmt::format("job {}: not adopted: {}", job.id, message(adopted.status())));
            }
        }
        live.jobs.push_back({job.id, std::move(job.name), std::move(job.state),
                             std::move(job.reason), std::move(job.words)});
    }
    return live;
}

StatusOr<LiveCluster> read_live_cluster(ClusterReading reading, const LiveTexts& texts,
                                        std::optional<Release> release) {
    TRESTLE_TRY(LiveState state, read_live_state(texts));
    if (!state.version.empty()) {
        if (!release) release = nearest_release(state.version);
        const auto own = parse_release(state.version);
        if (!own.ok() || *own != *release) {
            state.problems.push_back(
                fmt::format("the state is of Slurm {}: the rules of {} are followed", state.version,
                            version_of(*release)));
        }
    }
    return live_cluster(std::move(reading), std::move(state), release.value_or(default_release));
}

Timeline timeline_of(const LiveCluster& live) {
    Timeline timeline(live.controller.cluster());
    for (const RunningJob& job : live.running) {
        // A job that is over its limit ends at once, that is in the next second.
        const auto end = std::max(job.ends_in.value_or(Seconds()), Seconds(1));
        if (job.ends_in) (void)timeline.set_end(job.owner, Instant(end.value()));
    }
    return timeline;
}

}  // namespace trestle::slurm
