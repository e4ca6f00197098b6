// SPDX-License-Identifier: Apache-2.0
// What functions of trestle.h say to bad arguments.
#include <trestle.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "face_world.hpp"
#include "handle.hpp"
#include "support/catch.hpp"

namespace trestle {
namespace {

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
        {"a header of the next major version",
         [&](FaceWorld& w) { return trestle_check_version(1'000'000, &w.error); },
         TRESTLE_OLD_LIBRARY, "header 1.0.0, library 0.2.0"},
        {"a header of before the first with this SOVERSION",
         [&](FaceWorld& w) { return trestle_check_version(1'999, &w.error); }, TRESTLE_UNSUPPORTED,
         "header 0.1.999, library 0.2.0, expected a header of version 0.2.0"},
        {"no version of a header", [&](FaceWorld& w) { return trestle_check_version(0, &w.error); },
         TRESTLE_UNSUPPORTED, "header 0.0.0"},
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
        CHECK((text == nullptr && cluster == nullptr && request == nullptr &&
               placement == nullptr && timeline == nullptr && plan == nullptr));
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

TEST_CASE("c: texts with a zero character or other bytes than UTF-8 are refused", "[c]") {
    FaceWorld world;
    trestle_error& error = world.error;
    trestle_cluster* cluster = nullptr;
    trestle_request* request = nullptr;
    trestle_placement* placement = nullptr;
    trestle_plan* plan = nullptr;
    trestle_catalog* catalog = nullptr;
    trestle_controller* controller = nullptr;
    std::uint32_t node = 0;
    const std::string bad = "n\xe9";  // Latin-1
    const std::string latin_conf = "NodeName=" + bad + " CPUs=8\n";
    char* text = nullptr;
    REQUIRE(trestle_write(world.cluster, TRESTLE_JSON, &text, &error) == TRESTLE_OK);
    std::string cluster_json = taken(text);
    const auto at = cluster_json.find("gpu");
    REQUIRE(at != std::string::npos);
    cluster_json.replace(at, 3, R"(g\u0000u)");
    struct Row {
        const char* why;
        std::string said;
        const char* message;
    };
    const auto said_by = [&](int code) {
        CHECK(code == TRESTLE_INVALID);
        CHECK(error.code == TRESTLE_INVALID);
        return std::string(error.message);
    };
    const Row rows[] = {
        {"a name in a cluster's JSON",
         said_by(trestle_cluster_create(TRESTLE_JSON, cluster_json.c_str(), &cluster, &error)),
         "text has \\u0000 at offset"},
        {"a feature of a request",
         said_by(
             trestle_request_create(TRESTLE_JSON, R"({"features":"a\u0000b"})", &request, &error)),
         "text has \\u0000 at offset 14"},
        {"behind an escaped backslash",
         said_by(
             trestle_request_create(TRESTLE_JSON, R"({"features":"\\\u0000"})", &request, &error)),
         "text has \\u0000 at offset 15"},
        {"a placement",
         said_by(trestle_placement_from_json(R"({"a\u0000":1})", &placement, &error)),
         "json has \\u0000"},
        {"a plan", said_by(trestle_plan_from_json(R"({"group":"\u0000"})", &plan, &error)),
         "json has \\u0000"},
        {"settings",
         said_by(trestle_plan_create(world.cluster, 0, world.placement, world.request, 1, "g",
                                     R"({"options":{"group":"\u0000"}})", &plan, &error)),
         "settings has \\u0000"},
        {"options", said_by(trestle_set_options(world.cluster, R"({"\u0000":1})", &error)),
         "json has \\u0000"},
        {"the name of a node",
         said_by(trestle_find_node(world.cluster, bad.c_str(), &node, &error)),
         "name has bytes that are not UTF-8"},
        {"slurm.conf",
         said_by(
             trestle_cluster_from_slurm(latin_conf.c_str(), nullptr, nullptr, &cluster, &error)),
         "slurm_conf has bytes that are not UTF-8"},
        {"gres.conf",
         said_by(trestle_controller_create(FaceWorld::slurm_conf, bad.c_str(), nullptr, &controller,
                                           &error)),
         "gres_conf has bytes that are not UTF-8"},
        {"a backend",
         said_by(trestle_catalog_create(FaceWorld::csv, bad.c_str(), &catalog, &error)),
         "backend has bytes that are not UTF-8"},
        {"a group", said_by(trestle_remove(world.enforcer, bad.c_str(), &error)),
         "group has bytes that are not UTF-8"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK_THAT(row.said, Catch::Matchers::ContainsSubstring(row.message));
    }
    // An escaped backslash before u0000 is no zero character.
    CHECK(trestle_request_create(TRESTLE_JSON, R"({"partition":"a\\u0000"})", &request, &error) ==
          TRESTLE_OK);
    trestle_request_free(request);
}

}  // namespace
}  // namespace trestle
