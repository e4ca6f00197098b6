// SPDX-License-Identifier: Apache-2.0
// Nodes under topology/block, topology/ring and topology/torus3d, as slurmctld 24.11 and 26.05
// answered: what the recordings do not show, a row a rule.
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/slurm_answers.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle {
namespace {

using slurm::Controller;
using slurm::Decision;
using slurm::Release;
using slurm_answers::node_list_of;
using slurm_answers::submit;

struct UnitRow {
    std::string options;
    std::string expected;
    std::string why;
};

Controller unit_controller(Release release, std::string_view conf, std::string_view topology_conf,
                           std::string_view topology_yaml = {}) {
    auto made = Controller::create(
        {.slurm_conf = conf, .topology_conf = topology_conf, .topology_yaml = topology_yaml},
        release);
    INFO(message(made.status()));
    REQUIRE(made.ok());
    return *std::move(made);
}

void check_unit_rows(const Controller& controller, const std::vector<UnitRow>& rows) {
    for (const UnitRow& row : rows) {
        Controller trial = controller;
        const Decision decision = submit(trial, row.options);
        INFO(row.options << ": " << row.why << "; " << decision.message);
        CHECK(node_list_of(decision) == row.expected);
        CHECK(decision.warnings.empty());
    }
}

std::string unit_conf(unsigned nodes, std::string_view lines) {
    return fmt::format(
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1000\n"
        "NodeName=t[0-{}] Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=16000\n{}",
        nodes - 1, lines);
}

constexpr std::string_view block_lines =
    "PartitionName=p Nodes=ALL Default=YES State=UP\nPartitionName=x Nodes=ALL ExclusiveTopo=YES\n"
    "TopologyPlugin=topology/block\n";
constexpr std::string_view four_blocks =
    "BlockName=b0 Nodes=t[0-3]\nBlockName=b1 Nodes=t[4-7]\nBlockName=b2 Nodes=t[8-11]\n"
    "BlockName=b3 Nodes=t[12-15]\n";

Controller four_block_controller(Release release, std::string_view sizes,
                                 std::string_view param = {}) {
    return unit_controller(release, unit_conf(16, fmt::format("{}{}", block_lines, param)),
                           fmt::format("{}BlockSizes={}\n", four_blocks, sizes));
}

}  // namespace

TEST_CASE("Slurm units: blocks that are partly in use", "[dialect][slurm]") {
    for (const Release release : {Release::v24_11, Release::v26_05}) {
        Controller controller = four_block_controller(release, "4,8,16");
        submit(controller, "-w t12 -N 1 --exclusive");
        check_unit_rows(controller,
                        {{"-N 2", "t[13-14]", "the base block with the fewest nodes"},
                         {"-N 4", "t[8-11]", "the last that has enough"},
                         {"-N 6", "t[8-11,13-14]", "a block of eight, the fuller base block first"},
                         {"-N 9", "t[4-11,13]", "two base blocks and the smallest for the rest"},
                         {"-N 5-6 --exclusive", "t[8-11,13]", "the lower end of a range counts"},
                         {"-N 2-6 -n 7", "t[13-14]", "CPUs do not ask for more nodes than needed"},
                         {"-n 17", "refused", "no base block has so many CPUs"},
                         {"-N 4 -w t0", "t[0-3]", "the block of the named node"},
                         {"-N 4 -w t[0,5]", "refused", "named nodes are in one block"},
                         {"-N 2 --segment=1", "t[13-14]", "segment by segment"},
                         {"-N 6 --segment=3", "t[8-10,13-15]", "each in one base block"},
                         {"-N 8 --segment=4", "t[4-11]", "not in the one that has three"},
                         {"-N 4 --segment=0", "t[8-11]", "no segments"},
                         {"-N 4 --switches=1", "t[8-11]", "there are no switches"},
                         {"-N 4 --spread-job", "t[8-11]", "nor is a job spread"}});
    }
}

TEST_CASE("Slurm units: segments by release", "[dialect][slurm]") {
    const Controller older = four_block_controller(Release::v24_11, "4,8");
    check_unit_rows(older, {{"-N 8 --segment=8", "refused", "above a base block"},
                            {"-N 5 --segment=2", "refused", "does not divide the nodes"},
                            {"-N 2 --segment=3", "refused", "nor does a larger one"},
                            {"-n 16 --segment=2", "refused", "one node is asked for"},
                            {"-N 4 -w t[2-5] --segment=2", "refused", "named nodes and segments"},
                            {"-N 4 -w t[2-5] --segment=4", "refused", "one segment is one block"}});
    const Controller newer = four_block_controller(Release::v26_05, "4,8");
    check_unit_rows(newer, {{"-N 8 --segment=8", "t[8-15]", "a block of eight"},
                            {"-N 16 --segment=8", "t[0-15]", "two of them"},
                            {"-N 6 --segment=6", "t[8-9,12-15]", "one segment means nothing"},
                            {"-N 12 --segment=6", "t[0-1,4-9,12-15]", "each in a block of eight"},
                            {"-N 5 --segment=2", "refused", "the client refuses it"},
                            {"-N 2 --segment=3", "t[12-13]", "larger than the job"},
                            {"-n 16 --segment=2", "t[12-15]", "for one node it means nothing"},
                            {"-N 4 -w t[2-5] --segment=2", "t[2-5]", "named whole segments"},
                            {"-N 6 -w t[2-5] --segment=3", "refused", "named parts of segments"},
                            {"-N 6 --segment=2 --spread-segments", "t[4-5,8-9,12-13]", "apart"},
                            {"-N 4 --segment=2 --consolidate-segments", "t[12-15]", "together"},
                            {"-N 8 --segment=3 --consolidate-segments", "refused", "8 % 3"},
                            {"-N 6 --segment=3 --consolidate-segments", "t[8-10,12-14]",
                             "in one block of eight"}});
}

TEST_CASE("Slurm units: jobs that have their blocks alone", "[dialect][slurm]") {
    for (const Release release : {Release::v24_11, Release::v26_05}) {
        Controller controller = four_block_controller(release, "4,8,16");
        const Decision first = submit(controller, "-N 2 --exclusive=topo");
        CHECK(node_list_of(first) == "t[12-13]");
        submit(controller, "-w t8 -N 1");
        check_unit_rows(controller,
                        {{"-N 2", "t[8-9]", "not in the block of the first"},
                         {"-N 13", "Resources", "which no other job has"},
                         {"-N 2 --exclusive=topo", "t[4-5]", "nor beside another job"},
                         {"-p x -N 2", "t[4-5]", "as the partition has it"},
                         {"-N 9 --exclusive=topo", "Resources", "two blocks are unused"}});
        REQUIRE(controller.release(*first.owner).ok());
        check_unit_rows(controller, {{"-N 13", "t[0,4-15]", "once it is gone they are for all"}});
    }
    // Components that were taken back leave nothing behind, though owners are counted anew.
    Controller several = four_block_controller(Release::v24_11, "4,8,16");
    REQUIRE(several.submit_all("-N 2 --exclusive=topo : -N 16 --exclusive").ok());
    submit(several, "-N 1");
    check_unit_rows(several, {{"-N 2", "t[12-13]", "beside the job, in its block"}});
    // A recorded allocation has its blocks alone by its options.
    Controller adopting = four_block_controller(Release::v24_11, "4,8,16");
    slurm::NodeGrant grant;
    grant.node = "t15";
    grant.cpu_ids.insert(OsIndex(0));
    auto options = slurm::parse_option_text("-N 1 --exclusive=topo");
    REQUIRE(options.ok());
    REQUIRE(adopting.adopt({&grant, 1}, options->components.front().options).ok());
    check_unit_rows(adopting, {{"-N 1", "t8", "not t12"}});
}

TEST_CASE("Slurm units: ranges of nodes and TopoMaxSizeUnroll", "[dialect][slurm]") {
    for (const Release release : {Release::v24_11, Release::v26_05}) {
        const Controller unrolled =
            four_block_controller(release, "4,8,16", "TopologyParam=TopoMaxSizeUnroll=3\n");
        check_unit_rows(unrolled, {{"-N 2-4 -n 6", "t[12-15]", "the most nodes first"},
                                   {"-N 5-6 -n 6", "t[8-9,12-15]", "in a block of that many"},
                                   {"-N 2-5 -n 6", "refused", "more numbers than allowed"},
                                   {"-n 5", "t[12-13]", "no range was said"}});
    }
    // 24.11 forgives a block as many nodes as a range is wide, and then finds too few in it.
    for (const Release release : {Release::v24_11, Release::v26_05}) {
        Controller controller = four_block_controller(release, "4,8,16");
        for (const char* job :
             {"-w t12 -N 1 --exclusive", "-w t8 -N 1 --exclusive", "-w t[4-7] -N 4 -c 2"}) {
            submit(controller, job);
        }
        const bool is_older = release == Release::v24_11;
        check_unit_rows(controller,
                        {{"-N 5-8 --exclusive", is_older ? "Resources" : "t[9-10,13-15]", "5 - 3"},
                         {"-N 4-5 --exclusive", is_older ? "Resources" : "t[0-3]", "4 - 1"},
                         {"-N 3-4 --exclusive", "t[13-15]", "the last with three"},
                         {"-N 5-5 --exclusive", "t[9-10,13-15]", "no range"},
                         {"-N 5-8 -n 17 --exclusive", "t[9-10,13-15]", "CPUs are not forgiven"}});
    }
}

TEST_CASE("Slurm units: weights and nodes in no block", "[dialect][slurm]") {
    const std::string conf =
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1000\n"
        "NodeName=t[0-7] CPUs=4 RealMemory=16000 Weight=5\n"
        "NodeName=t[8-13] CPUs=8 RealMemory=32000 Weight=1\n"
        "PartitionName=p Nodes=ALL Default=YES\nTopologyPlugin=topology/block\n";
    const std::string blocks =
        "BlockName=b0 Nodes=t[0,2,8,10]\nBlockName=b1 Nodes=t[1,3,9,11]\n"
        "BlockName=b2 Nodes=t[4-7]\nBlockSizes=4,8\n";
    Controller older = unit_controller(Release::v24_11, conf, blocks);
    check_unit_rows(older, {{"-N 1", "t9", "of the block with the least weight, the last"},
                            {"-N 2", "t[9,11]", "its cheap nodes first"},
                            {"-N 3", "t[1,9,11]", "then the others"},
                            {"-N 6", "t[0,2,8-11]", "all cheap ones, then the first block begun"},
                            {"-N 5 -w t[0,3]", "t[0,3,8-9,11]", "cheap ones beside named ones"},
                            {"-N 9", "refused", "a third block has no other beside it"},
                            {"-N 1 -w t12", "refused", "a node in no block"}});
    submit(older, "-w t[9,11] -N 2 --exclusive");
    check_unit_rows(older, {{"-N 5", "t[0-2,8,10]", "the block begun before the other"}});
    const Controller newer = unit_controller(Release::v26_05, conf, blocks);
    check_unit_rows(newer, {{"-N 1", "t8", "one node: the first of the least weight"},
                            {"-N 1 -w t12", "t12", "in whatever block, or in none"},
                            {"-N 2", "t[9,11]", "two are in a block"}});
}

TEST_CASE("Slurm units: ranks of nodes and order of blocks", "[dialect][slurm]") {
    const std::string blocks =
        "BlockName=b10 Nodes=t[0,4,8,12]\nBlockName=b2 Nodes=t[1,5,9,13]\n"
        "BlockName=b1 Nodes=t[2,6,10,14]\nBlockName=b3 Nodes=t[3,7,11,15]\nBlockSizes=4,8\n";
    const std::string conf =
        unit_conf(16, fmt::format("{}TopologyParam=BlockAsNodeRank\n", block_lines));
    check_unit_rows(unit_controller(Release::v24_11, conf, blocks),
                    {{"-N 4", "t[3,7,11,15]", "the last of the file"}});
    const Controller newer = unit_controller(Release::v26_05, conf, blocks);
    check_unit_rows(newer, {{"-N 4", "t[3,7,11,15]", "the last of the file"},
                            {"-N 1", "t0", "the first node of the first block of the file"}});
    Controller busy = newer;
    submit(busy, "-N 1 --exclusive");
    check_unit_rows(busy, {{"-N 1", "t4", "then its second"}});
}

TEST_CASE("Slurm units: nodes that stand as in the file", "[dialect][slurm]") {
    const std::string conf =
        "SelectType=select/cons_tres\nNodeName=t[8-11] CPUs=4\nNodeName=t[5,3] CPUs=4\n"
        "NodeName=t[2,1,4,6-7,12] CPUs=4\nPartitionName=p Nodes=ALL Default=YES\n"
        "TopologyPlugin=topology/block\n";
    const std::string blocks =
        "BlockName=b Nodes=t[5-8]\nBlockName=c Nodes=t[1-4]\nBlockName=a Nodes=t[9-11]\n"
        "BlockSizes=3,6,12\n";
    const Controller older = unit_controller(Release::v24_11, conf, blocks);
    check_unit_rows(older, {{"-N 1", "t9", "of the smallest block"},
                            {"-N 4", "t[1-4]", "a block of four, though the size is three"},
                            {"-N 2 -x t[5-11]", "t[2-3]", "in the order of the file"}});
    const Controller newer = unit_controller(Release::v26_05, conf, blocks);
    check_unit_rows(newer, {{"-N 1", "t1", "the first by name"},
                            {"-N 2 -x t[5-11]", "t[1-2]", "in the order of names"}});
    const Controller ranked =
        unit_controller(Release::v26_05, conf + "TopologyParam=BlockAsNodeRank\n", blocks);
    check_unit_rows(ranked, {{"-N 1", "t12", "nodes in no block come first"},
                             {"-N 1 -x t12", "t8", "then blocks, nodes as in the file"}});
}

TEST_CASE("Slurm units: named nodes", "[dialect][slurm]") {
    for (const Release release : {Release::v24_11, Release::v26_05}) {
        const Controller controller = four_block_controller(release, "4,8");
        const bool is_older = release == Release::v24_11;
        check_unit_rows(
            controller,
            {{"-w t1 -N 5", "t[1,4-7]", "the base block that holds the rest"},
             {"-w t1 -N 9", "t[1,8-15]", "the largest, of equals the last"},
             {"-w t[1,5] -N 4", "refused", "two base blocks for the nodes of one"},
             {"-w t1 -N 4 --segment=2", "refused", "nodes are not added to segments"},
             {"-w t[0-3] -N 4 --segment=2", is_older ? "refused" : "t[0-3]", "all of them"},
             {"-w t[1,5-6] -N 2-3", "t[5-6]", "a longer list says among which"}});
        const Controller limited = four_block_controller(release, "4,16");
        check_unit_rows(limited, {{"-w t[1,5] -N 5", "t[0-3,5]", "base blocks of named nodes"},
                                  {"-w t[1,5,9] -N 5", "refused", "in no more base blocks"}});
    }
}

TEST_CASE("Slurm units: rings", "[dialect][slurm]") {
    Controller controller = unit_controller(
        Release::v26_05,
        unit_conf(16, "PartitionName=p Nodes=ALL Default=YES\nTopologyPlugin=topology/ring\n"),
        "RingName=r0 Nodes=t[0-7]\nRingName=r1 Nodes=t8,t10,t12,t14,t15,t13,t11,t9\n");
    check_unit_rows(controller, {{"-N 3", "t[0-2]", "the first ring from its start"},
                                 {"-N 9", "refused", "no job is on two rings"},
                                 {"-N 8 --segment=4", "t[0-3,8,10,12,14]", "but its segments are"},
                                 {"-N 6 --segment=2", "refused", "not two on one"},
                                 {"-N 2 -w t[13,15]", "t[13,15]", "neighbours by the file"},
                                 {"-N 2 -w t[8,9]", "t[8-9]", "the last and the first too"},
                                 {"-N 2 -w t8", "refused", "all nodes have to be named"},
                                 {"-N 2-3 -w t[0,1]", "t[0-1]", "the least number of them"},
                                 {"-N 2 -w t[0,8] --segment=1", "t[0,8]", "in segments too"}});
    submit(controller, "-w t[1-4] -N 4 --exclusive");
    check_unit_rows(controller, {{"-N 2", "t[5-6]", "the shortest run, which goes on at t0"},
                                 {"-N 4", "t[0,5-7]", "all of it"},
                                 {"-N 5", "t[8,10,12,14-15]", "the other ring"},
                                 {"-N 16 --segment=8", "Resources", "too few nodes are free"}});
    submit(controller, "-w t8 -N 1 --exclusive");
    check_unit_rows(controller,
                    {{"-N 8", "No_suitable_topology_unit_found", "eleven, but not so"},
                     {"-N 10 --segment=5", "No_suitable_topology_unit_found_for_segment",
                      "seven neighbours and four"}});
}

TEST_CASE("Slurm units: a topology for each partition", "[dialect][slurm]") {
    const std::string conf =
        unit_conf(16,
                  "PartitionName=p Nodes=ALL Default=YES\nPartitionName=b Nodes=ALL Topology=bl\n"
                  "PartitionName=f Nodes=ALL Topology=fl\nPartitionName=r Nodes=ALL Topology=ri\n"
                  "PartitionName=o Nodes=ALL Topology=to\n");
    const std::string yaml =
        "- topology: tr\n  cluster_default: true\n  tree:\n    switches:\n"
        "      - {switch: s0, nodes: 't[0-7]'}\n      - {switch: s1, nodes: 't[8-15]'}\n"
        "      - {switch: top, children: 's[0-1]'}\n"
        "- topology: bl\n  cluster_default: false\n  block:\n    block_sizes: [4, 8]\n    blocks:\n"
        "      - {block: b0, nodes: 't[0-3]'}\n      - {block: b1, nodes: 't[4-7]'}\n"
        "      - {block: b2, nodes: 't[8-11]'}\n      - {block: b3, nodes: 't[12-15]'}\n"
        "- topology: fl\n  cluster_default: false\n  flat: true\n"
        "- topology: ri\n  cluster_default: false\n  ring:\n    rings:\n"
        "      - {ring: r0, nodes: 't[0-7]'}\n      - {ring: r1, nodes: 't[8-15]'}\n"
        "- topology: to\n  cluster_default: false\n  torus3d:\n    toruses:\n"
        "      - name: pod\n        dims: {x: 4, y: 2, z: 2}\n        nodes: 't[0-15]'\n"
        "        placements:\n          - dims: {x: 2, y: 2, z: 1}\n"
        "          - dims: {x: 4, y: 2, z: 1}\n";
    const Controller controller = unit_controller(Release::v26_05, conf, "", yaml);
    check_unit_rows(controller, {{"-N 4", "t[0-3]", "the tree"},
                                 {"-p b -N 4", "t[12-15]", "blocks"},
                                 {"-p f -N 4", "t[0-3]", "no topology"},
                                 {"-p r -N 9", "refused", "rings of eight"},
                                 {"-p b -N 9", "t[4,8-15]", "blocks have more"},
                                 {"-p o -N 4", "t[0-1,4-5]", "a box"},
                                 {"-p o -N 3", "refused", "no box of three"},
                                 {"-p o -N 3,8", "t[0-7]", "but one of eight"}});
}

}  // namespace trestle
