// SPDX-License-Identifier: Apache-2.0
#include "network_refusal.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../nodes/node_choice.hpp"
#include "../nodes/units.hpp"
#include "refusal_words.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm::choice {
namespace {

class Apart {
  public:
    Apart(const Question& question, const std::string& partition, bool is_now)
        : question_(question),
          job_(*question.job),
          partition_(partition),
          is_now_(is_now),
          work_(question, TakingPart(question.candidates.size(), Place{0}), Pass::relaxed,
                narrowed_) {}

    std::string text() {
        if (question_.units != nullptr) {
            return std::visit([&](const auto& table) { return of_units(table); },
                              question_.units->units);
        }
        if (job_.is_contiguous && goes_by_neighbours(question_)) {
            return lack_of("--contiguous, ", "in a row", rows());
        }
        if (!goes_by_leaves(question_)) return {};
        std::string text = lack_of("", "below one switch", below_switches());
        if (!text.empty() || job_.switches == 0) return text;
        return lack_of(fmt::format("--switches={}, ", job_.switches),
                       job_.switches == 1 ? "below 1 leaf switch"
                                          : fmt::format("below {} leaf switches", job_.switches),
                       {of_best_leaves()});
    }

  private:
    [[nodiscard]] UnitSupply supply_of(const CandidateRun& run) const {
        UnitSupply supply{run.size(), product(work_.cpus_of(run), run.size()), {}};
        if (!job_.gres.empty()) work_.add_gres(supply.gres, run, run.size());
        return supply;
    }
    [[nodiscard]] UnitSupply supply_of(const Places& places) const {
        UnitSupply supply;
        for_each_run(work_.runs(), places,
                     [&](const CandidateRun& run) { supply.add(supply_of(run)); });
        return supply;
    }
    [[nodiscard]] UnitSupply supply_of(const std::vector<Places>& places) const {
        UnitSupply supply;
        for (const Places& part : places) supply.add(supply_of(part));
        return supply;
    }
    /// Whether all nodes that the job names are among those that `has` says.
    template <class Has>
    [[nodiscard]] bool has_required(const Has& has) const {
        return std::all_of(question_.required.begin(), question_.required.end(),
                           [&](const CandidateRun& node) { return has(node.places.first); });
    }

    /// What a supply has of the GRES that the job names there.
    [[nodiscard]] static auto units_of_gres(std::size_t at) {
        return
            [at](const UnitSupply& one) { return at < one.gres.size() ? one.gres[at] : Number{0}; };
    }

    /// What the nodes have that lie together: the option, what it asks for, and the most.
    [[nodiscard]] std::string lack_of(std::string_view option, std::string_view where,
                                      std::vector<UnitSupply> groups) const {
        const std::string_view free = is_now_ ? "free " : "";
        const auto most_of = [&](const auto& units) {
            Number most = 0;
            for (const UnitSupply& one : groups) most = std::max<Number>(most, units(one));
            return most;
        };
        const auto nodes = [](const UnitSupply& one) { return one.nodes; };
        const Number most = most_of(nodes);
        if (most < question_.min_nodes) {
            return fmt::format(
                "{}--nodes={}: at most {} {}node{} of partition {} {} could serve "
                "the job",
                option, question_.min_nodes, most, free, most == 1 ? "" : "s", partition_, where);
        }
        const auto lack = [&](Number asked, std::string_view what, const auto& units) {
            const Number has = most_of(units);
            if (asked > has) {
                return fmt::format("{}{} {} of the job: {}nodes of partition {} {} have at most {}",
                                   option, asked, what, free, partition_, where, has);
            }
            std::erase_if(groups, [&](const UnitSupply& one) { return units(one) < asked; });
            return std::string();
        };
        std::erase_if(groups,
                      [&](const UnitSupply& one) { return one.nodes < question_.min_nodes; });
        std::string text =
            lack(job_.min_cpus(), "CPUs", [](const UnitSupply& one) { return one.cpus; });
        for (std::size_t w = 0; w < job_.gres.size() && text.empty(); ++w) {
            const GresWant& want = job_.gres[w];
            text = lack(want.per_job, name_of(want), units_of_gres(w));
        }
        return text;
    }

    /// Neighbours that can be taken; where the job names nodes, those with all of these.
    [[nodiscard]] std::vector<UnitSupply> rows() const {
        std::vector<Places> rows;
        for (const CandidateRun& run : work_.runs()) {
            if (!rows.empty() && rows.back().end == run.places.first) {
                rows.back().end = run.places.end;
            } else {
                rows.push_back(run.places);
            }
        }
        std::vector<UnitSupply> supplies;
        for (const Places& row : rows) {
            if (!has_required([&](Place place) { return row.contains(place); })) continue;
            supplies.push_back(supply_of(row));
        }
        return supplies;
    }
    [[nodiscard]] std::vector<UnitSupply> below_switches() const {
        const SwitchTree& switches = *question_.switches;
        std::vector<UnitSupply> supplies;
        for (std::size_t s = 0; s < switches.size(); ++s) {
            if (!has_required([&](Place place) { return switches.is_below(place, s); })) continue;
            supplies.push_back(supply_of(switches[s].places));
        }
        return supplies;
    }
    /// The most of each that so many leaves have together.
    [[nodiscard]] UnitSupply of_best_leaves() const {
        const SwitchTree& switches = *question_.switches;
        std::vector<UnitSupply> leaves;
        for (std::size_t s = 0; s < switches.size(); ++s) {
            if (switches.is_leaf(s)) leaves.push_back(supply_of(switches[s].places));
        }
        const auto sum_of = [&](const auto& units) {
            std::vector<Number> each;
            for (const UnitSupply& leaf : leaves) each.push_back(units(leaf));
            std::sort(each.begin(), each.end(), std::greater<>());
            Number sum = 0;
            for (std::size_t i = 0; i < each.size() && Number(i) < job_.switches; ++i) {
                sum += each[i];
            }
            return sum;
        };
        UnitSupply best;
        best.nodes = sum_of([](const UnitSupply& one) { return one.nodes; });
        best.cpus = sum_of([](const UnitSupply& one) { return one.cpus; });
        for (std::size_t w = 0; w < job_.gres.size(); ++w) {
            best.gres.push_back(sum_of(units_of_gres(w)));
        }
        return best;
    }

    [[nodiscard]] std::string of_units(const BlockTable& table) const {
        std::vector<BaseBlock> bases(table.bases.size());
        for (std::size_t b = 0; b < bases.size(); ++b) bases[b].supply = supply_of(table.bases[b]);
        const bool has_segments = job_.segment > 0 && job_.segment < question_.min_nodes;
        const Number nodes = has_segments ? job_.segment : question_.min_nodes;
        const BlockScope scope = scope_of(table.levels, nodes);
        std::vector<UnitSupply> blocks;
        Number segments = 0;
        for (const auto& [range, most] : blocks_of(table.levels, scope, bases)) {
            UnitSupply& block = blocks.emplace_back();
            for (std::size_t b = range.first; b < range.end; ++b) block.add(bases[b].supply);
            block.nodes = most;
            segments += job_.spreads_segments ? std::min<Number>(most / nodes, 1) : most / nodes;
        }
        if (!has_segments) return lack_of("", "in one block", std::move(blocks));
        const Number asked = question_.min_nodes / nodes;
        if (segments >= asked) return {};
        return fmt::format(
            "--segment={}, {} segments of the job: {}nodes of partition {} in blocks "
            "have room for {}",
            nodes, asked, is_now_ ? "free " : "", partition_, segments);
    }
    [[nodiscard]] std::string of_units(const RingTable& table) const {
        std::vector<UnitSupply> runs;
        for (const std::vector<Place>& ring : table.rings) {
            // Twice around, so that each run is met from its start; a whole ring counts once.
            UnitSupply run;
            for (std::size_t i = 0; i < 2 * ring.size(); ++i) {
                const Place place = ring[i % ring.size()];
                const UnitSupply one = supply_of(Places{place, place + 1});
                if (one.nodes == 0) {
                    run = {};
                } else if (run.nodes < static_cast<Number>(ring.size())) {
                    run.add(one);
                }
                runs.push_back(run);
            }
        }
        return lack_of("", "in a row on a ring", std::move(runs));
    }
    [[nodiscard]] std::string of_units(const TorusTable& table) const {
        std::vector<UnitSupply> boxes;
        for (const TorusTable::OneTorus& torus : table.toruses) {
            for (const TorusPlacement& placement : torus.placements) {
                if (placement.dims.volume() != static_cast<std::uint64_t>(question_.min_nodes)) {
                    continue;
                }
                for (const TorusBox& box : anchors_of(placement, torus.shape)) {
                    UnitSupply& supply = boxes.emplace_back();
                    for (const std::size_t at : places_of(box, torus.shape)) {
                        const auto& place = torus.places[at];
                        if (place) supply.add(supply_of(Places{*place, *place + 1}));
                    }
                }
            }
        }
        return lack_of("", "in one placement of a torus", std::move(boxes));
    }

    const Question& question_;
    const ChoiceJob& job_;
    const std::string& partition_;
    bool is_now_;
    NarrowMemory narrowed_;
    NodeChoice work_;
};

}  // namespace

std::string why_apart(const Question& question, const std::string& partition, bool is_now) {
    return Apart(question, partition, is_now).text();
}

}  // namespace trestle::slurm::choice
