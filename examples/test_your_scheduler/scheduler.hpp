// SPDX-License-Identifier: Apache-2.0
#pragma once

// A toy scheduler: a queue, first fit in order of submission, one node for each job.
//
// It is what a user of the library might write. It asks for time nowhere and touches no machine:
// the cluster is a value, and the enforcer is handed in. So scheduler_test.cpp can test it in a
// second.

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/enforce/enforcer.hpp"

class Scheduler {
  public:
    Scheduler(trestle::Cluster cluster, trestle::Enforcer& enforcer)
        : cluster_(std::move(cluster)), enforcer_(enforcer) {}

    trestle::OwnerId submit(trestle::Request request, std::string program) {
        const trestle::OwnerId job(next_job_++);
        waiting_.push_back({job, std::move(request), {{std::move(program)}, {}, {}}});
        return job;
    }

    /// Notes what has ended, then starts what fits, in order; what does not fit lets others pass.
    trestle::Status tick() {
        for (auto at = running_.begin(); at != running_.end();) {
            const auto& [job, child] = *at;
            if (!ended_.contains(job)) {
                TRESTLE_TRY(const auto outcome, enforcer_.poll(child));
                if (!outcome) {
                    ++at;
                    continue;
                }
                ended_[job] = *outcome;
            }
            // Only what is cleaned up is forgotten: the next tick tries again what fails here.
            TRESTLE_TRY_STATUS(enforcer_.remove(child.group));
            TRESTLE_TRY_STATUS(cluster_.release(job).status());
            at = running_.erase(at);
        }
        for (auto at = waiting_.begin(); at != waiting_.end();) {
            const auto placement = trestle::place(cluster_, at->request);
            if (!placement) {
                ++at;
                continue;
            }
            TRESTLE_TRY_STATUS(start(*at, *placement));
            at = waiting_.erase(at);
        }
        return {};
    }

    [[nodiscard]] const trestle::Cluster& cluster() const { return cluster_; }
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
    [[nodiscard]] std::size_t running() const { return running_.size(); }
    [[nodiscard]] const std::map<trestle::OwnerId, trestle::Outcome>& ended() const {
        return ended_;
    }

  private:
    struct Job {
        trestle::OwnerId id;
        trestle::Request request;
        trestle::Command command;
    };

    trestle::Status start(const Job& job, const trestle::Placement& placement) {
        const trestle::NodePlacement& part = placement.nodes.front();
        trestle::PlanOptions options;
        options.group = "job_" + std::to_string(job.id.value());
        options.owner = job.id;
        TRESTLE_TRY(const auto plan, trestle::plan(cluster_.node(part.node), part, job.request,
                                                   trestle::LimitPolicy{}, options));
        TRESTLE_TRY_STATUS(cluster_.commit({job.id, job.request, placement}));
        const auto child = launch(plan, job.command);
        if (!child.ok()) {
            TRESTLE_TRY_STATUS(enforcer_.remove(plan.group));
            TRESTLE_TRY_STATUS(cluster_.release(job.id).status());
            return child.status();
        }
        running_.emplace(job.id, *child);
        return {};
    }

    trestle::StatusOr<trestle::Child> launch(const trestle::Plan& plan,
                                             const trestle::Command& command) {
        TRESTLE_TRY_STATUS(enforcer_.apply(plan).status());
        return enforcer_.spawn(plan, command);
    }

    trestle::Cluster cluster_;
    trestle::Enforcer& enforcer_;
    std::deque<Job> waiting_;
    std::map<trestle::OwnerId, trestle::Child> running_;
    std::map<trestle::OwnerId, trestle::Outcome> ended_;
    std::uint64_t next_job_ = 1;
};
