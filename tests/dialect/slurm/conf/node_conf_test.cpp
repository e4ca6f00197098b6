// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/base/fmt.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;
using Names = std::vector<std::string>;

namespace {

/// The NodeName lines of a text.
StatusOr<std::vector<slurm::NodeLine>> node_lines(std::string_view text) {
    TRESTLE_TRY(slurm::SlurmConf conf, slurm::parse_slurm_conf(text));
    return std::move(conf.nodes);
}
StatusOr<slurm::NodeLine> node_line(std::string_view text) {
    TRESTLE_TRY(const auto lines, node_lines(text));
    return lines.front();
}

}  // namespace

TEST_CASE("Slurm node line: every key", "[dialect][slurm]") {
    const auto line = node_line(
        "NodeName=n[01-02] CPUs=64 Boards=1 SocketsPerBoard=2 CoresPerSocket=16 ThreadsPerCore=2 "
        "RealMemory=512000 TmpDisk=1000 Weight=7 Feature=a100,nvlink Gres=gpu:a100:4,nic:2 "
        "State=DRAIN");
    REQUIRE(line.ok());
    CHECK(line->names.names() == Names{"n01", "n02"});
    CHECK(line->sockets == 2);
    CHECK(line->cores_per_socket == 16);
    CHECK(line->threads_per_core == 2);
    CHECK(line->memory == mib(512000));
    CHECK(line->tmp_disk == mib(1000));
    CHECK(line->weight == 7);
    CHECK(line->features == Names{"a100", "nvlink"});
    CHECK(line->gres == std::vector<slurm::NodeGres>{{{"gpu", "a100", Count(4)}, true},
                                                     {{"nic", "", Count(2)}, true}});
    CHECK(line->state == NodeState::drained);
    CHECK(line->place == slurm::ConfPlace{"slurm.conf", 1});
}

TEST_CASE("Slurm node line: sockets, cores and threads", "[dialect][slurm]") {
    struct Row {
        const char* keys;
        const char* expected;  ///< sockets x cores x threads
        const char* why;
    };
    const Row rows[] = {
        {"", "1x1x1", "the defaults"},
        {"CPUs=8", "8x1x1", "CPUs alone are sockets, as Slurm infers"},
        {"CPUs=8 CoresPerSocket=4", "2x4x1", "sockets inferred"},
        {"CPUs=16 CoresPerSocket=4 ThreadsPerCore=2", "2x4x2", "with threads"},
        {"Sockets=2 CoresPerSocket=4 ThreadsPerCore=2", "2x4x2", "CPUs inferred"},
        {"CPUs=8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2", "2x4x1", "CPUs are cores"},
        {"CPUs=16 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2", "2x4x2", "CPUs are threads"},
        {"Boards=2 SocketsPerBoard=2 CoresPerSocket=4", "4x4x1", "boards multiply"},
        {"sockets=2 CORESPERSOCKET=3", "2x3x1", "keys in any case"},
    };
    for (const Row& row : rows) {
        INFO(row.keys << ": " << row.why);
        const auto line = node_line(std::string("NodeName=n ") + row.keys);
        INFO(message(line.status()));
        REQUIRE(line.ok());
        CHECK(fmt::format("{}x{}x{}", line->sockets, line->cores_per_socket,
                          line->threads_per_core) == row.expected);
    }
}

TEST_CASE("Slurm node lines: comments, continued lines, quotes, defaults", "[dialect][slurm]") {
    const auto lines = node_lines(
        "# a comment\r\n"
        "\n"
        "NodeName=DEFAULT CoresPerSocket=4 RealMemory=1000  # for all that follow\n"
        "NodeName=a Sockets=2 \\\n"
        "    Feature=\"x,y\"\r\n"
        "nodename=b RealMemory=2000 State=down");
    INFO(message(lines.status()));
    REQUIRE(lines.ok());
    REQUIRE(lines->size() == 2);
    CHECK(lines->at(0).place.line == 4);
    CHECK(lines->at(0).cores_per_socket == 4);
    CHECK(lines->at(0).sockets == 2);
    CHECK(lines->at(0).memory == mib(1000));
    CHECK(lines->at(0).features == Names{"x", "y"});
    CHECK(lines->at(1).place.line == 6);
    CHECK(lines->at(1).sockets == 1);
    CHECK(lines->at(1).memory == mib(2000));
    CHECK(lines->at(1).state == NodeState::down);
    CHECK(node_lines("").value().empty());
}

TEST_CASE("Slurm node lines: a mistake is named with line, offset and the nearest key",
          "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"NodeName=n CoresPerSockt=4",
         "slurm.conf line 1: unknown key at offset 11 (\"CoresPerSockt\"): expected a known key; "
         "the nearest is CoresPerSocket",
         "a letter left out"},
        {"\nNodeName=n Memory=4", "line 2: unknown key at offset 11 (\"Memory\")", "line 2"},
        {"NodeName=n \\\n CPU=4", "line 2: unknown key at offset 1 (\"CPU\")", "continued line"},
        {"CPUs=4", "line 1: unknown key at offset 0 (\"CPUs\")", "no name"},
        {"NodeName=n CPUs", "malformed entry at offset 11 (\"CPUs\"): expected Key=Value", "no ="},
        {"NodeName=n =4", "malformed entry at offset 11", "no key"},
        {"NodeName=n CPUs=4 cpus=4", "key given twice at offset 18", "twice"},
        {"NodeName=n CPUs=four",
         "malformed number at offset 16 (\"four\"): expected a whole number", "no number"},
        {"NodeName=n CPUs=0", "nothing of it at offset 16 (\"0\")", "zero"},
        {"NodeName=n CPUs=-1", "malformed number at offset 16 (\"-1\")", "negative"},
        {"NodeName=n CPUs=", "malformed number at offset 16 (end of text)", "empty"},
        {"NodeName=n RealMemory=1G", "malformed number at offset 22 (\"1G\")", "MiB without unit"},
        {"NodeName=n RealMemory=99999999999999", "malformed number at offset 22", "overflow"},
        {"NodeName=n RealMemory=99999999999999999999", "malformed number", "beyond 64 bits"},
        {"NodeName=n CPUs=7 Sockets=2 CoresPerSocket=4",
         "CPUs that do not add up at offset 11 (\"CPUs=7\"): expected 8 (sockets x cores x "
         "threads)",
         "seven of eight"},
        {"NodeName=n CPUs=7 CoresPerSocket=4", "CPUs that do not add up", "does not divide"},
        {"NodeName=n Sockets=1000 CoresPerSocket=1000", "too many CPUs", "a million"},
        {"NodeName=n Sockets=2 SocketsPerBoard=2", "SocketsPerBoard goes before it", "both"},
        {"NodeName=n Gres=gpu::2", "malformed GRES type at offset 20", "offset in the line"},
        {"NodeName=n State=SLEEPING", "unknown state at offset 17", "no such state"},
        {"NodeName=n Feature=a,,b", "empty item at offset 21", "nothing between commas"},
        {"NodeName=n[1-", "malformed bracket at offset 13", "bracket without end"},
        {"NodeName=n Feature=\"a", "quote without end at offset 19", "quote without end"},
        {"NodeName=a,b\nNodeName=b", "line 2: node named twice at offset 9 (\"b\")", "two lines"},
        {"NodeName=a,b\nNodeName=c,d[1-2],b CPUs=2",
         "line 2: node named twice at offset 18 (\"b\")", "behind others"},
        {"NodeName=n[1-2],n1", "line 1: node named twice at offset 16 (\"n1\")", "one line"},
        {"NodeName=n[1-2,2]", "line 1: node named twice at offset 9 (\"n2\")", "one bracket"},
        {"NodeName=r[1-2]n[1-2]\nNodeName=x,r[2-3]n[2-3]-y,r2n2",
         "line 2: node named twice at offset 26 (\"r2n2\")", "two brackets"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto lines = slurm::parse_slurm_conf(row.text, {}, slurm::MendedMistakes::errors);
        REQUIRE_FALSE(lines.ok());
        CHECK(lines.status().code() == StatusCode::kInvalidArgument);
        const std::string line(message(lines.status()));
        CHECK_THAT(line, ContainsSubstring(row.expected));
        CHECK(line.find('\n') == std::string::npos);
    }
}

TEST_CASE("Slurm node lines: a bad line leaves the others", "[dialect][slurm]") {
    const auto reading = slurm::read_slurm_conf(
        "NodeName=a CPU=4 Wieght=3\n"
        "NodeName=b CPUs=4\n"
        "oops\n"
        "NodeName=c CPUs=x\n");
    REQUIRE(reading.conf.nodes.size() == 1);
    CHECK(reading.conf.nodes[0].names.names() == Names{"b"});
    std::vector<std::string> errors;
    for (const slurm::ConfError& error : reading.errors) errors.push_back(to_text(error));
    REQUIRE(errors.size() == 4);
    CHECK_THAT(errors[0],
               Catch::Matchers::StartsWith("slurm.conf line 1: unknown key at offset 11"));
    CHECK_THAT(errors[1], ContainsSubstring("the nearest is Weight"));
    CHECK_THAT(errors[2],
               Catch::Matchers::StartsWith("slurm.conf line 3: malformed entry at offset 0"));
    CHECK_THAT(errors[3],
               Catch::Matchers::StartsWith("slurm.conf line 4: malformed number at offset 16"));
    const auto first = node_lines("NodeName=a CPU=4 Wieght=3\n");
    CHECK_THAT(std::string(message(first.status())), Catch::Matchers::EndsWith("(and 1 more)"));
}

TEST_CASE("Slurm node lines: system cores are those of a line that has so many",
          "[dialect][slurm]") {
    slurm::NodeLine line;
    line.sockets = 0;
    line.system_core_count = 1;
    const auto broken = [&] { return broken_contract([&] { (void)system_cores_of(line); }); };
    CHECK(broken() == "the line has the cores that it keeps for the system");
    line.sockets = 2;
    line.cores_per_socket = 2;
    line.system_core_count = 5;
    CHECK(broken() == "the line has the cores that it keeps for the system");
    line.system_core_count = 4;
    CHECK(system_cores_of(line) == CoreSet::range({0, 4}));
    line.system_cpus = PuSet::range({0, 2});
    line.threads_per_core = 0;
    CHECK(broken() == "a core has a thread");
}
