// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the bytes of clusters and of timelines share: the head, and requests that are written once.
//
// Layer: alloc. Main names: ByteFormat, RequestList, with_head, checked_content.

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "set/bytes.hpp"
#include "trestle/alloc/cluster/cluster_bytes.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/features.hpp"

namespace trestle {

template <>
struct ByteCodec<FeatureExpression> {
    static void write(ByteWriter& writer, const FeatureExpression& expression) {
        writer.text(to_text(expression));
    }
    static FeatureExpression read(ByteReader& reader);
};

namespace detail {

/// What bytes begin with, and what they are called in errors.
struct ByteFormat {
    std::string_view name;
    std::string_view magic;
    std::uint64_t version = 1;
};
inline constexpr ByteFormat cluster_format{"cluster", "trestle\n", 1};

/// Differs when a byte does.
[[nodiscard]] std::uint64_t checksum(std::span<const std::uint8_t> bytes);

/// An allocation whose request stands in a list.
struct GrantedRequest {
    OwnerId owner;
    std::uint32_t request = 0;
    Placement placement;

    static constexpr auto fields(auto list) {
        return list(field("owner", &GrantedRequest::owner),
                    field("request", &GrantedRequest::request),
                    field("placement", &GrantedRequest::placement));
    }
};

/// The different requests of a cluster, in the order of their first owner.
class RequestList {
  public:
    [[nodiscard]] std::uint32_t position(const Shared<Request>& request);
    [[nodiscard]] const std::vector<Shared<Request>>& requests() const { return requests_; }

  private:
    std::vector<Shared<Request>> requests_;
    std::map<std::uint64_t, std::vector<std::uint32_t>> by_hash_;
};

[[nodiscard]] inline Status to_status(const ByteFormat& format, const ByteError& error) {
    return invalid_argument("{} bytes: {}", format.name, to_text(error));
}

/// The content with magic, version and checksum before it.
[[nodiscard]] std::vector<std::uint8_t> with_head(const ByteFormat& format,
                                                  const ByteWriter& content);

/// The bytes behind version and checksum, if these are right.
[[nodiscard]] StatusOr<std::span<const std::uint8_t>> checked_content(
    const ByteFormat& format, std::span<const std::uint8_t> bytes);

}  // namespace detail

}  // namespace trestle
