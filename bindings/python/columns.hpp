// SPDX-License-Identifier: Apache-2.0
#pragma once

// A caller's policy as a Python callable over whole columns.
//
// Main types: PolicyColumns, ColumnPolicy, ColumnPlacer, ColumnFinder, Deciding; score_function().
// The callable is asked once for many node states, a row each, in NumPy arrays; C++ asks for the
// same by BatchScoreFunction.
// Pitfall: the arrays are copies that are never changed; they stay valid after the call.

#include <fmt/core.h>
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "convert.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/alloc/cluster/place/policy.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"

namespace trestle::python {

/// Inputs of scores, a row for each.
struct PolicyColumns {
    explicit PolicyColumns(std::span<const ScoreInput> inputs);

    std::size_t rows;
    std::size_t devices_most;  ///< that a node has
    std::vector<std::int64_t> milli_cpus_before;
    std::vector<std::int64_t> milli_cpus_after;
    std::vector<std::int64_t> memory_before;
    std::vector<std::int64_t> memory_after;
    std::vector<std::int64_t> devices_before;
    std::vector<std::int64_t> devices_after;
    std::vector<std::int64_t> each_device_before;  ///< rows times devices_most
    std::vector<std::int64_t> each_device_after;
    std::unique_ptr<bool[]> is_idle;
    std::vector<std::int64_t> node_class;  ///< position in `classes`
    std::vector<NodeClass> classes;
};

/// What Python gives as a policy: a function from columns to one float64 for each row, a
/// NodePolicy, or None.
struct ColumnPolicy {
    std::shared_ptr<nb::object> given;

    [[nodiscard]] bool is_function() const {
        return !given->is_none() && !Converter<NodePolicy>::fits(*given);
    }
};

template <>
struct Converter<ColumnPolicy> {
    static constexpr bool is_ours = true;
    static constexpr auto name = const_name(
        "trestle.Policy | str | collections.abc.Callable[[trestle.PolicyColumns], "
        "numpy.typing.NDArray[numpy.float64]]");

    static bool fits(nb::handle object) noexcept {
        return object.is_none() || Converter<NodePolicy>::fits(object) ||
               PyCallable_Check(object.ptr()) != 0;
    }
    static ColumnPolicy from(nb::handle object) {
        return {std::make_shared<nb::object>(nb::borrow(object))};
    }
};

/// The cluster that a decision is about, for as long as it takes.
using AskedAbout = std::shared_ptr<const Cluster*>;

/// An empty function for None and a NodePolicy. What the policy gives is checked: TypeError or
/// ValueError; so is that it leaves the cluster alone. All copies of the function hold one
/// reference.
[[nodiscard]] BatchScoreFunction score_function(const ColumnPolicy& policy, AskedAbout about);

/// The options with the policy, if it is a NodePolicy.
[[nodiscard]] inline PlaceOptions with_policy(PlaceOptions options, const ColumnPolicy& policy) {
    if (policy.given->is_none() || policy.is_function()) return options;
    options.policy = from_python<NodePolicy>(*policy.given);
    return options;
}

/// A Placer or StartFinder of Python's, which shows the garbage collector what it holds: a policy
/// is mostly a function of the module in which the placer stands too.
template <class Decider>
struct WithColumns : Decider {
    WithColumns(PlaceOptions options, const ColumnPolicy& one)
        : WithColumns(std::move(options), one, std::make_shared<const Cluster*>()) {}

    ColumnPolicy policy;
    AskedAbout about;

  private:
    WithColumns(PlaceOptions options, const ColumnPolicy& one, const AskedAbout& cluster)
        : Decider(with_policy(std::move(options), one), score_function(one, cluster)),
          policy(one),
          about(cluster) {}
};
using ColumnPlacer = WithColumns<Placer>;
using ColumnFinder = WithColumns<StartFinder>;

/// For the garbage collector: what it refers to, and that it should let go of it.
template <class Columns>
int visit_policy(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Columns>(self)->policy.given->ptr());
    return 0;
}
template <class Columns>
int clear_policy(PyObject* self) {
    *nb::inst_ptr<Columns>(self)->policy.given = nb::none();
    return 0;
}

/// decide(). An exception of the policy says for which job and `when`: owner() is that of the job
/// that was asked for last, or nothing.
template <class Owner, class Decide>
auto naming_the_owner(const Owner& owner, const std::string& when, const Decide& decide) {
    const auto text = [&]() -> std::string {
        const std::optional<OwnerId> one = owner();
        return one ? fmt::format("for the job of owner {}{}", one->value(), when) : "";
    };
    try {
        return decide();
    } catch (BadValue& error) {
        if (const std::string job = text(); !job.empty()) error.what += ", " + job;
        throw;
    } catch (const nb::python_error& error) {
        const std::string job = text();
        if (!job.empty() && nb::hasattr(error.value(), "add_note")) {
            error.value().attr("add_note")("policy: " + job);
        }
        throw;
    }
}

/// The same of decide() about these jobs.
template <class Jobs, class Decider, class Decide>
auto naming_the_job(const Jobs& jobs, const Decider& decider, const std::string& when,
                    const Decide& decide) {
    const auto owner = [&]() -> std::optional<OwnerId> {
        for (const auto& job : jobs) {
            if (&job.request == decider.last_request()) return job.owner;
        }
        return std::nullopt;
    };
    return naming_the_owner(owner, when, decide);
}

/// While it lives the placer or finder is asked about the cluster.
class Deciding {
  public:
    template <class Columns>
    Deciding(Columns& decider, const Cluster& cluster) : about_(*decider.about) {
        TRESTLE_EXPECTS(about_ == nullptr, "a placer's own policy does not ask it");
        about_ = &cluster;
    }
    Deciding(const Deciding&) = delete;
    Deciding& operator=(const Deciding&) = delete;
    ~Deciding() { about_ = nullptr; }

  private:
    const Cluster*& about_;
};

}  // namespace trestle::python
