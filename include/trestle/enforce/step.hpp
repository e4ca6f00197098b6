// SPDX-License-Identifier: Apache-2.0
#pragma once

// Step: one thing that an enforcer does, as a typed value.
//
// Layer: enforce. Main types: Step, Step::Action, Shortfall; limits_of says what steps limit a
// group to. A plan is a list of them; see plan.hpp. Pitfall: group names are relative to the
// directory that the enforcer was given.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/one_of.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/limits/limit.hpp"
#include "trestle/enforce/limits/limits.hpp"
#include "trestle/enforce/limits/requirements.hpp"
#include "trestle/enforce/process/scratch.hpp"

namespace trestle {

/// One thing to do. Either it is done as a whole, or it fails and has changed nothing.
struct Step {
    /// Makes the group. It must not exist, its parent must.
    struct MakeGroup {
        static constexpr std::string_view kind = "make_group";
        static constexpr auto fields(auto list) { return list(); }
        friend bool operator==(const MakeGroup&, const MakeGroup&) = default;
    };

    /// Makes a controller available to the children of the group.
    struct EnableController {
        std::string controller;

        static constexpr std::string_view kind = "enable_controller";
        static constexpr auto fields(auto list) {
            return list(field("controller", &EnableController::controller));
        }
        friend bool operator==(const EnableController&, const EnableController&) = default;
    };

    /// Leaves the owner's number on the group, so that the group can be identified later.
    struct LabelGroup {
        OwnerId owner;

        static constexpr std::string_view kind = "label_group";
        static constexpr auto fields(auto list) { return list(field("owner", &LabelGroup::owner)); }
        friend bool operator==(const LabelGroup&, const LabelGroup&) = default;
    };

    /// Writes one limit of the group.
    struct SetLimit {
        Limit limit;

        static constexpr std::string_view kind = "set_limit";
        static constexpr auto fields(auto list) { return list(field("limit", &SetLimit::limit)); }
        void hash_into(HashState& state) const;
        friend bool operator==(const SetLimit&, const SetLimit&) = default;
    };

    /// Loads a device filter for the group, replacing its present one at once.
    struct LoadFilter {
        DeviceAllowList devices;

        static constexpr std::string_view kind = "load_filter";
        static constexpr auto fields(auto list) {
            return list(field("devices", &LoadFilter::devices));
        }
        friend bool operator==(const LoadFilter&, const LoadFilter&) = default;
    };

    /// Stops every process of the group, or lets them go on.
    struct SetFrozen {
        bool is_frozen = false;

        static constexpr std::string_view kind = "set_frozen";
        static constexpr auto fields(auto list) {
            return list(field("is_frozen", &SetFrozen::is_frozen));
        }
        friend bool operator==(const SetFrozen&, const SetFrozen&) = default;
    };

    /// Makes the group's scratch directory. It must not exist.
    struct MakeScratch {
        Scratch::Directory directory;

        static constexpr std::string_view kind = "make_scratch";
        static constexpr auto fields(auto list) {
            return list(field("directory", &MakeScratch::directory));
        }
        friend bool operator==(const MakeScratch&, const MakeScratch&) = default;
    };

    /// What a step does.
    using Action = std::variant<MakeGroup, EnableController, LabelGroup, SetLimit, LoadFilter,
                                SetFrozen, MakeScratch>;

    Action action;
    Requirement requirement = Requirement::require;  ///< never skip: what is skipped has no step
    std::string resource;  ///< `cpu`, `memory`, ... as in explain_limits; empty for MakeGroup
    std::string group;     ///< relative to the enforcer's root; empty: the root itself

    static constexpr auto fields(auto list) {
        return list(field("action", &Step::action), field("requirement", &Step::requirement),
                    field("resource", &Step::resource), field("group", &Step::group));
    }
    void hash_into(HashState& state) const;
    friend bool operator==(const Step&, const Step&) = default;
};

/// What the steps limit `group` to. Of two steps for one line of one file the later counts.
[[nodiscard]] Limits limits_of(const std::vector<Step>& steps, std::string_view group);

/// One line: `write job_42/memory.max = 17179869184`, with ` (best effort)` where it may fail.
[[nodiscard]] std::string to_text(const Step& step);

/// Something of the plan that this machine does not enforce, and why.
struct Shortfall {
    std::string resource;
    std::string step;    ///< as printed
    std::string reason;  ///< one line

    static constexpr auto fields(auto list) {
        return list(field("resource", &Shortfall::resource), field("step", &Shortfall::step),
                    field("reason", &Shortfall::reason));
    }
    friend bool operator==(const Shortfall&, const Shortfall&) = default;
};

}  // namespace trestle
