// SPDX-License-Identifier: Apache-2.0
// The files of data_dir()/cases/other: each is read by its reader and compared with what its first
// lines say is right. A file that no row below knows fails.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/paths.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/offers_csv.hpp"
#include "trestle/dialect/dstack/run/requirements.hpp"
#include "trestle/model/slice_geometry.hpp"
#include "trestle/os/discover.hpp"

namespace trestle {
namespace {

namespace fs = std::filesystem;

fs::path case_path(const std::string& name) { return data_dir() / "cases" / "other" / name; }

std::string case_text(const std::string& name) {
    std::ifstream file(case_path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

dstack::Configuration case_file(const std::string& name) {
    const auto file = dstack::parse_configuration(case_text(name));
    INFO(message(file.status()));
    REQUIRE(file.ok());
    return *file;
}

Node case_machine(const std::string& name) {
    os::DiscoverOptions options;
    options.xml_file = case_path(name).string();
    const auto node = os::discover(options);
    INFO(message(node.status()));
    REQUIRE(node.ok());
    return *node;
}

std::vector<Device> gpus_of_case(const std::string& name) {
    std::vector<Device> gpus;
    const Node node = case_machine(name);
    for (const Device& device : node.shape->devices) {
        if (device.name == "gpu") gpus.push_back(device);
    }
    return gpus;
}

/// Lines that are no comment, cut at tabs.
std::vector<std::vector<std::string>> case_table(const std::string& name) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream text(case_text(name));
    for (std::string line; std::getline(text, line);) {
        if (line.empty() || line.front() == '#') continue;
        std::istringstream cells(line);
        rows.emplace_back();
        for (std::string cell; std::getline(cells, cell, '\t');) rows.back().push_back(cell);
    }
    return rows;
}

/// True when the instances of these profiles can lie side by side, whatever else there is.
bool can_lie(const SliceGeometry& geometry, std::vector<std::string> profiles,
             std::vector<SliceInstance> instances) {
    if (profiles.empty()) {
        std::sort(instances.begin(), instances.end());
        return check({geometry, instances, false}).ok();
    }
    const SliceProfile* const profile = geometry.find(profiles.back());
    if (profile == nullptr) return false;
    profiles.pop_back();
    return std::any_of(profile->starts.begin(), profile->starts.end(), [&](std::uint32_t start) {
        const SliceInstance one{start, profile->memory_slices, profile->name};
        const bool is_free =
            std::none_of(instances.begin(), instances.end(), [&](const SliceInstance& other) {
                return one.start < other.end() && other.start < one.end();
            });
        if (!is_free) return false;
        auto more = instances;
        more.push_back(one);
        return can_lie(geometry, profiles, std::move(more));
    });
}

/// `1g.23gb=2,3g.90gb=1` as a list of profiles, the largest last.
std::vector<std::string> profiles_in(const std::string& layout) {
    std::vector<std::string> profiles;
    std::istringstream parts(layout);
    for (std::string part; std::getline(parts, part, ',');) {
        const std::size_t equals = part.find('=');
        for (int i = 0; i < std::stoi(part.substr(equals + 1)); ++i) {
            profiles.push_back(part.substr(0, equals));
        }
    }
    return profiles;
}

void check_docker() {
    const auto run = *case_file("dstack_docker_true_arch.yml").run;
    CHECK(resources_of(run).cpu.architecture == Architecture::x86);
    CHECK(resources_of(run).gpu->vendor.empty());
}

void check_key() {
    const auto run = *case_file("dstack_key_dstack.yml").run;
    const dstack::PassthroughKey wanted{"dstack", 4, "true"};
    CHECK(std::count(run.passthrough.begin(), run.passthrough.end(), wanted) == 1);
}

void check_volumes_of_instance() {
    const auto run = *case_file("dstack_optional_instance_volume.yml").run;
    CHECK_FALSE(options_of(run).value().has_instance_volumes);
}

void check_profiles() {
    const auto file = case_file("dstack_profiles.yml");
    REQUIRE(file.profiles.size() == 1);
    const dstack::NamedProfile& one = file.profiles.front();
    CHECK(one.name == "my-profile");
    CHECK(one.is_default);
    CHECK(one.profile.backends == std::vector<std::string>{"aws"});
    CHECK(one.profile.spot_policy == dstack::SpotPolicy::on_demand);
    CHECK(one.profile.max_price == Microdollars(1'500'000));
    CHECK(one.profile.max_duration == dstack::DurationLimit{false, Seconds(86'400)});
}

void check_replica_groups() {
    const auto run = *case_file("dstack_service_replica_groups.yml").run;
    REQUIRE(run.groups.size() == 1);
    CHECK(to_text(*run.groups[0].resources.gpu) == "H100:8");
    CHECK(to_text(*run_of(run, run.groups[0]).resources.gpu) == "H100:8");
}

void check_task_groups() {
    const auto run = *case_file("dstack_task_groups.yml").run;
    REQUIRE(run.groups.size() == 2);
    CHECK(run.groups[0].name == "head");
    CHECK(to_text(*run.groups[0].resources.gpu) == "H100:8");
    CHECK(to_text(*run.groups[1].resources.gpu) == "A100:8");
    CHECK(run.nodes == Count(3));
}

void check_documents() {
    const auto reading = dstack::read_configuration(case_text("dstack_two_documents.yml"));
    REQUIRE(reading.errors.size() == 1);
    CHECK(to_text(reading.errors[0]).find("2 documents") != std::string::npos);
}

void check_volume() {
    const auto file = case_file("dstack_volume.yml");
    REQUIRE(file.volume);
    CHECK(file.volume->name == "my-volume");
    CHECK(file.volume->backend == "aws");
    CHECK(file.volume->region == "eu-central-1");
    CHECK(file.volume->size == gib(100));
}

void check_catalog() {
    const auto reading =
        dstack::read_offers_csv(case_text("gpuhunt_v2_aws.csv"), known_devices(), {"aws"});
    CHECK(reading.errors.empty());
    REQUIRE(reading.offers.size() == 8);
    const Offer& first = reading.offers[0];
    CHECK(first.backend == "aws");
    CHECK(first.instance == "p4de.24xlarge");
    CHECK(first.region == "us-east-1");
    CHECK(first.price == Microdollars(40'965'750));
    CHECK(first.cpus == Count(96));
    CHECK(first.memory == gib(1152));
    CHECK_FALSE(first.is_spot);
    CHECK_FALSE(first.disk);
    CHECK(first.devices[0].count == Count(8));
    CHECK(reading.offers[1].is_spot);
    CHECK(reading.offers[2].devices[0].vendor == "google");
    CHECK(reading.offers[3].devices.empty());
    CHECK(reading.offers[3].price == Microdollars(8'377));
    CHECK(reading.offers[5].disk == gib(12'288));
    CHECK(reading.offers[6].memory == mib(23'040));
    CHECK(reading.offers[7].architecture == Architecture::arm);
}

void check_types() {
    std::set<std::string> types;
    for (const auto& row : case_table("device_types.tsv")) {
        INFO(row[0]);
        CHECK(os::device_type(row[0]) == row[1]);
        CHECK(types.insert(row[1]).second);
    }
}

void check_mig() {
    const std::map<std::string, Bytes> memory{
        {"NVIDIA B200", mib(183'359)},
        {"NVIDIA GB200", mib(189'471)},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", mib(97'887)},
        {"NVIDIA A800-SXM4-80GB", mib(81'920)}};
    for (const auto& row : case_table("mig_profiles_b200.tsv")) {
        Device device;
        device.vendor = "nvidia";
        device.model = row[0];
        device.memory = memory.at(row[0]);
        const SliceGeometry* const geometry = slice_geometry_for(device);
        INFO(row[0]);
        REQUIRE(geometry != nullptr);
        for (std::size_t i = 1; i < row.size(); ++i) {
            if (row[i].front() == '(') continue;
            INFO(row[i]);
            CHECK(can_lie(*geometry, profiles_in(row[i]), {}));
        }
    }
}

const std::map<std::string, std::function<void()>> checks{
    {"device_types.tsv", &check_types},
    {"dstack_docker_true_arch.yml", &check_docker},
    {"dstack_key_dstack.yml", &check_key},
    {"dstack_optional_instance_volume.yml", &check_volumes_of_instance},
    {"dstack_profiles.yml", &check_profiles},
    {"dstack_service_replica_groups.yml", &check_replica_groups},
    {"dstack_task_groups.yml", &check_task_groups},
    {"dstack_two_documents.yml", &check_documents},
    {"dstack_volume.yml", &check_volume},
    {"gpuhunt_v2_aws.csv", &check_catalog},
    {"gpuhunt_v2_aws.README", [] {}},  // of the file above
    {"hwloc_amd_uuid.xml",
     [] { CHECK(gpus_of_case("hwloc_amd_uuid.xml").at(0).uuid == "GPU-4a7c19da329a2b8c"); }},
    {"hwloc_es1000.xml",
     [] {
         const auto gpus = gpus_of_case("hwloc_es1000.xml");
         REQUIRE(gpus.size() == 1);
         CHECK(gpus[0].type == "rtx3070");
     }},
    {"hwloc_gpu_memory_numa_v1.xml",
     [] {
         const Node node = case_machine("hwloc_gpu_memory_numa_v1.xml");
         REQUIRE(node.shape->memory.size() == 3);
         CHECK(node.shape->memory[2].kind == MemoryKind::device);
         CHECK(node.shape->ordinary_memory() == Bytes(137'132'310'528 + 137'166'979'072));
     }},
    {"hwloc_mi300a_cpx.xml",
     [] {
         const auto gpus = gpus_of_case("hwloc_mi300a_cpx.xml");
         CHECK(gpus.size() == 6);
         for (const Device& gpu : gpus) CHECK(gpu.type == "mi300a");
     }},
    {"mig_profiles_b200.tsv", &check_mig},
    {"swf_19_fields.swf", [] {}},  // tests/python/test_traces.py
};

TEST_CASE("other people's files: each case is read value for value", "[machines][dstack]") {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(data_dir() / "cases" / "other")) {
        names.insert(entry.path().filename().string());
    }
    for (const auto& [name, check_one] : checks) {
        INFO(name);
        CHECK(names.erase(name) == 1);
        check_one();
    }
    CHECK(names.empty());
}

}  // namespace
}  // namespace trestle
