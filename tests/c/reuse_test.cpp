// SPDX-License-Identifier: Apache-2.0
// Handles that serve again, as those of a release build do, and handles of several threads.
#include <trestle.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "face_world.hpp"
#include "handle.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"

namespace trestle {
namespace {

/// While it lives, a freed handle serves again after `count` others.
class ReuseAfter {
  public:
    explicit ReuseAfter(std::size_t count) : before_(c::set_retired_min(count)) {}
    ReuseAfter(const ReuseAfter&) = delete;
    ReuseAfter& operator=(const ReuseAfter&) = delete;
    ~ReuseAfter() { c::set_retired_min(before_); }

  private:
    std::size_t before_;
};

trestle_cluster* new_cluster(trestle_error& error) {
    trestle_cluster* cluster = nullptr;
    REQUIRE(trestle_cluster_create(TRESTLE_NODE_TEXT, "2 x (8c mem=32G)", &cluster, &error) ==
            TRESTLE_OK);
    return cluster;
}

trestle_request* new_request(trestle_error& error) {
    trestle_request* request = nullptr;
    REQUIRE(trestle_request_create(TRESTLE_SRUN, "-c 2", &request, &error) == TRESTLE_OK);
    return request;
}

}  // namespace

TEST_CASE("c: a handle that serves again is of its new kind alone", "[c]") {
    const ReuseAfter reuse(0);
    trestle_error error = {};
    const std::uint64_t live = c::live_handles();
    trestle_cluster* const gone = new_cluster(error);
    trestle_cluster_free(gone);
    // The queue of freed ones may hold others of earlier tests; the handle comes again behind them.
    std::vector<trestle_request*> requests;
    while (requests.empty() || static_cast<void*>(requests.back()) != gone) {
        REQUIRE(requests.size() < 1'000'000);
        requests.push_back(new_request(error));
    }
    std::uint32_t count = 0;
    CHECK(trestle_node_count(gone, &count, &error) == TRESTLE_BAD_HANDLE);
    CHECK(std::string(error.message) == "handle of kind request, expected a cluster");
    trestle_cluster_free(gone);  // which it no longer is, so the request stays
    trestle_cluster* const cluster = new_cluster(error);
    trestle_placement* placement = nullptr;
    CHECK(trestle_place(cluster, requests.back(), &placement, &error) == TRESTLE_OK);
    trestle_placement_free(placement);
    trestle_cluster_free(cluster);
    for (trestle_request* request : requests) trestle_request_free(request);
    CHECK(c::live_handles() == live);
}

TEST_CASE("c: a broken handle that serves again is whole", "[c]") {
    const ReuseAfter reuse(0);
    trestle_error error = {};
    trestle_cluster* const broken = new_cluster(error);
    auto* const handle = reinterpret_cast<c::Handle*>(broken);
    handle->is_broken.store(true);  // as after TRESTLE_INTERNAL
    std::uint32_t count = 0;
    REQUIRE(trestle_node_count(broken, &count, &error) == TRESTLE_BAD_HANDLE);
    // Its value is left as it is when the handle is freed, so it is freed here.
    handle->is_broken.store(false);
    trestle_cluster_free(broken);
    handle->is_broken.store(true);
    std::vector<trestle_cluster*> clusters;
    while (clusters.empty() || clusters.back() != broken) {
        REQUIRE(clusters.size() < 1'000'000);
        clusters.push_back(new_cluster(error));
    }
    CHECK(trestle_node_count(broken, &count, &error) == TRESTLE_OK);
    for (trestle_cluster* cluster : clusters) trestle_cluster_free(cluster);
}

TEST_CASE("c: no live handle serves twice, however few are freed", "[c]") {
    const ReuseAfter reuse(1);
    trestle_error error = {};
    std::set<void*> live;
    std::vector<trestle_request*> requests;
    for (unsigned i = 0; i < test_rounds(4'000u); ++i) {
        if (i % 3 == 2) {
            trestle_request* const first = requests[requests.size() / 2];
            live.erase(first);
            requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(requests.size() / 2));
            trestle_request_free(first);
            trestle_request_free(first);  // freed once
        } else {
            requests.push_back(new_request(error));
            REQUIRE(live.insert(requests.back()).second);
        }
    }
    for (trestle_request* request : requests) trestle_request_free(request);
}

TEST_CASE("c: threads make, use and free handles of their own at once", "[c][threads]") {
    const ReuseAfter reuse(8);
    const std::uint64_t live = c::live_handles();
    trestle_error error = {};
    trestle_request* const shared = new_request(error);  // several threads may use one request
    constexpr std::size_t thread_count = 4;
    std::vector<std::size_t> good(thread_count);
    std::vector<std::thread> threads;
    const unsigned rounds = test_rounds(400u);
    for (std::size_t at = 0; at < thread_count; ++at) {
        threads.emplace_back([&, at] {
            trestle_error failure = {};
            for (unsigned i = 0; i < rounds; ++i) {
                trestle_cluster* cluster = nullptr;
                trestle_placement* placement = nullptr;
                trestle_timeline* timeline = nullptr;
                int code = trestle_cluster_create(TRESTLE_NODE_TEXT, "2 x (8c mem=32G)", &cluster,
                                                  &failure);
                if (code == TRESTLE_OK) code = trestle_place(cluster, shared, &placement, &failure);
                if (code == TRESTLE_OK)
                    code = trestle_commit(cluster, 1, shared, placement, &failure);
                if (code == TRESTLE_OK)
                    code = trestle_timeline_create(cluster, 0, &timeline, &failure);
                if (code == TRESTLE_OK) code = trestle_release(timeline, 1, &failure);
                trestle_cluster_free(cluster);  // before what was made of it
                trestle_timeline_free(timeline);
                trestle_placement_free(placement);
                if (code == TRESTLE_OK) ++good[at];
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(good == std::vector<std::size_t>(thread_count, rounds));
    trestle_request_free(shared);
    CHECK(c::live_handles() == live);
}

TEST_CASE("c: threads read one request and one placement at once", "[c][threads]") {
    FaceWorld world;
    constexpr std::size_t thread_count = 4;
    std::vector<std::string> said(thread_count);
    std::vector<std::thread> threads;
    for (std::size_t at = 0; at < thread_count; ++at) {
        threads.emplace_back([&, at] {
            trestle_error failure = {};
            for (unsigned i = 0; i < test_rounds(100u); ++i) {
                char* request = nullptr;
                char* placement = nullptr;
                std::size_t parts = 0;
                (void)trestle_write(world.request, TRESTLE_JSON, &request, &failure);
                (void)trestle_write(world.placement, TRESTLE_TEXT, &placement, &failure);
                (void)trestle_part_count(world.placement, &parts, &failure);
                said[at] = taken(request) + taken(placement) + std::to_string(parts);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(said[0].size() > 10);
    CHECK(said == std::vector<std::string>(thread_count, said[0]));
}

}  // namespace trestle
