// SPDX-License-Identifier: Apache-2.0
// Lines and values with several mistakes: each is told, and none that only follows from another.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/conf/cgroup_conf.hpp"
#include "trestle/dialect/slurm/conf/gres_conf.hpp"
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"

namespace trestle {
namespace {

using Mistakes = std::vector<std::string>;

struct ErrorsRow {
    std::string line;
    Mistakes mistakes;  ///< `offset token: what`
    std::string why;
};

Mistakes mistakes_of(const std::vector<slurm::ConfError>& errors) {
    Mistakes all;
    for (const slurm::ConfError& one : errors) {
        all.push_back(fmt::format("{} {}: {}", one.error.offset, one.error.token, one.error.what));
    }
    return all;
}

}  // namespace

TEST_CASE("Slurm conf: a line or value tells all of its mistakes", "[dialect][slurm]") {
    const std::vector<ErrorsRow> rows{
        {"NodeName=n CPUs=3 Sockets=2 CoreSpecCount=99 MemSpecLimit=5",
         {"11 CPUs=3: CPUs that do not add up",
          "28 CoreSpecCount=99: CoreSpecCount that leaves no core",
          "45 MemSpecLimit: MemSpecLimit that leaves no memory"},
         "99 is too much by CPUs and by Sockets"},
        {"NodeName=n CPUs=3 Sockets=2 CoreSpecCount=2",
         {"11 CPUs=3: CPUs that do not add up",
          "28 CoreSpecCount=2: CoreSpecCount that leaves no core"},
         "there are the two cores that Slurm takes"},
        {"NodeName=n Sockets=2 SocketsPerBoard=2 CoreSpecCount=4 MemSpecLimit=5",
         {"11 Sockets: SocketsPerBoard goes before it",
          "39 CoreSpecCount=4: CoreSpecCount that leaves no core",
          "55 MemSpecLimit: MemSpecLimit that leaves no memory"},
         "there are the two cores that Slurm takes"},
        {"NodeName=n CoreSpecCount=1 CpuSpecList=7 MemSpecLimit=5",
         {"11 CoreSpecCount: CpuSpecList goes before it",
          "11 CoreSpecCount=1: CoreSpecCount that leaves no core",
          "27 CpuSpecList: a CPU that does not exist",
          "41 MemSpecLimit: MemSpecLimit that leaves no memory"},
         "the one that Slurm takes is wrong, too"},
        {"NodeName=n Sockets=2 State=UPP+DRAN+DRAIN",
         {"27 UPP: unknown state", "31 DRAN: unknown state"},
         "words between +"},
        {"PartitionName=p MinNodes=4 MaxNodes=2 DefaultTime=10 MaxTime=5",
         {"27 MaxNodes: MaxNodes below MinNodes", "38 DefaultTime: DefaultTime above MaxTime"},
         "two pairs that have nothing to do with each other"},
        {"PartitionName=p OverSubscribe=YEP:x",
         {"30 YEP: unknown answer", "34 x: malformed number"},
         "a word and its number"},
        {"PartitionName=p PreemptMode=KILL,GANG,STOP",
         {"28 KILL: unknown PreemptMode", "38 STOP: unknown PreemptMode"},
         "words between commas"},
        {"SelectTypeParameters=CR_Bad,CR_Worse",
         {"21 CR_Bad: unknown key", "28 CR_Worse: unknown key"},
         "words between commas"},
        {"SelectTypeParameters=CR_CPU,CR_Bad,CR_ONE_TASK_PER_CORE",
         {"28 CR_Bad: unknown key"},
         "the word may have been meant for a unit that goes with one task a core"},
        {"Licenses=a:1,:2,b:x",
         {"13 :2: malformed licence", "18 x: malformed number"},
         "counts between commas"},
        {"GresTypes=gpu,,shard,", {"14 : empty item", "21 : empty item"}, "nothing between commas"},
    };
    for (const ErrorsRow& row : rows) {
        INFO(row.line << ": " << row.why);
        const auto reading = slurm::read_slurm_conf(row.line, {}, slurm::MendedMistakes::errors);
        CHECK(mistakes_of(reading.errors) == row.mistakes);
    }
}

TEST_CASE("Slurm gres.conf: a line or value tells all of its mistakes", "[dialect][slurm]") {
    const std::vector<ErrorsRow> rows{
        {"Name=gpu File=/dev/a Flags=bad,worse",
         {"27 bad: unknown flag", "31 worse: unknown flag"},
         "words between commas"},
        {"Name=gpu Count=3 File=/dev/a[0-1] Links=-1,1 Flags=one_sharing,all_sharing",
         {"9 Count=3: Count that is not the number of files", "34 Links: Links for several devices",
          "45 Flags: one_sharing with all_sharing"},
         "three pairs; by Count and by File there are several devices"},
        {"File=/dev/a[0-1] Count=3 Links=-1,1",
         {"0 File: line without Name", "25 Links: Links for several devices"},
         "whether a Count is of files or of parts is said by the name"},
        {"Name=gpu File=/dev/a Links=x,-1,y",
         {"27 x: malformed link", "32 y: malformed link"},
         "numbers between commas"},
    };
    for (const ErrorsRow& row : rows) {
        INFO(row.line << ": " << row.why);
        const auto reading = slurm::read_gres_conf(row.line, {}, slurm::MendedMistakes::errors);
        CHECK(mistakes_of(reading.errors) == row.mistakes);
    }
}

TEST_CASE("Slurm conf: a value of nothing but mistakes ends after a hundred", "[dialect][slurm]") {
    std::string line = "SelectTypeParameters=x";
    for (int i = 0; i < 100'000; ++i) line += ",x";
    CHECK(slurm::read_slurm_conf(line).errors.size() == 100);
}

}  // namespace trestle
