// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/offers_csv.hpp"

#include "support/catch.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

namespace {
const std::string header =
    "backend,region,instance,cpus,memory,disk,gpu_count,gpu_name,gpu_memory,gpu_vendor,price,"
    "spot\n";
}

TEST_CASE("dstack price list: rows become offers", "[dialect][dstack]") {
    const auto offers =
        dstack::parse_offers_csv("# a list\n\n" + header +
                                 "aws, us-east-1, g5.12xlarge, 48, 192GB, , 4, A10G, "
                                 "24GB, nvidia, 2.03, true\r\n"
                                 "gcp,us,e2,2,8GB,100GB,0,,,,0.067,false");
    INFO(message(offers.status()));
    REQUIRE(offers.ok());
    REQUIRE(offers->size() == 2);
    const Offer& gpu = offers->at(0);
    CHECK(gpu.backend == "aws");
    CHECK(gpu.region == "us-east-1");
    CHECK(gpu.instance == "g5.12xlarge");
    CHECK(gpu.cpus == Count(48));
    CHECK(gpu.memory == gib(192));
    CHECK_FALSE(gpu.disk.has_value());
    CHECK(gpu.price == Microdollars(2'030'000));
    CHECK(gpu.is_spot);
    REQUIRE(gpu.devices.size() == 1);
    CHECK(gpu.devices[0].model == "A10G");
    CHECK(gpu.devices[0].memory == gib(24));
    CHECK(gpu.devices[0].count == Count(4));
    CHECK(gpu.devices[0].vendor == "nvidia");
    const Offer& plain = offers->at(1);
    CHECK(plain.devices.empty());
    CHECK(plain.disk == gib(100));
    CHECK(plain.price == Microdollars(67'000));
    CHECK_FALSE(plain.is_spot);

    const auto turned = dstack::parse_offers_csv(
        "spot,price,gpu_vendor,gpu_memory,gpu_name,gpu_count,disk,memory,cpus,instance,region,"
        "backend\n"
        "false,1,,,,0,,8,2,i,r,b\n");
    CHECK(turned.value().at(0).backend == "b");
    CHECK(turned.value().at(0).memory == gib(8));
    CHECK(dstack::parse_offers_csv(header).value().empty());
}

TEST_CASE("dstack price list: a mistake is named with line and column", "[dialect][dstack]") {
    struct Row {
        const char* text;  ///< "=" at its start stands for the right header
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"", "offers: no header", "nothing"},
        {"backend,regoin\n",
         "offers line 1, column 9: unknown column (\"regoin\"): expected a known one; the nearest "
         "is "
         "region",
         "a slip"},
        {"backend,backend\n", "offers line 1, column 9: column given twice (\"backend\")", "twice"},
        {"backend,region\n", "offers line 1: no column instance, expected all twelve", "missing"},
        {"=a,b\n", "offers line 2: 2 cells, expected 12", "too few"},
        {"=a,b,c,1,1,,0,,,,1,false,\n", "offers line 2: 13 cells, expected 12", "too many"},
        {"=a,,c,1,1,,0,,,,1,false\n", "offers line 2, column 3: empty cell (\"\"): expected a word",
         "no region"},
        {"=a,b,c,x,1,,0,,,,1,false\n", "column 7: malformed count (\"x\"): expected a whole number",
         "no number"},
        {"=a,b,c,1,8Gi,,0,,,,1,false\n", "column 10: unknown unit (\"Gi\")", "no unit"},
        {"=a,b,c,1,1,,0,,,,$1,false\n", "malformed price (\"$1\"): expected dollars", "a sign"},
        {"=a,b,c,1,1,,0,,,,1.0000001,false\n", "malformed price", "seven decimals"},
        {"=a,b,c,1,1,,0,,,,-1,false\n", "malformed price", "negative"},
        {"=a,b,c,1,1,,0,,,,99999999999,false\n", "malformed price", "no such price"},
        {"=a,b,c,1,1,,0,,,,1,maybe\n", "malformed spot (\"maybe\"): expected true or false",
         "neither"},
        {"=a,b,c,1,1,,1,,,,1,false\n", "offers line 2: GPUs without name or memory", "which GPU?"},
        {"=a,b,c,1,1,,0,A100,80GB,,1,false\n", "a GPU with gpu_count 0", "how many?"},
        {"=a,b,c,1,1,,1,A100,80GB,nvidla,1,false\n", "unknown vendor (\"nvidla\")", "a slip"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const std::string text =
            row.text[0] == '=' ? header + (row.text + 1) : std::string(row.text);
        const auto offers = dstack::parse_offers_csv(text);
        REQUIRE_FALSE(offers.ok());
        CHECK(offers.status().code() == StatusCode::kInvalidArgument);
        const std::string line(message(offers.status()));
        CHECK_THAT(line, ContainsSubstring(row.expected));
        CHECK(line.find('\n') == std::string::npos);
    }
}
