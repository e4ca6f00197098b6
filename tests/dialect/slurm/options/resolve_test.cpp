// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/options/options.hpp"

using namespace trestle;

namespace {

struct SettleRow {
    const char* text;
    const char* expected;
    const char* why;
};

slurm::JobOptions options_in(const std::string& text) {
    const auto submission = slurm::parse_option_text(text);
    INFO(message(submission.status()));
    REQUIRE(submission.ok());
    return submission->components.front().options;
}

/// What follows from the options, as text, or why they do not agree.
std::string resolved(const std::string& text) {
    const auto result = slurm::resolve(options_in(text));
    if (result.ok()) return to_text(result->options);
    CHECK(result.status().code() == StatusCode::kInvalidArgument);
    return std::string(message(result.status()));
}

void check_settled(std::initializer_list<SettleRow> rows) {
    for (const SettleRow& row : rows) {
        INFO(row.text << ": " << row.why);
        CHECK(resolved(row.text) == row.expected);
    }
}

}  // namespace

TEST_CASE("Slurm resolve: numbers replace a hint that says the same", "[dialect][slurm]") {
    const SettleRow rows[] = {
        {"--hint=nomultithread --ntasks-per-core=1", "{ntasks_per_core=1}", "tasks of a core"},
        {"--hint=nomultithread --threads-per-core=2", "{threads_per_core=2}", "threads of a core"},
        {"--hint=memory_bound -N 1 -n 1 -B 2:4",
         "{nodes={range=1}, ntasks=1, sockets_per_node=2, cores_per_socket=4, "
         "has_extra_node_info=true}",
         "parts of a node"},
        {"--hint=nomultithread --cpu-bind=cores", "{cpu_bind={rule=cores}}",
         "where tasks are bound"},
    };
    for (const SettleRow& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto result = slurm::resolve(options_in(row.text));
        REQUIRE(result.ok());
        CHECK(to_text(result->options) == row.expected);
        REQUIRE(result->warnings.size() == 1);
        CHECK(result->warnings[0].starts_with("--hint: ignored beside --"));
        CHECK(slurm::resolve(result->options)->warnings.empty());
    }
}

TEST_CASE("Slurm resolve: tasks that follow from sockets, cores and threads", "[dialect][slurm]") {
    struct Row {
        const char* text;
        std::optional<Count> tasks;
        const char* why;
    };
    const Row rows[] = {
        {"-B 2:8:1", Count(16), "-B alone is of one node"},
        {"-B *:7", Count(7), "any number of sockets counts nothing"},
        {"-B 2-4:8", Count(16), "the least"},
        {"-B 2 -G 4", Count(2), "beside devices of the job"},
        {"-B 2:3 -c 2", Count(6), "beside CPUs of a task"},
        {"-w n[1-3] -B 2", Count(6), "of each node that is named"},
        {"-w n1 --sockets-per-node=2 --cores-per-socket=8", Count(16), "the other options too"},
        {"-w n[1-2] -N 3 --cores-per-socket=4", Count(12), "of each node of -N"},
        {"-N 2 -B 2:8", Count(32), "likewise"},
        {"--sockets-per-node=2", std::nullopt, "without -B the number of nodes is open"},
        {"-N 2-4 -B 2:8", std::nullopt, "nor in a range"},
        {"-w n[1-2] -N 2-3 --threads-per-core=2", std::nullopt, "nor there"},
        {"-B 2:3 -n 1", Count(1), "tasks go before"},
        {"-B 2 --ntasks-per-node=4", Count(4), "and tasks of a node"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto result = slurm::resolve(options_in(row.text));
        REQUIRE(result.ok());
        CHECK(result->options.ntasks == row.tasks);
    }
}

TEST_CASE("Slurm resolve: pairs of options that exclude each other", "[dialect][slurm]") {
    check_settled({
        {"--mem=1G --mem-per-cpu=1G",
         "--mem-per-cpu: conflicts with --mem: expected one of the two",
         "memory of nodes and of CPUs"},
        {"--mem=1G --mem-per-gpu=1G -G 1",
         "--mem-per-gpu: conflicts with --mem: expected one of the two", "of nodes and of GPUs"},
        {"--mem-per-cpu=1G --mem-per-gpu=1G -G 1",
         "--mem-per-gpu: conflicts with --mem-per-cpu: expected one of the two",
         "of CPUs and of GPUs"},
        {"-c 2 --cpus-per-gpu=2 -G 1",
         "--cpus-per-gpu: conflicts with --cpus-per-task: expected one of the two",
         "CPUs of tasks and of GPUs"},
        {"-c 2 --tres-per-task=cpu=2 -n 1",
         "--tres-per-task=cpu: conflicts with --cpus-per-task: expected one of the two",
         "CPUs of tasks twice"},
        {"--cpus-per-gpu=2 --tres-per-task=cpu=2 -n 1",
         "--tres-per-task=cpu: conflicts with --cpus-per-gpu: expected one of the two",
         "CPUs of GPUs and of tasks"},
        {"--gres=gpu:1 --gpus-per-node=1",
         "--gpus-per-node: conflicts with --gres=gpu: expected one of the two",
         "GPUs of nodes twice"},
        {"--gres=nic:1 --gpus-per-node=1", "{gres=[nic:1], gpus_per_node=[gpu:1]}",
         "other devices beside them"},
        {"--gpus-per-task=1 --tres-per-task=gres/gpu:1 -n 1",
         "--tres-per-task=gres/gpu: conflicts with --gpus-per-task: expected one of the two",
         "GPUs of tasks twice"},
        {"--ntasks-per-gpu=1 --gpus-per-task=1 -n 1",
         "--gpus-per-task: conflicts with --ntasks-per-gpu: expected one of the two",
         "tasks of GPUs and GPUs of tasks"},
        {"--ntasks-per-gpu=1 --tres-per-task=gres/gpu:1 -n 1",
         "--tres-per-task=gres/gpu: conflicts with --ntasks-per-gpu: expected one of the two",
         "the same by the other option"},
        {"--ntasks-per-gpu=1 --gpus-per-socket=1 --sockets-per-node=1",
         "--gpus-per-socket: conflicts with --ntasks-per-gpu: expected one of the two",
         "sockets count GPUs already"},
        {"--ntasks-per-gpu=1 --ntasks-per-node=1 -G 1",
         "--ntasks-per-node: conflicts with --ntasks-per-gpu: expected one of the two",
         "nodes count tasks already"},
        {"--hint=nomultithread --cpu-bind=verbose",
         "{hint=nomultithread, cpu_bind={report=verbose}}", "a report is no binding"},
        {"--hint=nomultithread --cores-per-socket=4", "{cores_per_socket=4, hint=nomultithread}",
         "which nodes is another matter"},
        {"-S 1 --thread-spec=1",
         "--thread-spec: conflicts with --core-spec: expected one of the two",
         "cores and threads for the system"},
        {"--exclusive --oversubscribe",
         "--oversubscribe: conflicts with --exclusive: expected one of the two",
         "alone and shared"},
        {"--spread-job --use-min-nodes", "{spread_job=true, use_min_nodes=true}",
         "over many nodes of a range, and the least of it"},
        {"--exact --whole", "--whole: conflicts with --exact: expected one of the two",
         "all of the job and not"},
        {"--gres-flags=enforce-binding,disable-binding",
         "--gres-flags: enforce-binding conflicts with disable-binding: expected one of the two",
         "both ways"},
        {"--gres-flags=one-task-per-sharing",
         "--gres-flags: one-task-per-sharing without parts of GPUs: expected gres/shard or "
         "gres/mps in --tres-per-task",
         "no task asks for parts"},
        {"--gres-flags=one-task-per-sharing --gres=shard:2 --tres-per-task=gres/gpu:1",
         "--gres-flags: one-task-per-sharing without parts of GPUs: expected gres/shard or "
         "gres/mps in --tres-per-task",
         "parts of a node and whole GPUs of a task"},
        {"--gres-flags=one-task-per-sharing,multiple-tasks-per-sharing",
         "--gres-flags: multiple-tasks-per-sharing conflicts with one-task-per-sharing: expected "
         "one of the two",
         "both ways"},
        {"-w n[0-3] -x n2", "--exclude: conflicts with --nodelist: both name n2",
         "a node wanted and not"},
        {"--time-min=20 -t 10", "--time-min: above --time: expected no more than it",
         "at least more than at most"},
        {"--time-min=UNLIMITED -t 10", "--time-min: above --time: expected no more than it",
         "at least without end"},
        {"--time-min=10 -t 10", "{time={limit=600}, time_min={limit=600}}", "both alike"},
        {"--time-min=10 -t UNLIMITED", "{time={}, time_min={limit=600}}", "any limit will do"},
    });
}

TEST_CASE("Slurm resolve: nodes and tasks follow from each other", "[dialect][slurm]") {
    check_settled({
        {"-N 3 -n 2", "{nodes={range=2}, ntasks=2}", "never more nodes than tasks"},
        {"-N 2-8 -n 4", "{nodes={range=2..8}, ntasks=4}", "the upper end stays"},
        {"-N 2 --ntasks-per-node=4", "{nodes={range=2}, ntasks=8, ntasks_per_node=4}",
         "tasks by nodes"},
        {"-N 2-4 --ntasks-per-node=4", "{nodes={range=2..4}, ntasks=8, ntasks_per_node=4}",
         "of the fewest nodes"},
        {"--ntasks-per-node=4", "{ntasks=4, ntasks_per_node=4}", "of one node"},
        {"-N 1000000 --ntasks-per-node=2147483647",
         "{nodes={range=1000000}, ntasks=2147483647000000, ntasks_per_node=2147483647}",
         "as many as there may be"},
        {"-w n[0-3]", "{nodes={range=4..}, nodelist=n[0-3]}", "as many nodes as names"},
        {"-w n[0-3] -N 2", "--nodelist: 4 nodes are more than --nodes: 2: expected no more",
         "more names than nodes"},
        {"-w n[0-1] -N 4", "{nodes={range=4}, nodelist=n[0-1]}", "others beside them"},
        {"-w n[0-1],n1 -N 2", "{nodes={range=2}, nodelist=n[0-1,1]}", "a name twice is one node"},
        {"-w n[1-2] -n 1", "{nodes={range=1}, ntasks=1, nodelist=n1}", "the first of them"},
        {"-w n2,n1,n2 -n 1", "{nodes={range=1}, ntasks=1, nodelist=n1}",
         "sorted where one stands twice"},
        {"--segment=4 -N 8", "{nodes={range=8}, segment=4}", "nodes divide by segments"},
        {"--segment=3 -N 8", "{nodes={range=8}, segment=3}",
         "the controller says when they do not"},
        {"--segment=3 -N 8-9", "{nodes={range=8..9}, segment=3}",
         "a range may hold a number that does"},
    });
}

TEST_CASE("Slurm resolve: the twelve checks of counts of devices", "[dialect][slurm]") {
    check_settled({
        {"-G 1 --gpus-per-node=2", "--gpus: 1 disagrees with --gpus-per-node: 2: expected no fewer",
         "1: fewer in the job than on a node"},
        {"-G 1 --gpus-per-task=2 -n 1",
         "--gpus: 1 disagrees with --gpus-per-task: 2: expected no fewer", "1: than of a task"},
        {"-G 1 --gpus-per-socket=2 --sockets-per-node=1",
         "--gpus: 1 disagrees with --gpus-per-socket: 2: expected no fewer", "1: than of a socket"},
        {"--gpus=a100:1 --gpus-per-node=v100:2", "{gpus=[gpu:a100:1], gpus_per_node=[gpu:v100:2]}",
         "each type by itself"},
        {"--gpus-per-node=1 --gpus-per-task=2 -n 2",
         "--gpus-per-node: 1 disagrees with --gpus-per-task: 2: expected no fewer",
         "2: fewer on a node than of a task"},
        {"--gpus-per-node=1 --gpus-per-socket=2 --sockets-per-node=1",
         "--gpus-per-node: 1 disagrees with --gpus-per-socket: 2: expected no fewer",
         "2: than of a socket"},
        {"--gres=nic:1 --tres-per-task=gres/nic:2 -n 2",
         "--gres: 1 disagrees with --tres-per-task: 2: expected no fewer", "2: of any name"},
        {"--gpus-per-socket=1", "--gpus-per-socket: expected --sockets-per-node beside it",
         "3: of how many sockets"},
        {"--gpus-per-socket=1 --sockets-per-node=*",
         "--gpus-per-socket: expected --sockets-per-node beside it", "3: any number is none"},
        {"--gpus-per-socket=1 -B 2",
         "{ntasks=2, sockets_per_node=2, has_extra_node_info=true, gpus_per_socket=[gpu:1]}",
         "3: -B says it too"},
        {"--gpus-per-socket=1 --sockets-per-node=2",
         "{sockets_per_node=2, gpus_per_socket=[gpu:1]}", "3: now they are"},
        {"-c 6 --cpus-per-gpu=3 --gpus-per-task=2 -n 1",
         "--cpus-per-gpu: conflicts with --cpus-per-task: expected one of the two",
         "4: even if they agree"},
        {"-G 8 --gpus-per-node=4", "{nodes={range=2}, gpus=[gpu:8], gpus_per_node=[gpu:4]}",
         "5: two nodes"},
        {"-G 8 --gres=gpu:4", "{nodes={range=2}, gres=[gpu:4], gpus=[gpu:8]}",
         "5: by the other option"},
        {"-G 8 --gpus-per-node=4 -N 1-4", "{nodes={range=2}, gpus=[gpu:8], gpus_per_node=[gpu:4]}",
         "5: within the range"},
        {"-G 8 --gpus-per-node=4 -N 3",
         "--gpus and --gpus-per-node: 2 nodes, expected a number within --nodes", "5: not three"},
        {"-G 5 --gpus-per-node=2",
         "--gpus: 5 disagrees with --gpus-per-node: 2: expected a multiple of it",
         "5: they do not divide"},
        {"-G a100:4 --gpus-per-node=a100:2",
         "{nodes={range=2}, gpus=[gpu:a100:4], gpus_per_node=[gpu:a100:2]}", "5: typed"},
        {"--gpus-per-node=4 --gpus-per-socket=2 --sockets-per-node=2",
         "{sockets_per_node=2, gpus_per_node=[gpu:4], gpus_per_socket=[gpu:2]}", "6: they agree"},
        {"--gpus-per-node=4 --gpus-per-socket=2 --sockets-per-node=1",
         "--sockets-per-node: 1 disagrees with --gpus-per-socket: 2: expected GPUs per node "
         "divided by it",
         "6: they do not"},
        {"--gpus-per-node=3 --gpus-per-socket=2 --sockets-per-node=2",
         "--gpus-per-node: 3 disagrees with --gpus-per-socket: 2: expected a multiple of it",
         "6: they do not divide"},
        {"--ntasks-per-gpu=2 -G 3", "{ntasks=6, ntasks_per_gpu=2, gpus=[gpu:3]}",
         "7: tasks by GPUs"},
        {"--ntasks-per-gpu=2 --gpus-per-node=4 -N 2",
         "{nodes={range=2}, ntasks=16, ntasks_per_gpu=2, gpus_per_node=[gpu:4]}",
         "7: GPUs of all nodes"},
        {"--ntasks-per-gpu=2 -n 6", "{ntasks=6, ntasks_per_gpu=2, gpus=[gpu:3]}",
         "7: GPUs by tasks"},
        {"--ntasks-per-gpu=2 -n 5",
         "--ntasks: 5 disagrees with --ntasks-per-gpu: 2: expected a multiple of it",
         "7: they do not divide"},
        {"--ntasks-per-gpu=6 -n 5", "{ntasks=5}", "7: not one GPU follows"},
        {"--ntasks-per-gpu=6 -n 3 -c 2",
         "--ntasks: 3 disagrees with --ntasks-per-gpu: 6: expected a multiple of it",
         "7: CPUs of one follow"},
        {"--ntasks-per-gpu=2 -G 3 -n 4",
         "--ntasks: 4 disagrees with --ntasks-per-gpu: 2: expected 6", "7: they disagree"},
        {"--ntasks-per-gpu=2 -G 3 -n 6", "{ntasks=6, ntasks_per_gpu=2, gpus=[gpu:3]}",
         "7: they agree"},
        {"--ntasks-per-gpu=2",
         "--ntasks-per-gpu: expected --ntasks, --gpus or one number of --nodes beside it",
         "7: neither tasks nor GPUs"},
        {"--ntasks-per-gpu=2 -N 3", "{nodes={range=3}, ntasks=6, ntasks_per_gpu=2, gpus=[gpu:3]}",
         "7: a GPU for each node"},
        {"--ntasks-per-gpu=2 -N 2-3",
         "--ntasks-per-gpu: expected --ntasks, --gpus or one number of --nodes beside it",
         "7: of how many nodes"},
        {"--ntasks-per-gpu=2 --gres=nic:1 -n 4",
         "{ntasks=4, ntasks_per_gpu=2, gres=[nic:1], gpus=[gpu:2]}",
         "7: other devices do not count"},
        {"-G 8 --gpus-per-task=2", "{ntasks=4, gpus=[gpu:8], gpus_per_task=[gpu:2]}",
         "8: four tasks"},
        {"-G 8 --gpus-per-task=3",
         "--gpus: 8 disagrees with --gpus-per-task: 3: expected a multiple of it",
         "8: they do not divide"},
        {"-G 8 --gpus-per-task=2 -n 4", "{ntasks=4, gpus=[gpu:8], gpus_per_task=[gpu:2]}",
         "8: they agree"},
        {"-G 8 --gpus-per-task=2 -n 3", "--ntasks: 3 disagrees with --gpus-per-task: 2: expected 4",
         "8: they disagree"},
        {"--gpus-per-task=1", "--gpus-per-task: expected --ntasks or --gpus beside it",
         "8: of how many tasks"},
        {"-N 2 --gpus-per-task=1", "{nodes={range=2}, ntasks=2, gpus_per_task=[gpu:1]}",
         "8: one a node"},
        {"-N 2-3 --gpus-per-task=1", "--gpus-per-task: expected --ntasks or --gpus beside it",
         "8: of how many nodes"},
        {"-N 2 -c 4 --gpus-per-task=1", "--gpus-per-task: expected --ntasks or --gpus beside it",
         "8: not with CPUs of a task, as Slurm has it"},
        {"-N 2 --ntasks-per-node=3 --gpus-per-task=1",
         "{nodes={range=2}, ntasks=6, ntasks_per_node=3, gpus_per_task=[gpu:1]}",
         "8: tasks by nodes"},
        {"-N 2 --tres-per-task=cpu=2", "{nodes={range=2}, ntasks=2, tres_per_task={cpus=2}}",
         "8: also without devices"},
        {"-n 2 --gpus-per-task=9223372036854775807",
         "--gpus-per-task: more devices than can be counted", "8: more than can be counted"},
        {"--gpus-per-node=4 --gpus-per-task=2 -n 4",
         "{ntasks=4, ntasks_per_node=2, gpus_per_node=[gpu:4], gpus_per_task=[gpu:2]}",
         "9: two on each node"},
        {"--gpus-per-node=3 --gpus-per-task=2 -n 4",
         "--gpus-per-node: 3 disagrees with --gpus-per-task: 2: expected a multiple of it",
         "9: they do not divide"},
        {"--gpus-per-node=4 --gpus-per-task=2 -n 4 --ntasks-per-node=2",
         "{ntasks=4, ntasks_per_node=2, gpus_per_node=[gpu:4], gpus_per_task=[gpu:2]}",
         "9: they agree"},
        {"--gpus-per-node=4 --gpus-per-task=2 -n 4 --ntasks-per-node=1",
         "--ntasks-per-node: 1 disagrees with --gpus-per-task: 2: expected 2", "9: they disagree"},
        {"--gpus-per-socket=4 --gpus-per-task=2 -n 4 --sockets-per-node=2",
         "{ntasks=4, ntasks_per_socket=2, sockets_per_node=2, gpus_per_socket=[gpu:4], "
         "gpus_per_task=[gpu:2]}",
         "10: two on each"},
        {"--gpus-per-socket=3 --gpus-per-task=2 -n 4 --sockets-per-node=2",
         "--gpus-per-socket: 3 disagrees with --gpus-per-task: 2: expected a multiple of it",
         "10: they do not divide"},
        {"--gpus-per-socket=4 --gpus-per-task=2 -n 4 --sockets-per-node=2 --ntasks-per-socket=1",
         "--ntasks-per-socket: 1 disagrees with --gpus-per-task: 2: expected 2",
         "10: they disagree"},
        {"--cpus-per-gpu=3 --gpus-per-task=2 -n 2",
         "{ntasks=2, gpus_per_task=[gpu:2], cpus_per_gpu=3}", "11: six CPUs a task, left unsaid"},
        {"-G 3 -N 4", "--gpus: 3 disagrees with --nodes: 4: expected one for each node",
         "12: fewer GPUs than nodes"},
        {"-G 3 -N 1-8", "{nodes={range=1..3}, gpus=[gpu:3]}", "12: no more nodes than GPUs"},
        {"-G 3 -N 1,2,8", "{nodes={range=1..2, sizes=[1, 2]}, gpus=[gpu:3]}", "12: nor in a list"},
        {"-n 2 --gpus-per-task=1 -N 1-4", "{nodes={range=1..2}, ntasks=2, gpus_per_task=[gpu:1]}",
         "12: by the GPUs of tasks"},
    });
}

TEST_CASE("Slurm resolve: kinds of devices", "[dialect][slurm]") {
    check_settled({
        {"--gres=gpu:1,shard:1", "gpu: conflicts with shard or mps: expected one of the two",
         "a GPU and parts of one"},
        {"-G 1 --gres=mps:50", "gpu: conflicts with shard or mps: expected one of the two",
         "likewise"},
        {"-G 1 --gres=Shard:1", "gpu: conflicts with shard or mps: expected one of the two",
         "in any case"},
        {"--gres=shard:1 --gpu-freq=low",
         "--gpu-freq: conflicts with shard or mps, which share GPUs: expected one of the two",
         "others share that GPU"},
        {"-G a100:1 --gpus-per-node=1",
         "gpu: with and without the type a100: expected a type for all of them or for none",
         "with and without a type"},
        {"--gres=gpu:a100:1 --gpus-per-task=1 -n 1",
         "gpu: with and without the type a100: expected a type for all of them or for none",
         "with and without a type"},
        {"--mem-per-gpu=1G", "--mem-per-gpu: no GPU is asked for: expected --gpus or --gres=gpu",
         "memory of no GPU"},
        {"--mem-per-gpu=1G --gres=nic:1",
         "--mem-per-gpu: no GPU is asked for: expected --gpus or --gres=gpu", "nor of a GPU"},
        {"--cpus-per-gpu=2", "{cpus_per_gpu=2}", "of no GPU: Slurm 22.05 ignores it"},
        {"--gres=none", "{gres=[]}", "nothing"},
        {"-w n[0-2] -N 1,4,8", "{nodes={range=4..8, sizes=[4, 8]}, nodelist=n[0-2]}",
         "no size below the names"},
    });
}

TEST_CASE("Slurm resolve: a change to what was said is a warning", "[dialect][slurm]") {
    const auto warnings = [](const char* text) {
        return slurm::resolve(options_in(text)).value().warnings;
    };
    CHECK(warnings("-N 3 -n 2") ==
          std::vector<std::string>{"2 tasks run on at most 2 nodes: 3 were asked"});
    CHECK(warnings("-w n[1-2] -n 1").size() == 1);
    CHECK(warnings("-N 2-8 -n 4").empty());
    CHECK(warnings("-G 8 --gpus-per-node=4").empty());
    const auto before = [](const char* text) {
        const auto nodes = slurm::resolve(options_in(text)).value().nodes_before;
        return nodes ? to_text(*nodes) : "";
    };
    CHECK(before("-N 3-5 -n 2") == "{range=3..5}");
    CHECK(before("-n 2 -G 4 --gpus-per-node=1") == "{range=4}");
    CHECK(before("-N 2-8 -n 4").empty());
}

TEST_CASE("Slurm resolve, law: what is resolved stays as it is", "[dialect][slurm][law]") {
    const char* texts[] = {"-N 3 -n 2",
                           "-w n[1-4],n2 -n 3",
                           "-G 8 --gpus-per-node=4 --gpus-per-task=2",
                           "-G 8 --gpus-per-node=4 --tres-per-task=cpu=2",
                           "--ntasks-per-gpu=2 -n 6",
                           "--cpus-per-gpu=3 --gpus-per-task=2 -n 2",
                           "-G 3 -N 1-8",
                           "-N 2 --tres-per-task=cpu=2",
                           "-w n[0-2] -N 1,4,8",
                           "--gpus-per-socket=4 --gpus-per-task=2 -n 4 --sockets-per-node=2"};
    for (const char* text : texts) {
        INFO(text);
        const auto once = slurm::resolve(options_in(text));
        REQUIRE(once.ok());
        const auto twice = slurm::resolve(once->options);
        REQUIRE(twice.ok());
        CHECK(twice->options == once->options);
        CHECK(twice->warnings.empty());
    }
}

TEST_CASE("Slurm resolve: hardware asked of a fixed number of nodes gives tasks",
          "[dialect][slurm]") {
    const auto tasks = [](const std::string& text) {
        return slurm::resolve(options_in(text))->options.ntasks;
    };
    CHECK(tasks("-N2 --sockets-per-node=2") == Count(4));
    CHECK(tasks("-N1 --gpus-per-socket=a100:1 --sockets-per-node=1") == Count(1));
    CHECK(tasks("-N2 -B 2:4:1") == Count(16));
    CHECK(tasks("-N2 -B '*:4'") == Count(8));
    CHECK(tasks("-N2 -n3 --sockets-per-node=2") == Count(3));
    CHECK(tasks("-N2 --ntasks-per-node=3 --sockets-per-node=2") == Count(6));
    CHECK(tasks("-N1-2 --sockets-per-node=2") == std::nullopt);
    CHECK(tasks("--sockets-per-node=2") == std::nullopt);
}

TEST_CASE("Slurm resolve: a count of 0 that no text could say is refused", "[dialect][slurm]") {
    using slurm::JobOptions;
    struct Row {
        std::string option;
        void (*change)(JobOptions&);
    };
    static const std::vector<Gres> no_gpus{{"gpu", "", Count(0)}};
    const std::vector<Row> rows{
        {"--nodes",
         [](JobOptions& o) {
             o.nodes = {Range<Count>::exactly(Count(0)), {}};
         }},
        {"--nodes",
         [](JobOptions& o) {
             o.nodes = {Range<Count>{std::nullopt, Count(2)}, {}};
         }},
        {"--nodes",
         [](JobOptions& o) {
             o.nodes = {Range<Count>{Count(1), Count(0)}, {}};
         }},
        {"--nodes",
         [](JobOptions& o) {
             o.nodes = {Range<Count>::exactly(Count(1)), {Count(0)}};
         }},
        {"--ntasks", [](JobOptions& o) { o.ntasks = Count(0); }},
        {"--cpus-per-task", [](JobOptions& o) { o.cpus_per_task = Count(0); }},
        {"--ntasks-per-node", [](JobOptions& o) { o.ntasks_per_node = Count(0); }},
        {"--ntasks-per-socket", [](JobOptions& o) { o.ntasks_per_socket = Count(0); }},
        {"--ntasks-per-core", [](JobOptions& o) { o.ntasks_per_core = Count(0); }},
        {"--ntasks-per-gpu",
         [](JobOptions& o) {
             o.ntasks = Count(4);
             o.ntasks_per_gpu = Count(0);
         }},
        {"--mincpus", [](JobOptions& o) { o.mincpus = Count(0); }},
        {"--cpus-per-gpu", [](JobOptions& o) { o.cpus_per_gpu = Count(0); }},
        {"--sockets-per-node",
         [](JobOptions& o) { o.sockets_per_node = Range<Count>::exactly(Count(0)); }},
        {"--cores-per-socket",
         [](JobOptions& o) { o.cores_per_socket = Range<Count>::exactly(Count(0)); }},
        {"--threads-per-core",
         [](JobOptions& o) {
             o.threads_per_core = Range<Count>{std::nullopt, Count(0)};
         }},
        {"--distribution",
         [](JobOptions& o) {
             o.distribution.emplace();
             o.distribution->plane_size = Count(0);
         }},
        {"--gres", [](JobOptions& o) { o.gres = no_gpus; }},
        {"--gpus", [](JobOptions& o) { o.gpus = no_gpus; }},
        {"--gpus-per-node", [](JobOptions& o) { o.gpus_per_node = no_gpus; }},
        {"--gpus-per-socket", [](JobOptions& o) { o.gpus_per_socket = no_gpus; }},
        {"--gpus-per-task", [](JobOptions& o) { o.gpus_per_task = no_gpus; }},
        {"--tres-per-task",
         [](JobOptions& o) {
             o.tres_per_task = {Count(0), {}, {}};
         }},
        {"--tres-per-task",
         [](JobOptions& o) {
             o.tres_per_task = {{}, {{"gpu", "", Count(0)}}, {}};
         }},
        {"--tres-per-task",
         [](JobOptions& o) {
             o.tres_per_task = {{}, {}, {{"matlab", Count(0)}}};
         }},
        {"--tres-bind",
         [](JobOptions& o) {
             o.tres_bind.emplace();
             o.tres_bind->rules.emplace_back();
             o.tres_bind->rules.back().rule = DeviceBind::Rule::single;
             o.tres_bind->rules.back().count = Count(0);
         }},
        {"--constraint",
         [](JobOptions& o) {
             o.constraint.emplace();
             o.constraint->counts.push_back({{}, Count(0)});
         }},
        {"--prefer",
         [](JobOptions& o) {
             o.prefer.emplace();
             o.prefer->counts.push_back({{}, Count(0)});
         }},
        {"--time", [](JobOptions& o) { o.time = slurm::TimeLimit{Seconds(0)}; }},
        {"--time-min", [](JobOptions& o) { o.time_min = slurm::TimeLimit{Seconds(0)}; }},
        {"--switches",
         [](JobOptions& o) {
             o.switches = slurm::Switches{Count(0), {}};
         }},
        {"--licenses",
         [](JobOptions& o) {
             o.licenses = slurm::LicenseList{{{"matlab", Count(0)}}, false};
         }},
        {"--array",
         [](JobOptions& o) {
             o.array = slurm::JobArray{{{0, 3, 0}}, {}};
         }},
    };
    for (const Row& row : rows) {
        INFO(row.option);
        JobOptions options;
        row.change(options);
        const auto result = slurm::resolve(options);
        CHECK(result.status().code() == StatusCode::kInvalidArgument);
        const std::string text(message(result.status()));
        INFO(text);
        CHECK(text.rfind(row.option + ": ", 0) == 0);
        CHECK(text.find(" or more") != text.npos);
    }
    CHECK(slurm::resolve(JobOptions{}).ok());
}
