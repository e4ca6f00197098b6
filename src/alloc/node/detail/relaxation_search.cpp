// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/relaxation_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/node/device_match.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

NodeLedger without(NodeLedger ledger, const Holding& holding) {
    NodePlacement all;
    all.cores = holding.cores;
    all.milli_cpus = holding.milli_cpus;
    all.memory = holding.memory;
    all.devices = holding.devices;
    bool is_back = ledger.give_back(all, holding.owner).ok();
    for (const Holding::Row& one : holding.rows) {
        NodePlacement row;
        row.row = one.row;
        row.cores = one.cores;
        is_back = is_back && ledger.give_back(row, holding.owner).ok();
    }
    TRESTLE_EXPECTS(is_back, "an owner can give back what it has");
    return ledger;
}

RelaxationSearch::RelaxationSearch(const NodeShape& shape, const NodeLedger& ledger,
                                   const FitSituation& asked, WhatIf& questions)
    : shape_(shape),
      ledger_(ledger),
      asked_(asked),
      questions_(questions),
      edits_(shape, asked),
      as_asked_(edits_.all().size(), 0) {}

std::vector<FitExplanation::Relaxation> RelaxationSearch::run() {
    relax_one();
    if (found_.empty()) relax_several();
    repair();
    wait();
    return std::move(found_);
}

FitSituation RelaxationSearch::situation(const Levels& levels) const {
    FitSituation changed = asked_;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const DemandEdit& edit = edits_.all()[i];
        if (levels[i] > 0) edit.apply(changed, amount(edit, levels[i]));
    }
    return changed;
}

std::optional<NodePlacement> RelaxationSearch::tighten(Levels& levels, std::size_t i) {
    std::optional<NodePlacement> best;
    std::int64_t fits = 0;
    std::int64_t may_fit = 0;
    std::int64_t fails = edits_.all()[i].levels + 1;
    while (fails - may_fit > 1) {
        std::int64_t step = (fails - may_fit) / 2;
        if (step / 256 > may_fit) step = std::max<std::int64_t>(1, may_fit * 256);
        levels[i] = may_fit + step;
        auto answer = ask(levels);
        if (is_proven_no(answer)) {
            fails = levels[i];
            continue;
        }
        may_fit = levels[i];
        if (!answer) continue;
        fits = levels[i];
        best = *std::move(answer);
    }
    levels[i] = std::max<std::int64_t>(1, fits);
    return best;
}

void RelaxationSearch::add(FitExplanation::Relaxation::Kind kind, const Levels& levels,
                           NodePlacement placement) {
    FitSituation changed = situation(levels);
    placement = questions_.best(shape_, ledger_.free(), changed, std::move(placement));
    std::string text;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (levels[i] == 0) continue;
        const DemandEdit& edit = edits_.all()[i];
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

void RelaxationSearch::relax_one() {
    struct Single {
        FitExplanation::Relaxation::Kind kind;
        double loss;
        Levels levels;
        NodePlacement placement;
    };
    std::vector<Single> singles;
    for (std::size_t i = 0; i < as_asked_.size(); ++i) {
        const DemandEdit& edit = edits_.all()[i];
        Levels levels = as_asked_;
        auto placement = tighten(levels, i);
        if (!placement) continue;
        const double loss = edit.loss(levels[i]);
        singles.push_back({edit.kind, loss, std::move(levels), *std::move(placement)});
    }
    std::stable_sort(singles.begin(), singles.end(), [](const Single& a, const Single& b) {
        return std::tie(a.kind, a.loss) < std::tie(b.kind, b.loss);
    });
    for (Single& one : singles) add(one.kind, one.levels, std::move(one.placement));
}

void RelaxationSearch::relax_several() {
    Levels levels(as_asked_.size(), 1);
    auto all = ask(levels);
    if (!all) return;
    NodePlacement placement = *std::move(all);
    for (std::size_t i = levels.size(); i-- > 0;) {
        levels[i] = 0;
        if (auto fewer = ask(levels)) {
            placement = *std::move(fewer);
        } else {
            levels[i] = 1;
        }
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (levels[i] == 0 || edits_.all()[i].levels == 1) continue;
        if (auto less = tighten(levels, i)) placement = *std::move(less);
    }
    add(FitExplanation::Relaxation::Kind::several, levels, std::move(placement));
}

std::vector<DeviceId> RelaxationSearch::unusable() const {
    std::vector<DeviceId> lost;
    for (std::uint32_t d = 0; d < shape_.devices.size(); ++d) {
        const Device& device = shape_.devices[d];
        const bool is_asked = std::any_of(
            asked_.demand.devices.begin(), asked_.demand.devices.end(),
            [&](const NodeDemand::Device& one) { return !mismatch(device, one.request); });
        if (is_asked && !is_usable(device)) lost.emplace_back(d);
    }
    return lost;
}

void RelaxationSearch::repair() {
    using Members = std::vector<std::size_t>;
    const std::vector<DeviceId> lost = unusable();
    const auto repaired = [&](const Members& members) {
        NodeShape shape = shape_;
        for (const std::size_t i : members) {
            shape.devices[lost[i].value()].health = Health::healthy;
            shape.devices[lost[i].value()].is_drained = false;
        }
        return shape;
    };
    const auto ask_with = [&](const Members& members) {
        return questions_.ask(repaired(members), ledger_.free(), asked_);
    };
    const auto add_group = [&](const Members& members, NodePlacement placement) {
        FitExplanation::Relaxation one = unchanged(FitExplanation::Relaxation::Kind::repair);
        for (const std::size_t i : members) {
            const Device& device = shape_.devices[lost[i].value()];
            one.text += fmt::format("{}{} {}", one.text.empty() ? "with " : ", ", device.name,
                                    device.index);
            one.repaired.push_back(lost[i]);
        }
        one.text += " back in use";
        one.placement =
            questions_.best(repaired(members), ledger_.free(), asked_, std::move(placement));
        found_.push_back(std::move(one));
    };
    find_groups(lost.size(), ask_with, add_group);
}

void RelaxationSearch::wait() {
    using Members = std::vector<std::size_t>;
    const std::vector<Holding>& holdings = ledger_.holdings();
    const auto rest = [&](const Members& members) {
        NodeLedger ledger = ledger_;
        for (const std::size_t i : members) ledger = without(std::move(ledger), holdings[i]);
        return ledger;
    };
    const auto ask_with = [&](const Members& members) {
        return questions_.ask(shape_, rest(members).free(), asked_);
    };
    const auto add_group = [&](const Members& members, NodePlacement placement) {
        FitExplanation::Relaxation one = unchanged(FitExplanation::Relaxation::Kind::waiting);
        for (const std::size_t i : members) {
            one.text += (one.ended.empty() ? "" : ", ") + to_text(holdings[i].owner);
            one.ended.push_back(holdings[i].owner);
        }
        one.text = members.size() == 1 ? "when owner " + one.text + " ends"
                                       : "when owners " + one.text + " end";
        one.placement = questions_.best(shape_, rest(members).free(), asked_, std::move(placement));
        found_.push_back(std::move(one));
    };
    find_groups(holdings.size(), ask_with, add_group);
}

FitExplanation::Relaxation RelaxationSearch::unchanged(
    FitExplanation::Relaxation::Kind kind) const {
    return {kind, "", asked_.demand, asked_.options, {}, {}, {}};
}

}  // namespace detail

}  // namespace trestle
