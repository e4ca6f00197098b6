// SPDX-License-Identifier: Apache-2.0
#pragma once

// ClassEvaluator: what nodes of one class say to one part of a job, by their state.
//
// Layer: alloc. Main types: ClassEvaluator, Feasibility. Whether the part fits, the score, and,
// where it takes a part of one device, which one. Many states are asked for each that is taken, so
// the placement itself is another question; for plain demands (FitProblem::is_plain) nothing is
// made that an answer does not need.
// Pitfall: what is worked out about the demand is kept here, answers are not but for those of a
// search.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "alloc/cluster/place/score/amounts.hpp"
#include "alloc/cluster/place/score/device_choice.hpp"
#include "alloc/cluster/place/scores.hpp"
#include "alloc/cluster/place/state_cache.hpp"
#include "alloc/node/detail/plain_fit.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_cache.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// What a state says.
struct Feasibility {
    static constexpr std::uint32_t as_fit = ~std::uint32_t{0};

    Constraint refused_by = Constraint::none;  ///< `none`: the part fits
    std::uint32_t device = as_fit;             ///< to take a part of, as ClassEvaluator counts them
    Score score;
};

/// True for what depends on how much of a node is free.
[[nodiscard]] bool is_about_room(Constraint by);

class ClassEvaluator {
  public:
    /// Requires: the class exists; the scorer is of the cluster, here and below.
    ClassEvaluator(const Cluster& cluster, ClassId id, const Request& request, const NodePart& part,
                   const FitOptions& options, const Scorer& scorer);

    /// Requires: the state is of the class, here and below.
    [[nodiscard]] Feasibility answer(const KnownState& state, const Scorer& scorer);
    /// What a node in the state gives; its `node` is id 0. What it has to be searched for first is
    /// not remembered. Requires: `answer` is the state's, and the part fits.
    [[nodiscard]] NodePlacement placement(const FreeState& free, const Feasibility& answer);
    /// The devices to draw from, as Feasibility counts them; none where there is nothing to draw.
    /// Requires: as for placement().
    [[nodiscard]] std::vector<std::uint32_t> draws(const FreeState& free);
    [[nodiscard]] const NodeDemand& demand() const { return fits_->demand(); }
    /// True when placements are made as fast as copied.
    [[nodiscard]] bool is_plain() const { return fits_ && fits_->is_plain(); }
    /// How near a state that does not fit comes to what is asked: how many kinds of things it has
    /// enough of, in the order in which fit() looks at them, then how much of the one that lacks.
    /// Requires: `by` says what that is, and is_about_room(by).
    [[nodiscard]] Score nearness(const KnownState& state, Constraint by) const;
    /// The words of the refusal. Requires: the class may take the part, and it does not fit.
    [[nodiscard]] Refusal refusal(const FreeState& free) { return fits_->fit(free).refusal(); }

  private:
    using OfDevice = detail::TakenAmounts::OfDevice;

    /// One of the devices that count, for demands that take a part of one.
    struct OneDevice {
        DeviceId id;
        std::size_t alike = 0;    ///< the first that is like it but for its number
        std::uint32_t plain = 0;  ///< position among FitProblem::plain_devices()
    };
    struct Question {
        const KnownState& state;
        const Scorer& scorer;

        [[nodiscard]] const FreeState& free() const { return state.data->free; }
        /// Requires: not a matter of placements.
        [[nodiscard]] Score score(const detail::TakenAmounts& taken) const {
            return scorer.score(*state.data, *state.before, taken);
        }
    };

    /// Free devices that the demands could have, as far as they ask for them; of shares the most
    /// that one has.
    [[nodiscard]] double devices_free(const FreeState& free) const;
    void look_at_devices(const detail::ClassAmounts& scale, DeviceChoice choice);

    void work_out(Feasibility& answer, const Question& question);

    /// Requires: the part fits.
    [[nodiscard]] bool takes_one_device(const FreeState& free);
    /// Where a part of one device is asked, each device is tried alone, of those that do not differ
    /// the first. False when none of those that count will do.
    bool choose_device(Feasibility& answer, const Question& question);

    /// What the part takes if the device is the only one of those that count with something left.
    [[nodiscard]] std::optional<detail::TakenAmounts> taken_of(const Question& question,
                                                               const OneDevice& one);
    /// True when the part fits if the device is the only one of those that count with something
    /// left.
    [[nodiscard]] bool can_take_of(const FreeState& free, const OneDevice& one);
    /// What a plain demand takes.
    [[nodiscard]] detail::TakenAmounts taken_of(const detail::PlainDevices& devices) const;
    /// What the node would give if the device were the only one of those that count with something
    /// left.
    [[nodiscard]] const Verdict<NodePlacement>& fit_on(const FreeState& free, const OneDevice& one);

    Constraint refused_by_ = Constraint::none;  ///< whatever is free
    std::optional<FitCache> fits_;              ///< where it is not refused
    /// Of a plain demand: what it takes of each of FitProblem::plain_devices() that counts.
    std::vector<std::optional<OfDevice>> plain_;
    std::vector<OneDevice> devices_;
    bool is_scored_ = false;  ///< with the answer: else sums may be all that it takes
    bool chooses_ = false;    ///< which of these to take a part of, by what it leaves
    bool draws_ = false;      ///< the same at random
};

}  // namespace trestle
