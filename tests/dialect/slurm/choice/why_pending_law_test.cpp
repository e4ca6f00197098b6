// SPDX-License-Identifier: Apache-2.0
// What the controller says of jobs that wait, beside a plain count of all nodes.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "support/slurm_answers.hpp"
#include "support/slurm_worlds.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"

namespace trestle {
namespace {

using slurm::Answer;
using slurm::Controller;
using slurm::Decision;
using slurm::Reason;

/// What a node has free, counted one by one.
struct PlainNode {
    std::string name;
    std::int64_t cpus = 0;
    std::int64_t memory = 0;  ///< MiB
    std::int64_t gpus = 0;    ///< that no job has a part of
    std::int64_t a100s = 0;   ///< of these
};

PlainNode plain_node(const Cluster& cluster, NodeId id) {
    const NodeShape& shape = cluster.shape(id);
    const FreeState& free = cluster.free(id);
    PlainNode node{cluster.name(id)};
    for (const CoreId core : free.cores) {
        node.cpus += static_cast<std::int64_t>(shape.hardware.cores[core.value()].threads.size());
    }
    for (const Bytes bytes : free.memory) node.memory += bytes.value() >> 20;
    for (std::size_t d = 0; d < shape.devices.size(); ++d) {
        if (shape.devices[d].name != "gpu" || free.shares[d] != shape.devices[d].shares) continue;
        ++node.gpus;
        if (shape.devices[d].type == "a100") ++node.a100s;
    }
    return node;
}

/// Those of the partition that take work.
std::vector<PlainNode> plain_nodes(const Cluster& cluster, std::string_view partition) {
    std::vector<PlainNode> nodes;
    for (const Partition& one : cluster.partitions()) {
        if (one.name != partition) continue;
        for (const NodeId id : one.nodes) {
            if (cluster.class_of(id).state == NodeState::up) {
                nodes.push_back(plain_node(cluster, id));
            }
        }
    }
    return nodes;
}

/// `ASKED: a node of partition P has at most MOST free (NODE; IDLE when idle)`.
struct SaidOfNode {
    std::string asked;
    std::string partition;
    bool is_of_all = false;  ///< and not of those alone that meet something else
    std::int64_t most = 0;
    std::string node;
};

std::optional<SaidOfNode> said_of_node(const std::string& message) {
    static const std::regex form(
        R"((\S+): a node of partition (\w+)( that meets the other conditions| that takes work)?)"
        R"( has at most (\d+)[^()]* free \((\w+).*)");
    std::smatch match;
    if (!std::regex_match(message, match, form)) return std::nullopt;
    return SaidOfNode{match[1], match[2], match[3] != " that meets the other conditions",
                      std::stoll(match[4]), match[5]};
}

/// `ASKED CPUs of the job: NODES nodes of partition P have at most MOST free`.
struct SaidOfCpus {
    std::int64_t asked = 0;
    std::size_t nodes = 0;
    std::string partition;
    bool is_of_all = false;
    std::int64_t most = 0;
};

std::optional<SaidOfCpus> said_of_cpus(const std::string& message) {
    static const std::regex form(
        R"((\d+) CPUs of the job: (\d+) nodes? of partition (\w+)( that [a-z ]+)? ha(?:s|ve) at most )"
        R"((\d+) free.*)");
    std::smatch match;
    if (!std::regex_match(message, match, form)) return std::nullopt;
    const std::string others = match[4];
    return SaidOfCpus{std::stoll(match[1]), std::stoull(match[2]), match[3],
                      others.find("conditions") == std::string::npos, std::stoll(match[5])};
}

/// Two to five nodes, hardly two of them alike.
Controller random_small_controller(Rng& rng) {
    std::string conf =
        "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1\nGresTypes=gpu\n"
        "PartitionName=p Nodes=ALL Default=YES\n";
    std::string gres;
    const std::uint64_t nodes = rng.below(4) + 2;
    for (std::uint64_t n = 0; n < nodes; ++n) {
        const std::uint64_t cores = rng.below(7) + 2;
        const std::uint64_t memory = (rng.below(8) + 1) * 1000;
        const std::uint64_t gpus = rng.below(5);
        conf += fmt::format("NodeName=n{} Sockets=1 CoresPerSocket={} RealMemory={}{}\n", n, cores,
                            memory, gpus > 0 ? fmt::format(" Gres=gpu:{}", gpus) : "");
        if (gpus == 0) continue;
        gres += fmt::format("NodeName=n{} Name=gpu File=/dev/nvidia[0-{}]\n", n, gpus - 1);
    }
    return slurm_answers::controller_of(conf, gres, "", slurm::Release::v24_11);
}

/// A job on one node, which may be too large for it.
std::string random_fill(Rng& rng, const std::vector<PlainNode>& nodes) {
    const PlainNode& node = nodes[rng.below(nodes.size())];
    const std::uint64_t tasks = rng.below(4) + 1;
    const std::uint64_t memory = rng.below(4) * 700 + 1;
    const std::uint64_t gpus = rng.below(3);
    return fmt::format("-w {} -N 1 -n {} --mem={}{}", node.name, tasks, memory,
                       gpus > 0 ? fmt::format(" --gres=gpu:{}", gpus) : "");
}

/// A job of one task a node; 0: not asked for.
struct PlainQuestion {
    std::string options;
    std::int64_t nodes = 1;
    std::int64_t cpus = 1;  ///< of a node
    std::string asked_cpus;
    std::int64_t memory = 1;
    std::int64_t gpus = 0;
    bool is_of_sum = false;  ///< the CPUs are of the whole job
};

PlainQuestion random_question(Rng& rng, std::size_t kind) {
    PlainQuestion question;
    const auto number = static_cast<std::int64_t>(rng.below(6)) + 1;
    switch (kind) {
        case 0:
            question.cpus = number + 1;
            question.options = fmt::format("-n 1 -c {} --mem=1", question.cpus);
            break;
        case 1:
            question.memory = number * 900;
            question.options = fmt::format("-n 1 --mem={}", question.memory);
            break;
        case 2:
            question.gpus = (number + 1) / 2 + 1;
            question.options = fmt::format("-n 1 --mem=1 --gres=gpu:{}", question.gpus);
            break;
        case 3:
            question.cpus = number + 1;
            question.is_of_sum = true;
            question.options = fmt::format("-N 1 -n {} --mem=1", question.cpus);
            break;
        default:
            question.nodes = 2 + number / 3;
            question.gpus = 1 + number % 2;
            question.options =
                fmt::format("-N {0} -n {0} --mem=1 --gres=gpu:{1}", question.nodes, question.gpus);
    }
    return question;
}

/// Of each node in turn: the first condition that no node meets, or that too few meet.
class PlainWords {
  public:
    PlainWords(const PlainQuestion& question, const std::vector<PlainNode>& now,
               const std::vector<PlainNode>& idle)
        : question_(question), left_(now), idle_(idle) {}

    std::optional<std::string> find() {
        const std::int64_t cpus = question_.is_of_sum ? 1 : question_.cpus;
        keep(fmt::format("--cpus-per-task={}", cpus), cpus, " CPUs", &PlainNode::cpus);
        keep(fmt::format("--mem={}M", question_.memory), question_.memory, "M", &PlainNode::memory);
        keep(fmt::format("--gres=gpu:{}", question_.gpus), question_.gpus, "", &PlainNode::gpus);
        if (!words_ && left_.size() < static_cast<std::size_t>(question_.nodes)) say_count();
        if (!words_ && question_.is_of_sum) say_sum();
        return words_;
    }

  private:
    static std::int64_t most_of(const std::vector<PlainNode>& nodes,
                                std::int64_t PlainNode::*units) {
        std::int64_t most = 0;
        for (const PlainNode& node : nodes) most = std::max(most, node.*units);
        return most;
    }
    [[nodiscard]] std::string that_meets() const {
        return is_narrowed_ ? " that meets the other conditions" : "";
    }
    static std::string amount(std::int64_t most, const std::string& unit) {
        if (most == 0) return "none";
        return fmt::format("at most {}{}", most, most == 1 && unit == " CPUs" ? " CPU" : unit);
    }

    void keep(const std::string& option, std::int64_t asked, const std::string& unit,
              std::int64_t PlainNode::*units) {
        if (words_ || asked == 0) return;
        const std::int64_t most = most_of(left_, units);
        const std::int64_t idle = most_of(idle_, units);
        const std::string mebi = unit == "M" ? "M" : "";
        if (most == 0) {
            words_ = fmt::format("{}: no node of partition p{} has any free ({}{} when idle)",
                                 option, that_meets(), idle, mebi);
            return;
        }
        if (most < asked) {
            const auto best = std::find_if(left_.begin(), left_.end(), [&](const PlainNode& node) {
                return node.*units == most;
            });
            words_ = fmt::format("{}: a node of partition p{} has {} free ({}", option,
                                 that_meets(), amount(most, unit), best->name);
            *words_ += idle > most ? fmt::format("; {}{} when idle)", idle, mebi) : ")";
            return;
        }
        std::vector<PlainNode> lacking;
        for (const PlainNode& node : left_) {
            if (node.*units < asked) lacking.push_back(node);
        }
        std::erase_if(left_, [&](const PlainNode& node) { return node.*units < asked; });
        if (lacking.empty()) return;
        is_narrowed_ = true;
        if (lacking.size() <= lacking_count_) return;
        lacking_count_ = lacking.size();
        lacking_ = fmt::format(
            "; {}: {} {} {} free", option,
            lacking.size() == 1 ? "1 node" : fmt::format("{} nodes", lacking.size()),
            lacking.size() == 1 ? "has" : "have", amount(most_of(lacking, units), unit));
    }
    void say_count() {
        const auto suffices = [&](const PlainNode& node) {
            return node.cpus >= 1 && node.gpus >= question_.gpus;
        };
        words_ = fmt::format(
            "--nodes={}: of partition p {} free what is asked of each ({} when idle){}",
            question_.nodes,
            left_.size() == 1 ? "1 node has" : fmt::format("{} nodes have", left_.size()),
            std::count_if(idle_.begin(), idle_.end(), suffices), lacking_);
    }
    void say_sum() {
        const std::int64_t most = most_of(left_, &PlainNode::cpus);
        if (most >= question_.cpus) return;
        const std::int64_t idle = most_of(idle_, &PlainNode::cpus);
        words_ = fmt::format("{} CPUs of the job: 1 node of partition p{} has at most {} free{}",
                             question_.cpus, that_meets(), most,
                             idle > most ? fmt::format(" ({} when idle)", idle) : "");
    }

    const PlainQuestion& question_;
    std::vector<PlainNode> left_;
    const std::vector<PlainNode>& idle_;
    bool is_narrowed_ = false;
    std::size_t lacking_count_ = 0;
    std::string lacking_;
    std::optional<std::string> words_;
};

/// What is said of the job; nothing: it does not wait.
std::optional<std::string> plain_words(const PlainQuestion& question,
                                       const std::vector<PlainNode>& now,
                                       const std::vector<PlainNode>& idle) {
    const auto suffices = [&](const PlainNode& node) {
        return node.cpus >= question.cpus && node.memory >= question.memory &&
               node.gpus >= question.gpus;
    };
    if (std::count_if(idle.begin(), idle.end(), suffices) < question.nodes) return std::nullopt;
    return PlainWords(question, now, idle).find();
}

}  // namespace

TEST_CASE("Slurm select: what is said of a job that waits is what a count of all nodes says",
          "[dialect][slurm][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    std::size_t waiting = 0;
    std::size_t of_the_rest = 0;
    for (std::uint64_t number = 0; number < test_rounds(150u); ++number) {
        const slurm_worlds::World world =
            slurm_worlds::random_world(rng, slurm_worlds::Marks::none);
        const bool has_sockets = world.slurm_conf.find("CR_Socket") != std::string::npos;
        slurm_worlds::Life life(world);
        for (int step = 0; step < 60; ++step) {
            life.change(rng);
            const std::string text = slurm_worlds::random_options(rng, world);
            const slurm::JobOptions options = slurm_worlds::read_options(text);
            const Decision decision = slurm::select(life.cluster, options, life.rules);
            life.commit(decision);
            if (decision.answer == Answer::allocated) continue;
            INFO(text << "\n" << decision.message << "\n" << world.slurm_conf);
            CHECK_FALSE(decision.message.empty());
            if (decision.answer != Answer::pending || decision.reason != Reason::resources) {
                continue;
            }
            ++waiting;
            if (decision.message.find("together") != std::string::npos) ++of_the_rest;
            CHECK(std::any_of(decision.message.begin(), decision.message.end(),
                              [](unsigned char c) { return std::isdigit(c) != 0; }));
            const bool names_nodes = text.find("-x ") != std::string::npos ||
                                     text.find("-w ") != std::string::npos ||
                                     text.find("-C ") != std::string::npos;
            const auto nodes = plain_nodes(life.cluster, decision.partition);
            if (const auto said = said_of_node(decision.message)) {
                CHECK(said->partition == decision.partition);
                const auto check = [&](std::int64_t PlainNode::*units) {
                    std::int64_t most = 0;
                    for (const PlainNode& node : nodes) {
                        most = std::max(most, node.*units);
                        if (node.name == said->node) CHECK(node.*units == said->most);
                    }
                    CHECK(said->most <= most);
                    if (!said->is_of_all || names_nodes) return;
                    CHECK(said->most == most);
                };
                const std::string& asked = said->asked;
                if (asked.starts_with("--gres=gpu:a100")) {
                    check(&PlainNode::a100s);
                } else if (asked.starts_with("--gres=gpu:")) {
                    check(&PlainNode::gpus);
                } else if (asked.starts_with("--mem=")) {
                    check(&PlainNode::memory);
                }
            }
            const auto said = said_of_cpus(decision.message);
            const bool counts_others = has_sockets || text.find("-S ") != std::string::npos ||
                                       text.find("core=1") != std::string::npos ||
                                       text.find("multithread") != std::string::npos ||
                                       world.slurm_conf.find("ONE_TASK") != std::string::npos ||
                                       decision.partition != "p";
            if (!said || counts_others) continue;
            CHECK(said->asked > said->most);
            std::vector<std::int64_t> cpus;
            for (const PlainNode& node : nodes) cpus.push_back(node.cpus);
            std::sort(cpus.rbegin(), cpus.rend());
            std::int64_t most = 0;
            for (std::size_t i = 0; i < std::min(said->nodes, cpus.size()); ++i) most += cpus[i];
            CHECK(said->most <= most);
            if (!said->is_of_all || names_nodes) continue;
            CHECK(said->most == most);
        }
    }
    CHECK(waiting > test_rounds(1000u));
    CHECK(of_the_rest < waiting / 50);  // 0.5 to 1.2 percent, by seed
}

TEST_CASE("Slurm controller: the words of a job that waits are those of a plain count",
          "[dialect][slurm][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    std::size_t waiting[5] = {};
    for (std::uint64_t number = 0; number < test_rounds(1000u); ++number) {
        Controller controller = random_small_controller(rng);
        const auto idle = plain_nodes(controller.cluster(), "p");
        for (std::uint64_t jobs = rng.below(8); jobs-- != 0;) {
            REQUIRE(controller.submit(random_fill(rng, idle)).ok());
        }
        const auto now = plain_nodes(controller.cluster(), "p");
        for (std::size_t kind = 0; kind < std::size(waiting); ++kind) {
            const PlainQuestion question = random_question(rng, kind);
            INFO(question.options);
            const auto expected = plain_words(question, now, idle);
            Controller trial = controller;
            const Decision decision = slurm_answers::submit(trial, question.options);
            CHECK((decision.answer == Answer::pending) == expected.has_value());
            if (!expected) continue;
            CHECK(decision.message == *expected);
            ++waiting[kind];
        }
    }
    for (const std::size_t count : waiting) CHECK(count > test_rounds(60u));
}

}  // namespace trestle
