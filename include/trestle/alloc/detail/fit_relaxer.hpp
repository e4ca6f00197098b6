// SPDX-License-Identifier: Apache-2.0
#pragma once

// FitRelaxer: which changes of what is asked, or of who is there, make a node say yes.
//
// Layer: alloc, internal to explain_fit. Main type: FitRelaxer.
// A reader would get wrong: amounts are found by bisection, so one more was asked and refused;
// where less of one thing makes another impossible (memory near fewer cores), a larger one may
// exist.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/detail/fit_edits.hpp"
#include "trestle/alloc/detail/fit_questions.hpp"
#include "trestle/alloc/device_match.hpp"
#include "trestle/alloc/fit_explanation.hpp"
#include "trestle/alloc/usage.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/node.hpp"

namespace trestle::detail {

/// What is left when the owner of `holding` has nothing any more.
[[nodiscard]] inline NodeUsage without(NodeUsage usage, const Holding& holding) {
    NodePlacement all;
    all.cores = holding.cores;
    all.memory = holding.memory;
    all.devices = holding.devices;
    bool is_back = usage.give_back(all, holding.owner).ok();
    for (const RowCores& one : holding.rows) {
        NodePlacement row;
        row.row = one.row;
        row.cores = one.cores;
        is_back = is_back && usage.give_back(row, holding.owner).ok();
    }
    TRESTLE_EXPECTS(is_back, "an owner can give back what it has");
    return usage;
}

class FitRelaxer {
  public:
    /// Requires: it does not fit.
    FitRelaxer(const NodeShape& shape, const NodeUsage& usage, const FitSituation& asked,
               FitQuestions& questions)
        : shape_(shape),
          usage_(usage),
          asked_(asked),
          questions_(questions),
          edits_(shape, asked),
          as_asked_(edits_.all().size(), 0) {}

    /// Nearest first: by kind, then by how much of the amount is lost.
    [[nodiscard]] std::vector<Relaxation> run() {
        relax_one();
        if (found_.empty()) relax_several();
        repair();
        wait();
        return std::move(found_);
    }

  private:
    /// Members of which the fewest possible are changed: at most so many are looked at.
    static constexpr std::size_t group_max = 32;

    /// The level of each edit; 0: as asked.
    using Levels = std::vector<std::int64_t>;

    [[nodiscard]] static std::int64_t amount(const FitEdit& edit, std::int64_t level) {
        return level * edit.unit;
    }
    [[nodiscard]] FitSituation situation(const Levels& levels) const {
        FitSituation changed = asked_;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const FitEdit& edit = edits_.all()[i];
            if (levels[i] > 0) edit.apply(changed, amount(edit, levels[i]));
        }
        return changed;
    }
    [[nodiscard]] std::optional<NodePlacement> ask(const Levels& levels) {
        return ask(shape_, usage_.free(), situation(levels));
    }
    [[nodiscard]] std::optional<NodePlacement> ask(const NodeShape& shape, const FreeState& state,
                                                   const FitSituation& changed) {
        auto answer = questions_.ask(shape, state, changed);
        if (!answer) return std::nullopt;
        return *std::move(answer);
    }

    /// Sets the level of edit `i` to the highest at which it fits, if there is one. What is asked
    /// may be beyond all reason, so the first steps upwards are bounded.
    [[nodiscard]] std::optional<NodePlacement> settle(Levels& levels, std::size_t i) {
        std::int64_t fits = 1;
        std::int64_t fails = edits_.all()[i].levels + 1;
        levels[i] = fits;
        auto best = ask(levels);
        while (best && fails - fits > 1) {
            std::int64_t step = (fails - fits) / 2;
            if (step / 256 > fits) step = fits * 256;
            levels[i] = fits + step;
            auto placement = ask(levels);
            if (placement) {
                fits = levels[i];
                best = std::move(placement);
            } else {
                fails = levels[i];
            }
        }
        levels[i] = fits;
        return best;
    }

    void add(ChangeKind kind, const Levels& levels, NodePlacement placement) {
        FitSituation changed = situation(levels);
        std::string text;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            if (levels[i] == 0) continue;
            const FitEdit& edit = edits_.all()[i];
            text += (text.empty() ? "" : ", ") + edit.text(placement, amount(edit, levels[i]));
        }
        found_.push_back({kind,
                          std::move(text),
                          std::move(changed.demand),
                          changed.options,
                          {},
                          {},
                          std::move(placement)});
    }

    void relax_one() {
        struct Single {
            ChangeKind kind;
            double loss;
            Levels levels;
            NodePlacement placement;
        };
        std::vector<Single> singles;
        for (std::size_t i = 0; i < as_asked_.size(); ++i) {
            const FitEdit& edit = edits_.all()[i];
            Levels levels = as_asked_;
            auto placement = settle(levels, i);
            if (!placement) continue;
            const double loss = edit.loss(levels[i]);
            singles.push_back({edit.kind, loss, std::move(levels), *std::move(placement)});
        }
        std::stable_sort(singles.begin(), singles.end(), [](const Single& a, const Single& b) {
            return std::tie(a.kind, a.loss) < std::tie(b.kind, b.loss);
        });
        for (Single& one : singles) add(one.kind, one.levels, std::move(one.placement));
    }

    /// All edits as far as they go; then as few of them as are enough, the farthest given up first;
    /// then each as little as is enough.
    void relax_several() {
        Levels levels(as_asked_.size(), 1);
        auto placement = ask(levels);
        if (!placement) return;
        for (std::size_t i = levels.size(); i-- > 0;) {
            levels[i] = 0;
            if (auto fewer = ask(levels)) {
                placement = std::move(fewer);
            } else {
                levels[i] = 1;
            }
        }
        for (std::size_t i = 0; i < levels.size(); ++i) {
            if (levels[i] == 0 || edits_.all()[i].levels == 1) continue;
            if (auto less = settle(levels, i)) placement = std::move(less);
        }
        add(ChangeKind::several, levels, *std::move(placement));
    }

    /// Calls `add(members, placement)` for each single member that is enough; where none is, for a
    /// smallest group of them, found by leaving out one after the other. Members are numbers below
    /// `count`; ask(members) says what fits when these are changed.
    template <class Ask, class Add>
    void find_groups(std::size_t count, const Ask& ask_with, const Add& add_group) {
        using Members = std::vector<std::size_t>;
        Members all;
        bool is_found = false;
        for (std::size_t i = 0; i < std::min(count, group_max); ++i) {
            all.push_back(i);
            auto placement = ask_with(Members{i});
            if (!placement) continue;
            is_found = true;
            add_group(Members{i}, *std::move(placement));
        }
        if (is_found || all.size() < 2) return;
        auto best = ask_with(all);
        if (!best) return;
        for (std::size_t i = all.size(); i-- > 0;) {
            Members fewer = all;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            auto placement = ask_with(fewer);
            if (!placement) continue;
            all = std::move(fewer);
            best = std::move(placement);
        }
        add_group(all, *std::move(best));
    }

    /// Devices that are what is asked and may not be used now.
    void repair() {
        std::vector<DeviceId> lost;
        for (std::uint32_t d = 0; d < shape_.devices.size(); ++d) {
            const Device& device = shape_.devices[d];
            const bool is_asked = std::any_of(
                asked_.demand.devices.begin(), asked_.demand.devices.end(),
                [&](const DeviceDemand& one) { return !mismatch(device, one.request); });
            if (is_asked && !is_usable(device)) lost.emplace_back(d);
        }
        const auto ask_with = [&](const std::vector<std::size_t>& members) {
            NodeShape repaired = shape_;
            for (const std::size_t i : members) {
                repaired.devices[lost[i].value()].health = Health::healthy;
                repaired.devices[lost[i].value()].is_drained = false;
            }
            return ask(repaired, usage_.free(), asked_);
        };
        find_groups(lost.size(), ask_with,
                    [&](const std::vector<std::size_t>& members, NodePlacement placement) {
                        Relaxation one = unchanged(ChangeKind::repair, std::move(placement));
                        for (const std::size_t i : members) {
                            const Device& device = shape_.devices[lost[i].value()];
                            one.text += fmt::format("{}{} {}", one.text.empty() ? "with " : ", ",
                                                    device.name, device.index);
                            one.repaired.push_back(lost[i]);
                        }
                        one.text += " back in use";
                        found_.push_back(std::move(one));
                    });
    }

    void wait() {
        const std::vector<Holding>& holdings = usage_.holdings();
        const auto ask_with = [&](const std::vector<std::size_t>& members) {
            NodeUsage rest = usage_;
            for (const std::size_t i : members) rest = without(std::move(rest), holdings[i]);
            return ask(shape_, rest.free(), asked_);
        };
        find_groups(holdings.size(), ask_with,
                    [&](const std::vector<std::size_t>& members, NodePlacement placement) {
                        Relaxation one = unchanged(ChangeKind::waiting, std::move(placement));
                        for (const std::size_t i : members) {
                            one.text += one.ended.empty() ? "" : ", ";
                            one.text += to_text(holdings[i].owner);
                            one.ended.push_back(holdings[i].owner);
                        }
                        const bool is_one = members.size() == 1;
                        one.text = (is_one ? "when owner " : "when owners ") + one.text +
                                   (is_one ? " ends" : " end");
                        found_.push_back(std::move(one));
                    });
    }

    [[nodiscard]] Relaxation unchanged(ChangeKind kind, NodePlacement placement) const {
        return {kind, "", asked_.demand, asked_.options, {}, {}, std::move(placement)};
    }

    const NodeShape& shape_;
    const NodeUsage& usage_;
    const FitSituation& asked_;
    FitQuestions& questions_;
    FitEdits edits_;
    Levels as_asked_;
    std::vector<Relaxation> found_;
};

}  // namespace trestle::detail
