// SPDX-License-Identifier: Apache-2.0
#include "kernel_text.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "trestle/base/text.hpp"

namespace trestle::os::detail {

namespace {

/// Takes the next line off `text`, without its end.
std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

}  // namespace

std::optional<std::uint64_t> keyed_number(std::string_view text, std::string_view key) {
    while (!text.empty()) {
        TextCursor line(take_line(text));
        if (line.accept(key) && line.accept(' ')) return line.take_number();
    }
    return std::nullopt;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
    TextCursor line(take_line(text));
    const auto number = line.take_number();
    return line.at_end() && text.empty() ? number : std::nullopt;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    TextCursor cursor(text);
    const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\t'; };
    for (cursor.take_while(is_blank); !cursor.at_end(); cursor.take_while(is_blank)) {
        words.emplace_back(cursor.take_until(" \n\t"));
    }
    return words;
}

std::vector<std::int64_t> pids_of(std::string_view text) {
    std::vector<std::int64_t> pids;
    for (const std::string& word : words_of(text)) {
        const auto pid = whole_number(word).value_or(0);
        if (pid != 0) pids.push_back(static_cast<std::int64_t>(pid));
    }
    std::sort(pids.begin(), pids.end());
    return pids;
}

std::optional<std::uint32_t> major_of(std::string_view proc_devices, Device::File::Kind kind,
                                      std::string_view driver) {
    const std::string_view wanted =
        kind == Device::File::Kind::block ? "Block devices:" : "Character devices:";
    bool is_inside = false;
    while (!proc_devices.empty()) {
        TextCursor line(take_line(proc_devices));
        if (line.rest().ends_with("devices:")) is_inside = line.rest() == wanted;
        line.skip_blanks();
        const auto major = line.take_number();
        if (!is_inside || !major || *major > std::numeric_limits<std::uint32_t>::max()) continue;
        line.skip_blanks();
        if (line.rest() == driver) return static_cast<std::uint32_t>(*major);
    }
    return std::nullopt;
}

std::optional<std::string> group_of(std::string_view proc_self_cgroup) {
    while (!proc_self_cgroup.empty()) {
        TextCursor line(take_line(proc_self_cgroup));
        if (line.accept("0::")) return std::string(line.rest());
    }
    return std::nullopt;
}

std::vector<std::string> controllers_on_v1(std::string_view proc_cgroups) {
    // #subsys_name	hierarchy	num_cgroups	enabled (cgroups(7)); 0 is the one of cgroup
    // v2
    std::vector<std::string> controllers;
    while (!proc_cgroups.empty()) {
        auto fields = words_of(take_line(proc_cgroups));
        if (fields.size() < 2 || whole_number(fields[1]).value_or(0) == 0) continue;
        controllers.push_back(std::move(fields[0]));
    }
    return controllers;
}

std::optional<CgroupMount> mount_of(std::string_view proc_self_mountinfo) {
    // 42 32 0:26 /group /directory rw,nosuid - cgroup2 cgroup2 rw (proc(5))
    while (!proc_self_mountinfo.empty()) {
        const auto fields = words_of(take_line(proc_self_mountinfo));
        const auto dash = std::find(fields.begin(), fields.end(), "-");
        const bool is_cgroup2 = fields.end() - dash > 1 && *(dash + 1) == "cgroup2";
        if (is_cgroup2 && dash - fields.begin() > 4) return CgroupMount{fields[4], fields[3]};
    }
    return std::nullopt;
}

std::optional<std::string> directory_of(const CgroupMount& mount, std::string_view group) {
    if (mount.group != "/") {
        if (!group.starts_with(mount.group)) return std::nullopt;
        group.remove_prefix(mount.group.size());
        if (!group.empty() && group.front() != '/') return std::nullopt;
    }
    return mount.directory + std::string(group == "/" ? "" : group);
}

IoTotals io_totals(std::string_view io_stat) {
    // 8:0 rbytes=90430464 wbytes=299008000 rios=8950 wios=1252 dbytes=50331648 dios=3021
    IoTotals totals;
    const std::pair<std::string_view, std::uint64_t IoTotals::*> keys[] = {
        {"rbytes=", &IoTotals::read_bytes},
        {"wbytes=", &IoTotals::written_bytes},
        {"rios=", &IoTotals::reads},
        {"wios=", &IoTotals::writes}};
    for (const std::string& word : words_of(io_stat)) {
        for (const auto& [key, member] : keys) {
            TextCursor cursor(word);
            if (!cursor.accept(key)) continue;
            totals.*member += cursor.take_number().value_or(0);
        }
    }
    return totals;
}

ResourceUsage::Pressure pressure_of(std::string_view text) {
    // some avg10=12.34 avg60=0.00 avg300=0.00 total=5
    ResourceUsage::Pressure pressure;
    while (!text.empty()) {
        TextCursor line(take_line(text));
        const bool is_some = line.accept("some avg10=");
        if (!is_some && !line.accept("full avg10=")) continue;
        const auto percent = line.take_number();
        const bool has_point = line.accept('.');
        const std::string_view digits = line.take_until(" ");
        const auto hundredths = whole_number(digits);
        if (!percent || !has_point || digits.size() != 2 || !hundredths || *percent > 100) continue;
        (is_some ? pressure.some : pressure.full) =
            BasisPoints(static_cast<std::int64_t>(*percent * 100 + *hundredths));
    }
    return pressure;
}

}  // namespace trestle::os::detail
