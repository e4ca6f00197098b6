// SPDX-License-Identifier: Apache-2.0
#include "handle_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "support/catch.hpp"

namespace trestle::c {
namespace {

const void* at_address(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

TEST_CASE("HandlePool: only what it made is a handle of it", "[c]") {
    HandlePool pool(0);
    HandlePool other(0);
    const int on_stack = 0;
    const auto on_heap = std::make_unique<Handle[]>(2);
    CHECK_FALSE(pool.has(&on_stack));  // before there is any
    std::vector<const Handle*> made;
    for (std::size_t i = 0; i < 5 * HandlePool::first_block_size; ++i) made.push_back(pool.take());
    for (const Handle* handle : made) {
        const auto address = reinterpret_cast<std::uintptr_t>(handle);
        REQUIRE(pool.has(handle));
        REQUIRE_FALSE(pool.has(at_address(address + 1)));
        REQUIRE_FALSE(pool.has(at_address(address + alignof(Handle))));
        REQUIRE_FALSE(other.has(handle));
    }
    const auto first = reinterpret_cast<std::uintptr_t>(made.front());
    struct Row {
        const char* why;
        const void* pointer;
    };
    const Row rows[] = {
        {"NULL", nullptr},
        {"the first page", at_address(sizeof(Handle))},
        {"the last address", at_address(UINTPTR_MAX)},
        {"an aligned address that no memory has", at_address(UINTPTR_MAX - sizeof(Handle) + 1)},
        {"the stack", &on_stack},
        {"a live object of the heap that looks the same", on_heap.get()},
        {"before the first block", at_address(first - sizeof(Handle))},
        {"of another pool", other.take()},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK_FALSE(pool.has(row.pointer));
    }
}

TEST_CASE("HandlePool: a freed handle serves again after as many others as are said", "[c]") {
    HandlePool pool(3);
    std::vector<Handle*> first;
    for (int i = 0; i < 6; ++i) first.push_back(pool.take());
    const std::set<Handle*> before(first.begin(), first.end());
    CHECK(before.size() == 6);
    for (int i = 0; i < 3; ++i) pool.give_back(first[static_cast<std::size_t>(i)]);
    CHECK(pool.live() == 3);
    CHECK(before.count(pool.take()) == 0);  // three wait
    pool.give_back(first[3]);
    CHECK(pool.has(first[0]));
    CHECK(pool.take() == first[0]);  // the one that was freed first
    CHECK(before.count(pool.take()) == 0);
    CHECK(pool.live() == 5);
}

}  // namespace
}  // namespace trestle::c
