// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/gres_conf.hpp"

#include <algorithm>
#include <array>

#include "conf_lines.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/quantities.hpp"
#include "trestle/set/text.hpp"

namespace trestle::slurm {
namespace {

using MaybeError = std::optional<TextError>;

constexpr std::array<std::string_view, 10> flag_names{
    "CountOnly",  "nvidia_gpu_env", "amd_gpu_env", "intel_gpu_env", "opencl_env",
    "no_gpu_env", "one_sharing",    "all_sharing", "explicit",      "env_uuid"};
constexpr std::array<std::string_view, 7> autodetect_names{"nvml", "rsmi",   "oneapi", "nrt",
                                                           "full", "nvidia", "off"};

struct GresDraft {
    GresLine line;
    bool has_count = false;
    bool has_file = false;
};

MaybeError set_list(std::vector<std::string>& list, TextCursor text) {
    const auto names = Hostlist::read(text, {.max_names = names_a_line_max});
    if (!names) return names.error();
    list = names->names();
    return std::nullopt;
}

MaybeError set_file(GresDraft& draft, TextCursor text) {
    draft.has_file = true;
    if (draft.line.is_one_device) return text.error("File with MultipleFiles", "one of the two");
    return set_list(draft.line.files, text);
}

MaybeError set_multiple_files(GresDraft& draft, TextCursor text) {
    draft.line.is_one_device = true;
    if (draft.has_file) return text.error("MultipleFiles with File", "one of the two");
    auto error = set_list(draft.line.files, text);
    if (!error && draft.line.files.size() < 2) {
        return text.error("one file in MultipleFiles", "two or more, or File=");
    }
    return error;
}

MaybeError set_word(std::string& word, TextCursor text) {
    if (text.at_end()) return text.error("empty value", "a name");
    word = text.rest();
    return std::nullopt;
}

MaybeError set_count(GresDraft& draft, TextCursor text) {
    const auto count = read_count(text);
    if (!count) return count.error();
    draft.line.count = *count;
    draft.has_count = true;
    return std::nullopt;
}

MaybeError set_cores(GresDraft& draft, TextCursor text) {
    const auto cores = parse_set<CoreSet>(text);
    if (!cores) return cores.error();
    if (cores->is_empty()) return text.error("no cores", "core numbers, as in 0-7,16");
    draft.line.cores = *cores;
    return std::nullopt;
}

MaybeError set_links(GresDraft& draft, TextCursor text) {
    constexpr std::string_view words = "numbers joined by commas, -1 at the device's own place";
    constexpr std::uint64_t strength_max = 1'000'000;
    const TextCursor start = text;
    std::vector<std::int32_t> links;
    do {
        const TextCursor item = text;
        const bool is_self = text.accept("-1");
        const auto number = is_self ? std::optional<std::uint64_t>(0) : text.take_number();
        const bool ends = text.at_end() || text.peek() == ',';
        if (!number || !ends || *number > strength_max) {
            return item.error("malformed link", words);
        }
        links.push_back(is_self ? -1 : static_cast<std::int32_t>(*number));
    } while (text.accept(','));
    if (std::count(links.begin(), links.end(), -1) != 1) {
        return start.error("not exactly one -1", words);
    }
    draft.line.links = std::move(links);
    return std::nullopt;
}

MaybeError set_flags(GresDraft& draft, TextCursor text) {
    do {
        const TextCursor start = text;
        const std::string_view name = text.take_until(",");
        const auto known = std::find_if(flag_names.begin(), flag_names.end(),
                                        [&](auto flag) { return words::same_word(flag, name); });
        if (known == flag_names.end()) {
            return start.error(
                "unknown flag",
                "a known flag; the nearest is " +
                    words::nearest_word(name, flag_names, [](auto flag) { return flag; }));
        }
        draft.line.flags.emplace_back(*known);
    } while (text.accept(','));
    return std::nullopt;
}

MaybeError set_autodetect(GresDraft& draft, TextCursor text) {
    const auto known = std::find_if(autodetect_names.begin(), autodetect_names.end(),
                                    [&](auto name) { return words::same_word(name, text.rest()); });
    if (known == autodetect_names.end()) {
        return text.error("unknown AutoDetect", "nvml, rsmi, oneapi, nrt, full, nvidia or off");
    }
    draft.line.autodetect = *known;
    return std::nullopt;
}

constexpr std::array<Key<GresDraft>, 13> gres_keys{{
    {"NodeName", [](GresDraft& d, TextCursor t) { return set_list(d.line.nodes, t); }},
    {"Name", [](GresDraft& d, TextCursor t) { return set_word(d.line.name, t); }},
    {"Type", [](GresDraft& d, TextCursor t) { return set_word(d.line.type, t); }},
    {"File", &set_file},
    {"Files", &set_file},
    {"MultipleFiles", &set_multiple_files},
    {"Count", &set_count},
    {"Cores", &set_cores},
    {"CPUs", &set_cores},
    {"Links", &set_links},
    {"Link", &set_links},
    {"Flags", &set_flags},
    {"AutoDetect", &set_autodetect},
}};

/// What one key alone cannot tell.
MaybeError settle(GresDraft& draft, std::string_view first_key) {
    GresLine& line = draft.line;
    const auto error = [](std::string token, std::string what, std::string expected) {
        return TextError{0, std::move(token), std::move(what), std::move(expected)};
    };
    if (line.name.empty()) {
        if (!line.autodetect.empty()) return std::nullopt;
        return error(std::string(first_key), "line without Name", "Name= or AutoDetect=");
    }
    if (!line.files.empty()) {
        const auto devices =
            Count(line.is_one_device ? 1 : static_cast<std::int64_t>(line.files.size()));
        if (draft.has_count && line.count != devices) {
            return error("Count=" + std::to_string(line.count.value()),
                         "Count that is not the number of files", std::to_string(devices.value()));
        }
        line.count = devices;
    }
    if (!line.links.empty() && line.count != Count(1)) {
        return error("Links", "Links for several devices", "one device a line");
    }
    return std::nullopt;
}

}  // namespace

bool has_flag(const GresLine& line, std::string_view flag) {
    return std::find(line.flags.begin(), line.flags.end(), flag) != line.flags.end();
}

ConfReading<GresLine> read_gres_conf(std::string_view text) {
    ConfReading<GresLine> reading;
    for (const ConfLine& source : split_conf(text, reading.errors)) {
        GresDraft draft;
        if (!apply_keys(source, gres_keys, draft, reading.errors)) continue;
        draft.line.line = source.line;
        if (auto error = settle(draft, source.entries.front().key.rest())) {
            reading.errors.push_back({source.line, *error});
            continue;
        }
        reading.lines.push_back(std::move(draft.line));
    }
    sort_errors(reading.errors);
    return reading;
}

StatusOr<std::vector<GresLine>> parse_gres_conf(std::string_view text) {
    return lines_or_first_error("gres.conf", read_gres_conf(text));
}

}  // namespace trestle::slurm
