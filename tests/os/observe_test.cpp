// SPDX-License-Identifier: Apache-2.0
// On plain files: what the kernel's texts become. The kernel's own numbers are in kernel_metrics.
#include "os/cgroup/observe.hpp"

#include <filesystem>
#include <fstream>

#include "machines/unpacked.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle::os::detail {
namespace {

class GroupFiles {
  public:
    void write(const char* file, const char* text) const {
        std::ofstream(folder_.path() / file) << text;
    }
    /// Without the time of the reading, which has to be there.
    [[nodiscard]] ResourceUsage observed() const {
        const auto group = GroupDirectory::open(folder_.path().string());
        REQUIRE(group.ok());
        ResourceUsage usage = observe_group(*group);
        CHECK(usage.at > Microseconds(0));
        usage.at = {};
        return usage;
    }

  private:
    TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("observe_group: a group without files tells nothing", "[os]") {
    CHECK(GroupFiles().observed() == ResourceUsage{});
}

TEST_CASE("observe_group: all files of the kernel", "[os]") {
    const GroupFiles files;
    files.write("cpu.stat",
                "usage_usec 3000000\nuser_usec 2000000\nsystem_usec 1000000\nnr_periods 40\n"
                "nr_throttled 10\nthrottled_usec 500000\nnr_bursts 0\nburst_usec 0\n");
    files.write("memory.current", "1048576\n");
    files.write("memory.peak", "2097152\n");
    files.write("memory.swap.current", "4096\n");
    files.write("memory.stat", "anon 500000\nfile 400000\ninactive_anon 1\ninactive_file 300000\n");
    files.write("memory.events", "low 0\nhigh 0\nmax 3\noom 2\noom_kill 1\n");
    files.write("io.stat", "8:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=0 dios=0\n");
    files.write("pids.current", "3\n");
    files.write("pids.peak", "7\n");
    files.write("cpu.pressure", "some avg10=1.50 avg60=0.00 avg300=0.00 total=5\n");
    files.write("memory.pressure",
                "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
                "full avg10=0.25 avg60=0.00 avg300=0.00 total=0\n");
    ResourceUsage expected;
    expected.memory = mib(1);
    expected.memory_peak = mib(2);
    expected.oom_kills = Count(1);
    expected.cpu_time = Microseconds(3'000'000);
    expected.cpu_user = Microseconds(2'000'000);
    expected.cpu_system = Microseconds(1'000'000);
    expected.cpu_periods = Count(40);
    expected.throttled_periods = Count(10);
    expected.throttled_time = Microseconds(500'000);
    expected.pids = Count(3);
    expected.pids_peak = Count(7);
    expected.working_set = Bytes(748'576);
    expected.memory_anon = Bytes(500'000);
    expected.memory_file = Bytes(400'000);
    expected.swap = Bytes(4096);
    expected.read_bytes = Bytes(4096);
    expected.written_bytes = Bytes(8192);
    expected.reads = Count(1);
    expected.writes = Count(2);
    expected.cpu_pressure = {BasisPoints(150), {}};
    expected.memory_pressure = {BasisPoints(0), BasisPoints(25)};
    CHECK(files.observed() == expected);
}

TEST_CASE("observe_group: what is missing or odd stays absent, the rest does not", "[os]") {
    const GroupFiles files;
    files.write("memory.current", "1000\n");
    files.write("memory.stat", "anon 5\ninactive_file 3000\n");
    files.write("cpu.stat", "usage_usec 7\n");
    files.write("pids.current", "max\n");
    files.write("io.stat", "");
    const ResourceUsage usage = files.observed();
    CHECK(usage.working_set == Bytes(0));  // never below
    CHECK(usage.memory_anon == Bytes(5));
    CHECK_FALSE(usage.memory_file);
    CHECK_FALSE(usage.memory_peak);
    CHECK(usage.cpu_time == Microseconds(7));
    CHECK_FALSE(usage.cpu_periods);
    CHECK_FALSE(usage.pids);
    CHECK(usage.read_bytes == Bytes(0));  // the controller is on, and nothing was read
    CHECK(usage.cpu_pressure == ResourceUsage::Pressure{});
    files.write("memory.current", "18446744073709551615\n");
    CHECK(files.observed().memory == Bytes::max());
}

}  // namespace trestle::os::detail
