// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialect/slurm/live/live_state.hpp"
#include "dialect/slurm/live/node_state_words.hpp"
#include "support/paths.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/slurm/live/live_cluster.hpp"
#include "trestle/dialect/slurm/live/why.hpp"
#include "trestle/dialect/slurm/print.hpp"

namespace trestle::slurm {
namespace {

std::string recorded(const std::string& path) {
    const auto text = read_file(data_dir() / "slurm-live" / path);
    REQUIRE(text.ok());
    return text->value_or("");
}

/// What was recorded of a release, as JSON or as text.
LiveState recorded_state(const std::string& release, bool is_text) {
    const std::string nodes = recorded(release + (is_text              ? "/text/nodes.txt"
                                                  : release == "22.05" ? "/sinfo.json"
                                                                       : "/nodes.json"));
    const std::string jobs = recorded(release + (is_text ? "/text/jobs.txt" : "/squeue.json"));
    const std::string kept = recorded(release + "/reservations.json");
    auto state = read_live_state({nodes, jobs, is_text ? "" : kept, {}});
    REQUIRE(state.ok());
    return *std::move(state);
}

/// What each job has, by its number, as scontrol prints it.
std::vector<std::string> grants_of(const LiveCluster& live) {
    std::vector<std::string> lines;
    for (const RunningJob& job : live.running) {
        const auto grants = live.controller.grants(job.owner);
        REQUIRE(grants.ok());
        for (const std::string& line : grant_lines(*grants)) {
            lines.push_back(job.name.substr(4) + " " + line);
        }
    }
    return lines;
}

TEST_CASE("live: every release and form gives the same cluster", "[dialect][slurm][live]") {
    for (const auto& [name, release] :
         {std::pair("22.05", Release::v22_05), std::pair("24.11", Release::v24_11),
          std::pair("26.05", Release::v26_05)}) {
        for (const bool is_text : {false, true}) {
            INFO(name << (is_text ? " text" : " JSON"));
            const LiveState state = recorded_state(name, is_text);
            CHECK(state.problems.empty());
            auto reading = load_cluster(data_dir() / "slurm-live");
            REQUIRE(reading.ok());
            const auto live = live_cluster(*std::move(reading), state, release);
            REQUIRE(live.ok());
            CHECK(live->problems.empty());
            REQUIRE(live->controller.cluster().free_counts().size() == 1);
            CHECK(live->controller.cluster().free_counts().front().count == Count(1));  // of 4
            CHECK(
                grants_of(*live) ==
                std::vector<std::string>{
                    "1 Nodes=g1 CPU_IDs=0-3 Mem=1000 GRES=gpu:a100:2(IDX:0-1)",
                    "2 Nodes=g2 CPU_IDs=0-1 Mem=200 GRES=gpu:a100:1(IDX:0)",
                    "3 Nodes=c1 CPU_IDs=0-7 Mem=400 GRES=", "3 Nodes=c2 CPU_IDs=0,4 Mem=100 GRES=",
                    "4 Nodes=c2 CPU_IDs=1,5 Mem=200 GRES=",
                    "5 Nodes=g1 CPU_IDs=8-9 Mem=200 GRES=gpu:a100:1(IDX:2)"});  // all shards
            const Cluster& cluster = live->controller.cluster();
            CHECK(cluster.class_of(*cluster.find_node("c3")).state == NodeState::drained);
            CHECK(cluster.class_of(*cluster.find_node("c1")).state == NodeState::up);
        }
    }
}

TEST_CASE("live: jobs that wait are options again", "[dialect][slurm][live]") {
    for (const std::string release : {"22.05", "24.11", "26.05"}) {
        for (const bool is_text : {false, true}) {
            INFO(release << (is_text ? " text" : " JSON"));
            const LiveState state = recorded_state(release, is_text);
            const auto big = std::find_if(state.jobs.begin(), state.jobs.end(),
                                          [](const JobRecord& job) { return job.name == "big"; });
            REQUIRE(big != state.jobs.end());
            CHECK(big->reason == "Resources");
            CHECK(big->words == std::vector<std::string>{"--partition=gpu", "--nodes=2",
                                                         "--ntasks=2", "--gres=gpu:4",
                                                         "--mem-per-cpu=100", "--time=100"});
            CHECK_FALSE(big->has_nodes());
        }
    }
}

TEST_CASE("live: whole nodes are read of either field that says so", "[dialect][slurm][live]") {
    struct Row {
        const char* fields;
        bool is_exclusive;
    };
    const Row rows[] = {
        {R"("shared":["none"])", true},
        {R"("shared":[],"submit_line":"sbatch -p cpu --exclusive job.sh")", true},
        {R"("shared":[],"submit_line":"sbatch --exclusive=user job.sh")", false},
        {R"("shared":[],"submit_line":"sbatch job.sh")", false},
        {R"("shared":[],"submit_line":"sbatch -n1 job.sh --exclusive")", false},
        {R"("shared":[],"submit_line":"srun -n 1 --exclusive ./bench --exclusive=user")", true},
        {R"("shared":[],"submit_line":"sbatch --wrap='run --exclusive'")", false},
        {R"("shared":[],"submit_line":"")", false},
        {R"("shared":[])", false},
    };
    for (const Row& row : rows) {
        INFO(row.fields);
        const std::string text = R"({"jobs":[{"job_id":7,"job_state":"PENDING","node_count":1,)" +
                                 std::string(row.fields) + "}]}";
        const auto state = read_live_state({"", text, "", {}});
        REQUIRE(state.ok());
        const std::vector<std::string>& words = state->jobs.at(0).words;
        CHECK((std::find(words.begin(), words.end(), "--exclusive") != words.end()) ==
              row.is_exclusive);
    }
}

TEST_CASE("live: one task of a job that needs several nodes was not asked for",
          "[dialect][slurm][live]") {
    struct Row {
        const char* why;
        std::string nodes, tasks, requested, per_job;
        bool says_tasks;
    };
    const Row rows[] = {
        {"eight GPUs, four a node", "2", "1", "1", "8", false},
        {"four GPUs on one node: a task may have been asked", "1", "1", "1", "4", true},
        {"three tasks", "2", "3", "1", "8", true},
        {"two nodes were asked, and with them two tasks", "2", "2", "2", "8", true},
    };
    for (const Row& row : rows) {
        const std::string texts[] = {
            R"({"jobs":[{"job_id":7,"job_state":"PENDING","node_count":)" + row.nodes +
                R"(,"tasks":)" + row.tasks + R"(,"tres_req_str":"cpu=2,node=)" + row.requested +
                R"(","tres_per_job":"gres:gpu:)" + row.per_job + R"("}]})",
            "JobId=7 JobName=x\n   JobState=PENDING Reason=None\n   NumNodes=" + row.nodes +
                " NumTasks=" + row.tasks + " TRES=cpu=2,node=" + row.requested +
                "\n   TresPerJob=gres/gpu:" + row.per_job + "\n"};
        for (const std::string& text : texts) {
            INFO(row.why << ": " << text);
            const auto state = read_live_state({"", text, "", {}});
            REQUIRE(state.ok());
            const std::vector<std::string>& words = state->jobs.at(0).words;
            const auto has = [&](const std::string& word) {
                return std::find(words.begin(), words.end(), word) != words.end();
            };
            CHECK(has("--ntasks=" + row.tasks) == row.says_tasks);
            CHECK(has("--gpus=" + row.per_job));
        }
    }
}

TEST_CASE("live: reservations count from the moment of the answer", "[dialect][slurm][live]") {
    const LiveState state = recorded_state("24.11", false);
    REQUIRE(state.reservations.size() == 1);
    CHECK(state.reservations[0].name == "maint");
    CHECK(state.reservations[0].nodes == "c1");
    CHECK((state.reservations[0].ends_in - state.reservations[0].starts_in) == Seconds(3600));
}

TEST_CASE("live: what cannot be read is one line", "[dialect][slurm][live]") {
    const std::string jobs = recorded("24.11/squeue.json");
    struct Row {
        const char* why;
        std::string text;
        std::string says;
    };
    const Row rows[] = {
        {"truncated", jobs.substr(0, jobs.size() / 2), "jobs: "},
        {"of another program", R"({"items":[]})", "jobs: no answer of Slurm"},
        {"neither", "slurm_load_jobs error: Unable to contact slurm controller\n",
         "jobs: no record of scontrol show"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto state = read_live_state({"", row.text, "", {}});
        REQUIRE_FALSE(state.ok());
        const std::string text(message(state.status()));
        CHECK(text.starts_with(row.says));
        CHECK(text.find('\n') == std::string::npos);
    }
}

TEST_CASE("live: answers that are errors, and answers that are missing", "[dialect][slurm][live]") {
    const auto error_of = [](std::string_view nodes) {
        const auto state = read_live_state({nodes, "", "", {}});
        return state.ok() ? "" : std::string(message(state.status()));
    };
    CHECK(error_of(R"({"nodes":[],"errors":[{"error":"Unable to contact slurm controller"}]})") ==
          "nodes: Slurm answered with an error: Unable to contact slurm controller");
    CHECK(error_of(R"({"nodes":null})") == "nodes: member nodes is no list");
    const auto silent = read_live_state({"", R"({"jobs":[]})", "", {}});
    REQUIRE(silent.ok());
    CHECK(silent->problems ==
          std::vector<std::string>{"no answer about nodes: all are taken to be up"});
    const auto jobless =
        read_live_state({R"({"nodes":[{"name":"c1","state":"IDLE"}]})", "", "", {}});
    REQUIRE(jobless.ok());
    CHECK(jobless->problems ==
          std::vector<std::string>{"no answer about jobs: none is taken to run"});
}

TEST_CASE("live: reservations that have begun or ended", "[dialect][slurm][live]") {
    const std::string kept = recorded("24.11/reservations.json");
    const std::int64_t before = 1;
    const auto early = read_live_state({"", "", kept, before});
    REQUIRE(early.ok());
    const std::int64_t start = before + early->reservations.at(0).starts_in.value();
    const auto begun = read_live_state({"", "", kept, start + 600});
    REQUIRE(begun.ok());
    CHECK(begun->reservations.at(0).starts_in == Seconds());
    CHECK(begun->reservations.at(0).ends_in == Seconds(3000));
    const auto over = read_live_state({"", "", kept, start + 3600});
    REQUIRE(over.ok());
    CHECK(over->reservations.empty());
}

TEST_CASE("live: jobs beyond their limit, in other states, with numbers that cannot be meant",
          "[dialect][slurm][live]") {
    struct Row {
        const char* why;
        std::string text;
        bool has_nodes;
    };
    const std::string text_job =
        "JobId=7 JobName=x\n   JobState={} Reason=None\n"
        "   RunTime=01:00:05 TimeLimit=01:00:00\n";
    const auto with_state = [&](std::string_view state) {
        std::string text = text_job;
        return text.replace(text.find("{}"), 2, state);
    };
    const Row rows[] = {
        {"five seconds over", with_state("RUNNING"), true},
        {"its nodes boot", with_state("CONFIGURING"), true},
        {"stopped", with_state("STOPPED"), true},
        {"a state of a later release", with_state("WARPING"), true},
        {"it has ended", with_state("TIMEOUT"), false},
        {"it waits again", with_state("REQUEUED"), false},
        {"ended, and cleaning up",
         R"({"jobs":[{"job_id":7,"job_state":["COMPLETED","COMPLETING"]}]})", true},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto state = read_live_state({"", row.text, "", {}});
        REQUIRE(state.ok());
        CHECK(state->jobs.at(0).has_nodes() == row.has_nodes);
        if (row.text.front() == 'J' && row.has_nodes) {
            CHECK(state->jobs.at(0).ends_in == Seconds());
        }
    }
    for (const char* const memory : {"-1", "9223372036854775807"}) {
        const std::string text = std::string(R"({"jobs":[{"job_id":7,"job_state":["RUNNING"],)") +
                                 R"("job_resources":{"nodes":{"allocation":[{"name":"c1",)" +
                                 R"("memory":{"allocated":)" + memory + "}}]}}}]}";
        const auto state = read_live_state({"", text, "", {}});
        REQUIRE(state.ok());
        CHECK(state->jobs.at(0).grants.empty());
        CHECK(state->problems.front() ==
              "job 7: its cores or memory cannot be read, so it is left out");
    }
}

TEST_CASE("live: what does not fit the files is listed, and nothing is guessed",
          "[dialect][slurm][live]") {
    LiveState state = recorded_state("24.11", false);
    state.nodes.push_back({"x9", NodeState::up, "IDLE", ""});
    JobRecord lost;
    lost.id = 90;
    lost.state = "RUNNING";
    state.jobs.push_back(lost);
    lost.id = 91;
    lost.partition = "gpu";
    lost.grants.resize(1);
    lost.grants[0].grant.node = "g1";
    lost.grants[0].cores = {{7, 0}};
    state.jobs.push_back(lost);
    lost.id = 92;
    lost.grants[0].cores = {{0, 0}};  // job 1 has it
    state.jobs.push_back(lost);
    lost.id = 93;
    lost.partition = "cpu";
    lost.licenses = "unheard:1";
    lost.grants[0].grant.node = "c2";
    lost.grants[0].cores = {{0, 2}};
    state.jobs.push_back(lost);
    auto reading = load_cluster(data_dir() / "slurm-live");
    REQUIRE(reading.ok());
    const auto live = live_cluster(*std::move(reading), state);
    REQUIRE(live.ok());
    REQUIRE(live->problems.size() == 5);
    CHECK(live->problems[0] == "node x9: not in slurm.conf, so it is left out");
    CHECK(live->problems[1] == "job 90: not adopted: what it has of its nodes is not said");
    CHECK(live->problems[2] == "job 91: not adopted: node g1: core 0 of socket 7 does not exist");
    CHECK(live->problems[3].starts_with("job 92: not adopted: "));
    CHECK(live->problems[4].starts_with("job 93: its licences (unheard:1) are not counted: "));
    CHECK(live->running.size() == 6);
    CHECK(live->jobs.size() == state.jobs.size());
}

TEST_CASE("live: words and signs of a node's state", "[dialect][slurm][live]") {
    struct Row {
        const char* text;
        std::optional<NodeState> state;
    };
    const Row rows[] = {{"IDLE", NodeState::up},
                        {"MIXED+PLANNED", NodeState::up},
                        {"IDLE+DRAIN", NodeState::drained},
                        {"idle*", NodeState::down},
                        {"DOWN*+DRAIN", NodeState::down},
                        {"IDLE~", NodeState::up},
                        {"ALLOCATED$", NodeState::drained},
                        {"IDLE+FROZEN", std::nullopt},
                        {"", std::nullopt}};
    for (const Row& row : rows) {
        INFO(row.text);
        CHECK(live::node_state_of(live::state_words(row.text)) == row.state);
    }
}

TEST_CASE("live: the rules of the release that printed the state", "[dialect][slurm][live]") {
    struct Row {
        const char* folder;
        std::string_view version;
        std::optional<Release> asked;
        Release followed;
        const char* problem;
    };
    const Row rows[] = {
        {"24.11", "", {}, Release::v24_11, ""},
        {"26.05", "", {}, Release::v26_05, ""},
        {"26.05", "26.05.1", Release::v26_05, Release::v26_05, ""},
        {"26.05", "", Release::v24_11, Release::v24_11,
         "the state is of Slurm 26.05.5: the rules of 24.11 are followed"},
        {"24.11",
         "25.05.3",
         {},
         Release::v24_11,
         "the state is of Slurm 25.05.3: the rules of 24.11 are followed"},
        {"24.11",
         "23.11.10",
         {},
         Release::v22_05,
         "the state is of Slurm 23.11.10: the rules of 22.05 are followed"},
        {"24.11",
         "21.08.8",
         {},
         Release::v22_05,
         "the state is of Slurm 21.08.8: the rules of 22.05 are followed"},
        {"24.11",
         "27.11.0-0rc1",
         {},
         Release::v26_05,
         "the state is of Slurm 27.11.0-0rc1: the rules of 26.05 are followed"},
        {"24.11", "?", Release::v22_05, Release::v22_05,
         "the state is of Slurm ?: the rules of 22.05 are followed"},
    };
    for (const Row& row : rows) {
        INFO(row.folder << " " << row.version);
        const std::string folder = row.folder;
        const std::string nodes = recorded((folder + "/nodes.json").c_str()),
                          jobs = recorded((folder + "/squeue.json").c_str());
        auto reading = load_cluster(data_dir() / "slurm-live");
        REQUIRE(reading.ok());
        const auto live =
            read_live_cluster(*std::move(reading), {nodes, jobs, {}, {}, row.version}, row.asked);
        REQUIRE(live.ok());
        CHECK(live->controller.rules().release == row.followed);
        CHECK(live->problems == (*row.problem == '\0' ? std::vector<std::string>()
                                                      : std::vector<std::string>{row.problem}));
    }
}

TEST_CASE("live: a job by its number, and the ends of jobs as a timeline",
          "[dialect][slurm][live]") {
    const std::string nodes = recorded("24.11/nodes.json"), jobs = recorded("24.11/squeue.json");
    auto reading = load_cluster(data_dir() / "slurm-live");
    REQUIRE(reading.ok());
    const auto live = read_live_cluster(*std::move(reading), {nodes, jobs});
    REQUIRE(live.ok());
    REQUIRE(live->running.size() == 5);
    const auto answer = why(*live, 6);
    REQUIRE(answer.ok());
    CHECK(answer->known_as == "job 6 (big): Slurm says Resources");
    CHECK_FALSE(answer->starts_now());
    CHECK_FALSE(answer->changes.empty());
    CHECK(why(*live, 1).status() == invalid_argument("job 1: it is RUNNING"));
    CHECK(why(*live, 77).status() ==
          not_found("job 77: not among the {} jobs of the live state", live->jobs.size()));
    const Timeline timeline = timeline_of(*live);
    CHECK(timeline.cluster() == live->controller.cluster());
    for (const RunningJob& job : live->running) {
        REQUIRE(timeline.period_of(job.owner));
        const Instant end = timeline.period_of(job.owner)->end;
        CHECK((job.ends_in ? end == Instant(std::max<std::int64_t>(1, job.ends_in->value()))
                           : end == end_of_time));
    }
}

}  // namespace
}  // namespace trestle::slurm
