// SPDX-License-Identifier: Apache-2.0
// Volumes, gateways, profiles, the server's configuration, and files of several documents.
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/dstack_files.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/resources.hpp"
#include "trestle/dialect/dstack/run/requirements.hpp"
#include "trestle/dialect/dstack/run/volumes.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;
using testing::run_of;

namespace {

dstack::Configuration other_file(std::string_view yaml) {
    const auto file = dstack::parse_configuration(yaml);
    INFO(yaml << ": " << message(file.status()));
    REQUIRE(file.ok());
    return *file;
}

struct OtherRow {
    const char* yaml;
    const char* expected;
    const char* why;
};

}  // namespace

TEST_CASE("dstack files: a second document is an error", "[dialect][dstack]") {
    const OtherRow several[] = {
        {"type: task\n---\ntype: task\n", "line 3", "two runs"},
        {"type: task\n---\n", "2 documents", "an empty one is one"},
        {"type: task\n---\n# nothing\n", "2 documents", "a comment alone"},
        {"---\ntype: task\n---\ntype: fleet\n---\ntype: fleet\n", "3 documents", "three"},
        {"type: fleet\nname: a\n---\n[", "YAML", "a broken one"},
    };
    for (const OtherRow& row : several) {
        INFO(row.yaml << ": " << row.why);
        const auto reading = dstack::read_configuration(row.yaml);
        REQUIRE(reading.errors.size() == 1);
        CHECK_THAT(to_text(reading.errors[0]), ContainsSubstring(row.expected));
        CHECK_FALSE(reading.configuration.run);
    }
    for (const char* one : {"---\ntype: task\n", "type: task\n...\n",
                            "%YAML 1.1\n---\ntype: task\n", "# first\n---\ntype: task\n"}) {
        INFO(one);
        CHECK(dstack::parse_configuration(one).ok());
    }
    CHECK_FALSE(dstack::parse_resources("gpu: 1\n---\ngpu: 8\n").ok());
    CHECK_FALSE(dstack::parse_gpu("{count: 1}\n---\n{count: 8}").ok());
}

TEST_CASE("dstack files: volumes and gateways", "[dialect][dstack]") {
    const OtherRow rows[] = {
        {"type: volume\nbackend: aws\nregion: eu\nsize: 1TB\nname: v\n",
         "type: volume\nname: \"v\"\nbackend: \"aws\"\nregion: \"eu\"\nsize: 1024GB\n",
         "a new one"},
        {"type: volume\nbackend: gcp\nregion: eu\nvolume_id: id\navailability_zone: a\n",
         "type: volume\nbackend: \"gcp\"\nregion: \"eu\"\navailability_zone: \"a\"\n"
         "volume_id: \"id\"\n",
         "one that is there"},
        {"type: volume\nbackend: kubernetes\nclaim_name: c\nread_only: true\nsize: null\n",
         "type: volume\nbackend: \"kubernetes\"\nclaim_name: c\nread_only: true\n", "a claim"},
        {"type: volume\nbackend: aws\nregion: eu\nauto_cleanup_duration: -1\n",
         "type: volume\nbackend: \"aws\"\nregion: \"eu\"\nauto_cleanup_duration: off\n",
         "as for idle instances"},
        {"type: gateway\nname: g\nbackend: aws\nregion: eu\ndomain: example.com\npublic_ip: "
         "false\n",
         "type: gateway\nname: \"g\"\nbackend: \"aws\"\nregion: \"eu\"\ndomain: "
         "\"example.com\"\npublic_ip: false\n",
         "a gateway"},
    };
    for (const OtherRow& row : rows) {
        INFO(row.yaml << ": " << row.why);
        const auto file = other_file(row.yaml);
        CHECK(to_text(file) == row.expected);
        CHECK(to_text(other_file(row.expected)) == row.expected);
    }
    const OtherRow mistakes[] = {
        {"type: volume\nregion: eu", "volume without backend", "where?"},
        {"type: volume\nbackend: aws\nregio: eu", "unknown key", "a slip"},
        {"type: volume\nbackend: aws\nsize: 1..2GB", "unknown unit", "no range"},
        {"type: gateway\nbackend: aws", "gateway without region", "where?"},
        {"type: volum\nbackend: aws", "unknown type", "the nearest is a volume"},
    };
    for (const OtherRow& row : mistakes) {
        INFO(row.yaml << ": " << row.why);
        const auto reading = dstack::read_configuration(row.yaml);
        REQUIRE(reading.errors.size() == 1);
        CHECK_THAT(to_text(reading.errors[0]), ContainsSubstring(row.expected));
    }
}

TEST_CASE("dstack files: profiles.yml", "[dialect][dstack]") {
    const auto file = other_file(
        "profiles:\n- name: a\n  default: true\n  backends: [aws]\n  idle_duration: off\n"
        "  instances: [x]\n- name: b\n  spot_policy: auto\n");
    REQUIRE(file.profiles.size() == 2);
    CHECK(file.profiles[0].is_default);
    CHECK(file.profiles[0].profile.idle_duration->is_off);
    CHECK(file.profiles[0].passthrough.at(0).name == "instances");
    CHECK(file.profiles[1].profile.spot_policy == dstack::SpotPolicy::any);
    CHECK(to_text(other_file(to_text(file))) == to_text(file));
    CHECK(other_file("profiles: []\n").profiles.empty());
    const OtherRow mistakes[] = {
        {"profiles: [{name: a}, {name: a}]", "two profiles of one name", "which?"},
        {"profiles: [{name: a, default: true}, {name: b, default: true}]", "a second default",
         "which?"},
        {"profiles: [{name: a, nodes: 2}]", "unknown key", "of runs alone"},
        {"profiles: [a]", "no profile", "a name alone"},
        {"profiles: {name: a}", "no list", "one"},
        {"profiles: []\nmore: 1", "unknown key", "a slip"},
    };
    for (const OtherRow& row : mistakes) {
        INFO(row.yaml << ": " << row.why);
        const auto reading = dstack::read_configuration(row.yaml);
        REQUIRE(reading.errors.size() == 1);
        CHECK_THAT(to_text(reading.errors[0]), ContainsSubstring(row.expected));
    }
}

TEST_CASE("dstack files: the server's configuration, without its secrets", "[dialect][dstack]") {
    const auto file = other_file(
        "projects:\n- name: main\n  backends:\n  - type: aws\n    regions: [eu-west-1]\n"
        "    creds: {type: access_key, secret_key: hidden}\n    vpc_name: v\n"
        "encryption: {keys: [{type: aes, secret: hidden}]}\nplugins: [p]\n");
    REQUIRE(file.server);
    REQUIRE(file.server->projects.size() == 1);
    const dstack::ServerBackend& backend = file.server->projects[0].backends.at(0);
    CHECK(backend.type == "aws");
    CHECK(backend.regions == std::vector<std::string>{"eu-west-1"});
    CHECK(backend.passthrough.at(0).name == "vpc_name");
    const std::string text = to_text(file);
    CHECK(text.find("hidden") == std::string::npos);
    CHECK(to_text(other_file(text)) == text);
    const auto reading = dstack::read_configuration("projects: [{backends: [{regions: [a]}]}]");
    CHECK(reading.errors.size() == 2);
}

TEST_CASE("dstack files: no backend's secrets are kept", "[dialect][dstack]") {
    const OtherRow rows[] = {
        {"type: kubernetes, kubeconfig: {filename: f, data: hidden}", "", "a kubeconfig"},
        {"type: kubernetes, contexts: [{name: a, token: hidden}], namespace: n", "namespace",
         "what is no word"},
        {"type: slurm, clusters: [{name: a, hostname: hidden, private_key: {content: hidden}}]", "",
         "a private key"},
        {"type: nebius, creds: {private_key_content: hidden}, fabrics: [f]", "fabrics", "a key"},
        {"type: gcp, project_id: p, creds: {data: hidden}, tags: {a: b}", "project_id tags",
         "a service account"},
        {"type: aws, vpc_ids: {eu: a}, access_key: hidden", "vpc_ids", "a key at the wrong place"},
        {"vpc_name: v, type: aws", "vpc_name", "the type comes last"},
        {"type: oci, compartment_id: c, pass_phrase: hidden", "compartment_id", "a pass phrase"},
        {"type: lambda, api_key: hidden", "", "a backend that has nothing else"},
        {"type: new_one, token: hidden", "", "a backend of a later release"},
        {"type: gcp, vpc_ids: {a: hidden}", "", "another backend's key"},
        {"type: aws, regions: null, vpc_name: null", "", "nothing said"},
    };
    for (const OtherRow& row : rows) {
        const auto file =
            other_file(fmt::format("projects: [{{name: m, backends: [{{{}}}]}}]", row.yaml));
        INFO(row.yaml << ": " << row.why);
        std::string kept;
        for (const auto& key : file.server->projects.at(0).backends.at(0).passthrough) {
            kept += (kept.empty() ? "" : " ") + key.name;
        }
        CHECK(kept == row.expected);
        CHECK(to_text(file).find("hidden") == std::string::npos);
    }
    const OtherRow mistakes[] = {
        {"type: aws, type: gcp", "key given twice", "which?"},
        {"type: aws, regions: [a], regions: [b]", "key given twice", "which?"},
        {"type: aws, creds: {a: hidden}, creds: {b: hidden}", "key given twice", "which?"},
        {"type: aws, regions: {creds: hidden}", "no list", "slipped to the right"},
        {"type: aws, vpc_name: {secret_key: hidden}", "malformed value", "slipped to the right"},
        {"type: aws, tags: {creds: {secret_key: hidden}}", "malformed value", "the same"},
        {"type: aws, default_vpcs: [{a: hidden}]", "malformed value", "the same"},
        {"regions: [a]", "backend without type", "which?"},
    };
    for (const OtherRow& row : mistakes) {
        INFO(row.yaml << ": " << row.why);
        const auto reading = dstack::read_configuration(
            fmt::format("projects: [{{name: m, backends: [{{{}}}]}}]", row.yaml));
        REQUIRE(reading.errors.size() == 1);
        CHECK_THAT(to_text(reading.errors[0]), ContainsSubstring(row.expected));
        CHECK(to_text(reading.errors[0]).find("hidden") == std::string::npos);
    }
}

TEST_CASE("dstack files: a volume fixes where a run goes", "[dialect][dstack]") {
    const std::vector<dstack::VolumeConfiguration> volumes{
        *other_file("type: volume\nname: v\nbackend: aws\nregion: eu\navailability_zone: eu-a\n")
             .volume,
        *other_file("type: volume\nname: w\nbackend: aws\nregion: eu\n").volume,
        *other_file("type: volume\nname: x\nbackend: gcp\nregion: eu\n").volume};
    const auto placed = with_volumes(run_of("volumes: ['v:/a', '/here:/b']"), volumes);
    REQUIRE(placed.ok());
    CHECK(placed->profile.backends == std::vector<std::string>{"aws"});
    CHECK(placed->profile.regions == std::vector<std::string>{"eu"});
    CHECK(placed->profile.availability_zones == std::vector<std::string>{"eu-a"});
    const auto one_of = with_volumes(run_of("volumes: [{name: [v, w], path: /a}]"), volumes);
    REQUIRE(one_of.ok());
    CHECK(one_of->profile.availability_zones.empty());
    CHECK(with_volumes(run_of("name: n"), volumes).value() == run_of("name: n"));
    const auto by_node = with_volumes(run_of("volumes: ['v-${{ dstack.node_rank }}:/x', {name: "
                                             "'v-${{ dstack.job_num }}', path: /y}]"),
                                      volumes);
    REQUIRE(by_node.ok());
    CHECK(by_node->profile.backends.empty());
    CHECK(with_volumes(run_of("volumes: ['u:/a']"), volumes).status().code() ==
          StatusCode::kNotFound);
    CHECK_FALSE(with_volumes(run_of("volumes: [{name: [v, x], path: /a}]"), volumes).ok());
    CHECK_FALSE(with_volumes(run_of("volumes: ['v:/a', 'x:/b']"), volumes).ok());
    CHECK_FALSE(with_volumes(run_of("backends: [gcp]\nvolumes: ['v:/a']"), volumes).ok());
}

TEST_CASE("dstack run: optional folders of the instance exclude no backend", "[dialect][dstack]") {
    struct Row {
        const char* volumes;
        bool needs_folders;
        const char* why;
    };
    const Row rows[] = {
        {"[{instance_path: /a, path: /b, optional: true}]", false, "optional"},
        {"[{instance_path: /a, path: /b, optional: yes}]", false, "a boolean of YAML"},
        {"[{instance_path: /a, path: /b, optional: false}]", true, "not optional"},
        {"[{instance_path: /a, path: /b, optional: null}]", true, "not said"},
        {"[{instance_path: /a, path: /b}]", true, "not said"},
        {"[{instance_path: /a, path: /b, optional: true}, '/c:/d']", true, "one of two"},
        {"['/c:/d']", true, "a text is not optional"},
        {"['v:/d']", false, "a volume"},
    };
    for (const Row& row : rows) {
        INFO(row.volumes << ": " << row.why);
        const auto run = run_of(std::string("volumes: ") + row.volumes);
        CHECK(options_of(run)->has_instance_volumes == row.needs_folders);
    }
    CHECK_FALSE(
        options_of(run_of("volumes: [{instance_path: /a, path: /b, optional: maybe}]")).ok());
}
