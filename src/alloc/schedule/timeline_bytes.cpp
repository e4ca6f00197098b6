// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/timeline_bytes.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/byte_format.hpp"
#include "base/bytes.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace detail {
namespace {

constexpr ByteFormat timeline_format{"timeline", "trstime\n", 1};

/// A reservation whose request stands in a list.
struct ReservedRequest {
    GrantedRequest granted;
    Period period;

    static constexpr auto fields(auto list) {
        return list(field("granted", &ReservedRequest::granted),
                    field("period", &ReservedRequest::period));
    }
};

}  // namespace
}  // namespace detail

std::vector<std::uint8_t> to_bytes(const Timeline& timeline) {
    ByteWriter content;
    const std::vector<std::uint8_t> cluster = to_bytes(timeline.cluster());
    content.number(cluster.size());
    content.append(cluster);
    TimelineParts parts = timeline.parts();
    write_bytes(content, parts.now);
    write_bytes(content, parts.running);
    detail::RequestList requests;
    std::vector<detail::ReservedRequest> reserved;
    reserved.reserve(parts.reservations.size());
    for (TimedAllocation& one : parts.reservations) {
        Allocation& allocation = one.allocation;
        reserved.push_back({{allocation.owner, requests.position(allocation.request),
                             std::move(allocation.placement)},
                            one.period});
    }
    write_bytes(content, requests.requests());
    write_bytes(content, reserved);
    return detail::with_head(detail::timeline_format, content);
}

StatusOr<Timeline> timeline_from_bytes(std::span<const std::uint8_t> bytes,
                                       const ClusterBytesLimits& limits) {
    TRESTLE_TRY(const auto content, detail::checked_content(detail::timeline_format, bytes));
    ByteReader reader(content, limits.requires_utf8);
    const auto cluster_bytes = reader.blob();
    TimelineParts parts;
    parts.now = read_bytes<Instant>(reader);
    parts.running = read_bytes<std::vector<OwnerPeriod>>(reader);
    const auto requests = read_bytes<std::vector<Shared<Request>>>(reader);
    auto reserved = read_bytes<std::vector<detail::ReservedRequest>>(reader);
    if (reader.ok() && !reader.at_end()) reader.fail(reader.offset(), "the end");
    if (!reader.ok()) {
        ByteError error = reader.error();
        error.offset += bytes.size() - content.size();
        return detail::to_status(detail::timeline_format, error);
    }
    TRESTLE_TRY(auto cluster, from_bytes(cluster_bytes, limits));
    for (detail::ReservedRequest& one : reserved) {
        detail::GrantedRequest& granted = one.granted;
        if (granted.request >= requests.size()) {
            return invalid_argument("timeline bytes: owner {}: request {}, expected one below {}",
                                    granted.owner.value(), granted.request, requests.size());
        }
        parts.reservations.push_back(
            {{granted.owner, requests[granted.request], std::move(granted.placement)}, one.period});
    }
    auto timeline = Timeline::create(std::move(cluster), parts);
    if (timeline.ok()) return timeline;
    return invalid_argument("timeline bytes: {}", message(timeline.status()));
}

}  // namespace trestle
