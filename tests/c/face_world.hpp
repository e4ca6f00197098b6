// SPDX-License-Identifier: Apache-2.0
#pragma once

// FaceWorld: handles of trestle.h to test functions with. taken: a text of theirs as a string.

#include <trestle.h>

#include <string>

namespace trestle {

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

inline std::string taken(char* text) {
    std::string copy = text == nullptr ? "" : text;
    trestle_free(text);
    return copy;
}

}  // namespace trestle
