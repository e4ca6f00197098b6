// SPDX-License-Identifier: Apache-2.0
// What observe tells is what a job did, on a real kernel.
#include <poll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "os/kernel_support.hpp"
#include "os/soon.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/enforce/health/rates.hpp"

namespace trestle {
namespace {

constexpr std::size_t job_bytes = std::size_t{256} << 20;
constexpr std::int64_t job_cpu_us = 2'000'000;
/// In the environment of this program when it is to be the job; names the file that the job makes
/// when it has done all of it.
constexpr const char* job_variable = "TRESTLE_METRICS_JOB";

/// What a process, or this one by number 0, has used of the CPUs by its own clock.
std::int64_t cpu_us_of(std::int64_t pid) {
    clockid_t clock{};
    if (::clock_getcpuclockid(static_cast<pid_t>(pid), &clock) != 0) return 0;
    struct timespec used {};
    ::clock_gettime(clock, &used);
    return std::int64_t{used.tv_sec} * 1'000'000 + used.tv_nsec / 1'000;
}

/// Touches 256 MiB, uses 2 seconds of CPU time in all (more where touching them takes longer, as it
/// may on a busy emulated machine), says that it has and waits to be killed.
[[noreturn]] void be_the_job(const char* done_file) {
    void* memory =
        ::mmap(nullptr, job_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) ::_exit(1);
    (void)::madvise(memory, job_bytes, MADV_HUGEPAGE);  // a page fault is dear when emulated
    for (std::size_t i = 0; i < job_bytes; i += 4096) static_cast<char*>(memory)[i] = 1;
    while (cpu_us_of(0) < job_cpu_us) {
        for (std::size_t i = 0; i < job_bytes; i += 4096) {
            static_cast<volatile char*>(memory)[i] = 2;
        }
    }
    std::ofstream(done_file).close();
    for (;;) ::pause();
}

/// Before main, hence before Catch2 looks at any argument.
const bool is_no_job = [] {
    if (const char* done_file = std::getenv(job_variable)) be_the_job(done_file);
    return true;
}();

/// A name in a new folder, where nothing is yet.
class AbsentFile {
  public:
    AbsentFile() {
        std::string pattern = (std::filesystem::temp_directory_path() / "trestle-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        folder_ = pattern;
    }
    AbsentFile(const AbsentFile&) = delete;
    AbsentFile& operator=(const AbsentFile&) = delete;
    ~AbsentFile() { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::string path() const { return folder_ + "/file"; }
    [[nodiscard]] bool is_there() const { return std::filesystem::exists(path()); }

  private:
    std::string folder_;
};

/// True when `value` is `expected` to within 5 %.
bool is_near(std::int64_t value, std::int64_t expected) {
    return value * 100 >= expected * 95 && value * 100 <= expected * 105;
}

/// A block device in memory with nothing on it, or none where the kernel has no zram.
class MemoryDisk {
  public:
    explicit MemoryDisk(const char* size) {
        std::ifstream("/sys/class/zram-control/hot_add") >> number_;
        if (number_.empty()) return;
        std::ofstream("/sys/block/zram" + number_ + "/disksize") << size;
        (void)is_soon([this] { return std::filesystem::exists(path()); });
    }
    MemoryDisk(const MemoryDisk&) = delete;
    MemoryDisk& operator=(const MemoryDisk&) = delete;
    ~MemoryDisk() {
        if (!number_.empty()) std::ofstream("/sys/class/zram-control/hot_remove") << number_;
    }
    [[nodiscard]] std::string path() const { return "/dev/zram" + number_; }
    [[nodiscard]] bool is_there() const {
        return !number_.empty() && std::filesystem::exists(path());
    }

  private:
    std::string number_;
};

}  // namespace

TEST_CASE("kernel: metrics are what a job of 256 MiB and 2 CPU seconds did", "[os][privileged]") {
    if (!has_kernel()) return;
    REQUIRE(is_no_job);
    KernelGroup group;
    const Plan plan = group.job({{"memory.max", "536870912"}, {"pids.max", "8"}});
    const auto before = group.enforcer().observe("job");
    REQUIRE(before.ok());
    CHECK(before->cpu_time == Microseconds(0));
    const AbsentFile done;
    Command command{{"/proc/self/exe"}, {{job_variable, done.path()}}, ""};
    const auto child = group.enforcer().spawn(plan, command);
    INFO(child.status().ToString());
    REQUIRE(child.ok());
    REQUIRE(is_soon([&] { return done.is_there(); }));
    // What it uses on its way to the pause counts in both, once it stands still.
    std::int64_t used_us = 0;
    auto after = group.enforcer().observe("job");
    REQUIRE(is_soon([&] {
        used_us = cpu_us_of(child->pid);
        after = group.enforcer().observe("job");
        return cpu_us_of(child->pid) == used_us;
    }));
    REQUIRE(after.ok());
    INFO(to_text(*after));
    REQUIRE(after->cpu_time);
    REQUIRE(used_us >= job_cpu_us);
    CHECK(is_near(after->cpu_time->value(), used_us));
    CHECK(after->cpu_user.value() + after->cpu_system.value() <=
          *after->cpu_time + Microseconds(1'000));
    const auto bytes = static_cast<std::int64_t>(job_bytes);
    CHECK(is_near(after->memory.value().value(), bytes));
    CHECK(is_near(after->memory_peak.value().value(), bytes));
    CHECK(is_near(after->memory_anon.value().value(), bytes));
    CHECK(is_near(after->working_set.value().value(), bytes));
    CHECK(after->pids == Count(1));
    CHECK(after->oom_kills == Count(0));
    if (after->pids_peak) CHECK(after->pids_peak == Count(1));

    const Rates found = rates(*before, *after, {cpus(2), mib(512)});
    REQUIRE(found.elapsed);
    REQUIRE(found.cpu);
    const std::int64_t expected = used_us * 10'000 / found.elapsed->value();
    CHECK(is_near(found.cpu->value(), expected));
    CHECK(found.cpu_granted.value().value() * 2 - found.cpu->value() <= 1);
    CHECK(found.cpu->value() - found.cpu_granted.value().value() * 2 <= 1);
    CHECK(is_near(found.memory.value().value(), 5'000));
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(group.enforcer().wait(*child).value() == signaled(9, Count(0)));
}

TEST_CASE("kernel: a CPU quota shows as throttled periods", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({{"cpu.max", "50000 100000"}});
    const auto before = group.enforcer().observe("job");
    const auto child = group.enforcer().spawn(plan, shell("while :; do :; done"));
    REQUIRE(child.ok());
    auto after = before;
    // It works on until the half of a CPU shows. Whatever it had too much of in one period, where
    // the machine stood still meanwhile, the kernel takes from those that follow.
    CHECK(is_soon([&] {
        after = group.enforcer().observe("job");
        REQUIRE(after.ok());
        return after->throttled_periods >= Count(10) &&
               *after->cpu_time <= Microseconds(50'000) * (after->cpu_periods->value() + 2);
    }));
    REQUIRE((before.ok() && after.ok()));
    const Rates found = rates(*before, *after, {MilliCpu(500), {}});
    INFO(to_text(found));
    CHECK(found.throttled > BasisPoints(0));
    CHECK(found.throttled <= BasisPoints(10'000));
    CHECK(found.cpu_granted > BasisPoints(0));
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(group.enforcer().wait(*child).ok());
}

TEST_CASE("kernel: bytes and operations of a disk are those that were written and read",
          "[os][privileged]") {
    if (!has_kernel()) return;
    const auto& controllers = kernel_support().capabilities.controllers;
    const MemoryDisk disk("33554432");
    if (std::find(controllers.begin(), controllers.end(), "io") == controllers.end() ||
        !disk.is_there()) {
        WARN("SKIPPED: no controller io, or no zram");
        return;
    }
    KernelGroup group;
    REQUIRE(group.above().run(enable_step("", "io")) == Status());
    REQUIRE(group.enforcer().run(enable_step("", "io")) == Status());
    const Plan plan = group.job({{"memory.max", "268435456"}});
    const auto before = group.enforcer().observe("job");
    REQUIRE(before.ok());
    CHECK(before->written_bytes == Bytes(0));
    CHECK(group.run(plan, "dd if=/dev/zero of=" + disk.path() +
                              " bs=1M count=16 conv=fsync,notrunc 2>/dev/null") ==
          exited(0, Count(0)));
    const auto written = group.enforcer().observe("job");
    REQUIRE(written.ok());
    INFO(to_text(*written));
    CHECK(is_near(written->written_bytes.value().value(), mib(16).value()));
    CHECK(written->writes > Count(0));
    CHECK(group.run(plan, "dd if=" + disk.path() +
                              " of=/dev/null bs=1M count=8 iflag=direct 2>/dev/null") ==
          exited(0, Count(0)));
    const auto read = group.enforcer().observe("job");
    REQUIRE(read.ok());
    CHECK(is_near((*read->read_bytes - *written->read_bytes).value(), mib(8).value()));
    const Rates found = rates(*before, *read, {});
    CHECK(found.written_bytes > Bytes(0));
    CHECK(found.reads >= Count(1));
}

}  // namespace trestle
