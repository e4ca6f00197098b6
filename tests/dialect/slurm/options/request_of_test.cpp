// SPDX-License-Identifier: Apache-2.0
// What options of Slurm are as a request of the core.
#include <string>

#include "support/catch.hpp"
#include "support/slurm_option_rows.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/options/options.hpp"

namespace trestle {

using slurm_option_rows::OptionRow;

TEST_CASE("Slurm options: what the request says of them", "[dialect][slurm]") {
    const OptionRow rows[] = {
        {"-N 1,4,8", "{nodes=1..8, node_counts=[1, 4, 8]}", "sizes"},
        {"-N 1,4,8 -n 4", "{nodes=1..4, node_counts=[1, 4], tasks=4}", "no size above the tasks"},
        {"-N 2 --ntasks-per-node=4", "{nodes=2, tasks=8, tasks_per_node=..4}", "tasks in all"},
        {"-n 8 --ntasks-per-node=4", "{nodes=2..8, tasks=8, tasks_per_node=..4}",
         "at least two nodes"},
        {"-n 8 --ntasks-per-node=4 -N 1-4", "{nodes=2..4, tasks=8, tasks_per_node=..4}",
         "likewise"},
        {"--ntasks-per-socket=1 --ntasks-per-core=1 -n 2",
         "{nodes=1..2, tasks=2, tasks_per_core=1, tasks_per_socket=1}", "at most"},
        {"-B 2:8:1",
         "{nodes=1..16, tasks=16, threads_per_core=1, sockets_per_node=2, cores_per_socket=8}",
         "at least, and a task for each"},
        {"--sockets-per-node=*", "{}", "any"},
        {"--hint=nomultithread", "{threads_per_core=1}", "one thread a core"},
        {"--hint=compute_bound", "{threads_per_core=1}", "likewise"},
        {"--hint=memory_bound", "{threads_per_core=1}", "likewise"},
        {"--hint=multithread", "{}", "as many as there are"},
        {"--mincpus=8", "{cpus_per_task=8}", "one task a node takes them"},
        {"--mincpus=8 -c 16", "{cpus_per_task=16}", "less than the task takes"},
        {"--mincpus=8 -n 4",
         "--mincpus with several tasks a node: a request of the core cannot say it",
         "which node gives more is not said"},
        {"-m cyclic:fcyclic", "{distribution={nodes=cyclic, sockets=fcyclic}}", "both levels"},
        {"-m plane=4", "{distribution={nodes=plane, plane_size=4}}", "planes"},
        {"-m block:block:cyclic,Pack", "{distribution={split=packed}}", "cores are left out"},
        {"-m arbitrary", "--distribution=arbitrary: a request of the core cannot say it",
         "no host file here"},
        {"-S 2", "{system_cores=2, exclusivity=whole_node}", "of a whole node"},
        {"-S 0", "{exclusivity=whole_node}", "a whole node"},
        {"--exclusive", "{devices=[{count=0.., prefer=most}], exclusivity=whole_node}",
         "a whole node with all of its GPUs"},
        {"--exclusive --gres=gpu:2,nic:1",
         "{devices=[{count=2.., prefer=most}, {name=nic, count=1.., prefer=most}], "
         "exclusivity=whole_node}",
         "all of what is asked for"},
        {"-N 1 --exclusive -G 4",
         "{devices=[{count=4, per=job}, {count=0.., prefer=most}], exclusivity=whole_node}",
         "the job's, and the rest"},
        {"-n 2 --exclusive --gpus-per-task=1",
         "{nodes=1..2, tasks=2, devices=[{per=task}, {count=0.., prefer=most}], "
         "exclusivity=whole_node}",
         "those of the tasks, and the rest"},
        {"-n 2 --exclusive --tres-per-task=gres/nic:1",
         "{nodes=1..2, tasks=2, devices=[{name=nic, per=task}, {count=0.., prefer=most}, "
         "{name=nic, count=0.., prefer=most}], exclusivity=whole_node}",
         "of each name"},
        {"-N 1 --exclusive --gpus-per-socket=1 --sockets-per-node=2",
         "{tasks=2, sockets_per_node=2, devices=[{per=socket}, {count=0.., prefer=most}], "
         "exclusivity=whole_node}",
         "those of the sockets, and the rest"},
        {"--exclusive --gres=gpu:a:2",
         "{devices=[{types=[a], count=2}, {count=0.., prefer=most}], exclusivity=whole_node}",
         "other types come with it"},
        {"--exclusive --gres=shard:2",
         "--exclusive with parts of a GPU: a request of the core cannot say it",
         "all parts come with it"},
        {"--exclusive=user", "--exclusive=user: a request of the core cannot say it",
         "others of the user"},
        {"--exclusive=topo", "--exclusive=topo: a request of the core cannot say it",
         "a whole block"},
        {"--thread-spec=2", "--thread-spec: a request of the core cannot say it", "threads"},
        {"-O", "{}", "a task a node"},
        {"-O -N 2 -n 16 --ntasks-per-core=1", "{nodes=2}", "CPUs as for one task a node"},
        {"-O -n 16 --ntasks-per-node=4", "{nodes=4}", "nodes that the tasks need"},
        {"-O -n 15 --ntasks-per-node=4", "{nodes=4}", "the last one is not full"},
        {"-O -n 16 --ntasks-per-node=4 -N 2-8", "{nodes=4..8}", "within those that are said"},
        {"-O -n 16 --ntasks-per-node=4 -N 6", "{nodes=6}", "more nodes than they need"},
        {"-O -n 16", "{}", "one node has room for all"},
        {"-O -N 2 --ntasks-per-node=4", "{nodes=2}", "as many as are said"},
        {"-O -n 2 --gpus-per-task=1",
         "--overcommit with counts per task: a request of the core cannot say it",
         "tasks without CPUs"},
        {"--gres=gpu:1,nic:1 --cpus-per-gpu=2",
         "--cpus-per-gpu beside other devices: a request of the core cannot say it",
         "the nic would be counted too"},
        {"--gres=gpu:1,nic:1 --mem-per-gpu=1G",
         "--mem-per-gpu beside other devices: a request of the core cannot say it", "the same"},
        {"--gres=nic:1 --cpus-per-gpu=2", "{devices=[{name=nic}]}", "without a GPU it is nothing"},
        {"--gres=shard:3", "{devices=[{shares=3, share_kind=shard}]}", "three parts of one GPU"},
        {"--gres=mps:50", "{devices=[{shares=50, share_kind=mps}]}", "half of one"},
        {"--gres=Shard:3", "{devices=[{shares=3, share_kind=shard}]}", "in any case"},
        {"--mem=0", "{memory=0..}", "anything; the caller gives all"},
        {"--mem-per-cpu=0 -n 2", "{nodes=1..2, tasks=2, memory=0..}", "all of the node too"},
        {"--mem-per-gpu=0 -G 1", "{devices=[{per=job}]}", "as if it were not given"},
        {"--mem-per-gpu=1G -G 1", "{memory=1GiB, memory_per=device, devices=[{per=job}]}",
         "of a device"},
        {"--tmp=1G", "{disk=1GiB..}", "at least"},
        {"--gres=nic:1 -G 2", "{devices=[{name=nic}, {count=2, per=job}]}", "per node and per job"},
        {"--gpus-per-socket=1 --sockets-per-node=2", "{sockets_per_node=2, devices=[{per=socket}]}",
         "per socket"},
        {"--gpus-per-task=a100:1 -n 2", "{nodes=1..2, tasks=2, devices=[{types=[a100], per=task}]}",
         "per task"},
        {"--gpus-per-node=2 --gpus-per-task=1 -n 4",
         "{nodes=2..4, tasks=4, tasks_per_node=..2, devices=[{per=task}]}",
         "per task: two on each node follow"},
        {"-G 4 --gpus-per-node=2", "{nodes=2, devices=[{count=2}]}", "per node: two nodes follow"},
        {"-G 4 --gpus-per-socket=1 --sockets-per-node=2",
         "--gpus with --gpus-per-socket: a request of the core cannot say it", "not both"},
        {"--tres-per-task=cpu=2,gres/nic:1,license/m:2 -n 3",
         "{nodes=1..3, tasks=3, cpus_per_task=2, devices=[{name=nic, per=task}], "
         "cluster_counts=[m:6]}",
         "CPUs, devices, licences of all tasks"},
        {"--tres-per-task=license/m:2 -L m:1,k:1 -n 3",
         "{nodes=1..3, tasks=3, cluster_counts=[k:1, m:7]}", "licences of both"},
        {"--ntasks-per-gpu=2 -G 2", "{nodes=1..4, tasks=4, devices=[{count=2, per=job}]}",
         "tasks by GPUs"},
        {"--cpus-per-gpu=4 -G 2", "{devices=[{count=2, per=job}], cpus_per_device=4}",
         "CPUs of a device"},
        {"--cpus-per-gpu=4", "{}", "of none"},
        {"--gres=gpu:1 --gres-flags=enforce-binding", "{devices=[{locality=require}]}",
         "near the cores"},
        {"--gres=gpu:1 --gres-flags=disable-binding", "{devices=[{locality=ignore}]}", "anywhere"},
        {"-C [a|b]&c -N 2", "{nodes=2, features=c, feature_sets=[a, b]}", "all three kinds"},
        {"-C [a*1&b*1] -N 2", "{nodes=2, feature_counts=[{features=a}, {features=b}]}", "counts"},
        {"-C a*3 -N 2", "feature_counts: 3 nodes with a, expected at most 2",
         "more than there are nodes"},
        {"-w n[1-2] -x n3", "{nodes=2, required_nodes=[n1, n2], excluded_nodes=[n3]}", "names"},
        {"-w n[0-199999] -N 200000",
         "--nodelist of more than 100000 names: a request of the core cannot say it",
         "too many names"},
        {"-p gpu", "{partition=gpu}", "a partition"},
        {"-p a,b", "--partition with several names: a request of the core cannot say it",
         "several"},
        {"--switches=2@10 -N 4", "{nodes=4, topology={switches_max=2}}", "required"},
        {"--segment=2 -N 4", "{nodes=4, topology={segment_size=2}}", "blocks"},
        {"--segment=0 -N 4", "{nodes=4}", "no segments"},
        {"--segment=3 -N 4",
         "topology: segment_size: 3, expected one that divides a number of nodes", "cut nodes"},
        {"--segment=2 --contiguous -N 4",
         "topology: is_contiguous: expected neither segments, a shape nor a ring",
         "both are not one topology"},
        {"--contiguous -N 4", "{nodes=4, topology={is_contiguous=true}}", "next to each other"},
        {"-t 30", "{time_limit=1800}", "seconds"},
        {"-L a:2|b:1", "--licenses with |: a request of the core cannot say it",
         "one or the other"},
        {"-L a:2|b:0", "{cluster_counts=[a:2]}", "one of one"},
        {"-F nodes.txt", "--nodefile: a request of the core cannot say it",
         "a file is not read here"},
        {"-N 4 : -N 2 --gres=gpu:1", "{nodes=4, components=[{nodes=2, devices=[{}]}]}",
         "components"},
        {"-t 10 -L a : -t 20 -L a,b",
         "{time_limit=1200, cluster_counts=[a:2, b:1], components=[{}]}",
         "the longest limit, all licences"},
        {"-t 10 : -t UNLIMITED", "{components=[{}]}", "no limit"},
        {"-N 1 : -G 3 -N 4",
         "component 2: --gpus: 3 disagrees with --nodes: 4: expected one for each node",
         "an error says where"},
        {"-N 1 : -O", "{components=[{}]}", "likewise"},
        {"--prefer=a --spread-job --nice=5", "{}", "left out"},
        {"-N 1,8 -n 4 --ntasks-per-node=2",
         "--nodes: no size fits --ntasks: 4: expected one in 2..4", "neither size will do"},
        {"-w n[1-2] -n 4", "{nodes=2..4, tasks=4, required_nodes=[n1, n2]}",
         "at most as many as tasks"},
    };
    for (const OptionRow& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto submission = slurm::parse_option_text(row.text);
        REQUIRE(submission.ok());
        const auto request = slurm::request_of(*submission);
        CHECK((request.ok() ? to_text(*request) : std::string(message(request.status()))) ==
              row.expected);
        if (submission->components.size() != 1) continue;
        const auto alone = slurm::request_of(submission->components.front().options);
        CHECK(alone.status() == request.status());
        if (request.ok()) CHECK(*alone == *request);
    }
}

}  // namespace trestle
