// SPDX-License-Identifier: Apache-2.0
// Nodes of a Controller that come, go, are drained or down; and what refusals name.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/slurm_answers.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle {
namespace {

constexpr std::string_view nodes_to_drain =
    "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1000\n"
    "NodeName=n[0-3] Sockets=2 CoresPerSocket=4 RealMemory=32000\n"
    "PartitionName=p Nodes=ALL Default=YES\nPartitionName=q Nodes=n[0-1]\n";

slurm::Hostlist listed_nodes(std::string_view text) { return *slurm::Hostlist::parse(text); }

std::string answer_with_message(const slurm::Controller& controller, std::string_view options) {
    slurm::Controller trial = controller;
    const slurm::Decision decision = slurm_answers::submit(trial, options);
    std::string text = slurm_answers::text_of(decision);
    if (!decision.message.empty()) text += " (" + decision.message + ")";
    return text;
}

void check_refusal(const slurm::Controller& controller, std::string_view options,
                   std::string_view message, std::string_view why) {
    INFO(options << ": " << why);
    slurm::Controller trial = controller;
    const slurm::Decision decision = slurm_answers::submit(trial, options);
    CHECK(decision.answer == slurm::Answer::refused);
    CHECK(decision.message == message);
}

}  // namespace

TEST_CASE("Slurm controller: drained and down nodes, as recorded", "[dialect][slurm]") {
    struct Row {
        const char* options;
        const char* expected;
        const char* why;
    };
    for (const auto release :
         {slurm::Release::v22_05, slurm::Release::v24_11, slurm::Release::v26_05}) {
        INFO(trestle::to_text(release));
        slurm::Controller controller =
            slurm_answers::controller_of(nodes_to_drain, "", "", release);
        const auto check = [&](const std::vector<Row>& rows) {
            for (const Row& row : rows) {
                INFO(row.options << ": " << row.why);
                CHECK(answer_with_message(controller, row.options) == row.expected);
            }
        };
        REQUIRE(controller.set_node_state(listed_nodes("n0"), NodeState::drained).ok());
        check({
            {"-N 3", "n1:0 1000M; n2:0 1000M; n3:0 1000M", "the others"},
            {"-N 4",
             "pending ReqNodeNotAvail (--nodes=4: of partition p 3 of 4 nodes take work "
             "(drained: n0))",
             "four could serve it, if one were not drained"},
            {"-w n0", "pending ReqNodeNotAvail (--nodelist: node n0 takes no work (drained: n0))",
             "named"},
            {"-n 32",
             "pending ReqNodeNotAvail (32 CPUs of the job: 3 nodes of partition p that take work "
             "have at most 24 (drained: n0))",
             "24 CPUs are left"},
            {"--mem=32001", "refused (--mem=32001M: a node of partition p has at most 32000M)",
             "never, whatever is drained"},
        });
        REQUIRE(controller.set_node_state(listed_nodes("n1"), NodeState::down).ok());
        check({
            {"-N 3",
             "pending ReqNodeNotAvail (--nodes=3: of partition p 2 of 4 nodes take work (down: n1; "
             "drained: n0))",
             "each with its state"},
            {"-p q",
             "pending ReqNodeNotAvail (--nodes=1: of partition q 0 of 2 nodes take work (down: n1; "
             "drained: n0))",
             "no node of the partition"},
        });
        REQUIRE(controller.submit("-n 16")->owner);
        check({
            {"-n 1",
             "pending Resources (--cpus-per-task=1: no node of partition p that takes work has any "
             "free (8 when idle))",
             "busy, not unavailable"},
            {"-N 3",
             "pending ReqNodeNotAvail (--nodes=3: of partition p 2 of 4 nodes take work (down: n1; "
             "drained: n0))",
             "more than take work, busy or not"},
            {"-w n2",
             "pending Resources (--nodelist, --cpus-per-task=1: node n2 has none free (8 when "
             "idle))",
             "busy"},
        });
        REQUIRE(controller.set_node_state(listed_nodes("n[0-1]"), NodeState::up).ok());
        check({{"-N 2", "n0:0 1000M; n1:0 1000M", "back again"}});
    }
}

TEST_CASE("Slurm controller: nodes are added and removed", "[dialect][slurm]") {
    slurm::Controller controller = slurm_answers::controller_of(nodes_to_drain);
    Node node = controller.cluster().node(NodeId(0));
    node.name = "a9";
    const std::vector<std::string> p{"p"};
    REQUIRE(message(controller.add_node(node, p)) == "");
    CHECK(answer_with_message(controller, "-N 5 -n 5").find("a9:0") == 0);
    CHECK(answer_with_message(controller, "-p q -w a9") ==
          "refused (--nodelist: node a9 is not in partition q)");
    const auto job = controller.submit("-w a9");
    REQUIRE(job->owner);
    CHECK(controller.add_node(node, p).code() == StatusCode::kInvalidArgument);
    node.name = "a10";
    const std::vector<std::string> unknown{"nowhere"};
    CHECK(controller.add_node(node, unknown).code() == StatusCode::kInvalidArgument);
    CHECK(!controller.cluster().find_node("a10"));

    CHECK(controller.remove_nodes(listed_nodes("n3,a9")).code() == StatusCode::kFailedPrecondition);
    CHECK(controller.cluster().find_node("n3"));
    REQUIRE(controller.release(*job->owner).ok());
    REQUIRE(message(controller.remove_nodes(listed_nodes("n3,a9,n3"))) == "");  // once each
    CHECK(answer_with_message(controller, "-N 3") == "n0:0 1000M; n1:0 1000M; n2:0 1000M");
    CHECK(answer_with_message(controller, "-w n3") == "refused (unknown node n3)");
    CHECK(controller.remove_nodes(listed_nodes("n3")).code() == StatusCode::kInvalidArgument);
    CHECK(controller.set_node_state(listed_nodes("n7"), NodeState::down).code() ==
          StatusCode::kInvalidArgument);
    CHECK(controller.set_node_state(listed_nodes("n0"), NodeState::removed).code() ==
          StatusCode::kInvalidArgument);
}

TEST_CASE("Slurm controller: nodes that gres.conf does not describe are invalid",
          "[dialect][slurm]") {
    using slurm::Release;
    constexpr Release releases[] = {Release::v22_05, Release::v24_11, Release::v26_05};
    struct Row {
        const char* promised;
        const char* gres_conf;
        const char* of_n1;  ///< why n1 takes no jobs; empty: it does
        bool is_good_in_22_05 = false;
    };
    const std::string few = "gres/gpu count reported lower than configured ";
    const std::string part = " doesn't match socket boundaries ";
    // All asked of 22.05.8, 24.11.5 and 26.05.5.
    const Row rows[] = {
        {"gpu:4", "Name=gpu File=/dev/nvidia[0-3]", ""},
        {"gpu:4", "Name=gpu File=/dev/nvidia[0-2]", "(3 < 4)"},
        {"gpu:4", "", "(0 < 4)"},
        {"gpu:4", "NodeName=n0 Name=gpu File=/dev/nvidia[0-3]", "(0 < 4)"},
        {"gpu:4", "Name=gpu Count=4", "(0 < 4)"},
        {"gpu:4", "Name=gpu Count=3 Flags=CountOnly", "(0 < 4)"},
        {"gpu:a100:4", "Name=gpu File=/dev/nvidia[0-3]", "(0 < 4)"},
        {"gpu:a100:4", "Name=gpu Type=h100 File=/dev/nvidia[0-3]", "(0 < 4)"},
        {"gpu:4", "Name=gpu Type=a100 File=/dev/nvidia[0-3]", ""},
        {"gpu:a:2,gpu:b:2",
         "Name=gpu Type=a File=/dev/nvidia[0-1]\nName=gpu Type=b File=/dev/nvidia2", "(3 < 4)"},
        {"gpu:4", "Name=gpu Type=a File=/dev/nvidia[0-1]\nName=gpu Type=b File=/dev/nvidia2",
         "(3 < 4)"},
        {"gpu:no_consume:4", "Name=gpu File=/dev/nvidia[0-2]", "(3 < 4)"},
        {"gpu:4", "AutoDetect=off\nName=gpu File=/dev/nvidia[0-2]", "(3 < 4)"},
        {"gpu:4", "AutoDetect=nvml\nName=gpu File=/dev/nvidia[0-2]", ""},  // as it may find one
        {"gpu:2", "Name=gpu File=/dev/nvidia[0-3]", ""},
        {"lic:4", "Name=lic Count=3", ""},  // of GPUs alone
        {"lic:4", "", ""},
        {"lic:4", "Name=lic File=/dev/lic[0-2]", ""},
        {"gpu:2,shard:8", "Name=gpu File=/dev/nvidia[0-1]", ""},
        {"gpu:4", "Name=gpu File=/dev/nvidia[0-3] Cores=0-3", ""},
        {"gpu:4", "Name=gpu File=/dev/nvidia[0-3] Cores=0-7", ""},
        {"gpu:4", "Name=gpu File=/dev/nvidia[0-3] Cores=0-1",
         "gpu GRES core specification 0-1|(socket 0 is cores 0-3)", true},
        {"gpu:4", "Name=gpu File=/dev/nvidia[0-3] Cores=0-5",
         "gpu GRES core specification 0-5|(socket 1 is cores 4-7)", true},
        {"gpu:4",
         "Name=gpu File=/dev/nvidia[0-1] Cores=0-1\nName=gpu File=/dev/nvidia[2-3] Cores=2-3",
         "gpu GRES core specification 0-1|(socket 0 is cores 0-3)", true},
        {"gpu:4",
         "Name=gpu File=/dev/nvidia[0-1] Cores=0-3\nName=gpu File=/dev/nvidia[2-3] Cores=4-5",
         "gpu GRES core specification 4-5|(socket 1 is cores 4-7)", true},
        {"gpu:2",
         "Name=gpu File=/dev/nvidia[0-1] Cores=0-3\nName=gpu File=/dev/nvidia[2-3] Cores=4-5",
         ""},  // the second line serves nothing
        {"gpu:2,lic:2",
         "Name=gpu File=/dev/nvidia[0-1] Cores=0-3\nName=lic File=/dev/lic[0-1] Cores=0-1",
         "lic GRES core specification 0-1|(socket 0 is cores 0-3)", true},
        {"lic:4", "Name=lic Count=4 Cores=0-1", ""},  // has no files
        {"gpu:4", "Name=gpu File=/dev/nvidia[0-2] Cores=0-1", "(3 < 4)"},
    };
    for (const Release release : releases) {
        for (const Row& row : rows) {
            INFO(trestle::to_text(release) << " " << row.promised << " | " << row.gres_conf);
            const std::string conf =
                std::string("GresTypes=gpu,lic,shard\nSelectTypeParameters=CR_Core\n") +
                "NodeName=n[0-1] Sockets=2 CoresPerSocket=4 RealMemory=32000 Gres=" + row.promised +
                "\nPartitionName=p Nodes=ALL Default=YES\n";
            slurm::Controller controller =
                slurm_answers::controller_of(conf, row.gres_conf, "", release);
            std::string reason = row.of_n1;
            if (row.is_good_in_22_05 && release == Release::v22_05) reason.clear();
            if (reason.starts_with("(")) reason = few + reason;
            if (const auto bar = reason.find('|'); bar != std::string::npos) {
                reason = "gres/" + reason.substr(0, bar) + part + reason.substr(bar + 1);
            }
            const bool is_n0_good = std::string_view(row.gres_conf).starts_with("NodeName=n0");
            const std::string names = is_n0_good ? "n1" : "n[0-1]";
            const auto& warnings = controller.warnings();
            const bool is_warned =
                std::any_of(warnings.begin(), warnings.end(), [&](const slurm::ConfWarning& one) {
                    return one.message == "nodes " + names + " take no jobs: " + reason;
                });
            CHECK(is_warned == !reason.empty());
            const std::string answer = answer_with_message(controller, "-w n1");
            const auto resumed = controller.set_node_state(listed_nodes("n1"), NodeState::up);
            if (reason.empty()) {
                CHECK(answer.starts_with("n1:0"));
                CHECK(resumed.ok());
                continue;
            }
            CHECK(answer ==
                  "pending ReqNodeNotAvail (--nodelist: node n1 takes no work (drained (" + reason +
                      "): " + names + "))");
            CHECK(message(resumed) == "node n1: " + reason);
            CHECK(controller.set_node_state(listed_nodes("n1"), NodeState::down).ok());
        }
    }
}

TEST_CASE("Slurm controller: an invalid node that is removed and added is another one",
          "[dialect][slurm]") {
    slurm::Controller controller = slurm_answers::controller_of(
        "GresTypes=gpu\nNodeName=n[0-1] CPUs=4 Gres=gpu:2\nPartitionName=p Nodes=ALL "
        "Default=YES\n",
        "NodeName=n0 Name=gpu File=/dev/nvidia[0-1]");
    Node node = controller.cluster().node(NodeId(0));
    node.name = "n1";
    REQUIRE(message(controller.remove_nodes(listed_nodes("n1"))) == "");
    REQUIRE(message(controller.add_node(node, std::vector<std::string>{"p"})) == "");
    CHECK(answer_with_message(controller, "-w n1 --gres=gpu:2").starts_with("n1:0"));
    CHECK(controller.set_node_state(listed_nodes("n1"), NodeState::up).ok());
}

TEST_CASE("Slurm controller: refusals name what binds near devices", "[dialect][slurm]") {
    constexpr std::string_view conf =
        "SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
        "NodeName=n[0-1] Sockets=2 CoresPerSocket=4 RealMemory=32000 Gres=gpu:2\n"
        "PartitionName=p Nodes=ALL Default=YES\n";
    constexpr std::string_view gres =
        "NodeName=n[0-1] Name=gpu File=/dev/nvidia0 Cores=0-3\n"
        "NodeName=n[0-1] Name=gpu File=/dev/nvidia1 Cores=0-3\n";
    struct Row {
        const char* options;
        const char* message;
        const char* why;
    };
    const Row rows[] = {
        {"-n 1 -c 5 --gres=gpu:1 --gres-flags=enforce-binding",
         "--gres-flags=enforce-binding, 5 CPUs of a node: a node of partition p has at most 4 CPUs "
         "of sockets near 1 gpu",
         "CPUs of a task"},
        {"-w n1 -n 1 -c 5 --gres=gpu:1 --gres-flags=enforce-binding",
         "--nodelist, --gres-flags=enforce-binding, 5 CPUs of a node: node n1 has at most 4 CPUs "
         "of sockets near 1 gpu",
         "CPUs of a task on the node that is named"},
        {"-N 1 -n 5 --gres=gpu:2 --gres-flags=enforce-binding",
         "--gres-flags=enforce-binding, 5 CPUs of the job: 1 node of partition p has at most 4 "
         "CPUs of sockets near 2 gpu",
         "CPUs of all tasks"},
    };
    const slurm::Controller controller =
        slurm_answers::controller_of(conf, gres, "", slurm::Release::v24_11);
    for (const Row& row : rows) check_refusal(controller, row.options, row.message, row.why);
}

TEST_CASE("Slurm controller: refusals name what binds", "[dialect][slurm]") {
    constexpr std::string_view conf =
        "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1000\nGresTypes=gpu,shard\n"
        "Licenses=matlab:2\n"
        "NodeName=n[0-1] Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=32000 TmpDisk=100 "
        "Gres=gpu:a100:4,shard:16 Feature=fast\n"
        "NodeName=m0 Sockets=1 CoresPerSocket=4 RealMemory=64000\nNodeName=z0 Feature=slow\n"
        "PartitionName=p Nodes=n[0-1],m0 Default=YES\nPartitionName=n Nodes=n[0-1]\n";
    constexpr std::string_view gres =
        "NodeName=n[0-1] Name=gpu Type=a100 File=/dev/nvidia[0-3]\n"
        "NodeName=n[0-1] Name=shard Count=16\n";
    struct Row {
        const char* options;
        const char* message;
        const char* why;
    };
    const Row rows[] = {
        {"--mem=64001", "--mem=64001M: a node of partition p has at most 64000M", "memory"},
        {"-p n --mem-per-cpu=32001",
         "--mem-per-cpu=32001M: a node of partition n has at most 32000M", "memory of one CPU"},
        {"-p n --exclusive --mem-per-cpu=2001",
         "--exclusive, --mem-per-cpu=2001M: a node of partition n has at most 2000M for each CPU",
         "memory of whole nodes"},
        {"-c 17", "--cpus-per-task=17: a node of partition p has at most 16 CPUs",
         "a task is on one node"},
        {"-N 1 --ntasks-per-node=9 -c 2",
         "--ntasks-per-node=9, --cpus-per-task=2: a node of partition p has at most 16 CPUs",
         "tasks of one node"},
        {"--gres=gpu:5", "--gres=gpu:5: a node of partition p has at most 4", "devices of a node"},
        {"--gres=gpu:h100:1", "--gres=gpu:h100:1: no node of partition p has any", "a type"},
        {"--gres=shard:17", "--gres=shard:17: a node of partition p has at most 4 of one GPU",
         "shares"},
        {"-n 1 --gpus-per-task=5", "5 gpu of a task: a node of partition p has at most 4",
         "devices of a task"},
        {"-N 2 --gpus=9",
         "9 gpu of the job: 2 nodes of partition p that meet the other conditions have at most 8",
         "devices of the job"},
        {"-C slow", "--constraint: no node of partition p has these features", "features"},
        {"-C fats", "--constraint: no node has the feature fats; the nearest is fast", "unknown"},
        {"-C [fast|old]", "--constraint: no node has the feature old", "one of several"},
        {"--prefer=old", "--prefer: no node has the feature old", "preferred"},
        {"-C fast --batch=slow",
         "--batch=slow: slow is no feature of --constraint, expected one that it names",
         "the batch node"},
        {"-N 3 -C fast", "--nodes=3: of partition p 2 nodes have what is asked of each",
         "nodes with the features"},
        {"-N 2 --mem=33000",
         "--nodes=2: of partition p 1 node has what is asked of each; --mem=33000M: 2 nodes have "
         "at "
         "most 32000M",
         "nodes with the memory"},
        {"-N 1 -n 17", "17 CPUs of the job: 1 node of partition p has at most 16",
         "CPUs of one node"},
        {"-n 20 --mem=40000",
         "20 CPUs of the job: 1 node of partition p that meets the other conditions has at most 4",
         "CPUs of the nodes with the memory"},
        {"--sockets-per-node=3",
         "--sockets-per-node=3: a node of partition p has at most 2 sockets", "sockets"},
        {"--tmp=200", "--tmp=200M: a node of partition p has at most 100M", "disk"},
        {"-N 1 -n 2 --ntasks-per-socket=9",
         "--ntasks-per-socket=9: a node of partition p has at most 8 CPUs of a socket",
         "tasks of a socket"},
        {"-N 1 -n 2 --ntasks-per-socket=5 -c 4",
         "--ntasks-per-socket=5, --cpus-per-task=4: a node of partition p that meets the other "
         "conditions has at most 16 CPUs",
         "CPUs of the tasks of a socket"},
        {"-p n -N 2 -n 5 --ntasks-per-node=2",
         "--ntasks=5: 2 nodes with --ntasks-per-node=2 have at most 4 tasks", "tasks of the nodes"},
        {"-p n -n 20 --ntasks-per-socket=4",
         "20 tasks (--ntasks-per-socket=4) of the job: 2 nodes of partition n have at most 16",
         "tasks of all sockets"},
        {"-p n -N 1 --gpus-per-node=3 --mem-per-gpu=11000",
         "--mem-per-gpu=11000M for each of 3 gpu: a node of partition n has at most 32000M",
         "memory of the devices"},
        {"-L matlab:3", "--licenses=matlab:3: the cluster has 2", "licences"},
        {"-L matlab,abaqus:1", "--licenses=abaqus:1: the cluster has 0", "unknown ones"},
        {"-p n -w m0", "--nodelist: node m0 is not in partition n", "a node of no use"},
        {"-x n[0-1],m0", "partition p has no node for the job", "all are excluded"},
        {"-w m0 -c 9", "--nodelist, --cpus-per-task=9: node m0 has at most 4 CPUs",
         "CPUs of a node that is named"},
        {"-w m0 --gres=gpu:1", "--nodelist, --gres=gpu:1: node m0 has none",
         "devices of a node that is named"},
        {"-w n0 --mem=33000", "--nodelist, --mem=33000M: node n0 has at most 32000M",
         "memory of a node that is named"},
        {"-w m0 -C fast", "--nodelist, --constraint: node m0 has not these features",
         "features of a node that is named"},
        {"-w m0 -N 1 -n 9", "9 CPUs of the job: 1 node of partition p has at most 4",
         "all tasks on the node that is named"},
        {"-N 3 -C fast*3", "--constraint=fast*3: of partition p 2 nodes have it",
         "nodes with a feature"},
        {"-N 2 --mem=33000 -C fast*1",
         "--nodes=2: of partition p 1 node has what is asked of each; --mem=33000M: 2 nodes have "
         "at "
         "most 32000M",
         "nodes are named before features"},
        {"-n 33 -C [fast|slow]",
         "--constraint, nodes with fast: 33 CPUs of the job: 2 nodes of partition p have at most "
         "32",
         "CPUs of nodes with one of several features"},
        {"-N 3 -C [fast|slow]",
         "--constraint, nodes with fast: --nodes=3: of partition p 2 nodes have what is asked of "
         "each",
         "nodes with one of several features"},
        {"--mem=40000 --gres=gpu:1",
         "--gres=gpu:1: no node of partition p that meets the other conditions has any",
         "no node with the memory has a GPU"},
    };
    const slurm::Controller controller =
        slurm_answers::controller_of(conf, gres, "", slurm::Release::v24_11);
    for (const Row& row : rows) check_refusal(controller, row.options, row.message, row.why);
}

TEST_CASE("Slurm controller: limits of a partition in numbers", "[dialect][slurm]") {
    constexpr std::string_view conf =
        "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=20000\nMaxMemPerCPU=4000\n"
        "NodeName=n[0-3] Sockets=1 CoresPerSocket=4 RealMemory=16000\n"
        "PartitionName=p Nodes=ALL Default=YES MaxTime=60 MaxNodes=2 MaxMemPerNode=8000\n"
        "PartitionName=two Nodes=n[0-1] MinNodes=2\nPartitionName=one Nodes=n[2-3]\n"
        "PartitionName=single Nodes=n3\n";
    struct Row {
        const char* options;
        const char* message;
    };
    const Row rows[] = {
        {"-t 90 --mem-per-cpu=1",
         "time limit of 01:30:00: partition p allows at most 01:00:00 (MaxTime)"},
        {"-t 90", "DefMemPerCPU=20000M: a node of partition p has at most 16000M"},
        {"-N 3 --mem-per-cpu=1", "3 nodes of the job: partition p allows at most 2 (MaxNodes)"},
        {"-N 5 --mem-per-cpu=1", "5 nodes of the job: partition p allows at most 2 (MaxNodes)"},
        {"-n 17", "17 CPUs of the job: partition p has 16"},
        {"--mem=9000", "9000 MiB of a node: partition p allows at most 8000 (MaxMemPerNode)"},
        {"-p two -N 1 --mem-per-cpu=1",
         "at most 1 node for the job: partition two gives at least 2 (MinNodes)"},
        {"-p single",
         "--cpus-per-task=5 (MaxMemPerCPU): a node of partition single has at most 4 CPUs"},
        {"-p one", "--cpus-per-task=5 (MaxMemPerCPU): a node of partition one has at most 4 CPUs"},
        {"-p one --mem=16001",
         "--mem=16001M: 5 CPUs of a node (MaxMemPerCPU): a node of partition one has at most 4 "
         "CPUs"},
    };
    for (const slurm::Release release : {slurm::Release::v24_11, slurm::Release::v26_05}) {
        const slurm::Controller controller = slurm_answers::controller_of(conf, "", "", release);
        for (const Row& row : rows) {
            INFO(row.options);
            slurm::Controller trial = controller;
            const slurm::Decision decision = slurm_answers::submit(trial, row.options);
            CHECK(decision.answer != slurm::Answer::allocated);
            CHECK(decision.message == row.message);
        }
    }
}

}  // namespace trestle
