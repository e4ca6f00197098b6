// SPDX-License-Identifier: Apache-2.0
#include "support/texts.hpp"
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"

#include <map>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;
using Names = std::vector<std::string>;

namespace {

slurm::SlurmConf parsed_conf(std::string_view text) {
    auto conf = slurm::parse_slurm_conf(text);
    INFO(text << ": " << message(conf.status()));
    REQUIRE(conf.ok());
    return *std::move(conf);
}
slurm::PartitionLine partition(const std::string& keys) {
    return parsed_conf("PartitionName=p " + keys).partitions.at(0);
}

constexpr std::string_view real_text = R"(#
# See the slurm.conf man page.
ClusterName=big
SlurmctldHost=ctl0(10.0.0.1)
SlurmctldHost=ctl1
MpiDefault=none ProctrackType=proctrack/cgroup   # two on a line
ReturnToService=1
SlurmctldPidFile = /run/slurmctld.pid
StateSaveLocation= /var/spool/slurmctld
SlurmUser=slurm
TaskPlugin=task/affinity,task/cgroup
SchedulerType=sched/backfill
SchedulerParameters=bf_window=5760,pack_serial_at_end,max_switch_wait=60
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory,CR_LLN
PriorityType=priority/multifactor
PriorityFlags=ACCRUE_ALWAYS,MAX_TRES
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageTRES=gres/gpu,gres/gpu:a100,license/iop1
GresTypes=gpu,shard
EnforcePartLimits=ALL
KillWait=60
OverTimeLimit=5
Licenses=matlab:4,abaqus@flex1:2,one
PreemptType=preempt/partition_prio
PreemptMode=SUSPEND,GANG
TopologyPlugin=topology/tree
TopologyParam=TopoOptional,TopoMaxSizeUnroll=8
DefMemPerCPU=2000
MaxMemPerNode=UNLIMITED
DefCpuPerGPU=4
Epilog="/etc/slurm/epilog with blanks"
NodeName=DEFAULT CPUs=8 RealMemory=16000 State=UNKNOWN
NodeName=n[1-4] NodeAddr=10.0.0.[1-4] Port=7003 Gres=gpu:2
NodeName=n5 State=DOWN Reason="bad disk" Topology=tree1:root:leaf,blocks:b1
NodeSet=gpus Feature=gpu
DownNodes=n[2-3] State=DRAIN Reason="later"
PartitionName=DEFAULT State=UP MaxTime=1-0
PartitionName=debug Nodes=n1 Default=YES MaxTime=30 AllowGroups=dev
PartitionName=all Nodes=ALL
)";

}  // namespace

TEST_CASE("Slurm conf: a file of every kind of line", "[dialect][slurm]") {
    const slurm::SlurmConf conf = parsed_conf(real_text);
    const slurm::ClusterParameters& p = conf.parameters;
    CHECK(p.select.unit == slurm::SelectUnit::cpu);
    CHECK(p.select.counts_memory);
    CHECK(p.select.takes_least_loaded);
    CHECK_FALSE(p.select.packs_nodes);
    CHECK(p.scheduler.max_switch_wait == Seconds(60));
    CHECK(p.scheduler.packs_serial_at_end);
    CHECK(p.scheduler.text.starts_with("bf_window=5760,"));
    CHECK(p.billing_rule == slurm::BillingRule::max_tres);
    CHECK(p.tracked ==
          std::vector<Tres>{{"gres", "gpu"}, {"gres", "gpu:a100"}, {"license", "iop1"}});
    CHECK(p.gres_types == Names{"gpu", "shard"});
    CHECK(p.enforce_part_limits == slurm::EnforcePartLimits::all);
    CHECK(p.kill_wait == Seconds(60));
    CHECK(p.over_time_limit == Seconds(300));
    CHECK(p.licenses == std::vector<slurm::License>{
                            {"matlab", Count(4)}, {"abaqus@flex1", Count(2)}, {"one", Count(1)}});
    CHECK(p.task_plugins == Names{"task/affinity", "task/cgroup"});
    CHECK(p.preempt_type == "preempt/partition_prio");
    CHECK(p.preempt_modes == std::vector{slurm::PreemptMode::suspend, slurm::PreemptMode::gang});
    CHECK(p.topology.plugin == "topology/tree");
    CHECK(p.topology.is_optional);
    CHECK(p.topology.unrolled_sizes_max == 8);
    CHECK(p.defaults.memory_per_cpu == mib(2000));
    CHECK(p.defaults.max_memory_per_node == Bytes(0));
    CHECK(p.defaults.cpus_per_gpu == Count(4));

    REQUIRE(conf.nodes.size() == 2);
    CHECK(to_text(conf.nodes[0].names) == "n[1-4]");
    CHECK(conf.nodes[0].sockets == 8);
    CHECK(conf.nodes[0].passthrough.size() == 2);
    CHECK(conf.nodes[0].passthrough[1].value == "7003");
    CHECK(conf.nodes[1].reason == "bad disk");
    CHECK(conf.nodes[1].state == NodeState::down);
    CHECK(conf.nodes[1].state_text == "DOWN");
    CHECK(conf.nodes[1].gres.empty());
    CHECK(conf.nodes[1].topology ==
          std::vector<slurm::TopologyUnit>{{"tree1", "root:leaf"}, {"blocks", "b1"}});
    REQUIRE(conf.partitions.size() == 2);
    CHECK(conf.partitions[0].max_time == Seconds(1800));
    CHECK(conf.partitions[0].passthrough.at(0).key == "AllowGroups");
    CHECK(conf.partitions[1].max_time == Seconds(86400));
    CHECK(conf.partitions[1].has_all_nodes);
    CHECK(conf.node_sets.at(0).feature == "gpu");
    CHECK(conf.down_nodes.at(0).state == NodeState::drained);

    std::map<std::string, std::string> passthrough;
    for (const slurm::PassthroughKey& one : conf.passthrough) passthrough[one.key] = one.value;
    CHECK(passthrough.at("ClusterName") == "big");
    CHECK(passthrough.at("SlurmctldHost") == "ctl1");
    CHECK(passthrough.at("ProctrackType") == "proctrack/cgroup");
    CHECK(passthrough.at("SlurmctldPidFile") == "/run/slurmctld.pid");
    CHECK(passthrough.at("StateSaveLocation") == "/var/spool/slurmctld");
    CHECK(passthrough.at("Epilog") == "/etc/slurm/epilog with blanks");
    CHECK(conf.passthrough.front().place == slurm::ConfPlace{"slurm.conf", 3});
}

TEST_CASE("Slurm conf: what a slurm.conf without keys means", "[dialect][slurm]") {
    const slurm::ClusterParameters p = parsed_conf("").parameters;
    CHECK(p == slurm::ClusterParameters());
    CHECK(p.select.unit == slurm::SelectUnit::core);
    CHECK(p.select.counts_memory);
    CHECK(p.scheduler.max_switch_wait == Seconds(300));
    CHECK(p.kill_wait == Seconds(30));
}

TEST_CASE("Slurm conf: what is handed out", "[dialect][slurm]") {
    struct Row {
        const char* words;
        slurm::SelectUnit unit;
        bool counts_memory;
        const char* why;
    };
    using enum slurm::SelectUnit;
    const Row rows[] = {
        {"CR_CPU", cpu, false, "threads"},
        {"CR_CPU_Memory", cpu, true, "and memory"},
        {"CR_Core", core, false, "cores"},
        {"cr_core_memory", core, true, "any case"},
        {"CR_Socket", socket, false, "sockets"},
        {"CR_Socket_Memory", socket, true, "and memory"},
        {"CR_Memory", memory_only, true, "memory"},
        {"CR_LLN", core, true, "a word beside leaves the default"},
        {"CR_CORE_DEFAULT_DIST_BLOCK,CR_CPU", cpu, false, "in any order"},
    };
    for (const Row& row : rows) {
        INFO(row.words << ": " << row.why);
        const auto select =
            parsed_conf(std::string("SelectTypeParameters=") + row.words).parameters.select;
        CHECK(select.unit == row.unit);
        CHECK(select.counts_memory == row.counts_memory);
    }
    using Member = bool slurm::SelectParameters::*;
    const std::pair<const char*, Member> words[] = {
        {"CR_ONE_TASK_PER_CORE", &slurm::SelectParameters::has_one_task_per_core},
        {"CR_CORE_DEFAULT_DIST_BLOCK", &slurm::SelectParameters::fills_socket_by_socket},
        {"CR_NO_DIST_TOPO_BLOCK", &slurm::SelectParameters::ignores_topology_order},
        {"CR_LLN", &slurm::SelectParameters::takes_least_loaded},
        {"CR_Pack_Nodes", &slurm::SelectParameters::packs_nodes},
        {"LL_SHARED_GRES", &slurm::SelectParameters::takes_least_loaded_device},
        {"MULTIPLE_SHARING_GRES_PJ", &slurm::SelectParameters::shares_several_devices},
        {"ENFORCE_BINDING_GRES", &slurm::SelectParameters::enforces_binding},
        {"ONE_TASK_PER_SHARING_GRES", &slurm::SelectParameters::has_one_task_per_sharing_device},
    };
    for (const auto& [word, member] : words) {
        INFO(word);
        const auto conf = parsed_conf(std::string("SelectTypeParameters=") + word);
        CHECK(conf.parameters.select.*member);
    }
}

TEST_CASE("Slurm conf: keys of a partition", "[dialect][slurm]") {
    const slurm::PartitionLine line = partition(
        "Nodes=n[1-4],gpus MinNodes=2 MaxNodes=4 DefaultTime=10 MaxTime=2:00:00 State=DRAIN "
        "MaxCPUsPerNode=6 MaxCPUsPerSocket=3 DefMemPerNode=8000 DefMemPerGPU=1000 DefCpuPerGPU=2 "
        "MaxMemPerCPU=4000 OverSubscribe=FORCE:2 ExclusiveUser=YES ExclusiveTopo=yes LLN=Yes "
        "PriorityTier=7 PriorityJobFactor=9 PreemptMode=REQUEUE GraceTime=20 OverTimeLimit=1 "
        "TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=2 Topology=t1 QOS=high");
    CHECK(to_text(line.nodes) == "n[1-4],gpus");
    CHECK(line.min_nodes == 2);
    CHECK(line.max_nodes == 4);
    CHECK(line.default_time == Seconds(600));
    CHECK(line.max_time == Seconds(7200));
    CHECK(line.state == Partition::State::drain);
    CHECK(line.max_cpus_per_node == Count(6));
    CHECK(line.max_cpus_per_socket == Count(3));
    CHECK(line.defaults.memory_per_node == mib(8000));
    CHECK(line.defaults.memory_per_gpu == mib(1000));
    CHECK(line.defaults.cpus_per_gpu == Count(2));
    CHECK(line.defaults.max_memory_per_cpu == mib(4000));
    CHECK(line.oversubscribe == Partition::OverSubscribe::force);
    CHECK(line.jobs_per_resource == 2);
    CHECK(line.is_user_exclusive);
    CHECK(line.is_topology_exclusive);
    CHECK(line.takes_least_loaded);
    CHECK(line.priority_tier == 7);
    CHECK(line.priority_job_factor == 9);
    CHECK(line.preempt_modes == std::vector{slurm::PreemptMode::requeue});
    CHECK(line.grace_time == Seconds(20));
    CHECK(line.over_time_limit == Seconds(60));
    CHECK(line.billing.weights.size() == 3);
    CHECK(line.topology == "t1");
    CHECK(line.qos == "high");
    CHECK(partition("JobDefaults=DefCpuPerGPU=4,DefMemPerGPU=10").defaults.memory_per_gpu ==
          mib(10));
    CHECK(partition("Priority=3").priority_tier == 3);
}

TEST_CASE("Slurm conf: forms of a partition's values", "[dialect][slurm]") {
    struct Row {
        const char* keys;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"OverSubscribe=NO", "no 4", "nobody"},
        {"OverSubscribe=YES", "yes 4", "four unless said"},
        {"OverSubscribe=YES:8", "yes 8", "so many"},
        {"OverSubscribe=FORCE", "force 4", "always"},
        {"OverSubscribe=force:1", "force 1", "any case"},
        {"OverSubscribe=EXCLUSIVE", "exclusive 4", "whole nodes"},
        {"Shared=YES:2", "yes 2", "its old name"},
        {"", "no 4", "the default"},
    };
    for (const Row& row : rows) {
        INFO(row.keys << ": " << row.why);
        const slurm::PartitionLine line = partition(row.keys);
        CHECK(fmt::format("{} {}", line.oversubscribe, line.jobs_per_resource) == row.expected);
    }
    for (const char* time : {"UNLIMITED", "INFINITE", "infinite", "-1"}) {
        CHECK_FALSE(partition(std::string("MaxTime=") + time).max_time);
    }
    CHECK_FALSE(partition("MaxNodes=UNLIMITED").max_nodes);
    CHECK_FALSE(partition("DefaultTime=NONE").default_time);
    CHECK(partition("OverTimeLimit=UNLIMITED").over_time_limit == Seconds::max());
    CHECK(partition("Nodes=").nodes.is_empty());
}

TEST_CASE("Slurm conf: DEFAULT lines", "[dialect][slurm]") {
    const auto conf = parsed_conf(
        "PartitionName=a\n"
        "PartitionName=DEFAULT MaxTime=5 DefMemPerCPU=10 LLN=YES\n"
        "PartitionName=b\n"
        "PartitionName=c DefMemPerNode=20 LLN=NO\n"
        "PartitionName=DEFAULT MaxTime=7\n"
        "PartitionName=d\n"
        "NodeName=default Sockets=2 Feature=x Port=1\n"
        "NodeName=m Port=2\n");
    CHECK_FALSE(conf.partitions[0].max_time);
    CHECK(conf.partitions[1].max_time == Seconds(300));
    CHECK(conf.partitions[1].takes_least_loaded);
    CHECK(conf.partitions[2].defaults.memory_per_node == mib(20));
    CHECK_FALSE(conf.partitions[2].defaults.memory_per_cpu);
    CHECK_FALSE(conf.partitions[2].takes_least_loaded);
    CHECK(conf.partitions[3].max_time == Seconds(420));
    CHECK(conf.partitions[3].defaults.memory_per_cpu == mib(10));
    CHECK(conf.nodes[0].sockets == 2);
    REQUIRE(conf.nodes[0].passthrough.size() == 1);
    CHECK(conf.nodes[0].passthrough[0].value == "2");
}

TEST_CASE("Slurm conf: states of nodes", "[dialect][slurm]") {
    const std::pair<const char*, NodeState> rows[] = {
        {"UNKNOWN", NodeState::up},
        {"idle", NodeState::up},
        {"CLOUD", NodeState::up},
        {"IDLE*", NodeState::up},
        {"IDLE+CLOUD", NodeState::up},
        {"IDLE+CLOUD+POWERED_DOWN", NodeState::up},
        {"DRAIN", NodeState::drained},
        {"IDLE+DRAIN", NodeState::drained},
        {"MIXED+DRAIN*", NodeState::drained},
        {"DOWN", NodeState::down},
        {"DOWN*", NodeState::down},
        {"DOWN+DRAIN", NodeState::down},
        {"FAIL", NodeState::down},
        {"FUTURE", NodeState::down},
        {"ERROR", NodeState::down},
        {"IDLE+FAIL", NodeState::down},
    };
    for (const auto& [text, state] : rows) {
        INFO(text);
        const auto conf = parsed_conf(std::string("NodeName=n State=") + text);
        CHECK(conf.nodes[0].state == state);
        CHECK(conf.nodes[0].state_text == text);
    }
}

TEST_CASE("Slurm conf: a mistake is named with line, offset and what was expected",
          "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"SelectTyp=select/linear",
         "line 1: unknown key at offset 0 (\"SelectTyp\"): expected a known key; the nearest is "
         "SelectType",
         "a letter left out"},
        {"PartitonName=p", "the nearest is PartitionName", "the first key of a line"},
        {"Foo=1", "unknown key at offset 0 (\"Foo\"): expected a known key", "near to nothing"},
        {"ClusterNam=p", "the nearest is ClusterName", "a passthrough key"},
        {"ClusterName=a SlurmdPrt=1", "unknown key at offset 14", "the second of a line"},
        {"SelectType=linear", "unknown SelectType at offset 11", "no plugin's name"},
        {"SelectTypeParameters=CR_Cor", "the nearest is CR_Core", "a slip"},
        {"SelectTypeParameters=CR_CPU,CR_Core", "two units at offset 28", "two units"},
        {"SelectTypeParameters=CR_CPU,CR_ONE_TASK_PER_CORE", "CR_ONE_TASK_PER_CORE with CR_CPU",
         "threads are not cores"},
        {"SelectTypeParameters=", "empty item at offset 21", "nothing"},
        {"SchedulerParameters=max_switch_wait=x", "malformed number at offset 36", "no number"},
        {"TopologyPlugin=topology/star", "unknown TopologyPlugin", "no such plugin"},
        {"TopologyParam=Dragonfyl", "unknown TopologyParam at offset 14", "a slip"},
        {"EnforcePartLimits=SOME", "unknown answer at offset 18", "no such answer"},
        {"AccountingStorageTRES=gres/gpu,grez/x", "unknown TRES at offset 31", "a slip"},
        {"KillWait=-1", "malformed number at offset 9", "negative"},
        {"OverTimeLimit=99999", "or UNLIMITED", "beyond 16 bits"},
        {"Licenses=:4", "malformed licence at offset 9", "no name"},
        {"Licenses=a:x", "malformed number at offset 11", "no count"},
        {"PreemptMode=KILL", "unknown PreemptMode at offset 12", "no such mode"},
        {"DefMemPerCPU=1G", "malformed number at offset 13", "MiB without unit"},
        {"AllowSpecResourcesUsage=perhaps", "unknown answer", "neither yes nor no"},
        {"GresTypes=gpu,,nic", "empty item at offset 14", "nothing between commas"},
        {"JobDefaults=DefMemPerNode=3", "unknown default at offset 12", "not one of the two"},
        {"PartitionName=", "empty value at offset 14", "no name"},
        {"PartitionName=a,b", "several partitions at offset 14", "two names"},
        {"PartitionName=a\nPartitionName=a", "line 2: partition named twice at offset 14", "twice"},
        {"PartitionName=a MaxTime=soon", "malformed time at offset 24", "no time"},
        {"PartitionName=a MaxTime=5 DefaultTime=6", "DefaultTime above MaxTime", "too long"},
        {"PartitionName=a MinNodes=5 MaxNodes=4", "MaxNodes below MinNodes at offset 27",
         "no number is both"},
        {"PartitionName=a \\\n MinNodes=5 MaxNodes=4",
         "line 2: MaxNodes below MinNodes at offset 12", "on a continued line"},
        {"NodeName=n \\\n  Procs=7 Sockets=2 CoresPerSocket=4",
         "line 2: CPUs that do not add up at offset 2", "likewise, and the other name of the key"},
        {"NodeName=DEFAULT CPUs=7\nNodeName=n Sockets=2 CoresPerSocket=4",
         "line 2: CPUs that do not add up at offset 0", "what a DEFAULT line said"},
        {"NodeSet=a Nodes=n1\nNodeSet=a \\\n Nodes=n2", "line 2: NodeSet twice at offset 0",
         "twice"},
        {"PartitionName=a OverSubscribe=NO:4", "a number of jobs where none share at offset 32",
         "none share"},
        {"PartitionName=a OverSubscribe=YES:0", "malformed number at offset 34", "none at all"},
        {"PartitionName=a State=AWAY", "unknown state at offset 22", "no such state"},
        {"PartitionName=a MaxCPUsPerNode=0", "malformed number at offset 31", "none at all"},
        {"PartitionName=a TRESBillingWeights=CPU", "TRES without a weight at offset 35",
         "no weight"},
        {"PartitionName=a Default=si", "unknown answer at offset 24", "another language"},
        {"PartitionName=a Nodez=n", "the nearest is Nodes", "a slip"},
        {"NodeName=n CoreSpecCount=1", "CoreSpecCount that leaves no core", "the only core"},
        {"NodeName=n CPUs=4 CoreSpecCount=1 CpuSpecList=1", "CpuSpecList goes before it", "both"},
        {"NodeName=n CPUs=4 CpuSpecList=4", "a CPU that does not exist", "CPU 4 of 4"},
        {"NodeName=n CPUs=2 CpuSpecList=0-1", "CpuSpecList that leaves no core", "all of them"},
        {"NodeName=n CpuSpecList=", "empty item at offset 23", "empty"},
        {"NodeName=n RealMemory=5 MemSpecLimit=5", "MemSpecLimit that leaves no memory", "all"},
        {"NodeName=n Topology=tree", "malformed topology at offset 20", "no unit"},
        {"NodeName=n TRESWeights=x=1", "unknown TRES at offset 23", "no TRES"},
        {"NodeName=n State=IDLE+SLEEPY", "unknown state at offset 22", "no such flag"},
        {"NodeName=n Gres=gpu:-1", "negative count at offset 20", "negative"},
        {"NodeName=n Gres=gpu,,nic", "empty item at offset 20", "nothing between commas"},
        {"NodeName=n Gres=:2", "malformed GRES name at offset 16", "no name"},
        {"NodeName=n Gres=gpu:1,gpu:a:1", "gpu with and without a type at offset 22", "both"},
        {"NodeName=n Gres=gpu:2(S:0", "parenthesis without end", "a tail without end"},
        {"NodeName=n Gres=gpu:9223372036854775807,gpu:1", "count beyond 2^63", "a sum too large"},
        {"NodeSet=a", "NodeSet of nothing", "neither nodes nor a feature"},
        {"NodeSet=a Nodes=n1\nNodeSet=a Nodes=n2", "line 2: NodeSet twice", "twice"},
        {"NodeSet=a Nodes=n1 Color=red", "unknown key at offset 19", "no such key"},
        {"DownNodes=n[ State=DOWN", "malformed bracket", "a bracket without end"},
        {"DownNodes=n1 State=ILL", "unknown state at offset 19", "no such state"},
        {"Include other.conf", "unknown file at offset 8 (\"other.conf\")", "nothing is included"},
        {"Include", "Include without a file at offset 7", "no name"},
        {"include a b", "malformed entry at offset 10 (\"b\")", "two names"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto conf = slurm::parse_slurm_conf(row.text, {}, slurm::MendedMistakes::errors);
        REQUIRE_FALSE(conf.ok());
        CHECK(conf.status().code() == StatusCode::kInvalidArgument);
        const std::string line(message(conf.status()));
        CHECK_THAT(line, Catch::Matchers::StartsWith("slurm.conf line "));
        CHECK_THAT(line, ContainsSubstring(row.expected));
        CHECK(line.find('\n') == std::string::npos);
    }
}

TEST_CASE("Slurm conf: all errors of all lines, in their order", "[dialect][slurm]") {
    const auto reading = slurm::read_slurm_conf(
        "ClusterName=x Bad=1 Worse=2\n"
        "NodeName=a CPUs=x \\\n"
        "  Weight=y\n"
        "NodeName=b\n"
        "KillWait=soon\n"
        "PartitionName=p Nodes=b\n"
        "NodeName=b\n");
    const Names errors = texts(reading.errors);
    REQUIRE(errors.size() == 6);
    CHECK_THAT(errors[0],
               Catch::Matchers::StartsWith("slurm.conf line 1: unknown key at offset 14"));
    CHECK_THAT(errors[1],
               Catch::Matchers::StartsWith("slurm.conf line 1: unknown key at offset 20"));
    CHECK_THAT(errors[2], Catch::Matchers::StartsWith("slurm.conf line 2: malformed number"));
    CHECK_THAT(errors[3], Catch::Matchers::StartsWith("slurm.conf line 3: malformed number"));
    CHECK_THAT(errors[4], Catch::Matchers::StartsWith("slurm.conf line 5: malformed number"));
    CHECK_THAT(errors[5], Catch::Matchers::StartsWith("slurm.conf line 7: node named twice"));
    CHECK(reading.conf.nodes.size() == 2);
    CHECK(reading.conf.partitions.size() == 1);
    CHECK(reading.conf.passthrough.size() == 1);
}

TEST_CASE("Slurm conf: files inside of files", "[dialect][slurm]") {
    const std::map<std::string, std::string, std::less<>> files{
        {"nodes.conf", "NodeName=n[1-2]\nNodeName=m Colour=red\n"},
        {"self.conf", "Include self.conf\n"},
        {"wide.conf", "Include wide2.conf\nInclude wide2.conf\nInclude wide2.conf\n"},
        {"wide2.conf", "Include wide3.conf\nInclude wide3.conf\nInclude wide3.conf\n"},
        {"wide3.conf", "KillWait=7\n"},
        {"parts.conf", "PartitionName=DEFAULT MaxTime=9\nINCLUDE nodes2.conf\n"},
        {"nodes2.conf", "PartitionName=p"},
    };
    const slurm::ConfFiles find = [&](std::string_view name) -> std::optional<std::string> {
        const auto file = files.find(name);
        if (file == files.end()) return std::nullopt;
        return file->second;
    };
    const auto nodes = slurm::read_slurm_conf("  include nodes.conf # here\nNodeName=o\n", find);
    CHECK(texts(nodes.errors) ==
          Names{"nodes.conf line 2: unknown key at offset 11 (\"Colour\"): expected a known key"});
    REQUIRE(nodes.conf.nodes.size() == 2);
    CHECK(nodes.conf.nodes[0].place == slurm::ConfPlace{"nodes.conf", 1});
    CHECK(nodes.conf.nodes[1].place == slurm::ConfPlace{"slurm.conf", 2});
    const auto self = slurm::read_slurm_conf("Include self.conf", find);
    REQUIRE(self.errors.size() == 1);
    CHECK_THAT(to_text(self.errors[0]),
               ContainsSubstring("self.conf line 1: file that includes itself at offset 8"));
    const slurm::ConfFiles longer = [](std::string_view name) {
        return std::optional<std::string>("Include a" + std::string(name));
    };
    const auto deep = slurm::read_slurm_conf("Include a", longer);
    REQUIRE(deep.errors.size() == 1);
    CHECK_THAT(to_text(deep.errors[0]), ContainsSubstring("Include nests too deep at offset 8"));
    const auto wide = slurm::read_slurm_conf("Include wide.conf", find);
    CHECK(wide.errors.empty());
    CHECK(wide.conf.parameters.kill_wait == Seconds(7));
    const auto parts = slurm::read_slurm_conf("Include parts.conf\nPartitionName=q", find);
    CHECK(parts.errors.empty());
    CHECK(parts.conf.partitions.at(0).max_time == Seconds(540));
    CHECK(parts.conf.partitions.at(1).max_time == Seconds(540));
    const auto without_file =
        slurm::read_slurm_conf("NodeName=a\nInclude gone.conf\nNodeName=b", find);
    CHECK(without_file.conf.nodes.size() == 2);
    CHECK(texts(without_file.errors) ==
          Names{"slurm.conf line 2: unknown file at offset 8 (\"gone.conf\"): expected a file that "
                "is there"});
    const slurm::ConfFiles ten_longer = [](std::string_view name) {
        std::string text;
        for (int i = 0; i < 10; ++i) text += "Include a" + std::string(name) + "\n";
        return std::optional<std::string>(text);
    };
    const auto bomb = slurm::read_slurm_conf("Include a", ten_longer);
    CHECK_THAT(to_text(bomb.errors.back()), ContainsSubstring("too many includes"));
}

TEST_CASE("Slurm conf: a cluster of the files", "[dialect][slurm]") {
    const auto built = slurm::parse_cluster(
        {.slurm_conf = "NodeName=n[0-3] Feature=fast\nNodeName=m[0-1]\nDownNodes=n2\n"
                       "NodeSet=quick Feature=fast\nNodeSet=some Nodes=m0,n0\n"
                       "Licenses=b:2,a:1,b:1,c:0\nMaxMemPerNode=500\n"
                       "TopologyPlugin=topology/tree\n"
                       "PartitionName=all Nodes=ALL Default=YES MaxNodes=2 MinNodes=1\n"
                       "PartitionName=q Nodes=quick Default=YES MaxMemPerCPU=7\n"
                       "PartitionName=s Nodes=some,m1 MaxMemPerNode=100 State=DOWN\n"
                       "PartitionName=none\n",
         .topology_conf = "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=m[0-1]\n"
                          "SwitchName=top Switches=s[0-1]\n"});
    INFO(message(built.status()));
    REQUIRE(built.ok());
    const Cluster& cluster = built->cluster;
    CHECK(built->warnings.empty());
    CHECK(cluster.node_count() == 6);
    CHECK(cluster.node(NodeId(2)).state == NodeState::down);
    CHECK(cluster.counts() == std::vector<ClusterCount>{{"a", Count(1)}, {"b", Count(3)}});
    REQUIRE(cluster.partitions().size() == 4);
    CHECK(to_text(cluster.partitions()[0].nodes) == "0-5");
    CHECK_FALSE(cluster.partitions()[0].is_default);
    CHECK(cluster.partitions()[0].max_memory_per_node == mib(500));
    CHECK(cluster.partitions()[0].nodes_per_job.max == Count(2));
    CHECK(to_text(cluster.partitions()[1].nodes) == "0-3");
    CHECK(cluster.partitions()[1].is_default);
    CHECK_FALSE(cluster.partitions()[1].max_memory_per_node);
    CHECK(to_text(cluster.partitions()[2].nodes) == "0,4-5");
    CHECK(cluster.partitions()[2].max_memory_per_node == mib(100));
    CHECK(cluster.partitions()[2].state == Partition::State::down);
    CHECK(cluster.partitions()[3].nodes.is_empty());
    CHECK(cluster.network().trees.at(0).switches.size() == 3);

    const auto why = [](slurm::ConfTexts texts) {
        return std::string(message(slurm::parse_cluster(texts).status()));
    };
    CHECK_THAT(why({.slurm_conf = "NodeName=n\nPartitionName=p Nodes=n,x"}),
               ContainsSubstring("slurm.conf line 2: there is no such node at offset 24"));
    CHECK_THAT(why({.slurm_conf = "NodeName=n[0-9999999]"}),
               ContainsSubstring("more than 4194304"));
    CHECK_THAT(why({.slurm_conf = "NodeName=n", .gres_conf = "Name="}),
               ContainsSubstring("gres.conf line 1"));
    CHECK_THAT(why({.slurm_conf = "NodeName=n\nTopologyPlugin=topology/tree",
                    .topology_conf = "Switch=a"}),
               ContainsSubstring("topology.conf line 1"));
    CHECK_THAT(why({.slurm_conf = "NodeName=n", .topology_yaml = "x: y"}),
               ContainsSubstring("topology.yaml line 1"));
    CHECK(why({.slurm_conf = "NodeName=n", .topology_conf = "Switch=a"}).empty());
    CHECK(slurm::parse_cluster({}).ok());
}
