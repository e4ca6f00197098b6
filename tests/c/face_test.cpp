// SPDX-License-Identifier: Apache-2.0
// What each function of trestle.h does.
#include <trestle.h>

#include <cstdint>
#include <string>
#include <vector>

#include "face_world.hpp"
#include "support/catch.hpp"

namespace trestle {
namespace {

TEST_CASE("c: a placement is committed, extended, looked at and released", "[c]") {
    FaceWorld world;
    REQUIRE(world.catalog != nullptr);
    trestle_error& error = world.error;
    std::size_t count = 0;
    REQUIRE(trestle_part_count(world.placement, &count, &error) == TRESTLE_OK);
    CHECK(count == 1);
    trestle_part part = {};
    part.struct_size = sizeof part;
    REQUIRE(trestle_part_info(world.placement, 0, &part, &error) == TRESTLE_OK);
    CHECK(part.cores == 2);
    CHECK(part.devices == 2);
    CHECK(part.memory == std::int64_t{1} << 30);
    std::uint32_t cores[2] = {};
    CHECK(trestle_part_cores(world.placement, 0, nullptr, 0, &count, &error) == TRESTLE_OK);
    CHECK(count == 2);
    CHECK(trestle_part_cores(world.placement, 0, cores, 1, &count, &error) == TRESTLE_TOO_SMALL);
    REQUIRE(trestle_part_cores(world.placement, 0, cores, 2, &count, &error) == TRESTLE_OK);
    CHECK(cores[1] == 1);
    trestle_device_share devices[4] = {};
    REQUIRE(trestle_part_devices(world.placement, 0, devices, 4, &count, &error) == TRESTLE_OK);
    CHECK(count == 2);
    CHECK(devices[1].device == 1);

    REQUIRE(trestle_commit(world.cluster, 7, world.request, world.placement, &error) == TRESTLE_OK);
    CHECK(trestle_commit(world.cluster, 8, world.request, world.placement, &error) ==
          TRESTLE_CONFLICT);
    trestle_node node = {};
    node.struct_size = sizeof node;
    REQUIRE(trestle_node_info(world.cluster, 0, &node, &error) == TRESTLE_OK);
    CHECK(std::string(node.name) == "n0");
    CHECK(node.free_cores == 6);
    CHECK(node.free_devices == 2);
    CHECK(node.free_memory == std::int64_t{31} << 30);
    trestle_placement* more = nullptr;
    REQUIRE(trestle_place(world.cluster, world.request, &more, &error) == TRESTLE_OK);
    CHECK(trestle_extend(world.cluster, 7, more, &error) == TRESTLE_OK);
    CHECK(trestle_adopt(world.cluster, 9, more, &error) == TRESTLE_CONFLICT);
    trestle_placement_free(more);
    CHECK(trestle_release(world.cluster, 7, &error) == TRESTLE_OK);
    CHECK(trestle_release(world.cluster, 7, &error) == TRESTLE_NOT_FOUND);
    CHECK(trestle_adopt(world.cluster, 9, world.placement, &error) == TRESTLE_OK);
}

TEST_CASE("c: a trial is undone or kept, and trials nest", "[c]") {
    FaceWorld world;
    trestle_error& error = world.error;
    CHECK(trestle_trial_end(world.cluster, 0, &error) == TRESTLE_CONFLICT);
    REQUIRE(trestle_trial_begin(world.cluster, &error) == TRESTLE_OK);
    REQUIRE(trestle_adopt(world.cluster, 1, world.placement, &error) == TRESTLE_OK);
    REQUIRE(trestle_trial_begin(world.cluster, &error) == TRESTLE_OK);
    REQUIRE(trestle_release(world.cluster, 1, &error) == TRESTLE_OK);
    REQUIRE(trestle_trial_end(world.cluster, 0, &error) == TRESTLE_OK);
    CHECK(trestle_release(world.cluster, 1, &error) == TRESTLE_OK);
    REQUIRE(trestle_adopt(world.cluster, 2, world.placement, &error) == TRESTLE_OK);
    REQUIRE(trestle_trial_end(world.cluster, 1, &error) == TRESTLE_OK);
    CHECK(trestle_release(world.cluster, 2, &error) == TRESTLE_OK);
    REQUIRE(trestle_trial_begin(world.cluster, &error) == TRESTLE_OK);  // freed while it is open
}

TEST_CASE("c: bytes and JSON give the value back", "[c]") {
    FaceWorld world;
    trestle_error& error = world.error;
    REQUIRE(trestle_adopt(world.cluster, 1, world.placement, &error) == TRESTLE_OK);
    unsigned char* bytes = nullptr;
    std::size_t size = 0;
    REQUIRE(trestle_to_bytes(world.cluster, &bytes, &size, &error) == TRESTLE_OK);
    trestle_cluster* back = nullptr;
    REQUIRE(trestle_cluster_from_bytes(bytes, size, &back, &error) == TRESTLE_OK);
    CHECK(trestle_release(back, 1, &error) == TRESTLE_OK);
    trestle_cluster_free(back);
    bytes[8] = static_cast<unsigned char>(bytes[8] + 1);  // behind the eight that name the format
    CHECK(trestle_cluster_from_bytes(bytes, size, &back, &error) == TRESTLE_INVALID);
    CHECK_THAT(error.message, Catch::Matchers::ContainsSubstring("not version 2"));
    CHECK(back == nullptr);
    trestle_free(bytes);
    REQUIRE(trestle_to_bytes(world.timeline, &bytes, &size, &error) == TRESTLE_OK);
    trestle_timeline* later = nullptr;
    REQUIRE(trestle_timeline_from_bytes(bytes, size, &later, &error) == TRESTLE_OK);
    trestle_timeline_free(later);
    trestle_free(bytes);

    const std::vector<const void*> handles = {world.cluster,  world.request,   world.placement,
                                              world.timeline, world.plan,      world.enforcer,
                                              world.catalog,  world.controller};
    for (const void* handle : handles) {
        char* text = nullptr;
        CHECK(trestle_write(handle, TRESTLE_JSON, &text, &error) == TRESTLE_OK);
        CHECK(taken(text).size() > 1);
        CHECK(trestle_write(handle, TRESTLE_SRUN, &text, &error) == TRESTLE_UNSUPPORTED);
    }
    char* text = nullptr;
    REQUIRE(trestle_write(world.plan, TRESTLE_JSON, &text, &error) == TRESTLE_OK);
    trestle_plan* plan = nullptr;
    CHECK(trestle_plan_from_json(text, &plan, &error) == TRESTLE_OK);
    trestle_free(text);
    trestle_plan_free(plan);
    REQUIRE(trestle_write(world.placement, TRESTLE_JSON, &text, &error) == TRESTLE_OK);
    trestle_placement* placement = nullptr;
    CHECK(trestle_placement_from_json(text, &placement, &error) == TRESTLE_OK);
    trestle_free(text);
    trestle_placement_free(placement);
}

TEST_CASE("c: a timeline reserves, passes and finds the earliest start", "[c]") {
    FaceWorld world;
    trestle_error& error = world.error;
    trestle_start start = {};
    start.struct_size = sizeof start;
    REQUIRE(trestle_earliest_start(world.timeline, world.request, TRESTLE_UNKNOWN, TRESTLE_UNKNOWN,
                                   &start, nullptr, &error) == TRESTLE_OK);
    CHECK(start.start == 100);
    CHECK(start.end == 700);
    std::vector<trestle_queued_job> jobs;
    for (std::uint64_t owner = 1; owner <= 5; ++owner) {
        jobs.push_back({owner, world.request, TRESTLE_UNKNOWN, 0});
    }
    std::vector<trestle_turn> turns(jobs.size());
    char* json = nullptr;
    REQUIRE(trestle_schedule_pass(world.timeline, jobs.data(), jobs.size(), TRESTLE_EASY,
                                  turns.data(), &json, &error) == TRESTLE_OK);
    CHECK(taken(json).find("devices") != std::string::npos);
    CHECK(turns[3].kind == TRESTLE_STARTS);
    CHECK(turns[4].kind == TRESTLE_RESERVED);
    CHECK(turns[4].start == 700);
    for (const trestle_turn& turn : turns) {
        REQUIRE(turn.placement != nullptr);
        CHECK(trestle_reserve(world.timeline, turn.owner, world.request, turn.placement, turn.start,
                              turn.end, &error) == TRESTLE_OK);
        trestle_placement_free(turn.placement);
    }
    std::int64_t next = 0;
    REQUIRE(trestle_advance(world.timeline, 200, &next, &error) == TRESTLE_OK);
    CHECK(next == 700);
    CHECK(trestle_set_end(world.timeline, 1, 800, &error) == TRESTLE_CONFLICT);
    CHECK(trestle_release(world.timeline, 5, &error) == TRESTLE_OK);
    CHECK(trestle_set_node_state(world.timeline, 1, TRESTLE_DRAINED, &error) == TRESTLE_OK);
    char* text = nullptr;
    REQUIRE(trestle_explain(world.timeline, world.request, TRESTLE_TEXT, &text, &error) ==
            TRESTLE_OK);
    CHECK(taken(text).find("700") != std::string::npos);
    trestle_cluster* now = nullptr;
    REQUIRE(trestle_cluster_copy(world.timeline, &now, &error) == TRESTLE_OK);
    CHECK(trestle_release(now, 1, &error) == TRESTLE_OK);
    trestle_cluster_free(now);
}

TEST_CASE("c: a controller and a catalog answer", "[c]") {
    FaceWorld world;
    trestle_error& error = world.error;
    std::uint64_t owner = 0;
    trestle_placement* placement = nullptr;
    char* json = nullptr;
    REQUIRE(trestle_submit(world.controller, "--gres=gpu:4 -n1", &owner, &placement, &json,
                           &error) == TRESTLE_OK);
    CHECK(taken(json).find("\"allocated\"") != std::string::npos);
    CHECK(owner == 1);
    trestle_placement_free(placement);
    CHECK(trestle_submit(world.controller, "-N2 --gres=gpu:4", &owner, nullptr, nullptr, &error) ==
          TRESTLE_REFUSED);
    CHECK(trestle_submit(world.controller, "--gres=gpu:9", &owner, nullptr, nullptr, &error) ==
          TRESTLE_INVALID);
    CHECK(trestle_release(world.controller, 1, &error) == TRESTLE_OK);

    trestle_request* run = nullptr;
    REQUIRE(trestle_request_create(TRESTLE_DSTACK,
                                   "type: task\ncommands: [x]\nresources:\n  gpu: 1..\n  "
                                   "disk: 1GB..\n",
                                   &run, &error) == TRESTLE_OK);
    trestle_offer offers[2] = {};
    std::size_t count = 0;
    REQUIRE(trestle_match(world.catalog, run, offers, 2, &count, &error) == TRESTLE_OK);
    CHECK(count == 1);
    CHECK(offers[0].price == 3'500'000);
    REQUIRE(trestle_catalog_offer(world.catalog, offers[0].offer, &json, &error) == TRESTLE_OK);
    CHECK(taken(json).find("\"big\"") != std::string::npos);
    trestle_request_free(run);
}

TEST_CASE("c: an enforcer in memory runs a plan to its end", "[c]") {
    FaceWorld world;
    trestle_error& error = world.error;
    char* shortfalls = nullptr;
    REQUIRE(trestle_apply(world.enforcer, world.plan, &shortfalls, &error) == TRESTLE_OK);
    CHECK(taken(shortfalls).empty());
    const char* const command[] = {"train", nullptr};
    const char* const bad[] = {"TOKEN", nullptr};
    std::int64_t pid = 0;
    CHECK(trestle_spawn(world.enforcer, world.plan, command, bad, &pid, &error) == TRESTLE_INVALID);
    CHECK(std::string(error.message).find("TOKEN") == std::string::npos);
    REQUIRE(trestle_spawn(world.enforcer, world.plan, command, nullptr, &pid, &error) ==
            TRESTLE_OK);
    trestle_outcome outcome = {};
    outcome.struct_size = sizeof outcome;
    REQUIRE(trestle_wait(world.enforcer, world.plan, pid, 0, &outcome, &error) == TRESTLE_OK);
    CHECK(outcome.is_running == 1);
    trestle_usage usage = {};
    usage.struct_size = sizeof usage;
    REQUIRE(trestle_observe(world.enforcer, "job_1", &usage, &error) == TRESTLE_OK);
    CHECK(usage.memory == TRESTLE_UNKNOWN);
    REQUIRE(trestle_end_process(world.enforcer, pid, 3, &error) == TRESTLE_OK);
    REQUIRE(trestle_wait(world.enforcer, world.plan, pid, 1, &outcome, &error) == TRESTLE_OK);
    CHECK(outcome.exit_code == 3);
    CHECK(trestle_remove(world.enforcer, "job_1", &error) == TRESTLE_OK);
    CHECK(trestle_observe(world.enforcer, "job_1", &usage, &error) == TRESTLE_NOT_FOUND);
    trestle_enforcer* real = nullptr;
    CHECK(trestle_enforcer_cgroup("/no/such/folder", &real, &error) != TRESTLE_OK);
    CHECK(real == nullptr);
}

TEST_CASE("c: a plan of a node follows the component that the node is for", "[c]") {
    FaceWorld world;
    trestle_error& error = world.error;
    trestle_request* request = nullptr;
    REQUIRE(trestle_request_create(
                TRESTLE_JSON, R"({"shm_size":60,"time_limit":7,"components":[{"shm_size":120}]})",
                &request, &error) == TRESTLE_OK);
    struct Row {
        const char* component;
        int code;
        const char* said;
    };
    const Row rows[] = {
        {"0", TRESTLE_OK, "\"shm_size\":60"},
        {"1", TRESTLE_OK, "\"shm_size\":120"},
        {"2", TRESTLE_INVALID, "component 2 of the placement, the request has 1"},
        {"4294967295", TRESTLE_INVALID, "component 4294967295"},
        {R"(0},{"node":0,"cores":"2","component":1)", TRESTLE_INVALID,
         "node 0 serves components 0 and 1 of the placement, expected a placement with one"},
    };
    for (const Row& row : rows) {
        INFO(row.component);
        const std::string json = R"({"nodes":[{"node":0,"cores":"0-1","component":)" +
                                 std::string(row.component) + "}]}";
        trestle_placement* placement = nullptr;
        REQUIRE(trestle_placement_from_json(json.c_str(), &placement, &error) == TRESTLE_OK);
        trestle_plan* plan = nullptr;
        CHECK(trestle_plan_create(world.cluster, 0, placement, request, 1, "job_1", nullptr, &plan,
                                  &error) == row.code);
        std::string said = error.message;
        if (plan != nullptr) {
            char* text = nullptr;
            REQUIRE(trestle_write(plan, TRESTLE_JSON, &text, &error) == TRESTLE_OK);
            said = taken(text);
            CHECK_THAT(said, Catch::Matchers::ContainsSubstring("\"time_limit\":7"));  // of the job
        }
        CHECK_THAT(said, Catch::Matchers::ContainsSubstring(row.said));
        trestle_plan_free(plan);
        trestle_placement_free(placement);
    }
    trestle_request_free(request);
}

TEST_CASE("c: amounts that have no sum are refused where they are read", "[c]") {
    FaceWorld world;
    trestle_error& error = world.error;
    const std::string most = "9223372036854775807";
    const std::string rows[] = {
        R"({"nodes":[{"node":0,"memory":[{"domain":0,"bytes":)" + most +
            R"(},{"domain":1,"bytes":1}]}]})",
        R"({"nodes":[{"node":0,"tasks":)" + most + R"(},{"node":1,"tasks":1}]})",
        R"({"nodes":[{"node":0,"tasks":9223372036854775808}]})",
        R"({"nodes":[{"node":0,"devices":[{"device":0,"shares":)" + most + R"(},{"device":1}]}]})",
        R"({"nodes":[{"node":0,"milli_cpus":)" + most + R"(},{"node":1,"milli_cpus":1}]})",
    };
    for (const std::string& json : rows) {
        INFO(json);
        trestle_placement* placement = nullptr;
        CHECK(trestle_placement_from_json(json.c_str(), &placement, &error) == TRESTLE_INVALID);
        CHECK(placement == nullptr);
    }
    trestle_placement* full = nullptr;
    const std::string text =
        R"({"nodes":[{"node":0,"cores":"0","tasks":)" + most + R"(,"milli_cpus":)" + most + "}]}";
    REQUIRE(trestle_placement_from_json(text.c_str(), &full, &error) == TRESTLE_OK);
    trestle_plan* plan = nullptr;
    CHECK(trestle_plan_create(world.cluster, 0, full, world.request, 1, "job_1", nullptr, &plan,
                              &error) == TRESTLE_INVALID);
    trestle_placement_free(full);
    const std::string tasks = R"({"nodes":[{"node":0,"cores":"7","tasks":)" + most + "}]}";
    REQUIRE(trestle_placement_from_json(tasks.c_str(), &full, &error) == TRESTLE_OK);
    REQUIRE(trestle_adopt(world.cluster, 1, world.placement, &error) == TRESTLE_OK);
    CHECK(trestle_extend(world.cluster, 1, full, &error) == TRESTLE_CONFLICT);
    CHECK_THAT(error.message, Catch::Matchers::ContainsSubstring("leaves no room"));
    CHECK(trestle_release(world.cluster, 1, &error) == TRESTLE_OK);  // the handle is good still
    trestle_placement_free(full);
}

}  // namespace
}  // namespace trestle
