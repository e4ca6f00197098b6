// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/gres_conf.hpp"

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
        "NodeName=m Name=nic Files=/dev/mlx0 Link=-1 AutoDetect=off\n");
    INFO(message(lines.status()));
    REQUIRE(lines.ok());
    REQUIRE(lines->size() == 5);
    const slurm::GresLine& detect = lines->at(0);
    CHECK(detect.name.empty());
    CHECK(detect.autodetect == slurm::AutoDetect::nvml);

    const slurm::GresLine& gpus = lines->at(1);
    CHECK(gpus.place == slurm::ConfPlace{"gres.conf", 2});
    CHECK(gpus.nodes.names() == Names{"n1", "n2"});
    CHECK(gpus.name == "gpu");
    CHECK(gpus.type == "a100");
    CHECK(gpus.files.names() ==
          Names{"/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia2", "/dev/nvidia3"});
    CHECK(gpus.count == Count(4));
    CHECK(to_text(*gpus.cores) == "0-7,16");
    CHECK(gpus.flags == std::vector{slurm::GresFlag::count_only, slurm::GresFlag::nvidia_gpu_env});
    CHECK(slurm::has_flag(gpus, slurm::GresFlag::count_only));
    CHECK_FALSE(slurm::has_flag(gpus, slurm::GresFlag::explicit_only));

    const slurm::GresLine& mig = lines->at(2);
    CHECK(mig.is_one_device);
    CHECK(mig.files.size() == 3);
    CHECK(mig.count == Count(1));
    CHECK(mig.links == std::vector<std::int32_t>{4, -1});

    CHECK(lines->at(3).count == Count(4096));
    CHECK(to_text(*lines->at(3).cores) == "1");
    CHECK(lines->at(4).files.names() == Names{"/dev/mlx0"});
}

TEST_CASE("Slurm gres.conf: lines print in one order and are read back", "[dialect][slurm]") {
    struct Row {
        const char* written;
        const char* printed;
    };
    const Row rows[] = {
        {"AutoDetect=NVML", "AutoDetect=nvml"},
        {"nodename=n2,n1 AutoDetect=off", "NodeName=n[2,1] AutoDetect=off"},
        {"Links=0,-1,4 Cores=16,0-7 Files=/dev/nvidia1 Type=a100 Name=gpu",
         "Name=gpu Type=a100 File=/dev/nvidia1 Cores=0-7,16 Links=0,-1,4"},
        {"Name=gpu File=/dev/nvidia0,/dev/nvidia1 Count=2", "Name=gpu File=/dev/nvidia[0-1]"},
        {"Name=gpu MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap7",
         "Name=gpu MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap7"},
        {"Name=bandwidth Count=4k Flags=CountOnly,explicit",
         "Name=bandwidth Count=4096 Flags=CountOnly,explicit"},
        {"Name=shard Count=4 File=/dev/nvidia[0-1]", "Name=shard File=/dev/nvidia[0-1] Count=4"},
    };
    for (const Row& row : rows) {
        INFO(row.written);
        const auto lines = slurm::parse_gres_conf(row.written);
        REQUIRE(lines.ok());
        const std::string printed = to_text(lines->at(0));
        CHECK(printed == row.printed);
        CHECK(slurm::parse_gres_conf(printed).value() == *lines);
    }
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
         "Count that is not the number of files at offset 31 (\"Count=2\"): expected 4", "2 of 4"},
        {"Name=gpu File=/dev/nvidia[a]", "malformed bracket at offset 26", "letters in brackets"},
        {"Name=gpu File=", "empty name at offset 14", "no file"},
        {"Name=gpu File=/a MultipleFiles=/b,/c", "MultipleFiles with File at offset 31", "both"},
        {"Name=gpu MultipleFiles=/b,/c File=/a", "File with MultipleFiles at offset 34", "both"},
        {"Name=gpu MultipleFiles=/b", "one file in MultipleFiles at offset 23", "only one"},
        {"Name=gpu Count=x", "malformed count at offset 15 (\"x\")", "no number"},
        {"Name=gpu Count=-1", "negative count at offset 15", "negative"},
        {"Name=gpu Cores=3-1", "at offset 15", "a run that goes down"},
        {"Name=gpu Cores=", "empty item at offset 15", "empty"},
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
        {"Name=gpu AutoDetect=nvml", "AutoDetect of one name on all nodes at offset 9",
         "of one name, but of no node"},
        {"Name=gpu File=/dev/n[0-1] \\\n Link=-1,0",
         "line 2: Links for several devices at offset 1",
         "a continued line, and the other name of the key"},
        {"Name=gpu Flags=no_gpu_env,opencl_env", "no_gpu_env with another env flag",
         "none and one"},
        {"Name=shard Flags=one_sharing,all_sharing", "one_sharing with all_sharing", "both"},
        {"Name=gpu Flags=amd_gpu_env\nName=gpu Flags=nvidia_gpu_env",
         "line 2: env flags that differ from an earlier line's", "two vendors"},
        {"Name=gpu Flags=", "empty item at offset 15", "no flag"},
        {"Name=gpu File=/dev/nvidia[0-3] Count=4 Links=-1", "Links for several devices", "four"},
        {"Include x", "unknown file at offset 8", "nothing is included"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto lines = slurm::parse_gres_conf(row.text, {}, slurm::MendedMistakes::errors);
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

TEST_CASE("Slurm gres.conf: flags last until others stand", "[dialect][slurm]") {
    const auto lines = slurm::parse_gres_conf(
        "Name=gpu File=/a\n"
        "Name=gpu File=/b Flags=amd_gpu_env,explicit\n"
        "Name=GPU File=/c\n"
        "NodeName=n Name=gpu File=/d\n"
        "Name=nic File=/e\n"
        "Name=gpu File=/f Flags=env_uuid,amd_gpu_env\n"
        "Name=gpu File=/g Flags=CountOnly\n"
        "Name=gpu File=/h\n");
    REQUIRE(lines.ok());
    std::vector<std::string> flags;
    for (const slurm::GresLine& line : *lines) {
        std::string text;
        for (const slurm::GresFlag flag : line.flags) text += std::string(to_text(flag)) + " ";
        flags.push_back(text);
    }
    CHECK(flags == Names{"", "amd_gpu_env explicit ", "amd_gpu_env explicit ", "", "",
                         "amd_gpu_env env_uuid ", "CountOnly ", "CountOnly "});
}

TEST_CASE("Slurm gres.conf: what detects", "[dialect][slurm]") {
    const std::pair<const char*, slurm::AutoDetect> rows[] = {
        {"nvml", slurm::AutoDetect::nvml},      {"NVML", slurm::AutoDetect::nvml},
        {"rsmi", slurm::AutoDetect::rsmi},      {"oneapi", slurm::AutoDetect::oneapi},
        {"nrt", slurm::AutoDetect::nrt},        {"nvidia", slurm::AutoDetect::nvidia},
        {"off", slurm::AutoDetect::off},        {"full", slurm::AutoDetect::full},
        {"rsmi,nvml", slurm::AutoDetect::nvml}, {"nvidia,full", slurm::AutoDetect::full},
        {"gpu/nvml", slurm::AutoDetect::nvml},
    };
    for (const auto& [text, expected] : rows) {
        INFO(text);
        const auto lines = slurm::parse_gres_conf(std::string("AutoDetect=") + text);
        REQUIRE(lines.ok());
        CHECK(lines->front().autodetect == expected);
    }
    CHECK(slurm::parse_gres_conf("AutoDetect=offf", {}, slurm::MendedMistakes::warnings)
              .value()
              .empty());
}

TEST_CASE("Slurm gres.conf: a Count of parts is of each file", "[dialect][slurm]") {
    const auto lines = slurm::parse_gres_conf(
        "Name=mps Count=200 File=/dev/nvidia[0-1]\nName=shard File=/dev/nvidia[0-1]\n");
    REQUIRE(lines.ok());
    CHECK(lines->at(0).count == Count(200));
    CHECK(lines->at(1).count == Count(2));
}
