// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/limits/limits.hpp"

#include <limits>

#include "enforce/limits/memory_bounds.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/gpu_node.hpp"
#include "trestle/base/fmt.hpp"

namespace {

using namespace trestle;

static_assert(lists_all_fields<Limits> && lists_all_fields<LimitPolicy> &&
              lists_all_fields<Requirements> && lists_all_fields<MemoryRule>);

NodePlacement with_memory(SmallVector<MemoryShare> memory) {
    NodePlacement placement = two_gpus();
    placement.memory = std::move(memory);
    return placement;
}

TEST_CASE("Limits: whose number becomes the memory limit", "[enforce][limits]") {
    const SmallVector<MemoryShare> grant_256 = {{DomainId(0), gib(100)}, {DomainId(1), gib(156)}};
    struct Row {
        Range<Bytes> asked;
        Per per;
        SmallVector<MemoryShare> granted;
        LimitPolicy::Source source;
        std::optional<Bytes> limit;
        const char* why;
    };
    const auto exactly = [](Bytes bytes) { return Range<Bytes>::exactly(bytes); };
    const Row rows[] = {
        {exactly(gib(16)),
         Per::node,
         {{DomainId(0), gib(16)}},
         LimitPolicy::Source::request,
         Bytes(17179869184),
         "--mem=16G is 16 GiB"},
        {exactly(gib(32)),
         Per::node,
         {{DomainId(0), gib(32)}},
         LimitPolicy::Source::request,
         Bytes(34359738368),
         "memory: 32GB is 32 GiB"},
        {Range<Bytes>::at_least(gib(200)), Per::node, grant_256, LimitPolicy::Source::capacity,
         Bytes(274877906944), "200GB.. on 256 GB: all that the offer has"},
        {Range<Bytes>::at_least(gib(200)), Per::node, grant_256, LimitPolicy::Source::request,
         Bytes(214748364800), "200GB.. on 256 GB: what was asked"},
        {exactly(gib(2)), Per::cpu, grant_256, LimitPolicy::Source::request, gib(16),
         "per CPU counts the 8 threads of the 4 cores"},
        {exactly(gib(10)), Per::device, grant_256, LimitPolicy::Source::request, gib(20),
         "per device counts the 2 devices"},
        {exactly(gib(64)),
         Per::node,
         {{DomainId(0), gib(48)}},
         LimitPolicy::Source::request,
         gib(48),
         "never looser than the grant"},
        {exactly(Bytes::max()),
         Per::cpu,
         {{DomainId(0), gib(1)}},
         LimitPolicy::Source::request,
         gib(1),
         "a product beyond 2^63 is clamped too"},
        {exactly(Bytes()), Per::node, grant_256, LimitPolicy::Source::request, std::nullopt,
         "nothing asked: no limit, not a limit of 0"},
        {exactly(Bytes()), Per::node, grant_256, LimitPolicy::Source::capacity, gib(256),
         "nothing asked, capacity: the grant"},
        {Range<Bytes>(),
         Per::node,
         {},
         LimitPolicy::Source::capacity,
         std::nullopt,
         "nothing granted: no limit"},
        {Range<Bytes>::at_most(gib(300)), Per::node, grant_256, LimitPolicy::Source::request,
         gib(256), "only an upper end: the grant below it"},
        {Range<Bytes>::at_most(gib(64)), Per::node, grant_256, LimitPolicy::Source::request,
         gib(64), "only an upper end: it holds"},
        {Range<Bytes>(), Per::node, grant_256, LimitPolicy::Source::request, std::nullopt,
         "no range: no limit"},
        {exactly(Bytes(1)),
         Per::node,
         {{DomainId(0), Bytes(1)}},
         LimitPolicy::Source::request,
         Bytes(1),
         "the smallest limit"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Request request;
        request.memory = row.asked;
        request.memory_per = row.per;
        LimitPolicy policy;
        policy.source = row.source;
        CHECK(limits_of(request, gpu_shape(), with_memory(row.granted), policy).memory_max ==
              row.limit);
    }
}

TEST_CASE("Limits: CPUs are the kernel's numbers of all threads of the cores",
          "[enforce][limits]") {
    const Limits limits = limits_of(four_cpus(), gpu_shape(), two_cores(), {});
    CHECK(to_text(limits.cpus) == "0-1,16-17");
    CHECK(to_text(limits.mems) == "0");
    CHECK(limits_of(four_cpus(), gpu_shape(), two_gpus(), {}).mems.count() == 2);
    CHECK_FALSE(limits.cpu_max);
}

TEST_CASE("Limits: memory nodes are the kernel's numbers, not positions", "[enforce][limits]") {
    NodeShape shape = gpu_shape();
    shape.memory[0].os_index = OsIndex(8);
    CHECK(to_text(limits_of(four_cpus(), shape, two_cores(), {}).mems) == "8");
    NodePlacement no_memory = two_cores();
    no_memory.memory.clear();
    CHECK(limits_of(four_cpus(), shape, no_memory, {}).mems.is_empty());
}

TEST_CASE("Limits: a placement of another machine breaks the contract", "[enforce][limits]") {
    const NodePlacement no_domain = with_memory({{DomainId(2), gib(1)}});
    CHECK(broken_contract([&] { (void)limits_of(four_cpus(), gpu_shape(), no_domain, {}); }) ==
          "the node has what is placed on it");
    NodePlacement no_core = two_cores();
    no_core.cores.insert(CoreId(16));
    CHECK(broken_contract([&] { (void)limits_of(four_cpus(), gpu_shape(), no_core, {}); }) ==
          "the node has what is placed on it");
}

TEST_CASE("Limits: the policy's own numbers", "[enforce][limits]") {
    LimitPolicy policy;
    policy.swap = gib(1);
    policy.has_oom_group = false;
    policy.has_cpu_quota = true;
    policy.pids_max = Count(512);
    const Limits limits = limits_of(four_cpus(), gpu_shape(), two_cores(), policy);
    CHECK(limits.swap_max == gib(1));
    CHECK_FALSE(limits.is_oom_group);
    CHECK(limits.cpu_max == cpus(4));
    CHECK(limits.pids_max == Count(512));
    CHECK(limits_of(four_cpus(), gpu_shape(), two_cores(), {}).swap_max == Bytes());
}

TEST_CASE("Limits: thousandths of CPUs are time on any CPU", "[enforce][limits]") {
    NodePlacement placement = two_cores();
    placement.milli_cpus = MilliCpu(500);
    Limits limits = limits_of(four_cpus(), gpu_shape(), placement, {});
    CHECK(limits.cpus.is_empty());
    CHECK(limits.cpu_max == MilliCpu(4'500));
    CHECK(to_text(limits.mems) == "0");
    placement.cores = {};
    limits = limits_of(four_cpus(), gpu_shape(), placement, {});
    CHECK(limits.cpus.is_empty());
    CHECK(limits.cpu_max == MilliCpu(500));
    LimitPolicy policy;
    policy.requirements.cpu = Requirement::skip;
    CHECK_FALSE(limits_of(four_cpus(), gpu_shape(), placement, policy).cpu_max);
}

TEST_CASE("Limits: a rule makes limits of memory, between bounds", "[enforce][limits]") {
    struct Row {
        MemoryRule rule;
        std::int64_t memory;        ///< MiB, of 10,000 that the node has
        const char* max_high_swap;  ///< MiB
        const char* why;
    };
    const Row rows[] = {
        {{}, 1000, "1000 1000 0", "as it is"},
        {{.max_ppm = 900'000}, 1000, "900 900 0", "less; it cannot be slowed down before"},
        {{.max_ppm = 1'500'000}, 1000, "1500 1000 0", "more, slowed down from the memory on"},
        {{.max_ppm = 1'500'000}, 9000, "10000 9000 0", "the node has no more"},
        {{.max_ppm = 0}, 1000, "0 0 0", "nothing"},
        {{.max_ppm = -1}, 1000, "0 0 0", "nor by less than nothing"},
        {{.swap_ppm = -1}, 1000, "1000 1000 0", "nor of swap"},
        {{.node_ppm = -1, .node_swap_ppm = -1}, 1000, "0 0 0", "nor of the node"},
        {{.max_ppm = std::numeric_limits<std::int64_t>::min()}, 1000, "0 0 0", "by far less"},
        {{.least = mib(64)}, 5, "64 64 0", "the least"},
        {{.least = mib(64), .node_ppm = 0}, 5, "64 64 0", "it goes before the node's part"},
        {{.node_ppm = 500'000}, 9000, "5000 5000 0", "the node's part"},
        {{.swap_ppm = 250'000}, 1000, "1000 1000 250", "swap"},
        {{.swap_ppm = 1'000'000, .node_swap_ppm = 50'000},
         10'000,
         "10000 10000 500",
         "little swap"},
        {{.swap_ppm = 500'000, .has_one_limit = true}, 1000, "1500 1500 0", "one limit for both"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const MemoryBounds bounds = bounds_of(row.rule, mib(row.memory), mib(10'000));
        const auto mebibytes = [](Bytes bytes) { return bytes.value() / mib(1).value(); };
        CHECK(fmt::format("{} {} {}", mebibytes(bounds.max), mebibytes(bounds.high),
                          mebibytes(bounds.swap)) == row.max_high_swap);
    }
    const std::int64_t forever = std::numeric_limits<std::int64_t>::max();
    const MemoryRule most{.max_ppm = forever, .swap_ppm = forever, .node_ppm = forever};
    CHECK(bounds_of(most, Bytes::max(), Bytes::max()).max == Bytes::max());

    LimitPolicy policy;
    policy.source = LimitPolicy::Source::capacity;
    policy.swap = gib(5);
    policy.memory_rule = MemoryRule{.max_ppm = 1'500'000, .swap_ppm = 100'000};
    const Limits limits =
        limits_of(Request(), *gpu_node().shape, with_memory({{DomainId(0), gib(10)}}), policy);
    CHECK(limits.memory_max == gib(15));
    CHECK(limits.memory_high == gib(10));
    CHECK(limits.swap_max == gib(1));
}

TEST_CASE("Limits: memory that others leave, and where a group is slowed down",
          "[enforce][limits]") {
    struct Row {
        std::optional<Bytes> low, high;
        std::optional<MemoryRule> rule;
        const char* low_high;  ///< GiB, of 16 that were asked; - is none
        const char* why;
    };
    const MemoryRule over{.max_ppm = 1'500'000};
    const Row rows[] = {
        {{}, {}, {}, "- -", "nothing said"},
        {gib(1), {}, {}, "1 -", "protection"},
        {Bytes(), {}, {}, "0 -", "none of it, said"},
        {gib(17), {}, {}, "16 -", "not more than the limit"},
        {{}, gib(15), {}, "- 15", "slowed down before the limit"},
        {{}, gib(16), {}, "- -", "at the limit it comes too late"},
        {{}, gib(17), {}, "- -", "above it too"},
        {{}, {}, over, "- 16", "the rule's: from what was asked on"},
        {{}, gib(15), over, "- 15", "the lower of the two"},
        {{}, gib(20), over, "- 16", "the lower of the two"},
        {gib(20), {}, over, "20 16", "the rule's limit is 24"},
    };
    const auto gibibytes = [](const std::optional<Bytes>& bytes) {
        return bytes ? std::to_string(bytes->value() / gib(1).value()) : std::string("-");
    };
    for (const Row& row : rows) {
        INFO(row.why);
        LimitPolicy policy;
        policy.memory_low = row.low;
        policy.memory_min = row.low;
        policy.memory_high = row.high;
        policy.memory_rule = row.rule;
        const Limits limits = limits_of(four_cpus(), gpu_shape(), two_cores(), policy);
        CHECK(gibibytes(limits.memory_low) + " " + gibibytes(limits.memory_high) == row.low_high);
        CHECK(limits.memory_min == limits.memory_low);
    }
    LimitPolicy policy;
    policy.memory_low = gib(17);
    policy.memory_high = gib(3);
    NodePlacement no_memory = two_cores();
    no_memory.memory.clear();
    const Limits limits = limits_of(Request(), gpu_shape(), no_memory, policy);
    CHECK_FALSE(limits.memory_max);
    CHECK(limits.memory_low == gib(17));
    CHECK(limits.memory_high == gib(3));
}

TEST_CASE("Limits: what only the policy says", "[enforce][limits]") {
    LimitPolicy policy;
    policy.cpu_weight = Count(59);
    policy.partition = CpusetPartition::root;
    policy.io = {{.major = 8, .minor = 0, .read_bytes = mib(1)}};
    policy.io_weight = Count(1);
    policy.hugetlb = {{mib(2), mib(4)}};
    policy.rdma = {{"mlx5_0", Count(1), {}}};
    policy.misc = {{"sev", Count(1)}};
    const Limits limits = limits_of(four_cpus(), gpu_shape(), two_cores(), policy);
    CHECK(limits.cpu_weight == Count(59));
    CHECK(limits.partition == CpusetPartition::root);
    CHECK(limits.io == policy.io);
    CHECK(limits.io_weight == Count(1));
    CHECK(limits.hugetlb == policy.hugetlb);
    CHECK(limits.rdma == policy.rdma);
    CHECK(limits.misc == policy.misc);
    NodePlacement anywhere = two_cores();
    anywhere.milli_cpus = MilliCpu(1);
    CHECK(limits_of(four_cpus(), gpu_shape(), anywhere, policy).partition ==
          CpusetPartition::member);
    policy.requirements = Requirements::all(Requirement::skip);
    CHECK(limits_of(four_cpus(), gpu_shape(), two_cores(), policy) == Limits{});
    policy.requirements.cpu = Requirement::require;
    CHECK(limits_of(four_cpus(), gpu_shape(), two_cores(), policy).partition ==
          CpusetPartition::member);
}

TEST_CASE("Limits: what is skipped has no limit", "[enforce][limits]") {
    LimitPolicy policy;
    policy.has_cpu_quota = true;
    policy.pids_max = Count(512);
    const auto limits = [&] { return limits_of(four_cpus(), gpu_shape(), two_cores(), policy); };
    const Limits all = limits();

    policy.requirements.cpu = Requirement::skip;
    Limits expected = all;
    expected.cpus = {};
    expected.mems = {};
    expected.cpu_max = std::nullopt;
    CHECK(limits() == expected);

    policy.requirements = {};
    policy.requirements.memory = Requirement::skip;
    expected = all;
    expected.memory_max = std::nullopt;
    expected.swap_max = std::nullopt;
    expected.is_oom_group = false;
    CHECK(limits() == expected);

    policy.requirements = {};
    policy.requirements.swap = Requirement::skip;
    expected = all;
    expected.swap_max = std::nullopt;
    CHECK(limits() == expected);

    policy.requirements = Requirements::all(Requirement::skip);
    CHECK(limits() == Limits{});
    policy.requirements = Requirements::all(Requirement::best_effort);
    CHECK(limits() == all);
}

}  // namespace
