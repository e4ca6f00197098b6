// SPDX-License-Identifier: Apache-2.0
// Random clusters of Slurm's kind and what happens to them, for laws about choosing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::slurm_worlds {

/// Texts of a cluster. Nodes of one kind stand in a row or are mixed.
struct World {
    std::string slurm_conf;
    std::string gres_conf;
    std::string topology_conf;
    std::vector<std::string> names;
};

/// Whether nodes alike are told apart by a feature that no job asks for: `mark3` of the third.
enum class Marks { none, one_a_node };

inline const std::string& any_of(Rng& rng, const std::vector<std::string>& words) {
    return words[rng.below(words.size())];
}

/// Some names as Slurm writes a list.
inline std::string some_names(Rng& rng, const std::vector<std::string>& names,
                              std::uint64_t percent) {
    std::string list;
    for (const std::string& name : names) {
        if (rng.chance(percent, 100)) list += (list.empty() ? "" : ",") + name;
    }
    return list.empty() ? names[rng.below(names.size())] : list;
}

/// What nodes of one kind have in common, as a line without names.
inline std::string random_kind(Rng& rng) {
    // One draw a line: compilers differ in the order of arguments.
    const char* const set_aside = rng.chance(1, 8) ? " CoreSpecCount=1" : "";
    const std::uint64_t weight = rng.chance(1, 3) ? rng.below(3) + 1 : 1;
    const std::uint64_t memory = 4000 * (rng.below(4) + 1);
    const std::uint64_t threads = rng.below(2) + 1;
    const std::uint64_t cores = rng.below(6) + 2;
    const std::uint64_t sockets = rng.below(2) + 1;
    return fmt::format("Sockets={} CoresPerSocket={} ThreadsPerCore={} RealMemory={} Weight={}{}",
                       sockets, cores, threads, memory, weight, set_aside);
}

inline std::string random_topology(Rng& rng, const std::vector<std::string>& names) {
    std::string text;
    std::vector<std::string> leaves;
    for (std::size_t first = 0; first < names.size();) {
        const std::size_t count = rng.below(5) + 1;
        std::string list;
        for (std::size_t i = first; i < std::min(first + count, names.size()); ++i) {
            if (!rng.chance(1, 15)) list += (list.empty() ? "" : ",") + names[i];
        }
        first += count;
        if (list.empty()) continue;
        leaves.push_back(fmt::format("s{}", leaves.size()));
        text += fmt::format("SwitchName={} Nodes={}\n", leaves.back(), list);
    }
    std::vector<std::string> above;
    for (std::size_t first = 0; first < leaves.size(); first += 3) {
        std::string list;
        for (std::size_t i = first; i < std::min(first + 3, leaves.size()); ++i) {
            list += (list.empty() ? "" : ",") + leaves[i];
        }
        above.push_back(fmt::format("t{}", above.size()));
        text += fmt::format("SwitchName={} Switches={}\n", above.back(), list);
    }
    if (above.size() > 1 && rng.chance(2, 3)) {
        text += "SwitchName=root Switches=";
        for (const std::string& one : above) text += (&one == above.data() ? "" : ",") + one;
        text += "\n";
    }
    return text;
}

inline World random_world(Rng& rng, Marks marks) {
    World world;
    const bool is_tree = rng.chance(1, 2);
    std::string topology = is_tree ? "TopologyPlugin=topology/tree\n" : "";
    if (is_tree && rng.chance(1, 4)) topology += "TopologyParam=TopoOptional\n";
    const char* const memory = rng.chance(1, 2) ? "DefMemPerCPU=500\n" : "";
    const std::string select = any_of(
        rng, {"CR_Core_Memory", "CR_Core_Memory", "CR_Core", "CR_CPU_Memory", "CR_Socket_Memory",
              "CR_Core_Memory,CR_LLN", "CR_Core_Memory,CR_ONE_TASK_PER_CORE", "CR_CPU"});
    world.slurm_conf =
        fmt::format("SelectTypeParameters={}\nGresTypes=gpu,shard,lic\nLicenses=soft:4\n{}{}",
                    select, memory, topology);
    const std::uint64_t kinds = rng.below(4) + 1;
    std::vector<std::string> kind_lines;
    std::vector<std::uint64_t> gpus;
    for (std::uint64_t k = 0; k < kinds; ++k) {
        kind_lines.push_back(random_kind(rng));
        gpus.push_back(rng.chance(2, 3) ? rng.below(4) + 1 : 0);
    }
    const bool is_mixed = rng.chance(1, 2);
    const std::uint64_t count = rng.below(30) + 2;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t kind = is_mixed ? rng.below(kinds) : i * kinds / count;
        const std::string name = fmt::format("{}{}", "nma"[rng.below(8) / 3], i);
        world.names.push_back(name);
        const std::string type = kind % 2 == 0 ? "a100" : "v100";
        std::string gres = kind == 1 ? "lic:3" : "";
        if (gpus[kind] != 0) {
            gres += fmt::format("{}gpu:{}:{}", gres.empty() ? "" : ",", type, gpus[kind]);
            world.gres_conf +=
                fmt::format("NodeName={} Name=gpu Type={} File=/dev/nvidia[0-{}]{}\n", name, type,
                            gpus[kind] - 1, kind < 2 ? " Cores=0" : "");
            if (kind == 2) {
                gres += fmt::format(",shard:{}", 4 * gpus[kind]);
                world.gres_conf +=
                    fmt::format("NodeName={} Name=shard Count={}\n", name, 4 * gpus[kind]);
            }
        }
        world.slurm_conf +=
            fmt::format("NodeName={} {} Features=kind{}{}{}\n", name, kind_lines[kind], kind,
                        marks == Marks::one_a_node ? fmt::format(",mark{}", i) : std::string(),
                        gres.empty() ? "" : " Gres=" + gres);
    }
    const std::string limit =
        any_of(rng, {"MaxNodes=2", "MaxCPUsPerNode=3", "LLN=YES", "MaxMemPerNode=4000",
                     "OverSubscribe=EXCLUSIVE", "State=DOWN", ""});
    world.slurm_conf +=
        fmt::format("PartitionName=p Nodes=ALL Default=YES\nPartitionName=few Nodes={} {}\n",
                    some_names(rng, world.names, 60), limit);
    if (is_tree) world.topology_conf = random_topology(rng, world.names);
    return world;
}

/// Options that mostly are understood, mostly go together, and often are met.
inline std::string random_options(Rng& rng, const World& world) {
    static const std::vector<std::string> words{"-n 1",
                                                "-n 2",
                                                "-n 5",
                                                "-n 9",
                                                "-N 1",
                                                "-N 2",
                                                "-N 2-3",
                                                "-N 3-6",
                                                "-N 5",
                                                "-c 2",
                                                "-c 3",
                                                "--gres=gpu:1",
                                                "--gres=gpu:2",
                                                "--gres=gpu:a100:1",
                                                "-G 1",
                                                "-G 3",
                                                "-G 6",
                                                "--gpus-per-task=1",
                                                "--gres=lic:2",
                                                "--gres=shard:3",
                                                "--exclusive",
                                                "--mem=1000",
                                                "--mem=0",
                                                "--mem-per-cpu=300",
                                                "--ntasks-per-node=2",
                                                "--ntasks-per-socket=1",
                                                "--ntasks-per-core=1",
                                                "--hint=nomultithread",
                                                "-m block:block",
                                                "-m plane=2",
                                                "--spread-job",
                                                "--contiguous",
                                                "--contiguous -N 3",
                                                "--switches=1",
                                                "-p few",
                                                "-p few,p",
                                                "--cpus-per-gpu=2",
                                                "--mem-per-gpu=500",
                                                "--gres-flags=enforce-binding",
                                                "-S 1",
                                                "--mincpus=3",
                                                "--gpus-per-socket=1 --sockets-per-node=2",
                                                "-C kind0",
                                                "-C [kind0|kind1]",
                                                "-C [kind0*1&kind1*1]",
                                                "-C kind0|kind1",
                                                "--use-min-nodes -N 1-4",
                                                "-L soft:1",
                                                "--ntasks-per-node=1 -N 4"};
    std::string text;
    for (std::uint64_t i = rng.below(4); i < 3; ++i) text += any_of(rng, words) + " ";
    if (rng.chance(1, 12)) text += "-w " + any_of(rng, world.names) + " ";
    if (rng.chance(1, 20)) text += "-w " + some_names(rng, world.names, 15) + " ";
    if (rng.chance(1, 10)) text += "-x " + some_names(rng, world.names, 20) + " ";
    return text;
}

inline slurm::JobOptions read_options(const std::string& text) {
    const auto submission = slurm::parse_option_text(text);
    INFO(text << ": " << message(submission.status()));
    REQUIRE(submission.ok());
    return submission->components.front().options;
}

/// A cluster, its rules and who has something.
class Life {
  public:
    explicit Life(const World& world) {
        auto made = slurm::Controller::create({.slurm_conf = world.slurm_conf,
                                               .gres_conf = world.gres_conf,
                                               .topology_conf = world.topology_conf});
        INFO(message(made.status()) << "\n" << world.slurm_conf);
        REQUIRE(made.ok());
        cluster = made->cluster();
        rules = made->rules();
    }

    /// Gives what was decided to a new owner.
    void commit(const slurm::Decision& decision) {
        if (decision.answer != slurm::Answer::allocated) return;
        Request request;
        request.partition = decision.partition;
        const OwnerId owner(next_owner_++);
        REQUIRE(cluster.commit({owner, std::move(request), decision.placement}).ok());
        owners_.push_back(owner);
    }

    /// Mostly somebody goes or a node is drained, comes back or gets another weight.
    void change(Rng& rng) {
        if (!owners_.empty() && rng.chance(1, 4)) {
            const std::size_t i = rng.below(owners_.size());
            REQUIRE(cluster.release(owners_[i]).ok());
            owners_.erase(owners_.begin() + static_cast<std::ptrdiff_t>(i));
        }
        if (rng.chance(1, 20)) {
            const NodeState state = rng.chance(1, 2) ? NodeState::up : NodeState::drained;
            cluster.set_node_state(any_node(rng), state);
        }
        if (rng.chance(1, 30)) {
            const auto weight = static_cast<std::uint32_t>(rng.below(3)) + 1;
            cluster.set_node_weight(any_node(rng), weight);
        }
    }

    /// A node that was not removed. Requires: there is one.
    [[nodiscard]] NodeId any_node(Rng& rng) const {
        while (true) {
            const NodeId node(static_cast<std::uint32_t>(rng.below(cluster.node_count())));
            if (cluster.class_of(node).state != NodeState::removed) return node;
        }
    }

    Cluster cluster;
    slurm::SelectRules rules;

  private:
    std::vector<OwnerId> owners_;
    std::uint64_t next_owner_ = 1;
};

}  // namespace trestle::slurm_worlds
