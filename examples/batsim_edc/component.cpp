// SPDX-License-Identifier: Apache-2.0
#include "component.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include "batsim_edc.h"

namespace edc {
namespace {

using nlohmann::json;

constexpr double microseconds = 1e6;
constexpr double seconds_max = 4e9;
constexpr std::int64_t hosts_max = 1'000'000;

constexpr std::array ignored = {"AllStaticJobsHaveBeenSubmittedEvent",
                                "AllStaticExternalEventsHaveBeenInjectedEvent",
                                "ExternalEventOccurredEvent",
                                "RequestedCallEvent",
                                "ProbeDataEmittedEvent",
                                "HostPStateChangedEvent",
                                "HostsPStateChangedEvent",
                                "HostsTurnedOnOffEvent"};

[[noreturn]] void fail(const std::string& where, const std::string& what) {
    throw BadMessage((where.empty() ? "message" : where) + ": " + what);
}

void check(int code, const trestle_error& error) {
    if (code != TRESTLE_OK) throw BadMessage(error.message);
}

const json& member(const json& object, const char* name, const std::string& where) {
    if (!object.is_object()) fail(where, "expected an object");
    const auto found = object.find(name);
    if (found == object.end()) fail(where, std::string("no ") + name + "; expected one");
    return *found;
}

/// A value as it stands in errors.
std::string shown(const json& value) {
    if (value.is_structured()) return std::string("a JSON ") + value.type_name();
    const std::string text = value.dump(-1, ' ', true);
    return text.size() > 60 ? text.substr(0, 60) + "..." : text;
}

std::string text(const json& object, const char* name, const std::string& where) {
    const json& value = member(object, name, where);
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
        fail(where + "." + name, shown(value) + "; expected a text");
    }
    return value;
}

double seconds(const json& value, double least, const std::string& where) {
    const double found = value.is_number() ? value.get<double>() : -1;
    if (!(found >= least && found <= seconds_max)) {
        fail(where, shown(value) + "; expected seconds from " + json(least).dump() + " to 4e9");
    }
    return found;
}

std::int64_t count(const json& value, std::int64_t least, std::int64_t most,
                   const std::string& where) {
    const bool is_count = value.is_number_integer() && value >= least && value <= most;
    if (!is_count) {
        fail(where, shown(value) + "; expected a whole number from " + std::to_string(least) +
                        " to " + std::to_string(most));
    }
    return value;
}

std::int64_t ticks(double moment) { return std::llround(moment * microseconds); }

json parse(std::string_view text) {
    while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
    json found = json::parse(text, nullptr, false);
    if (found.is_discarded()) fail("", "no JSON; expected an object");
    return found;
}

/// Of numbers that rise: `0-2 5`.
std::string intervals(const std::vector<std::uint32_t>& numbers) {
    std::string found;
    for (std::size_t first = 0; first < numbers.size();) {
        std::size_t last = first;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        if (!found.empty()) found += ' ';
        found += std::to_string(numbers[first]);
        if (last > first) found += '-' + std::to_string(numbers[last]);
        first = last + 1;
    }
    return found;
}

}  // namespace

Component::Component(std::string_view init) {
    trestle_error error;
    check(trestle_check_version(TRESTLE_HEADER_VERSION, &error), error);
    if (init.empty()) return;
    const json options = parse(init);
    if (!options.is_object()) fail("init", "expected an object");
    for (const auto& [name, value] : options.items()) {
        if (name == "walltime_default") {
            walltime_default_ = seconds(value, 1e-6, "init.walltime_default");
        } else if (name == "discipline" && value == "fcfs") {
            discipline_ = TRESTLE_STRICT;
        } else if (name == "discipline" && value == "easy") {
            discipline_ = TRESTLE_EASY;
        } else if (name == "discipline" && value == "conservative") {
            discipline_ = TRESTLE_CONSERVATIVE;
        } else if (name == "discipline") {
            fail("init.discipline", shown(value) + "; expected fcfs, easy or conservative");
        } else {
            fail("init", name + "; expected discipline or walltime_default");
        }
    }
}

json Component::event(const char* type, json data) const {
    return {{"timestamp", now_}, {"event_type", type}, {"event", std::move(data)}};
}

std::string Component::hello() const {
    const json features = {{"dynamic_registration", false},
                           {"profile_reuse", false},
                           {"acknowledge_dynamic_jobs", false},
                           {"forward_profiles_on_job_submission", false},
                           {"forward_profiles_on_jobs_killed", false},
                           {"forward_profiles_on_simulation_begins", false},
                           {"forward_unknown_external_events", false}};
    const json greeting = event("EDCHelloEvent", {{"batprotocol_version", ""},
                                                  {"decision_component_name", "trestle"},
                                                  {"decision_component_version", trestle_version()},
                                                  {"decision_component_commit", ""},
                                                  {"requested_simulation_features", features}});
    return json{{"now", now_}, {"events", json::array({greeting})}}.dump();
}

std::string Component::decide(std::string_view message) {
    const json asked = parse(message);
    const json& now = member(asked, "now", "");
    now_ = seconds(now, now_, "now");
    const json& events = member(asked, "events", "");
    if (!events.is_array()) fail("events", "expected a list");
    if (is_over_ && !events.empty()) fail("events", "the simulation is over; expected none");
    json replies = json::array();
    double before = 0;
    for (std::size_t place = 0; place < events.size(); ++place) {
        const std::string where = "events[" + std::to_string(place) + "]";
        before = seconds(member(events[place], "timestamp", where), before, where + ".timestamp");
        if (before > now_) fail(where + ".timestamp", "after now; expected it at now or before");
        handle(events[place], where, replies);
    }
    if (is_over_) {
        replies.clear();
    } else if (timeline_ != nullptr) {
        pass(replies);
    }
    return json{{"now", now_}, {"events", std::move(replies)}}.dump();
}

void Component::handle(const json& event, const std::string& where, json& replies) {
    const std::string type = text(event, "event_type", where);
    if (type == "BatsimHelloEvent") {
        replies.push_back(json::parse(hello())["events"][0]);
        return;
    }
    if (type == "SimulationEndsEvent") {
        is_over_ = true;
        return;
    }
    const json& data = member(event, "event", where);
    const std::string inside = where + ".event";
    if (type == "SimulationBeginsEvent") {
        begin(data, inside);
    } else if (std::find(ignored.begin(), ignored.end(), type) != ignored.end()) {
        return;
    } else if (timeline_ == nullptr) {
        fail(where, type + "; expected SimulationBeginsEvent first");
    } else if (type == "JobSubmittedEvent") {
        submit(data, inside, replies);
    } else if (type == "JobCompletedEvent") {
        const std::string id = text(data, "job_id", inside);
        if (!running_.contains(id)) fail(inside + ".job_id", id + "; expected a job that runs");
        finish(id);
    } else if (type == "JobsKilledEvent") {
        const json& ids = member(data, "job_ids", inside);
        if (!ids.is_array()) fail(inside + ".job_ids", "expected a list");
        for (const json& id : ids) {
            if (!id.is_string()) fail(inside + ".job_ids", shown(id) + "; expected a text");
            if (running_.contains(id)) finish(id);  // others have completed before
        }
    } else {
        fail(where + ".event_type", type + "; expected an event that Batsim sends");
    }
}

void Component::begin(const json& data, const std::string& where) {
    if (timeline_ != nullptr) fail(where, "SimulationBeginsEvent again; expected it once");
    const std::int64_t hosts = count(member(data, "computation_host_number", where), 1, hosts_max,
                                     where + ".computation_host_number");
    ids_.clear();
    const auto listed = data.find("computation_hosts");
    if (listed != data.end() && !listed->is_null()) {
        const std::string list = where + ".computation_hosts";
        if (!listed->is_array() || listed->size() != static_cast<std::size_t>(hosts)) {
            fail(list, "expected a list of " + std::to_string(hosts) + " hosts");
        }
        for (const json& host : *listed) {
            ids_.push_back(static_cast<std::uint32_t>(
                count(member(host, "id", list), 0, INT32_MAX, list + ".id")));
        }
        std::sort(ids_.begin(), ids_.end());
        if (std::adjacent_find(ids_.begin(), ids_.end()) != ids_.end()) {
            fail(list, "an id twice; expected each host once");
        }
    } else {
        for (std::int64_t id = 0; id < hosts; ++id) ids_.push_back(static_cast<std::uint32_t>(id));
    }
    trestle_error error;
    trestle_cluster* cluster = nullptr;
    const std::string nodes = std::to_string(hosts) + " x (1c)";
    check(trestle_cluster_create(TRESTLE_NODE_TEXT, nodes.c_str(), &cluster, &error), error);
    const Handle<trestle_cluster> owned(cluster);
    trestle_timeline* timeline = nullptr;
    check(trestle_timeline_create(cluster, ticks(now_), &timeline, &error), error);
    timeline_.reset(timeline);
}

void Component::submit(const json& data, const std::string& where, json& replies) {
    const std::string id = text(data, "job_id", where);
    if (waiting_.contains(id) || running_.contains(id)) {
        fail(where + ".job_id", id + " was submitted before; expected another id");
    }
    const json& asked = member(data, "job", where);
    const std::int64_t hosts = count(member(asked, "resource_request", where + ".job"), 1,
                                     INT64_MAX, where + ".job.resource_request");
    double walltime = walltime_default_;
    const auto limit = asked.find("walltime");
    if (limit != asked.end() && !limit->is_null() && *limit != -1) {
        const bool is_long = limit->is_number() && limit->get<double>() > seconds_max;
        walltime = is_long ? seconds_max : seconds(*limit, 0, where + ".job.walltime");
    }
    if (hosts > static_cast<std::int64_t>(ids_.size())) {
        replies.push_back(event("RejectJobEvent", {{"job_id", id}}));
        return;
    }
    waiting_[id] = Job{++owners_, hosts, std::max<std::int64_t>(1, ticks(walltime)), 0};
    queue_.push_back(id);
}

void Component::finish(const std::string& id) {
    trestle_error error;
    check(trestle_release(timeline_.get(), running_.at(id).owner, &error), error);
    running_.erase(id);
}

const trestle_request& Component::request(std::int64_t hosts) {
    Handle<trestle_request>& found = requests_[hosts];
    if (found == nullptr) {
        trestle_error error;
        trestle_request* made = nullptr;
        const std::string options = "--exclusive -N " + std::to_string(hosts);
        check(trestle_request_create(TRESTLE_SRUN, options.c_str(), &made, &error), error);
        found.reset(made);
    }
    return *found;
}

std::string Component::hosts_of(const trestle_placement& placement) const {
    trestle_error error;
    std::size_t parts = 0;
    check(trestle_part_count(&placement, &parts, &error), error);
    std::vector<std::uint32_t> hosts;
    for (std::size_t part = 0; part < parts; ++part) {
        trestle_part info{};
        info.struct_size = sizeof info;
        check(trestle_part_info(&placement, part, &info, &error), error);
        hosts.push_back(ids_[info.node]);
    }
    return intervals(hosts);
}

void Component::pass(json& replies) {
    trestle_error error;
    const std::int64_t now = ticks(now_);
    for (auto& [id, job] : running_) {
        if (job.end > now) continue;
        job.end = now + 1;  // it runs longer than estimated
        check(trestle_set_end(timeline_.get(), job.owner, job.end, &error), error);
    }
    check(trestle_advance(timeline_.get(), now, nullptr, &error), error);
    if (queue_.empty()) return;
    std::vector<trestle_queued_job> jobs;
    for (const std::string& id : queue_) {
        const Job& job = waiting_.at(id);
        jobs.push_back({job.owner, &request(job.hosts), job.walltime, 0});
    }
    std::vector<trestle_turn> turns(jobs.size());
    check(trestle_schedule_pass(timeline_.get(), jobs.data(), jobs.size(), discipline_,
                                turns.data(), nullptr, &error),
          error);
    std::vector<Handle<trestle_placement>> owned;
    for (const trestle_turn& turn : turns) owned.emplace_back(turn.placement);
    std::vector<std::string> queue;
    for (std::size_t place = 0; place < turns.size(); ++place) {
        const std::string& id = queue_[place];
        const trestle_turn& turn = turns[place];
        if (turn.kind != TRESTLE_STARTS) {
            queue.push_back(id);
            continue;
        }
        Job job = waiting_.at(id);
        job.end = turn.end;
        check(trestle_reserve(timeline_.get(), job.owner, &request(job.hosts), turn.placement,
                              turn.start, turn.end, &error),
              error);
        replies.push_back(
            event("ExecuteJobEvent",
                  {{"job_id", id},
                   {"allocation",
                    {{"host_allocation", hosts_of(*turn.placement)},
                     {"executor_placement_type", "PredefinedExecutorPlacementStrategyWrapper"},
                     {"executor_placement", {{"strategy", "SpreadOverHostsFirst"}}}}}}));
        waiting_.erase(id);
        running_[id] = job;
    }
    queue_ = std::move(queue);
}

std::unique_ptr<Component>& component() {
    static std::unique_ptr<Component> only;
    return only;
}

void give(std::string reply, std::uint8_t** data, std::uint32_t* size) {
    static std::string kept;
    kept = std::move(reply);
    *data = reinterpret_cast<std::uint8_t*>(kept.data());
    *size = static_cast<std::uint32_t>(kept.size());
}

}  // namespace edc

BATSIM_EDC_EXPORT std::uint8_t batsim_edc_take_decisions(const std::uint8_t* what_happened,
                                                         std::uint32_t what_happened_size,
                                                         std::uint8_t** decisions,
                                                         std::uint32_t* decisions_size) {
    return edc::border([&] {
        if (edc::component() == nullptr) throw edc::BadMessage("batsim_edc_init was not called");
        const auto* text = reinterpret_cast<const char*>(what_happened);
        edc::give(edc::component()->decide({text, what_happened_size}), decisions, decisions_size);
    });
}

BATSIM_EDC_EXPORT std::uint8_t batsim_edc_deinit() {
    edc::component().reset();
    return 0;
}
