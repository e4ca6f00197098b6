// SPDX-License-Identifier: Apache-2.0
// Each key of dstack as an option of Slurm, or what of it is lost.
#include <algorithm>
#include <string>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/translation_rows.hpp"
#include "trestle/dialect/translate/dstack_to_slurm.hpp"

namespace trestle {
namespace {

using translation_rows::TranslationRow;

const TranslationRow key_rows[] = {
    {"nodes: 4", "#SBATCH --nodes=4; #SBATCH --ntasks-per-node=1", "note commands",
     "nodes, a task on each"},
    {"resources: {cpu: 32}", "#SBATCH --cpus-per-task=32", "", "CPUs"},
    {"resources: {cpu: 8..16}", "#SBATCH --cpus-per-task=8", "changed resources.cpu",
     "the lower end"},
    {"resources: {cpu: ..16}", "", "dropped resources.cpu", "no lower end"},
    {"resources: {cpu: 'x86:4'}", "#SBATCH --cpus-per-task=4", "dropped resources.cpu",
     "an architecture"},
    {"resources: {cpu: 4294967296}", "", "dropped resources.cpu",
     "more than --cpus-per-task holds"},
    {"resources: {memory: 200GB}", "#SBATCH --mem=200G", "", "memory"},
    {"resources: {memory: 200GB..}", "#SBATCH --mem=200G", "changed resources.memory",
     "the lower end"},
    {"resources: {memory: ..64GB}", "", "dropped resources.memory", "no lower end"},
    {"resources: {memory: 0.5MB}", "#SBATCH --mem=1", "changed resources.memory", "MiB at least"},
    {"resources: {gpu: 2}", "#SBATCH --gres=gpu:2", "", "GPUs"},
    {"resources: {gpu: A100}", "#SBATCH --gres=gpu:a100:1", "changed resources.gpu", "one or more"},
    {"resources: {gpu: 'A100:80GB:4'}", "#SBATCH --gres=gpu:a100:4", "dropped resources.gpu",
     "memory of a GPU"},
    {"resources: {gpu: '40GB..80GB:2..8'}", "#SBATCH --gres=gpu:2",
     "dropped resources.gpu, changed resources.gpu", "ranges"},
    {"resources: {gpu: 'A100,H100:2'}", "#SBATCH --gres=gpu:a100:2", "changed resources.gpu",
     "names"},
    {"resources: {gpu: 'nvidia:2'}", "#SBATCH --gres=gpu:2", "dropped resources.gpu", "a vendor"},
    {"resources: {gpu: {vendor: nvidia, name: no_consume, count: 2}}", "#SBATCH --gres=gpu:2",
     "dropped resources.gpu, dropped resources.gpu", "a name that is no type, of a vendor"},
    {"resources: {gpu: {vendor: nvidia, name: A100, count: 0..}}", "",
     "dropped resources.gpu, dropped resources.gpu", "a wish at none, of a vendor"},
    {"resources: {gpu: 0}", "#SBATCH --gres=none", "", "no GPUs"},
    {"resources: {gpu: '0..2'}", "", "dropped resources.gpu", "none will do"},
    {"resources: {gpu: 'A100:0..'}", "", "dropped resources.gpu", "a wish at none"},
    {"resources: {gpu: {count: 2, total_memory: 160GB.., compute_capability: 8.0..}}",
     "#SBATCH --gres=gpu:2",
     "dropped resources.gpu.total_memory, dropped resources.gpu.compute_capability",
     "no short form"},
    {"resources: {gpu: null}", "", "", "not looked at"},
    {"resources: {gpu: 4294967296}", "", "dropped resources.gpu", "more than a GRES holds"},
    {"resources: {disk: 500GB}", "#SBATCH --tmp=500G", "", "disk"},
    {"resources: {disk: 200GB..1TB}", "#SBATCH --tmp=200G", "changed resources.disk",
     "the lower end"},
    {"resources: {disk: null}", "", "", "none"},
    {"resources: {shm_size: 24GB}", "", "dropped resources.shm_size", "shared memory"},
    {"max_duration: 2h", "#SBATCH --time=02:00:00", "", "a limit"},
    {"max_duration: 90s", "#SBATCH --time=00:02:00", "changed max_duration", "in minutes"},
    {"max_duration: off", "#SBATCH --time=UNLIMITED", "", "none"},
    {"fleets: [gpu, spare]", "#SBATCH --partition=gpu,spare", "", "partitions"},
    {"fleets: ['a,b']", "", "dropped fleets", "no name of one"},
    {"working_dir: /path/to", "#SBATCH --chdir=/path/to", "", "a folder"},
    {"env: [VAR=value, HF_TOKEN]", "#SBATCH --export=ALL,VAR=value,HF_TOKEN", "", "variables"},
    {"env: ['A=1,2', \"B='x'\"]", "#SBATCH \"--export=ALL,A=1\\\",\\\"2,B=\\\"'\\\"x\\\"'\\\"\"",
     "", "with signs that --export reads"},
    {"env: [all, none]", "#SBATCH \"--export=ALL,\\\"none\\\"\"", "dropped env",
     "a word of --export's"},
    {"env: [\"KEY=${{ secrets.key }}\"]", "#SBATCH \"--export=ALL,KEY=${{ secrets.key }}\"",
     "note env", "a secret"},
    {"image: pytorch/pytorch:2.0", "#!/bin/sh; #SBATCH --container=pytorch/pytorch:2.0",
     "changed image", "an image"},
    {"shell: zsh", "#!/bin/zsh", "", "a shell"},
    {"shell: /opt/fish", "#!/opt/fish", "", "by its path"},
    {"python: 3.12", "", "dropped python", "an interpreter"},
    {"nvcc: true", "", "dropped nvcc", "a compiler"},
    {"repos: [.]", "", "dropped repos", "code"},
    {"setup: [a]", "", "dropped setup", "commands before"},
    {"single_branch: true", "", "dropped single_branch", "code"},
    {"files: [a:b]", "", "dropped files", "files"},
    {"volumes: ['/mnt/data:/data']", "", "dropped volumes", "mounts"},
    {"ports: [8888]", "", "dropped ports", "ports"},
    {"docker: true", "", "dropped docker", "Docker"},
    {"privileged: true", "", "dropped privileged", "rights"},
    {"user: root", "", "dropped user", "a user"},
    {"entrypoint: x", "", "dropped entrypoint", "an entrypoint"},
    {"registry_auth: {username: a, password: b}", "", "dropped registry_auth", "credentials"},
    {"home_dir: /root", "", "dropped home_dir", "a home"},
    {"tags: {a: b}", "", "dropped tags", "tags"},
    {"schedule: {cron: \"15 23 * * *\"}", "", "dropped schedule", "times"},
    {"utilization_policy: {min_gpu_utilization: 10, time_window: 1h}", "",
     "dropped utilization_policy", "idle GPUs"},
    {"instances: [a]", "", "dropped instances", "instances"},
    {"backend_options: [{type: aws}]", "", "dropped backend_options", "a backend's"},
    {"priority: 50", "", "dropped priority", "a priority"},
    {"spot_policy: auto", "", "dropped spot_policy", "prices"},
    {"max_price: 2.5", "", "dropped max_price", "prices"},
    {"backends: [aws]", "", "dropped backends", "offers"},
    {"regions: [eu]", "", "dropped regions", "offers"},
    {"availability_zones: [a]", "", "dropped availability_zones", "offers"},
    {"instance_types: [p4]", "", "dropped instance_types", "offers"},
    {"reservation: r1", "", "dropped reservation", "a cloud's"},
    {"creation_policy: reuse", "", "note creation_policy", "as always"},
    {"creation_policy: reuse-or-create", "", "dropped creation_policy", "new nodes"},
    {"retry: true", "#SBATCH --requeue", "note retry, dropped retry", "after all events"},
    {"retry: false", "#SBATCH --no-requeue", "", "never"},
    {"retry: {on_events: [interruption]}", "#SBATCH --requeue", "", "what Slurm does"},
    {"retry: {on_events: [no-capacity], duration: 48h}", "", "note retry, dropped retry",
     "queueing"},
    {"retry: {on_events: [error, interruption], duration: 48h}", "#SBATCH --requeue",
     "dropped retry, dropped retry", "errors"},
    {"stop_duration: 5m", "", "dropped stop_duration", "the end"},
    {"idle_duration: 5m", "", "dropped idle_duration", "idle instances"},
    {"startup_order: workers-first", "", "dropped startup_order", "who starts"},
    {"stop_criteria: master-done", "", "note stop_criteria", "who stops"},
    {"stop_criteria: all-done", "", "dropped stop_criteria", "who stops"},
    {"name: train", "#SBATCH --job-name=train", "", "a name"},
    {"nodes: 2\nstartup_order: any", "#SBATCH --nodes=2; #SBATCH --ntasks-per-node=1",
     "note commands", "several nodes"},
    {"env: {A: \"1\\n2\"}", "", "dropped env", "no option holds two lines"},
    {"image: \"a\\nb\"", "", "dropped image", "nor here"},
    {"fleets: [\"a\\nb\"]", "", "dropped fleets", "nor here"},
};

/// Whole files.
const TranslationRow file_rows[] = {
    {"type: dev-environment\nide: vscode\nversion: \"1\"\ninit: [a]\ninactivity_duration: 2h", "",
     "changed type, dropped ide, dropped version, dropped init, dropped inactivity_duration",
     "no batch job"},
    {"type: service\nport: 80\ncommands: [x]\nmodel: a\nreplicas: 2\nscaling: {metric: rps, "
     "target: 1}\ngateway: true\nhttps: true\nauth: true\nstrip_prefix: true\npath_prefix: "
     "/\nrate_limits: []\nprobes: []\nrouter: a",
     "",
     "changed type, dropped port, dropped model, dropped replicas, dropped scaling, dropped "
     "gateway, dropped https, dropped auth, dropped strip_prefix, dropped path_prefix, dropped "
     "rate_limits, dropped probes, dropped router",
     "a service"},
    {"type: task\ncommands: [a, 'b &', \"c\nd\", 'e # f', '']",
     "a &&; {; b &; } &&; c d &&; {; e # f; }", "", "several commands"},
    {"type: task\ncommands: ['#SBATCH -n8', b]", "{; :; #SBATCH -n8; } &&; b", "", "no option"},
    {"type: task\ncommands: ['# install', \"a\\nb \\\\\", c]",
     "{; :; # install; } &&; {; a; b \\; } &&; c", "", "a comment, and a line that goes on"},
    {"type: task\ncommands: {a: b}", "", "dropped commands", "no list"},
    {"type: task\ncommands: ['torchrun --nnodes=$DSTACK_NODES_NUM --rank=$DSTACK_NODE_RANK "
     "$DSTACK_OTHER ${{ x }}']",
     "torchrun --nnodes=$DSTACK_NODES_NUM --rank=$DSTACK_NODE_RANK $DSTACK_OTHER ${{ x }}",
     "note DSTACK_NODES_NUM, note DSTACK_NODE_RANK, note DSTACK_OTHER, note ${{ }}", "variables"},
};

dstack::RunConfiguration run_of(const std::string& yaml) {
    const auto file = dstack::parse_configuration(yaml);
    INFO(yaml);
    REQUIRE(file.ok());
    return *file->run;
}

const std::string least = "type: task\ncommands: [x]\n";

void check_row(const TranslationRow& row, const std::string& yaml, std::string& text) {
    INFO(row.text << ": " << row.why);
    const auto usual = translate::to_slurm(run_of(least));
    const auto script = translate::to_slurm(run_of(yaml));
    const auto printed = slurm::script_text(script.value);
    REQUIRE(printed.ok());
    CHECK(translation_rows::lines_beside(*printed, *slurm::script_text(usual.value)) ==
          row.becomes);
    CHECK(translation_rows::lost_in(script.losses, usual.losses) == row.lost);
    CHECK(slurm::parse_batch_script(*printed).ok());
    for (const translate::Loss& loss : script.losses) {
        const bool is_usual =
            std::find(usual.losses.begin(), usual.losses.end(), loss) != usual.losses.end();
        if (!is_usual) text += to_text(loss) + "\n";
    }
}

}  // namespace

TEST_CASE("dstack to Slurm: what is asked is asked there, or named", "[dialect][translate]") {
    std::string losses = to_text(translate::to_slurm(run_of(least)).losses);
    for (const TranslationRow& row : key_rows) check_row(row, least + row.text + "\n", losses);
    for (const TranslationRow& row : file_rows) check_row(row, row.text, losses);
    check_golden("translate_dstack_losses.txt", losses);
}

TEST_CASE("dstack to Slurm: what asks for nothing loses nothing", "[dialect][translate]") {
    dstack::RunConfiguration run;
    run.resources = dstack::Resources::unconstrained();
    run.resources.cpu.count = Range<Count>();
    const auto script = translate::to_slurm(run);
    CHECK(script.losses.empty());
    CHECK(*slurm::script_text(script.value) == "#!/bin/bash\n#SBATCH --nodes=1\n");
}

TEST_CASE("dstack to Slurm: passwords are not shown", "[dialect][translate]") {
    const auto script =
        translate::to_slurm(run_of(least + "registry_auth: {username: a, password: secret}\n"));
    CHECK(to_text(script.losses).find("secret") == std::string::npos);
}

TEST_CASE("dstack to Slurm: any run becomes a script that can be printed", "[dialect][translate]") {
    dstack::RunConfiguration run;
    run.name = "a\nb";
    run.nodes = Count::max();
    run.resources.memory = Range<Bytes>::exactly(Bytes::max());
    run.profile.max_duration = dstack::DurationLimit{false, Seconds::max()};
    run.env = {{"A", "1\n2"}, {"B", std::nullopt}};
    for (const char* key : {"image", "working_dir", "shell"}) {
        run.passthrough.push_back({key, 0, "\"a\\x0ab\""});
    }
    run.passthrough.push_back({"commands", 0, "[\"#SBATCH -n8\\x0ax\"]"});
    run.passthrough.push_back({"tags", 0, "no yaml: ["});
    const auto script = translate::to_slurm(run);
    const auto text = slurm::script_text(script.value);
    REQUIRE(text.ok());
    CHECK(*text ==
          "#!/bin/bash\n#SBATCH --cpus-per-task=2\n#SBATCH --export=ALL,B\n\n"
          ":\n#SBATCH -n8\nx\n");
    CHECK(translation_rows::lost_in(script.losses, {}) ==
          "dropped name, dropped nodes, changed resources.cpu, dropped resources.memory, "
          "dropped resources.disk, dropped max_duration, dropped env, dropped image, "
          "dropped working_dir, dropped shell, dropped tags, note commands");
}

}  // namespace trestle
