// SPDX-License-Identifier: Apache-2.0
#include "os/kernel_text.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace trestle::os::detail {

TEST_CASE("keyed_number: the number of exactly that key", "[os]") {
    constexpr std::string_view events = "low 0\nhigh 1\noom 2\noom_kill 31\noom_group_kill 4\n";
    struct Row {
        const char* why;
        std::string_view text;
        std::string_view key;
        std::optional<std::uint64_t> number;
    };
    const Row rows[] = {
        {"first line", events, "low", 0},
        {"a key that starts another", events, "oom", 2},
        {"in the middle", events, "oom_kill", 31},
        {"last line", events, "oom_group_kill", 4},
        {"not there", events, "max", std::nullopt},
        {"no final line end", "populated 1", "populated", 1},
        {"no number", "frozen x\n", "frozen", std::nullopt},
        {"empty", "", "frozen", std::nullopt},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(keyed_number(row.text, row.key) == row.number);
    }
}

TEST_CASE("whole_number: a number alone", "[os]") {
    CHECK(whole_number("4096\n") == 4096);
    CHECK(whole_number("0") == 0);
    CHECK_FALSE(whole_number("max\n"));
    CHECK_FALSE(whole_number("10 20\n"));
    CHECK_FALSE(whole_number("1\n2\n"));
    CHECK_FALSE(whole_number(""));
}

TEST_CASE("words_of and pids_of: blanks and line ends separate", "[os]") {
    CHECK(words_of("cpuset cpu io\n") == std::vector<std::string>{"cpuset", "cpu", "io"});
    CHECK(words_of(" \n").empty());
    CHECK(pids_of("30\n4\n0\n") == std::vector<std::int64_t>{4, 30});
}

TEST_CASE("major_of: the driver's major number among devices of its kind", "[os]") {
    constexpr std::string_view devices =
        "Character devices:\n  1 mem\n195 nvidia\n239 nvidia-uvm\n511 kfd\n\n"
        "Block devices:\n  7 loop\n259 blkext\n";
    using enum Device::File::Kind;
    CHECK(major_of(devices, character, "nvidia-uvm") == 239u);
    CHECK(major_of(devices, character, "nvidia") == 195u);
    CHECK(major_of(devices, block, "loop") == 7u);
    CHECK_FALSE(major_of(devices, character, "loop"));
    CHECK_FALSE(major_of(devices, block, "kfd"));
    CHECK_FALSE(major_of("", character, "mem"));
}

TEST_CASE("controllers_on_v1: those with a hierarchy of their own", "[os]") {
    const char* const hybrid =
        "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpuset\t3\t1\t1\n"
        "memory\t0\t69\t1\nnet_cls\t12\t1\t1\nhugetlb\t0\t1\t0\n";
    CHECK(controllers_on_v1(hybrid) == std::vector<std::string>{"cpuset", "net_cls"});
    CHECK(controllers_on_v1("").empty());
    CHECK(controllers_on_v1("cpuset\ncpu 0 1 1\n").empty());
}

TEST_CASE("group_of: the line of the unified hierarchy", "[os]") {
    CHECK(group_of("0::/user.slice/a b\n") == "/user.slice/a b");
    CHECK(group_of("12:pids:/x\n1:name=systemd:/y\n0::/\n") == "/");
    CHECK_FALSE(group_of("12:pids:/x\n"));
}

TEST_CASE("mount_of and directory_of: where a group is seen", "[os]") {
    const auto mount = mount_of(
        "24 1 0:22 / /proc rw shared:5 - proc proc rw\n"
        "30 24 0:26 /pod /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
    REQUIRE(mount);
    CHECK(*mount == CgroupMount{"/sys/fs/cgroup", "/pod"});
    CHECK(directory_of(*mount, "/pod/a") == "/sys/fs/cgroup/a");
    CHECK(directory_of(*mount, "/pod") == "/sys/fs/cgroup");
    CHECK_FALSE(directory_of(*mount, "/podium"));
    CHECK_FALSE(directory_of(*mount, "/other"));
    CHECK(directory_of({"/cg", "/"}, "/") == "/cg");
    CHECK(directory_of({"/cg", "/"}, "/a/b") == "/cg/a/b");
    CHECK_FALSE(mount_of("24 1 0:22 / /sys/fs/cgroup rw - tmpfs cgroup rw\n"));
    CHECK_FALSE(mount_of("- cgroup2\n"));
}

TEST_CASE("io_totals: all devices together", "[os]") {
    CHECK(io_totals("") == IoTotals{});
    CHECK(io_totals("8:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=7 dios=1\n"
                    "253:0 rbytes=100 wbytes=0 rios=3 wios=0 dbytes=0 dios=0 cost.vrate=100\n"
                    "7:0 \n") == IoTotals{4196, 8192, 4, 2});
    CHECK(io_totals("8:0 rbytes=x wios=\n") == IoTotals{});
}

TEST_CASE("pressure_of: the averages over ten seconds", "[os]") {
    const std::string both =
        "some avg10=12.05 avg60=0.00 avg300=0.00 total=5\n"
        "full avg10=100.00 avg60=0.00 avg300=0.00 total=1\n";
    CHECK(pressure_of(both) == ResourceUsage::Pressure{BasisPoints(1205), BasisPoints(10'000)});
    CHECK(pressure_of("some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n") ==
          ResourceUsage::Pressure{BasisPoints(0), {}});
    for (const char* other : {"", "some", "some avg10=1", "some avg10=1.2 avg60=0.00",
                              "some avg10=1000000000000000000.00 avg60=0.00", "none avg10=1.00"}) {
        INFO(other);
        CHECK(pressure_of(other) == ResourceUsage::Pressure{});
    }
}

}  // namespace trestle::os::detail
