// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/configuration.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

namespace {

dstack::Configuration configuration_of(std::string_view yaml) {
    const auto configuration = dstack::parse_configuration(yaml);
    INFO(yaml);
    INFO(message(configuration.status()));
    REQUIRE(configuration.ok());
    return *configuration;
}

/// Carried keys without the lines that they stood in.
void forget_lines(std::vector<dstack::PassthroughKey>& keys) {
    for (dstack::PassthroughKey& key : keys) key.line = 0;
}
dstack::Configuration without_lines(dstack::Configuration configuration) {
    if (configuration.run) forget_lines(configuration.run->passthrough);
    if (!configuration.fleet) return configuration;
    forget_lines(configuration.fleet->passthrough);
    if (!configuration.fleet->ssh_config) return configuration;
    forget_lines(configuration.fleet->ssh_config->passthrough);
    for (auto& host : configuration.fleet->ssh_config->hosts) forget_lines(host.passthrough);
    return configuration;
}

/// What is printed beside type, nodes, resources, blocks and placement, in one line.
std::string rest_of(const dstack::Configuration& configuration) {
    std::string rest;
    const std::string text = to_text(configuration);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        const bool is_skipped = line.front() == ' ' || line.starts_with("type:") ||
                                line.starts_with("resources:") || line == "nodes: 1" ||
                                line == "blocks: 1" || line == "placement: any";
        if (!is_skipped) rest += line + ";";
    }
    return rest;
}

struct ConfigurationRow {
    const char* yaml;
    const char* expected;
    const char* why;
};

template <std::size_t N>
void check_rows(const char* type, const ConfigurationRow (&rows)[N]) {
    for (const ConfigurationRow& row : rows) {
        INFO(row.yaml << ": " << row.why);
        const auto configuration = configuration_of(std::string("type: ") + type + "\n" + row.yaml);
        CHECK(rest_of(configuration) == row.expected);
        const auto again = configuration_of(to_text(configuration));
        CHECK(without_lines(again) == without_lines(configuration));
        CHECK(to_text(again) == to_text(configuration));
    }
}

template <std::size_t N>
void check_errors(const char* type, const ConfigurationRow (&rows)[N]) {
    for (const ConfigurationRow& row : rows) {
        INFO(row.yaml << ": " << row.why);
        const auto reading =
            dstack::read_configuration(std::string("type: ") + type + "\n" + row.yaml);
        REQUIRE(reading.errors.size() == 1);
        const std::string line = to_text(reading.errors.front());
        CHECK_THAT(line, ContainsSubstring(row.expected));
        CHECK(line.find('\n') == std::string::npos);
        CHECK_FALSE(
            dstack::parse_configuration(std::string("type: ") + type + "\n" + row.yaml).ok());
    }
}

}  // namespace

TEST_CASE("dstack files: the tasks of the guide", "[dialect][dstack]") {
    const auto train = configuration_of(
        "type: task\nname: train-model\n\npython: 3.12\n\ncommands:\n  - pip install -r r.txt\n"
        "  - python train.py\n\nresources:\n  gpu: 1\n  memory: 32GB\n\nmax_duration: 2h\n");
    REQUIRE(train.run);
    CHECK(train.run->kind == dstack::RunKind::task);
    CHECK(train.run->name == "train-model");
    CHECK(train.run->nodes == Count(1));
    CHECK(train.run->resources.gpu->count == Range<Count>::exactly(Count(1)));
    CHECK(train.run->resources.memory == Range<Bytes>::exactly(gib(32)));
    CHECK(train.run->profile.max_duration == dstack::DurationLimit{false, Seconds(7200)});
    REQUIRE(train.run->passthrough.size() == 2);
    CHECK(train.run->passthrough[0] == dstack::PassthroughKey{"python", 4, "3.12"});
    CHECK(train.run->passthrough[1] ==
          dstack::PassthroughKey{"commands", 6, "[\"pip install -r r.txt\", \"python train.py\"]"});

    const auto ddp = configuration_of(
        "type: task\nname: train-ddp\nnodes: 4\nresources:\n  gpu: A100:80GB:8\n"
        "  memory: 200GB..\n  shm_size: 24GB\n");
    CHECK(ddp.run->nodes == Count(4));
    CHECK(to_text(*ddp.run->resources.gpu) == "A100:80GB:8");
    CHECK(ddp.run->resources.memory == Range<Bytes>::at_least(gib(200)));
    CHECK(ddp.run->resources.shm_size == gib(24));

    const auto nccl = configuration_of(
        "type: task\nname: nccl-tests\nnodes: 2\nstartup_order: workers-first\n"
        "stop_criteria: master-done\nenv:\n  - NCCL_DEBUG=INFO\n  - HF_TOKEN\n"
        "resources:\n  gpu: nvidia:1..8\n  shm_size: 16GB\n");
    CHECK(nccl.run->startup_order == dstack::StartupOrder::workers_first);
    CHECK(nccl.run->stop_criteria == dstack::StopCriteria::master_done);
    CHECK(nccl.run->env ==
          std::vector<dstack::EnvEntry>{{"NCCL_DEBUG", "INFO"}, {"HF_TOKEN", std::nullopt}});
    CHECK(to_text(*nccl.run->resources.gpu) == "nvidia:1..8");
}

TEST_CASE("dstack files: keys of runs", "[dialect][dstack]") {
    const ConfigurationRow rows[] = {
        {"", "", "the type alone"},
        {"name: x", "name: \"x\";", "a name"},
        {"name: null", "", "null is left out"},
        {"nodes: 4", "nodes: 4;", "several nodes"},
        {"nodes: \"4\"", "nodes: 4;", "as a text"},
        {"nodes: 1_000", "nodes: 1000;", "Python's separator"},
        {"priority: 0", "", "the default"},
        {"priority: 100", "priority: 100;", "the highest"},
        {"priority: null", "", "left out"},
        {"backends: [aws, gcp]", "backends: [\"aws\", \"gcp\"];", "in their order"},
        {"backends:\n- aws\n- gcp", "backends: [\"aws\", \"gcp\"];", "one a line"},
        {"backends: null", "", "left out"},
        {"regions: [eu-west-1, us west]", "regions: [\"eu-west-1\", \"us west\"];", "any words"},
        {"availability_zones: [eu-west-1a]", "availability_zones: [\"eu-west-1a\"];", "zones"},
        {"instance_types: [p5.48xlarge, 8]", "instance_types: [\"p5.48xlarge\", \"8\"];",
         "a number is a text"},
        {"reservation: cr-0123", "reservation: \"cr-0123\";", "a reservation"},
        {"reservation: 5", "reservation: \"5\";", "a number is a text"},
        {"spot_policy: spot", "spot_policy: spot;", "spot only"},
        {"spot_policy: on-demand", "spot_policy: on-demand;", "never spot"},
        {"spot_policy: auto", "spot_policy: auto;", "either"},
        {"spot_policy:", "", "left out"},
        {"max_price: 2.03", "max_price: 2.03;", "dollars"},
        {"max_price: 1", "max_price: 1;", "whole ones"},
        {"max_price: \"0.10\"", "max_price: 0.1;", "as a text"},
        {"max_price: ~", "", "left out"},
        {"fleets: [a, b]", "fleets: [\"a\", \"b\"];", "fleets by name"},
        {"creation_policy: reuse", "creation_policy: reuse;", "no new instances"},
        {"creation_policy: reuse-or-create", "creation_policy: reuse-or-create;", "new ones too"},
        {"retry: true", "retry: true;", "after every event"},
        {"retry: false", "retry: false;", "said to be never"},
        {"retry: off", "retry: false;", "YAML's other word"},
        {"retry: yes", "retry: true;", "and the other"},
        {"retry: null", "", "left out"},
        {"retry: {duration: 4h}",
         "retry: {on_events: [no-capacity, interruption, error], "
         "duration: 4h};",
         "all events"},
        {"retry: {on_events: [error]}", "retry: {on_events: [error], duration: 1h};",
         "dstack's duration"},
        {"retry: {on_events: [interruption, no-capacity], duration: 90}",
         "retry: {on_events: [interruption, no-capacity], duration: 90s};", "in their order"},
        {"retry: {}", "retry: true;", "all defaults"},
        {"retry: {on_events: null, duration: null}", "retry: true;", "all left out"},
        {"max_duration: 2h", "max_duration: 2h;", "a limit"},
        {"max_duration: 7200", "max_duration: 2h;", "in seconds"},
        {"max_duration: off", "max_duration: off;", "a boolean of YAML"},
        {"max_duration: \"off\"", "max_duration: off;", "a text"},
        {"max_duration: false", "max_duration: off;", "the other boolean"},
        {"max_duration:", "", "left out"},
        {"stop_duration: 5m", "stop_duration: 5m;", "time to stop"},
        {"stop_duration: 0", "stop_duration: 0s;", "none"},
        {"idle_duration: 3d", "idle_duration: 3d;", "time to idle"},
        {"idle_duration: -1", "idle_duration: off;", "as older files say it"},
        {"idle_duration: 0s", "idle_duration: 0s;", "none"},
        {"startup_order: any", "startup_order: any;", "any order"},
        {"startup_order: master-first", "startup_order: master-first;", "the master first"},
        {"startup_order: workers-first", "startup_order: workers-first;", "or last"},
        {"stop_criteria: all-done", "stop_criteria: all-done;", "all have to be done"},
        {"stop_criteria: master-done", "stop_criteria: master-done;", "or the master alone"},
        {"env: [A=b, C]", "env: [\"A=b\", \"C\"];", "with and without value"},
        {"env: {A: b, C: , D: 5}", "env: [\"A=b\", \"C\", \"D=5\"];", "a mapping"},
        {"env: [\"A=x=y z\"]", "env: [\"A=x=y z\"];", "the value goes on"},
        {"env: [A=]", "env: [\"A=\"];", "an empty value"},
        {"env: {_a1: \"\"}", "env: [\"_a1=\"];", "the same in a mapping"},
        {"env: [\"A=1\\n2\"]", "env: [\"A=1\\x0a2\"];", "two lines"},
        {"env:", "", "left out"},
        {"image: ghcr.io/a/b:1.2", "image: \"ghcr.io/a/b:1.2\";", "carried"},
        {"commands: [a, 'b: c']", "commands: [a, \"b: c\"];", "carried: a list"},
        {"commands:\n  - |\n    one\n    two\n", "commands: [\"one\\x0atwo\\x0a\"];",
         "carried: lines"},
        {"ports: [8080, \"80:81\"]", "ports: [8080, \"80:81\"];", "carried: numbers and texts"},
        {"privileged: true", "privileged: true;", "carried: a boolean"},
        {"docker: \"true\"", "docker: \"true\";", "carried: a text like one"},
        {"user: null", "user: null;", "carried: nothing"},
        {"volumes: []", "volumes: [];", "carried: an empty list"},
        {"tags: {a: b, c: [d, {e: -1.5}]}", "tags: {a: b, c: [d, {e: -1.5}]};", "carried: nested"},
        {"utilization_policy: {min_gpu_utilization: 10, time_window: 30m}",
         "utilization_policy: {min_gpu_utilization: 10, time_window: 30m};", "carried"},
        {"files: &f [a, b]\nrepos: *f", "files: [a, b];repos: [a, b];", "an alias written out"},
        {"working_dir: \"[[{\"", "working_dir: \"\\x5b\\x5b\\x7b\";", "brackets without partners"},
        {"working_dir: \"[{}]\"", "working_dir: \"[{}]\";", "and with them"},
        {"shell: 'a \"b\" \\c'", "shell: \"a \\\"b\\\" \\\\c\";", "quotes"},
        {"image: \"\u00e4\"", "image: \"\u00e4\";", "letters outside of ASCII"},
        {"python: .5", "python: .5;", "a number without a digit before its point"},
        {"schedule: {cron: \"* * * * *\"}", "schedule: {cron: \"* * * * *\"};", "carried"},
    };
    check_rows("task", rows);
}

TEST_CASE("dstack files: each type has keys of its own", "[dialect][dstack]") {
    const ConfigurationRow services[] = {
        {"port: 8000\nmodel: m", "port: 8000;model: m;", "carried"},
        {"replicas: 1..4\nscaling: {metric: rps, target: 10}",
         "replicas: 1..4;scaling: {metric: rps, target: 10};", "carried"},
        {"replicas: [{count: 2, resources: {gpu: 1}}]",
         "replicas: [{name: \"0\", count: 2, resources: {cpu: 2.., memory: 8GB.., gpu: 1, disk: "
         "100GB..}}];",
         "groups have resources of their own"},
        {"dstack: true", "dstack: true;", "the server can be reached from inside"},
        {"probes: [{type: http, url: /health}]", "probes: [{type: http, url: \"/health\"}];",
         "carried"},
    };
    check_rows("service", services);
    const ConfigurationRow environments[] = {
        {"ide: vscode", "ide: vscode;", "carried"},
        {"init: [a]\ninactivity_duration: 2h", "init: [a];inactivity_duration: 2h;", "carried"},
    };
    check_rows("dev-environment", environments);
    CHECK(to_text(configuration_of("type: service\nport: 1")).find("nodes") == std::string::npos);
    const ConfigurationRow service_errors[] = {
        {"nodes: 2", "line 2, column 1: unknown key at offset 0 (\"nodes\")", "a task's"},
        {"ide: vscode", "unknown key", "an environment's"},
        {"placement: any", "unknown key", "a fleet's"},
    };
    check_errors("service", service_errors);
    const ConfigurationRow environment_errors[] = {
        {"commands: [a]", "unknown key at offset 0 (\"commands\")", "a task's"},
        {"port: 80",
         "unknown key at offset 0 (\"port\"): expected a known key; the nearest is "
         "ports",
         "a service's"},
    };
    check_errors("dev-environment", environment_errors);
    const ConfigurationRow fleet_errors[] = {
        {"image: x", "unknown key", "a run's"},
        {"max_duration: 2h", "unknown key", "a run's"},
        {"fleets: [a]", "unknown key", "a run's"},
        {"creation_policy: reuse", "unknown key", "a run's"},
        {"priority: 5", "unknown key", "a run's"},
    };
    check_errors("fleet", fleet_errors);
}

TEST_CASE("dstack files: mistakes of runs", "[dialect][dstack]") {
    const ConfigurationRow rows[] = {
        {"nods: 2",
         "line 2, column 1: unknown key at offset 0 (\"nods\"): expected a known key; "
         "the nearest is nodes",
         "a slip"},
        {"Nodes: 2", "the nearest is nodes", "keys have one case"},
        {"name: x\nname: y", "line 3, column 1: key given twice", "twice"},
        {"name: \"\"", "name: empty text", "no name"},
        {"name: [x]", "name: no text or number", "a list"},
        {"nodes: 0", "line 2, column 8: nodes: no node at all", "none"},
        {"nodes: 65537", "nodes: too many nodes at offset 0 (\"65537\"): expected 1 to 65536",
         "a short text would ask for all the memory there is"},
        {"nodes: 10000000000", "expected 1 to 65536", "far more"},
        {"nodes: -1", "nodes: negative count", "less than none"},
        {"nodes: 1..2", "nodes: malformed count", "a fleet's range"},
        {"nodes: true", "nodes: no text or number at offset 0 (\"true\")", "mended: no boolean"},
        {"nodes: 1 0", "nodes: malformed count", "a blank inside of a number"},
        {"max_duration: \"OFF\"", "max_duration: a quoted word", "a text, and not off"},
        {"priority: 101", "priority: priority above 100", "too high"},
        {"priority: -1", "priority: negative count", "too low"},
        {"priority: 1.5", "priority: malformed count", "between"},
        {"resources: [a]", "no mapping", "a list"},
        {"resources: {gpu: \"A100:\"}", "line 2, column 18: gpu: empty part at offset 5", "inside"},
        {"resources: {gpus: 1}",
         "line 2, column 13: unknown key at offset 0 (\"gpus\"): expected "
         "a known key; the nearest is gpu",
         "a slip inside"},
        {"backends: aws", "backends: no list at offset 0 (\"aws\")", "one word"},
        {"backends: []", "backends: empty list", "mended: it would match nothing"},
        {"regions: [eu, true]",
         "line 2, column 15: regions: no text or number at offset 0 (\"true\")",
         "mended: no boolean"},
        {"regions: [[eu]]", "regions: no text or number", "a list in a list"},
        {"regions: [\"\"]", "regions: empty text", "an empty word"},
        {"reservation: no", "reservation: no text or number", "a boolean of YAML"},
        {"spot_policy: on_demand",
         "spot_policy: unknown word at offset 0 (\"on_demand\"): "
         "expected one of spot, on-demand, auto",
         "a slip"},
        {"spot_policy: Spot", "spot_policy: unknown word", "words have one case"},
        {"max_price: 0", "max_price: a price of 0", "nothing is free"},
        {"max_price: -1", "max_price: malformed price", "less than nothing"},
        {"max_price: .inf", "max_price: malformed price", "mended: no infinity"},
        {"max_price: .nan", "max_price: malformed price", "mended: no nan"},
        {"max_price: 1e2", "max_price: malformed price", "no exponent"},
        {"creation_policy: create", "one of reuse, reuse-or-create", "another word"},
        {"retry: 3", "retry: no answer at offset 0 (\"3\"): expected true, false or", "a count"},
        {"retry: [error]", "retry: no answer", "a list"},
        {"retry: {on_events: []}", "on_events: empty list", "as in dstack"},
        {"retry: {on_events: [oom]}",
         "on_events: unknown word at offset 0 (\"oom\"): expected one "
         "of no-capacity, interruption, error",
         "no such event"},
        {"retry: {on_events: [error, error]}", "an event given twice", "twice"},
        {"retry: {duration: off}", "duration: no text or number", "it has an end"},
        {"retry: {times: 3}", "unknown key", "another key"},
        {"max_duration: 0", "max_duration: a duration of 0", "mended: dstack takes it for off"},
        {"max_duration: -5", "max_duration: negative duration", "as in dstack"},
        {"max_duration: true", "max_duration: malformed duration", "mended: no boolean"},
        {"max_duration: 1h30m", "max_duration: text behind a duration at offset 2", "no sum"},
        {"max_duration: 1.5", "max_duration: unknown unit of time at offset 1",
         "mended: dstack cuts it to 1"},
        {"max_duration: .inf", "max_duration: malformed duration", "mended: dstack ends with it"},
        {"max_duration: {h: 2}", "max_duration: no duration", "a mapping"},
        {"stop_duration: 5x", "stop_duration: unknown unit of time at offset 1 (\"x\")", "a unit"},
        {"idle_duration: -2", "idle_duration: negative duration", "mended: dstack takes it"},
        {"startup_order: last", "one of any, master-first, workers-first", "another word"},
        {"stop_criteria: [all-done]", "stop_criteria: unknown word at offset 0 (\"[\")", "a list"},
        {"env: A=b", "env: no list", "one text"},
        {"env: [1A=b]", "env: malformed variable at offset 0 (\"1A=b\")", "a digit first"},
        {"env: [A-B]", "env: malformed variable", "a sign"},
        {"env: [=b]", "env: malformed variable", "no name"},
        {"env: [A=b, A]", "line 2, column 12: env: variable given twice", "twice"},
        {"env: {A: b, A: c}", "env: variable given twice", "twice in a mapping"},
        {"env: {A=b: c}", "env: malformed variable at offset 0 (\"A=b\"): expected NAME",
         "no list"},
        {"env: {A: true}", "env: no text or number at offset 0 (\"true\")", "mended: no boolean"},
        {"env: {A: [b]}", "env: no text or number", "a list"},
        {"image: {? [a] : b}", "malformed key", "a key that is a list"},
        {"image: &a [*a]", "it nests too deep", "a list inside of itself"},
    };
    check_errors("task", rows);
}

TEST_CASE("dstack files: fleets", "[dialect][dstack]") {
    const ConfigurationRow rows[] = {
        {"", "", "the type alone"},
        {"name: f\nnodes: 2", "name: \"f\";nodes: 2;", "a number of nodes"},
        {"nodes: 0..4", "nodes: 0..4;", "a range"},
        {"nodes: 2..", "nodes: 2..;", "without end"},
        {"nodes: ..4", "nodes: 0..4;", "none at least"},
        {"nodes: ..", "nodes: 0..;", "any number"},
        {"nodes: {min: 1, target: 2, max: 4}", "nodes: {min: 1, target: 2, max: 4};", "a target"},
        {"nodes: {min: 1, max: 4}", "nodes: 1..4;", "the target is the least"},
        {"nodes: {target: 3}", "nodes: {min: 0, target: 3, max: null};", "a target alone"},
        {"nodes: null", "", "left out"},
        {"blocks: 4", "blocks: 4;", "a number of blocks"},
        {"blocks: \"4\"", "blocks: 4;", "as a text"},
        {"blocks: auto", "blocks: auto;", "as many as go"},
        {"placement: cluster", "placement: cluster;", "near to each other"},
        {"placement: null", "", "left out"},
        {"backends: [aws]\nspot_policy: auto\nmax_price: 3",
         "backends: [\"aws\"];spot_policy: auto;max_price: 3;", "of offers"},
        {"idle_duration: 3d\nretry: true", "retry: true;idle_duration: 3d;", "of life"},
        {"ssh_config: {hosts: [a, b]}", "ssh_config: {hosts: [\"a\", \"b\"]};", "hosts by name"},
        {"ssh_config:\n  user: ubuntu\n  identity_file: ~/.ssh/id\n  hosts:\n    - 10.0.0.1\n"
         "    - hostname: h2\n      port: 2222\n      blocks: auto\n",
         "ssh_config: {hosts: [\"10.0.0.1\", {hostname: \"h2\", blocks: auto, port: 2222}], "
         "user: ubuntu, identity_file: \"~/.ssh/id\"};",
         "with keys of their own"},
        {"ssh_config: {hosts: [{hostname: h}]}", "ssh_config: {hosts: [\"h\"]};", "nothing more"},
        {"ssh_config: null", "", "left out"},
        {"env: [A]", "env: [\"A\"];", "variables"},
        {"tags: {a: b}", "tags: {a: b};", "carried"},
    };
    check_rows("fleet", rows);
    const ConfigurationRow errors[] = {
        {"node: 2", "the nearest is nodes", "a slip"},
        {"nodes: 0", "nodes: no node at all", "none"},
        {"nodes: -1", "nodes: negative count", "less than none"},
        {"nodes: 4..2", "nodes: a range that goes down", "downwards"},
        {"nodes: 1.5", "nodes: malformed count", "mended: dstack ends with it"},
        {"nodes: [1]", "nodes: no text or number", "mended: dstack ends with it"},
        {"nodes: true", "nodes: no text or number", "mended: no boolean"},
        {"nodes: {min: 2, target: 1}", "nodes: target below min", "downwards"},
        {"nodes: {min: 2, max: 1}", "nodes: max below min or target", "downwards"},
        {"nodes: {target: 2, max: 1}", "nodes: max below min or target", "downwards"},
        {"nodes: {min: -1}", "nodes: negative count", "less than none"},
        {"nodes: {least: 1}", "unknown key", "another key"},
        {"blocks: 0", "blocks: no block at all", "none"},
        {"blocks: Auto", "blocks: malformed number of blocks at offset 0 (\"Auto\")", "one case"},
        {"blocks: true", "blocks: no text or number", "mended: dstack takes it for 1"},
        {"blocks: 1..2", "blocks: malformed number of blocks", "no range"},
        {"placement: near",
         "placement: unknown word at offset 0 (\"near\"): expected one of any, "
         "cluster",
         "another word"},
        {"ssh_config: [a]", "ssh_config: no mapping", "a list"},
        {"ssh_config: {user: u}", "ssh_config: no hosts", "none"},
        {"ssh_config: {hosts: []}", "hosts: empty list", "none"},
        {"ssh_config: {hosts: a}", "hosts: no list", "one"},
        {"ssh_config: {hosts: [{port: 22}]}", "hosts: host without hostname", "nobody"},
        {"ssh_config: {hosts: [{hostname: h, prt: 22}]}", "the nearest is port", "a slip"},
        {"ssh_config: {hosts: [{hostname: h, blocks: 0}]}", "blocks: no block at all", "none"},
        {"ssh_config: {hosts: [a], users: u}", "the nearest is user", "a slip"},
    };
    check_errors("fleet", errors);
}

TEST_CASE("dstack files: what a fleet leaves out", "[dialect][dstack]") {
    const auto bare = configuration_of("type: fleet\nnodes: 1");
    CHECK(bare.fleet->resources == dstack::Resources::unconstrained());
    CHECK(pretty_text(bare.fleet->resources) == "cpu=1.. mem=0GB.. gpu=0..");
    CHECK(configuration_of("type: fleet\nresources: null").fleet->resources ==
          dstack::Resources::unconstrained());
    // One key brings the defaults of the others.
    const auto some = configuration_of("type: fleet\nresources: {gpu: 40GB..80GB:4..8}\nblocks: 4");
    CHECK(pretty_text(some.fleet->resources) ==
          "cpu=2.. mem=8GB.. disk=100GB.. gpu=40GB..80GB:4..8");
    CHECK(some.fleet->blocks == BlockCount{false, Count(4)});
    // A host's own number of blocks, else the fleet's.
    const auto ssh = configuration_of(
        "type: fleet\nblocks: 2\nssh_config: {hosts: [a, {hostname: b, blocks: auto}]}");
    const auto& hosts = ssh.fleet->ssh_config->hosts;
    CHECK(blocks_of(*ssh.fleet, hosts[0]) == BlockCount{false, Count(2)});
    CHECK(blocks_of(*ssh.fleet, hosts[1]) == BlockCount{true, Count(1)});
    CHECK(ssh.fleet->ssh_config->hosts.size() == 2);
}

TEST_CASE("dstack files: no type, a wrong one, no file", "[dialect][dstack]") {
    const ConfigurationRow rows[] = {
        {"", "line 1, column 1: no mapping", "nothing"},
        {"[a]", "no mapping at offset 0 (\"[\"): expected type and other keys", "a list"},
        {"task", "no mapping at offset 0 (\"task\")", "a word"},
        {"nodes: 2", "line 1, column 1: no type", "a file without type"},
        {"type: [task]", "type: no word", "a list"},
        {"type: taks",
         "line 1, column 7: type: unknown type at offset 0 (\"taks\"): expected "
         "task, service, dev-environment, fleet, volume or gateway",
         "a slip"},
        {"type: ssh", "type: unknown type", "no kind of dstack's"},
        {"type: task\ntype: task", "line 2, column 1: key given twice", "twice"},
        {"type: task\n\tnodes: 2", "YAML: ", "a tab"},
    };
    for (const ConfigurationRow& row : rows) {
        INFO(row.yaml << ": " << row.why);
        const auto reading = dstack::read_configuration(row.yaml);
        REQUIRE(reading.errors.size() == 1);
        CHECK_THAT(to_text(reading.errors.front()), ContainsSubstring(row.expected));
    }
    CHECK(to_text(dstack::Configuration{}).empty());
    CHECK_THAT(std::string(message(dstack::parse_configuration(std::string(70'000, 'a')).status())),
               ContainsSubstring("YAML: 70000 bytes: expected at most 65536"));
}

TEST_CASE("dstack files: all mistakes in one pass, in the order of the text", "[dialect][dstack]") {
    const auto reading = dstack::read_configuration(
        "nodes: 0\n"
        "resources:\n"
        "  cpu: amd64:4\n"
        "  gpu: {memory: 16G}\n"
        "comands: [a]\n"
        "type: tsk\n"
        "retry: {on_events: [oom, error], duration: 1y}\n"
        "max_price: free\n"
        "env: [A, A, 1]\n");
    std::vector<std::string> places;
    for (const auto& error : reading.errors) {
        places.push_back(fmt::format("{}:{}:{}", error.line, error.column, error.key));
    }
    CHECK(places == std::vector<std::string>{"1:8:nodes", "3:8:cpu", "4:17:memory",
                                             "5:1:", "6:7:type", "7:21:on_events", "7:44:duration",
                                             "8:12:max_price", "9:10:env", "9:13:env"});
    REQUIRE(reading.configuration.run);  // the nearest type is a task
    CHECK(reading.configuration.run->profile.retry->on_events ==
          std::vector<dstack::RetryEvent>{dstack::RetryEvent::error});
}
