// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/kubernetes.hpp"

#include <functional>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/vendor_plan.hpp"
#include "trestle/dialect/json/json.hpp"

namespace trestle::container {
namespace {

static_assert(lists_all_fields<ExtendedResource> && lists_all_fields<ResourceAmounts> &&
              lists_all_fields<KubernetesResources> && lists_all_fields<KubernetesCapabilities> &&
              lists_all_fields<SeccompProfile> && lists_all_fields<SecurityContext> &&
              lists_all_fields<VolumeMount> && lists_all_fields<EmptyDir> &&
              lists_all_fields<HostPath> && lists_all_fields<KubernetesVolume> &&
              lists_all_fields<KubernetesContainer> && lists_all_fields<KubernetesPod>);

KubernetesDocument pod_of(const Plan& plan, const ContainerOptions& options = {}) {
    const auto document = kubernetes_pod(plan, options);
    INFO(document.status().ToString());
    REQUIRE(document.ok());
    return *document;
}

std::string lost_of(const KubernetesDocument& document, const std::string& resource) {
    std::string text;
    for (const KeptLimit& row : losses(document.limits)) {
        if (row.resource == resource) text += row.limit + ": " + row.how + "; ";
    }
    return text;
}

std::string limits_json(const Plan& plan, const ContainerOptions& options = {}) {
    return json::to_json_text(pod_of(plan, options).content.containers.at(0).resources.limits);
}

TEST_CASE("kubernetes: limits and requests", "[dialect][container]") {
    struct Row {
        std::function<void(LimitPolicy&, NodePlacement&)> change;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {[](LimitPolicy&, NodePlacement&) {}, R"({"cpu":"4","memory":"16Gi"})",
         "as many CPUs as the plan names"},
        {[](LimitPolicy&, NodePlacement& n) { n.milli_cpus = MilliCpu(250); },
         R"({"cpu":"4250m","memory":"16Gi"})", "and thousandths beside them"},
        {[](LimitPolicy&, NodePlacement& n) {
             n.memory = {{DomainId(0), Bytes(gib(1).value() + 1)}};
         },
         R"({"cpu":"4","memory":"1073741825"})", "not rounded"},
        {[](LimitPolicy& p, NodePlacement&) { p.requirements.cpu = Requirement::skip; },
         R"({"memory":"16Gi"})", "no CPU limit"},
        {[](LimitPolicy& p, NodePlacement&) { p.requirements.memory = Requirement::skip; },
         R"({"cpu":"4"})", "no memory limit"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        LimitPolicy policy = share_policy();
        NodePlacement placement = two_cores();
        row.change(policy, placement);
        const Plan plan = share_plan(gpu_node(), placement, {}, policy);
        CHECK(limits_json(plan) == row.expected);
        const auto resources = pod_of(plan).content.containers.at(0).resources;
        CHECK(resources.requests == resources.limits);
    }
}

TEST_CASE("kubernetes: devices by the names of their plugins", "[dialect][container]") {
    struct Row {
        VendorDevice devices;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {nvidia_gpus, R"({"cpu":"8","memory":"32Gi","nvidia.com/gpu":"2"})", "NVIDIA"},
        {amd_gpus, R"({"cpu":"8","memory":"32Gi","amd.com/gpu":"2"})", "AMD"},
        {gaudi_cards, R"({"cpu":"8","memory":"32Gi","habana.ai/gaudi":"2"})", "Gaudi"},
        {tpu_chips, R"({"cpu":"8","memory":"32Gi","google.com/tpu":"2"})", "TPU"},
        {old_tpu_chips, R"({"cpu":"8","memory":"32Gi","google.com/tpu":"2"})", "TPU v4"},
        {tenstorrent_cards, R"({"cpu":"8","memory":"32Gi"})", "no common name"},
        {rdma_adapters, R"({"cpu":"8","memory":"32Gi"})", "each site has its own name"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Plan plan = share_plan(vendor_node(row.devices), two_gpus());
        CHECK(limits_json(plan) == row.expected);
        // Which cards these are is the device plugin's choice.
        const auto pod = pod_of(plan);
        for (const auto& variable : pod.content.containers.at(0).env) {
            CHECK(variable.name.find("VISIBLE") == std::string::npos);
            CHECK(variable.name != "CUDA_DEVICE_ORDER");
        }
    }
    CHECK(lost_of(pod_of(share_plan(vendor_node(tenstorrent_cards), two_gpus())), "devices") ==
          "gpu 2: not asked for: no resource name is known; "
          "gpu 3: not asked for: no resource name is known; "
          "no others: every container also has c *:* m, b *:* m, c 5:1 rwm; ");
    ContainerOptions options;
    options.profiles.front() = {};
    options.profiles.front().vendor = "tenstorrent";
    options.profiles.front().name = "gpu";
    options.profiles.front().kubernetes_resource = "tenstorrent.com/n150";
    CHECK(limits_json(share_plan(vendor_node(tenstorrent_cards), two_gpus()), options) ==
          R"({"cpu":"8","memory":"32Gi","tenstorrent.com/n150":"2"})");
}

TEST_CASE("kubernetes: slices have names of their own, shares are a loss", "[dialect][container]") {
    Plan plan = share_plan(vendor_node(nvidia_gpus), two_gpus());
    plan.devices[1].slice = Slicing::Instance{0, 2, "2g.20gb"};
    plan.devices[1].profile = "2g.20gb";
    plan.devices[0].shares_max = Count(4);
    CHECK(limits_json(plan) ==
          R"({"cpu":"8","memory":"32Gi","nvidia.com/gpu":"1","nvidia.com/mig-2g.20gb":"1"})");
    CHECK(
        lost_of(pod_of(plan), "shares") ==
        "1 of 4 shares of gpu 2 (GPU-0002): a process that may open a device may use all of it; ");
    Plan amd = share_plan(vendor_node(amd_gpus), two_gpus());
    amd.devices[1].slice = Slicing::Instance{0, 1, "cpx"};
    amd.devices[1].profile = "cpx";
    CHECK(limits_json(amd) == R"({"cpu":"8","memory":"32Gi","amd.com/gpu":"1"})");
}

TEST_CASE("kubernetes: what keeps swap, disk, processes and shared memory",
          "[dialect][container]") {
    struct Row {
        std::function<void(LimitPolicy&, Request&)> change;
        const char* resource;
        const char* limit;
        Keeper keeper;
        const char* why;
    };
    using enum Keeper;
    const Row rows[] = {
        {[](LimitPolicy&, Request&) {}, "swap", "0", receiver, "Guaranteed pods have none"},
        {[](LimitPolicy& p, Request&) { p.swap = gib(1); }, "swap", "1GiB", none, "no word"},
        {[](LimitPolicy& p, Request&) { p.requirements.cpu = Requirement::skip; }, "swap", "0",
         none, "without CPU limit the pod is not Guaranteed"},
        {[](LimitPolicy&, Request&) {}, "pids", "4096", none, "of the kubelet, not of a pod"},
        {[](LimitPolicy& p, Request&) { p.pids_max.reset(); }, "pids", "-", none, "no limit"},
        {[](LimitPolicy&, Request&) {}, "disk", "-", none, "nothing asked"},
        {[](LimitPolicy&, Request& r) { r.disk = Range<Bytes>::at_least(gib(1)); }, "disk",
         "1GiB..", none, "no upper end"},
        {[](LimitPolicy&, Request& r) { r.disk = Range<Bytes>::exactly(gib(1)); }, "disk", "1GiB",
         receiver, "the pod is evicted"},
        {[](LimitPolicy&, Request& r) { r.shm_size = gib(1); }, "shm", "1GiB", receiver,
         "a volume in memory"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        LimitPolicy policy = share_policy();
        Request request;
        row.change(policy, request);
        const auto document = pod_of(share_plan(gpu_node(), two_cores(), request, policy));
        const KeptLimit* found = nullptr;
        for (const KeptLimit& one : document.limits) {
            if (one.resource == row.resource) found = &one;
        }
        REQUIRE(found != nullptr);
        CHECK(found->limit == row.limit);
        CHECK(found->keeper == row.keeper);
    }
    Request disk;
    disk.disk = {gib(1), gib(2)};
    const auto resources =
        pod_of(share_plan(gpu_node(), two_cores(), disk)).content.containers.at(0).resources;
    CHECK(resources.requests.ephemeral_storage == gib(1));
    CHECK(resources.limits.ephemeral_storage == gib(2));
}

TEST_CASE("kubernetes: names of containers", "[dialect][container]") {
    const Plan plan = share_plan(gpu_node(), two_cores());
    for (const std::string& good :
         {std::string("main"), std::string("a-1"), std::string("0"), std::string(63, 'a')}) {
        CHECK(kubernetes_pod(plan, {}, good)->content.containers.at(0).name == good);
    }
    for (const std::string& bad : {std::string(), std::string("Main"), std::string("-a"),
                                   std::string("a-"), std::string("a_b"), std::string(64, 'a')}) {
        INFO(bad);
        const auto made = kubernetes_pod(plan, {}, bad);
        CHECK(made.status().code() == invalid);
        CHECK(std::string(message(made.status())).starts_with("container name: \""));
    }
    LimitPolicy skips;
    skips.requirements.devices = Requirement::skip;
    CHECK(kubernetes_pod(share_plan(gpu_node(), two_cores(), {}, skips)).status().code() ==
          invalid);
}

TEST_CASE("kubernetes: what is read is judged", "[dialect][container]") {
    struct Row {
        const char* text;
        const char* message;
        const char* why;
    };
    const Row rows[] = {
        {R"({"limits":{"cpu":2}})", "json: limits.cpu: 2, expected text",
         "YAML lets a number stand there; JSON from here never has one"},
        {R"({"limits":{"memory":"16GB"}})",
         "json: limits.memory: unknown suffix at offset 2 (\"GB\"), expected nothing, m, k, M, G, "
         "T, P, E, Ki to Ei, or e3",
         "not Kubernetes' suffix"},
        {R"({"requests":{"gpu":"1"}})",
         "json: requests.gpu: an unknown resource, expected cpu, memory, ephemeral-storage or a "
         "name with a domain",
         "no domain"},
        {R"({"requests":{"nvidia.com/gpu":"0.5"}})",
         "json: requests[\"nvidia.com/gpu\"]: out of range at offset 0 (\"0.5\"), expected a whole "
         "number, at most 2^63 - 1",
         "half a GPU"},
        {R"({"limits":[]})", "json: limits: a list, expected an object of quantities", "a list"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto read = json::from_json_text<KubernetesResources>(row.text);
        CHECK(read.status().code() == invalid);
        CHECK(message(read.status()) == row.message);
    }
    const auto read = json::from_json_text<ResourceAmounts>(
        R"({"z.com/b":"1","memory":"1.5Gi","a.com/b":"2000m","cpu":"0.1"})");
    REQUIRE(read.ok());
    CHECK(*read ==
          ResourceAmounts{
              MilliCpu(100), mib(1536), {}, {{"a.com/b", Count(2)}, {"z.com/b", Count(1)}}});
}

}  // namespace
}  // namespace trestle::container
