// SPDX-License-Identifier: Apache-2.0
#pragma once

// A cluster as bytes and back: to keep, to send, to compare.
//
// Layer: alloc. Main functions: to_bytes, from_bytes. Equal clusters give equal bytes, however they
// came about. Behind eight bytes that name the format come its version, a checksum of the rest,
// and the outline of the cluster, the different requests, and who has what.
// A reader would get wrong: the checksum finds what was damaged, not what was forged; everything is
// checked again when it is read, so that forged bytes are at worst another cluster.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/base/bytes.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/features.hpp"
#include "trestle/set/bytes.hpp"

namespace trestle {

template <>
struct ByteCodec<FeatureExpression> {
    static void write(ByteWriter& writer, const FeatureExpression& expression) {
        writer.text(to_text(expression));
    }
    static FeatureExpression read(ByteReader& reader) {
        const std::size_t start = reader.offset();
        const std::string text = reader.text();
        const auto expression = read_features(TextCursor(text));
        if (expression) return *expression;
        reader.fail(start, expression.error().expected);
        return {};
    }
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
[[nodiscard]] inline std::uint64_t checksum(std::span<const std::uint8_t> bytes) {
    HashState state;
    state.add(bytes.size());
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        word = word << 8 | bytes[i];
        if (i % 8 == 7) state.add(word);
    }
    state.add(word);
    return state.result();
}

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
    [[nodiscard]] std::uint32_t position(const Shared<Request>& request) {
        std::vector<std::uint32_t>& alike = by_hash_[hash_of(*request)];
        for (const std::uint32_t at : alike) {
            if (requests_[at] == request) return at;
        }
        alike.push_back(static_cast<std::uint32_t>(requests_.size()));
        requests_.push_back(request);
        return alike.back();
    }
    [[nodiscard]] const std::vector<Shared<Request>>& requests() const { return requests_; }

  private:
    std::vector<Shared<Request>> requests_;
    std::map<std::uint64_t, std::vector<std::uint32_t>> by_hash_;
};

[[nodiscard]] inline Status to_status(const ByteFormat& format, const ByteError& error) {
    return invalid_argument("{} bytes: {}", format.name, to_text(error));
}

/// The content with magic, version and checksum before it.
[[nodiscard]] inline std::vector<std::uint8_t> with_head(const ByteFormat& format,
                                                         const ByteWriter& content) {
    ByteWriter writer;
    for (const char c : format.magic) writer.byte(static_cast<std::uint8_t>(c));
    writer.word(format.version);
    writer.word(checksum(content.bytes()));
    writer.append(content.bytes());
    return writer.take();
}

/// The bytes behind version and checksum, if these are right.
[[nodiscard]] inline StatusOr<std::span<const std::uint8_t>> checked_content(
    const ByteFormat& format, std::span<const std::uint8_t> bytes) {
    const std::size_t magic_size = format.magic.size();
    const bool begins_so =
        bytes.size() >= magic_size &&
        std::equal(format.magic.begin(), format.magic.end(), bytes.begin(),
                   [](char c, std::uint8_t byte) { return static_cast<unsigned char>(c) == byte; });
    if (!begins_so) {
        return to_status(format,
                         {0, fmt::format("the bytes of a {}, which begin otherwise", format.name)});
    }
    ByteReader head(bytes.subspan(magic_size));
    const std::uint64_t version = head.word();
    const std::uint64_t sum = head.word();
    if (!head.ok()) return to_status(format, {bytes.size(), "a version and a checksum"});
    if (version != format.version) {
        return to_status(format, {magic_size, fmt::format("version {}, which is what can be read, "
                                                          "not version {}",
                                                          format.version, version)});
    }
    const auto content = bytes.subspan(magic_size + head.offset());
    if (checksum(content) != sum) {
        return to_status(format, {magic_size + 8, "the checksum of what follows: it is damaged"});
    }
    return content;
}

[[nodiscard]] inline Status check_limits(const ClusterOutline& outline,
                                         const ClusterBytesLimits& limits) {
    std::uint64_t nodes = 0;
    for (const NodeRun& run : outline.nodes) nodes += run.count;
    for (const NameRun& run : outline.names) {
        nodes = std::max<std::uint64_t>(nodes, std::uint64_t{run.first_node} + run.count);
    }
    if (nodes <= limits.nodes_max) return {};
    return invalid_argument("cluster bytes: {} nodes, expected at most {}", nodes,
                            limits.nodes_max);
}

}  // namespace detail

/// The canonical bytes. Complexity: linear in the runs of nodes and in the allocations, and little
/// for each node.
[[nodiscard]] inline std::vector<std::uint8_t> to_bytes(const Cluster& cluster) {
    ByteWriter content;
    write_bytes(content, cluster.outline());
    detail::RequestList requests;
    std::vector<detail::GrantedRequest> granted;
    granted.reserve(cluster.allocation_count());
    for (Allocation& one : cluster.allocations()) {
        granted.push_back({one.owner, requests.position(one.request), std::move(one.placement)});
    }
    write_bytes(content, requests.requests());
    write_bytes(content, granted);
    return detail::with_head(detail::cluster_format, content);
}

/// The cluster that to_bytes made these of. Errors: InvalidArgument, one line with the offset and
/// what was expected, for other bytes, another version, damage, and a cluster that cannot be.
[[nodiscard]] inline StatusOr<Cluster> from_bytes(std::span<const std::uint8_t> bytes,
                                                  const ClusterBytesLimits& limits = {}) {
    TRESTLE_TRY(const auto content, detail::checked_content(detail::cluster_format, bytes));
    ByteReader reader(content);
    const auto outline = read_bytes<ClusterOutline>(reader);
    const auto requests = read_bytes<std::vector<Shared<Request>>>(reader);
    auto granted = read_bytes<std::vector<detail::GrantedRequest>>(reader);
    if (reader.ok() && !reader.at_end()) reader.fail(reader.offset(), "the end");
    if (!reader.ok()) {
        ByteError error = reader.error();
        error.offset += bytes.size() - content.size();
        return detail::to_status(detail::cluster_format, error);
    }
    TRESTLE_TRY_STATUS(detail::check_limits(outline, limits));
    auto cluster = Cluster::from_outline(outline);
    if (!cluster.ok()) return with_context("cluster bytes", cluster.status());
    for (detail::GrantedRequest& one : granted) {
        if (one.request >= requests.size()) {
            return invalid_argument("cluster bytes: owner {}: request {}, expected one below {}",
                                    one.owner.value(), one.request, requests.size());
        }
        TRESTLE_TRY_STATUS(with_context(
            "cluster bytes",
            cluster->commit({one.owner, requests[one.request], std::move(one.placement)})));
    }
    return cluster;
}

}  // namespace trestle
