// SPDX-License-Identifier: Apache-2.0
// The files of data_dir()/cases/other: each says in its first lines what is right,
// `RIGHT: verb = value | why`; the verb names the reader, and what that gives is compared with the
// value. A file without such a line, or with another verb, fails.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
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
             std::vector<Slicing::Instance> instances) {
    if (profiles.empty()) {
        std::sort(instances.begin(), instances.end());
        return check({geometry, instances, false}).ok();
    }
    const SliceGeometry::Profile* const profile = geometry.find(profiles.back());
    if (profile == nullptr) return false;
    profiles.pop_back();
    return std::any_of(profile->starts.begin(), profile->starts.end(), [&](std::uint32_t start) {
        const Slicing::Instance one{start, profile->memory_slices, profile->name};
        const bool is_free =
            std::none_of(instances.begin(), instances.end(), [&](const Slicing::Instance& other) {
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

/// The values between blanks.
std::string joined(const std::vector<std::string>& words, std::string_view between = " ") {
    return fmt::format("{}", fmt::join(words, between));
}

std::string architecture_of_case(const std::string& name) {
    const auto resources = resources_of(*case_file(name).run);
    const auto architecture = resources.cpu.architecture;
    return fmt::format(
        "{}, gpu vendor {}", architecture ? to_text(*architecture) : "none",
        resources.gpu && !resources.gpu->vendor.empty() ? resources.gpu->vendor : "none");
}

std::string passed_keys_of_case(const std::string& name) {
    std::vector<std::string> keys;
    const auto file = case_file(name);
    for (const auto& one : file.run->passthrough) {
        keys.push_back(one.name + ": " + one.text);
    }
    return joined(keys, ", ");
}

std::string_view spot_word(dstack::SpotPolicy policy) {
    return policy == dstack::SpotPolicy::on_demand ? "on-demand" : to_text(policy);
}

std::string profiles_of_case(const std::string& name) {
    std::vector<std::string> all;
    const auto file = case_file(name);
    for (const dstack::NamedProfile& one : file.profiles) {
        const dstack::Profile& profile = one.profile;
        all.push_back(fmt::format(
            "{}{} {} {} ${} {}s", one.name, one.is_default ? " default" : "",
            fmt::join(profile.backends, ","),
            profile.spot_policy ? spot_word(*profile.spot_policy) : "silent",
            static_cast<double>(profile.max_price.value_or(Microdollars()).value()) / 1e6,
            profile.max_duration.value_or(dstack::DurationLimit()).seconds.value()));
    }
    return joined(all, "; ");
}

std::string group_gpus_of_case(const std::string& name) {
    const auto run = *case_file(name).run;
    std::vector<std::string> groups;
    for (const dstack::RunGroup& group : run.groups) {
        const std::string gpu = to_text(*group.resources.gpu);
        CHECK(to_text(*run_of(run, group).resources.gpu) == gpu);
        groups.push_back(group.name.empty() ? gpu : group.name + " " + gpu);
    }
    if (run.nodes != Count(1)) groups.push_back(fmt::format("{} nodes", run.nodes.value()));
    return joined(groups, ", ");
}

std::string errors_of_case(const std::string& name) {
    const auto reading = dstack::read_configuration(case_text(name));
    std::string text = fmt::format("{}", reading.errors.size());
    for (const dstack::SpecError& one : reading.errors) text += ", " + one.error.what;
    return text;
}

std::string volume_of_case(const std::string& name) {
    const auto file = case_file(name);
    REQUIRE(file.volume);
    return fmt::format("{} {} {} {}GB", file.volume->name, file.volume->backend,
                       file.volume->region, file.volume->size.value_or(Bytes()).value() >> 30);
}

std::string offers_of_case(const std::string&) {
    const auto reading =
        dstack::read_offers_csv(case_text("gpuhunt_v2_aws.csv"), known_devices(), {"aws"});
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
    return fmt::format("{} offers, {} errors", reading.offers.size(), reading.errors.size());
}

std::string types_of_case(const std::string& name) {
    std::set<std::string> types;
    for (const auto& row : case_table(name)) {
        INFO(row[0]);
        CHECK(os::device_type(row[0]) == row[1]);
        CHECK(types.insert(row[1]).second);
    }
    return fmt::format("{} types as listed, no two alike", types.size());
}

std::string layouts_of_case(const std::string& name) {
    const std::map<std::string, Bytes> memory{
        {"NVIDIA B200", mib(183'359)},
        {"NVIDIA GB200", mib(189'471)},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", mib(97'887)},
        {"NVIDIA A800-SXM4-80GB", mib(81'920)}};
    std::string bad;
    for (const auto& row : case_table(name)) {
        Device device;
        device.vendor = "nvidia";
        device.model = row[0];
        device.memory = memory.at(row[0]);
        const SliceGeometry* const geometry = slice_geometry_for(device);
        INFO(row[0]);
        REQUIRE(geometry != nullptr);
        for (std::size_t i = 1; i < row.size(); ++i) {
            if (row[i].front() == '(' || can_lie(*geometry, profiles_in(row[i]), {})) continue;
            bad += row[0] + " " + row[i] + ";";
        }
    }
    return bad.empty() ? "all can be arranged" : bad;
}

std::string gpu_uuids_of_case(const std::string& name) {
    std::vector<std::string> uuids;
    for (const Device& gpu : gpus_of_case(name)) uuids.push_back(gpu.uuid);
    return joined(uuids);
}

std::string gpu_types_of_case(const std::string& name) {
    std::vector<std::string> types;
    for (const Device& gpu : gpus_of_case(name)) types.push_back(gpu.type);
    return joined(types);
}

std::string memory_of_case(const std::string& name) {
    const Node node = case_machine(name);
    const auto& domains = node.shape->memory;
    const auto of_devices = std::count_if(
        domains.begin(), domains.end(),
        [](const MemoryDomain& one) { return one.kind == MemoryDomain::Kind::device; });
    return fmt::format("{} bytes of {} domains, {} of devices",
                       node.shape->ordinary_memory().value(), domains.size(), of_devices);
}

const std::map<std::string, std::string (*)(const std::string&), std::less<>> case_verbs{
    {"architecture", &architecture_of_case},
    {"passed through", &passed_keys_of_case},
    {"instance volumes",
     [](const std::string& name) -> std::string {
         return options_of(*case_file(name).run).value().has_instance_volumes ? "true" : "false";
     }},
    {"profiles", &profiles_of_case},
    {"group gpus", &group_gpus_of_case},
    {"errors", &errors_of_case},
    {"volume", &volume_of_case},
    {"offers of gpuhunt_v2_aws.csv", &offers_of_case},
    {"types", &types_of_case},
    {"layouts", &layouts_of_case},
    {"gpu uuids", &gpu_uuids_of_case},
    {"gpu types", &gpu_types_of_case},
    {"memory", &memory_of_case},
};

TEST_CASE("other people's files: each case is read value for value", "[machines][dstack]") {
    constexpr std::string_view mark = "RIGHT: ";
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(data_dir() / "cases" / "other")) {
        const std::string name = entry.path().filename().string();
        INFO(name);
        ++files;
        if (name == "gpuhunt_v2_aws.csv") continue;  // its .README says what is right
        const std::string text = case_text(name);
        const std::size_t at = text.find(mark);
        REQUIRE(at != text.npos);
        const std::string line =
            text.substr(at + mark.size(), text.find('\n', at) - at - mark.size());
        const std::size_t equals = line.find(" = ");
        const std::size_t bar = line.find(" |");
        REQUIRE(equals != line.npos);
        REQUIRE(bar != line.npos);
        const std::string verb = line.substr(0, equals);
        if (verb == "jobs of load_swf") continue;  // tests/python/test_traces.py
        INFO(verb);
        const auto found = case_verbs.find(verb);
        REQUIRE(found != case_verbs.end());
        CHECK(found->second(name) == line.substr(equals + 3, bar - equals - 3));
    }
    CHECK(files == 17);
}

}  // namespace
}  // namespace trestle
