// SPDX-License-Identifier: Apache-2.0
#pragma once

// FitExplanation: why one node does not fit a demand, and what would fit.
//
// Layer: alloc. Main types: Removal is a step from what the node has to what is left for the
// demand. Condition is a part of the demand taken by itself. Relaxation is a change after which it
// fits. FitExplanation holds them, and explain_fit.hpp makes it.
// Pitfall: removals count one kind of resource at a time. If each kind has enough left and the
// demand still does not fit, `together` has the conditions that cannot be met at once.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_options.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// Whether a demand fits a node, and why not.
struct FitExplanation {
    /// A change after which the demand fits, and the placement that it then gets.
    struct Relaxation {
        /// What a relaxation changes, nearest first.
        enum class Kind {
            nearness,     ///< where things lie; amounts and kinds stay
            properties,   ///< which devices, or cores, will do
            amount,       ///< how much of one thing
            exclusivity,  ///< whether others may be on the node
            several,      ///< more than one of the above; only where no single one is enough
            repair,       ///< devices that failed or are drained come back
            waiting,      ///< owners end
        };

        Kind kind = Kind::nearness;
        std::string text;                ///< `7 gpu instead of 8`, `when owner 7 ends`
        NodeDemand demand;               ///< as it is after the change
        FitOptions options;              ///< likewise
        std::vector<DeviceId> repaired;  ///< that are usable then
        std::vector<OwnerId> ended;      ///< owners that have nothing then
        /// What fit() gives then; a possible one where it would give up, as it may on devices with
        /// many links.
        NodePlacement placement;

        static constexpr auto fields(auto list) {
            return list(
                field("kind", &Relaxation::kind), field("text", &Relaxation::text),
                field("demand", &Relaxation::demand), field("options", &Relaxation::options),
                field("repaired", &Relaxation::repaired), field("ended", &Relaxation::ended),
                field("placement", &Relaxation::placement));
        }
        friend bool operator==(const Relaxation&, const Relaxation&) = default;
    };

    /// A part of a demand that can be taken by itself: `8 gpu`, `64GiB of memory`.
    struct Condition {
        Constraint constraint = Constraint::none;
        std::string text;

        static constexpr auto fields(auto list) {
            return list(field("constraint", &Condition::constraint),
                        field("text", &Condition::text));
        }
        friend bool operator==(const Condition&, const Condition&) = default;
    };

    /// What one constraint takes away of what the node has of one subject.
    struct Removal {
        Constraint constraint = Constraint::none;
        /// `cores`, `milli_cpus`, `memory` (in bytes), or the name of devices, `gpu (2)` for the
        /// second demand of one name. Instances and shares in all are counted by themselves: `gpu
        /// 3g.20gb`, `gpu shares`.
        std::string subject;
        std::string reason;  ///< `type a100`, `failed: gpu 3`, `held by owner 7`
        Count before;
        Count left;   ///< less than before
        Count asked;  ///< at least

        static constexpr auto fields(auto list) {
            return list(field("constraint", &Removal::constraint),
                        field("subject", &Removal::subject), field("reason", &Removal::reason),
                        field("before", &Removal::before), field("left", &Removal::left),
                        field("asked", &Removal::asked));
        }
        friend bool operator==(const Removal&, const Removal&) = default;
    };

    bool fits = false;             ///< what fit() says
    Refusal why;                   ///< what fit() says when it does not fit
    std::vector<Removal> removed;  ///< devices, demand by demand, then CPUs, then memory
    /// The first condition that the node cannot meet even if nothing else is asked.
    std::optional<Condition> alone;
    /// Where there is none: conditions that the node cannot meet at once, though it can as soon as
    /// any one of them is dropped.
    std::vector<Condition> together;
    std::vector<Relaxation> relaxations;  ///< nearest first
    /// False when the budget ended before all questions were answered: what stands here is true,
    /// but something may be missing.
    bool is_complete = true;

    static constexpr auto fields(auto list) {
        return list(field("fits", &FitExplanation::fits), field("why", &FitExplanation::why),
                    field("removed", &FitExplanation::removed),
                    field("alone", &FitExplanation::alone),
                    field("together", &FitExplanation::together),
                    field("relaxations", &FitExplanation::relaxations),
                    field("is_complete", &FitExplanation::is_complete));
    }
    friend bool operator==(const FitExplanation&, const FitExplanation&) = default;
};

constexpr auto enum_names(FitExplanation::Relaxation::Kind) {
    using enum FitExplanation::Relaxation::Kind;
    return std::array{named(nearness, "nearness"), named(properties, "properties"),
                      named(amount, "amount"),     named(exclusivity, "exclusivity"),
                      named(several, "several"),   named(repair, "repair"),
                      named(waiting, "waiting")};
}

/// A line each for the answer, each subject of which something was removed, what cannot be met, and
/// each relaxation:
///     does not fit, devices: asked 8 gpu, 7 of 8 are free on the node; gpu 3 is failed
///     gpu: 8 asked; of 8, 7 after failed: gpu 3
///     8 gpu: not to be had, whatever else is asked
///     fits: 7 gpu instead of 8
[[nodiscard]] std::string to_text(const FitExplanation& explanation);

}  // namespace trestle
