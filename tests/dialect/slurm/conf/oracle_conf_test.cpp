// SPDX-License-Identifier: Apache-2.0
// The configurations of recorded decisions: every one reads without an error, and gives the nodes
// that slurmctld made of it.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/paths.hpp"
#include "trestle/dialect/json/value.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

namespace trestle {
namespace {

const json::Value* find(const json::Value& object, std::string_view name) {
    for (const json::Member& member : std::get<json::Object>(object.data)) {
        if (member.name == name) return &member.value;
    }
    return nullptr;
}
std::string text_of(const json::Value& object, std::string_view name) {
    const json::Value* value = find(object, name);
    return value == nullptr || value->is_null() ? "" : std::get<std::string>(value->data);
}
std::int64_t number_of(const json::Value& object, std::string_view name) {
    return static_cast<std::int64_t>(std::get<std::uint64_t>(find(object, name)->data));
}
const json::List& list_of(const json::Value& object, std::string_view name) {
    return std::get<json::List>(find(object, name)->data);
}

json::Value load(const std::filesystem::path& path) {
    std::ifstream file(path);
    auto value = json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
    INFO(path << ": " << value.status().ToString());
    REQUIRE(value.ok());
    return *std::move(value);
}

/// The Gres of a node as recorded: `(null)` is none, counts may have suffixes.
std::vector<slurm::GresDetail> recorded_gres(const std::string& text) {
    if (text == "(null)") return {};
    auto list = slurm::parse_gres_details(text);
    INFO(text);
    REQUIRE(list.ok());
    return *std::move(list);
}

/// The hardware threads of the cores kept for the system.
std::string system_threads(const NodeShape& shape) {
    return to_text(shape.hardware.threads_of(shape.system_cores));
}

void check_node(const Node& node, const json::Value& recorded) {
    const NodeShape& shape = *node.shape;
    const auto sockets = static_cast<std::int64_t>(shape.hardware.groups.size());
    const auto cores = static_cast<std::int64_t>(shape.hardware.core_count());
    const auto threads = static_cast<std::int64_t>(shape.hardware.cores.front().threads.size());
    CHECK(node.name == text_of(recorded, "node"));
    CHECK(sockets == number_of(recorded, "sockets"));
    CHECK(cores == sockets * number_of(recorded, "cores_per_socket"));
    CHECK(threads == number_of(recorded, "threads_per_core"));
    CHECK(shape.cpu_count() == Count(number_of(recorded, "cpu_tot")));
    CHECK(shape.total_memory() == mib(number_of(recorded, "real_mem")));
    CHECK(std::to_string(node.weight) == text_of(recorded, "weight"));
    CHECK(slurm::configured_gres(shape) == recorded_gres(text_of(recorded, "gres")));
    const std::int64_t left = cores - shape.system_cores.count();
    CHECK(left * threads == number_of(recorded, "cpu_efctv"));
    const std::string count = text_of(recorded, "core_spec_count");
    CHECK(std::to_string(shape.system_cores.count()) == (count.empty() ? "0" : count));
    CHECK(system_threads(shape) == text_of(recorded, "cpu_spec_list"));
    const std::string reserved = text_of(recorded, "mem_spec_limit");
    const Bytes given = shape.ordinary_memory();
    CHECK(shape.total_memory() - given == mib(reserved.empty() ? 0 : std::stoll(reserved)));
}

}  // namespace

TEST_CASE("Slurm configuration: what slurmctld made of it", "[dialect][slurm][golden]") {
    const std::filesystem::path folder = data_dir() / "slurm-oracle";
    INFO(folder);
    REQUIRE(std::filesystem::is_directory(folder));
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".json") continue;
        ++files;
        const json::Value document = load(entry.path());
        const json::Value& cluster = *find(document, "cluster");
        INFO(entry.path());
        const std::string slurm_conf = text_of(cluster, "slurm_conf");
        const std::string gres_conf = text_of(cluster, "gres_conf");
        const std::string topology_conf = text_of(cluster, "topology_conf");
        const auto built = slurm::parse_cluster(
            {.slurm_conf = slurm_conf, .gres_conf = gres_conf, .topology_conf = topology_conf});
        INFO(message(built.status()));
        REQUIRE(built.ok());
        const json::List& nodes = list_of(cluster, "nodes");
        REQUIRE(built->cluster.node_count() == nodes.size());
        for (const slurm::ConfWarning& warning : built->warnings) FAIL_CHECK(to_text(warning));
        for (const json::Value& recorded : nodes) {
            const auto id = built->cluster.find_node(text_of(recorded, "node"));
            REQUIRE(id);
            INFO(built->cluster.name(*id));
            check_node(built->cluster.node(*id), recorded);
        }
        const bool has_switches = topology_conf.find("SwitchName") != topology_conf.npos;
        CHECK(built->cluster.network().trees.empty() != has_switches);
        CHECK(built->cluster.partitions().front().name == "p");
        CHECK(built->cluster.partitions().front().is_default);
    }
    CHECK(files >= 40);
}

}  // namespace trestle
