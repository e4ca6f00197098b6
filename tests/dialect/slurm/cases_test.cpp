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

/// A case: the whole file.
struct CaseFile {
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
void run_jobs(const CaseFile& given, slurm::Release release, const Visit& visit) {
    const auto section = [&](const char* name) {
        const auto found = given.sections.find(name);
        return found == given.sections.end() ? std::string() : found->second;
    };
    slurm::Controller controller =
        controller_of(section("slurm.conf"), section("gres.conf"), "", release);
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

std::string answer_to(const CaseFile& given, slurm::Release release) {
    std::string last;
    run_jobs(given, release,
             [&](std::string_view, std::string answer) { last = std::move(answer); });
    return last;
}

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

/// The first line of a .txt ends where the input starts.
std::string grant_of_line(const CaseFile& given) {
    std::string_view line = given.text;
    while (line.starts_with("# ")) line.remove_prefix(line.find('\n') + 1);
    const auto grants = slurm::parse_grants(line);
    INFO(message(grants.status()));
    REQUIRE(grants.ok());
    const slurm::NodeGrant& grant = grants->front();
    return fmt::format("{} {} {} GRES", grant.node, to_text(grant.cpu_ids), grant.gres.size());
}

std::string device_cores_of(const CaseFile& given) {
    const auto reading = slurm::read_cluster(
        {.slurm_conf = "GresTypes=gpu\nNodeName=n1 Sockets=2 CoresPerSocket=16 "
                       "ThreadsPerCore=2 Gres=gpu:8\nPartitionName=p Nodes=n1\n",
         .gres_conf = given.text});
    const auto& devices = reading.built.cluster.shape(NodeId(0)).devices;
    return told_of(reading, fmt::format("{} devices, {} cores", devices.size(),
                                        devices.at(0).cores.is_empty() ? "no" : "some"));
}

std::string included_nodes_of(const CaseFile& given) {
    const auto reading = read_conf(given, [](std::string_view name) -> std::optional<std::string> {
        if (name == "c_nodes.conf") return "NodeName=a,b\n";
        return std::nullopt;
    });
    return told_of(reading, fmt::format("{} nodes", reading.built.cluster.node_count()));
}

std::string gres_cores_of(const CaseFile& given) {
    const auto reading = slurm::read_gres_conf(given.text);
    REQUIRE(reading.errors.empty());
    std::vector<std::string> cores;
    for (const slurm::GresLine& line : reading.lines) {
        cores.push_back(line.cores ? to_text(*line.cores) : "none");
    }
    return fmt::format("{}", fmt::join(cores, " "));
}

std::string times_of(const CaseFile& given) {
    const auto reading = read_conf(given);
    const auto& line = reading.conf.partitions.at(0);
    return told_of(
        reading,
        fmt::format(
            "MaxTime={} DefaultTime={}", line.max_time.value_or(Seconds(0)).value(),
            line.default_time ? std::to_string(line.default_time->value()) : std::string("NONE")));
}

std::string scheduler_of(const CaseFile& given) {
    const auto reading = read_conf(given);
    const auto& scheduler = reading.conf.parameters.scheduler;
    return told_of(reading,
                   fmt::format("{} {}", scheduler.text, scheduler.max_switch_wait.value()));
}

std::string gres_of_node(const CaseFile& given) {
    const auto reading = read_conf(given);
    return told_of(reading,
                   fmt::format("{} {} devices", to_text(reading.conf.nodes.at(0).gres.at(0).gres),
                               reading.built.cluster.shape(NodeId(0)).devices.size()));
}

std::string array_of(const CaseFile& given) {
    std::vector<std::string> ranges;
    for (const auto& one : options_of(given).array.value_or(slurm::JobArray()).ranges) {
        ranges.push_back(fmt::format("{}-{}", one.first, one.last));
    }
    return fmt::format("{}", fmt::join(ranges, ","));
}

std::string passed_through(const CaseFile& given) {
    std::vector<std::string> all;
    for (const auto& one : options_of(given).passthrough) {
        all.push_back(one.value ? one.name + "=" + *one.value : one.name);
    }
    return fmt::format("{}", fmt::join(all, " "));
}

std::string placed_gpus_of(const CaseFile& given) {
    std::vector<std::int64_t> counts;
    for (const Count count : devices_placed(options_of(given))) counts.push_back(count.value());
    const auto run = to_dstack(given);
    return fmt::format(
        "{}, {} losses", fmt::join(counts, " "),
        std::count_if(run.losses.begin(), run.losses.end(),
                      [](const translate::Loss& one) { return one.what == "--exclusive"; }));
}

std::string request_text_of(const CaseFile& given) {
    const auto request = slurm::request_of(options_of(given));
    INFO(message(request.status()));
    REQUIRE(request.ok());
    return fmt::format("{} nodes, {} CPUs, {} of dstack", to_text(request->nodes),
                       to_text(request->cpus_per_task),
                       to_text(to_dstack(given).value.resources.cpu.count));
}

std::string dstack_gpu_of(const CaseFile& given) {
    const auto gpu = to_dstack(given).value.resources.gpu;
    REQUIRE(gpu);
    return fmt::format("{} {} {}", gpu->names.at(0), to_text(gpu->memory), to_text(gpu->count));
}

std::string tasks_of(const CaseFile& given) {
    const auto reading = slurm::read_script(given.text);
    return fmt::format("{} tasks, {} warnings",
                       reading.submission.components.at(0).options.ntasks.value_or(Count()).value(),
                       reading.warnings.size());
}

/// What a first line may ask of a file, and how that is said.
using Verb = std::string (*)(const CaseFile&);
const std::map<std::string, Verb, std::less<>>& verbs() {
    static const std::map<std::string, Verb, std::less<>> all{
        {"nodes", &nodes_of},
        {"carried", &carried_of},
        {"features",
         [](const CaseFile& given) {
             const auto reading = read_conf(given);
             return told_of(reading,
                            fmt::format("{}", fmt::join(reading.conf.nodes.at(0).features, ",")));
         }},
        {"scheduler", &scheduler_of},
        {"memory",
         [](const CaseFile& given) {
             const auto reading = read_conf(given);
             return told_of(reading,
                            fmt::format("{} MiB", reading.conf.nodes.at(0).memory.value() >> 20));
         }},
        {"times", &times_of},
        {"gres", &gres_of_node},
        {"device cores", &device_cores_of},
        {"gres cores", &gres_cores_of},
        {"included nodes", &included_nodes_of},
        {"constraint",
         [](const CaseFile& given) {
             return to_text(
                 options_of(given).constraint.value_or(slurm::NodeConstraint()).features);
         }},
        {"array", &array_of},
        {"passed through", &passed_through},
        {"grant", &grant_of_line},
        {"placed GPUs", &placed_gpus_of},
        {"request", &request_text_of},
        {"dstack gpu", &dstack_gpu_of},
        {"tasks", &tasks_of},
    };
    return all;
}

/// `# right (22.05.8, 24.11.5): answer = refused | why`: what is right by which releases.
struct RightLine {
    std::vector<slurm::Release> releases;  ///< those that are followed, of the ones it names
    std::string verb;
    std::string value;
};

std::vector<RightLine> right_lines(std::string_view text) {
    constexpr std::string_view mark = "# right (";
    std::vector<RightLine> lines;
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (!line.starts_with(mark)) {
            if (!line.starts_with("#!")) break;
            continue;
        }
        if (line.ends_with('\r')) line.remove_suffix(1);
        INFO(line);
        const std::size_t verb = line.find("): ");
        const std::size_t value = line.find(" = ");
        REQUIRE(verb != line.npos);
        REQUIRE(value != line.npos);
        RightLine right;
        const std::string_view who = line.substr(0, verb);
        for (const slurm::Release release :
             {slurm::Release::v22_05, slurm::Release::v24_11, slurm::Release::v26_05}) {
            std::string version(to_text(release).substr(1));
            version[version.find('_')] = '.';
            if (who.find(version) != who.npos) right.releases.push_back(release);
        }
        right.verb = line.substr(verb + 3, value - verb - 3);
        right.value = line.substr(value + 3, line.find(" | ") - value - 3);
        lines.push_back(std::move(right));
    }
    return lines;
}

}  // namespace

TEST_CASE("Slurm cases: each file of others comes out as its first line says",
          "[dialect][slurm][cases]") {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(data_dir() / "cases" / "slurm")) {
        if (!entry.is_regular_file()) continue;
        const CaseFile given = case_file(entry.path());
        INFO(entry.path().filename().string());
        const auto rights = right_lines(given.text);
        CHECK_FALSE(rights.empty());  // a file that says nothing is no case
        ++files;
        for (const RightLine& right : rights) {
            INFO(right.verb);
            if (right.verb == "answer") {
                CHECK_FALSE(right.releases.empty());
                for (const slurm::Release release : right.releases) {
                    INFO(to_text(release));
                    CHECK(answer_to(given, release) == right.value);
                }
                continue;
            }
            const auto verb = verbs().find(right.verb);
            REQUIRE(verb != verbs().end());
            CHECK(verb->second(given) == right.value);
        }
    }
    CHECK(files >= 36);
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
        run_jobs(given, slurm::Release::v22_05,
                 [&](std::string_view line, const std::string& answer) {
                     INFO(entry.path().filename().string() << ": " << line);
                     constexpr std::string_view mark =
                         " | here: ";  // known to differ: what is said here
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
    CHECK(known_different == 3);  // docs/slurm_rules.md lists them
}

}  // namespace trestle
