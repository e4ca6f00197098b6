// SPDX-License-Identifier: Apache-2.0
#pragma once

// DemandEdits: what of a demand can be relaxed, nearest first.
//
// Layer: alloc, internal to explain_fit. Main types: DemandEdit, DemandEdits. An edit has levels,
// from 1, the most relaxed, to `levels`, the nearest to what was asked; most have one.
// Pitfall: levels of memory are not bytes. A level is about a thousandth of what was asked, or of
// what the node has where that is less, so that answers are round.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alloc/node/detail/fit_conditions.hpp"
#include "alloc/node/detail/what_if.hpp"
#include "trestle/alloc/node/fit_explanation.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

struct DemandEdit {
    FitExplanation::Relaxation::Kind kind = FitExplanation::Relaxation::Kind::nearness;
    std::int64_t levels = 1;
    std::int64_t unit = 1;   ///< of a level
    std::int64_t asked = 0;  ///< amounts only
    std::function<void(FitSituation&, std::int64_t amount)> apply;
    /// What it says of the placement that it leads to.
    std::function<std::string(const NodePlacement&, std::int64_t amount)> text;

    /// How much of what was asked is lost at a level, in [0, 1).
    [[nodiscard]] double loss(std::int64_t level) const;
};

/// Its edits refer to it and to what it was made of.
class DemandEdits {
  public:
    DemandEdits(const DemandEdits&) = delete;
    DemandEdits& operator=(const DemandEdits&) = delete;
    DemandEdits(const NodeShape& shape, const FitSituation& asked);

    /// By kind.
    [[nodiscard]] const std::vector<DemandEdit>& all() const { return edits_; }

  private:
    template <class Apply>
    void add(FitExplanation::Relaxation::Kind kind, std::string text, Apply apply) {
        edits_.push_back(
            {kind, 1, 1, 0, [apply](FitSituation& situation, std::int64_t) { apply(situation); },
             [text = std::move(text)](const NodePlacement&, std::int64_t) { return text; }});
    }

    /// Less of something, in whole numbers; nothing where there is no less that makes sense.
    template <class Apply, class Text>
    void add_amount(Count asked, Text text, Apply apply) {
        if (asked.value() < 2) return;
        edits_.push_back({FitExplanation::Relaxation::Kind::amount, asked.value() - 1, 1,
                          asked.value(),
                          [apply](FitSituation& situation, std::int64_t amount) {
                              apply(situation, Count(amount));
                          },
                          [asked, text](const NodePlacement&, std::int64_t amount) {
                              return fmt::format("{} instead of {}", text(Count(amount)), asked);
                          }});
    }
    /// `8 CPUs a task`.
    [[nodiscard]] static auto pieces(std::string_view noun, std::string rest = "") {
        return [noun, rest = std::move(rest)](Count amount) { return counted(amount, noun, rest); };
    }
    /// `2 gpu a socket`, `1 gpu 3g.20gb`.
    [[nodiscard]] static auto named(const DeviceRequest& request, std::string_view rest = "") {
        std::string noun = request.name + (request.slice.empty() ? "" : " ") + request.slice;
        return [noun = std::move(noun), rest](Count amount) {
            return fmt::format("{} {}{}", amount, noun, rest);
        };
    }

    // Where things lie.

    void add_device_nearness(std::size_t i);

    void add_common();

    void add_nearness();
    [[nodiscard]] Bytes far_memory(const NodePlacement& placement) const;

    /// What only says how tasks and cores lie on packages and cores.
    void add_packages();

    // Which devices.

    void add_properties(std::size_t i);
    /// Its text names the vendors of the devices that are there.
    void add_vendor(std::size_t i);

    // How much.

    [[nodiscard]] static Count times(Count a, Count b) {
        return checked_mul(a, b.value()).value_or(Count::max());
    }
    static void lower(Range<Count>& range, Count least);

    void add_device_amounts(std::size_t i);

    void add_amounts();
    void add_memory();

    const NodeShape& shape_;
    const NodeDemand& demand_;
    const FitOptions& options_;
    std::vector<DemandEdit> edits_;
};

}  // namespace trestle::detail
