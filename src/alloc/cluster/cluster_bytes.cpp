// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/cluster_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/byte_format.hpp"
#include "alloc/cluster/compact_cluster_parts.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

FeatureExpression ByteCodec<FeatureExpression>::read(ByteReader& reader) {
    const std::size_t start = reader.offset();
    const std::string text = reader.text();
    const auto expression = FeatureExpression::read(TextCursor(text));
    if (expression) return *expression;
    reader.fail(start, expression.error().expected);
    return {};
}

namespace detail {

std::uint64_t checksum(std::span<const std::uint8_t> bytes) {
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

std::uint32_t RequestList::position(const Shared<Request>& request) {
    std::vector<std::uint32_t>& alike = by_hash_[hash_of(*request)];
    for (const std::uint32_t at : alike) {
        if (requests_[at] == request) return at;
    }
    alike.push_back(static_cast<std::uint32_t>(requests_.size()));
    requests_.push_back(request);
    return alike.back();
}

std::vector<std::uint8_t> with_head(const ByteFormat& format, const ByteWriter& content) {
    ByteWriter writer;
    for (const char c : format.magic) writer.byte(static_cast<std::uint8_t>(c));
    writer.word(format.version);
    writer.word(checksum(content.bytes()));
    writer.append(content.bytes());
    return writer.take();
}

StatusOr<std::span<const std::uint8_t>> checked_content(const ByteFormat& format,
                                                        std::span<const std::uint8_t> bytes) {
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

Status check_limits(const CompactClusterParts& compact, const ClusterBytesLimits& limits) {
    std::uint64_t nodes = 0;
    for (const NodeRun& run : compact.nodes) nodes += run.count;
    for (const NodeNames::Run& run : compact.names) {
        nodes = std::max<std::uint64_t>(nodes, std::uint64_t{run.first_node} + run.count);
    }
    if (nodes <= limits.nodes_max) return {};
    return invalid_argument("cluster bytes: {} nodes, expected at most {}", nodes,
                            limits.nodes_max);
}

}  // namespace detail

std::vector<std::uint8_t> to_bytes(const Cluster& cluster) {
    ByteWriter content;
    write_bytes(content, CompactClusterParts::of(cluster));
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

StatusOr<Cluster> from_bytes(std::span<const std::uint8_t> bytes,
                             const ClusterBytesLimits& limits) {
    TRESTLE_TRY(const auto content, detail::checked_content(detail::cluster_format, bytes));
    ByteReader reader(content, limits.requires_utf8);
    const auto compact = read_bytes<CompactClusterParts>(reader);
    const auto requests = read_bytes<std::vector<Shared<Request>>>(reader);
    auto granted = read_bytes<std::vector<detail::GrantedRequest>>(reader);
    if (reader.ok() && !reader.at_end()) reader.fail(reader.offset(), "the end");
    if (!reader.ok()) {
        ByteError error = reader.error();
        error.offset += bytes.size() - content.size();
        return detail::to_status(detail::cluster_format, error);
    }
    TRESTLE_TRY_STATUS(detail::check_limits(compact, limits));
    auto cluster = compact.cluster();
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
