// SPDX-License-Identifier: Apache-2.0
// The openb trace through the public API: the study's published tables to the last digit, all lists
// of pods, and future_fit beside the study's own policy.
#include "support/openb.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "machines/unpacked.hpp"
#include "support/catch.hpp"

namespace trestle {
namespace {

using openb::Order;
using openb::Replay;
using openb::Trace;

Trace trace_of(const std::filesystem::path& folder, const std::string& variant) {
    auto trace = openb::load_trace(folder, variant);
    REQUIRE(message(trace.status()) == "");
    return *std::move(trace);
}

/// The default trace, which the repository has.
Trace recorded_trace() { return trace_of(openb::recorded_folder(), "default"); }

/// Where all lists of pods and orders are. Warns and returns nullopt without TRESTLE_DATA.
std::optional<std::filesystem::path> full_folder() {
    auto folder = openb::full_folder();
    if (!folder) WARN("SKIPPED: the full openb trace is not in the repository; set TRESTLE_DATA");
    return folder;
}

openb::AllocatedPercent replayed(const Trace& trace, const Order& order, Policy policy) {
    const auto replay = Replay::create(trace, order);
    INFO(to_text(policy) << ": " << replay.status().ToString());
    REQUIRE(replay.ok());
    const auto result = replay->run(openb::options_for(trace, policy));
    INFO(result.status().ToString());
    REQUIRE(result.ok());
    return *result;
}

/// Per cent of all GPUs that are given at 95, 100, 110, 120 and 130 % arrived.
struct Row {
    std::uint64_t seed;
    Policy policy;
    std::array<double, 5> given;
};

const std::vector<Row> study{
    {42, Policy::fgd, {94.92, 95.14, 95.19, 95.24, 95.29}},
    {42, Policy::best_fit, {92.87, 92.94, 93.00, 93.07, 93.13}},
    {42, Policy::packing, {91.30, 91.37, 91.42, 91.49, 91.57}},
    {42, Policy::clustering, {91.26, 91.33, 91.39, 91.45, 91.53}},
    {42, Policy::dot_product, {90.27, 90.34, 90.39, 90.46, 90.54}},
    {43, Policy::fgd, {94.85, 95.06, 95.14, 95.23, 95.32}},
    {43, Policy::best_fit, {92.93, 92.97, 93.05, 93.14, 93.25}},
    {43, Policy::packing, {91.73, 91.78, 91.86, 91.95, 92.06}},
    {43, Policy::clustering, {91.64, 91.69, 91.77, 91.86, 91.97}},
    {43, Policy::dot_product, {90.52, 90.56, 90.65, 90.73, 90.84}},
    {44, Policy::fgd, {94.98, 95.29, 95.37, 95.41, 95.44}},
    {44, Policy::best_fit, {92.85, 92.89, 92.97, 93.02, 93.09}},
    {44, Policy::packing, {91.87, 91.91, 91.99, 92.04, 92.10}},
    {44, Policy::clustering, {91.64, 91.68, 91.76, 91.82, 91.88}},
    {44, Policy::dot_product, {90.80, 90.83, 90.92, 90.97, 91.03}},
};

/// Replays the study's order for `seed` with every policy of its table, and with future_fit.
void check_seed(const std::filesystem::path& folder, const Trace& trace, std::uint64_t seed) {
    const auto order = openb::study_order(folder, trace, seed);
    REQUIRE(message(order.status()) == "");
    constexpr std::array arrived{95, 100, 110, 120, 130};
    std::size_t rows = 0;
    for (const Row& row : study) {
        if (row.seed != seed) continue;
        ++rows;
        INFO("seed " << seed << " " << to_text(row.policy));
        const auto result = replayed(trace, *order, row.policy);
        for (std::size_t i = 0; i < arrived.size(); ++i) {
            INFO(arrived[i] << " % arrived: " << result.at(arrived[i]));
            CHECK(std::abs(result.at(arrived[i]) - row.given[i]) < 0.01 + 1e-9);
        }
    }
    CHECK(rows == 5);
    INFO("seed " << seed << " future_fit");  // not of the study: what it gave when it was chosen
    const auto ours = replayed(trace, *order, Policy::future_fit);
    CHECK(std::abs(ours.at(100) - 96.13) < 0.01 + 1e-9);
}

TEST_CASE("Openb: the study's table comes out, cell by cell", "[slow]") {
    check_seed(openb::recorded_folder(), recorded_trace(), 42);
}

TEST_CASE("Openb: the tables of the study's other seeds come out", "[slow]") {
    const auto folder = full_folder();
    if (!folder) return;
    const Trace trace = trace_of(*folder, "default");
    for (const std::uint64_t seed : {43U, 44U}) check_seed(*folder, trace, seed);
}

TEST_CASE("Openb: 35 kinds of pods are typical of the default trace") {
    const Trace trace = recorded_trace();
    CHECK(trace.nodes.size() == 1213);
    CHECK(trace.pods.size() == 8152);
    const std::vector<PolicyOptions::TypicalJob> jobs = openb::typical_jobs(trace.pods);
    std::int64_t seen = 0;
    for (const PolicyOptions::TypicalJob& job : jobs) seen += job.seen.value();
    CHECK(jobs.size() == 35);
    CHECK(seen * 100 >= 95 * static_cast<std::int64_t>(trace.pods.size()));
}

TEST_CASE("Openb: the default list of pods is replayed in an order of our own", "[slow]") {
    const Trace trace = recorded_trace();
    const auto result = replayed(trace, openb::make_order(trace, 42), Policy::best_fit);
    CHECK(result.at(100) > 80.0);
    CHECK(result.at(100) <= 100.0);
}

TEST_CASE("Openb: every list of pods in the folder is read and replayed", "[slow]") {
    const auto folder = full_folder();
    if (!folder) return;
    INFO(*folder);
    REQUIRE(std::filesystem::is_directory(*folder));
    std::set<std::string> variants;
    const std::string start = "openb_pod_list_";
    for (const auto& file : std::filesystem::directory_iterator(*folder)) {
        const std::string name = file.path().stem().string();
        if (name.starts_with(start)) variants.insert(name.substr(start.size()));
    }
    CHECK(variants.size() >= 23);
    for (const std::string& variant : variants) {
        INFO(variant);
        const Trace trace = trace_of(*folder, variant);
        const auto result = replayed(trace, openb::make_order(trace, 42), Policy::best_fit);
        CHECK(result.at(100) > 80.0);
        CHECK(result.at(100) <= 100.0);
    }
}

/// Mean and standard error of the mean at 100 % arrived.
struct Estimate {
    double mean = 0;
    double error = 0;
};

Estimate estimate(const Trace& trace, Policy policy, std::uint64_t seeds) {
    std::vector<double> given;
    for (std::uint64_t seed = 42; seed < 42 + seeds; ++seed) {
        given.push_back(replayed(trace, openb::make_order(trace, seed), policy).at(100));
    }
    const auto count = static_cast<double>(given.size());
    Estimate result;
    for (const double one : given) result.mean += one / count;
    double squares = 0;
    for (const double one : given) squares += (one - result.mean) * (one - result.mean);
    result.error = std::sqrt(squares / (count - 1) / count);
    return result;
}

TEST_CASE("Openb: on orders of our own the study's means come out", "[long]") {
    const Trace trace = recorded_trace();
    CHECK(std::abs(estimate(trace, Policy::fgd, 10).mean - 95.23) < 0.15);
    CHECK(std::abs(estimate(trace, Policy::best_fit, 10).mean - 92.86) < 0.2);
    CHECK(std::abs(estimate(trace, Policy::packing, 10).mean - 91.78) < 0.5);
    CHECK(std::abs(estimate(trace, Policy::clustering, 10).mean - 91.65) < 0.5);
    CHECK(std::abs(estimate(trace, Policy::dot_product, 10).mean - 90.62) < 0.25);
    CHECK(std::abs(estimate(trace, Policy::random, 10).mean - 86.30) < 0.3);
}

TEST_CASE("Openb: future_fit gives more GPUs than fgd", "[slow]") {
    const Trace trace = recorded_trace();
    const Estimate fgd = estimate(trace, Policy::fgd, 3);
    const Estimate ours = estimate(trace, Policy::future_fit, 3);
    INFO("fgd " << fgd.mean << " future_fit " << ours.mean);
    CHECK(ours.mean > fgd.mean + 0.6);
}

TEST_CASE("Openb: future_fit beats fgd by more than chance, and never stays behind", "[long]") {
    const std::vector<std::string> variants{
        "default",    "cpu050",     "cpu100",      "cpu200",     "cpu250",     "gpushare40",
        "gpushare60", "gpushare80", "gpushare100", "multigpu20", "multigpu30", "multigpu40",
        "multigpu50", "gpuspec10",  "gpuspec20",   "gpuspec25",  "gpuspec33"};
    const auto folder = full_folder();
    if (!folder) return;
    for (const std::string& variant : variants) {
        const Trace trace = trace_of(*folder, variant);
        const Estimate fgd = estimate(trace, Policy::fgd, 10);
        const Estimate ours = estimate(trace, Policy::future_fit, 10);
        INFO(variant << ": fgd " << fgd.mean << " +- " << fgd.error << ", future_fit " << ours.mean
                     << " +- " << ours.error);
        CHECK(ours.mean > fgd.mean - fgd.error);
        if (variant == "default") CHECK(ours.mean > fgd.mean + 3 * std::max(fgd.error, ours.error));
    }
}

struct BadFile {
    const char* why;
    std::string text;
    std::string message;
};

TEST_CASE("Openb: bad rows are named by file and line") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "pods.csv";
    const std::string head = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n";
    const std::vector<BadFile> files{
        {"a column is missing", "name,cpu_milli\n", "pods.csv:1: no column memory_mib"},
        {"a row is short", head + "p,1,1,0,0\np,1\n", "pods.csv:3: 2 columns, expected 5"},
        {"no number", head + "p,x,1,0,0\n", "pods.csv:2: cpu_milli: \"x\", expected a number"},
        {"no part of a GPU", head + "p,1,1,2,0\n", "pods.csv:2: gpu_milli: 0 of 2 GPUs"},
        {"nothing behind the head", head, "pods.csv: no pods"},
    };
    for (const BadFile& file : files) {
        std::ofstream(path) << file.text;
        INFO(file.why);
        const auto pods = openb::load_pods(path);
        REQUIRE(!pods.ok());
        CHECK_THAT(std::string(message(pods.status())),
                   Catch::Matchers::ContainsSubstring(file.message));
    }
    CHECK(openb::load_pods(folder.path() / "absent.csv").status().code() == StatusCode::kNotFound);
}

}  // namespace
}  // namespace trestle
