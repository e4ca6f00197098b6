// SPDX-License-Identifier: Apache-2.0
// Entering recorded allocations: which devices and parts of devices the records mean.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/slurm_answers.hpp"
#include "support/slurm_replay.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"

namespace trestle {
namespace {

/// A node with a GPU of each of two types.
constexpr std::string_view two_types =
    "GresTypes=gpu\nNodeName=n CPUs=8 RealMemory=1000 Gres=gpu:a100:1,gpu:h100:1\n"
    "PartitionName=p Nodes=n Default=YES\n";
constexpr std::string_view two_types_gres =
    "Name=gpu Type=a100 File=/dev/nvidia0\nName=gpu Type=h100 File=/dev/nvidia1\n";
/// The same, each cut into eight shards.
constexpr std::string_view two_cut =
    "GresTypes=gpu,shard\nNodeName=n CPUs=8 RealMemory=1000 "
    "Gres=gpu:a100:1,gpu:h100:1,shard:16\nPartitionName=p Nodes=n Default=YES\n";
constexpr std::string_view two_cut_gres =
    "Name=gpu Type=a100 File=/dev/nvidia0\nName=gpu Type=h100 File=/dev/nvidia1\n"
    "Name=shard Count=16\n";

/// What is in use of the node afterwards, or why the record cannot be entered.
std::string adopted(slurm::Controller controller, const std::string& gres) {
    slurm::NodeGrant grant;
    grant.node = "n";
    const auto list = slurm::parse_gres_details(gres);
    INFO(gres << ": " << message(list.status()));
    REQUIRE(list.ok());
    grant.gres = *list;
    const Cluster before = controller.cluster();
    const auto owner = controller.adopt({&grant, 1});
    if (!owner.ok()) {
        CHECK(controller.cluster() == before);
        return std::string(message(owner.status()));
    }
    const Cluster& cluster = controller.cluster();
    return slurm::used_gres_text(cluster.shape(NodeId(0)), cluster.free(NodeId(0)));
}

}  // namespace

TEST_CASE("Slurm controller: a recorded device has the recorded type", "[dialect][slurm]") {
    const slurm::Controller controller = slurm_answers::controller_of(two_types, two_types_gres);
    CHECK(adopted(controller, "gpu:a100:1(IDX:0)") == "gpu:a100:1(IDX:0),gpu:h100:0(IDX:N/A)");
    CHECK(adopted(controller, "gpu:h100:1(IDX:1)") == "gpu:a100:0(IDX:N/A),gpu:h100:1(IDX:1)");
    CHECK(adopted(controller, "gpu:h100:1(IDX:0)") == "node n: there is no gpu:h100:1(IDX:0)");
    // Slurm does not always print a type.
    CHECK(adopted(controller, "gpu:2(IDX:0-1)") == "gpu:a100:1(IDX:0),gpu:h100:1(IDX:1)");
}

TEST_CASE("Slurm controller: recorded parts are those of devices that have them",
          "[dialect][slurm]") {
    struct Row {
        const char* gres;
        const char* used;  ///< of the shards; null: refused
        const char* why;
    };
    const Row rows[] = {
        {"shard:3(3/8,0/8)", "shard:a100:3(3/8),shard:h100:0(0/8)", "device by device"},
        {"shard:5(2/8,3/8)", "shard:a100:2(2/8),shard:h100:3(3/8)", "of both"},
        {"shard:h100:3(3/8)", "shard:a100:0(0/8),shard:h100:3(3/8)", "of the only one of a type"},
        {"shard:a100:3(3/8),shard:h100:2(2/8)", "shard:a100:3(3/8),shard:h100:2(2/8)",
         "of each type"},
        {"shard:h100:3(0/8,3/8)", "shard:a100:0(0/8),shard:h100:3(3/8)",
         "of all GPUs, those of another type give none"},
        {"shard:h100:3(3/8,0/8)", nullptr, "of one of another type"},
        {"shard:3(1/8,1/8,1/8)", nullptr, "of a third device"},
        {"shard:9(9/9,0/8)", nullptr, "more than the device has"},
        {"shard:a100:6917529027641081856(6917529027641081856/9223372036854775807),"
         "shard:b:6917529027641081856(6917529027641081856/9223372036854775807)",
         nullptr, "more than can be counted"},
        {"gpu:1(1/8,0/8)", nullptr, "of what has no parts"},
        {"shard:4(IDX:0-1)", "shard:a100:2(2/8),shard:h100:2(2/8)", "spread evenly"},
        {"shard:3(IDX:0-1)", "shard:a100:2(2/8),shard:h100:1(1/8)", "what is left on the first"},
        {"shard:17(IDX:0-1)", nullptr, "more than both have"},
        {"shard:9(IDX:0)", nullptr, "more than one has"},
        {"shard:h100:1(IDX:0)", nullptr, "of another type"},
        {"shard:1(IDX:2)", nullptr, "of no device"},
    };
    for (const Row& row : rows) {
        INFO(row.gres << ": " << row.why);
        const std::string text =
            adopted(slurm_answers::controller_of(two_cut, two_cut_gres), row.gres);
        if (row.used == nullptr) {
            CHECK_THAT(text, Catch::Matchers::Contains("node n: there is no "));
        } else {
            CHECK_THAT(text, Catch::Matchers::Contains(row.used));
        }
    }
    slurm::Controller controller = slurm_answers::controller_of(two_cut, two_cut_gres);
    slurm::NodeGrant grant{"n", {}, {}, {}, *slurm::parse_gres_details("shard:5(5/8,0/8)")};
    grant.gres.push_back(grant.gres.front());  // ten of eight, in two items
    CHECK(message(controller.adopt({&grant, 1}).status()) ==
          "node n: there is no shard:5(5/8,0/8)");
}

TEST_CASE("Slurm controller: recorded CPU ids of a node on which cores are CPUs",
          "[dialect][slurm]") {
    // A line of a slurmctld 22.05.8 for a job of 16 CPUs.
    const std::string line = "Nodes=n1 CPU_IDs=0-31 Mem=16000 GRES=";
    slurm::Controller controller = slurm_answers::controller_of(
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
        "NodeName=n[1-2] CPUs=16 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=64000\n"
        "PartitionName=p Nodes=n[1-2] Default=YES DefMemPerCPU=1000\n");
    const auto grants = slurm::parse_grants(line);
    REQUIRE(grants.ok());
    const auto owner = controller.adopt(*grants);
    INFO(message(owner.status()));
    REQUIRE(owner.ok());
    const auto known = controller.grants(*owner);
    REQUIRE(known.ok());
    CHECK(slurm::grant_lines(*known) == std::vector<std::string>{line});
    CHECK(known->front().cpus == Count(16));
    CHECK(slurm_answers::text_of(slurm_answers::submit(controller, "-n1")) == "n2:0-1 1000M");
}

TEST_CASE("Slurm controller: what was allocated is adopted in any order", "[dialect][slurm]") {
    struct Row {
        std::vector<std::string> jobs;
        const char* why;
    };
    const std::vector<Row> rows{
        {{"-p force -n 2", "-p force -n 16", "-p force -n 14"}, "two rows of cores"},
        {{"-p yes -s -n 2", "-p yes -s -n 16", "-p yes -n 1"},
         "jobs that share where the partition lets them, beside one that does not fit in"},
        {{"-p yes -s -n 16", "-p yes -s -n 16", "-p yes -s -n 1"}, "both rows are full"},
        {{"--gres=mps:50", "--gres=gpu:1", "--gres=mps:100 -n 2"}, "MPS beside whole devices"},
        {{"--gres=gpu:1 -L a:2", "-L a:1", "-L a:1 -n 3"}, "licences"},
        {{"-p yes --exclusive", "-N 1 -n 3"}, "a whole node where cores may be shared"},
    };
    const slurm::Controller empty = slurm_answers::controller_of(
        "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=100\nGresTypes=gpu,mps\nLicenses=a:3\n"
        "NodeName=n[0-1] Sockets=2 CoresPerSocket=8 RealMemory=32000 Gres=gpu:2,mps:200\n"
        "PartitionName=p Nodes=ALL Default=YES\nPartitionName=force Nodes=ALL "
        "OverSubscribe=FORCE:2\nPartitionName=yes Nodes=ALL OverSubscribe=YES:2\n",
        "Name=gpu File=/dev/nvidia[0-1]\nName=mps Count=200\n", "", slurm::Release::v24_11);
    for (const Row& row : rows) {
        INFO(row.why);
        slurm::Controller decided = empty;
        std::vector<std::pair<slurm::JobOptions, slurm::Decision>> jobs;
        for (const std::string& options : row.jobs) {
            slurm::Decision decision = slurm_answers::submit(decided, options);
            if (!decision.owner) continue;
            jobs.emplace_back(slurm::parse_option_text(options)->components.front().options,
                              std::move(decision));
        }
        REQUIRE(jobs.size() >= 2);
        std::vector<std::size_t> order(jobs.size());
        std::iota(order.begin(), order.end(), 0U);
        do {
            slurm::Controller adopting = empty;
            for (const std::size_t job : order) {
                const auto owner = adopting.adopt(jobs[job].second.grants, jobs[job].first);
                INFO("job " << job << ": " << message(owner.status()));
                REQUIRE(owner.ok());
                CHECK(adopting.grants(*owner)->size() == jobs[job].second.grants.size());
            }
            CHECK(adopting.cluster().free_counts() == decided.cluster().free_counts());
        } while (std::next_permutation(order.begin(), order.end()));
    }
}

TEST_CASE("Slurm controller: a whole GPU is adopted beside parts of it", "[dialect][slurm]") {
    slurm::Controller controller = slurm_answers::controller_of(
        "SelectTypeParameters=CR_Core\nGresTypes=gpu,mps\nNodeName=n CPUs=8 Gres=gpu:2,mps:200\n"
        "PartitionName=p Nodes=ALL Default=YES\n",
        "Name=gpu File=/dev/nvidia[0-1]\nName=mps Count=200\n", "", slurm::Release::v22_05);
    const auto parts = controller.submit("--gres=mps:60");
    REQUIRE(parts->owner);
    // As slurmctld 22.05.8 gives it once another job ended that had MPS of the same GPU.
    slurm::NodeGrant grant{"n", {}, Count(1), {}, *slurm::parse_gres_details("gpu:1(IDX:0)")};
    grant.cpu_ids.insert(OsIndex(1));
    const auto whole = controller.adopt(std::vector{grant}, "p");
    INFO(message(whole.status()));
    REQUIRE(whole.ok());
    CHECK(slurm_answers::text_of(*controller.submit("--gres=gpu:2")) == "pending Resources");
    CHECK(slurm_answers::text_of(*controller.submit("--gres=mps:40")) == "pending Resources");
    CHECK(controller.adopt(std::vector{grant}, "p").status().code() ==
          StatusCode::kFailedPrecondition);  // nothing is left of it
    REQUIRE(controller.release(*whole).ok());
    REQUIRE(controller.release(*parts->owner).ok());
    CHECK(slurm_answers::text_of(*controller.submit("--gres=gpu:2")).starts_with("n:"));
}

TEST_CASE("Slurm controller: a recorded job has the row that it had when it was submitted",
          "[dialect][slurm]") {
    const slurm::Controller controller = slurm_answers::controller_of(
        "SelectTypeParameters=CR_Core\nNodeName=n[0-1] CPUs=4\n"
        "PartitionName=one Nodes=ALL OverSubscribe=FORCE:1\n"
        "PartitionName=two Nodes=ALL OverSubscribe=FORCE:2\n");
    for (const std::string text : {"-p one --exclusive", "-p two --exclusive", "-p one -n 4",
                                   "-p two -n 4", "-p one -S 1"}) {
        INFO(text);
        slurm::Controller submitted = controller;
        const slurm::Decision decision = slurm_answers::submit(submitted, text);
        REQUIRE(decision.answer == slurm::Answer::allocated);
        slurm::Controller adopted = controller;
        REQUIRE(adopted.adopt(decision.grants, slurm_oracle::options_of_job(text)).ok());
        for (const std::string_view other :
             {"-p one -w n0", "-p two -w n0", "-p two --exclusive"}) {
            INFO(other);
            slurm::Controller beside_submitted = submitted;
            slurm::Controller beside_adopted = adopted;
            CHECK(slurm_answers::text_of(slurm_answers::submit(beside_submitted, other)) ==
                  slurm_answers::text_of(slurm_answers::submit(beside_adopted, other)));
        }
    }
}

TEST_CASE("Slurm controller: a row of no partition keeps jobs away that are alone",
          "[dialect][slurm]") {
    const slurm::Controller controller =
        slurm_answers::controller_of("NodeName=n0 CPUs=4\nPartitionName=p Nodes=n0 Default=YES\n");
    for (const std::uint32_t row : {0U, 1U, 4'000'000'000U}) {
        Cluster cluster = controller.cluster();
        NodePlacement part;
        part.node = NodeId(0);
        part.cores = CoreSet::range({0, 1});
        part.row = row;
        REQUIRE(cluster.adopt(OwnerId(7), {{part}, {}}).ok());
        CHECK(slurm::select(cluster, {}, controller.rules()).answer == slurm::Answer::pending);
    }
}

}  // namespace trestle
