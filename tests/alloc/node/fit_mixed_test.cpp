// SPDX-License-Identifier: Apache-2.0
// fit() on nodes whose cores differ in their threads, or where a kind of core is named.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "alloc/node/detail/cores/own_tasks.hpp"
#include "support/catch.hpp"
#include "support/fit_agreement.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/node/explain_fit.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/granularity.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

/// 6 cores of two threads (0-5), 8 of one (6-13): 20 CPUs.
constexpr const char* hybrid_node = "6c2t+8e mem=32G";

NodeShape hybrid_shape(const char* text) { return *testing::node_from_text(text)->shape; }

NodeDemand cpus_asked(std::int64_t tasks, std::int64_t cpus_per_task) {
    NodeDemand demand;
    demand.tasks = Count(tasks);
    demand.cpus_per_task = Count(cpus_per_task);
    return demand;
}

enum class KindWish { prefer, require };

NodeDemand of_kind(NodeDemand demand, Core::Kind kind, KindWish wish) {
    (wish == KindWish::require ? demand.core_kind : demand.preferred_core_kind) = kind;
    return demand;
}

NodeDemand with(NodeDemand demand, void (*change)(NodeDemand&)) {
    change(demand);
    return demand;
}

std::string hybrid_text(const Verdict<NodePlacement>& answer) {
    return answer ? to_text(answer->cores) : to_text(answer.refusal());
}

struct HybridRow {
    const char* node;
    const char* taken;  ///< cores
    NodeDemand demand;
    const char* answer;
    const char* why;
};

void check_hybrid_rows(const std::vector<HybridRow>& rows) {
    for (const HybridRow& row : rows) {
        INFO(row.why);
        FitCase one;
        one.shape = hybrid_shape(row.node);
        if (*row.taken != '\0') one.taken.cores = *parse_set<CoreSet>(row.taken);
        one.demand = row.demand;
        const NodeLedger ledger = one.ledger();
        CHECK(hybrid_text(fit(one.shape, ledger, one.demand)) == row.answer);
    }
}

constexpr auto big_core = Core::Kind::performance;
constexpr auto small_core = Core::Kind::efficiency;
constexpr auto preferred_kind = KindWish::prefer;
constexpr auto required_kind = KindWish::require;

}  // namespace

TEST_CASE("fit: cores of unlike thread counts count what they have", "[alloc]") {
    check_hybrid_rows({
        {hybrid_node, "", cpus_asked(20, 1), "0-13", "all CPUs can be allocated"},
        {hybrid_node, "", cpus_asked(1, 20), "0-13", "the same for one task"},
        {hybrid_node, "", cpus_asked(10, 2), "0-13", "pairs of single threads too"},
        {hybrid_node, "", cpus_asked(4, 5), "0-13", "whatever the size of a task"},
        {hybrid_node, "0", cpus_asked(18, 1), "1-13", "18 of 18 available CPUs"},
        {hybrid_node, "", cpus_asked(1, 12), "0-5", "12 CPUs are 6 cores of two, not 17 threads"},
        {hybrid_node, "", cpus_asked(1, 1), "6", "one CPU is a core of one thread"},
        {hybrid_node, "", cpus_asked(1, 3), "0,6", "three are one of each, and none too many"},
        {hybrid_node, "6-13", cpus_asked(1, 3), "0-1", "one too many where there is no other"},
        {hybrid_node, "0-5", cpus_asked(1, 9), "cores: asked 9 CPUs, 8 of 20 are free",
         "what is free, in CPUs"},
        {hybrid_node, "", cpus_asked(21, 1), "cores: asked 21 CPUs (21 tasks), 20 of 20 are free",
         "never more than there are"},
        {hybrid_node, "",
         with(cpus_asked(14, 1), [](NodeDemand& d) { d.tasks_per_core = Count(1); }), "0-13",
         "a core each, whatever its threads"},
        {hybrid_node, "",
         with(cpus_asked(6, 3), [](NodeDemand& d) { d.tasks_per_core = Count(1); }), "0-11",
         "a core of two joined with one of one for each task"},
        {hybrid_node, "",
         with(cpus_asked(1, 6), [](NodeDemand& d) { d.threads_per_core = Count(2); }), "0-2",
         "two threads of each core: the others are left alone"},
        {hybrid_node, "",
         with(cpus_asked(1, 14), [](NodeDemand& d) { d.threads_per_core = Count(1); }), "0-13",
         "one thread of each core: all are alike"},
        {hybrid_node, "",
         with(cpus_asked(1, 14), [](NodeDemand& d) { d.threads_per_core = Count(2); }),
         "cores: asked 7 cores, 6 of 6 are free", "of these there are six"},
        {hybrid_node, "",
         with(cpus_asked(1, 1), [](NodeDemand& d) { d.threads_per_core = Count(3); }),
         "cores: asked 3 threads of each core, they have 2", "no core has them"},
        {hybrid_node, "",
         with(cpus_asked(1, 20), [](NodeDemand& d) { d.exclusivity = Exclusivity::whole_node; }),
         "0-13", "a whole node"},
        {"2s3c2t+4e", "",
         with(cpus_asked(20, 1), [](NodeDemand& d) { d.distribution = Distribution::cyclic; }),
         "0-13", "dealt to two packages"},
        {"2s3c2t+4e", "",
         with(cpus_asked(4, 5), [](NodeDemand& d) { d.distribution = Distribution::cyclic; }),
         "0-13", "two tasks on each"},
        {"2s3c2t+4e", "",
         with(cpus_asked(1, 20), [](NodeDemand& d) { d.distribution = Distribution::fcyclic; }),
         "0-13", "cores dealt in turn"},
        {"2s3c2t+4e", "",
         with(cpus_asked(4, 2), [](NodeDemand& d) { d.tasks_per_socket = Count(2); }), "0-1,7-8",
         "two tasks on each package"},
        {"2s3c2t+4e", "",
         with(cpus_asked(1, 10), [](NodeDemand& d) { d.core_locality = Strictness::require; }),
         "0-6", "all of one package"},
        {"2s3c2t+4e", "0",
         with(cpus_asked(1, 9), [](NodeDemand& d) { d.core_locality = Strictness::require; }),
         "7-12", "nine in one package, in fewest cores"},
    });
}

TEST_CASE("fit: the kind of core that is asked for", "[alloc]") {
    check_hybrid_rows({
        {hybrid_node, "", of_kind(cpus_asked(1, 12), big_core, required_kind), "0-5",
         "all of them"},
        {hybrid_node, "", of_kind(cpus_asked(1, 1), big_core, required_kind), "0",
         "a core is given whole"},
        {hybrid_node, "", of_kind(cpus_asked(1, 13), big_core, required_kind),
         "cores: asked 7 cores of kind performance, 6 of 6 are free", "no others"},
        {hybrid_node, "", of_kind(cpus_asked(1, 8), small_core, required_kind), "6-13",
         "the other kind"},
        {hybrid_node, "6", of_kind(cpus_asked(1, 8), small_core, required_kind),
         "cores: asked 8 cores of kind efficiency, 7 of 8 are free", "one is taken"},
        {hybrid_node, "", of_kind(cpus_asked(1, 1), big_core, preferred_kind), "0",
         "the kind before a thread"},
        {hybrid_node, "", of_kind(cpus_asked(1, 13), big_core, preferred_kind), "0-6",
         "as many as can be had"},
        {hybrid_node, "", of_kind(cpus_asked(1, 9), small_core, preferred_kind), "0,6-12",
         "one other, and none too many"},
        {hybrid_node, "0-5", of_kind(cpus_asked(1, 2), big_core, preferred_kind), "6-7",
         "others where none"},
        {hybrid_node, "",
         of_kind(of_kind(cpus_asked(1, 2), big_core, required_kind), small_core, preferred_kind),
         "0", "what is required goes first"},
        {"8c2t", "", of_kind(cpus_asked(1, 4), big_core, required_kind), "0-1",
         "cores that are alike are performance cores"},
        {"8c2t", "", of_kind(cpus_asked(1, 4), big_core, preferred_kind), "0-1",
         "and none is another"},
        {"8c2t", "", of_kind(cpus_asked(1, 4), small_core, preferred_kind), "0-1",
         "none is of the kind"},
        {"8c2t", "", of_kind(cpus_asked(1, 4), small_core, required_kind),
         "cores: asked 2 cores of kind efficiency, the node has none", "no efficiency cores"},
        {"4c+4e", "", of_kind(cpus_asked(1, 6), small_core, preferred_kind), "0-1,4-7",
         "cores of one thread all, of two kinds"},
        {"4c+4e", "", of_kind(cpus_asked(1, 2), small_core, required_kind), "4-5", "as on ARM"},
        {hybrid_node, "",
         with(of_kind(cpus_asked(1, 12), big_core, required_kind),
              [](NodeDemand& d) { d.exclusivity = Exclusivity::whole_node; }),
         "0-13", "a whole node gives the others too"},
        {hybrid_node, "",
         with(of_kind(cpus_asked(1, 13), big_core, required_kind),
              [](NodeDemand& d) { d.exclusivity = Exclusivity::whole_node; }),
         "cores: asked 7 cores of kind performance, 6 of 6 are free", "but they do not count"},
    });
}

TEST_CASE("fit: memory per CPU of a whole node is for the CPUs that the job has", "[alloc]") {
    struct Row {
        const char* node;
        std::int64_t threads_per_core;
        std::optional<Core::Kind> kind;
        std::int64_t memory;  ///< asked of each CPU, in GiB
        const char* answer;   ///< cores and all memory
        const char* why;
    };
    const std::vector<Row> rows{
        {"2c2t+2e mem=6G", 0, {}, 1, "0-3 6GiB", "two threads of two cores, one of two"},
        {"2c2t+2e mem=6G", 0, big_core, 1, "0-3 6GiB", "cores of the other kind come with it"},
        {"2c2t+2e mem=6G", 0, small_core, 1, "0-3 6GiB", "whichever kind is required"},
        {"2c2t+2e mem=6G", 2, {}, 1, "0-3 6GiB", "no second thread where there is one"},
        {"2c2t+2e mem=6G", 1, {}, 1, "0-3 4GiB", "one thread of each"},
        {"2c2t+2e mem=6G", 1, big_core, 1, "0-3 4GiB", "the same where a kind is required"},
        {"2c2t+2e mem=6G", 2, small_core, 1,
         "cores: asked 1 core of kind efficiency, the node has none",
         "no core of the kind has two threads"},
        {"2c2t+2e mem=5G", 0, big_core, 1,
         "memory: asked 6GiB of memory (1GiB a CPU), 5GiB of 5GiB are free",
         "a refusal counts the same"},
        {"2c2t+2e mem=5G",
         2,
         {},
         1,
         "memory: asked 6GiB of memory (1GiB a CPU), 5GiB of 5GiB are free",
         "with threads named too"},
        {"4c2t mem=8G", 0, {}, 1, "0-3 8GiB", "cores that are alike"},
        {"4c2t mem=8G", 1, {}, 2, "0-3 8GiB", "and one thread of each"},
        {"4c+2e mem=6G", 0, small_core, 1, "0-5 6GiB", "kinds of one thread each"},
    };
    Tally tally;
    for (const Row& row : rows) {
        INFO(row.why);
        FitCase one;
        one.shape = hybrid_shape(row.node);
        one.demand = cpus_asked(1, 1);
        one.demand.threads_per_core = Count(row.threads_per_core);
        one.demand.core_kind = row.kind;
        one.demand.exclusivity = Exclusivity::whole_node;
        one.demand.memory = gib(row.memory);
        one.demand.memory_per = Per::cpu;
        const auto answer = fit(one.shape, one.ledger(), one.demand);
        CHECK((answer ? hybrid_text(answer) + " " + to_text(answer->total_memory())
                      : hybrid_text(answer)) == row.answer);
        const std::string why = to_text(explain_fit(one.shape, one.ledger(), one.demand));
        const bool is_memory = std::string(row.answer).starts_with("memory");
        CHECK((why.find("asked 6GiB of memory") != why.npos) == is_memory);
        tally.add(agrees(one));
    }
}

TEST_CASE("fit: devices near cores of a whole node that do not count", "[alloc]") {
    struct Row {
        const char* near;  ///< cores that the GPU is near to
        std::int64_t threads_per_core;
        std::optional<Core::Kind> kind;
        std::int64_t cpus_each;  ///< cpus_per_device
        const char* answer;
        const char* why;
    };
    const std::vector<Row> rows{
        {"0-1", 2, {}, 2, "0-3", "two CPUs of the cores of two threads"},
        {"2-3", 2, {}, 0, "0-3", "a core is near, which the job has"},
        {"2-3", 2, {}, 1, "no", "cores of one thread count nothing where two are asked of each"},
        {"1-2", 2, {}, 2, "0-3", "one of the two counts, two CPUs"},
        {"1-2", 2, {}, 3, "no", "and not three"},
        {"2-3", 0, big_core, 1, "no", "cores of another kind count nothing"},
        {"2-3", 0, big_core, 0, "0-3", "but a core is near"},
        {"2-3", 0, {}, 2, "0-3", "each counts the threads that it has"},
        {"2-3", 0, {}, 3, "no", "two of one"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        FitCase one;
        one.shape = hybrid_shape("2c2t+2e");
        one.shape.devices = {plain_gpu(0, *parse_set<CoreSet>(row.near))};
        one.demand = cpus_asked(1, 1);
        one.demand.threads_per_core = Count(row.threads_per_core);
        one.demand.core_kind = row.kind;
        one.demand.exclusivity = Exclusivity::whole_node;
        one.demand.cpus_per_device = Count(row.cpus_each);
        one.demand.devices = {{DeviceRequest{}, Range<Count>::exactly(Count(1))}};
        one.demand.devices[0].request.locality = Strictness::require;
        const auto answer = fit(one.shape, one.ledger(), one.demand);
        CHECK((answer ? to_text(answer->cores) : "no") == row.answer);
        agrees(one);
    }
}

TEST_CASE("fit: whole nodes of unlike cores, devices near to some, at random", "[alloc][law]") {
    Tally tally;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(8'000u)}, [&](Choices& choices) {
        FitCase one = any_fit_case(choices);
        one.taken = {};
        one.in_row = {};
        one.demand.exclusivity = Exclusivity::whole_node;
        one.demand.threads_per_core = detail::any_count(choices, {0, 3});
        one.demand.cpus_per_device = detail::any_count(choices, {0, 4});
        for (NodeDemand::Device& device : one.demand.devices) {
            device.request.locality = choices.one_in(2) ? Strictness::require : Strictness::prefer;
        }
        tally.add(agrees(one));
    });
}

TEST_CASE("explain_fit: a kind of core that is too few is named", "[alloc]") {
    const NodeShape shape = hybrid_shape(hybrid_node);
    const NodeDemand demand = of_kind(cpus_asked(1, 13), big_core, required_kind);
    const FitExplanation why = explain_fit(shape, NodeLedger(shape), demand);
    const std::string text = to_text(why);
    INFO(text);
    CHECK(text.find("performance cores") != text.npos);
    CHECK(text.find("not performance cores") != text.npos);
    CHECK(text.find("on cores of any kind") != text.npos);
    const FitExplanation cpus = explain_fit(shape, NodeLedger(shape), cpus_asked(1, 21));
    CHECK(to_text(cpus).find("asked 21 CPUs, 20 of 20 are free") != text.npos);
}

TEST_CASE("fit: law: as many CPUs as are free can be allocated, and exactly as many as asked",
          "[alloc]") {
    // In each granularity: threads, cores, and whole packages of unlike sizes.
    const NodeShape shape = hybrid_shape("2s3c2t+4e mem=32G");
    for (const HardwareLevel level : {HardwareLevel::thread, HardwareLevel::core}) {
        const NodeShape units = with_granularity(shape, level);
        for (std::int64_t cpus = 1; cpus <= 20; ++cpus) {
            const auto answer = fit(units, NodeLedger(units), cpus_asked(1, cpus));
            REQUIRE(answer);
            CHECK(units.hardware.threads_of(answer->cores).count() == cpus);
        }
    }
    NodeShape uneven = shape;
    uneven.system_cores = CoreSet::of({CoreId(0)});
    const NodeShape packages = with_granularity(uneven, HardwareLevel::package);
    const auto answer = fit(packages, NodeLedger(packages), cpus_asked(1, 18));
    REQUIRE(answer);
    CHECK(packages.hardware.threads_of(answer->cores).count() == 18);
}

TEST_CASE("fit: all occupancies of a hybrid node as the oracle says", "[alloc][unsanitized]") {
    Tally tally;
    for (const char* text : {"2c2t+3e mem=6B gpu:2", "2s1c2t+2e mem=6B gpu:2", "3c+2e mem=6B"}) {
        FitCase one;
        one.shape = hybrid_shape(text);
        const std::uint32_t cores = one.shape.hardware.core_count();
        for (std::uint32_t mask = 0; mask >> cores == 0; ++mask) {
            one.taken.cores.clear();
            for (std::uint32_t i = 0; i < cores; ++i) {
                if ((mask >> i & 1) != 0) one.taken.cores.insert(CoreId(i));
            }
            for (std::int64_t tasks = 1; tasks <= 4; ++tasks) {
                for (std::int64_t cpus = 1; cpus <= 4; ++cpus) {
                    one.demand = cpus_asked(tasks, cpus);
                    tally.add(agrees(one));
                    one.demand.distribution = Distribution::cyclic;
                    tally.add(agrees(one));
                    one.demand.distribution = Distribution::fcyclic;
                    tally.add(agrees(one));
                    one.demand.distribution = Distribution::block;
                    one.demand.tasks_per_core = Count(1);
                    tally.add(agrees(one));
                    for (const Core::Kind kind : {big_core, small_core}) {
                        for (const KindWish wish : {preferred_kind, required_kind}) {
                            one.demand = of_kind(cpus_asked(tasks, cpus), kind, wish);
                            tally.add(agrees(one));
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("own_tasks: tasks on cores of their own", "[alloc]") {
    struct Row {
        std::vector<AlikeCores> cores;
        std::int64_t cpus;
        std::int64_t tasks_per_core;
        std::int64_t most;
        const char* why;
    };
    const std::vector<Row> rows{
        {{{2, 6}, {1, 8}}, 1, 0, 20, "a task each thread"},
        {{{2, 6}, {1, 8}}, 1, 1, 14, "a task each core"},
        {{{2, 6}, {1, 8}}, 2, 0, 10, "larger cores alone, smaller ones in pairs"},
        {{{2, 6}, {1, 8}}, 3, 0, 6, "a larger one with a smaller one"},
        {{{2, 2}, {1, 2}}, 3, 0, 2, "not the two larger ones together"},
        {{{2, 3}}, 3, 0, 1, "cores of one kind: the third is left over"},
        {{{5, 1}, {3, 1}, {2, 2}, {1, 1}}, 6, 0, 2, "5 + 1 and 3 + 2 + 2"},
        {{{2, 0}, {1, 0}}, 3, 0, 0, "none"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const OwnTasks own(row.cores, Count(row.cpus), Count(row.tasks_per_core));
        OwnTasks::Counts counts;
        for (const AlikeCores& one : row.cores) counts.push_back(one.count);
        CHECK(own.most(counts) == row.most);
    }
    // More kinds than a table holds: joined largest first, and never more than there are.
    std::vector<AlikeCores> many;
    for (std::int64_t cpus = 1; cpus <= 12; ++cpus) many.push_back({cpus, 50});
    const OwnTasks own(many, Count(13), Count());
    const std::int64_t most = own.most(OwnTasks::Counts(12, 50));
    CHECK(most > 200);
    CHECK(most <= 50 * 78 / 13);
}

}  // namespace trestle
