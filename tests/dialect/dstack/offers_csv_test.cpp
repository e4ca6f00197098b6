// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/offers_csv.hpp"

#include <cstddef>
#include <string>

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

TEST_CASE("dstack price list: sizes are whole bytes, or the nearest number of MiB",
          "[dialect][dstack]") {
    struct Row {
        const char* size;
        Bytes expected;  ///< absent is 0
        const char* why;
    };
    const Row rows[] = {
        {"1.7", mib(1'741), "1740.8 MiB"},
        {"7.9990234375", mib(8'191), "a whole number of MiB stays it"},
        {"0.6MB", mib(1), "the nearest"},
        {"0.1MB", Bytes(), "is none"},
        {"0.5MB", kib(512), "whole bytes stay"},
        {"0.4999999999999999999MB", Bytes(), "below a half"},
        {"1.30000001e3", mib(1'331'200), "an exponent"},
        {"0.3TB", mib(314'573), "314572.8 MiB"},
        {"1e-9", Bytes(), "far below a MiB"},
        {"1e-400", Bytes(), "farther"},
        {"1.1e10", Bytes::max(), "an error: beyond 2^63 bytes"},
        {"8796093022207.99999999999999MB", Bytes::max(), "an error when it is rounded"},
    };
    for (const Row& row : rows) {
        INFO(row.size << ": " << row.why);
        const std::string size(row.size);
        const auto offers = dstack::parse_offers_csv(header + "a,b,c,1," + size + "," + size +
                                                     ",1,X1," + size + ",google,1,false\n");
        if (row.expected == Bytes::max()) {
            CHECK_THAT(std::string(message(offers.status())),
                       ContainsSubstring("size beyond 2^63 bytes"));
            continue;
        }
        INFO(message(offers.status()));
        REQUIRE(offers.ok());
        CHECK(offers->at(0).memory.value() == row.expected.value());
        CHECK(offers->at(0).disk == row.expected);
        CHECK(offers->at(0).devices.at(0).memory == row.expected);
    }
}

TEST_CASE("dstack price list: devices that the caller knows", "[dialect][dstack]") {
    std::vector<KnownDevice> known(known_devices().begin(), known_devices().end());
    known.push_back({"acme", "Rocket9", gib(7), Version{1, 2}});
    known.push_back({"acme", "Cloud1", Bytes(), std::nullopt});
    const std::string rows = header +
                             "a,b,c,1,1,,1,rocket9,7GB,,1,false\n"
                             "a,b,c,1,1,,1,Cloud1,,,1,false\n";
    const auto offers = dstack::parse_offers_csv(rows, known);
    INFO(message(offers.status()));
    REQUIRE(offers.ok());
    CHECK(offers->at(0).devices.at(0).vendor == "acme");
    CHECK(offers->at(0).devices.at(0).compute_capability == Version{1, 2});
    CHECK(offers->at(1).devices.at(0).vendor == "acme");
    const auto strangers = dstack::read_offers_csv(rows);
    REQUIRE(strangers.offers.size() == 1);
    CHECK(strangers.offers[0].devices.at(0).vendor == "nvidia");
    CHECK(to_text(strangers.errors.at(0)) == "row 3: GPUs without name or memory: expected both");
}

TEST_CASE("offers CSV: every mistake is named", "[dialect][dstack]") {
    const std::string text = "# prices\n" + header +
                             "aws,us,a,8,64GB,,0,,,,1,false\n"
                             "aws,us,b,x,64GB,,0,,,,1,false\n"
                             "aws,us,c,8,64GB,,1,,,,1,false\n"
                             "aws,us\n";
    const auto reading = dstack::read_offers_csv(text);
    REQUIRE(reading.offers.size() == 1);
    CHECK(reading.offers[0].instance == "a");
    REQUIRE(reading.errors.size() == 3);
    CHECK(to_text(reading.errors[0]) ==
          "row 4, cpus: malformed count (\"x\"): expected a whole number");
    CHECK(reading.errors[0].error.offset == 9);
    CHECK(to_text(reading.errors[1]) == "row 5: GPUs without name or memory: expected both");
    CHECK(to_text(reading.errors[2]) == "row 6: 2 cells: expected 12 as in the header");
    std::string many = header;
    for (int i = 0; i < 200; ++i) many += "x\n";
    CHECK(dstack::read_offers_csv(many).errors.size() == 100);
    const auto wrong = dstack::read_offers_csv("backend,backend,zonse\nx,x,x\n");
    CHECK(wrong.offers.empty());
    CHECK(wrong.errors.size() == 13);  // one twice, one unknown, eleven missing
    CHECK(dstack::read_offers_csv("").errors.size() == 1);
}

TEST_CASE("offers CSV: columns that may be there", "[dialect][dstack]") {
    const std::string more = header.substr(0, header.size() - 1) +
                             ",arch,availability,zones,interconnect,compute_capability,blocks\n";
    const auto read = [&](const std::string& cells) {
        return dstack::read_offers_csv(more + "aws,us,a,8,64GB,,1,H100,80GB,,1,false," + cells);
    };
    const auto all = read("arm,no quota,a b,efa,9.1,2");
    REQUIRE(all.errors.empty());
    const Offer& offer = all.offers.at(0);
    CHECK(offer.architecture == Architecture::arm);
    CHECK(offer.availability == Offer::Availability::no_quota);
    CHECK(offer.availability_zones == std::vector<std::string>{"a", "b"});
    CHECK(offer.interconnect == Offer::Interconnect::efa);
    CHECK(offer.devices.at(0).compute_capability == Version{9, 1});
    CHECK(offer.blocks == Count(2));
    const auto none = read(",,,,,");
    REQUIRE(none.errors.empty());
    CHECK(none.offers.at(0).availability == Offer::Availability::available);
    CHECK(!none.offers.at(0).interconnect);
    CHECK(none.offers.at(0).devices.at(0).compute_capability == Version{9, 0});
    struct Row {
        const char* cells;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"amd64,,,,,", "row 2, arch: unknown architecture (\"amd64\")", "as in cpu:"},
        {"power,,,,,", "row 2, arch: unknown architecture (\"power\"): expected x86 or arm",
         "dstack has two"},
        {",gone,,,,", "row 2, availability: unknown availability (\"gone\")", "no state"},
        {",,,fast,,",
         "row 2, interconnect: unknown interconnect (\"fast\"): expected one of none, "
         "efa, gpudirect, roce, infiniband",
         "no interconnect"},
        {",,,,nine,", "row 2, compute_capability: ", "no version"},
        {",,,,,0", "row 2, blocks: a malformed number of blocks (\"0\"): expected 1 to 65536",
         "no block"},
        {",,,,,65537", "row 2, blocks: a malformed number of blocks (\"65537\")", "too many"},
    };
    for (const Row& row : rows) {
        INFO(row.cells << ": " << row.why);
        const auto reading = read(row.cells);
        REQUIRE(reading.errors.size() == 1);
        CHECK_THAT(to_text(reading.errors.front()), ContainsSubstring(row.expected));
    }
}

TEST_CASE("offers CSV: cells of other sources, without lines", "[dialect][dstack]") {
    using Rows = std::vector<std::vector<std::string>>;
    const std::vector<std::string> names = {"backend",    "region",     "instance",  "cpus",
                                            "memory",     "disk",       "gpu_count", "gpu_name",
                                            "gpu_memory", "gpu_vendor", "price",     "spot"};
    std::vector<std::string> row = {"aws", "us",  "a, with a comma", "8", "64", "", "", "", "", "",
                                    "0.5", "true"};
    const auto good = dstack::read_offer_rows(names, Rows{row});
    REQUIRE(good.errors.empty());
    CHECK(good.offers.at(0).instance == "a, with a comma");
    CHECK(good.offers.at(0).memory == gib(64));
    row[4] = "64 apples";
    const auto bad = dstack::read_offer_rows(names, Rows{row, row});
    REQUIRE(bad.errors.size() == 2);
    CHECK(bad.errors[1].row == 2);
    CHECK(bad.errors[1].column == "memory");
    CHECK(dstack::read_offer_rows({}, {}).errors.size() == 12);
}

TEST_CASE("dstack price list: rows that a flag hides are no offers", "[dialect][dstack]") {
    struct Row {
        const char* flags;
        std::size_t offers;
        const char* why;
    };
    const Row rows[] = {
        {"", 1, "none"},
        {"gcp-g4", 1, "enabled"},
        {"oci-spot hotaisle-bm", 1, "both enabled"},
        {"gcp-g4-preview", 0, "for those who ask, beside the same row without it"},
        {"gcp-g4 gcp-g4-preview", 0, "one of two"},
        {"GCP-G4", 0, "flags are exact"},
        {"of-a-later-release", 0, "unknown"},
    };
    for (const Row& row : rows) {
        INFO(row.flags << ": " << row.why);
        const auto offers = dstack::parse_offers_csv(
            "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,"
            "flags\nn1,eu,1.5,2,8,0,,,False,," +
            std::string(row.flags) + "\n");
        REQUIRE(offers.ok());
        CHECK(offers->size() == row.offers);
    }
}
