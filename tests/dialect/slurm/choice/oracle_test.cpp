// SPDX-License-Identifier: Apache-2.0
// What select() answers against what a real slurmctld 22.05 answered, request by request.
#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/slurm_oracle.hpp"
#include "support/slurm_replay.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/choice/show_job.hpp"
#include "trestle/dialect/slurm/options/environment.hpp"
#include "trestle/dialect/slurm/tres.hpp"

namespace trestle {
namespace {

using slurm::Decision;
using slurm::GresDetail;
using slurm::NodeGrant;

/// How two answers compare. coarse: what nodes give, whichever they are; exact: everything.
struct Score {
    std::size_t cases = 0;
    std::size_t coarse = 0;
    std::size_t exact = 0;
    std::size_t charged = 0;  ///< of the allocated ones that agree exactly: CPUs too

    void add(const Score& other) {
        cases += other.cases;
        coarse += other.coarse;
        exact += other.exact;
        charged += other.charged;
    }
};

std::string gres_text(std::vector<GresDetail> list, bool has_indexes) {
    std::erase_if(list, [](const GresDetail& one) { return one.gres.count.is_zero(); });
    std::vector<std::string> texts;
    for (const GresDetail& one : list) {
        texts.push_back(to_text(one.gres) +
                        (has_indexes ? "(" + to_text(one.indexes) + ")" : std::string()));
    }
    std::sort(texts.begin(), texts.end());
    return fmt::format("{}", fmt::join(texts, ","));
}

std::vector<std::string> coarse_texts(const std::vector<NodeGrant>& grants) {
    std::vector<std::string> texts;
    for (const NodeGrant& grant : grants) {
        texts.push_back(fmt::format("{} {} {}", grant.cpu_ids.count(), grant.memory.value(),
                                    gres_text(grant.gres, false)));
    }
    std::sort(texts.begin(), texts.end());
    return texts;
}

std::vector<std::string> exact_texts(const std::vector<NodeGrant>& grants) {
    std::vector<std::string> texts;
    for (const NodeGrant& grant : grants) {
        const std::string gres = gres_text(grant.gres, true);
        texts.push_back(fmt::format("{} cpus {} mem {}M{}{}", grant.node, to_text(grant.cpu_ids),
                                    grant.memory.value() >> 20, gres.empty() ? "" : " ", gres));
    }
    std::sort(texts.begin(), texts.end());
    return texts;
}

std::string answer_text(std::string_view status, std::string_view reason,
                        const std::vector<NodeGrant>& grants) {
    if (status == "allocated") return fmt::format("{}", fmt::join(exact_texts(grants), "; "));
    return fmt::format("{}{}{}", status, reason.empty() ? "" : " ", reason);
}

Score compare(const slurm_oracle::Result& want, const Decision& got) {
    Score score{1, 0, 0, 0};
    if (want.status != trestle::to_text(got.answer)) return score;
    if (want.status == "refused") return {1, 1, 1, 0};
    if (want.status == "pending") {
        return {1, 1, want.reason == trestle::to_text(got.reason) ? 1U : 0U, 0};
    }
    score.coarse = coarse_texts(want.nodes) == coarse_texts(got.grants) ? 1 : 0;
    score.exact = exact_texts(want.nodes) == exact_texts(got.grants) ? 1 : 0;
    Count charged;
    for (const NodeGrant& grant : got.grants) charged += grant.cpus;
    score.charged = score.exact == 1 && charged == Count(want.num_cpus) ? 1 : 0;
    return score;
}

/// `--gpus-per-task` of `--gpus-per-task=2`, `-N` of `-N2`.
std::set<std::string> options_of(const std::string& text) {
    std::set<std::string> names;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, end - at);
        at = end + 1;
        if (word.size() < 2 || word[0] != '-') continue;
        names.insert(word[1] == '-' ? word.substr(0, word.find('=')) : word.substr(0, 2));
    }
    return names;
}

struct Table {
    Score all;
    std::map<std::string, Score> by_file;
    std::map<std::string, Score> by_option;
    std::vector<std::string> misses;
    std::vector<std::string> uncommitted;  ///< what was allocated and could not be committed
    std::size_t counted = 0;               ///< exact answers of which tres or req_tres is there
    std::vector<std::string> other_tres;   ///< of these, those with other ones
    std::vector<std::string> other_shown;  ///< allocations with other words of scontrol
    std::size_t variables = 0;  ///< of the environments of allocations that agree exactly
    std::vector<std::string> other_environment;  ///< of these, those with another value
    std::vector<std::string> other_charged;  ///< allocations that agree exactly, with other CPUs
    std::size_t with_lines = 0;              ///< allocations that agree exactly
    std::vector<std::string> other_lines;    ///< of these, those with other lines of scontrol
    std::vector<std::string> other_used;     ///< nodes with another GresUsed at the end
};

/// Compares what an exact answer counts as.
void compare_tres(const slurm_oracle::Result& want, const Decision& got, const std::string& about,
                  Table& table) {
    const bool is_pending = got.answer == slurm::Answer::pending;
    const std::string& wanted = is_pending ? want.req_tres : want.tres;
    if (wanted.empty()) return;
    ++table.counted;
    const std::string text = slurm::tres_text(is_pending ? got.req_tres : got.tres);
    if (text != wanted) {
        table.other_tres.push_back(fmt::format("{}: Slurm {}, here {}", about, wanted, text));
    }
}

/// Compares what clients set for an allocation that agrees exactly, CPUs included.
void compare_environment(const slurm_oracle::Result& want, const Decision& got,
                         const std::string& about, Table& table) {
    std::map<std::string, std::string> made;
    for (const EnvironmentVariable& variable : slurm::job_environment(slurm::job_context(got))) {
        made[variable.name] = variable.value.reveal();
    }
    for (const auto& [name, value] : want.environment) {
        ++table.variables;
        if (made[name] == value) continue;
        table.other_environment.push_back(
            fmt::format("{}: {}: Slurm {}, here {}", about, name, value, made[name]));
    }
}

/// Compares what scontrol shows of an allocation that agrees exactly, CPUs included.
void compare_shown(const slurm_oracle::Result& want, const Decision& got, const std::string& about,
                   Table& table) {
    const std::string words[] = {fmt::format("NumCPUs={} NumTasks={} CPUs/Task={} ", want.num_cpus,
                                             want.num_tasks, want.cpus_per_task),
                                 fmt::format("OverSubscribe={} ", want.over_subscribe)};
    const std::string text = slurm::show_job(got);
    for (const std::string& word : words) {
        if (text.find(' ' + word) != std::string::npos) continue;
        table.other_shown.push_back(fmt::format("{}: Slurm {}, here\n{}", about, word, text));
    }
}

/// A line of scontrol without counts of no_consume, and without GPUs where a job
/// has none at all: 22.05 prints them for --cpus-per-gpu alone.
std::string without_none(const std::string& line) {
    static const std::regex none("[a-z]+(:[a-z0-9]+)?\\(CNT:0\\),?|(=)gpu:[a-z0-9]+:0\\(IDX:\\)$");
    return std::regex_replace(line, none, "$2");
}

/// GresUsed without what 22.05 prints otherwise: a type that is none, shards by index, indexes
/// where devices have neither type nor cores, a count of 0 of what the node does not have.
std::string plain_used(std::string text, bool has_indexes) {
    for (auto at = text.find("(null):"); at != std::string::npos; at = text.find("(null):")) {
        text.erase(at, 7);
    }
    if (!has_indexes) text = text.substr(0, text.find('('));
    if (text == "gpu:0") text.clear();
    return text.substr(0, text.find(",shard:"));
}

/// True for a job that waited.
bool want_is_pending(const slurm_oracle::Result& want) { return want.status == "pending"; }

/// Adds the answer to one request.
void compare_step(const slurm_oracle::Recording& recording, const slurm_oracle::Step& step,
                  const Decision& got, Table& table) {
    const Score score = compare(step.result, got);
    table.all.add(score);
    table.by_file[recording.file.substr(0, recording.file.find('.'))].add(score);
    for (const std::string& name : options_of(step.options)) {
        table.by_option[name].add(score);
    }
    if (score.exact == 1 && step.result.status == "allocated") {
        ++table.with_lines;
        if (score.charged == 0) {
            table.other_charged.push_back(recording.file + " " + step.options);
        }
        if (score.charged == 1) {
            compare_environment(step.result, got, recording.file + " " + step.options, table);
            compare_shown(step.result, got, recording.file + " " + step.options, table);
        }
        const std::string made = fmt::format("{}", fmt::join(slurm::grant_lines(got.grants), "\n"));
        std::vector<std::string> lines;
        for (const std::string& line : step.result.raw) lines.push_back(without_none(line));
        const std::string known = fmt::format("{}", fmt::join(lines, "\n"));
        if (made != known) {
            table.other_lines.push_back(
                fmt::format("{} {}:\n{}\nhere\n{}", recording.file, step.options, known, made));
        }
    }
    if (score.exact == 1 && (score.charged == 1 || want_is_pending(step.result))) {
        compare_tres(step.result, got, recording.file + " " + step.options, table);
    }
    if (score.exact == 0) {
        table.misses.push_back(fmt::format(
            "- {} {} `{}` ({})\n  - Slurm: {}\n  - here: {}\n", recording.file, step.tag,
            step.options, score.coarse == 1 ? "coarse agrees" : "differs",
            answer_text(step.result.status, step.result.reason, step.result.nodes),
            answer_text(trestle::to_text(got.answer),
                        got.answer == slurm::Answer::pending ? trestle::to_text(got.reason)
                                                             : std::string_view(got.message),
                        got.grants)));
    }
}

void compare_recording(const slurm_oracle::Recording& recording, Table& table) {
    const slurm::Controller controller = slurm_oracle::replay(
        recording, slurm::Release::v22_05, [&](const slurm_oracle::Step& step, const auto& got) {
            if (!got.ok()) table.uncommitted.push_back(std::string(message(got.status())));
            if (got.ok() && !step.result.is_suspect) compare_step(recording, step, *got, table);
        });
    const Cluster& cluster = controller.cluster();
    for (const auto& [name, used] : recording.gres_used) {
        const NodeId node = cluster.find_node(name).value();
        const std::string text = slurm::used_gres_text(cluster.shape(node), cluster.free(node));
        const auto again = slurm::parse_gres_used(text);
        REQUIRE(again.ok());
        CHECK(*again == slurm::used_gres(cluster.shape(node), cluster.free(node)));
        const bool has_indexes = used.find("IDX") != std::string::npos;
        if (plain_used(text, has_indexes) == plain_used(used, has_indexes)) continue;
        table.other_used.push_back(
            fmt::format("{} {}: Slurm {}, here {}", recording.file, name, used, text));
    }
}

std::string rows(std::string_view title, const std::map<std::string, Score>& scores) {
    std::string text = fmt::format("\n| {} | cases | coarse | exact |\n|---|---|---|---|\n", title);
    for (const auto& [name, score] : scores) {
        text +=
            fmt::format("| {} | {} | {} | {} |\n", name, score.cases, score.coarse, score.exact);
    }
    return text;
}

std::string report(const Table& table) {
    std::string text =
        "# Choosing as Slurm chooses\n\n"
        "Answers of `slurm::select` beside those that a slurmctld 22.05 gave. coarse: the same\n"
        "verdict and, where it is an allocation, nodes with the same CPUs, memory and counts of\n"
        "devices. exact: also the same nodes, cores and devices, or the same reason to wait.\n"
        "Answers that break the request's own terms are left out.\n";
    const Score& all = table.all;
    text += fmt::format("\n{} requests: {} coarse ({:.2f} %), {} exact ({:.2f} %).\n", all.cases,
                        all.coarse, 100.0 * double(all.coarse) / double(all.cases), all.exact,
                        100.0 * double(all.exact) / double(all.cases));
    text += fmt::format("{} of the allocations that agree exactly are charged for the same CPUs.\n",
                        all.charged);
    text += rows("recording", table.by_file) + rows("option", table.by_option);
    text += "\n## Every request with another answer\n\n";
    for (const std::string& miss : table.misses) text += miss;
    return text;
}

}  // namespace

TEST_CASE("Slurm print: recorded lines of scontrol are read", "[dialect][slurm][golden]") {
    const auto recordings = slurm_oracle::load_all();
    REQUIRE(message(recordings.status()) == "");
    std::size_t lines = 0;
    std::size_t grouped = 0;
    for (const slurm_oracle::Recording& recording : *recordings) {
        for (const slurm_oracle::Step& step : recording.steps) {
            std::vector<NodeGrant> all;
            for (const std::string& line : step.result.raw) {
                ++lines;
                const auto grants = slurm::parse_grants(line);
                INFO(recording.file << ": " << line << ": " << message(grants.status()));
                REQUIRE(grants.ok());
                all.insert(all.end(), grants->begin(), grants->end());
            }
            INFO(recording.file << ": " << step.options);
            CHECK(exact_texts(all) == exact_texts(step.result.nodes));
            if (step.result.raw.size() < all.size()) ++grouped;
        }
    }
    CHECK(lines > 900);
    CHECK(grouped > 150);
}

TEST_CASE("Slurm select: agrees with recorded decisions", "[dialect][slurm][golden]") {
    const auto recordings = slurm_oracle::load_all();
    REQUIRE(message(recordings.status()) == "");
    Table table;
    for (const slurm_oracle::Recording& one : *recordings) compare_recording(one, table);
    CHECK(table.other_charged == std::vector<std::string>());
    CHECK(table.uncommitted == std::vector<std::string>());
    CHECK(table.other_used == std::vector<std::string>());
    CHECK(table.other_tres == std::vector<std::string>());
    CHECK(table.counted > 800);
    CHECK(table.other_lines == std::vector<std::string>());
    CHECK(table.other_shown == std::vector<std::string>());
    CHECK(table.with_lines > 700);
    CHECK(table.other_environment == std::vector<std::string>());
    CHECK(table.variables > 3'000);
    const auto percent = [&](std::size_t part) { return 100 * part / table.all.cases; };
    CHECK(percent(table.all.coarse) >= 98);
    CHECK(percent(table.all.exact) >= 92);
    check_golden("slurm_oracle.md", report(table));
}

}  // namespace trestle
