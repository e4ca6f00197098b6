// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/differences.hpp"

#include <array>

namespace trestle::slurm {
namespace {

constexpr std::array<Difference, 48> difference_rows{{
    {"typed counts",
     "counts a device under gres/NAME:TYPE only if the request names the type, and an untyped "
     "request on the first typed TRES where only such are tracked",
     "counts by device; TypedCounts::by_request is Slurm's way", "",
     "Slurm controller: what jobs count as"},
    {"types", "compares names of types by a 32-bit sum, so that permuted names may be the same",
     "compares names", "compares names", "Slurm differences: readers"},
    {"looking up TRES", "a beginning of a type matches it",
     "the whole type, in any case; else an error that names the nearest", "",
     "Slurm differences: readers"},
    {"lists of TRES", "looks for `gres` anywhere in a token, also inside of a licence's name",
     "an item is read from its start", "", "Slurm differences: readers"},
    {"billing weights", "numbers as strtod reads them, also hexadecimal, infinite and none",
     "finite decimal numbers", "", "Slurm TRES: what is billed"},
    {"printed hostlists", "every bracket counts last numbers by one",
     "more than 64 names by a step or by a number before the last are printed as such a range", "",
     "Slurm hostlist: ten million names by steps, or before another number"},
    {"energy", "unknown is a large number among the others",
     "what is not there is unknown, and makes sums unknown", "",
     "Slurm TRES: counts together, apart and at most"},
    {"printed GRES", "cuts lists of indexes at 64 characters", "prints them whole", "",
     "Slurm differences: readers"},
    {"GresUsed",
     "gives no indexes of devices without type and cores, and 0 of names that the node lacks",
     "gives the indexes, and only what the node has", "", "Slurm print: what is in use of a node"},
    {"all shards of a GPU", "tells a job with all shards of a GPU from one with the GPU",
     "both have the GPU, as its shares are one", "tells them apart in its grants",
     "Slurm print: what is in use of a node"},
    {"no_consume", "is a type that means something", "is that on node lines; elsewhere an error",
     "", "Slurm GRES: a malformed list says what, where and what was expected"},
    {"errors of files", "many end the daemon at the first",
     "values, all of a file in one pass, each with its place; a bad line leaves the others", "",
     "Slurm conf: all errors of all lines, in their order"},
    {"errors of topologies", "end the controller", "values as above", "",
     "Slurm topology.yaml: all errors of a file"},
    {"a name alone in Gres=", "counts 1 and ends the reading", "counts 1, and the others are read",
     "", "Slurm differences: readers"},
    {"Cores= of gres.conf", "have to be whole sockets, else the node is invalid", "any cores",
     "near is every socket that they touch", "Slurm differences: readers"},
    {"registered cores", "have to be whole sockets", "any cores", "",
     "Registration: one row a difference, with nothing in use"},
    {"detected GPUs", "a device uses up the type of a line that names another file",
     "types are matched with files in mind", "", "Slurm merge: configured and detected GPUs"},
    {"parts of GPUs", "mps and shard may cut the same GPU",
     "a GPU has one kind of parts; a second one is warned of", "as the cluster has them",
     "Slurm nodes: parts of GPUs and counters are shares"},
    {"partitions of several defaults", "the last one", "the last one, and no other says that it is",
     "", "Slurm conf: a cluster of the files"},
    {"cores, memory, devices",
     "chooses cores, then devices, and memory last; what overflows then fails the attempt",
     "chooses them jointly, or proves that there is no way", "as Slurm",
     "fit: every small question of cores and memory is answered as the oracle does"},
    {"select/linear", "gives jobs whole nodes, and knows GRES by node alone",
     "nodes are shared unless a request wants them whole",
     "refuses other counts of GRES; else chooses as cons_tres, with a warning",
     "Slurm select: what the plugin hands out"},
    {"CR_Memory alone", "counts memory, and lets jobs share all CPUs",
     "cores have one owner, or one in each row where a partition shares them",
     "as CR_Core_Memory, with a warning", "Slurm select: what the plugin hands out"},
    {"memory by GPU of jobs that name none",
     "DefMemPerGPU counts when devices are chosen, after DefMemPerCPU was seen to fit",
     "a request without memory asks for none",
     "as if --mem-per-gpu was said, before DefMemPerCPU and DefMemPerNode",
     "Slurm select: what a GPU brings where a job does not say"},
    {"choice of nodes", "greedy by CPUs; after a failure one node is left out at a time",
     "finds a placement whenever there is one", "as Slurm",
     "place: there is an answer exactly when brute force finds one, and it is right"},
    {"links of devices", "24.05 and later sort by the fewest links and skip the first device",
     "the best set by sum, then by its weakest pair",
     "as 22.05, which takes the pair with the best link",
     "fit: of two sums that are equal the one with the stronger weakest pair"},
    {"islands of devices", "the lowest index, whatever is left", "pairs and islands stay whole",
     "as Slurm", "fit: pairs, quads and islands stay whole"},
    {"sockets and tasks", "adds up CPUs where it means tasks, and CPUs where it means cores",
     "counts each in its unit", "as recorded", "Slurm select: agrees with recorded decisions"},
    {"reserved cores of GPUs",
     "cores for one socket's GPUs may be taken before those of another that are needed",
     "cores reserved for a device are for its users, whichever they are", "as recorded",
     "fit: reserved cores are for who gets the device, or a part of it"},
    {"--gpus per job",
     "gives every node of the job at least one of each type, more than asked if need be",
     "without -N one node; with -N that many nodes share them out", "as Slurm",
     "Slurm options: what the request says of them"},
    {"--mem=0 and DefMemPer*", "the partition's defaults hold",
     "a request without --mem asks for no memory: it has no cluster",
     "the partition's defaults hold", "Slurm options: --mem=0 means all memory"},
    {"numbers of nodes",
     "the quotient of GPUs of job and node overrules the nodes that tasks allow",
     "settle() names the two options that do not go together", "as Slurm",
     "Slurm settle: the twelve checks of counts of devices"},
    {"OverSubscribe", "packs rows of cores anew when a job ends, each partition its own",
     "a job stays in its row; rows are of the node", "rows by partition, in which jobs stay",
     "Slurm select: jobs that share cores have rows of them"},
    {"options without an effect", "all are looked at",
     "those that order or bind are left to other functions",
     "names those that it does not look at in warnings",
     "Slurm select: warnings name what is not looked at"},
    {"numbers beyond any cluster", "wrap or are sentinels", "are held below 2^56, or are errors",
     "as here", "Slurm select: numbers beyond any cluster"},
    {"switches",
     "adds up nodes of leaves without starting anew, and finds few leaves, not the fewest",
     "the fewest leaves, then the lowest switch above them", "as 22.05",
     "select_leaves: the order, difference by difference"},
    {"blocks and segments",
     "places one segment after the other, with a limit of CPUs that is inverted", "packs segments",
     "--segment is not looked at, as 22.05 has none",
     "select_leaves: segments are packed, not filled up greedily"},
    {"blocks applied again", "drops a node from its aggregate when it is put where it was",
     "a network is a value and is replaced whole", "",
     "LeafIndex: kept up to date it equals one made anew"},
    {"rings", "at most one segment a ring, and a heap that is wrong from four segments on",
     "every run of every ring is looked at", "rings are not looked at, as 22.05 has none",
     "select_on_ring: around the end, and on the ring with the best run"},
    {"tori", "only the shapes and anchors of the file",
     "any box, around the ends; anchors of the file are kept beside the network",
     "tori are not looked at, as 22.05 has none",
     "select_box: its nodes, x fastest, around the ends"},
    {"nodes outside of a topology", "warned of, and passed over silently by the choice",
     "warnings are values", "as Slurm", "Slurm topology.conf: what Slurm only warns of"},
    {"overlapping commits",
     "drops the devices that somebody else has, and the job is short of them",
     "refused, and nothing changes", "",
     "Cluster: what cannot be committed changes nothing, and says so"},
    {"growing jobs",
     "joins records by name without their type, loses counts of shares, and tests the donor by the "
     "new node's number",
     "joins unit by unit", "", "Slurm controller: a job grows by what another releases into it"},
    {"shrinking jobs", "may drop nodes on which steps run", "refused while a step runs there", "",
     "Slurm controller: a job gives nodes back and keeps the rest"},
    {"heterogeneous jobs",
     "components start together, when the backfill scheduler finds a common time",
     "components are answered at once, one after the other, all or none", "one component",
     "Slurm controller: components are allocated together or not at all"},
    {"steps without devices", "get all that the job has on the node", "get none", "",
     "place_step: a step is placed inside its job, lowest and near first"},
    {"threads of a core", "fcyclic deals threads of one core to several tasks",
     "a task has cores, or threads of one, of its own", "",
     "layout_tasks: which threads a task gets on its node"},
    {"devices", "open unless gres.conf names them; read, write and mknod are one",
     "closed unless they were given or programs need them, bit by bit", "",
     "Slurm cgroup.conf: what is enforced"},
    {"swap", "by AllowedSwapSpace",
     "0 where it is constrained, unless the caller takes memory_limits()", "",
     "Slurm cgroup.conf: what is enforced"},
}};

/// A cell of the table.
void add_cell(std::string& text, std::string_view cell) {
    text += cell.empty() ? "-" : cell;
    text += " | ";
}

}  // namespace

std::span<const Difference> differences() { return difference_rows; }

std::string differences_text() {
    std::string text = "| topic | Slurm | here | select() | test |\n|---|---|---|---|---|\n";
    for (const Difference& row : difference_rows) {
        text += "| ";
        for (const std::string_view cell : {row.topic, row.slurm, row.here, row.select, row.test}) {
            add_cell(text, cell);
        }
        text.back() = '\n';
    }
    return text;
}

}  // namespace trestle::slurm
