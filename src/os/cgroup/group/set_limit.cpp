// SPDX-License-Identifier: Apache-2.0
#include "set_limit.hpp"

#include "trestle/set/small_set.hpp"
#include "trestle/set/text.hpp"

namespace trestle::os::detail {

namespace {

/// As write; a file that is missing in a group that is there is the kernel's lack.
Status write_if_offered(const GroupDirectory& group, const std::string& file,
                        const std::string& value) {
    const Status written = group.write(file, value);
    if (written.code() != StatusCode::kNotFound || group.has(file.c_str()) ||
        !group.has("cgroup.procs")) {
        return written;
    }
    return failed_precondition("{}/{}: the kernel offers no such file here", group.path(), file);
}

/// `cause`, after `before` was written again.
Status set_back(const GroupDirectory& group, const std::string& file, const std::string& before,
                const Status& cause) {
    if (group.write(file, before.empty() ? "\n" : before).ok()) return cause;
    return make_error(cause.code(), "{}, and could not be set back", message(cause));
}

/// A group with none of its CPUs left has all of its parent's, for as long as it takes to set that
/// back. So that is refused before the write: something has to be had by the group above, or by
/// this one, which a partition takes out of what is above.
Status check_any_is_there(const GroupDirectory& group, const std::string& file,
                          const PuSet& wanted) {
    const std::string effective = file + ".effective";
    for (const std::string& place : {"../" + effective, effective}) {
        const auto text = group.read(place);
        if (text.status().code() == StatusCode::kNotFound) return {};
        TRESTLE_TRY_STATUS(text.status());
        const auto there = parse_set<PuSet>(*text);
        if (!there || there->intersects(wanted)) return {};
    }
    return failed_precondition("{}/{}: the kernel gives none of {}", group.path(), file,
                               to_text(wanted));
}

/// An offline CPU, or one of another partition, is accepted without an error; it only lacks in what
/// is effective, which is the parent's set if nothing remains.
Status set_indexes(const GroupDirectory& group, const std::string& file, const PuSet& wanted) {
    if (wanted.is_empty()) return write_if_offered(group, file, "\n");  // 0 bytes write nothing
    const std::string value = to_text(wanted);
    const auto before = group.read(file);
    if (before.status().code() == StatusCode::kNotFound) {
        return write_if_offered(group, file, value);
    }
    TRESTLE_TRY_STATUS(before.status());
    TRESTLE_TRY_STATUS(check_any_is_there(group, file, wanted));
    TRESTLE_TRY_STATUS(group.write(file, value));
    const auto effective = group.read(file + ".effective");
    if (!effective.ok()) return set_back(group, file, *before, effective.status());
    const auto given = parse_set<PuSet>(*effective);
    if (given && wanted == *given) return {};
    return set_back(group, file, *before,
                    failed_precondition("{}/{}: the kernel gives {} of {}", group.path(), file,
                                        given ? to_text(*given) : *effective, value));
}

/// A partition that the kernel says is none after all (`root invalid`, in brackets why), because
/// others have the CPUs or the parent is no partition, is made a member again.
Status set_partition(const GroupDirectory& group, const std::string& file,
                     const std::string& value) {
    TRESTLE_TRY_STATUS(write_if_offered(group, file, value));
    auto made = group.read(file);
    if (!made.ok()) return set_back(group, file, "member", made.status());
    if (made->ends_with('\n')) made->pop_back();
    if (*made == value) return {};
    return set_back(
        group, file, "member",
        failed_precondition("{}/{}: the kernel makes {} of {}", group.path(), file, *made, value));
}

}  // namespace

Status set_limit(const GroupDirectory& group, const Limit& limit) {
    const std::string file = file_of(limit);
    if (const auto* cpus = std::get_if<CpusLimit>(&limit)) {
        return set_indexes(group, file, cpus->cpus);
    }
    if (const auto* mems = std::get_if<MemsLimit>(&limit)) {
        return set_indexes(group, file, mems->mems);
    }
    const std::string value = file_value(limit);
    return std::holds_alternative<PartitionLimit>(limit) ? set_partition(group, file, value)
                                                         : write_if_offered(group, file, value);
}

}  // namespace trestle::os::detail
