// SPDX-License-Identifier: Apache-2.0
#pragma once

// PreparedRequest: a request that was checked and resolved once, for questions asked many times.
//
// Layer: alloc. Main type: PreparedRequest. A waiting job is considered in every pass. So its
// request is checked, hashed and split into its alternatives once, when the job is submitted.
// Placer and StartFinder recognise a prepared request in constant time.
// Pitfall: what the request's partition changes depends on the cluster, so Placer and StartFinder
// resolve that, not this class.

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "trestle/base/hash.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// A valid request with all that decisions derive from it alone. A value: a copy copies a pointer,
/// and copies may be read from any thread.
class PreparedRequest {
  public:
    /// The default request: one task with one CPU on one node.
    PreparedRequest();
    /// The request, prepared. Errors: those of check(request). Complexity: linear in the request
    /// times its combinations of alternatives, here and below.
    [[nodiscard]] static StatusOr<PreparedRequest> create(Request request);
    /// The same for a request that is known to be valid. Requires: check(request) is ok.
    PreparedRequest(Request request);  // NOLINT: a valid request is one
    explicit PreparedRequest(Shared<Request> request);
    // No move: it would leave nothing behind, and a copy counts one use.
    PreparedRequest(const PreparedRequest&) = default;
    PreparedRequest& operator=(const PreparedRequest&) = default;

    [[nodiscard]] const Request& operator*() const { return *shared(); }
    [[nodiscard]] const Request* operator->() const { return &**this; }
    /// The request as allocations keep it.
    [[nodiscard]] const Shared<Request>& shared() const;
    operator const Shared<Request>&() const { return shared(); }  // NOLINT: it is one

    /// The request once for each of its alternatives, in the order in which place() tries them.
    /// These are the preferred devices with each of the feature sets, then other devices. With
    /// components, theirs vary first. Never empty; without alternatives the request itself.
    [[nodiscard]] std::span<const Shared<Request>> variants() const;

    /// True for equal requests. Complexity: constant for copies and, nearly always, for different
    /// requests.
    friend bool operator==(const PreparedRequest& a, const PreparedRequest& b);
    /// Complexity: constant.
    void hash_into(HashState& state) const;

  private:
    struct Data;
    explicit PreparedRequest(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

    std::shared_ptr<const Data> data_;
};

/// The request's text.
[[nodiscard]] std::string to_text(const PreparedRequest& request);

}  // namespace trestle
