// SPDX-License-Identifier: Apache-2.0
// A controller's jobs of several components, jobs that change their size, and what jobs count as.
#include "trestle/dialect/slurm/choice/controller.hpp"

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"

namespace trestle {
namespace {

static_assert(lists_all_fields<slurm::GresPart> && lists_all_fields<slurm::GresDetail> &&
              lists_all_fields<slurm::TresRules> && lists_all_fields<slurm::ClientView> &&
              lists_all_fields<slurm::Decision>);

using slurm::Answer;
using slurm::Controller;
using slurm::Decision;

/// Four nodes of eight cores and four GPUs, two types of them on n3, and a network card that counts
/// bandwidth.
Controller four_node_controller(slurm::TypedCounts typed = slurm::TypedCounts::by_device,
                                std::string_view more = "") {
    const std::string slurm_conf = fmt::format(
        "SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu,lic\nDefMemPerCPU=1000\n"
        "Licenses=matlab:3\n{}\n"
        "NodeName=n[0-2] Sockets=2 CoresPerSocket=4 RealMemory=64000 Gres=gpu:a100:4,lic:8\n"
        "NodeName=n3 Sockets=2 CoresPerSocket=4 RealMemory=64000 Gres=gpu:a100:2,gpu:h100:2\n"
        "PartitionName=p Nodes=ALL Default=YES TRESBillingWeights=CPU=1,GRES/gpu=10\n",
        more);
    auto made = Controller::create(
        {.slurm_conf = slurm_conf,
         .gres_conf = "NodeName=n[0-2] Name=gpu Type=a100 File=/dev/nvidia[0-3]\n"
                      "NodeName=n3 Name=gpu Type=a100 File=/dev/nvidia[0-1]\n"
                      "NodeName=n3 Name=gpu Type=h100 File=/dev/nvidia[2-3]\n"},
        slurm::default_release, typed);
    INFO(message(made.status()));
    REQUIRE(made.ok());
    return *std::move(made);
}

Decision decision_on(Controller& controller, std::string_view options) {
    auto decision = controller.submit(options);
    INFO(options << ": " << message(decision.status()));
    REQUIRE(decision.ok());
    INFO(decision->message);
    REQUIRE(decision->answer == Answer::allocated);
    return *std::move(decision);
}

std::string text_of(const std::vector<slurm::NodeGrant>& grants) {
    std::vector<std::string> texts;
    for (const slurm::NodeGrant& grant : grants) texts.push_back(to_text(grant));
    return fmt::format("{}", fmt::join(texts, "\n"));
}

std::string now_of(const Controller& controller, OwnerId owner) {
    const auto grants = controller.grants(owner);
    return grants.ok() ? text_of(*grants) : std::string(message(grants.status()));
}

/// `allocated n0; pending Resources; ...`, with the message of what was not allocated.
std::string text_of(const std::vector<Decision>& decisions) {
    std::vector<std::string> texts;
    for (const Decision& one : decisions) {
        std::string text(to_text(one.answer));
        for (const slurm::NodeGrant& grant : one.grants) text += " " + grant.node;
        if (one.answer == Answer::pending) text += " " + std::string(to_text(one.reason));
        if (!one.message.empty()) text += " (" + one.message + ")";
        texts.push_back(text);
    }
    return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

TEST_CASE("Slurm controller: components are allocated together or not at all", "[dialect][slurm]") {
    struct Row {
        const char* options;
        const char* expected;
        const char* why;
    };
    const char* const in_use =
        "--nodes=2: of partition p 1 of 4 nodes is idle, as a job of whole nodes needs it";
    const std::string waits = fmt::format("pending Resources ({})", in_use);
    const std::string beside = fmt::format("pending None (component 1 waits: {})", in_use);
    const Row rows[] = {
        {"-n 1 : -n 2 --gres=gpu:h100:1", "allocated n0; allocated n3", "each has its own options"},
        {"-n 8 : -n 8", "allocated n0; allocated n1", "the second sees what the first has"},
        {"-N 3 -n 24 : -n 1", "allocated n0 n1 n2; allocated n3", "of several nodes"},
        {"-N 3 --exclusive : -N 2 --exclusive", nullptr, "one waits, so do both"},
        {"-n 1 : --gres=gpu:h100:3 -N 1",
         "refused (component 1: --gres=gpu:h100:3: a node of partition p has at most 2); refused "
         "(--gres=gpu:h100:3: a node of partition p has at most 2)",
         "one can never run"},
        {"-n 1 : -n 0", "refused (word 5: --ntasks: zero", "text that cannot be read"},
        {"-n 1", "allocated n0", "a job of one component"},
    };
    for (const Row& row : rows) {
        INFO(row.options << ": " << row.why);
        Controller controller = four_node_controller();
        const Cluster before = controller.cluster();
        const auto decisions = controller.submit_all(row.options);
        REQUIRE(decisions.ok());
        const std::string text = text_of(*decisions);
        if (row.expected == nullptr) {
            CHECK(text == beside + "; " + waits);
        } else {
            CHECK_THAT(text, Catch::Matchers::Contains(row.expected));
        }
        const bool is_allocated = decisions->front().answer == Answer::allocated;
        CHECK((controller.cluster() == before) != is_allocated);
        for (std::size_t i = 0; i < decisions->size(); ++i) {
            const Decision& one = (*decisions)[i];
            CHECK(one.owner == (is_allocated ? std::optional(OwnerId(i + 1)) : std::nullopt));
            CHECK(one.grants.empty() != is_allocated);
            CHECK(one.tres.entries.empty() != is_allocated);
        }
        CHECK(decision_on(controller, "-n 1").owner ==
              OwnerId(is_allocated ? decisions->size() + 1 : 1));
    }
}

TEST_CASE("Slurm controller: the components of a script", "[dialect][slurm]") {
    const auto submission = slurm::parse_script(
        "#!/bin/bash\n#SBATCH -n 2\n#SBATCH hetjob\n#SBATCH --gres=gpu:h100:1\nsrun a : b\n");
    REQUIRE(submission.ok());
    Controller controller = four_node_controller();
    const auto decisions = controller.submit_all(*submission);
    REQUIRE(decisions.ok());
    CHECK(text_of(*decisions) == "allocated n0; allocated n3");
    for (const Decision& one : *decisions) CHECK(controller.release(*one.owner).ok());
    CHECK(controller.cluster() == four_node_controller().cluster());
}

TEST_CASE("Slurm controller: a job gives nodes back and keeps the rest", "[dialect][slurm]") {
    Controller controller = four_node_controller();
    const OwnerId owner = *decision_on(controller, "-N 3 -n 9 -G 9 -L matlab:2").owner;
    REQUIRE(decision_on(controller, "-n 1 -w n3").owner == OwnerId(2));
    const std::string all = now_of(controller, owner);
    auto job = controller.job(owner);
    REQUIRE(job.ok());
    CHECK(job->nodes().size() == 3);
    REQUIRE(job->start({StepId(0), JobStep::Use::alone, {{job->nodes()[1].granted}}}).ok());

    const Cluster before = controller.cluster();
    const JobState known = *job;
    const auto refusal_keeping = [&](const char* keep) {
        slurm::Hostlist list;
        if (*keep != '\0') list = slurm::Hostlist::parse(keep).value();
        const Status status = controller.shrink(*job, list);
        CHECK_FALSE(status.ok());
        CHECK(controller.cluster() == before);
        CHECK(*job == known);
        return std::string(message(status));
    };
    CHECK(refusal_keeping("") == "no node would be left, expected one or more");
    CHECK(refusal_keeping("n9") == "unknown node n9");
    CHECK(refusal_keeping("n[0,3]") == "node n3 is not the job's");
    CHECK(refusal_keeping("n0") == "node n1: step 0 runs there");

    REQUIRE(controller.shrink(*job, slurm::Hostlist::parse("n[1,2]").value()).ok());
    CHECK(all.find(now_of(controller, owner)) != std::string::npos);  // unchanged, and uneven
    CHECK(job->nodes().size() == 2);
    CHECK(job->steps().size() == 1);
    CHECK(controller.cluster().free_counts().front().count == Count(1));  // licences stay
    REQUIRE(controller.shrink(*job, slurm::Hostlist::parse("n[1-2]").value()).ok());
    CHECK(controller.job(owner)->nodes() == controller.job(owner)->nodes());

    JobState stale = *job;
    REQUIRE(job->end(StepId(0)).ok());
    REQUIRE(controller.shrink(*job, slurm::Hostlist::parse("n2").value()).ok());
    CHECK(message(controller.shrink(stale, slurm::Hostlist::parse("n1").value())) ==
          "the job is not what owner 1 has");
    REQUIRE(controller.release(owner).ok());
    CHECK(message(controller.shrink(*job, slurm::Hostlist::parse("n2").value())) ==
          "owner 1 has no allocation");
    CHECK(message(controller.job(owner).status()) == "owner 1 has no allocation");
    CHECK(now_of(controller, owner) == "owner 1 has no allocation");
}

TEST_CASE("Slurm controller: a job grows by what another releases into it", "[dialect][slurm]") {
    Controller controller = four_node_controller();
    const OwnerId owner = *decision_on(controller, "-n 2 -G 1 --mem=1000 -w n0").owner;
    const OwnerId donor =
        *decision_on(controller, "-N 2 -n 5 --gpus-per-node=2 --mem=2000 -w n[0-1] -L matlab:1")
             .owner;
    auto job = controller.job(owner);
    auto other = controller.job(donor);
    REQUIRE(job.ok());
    REQUIRE(other.ok());
    REQUIRE(job->start({StepId(3), JobStep::Use::alone, {{job->nodes()[0].granted}}}).ok());

    const Cluster before = controller.cluster();
    const JobState known = *job;
    const auto refusal_from = [&](const JobState& from) {
        const Status status = controller.grow(*job, from);
        CHECK_FALSE(status.ok());
        CHECK(controller.cluster() == before);
        CHECK(*job == known);
        return std::string(message(status));
    };
    CHECK(refusal_from(*job) == "owner 1 cannot grow by itself");
    JobState busy = *other;
    REQUIRE(busy.start({StepId(7), JobStep::Use::alone, {{busy.nodes()[1].granted}}}).ok());
    CHECK(refusal_from(busy) == "step 7 of owner 2 runs");
    JobState smaller = *other;
    REQUIRE(smaller.remove_node(smaller.nodes()[0].granted.node).ok());
    CHECK(refusal_from(smaller) == "the job is not what owner 2 has");

    REQUIRE(controller.grow(*job, *other).ok());
    CHECK(now_of(controller, donor) == "owner 2 has no allocation");
    CHECK(now_of(controller, owner) ==
          "Nodes=n0 CPU_IDs=0-2,4-6 Mem=3000 GRES=gpu:a100:3(IDX:0-2)\n"
          "Nodes=n1 CPU_IDs=0 Mem=2000 GRES=gpu:a100:2(IDX:0-1)");
    CHECK(controller.cluster().free_counts().front().count == Count(2));
    CHECK(job->allocation().placement.nodes ==
          controller.cluster().find_allocation(owner)->placement.nodes);
    // A plan limits each node to what it gives now, not to what the job had before.
    const auto grown = Range<Bytes>::exactly(Bytes(std::int64_t{3000} << 20));
    CHECK(job->allocation().request->memory == grown);
    CHECK(controller.cluster().find_allocation(owner)->request->memory == grown);
    CHECK(job->nodes()[0].free.shares_of(DeviceId(0)) == Count());  // the step's
    CHECK(job->nodes()[0].free.shares_of(DeviceId(1)) == Count(1));

    REQUIRE(job->end(StepId(3)).ok());
    REQUIRE(controller.shrink(*job, slurm::Hostlist::parse("n1").value()).ok());
    REQUIRE(controller.release(owner).ok());
    CHECK(controller.cluster() == four_node_controller().cluster());
}

TEST_CASE("Slurm controller: what jobs count as", "[dialect][slurm]") {
    struct Row {
        const char* tracked;
        const char* options;
        const char* by_device;
        const char* by_request;
        const char* why;
    };
    const Row rows[] = {
        {"gres/gpu", "-n 2 --gres=gpu:2", "cpu=2,mem=2000M,node=1,billing=22,gres/gpu=2",
         "cpu=2,mem=2000M,node=1,billing=22,gres/gpu=2", "one that has no type"},
        {"", "-n 2 --gres=gpu:2", "cpu=2,mem=2000M,node=1,billing=2",
         "cpu=2,mem=2000M,node=1,billing=2", "what nobody tracks is neither counted nor billed"},
        {"gres/gpu,gres/gpu:a100", "--gres=gpu:2",
         "cpu=1,mem=1000M,node=1,billing=21,gres/gpu=2,gres/gpu:a100=2",
         "cpu=1,mem=1000M,node=1,billing=21,gres/gpu=2", "A100s that were not asked by type"},
        {"gres/gpu,gres/gpu:a100", "--gres=gpu:a100:2",
         "cpu=1,mem=1000M,node=1,billing=21,gres/gpu=2,gres/gpu:a100=2",
         "cpu=1,mem=1000M,node=1,billing=21,gres/gpu=2,gres/gpu:a100=2", "asked by type"},
        {"gres/gpu:h100,gres/gpu:a100", "-w n0 --gres=gpu:2",
         "cpu=1,mem=1000M,node=1,billing=1,gres/gpu:a100=2",
         "cpu=1,mem=1000M,node=1,billing=1,gres/gpu:h100=2",
         "Slurm books on the first type that is tracked, be it another"},
        {"gres/gpu,gres/gpu:h100", "-w n3 --gres=gpu:4",
         "cpu=1,mem=1000M,node=1,billing=41,gres/gpu=4,gres/gpu:h100=2",
         "cpu=1,mem=1000M,node=1,billing=41,gres/gpu=4", "two types for one request"},
        {"gres/lic,license/matlab", "--gres=lic:3 -L matlab:2",
         "cpu=1,mem=1000M,node=1,billing=1,gres/lic=3,license/matlab=2",
         "cpu=1,mem=1000M,node=1,billing=1,gres/lic=3,license/matlab=2", "numbers and licences"},
        {"gres/gpu", "--mem=4096", "cpu=1,mem=4G,node=1,billing=1", "cpu=1,mem=4G,node=1,billing=1",
         "nothing of what is tracked"},
    };
    for (const Row& row : rows) {
        INFO(row.tracked << ", " << row.options << ": " << row.why);
        const std::string tracked = fmt::format("AccountingStorageTRES={}", row.tracked);
        const std::string_view line = *row.tracked == '\0' ? std::string_view() : tracked;
        Controller ours = four_node_controller(slurm::TypedCounts::by_device, line);
        Controller slurms = four_node_controller(slurm::TypedCounts::by_request, line);
        CHECK(slurm::tres_text(decision_on(ours, row.options).tres) == row.by_device);
        CHECK(slurm::tres_text(decision_on(slurms, row.options).tres) == row.by_request);
    }
}

TEST_CASE("Slurm controller: what jobs ask for", "[dialect][slurm]") {
    struct Row {
        const char* options;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"", "cpu=1,mem=1000M,node=1,billing=1", "the least of all"},
        {"-N 3", "cpu=3,mem=3000M,node=3,billing=3", "a task a node"},
        {"-n 5 -c 2 --mem=100 -N 2-3", "cpu=10,mem=200M,node=2,billing=10", "the fewest nodes"},
        {"-N 2 --mem=0", "cpu=2,mem=125G,node=2,billing=2", "all memory of the smallest nodes"},
        {"-G 6 --mem-per-gpu=100 -N 2", "cpu=2,mem=600M,node=2,billing=62,gres/gpu=6",
         "memory by GPUs, which are billed"},
        {"--gres=gpu:a100:1,lic:2 -N 2",
         "cpu=2,mem=2000M,node=2,billing=22,gres/gpu=2,gres/gpu:a100=2", "types that are named"},
        {"--gres=gpu:2 --cpus-per-gpu=2", "cpu=4,mem=4000M,node=1,billing=24,gres/gpu=2",
         "CPUs of GPUs"},
        {"--mincpus=4", "cpu=1,mem=1000M,node=1,billing=1", "CPUs of a node are not counted"},
        {"-n 3 --ntasks-per-node=2", "cpu=3,mem=3000M,node=2,billing=3", "-n says how many tasks"},
    };
    for (const Row& row : rows) {
        INFO(row.options << ": " << row.why);
        Controller controller = four_node_controller(
            slurm::TypedCounts::by_device, "AccountingStorageTRES=gres/gpu,gres/gpu:a100");
        const auto decision = controller.submit(row.options);
        REQUIRE(decision.ok());
        INFO(decision->message);
        CHECK(slurm::tres_text(decision->req_tres) == row.expected);
    }
    Controller controller = four_node_controller();
    CHECK(controller.submit("-n 0")->req_tres.entries.empty());
    Controller full = four_node_controller();
    decision_on(full, "-N 4 --exclusive");
    const auto waiting = full.submit("-n 3");
    REQUIRE(waiting->answer == Answer::pending);
    CHECK(slurm::tres_text(waiting->req_tres) == "cpu=3,mem=3000M,node=1,billing=3");
    CHECK(waiting->tres.entries.empty());
}

TEST_CASE("Slurm controller, law: jobs that come, grow, shrink and go leave nothing behind",
          "[dialect][slurm][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    const char* const options[] = {"-n 1",
                                   "-n 3 --gres=gpu:1",
                                   "-N 2 -n 5 --mem=1000",
                                   "-N 3 --gpus-per-node=1 -L matlab:1",
                                   "--gres=lic:3 -n 2",
                                   "-n 2 : --gres=gpu:h100:1",
                                   "-n 9 : -n 30 : -N 2"};
    Controller controller = four_node_controller();
    const Cluster idle = controller.cluster();
    std::vector<JobState> jobs;
    const auto pick = [&] { return static_cast<std::size_t>(rng.below(jobs.size())); };
    for (int round = 0; round < 400; ++round) {
        const std::uint64_t what = rng.below(4);
        if (what == 0 || jobs.empty()) {
            const Cluster before = controller.cluster();
            const auto decisions = controller.submit_all(options[rng.below(std::size(options))]);
            REQUIRE(decisions.ok());
            for (const Decision& one : *decisions) {
                if (!one.owner) CHECK(controller.cluster() == before);
                if (one.owner) jobs.push_back(controller.job(*one.owner).value());
            }
        } else if (what == 1 && jobs.size() > 1) {
            const std::size_t from = pick();
            const std::size_t to = (from + 1) % jobs.size();
            const Cluster before = controller.cluster();
            if (controller.grow(jobs[to], jobs[from]).ok()) {
                jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(from));
            } else {
                CHECK(controller.cluster() == before);
            }
        } else if (what == 2) {
            JobState& job = jobs[pick()];
            slurm::Hostlist keep;
            for (const JobNode& node : job.nodes()) {
                if (keep.is_empty() || rng.chance(1, 2)) keep.push_back(node.name);
            }
            REQUIRE(controller.shrink(job, keep).ok());
            CHECK(job.nodes().size() == keep.size());
        } else {
            const std::size_t at = pick();
            REQUIRE(controller.release(jobs[at].owner()).ok());
            jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(at));
        }
        REQUIRE(controller.cluster().allocation_count() == jobs.size());
        for (const JobState& job : jobs) {
            CHECK(controller.cluster().find_allocation(job.owner())->placement.nodes ==
                  job.allocation().placement.nodes);
        }
    }
    for (const JobState& job : jobs) REQUIRE(controller.release(job.owner()).ok());
    CHECK(controller.cluster() == idle);
}

}  // namespace trestle
