// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/options.hpp"

using namespace trestle;

namespace {

struct TermRow {
    const char* text;
    const char* expected;
    const char* why;
};

/// The options as text, which leaves out what was not given; or the error, without its position and
/// what was expected.
std::string term_of(const std::string& text) {
    const auto reading = slurm::read_option_text(text);
    if (reading.errors.empty()) return to_text(reading.submission.components.front().options);
    const std::string error = to_text(reading.errors.front());
    const std::size_t expected = error.find(": expected ");
    REQUIRE(expected != std::string::npos);
    CHECK(error.starts_with("word "));
    const std::size_t start = error.find(": ") + 2;
    return error.substr(start, expected - start);
}

void check_terms(std::initializer_list<TermRow> rows) {
    for (const TermRow& row : rows) {
        INFO(row.text << ": " << row.why);
        CHECK(term_of(row.text) == row.expected);
    }
}

}  // namespace

TEST_CASE("Slurm option terms: which nodes", "[dialect][slurm]") {
    check_terms({
        {"-p gpu", "{partitions=[gpu]}", "a partition"},
        {"-p gpu,debug", "{partitions=[gpu, debug]}", "several"},
        {"-p gpu,", "--partition: empty name at offset 4 (end of text)", "an empty name"},
        {"-C a100", "{constraint={features=a100}}", "a feature"},
        {"-C a100&nvlink", "{constraint={features=a100&nvlink}}", "both"},
        {"-C a100,b", "--constraint: malformed feature expression at offset 4 (\",\")", "no comma"},
        {"-C a|b", "{constraint={features=a|b}}", "one of them"},
        {"-C (a|b)&c", "{constraint={features=(a|b)&c}}", "parentheses"},
        {"-C [a|b]", "{constraint={one_of=[a, b]}}", "all nodes the same one"},
        {"-C [a|b]&ib", "{constraint={features=ib, one_of=[a, b]}}", "and another one"},
        {"-C [(a&x)|b]", "{constraint={one_of=[a&x, b]}}", "expressions inside"},
        {"-C [a*1&b*2]", "{constraint={counts=[{features=a}, {features=b, nodes=2}]}}",
         "so many of each"},
        {"-C a*4", "{constraint={counts=[{features=a, nodes=4}]}}", "so many, without brackets"},
        {"-C [a*2]&b", "{constraint={features=b, counts=[{features=a, nodes=2}]}}",
         "a count and a feature"},
        {"-C (a&b)*2", "{constraint={counts=[{features=a&b, nodes=2}]}}", "an expression so often"},
        {"-C [a&b]", "{constraint={features=a&b}}", "brackets around what needs none"},
        {"-C a&", "--constraint: malformed feature expression at offset 2 (end of text)",
         "nothing behind the sign"},
        {"-C a&&b", "--constraint: malformed feature expression at offset 2 (\"&b\")",
         "nothing between"},
        {"-C (a|b", "--constraint: malformed feature expression at offset 4 (end of text)",
         "a parenthesis without end"},
        {"-C !a", "--constraint: a negation, which Slurm does not know at offset 0 (\"!a\")",
         "Slurm has no negation"},
        {"-C [a|b", "--constraint: malformed brackets at offset 0 (\"[a|b\")",
         "a bracket without end"},
        {"-C []", "--constraint: malformed brackets at offset 0 (\"[]\")", "nothing inside"},
        {"-C [a|b]&[c|d]", "--constraint: a second choice in brackets at offset 7 (\"c|d\")",
         "one choice only"},
        {"-C [a*2|b]", "--constraint: malformed feature expression at offset 2 (\"*2\")",
         "a count in a choice"},
        {"-C [a]|c", "--constraint: | beside counts or brackets at offset 3 (\"|c\")",
         "a bar beside brackets"},
        {"-C a*0", "--constraint: zero at offset 2 (\"0\")", "a count of none"},
        {"-C a*x", "--constraint: malformed count at offset 2 (\"x\")", "no count"},
        {"--prefer=a100", "{prefer={features=a100}}", "the same grammar"},
        {"--prefer=a&", "--prefer: malformed feature expression at offset 2 (end of text)",
         "the same errors"},
        {"-w n[1-4]", "{nodelist=n[1-4]}", "names as a range"},
        {"-w n1,n3", "{nodelist=n[1,3]}", "a list"},
        {"-w n[4-1]", "--nodelist: a range that goes down at offset 2 (\"4-1]\")", "downwards"},
        {"-w /home/me/nodes", "{nodefile=/home/me/nodes}", "a path"},
        {"-w n[0-9999999]", "--nodelist: too many names at offset 2 (\"0-9999999]\")",
         "more names than a job can mean"},
        {"-F nodes.txt", "{nodefile=nodes.txt}", "a file"},
        {"-x n[1-2],n7", "{exclude=n[1-2,7]}", "not these"},
        {"-x n[", "--exclude: malformed bracket at offset 2 (end of text)",
         "a bracket without end"},
        {"--contiguous", "{contiguous=true}", "next to each other"},
        {"--switches=2", "{switches={count=2}}", "leaf switches"},
        {"--switches=1@10", "{switches={max_wait=600}}", "and how long to wait"},
        {"--switches=1@1-0", "{switches={max_wait=86400}}", "days"},
        {"--switches=0", "--switches: zero at offset 0 (\"0\")", "none"},
        {"--switches=1@soon", "--switches: malformed time at offset 2 (\"soon\")", "no time"},
        {"--segment=4", "{segment=4}", "nodes of a block"},
        {"--segment=0", "--segment: zero at offset 0 (\"0\")", "none"},
        {"--spread-segments", "{spread_segments=true}", "a flag"},
        {"--consolidate-segments", "{consolidate_segments=true}", "a flag"},
        {"--spread-job", "{spread_job=true}", "a flag"},
        {"--use-min-nodes", "{use_min_nodes=true}", "a flag"},
    });
}

TEST_CASE("Slurm option terms: with whom nodes are shared", "[dialect][slurm]") {
    check_terms({
        {"--exclusive", "{exclusive=whole_node}", "whole nodes"},
        {"--exclusive=user", "{exclusive=user}", "with one's own jobs"},
        {"--exclusive=mcs", "{exclusive=mcs}", "with jobs of the same label"},
        {"--exclusive=topo", "{exclusive=topo}", "the block or switch too"},
        {"--exclusive=me", "--exclusive: unknown kind at offset 0 (\"me\")", "unknown"},
        {"-s", "{oversubscribe=true}", "shared"},
        {"-O", "{overcommit=true}", "more tasks than CPUs"},
        {"-Os", "{oversubscribe=true, overcommit=true}", "two letters in one word"},
        {"-Oc 2", "{cpus_per_task=2, overcommit=true}", "the last letter takes the value"},
        {"--exact", "{exact=true}", "a step's CPUs alone"},
        {"--whole", "{whole=true}", "all that the job has"},
        {"--overlap", "{overlap=}", "with other steps"},
        {"--overlap=force", "{overlap=force}", "and what it says"},
    });
}

TEST_CASE("Slurm option terms: times, signals, dependencies, arrays, licences",
          "[dialect][slurm]") {
    check_terms({
        {"-t 30", "{time={limit=1800}}", "minutes"},
        {"-t 90:30", "{time={limit=5460}}", "up to a whole minute"},
        {"-t 2:00:00", "{time={limit=7200}}", "hours"},
        {"-t 1-0", "{time={limit=86400}}", "days"},
        {"-t 1-2:3", "{time={limit=93780}}", "days, hours, minutes"},
        {"-t 1-2:3:4", "{time={limit=93840}}", "and seconds"},
        {"-t UNLIMITED", "{time={}}", "no limit"},
        {"-t infinite", "{time={}}", "the same"},
        {"-t 0", "{time={}}", "zero is no limit"},
        {"-t 1:2:3:4", "--time: malformed time at offset 6 (\"4\")", "four parts"},
        {"-t 1-", "--time: malformed time at offset 2 (end of text)", "half of it"},
        {"-t :30", "--time: malformed time at offset 0 (\":30\")", "a part is missing"},
        {"-t 1h", "--time: malformed time at offset 1 (\"h\")", "no such form"},
        {"-t 99999999999", "--time: time beyond 2^31 minutes at offset 0 (\"99999999999\")",
         "beyond 2^31"},
        {"--time-min=10", "{time_min={limit=600}}", "at least"},
        {"--begin=now", "{begin={text=now, after_now=0}}", "at once"},
        {"--begin=now+60", "{begin={text=now+60, after_now=60}}", "seconds"},
        {"--begin=now+2hours", "{begin={text=now+2hours, after_now=7200}}", "hours"},
        {"--begin=now+1week", "{begin={text=now+1week, after_now=604800}}", "a week"},
        {"--begin=16:00", "{begin={text=16:00}}", "a time of day stays text"},
        {"--begin=2030-01-20T12:34:00", "{begin={text=2030-01-20T12:34:00}}", "a date stays text"},
        {"--begin=now+1fortnight", "--begin: malformed time at offset 0 (\"now+1fortnight\")",
         "no such unit"},
        {"--begin=now-1", "--begin: malformed time at offset 0 (\"now-1\")", "not before now"},
        {"--begin=@noon", "--begin: malformed time at offset 0 (\"@noon\")", "no time"},
        {"--signal=USR1", "{signal={number=10}}", "a minute before the end"},
        {"--signal=USR1@300", "{signal={number=10, before=300}}", "five minutes"},
        {"--signal=B:USR1@300", "{signal={number=10, before=300, to_batch_shell=true}}",
         "to the batch shell"},
        {"--signal=R:TERM", "{signal={number=15, for_reservation=true}}", "before a reservation"},
        {"--signal=RB:10@60", "{signal={number=10, to_batch_shell=true, for_reservation=true}}",
         "both, by number"},
        {"--signal=SIGINT@0", "{signal={number=2, before=0}}", "with the prefix, at the end"},
        {"--signal=usr2", "{signal={number=12}}", "in any case"},
        {"--signal=B", "--signal: unknown signal at offset 0 (\"B\")", "no signal"},
        {"--signal=B:", "--signal: unknown signal at offset 2 (end of text)",
         "nothing behind the colon"},
        {"--signal=X:USR1", "--signal: unknown flag at offset 0 (\"X\")", "no such flag"},
        {"--signal=BB:USR1", "--signal: unknown flag at offset 0 (\"BB\")", "a flag twice"},
        {"--signal=0", "--signal: unknown signal at offset 0 (\"0\")", "no signal"},
        {"--signal=65", "--signal: unknown signal at offset 0 (\"65\")", "nor this"},
        {"--signal=USR1@x", "--signal: malformed time at offset 5 (\"x\")", "no time"},
        {"--signal=USR1@65536", "--signal: malformed time at offset 5 (\"65536\")", "too early"},
        {"--signal=USR9", "--signal: unknown signal at offset 0 (\"USR9\")", "unknown"},
        {"-d afterok:123", "{dependency={list=[{jobs=[{job=123}]}]}}", "one job"},
        {"-d afterok:123:124", "{dependency={list=[{jobs=[{job=123}, {job=124}]}]}}", "two jobs"},
        {"-d afterok:1,afterany:2",
         "{dependency={list=[{jobs=[{job=1}]}, {kind=afterany, jobs=[{job=2}]}]}}", "both"},
        {"-d afterok:1?afternotok:2",
         "{dependency={list=[{jobs=[{job=1}]}, {kind=afternotok, jobs=[{job=2}]}], "
         "is_any_of=true}}",
         "one of them"},
        {"-d after:5+10", "{dependency={list=[{kind=after, jobs=[{job=5, minutes=10}]}]}}",
         "ten minutes after its start"},
        {"-d aftercorr:7_3", "{dependency={list=[{kind=aftercorr, jobs=[{job=7, task=3}]}]}}",
         "a task of an array"},
        {"-d afterany:7_*", "{dependency={list=[{kind=afterany, jobs=[{job=7, all_tasks=true}]}]}}",
         "all tasks"},
        {"-d singleton", "{dependency={list=[{kind=singleton}]}}", "no other of this name"},
        {"-d 123", "{dependency={list=[{kind=afterany, jobs=[{job=123}]}]}}", "the old form"},
        {"-d expand:9", "{dependency={list=[{kind=expand, jobs=[{job=9}]}]}}", "more for that job"},
        {"-d afterburstbuffer:3", "{dependency={list=[{kind=afterburstbuffer, jobs=[{job=3}]}]}}",
         "staged out"},
        {"-d before:1", "--dependency: unknown dependency at offset 0 (\"before:1\")", "unknown"},
        {"-d afterok", "--dependency: no job at offset 7 (end of text)", "no job"},
        {"-d afterok:", "--dependency: malformed job at offset 8 (end of text)",
         "nothing behind the colon"},
        {"-d afterok:0", "--dependency: malformed job at offset 8 (\"0\")", "no job is 0"},
        {"-d afterok:x", "--dependency: malformed job at offset 8 (\"x\")", "no number"},
        {"-d afterok:1+5", "--dependency: malformed job at offset 8 (\"1+5\")",
         "minutes only with after"},
        {"-d afterok:1_", "--dependency: malformed job at offset 8 (\"1_\")", "half a task"},
        {"-d singleton:1", "--dependency: unexpected text at offset 9 (\":1\")", "singleton alone"},
        {"-d afterok:1,", "--dependency: unknown dependency at offset 10 (end of text)",
         "nothing behind the comma"},
        {"-a 1-100", "{array={ranges=[{first=1, last=100}]}}", "a range"},
        {"-a 0-15:4", "{array={ranges=[{last=15, step=4}]}}", "steps"},
        {"-a 1,5-7%2", "{array={ranges=[{first=1, last=1}, {first=5, last=7}], at_once=2}}",
         "two at a time"},
        {"-a 5", "{array={ranges=[{first=5, last=5}]}}", "one"},
        {"-a 1-3%0", "{array={ranges=[{first=1, last=3}]}}", "any number at a time"},
        {"-a 5-1", "--array: a range that goes down at offset 0 (\"5-1\")", "downwards"},
        {"-a 1-", "--array: malformed array at offset 0 (\"1-\")", "half a range"},
        {"-a 1-5:0", "--array: malformed array at offset 0 (\"1-5:0\")", "a step of 0"},
        {"-a 1,,2", "--array: malformed array at offset 2 (end of text)", "nothing between"},
        {"-a x", "--array: malformed array at offset 0 (\"x\")", "no number"},
        {"-a 4000001", "--array: malformed array at offset 0 (\"4000001\")",
         "beyond Slurm's largest array"},
        {"-a 0-4000000,0-9", "--array: too many tasks at offset 0 (\"0-4000000\")",
         "too many tasks"},
        {"-a 1%x", "--array: malformed count at offset 2 (\"x\")", "no limit"},
        {"--requeue", "{requeue=yes}", "again after a failure"},
        {"--requeue=expedite", "{requeue=expedite}", "and at once"},
        {"--no-requeue", "{requeue=no}", "not again"},
        {"--no-requeue --requeue", "{requeue=yes}", "the last one wins"},
        {"--requeue=now", "--requeue: unknown value at offset 0 (\"now\")", "unknown"},
        {"-L matlab", "{licenses={counts=[matlab:1]}}", "one"},
        {"-L matlab:2,abaqus@flex1:1", "{licenses={counts=[abaqus@flex1:1, matlab:2]}}",
         "two names"},
        {"-L matlab=2", "{licenses={counts=[matlab:2]}}", "with a sign"},
        {"-L a:1,a:2", "{licenses={counts=[a:3]}}", "one name twice is a sum"},
        {"-L a:2|b:1", "{licenses={counts=[a:2, b:1], is_any_of=true}}", "one of them"},
        {"-L a:0", "{licenses={}}", "none"},
        {"-L a:x", "--licenses: malformed count at offset 2 (\"x\")", "no count"},
        {"-L ,a", "--licenses: no licence at offset 0 (end of text)", "nothing before the comma"},
        {"-L a:1|b,c", "--licenses: both , and | at offset 4 (\"b\")", "both signs"},
        {"--reservation=maint", "{reservations=[maint]}", "a name"},
        {"--reservation=a,b", "{reservations=[a, b]}", "any of them"},
    });
}

TEST_CASE("Slurm option terms: how processes start", "[dialect][slurm]") {
    check_terms({
        {"--propagate",
         "{propagate=[cpu, fsize, data, stack, core, rss, nproc, nofile, memlock, as]}",
         "all limits"},
        {"--propagate=ALL",
         "{propagate=[cpu, fsize, data, stack, core, rss, nproc, nofile, memlock, as]}",
         "the same"},
        {"--propagate=NONE", "{propagate=[]}", "none"},
        {"--propagate=STACK,rlimit_core", "{propagate=[stack, core]}", "two of them"},
        {"--propagate=STACK,STACK", "{propagate=[stack]}", "one of them twice"},
        {"--propagate=DISK", "--propagate: unknown limit at offset 0 (\"DISK\")", "unknown"},
        {"--oom-kill-step", "{oom_kill_step=true}", "yes"},
        {"--oom-kill-step=0", "{oom_kill_step=false}", "no"},
        {"--oom-kill-step=2", "--oom-kill-step: unknown value at offset 0 (\"2\")", "neither"},
        {"--export=NONE", "{exported={base=none}}", "nothing"},
        {"--export=NIL", "{exported={base=nil}}", "not even Slurm's"},
        {"--export=ALL", "{exported={base=all}}", "everything"},
        {"--export=ALL,EDITOR=/bin/vi,PATH",
         "{exported={base=all, variables=[EDITOR=/bin/vi, PATH]}}", "everything and more"},
        {"--export=A,B", "{exported={variables=[A, B]}}", "only these"},
        {"--export=,A", "--export: no variable at offset 0 (\",\")", "no name"},
        {"--export==x", "--export: no variable at offset 0 (\"=x\")", "no name before the sign"},
        {"--container=/bundle", "{container=/bundle}", "a path"},
    });
}

TEST_CASE("Slurm option terms: what is carried", "[dialect][slurm]") {
    check_terms({
        {"--output=x.txt", "{carried=[{name=output, value=x.txt}]}", "carried, with its value"},
        {"-J name -A account",
         "{carried=[{name=job-name, value=name}, {name=account, value=account}]}", "by letters"},
        {"--nice", "{carried=[{name=nice}]}", "a value may be missing"},
        {"--nice=5", "{carried=[{name=nice, value=5}]}", "or stand"},
        {"-H --parsable", "{carried=[{name=hold}, {name=parsable}]}", "without values"},
        {"-vv", "{carried=[{name=verbose}, {name=verbose}]}", "a letter twice"},
        {"-W", "{carried=[{name=wait}]}", "of sbatch: without a value"},
        {"--get-user-env", "{carried=[{name=get-user-env}]}", "without a value"},
        {"--wrap=date", "{carried=[{name=wrap, value=date}]}", "a value"},
    });
}
