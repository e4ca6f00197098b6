// SPDX-License-Identifier: Apache-2.0
#include "dialect/slurm/options/checks/value_checks.hpp"

#include <array>
#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using slurm::Release;

constexpr std::array releases{Release::v22_05, Release::v24_11, Release::v26_05};

/// By release: `A` taken, `R` refused with an error, `W` warned of.
std::string verdicts_of(std::string_view text) {
    std::string verdicts;
    for (const Release release : releases) {
        slurm::KnownOptions known;
        known.release = release;
        const auto reading = slurm::read_option_text(text, slurm::Tool::sbatch, known);
        verdicts += !reading.errors.empty() ? 'R' : reading.warnings.empty() ? 'A' : 'W';
    }
    return verdicts;
}

struct Row {
    const char* text;
    const char* verdicts;  ///< of sbatch 22.05, 24.11, 26.05
    const char* why;
};

void check_verdicts(std::initializer_list<Row> rows) {
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        CHECK(verdicts_of(row.text) == row.verdicts);
    }
}

}  // namespace

TEST_CASE("Slurm values: what sbatch refuses of carried options", "[dialect][slurm]") {
    check_verdicts({
        {"--mail-type=bogus", "RRR", "no event"},
        {"--mail-type=bogus,END", "AAA", "one that is known suffices"},
        {"--open-mode=trunc", "AAA", "the first letter counts"},
        {"--open-mode=write", "RRR", "no such letter"},
        {"--kill-on-invalid-dep=y", "RRR", "whole words"},
        {"--nice", "AAA", "a usual value"},
        {"--nice=2147483646", "RRR", "beyond the range"},
        {"--priority=top", "AAA", "a word"},
        {"--priority=-1", "RRR", "below the range"},
        {"--acctg-freq=task=30,energy=60", "AAA", "two kinds"},
        {"--acctg-freq=disk=30", "RRR", "no kind"},
        {"--profile=task", "AAA", "a kind"},
        {"--profile=filesystem", "RRR", "lustre is its name"},
        {"--wait-all-nodes=2", "RRR", "0 or 1"},
        {"--delay-boot=1h", "RRR", "no time"},
        {"--no-kill=on", "RRR", "off is the only word"},
        {"--get-user-env=10L", "AAR", "26.05 takes no value"},
        {"--thread-spec=0", "RRR", "one or more"},
        {"--mem-bind=local,sort", "AAR", "26.05 has no sort"},
        {"--signal=CHLD", "RAA", "a name since 24.11"},
        {"--signal=B:SEGV", "RRR", "a number only"},
        {"--hint=compute_bound,memory_bound", "AAA", "several"},
        {"--hint=multithread,nomultithread", "ARR", "which forbid each other"},
        {"--sockets-per-node=1-2", "RRR", "ranges are for -B"},
        {"-B 1-2", "AAA", "here"},
        {"--gres=gpu=1", "WAA", "a sign since 24.11"},
        {"--gres=gpu:1,", "RAA", "nothing behind a comma"},
        {"--gres=", "RAA", "nothing at all"},
        {"--gpus=", "AAA", "likewise"},
        {"--mem=", "RRR", "memory is said"},
        {"--requeue=", "RRA", "a flag before 26.05"},
        {"--dependency=expand:12", "RRR", "jobs do not grow"},
    });
}

TEST_CASE("Slurm values: frequencies of CPUs", "[dialect][slurm]") {
    check_verdicts({
        {"--cpu-freq=Performance", "AAA", "a governor"},
        {"--cpu-freq=perf", "AAA", "four letters of it"},
        {"--cpu-freq=per", "RRR", "three"},
        {"--cpu-freq=2000-3000", "ARR", "a range needs a governor since 24.11"},
        {"--cpu-freq=low-high:OnDemand", "AAA", "a range with one"},
        {"--cpu-freq=low-high:UserSpace", "ARR", "which sets one frequency"},
        {"--cpu-freq=2000:UserSpace", "RAA", "as here"},
        {"--cpu-freq=high-low:OnDemand", "RRR", "a range that goes down"},
        {"--cpu-freq=low-2000:OnDemand", "RRR", "levels are above numbers"},
        {"--cpu-freq=2000x", "ARR", "text behind a number"},
        {"--cpu-freq=0", "RRR", "no frequency"},
    });
}

TEST_CASE("Slurm values: dates and times of day", "[dialect][slurm]") {
    check_verdicts({
        {"--begin=now+2hours", "AAA", "from now"},
        {"--begin=UTS1893456000", "AAA", "seconds since 1970"},
        {"--begin=uts99999", "RRR", "too few digits"},
        {"--begin=uts1893456000s", "RRR", "something behind them"},
        {"--begin=T", "RRR", "neither date nor time"},
        {"--begin=0231", "AAA", "a day of the next month"},
        {"--begin=now+2h", "RRR", "units are words"},
        {"--begin=now-2hours", "AAA", "has passed"},
        {"--deadline=now-2hours", "RRR", "which no deadline may"},
        {"--begin=9:30", "AAA", "a time of day"},
        {"--begin=9:60", "RRR", "no such minute"},
        {"--begin=11:30pm", "AAA", "in the evening"},
        {"--begin=13:30pm", "RRR", "no such hour"},
        {"--begin=11pm", "RRR", "minutes are needed"},
        {"--begin=1231", "AAA", "month and day"},
        {"--begin=1331", "RRR", "no such month"},
        {"--begin=12/31/30", "AAA", "with a year"},
        {"--begin=12/31/2030", "RRR", "of two digits"},
        {"--begin=2030-12-31T9:05:30", "AAA", "a date and a time"},
        {"--begin=2030-1-31", "RRR", "two digits a part"},
        {"--begin=noon", "AAA", "a word"},
        {"--begin=elevenses", "RAA", "since 24.11"},
        {"--begin=monday", "RRR", "no such word"},
        {"--deadline=25:00", "RRR", "the same form"},
    });
    const auto fault = slurm::check_clock_time(TextCursor("2030-13-01"), std::nullopt);
    REQUIRE(fault);
    CHECK_THAT(to_text(*fault), ContainsSubstring("malformed time"));
    CHECK_THAT(to_text(*fault), ContainsSubstring("expected a date"));
}

TEST_CASE("Slurm values: counts of features by release", "[dialect][slurm]") {
    check_verdicts({
        {"-C rack1*2", "AAA", "one count alone"},
        {"-C [rack1*2&rack2*1]", "AAA", "inside brackets"},
        {"-C rack1*2&rack2*1", "ARR", "without"},
        {"-C rack1*2&ib", "ARR", "beside another feature"},
        {"--prefer=(a|b)*2", "ARR", "of several"},
        {"-C (a)*2", "AAA", "of one in parentheses"},
        {"-C [a*2&b]", "RRR", "a feature without a count"},
    });
}

TEST_CASE("Slurm values: options of other programs", "[dialect][slurm]") {
    check_verdicts({
        {"--exact", "WWW", "of srun"},
        {"--no-shell", "WWW", "of salloc"},
        {"-K", "WWW", "of both"},
        {"--resv-ports", "WAA", "of sbatch since 24.05"},
        {"--res=x", "ARR", "the beginning of one option, then of several"},
    });
    const auto reading =
        slurm::read_option_text("--exact", slurm::Tool::sbatch, {{}, Release::v24_11});
    REQUIRE(reading.warnings.size() == 1);
    CHECK(reading.warnings.front() == "word 1: --exact: no option of sbatch");
    CHECK(slurm::read_option_text("--exact", slurm::Tool::srun, {{}, Release::v24_11})
              .warnings.empty());
    CHECK(slurm::read_option_text("--exact").errors.empty());
}

TEST_CASE("Slurm values: without a release what any of them takes", "[dialect][slurm]") {
    for (const char* const text :
         {"--cpu-freq=2000-3000", "--cpu-freq=2000:UserSpace", "--get-user-env=10L", "-C a*2&b",
          "--mem-bind=sort", "--gres=", "--begin=elevenses", "--signal=PIPE"}) {
        INFO(text);
        CHECK(slurm::read_option_text(text).errors.empty());
    }
    CHECK_FALSE(slurm::read_option_text("--mail-type=bogus").errors.empty());
}

}  // namespace trestle
