// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/limits/limit_policy.hpp"

#include "support/catch.hpp"

namespace {

using namespace trestle;

IoLimit disk(std::uint32_t major, std::uint32_t minor) {
    return {.major = major, .minor = minor, .read_bytes = mib(1)};
}

TEST_CASE("LimitPolicy: what the kernel would refuse is refused before", "[enforce][limits]") {
    struct Row {
        LimitPolicy policy;
        const char* error;  ///< empty: none
        const char* why;
    };
    const Row rows[] = {
        {{}, "", "a policy that says nothing"},
        {{.cpu_weight = Count(1)}, "", "the least weight"},
        {{.cpu_weight = Count(10'000)}, "", "the most"},
        {{.cpu_weight = Count(0)}, "cpu_weight: 0, expected 1 to 10000", "none is not 0"},
        {{.cpu_weight = Count(10'001)}, "cpu_weight: 10001, expected 1 to 10000", "ERANGE"},
        {{.io_weight = Count(10'001)}, "io_weight: 10001, expected 1 to 10000", "ERANGE"},
        {{.pids_max = Count(0)}, "", "nobody may fork"},
        {{.pids_max = Count(4'194'304)}, "", "the most"},
        {{.pids_max = Count(4'194'305)}, "pids_max: 4194305, expected at most 4194304", "EINVAL"},
        {{.io = {disk(8, 0), disk(8, 16)}}, "", "two disks"},
        {{.io = {disk(4095, 1'048'575)}}, "", "the last device number"},
        {{.io = {disk(4096, 0)}},
         "io[0] of 4096:0: no such device number, expected at most 4095:1048575",
         "13 bits"},
        {{.io = {disk(8, 1'048'576)}},
         "io[0] of 8:1048576: no such device number, expected at most 4095:1048575",
         "21 bits"},
        {{.io = {disk(8, 0), {.major = 9}}},
         "io[1] of 9:0: it limits nothing, expected a number",
         "a line without a number"},
        {{.io = {{.major = 8, .writes = Count(0)}}},
         "io[0] of 8:0: 0 a second, expected 1 or more",
         "ERANGE"},
        {{.io = {disk(8, 0), disk(8, 16), disk(8, 0)}},
         "io[2]: 8:0 has a limit already, expected one for each",
         "the later would win"},
        {{.hugetlb = {{mib(2), mib(0)}, {gib(1), gib(1)}}}, "", "none of one, one of another"},
        {{.hugetlb = {{mib(3), mib(3)}}},
         "hugetlb[0]: pages of 3145728 bytes, expected a power of 2 from 4096 on",
         "no such pages"},
        {{.hugetlb = {{}}},
         "hugetlb[0]: pages of 0 bytes, expected a power of 2 from 4096 on",
         "no size"},
        {{.hugetlb = {{mib(2), mib(3)}}},
         "hugetlb[0]: 3145728 bytes in pages of 2MB, expected a"
         " multiple",
         "it would be rounded down"},
        {{.hugetlb = {{mib(2), mib(2)}, {mib(2), mib(4)}}},
         "hugetlb[1]: 2MB has a limit already, expected one for each",
         "the later would win"},
        {{.rdma = {{"mlx5_0", Count(2'147'483'647), {}}}}, "", "the most"},
        {{.rdma = {{"mlx5_0", {}, Count(2'147'483'648)}}},
         "rdma[0] of mlx5_0: 2147483648, expected at most 2147483647",
         "an int of the kernel"},
        {{.rdma = {{"mlx5_0", {}, {}}}},
         "rdma[0] of mlx5_0: it limits nothing, expected a number",
         "a line without a number"},
        {{.rdma = {{"mlx5 0", Count(1), {}}}},
         "rdma[0]: the device \"mlx5 0\", expected one word",
         "the line would be of another device"},
        {{.rdma = {{"", Count(1), {}}}}, "rdma[0]: the device \"\", expected one word", "no name"},
        {{.rdma = {{"a", Count(1), {}}, {"a", Count(2), {}}}},
         "rdma[1]: a has a limit already, expected one for each",
         "the later would win"},
        {{.misc = {{"sev", Count(0)}, {"sev_es", Count(1)}}}, "", "two names"},
        {{.misc = {{"sev\n", Count(0)}}},
         "misc[0]: the name \"sev\\x0a\", expected one word",
         "a line end"},
        {{.misc = {{"sev", Count(0)}, {"sev", Count(1)}}},
         "misc[1]: sev has a limit already, expected one for each",
         "the later would win"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Status status = check(row.policy);
        CHECK(std::string(message(status)) == row.error);
        if (*row.error != '\0') CHECK(status.code() == StatusCode::kInvalidArgument);
    }
}

}  // namespace
