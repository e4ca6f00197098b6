// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <string>

#include "tool/what_if/edits.hpp"

namespace trestle::tool {
namespace {

TEST_CASE("what-if: edits of lines", "[tool][what_if]") {
    struct Row {
        const char* why;
        const char* edit;
        const char* text;
        const char* edited;  ///< null: no line is what the edit names
    };
    constexpr Row rows[] = {
        {"a value is replaced", "PartitionName=gpu MaxTime=5",
         "PartitionName=gpu MaxTime=60 Nodes=a\n", "PartitionName=gpu MaxTime=5 Nodes=a\n"},
        {"a value is new", "PartitionName=gpu MaxTime=5", "PartitionName=gpu Nodes=a\n",
         "PartitionName=gpu Nodes=a MaxTime=5\n"},
        {"a list grows", "PartitionName=gpu Nodes+=b", "PartitionName=gpu Nodes=a\n",
         "PartitionName=gpu Nodes=a,b\n"},
        {"a list that is not there", "PartitionName=gpu AllowQos+=b", "PartitionName=gpu Nodes=a\n",
         "PartitionName=gpu Nodes=a AllowQos=b\n"},
        {"keys in any case", "partitionname=gpu maxtime=5", "PARTITIONNAME=gpu MaxTime=60\n",
         "PARTITIONNAME=gpu MaxTime=5\n"},
        {"another line stays", "PartitionName=gpu MaxTime=5", "PartitionName=cpu MaxTime=60\n",
         nullptr},
        {"a name that begins alike", "PartitionName=gpu MaxTime=5",
         "PartitionName=gpu2 MaxTime=60\n", nullptr},
        {"nodes as the file names them", "NodeName=n[1-2] RealMemory=8",
         "NodeName=n[1-2] RealMemory=4\n", "NodeName=n[1-2] RealMemory=8\n"},
        {"one node of a line", "NodeName=n1 RealMemory=8", "NodeName=n[1-2] RealMemory=4\n",
         nullptr},
        {"a key of the cluster", "DefMemPerCPU=5", "A=1\nDefMemPerCPU=9 # old\n",
         "A=1\nDefMemPerCPU=5\n"},
        {"a key that is only in a comment", "DefMemPerCPU=5", "#DefMemPerCPU=9\n", nullptr},
        {"a line that goes on", "PartitionName=gpu MaxTime=5",
         "PartitionName=gpu \\\n MaxTime=60\n", "PartitionName=gpu MaxTime=5\n"},
        {"blanks in quotes", "PartitionName=gpu MaxTime=5",
         "PartitionName=gpu A=\"b c\" MaxTime=6\n", "PartitionName=gpu A=\"b c\" MaxTime=5\n"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto edit = parse_edit(row.edit);
        REQUIRE(edit.ok());
        std::string text = row.text;
        CHECK(edit_conf(*edit, text) == (row.edited != nullptr));
        CHECK(text == (row.edited == nullptr ? row.text : row.edited));
    }
}

TEST_CASE("what-if: edits that are none", "[tool][what_if]") {
    for (const char* const text :
         {"", "MaxTime", "PartitionName=gpu", "PartitionName=gpu MaxTime", "=5"}) {
        INFO(text);
        CHECK_FALSE(parse_edit(text).ok());
    }
}

}  // namespace
}  // namespace trestle::tool
