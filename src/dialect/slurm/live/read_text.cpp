// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "node_state_words.hpp"
#include "readers.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/print.hpp"
#include "trestle/dialect/slurm/quantities.hpp"

namespace trestle::slurm::live {
namespace {

/// A record: its words by key, and the lines that say what each node gives.
struct Record {
    std::map<std::string, std::string, std::less<>> values;
    std::vector<std::string> grants;

    std::string at(std::string_view key) const {
        const auto found = values.find(key);
        return found == values.end() || found->second == "(null)" ? "" : found->second;
    }
};

std::string_view next_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

void add_line(std::string_view line, Record& record) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return;
    line.remove_prefix(first);
    if (line.starts_with("Nodes=") && line.find(" CPU_IDs=") != std::string_view::npos) {
        record.grants.emplace_back(line);
        return;
    }
    while (!line.empty()) {
        const std::size_t end = std::min(line.find(' '), line.size());
        const std::string_view word = line.substr(0, end);
        const std::size_t equals = word.find('=');
        if (equals != std::string_view::npos) {
            record.values.emplace(word.substr(0, equals), word.substr(equals + 1));
        }
        line.remove_prefix(std::min(end + 1, line.size()));
    }
}

std::vector<Record> records_of(std::string_view text) {
    std::vector<Record> records;
    while (!text.empty()) {
        const std::string_view line = next_line(text);
        const bool is_first = line.starts_with("JobId=") || line.starts_with("NodeName=") ||
                              line.starts_with("ReservationName=");
        if (is_first) records.emplace_back();
        if (!records.empty()) add_line(line, records.back());
    }
    return records;
}

std::optional<std::int64_t> number_in(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end == text.data()) return std::nullopt;
    return number;
}

/// `1-02:03:04`, to the second; absent: no such time.
std::optional<Seconds> run_time(std::string_view text) {
    std::int64_t days = 0, parts[3] = {0, 0, 0};
    if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
        days = number_in(std::string(text.substr(0, dash))).value_or(0);
        text.remove_prefix(dash + 1);
    }
    if (text.empty() || text.find_first_not_of("0123456789:") != std::string_view::npos) {
        return std::nullopt;
    }
    for (std::int64_t& part : parts) {
        const std::size_t end = std::min(text.find(':'), text.size());
        part = number_in(std::string(text.substr(0, end))).value_or(0);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    constexpr std::int64_t part_limit = 1'000'000'000;
    const std::int64_t all[] = {days, parts[0], parts[1], parts[2]};
    for (const std::int64_t part : all) {
        if (part < 0 || part >= part_limit) return std::nullopt;
    }
    return Seconds(((days * 24 + parts[0]) * 60 + parts[1]) * 60 + parts[2]);
}

JobWords words_of_record(const Record& record) {
    JobWords job;
    job.partition = record.at("Partition");
    job.features = record.at("Features");
    job.nodelist = record.at("ReqNodeList");
    job.exclude = record.at("ExcNodeList");
    job.licenses = record.at("Licenses");
    job.reservation = record.at("Reservation");
    job.per_node = record.at("TresPerNode");
    job.per_job = record.at("TresPerJob");
    job.per_socket = record.at("TresPerSocket");
    job.per_task = record.at("TresPerTask");
    job.cpus_per_tres = record.at("CpusPerTres");
    job.memory_per_tres = record.at("MemPerTres");
    job.requested = record.at("ReqTRES").empty() ? record.at("TRES") : record.at("ReqTRES");
    const std::string nodes = record.at("NumNodes");  // 2-4
    job.nodes = number_in(nodes.substr(0, nodes.find('-')));
    if (const std::size_t dash = nodes.find('-'); dash != std::string::npos) {
        job.nodes_max = number_in(nodes.substr(dash + 1));
    }
    job.tasks = number_in(record.at("NumTasks"));
    job.cpus_per_task = number_in(record.at("CPUs/Task"));
    const auto memory = [&](const char* key) -> std::optional<std::int64_t> {
        const auto read = parse_memory(record.at(key));
        if (!read.ok()) return std::nullopt;
        return read->value() / mib(1).value();
    };
    job.memory_per_node = memory("MinMemoryNode");
    job.memory_per_cpu = memory("MinMemoryCPU");
    if (const auto limit = run_time(record.at("TimeLimit"))) job.minutes = limit->value() / 60;
    const std::string exclusive = record.at("Exclusive");  // of 26.05
    job.is_exclusive = exclusive.empty() ? record.at("OverSubscribe") == "NO" : exclusive != "NO";
    job.is_contiguous = record.at("Contiguous") == "1";
    return job;
}

void read_job_record(const Record& record, LiveState& state) {
    JobRecord job;
    job.id = static_cast<std::uint64_t>(number_in(record.at("JobId")).value_or(0));
    job.name = record.at("JobName");
    job.state = record.at("JobState");
    job.reason = record.at("Reason");
    job.partition = record.at("Partition");
    job.licenses = record.at("Licenses");
    job.licenses_alloc = record.at("LicensesAlloc");
    if (job.has_nodes()) {
        const auto limit = run_time(record.at("TimeLimit")), run = run_time(record.at("RunTime"));
        if (limit && run) job.ends_in = *limit < *run ? Seconds() : *limit - *run;
        for (const std::string& line : record.grants) {
            auto grants = parse_grants(line);
            if (!grants.ok()) {
                state.problems.push_back(
                    fmt::format("job {}: {}, so it is left out", job.id, message(grants.status())));
                job.grants.clear();
                break;
            }
            for (NodeGrant& grant : *grants) job.grants.push_back({std::move(grant), {}});
        }
    } else {
        job.words = job_words(words_of_record(record));
    }
    state.jobs.push_back(std::move(job));
}

void read_node_record(const Record& record, LiveState& state) {
    LiveNode node;
    node.name = record.at("NodeName");
    const auto words = state_words(record.at("State"));
    node.state_text = state_text(words);
    node.reason = record.at("Reason");
    const auto known = node_state_of(words);
    node.state = known.value_or(NodeState::down);
    if (!known) {
        state.problems.push_back(
            fmt::format("node {}: unknown state {}, taken as down", node.name, node.state_text));
    }
    state.nodes.push_back(std::move(node));
}

}  // namespace

Status read_text(const std::string& name, std::string_view text, LiveState& state) {
    const std::vector<Record> records = records_of(text);
    if (records.empty()) {
        return invalid_argument(
            "{}: no record of scontrol show, expected JobId=, NodeName= or "
            "ReservationName= at the start of a line",
            name);
    }
    for (const Record& record : records) {
        if (record.values.contains("JobId")) {
            read_job_record(record, state);
        } else if (record.values.contains("NodeName")) {
            read_node_record(record, state);
        } else {
            state.problems.push_back(
                fmt::format("reservation {}: text does not say how far off it is, expected the "
                            "JSON of scontrol show reservations",
                            record.at("ReservationName")));
        }
    }
    return {};
}

}  // namespace trestle::slurm::live
