// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/tres.hpp"

#include <map>
#include <string>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

TEST_CASE("Gres and Tres: print as Slurm writes them", "[model][golden]") {
    CHECK(to_text(Gres{"gpu", "a100", Count(4)}) == "gpu:a100:4");
    CHECK(to_text(Gres{"gpu", "", Count(2)}) == "gpu:2");
    CHECK(to_text(Tres{"cpu", ""}) == "cpu");
    CHECK(to_text(Tres{"gres", "gpu:a100"}) == "gres/gpu:a100");
    CHECK(to_text(TresCounts{}).empty());
}

TEST_CASE("TresCounts: what is not named counts zero", "[model]") {
    TresCounts counts;
    CHECK(counts.of({"cpu", ""}) == Count(0));
    counts.add({"gres", "gpu"}, Count(2));
    CHECK(counts.of({"gres", "gpu:a100"}) == Count(0));
    CHECK(counts.of({"gres", ""}) == Count(0));
    CHECK(counts.of({"gres", "gpu"}) == Count(2));
}

TEST_CASE("TresCounts: an entry of nothing is one until it is taken away", "[model]") {
    TresCounts counts;
    counts.erase({"cpu", ""});
    counts.set({"cpu", ""}, Count(0));
    CHECK(counts.has({"cpu", ""}));
    CHECK_FALSE(counts.has({"cpu", "x"}));
    CHECK(counts.of({"cpu", ""}) == Count(0));
    counts.set({"mem", ""}, Count(7));
    counts.set({"cpu", ""}, Count(3));
    counts.erase({"mem", ""});
    CHECK(to_text(counts) == "cpu=3");
    CHECK_FALSE(counts.has({"mem", ""}));
}

TEST_CASE("TresCounts: adding beyond 63 bits is a broken contract", "[model]") {
    TresCounts counts;
    counts.add({"cpu", ""}, Count::max());
    CHECK(broken_contract([&] {
              counts.add({"cpu", ""}, Count(1));
          }) == "a sum of quantities fits 63 bits");
}

TEST_CASE("TresCounts: agrees with a map, whatever the order", "[model][law]") {
    const auto agrees = [](testing::Choices& choices) {
        TresCounts counts;
        std::map<std::string, std::int64_t> plain;
        for (std::uint64_t n = choices.below(4); n > 0; --n) {
            const std::string type(1, static_cast<char>('a' + choices.below(2)));
            const std::string name(choices.below(2), 'x');
            const auto count = static_cast<std::int64_t>(choices.below(3));
            counts.add({type, name}, Count(count));
            plain[type + name] += count;
            REQUIRE(counts.has({type, name}));
        }
        std::map<std::string, std::int64_t> listed;
        for (const auto& [tres, count] : counts.entries) {
            REQUIRE(counts.of(tres) == count);
            listed[tres.type + tres.name] = count.value();
        }
        REQUIRE(listed == plain);
        REQUIRE(counts.entries.size() == plain.size());
        REQUIRE(std::is_sorted(counts.entries.begin(), counts.entries.end(),
                               [](const auto& a, const auto& b) { return a.first < b.first; }));
    };
    CHECK(testing::for_all_choices(agrees) == 1 + 12 + 12 * 12 + 12 * 12 * 12);
}

}  // namespace
}  // namespace trestle
