// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/job_id.hpp"

#include <limits>
#include <utility>

#include "grammars.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {
namespace {

constexpr std::string_view job_id_words = "a job id, as in 1001, 1001_7 or 1001_[1-9:2%4]";

std::string range_text(const ArrayRange& range) {
    if (range.first == range.last) return std::to_string(range.first);
    const std::string ends = fmt::format("{}-{}", range.first, range.last);
    return range.step == 1 ? ends : fmt::format("{}:{}", ends, range.step);
}

bool is_in_lists(char c) { return c == '-' || c == ',' || c == ':' || c == '%'; }

bool is_one_task(const JobArray& tasks) {
    return !tasks.at_once && tasks.ranges.size() == 1 &&
           tasks.ranges.front().first == tasks.ranges.front().last;
}

}  // namespace

TextResult<JobId> read_job_id(TextCursor text) {
    const TextCursor start = text;
    JobId id;
    const auto job = text.take_number();
    if (!job || *job == 0 || *job > std::numeric_limits<std::uint32_t>::max()) {
        return start.error("malformed job id", job_id_words);
    }
    id.job = static_cast<std::uint32_t>(*job);
    if (text.at_end()) return id;
    if (!text.accept('_')) return text.error("unexpected text", job_id_words);
    TextCursor list = text;
    if (text.accept('[')) {
        const std::size_t at = text.offset();
        list = TextCursor(text.take_until("]"), at);
        if (!text.accept(']') || !text.at_end()) {
            return text.error("no ] at the end", job_id_words);
        }
    } else if (!text.at_end()) {
        const bool is_number = text.take_number().has_value();
        const bool is_list = is_number && is_in_lists(text.peek());
        if (is_list) return text.error("several tasks without brackets", job_id_words);
        if (!is_number || !text.at_end()) return list.error("malformed task", job_id_words);
    }
    auto tasks = read_array(list);
    if (!tasks) return tasks.error();
    id.tasks = *std::move(tasks);
    return id;
}

StatusOr<JobId> parse_job_id(std::string_view text) {
    auto id = read_job_id(TextCursor(text));
    if (!id) return to_status("job id", id.error());
    return *std::move(id);
}

std::string to_text(const JobId& id) {
    std::string text = std::to_string(id.job);
    if (!id.tasks) return text;
    std::string list;
    for (const ArrayRange& range : id.tasks->ranges) {
        list += (list.empty() ? "" : ",") + range_text(range);
    }
    if (id.tasks->at_once) list += "%" + trestle::to_text(*id.tasks->at_once);
    return text + (is_one_task(*id.tasks) ? "_" + list : "_[" + list + "]");
}

Count tasks_in(const JobId& id) {
    return Count(id.tasks ? static_cast<std::int64_t>(task_ids(*id.tasks).size()) : 1);
}

}  // namespace trestle::slurm
