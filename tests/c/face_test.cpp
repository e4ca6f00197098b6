// SPDX-License-Identifier: Apache-2.0
// What each function of trestle.h does, and what it says to bad arguments.
#include <trestle.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "border.hpp"
#include "handle.hpp"
#include "support/catch.hpp"
#include "trestle/base/contract.hpp"
#include "values.hpp"

namespace trestle {
namespace {

/// A world of one handle of each kind, which are freed with it.
struct FaceWorld {
    trestle_error error = {};
    trestle_cluster* cluster = nullptr;
    trestle_request* request = nullptr;
    trestle_placement* placement = nullptr;
    trestle_timeline* timeline = nullptr;
    trestle_plan* plan = nullptr;
    trestle_enforcer* enforcer = nullptr;
    trestle_controller* controller = nullptr;
    trestle_catalog* catalog = nullptr;

    FaceWorld() {
        trestle_cluster_create(TRESTLE_NODE_TEXT, "2 x (8c mem=32G gpu:a100:4)", &cluster, &error);
        trestle_request_create(TRESTLE_SRUN, "--gres=gpu:2 -c 2 --mem=1G -t 10", &request, &error);
        trestle_place(cluster, request, &placement, &error);
        trestle_timeline_create(cluster, 100, &timeline, &error);
        trestle_plan_create(cluster, 0, placement, request, 1, "job_1", nullptr, &plan, &error);
        trestle_enforcer_memory(&enforcer, &error);
        trestle_controller_create(slurm_conf, gres_conf, nullptr, &controller, &error);
        trestle_catalog_create(csv, nullptr, &catalog, &error);
    }
    FaceWorld(const FaceWorld&) = delete;
    FaceWorld& operator=(const FaceWorld&) = delete;
    ~FaceWorld() {
        trestle_cluster_free(cluster);
        trestle_request_free(request);
        trestle_placement_free(placement);
        trestle_timeline_free(timeline);
        trestle_plan_free(plan);
        trestle_enforcer_free(enforcer);
        trestle_controller_free(controller);
        trestle_catalog_free(catalog);
    }

    static constexpr auto slurm_conf =
        "NodeName=n[0-1] CPUs=8 RealMemory=32000 Gres=gpu:4\nPartitionName=p Nodes=ALL "
        "Default=YES\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
        "GresTypes=gpu\n";
    static constexpr auto gres_conf = "NodeName=n[0-1] Name=gpu File=/dev/nvidia[0-3]\n";
    static constexpr auto csv =
        "backend,region,instance,cpus,memory,disk,gpu_count,gpu_name,gpu_memory,gpu_vendor,price,"
        "spot\naws,r1,big,16,64,,2,A100,40,nvidia,3.5,false\naws,r1,small,4,16,,0,,,,0.5,false\n";
};

std::string taken(char* text) {
    std::string copy = text == nullptr ? "" : text;
    trestle_free(text);
    return copy;
}

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
    CHECK(trestle_set_end(world.timeline, 1, 800, &error) != TRESTLE_NOT_FOUND);
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

/// A call with bad arguments, the code that is expected, and a part of the message.
struct BadCall {
    const char* what;
    std::function<int(FaceWorld&)> call;
    int code;
    const char* message;
};

TEST_CASE("c: bad arguments are codes with a message", "[c]") {
    char* text = nullptr;
    std::uint32_t number = 0;
    std::size_t size = 0;
    trestle_cluster* cluster = nullptr;
    trestle_request* request = nullptr;
    trestle_placement* placement = nullptr;
    trestle_timeline* timeline = nullptr;
    trestle_plan* plan = nullptr;
    const std::vector<BadCall> rows = {
        {"NULL handle",
         [&](FaceWorld& w) { return trestle_node_count(nullptr, &number, &w.error); },
         TRESTLE_BAD_HANDLE, "NULL handle, expected a cluster"},
        {"another kind",
         [&](FaceWorld& w) {
             return trestle_node_count(reinterpret_cast<trestle_cluster*>(w.plan), &number,
                                       &w.error);
         },
         TRESTLE_BAD_HANDLE, "handle of kind plan, expected a cluster"},
        {"another kind where several may stand",
         [&](FaceWorld& w) { return trestle_release(w.catalog, 1, &w.error); }, TRESTLE_BAD_HANDLE,
         "expected a cluster, timeline or controller"},
        {"not aligned",
         [&](FaceWorld& w) {
             return trestle_node_count(
                 reinterpret_cast<trestle_cluster*>(reinterpret_cast<char*>(w.cluster) + 1),
                 &number, &w.error);
         },
         TRESTLE_BAD_HANDLE, "not a handle"},
        {"memory of the program's own",
         [&](FaceWorld& w) {
             return trestle_node_count(reinterpret_cast<trestle_cluster*>(&w), &number, &w.error);
         },
         TRESTLE_BAD_HANDLE, "not a handle"},
        {"an address that no memory has",
         [&](FaceWorld& w) {
             return trestle_release(reinterpret_cast<void*>(std::uintptr_t{4096}), 1, &w.error);
         },
         TRESTLE_BAD_HANDLE, "not a handle"},
        {"the inside of a handle",
         [&](FaceWorld& w) {
             return trestle_write(reinterpret_cast<char*>(w.plan) + alignof(c::Handle),
                                  TRESTLE_JSON, &text, &w.error);
         },
         TRESTLE_BAD_HANDLE, "not a handle"},
        {"NULL result",
         [&](FaceWorld& w) { return trestle_place(w.cluster, w.request, nullptr, &w.error); },
         TRESTLE_INVALID, "result is NULL"},
        {"NULL text",
         [&](FaceWorld& w) {
             return trestle_cluster_create(TRESTLE_JSON, nullptr, &cluster, &w.error);
         },
         TRESTLE_INVALID, "text is NULL"},
        {"unknown format",
         [&](FaceWorld& w) { return trestle_cluster_create(99, "x", &cluster, &w.error); },
         TRESTLE_UNSUPPORTED, "format 99"},
        {"format of another thing",
         [&](FaceWorld& w) {
             return trestle_request_create(TRESTLE_NODE_TEXT, "8c", &request, &w.error);
         },
         TRESTLE_UNSUPPORTED, "TRESTLE_SRUN"},
        {"bad JSON",
         [&](FaceWorld& w) { return trestle_plan_from_json("{\"x\":1}", &plan, &w.error); },
         TRESTLE_INVALID, "x"},
        {"bytes of another version",
         [&](FaceWorld& w) {
             return trestle_cluster_from_bytes("trestle\0\377\377", 10, &cluster, &w.error);
         },
         TRESTLE_INVALID, "expected"},
        {"all memory",
         [&](FaceWorld& w) {
             return trestle_request_create(TRESTLE_SRUN, "--mem=0", &request, &w.error);
         },
         TRESTLE_INVALID, "--mem=0"},
        {"negative moment",
         [&](FaceWorld& w) { return trestle_timeline_create(w.cluster, -5, &timeline, &w.error); },
         TRESTLE_INVALID, "now is -5"},
        {"no such node",
         [&](FaceWorld& w) { return trestle_set_node_state(w.cluster, 9, TRESTLE_UP, &w.error); },
         TRESTLE_NOT_FOUND, "node 9, expected a number below 2"},
        {"no such state",
         [&](FaceWorld& w) { return trestle_set_node_state(w.cluster, 0, 7, &w.error); },
         TRESTLE_INVALID, "node state 7"},
        {"no such part",
         [&](FaceWorld& w) {
             return trestle_part_cores(w.placement, 4, nullptr, 0, &size, &w.error);
         },
         TRESTLE_NOT_FOUND, "part 4"},
        {"no such discipline",
         [&](FaceWorld& w) {
             return trestle_schedule_pass(w.timeline, nullptr, 0, 9, nullptr, nullptr, &w.error);
         },
         TRESTLE_INVALID, "discipline 9"},
        {"unknown option",
         [&](FaceWorld& w) {
             return trestle_set_options(w.cluster, "{\"polizy\":\"fgd\"}", &w.error);
         },
         TRESTLE_INVALID, "polizy"},
        {"unknown setting of a plan",
         [&](FaceWorld& w) {
             return trestle_plan_create(w.cluster, 0, w.placement, w.request, 1, "job_1",
                                        "{\"policy\":{\"swop\":1}}", &plan, &w.error);
         },
         TRESTLE_INVALID, "swop"},
        {"nothing on the node",
         [&](FaceWorld& w) {
             return trestle_plan_create(w.cluster, 1, w.placement, w.request, 1, "job_1", nullptr,
                                        &plan, &w.error);
         },
         TRESTLE_NOT_FOUND, "nothing on node 1"},
        {"a placement of another cluster",
         [&](FaceWorld& w) {
             trestle_placement* other = nullptr;
             trestle_placement_from_json("{\"nodes\":[{\"node\":77,\"cores\":\"0-3\"}]}", &other,
                                         &w.error);
             const int code = trestle_placement_text(other, w.cluster, &text, &w.error);
             trestle_placement_free(other);
             return code;
         },
         TRESTLE_INVALID, "node 77"},
        {"a header that is newer",
         [&](FaceWorld& w) { return trestle_check_version(TRESTLE_HEADER_VERSION + 1, &w.error); },
         TRESTLE_OLD_LIBRARY, "header 0.2.1, library 0.2.0"},
        {"a struct of a newer header",
         [&](FaceWorld& w) {
             trestle_node node = {};
             node.struct_size = sizeof node + 8;
             return trestle_node_info(w.cluster, 0, &node, &w.error);
         },
         TRESTLE_OLD_LIBRARY, "struct_size"},
        {"a struct without its size",
         [&](FaceWorld& w) {
             trestle_node node = {};
             return trestle_node_info(w.cluster, 0, &node, &w.error);
         },
         TRESTLE_INVALID, "struct_size is 0"},
    };
    for (const BadCall& row : rows) {
        INFO(row.what);
        FaceWorld world;
        CHECK(row.call(world) == row.code);
        CHECK(world.error.code == row.code);
        CHECK_THAT(world.error.message, Catch::Matchers::ContainsSubstring(row.message));
        text = nullptr;
        CHECK((cluster == nullptr && request == nullptr && placement == nullptr &&
               timeline == nullptr && plan == nullptr));
    }
}

TEST_CASE("c: every function answers nothing but NULL with a code", "[c]") {
    trestle_error error = {};
    const std::vector<std::pair<const char*, int>> rows = {
        {"trestle_write", trestle_write(nullptr, 0, nullptr, &error)},
        {"trestle_to_bytes", trestle_to_bytes(nullptr, nullptr, nullptr, &error)},
        {"trestle_cluster_create", trestle_cluster_create(0, nullptr, nullptr, &error)},
        {"trestle_cluster_from_slurm",
         trestle_cluster_from_slurm(nullptr, nullptr, nullptr, nullptr, &error)},
        {"trestle_cluster_from_bytes", trestle_cluster_from_bytes(nullptr, 1, nullptr, &error)},
        {"trestle_cluster_copy", trestle_cluster_copy(nullptr, nullptr, &error)},
        {"trestle_set_options", trestle_set_options(nullptr, nullptr, &error)},
        {"trestle_node_count", trestle_node_count(nullptr, nullptr, &error)},
        {"trestle_node_info", trestle_node_info(nullptr, 0, nullptr, &error)},
        {"trestle_find_node", trestle_find_node(nullptr, nullptr, nullptr, &error)},
        {"trestle_place", trestle_place(nullptr, nullptr, nullptr, &error)},
        {"trestle_commit", trestle_commit(nullptr, 0, nullptr, nullptr, &error)},
        {"trestle_adopt", trestle_adopt(nullptr, 0, nullptr, &error)},
        {"trestle_extend", trestle_extend(nullptr, 0, nullptr, &error)},
        {"trestle_release", trestle_release(nullptr, 0, &error)},
        {"trestle_allocation", trestle_allocation(nullptr, 0, nullptr, &error)},
        {"trestle_set_node_state", trestle_set_node_state(nullptr, 0, 0, &error)},
        {"trestle_explain", trestle_explain(nullptr, nullptr, 0, nullptr, &error)},
        {"trestle_trial_begin", trestle_trial_begin(nullptr, &error)},
        {"trestle_trial_end", trestle_trial_end(nullptr, 0, &error)},
        {"trestle_request_create", trestle_request_create(0, nullptr, nullptr, &error)},
        {"trestle_placement_from_json", trestle_placement_from_json(nullptr, nullptr, &error)},
        {"trestle_placement_text", trestle_placement_text(nullptr, nullptr, nullptr, &error)},
        {"trestle_part_count", trestle_part_count(nullptr, nullptr, &error)},
        {"trestle_part_info", trestle_part_info(nullptr, 1, nullptr, &error)},
        {"trestle_part_cores", trestle_part_cores(nullptr, 1, nullptr, 1, nullptr, &error)},
        {"trestle_part_devices", trestle_part_devices(nullptr, 1, nullptr, 1, nullptr, &error)},
        {"trestle_timeline_create", trestle_timeline_create(nullptr, 0, nullptr, &error)},
        {"trestle_timeline_from_bytes", trestle_timeline_from_bytes(nullptr, 1, nullptr, &error)},
        {"trestle_reserve", trestle_reserve(nullptr, 0, nullptr, nullptr, 0, 0, &error)},
        {"trestle_set_end", trestle_set_end(nullptr, 0, 0, &error)},
        {"trestle_advance", trestle_advance(nullptr, 0, nullptr, &error)},
        {"trestle_earliest_start",
         trestle_earliest_start(nullptr, nullptr, 0, 0, nullptr, nullptr, &error)},
        {"trestle_schedule_pass",
         trestle_schedule_pass(nullptr, nullptr, 1, 0, nullptr, nullptr, &error)},
        {"trestle_plan_create",
         trestle_plan_create(nullptr, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, &error)},
        {"trestle_plan_from_json", trestle_plan_from_json(nullptr, nullptr, &error)},
        {"trestle_enforcer_memory", trestle_enforcer_memory(nullptr, &error)},
        {"trestle_enforcer_cgroup", trestle_enforcer_cgroup(nullptr, nullptr, &error)},
        {"trestle_apply", trestle_apply(nullptr, nullptr, nullptr, &error)},
        {"trestle_spawn", trestle_spawn(nullptr, nullptr, nullptr, nullptr, nullptr, &error)},
        {"trestle_wait", trestle_wait(nullptr, nullptr, 0, 0, nullptr, &error)},
        {"trestle_end_process", trestle_end_process(nullptr, 0, 0, &error)},
        {"trestle_observe", trestle_observe(nullptr, nullptr, nullptr, &error)},
        {"trestle_remove", trestle_remove(nullptr, nullptr, &error)},
        {"trestle_controller_create",
         trestle_controller_create(nullptr, nullptr, nullptr, nullptr, &error)},
        {"trestle_submit", trestle_submit(nullptr, nullptr, nullptr, nullptr, nullptr, &error)},
        {"trestle_catalog_create", trestle_catalog_create(nullptr, nullptr, nullptr, &error)},
        {"trestle_match", trestle_match(nullptr, nullptr, nullptr, 1, nullptr, &error)},
        {"trestle_catalog_offer", trestle_catalog_offer(nullptr, 0, nullptr, &error)},
    };
    for (const auto& [function, code] : rows) {
        INFO(function);
        CHECK((code == TRESTLE_BAD_HANDLE || code == TRESTLE_INVALID));
    }
}

TEST_CASE("c: a freed handle is told from a live one, and freed once", "[c]") {
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
        {"a status, which the core gives before it changes anything",
         [] { c::must(not_found("nothing")); }, TRESTLE_NOT_FOUND, false},
    };
    for (const Row& row : rows) {
        INFO(row.what);
        FaceWorld world;
        const int code = c::border(&world.error, [&](c::Border& call) {
            (void)call.change<c::ClusterValue>(world.cluster);
            row.fault();
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
