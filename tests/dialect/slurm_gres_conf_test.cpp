// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/gres_conf.hpp"

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;
using Names = std::vector<std::string>;

TEST_CASE("Slurm gres.conf: every key", "[dialect][slurm]") {
    const auto lines = slurm::parse_gres_conf(
        "AutoDetect=NVML\n"
        "NodeName=n[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-3] Count=4 Cores=0-7,16 "
        "Flags=countonly,nvidia_gpu_env\n"
        "name=gpu multiplefiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap[1-2] links=4,-1\n"
        "Name=bandwidth Count=4k CPUs=1\n"
        "Name=nic Files=/dev/mlx0 Link=-1 AutoDetect=off\n");
    INFO(message(lines.status()));
    REQUIRE(lines.ok());
    REQUIRE(lines->size() == 5);
    const slurm::GresLine& detect = lines->at(0);
    CHECK(detect.name.empty());
    CHECK(detect.autodetect == "nvml");

    const slurm::GresLine& gpus = lines->at(1);
    CHECK(gpus.line == 2);
    CHECK(gpus.nodes == Names{"n1", "n2"});
    CHECK(gpus.name == "gpu");
    CHECK(gpus.type == "a100");
    CHECK(gpus.files == Names{"/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia2", "/dev/nvidia3"});
    CHECK(gpus.count == Count(4));
    CHECK(to_text(*gpus.cores) == "0-7,16");
    CHECK(gpus.flags == Names{"CountOnly", "nvidia_gpu_env"});
    CHECK(slurm::has_flag(gpus, "CountOnly"));
    CHECK_FALSE(slurm::has_flag(gpus, "explicit"));

    const slurm::GresLine& mig = lines->at(2);
    CHECK(mig.is_one_device);
    CHECK(mig.files.size() == 3);
    CHECK(mig.count == Count(1));
    CHECK(mig.links == std::vector<std::int32_t>{4, -1});

    CHECK(lines->at(3).count == Count(4096));
    CHECK(to_text(*lines->at(3).cores) == "1");
    CHECK(lines->at(4).files == Names{"/dev/mlx0"});
}

TEST_CASE("Slurm gres.conf: a mistake is named with line, offset and what was expected",
          "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"Name=gpu Corez=0",
         "gres.conf line 1: unknown key at offset 9 (\"Corez\"): expected a "
         "known key; the nearest is Cores",
         "unknown key"},
        {"Type=a100", "line without Name at offset 0 (\"Type\"): expected Name= or AutoDetect=",
         "nothing named"},
        {"Name=", "empty value at offset 5", "an empty name"},
        {"Name=gpu File=/dev/nvidia[0-3] Count=2",
         "Count that is not the number of files at offset 0 (\"Count=2\"): expected 4", "2 of 4"},
        {"Name=gpu File=/dev/nvidia[a]", "malformed bracket at offset 26", "letters in brackets"},
        {"Name=gpu File=", "empty name at offset 14", "no file"},
        {"Name=gpu File=/a MultipleFiles=/b,/c", "MultipleFiles with File at offset 31", "both"},
        {"Name=gpu MultipleFiles=/b,/c File=/a", "File with MultipleFiles at offset 34", "both"},
        {"Name=gpu MultipleFiles=/b", "one file in MultipleFiles at offset 23", "only one"},
        {"Name=gpu Count=x", "malformed count at offset 15 (\"x\")", "no number"},
        {"Name=gpu Count=-1", "negative count at offset 15", "negative"},
        {"Name=gpu Cores=3-1", "at offset 15", "a run that goes down"},
        {"Name=gpu Cores=", "no cores at offset 15", "empty"},
        {"Name=gpu Cores=x", "at offset 15 (\"x\")", "letters"},
        {"Name=gpu Cores=0-99999999", "at offset 15", "more than any node has"},
        {"Name=gpu Links=0,1", "not exactly one -1 at offset 15", "no own place"},
        {"Name=gpu Links=-1,-1", "not exactly one -1 at offset 15", "two own places"},
        {"Name=gpu Links=-1,-2", "malformed link at offset 18 (\"-2\")", "below -1"},
        {"Name=gpu Links=-1,0-3", "malformed link at offset 18", "ranges are no links"},
        {"Name=gpu Links=-1,99999999", "malformed link at offset 18", "out of measure"},
        {"Name=gpu File=/dev/n[0-1] Links=-1,0", "Links for several devices", "of which one?"},
        {"Name=gpu Flags=CountOnyl",
         "unknown flag at offset 15 (\"CountOnyl\"): expected a known "
         "flag; the nearest is CountOnly",
         "a slip"},
        {"AutoDetect=magic", "unknown AutoDetect at offset 11 (\"magic\")", "no such library"},
        {"Name=gpu Name=nic", "key given twice at offset 9", "twice"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto lines = slurm::parse_gres_conf(row.text);
        REQUIRE_FALSE(lines.ok());
        CHECK(lines.status().code() == StatusCode::kInvalidArgument);
        const std::string line(message(lines.status()));
        CHECK_THAT(line, ContainsSubstring(row.expected));
        CHECK(line.find('\n') == std::string::npos);
    }
    const auto reading = slurm::read_gres_conf("Name=a\nbad\nName=b Count=x\nName=c\n");
    CHECK(reading.lines.size() == 2);
    CHECK(reading.errors.size() == 2);
}
