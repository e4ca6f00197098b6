// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/node_file.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle {
namespace {

slurm::JobOptions options_of_text(const std::string& text) {
    const auto job = slurm::parse_option_text(text);
    REQUIRE(job.ok());
    return job->components.front().options;
}

}  // namespace

TEST_CASE("Slurm node file: names in their order", "[dialect][slurm]") {
    struct Row {
        std::string text;
        std::string expected;  ///< names joined by blanks, or part of an error
        std::string why;
    };
    const std::vector<Row> rows{
        {"b\na\nb\n", "b a b", "as often as they stand there"},
        {"# all\nn[1-2] x,y\t# some\r\n\n", "n1 n2 x y", "gaps of all kinds"},
        {"n[1,3]*2 a*1", "n1 n3 n1 n3 a", "a list several times"},
        {"", "f: no names", "nothing"},
        {"# a", "f: no names", "a comment alone"},
        {"a\nb[", "f line 2: ", "a bracket without end"},
        {"a*0", "f line 1: malformed repetition at offset 1", "no times"},
        {"a*x", "f line 1: malformed repetition", "no number"},
        {"a*1000001", "f line 1: malformed repetition", "a number too large"},
        {"n[1-1000]*1001", "f line 1: too many names", "a product too large"},
        {"n[1-600000] m[1-600000]", "f line 1: too many names", "a sum too large"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto list = slurm::read_node_file("f", row.text);
        const std::string said = list.ok() ? fmt::format("{}", fmt::join(list->names(), " "))
                                           : std::string(message(list.status()));
        CHECK(said.find(row.expected) == 0);
    }
}

TEST_CASE("Slurm node file: in the place of a node list", "[dialect][slurm]") {
    const slurm::ConfFiles files = [](std::string_view name) -> std::optional<std::string> {
        if (name != "/f") return std::nullopt;
        return "b\na\nb\n";
    };
    const auto plain = slurm::with_node_file(options_of_text("-n 1"), files);
    CHECK(plain.value() == options_of_text("-n 1"));
    const auto set = slurm::with_node_file(options_of_text("-F /f -w c"), files);
    REQUIRE(set.ok());
    CHECK(to_text(*set->nodelist) == "a,b");
    CHECK(set->nodefile.empty());
    CHECK_FALSE(set->ntasks);
    CHECK(slurm::with_node_file(options_of_text("-w /f"), files)->nodelist->size() == 2);
    CHECK(slurm::with_node_file(options_of_text("-F /g"), files).status().code() ==
          StatusCode::kNotFound);
    CHECK(slurm::with_node_file(options_of_text("-F /f"), {}).status().code() ==
          StatusCode::kNotFound);

    using Names = std::vector<std::string>;
    const auto all = slurm::with_node_file(options_of_text("-F /f -m arbitrary"), files);
    REQUIRE(all.ok());
    CHECK(all->ntasks == Count(3));
    CHECK(slurm::tasks_in_list_order(*all).value() == Names{"b", "a", "b"});
    const auto two = slurm::with_node_file(options_of_text("-F /f -m arbitrary -n 2"), files);
    REQUIRE(two.ok());
    CHECK(slurm::tasks_in_list_order(*two).value() == Names{"b", "a"});
    CHECK(slurm::tasks_in_list_order(options_of_text("-w b,a,b -m arbitrary")).value() ==
          Names{"b", "a", "b"});
    slurm::JobOptions none = options_of_text("-F /f -m arbitrary");
    none.ntasks = Count();
    CHECK(slurm::with_node_file(none, files)->nodelist->is_empty());
    none.nodelist = options_of_text("-w b,a").nodelist;
    CHECK(slurm::tasks_in_list_order(none).value() == Names{});
    CHECK_FALSE(slurm::tasks_in_list_order(options_of_text("-w b,a -m arbitrary -n 3")).ok());
    CHECK_FALSE(slurm::tasks_in_list_order(options_of_text("-w b,a")).ok());
    CHECK_FALSE(slurm::tasks_in_list_order(options_of_text("-m arbitrary")).ok());
}

}  // namespace trestle
