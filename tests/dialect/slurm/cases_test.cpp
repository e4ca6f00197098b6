// SPDX-License-Identifier: Apache-2.0
// Other people's files, tests/data/cases/slurm: each says in its first line what is right, as a
// slurmctld of the releases that it names decides.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/paths.hpp"
#include "support/slurm_answers.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/dialect/slurm/script/batch_script.hpp"
#include "trestle/dialect/translate/slurm_to_dstack.hpp"

namespace trestle {
namespace {

using slurm_answers::controller_of;
using slurm_answers::submit;
using slurm_answers::text_of;

/// A case: what its first comment says, and the input.
struct CaseFile {
    std::string told;
    std::string text;
    std::map<std::string, std::string> sections;  ///< of a .case, by name
};

CaseFile case_file(const std::filesystem::path& name) {
    std::ifstream file(data_dir() / "cases" / "slurm" / name, std::ios::binary);
    REQUIRE(file.good());
    CaseFile found;
    found.text.assign(std::istreambuf_iterator<char>(file), {});
    std::string section;
    for (std::string_view rest = found.text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (found.told.empty() && line.starts_with("# right")) found.told = line;
        if (line.starts_with('[') && line.ends_with(']')) {
            section = line.substr(1, line.size() - 2);
            found.sections[section];
        } else if (!section.empty()) {
            (found.sections[section] += line) += '\n';
        }
    }
    return found;
}

/// The jobs of a .case, line by line: `options`, `tag: options` and `free tag`. A job without a tag
/// ends before the next one. `visit(options, answer)` sees each.
template <class Visit>
void run_jobs(const CaseFile& given, const Visit& visit) {
    slurm::Controller controller =
        controller_of(given.sections.at("slurm.conf"), given.sections.at("gres.conf"));
    std::map<std::string, OwnerId, std::less<>> owners;
    for (std::string_view rest = given.sections.at("jobs"); !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() + 1);
        if (line.starts_with("free ")) {
            REQUIRE(controller.release(owners.at(std::string(line.substr(5)))).ok());
            continue;
        }
        std::string tag;
        if (line.size() > 2 && line[1] == ':') {
            tag = line.substr(0, 1);
            line.remove_prefix(3);
        }
        const std::size_t end = line.find(" => ");
        const slurm::Decision decision = submit(controller, line.substr(0, end));
        visit(line, text_of(decision));
        if (!decision.owner) continue;
        if (tag.empty()) {
            REQUIRE(controller.release(*decision.owner).ok());
        } else {
            owners[tag] = *decision.owner;
        }
    }
}

std::string answer_to(const CaseFile& given) {
    std::string last;
    run_jobs(given, [&](std::string_view, std::string answer) { last = std::move(answer); });
    return last;
}

struct CaseRow {
    std::string file;
    std::string told;      ///< part of the first line
    std::string expected;  ///< the same in the words of `ask`
    std::function<std::string(const CaseFile&)> ask;
};

slurm::ClusterReading read_conf(const CaseFile& given, const slurm::ConfFiles& files = {}) {
    return slurm::read_cluster({.slurm_conf = given.text, .files = &files});
}

/// `errors` and `warnings`, then what the visitor says of the configuration.
std::string told_of(const slurm::ClusterReading& reading, const std::string& more) {
    return fmt::format("{} errors, {} warnings, {}", reading.errors.size(),
                       reading.built.warnings.size(), more);
}

std::string cpus_of(const slurm::NodeLine& line) {
    return fmt::format("{}x{}x{}", line.sockets, line.cores_per_socket, line.threads_per_core);
}

std::string nodes_of(const CaseFile& given) {
    const auto reading = read_conf(given);
    REQUIRE(reading.conf.nodes.size() == 1);
    return told_of(reading, cpus_of(reading.conf.nodes.front()));
}

std::string carried_of(const CaseFile& given) {
    const auto reading = read_conf(given);
    return told_of(reading, fmt::format("{} carried", reading.conf.passthrough.size()));
}

slurm::JobOptions options_of(const CaseFile& given) {
    const auto submission = slurm::parse_script(given.text);
    INFO(message(submission.status()));
    REQUIRE(submission.ok());
    return submission->components.front().options;
}

translate::TaskTranslation to_dstack(const CaseFile& given) {
    const auto script = slurm::parse_batch_script(given.text);
    REQUIRE(script.ok());
    auto run = translate::to_dstack(*script);
    INFO(message(run.status()));
    REQUIRE(run.ok());
    return *std::move(run);
}

/// GPUs by node, on a cluster of two nodes with eight each.
std::vector<Count> devices_placed(const slurm::JobOptions& options) {
    const auto request = slurm::request_of(options);
    INFO(message(request.status()));
    REQUIRE(request.ok());
    Cluster cluster = controller_of(
                          "GresTypes=gpu\nNodeName=n[1-2] CPUs=16 Gres=gpu:8\nPartitionName=p "
                          "Nodes=ALL Default=YES\n",
                          "Name=gpu File=/dev/nvidia[0-7]\n")
                          .cluster();
    const auto placed = place(cluster, *request);
    REQUIRE(placed);
    std::vector<Count> counts;
    for (const NodePlacement& node : placed->nodes) {
        counts.emplace_back(static_cast<std::int64_t>(node.devices.size()));
    }
    return counts;
}

const std::vector<CaseRow>& rows() {
    static const std::vector<CaseRow> all{
        {"k03a_CPUs_and_Procs.conf", "CPUTot=96", "0 errors, 1 warnings, 2x24x2", nodes_of},
        {"k03b_Feature_and_Features.conf", "AvailableFeatures=x", "0 errors, 1 warnings, x",
         [](const CaseFile& given) {
             const auto reading = read_conf(given);
             return told_of(reading,
                            fmt::format("{}", fmt::join(reading.conf.nodes.at(0).features, ",")));
         }},
        {"k04a_continued_value.conf",
         "no error, SchedulerParameters=bf_continue,bf_window=100,max_switch_wait=60",
         "0 errors, 0 warnings, bf_continue,bf_window=100,max_switch_wait=60 60",
         [](const CaseFile& given) {
             const auto reading = read_conf(given);
             const auto& scheduler = reading.conf.parameters.scheduler;
             return told_of(
                 reading, fmt::format("{} {}", scheduler.text, scheduler.max_switch_wait.value()));
         }},
        {"k04b_continuation_then_blank.conf", "no error, n1 has RealMemory=5",
         "0 errors, 0 warnings, 5",
         [](const CaseFile& given) {
             const auto reading = read_conf(given);
             return told_of(reading,
                            fmt::format("{}", reading.conf.nodes.at(0).memory.value() >> 20));
         }},
        {"k05a_DefaultTime_above_MaxTime.conf", "MaxTime=01:00:00 DefaultTime=NONE",
         "0 errors, 1 warnings, MaxTime=3600 DefaultTime=NONE",
         [](const CaseFile& given) {
             const auto reading = read_conf(given);
             const auto& line = reading.conf.partitions.at(0);
             return told_of(reading, fmt::format("MaxTime={} DefaultTime={}",
                                                 line.max_time.value_or(Seconds(0)).value(),
                                                 line.default_time ? "some" : "NONE"));
         }},
        {"k05b_CPUs_reset.conf", "a warning, CPUs reset to 8", "0 errors, 1 warnings, 2x4x1",
         nodes_of},
        {"k05c_Boards_and_CPUs.conf", "Sockets=2 inferred from CPUs, CPUTot=64",
         "0 errors, 0 warnings, 2x16x2", nodes_of},
        {"k05d_trailing_comma.conf", "no error", "0 errors, 2 warnings, gpu:4 4",
         [](const CaseFile& given) {
             const auto reading = read_conf(given);
             const auto& line = reading.conf.nodes.at(0);
             return told_of(reading,
                            fmt::format("{} {}", to_text(line.gres.at(0).gres),
                                        reading.built.cluster.shape(NodeId(0)).devices.size()));
         }},
        {"k05e_Cores_beyond_node.gres.conf", "Cores ignored, jobs run without affinity",
         "0 errors, 2 warnings, 8 devices, no cores",
         [](const CaseFile& given) {
             const auto reading = slurm::read_cluster(
                 {.slurm_conf = "GresTypes=gpu\nNodeName=n1 Sockets=2 CoresPerSocket=16 "
                                "ThreadsPerCore=2 Gres=gpu:8\nPartitionName=p Nodes=n1\n",
                  .gres_conf = given.text});
             const auto& devices = reading.built.cluster.shape(NodeId(0)).devices;
             return told_of(reading, fmt::format("{} devices, {} cores", devices.size(),
                                                 devices.at(0).cores.is_empty() ? "no" : "some"));
         }},
        {"k06a_old_storage_keys.conf", "keys of Slurm, carried", "0 errors, 0 warnings, 5 carried",
         carried_of},
        {"k06b_new_keys.conf", "keys of Slurm, carried", "0 errors, 0 warnings, 5 carried",
         carried_of},
        {"k06f_include_modifier.conf", "includes c_nodes.conf", "0 errors, 0 warnings, 2 nodes",
         [](const CaseFile& given) {
             const auto reading =
                 read_conf(given, [](std::string_view name) -> std::optional<std::string> {
                     if (name == "c_nodes.conf") return "NodeName=a,b\n";
                     return std::nullopt;
                 });
             return told_of(reading, fmt::format("{} nodes", reading.built.cluster.node_count()));
         }},
        {"k07a_constraint_comma.sbatch", "--constraint=knl&quad&cache", "knl&quad&cache",
         [](const CaseFile& given) {
             return to_text(
                 options_of(given).constraint.value_or(slurm::NodeConstraint()).features);
         }},
        {"k07b_array_brackets.sbatch", "--array=0-9", "0-9",
         [](const CaseFile& given) {
             const auto array = options_of(given).array.value_or(slurm::JobArray());
             REQUIRE(array.ranges.size() == 1);
             return fmt::format("{}-{}", array.ranges.front().first, array.ranges.front().last);
         }},
        {"k07e_container_type.sbatch", "--container-type is an option", "container-type=x",
         [](const CaseFile& given) {
             const auto& carried = options_of(given).passthrough;
             REQUIRE(carried.size() == 1);
             return carried.front().name + "=" + carried.front().value.value_or("");
         }},
        {"k13a_grant_null.txt", "reads the line, no GRES", "n1 0-35 0 GRES",
         [](const CaseFile& given) {
             const auto grants =
                 slurm::parse_grants(std::string_view(given.text).substr(given.told.size() + 1));
             INFO(message(grants.status()));
             REQUIRE(grants.ok());
             const slurm::NodeGrant& grant = grants->front();
             return fmt::format("{} {} {} GRES", grant.node, to_text(grant.cpu_ids),
                                grant.gres.size());
         }},
        {"k14c_exclusive_to_place.sbatch", "request_of + place give all 8 GPUs of the node",
         "8 8 1 losses",
         [](const CaseFile& given) {
             std::string text;
             for (const Count count : devices_placed(options_of(given))) {
                 text += fmt::format("{} ", count.value());
             }
             const auto run = to_dstack(given);
             return text +
                    fmt::format("{} losses", std::count_if(run.losses.begin(), run.losses.end(),
                                                           [](const translate::Loss& one) {
                                                               return one.what == "--exclusive";
                                                           }));
         }},
        {"k16a_overcommit_request.sbatch", "request_of gives 2 nodes of 1 CPU",
         "2 nodes, 1.. 1.. CPUs",
         [](const CaseFile& given) {
             const auto request = slurm::request_of(options_of(given));
             INFO(message(request.status()));
             REQUIRE(request.ok());
             return fmt::format("{} nodes, {} {} CPUs", to_text(request->nodes),
                                to_text(request->cpus_per_task),
                                to_text(to_dstack(given).value.resources.cpu.count));
         }},
        {"k17a_dstack_gpu_memory.sbatch", "gpu A100:80GB:4", "A100 80GiB 4",
         [](const CaseFile& given) {
             const auto gpu = to_dstack(given).value.resources.gpu;
             REQUIRE(gpu);
             return fmt::format("{} {} {}", gpu->names.at(0), to_text(gpu->memory),
                                to_text(gpu->count));
         }},
        {"k18a_dos_lines.sbatch", "sbatch refuses", "4 tasks, 1 warnings",
         [](const CaseFile& given) {
             const auto reading = slurm::read_script(given.text);
             return fmt::format(
                 "{} tasks, {} warnings",
                 reading.submission.components.at(0).options.ntasks.value_or(Count()).value(),
                 reading.warnings.size());
         }},
        {"k06e_TopologyParam_old.conf", "no error", "0 errors, 2 warnings, 0 carried", carried_of},
        {"k12a_Cores_in_brackets.gres.conf", "Cores=0-7 and 8-15", "0-7 8-15",
         [](const CaseFile& given) {
             const auto reading = slurm::read_gres_conf(given.text);
             REQUIRE(reading.errors.empty());
             REQUIRE(reading.lines.size() == 2);
             return fmt::format("{} {}", to_text(*reading.lines[0].cores),
                                to_text(*reading.lines[1].cores));
         }},
        {"k01a_cpus_per_gpu_one_task.case", "allocated n1 CPU_IDs=0-3,8-11 GRES=gpu:1(IDX:0)",
         "n1:0-3,8-11 64000M gpu:1(0)", answer_to},
        {"k01b_cpus_per_gpu_total_gpus.case", "allocated n1 CPU_IDs=0-1,8-9 GRES=gpu:2(IDX:0-1)",
         "n1:0-1,8-9 64000M gpu:2(0-1)", answer_to},
        {"k01c_DefCpuPerGPU_partition.case", "allocated n1 CPU_IDs=0-1,8-9 GRES=gpu:2(IDX:0-1)",
         "n1:0-1,8-9 64000M gpu:2(0-1)", answer_to},
        {"k01d_cpus_per_gpu_spread.case", "n1 CPU_IDs=0-1,8-9 (two sockets)",
         "n1:0-1,8-9 64000M gpu:2(0-1)", answer_to},
        {"k02a_CR_Core_mem_beyond_node.case", "refused", "refused", answer_to},
        {"k02b_CR_Core_MaxMemPerNode.case", "pending PartitionConfig (22.05.8)",
         "pending PartitionConfig", answer_to},
        {"k08a_mem_per_cpu_0.case", "allocated with Mem=64000", "n1:0 64000M", answer_to},
        {"k09a_CPUs_equal_cores.case", "CPU_IDs=0-31 with NumCPUs=16 Mem=16000", "n1:0-31 16000M",
         answer_to},
        {"k10a_ntasks_per_node_best_fit.case", "e is on n2", "n2:2 1000M", answer_to},
        {"k11a_cons_res_gpu.case", "CPU_IDs=0-7", "n1:0-7 64000M gpu:1(0)", answer_to},
        {"k14a_exclusive_unlike_gpus.case", "b1 with 8 GPUs", "b1:0-15 16000M gpu:8(0-7)",
         answer_to},
        {"k15a_ntasks_per_socket_c.case", "refused", "refused", answer_to},
        {"k15b_odd_c.case", "50 CPUs a node, Mem=100000",
         "r1:0-25,40-63 100000M; r2:0-25,40-63 100000M", answer_to},
        {"k15c_gpu_ids_whole_node.case", "IDX:0-2,4", "n1:0-15 16000M gpu:4(0-2,4)", answer_to},
    };
    return all;
}

}  // namespace

TEST_CASE("Slurm cases: each file of others comes out as its first line says",
          "[dialect][slurm][cases]") {
    for (const CaseRow& row : rows()) {
        const CaseFile given = case_file(row.file);
        INFO(row.file << "\n" << given.told);
        CHECK_THAT(given.told, Catch::Matchers::ContainsSubstring(row.told));
        CHECK(row.ask(given) == row.expected);
    }
}

TEST_CASE("Slurm cases: a whole node is placed with all of its GPUs, however they were asked for",
          "[dialect][slurm][cases]") {
    struct Row {
        const char* options;
        std::vector<Count> devices;
    };
    const Row rows[] = {
        {"-N1 --exclusive", {Count(8)}},
        {"-N1 --exclusive --gres=gpu:2", {Count(8)}},
        {"-N1 --exclusive -G4", {Count(8)}},
        {"-N2 --exclusive -G4", {Count(8), Count(8)}},
        {"-N1 -n2 --exclusive --gpus-per-task=1", {Count(8)}},
        {"-n2 --exclusive --gpus-per-task=1", {Count(8)}},
        {"-N2 -n2 --exclusive --gpus-per-task=1", {Count(8), Count(8)}},
        {"-N1 -G4", {Count(4)}},
    };
    for (const Row& row : rows) {
        INFO(row.options);
        const auto submission = slurm::parse_option_text(row.options);
        REQUIRE(submission.ok());
        CHECK(devices_placed(submission->components.front().options) == row.devices);
    }
}

TEST_CASE("Slurm cases: what a slurmctld answered to jobs of these kinds",
          "[dialect][slurm][cases]") {
    std::size_t jobs = 0;
    std::size_t known_different = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(data_dir() / "cases" / "slurm" / "asked")) {
        const CaseFile given = case_file(entry.path());
        run_jobs(given, [&](std::string_view line, const std::string& answer) {
            INFO(entry.path().filename().string() << ": " << line);
            constexpr std::string_view mark = " | here: ";  // known to differ: what is said here
            const std::string_view answers = line.substr(line.find(" => ") + 4);
            const std::size_t end = answers.find(mark);
            const bool differs = end != answers.npos;
            CHECK(answer == (differs ? answers.substr(end + mark.size()) : answers));
            if (differs) CHECK(answer != answers.substr(0, end));
            if (differs) ++known_different;
            ++jobs;
        });
    }
    CHECK(jobs > 200);
    CHECK(known_different == 5);  // docs/slurm_rules.md lists them
}

}  // namespace trestle
