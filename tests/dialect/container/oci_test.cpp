// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/oci.hpp"

#include <algorithm>
#include <functional>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/seed.hpp"
#include "support/vendor_plan.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle::container {
namespace {

static_assert(lists_all_fields<OciUser> && lists_all_fields<OciCapabilities> &&
              lists_all_fields<OciRlimit> && lists_all_fields<OciProcess> &&
              lists_all_fields<OciRoot> && lists_all_fields<OciMount> &&
              lists_all_fields<OciNamespace> && lists_all_fields<OciDevice> &&
              lists_all_fields<OciDeviceRule> && lists_all_fields<OciMemory> &&
              lists_all_fields<OciCpu> && lists_all_fields<OciPids> &&
              lists_all_fields<OciUnified> && lists_all_fields<OciUnifiedFile> &&
              lists_all_fields<OciResources> && lists_all_fields<OciThrottle> &&
              lists_all_fields<OciBlockIo> && lists_all_fields<OciHugepageLimit> &&
              lists_all_fields<OciRdma> && lists_all_fields<OciLinux> &&
              lists_all_fields<OciConfig> && lists_all_fields<OciBundle>);

OciBundle sleeping() {
    OciBundle bundle;
    bundle.command = {{"sleep", "1"}, {{"PATH", "/bin"}, {"HOME", "/"}}, "/work"};
    return bundle;
}

OciDocument oci_of(const Plan& plan, const ContainerOptions& options = {},
                   const OciBundle& bundle = sleeping()) {
    const auto document = oci_config(plan, bundle, options);
    INFO(document.status().ToString());
    REQUIRE(document.ok());
    return *document;
}

std::string lost_of(const OciDocument& document, const std::string& resource) {
    std::string text;
    for (const KeptLimit& row : losses(document.limits)) {
        if (row.resource == resource) text += row.limit + ": " + row.how + "; ";
    }
    return text;
}

TEST_CASE("oci: what policy and placement become", "[dialect][container]") {
    struct Row {
        std::function<void(LimitPolicy&, NodePlacement&)> change;
        const char* expected;  ///< resources without devices
        const char* why;
    };
    const Row rows[] = {
        {[](LimitPolicy&, NodePlacement&) {},
         R"({"memory":{"limit":17179869184,"swap":17179869184},)"
         R"("cpu":{"cpus":"0-1,16-17","mems":"0"},"unified":{"memory.oom.group":"1"}})",
         "no quota was asked; swap counts the memory"},
        {[](LimitPolicy& p, NodePlacement&) {
             p.has_cpu_quota = true;
             p.pids_max = Count(0);
             p.has_oom_group = false;
         },
         R"({"memory":{"limit":17179869184,"swap":17179869184},)"
         R"("cpu":{"quota":400000,"period":100000,"cpus":"0-1,16-17","mems":"0"},)"
         R"("pids":{"limit":0}})",
         "a limit of none is a limit"},
        {[](LimitPolicy& p, NodePlacement& n) {
             p.requirements = Requirements::all(Requirement::skip);
             p.requirements.devices = Requirement::require;
             p.requirements.cpu = Requirement::require;
             n.cores = {};
             n.memory.clear();
             n.milli_cpus = MilliCpu(5);
         },
         R"({"cpu":{"quota":5000,"period":1000000}})", "thousandths alone, of a whole second"},
        {[](LimitPolicy& p, NodePlacement&) {
             p.requirements.swap = Requirement::skip;
             p.requirements.cpu = Requirement::skip;
         },
         R"({"memory":{"limit":17179869184},"unified":{"memory.oom.group":"1"}})",
         "skipped swap is not written"},
        {[](LimitPolicy& p, NodePlacement&) {
             p.requirements.swap = Requirement::skip;
             p.has_oom_group = false;
             p.cpu_weight = Count(59);
             p.partition = CpusetPartition::root;
             p.memory_low = gib(1);
             p.memory_min = gib(2);
             p.memory_high = gib(3);
             p.io = {{8, 0, mib(1), mib(2), Count(3), Count(4)}, {.major = 9, .reads = Count(5)}};
             p.io_weight = Count(200);
             p.hugetlb = {{mib(2), mib(4)}};
             p.rdma = {{"mlx5_0", Count(2), {}}, {"mlx5_1", {}, Count(0)}};
             p.misc = {{"sev", Count(1)}, {"sev_es", Count(2)}};
         },
         R"({"memory":{"limit":17179869184,"reservation":1073741824},)"
         R"("cpu":{"cpus":"0-1,16-17","mems":"0"},)"
         R"("blockIO":{"throttleReadBpsDevice":[{"major":8,"minor":0,"rate":1048576}],)"
         R"("throttleWriteBpsDevice":[{"major":8,"minor":0,"rate":2097152}],)"
         R"("throttleReadIOPSDevice":[{"major":8,"minor":0,"rate":3},)"
         R"({"major":9,"minor":0,"rate":5}],)"
         R"("throttleWriteIOPSDevice":[{"major":8,"minor":0,"rate":4}]},)"
         R"("hugepageLimits":[{"pageSize":"2MB","limit":4194304}],)"
         R"("rdma":{"mlx5_0":{"hcaHandles":2},"mlx5_1":{"hcaObjects":0}},)"
         R"("unified":{"cpuset.cpus.partition":"root","cpu.weight":"59",)"
         R"("memory.high":"3221225472","memory.min":"2147483648","io.weight":"default 200",)"
         R"("misc.max":"sev 1\nsev_es 2"}})",
         "all that the policy adds"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        LimitPolicy policy;
        policy.source = LimitPolicy::Source::capacity;
        NodePlacement placement = two_cores();
        row.change(policy, placement);
        OciResources resources =
            oci_of(share_plan(gpu_node(), placement, {}, policy)).content.linux_.resources;
        resources.devices.clear();
        const std::string text = json::to_json_text(resources);
        CHECK(text == row.expected);
        CHECK(json::from_json_text<OciResources>(text).value() == resources);
    }
}

TEST_CASE("oci: the process has the plan's variables, the user, and few rights",
          "[dialect][container]") {
    PlanOptions plan_options = job_7();
    plan_options.environment = {{"HOME", "/root"}, {"EMPTY", ""}};
    plan_options.limits = {{ProcessSettings::Limit::Resource::nofile, 1024, std::nullopt}};
    const auto made = plan(vendor_node(amd_gpus), two_gpus(), {}, share_policy(), plan_options);
    REQUIRE(made.ok());
    const OciProcess root = oci_of(*made).content.process;
    CHECK(root.user == OciUser{0, 0});
    CHECK(root.args == std::vector<std::string>{"sleep", "1"});
    CHECK(root.cwd == "/work");
    CHECK(root.env == std::vector<std::string>{"PATH=/bin", "HOME=/root",
                                               "ROCR_VISIBLE_DEVICES=0,1", "GPU_DEVICE_ORDINAL=0,1",
                                               "EMPTY="});
    CHECK(root.rlimits == std::vector<OciRlimit>{{"RLIMIT_NOFILE", 1024, 18446744073709551615u}});
    CHECK(root.capabilities.effective == root.capabilities.bounding);
    CHECK(root.capabilities.bounding.back() == "CAP_SYS_PTRACE");
    for (const char* refused : {"CAP_MKNOD", "CAP_SYS_ADMIN", "CAP_NET_RAW", "CAP_SYS_RESOURCE"}) {
        const auto& bounding = root.capabilities.bounding;
        CHECK(std::find(bounding.begin(), bounding.end(), refused) == bounding.end());
    }
    ContainerOptions options;
    options.uid = 1000;
    options.gid = 100;
    const OciDocument other = oci_of(*made, options);
    CHECK(other.content.process.user == OciUser{1000, 100});
    CHECK(other.content.process.capabilities.effective.empty());
    CHECK(other.content.process.capabilities.bounding == root.capabilities.bounding);
    REQUIRE_FALSE(other.content.linux_.devices.empty());
    CHECK(other.content.linux_.devices.front().uid == 1000);
    CHECK(other.content.linux_.devices.front().gid == 100);
}

TEST_CASE("oci: /dev/shm has the size asked, binds follow", "[dialect][container]") {
    const auto options_of = [](const OciConfig& config, const std::string& place) {
        for (const OciMount& mount : config.mounts) {
            if (mount.destination == place) return mount.options.back();
        }
        return std::string("none");
    };
    Request request;
    request.shm_size = Bytes(1);
    const Node node = vendor_node(tenstorrent_cards);
    CHECK(options_of(oci_of(share_plan(node, two_gpus(), request)).content, "/dev/shm") ==
          "size=1");
    const OciConfig config = oci_of(share_plan(node, two_gpus())).content;
    CHECK(options_of(config, "/dev/shm") == "size=67108864");
    CHECK(config.mounts.back() ==
          OciMount{"/dev/hugepages-1G", "bind", "/dev/hugepages-1G", {"rbind", "rw"}});
}

TEST_CASE("oci: below which group", "[dialect][container]") {
    for (const auto& [parent, path] : {std::pair("/", "/job_7"), std::pair("/a/b", "/a/b/job_7"),
                                       std::pair("/a/b/", "/a/b/job_7")}) {
        OciBundle bundle = sleeping();
        bundle.cgroup_parent = parent;
        CHECK(oci_of(share_plan(gpu_node(), two_cores()), {}, bundle).content.linux_.cgroups_path ==
              path);
    }
}

TEST_CASE("oci: files without numbers are left out and named, required ones are an error",
          "[dialect][container]") {
    CHECK(lost_of(oci_of(share_plan(vendor_node(amd_gpus), two_gpus())), "devices") ==
          "/dev/kfd: left out: its numbers are not known; "
          "no others: every container also has c *:* m, b *:* m, c 5:1 rwm; ");
    VendorDevice unknown = amd_gpus;
    Node node = vendor_node(unknown);
    NodeShape shape = *node.shape;
    shape.devices[2].files[0].minor.reset();
    node.shape = shape;
    const auto refused = oci_config(share_plan(node, two_gpus()), sleeping());
    CHECK(refused.status().code() == absent);
    CHECK(message(refused.status()) ==
          "/dev/dri/renderD130: no such device, its major and minor number are unknown");
}

TEST_CASE("oci: what makes no container is an error", "[dialect][container]") {
    const Plan plan = share_plan(gpu_node(), two_cores());
    const auto error = [&](const std::function<void(OciBundle&)>& change) {
        OciBundle bundle = sleeping();
        change(bundle);
        const auto made = oci_config(plan, bundle);
        CHECK(made.status().code() == invalid);
        return std::string(message(made.status()));
    };
    CHECK(error([](OciBundle& b) { b.command.arguments.clear(); }) ==
          "command: it is empty, expected a program");
    CHECK(error([](OciBundle& b) { b.cgroup_parent = "a\n"; }) ==
          "cgroup_parent: \"a\\x0a\", expected an absolute path");
    CHECK(error([](OciBundle& b) { b.cgroup_parent = ""; }) ==
          "cgroup_parent: \"\", expected an absolute path");
    LimitPolicy skips;
    skips.requirements.devices = Requirement::skip;
    CHECK(oci_config(share_plan(gpu_node(), two_cores(), {}, skips), sleeping()).status().code() ==
          invalid);
}

/// What a runtime does: the last rule that covers all that is asked decides.
bool runtime_allows(const std::vector<OciDeviceRule>& rules, const DeviceRules::Probe& probe) {
    for (auto rule = rules.rbegin(); rule != rules.rend(); ++rule) {
        const char* type = probe.kind == Device::File::Kind::block ? "b" : "c";
        const std::string asked = to_text(probe.access);
        const bool covers = (rule->type.empty() || rule->type == type) &&
                            (!rule->major || rule->major == probe.major) &&
                            (!rule->minor || rule->minor == probe.minor) &&
                            std::all_of(asked.begin(), asked.end(), [&](char c) {
                                return rule->access.find(c) != std::string::npos;
                            });
        if (covers) return rule->allow;
    }
    return false;
}

TEST_CASE("oci: a runtime admits what the plan's filter admits", "[dialect][container][law]") {
    INFO("seed " << test_seed());
    std::size_t admitted = 0;
    testing::for_random_choices({test_seed(), test_rounds(300u)}, [&](testing::Choices& choices) {
        PlanOptions options = job_7();
        options.pseudo_devices = {};
        for (std::uint64_t n = choices.below(6); n > 0; --n) {
            DeviceRule rule;
            rule.kind =
                choices.one_in(2) ? Device::File::Kind::block : Device::File::Kind::character;
            // A number of any major with a certain minor has no use, and no word in eBPF of runc's.
            if (!choices.one_in(4)) rule.major = static_cast<std::uint32_t>(choices.below(3));
            if (rule.major && !choices.one_in(3)) {
                rule.minor = static_cast<std::uint32_t>(choices.below(3));
            }
            rule.access = DeviceRule::Access::of_bits(static_cast<std::uint32_t>(choices.below(8)));
            options.pseudo_devices.add(rule);
        }
        const auto made = plan(gpu_node(), two_cores(), {}, share_policy(), options);
        REQUIRE(made.ok());
        const auto rules = oci_of(*made).content.linux_.resources.devices;
        for (std::uint32_t bits = 1; bits < 8; ++bits) {
            for (std::uint32_t major = 0; major < 4; ++major) {
                for (std::uint32_t minor = 0; minor < 4; ++minor) {
                    for (const auto kind :
                         {Device::File::Kind::block, Device::File::Kind::character}) {
                        const DeviceRules::Probe probe{kind, major, minor,
                                                       DeviceRule::Access::of_bits(bits)};
                        const bool is_allowed = allowed(options.pseudo_devices, probe);
                        REQUIRE(runtime_allows(rules, probe) == is_allowed);
                        admitted += is_allowed ? 1 : 0;
                    }
                }
            }
        }
    });
    CHECK(admitted > test_rounds(1000u));
}

}  // namespace
}  // namespace trestle::container
