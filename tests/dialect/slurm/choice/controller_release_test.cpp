// SPDX-License-Identifier: Apache-2.0
// What a controller of one release does with options, keys, values and files of others, as sbatch
// and slurmctld of 22.05.8, 24.11.5 and 26.05.5 did.
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/slurm_answers.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using slurm::Answer;
using slurm::Controller;
using slurm::Release;
using enum slurm::Release;

constexpr std::string_view node_lines =
    "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nLicenses=a:4,b:4,c:4\n"
    "NodeName=n[1-2] CPUs=4 CoresPerSocket=4 RealMemory=16000\n";
constexpr std::string_view partition_line = "PartitionName=p Nodes=ALL Default=YES";

std::string conf_of(std::string_view first_lines, std::string_view more_of_partition = "") {
    return std::string(first_lines) + std::string(node_lines) + std::string(partition_line) +
           std::string(more_of_partition) + "\n";
}

Controller controller_of(const std::string& conf, Release release) {
    auto made = Controller::create({.slurm_conf = conf}, release);
    INFO(message(made.status()));
    REQUIRE(made.ok());
    return *std::move(made);
}

}  // namespace

TEST_CASE("Slurm controller: options of other releases are refused", "[dialect][slurm]") {
    struct Row {
        const char* options;
        Release release;
        const char* message;  ///< empty: allocated
    };
    const Row rows[] = {
        {"--segment=1", v22_05, "word 1: --segment: no option of Slurm 22.05 (since 24.05)"},
        {"-N1 --segment=1", v24_11, ""},
        {"--segm=1", v22_05, "unknown option at offset 0 (\"--segm\")"},
        {"--segm=1", v24_11, ""},
        {"--tres-per-task=cpu:1", v22_05,
         "word 1: --tres-per-task: no option of Slurm 22.05 (since 23.02)"},
        {"--tres-per-task=cpu:1 -n1", v24_11, ""},
        {"--spread-segments", v24_11,
         "word 1: --spread-segments: no option of Slurm 24.11 (since 25.11)"},
        {"--consolidate-segments", v24_11,
         "word 1: --consolidate-segments: no option of Slurm 24.11 (since 25.11)"},
        {"--resources=power:1", v24_11,
         "word 1: --resources: no option of Slurm 24.11 (since 25.05)"},
        {"--oom-kill-step", v22_05,
         "word 1: --oom-kill-step: no option of Slurm 22.05 (since 24.11)"},
        {"--power=level", v22_05, ""},
        {"--power=level", v24_11,
         "word 1: --power: no option of Slurm 24.11 (dropped after 23.11)"},
        {"--tres-bind=gres/gpu:closest", v22_05,
         "word 1: --tres-bind: no option of Slurm 22.05 (since 23.02)"},
        {"--gpu-bind=closest", v22_05, ""},
        {"--export-file=/x", v26_05, ""},
        {"--exclusive=topo", v22_05,
         "word 1: --exclusive: \"topo\" is unknown to Slurm 22.05 (since 24.05)"},
        {"--exclusive=topo", v24_11, ""},
        {"--exclusive=exclusive", v22_05, ""},
        {"--gres=NONE", v26_05, ""},
        {"--ext=x", v24_11, "the beginning of several options"},
        {"--ext=1", v22_05, ""},  // --extra-node-info
        {"--gres-flags=multiple-tasks-per-sharing", v22_05,
         "word 1: --gres-flags: \"multiple-tasks-per-sharing\" is unknown to Slurm 22.05 (since "
         "23.11)"},
        {"--requeue=expedite", v24_11,
         "word 1: --requeue: \"expedite\" is unknown to Slurm 24.11 (since 26.05)"},
        {"-N1,2", v22_05, "word 1: --nodes: \",\" is unknown to Slurm 22.05 (since 24.11)"},
        {"-N1,2", v24_11, ""},
        // the beginning of a name is clear where a release lacks the other one
        {"--spread", v24_11, ""},
        {"--spread", v26_05, "the beginning of several options"},
        {"--cons=", v26_05, "the beginning of several options"},
        // what is near is an option of the release
        {"--segmnt=2", v24_11, "the nearest is --segment"},
        {"--spred-segments", v26_05, "the nearest is --spread-segments"},
    };
    for (const Row& row : rows) {
        INFO(row.options << " of " << trestle::to_text(row.release));
        Controller controller = controller_of(conf_of(""), row.release);
        const auto decision = slurm_answers::submit(controller, row.options);
        INFO(decision.message);
        CHECK(decision.answer == (*row.message == '\0' ? Answer::allocated : Answer::refused));
        CHECK_THAT(decision.message, ContainsSubstring(row.message));
    }
    for (const char* far : {"--segmnt=2", "--consolidate-segmnts", "--resorces=a"}) {
        Controller controller = controller_of(conf_of(""), v22_05);
        const auto decision = slurm_answers::submit(controller, far);
        CHECK(decision.answer == Answer::refused);
        for (const char* later : {"--segment", "--consolidate-segments", "--resources"}) {
            CHECK_THAT(decision.message, !ContainsSubstring(std::string("is ") + later));
        }
    }
}

TEST_CASE("Slurm controller: options that were read before are those of its release too",
          "[dialect][slurm]") {
    struct Row {
        const char* options;
        Release release;
        const char* message;
    };
    const Row rows[] = {
        {"--segment=1", v22_05, "--segment: no option of Slurm 22.05 (since 24.05)"},
        {"--resources=a:1", v24_11, "--resources: no option of Slurm 24.11 (since 25.05)"},
        {"--stepmgr", v22_05, "--stepmgr: no option of Slurm 22.05 (since 24.05)"},
        {"--exclusive=topo", v22_05,
         "--exclusive: \"topo\" is unknown to Slurm 22.05 (since 24.05)"},
        {"--requeue=expedite", v22_05,
         "--requeue: \"expedite\" is unknown to Slurm 22.05 (since 26.05)"},
        {"--gres-flags=one-task-per-sharing", v22_05,
         "--gres-flags: \"one-task-per-sharing\" is unknown to Slurm 22.05 (since 23.11)"},
    };
    for (const Row& row : rows) {
        INFO(row.options);
        const auto submission = slurm::parse_option_text(row.options);
        REQUIRE(submission.ok());
        Controller controller = controller_of(conf_of(""), row.release);
        const auto decision = controller.submit(submission->components.front().options);
        REQUIRE(decision.ok());
        CHECK(decision->answer == Answer::refused);
        CHECK(decision->message == row.message);
    }
}

TEST_CASE("Slurm controller: licences by release", "[dialect][slurm]") {
    struct Row {
        const char* licenses;
        const char* taken;  ///< by release: as sbatch answered, r: refused
    };
    const Row rows[] = {
        {"a", "aaa"},       {"a:2", "aaa"},   {"a=2", "raa"},     {"a*2", "rrr"},
        {"a;b", "aaa"},     {"a;b,c", "aaa"}, {"a:2;b:3", "aaa"}, {"a;", "aaa"},
        {";a", "aaa"},      {"a;;b", "aaa"},  {",a,", "aaa"},     {";", "aaa"},
        {"a|b", "rra"},     {"a||b", "rra"},  {"a;b|c", "rrr"},   {"a,b|c", "rrr"},
        {"a:1;a:2", "aaa"}, {"a:5", "rrr"},   {"a:1,a:4", "rrr"}, {"z", "rrr"},
        {"a;z", "rrr"},     {"a|z", "rrr"},   {"a:3|b:9", "rrr"}, {"A", "rrr"},
    };
    for (const Row& row : rows) {
        for (const Release release : {v22_05, v24_11, v26_05}) {
            INFO(row.licenses << " of " << trestle::to_text(release));
            Controller controller = controller_of(conf_of(""), release);
            const auto decision =
                slurm_answers::submit(controller, std::string("-L '") + row.licenses + "'");
            INFO(decision.message);
            const bool is_refused = row.taken[static_cast<std::size_t>(release)] == 'r';
            CHECK(decision.answer == (is_refused ? Answer::refused : Answer::allocated));
        }
    }
}

TEST_CASE("Slurm controller: keys and values with which a release does not start",
          "[dialect][slurm]") {
    struct Row {
        const char* first;      ///< lines before the nodes
        const char* partition;  ///< behind the partition
        Release release;
        const char* message;  ///< empty: it starts
    };
    const Row rows[] = {
        {"", " Exclusive=NODE", v24_11,
         "slurm.conf line 5: no key of Slurm 24.11, which does not start with it (since 26.05) at "
         "offset 38 (\"Exclusive\")"},
        {"", " Exclusive=NODE", v26_05, ""},
        {"", " ExclusiveTopo=YES", v22_05, "(since 24.05) at offset 38 (\"ExclusiveTopo\")"},
        {"", " ExclusiveTopo=YES", v24_11, ""},
        {"", " Exclusiv=NODE", v26_05, "the nearest is Exclusive"},
        {"", " ExclusivTopo=YES", v24_11, "the nearest is ExclusiveTopo"},
        {"", " ExclusivTopo=YES", v22_05, "(\"ExclusivTopo\"): expected a known key"},
        {"CacheGroups=1\n", "", v22_05,
         "slurm.conf line 1: no key of Slurm 22.05, which does not start with it (dropped after "
         "20.11)"},
        {"TLSTyp=x\n", "", v24_11, "the nearest is TLSType"},
        {"TopologyPlugin=topology/block\n", "", v22_05,
         "slurm.conf line 1: no value of Slurm 22.05, which does not start with it (since 23.11) "
         "at "
         "offset 0 (\"TopologyPlugin=topology/block\")"},
        {"TopologyPlugin=topology/flat\n", "", v24_11, "(since 25.05)"},
        {"TopologyPlugin=topology/flat\n", "", v26_05, ""},
        {"TopologyPlugin=topology/default\n", "", v22_05, "no value of Slurm 22.05"},
        {"TopologyPlugin=topology/default\n", "", v24_11, ""},
        {"TopologyPlugin=topology/none\n", "", v22_05, ""},
        {"TopologyPlugin=topology/ring\n", "", v24_11, "(since 26.05)"},
        {"TopologyPlugin=topology/torus3d\n", "", v24_11, "(since 26.05)"},
        {"TopologyPlugin=topology/3d_torus\n", "", v26_05, "Slurm 26.05 does not start with it"},
        {"SelectTypeParameters=CR_Core,ENFORCE_BINDING_GRES\n#", "", v22_05, "(since 23.11)"},
        {"SelectType=select/cons_res\n#", "", v24_11,
         "Slurm 24.11 does not start with it at offset 0 (\"SelectType=select/cons_res\"): "
         "expected "
         "select/cons_tres"},
    };
    for (const Row& row : rows) {
        INFO(row.first << row.partition << " of " << trestle::to_text(row.release));
        const std::string conf = conf_of(row.first, row.partition);
        const auto made = Controller::create({.slurm_conf = conf}, row.release);
        if (*row.message == '\0') {
            INFO(message(made.status()));
            CHECK(made.ok());
            continue;
        }
        REQUIRE_FALSE(made.ok());
        CHECK_THAT(std::string(message(made.status())), ContainsSubstring(row.message));
        if (row.release == v22_05) {
            CHECK_THAT(std::string(message(made.status())), !ContainsSubstring("is ExclusiveTopo"));
        }
    }
    // Without a release the keys of all are taken.
    CHECK(slurm::parse_cluster({.slurm_conf = conf_of("", " Exclusive=NODE")}).ok());
}

TEST_CASE("Slurm controller: files and keys that a release ignores are warned of",
          "[dialect][slurm]") {
    const std::string conf = conf_of("PowerPlugin=power/none\n");
    const slurm::ConfTexts texts{
        .slurm_conf = conf, .topology_yaml = "- nonsense: [", .resources_yaml = "- nonsense: ["};
    for (const Release release : {v22_05, v24_11}) {
        const auto made = Controller::create(texts, release);
        REQUIRE(made.ok());
        std::vector<std::string> warnings;
        for (const auto& one : made->warnings()) warnings.push_back(to_text(one));
        const std::string version = release == v22_05 ? "22.05" : "24.11";
        std::vector<std::string> expected = {"topology.yaml line 1: not used: Slurm " + version +
                                                 " does not look at it (since 25.05)",
                                             "resources.yaml line 1: not used: Slurm " + version +
                                                 " does not look at it (since 25.05)"};
        if (release == v24_11) {
            expected.push_back("slurm.conf line 1: PowerPlugin: Slurm 24.11 ignores it");
        }
        CHECK(warnings == expected);
    }
    CHECK_FALSE(Controller::create(texts, v26_05).ok());
}

TEST_CASE("Slurm controller: every mistake of all files has a line", "[dialect][slurm]") {
    const std::string conf = conf_of("Bogus=1\n", " Exclusive=NODE Nodez=x");
    const auto made =
        Controller::create({.slurm_conf = conf, .gres_conf = "NodeName=n1 Nam=gpu\n"}, v24_11);
    REQUIRE_FALSE(made.ok());
    const std::string text(message(made.status()));
    CHECK_THAT(text, ContainsSubstring("slurm.conf line 1: unknown key at offset 0 (\"Bogus\")"));
    CHECK_THAT(text, ContainsSubstring("\nslurm.conf line 6: no key of Slurm 24.11"));
    CHECK_THAT(text, ContainsSubstring("\nslurm.conf line 6: unknown key at offset 53"));
    CHECK_THAT(text, ContainsSubstring("\ngres.conf line 1: unknown key at offset 12"));
    std::string many;
    for (int i = 0; i < 150; ++i) many += "Bogus=1\n";
    const auto long_one = Controller::create({.slurm_conf = conf_of(many)}, v24_11);
    CHECK_THAT(std::string(message(long_one.status())),
               ContainsSubstring("slurm.conf line 100: ") && ContainsSubstring("\n50 more errors"));
}

TEST_CASE("Slurm controller: refusals say what was written", "[dialect][slurm]") {
    for (const char* unit : {"CR_CPU", "CR_Core", "CR_Socket", "CR_Core_Memory"}) {
        const std::string conf = "SelectTypeParameters=" + std::string(unit) +
                                 "\nNodeName=n[1-2] CPUs=4 CoresPerSocket=4 RealMemory=16000\n"
                                 "PartitionName=p Nodes=ALL Default=YES\n";
        INFO(unit);
        Controller controller = controller_of(conf, v24_11);
        CHECK(slurm_answers::submit(controller, "--mem=16001").message ==
              "--mem=16001M: a node of partition p has at most 16000M");
        CHECK_THAT(slurm_answers::submit(controller, "--mem-per-cpu=16001").message,
                   ContainsSubstring("--mem-per-cpu=16001M"));
    }
}

TEST_CASE("Slurm controller: the Reason of nodes that take no work", "[dialect][slurm]") {
    const std::string conf =
        "NodeName=n[1-2] CPUs=4 CoresPerSocket=4\n"
        "NodeName=n3 CPUs=4 State=DRAIN Reason=\"new disk\"\n"
        "PartitionName=p Nodes=ALL Default=YES\n"
        "DownNodes=n1,n9 State=DOWN Reason=\"bad fan\"\n";
    Controller controller = controller_of(conf, v24_11);
    REQUIRE(controller.warnings().size() == 1);
    CHECK(to_text(controller.warnings().front()) ==
          "slurm.conf line 4: DownNodes: there is no node n9");
    const auto decision = slurm_answers::submit(controller, "-N3");
    CHECK(decision.answer == Answer::pending);
    CHECK_THAT(decision.message, ContainsSubstring("down (bad fan): n1") &&
                                     ContainsSubstring("drained (new disk): n3"));
    REQUIRE(controller.set_node_state(*slurm::Hostlist::parse("n1"), NodeState::up).ok());
    CHECK_THAT(slurm_answers::submit(controller, "-N3").message, !ContainsSubstring("bad fan"));
    REQUIRE(controller.set_node_state(*slurm::Hostlist::parse("n1"), NodeState::down).ok());
    const std::string again = slurm_answers::submit(controller, "-N3").message;
    CHECK_THAT(again, ContainsSubstring("down: n1") && !ContainsSubstring("bad fan"));
}

TEST_CASE("Slurm select: resources of several modes are warned of", "[dialect][slurm]") {
    const std::string conf = conf_of("");
    const auto made = Controller::create(
        {.slurm_conf = conf,
         .resources_yaml = "- resource: one\n  mode: MODE_1\n  layers:\n    - nodes: ['n[1-2]']\n"
                           "      count: 4\n"
                           "- resource: each\n  mode: MODE_3\n  layers:\n    - nodes: ['n[1-2]']\n"
                           "      count: 4\n"},
        v26_05);
    INFO(message(made.status()));
    REQUIRE(made.ok());
    Controller controller = *made;
    const auto warned = slurm_answers::submit(controller, "--resources=each:1");
    CHECK(warned.answer == Answer::allocated);
    REQUIRE(warned.warnings.size() == 1);
    CHECK(
        warned.warnings.front() ==
        "--resources: each is of MODE_3 beside one, which is not: slurmctld 26.05.5 ended at some "
        "such requests");
    CHECK(slurm_answers::submit(controller, "--resources=one:1").warnings.empty());
}

}  // namespace trestle
