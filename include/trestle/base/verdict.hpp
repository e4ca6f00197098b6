// SPDX-License-Identifier: Apache-2.0
#pragma once

// Verdict<T>: a value, or the reason why there is none. "Does not fit" is not an error.
//
// Layer: base. A Refusal names the binding constraint, and says in one line what was requested and
// what is free. Schedulers branch on it millions of times, so it is a plain value.
// Pitfall: two constraints do not mean that the request does not fit. Constraint::gave_up: the
// search budget ended before an answer. Constraint::invalid: the question itself is wrong, and the
// reason says what was expected.

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "trestle/base/contract.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"

namespace trestle {

/// What stood in the way.
enum class Constraint {
    none,
    nodes,
    node_state,
    features,
    cores,
    memory,
    devices,
    device_attributes,
    locality,
    disk,
    price,
    blocks,
    topology,
    partition,
    cluster_counts,
    candidates,
    predicate,
    gave_up,
    invalid,
};

constexpr auto enum_names(Constraint) {
    return std::array{named(Constraint::none, "none"),
                      named(Constraint::nodes, "nodes"),
                      named(Constraint::node_state, "node_state"),
                      named(Constraint::features, "features"),
                      named(Constraint::cores, "cores"),
                      named(Constraint::memory, "memory"),
                      named(Constraint::devices, "devices"),
                      named(Constraint::device_attributes, "device_attributes"),
                      named(Constraint::locality, "locality"),
                      named(Constraint::disk, "disk"),
                      named(Constraint::price, "price"),
                      named(Constraint::blocks, "blocks"),
                      named(Constraint::topology, "topology"),
                      named(Constraint::partition, "partition"),
                      named(Constraint::cluster_counts, "cluster_counts"),
                      named(Constraint::candidates, "candidates"),
                      named(Constraint::predicate, "predicate"),
                      named(Constraint::gave_up, "gave_up"),
                      named(Constraint::invalid, "invalid")};
}

/// A reasoned no.
struct Refusal {
    Constraint constraint = Constraint::none;
    std::string reason;  ///< one line: what was asked, what there is

    static constexpr auto fields(auto list) {
        return list(field("constraint", &Refusal::constraint), field("reason", &Refusal::reason));
    }
    friend bool operator==(const Refusal&, const Refusal&) = default;
};

[[nodiscard]] inline std::string to_text(const Refusal& refusal) {
    return std::string(to_text(refusal.constraint)) + ": " + refusal.reason;
}

/// A T or a Refusal. Converts from either.
template <class T>
class Verdict {
  public:
    using value_type = T;

    Verdict(T value) : value_(std::move(value)) {}              // NOLINT: by design
    Verdict(Refusal refusal) : refusal_(std::move(refusal)) {}  // NOLINT: by design

    [[nodiscard]] bool has_value() const { return value_.has_value(); }
    [[nodiscard]] explicit operator bool() const { return has_value(); }

    /// Requires: has_value().
    [[nodiscard]] const T& operator*() const& {
        TRESTLE_EXPECTS(has_value(), "the verdict is a yes");
        return *value_;
    }
    [[nodiscard]] T&& operator*() && {
        TRESTLE_EXPECTS(has_value(), "the verdict is a yes");
        return *std::move(value_);
    }
    [[nodiscard]] const T* operator->() const { return &**this; }

    /// Requires: !has_value().
    [[nodiscard]] const Refusal& refusal() const {
        TRESTLE_EXPECTS(!has_value(), "the verdict is a no");
        return refusal_;
    }

    friend bool operator==(const Verdict&, const Verdict&) = default;

  private:
    std::optional<T> value_;
    Refusal refusal_;
};

}  // namespace trestle
