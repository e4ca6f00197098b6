// SPDX-License-Identifier: Apache-2.0
// The promise about threads: const functions in parallel on one value, and a copy that stays valid
// while the original changes. ThreadSanitizer is the judge; the checks only use the results.
#include <array>
#include <cstdint>
#include <thread>

#include "set/bit_index.hpp"
#include "support/catch.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/set/index_set.hpp"
#include "trestle/set/small_set.hpp"

using namespace trestle;

namespace {

template <class Set>
std::uint64_t read_all(const Set& set) {
    std::uint64_t sum = hash_of(set) + set.count() + set.count_and(set) + (set & set).count();
    sum += set.first_k(9).count() + set.rank(500) + *set.nth(3) + *set.next(100) + *set.last();
    for (const std::uint32_t i : set) sum += i;
    return sum + set.first_run(2)->first + to_text(set).size();
}

std::uint64_t read_all(const BitIndex& index) {
    return index.count() + index.rank(500) + *index.nth(3) + *index.next(100) +
           index.first_run(2)->first;
}

template <class Set, class Change>
void read_while_copies_change(const Set& set, Change change) {
    const std::uint64_t expected = read_all(set);
    std::array<std::uint64_t, 4> results{};
    std::array<std::thread, 4> threads;
    for (std::size_t t = 0; t < threads.size(); ++t) {
        threads[t] = std::thread([&set, &result = results[t], change, copy = set]() mutable {
            for (int round = 0; round < 50; ++round) change(copy);
            result = read_all(set);
        });
    }
    for (auto& thread : threads) thread.join();
    for (const std::uint64_t result : results) CHECK(result == expected);
}

}  // namespace

TEST_CASE("Sets: one value is read by many threads while its copies change", "[set][threads]") {
    read_while_copies_change(SmallSet<>::range({50, 900}), [](SmallSet<>& set) {
        set.erase(*set.first());
        set.insert(3000);
    });
    read_while_copies_change(IndexSet<>::range({50, 70'000}) | IndexSet<>::of({200'000}),
                             [](IndexSet<>& set) { set.erase(*set.first()); });
    read_while_copies_change(BitIndex::full(5000),
                             [](BitIndex& index) { index.clear(*index.first()); });
}
