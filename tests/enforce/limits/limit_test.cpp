// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/limits/limit.hpp"

#include <string>
#include <variant>
#include <vector>

#include "enforce/limits/limit_lines.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"

namespace {

using namespace trestle;

static_assert(lists_all_fields<CpusLimit> && lists_all_fields<MemsLimit> &&
              lists_all_fields<PartitionLimit> && lists_all_fields<CpuTimeLimit> &&
              lists_all_fields<CpuWeightLimit> && lists_all_fields<MemoryLimit> &&
              lists_all_fields<OomGroupLimit> && lists_all_fields<PidsLimit> &&
              lists_all_fields<IoWeightLimit> && lists_all_fields<HugetlbReservation>);

PuSet cpus_of(std::uint32_t first, std::uint32_t last) { return PuSet::range({first, last + 1}); }

/// A limit, another one for the same line, what is within both, and how the kernel spells it.
struct SpelledLimit {
    Limit a;
    Limit b;
    std::optional<Limit> both;
    const char* file;
    const char* value;  ///< of a
};

std::vector<SpelledLimit> limit_rows() {
    return {
        {CpusLimit{cpus_of(0, 2)}, CpusLimit{cpus_of(2, 3)}, CpusLimit{cpus_of(2, 2)},
         "cpuset.cpus", "0-2"},
        {CpusLimit{cpus_of(0, 1)}, CpusLimit{cpus_of(2, 3)}, std::nullopt, "cpuset.cpus", "0-1"},
        {CpusLimit{}, CpusLimit{cpus_of(2, 3)}, CpusLimit{cpus_of(2, 3)}, "cpuset.cpus", ""},
        {MemsLimit{cpus_of(0, 1)}, MemsLimit{cpus_of(1, 1)}, MemsLimit{cpus_of(1, 1)},
         "cpuset.mems", "0-1"},
        {PartitionLimit{CpusetPartition::root}, PartitionLimit{CpusetPartition::isolated},
         PartitionLimit{}, "cpuset.cpus.partition", "root"},
        {CpuTimeLimit{MilliCpu(1500)}, CpuTimeLimit{}, CpuTimeLimit{MilliCpu(1500)}, "cpu.max",
         "150000 100000"},
        {CpuTimeLimit{}, CpuTimeLimit{}, CpuTimeLimit{}, "cpu.max", "max 100000"},
        {CpuWeightLimit{Count(50)}, CpuWeightLimit{Count(200)}, CpuWeightLimit{Count(50)},
         "cpu.weight", "50"},
        {MemoryLimit{MemoryLimit::File::max, gib(1)}, MemoryLimit{MemoryLimit::File::max, gib(2)},
         MemoryLimit{MemoryLimit::File::max, gib(1)}, "memory.max", "1073741824"},
        {MemoryLimit{MemoryLimit::File::high, {}}, MemoryLimit{MemoryLimit::File::high, kib(4)},
         MemoryLimit{MemoryLimit::File::high, kib(4)}, "memory.high", "max"},
        {MemoryLimit{MemoryLimit::File::low, kib(4)}, MemoryLimit{MemoryLimit::File::low, Bytes()},
         MemoryLimit{MemoryLimit::File::low, Bytes()}, "memory.low", "4096"},
        {MemoryLimit{MemoryLimit::File::min, Bytes(0)}, MemoryLimit{MemoryLimit::File::min, {}},
         MemoryLimit{MemoryLimit::File::min, Bytes(0)}, "memory.min", "0"},
        {MemoryLimit{MemoryLimit::File::swap_max, Bytes(0)},
         MemoryLimit{MemoryLimit::File::swap_max, {}},
         MemoryLimit{MemoryLimit::File::swap_max, Bytes(0)}, "memory.swap.max", "0"},
        {OomGroupLimit{true}, OomGroupLimit{false}, OomGroupLimit{true}, "memory.oom.group", "1"},
        {PidsLimit{Count(7)}, PidsLimit{}, PidsLimit{Count(7)}, "pids.max", "7"},
        {IoLimit{8, 0, mib(1), {}, Count(5)}, IoLimit{8, 0, mib(2), mib(3)},
         IoLimit{8, 0, mib(1), mib(3), Count(5)}, "io.max",
         "8:0 rbps=1048576 wbps=max riops=5 wiops=max"},
        {IoWeightLimit{Count(1)}, IoWeightLimit{}, IoWeightLimit{Count(1)}, "io.weight",
         "default 1"},
        {HugetlbLimit{mib(2), mib(4)}, HugetlbLimit{mib(2), Bytes::max()},
         HugetlbLimit{mib(2), mib(4)}, "hugetlb.2MB.max", "4194304"},
        {HugetlbReservation{gib(1), Bytes::max()}, HugetlbReservation{gib(1), gib(2)},
         HugetlbReservation{gib(1), gib(2)}, "hugetlb.1GB.rsvd.max", "max"},
        {RdmaLimit{"mlx5_0", Count(2)}, RdmaLimit{"mlx5_0", Count(9), Count(4)},
         RdmaLimit{"mlx5_0", Count(2), Count(4)}, "rdma.max", "mlx5_0 hca_handle=2 hca_object=max"},
        {MiscLimit{"sev", Count::max()}, MiscLimit{"sev", Count(1)}, MiscLimit{"sev", Count(1)},
         "misc.max", "sev max"},
    };
}

TEST_CASE("Limit: file, spelling, and what is within two of one line", "[enforce][limits]") {
    for (const SpelledLimit& row : limit_rows()) {
        INFO(row.file << " " << row.value);
        CHECK(file_of(row.a) == row.file);
        CHECK(file_of(row.b) == row.file);
        CHECK(file_value(row.a) == row.value);
        CHECK(is_same_line(row.a, row.b));
        CHECK(tightest(row.a, row.b) == row.both);
        CHECK(tightest(row.b, row.a) == row.both);
        CHECK(tightest(row.a, row.a) == row.a);
        CHECK(is_same_line(row.a, default_of(row.a)));
        CHECK(default_of(default_of(row.a)) == default_of(row.a));
    }
}

TEST_CASE("Limit: other devices, sizes and names are other lines", "[enforce][limits]") {
    const std::pair<Limit, Limit> rows[] = {
        {MemoryLimit{MemoryLimit::File::max, {}}, MemoryLimit{MemoryLimit::File::high, {}}},
        {IoLimit{8, 0}, IoLimit{8, 16}},
        {HugetlbLimit{mib(2), {}}, HugetlbLimit{gib(1), {}}},
        {HugetlbLimit{mib(2), {}}, HugetlbReservation{mib(2), {}}},
        {HugetlbReservation{mib(2), {}}, HugetlbReservation{gib(1), {}}},
        {RdmaLimit{"a"}, RdmaLimit{"b"}},
        {MiscLimit{"a", {}}, MiscLimit{"b", {}}},
        {CpusLimit{}, MemsLimit{}},
    };
    for (const auto& [a, b] : rows) {
        INFO(file_of(a) << " " << file_of(b));
        CHECK_FALSE(is_same_line(a, b));
    }
    CHECK(broken_contract([&] { (void)tightest(rows[0].first, rows[0].second); }) ==
          "both limits are for one line of one file");
}

TEST_CASE("Limit: it prints with its kind, and hashes by all it holds", "[enforce][limits]") {
    const Limit limit = MemoryLimit{MemoryLimit::File::high, gib(1)};
    CHECK(to_text(limit) == "memory{file=high, bytes=1GiB}");
    std::vector<std::string_view> kinds;
    for_each_alternative<Limit>([&](auto type) { kinds.push_back(decltype(type)::type::kind); });
    CHECK(kinds.size() == std::variant_size_v<Limit>);
    const auto hash = [](const Limit& one) {
        HashState state;
        detail::hash_variant(state, one);
        return state.result();
    };
    CHECK(hash(limit) == hash(Limit(limit)));
    CHECK(hash(limit) != hash(MemoryLimit{MemoryLimit::File::high, gib(2)}));
    CHECK(hash(CpusLimit{}) != hash(MemsLimit{}));
}

}  // namespace
