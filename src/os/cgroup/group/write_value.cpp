// SPDX-License-Identifier: Apache-2.0
#include "write_value.hpp"

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
                          const std::string& value) {
    const auto wanted = parse_set<PuSet>(value);
    if (!wanted) return {};  // the kernel says what it is
    const std::string effective = file + ".effective";
    for (const std::string& place : {"../" + effective, effective}) {
        const auto text = group.read(place);
        if (text.status().code() == StatusCode::kNotFound) return {};
        TRESTLE_TRY_STATUS(text.status());
        const auto there = parse_set<PuSet>(*text);
        if (!there || there->intersects(*wanted)) return {};
    }
    return failed_precondition("{}/{}: the kernel gives none of {}", group.path(), file, value);
}

/// An offline CPU, or one that somebody else has, is taken without a word; it only lacks in what
/// is effective, which is the parent's set if nothing remains.
Status write_index_list(const GroupDirectory& group, const std::string& file,
                        const std::string& value) {
    const auto before = group.read(file);
    if (before.status().code() == StatusCode::kNotFound) {
        return write_if_offered(group, file, value);
    }
    TRESTLE_TRY_STATUS(before.status());
    TRESTLE_TRY_STATUS(check_any_is_there(group, file, value));
    TRESTLE_TRY_STATUS(group.write(file, value));
    const auto effective = group.read(file + ".effective");
    if (!effective.ok()) return set_back(group, file, *before, effective.status());
    const auto wanted = parse_set<PuSet>(value);
    const auto given = parse_set<PuSet>(*effective);
    if (wanted && given && *wanted == *given) return {};
    return set_back(group, file, *before,
                    failed_precondition("{}/{}: the kernel gives {} of {}", group.path(), file,
                                        given ? to_text(*given) : *effective, value));
}

/// A partition that the kernel says is none after all (`root invalid`, in brackets why), because
/// others have the CPUs or the parent is no partition, is made a member again.
Status write_partition(const GroupDirectory& group, const std::string& value) {
    const std::string file = "cpuset.cpus.partition";
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

Status write_value(const GroupDirectory& group, const std::string& file, const std::string& value) {
    if (file.find('/') != std::string::npos) {
        return failed_precondition("{}/{}: the kernel offers no such file here", group.path(),
                                   file);
    }
    if (value.empty()) return write_if_offered(group, file, "\n");  // 0 bytes would write nothing
    if (file == "cpuset.cpus.partition") return write_partition(group, value);
    const bool is_index_list = file == "cpuset.cpus" || file == "cpuset.mems";
    return is_index_list ? write_index_list(group, file, value)
                         : write_if_offered(group, file, value);
}

}  // namespace trestle::os::detail
