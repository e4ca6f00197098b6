// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/plan_update.hpp"

#include <algorithm>
#include <functional>

#include "enforce/detail/step_parts.hpp"
#include "enforce/detail/steps_back.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/golden.hpp"
#include "support/gpu_node.hpp"
#include "support/oracle_update.hpp"
#include "support/seed.hpp"
#include "support/update_world.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/enforce/memory_enforcer.hpp"
#include "trestle/enforce/plan_diff.hpp"

namespace {

using namespace trestle;

static_assert(lists_all_fields<PlanUpdate> && lists_all_fields<UpdateStep>);

/// No moment on the way, and on the way back from anywhere, is looser than both plans; it ends
/// where it should, and leads back to where it began. Empty, or what is wrong.
std::string breach_of(const Plan& from, const Plan& to) {
    const auto update = plan_update(from, to);
    if (!update.ok()) return std::string(message(update.status()));
    const GroupModel before = GroupModel::of(from), after = GroupModel::of(to);
    const auto is_lawful = [&](const GroupModel& state) {
        return update_oracle::is_within(state, before) || update_oracle::is_within(state, after);
    };
    GroupModel state = before;
    for (std::size_t done = 0; done <= update->steps.size(); ++done) {
        GroupModel back = state;
        for (const Step& step : steps_back(*update, done)) {
            back.run(step);
            if (!is_lawful(back)) return "looser on the way back from " + std::to_string(done);
        }
        if (!update_oracle::is_same(back, before)) {
            return "not back from " + std::to_string(done);
        }
        if (done == update->steps.size()) break;
        state.run(update->steps[done].step);
        if (!is_lawful(state)) return "looser after step " + std::to_string(done + 1);
    }
    if (!update_oracle::is_same(state, after)) return "does not arrive";
    if (from == to && !update->steps.empty()) return "steps between equal plans";
    const bool has_freeze =
        std::any_of(update->steps.begin(), update->steps.end(), [](const UpdateStep& one) {
            const auto* set = action_of<Step::SetFrozen>(one.step);
            return set != nullptr && set->is_frozen;
        });
    const bool is_one_way =
        update_oracle::is_within(before, after) || update_oracle::is_within(after, before);
    return has_freeze && is_one_way ? "frozen for nothing" : "";
}

/// All pairs of plans of a small world.
void check_world(const std::vector<FileWorld>& world,
                 const std::vector<DeviceAllowList>& filters = {}) {
    const std::size_t count = choice_count(world, filters);
    std::vector<Plan> plans;
    for (std::size_t choice = 0; choice < count; ++choice) {
        plans.push_back(plan_of_choice(world, filters, choice));
    }
    for (const Plan& from : plans) {
        for (const Plan& to : plans) {
            const std::string breach = breach_of(from, to);
            if (breach.empty()) continue;
            FAIL(breach << "\n" << to_text(from) << to_text(to));
        }
    }
    SUCCEED();
}

TEST_CASE("plan_update: no moment is looser than both, in every small world",
          "[enforce][update][law][unsanitized]") {
    SECTION("CPUs, memory nodes and partitions") {
        check_world({{"cpuset.cpus", {"0-1", "1-2", "4"}},
                     {"cpuset.mems", {"0", "1"}},
                     {"cpuset.cpus.partition", {"root", "isolated"}}});
    }
    SECTION("memory") {
        check_world({{"memory.max", {"1000", "2000"}},
                     {"memory.high", {"500", "900"}},
                     {"memory.low", {"10", "20"}},
                     {"memory.oom.group", {"1"}}});
    }
    SECTION("time, weights and CPUs") {
        check_world({{"cpu.max", {"9000 1000000", "50000 100000"}},
                     {"cpu.weight", {"50", "200"}},
                     {"io.weight", {"default 1", "default 10000"}},
                     {"cpuset.cpus", {"0-1", "2"}}});
    }
    SECTION("lines that are neither tighter nor looser") {
        check_world(
            {{"io.max",
              {"8:0 rbps=1 wbps=max riops=5 wiops=max", "8:0 rbps=2 wbps=max riops=max wiops=7"}},
             {"rdma.max",
              {"mlx5_0 hca_handle=2 hca_object=max", "mlx5_0 hca_handle=9 hca_object=4"}},
             {"misc.max", {"sev 1", "sev 2"}},
             {"hugetlb.2MB.max", {"0", "2097152"}}});
    }
    SECTION("devices beside what has nothing in common") {
        check_world({{"cpuset.cpus", {"0", "1"}}, {"pids.max", {"10", "20"}}}, filter_world());
    }
}

TEST_CASE("plan_update: no moment is looser than both, on real plans", "[enforce][update][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    const auto draw = [&] {
        const auto one_in = [&](std::uint64_t n) { return rng.below(n) == 0; };
        const auto count = [&](std::int64_t scale) {
            return Count(scale * static_cast<std::int64_t>(1 + rng.below(3)));
        };
        const auto bytes = [&] { return mib(static_cast<std::int64_t>(1 + rng.below(3)) * 2); };
        LimitPolicy policy;
        policy.source = LimitPolicy::Source::capacity;
        policy.swap = one_in(2) ? gib(1) : Bytes();
        policy.has_oom_group = one_in(2);
        policy.has_cpu_quota = one_in(2);
        if (one_in(2)) policy.pids_max = count(100);
        if (one_in(2)) policy.cpu_weight = count(60);
        if (one_in(2)) policy.memory_low = bytes();
        if (one_in(2)) policy.memory_min = bytes();
        if (one_in(2)) policy.memory_high = bytes();
        if (one_in(2)) policy.io_weight = count(60);
        if (one_in(2)) policy.hugetlb = {{mib(2), bytes()}};
        if (one_in(2)) policy.misc = {{"sev", count(1)}};
        for (std::uint32_t disk = 0; disk < 2; ++disk) {
            if (one_in(2)) continue;
            const Bytes read_bytes = bytes();
            policy.io.push_back({.major = 8, .minor = disk * 16, .read_bytes = read_bytes});
            if (one_in(2)) policy.io.back().writes = count(10);
        }
        if (one_in(4)) policy.requirements.devices = Requirement::skip;
        if (one_in(4)) policy.requirements.cpu = Requirement::skip;
        const bool has_cpus = policy.requirements.cpu != Requirement::skip;
        if (has_cpus && one_in(2)) policy.partition = CpusetPartition::root;
        NodePlacement placement;
        const auto first = static_cast<std::uint32_t>(rng.below(4));
        placement.cores = CoreSet::range({first, first + 2});
        const auto domain = static_cast<std::uint32_t>(rng.below(2));
        placement.memory = {{DomainId(domain), bytes()}};
        for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
            if (one_in(2)) placement.devices.push_back({DeviceId(gpu), Count(1)});
        }
        PlanOptions options;
        options.group = "job";
        return plan(gpu_node(), placement, Request(), policy, options).value();
    };
    for (int round = 0; round < 150; ++round) {
        const Plan from = draw();
        const Plan to = draw();
        const std::string breach = breach_of(from, to);
        if (!breach.empty()) FAIL(breach << "\n" << to_text(from) << to_text(to));
    }
    SUCCEED();
}

Plan real_plan(const NodePlacement& placement, const LimitPolicy& policy) {
    PlanOptions options;
    options.group = "job_42";
    return plan(gpu_node(), placement, Request(), policy, options).value();
}

TEST_CASE("plan_update: golden updates", "[enforce][update][golden]") {
    LimitPolicy policy;
    policy.source = LimitPolicy::Source::capacity;
    NodePlacement more = two_gpus();
    more.memory = {{DomainId(0), gib(8)}, {DomainId(1), gib(120)}};
    more.cores = CoreSet::range({8, 16});
    NodePlacement other = two_gpus();
    other.cores = CoreSet::range({0, 4});
    other.memory = {{DomainId(0), gib(64)}};
    other.devices = {{DeviceId(0), Count(1)}, {DeviceId(2), Count(1)}};
    NodePlacement moved = other;
    moved.cores = CoreSet::range({8, 10});
    moved.memory = {{DomainId(1), gib(16)}};
    LimitPolicy richer = policy;
    richer.pids_max = Count(100);
    richer.partition = CpusetPartition::root;
    const auto text = [&](const Plan& from, const Plan& to) {
        return to_text(plan_update(from, to).value());
    };
    check_golden("update_grow.txt", text(real_plan(two_gpus(), policy), real_plan(more, policy)));
    check_golden("update_shrink.txt", text(real_plan(more, policy), real_plan(two_gpus(), policy)));
    check_golden("update_move.txt", text(real_plan(two_gpus(), policy), real_plan(other, policy)));
    check_golden("update_far.txt", text(real_plan(other, policy), real_plan(moved, richer)));
}

TEST_CASE("plan_update: equal plans need nothing, plans of two groups are refused",
          "[enforce][update]") {
    const Plan one = real_plan(two_gpus(), {});
    CHECK(plan_update(one, one).value() == PlanUpdate{one.owner, one.group, {}, {}});
    Plan other = one;
    other.group = "job_43";
    const auto refused = plan_update(one, other);
    CHECK(refused.status().code() == StatusCode::kInvalidArgument);
    CHECK(message(refused.status()) ==
          "plan job_42: the other is for job_43, expected plans of one group");
}

TEST_CASE("plan_update: what one plan alone limits goes to and from the kernel's default",
          "[enforce][update]") {
    const std::pair<Limit, const char*> rows[] = {
        {CpuTimeLimit{MilliCpu(500)}, "write job/cpu.max = max 100000"},
        {CpusLimit{PuSet::of({OsIndex(1)})}, "write job/cpuset.cpus = "},
        {PartitionLimit{CpusetPartition::root}, "write job/cpuset.cpus.partition = member"},
        {CpuWeightLimit{Count(7)}, "write job/cpu.weight = 100"},
        {MemoryLimit{MemoryLimit::File::max, gib(1)}, "write job/memory.max = max"},
        {MemoryLimit{MemoryLimit::File::low, gib(1)}, "write job/memory.low = 0"},
        {OomGroupLimit{true}, "write job/memory.oom.group = 0"},
        {PidsLimit{Count(7)}, "write job/pids.max = max"},
        {IoLimit{8, 16, mib(1)}, "write job/io.max = 8:16 rbps=max wbps=max riops=max wiops=max"},
        {IoWeightLimit{Count(7)}, "write job/io.weight = default 100"},
        {HugetlbLimit{mib(2), mib(4)}, "write job/hugetlb.2MB.max = max"},
        {HugetlbReservation{gib(1), gib(2)}, "write job/hugetlb.1GB.rsvd.max = max"},
        {RdmaLimit{"mlx5_0", Count(1)},
         "write job/rdma.max = mlx5_0 hca_handle=max hca_object=max"},
        {MiscLimit{"sev", Count(1)}, "write job/misc.max = sev max"},
    };
    CHECK(std::size(rows) == std::variant_size_v<Limit>);
    for (const auto& [limit, back] : rows) {
        INFO(back);
        Plan none, one;
        none.group = one.group = "job";
        one.steps = {{Step::SetLimit{limit}, Requirement::require, "some", "job"}};
        const PlanUpdate update = plan_update(none, one).value();
        REQUIRE(update.steps.size() == 1);
        CHECK(update.steps[0].step == one.steps[0]);
        CHECK(to_text(*update.steps[0].inverse) == back);
        const PlanUpdate undone = plan_update(one, none).value();
        REQUIRE(undone.steps.size() == 1);
        CHECK(to_text(undone.steps[0].step) == back);
        CHECK(limits_of({undone.steps[0].step}, "job").io.empty());
    }
}

TEST_CASE("plan_update: what processes are started with holds for new ones", "[enforce][update]") {
    const Plan from = real_plan(two_cores(), {});
    NodePlacement more = two_cores();
    more.cores.insert(CoreId(2));
    const Plan to = real_plan(more, {});
    CHECK(plan_update(from, to).value().for_new_processes ==
          std::vector<std::string>{"- process affinity 0-1,16-17", "+ process affinity 0-2,16-18"});
}

TEST_CASE("plan_update: a new owner is a new label, and what no step does is reported",
          "[enforce][update]") {
    PlanOptions options;
    options.group = "job_42";
    options.owner = OwnerId(1);
    const Plan from = plan(gpu_node(), two_cores(), Request(), {}, options).value();
    options.owner = OwnerId(2);
    Plan to = plan(gpu_node(), two_cores(), Request(), {}, options).value();
    to.end.time_limit = Seconds(60);
    to.shm_size = gib(1);
    CHECK(to_text(plan_update(from, to).value()) ==
          "  1 label job_42 with owner 2 (best effort)\n"
          "    back: label job_42 with owner 1 (best effort)\n"
          "besides + shm 1GiB\n"
          "besides - time without limit; end by SIGTERM to every process, after 30 s SIGKILL\n"
          "besides + time 60 s; end by SIGTERM to every process, after 30 s SIGKILL\n");
    MemoryEnforcer enforcer;
    REQUIRE(enforcer.apply(from).ok());
    REQUIRE(enforcer.update(plan_update(from, to).value()).ok());
    CHECK(enforcer.recover().value().front().owner == OwnerId(2));
    CHECK(enforcer.verify(to).value().empty());
}

TEST_CASE("plan_update: what cannot change is named", "[enforce][update]") {
    PlanOptions options;
    options.group = "job_42";
    options.owner = OwnerId(1);
    options.scratch = Scratch{"/scratch"};
    const Plan from = plan(gpu_node(), two_cores(), Request(), {}, options).value();
    struct Row {
        const char* why;
        std::function<void(Plan&)> change;
        std::string says;
    };
    const auto scratch_of = [](Plan& plan) -> Scratch::Directory& {
        return action_of<Step::MakeScratch>(plan.steps.back())->directory;
    };
    const auto drop = [](Plan& plan, std::string_view kind) {
        std::erase_if(plan.steps, [&](const Step& step) { return kind_of(step.action) == kind; });
    };
    const Row rows[] = {
        {"processes use the directory", [&](Plan& to) { scratch_of(to).root = "/other"; },
         "its scratch directory cannot change: make scratch /scratch/job_42 for job_42 before, "
         "make scratch /other/job_42 for job_42 after"},
        {"they would lose it", [&](Plan& to) { drop(to, Step::MakeScratch::kind); },
         "for job_42 before, none"},
        {"the group is there", [&](Plan& to) { drop(to, Step::MakeGroup::kind); },
         "its group cannot change: make group job_42 before, none after"},
        {"a label stays", [&](Plan& to) { drop(to, Step::LabelGroup::kind); },
         "its label cannot be taken away: label job_42 with owner 1 (best effort) before"},
        {"nobody would be told", [](Plan& to) { to.owner = OwnerId(2); },
         "owner 1 cannot become 2: no step labels the group so"},
        {"another group", [](Plan& to) { to.steps.back().group = "job_43"; },
         "it is for \"job_43\", expected the plan's group"},
        {"a freeze is a call", [](Plan& to) { to.steps.back().action = Step::SetFrozen{true}; },
         "freeze job_42: no step of a plan to update"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Plan to = from;
        row.change(to);
        const Status refused = plan_update(from, to).status();
        CHECK(refused.code() == StatusCode::kInvalidArgument);
        CHECK_THAT(std::string(message(refused)), Catch::Matchers::StartsWith("plan job_42: "));
        CHECK_THAT(std::string(message(refused)), Catch::Matchers::ContainsSubstring(row.says));
    }
}

TEST_CASE("steps_back: no more steps than there are", "[enforce][update]") {
    CHECK(steps_back({}, 0).empty());
    CHECK(broken_contract([] { (void)steps_back({}, 1); }) ==
          "no more steps were done than there are");
}

TEST_CASE("plan_diff: all that a plan carries, also what no step does", "[enforce][plan]") {
    const Plan from = real_plan(two_gpus(), {});
    Plan to = from;
    to.owner = OwnerId(7);
    to.devices.pop_back();
    to.disk = Range<Bytes>{gib(10), {}};
    to.end.end_signal = 2;
    to.folders = {"/dev/infiniband"};
    to.shortfalls = {{"pids", "write job_42/pids.max = 3", "no controller pids"}};
    const std::vector<std::string> expected{
        "- owner 0",
        "+ owner 7",
        "- device gpu 3",
        "+ disk 10GiB..",
        "- time without limit; end by SIGTERM to every process, after 30 s SIGKILL",
        "+ time without limit; end by SIGINT to every process, after 30 s SIGKILL",
        "+ folder /dev/infiniband",
        "+ not enforced write job_42/pids.max = 3: no controller pids"};
    CHECK(plan_diff(from, to) == expected);
    Plan renamed = from;
    renamed.devices.front().model = "A100";
    const auto lines = plan_diff(from, renamed);  // that the line of a device leaves out
    REQUIRE(lines.size() == 2);
    CHECK_THAT(lines[1], Catch::Matchers::ContainsSubstring("model=A100"));
}

TEST_CASE("plan_diff: what only one plan has, in order", "[enforce][plan]") {
    LimitPolicy policy;
    const Plan from = real_plan(two_cores(), policy);
    CHECK(plan_diff(from, from).empty());
    policy.pids_max = Count(10);
    policy.has_oom_group = false;
    CHECK(plan_diff(from, real_plan(two_cores(), policy)) ==
          std::vector<std::string>{"+ enable pids below /", "+ write job_42/pids.max = 10"});
    Request request = four_cpus();
    PlanOptions options;
    options.group = "job_42";
    options.environment = {{"A", "1"}};
    policy = {};
    const Plan limited = plan(gpu_node(), two_cores(), request, policy, options).value();
    policy.swap = gib(1);
    options.environment = {{"A", "2"}};
    const Plan swapping = plan(gpu_node(), two_cores(), request, policy, options).value();
    const std::vector<std::string> lines = plan_diff(limited, swapping);
    REQUIRE(lines.size() == 4);
    CHECK(lines[0] == "- write job_42/memory.swap.max = 0");
    CHECK(lines[1] == "+ write job_42/memory.swap.max = 1073741824");
}

}  // namespace
