// SPDX-License-Identifier: Apache-2.0
// From a share of a host to the documents of its container: who gets RDMA, memlock, which network
// and which limits.
#include "trestle/dialect/dstack/run/job_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/golden.hpp"
#include "support/vendor_plan.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/dialect/container/docker.hpp"
#include "trestle/dialect/dstack/resources.hpp"
#include "trestle/dialect/json/json.hpp"

namespace trestle {
namespace {

static_assert(lists_all_fields<dstack::JobPlan>);

/// The machine of gpu_node.hpp with two adapters.
Node node_with_nics(bool are_consumed) {
    Node node = vendor_node(nvidia_gpus);
    NodeShape shape = *node.shape;
    for (std::uint32_t i = 0; i < 2; ++i) {
        shape.devices.push_back(vendor_device(rdma_adapters, i));
        shape.devices.back().is_consumed = are_consumed;
    }
    node.shape = shape;
    return node;
}

/// The first blocks of a host that is cut into some.
Instance::Share first_blocks(const Node& node, std::uint32_t blocks, std::int64_t of) {
    Instance host;
    host.name = "host-1";
    const Status status = look_at(host, node.shape, Count(of));
    INFO(message(status));
    REQUIRE(status.ok());
    return share_of(host, BlockSet::range({0, blocks}));
}

dstack::JobPlan job_of(const Node& node, const Instance::Share& share, const char* resources,
                       const PlanOptions& options = job_7()) {
    const auto read = dstack::parse_resources(resources);
    REQUIRE(read.ok());
    const auto job =
        dstack::plan_job(node, share, dstack::to_request(*read), share_policy(), options);
    INFO(message(job.status()));
    REQUIRE(job.ok());
    return *job;
}

container::DockerDocument docker_of(const dstack::JobPlan& job) {
    const auto document = container::docker_container(job.plan, job.options);
    INFO(message(document.status()));
    REQUIRE(document.ok());
    return *document;
}

std::vector<std::string> rdma_files(const container::HostConfig& host) {
    std::vector<std::string> files;
    for (const container::DockerDevice& device : host.devices) {
        if (device.path_on_host.starts_with("/dev/infiniband/")) {
            files.push_back(device.path_on_host);
        }
    }
    return files;
}

constexpr const char* any_resources = "{memory: 20GB.., shm_size: 8GB}";

}  // namespace

TEST_CASE("dstack job: documents of a whole host have RDMA and memlock, those of a share neither",
          "[dialect][dstack]") {
    const std::vector<std::string> all{"/dev/infiniband/uverbs0", "/dev/infiniband/uverbs1",
                                       "/dev/infiniband/rdma_cm"};
    for (const bool are_consumed : {true, false}) {
        const Node node = node_with_nics(are_consumed);
        for (const std::int64_t of : {1, 2, 4}) {
            for (std::uint32_t blocks = 1; blocks <= of; ++blocks) {
                INFO(blocks << " of " << of << ", adapters are consumed: " << are_consumed);
                const bool is_whole = blocks == of;
                const auto job = job_of(node, first_blocks(node, blocks, of), any_resources);
                const auto host = docker_of(job).content.host_config;
                CHECK(rdma_files(host) == (is_whole ? all : std::vector<std::string>()));
                CHECK(host.ulimits ==
                      (is_whole ? std::vector<container::DockerUlimit>{{"memlock", -1, -1}}
                                : std::vector<container::DockerUlimit>()));
                CHECK(host.network_mode == (is_whole ? "host" : "bridge"));
                const auto gpus = static_cast<std::size_t>(4 * blocks / of);
                CHECK(job.plan.devices.size() == (is_whole ? 6 : gpus));
                CHECK(host.device_requests.at(0).device_ids.size() == gpus);
            }
        }
    }
}

TEST_CASE("dstack job: golden documents of shares and whole hosts with RDMA",
          "[dialect][dstack][golden]") {
    std::string text;
    for (const bool are_consumed : {true, false}) {
        const Node node = node_with_nics(are_consumed);
        for (const std::uint32_t blocks : {1u, 2u}) {
            const auto document =
                docker_of(job_of(node, first_blocks(node, blocks, 2), any_resources));
            text += fmt::format("{} of 2 blocks, adapters {}\n{}\n\n{}\n", blocks,
                                are_consumed ? "dealt to blocks" : "for everybody",
                                json::to_json_text(document.content, json::Layout::indented),
                                container::kept_table(document.limits));
        }
    }
    check_golden("dstack_job_rdma.txt", text);
}

TEST_CASE("dstack job: a GPU with RDMA ports of its own keeps the rest of its files in a share",
          "[dialect][dstack]") {
    Node node = vendor_node(gaudi_cards);
    NodeShape shape = *node.shape;
    for (std::uint32_t i = 0; i < 4; ++i) {
        shape.devices[i].files.push_back({fmt::format("/dev/infiniband/uverbs{}", i),
                                          Device::File::Kind::character, 231, 192 + i});
    }
    node.shape = shape;
    const auto part = job_of(node, first_blocks(node, 1, 4), any_resources);
    REQUIRE(part.plan.devices.size() == 1);
    CHECK(part.plan.devices[0].paths ==
          std::vector<std::string>{"/dev/accel/accel0", "/dev/accel/accel_controlD0"});
    CHECK(rdma_files(docker_of(part).content.host_config).empty());
    const auto whole = job_of(node, first_blocks(node, 4, 4), any_resources);
    CHECK(rdma_files(docker_of(whole).content.host_config).size() == 4);
}

TEST_CASE("dstack job: a TPU host, which is not cut, may lock memory, as VFIO needs",
          "[dialect][dstack]") {
    const Node node = vendor_node(tpu_chips);
    const auto host =
        docker_of(job_of(node, first_blocks(node, 1, 1), any_resources)).content.host_config;
    CHECK(host.ulimits == std::vector<container::DockerUlimit>{{"memlock", -1, -1}});
    REQUIRE(host.devices.size() == 5);
    CHECK(host.devices[0].path_on_host == "/dev/vfio/0");
    CHECK(host.devices[3].path_on_host == "/dev/vfio/3");
    CHECK(host.devices[4].path_on_host == "/dev/vfio/vfio");
}

TEST_CASE("dstack job: a whole host is limited as a share is, to what it has",
          "[dialect][dstack]") {
    const Node node = vendor_node(nvidia_gpus);
    for (const std::int64_t of : {1, 2}) {
        const auto part = docker_of(job_of(node, first_blocks(node, 1, of), any_resources));
        const auto host = part.content.host_config;
        CHECK(host.memory == gib(512 / of));
        CHECK(host.memory_swap == gib(512 / of).value());
        CHECK(host.nano_cpus == 32 / of * 1'000'000'000);
        CHECK(host.cpuset_cpus == (of == 1 ? "0-31" : "0-7,16-23"));
        CHECK(host.cpuset_mems == (of == 1 ? "0-1" : "0"));
        CHECK(host.pids_limit == Count(4096));
        CHECK(host.device_requests.at(0).device_ids.size() == static_cast<std::size_t>(4 / of));
    }
}

TEST_CASE("dstack job: a limit that the caller names stands", "[dialect][dstack]") {
    const Node node = node_with_nics(true);
    PlanOptions options = job_7();
    options.limits = {{ProcessSettings::Limit::Resource::memlock, 1024, 1024},
                      {ProcessSettings::Limit::Resource::nofile, 64, 64}};
    const auto job = job_of(node, first_blocks(node, 1, 1), any_resources, options);
    CHECK(job.plan.process.limits == options.limits);
    CHECK(docker_of(job).content.host_config.ulimits.size() == 2);
}

TEST_CASE("dstack job: blocks that cut cores are planned with the shape that was cut",
          "[dialect][dstack]") {
    Node node = vendor_node(nvidia_gpus);
    NodeShape shape = *node.shape;
    shape.devices.clear();
    shape.links.clear();
    node.shape = shape;
    const auto threads = static_cast<std::int64_t>(shape.cpu_count().value());
    Instance host;
    host.name = "host-1";
    REQUIRE(shape.hardware.core_count() < threads);
    REQUIRE(look_at(host, node.shape, Count(threads)).ok());
    const Instance::Share share = share_of(host, BlockSet::range({1, 3}));
    const auto policy = share_policy();
    const auto wrong = dstack::plan_job(node, share, {}, policy, job_7());
    CHECK(wrong.status().code() == StatusCode::kInvalidArgument);
    CHECK_THAT(std::string(message(wrong.status())),
               Catch::Matchers::ContainsSubstring("expected the shape of the instance"));
    node.shape = *host.shape;
    const auto docker = docker_of(job_of(node, share, any_resources));
    CHECK(docker.content.host_config.cpuset_cpus == to_text(share.threads));
}

TEST_CASE("dstack job: what makes no plan is an error", "[dialect][dstack]") {
    const Node node = vendor_node(nvidia_gpus);
    Instance::Share share = first_blocks(node, 1, 2);
    const auto error_of = [&] {
        const auto job = dstack::plan_job(node, share, {}, share_policy(), job_7());
        CHECK(job.status().code() == invalid);
        return std::string(message(job.status()));
    };
    share.placement->devices.push_back({DeviceId(9), Count(1)});
    CHECK(error_of() == "placement: device 9 does not exist, the node has 4");
    share.placement.reset();
    CHECK(error_of() ==
          "instance host-1: the share has no placement, expected one of a machine that was looked "
          "at");
}

}  // namespace trestle
