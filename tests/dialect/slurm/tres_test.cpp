// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/tres.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using slurm::BillingRule;

const slurm::TresIds ids{{{1001, {"gres", "gpu"}}, {1002, {"gres", "gpu:a100"}}}};

TresCounts tres(const std::string& text) {
    const auto counts = slurm::parse_tres(text, ids);
    INFO(text << ": " << message(counts.status()));
    REQUIRE(counts.ok());
    return *counts;
}

Count billed(const char* weights, const char* counts, BillingRule rule = BillingRule::sum) {
    const auto parsed = slurm::parse_billing_weights(weights);
    INFO(weights << ": " << message(parsed.status()));
    REQUIRE(parsed.ok());
    return slurm::billing_of(*parsed, tres(counts), rule);
}

}  // namespace

TEST_CASE("Slurm TRES: texts are read, and printed in Slurm's order", "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* by_name;
        const char* by_number;  ///< empty: not all have one
        const char* why;
    };
    const Row rows[] = {
        {"cpu=4,mem=32G,gres/gpu:a100=2", "cpu=4,mem=32G,gres/gpu:a100=2", "1=4,2=32768,1002=2",
         "as it is printed"},
        {"1=4,2=1000,1001=2", "cpu=4,mem=1000M,gres/gpu=2", "1=4,2=1000,1001=2", "by number"},
        {"gres/gpu=1,node=2,cpu=3", "cpu=3,node=2,gres/gpu=1", "1=3,4=2,1001=1",
         "fixed numbers come first"},
        {"CPU=1,Mem=1", "cpu=1,mem=1M", "1=1,2=1", "types in any case; memory in MiB"},
        {"mem=1025K", "mem=2M", "2=2", "KiB are rounded up"},
        {"mem=2KB", "mem=1M", "2=1", "KB of memory is KiB"},
        {"mem=1536M", "mem=1.50G", "2=1536", "halves are exact"},
        {"mem=1.50G", "mem=1.50G", "2=1536", "and are read back"},
        {"mem=0.5T", "mem=512G", "2=524288", "any fraction"},
        {"mem=1000M", "mem=1000M", "2=1000", "no multiple of a half"},
        {"mem=1048576M", "mem=1T", "2=1048576", "the largest unit"},
        {"mem=2048T", "mem=2P", "2=2147483648", "petabytes"},
        {"mem=1.5PB", "mem=1.50P", "2=1610612736", "and their halves"},
        {"mem=1.000001G", "mem=1025M", "2=1025", "rounded up"},
        {"mem=0,cpu=0", "cpu=0,mem=0", "1=0,2=0", "a limit of nothing is a limit"},
        {"energy=500", "energy=500", "3=500", "joules"},
        {"fs/disk=7,vmem=1,pages=2", "fs/disk=7,vmem=1,pages=2", "6=7,7=1,8=2", "fixed numbers"},
        {"license/matlab-r2=3", "license/matlab-r2=3", "", "a name with a dash, without number"},
        {"gres/shard=2k", "gres/shard=2048", "", "a count's k is 1024"},
        {"gres/shard=2kb", "gres/shard=2000", "", "and its kb 1000"},
        {"bb/cray=2G", "bb/cray=2G", "", "burst buffers are memory"},
        {"", "", "", "nothing"},
        {"  ", "", "", "nothing but blanks"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const TresCounts counts = tres(row.text);
        CHECK(slurm::tres_text(counts) == row.by_name);
        CHECK(tres(slurm::tres_text(counts)) == counts);
        const auto by_number = slurm::tres_id_text(counts, ids);
        if (!by_number.ok()) {
            CHECK(by_number.status().code() == StatusCode::kNotFound);
            CHECK(std::string(row.by_number).empty());
            continue;
        }
        CHECK(*by_number == row.by_number);
        CHECK(tres(*by_number) == counts);
    }
}

TEST_CASE("Slurm TRES: a malformed text says where", "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"cpu", "TRES without a count at offset 0", "no count"},
        {"cpu=4,", "TRES without a count at offset 6", "nothing behind the comma"},
        {"cpu=4,,mem=1", "TRES without a count at offset 6", "nothing between two"},
        {"=4", "empty TRES at offset 0", "no name"},
        {"cpu=", "malformed count at offset 4", "no number"},
        {"cpu=-1", "negative count at offset 4", "that is for amend_tres"},
        {"mem=1.G", "malformed memory at offset 6", "a point and no digits"},
        {"mem=1.1234567G", "malformed memory at offset 6", "more digits than it means"},
        {"mem=1.5X", "unknown memory unit at offset 7", "no such unit"},
        {"mem=9999999999.5T", "memory beyond 2^62 bytes at offset 4", "too much"},
        {"cpu=4,cpu=5", "TRES stands twice at offset 6", "which of them?"},
        {"cpu=4,1=5", "TRES stands twice at offset 6", "by number it is the same"},
        {"9=1", "unknown TRES number at offset 0", "no such number"},
        {"1001x=1", "unknown TRES number at offset 0", "no number"},
        {"gres/=1", "malformed TRES at offset 0", "half a name"},
        {"gres=1", "malformed TRES at offset 0 (\"gres\"): expected gres/name", "of what?"},
        {"cpu/x=1", "malformed TRES at offset 0 (\"cpu/x\"): expected cpu alone",
         "CPUs have no name"},
        {"cpu/=1", "malformed TRES at offset 0", "nor an empty one"},
        {"/gpu=1", "unknown TRES at offset 0", "the other half"},
        {"licence/a=1",
         "unknown TRES at offset 0 (\"licence/a\"): expected a TRES; the nearest is license",
         "a slip"},
        {"cpu+=1", "change of a count at offset 0", "that is for amend_tres"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto counts = slurm::parse_tres(row.text, ids);
        REQUIRE_FALSE(counts.ok());
        CHECK_THAT(std::string(message(counts.status())), ContainsSubstring(row.expected));
    }
}

TEST_CASE("Slurm TRES: counts are amended from the left", "[dialect][slurm]") {
    struct Row {
        const char* before;
        const char* change;
        const char* after;
        const char* why;
    };
    const Row rows[] = {
        {"cpu=4", "cpu+=2", "cpu=6", "added"},
        {"cpu=4", "cpu-=1,cpu+=5", "cpu=8", "one after the other"},
        {"cpu=4", "cpu-=9", "cpu=0", "not below nothing"},
        {"", "cpu-=1", "cpu=0", "from nothing"},
        {"", "cpu+=1", "cpu=1", "to nothing"},
        {"cpu=4,mem=1G", "cpu=-1", "mem=1G", "no limit any more"},
        {"mem=1G", "cpu=-1", "mem=1G", "there was none"},
        {"cpu=4", "cpu=9", "cpu=9", "set"},
        {"mem=1G", "mem+=512M", "mem=1.50G", "memory in its units"},
        {"cpu=1", "cpu=9223372036854775807,cpu+=1", "cpu=9223372036854775807",
         "not beyond the end"},
        {"", "license/a-b=3,license/a-b-=1", "license/a-b=2", "a dash in a name is none before ="},
        {"cpu=4", "", "cpu=4", "nothing changes"},
    };
    for (const Row& row : rows) {
        INFO(row.before << " with " << row.change << ": " << row.why);
        const auto after = slurm::amend_tres(tres(row.before), row.change, ids);
        REQUIRE(after.ok());
        CHECK(slurm::tres_text(*after) == row.after);
    }
    CHECK_FALSE(slurm::amend_tres({}, "cpu+=").ok());
    CHECK_FALSE(slurm::amend_tres({}, "+=1").ok());
    CHECK_FALSE(slurm::amend_tres({}, "cpu+=-1").ok());
}

TEST_CASE("Slurm TRES: the first limit that would be exceeded is named", "[dialect][slurm]") {
    struct Row {
        const char* limit;
        const char* used;
        const char* asked;
        const char* expected;  ///< empty: none
        const char* why;
    };
    const Row rows[] = {
        {"cpu=4", "cpu=2", "cpu=2", "", "just so many"},
        {"cpu=4", "cpu=2", "cpu=3", "cpu: asked 3, used 2 of 4", "one too many"},
        {"gres/gpu=1,cpu=1", "", "cpu=2,gres/gpu=2", "cpu: asked 2, used 0 of 1",
         "cpu comes first"},
        {"gres/gpu:a100=1", "gres/gpu=9", "gres/gpu=9", "", "no limit on those"},
        {"cpu=0", "", "", "", "nothing of nothing"},
        {"mem=1G", "mem=512M", "mem=513M", "mem: asked 513M, used 512M of 1G", "in its units"},
        {"", "cpu=9", "cpu=9", "", "no limit"},
        {"cpu=9223372036854775807", "cpu=9223372036854775807", "cpu=1",
         "cpu: asked 1, used 9223372036854775807 of 9223372036854775807", "beyond all counts"},
    };
    for (const Row& row : rows) {
        INFO(row.limit << " with " << row.used << " and " << row.asked << ": " << row.why);
        const auto excess = slurm::exceeds(tres(row.limit), tres(row.used), tres(row.asked));
        CHECK((excess ? to_text(*excess) : "") == row.expected);
    }
}

TEST_CASE("Slurm TRES: what is billed", "[dialect][slurm]") {
    struct Row {
        const char* weights;
        const char* counts;
        std::int64_t sum;
        std::int64_t max_tres;
        std::int64_t max_tres_gres;
        const char* why;
    };
    const Row rows[] = {
        {"", "cpu=4,mem=8G", 4, 4, 4, "without weights the CPUs"},
        {"CPU=1.0,Mem=0.25G", "", 0, 0, 0, "nothing"},
        {"CPU=1.0,Mem=0.25G", "cpu=4,mem=32G", 12, 8, 8, "a quarter for each GiB"},
        {"CPU=1,Mem=0.25G,GRES/gpu=2", "cpu=4,mem=32G,gres/gpu=3", 18, 8, 14,
         "gres beside or below"},
        {"CPU=0.5", "cpu=3", 1, 1, 1, "cut to a whole number"},
        {"cpu=1,license/a=10", "cpu=3,license/a=2", 23, 23, 23, "licences are always added"},
        {"cpu=1,gres/gpu=2,gres/gpu:a100=3", "cpu=1,gres/gpu=2,gres/gpu:a100=2", 11, 6, 11,
         "both have weights, both count"},
        {"cpu=-1", "cpu=4", 0, 0, 0, "not below nothing"},
        {"cpu=-1,gres/gpu=10", "cpu=4,gres/gpu=1", 6, 10, 10, "a maximum is at least 0"},
        {"billing=5,cpu=1", "cpu=1,billing=7", 1, 1, 1, "billing is not billed"},
        {"mem=1K", "mem=1G", 1048576, 1048576, 1048576, "one for each KiB"},
        {"cpu=1e18", "cpu=100", 9223372036854775807, 9223372036854775807, 9223372036854775807,
         "the largest count"},
    };
    for (const Row& row : rows) {
        INFO(row.weights << " of " << row.counts << ": " << row.why);
        CHECK(billed(row.weights, row.counts).value() == row.sum);
        CHECK(billed(row.weights, row.counts, BillingRule::max_tres).value() == row.max_tres);
        CHECK(billed(row.weights, row.counts, BillingRule::max_tres_gres).value() ==
              row.max_tres_gres);
    }
    struct Bad {
        const char* text;
        const char* expected;
    };
    const Bad bad[] = {
        {"cpu", "TRES without a weight at offset 0"},
        {"cpu=", "malformed weight at offset 4"},
        {"cpu=x", "malformed weight at offset 4"},
        {"cpu=1X", "malformed weight at offset 4"},
        {"cpu=1GB", "malformed weight at offset 4"},
        {"cpu=inf", "malformed weight at offset 4"},
        {"cpu=nan", "malformed weight at offset 4"},
        {"cpu=1,cpu=2", "TRES stands twice at offset 6"},
        {"cpu=1,", "empty TRES at offset 6"},
        {"gres/=1", "malformed TRES at offset 0"},
    };
    for (const Bad& row : bad) {
        INFO(row.text);
        const auto weights = slurm::parse_billing_weights(row.text);
        REQUIRE_FALSE(weights.ok());
        CHECK_THAT(std::string(message(weights.status())), ContainsSubstring(row.expected));
    }
}

TEST_CASE("Slurm TRES: counts together, apart and at most", "[dialect][slurm]") {
    struct Row {
        const char* a;
        const char* b;
        const char* sum;
        const char* difference;
        const char* most;
        const char* why;
    };
    const Row rows[] = {
        {"cpu=4,mem=1G", "cpu=1,gres/gpu=2", "cpu=5,mem=1G,gres/gpu=2", "cpu=3,mem=1G",
         "cpu=4,mem=1G,gres/gpu=2", "what one of them lacks is 0"},
        {"cpu=1", "cpu=4", "cpu=5", "cpu=0", "cpu=4", "not below 0"},
        {"", "cpu=4", "cpu=4", "", "cpu=4", "nothing"},
        {"cpu=9223372036854775807", "cpu=1", "cpu=9223372036854775807", "cpu=9223372036854775806",
         "cpu=9223372036854775807", "the largest count"},
        {"energy=100", "energy=50", "energy=150", "energy=50", "energy=100", "joules"},
        {"energy=100", "energy=0", "energy=100", "energy=100", "energy=100", "none was used"},
        {"cpu=1,energy=100", "cpu=1", "cpu=2", "cpu=0", "cpu=1", "unknown is not 0"},
        {"cpu=1", "cpu=1,energy=100", "cpu=2", "cpu=0", "cpu=1", "on either side"},
    };
    for (const Row& row : rows) {
        INFO(row.a << " and " << row.b << ": " << row.why);
        const TresCounts both[] = {tres(row.a), tres(row.b)};
        CHECK(slurm::tres_text(slurm::sum_of(both)) == row.sum);
        CHECK(slurm::tres_text(slurm::difference_of(both[0], both[1])) == row.difference);
        CHECK(slurm::tres_text(slurm::max_of(both[0], both[1])) == row.most);
    }
    CHECK(slurm::sum_of({}) == TresCounts());
    CHECK(slurm::energy_of(tres("energy=0")) == Count());
    CHECK(slurm::energy_of(tres("cpu=1")) == std::nullopt);
}

TEST_CASE("Slurm TRES: energy is measured, never scheduled", "[dialect][slurm]") {
    const TresCounts limit = tres("energy=1000,cpu=8");
    const auto excess = [&](const char* used, const char* asked) {
        const auto found = slurm::exceeds(limit, tres(used), tres(asked));
        return found ? to_text(*found) : std::string("fits");
    };
    CHECK(excess("energy=1000", "energy=5000,cpu=1") == "fits");  // nobody can ask for joules
    CHECK(excess("energy=1001", "cpu=1") == "energy: asked 0, used 1001 of 1000");
    CHECK(excess("cpu=1", "cpu=1") == "fits");  // unknown
    CHECK(excess("energy=2000,cpu=8", "cpu=1") == "cpu: asked 1, used 8 of 8");
    CHECK(billed("Energy=0.5,CPU=1", "cpu=2,energy=100").value() == 52);
    CHECK(billed("Energy=0.5,CPU=1", "cpu=2,energy=100", BillingRule::max_tres).value() == 52);
    CHECK(billed("Energy=0.5,CPU=1", "cpu=2").value() == 2);
    CHECK(billed("Energy=1K", "energy=2048").value() == 2);
}

TEST_CASE("Slurm TRES: what is printed is read back", "[dialect][slurm][law]") {
    Rng rng(test_seed());
    const Tres names[] = {{"cpu", ""}, {"mem", ""}, {"node", ""}, {"gres", "gpu"}, {"bb", "a"}};
    for (int round = 0; round < 2000; ++round) {
        TresCounts counts;
        for (const Tres& name : names) {
            if (rng.below(3) == 0) continue;
            const std::uint64_t most = std::uint64_t{1} << rng.below(42);
            const auto amount = static_cast<std::int64_t>(rng.below(most));
            const bool is_memory = name.type == "mem" || name.type == "bb";
            counts.add(name, Count(is_memory ? amount << 20 : amount));
        }
        INFO(slurm::tres_text(counts));
        REQUIRE(tres(slurm::tres_text(counts)) == counts);
    }
}

TEST_CASE("Slurm TRES: a text has 256 billing weights at most", "[dialect][slurm]") {
    std::string text = "CPU=1";
    for (int i = 1; i < 256; ++i) text += fmt::format(",GRES/g{}=1", i);
    CHECK(slurm::parse_billing_weights(text).ok());
    const auto more = slurm::parse_billing_weights(text + ",Mem=1");
    CHECK(std::string(message(more.status())).find("too many weights") != std::string::npos);
}

TEST_CASE("Slurm TRES: a thousand in a list, and no more", "[dialect][slurm]") {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += fmt::format("{}gres/g{}=1", i == 0 ? "" : ",", i);
    const auto most = slurm::parse_tres(text);
    REQUIRE(most.ok());
    CHECK(most->entries.size() == 1000);
    const auto amended = slurm::amend_tres({}, text);
    REQUIRE(amended.ok());
    CHECK(*amended == *most);
    for (const auto& more :
         {slurm::parse_tres(text + ",gres/one=1"), slurm::amend_tres({}, text + ",gres/one+=1"),
          slurm::amend_tres(*most, "gres/one=1")}) {
        REQUIRE_FALSE(more.ok());
        CHECK(message(more.status()).find("too many TRES") != std::string_view::npos);
    }
    CHECK(slurm::amend_tres(*most, "gres/g7+=1,gres/g8=-1,gres/one=1").ok());
    // What is changed again and again costs no more than it is long.
    std::string again = "cpu=1";
    for (int i = 0; i < 5000; ++i) again += ",cpu+=1";
    const auto sum = slurm::amend_tres({}, again);
    REQUIRE(sum.ok());
    CHECK(sum->of({"cpu", ""}) == Count(5001));
}

}  // namespace trestle
