// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/choice/load.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include "machines/unpacked.hpp"
#include "support/catch.hpp"

namespace trestle {
namespace {

constexpr const char* conf_of_two_cards =
    "GresTypes=card\nNodeName=n CPUs=4 Gres=card:2\nPartitionName=p Nodes=n Default=YES\n";

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path) << text;
}

/// What a job of a card is given, or why there is no controller.
std::string answer(const std::filesystem::path& folder) {
    auto controller = slurm::load_controller(folder);
    if (!controller.ok()) return std::string(message(controller.status()));
    const auto decision = controller->submit("--gres=card:1 --mem=0");
    REQUIRE(decision.ok());
    REQUIRE(decision->answer == slurm::Answer::allocated);
    return slurm::gres_list_text(decision->grants.front().gres);
}

}  // namespace

TEST_CASE("Slurm load: a file that cannot be read is not one that is absent", "[dialect][slurm]") {
    const TemporaryFolder folder;
    const std::filesystem::path& path = folder.path();
    CHECK(slurm::load_controller(path).status().code() == StatusCode::kNotFound);
    CHECK(answer(path) == path.string() + ": no slurm.conf");
    write(path / "slurm.conf", conf_of_two_cards);
    CHECK(answer(path) == "card:1");  // a bare number

    std::filesystem::create_directory(path / "gres.conf");
    CHECK(answer(path) == (path / "gres.conf").string() + ": a folder, expected a file");
    std::filesystem::remove(path / "gres.conf");
    std::filesystem::create_symlink(path / "nowhere", path / "gres.conf");
    CHECK_THAT(answer(path), Catch::Matchers::Contains((path / "gres.conf").string() + ": "));
    std::filesystem::remove(path / "gres.conf");
    write(path / "gres.conf", "Name=card File=/dev/card[0-1]\n");
    CHECK(answer(path) == "card:1(IDX:0)");

    std::filesystem::create_directory(path / "topology.yaml");
    CHECK_THAT(answer(path), Catch::Matchers::Contains("topology.yaml: a folder"));
}

TEST_CASE("Slurm load: included files are those of the folder", "[dialect][slurm]") {
    const TemporaryFolder folder;
    const std::filesystem::path& path = folder.path();
    write(path / "slurm.conf", "Include nodes.conf\n");
    CHECK_THAT(answer(path), Catch::Matchers::Contains("nodes.conf"));
    std::filesystem::create_directory(path / "nodes.conf");
    CHECK(answer(path) == (path / "nodes.conf").string() + ": a folder, expected a file");
    std::filesystem::remove(path / "nodes.conf");
    write(path / "nodes.conf", conf_of_two_cards);
    CHECK(answer(path) == "card:1");
}

TEST_CASE("Slurm load: a file is read as it is", "[dialect][slurm]") {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "text";
    CHECK(slurm::read_file(file).value() == std::nullopt);
    const std::string text = std::string("a\0\r\n", 4) + std::string(100'000, 'x');
    std::ofstream(file, std::ios::binary) << text;
    CHECK(slurm::read_file(file).value() == text);
    std::filesystem::resize_file(file, (std::uintmax_t{64} << 20) + 1);
    CHECK_THAT(std::string(message(slurm::read_file(file).status())),
               Catch::Matchers::Contains("more than 67108864 bytes"));
}

}  // namespace trestle
