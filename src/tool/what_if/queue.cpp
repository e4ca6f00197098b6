// SPDX-License-Identifier: Apache-2.0
#include "queue.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dialect/slurm/live/ask/asker.hpp"
#include "dialect/slurm/live/ask/start_text.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle::tool {
namespace {

/// What ends at a moment.
struct Ends {
    std::vector<slurm::RunningJob> running;
    std::vector<std::vector<slurm::Decision>> started;
};

/// The moments to come, each with what ends then. A reservation ends without more.
std::map<Seconds, Ends> ends_of(const Site& site) {
    std::map<Seconds, Ends> ends;
    ends[Seconds(0)];
    for (const slurm::RunningJob& job : site.live.running) {
        if (job.ends_in) ends[*job.ends_in].running.push_back(job);
    }
    for (const slurm::LiveReservation& one : site.live.reservations) ends[one.ends_in];
    return ends;
}

std::string granted_nodes(const slurm::Decision& decision) {
    slurm::Hostlist nodes;
    for (const slurm::NodeGrant& grant : decision.grants) nodes.push_back(grant.node);
    return to_text(nodes.sorted());
}

/// The options of a job, which decide what is answered.
std::string kind_of(const WaitingJob& job) { return slurm::joined_words(job.job.words); }

}  // namespace

std::vector<QueuedStart> queue_starts(const Site& site, const std::vector<WaitingJob>& jobs) {
    std::vector<QueuedStart> starts(jobs.size());
    std::vector<std::size_t> waiting(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) waiting[i] = i;
    auto ends = ends_of(site);
    slurm::Asker asker(site.live);
    for (auto moment = ends.begin(); moment != ends.end() && !waiting.empty(); ++moment) {
        const Seconds now = moment->first;
        for (const slurm::RunningJob& job : moment->second.running) asker.end(job);
        for (const auto& decisions : moment->second.started) asker.end(decisions);
        asker.go_to(now);
        std::map<std::string, std::string> refused;  // why, by the kinds that do not start now
        std::erase_if(waiting, [&](std::size_t i) {
            const std::string kind = kind_of(jobs[i]);
            const auto known = refused.find(kind);
            std::string why;
            if (known != refused.end()) {
                why = known->second;
            } else {
                auto decisions = asker.start(jobs[i].job.submission);
                if (slurm::is_started(decisions)) {
                    starts[i].starts_in = now;
                    starts[i].partition = decisions.front().partition;
                    starts[i].nodes = granted_nodes(decisions.front());
                    const auto limit =
                        slurm::limit_of_job(asker.controller(), jobs[i].job.submission);
                    if (limit) ends[now + *limit].started.push_back(std::move(decisions));
                    return true;
                }
                why = slurm::why_text(decisions);
                refused.emplace(kind, why);
            }
            if (now.is_zero()) starts[i].why = why;
            return false;
        });
    }
    if (waiting.empty()) return starts;
    slurm::Asker idle(site.live);
    for (const slurm::RunningJob& one : site.live.running) idle.end(one);
    idle.drop_reservations();
    std::map<std::string, std::string> never;  // why, by kind; empty: it starts
    for (const std::size_t i : waiting) {
        const auto [at, is_new] = never.try_emplace(kind_of(jobs[i]));
        if (is_new) {
            const auto decisions = idle.ask(jobs[i].job.submission);
            if (!slurm::is_started(decisions)) at->second = slurm::why_text(decisions);
        }
        starts[i].may_ever_start = at->second.empty();
        if (!at->second.empty()) starts[i].why = at->second;
    }
    return starts;
}

}  // namespace trestle::tool
