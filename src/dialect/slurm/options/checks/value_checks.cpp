// SPDX-License-Identifier: Apache-2.0
#include "value_checks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "../../known_releases.hpp"
#include "../grammars.hpp"
#include "trestle/dialect/slurm/quantities.hpp"

namespace trestle::slurm {
namespace {

using Fault = std::optional<TextError>;
using When = std::optional<Release>;

bool is_before_24_11(When release) { return release == Release::v22_05; }
bool is_before_26_05(When release) { return release && *release != Release::v26_05; }

/// A whole number as C reads it: blanks and a sign in front, anything behind. One beyond 64 bits is
/// the largest.
struct ReadNumber {
    std::int64_t value = 0;
    bool has_digits = false;
};

ReadNumber take_c_number(TextCursor& text) {
    text.skip_blanks();
    const bool is_negative = text.accept('-');
    if (!is_negative) text.accept('+');
    ReadNumber read;
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (const char c : text.take_while(words::is_digit)) {
        const std::int64_t digit = c - '0';
        read.value = read.value > (most - digit) / 10 ? most : read.value * 10 + digit;
        read.has_digits = true;
    }
    if (is_negative) read.value = -read.value;
    return read;
}

/// A number and nothing else, from `low` to `high`.
Fault check_whole(TextCursor text, std::int64_t low, std::int64_t high, std::string_view expected) {
    const TextCursor start = text;
    const ReadNumber number = take_c_number(text);
    const bool is_in_range = number.value >= low && number.value <= high;
    if (number.has_digits && text.at_end() && is_in_range) return std::nullopt;
    return start.error("malformed number", expected);
}

using words::is_one_of;

bool starts_with_word(std::string_view text, std::string_view word) {
    return words::same_word(text.substr(0, word.size()), word);
}

/// Unknown words are passed over where one is known.
Fault check_mail_type(TextCursor text, When) {
    constexpr std::array<std::string_view, 13> known{
        "NONE",           "ALL",           "BEGIN",      "END",           "FAIL",
        "REQUEUE",        "STAGE_OUT",     "TIME_LIMIT", "TIME_LIMIT_90", "TIME_LIMIT_80",
        "INVALID_DEPEND", "TIME_LIMIT_50", "ARRAY_TASKS"};
    const TextCursor start = text;
    do {
        if (is_one_of(take_piece(text, ",").rest(), known)) return std::nullopt;
    } while (text.accept(','));
    return start.error("unknown event",
                       "NONE, ALL, BEGIN, END, FAIL, REQUEUE, INVALID_DEPEND, STAGE_OUT, "
                       "TIME_LIMIT, TIME_LIMIT_90, TIME_LIMIT_80, TIME_LIMIT_50 or ARRAY_TASKS");
}

/// A word may stand anywhere in the text, as sbatch looks for it.
Fault check_profile(TextCursor text, When) {
    const std::string said = words::lower(text.rest());
    for (const std::string_view word : {"none", "all", "energy", "task", "lustre", "network"}) {
        if (said.find(word) != said.npos) return std::nullopt;
    }
    return text.error("unknown kind of data", "none, all, energy, task, lustre or network");
}

/// The first letter counts.
Fault check_open_mode(TextCursor text, When) {
    const char first = words::lower(text.peek());
    if (first == 'a' || first == 't') return std::nullopt;
    return text.error("unknown mode", "append or truncate");
}

Fault check_yes_no(TextCursor text, When) {
    if (is_one_of(text.rest(), std::array<std::string_view, 2>{"yes", "no"})) return std::nullopt;
    return text.error("unknown value", "yes or no");
}

Fault check_no_kill(TextCursor text, When) {
    if (text.at_end()) return std::nullopt;
    constexpr std::array<std::string_view, 3> known{"set", "no", "off"};
    if (is_one_of(text.rest(), known)) return std::nullopt;
    return text.error("unknown value", "nothing or off");
}

/// `10`, `10S`, `L`.
Fault check_user_env(TextCursor text, When release) {
    if (release == Release::v26_05) return text.error("unexpected value", "the option alone");
    const TextCursor start = text;
    take_c_number(text);
    const char mode = words::lower(text.peek());
    if (text.at_end() || mode == 's' || mode == 'l') return std::nullopt;
    return start.error("malformed value", "[seconds][S|L], as in 10L");
}

Fault check_nice(TextCursor text, When) {
    constexpr std::int64_t most = 2'147'483'645;
    const TextCursor start = text;
    const ReadNumber number = take_c_number(text);
    if (number.value >= -most && number.value <= most) return std::nullopt;
    return start.error("number out of range", "a number from -2147483645 to 2147483645");
}

Fault check_priority(TextCursor text, When) {
    const TextCursor start = text;
    const ReadNumber number = take_c_number(text);
    if (number.value >= 0 && number.value <= 4'294'967'293) return std::nullopt;
    return start.error("number out of range", "top, or a number from 0 to 4294967293");
}

/// `30`, or `task=30,energy=10`. What stands behind a number is passed over.
Fault check_sampling(TextCursor text, When) {
    constexpr std::array<std::string_view, 4> kinds{"task", "energy", "network", "filesystem"};
    do {
        TextCursor item = take_piece(text, ",");
        const TextCursor start = item;
        if (item.at_end()) continue;
        const std::size_t equals = item.rest().find('=');
        if (equals != item.rest().npos && !words::is_digit(item.peek())) {
            const std::string_view kind = item.take_until("=");
            item.accept('=');
            if (!is_one_of(kind, kinds)) item = TextCursor("");
        }
        const ReadNumber number = take_c_number(item);
        const bool is_none = number.value == -1 || number.value == 4'294'967'295;
        if (number.has_digits && !is_none) continue;
        return start.error("malformed interval",
                           "seconds, or task, energy, network or filesystem = seconds");
    } while (text.accept(','));
    return std::nullopt;
}

Fault check_wait_all_nodes(TextCursor text, When) {
    if (text.at_end()) return std::nullopt;
    return check_whole(text, 0, 1, "0 or 1");
}

/// Ranges and * are for -B.
Fault check_hardware_count(TextCursor text, When release) {
    if (!release) return std::nullopt;
    return check_whole(text, 1, std::numeric_limits<std::int32_t>::max(), "a count of 1 or more");
}

Fault check_resv_ports(TextCursor text, When) {
    if (text.at_end()) return std::nullopt;
    return check_whole(text, 0, std::numeric_limits<std::int32_t>::max(), "a number of ports");
}

Fault check_thread_spec(TextCursor text, When) {
    const auto number = read_zero_or_more(text);
    if (number && number->is_zero()) return text.error("zero", "1 or more");
    return std::nullopt;
}

/// A time as of --time.
Fault check_boot_delay(TextCursor text, When) {
    const auto time = read_time_limit(text);
    return time ? std::nullopt : Fault(time.error());
}

/// `100@10`: the memory that is left, in percent of what was used, after so long.
Fault check_memory_update(TextCursor text, When) {
    const TextCursor start = text;
    const auto share = text.take_number();
    const bool has_time = text.accept('@');
    const auto time = read_time(text);
    const bool is_zero = !time || (*time && **time == Seconds(0));
    if (share && *share > 0 && has_time && !is_zero) return std::nullopt;
    return start.error("malformed value", "percent@time, as in 120@10:00");
}

Fault check_begin(TextCursor text, When release) { return check_clock_time(text, release); }

/// One that has passed at submission is refused by slurmctld.
Fault check_deadline(TextCursor text, When release) {
    if (auto fault = check_clock_time(text, release)) return fault;
    std::string said = words::lower(text.rest());
    said.erase(std::remove(said.begin(), said.end(), ' '), said.end());
    if (said != "today" && !said.starts_with("now-")) return std::nullopt;
    return text.error("a time that has passed", "a time to come");
}

/// PIPE and CHLD have names since 24.11.
Fault check_signal(TextCursor text, When release) {
    if (!is_before_24_11(release)) return std::nullopt;
    if (text.rest().find(':') != text.rest().npos) {
        text.take_until(":");
        text.accept(':');
    }
    TextCursor name = take_piece(text, "@ ");
    const TextCursor start = name;
    std::string_view word = name.rest();
    if (words::same_word(word.substr(0, 3), "SIG")) word.remove_prefix(3);
    if (!is_one_of(word, std::array<std::string_view, 2>{"PIPE", "CHLD"})) return std::nullopt;
    return start.error("unknown signal", "its number, as Slurm 22.05 has no name for it");
}

/// No release that is followed adds the resources of a job to another one.
Fault check_dependency(TextCursor text, When release) {
    if (!release || !starts_with_word(text.rest(), "expand:")) return std::nullopt;
    return text.error("a dependency that no followed release has",
                      "another kind, as in afterok:12");
}

/// Before 24.11 nothing stands between two commas, nor beside one alone. Later, names do not follow
/// `gres:`.
Fault check_gres_list(TextCursor text, When release) {
    if (!release) return std::nullopt;
    if (!is_before_24_11(release)) {
        if (!starts_with_word(text.rest(), "gres:")) return std::nullopt;
        return text.error("unknown GRES", "name[:type][:count], as in gpu:2");
    }
    if (text.at_end()) return std::nullopt;
    do {
        const TextCursor item = take_piece(text, ",");
        if (item.at_end()) return item.error("nothing beside a comma", "one comma between names");
    } while (text.accept(','));
    return std::nullopt;
}

/// From 24.11 on multithread asks for what the others forbid.
Fault check_hint(TextCursor text, When release) {
    if (!release || is_before_24_11(release) || text.rest().find(',') == text.rest().npos) {
        return std::nullopt;
    }
    const TextCursor start = text;
    bool has_multithread = false;
    bool has_other = false;
    do {
        const bool is_it = words::same_word(take_piece(text, ",").rest(), "multithread");
        (is_it ? has_multithread : has_other) = true;
    } while (text.accept(','));
    if (!has_multithread || !has_other) return std::nullopt;
    return start.error("multithread beside another hint", "multithread alone");
}

/// Before 26.05 --requeue is a flag. Its words are refused where foreign words are.
Fault check_requeue(TextCursor text, When release) {
    if (!is_before_26_05(release) || !text.at_end()) return std::nullopt;
    return text.error("unexpected value", "the option alone");
}

Fault check_memory_bind(TextCursor text, When release) {
    if (release != Release::v26_05) return std::nullopt;
    do {
        const TextCursor word = take_piece(text, ",");
        if (is_one_of(word.rest(), std::array<std::string_view, 2>{"sort", "nosort"})) {
            return word.error("unknown binding", "another word: Slurm 26.05 has no sort");
        }
    } while (text.accept(','));
    return std::nullopt;
}

constexpr std::string_view count_words =
    "counts inside brackets, as in [rack1*2&rack2*1], or one count alone";

/// From 24.11 on a count is the only term, of one feature, or stands in brackets; brackets stand in
/// no parentheses.
Fault check_constraint(TextCursor text, When release) {
    if (is_before_24_11(release) || !release) return std::nullopt;
    const TextCursor whole = text;
    int brackets = 0;
    int parentheses = 0;
    bool has_operator = false;
    std::optional<std::size_t> count_at;
    const std::string_view said = text.rest();
    for (std::size_t i = 0; i < said.size(); ++i) {
        const char c = said[i];
        if (c == '[' && parentheses > 0) {
            return TextCursor(said.substr(i), whole.offset() + i)
                .error("brackets inside parentheses", count_words);
        }
        brackets += c == '[' ? 1 : c == ']' ? -1 : 0;
        parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (brackets > 0) continue;
        if (c == '*' && !count_at) count_at = i;
        if ((c == '&' || c == '|' || c == ',') && i + 1 < said.size()) has_operator = true;
    }
    if (!count_at || !has_operator) return std::nullopt;
    return TextCursor(said.substr(*count_at), whole.offset() + *count_at)
        .error("a count beside other features", count_words);
}

constexpr std::array<std::string_view, 4> frequency_levels{"low", "medium", "highm1", "high"};
constexpr std::array<std::string_view, 6> governors{"cons", "onde", "perf", "powe", "user", "sche"};
constexpr std::string_view cpu_frequency_words =
    "a frequency in kHz, low, medium, high or highm1, a governor, or first-last:governor, as in "
    "low-high:OnDemand";

/// Four letters of it suffice.
bool is_governor(std::string_view text) {
    return std::any_of(governors.begin(), governors.end(),
                       [&](std::string_view one) { return starts_with_word(text, one); });
}

/// What a frequency is worth, to compare; 0: it is none. Levels are above all numbers.
std::uint64_t frequency_rank(std::string_view text, When release) {
    constexpr std::uint64_t above = std::uint64_t{1} << 63;
    if (starts_with_word(text, "low")) return above + 1;
    if (starts_with_word(text, "medium")) return above + 2;
    if (starts_with_word(text, "highm1")) return above + 4;
    if (starts_with_word(text, "high")) return above + 3;
    TextCursor cursor(text);
    const auto number = cursor.take_number();
    const bool is_whole = cursor.at_end() || is_before_24_11(release) || !release;
    return number && is_whole ? *number : 0;
}

/// `frequency`, `governor`, `first-last`, `first-last:governor`.
Fault check_cpu_frequency(TextCursor text, When release) {
    const auto wrong = [&](std::string_view what) {
        return Fault(text.error(what, cpu_frequency_words));
    };
    std::string_view said = text.rest();
    const std::size_t colon = said.find(':');
    std::optional<std::string_view> governor;
    if (colon != said.npos) governor = said.substr(colon + 1);
    said = said.substr(0, colon);
    const std::size_t dash = said.find('-');
    const std::string_view first = said.substr(0, dash);
    if (is_governor(first) && dash == said.npos) {
        return governor ? wrong("a governor twice") : std::nullopt;
    }
    const std::uint64_t low = frequency_rank(first, release);
    if (low == 0) return wrong("unknown frequency");
    if (governor && !is_governor(*governor)) return wrong("unknown governor");
    const bool is_userspace = governor && starts_with_word(*governor, "user");
    if (dash == said.npos) {
        const bool fits = !governor || (is_userspace && !is_before_24_11(release));
        return fits ? std::nullopt : wrong("a governor without a last frequency");
    }
    const std::uint64_t high = frequency_rank(said.substr(dash + 1), release);
    if (high == 0) return wrong("unknown frequency");
    if (low > high) return wrong("a range that goes down");
    if (is_before_24_11(release) || !release) return std::nullopt;
    if (!governor) return wrong("a range without a governor");
    return is_userspace ? wrong("a range for UserSpace") : std::nullopt;
}

struct ValueCheck {
    std::string_view option;
    Fault (*check)(TextCursor, When);
};

constexpr auto checks = std::to_array<ValueCheck>({
    {"acctg-freq", &check_sampling},
    {"begin", &check_begin},
    {"constraint", &check_constraint},
    {"cores-per-socket", &check_hardware_count},
    {"cpu-freq", &check_cpu_frequency},
    {"deadline", &check_deadline},
    {"delay-boot", &check_boot_delay},
    {"dependency", &check_dependency},
    {"get-user-env", &check_user_env},
    {"gres", &check_gres_list},
    {"gres-flags", &check_gres_list},
    {"hint", &check_hint},
    {"kill-on-invalid-dep", &check_yes_no},
    {"mail-type", &check_mail_type},
    {"mem-bind", &check_memory_bind},
    {"mem-update", &check_memory_update},
    {"nice", &check_nice},
    {"no-kill", &check_no_kill},
    {"open-mode", &check_open_mode},
    {"prefer", &check_constraint},
    {"priority", &check_priority},
    {"profile", &check_profile},
    {"requeue", &check_requeue},
    {"resv-ports", &check_resv_ports},
    {"signal", &check_signal},
    {"sockets-per-node", &check_hardware_count},
    {"thread-spec", &check_thread_spec},
    {"threads-per-core", &check_hardware_count},
    {"wait-all-nodes", &check_wait_all_nodes},
});
static_assert(std::is_sorted(checks.begin(), checks.end(),
                             [](const auto& a, const auto& b) { return a.option < b.option; }));

/// Options of which an empty value says nothing.
struct EmptyValue {
    std::string_view option;
    KnownReleases releases = {};
};
constexpr auto empty_values = std::to_array<EmptyValue>({
    {"array"},
    {"constraint"},
    {"container"},
    {"core-spec"},
    {"dependency"},
    {"exclude"},
    {"export"},
    {"extra-node-info"},
    {"gpus"},
    {"gres", known_since("24.11")},
    {"gres-flags", known_since("24.11")},
    {"licenses"},
    {"partition", known_since("26.05")},
    {"prefer"},
    {"reservation"},
    {"segment"},
    {"tres-bind"},
    {"tres-per-task"},
});

}  // namespace

std::optional<TextError> check_value(std::string_view option, TextCursor value, When release) {
    const auto at = std::lower_bound(
        checks.begin(), checks.end(), option,
        [](const ValueCheck& one, std::string_view name) { return one.option < name; });
    if (at == checks.end() || at->option != option) return std::nullopt;
    return at->check(value, release);
}

bool takes_empty(std::string_view option, When release) {
    return std::any_of(empty_values.begin(), empty_values.end(), [&](const EmptyValue& one) {
        return one.option == option && (!release || includes(one.releases, *release));
    });
}

}  // namespace trestle::slurm
