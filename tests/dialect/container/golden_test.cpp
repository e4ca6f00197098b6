// SPDX-License-Identifier: Apache-2.0
// The documents as they are handed over, for devices of every maker, each with its account.
#include "support/golden.hpp"
#include "support/vendor_plan.hpp"
#include "trestle/dialect/container/docker.hpp"
#include "trestle/dialect/container/kubernetes.hpp"
#include "trestle/dialect/container/oci.hpp"
#include "trestle/dialect/json/json.hpp"

namespace trestle::container {
namespace {

template <class Content>
Document<Content> checked(const StatusOr<Document<Content>>& document) {
    INFO(document.status().ToString());
    REQUIRE(document.ok());
    return *document;
}

template <class Part>
std::string shown(const std::string& heading, const Part& part) {
    return heading + "\n" + json::to_json_text(part, json::Layout::indented) + "\n\n";
}

OciDocument oci_document(const Plan& plan, const ContainerOptions& options) {
    OciBundle bundle;
    bundle.command = {{"sleep", "1"}, {{"PATH", "/bin"}}, ""};
    return checked(oci_config(plan, bundle, options));
}

/// Of the OCI document only what depends on the devices: the rest stands in container_oci.txt.
std::string all_documents(const Plan& plan, const ContainerOptions& options = {}) {
    const auto docker = checked(docker_container(plan, options));
    const OciDocument oci = oci_document(plan, options);
    const auto pod = checked(kubernetes_pod(plan, options));
    return shown("docker", docker.content) + kept_table(docker.limits) + "\n" +
           shown("oci, linux.devices", oci.content.linux_.devices) +
           shown("oci, linux.resources", oci.content.linux_.resources) + kept_table(oci.limits) +
           "\n" + shown("kubernetes", pod.content) + kept_table(pod.limits);
}

TEST_CASE("container: a golden OCI document", "[dialect][container][golden]") {
    const Plan plan = share_plan(vendor_node(nvidia_gpus), two_gpus(), container_request());
    check_golden("container_oci.txt", shown("config.json", oci_document(plan, {}).content));
}

TEST_CASE("container: golden documents of every maker's devices", "[dialect][container][golden]") {
    struct Row {
        const char* file;
        VendorDevice devices;
        const char* why;
    };
    const Row rows[] = {
        {"container_nvidia.txt", nvidia_gpus, "by UUID to Docker, by files to OCI"},
        {"container_amd.txt", amd_gpus, "the node that all share, and a tracing profiler"},
        {"container_gaudi.txt", gaudi_cards, "two files a card, a runtime of their own"},
        {"container_tpu.txt", tpu_chips, "VFIO groups and locked memory"},
        {"container_tenstorrent.txt", tenstorrent_cards, "huge pages of the host"},
        {"container_rdma.txt", rdma_adapters, "no GPU, files alone"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Node node = vendor_node(row.devices);
        check_golden(row.file, all_documents(share_plan(node, two_gpus(), container_request())));
    }
}

TEST_CASE("container: golden documents of a whole host", "[dialect][container][golden]") {
    NodePlacement whole = two_gpus();
    whole.cores = CoreSet::range({0, 16});
    whole.devices = {{DeviceId(0), Count(1)},
                     {DeviceId(1), Count(1)},
                     {DeviceId(2), Count(1)},
                     {DeviceId(3), Count(1)}};
    ContainerOptions options;
    options.network = NetworkMode::host;
    check_golden("container_whole_host.txt",
                 all_documents(share_plan(vendor_node(amd_gpus), whole), options));
}

TEST_CASE("container: golden documents of a plan with few limits", "[dialect][container][golden]") {
    LimitPolicy policy;
    policy.requirements = Requirements::all(Requirement::skip);
    policy.requirements.devices = Requirement::best_effort;
    check_golden("container_few_limits.txt",
                 all_documents(share_plan(gpu_node(), two_cores(), {}, policy)));
}

}  // namespace
}  // namespace trestle::container
