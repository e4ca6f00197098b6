// SPDX-License-Identifier: Apache-2.0
// How a call from C enters the library and leaves it.
#include <trestle.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "border.hpp"
#include "face_world.hpp"
#include "handle.hpp"
#include "support/catch.hpp"
#include "trestle/base/contract.hpp"
#include "values.hpp"

namespace trestle {
namespace {

TEST_CASE("c: a freed handle is distinguished from a live one, and freed once", "[c]") {
    const std::uint64_t before = c::live_handles();
    {
        FaceWorld world;
        trestle_cluster* gone = nullptr;
        REQUIRE(trestle_cluster_copy(world.cluster, &gone, &world.error) == TRESTLE_OK);
        trestle_cluster_free(gone);
        trestle_cluster_free(gone);
        trestle_request_free(reinterpret_cast<trestle_request*>(world.cluster));  // another kind
        trestle_request_free(reinterpret_cast<trestle_request*>(&world));         // no handle
        std::uint32_t count = 0;
        CHECK(trestle_node_count(gone, &count, &world.error) == TRESTLE_BAD_HANDLE);
        CHECK(std::string(world.error.message) == "handle was freed, expected a cluster");
        CHECK(trestle_node_count(world.cluster, &count, &world.error) == TRESTLE_OK);
    }
    CHECK(c::live_handles() == before);
}

TEST_CASE("c: what is thrown inside is a code, and a value that was being changed is gone", "[c]") {
    struct Row {
        const char* what;
        std::function<void()> fault;
        int code;
        bool is_gone;
    };
    const std::vector<Row> rows = {
        {"a broken contract", [] { TRESTLE_EXPECTS(false, "this holds"); }, TRESTLE_INTERNAL, true},
        {"no memory", [] { throw std::bad_alloc(); }, TRESTLE_NO_MEMORY, true},
        {"an exception of another library", [] { throw std::runtime_error("why"); },
         TRESTLE_INTERNAL, true},
        {"anything else", [] { throw 7; }, TRESTLE_INTERNAL, true},
        {"a fault, which a body finds before it changes anything",
         [] { c::fail(TRESTLE_CONFLICT, "not now"); }, TRESTLE_CONFLICT, false},
        {"a status, which the core gives before it changes anything",
         [] { c::must(not_found("nothing")); }, TRESTLE_NOT_FOUND, false},
    };
    for (const Row& row : rows) {
        INFO(row.what);
        FaceWorld world;
        const int code = c::border(&world.error, [&](c::Border& call) {
            call.change<c::ClusterValue>(world.cluster, [&](c::ClusterValue&) { row.fault(); });
        });
        CHECK(code == row.code);
        std::uint32_t count = 0;
        const int later = trestle_node_count(world.cluster, &count, &world.error);
        CHECK(later == (row.is_gone ? TRESTLE_BAD_HANDLE : TRESTLE_OK));
        if (row.is_gone) {
            CHECK_THAT(world.error.message,
                       Catch::Matchers::ContainsSubstring("expected trestle_cluster_free"));
        }
    }
}

TEST_CASE("c: what is thrown before or after the core changes a value leaves the handle good",
          "[c]") {
    const std::vector<std::function<void()>> faults = {[] { throw std::bad_alloc(); },
                                                       [] { throw std::runtime_error("why"); }};
    for (const auto& fault : faults) {
        FaceWorld world;
        const auto is_good = [&] {
            return trestle_release(world.controller, 1, &world.error) == TRESTLE_NOT_FOUND;
        };
        (void)c::border(&world.error, [&](c::Border& call) {
            (void)call.change<slurm::Controller>(world.controller, [](auto&) { return 1; });
            fault();
        });
        CHECK(is_good());
        (void)c::border(&world.error, [&](c::Border& call) {
            call.change<slurm::Controller>(world.controller, [](auto&) {});
            fault();
        });
        CHECK(is_good());
        (void)c::border(&world.error, [&](c::Border& call) {
            (void)call.value<slurm::Controller>(world.controller);
            fault();
        });
        CHECK(is_good());
    }
}

/// A struct that has grown: the first header had `before` alone.
struct GrownStruct {
    std::size_t struct_size;
    std::int64_t before;
    std::int64_t later;
};

}  // namespace
}  // namespace trestle

template <>
inline constexpr std::size_t trestle::c::first_size<trestle::GrownStruct> = 16;

namespace trestle {
namespace {

TEST_CASE("c: a struct of an older header is filled as far as that header knows it", "[c]") {
    struct Row {
        const char* why;
        std::size_t size;
        int code;
        std::int64_t before;
        std::int64_t later;
    };
    const Row rows[] = {
        {"without its size", 0, TRESTLE_INVALID, -1, -1},
        {"less than the first header has", 15, TRESTLE_INVALID, -1, -1},
        {"the first header", 16, TRESTLE_OK, 5, -1},
        {"this header", sizeof(GrownStruct), TRESTLE_OK, 5, 6},
        {"a later header", sizeof(GrownStruct) + 8, TRESTLE_OLD_LIBRARY, -1, -1},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        GrownStruct given = {row.size, -1, -1};
        const int code = c::border(nullptr, [&](c::Border&) {
            c::check_struct(&given, "GrownStruct");
            c::fill(&given, {0, 5, 6});
        });
        CHECK(code == row.code);
        CHECK(given.struct_size == row.size);
        CHECK(given.before == row.before);
        CHECK(given.later == row.later);
    }
    CHECK(c::first_size<trestle_node> == sizeof(trestle_node));
    CHECK(c::first_size<trestle_part> == sizeof(trestle_part));
    CHECK(c::first_size<trestle_start> == sizeof(trestle_start));
    CHECK(c::first_size<trestle_outcome> == sizeof(trestle_outcome));
    CHECK(c::first_size<trestle_usage> == sizeof(trestle_usage));
}

TEST_CASE("c: a call that fails sets each number and turn of its results to 0", "[c]") {
    FaceWorld world;
    std::size_t size = 7;
    unsigned char* bytes = nullptr;
    CHECK(trestle_to_bytes(nullptr, &bytes, &size, nullptr) == TRESTLE_BAD_HANDLE);
    CHECK(size == 0);
    size = 7;
    CHECK(trestle_to_bytes(world.cluster, nullptr, &size, nullptr) == TRESTLE_INVALID);
    CHECK(size == 0);
    const trestle_queued_job twice[] = {{1, world.request, TRESTLE_UNKNOWN, 0},
                                        {1, world.request, TRESTLE_UNKNOWN, 0}};
    trestle_turn turns[2] = {{1, TRESTLE_STARTS, 0, 2, 3, nullptr},
                             {1, TRESTLE_WAITS, 0, 2, 3, nullptr}};
    CHECK(trestle_schedule_pass(world.timeline, twice, 2, TRESTLE_EASY, turns, nullptr, nullptr) ==
          TRESTLE_CONFLICT);
    for (const trestle_turn& turn : turns) {
        CHECK((turn.owner == 0 && turn.kind == 0 && turn.start == 0 && turn.end == 0));
        for (const int kind :
             {TRESTLE_STARTS, TRESTLE_RESERVED, TRESTLE_WAITS, TRESTLE_CANNOT_START}) {
            CHECK(turn.kind != kind);
        }
    }
}

TEST_CASE("c: an error without a place for it, and a message that is too long", "[c]") {
    trestle_cluster* cluster = nullptr;
    CHECK(trestle_cluster_create(TRESTLE_JSON, "{", &cluster, nullptr) == TRESTLE_INVALID);
    FaceWorld world;
    std::uint32_t node = 0;
    std::string name;
    for (int i = 0; i < 800; ++i) name += "\303\244";  // two bytes each
    CHECK(trestle_find_node(world.cluster, name.c_str(), &node, &world.error) == TRESTLE_NOT_FOUND);
    const std::string said = world.error.message;
    CHECK(said.size() >= sizeof world.error.message - 3);
    CHECK(said.substr(said.size() - 5) == "\303\244...");
}

}  // namespace
}  // namespace trestle
