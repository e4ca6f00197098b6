// SPDX-License-Identifier: Apache-2.0
#pragma once

// A cluster as bytes and back: to keep, to send, to compare.
//
// Layer: alloc. Main functions: to_bytes, from_bytes. Equal clusters give equal bytes, however they
// came about. Behind eight bytes that name the format come its version, a checksum of the rest,
// and the outline of the cluster, the different requests, and who has what.
// A reader would get wrong: the checksum finds what was damaged, not what was forged; everything is
// checked again when it is read, so that forged bytes are at worst another cluster.

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/outline.hpp"
#include "trestle/base/bytes.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/features.hpp"
#include "trestle/set/bytes.hpp"

namespace trestle {

template <>
struct ByteCodec<FeatureExpression> {
    static void write(ByteWriter& writer, const FeatureExpression& expression) {
        writer.text(to_text(expression));
    }
    static FeatureExpression read(ByteReader& reader);
};

/// What from_bytes believes at most.
struct ClusterBytesLimits {
    /// A few bytes may say any number of nodes, and each will cost memory.
    std::uint32_t nodes_max = 1U << 24;
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

[[nodiscard]] Status check_limits(const ClusterOutline& outline, const ClusterBytesLimits& limits);

}  // namespace detail

/// The canonical bytes. Complexity: linear in the runs of nodes and in the allocations, and little
/// for each node.
[[nodiscard]] std::vector<std::uint8_t> to_bytes(const Cluster& cluster);

/// The cluster that to_bytes made these of. Errors: InvalidArgument, one line with the offset and
/// what was expected, for other bytes, another version, damage, and a cluster that cannot be.
[[nodiscard]] StatusOr<Cluster> from_bytes(std::span<const std::uint8_t> bytes,
                                           const ClusterBytesLimits& limits = {});

}  // namespace trestle
