// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/limits/resource_limits.hpp"

#include "enforce/limits/kernel_values.hpp"
#include "support/catch.hpp"

namespace {

using namespace trestle;

static_assert(lists_all_fields<IoLimit> && lists_all_fields<HugetlbLimit> &&
              lists_all_fields<RdmaLimit> && lists_all_fields<MiscLimit>);

TEST_CASE("cpu_weight_of_shares: the ends, the default, and what Kubernetes asks",
          "[enforce][limits]") {
    struct Row {
        std::int64_t shares;
        std::int64_t weight;
        const char* why;
    };
    const Row rows[] = {
        {0, 1, "below the least"},
        {1, 1, "below the least"},
        {2, 1, "the least, which a pod without a request has"},
        {3, 2, "rounded up"},
        {102, 17, "a tenth of a CPU"},
        {256, 35, "a quarter"},
        {512, 59, "half a CPU"},
        {1023, 100, "just below the default"},
        {1024, 100, "the default of both"},
        {1025, 101, "rounded up"},
        {2048, 174, "two CPUs"},
        {262'143, 10'000, "just below the most"},
        {262'144, 10'000, "the most"},
        {262'145, 10'000, "above the most"},
        {Count::max().value(), 10'000, "far above"},
    };
    for (const Row& row : rows) {
        INFO(row.why << ", " << row.shares);
        CHECK(cpu_weight_of_shares(Count(row.shares)) == Count(row.weight));
    }
}

TEST_CASE("cpu_weight_of_shares: more shares never weigh less", "[enforce][limits][law]") {
    Count before;
    for (std::int64_t shares = 0; shares <= 262'144; shares += 1 + shares / 64) {
        const Count weight = cpu_weight_of_shares(Count(shares));
        CHECK(weight >= before);
        before = weight;
    }
}

TEST_CASE("Limits of several numbers: as the kernel shows them", "[enforce][limits]") {
    CHECK(to_text(IoLimit{8, 16, mib(1), {}, {}, Count(120)}) ==
          "8:16 rbps=1048576 wbps=max riops=max wiops=120");
    CHECK(to_text(IoLimit{}) == "0:0 rbps=max wbps=max riops=max wiops=max");
    CHECK(to_text(RdmaLimit{"mlx5_0", Count(2), {}}) == "mlx5_0 hca_handle=2 hca_object=max");
    CHECK(to_text(RdmaLimit{"mlx5_0", {}, Count(0)}) == "mlx5_0 hca_handle=max hca_object=0");
    CHECK(to_text(MiscLimit{"sev_es", Count(5)}) == "sev_es 5");
}

TEST_CASE("huge_page_name: the kernel's file names", "[enforce][limits]") {
    CHECK(huge_page_name(kib(64)) == "64KB");
    CHECK(huge_page_name(mib(2)) == "2MB");
    CHECK(huge_page_name(mib(512)) == "512MB");
    CHECK(huge_page_name(gib(1)) == "1GB");
    CHECK(huge_page_name(gib(16)) == "16GB");
}

}  // namespace
