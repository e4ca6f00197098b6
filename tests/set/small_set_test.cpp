// SPDX-License-Identifier: Apache-2.0
#include "trestle/set/small_set.hpp"

#include <atomic>
#include <cstdlib>
#include <new>
#include <unordered_set>

#include "support/catch.hpp"
#include "support/contract.hpp"

namespace {

std::atomic<std::size_t> allocations = 0;

void* counted(std::size_t size) {
    ++allocations;
    return std::malloc(size == 0 ? 1 : size);
}
void* checked(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

// All forms, because AddressSanitizer replaces those that are left out.
void* operator new(std::size_t size) { return checked(counted(size)); }
void* operator new[](std::size_t size) { return checked(counted(size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

using namespace trestle;

TEST_CASE("SmallSet: nothing is allocated up to 256 bits", "[set]") {
    const std::size_t before = allocations;
    auto a = SmallSet<>::range({0, 256});
    auto b = SmallSet<>::of({3, 255});
    SmallSet<> c = (a - b) | (a & b) | (a ^ b);
    c.erase_range({0, 10'000});
    c = c.first_k(7).complement({0, 256});
    a = std::move(c);
    const bool is_right = a == SmallSet<>::range({0, 256}) && a.first_run(256) && a < b;
    CHECK(allocations == before);
    CHECK(is_right);
}

TEST_CASE("SmallSet: the first number beyond 256 bits allocates", "[set]") {
    SmallSet<> set;
    const std::size_t before = allocations;
    set.insert(256);
    CHECK(allocations == before + 1);
    CHECK(set.contains(256));
}

TEST_CASE("SmallSet: a copy needs memory for its members only", "[set]") {
    auto wide = SmallSet<>::of({1, 5000});
    wide.erase(5000);
    const std::size_t before = allocations;
    const SmallSet<> copy = wide;
    CHECK(allocations == before);
    CHECK(copy == wide);
}

TEST_CASE("SmallSet: members are below 2^20", "[set]") {
    constexpr std::uint32_t limit = SmallSet<>::index_limit;
    const std::string rule = "a member of a small set is below 2^20";
    SmallSet<> set;
    CHECK(broken_contract([&] { set.insert(limit - 1); }).empty());
    CHECK(broken_contract([&] { set.insert(limit); }) == rule);
    CHECK(broken_contract([&] { set.insert_range({5, limit}); }).empty());
    CHECK(broken_contract([&] { set.insert_range({5, limit + 1}); }) == rule);
    CHECK(broken_contract([&] { set.insert_range({limit + 9, limit + 1}); }).empty());
    CHECK(set == SmallSet<>::range({5, limit}));
}

TEST_CASE("SmallSet: questions about numbers beyond the limit have the plain answer", "[set]") {
    constexpr std::uint32_t huge = 4'000'000'000;
    auto set = SmallSet<>::of({2, 300});
    CHECK_FALSE(set.contains(huge));
    CHECK_FALSE(set.next(huge));
    CHECK(set.rank(huge) == 2);
    CHECK(set.count_in({300, huge}) == 1);
    set.erase(huge);
    set.erase_range({301, huge});
    CHECK(set.count() == 2);
    CHECK_FALSE(set.nth(huge));
    CHECK_FALSE(set.first_run(huge));
    CHECK(set.first_k(huge) == set);
}

TEST_CASE("SmallSet: ids go in and come out", "[set]") {
    const auto cores = CoreSet::of({CoreId(4), CoreId(2), CoreId(70)});
    CHECK(cores.first() == CoreId(2));
    CHECK(cores.last() == CoreId(70));
    CHECK(cores.nth(1) == CoreId(4));
    CHECK(cores.next(CoreId(5)) == CoreId(70));
    CHECK(cores.rank(CoreId(70)) == 2);
    std::vector<CoreId> walked(cores.begin(), cores.end());
    CHECK(walked == std::vector{CoreId(2), CoreId(4), CoreId(70)});
}

TEST_CASE("SmallSet: works as a key of hash tables", "[set]") {
    std::unordered_set<CoreSet, Hash> table;
    table.insert(CoreSet::range({0, 4}));
    table.insert(CoreSet::range({0, 4}));
    table.insert(CoreSet::range({0, 5}));
    CHECK(table.size() == 2);
}

TEST_CASE("SmallSet: the hash is the same on every platform", "[set][golden]") {
    CHECK(hash_of(SmallSet<>()) == hash_of(std::uint64_t{0}));
    CHECK(hash_of(SmallSet<>::of({0, 64})) == 0xce29a660b19151ef);
}
