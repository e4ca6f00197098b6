// SPDX-License-Identifier: Apache-2.0
// What releases of Slurm answer: all recorded decisions of each, with floors that may only rise,
// and one row a rule for what changed between them.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/slurm_answers.hpp"
#include "support/slurm_oracle.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle {
namespace {

using slurm::Release;

/// Cases by how well the answers agree: the verdict, the counts on whichever nodes, everything.
struct Agreement {
    std::size_t cases = 0;
    std::size_t verdict = 0;
    std::size_t counts = 0;
    std::size_t exact = 0;
    std::size_t silent = 0;  ///< answers without a warning
    std::size_t silent_exact = 0;
};

/// Of each node what it gives, without its name and places if `is_exact` is false.
std::vector<std::string> grant_texts(const std::vector<slurm::NodeGrant>& grants, bool is_exact) {
    std::vector<std::string> texts;
    for (const slurm::NodeGrant& grant : grants) {
        std::string text = is_exact ? fmt::format("{} {}", grant.node, to_text(grant.cpu_ids))
                                    : fmt::format("{}", grant.cpu_ids.count());
        text += fmt::format(" {}", grant.memory.value());
        std::vector<std::string> devices;
        for (const slurm::GresDetail& one : grant.gres) {
            if (one.gres.count.is_zero()) continue;
            devices.push_back(to_text(one.gres) + (is_exact ? to_text(one.indexes) : ""));
        }
        std::sort(devices.begin(), devices.end());
        for (const std::string& device : devices) text += " " + device;
        texts.push_back(std::move(text));
    }
    std::sort(texts.begin(), texts.end());
    return texts;
}

void compare_with(const slurm_oracle::Result& want, const slurm::Decision& got, Agreement& sum) {
    ++sum.cases;
    const bool is_same = want.status == trestle::to_text(got.answer);
    bool has_counts = is_same;
    bool is_exact = is_same;
    if (is_same && want.status == "pending") {
        is_exact = want.reason == trestle::to_text(got.reason);
    } else if (is_same && want.status == "allocated") {
        has_counts = grant_texts(want.nodes, false) == grant_texts(got.grants, false);
        is_exact = grant_texts(want.nodes, true) == grant_texts(got.grants, true);
    }
    sum.verdict += is_same ? 1 : 0;
    sum.counts += has_counts ? 1 : 0;
    sum.exact += is_exact ? 1 : 0;
    if (!got.warnings.empty()) return;
    ++sum.silent;
    sum.silent_exact += is_exact ? 1 : 0;
}

std::string first_partition(const std::string& options) {
    const auto submission = slurm::parse_option_text(options);
    if (!submission.ok()) return "";
    const auto& names = submission->components.front().options.partitions;
    return names.empty() ? "" : names.front();
}

/// Asks each request on the cluster as it was recorded before it.
void ask_again(const slurm_oracle::Recording& recording, Release release, Agreement& sum) {
    auto controller = slurm::Controller::create({.slurm_conf = recording.slurm_conf,
                                                 .gres_conf = recording.gres_conf,
                                                 .topology_conf = recording.topology_conf,
                                                 .topology_yaml = recording.topology_yaml},
                                                release);
    INFO(recording.file << ": " << message(controller.status()));
    REQUIRE(controller.ok());
    std::map<std::string, OwnerId> owners;
    for (const slurm_oracle::Step& step : recording.steps) {
        INFO(step.tag << ": " << step.options);
        if (step.op == "release") {
            if (const auto at = owners.find(step.tag); at != owners.end()) {
                REQUIRE(controller->release(at->second).ok());
                owners.erase(at);
            }
            continue;
        }
        if (!step.result.is_suspect && step.result.status != "crash") {
            slurm::Controller trial = *controller;
            const auto got = trial.submit(step.options);
            REQUIRE(got.ok());
            compare_with(step.result, *got, sum);
        }
        if (step.result.status == "allocated") {
            const auto owner = controller->adopt(step.result.nodes, first_partition(step.options));
            INFO(message(owner.status()));
            REQUIRE(owner.ok());
            owners[step.tag] = *owner;
        }
    }
}

}  // namespace

TEST_CASE("Slurm release: recorded decisions of each release", "[dialect][slurm][golden]") {
    struct Row {
        Release release;
        const char* folder;
        std::size_t cases;
        std::size_t verdict, counts, exact;  ///< at least so many agree
        double silent_percent;               ///< of the answers without a warning, exact ones
    };
    // Floors: raise them when more agrees.
    const std::vector<Row> rows{
        {Release::v22_05, "slurm-oracle", 1047, 1047, 1047, 1047, 99.99},
        {Release::v24_11, "slurm-oracle-24.11", 2034, 1937, 1911, 1734, 98.2},
        {Release::v26_05, "slurm-oracle-26.05", 2445, 2276, 2238, 2004, 97.0},
    };
    for (const Row& row : rows) {
        INFO(row.folder);
        const auto recordings = slurm_oracle::load_all(row.folder);
        REQUIRE(message(recordings.status()) == "");
        Agreement sum;
        for (const slurm_oracle::Recording& one : *recordings) ask_again(one, row.release, sum);
        CHECK(sum.cases == row.cases);
        CHECK(sum.verdict >= row.verdict);
        CHECK(sum.counts >= row.counts);
        CHECK(sum.exact >= row.exact);
        CHECK(100.0 * double(sum.silent_exact) >= row.silent_percent * double(sum.silent));
    }
}

}  // namespace trestle
