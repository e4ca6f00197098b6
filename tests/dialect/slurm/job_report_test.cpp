// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/job_report.hpp"

#include <string>

#include "support/catch.hpp"
#include "trestle/dialect/slurm/quantities.hpp"

namespace trestle::slurm {

TEST_CASE("Slurm report: how a job ended is a state and an exit code", "[slurm]") {
    struct Row {
        Outcome outcome;
        EndCause cause;
        const char* state;
        const char* code;
        const char* reason;
    };
    const Row rows[] = {
        {exited(0), EndCause::none, "COMPLETED", "0:0", "all went well"},
        {exited(3), EndCause::none, "FAILED", "3:0", "the program said so"},
        {signaled(11), EndCause::none, "FAILED", "0:11", "it crashed"},
        {signaled(9), EndCause::none, "FAILED", "0:9", "somebody killed it, not for memory"},
        {signaled(9, Count(2)), EndCause::none, "OUT_OF_MEMORY", "0:125", "the kernel killed it"},
        {exited(1, Count(2)), EndCause::none, "FAILED", "1:0", "it outlived its child's end"},
        {signaled(15), EndCause::user, "CANCELLED", "0:15", "scancel"},
        {exited(0), EndCause::user, "CANCELLED", "0:0", "scancel, and it left in good order"},
        {signaled(15), EndCause::time_limit, "TIMEOUT", "0:15", "its time was over"},
        {exited(0), EndCause::time_limit, "TIMEOUT", "0:0", "it heeded the warning"},
        {signaled(9), EndCause::preemption, "PREEMPTED", "0:9", "somebody came first"},
        {signaled(9), EndCause::node, "NODE_FAIL", "0:9", "the machine died"},
        {signaled(9, Count(1)), EndCause::user, "OUT_OF_MEMORY", "0:125",
         "memory came before the user"},
    };
    for (const Row& row : rows) {
        INFO(row.reason);
        CHECK(trestle::to_text(state_of(row.outcome, row.cause)) == row.state);
        CHECK(exit_code_text(row.outcome) == row.code);
        const auto back = parse_exit_code(row.code);
        REQUIRE(back.ok());
        CHECK(exit_code_text(*back) == row.code);
    }
}

TEST_CASE("Slurm report: states are read by word and short form", "[slurm]") {
    for (const auto& [state, name] : enum_names(State())) {
        CHECK(*parse_state(name) == state);
        CHECK(*parse_state(short_text(state)) == state);
    }
    CHECK(*parse_state("cancelled by 1000") == State::cancelled);
    CHECK(*parse_state("oom") == State::out_of_memory);
    CHECK(*parse_state("COMPLETED+") == State::completed);
    CHECK(message(parse_state("COMPLETE").status()) ==
          "state: unknown state at offset 0 (\"COMPLETE\"): expected a state of a job; the nearest "
          "is COMPLETED");
    CHECK_FALSE(parse_state("").ok());
}

TEST_CASE("Slurm report: bad exit codes say where", "[slurm]") {
    struct Row {
        const char* text;
        const char* error;
    };
    const Row rows[] = {
        {"", "exit code: not an exit code at offset 0 (end of text): expected 0 to 255"},
        {"256:0", "exit code: not an exit code at offset 3 (\":0\"): expected 0 to 255"},
        {"-1:0", "exit code: not an exit code at offset 0 (\"-1:0\"): expected 0 to 255"},
        {"0", "exit code: no signal at offset 1 (end of text): expected code:signal, as 0:9"},
        {"0:", "exit code: not a signal at offset 2 (end of text): expected 0 to 127"},
        {"0:9x", "exit code: text behind the signal at offset 3 (\"x\"): expected its end"},
    };
    for (const Row& row : rows) CHECK(message(parse_exit_code(row.text).status()) == row.error);
}

TEST_CASE("Slurm report: why a job waits", "[slurm]") {
    Partition partition;
    partition.name = "gpu";
    partition.max_time = Seconds(3600);
    partition.nodes_per_job = Range<Count>::at_most(Count(4));
    Request request;
    const auto word = [&](Constraint constraint) {
        return std::string(trestle::to_text(reason_of(partition, request, {constraint, ""})));
    };
    CHECK(word(Constraint::none) == "None");
    CHECK(word(Constraint::cores) == "Resources");
    CHECK(word(Constraint::devices) == "Resources");
    CHECK(word(Constraint::cluster_counts) == "Licenses");
    CHECK(word(Constraint::node_state) == "Resources");
    CHECK(word(Constraint::partition) == "PartitionConfig");
    request.required_nodes = {"n1"};
    CHECK(word(Constraint::node_state) == "ReqNodeNotAvail");
    request.nodes = Range<Count>::exactly(Count(5));
    CHECK(word(Constraint::partition) == "PartitionNodeLimit");
    request.time_limit = Seconds(7200);
    CHECK(word(Constraint::partition) == "PartitionTimeLimit");
    partition.state = Partition::State::down;
    CHECK(word(Constraint::partition) == "PartitionDown");
    partition.state = Partition::State::inactive;
    CHECK(word(Constraint::partition) == "PartitionInactive");
}

TEST_CASE("Slurm report: durations are read back", "[slurm]") {
    struct Row {
        std::int64_t seconds;
        const char* text;
    };
    const Row rows[] = {{0, "00:00:00"},        {300, "00:05:00"},   {9000, "02:30:00"},
                        {86'400, "1-00:00:00"}, {3'600, "01:00:00"}, {100'000'020, "1157-09:47:00"},
                        {86'340, "23:59:00"}};
    for (const Row& row : rows) {
        CHECK(duration_text(Seconds(row.seconds)) == row.text);
        CHECK(*parse_time(row.text) == Seconds(row.seconds));
    }
    CHECK(duration_text(Seconds(59)) == "00:00:59");
    CHECK(duration_text({}) == "UNLIMITED");
    CHECK(*parse_time("UNLIMITED") == std::nullopt);
}

}  // namespace trestle::slurm
