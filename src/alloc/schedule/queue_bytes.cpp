// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/queue_bytes.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alloc/schedule/detail/queue_format.hpp"
#include "base/bytes.hpp"
#include "trestle/alloc/schedule/eligible.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace {

/// The jobs with the requests that they name. Errors: those of queue_from_bytes().
StatusOr<std::vector<QueuedJob>> jobs_with(const std::vector<Request>& requests,
                                           const std::vector<detail::QueuedRequest>& queued) {
    std::vector<std::optional<PreparedRequest>> prepared(requests.size());
    std::vector<QueuedJob> jobs;
    jobs.reserve(queued.size());
    for (const detail::QueuedRequest& one : queued) {
        if (one.request >= requests.size()) {
            return invalid_argument("queue bytes: owner {}: request {}, expected one below {}",
                                    one.owner.value(), one.request, requests.size());
        }
        std::optional<PreparedRequest>& request = prepared[one.request];
        if (!request) {
            auto made = PreparedRequest::create(requests[one.request]);
            if (!made.ok()) {
                return with_context(fmt::format("queue bytes: owner {}", one.owner.value()),
                                    made.status());
            }
            request = *std::move(made);
        }
        jobs.push_back({one.owner, *request, one.duration, static_cast<std::int64_t>(one.priority),
                        one.start_by});
    }
    return jobs;
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const SavedQueue& queue) {
    detail::RequestList requests;
    std::vector<detail::QueuedRequest> queued;
    queued.reserve(queue.jobs.size());
    for (const QueuedJob& one : queue.jobs) {
        queued.push_back({one.owner, requests.position(one.request), one.duration,
                          static_cast<std::uint64_t>(one.priority), one.start_by});
    }
    ByteWriter content;
    write_bytes(content, requests.requests());
    write_bytes(content, queued);
    write_bytes(content, queue.state);
    return detail::with_head(detail::queue_format, content);
}

StatusOr<SavedQueue> queue_from_bytes(std::span<const std::uint8_t> bytes) {
    TRESTLE_TRY(const auto content, detail::checked_content(detail::queue_format, bytes));
    ByteReader reader(content);
    const auto requests = read_bytes<std::vector<Request>>(reader);
    const auto queued = read_bytes<std::vector<detail::QueuedRequest>>(reader);
    SavedQueue queue;
    queue.state = read_bytes<QueueState>(reader);
    if (reader.ok() && !reader.at_end()) reader.fail(reader.offset(), "the end");
    if (!reader.ok()) {
        ByteError error = reader.error();
        error.offset += bytes.size() - content.size();
        return detail::to_status(detail::queue_format, error);
    }
    TRESTLE_TRY(queue.jobs, jobs_with(requests, queued));
    const auto eligible = eligible_jobs(queue.jobs, queue.state, end_of_time);
    if (!eligible.ok()) return invalid_argument("queue bytes: {}", message(eligible.status()));
    return queue;
}

}  // namespace trestle
