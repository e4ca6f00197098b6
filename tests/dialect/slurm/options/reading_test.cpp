// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/reading.hpp"

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/base/fmt.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;
using slurm::OptionSource;
using slurm::SubmissionReading;
using slurm::Tool;
using Words = std::vector<std::string>;
using Variables = std::vector<EnvironmentVariable>;

namespace {

const slurm::JobOptions& only(const SubmissionReading& reading) {
    INFO((reading.errors.empty() ? "" : to_text(reading.errors.front())));
    REQUIRE(reading.errors.empty());
    REQUIRE(reading.submission.components.size() == 1);
    return reading.submission.components.front().options;
}

std::vector<std::string> texts_of(const std::vector<slurm::OptionError>& errors) {
    std::vector<std::string> texts;
    for (const slurm::OptionError& error : errors) texts.push_back(to_text(error));
    return texts;
}

}  // namespace

TEST_CASE("Slurm reading: the forms of an argument", "[dialect][slurm]") {
    struct Row {
        Words words;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {{"--ntasks=2"}, "{ntasks=2}", "a sign"},
        {{"--ntasks", "2"}, "{ntasks=2}", "the next word"},
        {{"-n2"}, "{ntasks=2}", "behind the letter"},
        {{"-n", "2"}, "{ntasks=2}", "the next word"},
        {{"-n", "2", "-n", "3"}, "{ntasks=3}", "the last one wins"},
        {{"--ntasks=2", "-n3"}, "{ntasks=3}", "whatever its form"},
        {{"--cpus-per-t=2"}, "{cpus_per_task=2}", "the beginning of a name"},
        {{"--contig"}, "{contiguous=true}", "the beginning of a flag"},
        {{"--mem", "1G"}, "{mem=1GiB}", "a whole name is no beginning of others"},
        {{"--nice", "5"}, "{passthrough=[{name=nice}]}", "an optional value needs a sign"},
        {{"--exclusive", "user"}, "{exclusive=whole_node}", "so here"},
        {{"--comment=a b"}, "{passthrough=[{name=comment, value=a b}]}", "blanks in a value"},
        {{"--comment="},
         "{passthrough=[{name=comment, value=}]}",
         "a passthrough one may be empty"},
        {{"-sO"}, "{oversubscribe=true, overcommit=true}", "letters together"},
        {{"-sn4"}, "{ntasks=4, oversubscribe=true}", "the last one with a value"},
        {{"-koff"}, "{passthrough=[{name=no-kill, value=off}]}", "an optional one takes the rest"},
        {{"-x", "n1", "-w", "n2"}, "{nodelist=n2, exclude=n1}", "lists"},
    };
    for (const Row& row : rows) {
        INFO(row.expected << ": " << row.why);
        CHECK(to_text(only(slurm::read_arguments(row.words))) == row.expected);
    }
}

TEST_CASE("Slurm reading: what a tool's options are", "[dialect][slurm]") {
    struct Row {
        Tool tool;
        Words words;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {Tool::sbatch, {"-W"}, "{passthrough=[{name=wait}]}", "sbatch waits"},
        {Tool::srun, {"-W", "5"}, "{passthrough=[{name=wait, value=5}]}", "srun waits so long"},
        {Tool::srun, {"--wait=5"}, "{passthrough=[{name=wait, value=5}]}", "by name too"},
        {Tool::srun, {"-K"}, "{passthrough=[{name=kill-on-bad-exit}]}", "one letter"},
        {Tool::salloc,
         {"-KTERM"},
         "{passthrough=[{name=kill-command, value=TERM}]}",
         "two options"},
        {Tool::sbatch, {"--cpu-bind=cores"}, "{cpu_bind={rule=cores}}", "others' options too"},
        {Tool::srun, {"-a1-3"}, "{array={ranges=[{first=1, last=3}]}}", "by letter too"},
        {Tool::srun, {"--exa"}, "{exact=true}", "a beginning fits srun's"},
        {Tool::sbatch, {"--requ"}, "{requeue=yes}", "a beginning fits sbatch's"},
    };
    for (const Row& row : rows) {
        INFO(row.expected << ": " << row.why);
        CHECK(to_text(only(slurm::read_arguments(row.words, row.tool))) == row.expected);
    }
    const auto errors = [](const Words& words, Tool tool) {
        return slurm::read_arguments(words, tool).errors.at(0).error.what;
    };
    CHECK(errors({"--exa"}, Tool::sbatch) == "unknown option");
    CHECK(errors({"--clus=a"}, Tool::sbatch) == "the beginning of several options");
    CHECK(errors({"--gpu=1"}, Tool::sbatch) == "the beginning of several options");
    CHECK(errors({"--=1"}, Tool::sbatch) == "unknown option");
}

TEST_CASE("Slurm reading: all errors in one pass, each with its place", "[dialect][slurm]") {
    const auto reading = slurm::read_arguments(
        Words{"-n", "0", "--gres=gpu:a:b", "--ntaks=3", "-N", "2", "--gpu", "-c"});
    CHECK(reading.submission.components.front().options.nodes);
    REQUIRE(reading.errors.size() == 5);
    CHECK(reading.errors[0] ==
          slurm::OptionError{
              OptionSource::arguments, 2, 1, "", "--ntasks", {0, "0", "zero", "1 or more"}});
    CHECK(to_text(reading.errors[1]) ==
          "argument 3: --gres: malformed count at offset 6 (\"b\"): expected a count, as in 2 or "
          "4k");
    CHECK(to_text(reading.errors[2]) ==
          "argument 4: unknown option at offset 0 (\"--ntaks\"): expected a known option, or "
          "one that KnownOptions or --plugin-option declares; the nearest is --ntasks");
    CHECK_THAT(to_text(reading.errors[3]), ContainsSubstring("argument 7: the beginning of"));
    CHECK_THAT(to_text(reading.errors[4]), ContainsSubstring("argument 8: --cpus-per-task: miss"));
    const auto status = slurm::submission_or_first_error(reading).status();
    CHECK(status.code() == StatusCode::kInvalidArgument);
    CHECK_THAT(std::string(message(status)),
               ContainsSubstring("argument 2: --ntasks: zero at offset 0"));
    CHECK_THAT(std::string(message(status)), Catch::Matchers::EndsWith("(and 4 more)"));
    CHECK(slurm::read_arguments(Words(1000, "--no-such")).errors.size() == 1000);
}

TEST_CASE("Slurm reading: words of a text", "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"", "{}", "nothing"},
        {" \t\n", "{}", "blanks"},
        {"-n 4 -c\t8", "{ntasks=4, cpus_per_task=8}", "blanks between"},
        {"-C \"[a|b]\"", "{constraint={one_of=[a, b]}}", "double quotes"},
        {"-C 'a&b'", "{constraint={features=a&b}}", "single quotes"},
        {"--comment=\"a b\"", "{passthrough=[{name=comment, value=a b}]}", "quotes in a word"},
        {"--comment=a\\ b", "{passthrough=[{name=comment, value=a b}]}",
         "a backslash keeps a blank"},
        {"--comment='a\\'", "{passthrough=[{name=comment, value=a\\}]}", "not in single quotes"},
        {"--comment=\"a\\\"b\"", "{passthrough=[{name=comment, value=a\"b}]}",
         "but in double ones"},
        {"--comment=a#b", "{passthrough=[{name=comment, value=a#b}]}", "no comments in a text"},
        {"--comment=x\\", "{passthrough=[{name=comment, value=x\\}]}", "nothing behind it"},
        {"--comment ''", "{passthrough=[{name=comment, value=}]}", "an empty word"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        CHECK(to_text(only(slurm::read_option_text(row.text))) == row.expected);
    }
    const auto open = slurm::read_option_text("-n 4 -C \"a&b");
    CHECK(texts_of(open.errors) ==
          Words{"word 4: a quote without end at offset 8 (\"\"a&b\"): expected a second quote",
                "word 3: --constraint: missing value at offset 0 (end of text): expected a value "
                "after the option"});
}

TEST_CASE("Slurm reading: components and commands", "[dialect][slurm]") {
    using slurm::read_arguments;
    const auto het = read_arguments(Words{"-n1", ":", "-n2", ":", "-n3", "run.sh", ":", "x"});
    REQUIRE(het.errors.empty());
    REQUIRE(het.submission.components.size() == 3);
    CHECK(het.submission.components[2].options.ntasks == Count(3));
    CHECK(het.submission.components[0].command == Words{"run.sh", ":", "x"});
    CHECK(het.submission.components[2].command.empty());
    const auto steps =
        read_arguments(Words{"-n1", "a", "-n", "9", ":", "-n2", "--", "b"}, Tool::srun);
    REQUIRE(steps.submission.components.size() == 2);
    CHECK(steps.submission.components[0].command == Words{"a", "-n", "9"});
    CHECK(steps.submission.components[1].options.ntasks == Count(2));
    CHECK(steps.submission.components[1].command == Words{"b"});
    CHECK(read_arguments(Words{"--", ":"}).submission.components[0].command == Words{":"});
    CHECK(read_arguments(Words{"-n1", ":"}).submission.components.size() == 2);
    const auto many = read_arguments(Words(1000, ":"));
    CHECK(many.submission.components.size() == 128);
    CHECK(many.errors.at(0).error.what == "too many components");
}

TEST_CASE("Slurm reading: a batch script", "[dialect][slurm]") {
    const char* script =
        "#!/bin/bash\n"
        "#SBATCH --job-name=train  # a name\n"
        "\n"
        "# a comment\n"
        "#SBATCH -N 4 --ntasks=32          # 32 GPUs total (8 per node)\r\n"
        "  \t\n"
        "#SBATCH --signal=B:USR1@300#five minutes\n"
        "#SBATCH --comment=\"a # b\"\n"
        "#SBATCH --output=a\\#b\n"
        "##SBATCH -c 2\n"
        "#SBATCHES -c 3\n"
        " #SBATCH -c 4\n"
        "#PBS -l nodes=7\n"
        "#SBATCH\n"
        "#SBATCH--gres=gpu:8\n"
        "srun a.out\n"
        "#SBATCH --mem=1G\n";
    const auto reading = slurm::read_script(script);
    CHECK(to_text(only(reading)) ==
          "{nodes={range=4}, ntasks=32, gres=[gpu:8], signal={number=10, before=300, "
          "to_batch_shell=true}, passthrough=[{name=job-name, value=train, line=2}, {name=comment, "
          "value=a # b, line=8}, {name=output, value=a#b, line=9}]}");
    CHECK_FALSE(slurm::parse_script(script).ok());  // a DOS line break
    CHECK(to_text(only(slurm::read_script(""))) == "{}");
    CHECK(to_text(only(slurm::read_script("#SBATCH -n 2"))) == "{ntasks=2}");
}

TEST_CASE("Slurm reading: an error has the column of its token", "[dialect][slurm]") {
    struct Row {
        std::string text;
        std::vector<std::uint32_t> columns;
        std::string why;
    };
    const std::vector<Row> rows{
        {"--gres=gpu:: --mem=zz -n x", {13, 20, 26}, "three options in one line"},
        {"--gres gpu:: --mem zz -nx", {13, 20, 25}, "values of their own words, and none between"},
        {"-n 1 --mem", {11}, "a value that is missing would stand at the end"},
        {"--gres=\"gpu\":b:c", {16}, "quotes are counted"},
        {"--gres='gpu:'b\\:c", {17}, "backslashes too"},
        {"--gres=\"gpu:a b:c\"", {17}, "quotes around blanks"},
        {"--comment='a b' --bad -n 2 -%", {17, 29}, "unknown names, long and short"},
        {"-Oz", {3}, "a letter among others"},
        {"--overcommit=1", {14}, "a value that is not wanted"},
        {"-n 2 --comment='x", {16}, "a quote without end"},
    };
    const auto columns_of = [](const slurm::SubmissionReading& reading) {
        std::vector<std::uint32_t> columns;
        for (const slurm::OptionError& error : reading.errors) columns.push_back(error.column);
        return columns;
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        CHECK(columns_of(slurm::read_option_text(row.text)) == row.columns);
        std::vector<std::uint32_t> in_line = row.columns;
        for (std::uint32_t& column : in_line) column += 8;
        CHECK(columns_of(slurm::read_script("#!/bin/sh\n#SBATCH " + row.text)) == in_line);
    }
    // Arguments are texts of their own.
    CHECK(columns_of(slurm::read_arguments(Words{"-N", "2", "--gres=gpu::", "-n", "x"})) ==
          std::vector<std::uint32_t>{13, 1});
    const std::vector<EnvironmentVariable> variables{{"SBATCH_GRES", "gpu:a:b"}};
    CHECK(columns_of(slurm::read_environment(variables)) == std::vector<std::uint32_t>{7});
}

TEST_CASE("Slurm reading: errors and components of a script", "[dialect][slurm]") {
    const auto bad = slurm::read_script(
        "#SBATCH --gres=gpu:\n#SBATCH -n 4 five\n#SBATCH --comment='x\n#SBATCH --mem\n#SBATCH -c "
        "2");
    CHECK(bad.submission.components.front().options.ntasks == Count(4));
    CHECK(bad.submission.components.front().options.cpus_per_task == Count(2));
    REQUIRE(bad.errors.size() == 4);
    CHECK_THAT(to_text(bad.errors[0]),
               ContainsSubstring("line 1, column 20: --gres: neither count nor type at offset 4"));
    CHECK_THAT(to_text(bad.errors[1]), ContainsSubstring("line 2, column 14: unexpected word"));
    CHECK_THAT(to_text(bad.errors[2]), ContainsSubstring("line 3, column 19: a quote without end"));
    CHECK_THAT(to_text(bad.errors[3]),
               ContainsSubstring("line 4, column 14: --mem: missing value"));
    CHECK_FALSE(slurm::parse_script("#SBATCH five").ok());

    const auto het = slurm::read_script(
        "#SBATCH -n 1\n#SBATCH hetjob\n#SBATCH -n 2\n#SBATCH packjob\n#SBATCH -n 3\n");
    REQUIRE(het.submission.components.size() == 3);
    CHECK(het.submission.components[1].options.ntasks == Count(2));
    CHECK(het.submission.components[2].options.ntasks == Count(3));
    std::string many;
    for (int i = 0; i < 1000; ++i) many += "#SBATCH hetjob\n";
    CHECK(slurm::read_script(many).submission.components.size() == 128);
}

TEST_CASE("Slurm reading: variables of the environment", "[dialect][slurm]") {
    struct Row {
        const char* name;
        const char* value;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"SBATCH_GRES", "gpu:2", "{gres=[gpu:2]}", "the name of the option"},
        {"SBATCH_MEM_PER_NODE", "1G", "{mem=1GiB}", "a name of its own"},
        {"SBATCH_TIMELIMIT", "10", "{time={limit=600}}", "likewise"},
        {"SBATCH_ARRAY_INX", "1-3", "{array={ranges=[{first=1, last=3}]}}", "likewise"},
        {"SBATCH_REQ_SWITCH", "2", "{switches={count=2}}", "likewise"},
        {"SBATCH_OVERCOMMIT", "yes", "{overcommit=true}", "a flag is there or not"},
        {"SBATCH_EXCLUSIVE", "user", "{exclusive=user}", "a value that may stand"},
        {"SBATCH_NO_REQUEUE", "1", "{requeue=no}", "a flag"},
        {"SBATCH_ACCOUNT", "a", "{passthrough=[{name=account, value=a}]}", "carried"},
        {"SLURM_HINT", "nomultithread", "{hint=nomultithread}", "without SBATCH"},
        {"SBATCH_GRES", "", "{}", "an empty one is none"},
        {"SBATCH_UNHEARD_OF", "1", "{}", "not an option"},
        {"SLURM_NTASKS", "4", "{}", "srun's, inside a job"},
    };
    for (const Row& row : rows) {
        INFO(row.name << ": " << row.why);
        const Variables environment{{row.name, row.value}};
        CHECK(to_text(only(slurm::read_environment(environment))) == row.expected);
    }
    const auto bad = slurm::read_environment(Variables{{"SBATCH_GRES", "gpu:"}, {"HOME", "/"}});
    CHECK(texts_of(bad.errors) ==
          Words{"SBATCH_GRES: --gres: neither count nor type at offset 4 (end of text): expected "
                "name[:type][:count], as in gpu:2 or gpu:a100:2"});
}

TEST_CASE("Slurm reading: arguments before variables before the script", "[dialect][slurm]") {
    struct Row {
        Words arguments;
        Variables environment;
        const char* script;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {{"-c1"},
         {{"SBATCH_CPUS_PER_GPU", "2"}},
         "-c 3",
         "{cpus_per_task=1}",
         "and what it excludes"},
        {{"-t1"}, {{"SBATCH_TIMELIMIT", "2"}}, "-t 3", "{time={limit=60}}", "the argument"},
        {{}, {{"SBATCH_TIMELIMIT", "2"}}, "-t 3", "{time={limit=120}}", "the variable"},
        {{}, {}, "-t 3", "{time={limit=180}}", "the line"},
        {{"-n1"},
         {{"SBATCH_TIMELIMIT", "2"}},
         "-c 3",
         "{ntasks=1, cpus_per_task=3, time={limit=120}}",
         "all together"},
        {{"--mem-per-cpu=1G"},
         {{"SBATCH_MEM_PER_NODE", "2G"}},
         "",
         "{mem_per_cpu=1GiB}",
         "a variable gives way to what excludes it"},
        {{},
         {{"SBATCH_MEM_PER_NODE", "2G"}},
         "--mem-per-cpu=1G",
         "{mem_per_cpu=1GiB}",
         "also to a line"},
        {{"--mem-per-cpu=1G"},
         {},
         "--mem=1G",
         "{mem=1GiB, mem_per_cpu=1GiB}",
         "a line does not: resolve() refuses"},
        {{},
         {{"SLURM_HINT", "nomultithread"}},
         "--threads-per-core=2",
         "{threads_per_core=2}",
         "a hint too"},
        {{"--gpus-per-node=1"},
         {{"SBATCH_GRES", "gpu:2,nic:1"}},
         "",
         "{gres=[nic:1], gpus_per_node=[gpu:1]}",
         "only the GPUs of a list"},
        {{"-Aa"},
         {},
         "-A b",
         "{passthrough=[{name=account, value=b, line=1}, {name=account, value=a}]}",
         "passthrough ones stay, the strongest last"},
    };
    for (const Row& row : rows) {
        INFO(row.expected << ": " << row.why);
        const std::string script = std::string("#SBATCH ") + row.script;
        const auto reading = slurm::read_submission({row.arguments, row.environment, script});
        CHECK(to_text(only(reading)) == row.expected);
    }
}

TEST_CASE("Slurm reading: components of arguments and script are laid over each other",
          "[dialect][slurm]") {
    const Words arguments{"-n1", ":", "-n2", "run.sh"};
    const Variables environment{{"SBATCH_PARTITION", "gpu"}};
    const char* script = "#SBATCH -c1\n#SBATCH hetjob\n#SBATCH -c2\n#SBATCH hetjob\n#SBATCH -c3\n";
    const auto submission = slurm::parse_submission({arguments, environment, script});
    REQUIRE(submission.ok());
    REQUIRE(submission->components.size() == 3);
    CHECK(to_text(submission->components[0].options) ==
          "{ntasks=1, cpus_per_task=1, partitions=[gpu]}");
    CHECK(to_text(submission->components[1].options) ==
          "{ntasks=2, cpus_per_task=2, partitions=[gpu]}");
    CHECK(to_text(submission->components[2].options) ==
          "{ntasks=2, cpus_per_task=3, partitions=[gpu]}");
    CHECK(submission->components[0].command == Words{"run.sh"});
    const auto bad =
        slurm::read_submission({Words{"-n0"}, Variables{{"SBATCH_GRES", "x:"}}, "#SBATCH -c0"});
    REQUIRE(bad.errors.size() == 3);
    CHECK(bad.errors[0].source == OptionSource::arguments);
    CHECK(bad.errors[1].source == OptionSource::environment);
    CHECK(bad.errors[2].source == OptionSource::script);
    CHECK_FALSE(slurm::parse_submission({Words{"-n0"}, {}, ""}).ok());
}

TEST_CASE("Slurm reading: a component has what the one before says of the whole job",
          "[dialect][slurm]") {
    struct Row {
        const char* first;
        const char* second;
        const char* expected;  // of the second
        const char* why;
    };
    const Row rows[] = {
        {"-t 5 --time-min=3", "-n 2", "{ntasks=2, time={limit=300}, time_min={limit=180}}",
         "limits of time"},
        {"-t 5", "-t 6", "{time={limit=360}}", "its own goes before"},
        {"-A a -q high -J x", "-A b",
         "{passthrough=[{name=qos, value=high, line=1}, {name=job-name, value=x, line=1}, "
         "{name=account, value=b, line=3}]}",
         "names of the job"},
        {"--signal=TERM@60 --no-requeue", "", "{signal={number=15}, requeue=no}", "how it ends"},
        {"--begin=now -d singleton", "",
         "{begin={text=now, after_now=0}, dependency={list=[{kind=singleton}]}}", "when it begins"},
        {"-a 1-3 --export=NONE", "", "{array={ranges=[{first=1, last=3}]}, exported={base=none}}",
         "how often, and in which environment"},
        {"--mem=1G", "", "{mem=1GiB}", "memory of a node"},
        {"--hint=nomultithread -x n7", "", "{hint=nomultithread, exclude=n7}", "of nodes"},
        {"-N 2 -n 4 -c 2 --ntasks-per-node=2 -p gpu -C a -w n[1-2]", "", "{}", "not its nodes"},
        {"--gres=gpu:1 -L lic --mem-per-cpu=1G --tmp=1G --exclusive --contiguous", "", "{}",
         "nor what it is given of them"},
        {"--mail-type=END --comment=x", "", "{passthrough=[{name=comment, value=x, line=1}]}",
         "one mail is enough"},
    };
    for (const Row& row : rows) {
        INFO(row.first << " | " << row.second << ": " << row.why);
        const std::string script = std::string("#SBATCH ") + row.first + "\n#SBATCH hetjob\n" +
                                   "#SBATCH " + row.second + "\n#SBATCH hetjob\n";
        const auto reading = slurm::read_script(script);
        CHECK(reading.errors.empty());
        REQUIRE(reading.submission.components.size() == 3);
        CHECK(to_text(reading.submission.components[1].options) == row.expected);
    }
    const auto third = slurm::parse_script(
        "#SBATCH -t 5\n#SBATCH hetjob\n#SBATCH -n 2\n#SBATCH packjob\n#SBATCH -n 3\n");
    CHECK(to_text(third->components[2].options) == "{ntasks=3, time={limit=300}}");
    const auto srun = slurm::parse_option_text("-t 5 --hint=nomultithread -n 1 : -n 2", Tool::srun);
    CHECK(to_text(srun->components[1].options) == "{ntasks=2, time={limit=300}}");
    const auto mixed = slurm::parse_submission(
        {Words{"-t", "5"}, {}, "#SBATCH -t 9\n#SBATCH hetjob\n#SBATCH -n 2\n"});
    CHECK(to_text(mixed->components[1].options) == "{ntasks=2, time={limit=300}}");
}

TEST_CASE("Slurm reading: ids of an array's tasks", "[dialect][slurm]") {
    const auto ids = [](const char* text) {
        const auto submission = slurm::parse_option_text(std::string("-a ") + text);
        return slurm::task_ids(*submission->components.front().options.array);
    };
    CHECK(ids("0-15:4") == std::vector<std::uint32_t>{0, 4, 8, 12});
    CHECK(ids("7,5-7%2") == std::vector<std::uint32_t>{5, 6, 7});
    CHECK(ids("1-100").size() == 100);
    CHECK(ids("0-4000000").size() == 4'000'001);
    CHECK(slurm::task_ids({{{1, 5, 0}}, {}}).empty());
    const slurm::JobArray endless{{{0, 4'294'967'295, 1}}, {}};
    CHECK(broken_contract([&] { (void)slurm::task_ids(endless); }) ==
          "task ids are at most 4,000,000");
}

TEST_CASE("Slurm reading: every field stands in its list", "[dialect][slurm]") {
    STATIC_REQUIRE(lists_all_fields<slurm::JobOptions>);
    STATIC_REQUIRE(lists_all_fields<slurm::NodeCounts>);
    STATIC_REQUIRE(lists_all_fields<slurm::TaskOrder>);
    STATIC_REQUIRE(lists_all_fields<slurm::CpuBind>);
    STATIC_REQUIRE(lists_all_fields<slurm::MemBind>);
    STATIC_REQUIRE(lists_all_fields<slurm::TresBind>);
    STATIC_REQUIRE(lists_all_fields<slurm::TaskTres>);
    STATIC_REQUIRE(lists_all_fields<slurm::Frequency>);
    STATIC_REQUIRE(lists_all_fields<slurm::GpuFrequency>);
    STATIC_REQUIRE(lists_all_fields<slurm::GresFlags>);
    STATIC_REQUIRE(lists_all_fields<slurm::NodeConstraint>);
    STATIC_REQUIRE(lists_all_fields<slurm::LicenseList>);
    STATIC_REQUIRE(lists_all_fields<slurm::Switches>);
    STATIC_REQUIRE(lists_all_fields<slurm::TimeLimit>);
    STATIC_REQUIRE(lists_all_fields<slurm::JobSignal>);
    STATIC_REQUIRE(lists_all_fields<slurm::ArrayRange>);
    STATIC_REQUIRE(lists_all_fields<slurm::JobArray>);
    STATIC_REQUIRE(lists_all_fields<slurm::DependencyJob>);
    STATIC_REQUIRE(lists_all_fields<slurm::Dependency>);
    STATIC_REQUIRE(lists_all_fields<slurm::Dependencies>);
    STATIC_REQUIRE(lists_all_fields<slurm::BeginTime>);
    STATIC_REQUIRE(lists_all_fields<slurm::ExportedVariables>);
    STATIC_REQUIRE(lists_all_fields<slurm::PassthroughOption>);
    STATIC_REQUIRE(lists_all_fields<slurm::OptionError>);
    STATIC_REQUIRE(lists_all_fields<slurm::JobComponent>);
    STATIC_REQUIRE(lists_all_fields<slurm::Submission>);
    STATIC_REQUIRE(lists_all_fields<slurm::SubmissionReading>);
}
