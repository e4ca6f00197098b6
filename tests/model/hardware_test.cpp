// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/hardware.hpp"

#include <cstdint>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

/// Three cores; the threads are numbered as on x86, the last core has one thread offline.
HardwareTree three_cores() {
    return {{Core{{OsIndex(0), OsIndex(3)}}, Core{{OsIndex(1), OsIndex(4)}}, Core{{OsIndex(2)}}},
            {}};
}

PuSet threads(std::initializer_list<std::uint32_t> numbers) {
    PuSet set;
    for (const std::uint32_t number : numbers) set.insert(OsIndex(number));
    return set;
}

TEST_CASE("HardwareTree: threads of cores and cores of threads", "[model]") {
    const HardwareTree tree = three_cores();
    CHECK(tree.all_cores() == CoreSet::range({0, 3}));
    CHECK(tree.all_threads() == threads({0, 1, 2, 3, 4}));
    CHECK(tree.threads_of(CoreSet::of({CoreId(0), CoreId(2)})) == threads({0, 2, 3}));
    CHECK(tree.threads_of({}).is_empty());
    CHECK(tree.cores_of(threads({3, 4})) == CoreSet::range({0, 2}));
    CHECK(tree.cores_of(threads({99})).is_empty());
    CHECK(tree.cores_of(tree.all_threads()) == tree.all_cores());
}

TEST_CASE("HardwareTree: performance cores are those of the highest kind of the node", "[model]") {
    struct Row {
        std::vector<std::uint32_t> kinds;
        CoreSet performance;
        const char* why;
    };
    const std::vector<Row> rows{
        {{0, 0, 0}, CoreSet::range({0, 3}), "cores that are alike"},
        {{1, 0, 1}, CoreSet::of({CoreId(0), CoreId(2)}), "two kinds"},
        {{0, 1, 2}, CoreSet::of({CoreId(2)}), "of three the fastest; the others are efficient"},
        {{4, 4, 4}, CoreSet::range({0, 3}), "alike by another number"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        HardwareTree tree = three_cores();
        for (std::size_t i = 0; i < 3; ++i) tree.cores[i].kind = row.kinds[i];
        CHECK(tree.cores_of_kind(Core::Kind::performance) == row.performance);
        CHECK(tree.cores_of_kind(Core::Kind::efficiency) == tree.all_cores() - row.performance);
    }
    CHECK(HardwareTree().cores_of_kind(Core::Kind::performance).is_empty());
}

TEST_CASE("HardwareTree: a core that does not exist is a broken contract", "[model]") {
    const HardwareTree tree = three_cores();
    CHECK(broken_contract([&] {
              static_cast<void>(tree.threads_of(CoreSet::range({2, 4})));
          }) == "the core exists on this machine");
}

TEST_CASE("ThreadCounts: counts the threads of any set of cores", "[model]") {
    const HardwareTree trees[] = {
        three_cores(),
        {{Core{{OsIndex(0)}}, Core{{OsIndex(1)}}, Core{{OsIndex(2)}}}, {}},
        {{Core{{OsIndex(0)}}, Core{{OsIndex(1), OsIndex(2), OsIndex(3), OsIndex(4)}},
          Core{{OsIndex(5), OsIndex(6)}}},
         {}},
    };
    for (const HardwareTree& tree : trees) {
        const ThreadCounts counts(tree);
        for (std::uint32_t mask = 0; mask < 8; ++mask) {
            CoreSet cores;
            for (std::uint32_t i = 0; i < 3; ++i) {
                if ((mask >> i & 1) != 0) cores.insert(CoreId(i));
            }
            CHECK(counts.of(cores) == tree.threads_of(cores).count());
        }
    }
    CHECK(ThreadCounts(HardwareTree{}).of({}) == 0);
    CHECK(ThreadCounts(HardwareTree{}) == ThreadCounts());
}

TEST_CASE("HardwareTree: an empty one has nothing", "[model]") {
    CHECK(HardwareTree{}.core_count() == 0);
    CHECK(HardwareTree{}.all_cores().is_empty());
    CHECK(HardwareTree{}.all_threads().is_empty());
}

}  // namespace
}  // namespace trestle
