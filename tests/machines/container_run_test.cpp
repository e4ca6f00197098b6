// SPDX-License-Identifier: Apache-2.0
// The OCI document on a real kernel: crun or runc starts a container from it, and the limits hold.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "os/kernel_support.hpp"
#include "support/catch.hpp"
#include "trestle/dialect/container/oci.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/os/device_numbers.hpp"
#include "trestle/os/discover.hpp"
#include "trestle/os/program.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string program_path(const std::string& name) {
    const auto found = os::find_program({{name}, os::current_environment(), ""});
    return found.ok() ? *found : std::string();
}

/// The first runtime that is installed; says why the test is skipped where there is none.
std::string find_runtime() {
    if (program_path("busybox").empty()) {
        WARN("SKIPPED: no busybox for the container's files");
        return {};
    }
    for (const char* name : {"crun", "runc"}) {
        if (const std::string path = program_path(name); !path.empty()) return path;
    }
    WARN("SKIPPED: neither crun nor runc is installed");
    return {};
}

/// A bundle with busybox for a root: `given` is the device that the plan has, `other` one that it
/// has not. Neither has a driver, so that opening `given` gives ENXIO.
class Bundle {
  public:
    Bundle() {
        std::string pattern = (std::filesystem::temp_directory_path() / "trestle-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        folder_ = pattern;
        std::filesystem::permissions(folder_, std::filesystem::perms(0755));
        for (const char* name : {"bin", "dev", "proc", "sys", "tmp"}) {
            std::filesystem::create_directories(root() / name);
        }
        std::filesystem::copy_file(program_path("busybox"), root() / "bin/busybox");
        for (const char* name : {"sh", "cat", "dd", "grep", "id", "mknod", "sleep", "tail"}) {
            std::filesystem::create_symlink("busybox", root() / "bin" / name);
        }
        for (const unsigned minor : {0u, 1u}) {
            const auto path = minor == 0 ? folder_ / "given" : root() / "other";
            REQUIRE(::mknod(path.c_str(), S_IFCHR | 0666, ::makedev(195, minor)) == 0);
            REQUIRE(::chmod(path.c_str(), 0666) == 0);
        }
    }
    Bundle(const Bundle&) = delete;
    Bundle& operator=(const Bundle&) = delete;
    ~Bundle() { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::filesystem::path root() const { return folder_ / "rootfs"; }
    [[nodiscard]] std::string device() const { return (folder_ / "given").string(); }

    /// Runs the container; what it printed, stderr included, and a line `status N`.
    [[nodiscard]] std::string run(const std::string& runtime, const container::OciConfig& config) {
        std::ofstream(folder_ / "config.json") << json::to_json_text(config);
        const bool is_crun = runtime.ends_with("crun");
        const std::string command =
            "cd " + folder_.string() + " && { " + runtime + " --root " +
            (folder_ / "state").string() + (is_crun ? " --cgroup-manager=cgroupfs" : "") + " run " +
            folder_.filename().string() + " </dev/null; echo status $?; } > output 2>&1";
        REQUIRE(std::system(command.c_str()) == 0);
        std::ifstream file(folder_ / "output");
        return {std::istreambuf_iterator<char>(file), {}};
    }

  private:
    std::filesystem::path folder_;
};

struct Job {
    Node node;
    NodePlacement placement;
    Request request;
    LimitPolicy policy;
};

/// Two cores in the middle, 64 MiB, one device of two, 32 processes, 8 MiB of shared memory.
Job small_job(const std::string& device) {
    Job job;
    const auto node = os::discover();
    REQUIRE(node.ok());
    job.node = *node;
    NodeShape shape = *node->shape;
    Device gpu;
    gpu.name = "gpu";
    gpu.vendor = "test";
    gpu.files = {{device, Device::File::Kind::character, {}, {}}};  // looked up when handed over
    shape.devices = {gpu};
    job.node.shape = shape;
    job.placement.cores = CoreSet::range({1, 3});
    job.placement.memory = {{DomainId(0), mib(64)}};
    job.placement.devices = {{DeviceId(0), Count(1)}};
    job.request.shm_size = mib(8);
    job.policy.source = LimitPolicy::Source::capacity;
    job.policy.has_cpu_quota = true;
    job.policy.pids_max = Count(32);
    return job;
}

container::OciConfig config_of(const Job& job, const KernelGroup& group, const std::string& script,
                               const container::ContainerOptions& options = {}) {
    const auto made = plan(job.node, job.placement, job.request, job.policy, {.group = "job"});
    INFO(made.status().ToString());
    REQUIRE(made.ok());
    const auto resolved = os::with_device_numbers(*made);
    INFO(resolved.status().ToString());
    REQUIRE(resolved.ok());
    container::OciBundle bundle;
    bundle.command = {{"sh", "-c", script}, {{"PATH", "/bin"}}, ""};
    bundle.cgroup_parent = group.path().substr(std::string("/sys/fs/cgroup").size());
    const auto document = container::oci_config(*resolved, bundle, options);
    INFO(document.status().ToString());
    REQUIRE(document.ok());
    return document->content;
}

/// True where the test can run.
bool has_room() {
    if (!has_device_filters()) return false;
    const auto node = os::discover();
    if (node.ok() && node->shape->hardware.core_count() >= 3) return true;
    WARN("SKIPPED: 3 cores are needed");
    return false;
}

TEST_CASE("kernel: a container from the OCI document sees the plan's limits", "[privileged]") {
    const std::string runtime = has_room() ? find_runtime() : "";
    if (runtime.empty()) return;
    Bundle bundle;
    KernelGroup group;
    const Job job = small_job(bundle.device());
    const std::string threads = to_text(threads_of(*job.node.shape, job.placement));
    const std::string given = bundle.device();
    const std::string output = bundle.run(
        runtime,
        config_of(job, group,
                  "cd /sys/fs/cgroup; for f in memory.max memory.swap.max memory.oom.group "
                  "cpuset.cpus.effective cpuset.mems.effective pids.max cpu.max; do "
                  "echo $f $(cat $f); done; "
                  "cat " +
                      given +
                      "; cat /other; mknod /tmp/new c 195 1; "
                      "echo x > /dev/null && echo null works; "
                      "dd if=/dev/zero of=/dev/shm/big bs=1M count=16; "
                      "id -u; exit 7"));
    INFO(output);
    struct Row {
        std::string text;
        const char* why;
    };
    const std::string quota = std::to_string(threads_of(*job.node.shape, job.placement).count());
    const Row rows[] = {
        {"memory.max 67108864", "the bytes of the placement"},
        {"memory.swap.max 0", "memory and swap together are the memory"},
        {"memory.oom.group 1", "by a file of its own"},
        {"cpuset.cpus.effective " + threads + "\n", "the CPUs by name"},
        {"cpuset.mems.effective 0\n", "the memory by name"},
        {"pids.max 32", "processes"},
        {"cpu.max " + quota + "00000 100000", "as much time as the CPUs have"},
        {"'" + given + "': No such device or address", "admitted: only its driver is missing"},
        {"'/other': Operation not permitted", "the filter refuses the other one"},
        {"/tmp/new: Operation not permitted", "no right to make device nodes"},
        {"null works", "pseudo-devices"},
        {"No space left on device", "/dev/shm has 8 MiB"},
        {"\n0\n", "the user"},
        {"status 7", "the command's own status"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK_THAT(output, ContainsSubstring(row.text));
    }
    CHECK(groups_in(group.path()).empty());
}

TEST_CASE("kernel: a container over its memory is killed, one over its processes refused",
          "[privileged]") {
    const std::string runtime = has_room() ? find_runtime() : "";
    if (runtime.empty()) return;
    Bundle bundle;
    KernelGroup group;
    const Job job = small_job(bundle.device());
    const std::string eaten =
        bundle.run(runtime, config_of(job, group, "tail /dev/zero; echo outlived"));
    CHECK_THAT(eaten, ContainsSubstring("status 137"));
    CHECK_THAT(eaten, !ContainsSubstring("outlived"));
    const std::string forked = bundle.run(
        runtime,
        config_of(job, group, "i=0; while [ $i -lt 40 ]; do sleep 9 & i=$((i+1)); done; echo all"));
    INFO(forked);
    CHECK_THAT(forked, ContainsSubstring("fork"));
    CHECK_THAT(forked, !ContainsSubstring("all\n"));
}

TEST_CASE("kernel: a container of another user, and of the host's network", "[privileged]") {
    const std::string runtime = has_room() ? find_runtime() : "";
    if (runtime.empty()) return;
    Bundle bundle;
    KernelGroup group;
    Job job = small_job(bundle.device());
    job.request.shm_size.reset();
    container::ContainerOptions options;
    options.uid = 1000;
    options.gid = 1001;
    options.network = container::NetworkMode::host;
    const std::string output = bundle.run(
        runtime, config_of(job, group,
                           "id -u; id -g; cat " + bundle.device() +
                               "; grep CapEff /proc/self/status; grep /dev/shm /proc/mounts",
                           options));
    INFO(output);
    CHECK_THAT(output, ContainsSubstring("1000\n1001\n"));
    CHECK_THAT(output, ContainsSubstring("No such device or address"));
    CHECK_THAT(output, ContainsSubstring("CapEff:\t0000000000000000"));
    CHECK_THAT(output, ContainsSubstring("size=65536k"));
    CHECK_THAT(output, ContainsSubstring("status 0"));
}

}  // namespace
}  // namespace trestle
