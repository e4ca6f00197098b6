// SPDX-License-Identifier: Apache-2.0
// What a job sees, what its container may reach, and how its end is read.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/contract.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/run/access.hpp"
#include "trestle/dialect/dstack/run/environment.hpp"
#include "trestle/dialect/dstack/run/exit.hpp"

namespace trestle {
namespace {

using dstack::JobEnding;
using dstack::JobStatus;
using dstack::RunNode;
using dstack::TerminationReason;

Instance::Share share_with(std::uint32_t blocks, std::int64_t gpus) {
    Instance instance;
    instance.name = "a";
    instance.offer.cpus = Count(64);
    instance.offer.devices = {{"gpu", "nvidia", "A100", gib(80), Count(gpus), {}}};
    instance.offer.blocks = Count(8);
    instance.blocks = HostBlocks::unseen(Count(8));
    return share_of(instance, BlockSet::range({0, blocks}));
}

std::string value_of(const std::vector<EnvironmentVariable>& variables, const std::string& name) {
    for (const EnvironmentVariable& one : variables) {
        if (one.name == name) return one.value.reveal();
    }
    return "absent";
}

}  // namespace

TEST_CASE("dstack job: a whole host gets its network, RDMA and memlock; a share none of it",
          "[dialect][dstack]") {
    for (std::uint32_t blocks = 1; blocks <= 8; ++blocks) {
        const dstack::JobAccess access = dstack::access_of(share_with(blocks, 8));
        const bool is_whole = blocks == 8;
        CHECK(access.network ==
              (is_whole ? container::NetworkMode::host : container::NetworkMode::bridge));
        CHECK(access.has_rdma_devices == is_whole);
        CHECK(access.limits.size() == (is_whole ? 1 : 0));
    }
    const auto whole = dstack::access_of(share_with(8, 8));
    CHECK(to_text(whole.limits.at(0)) == "memlock soft=unlimited hard=unlimited");
    CHECK(dstack::access_of(share_with(1, 8)) == dstack::JobAccess{});
}

TEST_CASE("dstack job: variables count the share, not the host", "[dialect][dstack]") {
    CHECK(dstack::gpus_of(share_with(2, 8)) == Count(2));
    CHECK(dstack::gpus_of(share_with(8, 16)) == Count(16));
    const std::vector<RunNode> one{{"10.0.0.1", dstack::gpus_of(share_with(2, 8))}};
    const auto alone = dstack::run_environment(one, 0, "/hosts");
    REQUIRE(alone.ok());
    CHECK(value_of(*alone, "DSTACK_GPUS_NUM") == "2");
    CHECK(value_of(*alone, "DSTACK_GPUS_PER_NODE") == "2");
    CHECK(value_of(*alone, "DSTACK_NODES_NUM") == "1");

    const std::vector<RunNode> four(4, RunNode{"10.0.0.1", Count(8)});
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        const auto variables = dstack::run_environment(four, rank, "/hosts");
        REQUIRE(variables.ok());
        REQUIRE(variables->size() == 7);
        CHECK(value_of(*variables, "DSTACK_GPUS_NUM") == "32");
        CHECK(value_of(*variables, "DSTACK_GPUS_PER_NODE") == "8");
        CHECK(value_of(*variables, "DSTACK_NODES_NUM") == "4");
        CHECK(value_of(*variables, "DSTACK_NODE_RANK") == std::to_string(rank));
        CHECK(value_of(*variables, "DSTACK_MPI_HOSTFILE") == "/hosts");
    }
    const std::vector<RunNode> mixed{
        {"10.0.0.1", Count(8)}, {"", Count(0)}, {"fe80::2%eth0", Count(2)}};
    const auto last = dstack::run_environment(mixed, 2, "h");
    REQUIRE(last.ok());
    CHECK(value_of(*last, "DSTACK_GPUS_NUM") == "10");
    CHECK(value_of(*last, "DSTACK_GPUS_PER_NODE") == "2");
    CHECK(value_of(*last, "DSTACK_MASTER_NODE_IP") == "10.0.0.1");
    CHECK(value_of(*last, "DSTACK_NODES_IPS") == "10.0.0.1\n\nfe80::2%eth0");
}

TEST_CASE("dstack job: the host file for MPI", "[dialect][dstack]") {
    struct Row {
        std::vector<RunNode> nodes;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {{{"10.0.0.1", Count(8)}, {"10.0.0.2", Count(8)}},
         "10.0.0.1 slots=8\n10.0.0.2 slots=8\n",
         "the guide's pair"},
        {{{"10.0.0.1", Count()}}, "10.0.0.1\n", "no slots without GPUs"},
        {{{"10.0.0.1", Count()}, {"10.0.0.2", Count(1)}}, "10.0.0.1\n10.0.0.2 slots=1\n", "mixed"},
        {{{"10.0.0.1", Count(8)}, {"", Count(8)}}, "", "an unknown address: nothing"},
        {{{"", Count()}}, "", "the only one unknown"},
        {{}, "", "nobody"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto text = dstack::mpi_hostfile(row.nodes);
        REQUIRE(text.ok());
        CHECK(*text == row.expected);
    }
}

TEST_CASE("dstack job: addresses, ranks and counts that cannot be", "[dialect][dstack]") {
    const std::vector<RunNode> two{{"a", Count(1)}, {"b c", Count(1)}};
    const char* const said = "node 1: address \"b c\", expected letters, digits and .:-_%";
    CHECK(message(dstack::mpi_hostfile(two).status()) == said);
    CHECK(message(dstack::run_environment(two, 0, "h").status()) == said);
    const std::vector<RunNode> lines{{"a\nb", Count(1)}};
    CHECK(dstack::mpi_hostfile(lines).status().code() == invalid);
    const std::vector<RunNode> one{{"a", Count(1)}};
    CHECK(message(dstack::run_environment(one, 1, "h").status()) ==
          "rank 1 of 1 nodes, expected one that there is");
    CHECK(message(dstack::run_environment({}, 0, "h").status()) ==
          "rank 0 of 0 nodes, expected one that there is");
    const std::vector<RunNode> many{{"a", Count::max()}, {"b", Count(1)}};
    CHECK(message(dstack::run_environment(many, 0, "h").status()) ==
          "nodes: they have more than 2^63 GPUs");
}

TEST_CASE("dstack job: how an end is read", "[dialect][dstack]") {
    struct Row {
        Outcome outcome;
        std::optional<TerminationReason> stopped;
        JobEnding ending;
        JobStatus status;
        std::optional<int> exit_code;
        std::optional<int> signal_number;
        const char* why;
    };
    const Row rows[] = {
        {exited(0), {}, JobEnding::done, JobStatus::done, 0, {}, "0"},
        {exited(3), {}, JobEnding::failed, JobStatus::failed, 3, {}, "anything else"},
        {exited(255), {}, JobEnding::failed, JobStatus::failed, 255, {}, "no signal is 127"},
        {exited(128), {}, JobEnding::failed, JobStatus::failed, 128, {}, "no signal is 0"},
        {exited(0, Count(2)),
         {},
         JobEnding::done,
         JobStatus::done,
         0,
         {},
         "children died for memory and it got over it"},
        {exited(1, Count(2)), {}, JobEnding::failed, JobStatus::failed, 1, {}, "or failed over it"},
        {exited(139),
         {},
         JobEnding::signaled,
         JobStatus::failed,
         139,
         11,
         "a shell's word for SIGSEGV"},
        {exited(137),
         {},
         JobEnding::signaled,
         JobStatus::failed,
         137,
         9,
         "SIGKILL, not for memory"},
        {exited(137, Count(0)),
         {},
         JobEnding::signaled,
         JobStatus::failed,
         137,
         9,
         "the same, counted"},
        {exited(137, Count(1)),
         {},
         JobEnding::out_of_memory,
         JobStatus::failed,
         137,
         9,
         "SIGKILL for memory, told by the shell"},
        {signaled(9, Count(1)),
         {},
         JobEnding::out_of_memory,
         JobStatus::failed,
         {},
         9,
         "the shell itself killed for memory"},
        {signaled(9), {}, JobEnding::signaled, JobStatus::failed, {}, 9, "killed by somebody"},
        {signaled(15), {}, JobEnding::signaled, JobStatus::failed, {}, 15, "SIGTERM"},
        {exited(130), TerminationReason::terminated_by_user, JobEnding::by_user,
         JobStatus::terminated, 130, 2, "the user"},
        {exited(0),
         TerminationReason::terminated_by_user,
         JobEnding::by_user,
         JobStatus::terminated,
         0,
         {},
         "the user, and it left in order"},
        {signaled(9),
         TerminationReason::aborted_by_user,
         JobEnding::by_user,
         JobStatus::aborted,
         {},
         9,
         "the user, at once"},
        {exited(0),
         TerminationReason::max_duration_exceeded,
         JobEnding::time_limit,
         JobStatus::terminated,
         0,
         {},
         "out of time"},
        {signaled(9, Count(1)),
         TerminationReason::max_duration_exceeded,
         JobEnding::time_limit,
         JobStatus::terminated,
         {},
         9,
         "the first reason counts"},
        {signaled(9),
         TerminationReason::scaled_down,
         JobEnding::stopped,
         JobStatus::terminated,
         {},
         9,
         "another reason"},
        {signaled(9),
         TerminationReason::log_quota_exceeded,
         JobEnding::stopped,
         JobStatus::failed,
         {},
         9,
         "one that is a failure"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const dstack::JobExit exit = dstack::classify(row.outcome, row.stopped);
        CHECK(exit.ending == row.ending);
        CHECK(exit.status == row.status);
        CHECK(exit.exit_code == row.exit_code);
        CHECK(exit.signal_number == row.signal_number);
        CHECK(dstack::rule_of(exit.reason).status == exit.status);
        if (row.stopped) CHECK(exit.reason == *row.stopped);
    }
    for (const auto reason :
         {TerminationReason::done_by_runner, TerminationReason::container_exited_with_error}) {
        CHECK(broken_contract([&] { static_cast<void>(dstack::classify(exited(0), reason)); }) ==
              "the job was stopped");
    }
}

}  // namespace trestle
