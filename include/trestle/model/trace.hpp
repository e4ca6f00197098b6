// SPDX-License-Identifier: Apache-2.0
#pragma once

// Trace: every commit, release, refusal and enforcement step as a value and a printable line.
//
// Layer: model, because alloc and enforce both report and do not know each other. Main types:
// TraceEvent, TraceSink. What Slurm gives with DebugFlags=GRES, but to the caller's function.
// Pitfall: an event is built only when there is a sink. Without one, tracing costs one branch.

#include <array>
#include <functional>
#include <string>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"

namespace trestle {

/// A commit, release, refusal or step as a value and a printable line.
struct TraceEvent {
    /// What happened.
    enum class Kind { commit, release, refusal, step };

    Kind kind = Kind::commit;
    OwnerId owner;
    std::string subject;  ///< the node, or the group that a step works on; may be empty
    std::string detail;   ///< what was given, taken, refused or written

    static constexpr auto fields(auto list) {
        return list(field("kind", &TraceEvent::kind), field("owner", &TraceEvent::owner),
                    field("subject", &TraceEvent::subject), field("detail", &TraceEvent::detail));
    }
    friend bool operator==(const TraceEvent&, const TraceEvent&) = default;
};

constexpr auto enum_names(TraceEvent::Kind) {
    using enum TraceEvent::Kind;
    return std::array{named(commit, "commit"), named(release, "release"), named(refusal, "refusal"),
                      named(step, "step")};
}

/// Receives events in the order in which they happen, on the thread that makes them happen. A
/// change is complete when it is reported. A sink of an enforcer's apply must not throw.
using TraceSink = std::function<void(const TraceEvent&)>;

/// `commit owner=42 n1: cores=0-3 ...`, one line.
[[nodiscard]] std::string to_text(const TraceEvent& event);

}  // namespace trestle
