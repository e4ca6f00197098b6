// SPDX-License-Identifier: Apache-2.0
// What follows from a run that its resources do not say: architecture, vendor, abilities, names.
#include "trestle/dialect/dstack/run/requirements.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/run_plan_rows.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {
namespace {

using testing::fleet_of;
using testing::host;
using testing::plan_line;
using testing::run_of;

/// `privileged volumes`, `none`, or the error.
std::string options_text(const std::string& yaml) {
    const auto options = dstack::options_of(run_of(yaml));
    if (!options.ok()) return std::string(message(options.status()));
    std::string text;
    if (options->is_privileged) text += "privileged ";
    if (options->has_instance_volumes) text += "volumes ";
    return text.empty() ? "none" : text.substr(0, text.size() - 1);
}

}  // namespace

TEST_CASE("dstack run: architecture and vendor follow from the image", "[dialect][dstack]") {
    struct Row {
        const char* yaml;
        const char* cpu;
        const char* gpu;
        const char* why;
    };
    const Row rows[] = {
        {"", "x86:2..", "nvidia:0..", "dstack's own image is for x86 and NVIDIA"},
        {"image: ubuntu", "2..", "0..", "nobody knows what an image is for"},
        {"image:", "x86:2..", "nvidia:0..", "null is none"},
        {"docker: true", "x86:2..", "0..", "dstack's image for it is for x86 and any GPU"},
        {"docker: true\nresources: {gpu: H100}", "x86:2..", "nvidia:H100:1..", "by its name"},
        {"docker: true\nresources: {cpu: 'arm:4'}", "arm:4", "0..", "what is said stays"},
        {"docker: false", "x86:2..", "nvidia:0..", "switched off"},
        {"docker: maybe", "x86:2..", "nvidia:0..", "options_of refuses it"},
        {"resources: {cpu: 'arm:4'}", "arm:4", "nvidia:0..", "what is said stays"},
        {"resources: {gpu: amd}", "x86:2..", "amd:1..", "what is said stays"},
        {"resources: {gpu: MI300X}", "x86:2..", "amd:MI300X:1..", "the vendor of the name"},
        {"image: x\nresources: {gpu: MI300X}", "2..", "amd:MI300X:1..", "with an image, too"},
        {"resources: {gpu: 'A100,MI300X'}", "x86:2..", "A100,MI300X:1..", "names of two vendors"},
        {"resources: {gpu: Rocket9}", "x86:2..", "Rocket9:1..", "an unknown name"},
        {"resources: {gpu: 24GB..}", "x86:2..", "nvidia:24GB..:1..", "no name"},
        {"resources: {gpu: 0}", "x86:2..", "0", "none wanted"},
        {"resources: {gpu: null}", "x86:2..", "null", "not looked at"},
    };
    for (const Row& row : rows) {
        INFO(row.yaml << ": " << row.why);
        const dstack::Resources resources = dstack::resources_of(run_of(row.yaml));
        CHECK(to_text(resources.cpu) == row.cpu);
        CHECK((resources.gpu ? to_text(*resources.gpu) : "null") == row.gpu);
    }
    const std::vector<KnownDevice> known{{"acme", "Rocket9", gib(7), std::nullopt}};
    const auto mine = dstack::resources_of(run_of("resources: {gpu: rocket9}"), known);
    CHECK(mine.gpu->vendor == "acme");
}

TEST_CASE("dstack run: abilities that a run needs of a backend", "[dialect][dstack]") {
    struct Row {
        const char* yaml;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"", "none", "nothing is said"},
        {"privileged: true", "privileged", "said"},
        {"privileged: Yes", "privileged", "another word of YAML"},
        {"privileged: false", "none", "said not"},
        {"docker: true", "privileged", "docker in docker is privileged"},
        {"privileged: 7", "line 2: privileged: malformed switch: expected true or false",
         "a number"},
        {"docker: [true]", "line 2: docker: malformed switch: expected true or false", "a list"},
        {"volumes: ['data:/data']", "none", "a volume of the network"},
        {"volumes: ['/mnt/data:/data']", "volumes", "a folder of the instance"},
        {"volumes: ['data:/a', {instance_path: /b, path: /c}]", "volumes", "as a mapping"},
        {"volumes: [{name: data, path: /data}]", "none", "a mapping of the network"},
        {"volumes:", "none", "null is none"},
        {"name: x\nvolumes: data:/data",
         "line 3: volumes: no list: expected a list of name:/path, /path:/path or mappings",
         "no list"},
        {"volumes: [data]",
         "line 2: volumes: malformed volume: expected a list of name:/path, /path:/path or "
         "mappings",
         "where to?"},
        {"volumes: [[a]]",
         "line 2: volumes: malformed volume: expected a list of name:/path, /path:/path or "
         "mappings",
         "a list in a list"},
    };
    for (const Row& row : rows) {
        INFO(row.yaml << ": " << row.why);
        CHECK(options_text(row.yaml) == row.expected);
    }
    dstack::MatchOptions more;
    more.is_privileged = true;
    more.interconnects = {Offer::Interconnect::efa};
    const auto both = dstack::options_of(run_of("nodes: 2"), more);
    REQUIRE(both.ok());
    CHECK(both->nodes == Count(2));
    CHECK(both->is_privileged);
    CHECK(both->interconnects.size() == 1);
    dstack::RunConfiguration broken = run_of("privileged: true");
    broken.passthrough[0].text = "{";
    CHECK(dstack::options_of(broken).status().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("dstack run: instances by name", "[dialect][dstack]") {
    struct Row {
        const char* yaml;
        const char* expected;
        const char* why;
    };
    const std::vector fleets{fleet_of("name: f\nnodes: 0..")};
    const std::vector<Instance> instances{host("f-0", "8c mem=64G disk=1T", 1),
                                          host("f-1", "8c mem=64G disk=1T", 1)};
    const Row rows[] = {
        {"", "f: f-0[0/1]", "any"},
        {"instances: [f-1]", "f: f-1[0/1]", "the one that is named"},
        {"instances: [{name: f-1}]", "f: f-1[0/1]", "as a mapping"},
        {"instances: [f-7, f-8]",
         "no f: 2 instances: 2 candidates (the run asked instance f-7 or f-8); the run names "
         "instances that are there",
         "neither is there, and none is made"},
        {"instances:", "f: f-0[0/1]", "null is none"},
        {"instances: [{hostname: 10.0.0.1}]",
         "error: line 2: instances: no name of an instance: expected a list of names, or of {name}",
         "no instance here has one"},
        {"instances: f-1",
         "error: line 2: instances: no list of instances: expected a list of names, or of {name}",
         "no list"},
        {"instances: []",
         "error: line 2: instances: no list of instances: expected a list of names, or of {name}",
         "none at all"},
    };
    for (const Row& row : rows) {
        INFO(row.yaml << ": " << row.why);
        CHECK(plan_line(dstack::plan_run(fleets, instances, {}, run_of(row.yaml), OwnerId(1))) ==
              row.expected);
    }
}

TEST_CASE("dstack plan: what a run says of its image and abilities counts", "[dialect][dstack]") {
    struct Row {
        const char* offer;
        const char* run;
        const char* expected;
        const char* why;
    };
    const std::vector fleets{fleet_of("name: f\nnodes: 0..")};
    const Row rows[] = {
        {"arm", "", "features", "dstack's image is for x86"},
        {"arm", "image: x", "", "another may be for arm"},
        {"amd", "resources: {gpu: 1}", "device_attributes", "dstack's image is for NVIDIA"},
        {"amd", "image: x\nresources: {gpu: 1}", "", "another may be for AMD"},
        {"amd", "resources: {gpu: MI300X}", "", "who names AMD's GPUs gets them"},
        {"runpod", "privileged: true", "features", "no backend for privileged runs"},
        {"runpod", "volumes: ['/a:/b']", "features", "nor for folders of the instance"},
        {"runpod", "volumes: ['a:/b']", "", "volumes of the network are another matter"},
    };
    for (const Row& row : rows) {
        INFO(row.offer << ", " << row.run << ": " << row.why);
        const std::string kind = row.offer;
        Offer offer = testing::priced("o", 1, 8, 64, 1);
        if (kind == "arm") offer.architecture = Architecture::arm;
        if (kind == "amd") offer.devices = {{"gpu", "amd", "MI300X", gib(192), Count(1), {}}};
        if (kind == "runpod") offer.backend = "runpod";
        const auto plan =
            dstack::plan_run(fleets, {}, testing::catalog_of({offer}), run_of(row.run), OwnerId(1));
        REQUIRE(plan.ok());
        CHECK((plan->has_capacity() ? "" : to_text(plan->fleets[0].creation->constraint)) ==
              std::string(row.expected));
    }
}

}  // namespace trestle
