// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/gres.hpp"

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Slurm GRES: items by Slurm's lexer", "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* expected;  ///< printed
        const char* why;
    };
    const Row rows[] = {
        {"gpu:2", "gpu:2", "name and count"},
        {"gpu", "gpu:1", "no count is one"},
        {"gpu:a100:2", "gpu:a100:2", "name, type and count"},
        {"gpu:a100", "gpu:a100:1", "what is no number is a type"},
        {"gpu=2", "gpu:2", "an equals sign does as well"},
        {"gpu:a100=2", "gpu:a100:2", "also before a typed count"},
        {"gres/gpu:2", "gpu:2", "the TRES form"},
        {"gres:gpu:2", "gpu:2", "and its old form"},
        {"gpu:1g.10gb:3", "gpu:1g.10gb:3", "a MIG profile starts with a digit"},
        {"gpu:1g.10gb", "gpu:1g.10gb:1", "and is no count"},
        {"gpu:2x", "gpu:2x:1", "nor is this one, as in Slurm"},
        {"bandwidth:4k", "bandwidth:4096", "k is 1024"},
        {"bandwidth:4kb", "bandwidth:4000", "kb is 1000"},
        {"gpu:2,nic:1", "gpu:2,nic:1", "two names"},
        {"gpu:a:1,gpu:b:2", "gpu:a:1,gpu:b:2", "two types of a name"},
        {"gpu:1,gpu:3", "gpu:3", "the last count wins"},
        {"gpu:0", "", "a count of zero asks for nothing"},
        {"gpu:2,gpu:0", "gpu:2", "and takes nothing back"},
        {"gpu:0,gpu:a100:1", "gpu:a100:1", "nor does it mix with a type"},
        {",gpu:1,,nic:1,", "gpu:1,nic:1", "empty items are skipped"},
        {"", "", "an empty list"},
        {"gpu:2(IDX:0,1)", "gpu:2", "the tail of a printed one"},
        {"gpu:a100:4(S:0-1)", "gpu:a100:4", "sockets of a printed one"},
        {"gpu:0(IDX:N/A)", "", "what sinfo prints for nothing used"},
        {"bandwidth(CNT:4)", "bandwidth:4", "a counter of job detail"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto list = slurm::parse_gres(row.text);
        REQUIRE(list.ok());
        CHECK(slurm::gres_list_text(*list) == row.expected);
    }
}

TEST_CASE("Slurm GRES: a malformed list says what, where and what was expected",
          "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"gpu:", "gres: neither count nor type at offset 4 (end of text): expected name[:type]",
         "nothing after the colon"},
        {"gpu=", "malformed count at offset 4 (end of text)", "nor after the sign"},
        {"gpu:a:b", "malformed count at offset 6 (\"b\"): expected a count", "two types"},
        {"gpu:a:b:2", "malformed GRES type at offset 4 (\"a:b\")", "two types and a count"},
        {"gpu:a100:", "malformed count at offset 9 (end of text)", "no count"},
        {"gpu:a100:2x", "malformed count at offset 9 (\"2x\")", "no count either"},
        {"gpu=x", "malformed count at offset 4 (\"x\")", "only a count follows the sign"},
        {"gpu=a100:2", "malformed count at offset 4 (\"a100:2\")", "not even a typed one"},
        {"gpu:-1", "negative count at offset 4 (\"-1\"): expected 0 or more", "below zero"},
        {"gpu:a:-1", "negative count at offset 6 (\"-1\")", "below zero with a type"},
        {"gpu:99999999999999999999", "count beyond 2^63 at offset 4", "overflow"},
        {"nic:1,gpu:99999999999p", "count beyond 2^63 at offset 10",
         "offsets count from the start"},
        {"2", "malformed GRES name at offset 0 (\"2\")", "a count without a name"},
        {"gres", "gres without a name at offset 0", "the prefix alone is no name"},
        {":2", "malformed GRES name at offset 0", "no name"},
        {"gpu:a b:2", "malformed GRES type at offset 4", "a blank inside"},
        {"gpu:2,gpu:a100:1", "gpu with and without a type at offset 6", "which one is meant?"},
        {"gpu:no_consume:4", "no_consume is not supported at offset 4", "never read as a type"},
        {"gpu:2(IDX:0)", "indexes that are not as many as the count at offset 6", "one of two"},
        {"shard:2(IDX:0-2)", "indexes that are not as many as the count at offset 8", "too many"},
        {"gpu:2(IDX:0-1", "parenthesis without end at offset 6", "no )"},
        {"gpu:2(FOO:1)", "unknown tail at offset 6 (\"FOO:1\")", "no such tail"},
        {"gpu:2(IDX:1-0)", "at offset 10", "a run that goes down"},
        {"gpu:2(S:0)x", "unexpected text at offset 10", "text behind the tail"},
        {"gpu:1(IDX:0)(CNT:5)", "count behind what was counted at offset 13", "which one is it?"},
        {"shard:3(3)", "parts in use without how many there are at offset 9", "no slash"},
        {"shard:3(3/)", "malformed count at offset 10", "nothing behind the slash"},
        {"shard:3(3/8,)", "malformed count at offset 12", "nothing behind the comma"},
        {"shard:3(3/x)", "malformed count at offset 10", "no number"},
        {"shard:9(9/8)", "more parts than there are at offset 8", "beyond the device"},
        {"shard:3(2/8,2/8)", "parts that are not as many as the count at offset 8", "one more"},
        {"shard:3(-3/8)", "parts in use without how many there are at offset 9", "a dash alone"},
        {"shard:1(9223372036854775807/9223372036854775807,2/8)",
         "parts that are not as many as the count", "a sum beyond 2^63"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto list = slurm::parse_gres(row.text);
        REQUIRE_FALSE(list.ok());
        CHECK(list.status().code() == StatusCode::kInvalidArgument);
        const std::string line(message(list.status()));
        CHECK_THAT(line, ContainsSubstring(row.expected));
        CHECK(line.find('\n') == std::string::npos);
    }
}

TEST_CASE("Slurm GRES: --gpus has no name", "[dialect][slurm]") {
    const auto text = [](const char* gpus) {
        const auto list = slurm::parse_gpus(gpus);
        return list.ok() ? slurm::gres_list_text(*list) : std::string(message(list.status()));
    };
    CHECK(text("2") == "gpu:2");
    CHECK(text("a100:2") == "gpu:a100:2");
    CHECK(text("a100") == "gpu:a100:1");
    CHECK(text("a100:2,v100:1") == "gpu:a100:2,gpu:v100:1");
    CHECK_THAT(text("a:b:2"), ContainsSubstring("malformed GRES type at offset 0"));
    CHECK_THAT(text("2,-1"), ContainsSubstring("negative count at offset 2"));
    CHECK_THAT(text("a100:x"), ContainsSubstring("malformed count at offset 5"));
}

TEST_CASE("Slurm GRES: nothing in use is a fact", "[dialect][slurm]") {
    const auto used = slurm::parse_gres_used(
        "gpu:a100:0(IDX:N/A),nic:1(IDX:2),lic:0,shard:a100:0(0/8,-/8),fpga(CNT:0)");
    REQUIRE(used.ok());
    CHECK(slurm::gres_list_text(*used) ==
          "gpu:a100:0,nic:1(IDX:2),lic:0,shard:a100:0(0/8,-/8),fpga:0");
    CHECK((*used)[3].parts ==
          std::vector<slurm::GresPart>{{Count(), Count(8)}, {std::nullopt, Count(8)}});
    CHECK(slurm::parse_gres_details("gpu:a100:0(IDX:N/A),lic:0")->empty());
    CHECK_THAT(std::string(message(slurm::parse_gres_used("gpu:2(IDX:N/A").status())),
               ContainsSubstring("parenthesis without end at offset 6"));
    CHECK(slurm::parse_gres_used("gpu:1,gpu:a100:0").status().code() ==
          StatusCode::kInvalidArgument);
}

TEST_CASE("Slurm GRES: print and read back", "[dialect][slurm][law]") {
    const auto canonical = [](const char* text) {
        return slurm::gres_list_text(slurm::parse_gres_details(text).value());
    };
    CHECK(canonical("gpu:2(IDX:0,1)") == "gpu:2(IDX:0-1)");
    CHECK(canonical("gpu:8(IDX:0,1,2,3,4,5,6,7)") == "gpu:8(IDX:0-7)");
    CHECK(canonical("gpu:a100:4(S:0,1)") == "gpu:a100:4(S:0-1)");
    CHECK(canonical("shard:a100:11(3/8,-/8,8/8)") == "shard:a100:11(3/8,-/8,8/8)");
    CHECK(canonical("shard:4(IDX:0),mps:100(IDX:1,2)") == "shard:4(IDX:0),mps:100(IDX:1-2)");
    CHECK(canonical("gpu:a100:0(IDX:),gpu:h100:1(IDX:2)") == "gpu:h100:1(IDX:2)");

    INFO("seed " << test_seed());
    Rng rng(test_seed());
    const char* names[] = {"gpu", "nic", "fpga"};
    const char* types[] = {"a100", "1g.10gb", "H100-80G", "x_y"};
    for (int i = 0; i < 500; ++i) {
        std::vector<slurm::GresDetail> list;
        for (const char* name : names) {
            const bool is_typed = rng.chance(1, 2);
            for (const char* type : types) {
                if (!rng.chance(1, 2)) continue;
                slurm::GresDetail item;
                item.gres = {name, is_typed ? type : "",
                             Count(rng.in(Interval<std::int64_t>{1, 9}))};
                const bool has_indexes = rng.chance(1, 2);
                for (std::int64_t k = 0; has_indexes && k < item.gres.count.value(); ++k) {
                    item.indexes.insert(static_cast<std::uint32_t>(2 * k + 1));
                }
                for (std::int64_t left = item.gres.count.value(); !has_indexes && left > 0;) {
                    const auto here = rng.in(Interval<std::int64_t>{1, left + 1});
                    item.parts.push_back({Count(here), Count(9)});
                    if (rng.chance(1, 4)) item.parts.push_back({std::nullopt, Count(4)});
                    left -= here;
                }
                if (rng.chance(1, 4)) item.sockets.insert(static_cast<std::uint32_t>(rng.below(4)));
                list.push_back(item);
                if (!is_typed) break;
            }
        }
        const std::string text = slurm::gres_list_text(list);
        INFO(text);
        CHECK(slurm::parse_gres_details(text).value() == list);
    }
}

TEST_CASE("Slurm GRES: a list has 256 names and types at most", "[dialect][slurm]") {
    std::string text;
    for (int i = 0; i < 256; ++i) text += fmt::format("gpu:t{}:1,", i);
    text += "gpu:t7:2";
    const auto list = slurm::parse_gres(text);
    REQUIRE(list.ok());
    CHECK(list->size() == 256);
    CHECK((*list)[7].count == Count(2));
    const auto more = slurm::parse_gres(text + ",gpu:t256:1");
    CHECK_THAT(std::string(message(more.status())),
               ContainsSubstring("too many GRES") && ContainsSubstring("at most 256"));
}

TEST_CASE("Slurm GRES: mps and shard are parts of GPUs in any case", "[dialect][slurm]") {
    for (const char* name : {"mps", "MPS", "shard", "Shard"}) CHECK(slurm::is_shared_gres(name));
    for (const char* name : {"gpu", "shards", ""}) CHECK_FALSE(slurm::is_shared_gres(name));
    CHECK(slurm::parse_gres_details("Shard:4(IDX:0-1)").ok());
    CHECK_FALSE(slurm::parse_gres_details("gpu:4(IDX:0-1)").ok());
}
