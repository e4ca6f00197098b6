// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/columns/node_columns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alloc/cluster/columns/detail/node_question.hpp"
#include "alloc/cluster/columns/detail/sum_columns.hpp"
#include "alloc/cluster/place/detail/request_cache.hpp"
#include "alloc/cluster/place/detail/variants.hpp"
#include "alloc/cluster/place/state_cache.hpp"
#include "trestle/base/contract.hpp"

namespace trestle {

class NodeColumns::Impl {
  public:
    Impl(Cluster cluster, PlaceOptions options, BatchScoreFunction function);

    [[nodiscard]] std::size_t rows() const { return state_of_.size(); }
    void feasible(const Request& request, std::span<bool> out);
    void score(const Request& request, std::span<double> out);
    void fit_count(const Request& request, std::span<std::int32_t> out);

  private:
    void check_column(const Request& request, std::size_t entries) const;
    /// Adds what can take the variant, if sums tell; false if they do not.
    [[nodiscard]] bool add_by_sums(const Shared<Request>& variant, std::span<bool> out);
    /// As fill() below, for one variant; `is_filled` tells which entries are there.
    template <class Value, class ValueOf>
    void add(const Shared<Request>& variant, std::span<Value> out, std::vector<bool>& is_filled,
             const ValueOf& value_of);
    /// value_of(asked, node) for each node that can take it. It says the same of all nodes in a
    /// state where no limits are counted by node.
    template <class Value, class ValueOf>
    void fill(const Request& request, std::span<Value> out, Value absent, const ValueOf& value_of);

    Cluster cluster_;
    PlaceOptions options_;
    StateCache states_;
    std::vector<StateId> state_of_;           ///< by NodeId
    std::optional<detail::SumColumns> sums_;  ///< once they were asked for
};

NodeColumns::Impl::Impl(Cluster cluster, PlaceOptions options, BatchScoreFunction function)
    : cluster_(std::move(cluster)),
      options_(std::move(options)),
      states_(Scorer(cluster_, options_, std::move(function))),
      state_of_(cluster_.node_count()) {
    states_.follow(cluster_);
    for (std::uint32_t n = 0; n < state_of_.size(); ++n) {
        state_of_[n] = cluster_.states().of(NodeId(n));
    }
}

void NodeColumns::Impl::score(const Request& request, std::span<double> out) {
    fill(request, out, std::numeric_limits<double>::quiet_NaN(),
         [this](const detail::NodeQuestion& asked, NodeId node) {
             return asked.candidate(cluster_, node).score.first;
         });
}

void NodeColumns::Impl::feasible(const Request& request, std::span<bool> out) {
    check_column(request, out.size());
    std::fill(out.begin(), out.end(), false);
    for (const auto& variant : detail::variants_of(Shared<Request>::borrow(request))) {
        if (add_by_sums(variant, out)) continue;
        std::vector<bool> is_filled(out.begin(), out.end());
        add(variant, out, is_filled, [](const detail::NodeQuestion&, NodeId) { return true; });
    }
}

bool NodeColumns::Impl::add_by_sums(const Shared<Request>& variant, std::span<bool> out) {
    const detail::NodeQuestion asked(cluster_, variant, options_.fit);
    if (!asked.is_possible()) return true;
    if (asked.counts_by_node() || states_.scorer().may_have_none()) return false;
    if (!sums_) sums_.emplace(cluster_, states_);
    const auto question = sums_->question(cluster_, asked.request(), asked.part(), asked.fit());
    if (!question) return false;
    const bool is_open = asked.may_take_all();
    for (std::uint32_t n = 0; n < rows(); ++n) {
        const bool suffices = sums_->suffice(*question, n);
        out[n] = out[n] || (suffices && (is_open || asked.may_take(cluster_, NodeId(n))));
    }
    return true;
}

void NodeColumns::Impl::check_column(const Request& request, std::size_t entries) const {
    TRESTLE_EXPECTS(entries == rows(), "a column has an entry for each node");
    TRESTLE_EXPECTS(request.components.empty(), "a column is of one group of nodes");
}

template <class Value, class ValueOf>
void NodeColumns::Impl::fill(const Request& request, std::span<Value> out, Value absent,
                             const ValueOf& value_of) {
    check_column(request, out.size());
    std::fill(out.begin(), out.end(), absent);
    std::vector<bool> is_filled(rows(), false);
    for (const auto& variant : detail::variants_of(Shared<Request>::borrow(request))) {
        add(variant, out, is_filled, value_of);
    }
}

template <class Value, class ValueOf>
void NodeColumns::Impl::add(const Shared<Request>& variant, std::span<Value> out,
                            std::vector<bool>& is_filled, const ValueOf& value_of) {
    detail::NodeQuestion asked(cluster_, variant, options_.fit);
    if (!asked.is_possible()) return;
    asked.follow(cluster_, states_);
    std::vector<std::optional<Value>> known(cluster_.states().limit());  // by StateId
    for (std::uint32_t n = 0; n < rows(); ++n) {
        const NodeId node(n);
        if (is_filled[n] || !asked.can_take(cluster_, node, state_of_[n])) continue;
        std::optional<Value>& value = known[state_of_[n].value()];
        if (!value || asked.counts_by_node()) value = value_of(asked, node);
        out[n] = *value;
        is_filled[n] = true;
    }
}

void NodeColumns::Impl::fit_count(const Request& request, std::span<std::int32_t> out) {
    detail::NodeFiller filler(cluster_, states_.scorer(), request, options_.fit);
    fill(request, out, 0,
         [&](const detail::NodeQuestion&, NodeId node) { return filler.fill(node); });
}

NodeColumns::NodeColumns(Cluster cluster, PlaceOptions options, BatchScoreFunction function)
    : impl_(std::make_unique<Impl>(std::move(cluster), std::move(options), std::move(function))) {}
NodeColumns::NodeColumns(NodeColumns&&) noexcept = default;
NodeColumns& NodeColumns::operator=(NodeColumns&&) noexcept = default;
NodeColumns::~NodeColumns() = default;

std::size_t NodeColumns::rows() const { return impl_->rows(); }

void NodeColumns::feasible(const Request& request, std::span<bool> out) {
    impl_->feasible(request, out);
}

void NodeColumns::score(const Request& request, std::span<double> out) {
    impl_->score(request, out);
}

void NodeColumns::fit_count(const Request& request, std::span<std::int32_t> out) {
    impl_->fit_count(request, out);
}

}  // namespace trestle
