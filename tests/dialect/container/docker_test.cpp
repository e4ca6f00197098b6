// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/docker.hpp"

#include <algorithm>
#include <functional>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/vendor_plan.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/dialect/json/json.hpp"

namespace trestle::container {
namespace {

using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<DockerDeviceRequest> && lists_all_fields<DockerDevice> &&
              lists_all_fields<DockerUlimit> && lists_all_fields<HostConfig> &&
              lists_all_fields<DockerContainer> && lists_all_fields<DockerDocument>);

DockerDocument docker_of(const Plan& plan, const ContainerOptions& options = {}) {
    const auto document = docker_container(plan, options);
    INFO(document.status().ToString());
    REQUIRE(document.ok());
    return *document;
}

std::string host_json(const Plan& plan, const ContainerOptions& options = {}) {
    return json::to_json_text(docker_of(plan, options).content.host_config);
}

bool has_row(const DockerDocument& document, const KeptLimit& wanted) {
    return std::any_of(document.limits.begin(), document.limits.end(), [&](const KeptLimit& row) {
        return row.resource == wanted.resource && row.limit == wanted.limit &&
               row.keeper == wanted.keeper && row.how.find(wanted.how) != std::string::npos;
    });
}

TEST_CASE("docker: what policy and placement become", "[dialect][container]") {
    struct Row {
        std::function<void(LimitPolicy&, NodePlacement&)> change;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {[](LimitPolicy&, NodePlacement&) {},
         R"({"Memory":17179869184,"MemorySwap":17179869184,"NanoCpus":4000000000,)"
         R"("CpusetCpus":"0-1,16-17","CpusetMems":"0",)"
         R"("NetworkMode":"bridge","IpcMode":"private"})",
         "both the set and its time; no swap is memory alone"},
        {[](LimitPolicy& p, NodePlacement&) { p.swap = gib(1); },
         R"({"Memory":17179869184,"MemorySwap":18253611008,"NanoCpus":4000000000,)"
         R"("CpusetCpus":"0-1,16-17","CpusetMems":"0",)"
         R"("NetworkMode":"bridge","IpcMode":"private"})",
         "swap is counted with the memory"},
        {[](LimitPolicy& p, NodePlacement&) { p.requirements.swap = Requirement::skip; },
         R"({"Memory":17179869184,"MemorySwap":-1,"NanoCpus":4000000000,)"
         R"("CpusetCpus":"0-1,16-17","CpusetMems":"0",)"
         R"("NetworkMode":"bridge","IpcMode":"private"})",
         "skipped is no limit, not Docker's default of twice the memory"},
        {[](LimitPolicy& p, NodePlacement&) { p.requirements.memory = Requirement::skip; },
         R"({"NanoCpus":4000000000,"CpusetCpus":"0-1,16-17","CpusetMems":"0",)"
         R"("NetworkMode":"bridge","IpcMode":"private"})",
         "Docker refuses a MemorySwap without Memory"},
        {[](LimitPolicy& p, NodePlacement& n) {
             p.requirements.memory = Requirement::skip;
             n.cores = {};
             n.milli_cpus = MilliCpu(1500);
         },
         R"({"NanoCpus":1500000000,"CpusetMems":"0","NetworkMode":"bridge","IpcMode":"private"})",
         "thousandths are on any CPU"},
        {[](LimitPolicy& p, NodePlacement& n) {
             p.requirements.memory = Requirement::skip;
             n.cores = {};
             n.milli_cpus = MilliCpu(9);
         },
         R"({"CpuPeriod":1000000,"CpuQuota":9000,"CpusetMems":"0",)"
         R"("NetworkMode":"bridge","IpcMode":"private"})",
         "less than a hundredth of a CPU is below NanoCpus' least quota"},
        {[](LimitPolicy& p, NodePlacement&) {
             p.requirements.cpu = Requirement::skip;
             p.requirements.memory = Requirement::skip;
             p.pids_max = Count(9);
         },
         R"({"PidsLimit":9,"NetworkMode":"bridge","IpcMode":"private"})", "processes alone"},
        {[](LimitPolicy& p, NodePlacement& n) {
             p.requirements = Requirements::all(Requirement::best_effort);
             n.cores = CoreSet::range({0, 16});
         },
         R"({"Memory":17179869184,"MemorySwap":17179869184,"NanoCpus":32000000000,)"
         R"("CpusetCpus":"0-31","CpusetMems":"0",)"
         R"("NetworkMode":"bridge","IpcMode":"private"})",
         "best effort is asked as well"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        LimitPolicy policy;
        policy.source = LimitPolicy::Source::capacity;
        NodePlacement placement = two_cores();
        row.change(policy, placement);
        CHECK(host_json(share_plan(gpu_node(), placement, {}, policy)) == row.expected);
    }
}

TEST_CASE("docker: the request or the capacity is the limit", "[dialect][container]") {
    Request request;
    request.memory = Range<Bytes>::at_least(gib(20));
    NodePlacement placement = two_cores();
    placement.memory = {{DomainId(0), gib(25)}};
    LimitPolicy policy;
    policy.source = LimitPolicy::Source::request;
    const auto memory = [&] {
        return docker_of(share_plan(gpu_node(), placement, request, policy))
            .content.host_config.memory;
    };
    CHECK(memory() == gib(20));
    policy.source = LimitPolicy::Source::capacity;
    CHECK(memory() == gib(25));
}

TEST_CASE("docker: plans that make no container are errors", "[dialect][container]") {
    LimitPolicy skips = share_policy();
    skips.requirements.devices = Requirement::skip;
    NodePlacement little = two_cores();
    little.memory = {{DomainId(0), mib(6)}};
    Plan least = share_plan(gpu_node(), little);
    CHECK(docker_container(least).ok());
    little.memory = {{DomainId(0), Bytes(mib(6).value() - 1)}};
    struct Row {
        Plan plan;
        const char* message;
        const char* why;
    };
    const Row rows[] = {
        {share_plan(gpu_node(), two_cores(), {}, skips),
         "plan job_7: it skips devices, but a container is given each by name, expected the "
         "requirement require or best_effort",
         "Docker filters whatever the plan says"},
        {share_plan(gpu_node(), little), "memory: 6291455, Docker takes 6MiB and more",
         "Docker's own least"},
        {share_plan(gpu_node(), two_gpus()),
         "gpu 2: it has no UUID, by which Docker's driver nvidia knows it",
         "another GPU might have its index"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto made = docker_container(row.plan);
        CHECK(made.status().code() == invalid);
        CHECK(message(made.status()) == row.message);
    }
}

TEST_CASE("docker: without NVIDIA's profile its GPUs go by their files", "[dialect][container]") {
    ContainerOptions options;
    options.profiles.clear();
    const auto host = docker_of(share_plan(gpu_node(), two_gpus()), options).content.host_config;
    CHECK(host.device_requests.empty());
    REQUIRE(host.devices.size() == 6);
    CHECK(host.devices[0] == DockerDevice{"/dev/nvidia2", "/dev/nvidia2", "rw"});
    CHECK(host.devices[2].path_on_host == "/dev/nvidiactl");
}

TEST_CASE("docker: devices of a driver are listed by their files too", "[dialect][container]") {
    // With the request alone `systemctl daemon-reload` takes the GPUs from a running container.
    const auto host =
        docker_of(share_plan(vendor_node(nvidia_gpus), two_gpus())).content.host_config;
    REQUIRE(host.device_requests.size() == 1);
    CHECK(host.device_requests[0].device_ids == std::vector<std::string>{"GPU-0002", "GPU-0003"});
    REQUIRE(host.devices.size() > 2);
    CHECK(host.devices[0] == DockerDevice{"/dev/nvidia2", "/dev/nvidia2", "rw"});
    CHECK(host.devices[1] == DockerDevice{"/dev/nvidia3", "/dev/nvidia3", "rw"});
    CHECK(host.devices[2].path_on_host == "/dev/nvidiactl");
}

TEST_CASE("docker: a part of a device is a loss, and a slice is not handed over",
          "[dialect][container]") {
    Plan plan = share_plan(vendor_node(nvidia_gpus), two_gpus());
    plan.devices[0].shares_max = Count(4);
    plan.devices[1].slice = Slicing::Instance{4, 1, "1g.10gb"};
    const auto document = docker_of(plan);
    const HostConfig& host = document.content.host_config;
    REQUIRE(host.device_requests.size() == 1);
    CHECK(host.device_requests[0].device_ids == std::vector<std::string>{"GPU-0002"});
    std::vector<std::string> paths;
    for (const DockerDevice& device : host.devices) paths.push_back(device.path_on_host);
    CHECK(std::count(paths.begin(), paths.end(), "/dev/nvidia2") == 1);
    CHECK(std::count(paths.begin(), paths.end(), "/dev/nvidia3") == 0);
    CHECK(std::count(paths.begin(), paths.end(), "/dev/nvidiactl") == 1);
    CHECK(has_row(document, {"shares", "1 of 4 shares of gpu 2 (GPU-0002)", Keeper::none,
                             "may use all of it"}));
    CHECK(has_row(document, {"devices", "1g.10gb at 4 of gpu 3 (GPU-0003)", Keeper::none,
                             "not handed over"}));

    ContainerOptions by_files;
    by_files.profiles.clear();
    const auto sliced = docker_of(plan, by_files);
    CHECK(has_row(
        sliced, {"shares", "1g.10gb at 4 of gpu 3 (GPU-0003)", Keeper::none, "may use all of it"}));
}

TEST_CASE("docker: a device without files is a loss", "[dialect][container]") {
    const VendorDevice licences{"", {}, 0, 0, "licence"};
    const auto document = docker_of(share_plan(vendor_node(licences), two_gpus()));
    CHECK(has_row(document, {"devices", "licence 2", Keeper::none, "it has no files"}));
}

TEST_CASE("docker: whose IPC, and whose /dev/shm", "[dialect][container]") {
    struct Row {
        VendorDevice devices;
        NetworkMode network;
        bool has_shm;
        const char* ipc;
        Keeper keeper;
        const char* why;
    };
    const Row rows[] = {
        {amd_gpus, NetworkMode::bridge, false, "private", Keeper::receiver, "a share is alone"},
        {amd_gpus, NetworkMode::host, false, "host", Keeper::none, "the whole host is its own"},
        {amd_gpus, NetworkMode::host, true, "private", Keeper::receiver,
         "the host's /dev/shm would not have the size asked"},
        {gaudi_cards, NetworkMode::host, false, "host", Keeper::none, "Gaudi wants it too"},
        {nvidia_gpus, NetworkMode::host, false, "private", Keeper::receiver,
         "NVIDIA does not ask for it"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Request request;
        if (row.has_shm) request.shm_size = gib(8);
        ContainerOptions options;
        options.network = row.network;
        const auto document =
            docker_of(share_plan(vendor_node(row.devices), two_gpus(), request), options);
        CHECK(document.content.host_config.ipc_mode == row.ipc);
        CHECK(has_row(document, {"shm", row.has_shm ? "8GiB" : "-", row.keeper, ""}));
    }
}

TEST_CASE("docker: limits of processes and variables of the caller win over those of profiles",
          "[dialect][container]") {
    PlanOptions options = job_7();
    options.environment = {{"PJRT_DEVICE", "CPU"}, {"A", "b=c"}};
    options.limits = {{ProcessSettings::Limit::Resource::memlock, 4096, std::uint64_t{1} << 63},
                      {ProcessSettings::Limit::Resource::as, 1, 1}};
    const auto made = plan(vendor_node(tpu_chips), two_gpus(), {}, share_policy(), options);
    REQUIRE(made.ok());
    const auto document = docker_of(*made);
    CHECK(document.content.env == std::vector<std::string>{"PJRT_DEVICE=CPU", "A=b=c",
                                                           "NVIDIA_VISIBLE_DEVICES=void",
                                                           "HABANA_VISIBLE_DEVICES=void"});
    CHECK(document.content.host_config.ulimits == std::vector<DockerUlimit>{{"memlock", 4096, -1}});
    CHECK(has_row(document, {"process", "as soft=1 hard=1", Keeper::none, "knows no such limit"}));

    const auto profile = docker_of(share_plan(vendor_node(tpu_chips), two_gpus()));
    CHECK(profile.content.env.front() == "PJRT_DEVICE=TPU");
    CHECK(profile.content.host_config.ulimits == std::vector<DockerUlimit>{{"memlock", -1, -1}});
}

TEST_CASE("docker: runtimes of vendors show what is given, whatever image and caller say",
          "[dialect][container]") {
    struct Row {
        VendorDevice devices;
        bool has_devices;
        const char* env;
        const char* why;
    };
    const Row rows[] = {
        {nvidia_gpus, true,
         "CUDA_VISIBLE_DEVICES=0,1 CUDA_DEVICE_ORDER=PCI_BUS_ID HABANA_VISIBLE_DEVICES=void ",
         "Docker's driver sets NVIDIA's"},
        {nvidia_gpus, false, "NVIDIA_VISIBLE_DEVICES=void HABANA_VISIBLE_DEVICES=void ",
         "images ask for all"},
        {gaudi_cards, true, "NVIDIA_VISIBLE_DEVICES=void HABANA_VISIBLE_DEVICES=2,3 ",
         "by index, each profile of Gaudi once"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        PlanOptions options = job_7();
        options.environment = {{"NVIDIA_VISIBLE_DEVICES", "all"},
                               {"HABANA_VISIBLE_DEVICES", "all"}};
        NodePlacement placement = two_gpus();
        if (!row.has_devices) placement.devices.clear();
        const auto made = plan(vendor_node(row.devices), placement, {}, share_policy(), options);
        REQUIRE(made.ok());
        std::string env;
        for (const std::string& word : docker_of(*made).content.env) env += word + " ";
        CHECK(env == row.env);
    }
    ContainerOptions none;
    none.profiles.clear();
    CHECK(docker_of(share_plan(gpu_node(), two_cores()), none).content.env.empty());
}

TEST_CASE("docker: which files each generation of TPU brings", "[dialect][container]") {
    const auto paths = [](const VendorDevice& devices) {
        std::string text;
        for (const DockerDevice& device :
             docker_of(share_plan(vendor_node(devices), two_gpus())).content.host_config.devices) {
            text += device.path_on_host + " ";
        }
        return text;
    };
    CHECK(paths(tpu_chips) == "/dev/vfio/2 /dev/vfio/3 /dev/vfio/vfio ");
    CHECK(paths(old_tpu_chips) == "/dev/accel2 /dev/accel3 ");
}

TEST_CASE(
    "docker: device rules beyond Docker's own are named, and so are Docker's beyond the "
    "plan's",
    "[dialect][container]") {
    PlanOptions options = job_7();
    options.pseudo_devices = {};
    options.pseudo_devices.add({Device::File::Kind::character, 10, 200, DeviceRule::Access::all()});
    options.pseudo_devices.add(
        {Device::File::Kind::character, 1, {}, DeviceRule::Access::read_write()});
    const auto made = plan(gpu_node(), two_cores(), {}, share_policy(), options);
    REQUIRE(made.ok());
    const auto document = docker_of(*made);
    CHECK(document.content.host_config.device_cgroup_rules ==
          std::vector<std::string>{"c 1:* rw", "c 10:200 rwm"});
    CHECK(has_row(document, {"devices", "no others", Keeper::none,
                             "c *:* m, b *:* m, c 1:3 rwm, c 1:5 rwm, c 1:7 rwm, c 1:8 rwm, "
                             "c 1:9 rwm, c 5:0 rwm, c 5:1 rwm, c 5:2 rwm, c 136:* rwm"}));
}

TEST_CASE("docker: the account names what is lost, and only that", "[dialect][container]") {
    Request request;
    request.disk = Range<Bytes>::exactly(gib(100));
    const auto lost = losses(docker_of(share_plan(gpu_node(), two_cores(), request)).limits);
    REQUIRE(lost.size() == 4);
    CHECK(lost[0].resource == "memory");
    CHECK(lost[1].resource == "devices");
    CHECK(lost[2] == KeptLimit{"disk", "100GiB", Keeper::none,
                               "matched, not enforced: few storage drivers of Docker's know a "
                               "size"});
    CHECK(lost[3].resource == "environment");
    LimitPolicy alone = share_policy();
    alone.has_oom_group = false;
    CHECK(losses(docker_of(share_plan(gpu_node(), two_cores(), {}, alone)).limits).size() == 2);
}

TEST_CASE("docker: what is read is judged", "[dialect][container]") {
    struct Row {
        const char* text;
        const char* message;
        const char* why;
    };
    const Row rows[] = {
        {R"({"HostConfig":{"Memori":1}})",
         "json: HostConfig.Memori: an unknown name, expected one of Memory, MemorySwap, NanoCpus, "
         "CpuPeriod, CpuQuota, CpusetCpus, CpusetMems, PidsLimit, ShmSize, NetworkMode, IpcMode, "
         "Runtime, DeviceRequests, Devices, DeviceCgroupRules, GroupAdd, CapDrop, CapAdd, "
         "OomScoreAdj, SecurityOpt, Ulimits, Binds",
         "Docker's spelling in the message"},
        {R"({"host_config":{}})",
         "json: host_config: an unknown name, expected one of User, Env, HostConfig",
         "our own spelling is not Docker's"},
        {R"({"HostConfig":{"Memory":-1}})",
         "json: HostConfig.Memory: -1, expected a whole number from 0 to 9223372036854775807",
         "memory has no word for unlimited"},
        {R"({"HostConfig":{"DeviceRequests":[{"DeviceIds":[]}]}})",
         "json: HostConfig.DeviceRequests[0].DeviceIds: an unknown name, expected one of Driver, "
         "DeviceIDs, Capabilities",
         "IDs is written large"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto read = json::from_json_text<DockerContainer>(row.text);
        CHECK(read.status().code() == invalid);
        CHECK(message(read.status()) == row.message);
    }
}

}  // namespace
}  // namespace trestle::container
