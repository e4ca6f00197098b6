// SPDX-License-Identifier: Apache-2.0
#include "../src/os/cgroup/probe/capabilities.hpp"

#include "support/catch.hpp"
#include "trestle/os/cgroup_probe.hpp"

namespace trestle::os::detail {

TEST_CASE("Capabilities: the kernel's version", "[os]") {
    struct Row {
        const char* release;
        KernelVersion version;
        const char* why;
    };
    const Row rows[] = {
        {"6.12.117-amd64", {6, 12}, "Debian's"},
        {"5.7", {5, 7}, "two numbers"},
        {"6.1+", {6, 1}, "built by hand"},
        {"10.0.0", {10, 0}, "two digits"},
        {"6", {}, "one number"},
        {"6.", {}, "no second"},
        {"", {}, "nothing"},
        {"linux", {}, "no number"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(kernel_version(row.release) == row.version);
    }
    CHECK(KernelVersion{6, 12} > KernelVersion{6, 7});
    CHECK(KernelVersion{5, 19} < KernelVersion{6, 0});
}

TEST_CASE("Capabilities: sizes of huge pages by the kernel's names", "[os]") {
    CHECK(huge_page_sizes({"hugepages-1048576kB", ".", "hugepages-2048kB", "hugepages-xkB",
                           "hugepages-0kB", "other", "hugepages-64", "hugepages-kB"}) ==
          std::vector<Bytes>{mib(2), gib(1)});
    CHECK(huge_page_sizes({}).empty());
    CHECK(huge_page_sizes({"hugepages-99999999999999999999kB"}).empty());
}

TEST_CASE("Capabilities: swap is there when a line says so", "[os]") {
    CHECK_FALSE(has_swap_space(""));
    CHECK_FALSE(has_swap_space("Filename\tType\tSize\tUsed\tPriority\n"));
    CHECK(has_swap_space("Filename\tType\tSize\tUsed\tPriority\n/dev/zram0 partition 1 0 1\n"));
}

TEST_CASE("probe_cgroup: a usable directory has capabilities, another has none", "[os]") {
    const CgroupSupport support = probe_cgroup();
    CHECK(support.is_usable == (support.capabilities != Capabilities()));
    if (support.crowd.empty()) {
        CHECK(support.is_usable == !support.capabilities.controllers.empty());
    }
    CHECK(support.is_usable == !support.capabilities.kernel.empty());
}

}  // namespace trestle::os::detail
