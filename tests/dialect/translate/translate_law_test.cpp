// SPDX-License-Identifier: Apache-2.0
// There and back again: what is not the same is named.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/translate/dstack_to_slurm.hpp"
#include "trestle/dialect/translate/slurm_to_dstack.hpp"

namespace trestle {
namespace {

using translate::Loss;

/// Fragments of which a draw takes one: nothing, exact values, ranges, and what Slurm has not.
constexpr std::array<std::array<const char*, 6>, 24> drawn_keys{{
    {"", "", "name: train", "name: a-1", "name: job-42", "name: t0"},
    {"", "nodes: 1", "nodes: 2", "nodes: 64", "nodes: 3", "nodes: 1"},
    {"", "spot_policy: auto", "spot_policy: spot", "", "", ""},
    {"", "max_price: 2.5", "", "", "", "max_price: 0.000001"},
    {"", "backends: [aws, gcp]", "", "", "", "backends: [ssh]"},
    {"", "regions: [eu-west-1]", "", "", "", ""},
    {"", "availability_zones: [a]", "", "", "", ""},
    {"", "instance_types: [p4d.24xlarge]", "", "", "", ""},
    {"", "reservation: r-1", "", "", "", ""},
    {"", "fleets: [gpu]", "fleets: [a, b]", "fleets: ['a,b']", "fleets: [b, a]", ""},
    {"", "creation_policy: reuse", "creation_policy: reuse-or-create", "", "", ""},
    {"", "retry: true", "retry: false", "retry: {on_events: [interruption]}",
     "retry: {on_events: [no-capacity], duration: 48h}", "retry: {on_events: [error]}"},
    {"", "max_duration: 2h", "max_duration: 90s", "max_duration: off", "max_duration: 1d",
     "max_duration: 60"},
    {"", "stop_duration: 5m", "stop_duration: off", "", "", ""},
    {"", "idle_duration: 5m", "", "", "", ""},
    {"", "startup_order: any", "startup_order: workers-first", "startup_order: master-first", "",
     ""},
    {"", "stop_criteria: master-done", "stop_criteria: all-done", "", "", ""},
    {"", "env: [A=1, B]", "env: ['A=1,2', 'C=']", "env: [\"Q='a b' \\\"c\\\" #\"]", "env: [none]",
     "env: [ALL]"},
    {"", "image: pytorch", "image: 'nvcr.io/nvidia/pytorch:24.01-py3'", "", "", ""},
    {"", "working_dir: /work", "working_dir: 'a b#c'", "", "", ""},
    {"", "shell: /bin/zsh", "shell: /bin/bash", "", "", ""},
    {"", "priority: 50", "", "", "priority: 100", ""},
    {"", "python: 3.12", "ports: [80]", "volumes: ['/a:/b']", "files: [a]", "tags: {a: b}"},
    {"commands: [x]", "commands: [\"a\\nb # c\"]", "commands: ['python train.py --lr=0.1']",
     "commands: ['if a; then b; fi']", "commands: ['a [b']", "commands: ['é \"x\" $y']"},
}};
constexpr std::array<std::array<const char*, 8>, 5> drawn_resources{{
    {"", "cpu: 8", "cpu: 4..", "cpu: 4..8", "cpu: ..8", "cpu: 'arm:2'", "cpu: 0..", "cpu: 1"},
    {"", "memory: 32GB", "memory: 8GB..64GB", "memory: ..64GB", "memory: 0.25MB", "memory: 0..",
     "memory: 1.5GB", "memory: 1MB"},
    {"gpu: 1", "gpu: A100:2", "gpu: A100:80GB:8", "gpu: nvidia:1..8", "gpu: 'A100,H100:2'",
     "gpu: 0", "gpu: null", "gpu: {name: MI300X, count: 4, total_memory: 500GB..}"},
    {"", "disk: 500GB", "disk: 200GB..1TB", "disk: null", "disk: ..1TB", "disk: 10GB..", "", ""},
    {"", "shm_size: 16GB", "", "", "", "", "", ""},
}};

std::string drawn_file(Rng& rng) {
    std::string text = "type: task\n";
    for (const auto& choices : drawn_keys) {
        const auto at = rng.below(choices.size());
        text += std::string(choices[at]) + "\n";
    }
    std::string resources;
    for (const auto& choices : drawn_resources) {
        const auto at = rng.below(choices.size());
        const std::string_view choice = choices[at];
        if (!choice.empty()) resources += (resources.empty() ? "" : ", ") + std::string(choice);
    }
    return resources.empty() ? text : text + "resources: {" + resources + "}\n";
}

/// What says the same in another way becomes one of the ways.
dstack::RunConfiguration normal(dstack::RunConfiguration run) {
    dstack::Resources& asked = run.resources;
    if (asked.cpu.count == Range<Count>::at_least(Count(0))) {
        asked.cpu.count = Range<Count>::at_least(Count(1));
    }
    if (!asked.gpu) asked.gpu = dstack::Resources::any_gpus();
    if (run.startup_order == dstack::StartupOrder::any) run.startup_order.reset();
    const auto find = [&](std::string_view name) {
        return std::find_if(run.passthrough.begin(), run.passthrough.end(),
                            [&](const dstack::PassthroughKey& one) { return one.name == name; });
    };
    if (find("shell") == run.passthrough.end()) {
        const bool has_image = find("image") != run.passthrough.end();
        run.passthrough.push_back({"shell", 0, has_image ? "\"/bin/sh\"" : "\"/bin/bash\""});
    }
    for (dstack::PassthroughKey& one : run.passthrough) {
        one.line = 0;
        if (!one.text.empty() && one.text.front() != '"' && one.text.front() != '[') {
            one.text = "\"" + one.text + "\"";
        } else if (one.text.starts_with("[") && !one.text.starts_with("[\"")) {
            one.text = "[\"" + one.text.substr(1, one.text.size() - 2) + "\"]";
        }
    }
    std::sort(run.passthrough.begin(), run.passthrough.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return run;
}

bool is_named(const std::vector<Loss>& losses, std::string_view name) {
    return std::any_of(losses.begin(), losses.end(), [&](const Loss& loss) {
        const bool is_part = loss.what.starts_with(name) && loss.what[name.size()] == '.';
        return loss.what == name || is_part;
    });
}

/// Each field that is not equal has a loss of its name.
template <class T>
void check_fields(const T& before, const T& after, const std::string& prefix,
                  const std::vector<Loss>& losses);

template <class T>
void check_field(const T& before, const T& after, const std::string& name,
                 const std::vector<Loss>& losses) {
    if constexpr (std::is_same_v<T, dstack::Resources>) {
        check_fields(before, after, "resources.", losses);
    } else if constexpr (std::is_same_v<T, dstack::Profile>) {
        check_fields(before, after, "", losses);
    } else if constexpr (std::is_same_v<T, std::vector<dstack::PassthroughKey>>) {
        for (const dstack::PassthroughKey& key : before) {
            const bool is_kept = std::find(after.begin(), after.end(), key) != after.end();
            INFO(key.name << ": " << key.text);
            CHECK((is_kept || is_named(losses, key.name)));
        }
        CHECK(after.size() <= before.size());
    } else {
        INFO(name);
        CHECK((before == after || is_named(losses, name)));
    }
}

template <class T>
void check_fields(const T& before, const T& after, const std::string& prefix,
                  const std::vector<Loss>& losses) {
    T::fields([&](const auto&... fields) {
        (check_field(before.*(fields.pointer), after.*(fields.pointer),
                     prefix + std::string(fields.name), losses),
         ...);
    });
}

}  // namespace

TEST_CASE("dstack to Slurm and back: equal, but for what is named", "[dialect][translate][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    const translate::SlurmToDstack exact{dstack::BareValue::exact, {}};
    for (std::uint64_t round = 0; round < test_rounds(1500u); ++round) {
        const std::string yaml = drawn_file(rng);
        INFO(yaml);
        const auto file = dstack::parse_configuration(yaml);
        REQUIRE(file.ok());
        const auto there = translate::to_slurm(*file->run);
        const auto text = slurm::script_text(there.value);
        REQUIRE(text.ok());
        INFO(*text << to_text(there.losses));
        const auto script = slurm::parse_batch_script(*text);
        REQUIRE(script.ok());
        const auto back = translate::to_dstack(*script, exact);
        REQUIRE(back.ok());
        INFO(to_text(back->value) << to_text(back->losses));
        check_fields(normal(*file->run), normal(back->value), "", there.losses);
    }
}

TEST_CASE("Slurm to dstack and back: options with a key of their own come back",
          "[dialect][translate][law]") {
    constexpr std::array<std::array<const char*, 4>, 12> choices{{
        {"--nodes=1", "--nodes=1", "--nodes=4 --ntasks-per-node=1", "--nodes=1"},
        {"", "--cpus-per-task=8", "--cpus-per-task=2", "--cpus-per-task=128"},
        {"", "--mem=32G", "--mem=1", "--mem=1536"},
        {"", "--gres=gpu:2", "--gres=gpu:a100:8", "--gres=none"},
        {"", "--tmp=500G", "--tmp=1T", "--tmp=7"},
        {"", "--time=2:00:00", "--time=UNLIMITED", "--time=1-0"},
        {"", "--partition=gpu", "--partition=b,a", ""},
        {"", "--job-name=train", "--job-name=job-7", ""},
        {"", "--chdir=/work", "'--chdir=/a b'", ""},
        {"", "--requeue", "--no-requeue", ""},
        {"", "--export=ALL,A=1,B", "'--export=ALL,A=\"1,2\"'", ""},
        {"", "--container=/images/a", "", ""},
    }};
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    for (std::uint64_t round = 0; round < test_rounds(1500u); ++round) {
        std::string text;
        for (const auto& one : choices) {
            const auto at = rng.below(one.size());
            text += std::string(one[at]) + " ";
        }
        const auto bare = rng.chance(1, 2) ? dstack::BareValue::exact : dstack::BareValue::minimum;
        INFO(text);
        slurm::BatchScript script{"/bin/zsh", *slurm::parse_option_text(text), "a\nb"};
        const auto task = translate::to_dstack(script, {bare, {}});
        REQUIRE(task.ok());
        const auto back = translate::to_slurm(task->value);
        INFO(to_text(task->value) << to_text(task->losses) << to_text(back.losses));
        CHECK(*slurm::script_text(back.value) == *slurm::script_text(script));
    }
}

}  // namespace trestle
