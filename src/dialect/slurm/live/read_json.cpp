// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "dialect/slurm/options/read_words.hpp"
#include "json_fields.hpp"
#include "node_state_words.hpp"
#include "readers.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/json/value.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/options/options.hpp"

namespace trestle::slurm::live {
namespace {

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return text;
}

void read_node(const json::Value& value, LiveState& state) {
    LiveNode node;
    node.name = text_of(value, "name");
    std::vector<std::string> words = words_of(value, "state");
    for (const std::string& flag : words_of(value, "state_flags")) words.push_back(flag);
    node.state_text = state_text(words);
    node.reason = text_of(value, "reason");
    if (const auto known = node_state_of(words)) {
        node.state = *known;
    } else {
        node.state = NodeState::down;
        state.problems.push_back(
            fmt::format("node {}: unknown state {}, taken as down", node.name, node.state_text));
    }
    state.nodes.push_back(std::move(node));
}

/// Cores and sockets of a node have numbers below this.
constexpr std::int64_t index_limit = 1 << 16;

std::optional<std::uint32_t> index_of(std::string_view text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (number >= index_limit) return std::nullopt;
    return number;
}

std::optional<std::uint32_t> index_of(const std::optional<std::int64_t>& number) {
    if (!number || *number < 0 || *number >= index_limit) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

/// The cores by objects of 22.05: {"1": {"cores": {"0": "allocated"}}}.
void read_old_cores(const json::Value& sockets, LiveGrant& grant) {
    const auto* const members = std::get_if<json::Object>(&sockets.data);
    if (members == nullptr) return;
    for (const json::Member& socket : *members) {
        const json::Value* const cores = member(socket.value, "cores");
        const auto* const list =
            cores == nullptr ? nullptr : std::get_if<json::Object>(&cores->data);
        const auto socket_index = index_of(socket.name);
        if (list == nullptr || !socket_index) continue;
        for (const json::Member& core : *list) {
            const auto core_index = index_of(core.name);
            const auto* const status = std::get_if<std::string>(&core.value.data);
            if (!core_index || status == nullptr || upper(*status).starts_with("UN")) continue;
            grant.cores.emplace_back(*socket_index, *core_index);
        }
    }
}

/// The cores by lists: [{"index": 1, "cores": [{"index": 0, "status": ["ALLOCATED"]}]}].
/// False: they have numbers that no node has.
bool read_new_cores(const json::Value& node, LiveGrant& grant) {
    for (const json::Value& socket : list_of(node, "sockets")) {
        for (const json::Value& core : list_of(socket, "cores")) {
            const auto status = words_of(core, "status");
            if (std::find(status.begin(), status.end(), "ALLOCATED") == status.end()) continue;
            const auto socket_index = index_of(number_of(socket, "index"));
            const auto core_index = index_of(number_of(core, "index"));
            if (!socket_index || !core_index) return false;
            grant.cores.emplace_back(*socket_index, *core_index);
        }
    }
    return true;
}

/// The records of the job's nodes, of whichever data parser.
std::vector<const json::Value*> node_records(const json::Value& resources) {
    std::vector<const json::Value*> records;
    if (const json::Value* const nodes = member(resources, "nodes")) {
        for (const json::Value& one : list_of(*nodes, "allocation")) records.push_back(&one);
    }
    for (const json::Value& one : list_of(resources, "allocated_nodes")) records.push_back(&one);
    const json::Value* const by_index = member(resources, "allocated_nodes");
    if (by_index != nullptr) {
        if (const auto* const members = std::get_if<json::Object>(&by_index->data)) {
            for (const json::Member& one : *members) records.push_back(&one.value);
        }
    }
    return records;
}

/// What the job has of a node; nothing where cores or memory cannot be meant.
std::optional<LiveGrant> grant_of(const json::Value& record) {
    LiveGrant grant;
    grant.grant.node = text_of(record, "name");
    if (grant.grant.node.empty()) grant.grant.node = text_of(record, "nodename");
    const json::Value* const sockets = member(record, "sockets");
    if (sockets != nullptr) read_old_cores(*sockets, grant);
    if (!read_new_cores(record, grant)) return std::nullopt;
    auto memory = number_of(record, "memory_allocated");
    if (const json::Value* const one = member(record, "memory"); !memory && one != nullptr) {
        memory = number_of(*one, "allocated");
    }
    constexpr std::int64_t mib_limit = std::int64_t{1} << 40;
    if (memory && (*memory < 0 || *memory >= mib_limit)) return std::nullopt;
    grant.grant.memory = mib(memory.value_or(0));
    return grant;
}

/// Devices, a text for each node. False: they cannot be read.
bool add_gres(const json::Value& value, std::vector<LiveGrant>& grants) {
    const std::vector<std::string> details = words_of(value, "gres_detail");
    if (details.empty()) return true;
    if (details.size() != grants.size()) return false;
    for (std::size_t i = 0; i < grants.size(); ++i) {
        if (details[i].empty() || details[i] == "(null)" || details[i] == "N/A") continue;
        auto gres = parse_gres_details(details[i]);
        if (!gres.ok()) return false;
        grants[i].grant.gres = *std::move(gres);
    }
    return true;
}

/// Whether the options in `sbatch -n1 --exclusive job.sh` ask for whole nodes.
bool asks_whole_nodes(std::string_view line) {
    const std::vector<std::string> words = split_option_words(line, Comments::none).words;
    if (words.empty()) return false;
    const auto parsed = parse_options(std::span(words).subspan(1));
    return parsed.ok() && parsed->options.exclusive == ExclusiveKind::whole_node;
}

/// Pitfall: where 26.05 says in no other way that a job wants whole nodes, its line of options
/// does.
JobWords words_of_job(const json::Value& value) {
    JobWords job;
    job.partition = text_of(value, "partition");
    job.features = text_of(value, "features");
    job.nodelist = text_of(value, "required_nodes");
    job.exclude = text_of(value, "excluded_nodes");
    job.licenses = text_of(value, "licenses");
    job.reservation = text_of(value, "resv_name");
    job.per_node = text_of(value, "tres_per_node");
    job.per_job = text_of(value, "tres_per_job");
    job.per_socket = text_of(value, "tres_per_socket");
    job.per_task = text_of(value, "tres_per_task");
    job.cpus_per_tres = text_of(value, "cpus_per_tres");
    job.memory_per_tres = text_of(value, "memory_per_tres");
    job.requested = text_of(value, "tres_req_str");
    job.nodes_max = number_of(value, "max_nodes");
    job.nodes = number_of(value, "node_count");
    job.tasks = number_of(value, "tasks");
    job.cpus_per_task = number_of(value, "cpus_per_task");
    if (job.cpus_per_task.value_or(0) == 0 && job.cpus_per_tres.empty()) {
        // 22.05 says it of no job that waits, but how many CPUs it needs for its tasks.
        const std::int64_t cpus = number_of(value, "cpus").value_or(0);
        const std::int64_t tasks = std::max<std::int64_t>(1, job.tasks.value_or(1));
        if (cpus % tasks == 0) job.cpus_per_task = cpus / tasks;
    }
    job.tasks_per_node = number_of(value, "tasks_per_node");
    job.memory_per_node = number_of(value, "memory_per_node");
    job.memory_per_cpu = number_of(value, "memory_per_cpu");
    job.minutes = number_of(value, "time_limit");
    const auto shared = words_of(value, "shared");
    job.is_exclusive = std::find(shared.begin(), shared.end(), "none") != shared.end() ||
                       asks_whole_nodes(text_of(value, "submit_line"));
    const json::Value* const contiguous = member(value, "contiguous");
    const bool* const truth =
        contiguous == nullptr ? nullptr : std::get_if<bool>(&contiguous->data);
    job.is_contiguous = truth != nullptr && *truth;
    return job;
}

/// From now to then; 0 when that is past. Requires: now is not negative.
Seconds until(std::int64_t then, std::int64_t now) { return Seconds(then <= now ? 0 : then - now); }

void read_job(const json::Value& value, std::int64_t now, LiveState& state) {
    JobRecord job;
    job.id = static_cast<std::uint64_t>(number_of(value, "job_id").value_or(0));
    job.name = text_of(value, "name");
    const auto states = words_of(value, "job_state");
    job.state = states.empty() ? "" : states.front();
    // Behind the state of a job that has ended stands whether it still has its nodes.
    if (std::find(states.begin(), states.end(), "COMPLETING") != states.end()) {
        job.state = "COMPLETING";
    }
    job.reason = text_of(value, "state_reason");
    job.partition = text_of(value, "partition");
    job.licenses = text_of(value, "licenses");
    job.licenses_alloc = text_of(value, "licenses_allocated");
    if (job.has_nodes()) {
        const auto end = number_of(value, "end_time");
        const bool is_limited = number_of(value, "time_limit").has_value();
        if (end && is_limited) job.ends_in = until(*end, now);
        const json::Value* const resources = member(value, "job_resources");
        bool are_read = true;
        if (resources != nullptr) {
            for (const json::Value* record : node_records(*resources)) {
                auto grant = grant_of(*record);
                are_read &= grant.has_value();
                if (grant) job.grants.push_back(*std::move(grant));
            }
        }
        if (!are_read) {
            state.problems.push_back(fmt::format(
                "job {}: its cores or memory cannot be read, so it is left out", job.id));
            job.grants.clear();
        } else if (!add_gres(value, job.grants)) {
            state.problems.push_back(
                fmt::format("job {}: its devices cannot be read, so it is left out", job.id));
            job.grants.clear();
        }
    } else {
        job.words = job_words(words_of_job(value));
    }
    state.jobs.push_back(std::move(job));
}

void read_reservation(const json::Value& value, std::int64_t now, LiveState& state) {
    const auto start = number_of(value, "start_time"), end = number_of(value, "end_time");
    if (!start || !end) {
        state.problems.push_back(
            fmt::format("reservation {}: no start or end", text_of(value, "name")));
        return;
    }
    if (*end <= now) return;  // it is over
    state.reservations.push_back({text_of(value, "name"), text_of(value, "node_list"),
                                  until(*start, now), until(*end, now)});
}

/// The latest moment that a document tells of.
std::int64_t latest(const std::vector<Document>& documents) {
    std::int64_t latest = 0;
    for (const Document& document : documents) {
        latest = std::max(latest, number_of(document.value, "last_update").value_or(0));
        for (const json::Value& job : list_of(document.value, "jobs")) {
            for (const char* const name : {"submit_time", "last_sched_evaluation"}) {
                latest = std::max(latest, number_of(job, name).value_or(0));
            }
        }
    }
    return latest;
}

/// The version of Slurm that a document names; empty: it names none.
std::string version_in(const json::Value& document) {
    const json::Value* const meta = member(document, "meta");
    if (meta == nullptr) return "";
    for (const char* const name : {"slurm", "Slurm"}) {
        const json::Value* const slurm = member(*meta, name);
        if (slurm != nullptr) return text_of(*slurm, "release");
    }
    return "";
}

/// Ok when Slurm answered, with lists.
Status check_answer(const Document& document) {
    for (const json::Value& error : list_of(document.value, "errors")) {
        const std::string said = text_of(error, "error");
        const std::string more = text_of(error, "description");
        return invalid_argument("{}: Slurm answered with an error: {}", document.name,
                                said.empty() ? more : said);
    }
    for (const char* const name : {"nodes", "jobs", "reservations"}) {
        const json::Value* const value = member(document.value, name);
        if (value == nullptr || std::holds_alternative<json::List>(value->data)) continue;
        return invalid_argument("{}: member {} is no list", document.name, name);
    }
    return {};
}

}  // namespace

Status read_json(const std::vector<Document>& documents, std::optional<std::int64_t> now,
                 LiveState& state) {
    const std::int64_t moment = std::max<std::int64_t>(0, now.value_or(latest(documents)));
    for (const Document& document : documents) {
        const json::Value& value = document.value;
        if (member(value, "nodes") == nullptr && member(value, "jobs") == nullptr &&
            member(value, "reservations") == nullptr) {
            return invalid_argument(
                "{}: no answer of Slurm, expected a member nodes, jobs or "
                "reservations",
                document.name);
        }
        TRESTLE_TRY_STATUS(check_answer(document));
        if (state.version.empty()) state.version = version_in(document.value);
        for (const json::Value& node : list_of(value, "nodes")) read_node(node, state);
        for (const json::Value& job : list_of(value, "jobs")) read_job(job, moment, state);
        for (const json::Value& one : list_of(value, "reservations")) {
            read_reservation(one, moment, state);
        }
    }
    return {};
}

}  // namespace trestle::slurm::live
