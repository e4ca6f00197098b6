// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/gres_conf.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "../conf_lines.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/quantities.hpp"

namespace trestle::slurm {
namespace {

struct GresDraft {
    GresLine line;
    bool has_count = false;
    bool has_file = false;
    bool has_flags = false;
};

ValueErrors set_file(GresDraft& draft, TextCursor text) {
    draft.has_file = true;
    if (draft.line.is_one_device) return text.error("File with MultipleFiles", "one of the two");
    return read_hostlist(text, draft.line.files);
}

ValueErrors set_multiple_files(GresDraft& draft, TextCursor text) {
    draft.line.is_one_device = true;
    if (draft.has_file) return text.error("MultipleFiles with File", "one of the two");
    auto error = read_hostlist(text, draft.line.files);
    if (!error && draft.line.files.size() < 2) {
        return text.error("one file in MultipleFiles", "two or more, or File=");
    }
    return error;
}

ValueErrors set_gres_count(GresDraft& draft, TextCursor text) {
    const auto count = read_count(text);
    if (!count) return count.error();
    draft.line.count = *count;
    draft.has_count = true;
    return std::nullopt;
}

ValueErrors set_cores(GresDraft& draft, TextCursor text) {
    CoreSet cores;
    auto errors = read_numbers(text, cores, "core numbers, as in 0-7,16");
    if (!errors) draft.line.cores = std::move(cores);
    return errors;
}

ValueErrors set_links(GresDraft& draft, TextCursor text) {
    constexpr std::string_view words = "numbers joined by commas, -1 at the device's own place";
    constexpr std::uint64_t strength_max = 1'000'000;
    const TextCursor start = text;
    std::vector<std::int32_t> links;
    auto errors = for_each_piece(text, words, [&](TextCursor item) -> ValueErrors {
        const TextCursor whole = item;
        const bool is_self = item.accept("-1");
        const auto number = is_self ? std::optional<std::uint64_t>(0) : item.take_number();
        if (!number || !item.at_end() || *number > strength_max) {
            return whole.error("malformed link", words);
        }
        links.push_back(is_self ? -1 : static_cast<std::int32_t>(*number));
        return std::nullopt;
    });
    if (!errors && std::count(links.begin(), links.end(), -1) != 1) {
        errors = start.error("not exactly one -1", words);
    }
    draft.line.links.clear();
    if (!errors) draft.line.links = std::move(links);
    errors.mend("no links");
    return errors;
}

ValueErrors set_flags(GresDraft& draft, TextCursor text) {
    draft.has_flags = true;
    draft.line.flags.clear();
    auto error =
        for_each_piece(text, "flags joined by commas", [&](TextCursor word) -> ValueErrors {
            constexpr auto flags = enum_names(GresFlag{});
            const auto known = find_key(flags, word.rest());
            if (known == flags.end()) {
                const auto name_of = [](const auto& flag) { return flag.name; };
                return MendedError{
                    word.error("unknown flag",
                               words::with_nearest("a known flag", word.rest(), flags, name_of)),
                    "the other flags"};
            }
            if (!has_flag(draft.line, known->value)) draft.line.flags.push_back(known->value);
            return std::nullopt;
        });
    std::sort(draft.line.flags.begin(), draft.line.flags.end());
    return error;
}

ValueErrors set_autodetect(GresDraft& draft, TextCursor text) {
    using enum AutoDetect;
    const std::string value = words::lower(text.rest());
    if (value == "off") {
        draft.line.autodetect = off;
        return std::nullopt;
    }
    for (const AutoDetect one : {full, nvml, rsmi, oneapi, nrt, nvidia}) {
        if (value.find(trestle::to_text(one)) == value.npos) continue;
        draft.line.autodetect = one;
        return std::nullopt;
    }
    return MendedError{
        text.error("unknown AutoDetect", "nvml, rsmi, oneapi, nrt, full, nvidia or off"),
        "no AutoDetect"};
}

constexpr std::array<Key<GresDraft>, 13> gres_keys{{
    {"NodeName", [](GresDraft& d, TextCursor t) { return read_hostlist(t, d.line.nodes); }},
    {"Name", [](GresDraft& d, TextCursor t) { return read_word(t, d.line.name); }},
    {"Type", [](GresDraft& d, TextCursor t) { return read_word(t, d.line.type); }},
    {"File", &set_file},
    {"Files", &set_file},
    {"MultipleFiles", &set_multiple_files},
    {"Count", &set_gres_count},
    {"Cores", &set_cores},
    {"CPUs", &set_cores},
    {"Links", &set_links},
    {"Link", &set_links},
    {"Flags", &set_flags},
    {"AutoDetect", &set_autodetect},
}};

using Flags = std::vector<GresFlag>;

/// The flags that say which variables a job gets.
Flags env_flags(const Flags& flags) {
    Flags env;
    std::copy_if(flags.begin(), flags.end(), std::back_inserter(env), [](GresFlag flag) {
        return flag >= GresFlag::nvidia_gpu_env && flag <= GresFlag::no_gpu_env;
    });
    return env;
}

/// What error_at_key() finds the place for.
TextError error_of(std::string token, std::string what, std::string expected) {
    return {0, std::move(token), std::move(what), std::move(expected)};
}

/// Settles the count of a line with files.
ValueErrors resolve_files(GresDraft& draft) {
    GresLine& line = draft.line;
    if (line.files.is_empty()) return std::nullopt;
    const Count devices(line.is_one_device ? 1 : static_cast<std::int64_t>(line.files.size()));
    const bool is_shared = is_shared_gres(line.name);
    ValueErrors errors;
    if (draft.has_count && line.count != devices && !is_shared && !line.name.empty()) {
        errors.add(error_of("Count=" + std::to_string(line.count.value()),
                            "Count that is not the number of files",
                            std::to_string(devices.value())));
    }
    if (!draft.has_count || !is_shared) line.count = devices;
    return errors;
}

/// All that one key alone cannot tell.
ValueErrors resolve_gres(GresDraft& draft, std::string_view first_key) {
    GresLine& line = draft.line;
    ValueErrors errors;
    if (line.name.empty()) {
        if (line.autodetect || words::same_word(first_key, "AutoDetect")) return std::nullopt;
        errors.add(error_of(std::string(first_key), "line without Name", "Name= or AutoDetect="));
    } else if (line.autodetect && line.nodes.is_empty()) {
        errors.add(error_of("AutoDetect", "AutoDetect of one name on all nodes",
                            "NodeName=, or AutoDetect= on a line of its own"));
    }
    errors.add(resolve_files(draft));
    if (!line.links.empty() && line.count != Count(1)) {
        errors.add(error_of("Links", "Links for several devices", "one device a line"));
    }
    if (has_flag(line, GresFlag::no_gpu_env) && env_flags(line.flags).size() > 1) {
        errors.add(
            error_of("Flags", "no_gpu_env with another env flag", "no_gpu_env or the others"));
    }
    if (has_flag(line, GresFlag::one_sharing) && has_flag(line, GresFlag::all_sharing)) {
        errors.add(error_of("Flags", "one_sharing with all_sharing", "one of the two"));
    }
    return errors;
}

/// The flags that lines without any have from those before them.
class FlagMemory {
  public:
    ValueErrors apply(GresDraft& draft, const ConfLine& source) {
        if (!draft.has_flags && known_.empty()) return std::nullopt;
        std::string key = words::lower(draft.line.name);
        for (const ConfEntry& entry : source.entries) {
            if (!words::same_word(entry.key.rest(), "NodeName")) continue;
            (key += ' ') += entry.value.rest();
        }
        const auto known = known_.find(key);
        if (!draft.has_flags) {
            if (known != known_.end()) draft.line.flags = known->second;
            return std::nullopt;
        }
        const Flags env = env_flags(draft.line.flags);
        if (known == known_.end()) {
            known_.emplace(std::move(key), draft.line.flags);
            return std::nullopt;
        }
        const Flags before = env_flags(known->second);
        if (!env.empty() && !before.empty() && env != before) {
            return error_of("Flags", "env flags that differ from an earlier line's",
                            "the same for all of a name");
        }
        known->second = draft.line.flags;
        return std::nullopt;
    }

  private:
    std::unordered_map<std::string, Flags> known_;  ///< by name and nodes
};

}  // namespace

bool has_flag(const GresLine& line, GresFlag flag) {
    return std::find(line.flags.begin(), line.flags.end(), flag) != line.flags.end();
}

GresConfReading read_gres_conf(std::string_view text, const ConfFiles& files,
                               MendedMistakes mended) {
    GresConfReading reading;
    FlagMemory flags;
    for_each_conf_line("gres.conf", text, files, reading.errors, [&](const ConfLine& source) {
        GresDraft draft;
        if (!apply_keys(source, gres_keys, draft, reading.errors)) return;
        ValueErrors found = resolve_gres(draft, source.entries.front().key.rest());
        if (!found) found = flags.apply(draft, source);
        if (found) return add_errors_at_keys(source, std::move(found), reading.errors);
        draft.line.place = source.place();
        if (draft.line.name.empty() && !draft.line.autodetect) return;  // an unknown AutoDetect
        reading.lines.push_back(std::move(draft.line));
    });
    settle_mistakes(mended, reading.errors, reading.warnings);
    return reading;
}

StatusOr<std::vector<GresLine>> parse_gres_conf(std::string_view text, const ConfFiles& files,
                                                MendedMistakes mended) {
    GresConfReading reading = read_gres_conf(text, files, mended);
    TRESTLE_TRY_STATUS(first_error(reading.errors));
    return std::move(reading.lines);
}

}  // namespace trestle::slurm
