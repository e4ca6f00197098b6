// SPDX-License-Identifier: Apache-2.0
// The table of differences from Slurm: every row is whole and names a test that there is; and the
// small differences that no other test holds.
#include "trestle/dialect/slurm/differences.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/test_sources.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/dialect/slurm/tres.hpp"

namespace trestle {
TEST_CASE("Slurm differences: every row is whole, and its test is there", "[dialect][slurm]") {
    const std::string sources = test_sources();
    std::set<std::string_view> topics;
    for (const slurm::Difference& row : slurm::differences()) {
        INFO(row.topic);
        CHECK(topics.insert(row.topic).second);
        CHECK(!row.slurm.empty());
        CHECK(!row.here.empty());
        CHECK(sources.find(fmt::format("TEST_CASE(\"{}\"", row.test)) != std::string::npos);
    }
    CHECK(topics.size() >= 40);
    const std::string text = slurm::differences_text();
    CHECK(text.starts_with("| topic | Slurm | here | select() | test | releases |\n|---|"));
    CHECK(std::count(text.begin(), text.end(), '\n') ==
          static_cast<std::ptrdiff_t>(topics.size()) + 2);
    CHECK(std::count(text.begin(), text.end(), '|') ==
          7 * (static_cast<std::ptrdiff_t>(topics.size()) + 2));
}

TEST_CASE("Slurm differences: by release", "[dialect][slurm]") {
    const auto has = [](slurm::Release release, std::string_view topic) {
        const auto rows = slurm::differences(release);
        return std::any_of(rows.begin(), rows.end(),
                           [&](const slurm::Difference& row) { return row.topic == topic; });
    };
    CHECK(has(slurm::Release::v22_05, "links of devices"));
    CHECK(!has(slurm::Release::v24_11, "links of devices"));
    CHECK(has(slurm::Release::v24_11, "worst links of devices"));
    CHECK(has(slurm::Release::v26_05, "types"));
    for (const char* text : {"22.05", "24.11.5", "26.05"}) {
        CHECK(slurm::parse_release(text).ok());
    }
    CHECK(slurm::parse_release("24.11.5").value() == slurm::Release::v24_11);
    for (const char* text : {"", "24", "24.1", "24.110", "23.02", "v24_11"}) {
        INFO(text);
        CHECK(message(slurm::parse_release(text).status()).find("expected 22.05, 24.11") !=
              std::string_view::npos);
    }
}

TEST_CASE("Slurm differences: readers", "[dialect][slurm]") {
    // One sum for both names.
    CHECK(slurm::gres_list_text(slurm::parse_gres("gpu:1234a678:1,gpu:a2341678:1").value()) ==
          "gpu:1234a678:1,gpu:a2341678:1");
    // A beginning of a type is no type.
    for (const char* text : {"c=4", "gre/gpu=1", "lic/a=1"}) {
        INFO(text);
        CHECK(message(slurm::parse_tres(text).status()).find("unknown TRES") !=
              std::string_view::npos);
    }
    // A licence with gres in its name.
    const auto submission = slurm::parse_option_text("--tres-per-task=license/mygres:2");
    REQUIRE(submission.ok());
    CHECK(submission->components.front().options.tres_per_task->gres.empty());
    CHECK(submission->components.front().options.tres_per_task->licenses.size() == 1);
    // A name alone does not end the reading; cores need not be whole sockets.
    const auto built = slurm::parse_nodes(
        {.slurm_conf = "NodeName=n Sockets=2 CoresPerSocket=4 Gres=nic,gpu:2,fpga:3\n",
         .gres_conf = "Name=gpu File=/dev/nvidia0 Cores=1-2\nName=gpu File=/dev/nvidia1 "
                      "Cores=3-6\n"});
    REQUIRE(built.ok());
    CHECK(slurm::gres_list_text(slurm::configured_gres(*built->nodes.front().shape)) ==
          "nic:1,gpu:2(S:0-1),fpga:3");
    // Flags are whole words.
    const auto flags = slurm::parse_gres_conf("Name=gpu Count=1 Flags=CountOnly,nvidia_gpu_env\n");
    REQUIRE(flags.ok());
    CHECK(flags->front().flags.size() == 2);
    for (const char* text : {"Flags=no_nvidia_gpu_env", "Flags=xCountOnly", "Flags=explicitly"}) {
        INFO(text);
        CHECK(message(slurm::parse_gres_conf(std::string("Name=gpu Count=1 ") + text, {},
                                             slurm::MendedMistakes::errors)
                          .status())
                  .find("unknown flag") != std::string_view::npos);
    }
    // More indexes than 64 characters hold.
    std::string indexes = "0";
    for (int i = 2; i < 60; i += 2) indexes += fmt::format(",{}", i);
    const std::string text = fmt::format("gpu:30(IDX:{})", indexes);
    CHECK(slurm::gres_list_text(slurm::parse_gres_details(text).value()) == text);
}

}  // namespace trestle
