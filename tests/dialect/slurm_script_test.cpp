// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/script.hpp"

#include "support/catch.hpp"

using trestle::slurm::strip_comment;

TEST_CASE("Slurm script: a comment ends the line's options", "[dialect][slurm]") {
    struct Row {
        const char* line;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"--gres=gpu:2", "--gres=gpu:2", "nothing to strip"},
        {"--gres=gpu:2  # two GPUs", "--gres=gpu:2", "blanks before the sign go too"},
        {"--gres=gpu:2# two GPUs", "--gres=gpu:2", "no blank needed"},
        {"# only a comment", "", "nothing left"},
        {"--comment=a\\#b # c", "--comment=a\\#b", "a backslash keeps the sign"},
        {"--comment=\"a # b\" # c", "--comment=\"a # b\"", "double quotes keep it"},
        {"--comment='a # b' # c", "--comment='a # b'", "single quotes keep it"},
        {"--comment='a\\' # c", "--comment='a\\'", "no escape inside single quotes"},
        {"--comment=\"a\\\" # b\" # c", "--comment=\"a\\\" # b\"", "but inside double ones"},
        {"--comment=\"open # b", "--comment=\"open # b", "a quote without end keeps all"},
        {"--gres=gpu:2 \t\r\n", "--gres=gpu:2", "trailing blanks alone"},
        {"x\\", "x\\", "a backslash at the end escapes nothing"},
        {"", "", "nothing"},
    };
    for (const Row& row : rows) {
        INFO(row.line << ": " << row.why);
        CHECK(strip_comment(row.line) == row.expected);
    }
}
