// SPDX-License-Identifier: Apache-2.0
// Time limits, signals, arrays, dependencies and what else a job asks beside resources.
#include "trestle/dialect/slurm/options/terms.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "enforce/process/signal_names.hpp"
#include "grammars.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/dialect/slurm/quantities.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::slurm {
namespace {

constexpr std::string_view signal_words = "[R][B]:signal[@seconds], as in USR1@300 or B:10@60";
/// Others are numbers only.
constexpr std::array<std::string_view, 18> named_signals{
    "HUP",  "INT",  "QUIT", "ABRT", "KILL", "USR1", "USR2", "PIPE", "ALRM",
    "TERM", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",  "XCPU"};
constexpr std::string_view array_words = "numbers, first-last[:step] and %limit, as in 0-15:4%2";
constexpr std::string_view dependency_words =
    "kind:job[:job...] between , or ?, as in afterok:12:13, or singleton";
constexpr std::uint32_t task_id_max = 4'000'001;  ///< the largest MaxArraySize
constexpr std::string_view propagate_words =
    "ALL, NONE or a list of AS, CORE, CPU, DATA, FSIZE, MEMLOCK, NOFILE, NPROC, RSS, STACK";

TextResult<std::uint32_t> read_signal_number(TextCursor text) {
    const TextCursor start = text;
    text.accept('+');
    if (words::is_digit(text.peek())) {
        const auto number = text.take_number();
        if (!number || !text.at_end() || *number == 0 || *number > signals_max) {
            return start.error("unknown signal", "a number from 1 to 64 or a name");
        }
        return static_cast<std::uint32_t>(*number);
    }
    std::string_view word = start.rest();
    if (words::same_word(word.substr(0, 3), "SIG")) word.remove_prefix(3);
    const bool is_named = words::is_one_of(word, named_signals);
    for (const SignalName& known : signal_names) {
        if (!is_named || !words::same_word(known.name, word)) continue;
        return static_cast<std::uint32_t>(known.number);
    }
    return start.error("unknown signal", signal_words);
}

/// A number below `end`, or nothing.
std::optional<std::uint32_t> take_below(TextCursor& text, std::uint64_t end) {
    const auto number = text.take_number();
    if (!number || *number >= end) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

/// `7`, `1-100`, `0-15:4`, each of them also in brackets.
std::optional<TextError> read_array_item(TextCursor text, std::vector<ArrayRange>& ranges) {
    const TextCursor start = text;
    text.accept('[');
    if (const std::string_view rest = text.rest(); rest.ends_with(']')) {
        text = TextCursor(rest.substr(0, rest.size() - 1), text.offset());
    }
    const auto wrong = [&] { return start.error("malformed array", array_words); };
    const auto first = take_below(text, task_id_max);
    if (!first) return wrong();
    ArrayRange range{*first, *first, 1};
    if (text.accept('-')) {
        const auto last = take_below(text, task_id_max);
        if (!last) return wrong();
        range.last = *last;
        if (text.accept(':')) {
            const auto step = take_below(text, task_id_max);
            if (!step || *step == 0) return wrong();
            range.step = *step;
        }
    }
    if (!text.at_end()) return wrong();
    if (range.last < range.first) return start.error("a range that goes down", array_words);
    ranges.push_back(range);
    return std::nullopt;
}

TextResult<DependencyJob> read_dependency_job(TextCursor text, DependencyKind kind) {
    const TextCursor start = text;
    const auto wrong = [&] { return start.error("malformed job", "a job id, as in 123 or 123_4"); };
    constexpr std::uint64_t end = std::numeric_limits<std::uint32_t>::max();
    DependencyJob job;
    text.skip_blanks();
    const auto id = take_below(text, end);
    if (!id || *id == 0) return wrong();
    job.job = *id;
    if (text.accept("_*")) {
        job.all_tasks = true;
    } else if (text.accept('_')) {
        job.task = take_below(text, task_id_max);
        if (!job.task) return wrong();
    }
    if (text.accept('+')) {
        const auto minutes = take_below(text, end);
        if (!minutes) return wrong();
        if (kind == DependencyKind::after) job.minutes = Count(*minutes);
    }
    if (text.accept('(')) {  // as squeue shows the state of the other job
        text.take_until(")");
        if (!text.accept(')')) return wrong();
    }
    if (!text.at_end()) return wrong();
    return job;
}

TextResult<Dependency> read_dependency(TextCursor text) {
    Dependency one;
    const TextCursor start = text;
    if (words::is_digit(text.peek())) {  // the old form: jobs alone
        one.kind = DependencyKind::afterany;
        const std::size_t end = text.rest().find_first_of(":+");
        if (end != std::string_view::npos) return start.error("malformed job", dependency_words);
    } else {
        const auto kind = enum_of_word<DependencyKind>(text.take_until(":"));
        if (!kind) return start.error("unknown dependency", dependency_words);
        one.kind = *kind;
        if (*kind == DependencyKind::singleton) {
            if (!text.at_end()) return text.error("unexpected text", "singleton alone");
            return one;
        }
        if (!text.accept(':')) return text.error("no job", dependency_words);
    }
    do {
        const auto job = read_dependency_job(take_piece(text, ":"), one.kind);
        if (!job) return job.error();
        one.jobs.push_back(*job);
    } while (text.accept(':'));
    return one;
}

/// The seconds of `now+2hours`; nothing when it is no such text.
std::optional<Seconds> seconds_after_now(TextCursor text) {
    if (!words::same_word(text.rest().substr(0, 3), "now")) return std::nullopt;
    text = TextCursor(text.rest().substr(3));
    text.skip_blanks();
    if (text.at_end()) return Seconds(0);
    const bool is_past = text.accept('-');
    if (!is_past && !text.accept('+')) return std::nullopt;
    text.skip_blanks();
    constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    const auto digits = text.take_number();
    if (!digits) return std::nullopt;
    const auto number = static_cast<std::int64_t>(is_past ? 0 : std::min(*digits, most));
    text.skip_blanks();
    struct Unit {
        std::string_view name;
        std::int64_t seconds;
    };
    constexpr std::array<Unit, 5> units{
        {{"second", 1}, {"minute", 60}, {"hour", 3600}, {"day", 86'400}, {"week", 604'800}}};
    const Seconds count(number);
    if (text.at_end()) return count;
    for (const Unit& unit : units) {
        const std::string_view word = text.rest();
        const bool is_plural =
            word.size() == unit.name.size() + 1 && words::lower(word.back()) == 's';
        if (words::same_word(word.substr(0, word.size() - (is_plural ? 1 : 0)), unit.name)) {
            return count * unit.seconds;
        }
    }
    return std::nullopt;
}

/// The text up to a comma outside quotes, without the quotes.
std::string read_exported(TextCursor& text) {
    std::string word;
    while (!text.at_end() && text.peek() != ',') {
        const char c = text.peek();
        text.accept(c);
        if (c != '\'' && c != '"') {
            word += c;
            continue;
        }
        word += text.take_until({&c, 1});
        text.accept(c);  // sbatch takes a quote without end too, and says so
    }
    return word;
}

}  // namespace

std::vector<std::uint32_t> task_ids(const JobArray& array) {
    IndexSet<> ids;
    for (const ArrayRange& range : array.ranges) {
        TRESTLE_EXPECTS(range.last < task_id_max, "task ids are at most 4,000,000");
        if (range.step == 0) continue;
        for (std::uint64_t id = range.first; id <= range.last; id += range.step) {
            ids.insert(static_cast<std::uint32_t>(id));
        }
    }
    return {ids.begin(), ids.end()};
}

TextResult<Switches> read_switches(TextCursor text) {
    Switches switches;
    const auto count = read_one_or_more(take_piece(text, "@"));
    if (!count) return count.error();
    switches.count = *count;
    if (!text.accept('@')) return switches;
    const auto time = read_time(text);  // what is no time says nothing
    if (time) switches.max_wait = *time;
    return switches;
}

TextResult<ExclusiveKind> read_exclusive(TextCursor text) {
    if (text.at_end() || words::same_word(text.rest(), "exclusive")) {
        return ExclusiveKind::whole_node;
    }
    const auto kind = enum_of_word<ExclusiveKind>(text.rest());
    if (!kind || *kind == ExclusiveKind::whole_node) {
        return text.error("unknown kind", "nothing, user, mcs or topo");
    }
    return *kind;
}

TextResult<TimeLimit> read_time_limit(TextCursor text) {
    TextCursor look = text;
    look.accept('-');
    const std::string_view digits = look.take_while(words::is_digit);
    const bool is_beyond = text.peek() == '-' || digits.size() > 9;
    if (!digits.empty() && look.at_end() && is_beyond) return TimeLimit();  // as sbatch reads it
    const bool has_open_days = !digits.empty() && digits.size() < 9 && look.rest() == "-";
    const std::string with_hours = std::string(text.rest()) + "0";
    const auto time = read_time(has_open_days ? TextCursor(with_hours, text.offset()) : text);
    if (!time) return time.error();
    return TimeLimit{*time == Seconds(0) ? std::nullopt : *time};
}

TextResult<JobSignal> read_signal(TextCursor text) {
    JobSignal signal;
    if (text.rest().find(':') != std::string_view::npos) {
        const TextCursor flags = take_piece(text, ":");
        for (const char flag : flags.rest()) {
            bool& wanted =
                words::lower(flag) == 'b' ? signal.to_batch_shell : signal.for_reservation;
            if ((words::lower(flag) != 'b' && words::lower(flag) != 'r') || wanted) {
                return flags.error("unknown flag", "R, B or both before the colon");
            }
            wanted = true;
        }
        text.accept(':');
    }
    TextCursor name = take_piece(text, "@");
    const auto number = read_signal_number(take_piece(name, " "));
    if (!number) return number.error();
    signal.number = *number;
    if (!text.accept('@')) return signal;
    text.skip_blanks();
    const TextCursor start = text;
    text.accept('+');
    if (text.at_end()) {
        signal.before = Seconds(0);
        return signal;
    }
    const auto before = text.take_number();
    if (!before || !text.at_end() || *before > 65'535) {
        return start.error("malformed time", "seconds from 0 to 65535");
    }
    signal.before = Seconds(static_cast<std::int64_t>(*before));
    return signal;
}

TextResult<std::vector<ProcessSettings::Limit::Resource>> read_propagate(TextCursor text) {
    std::vector<ProcessSettings::Limit::Resource> list;
    if (text.rest() == "NONE") return list;
    if (text.at_end() || text.rest() == "ALL") {
        for (const auto& entry : enum_names(ProcessSettings::Limit::Resource{}))
            list.push_back(entry.value);
        return list;
    }
    do {
        const TextCursor item = take_piece(text, ", ");
        std::string_view word = item.rest();
        constexpr std::string_view prefix = "RLIMIT_";
        while (word.starts_with(prefix)) word.remove_prefix(prefix.size());
        if (word.empty()) continue;
        const auto resource = enum_of_word<ProcessSettings::Limit::Resource>(word);
        const bool is_upper =
            std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
        if (!resource || !is_upper) return item.error("unknown limit", propagate_words);
        if (std::find(list.begin(), list.end(), *resource) == list.end()) {
            list.push_back(*resource);
        }
    } while (text.accept(',') || text.accept(' '));
    return list;
}

TextResult<JobArray> read_array(TextCursor text) {
    JobArray array;
    const TextCursor start = text;
    TextCursor list = take_piece(text, "%");
    std::uint64_t ids = 0;
    do {
        if (auto error = read_array_item(take_piece(list, ","), array.ranges)) return *error;
        const ArrayRange& last = array.ranges.back();
        ids += (last.last - last.first) / last.step + 1;
        if (ids > task_id_max) return start.error("too many tasks", "at most 4000001");
    } while (list.accept(','));
    if (!text.accept('%')) return array;
    const auto at_once = read_zero_or_more(text);
    if (!at_once) return at_once.error();
    if (!at_once->is_zero()) array.at_once = *at_once;
    return array;
}

TextResult<Dependencies> read_dependencies(TextCursor text) {
    Dependencies dependencies;
    dependencies.is_any_of = text.rest().find('?') != std::string_view::npos;
    const char separator = dependencies.is_any_of ? '?' : ',';
    do {
        auto one = read_dependency(take_piece(text, dependencies.is_any_of ? "?" : ","));
        if (!one) return one.error();
        dependencies.list.push_back(*std::move(one));
    } while (text.accept(separator));
    return dependencies;
}

TextResult<Requeue> read_requeue(TextCursor text) {
    if (text.at_end()) return Requeue::yes;
    if (words::same_word(text.rest(), "expedite")) return Requeue::expedite;
    return text.error("unknown value", "nothing or expedite");
}

TextResult<BeginTime> read_begin(TextCursor text) {
    BeginTime begin{std::string(text.rest()), seconds_after_now(text)};
    const bool is_from_now = words::same_word(text.rest().substr(0, 3), "now");
    if (is_from_now && !begin.after_now) {
        return text.error("malformed time", "a date, a time of day or now[+n[unit]]");
    }
    return begin;
}

TextResult<ExportedVariables> read_export(TextCursor text) {
    ExportedVariables exported;
    if (words::same_word(text.rest(), "none")) exported.base = ExportBase::none;
    if (words::same_word(text.rest(), "nil")) exported.base = ExportBase::nil;
    if (exported.base != ExportBase::nothing) return exported;
    do {
        auto word = read_exported(text);
        if (word.empty() || word.front() == '=') continue;  // says nothing
        if (words::same_word(word, "all")) {
            exported.base = ExportBase::all;
        } else {
            exported.variables.push_back(std::move(word));
        }
    } while (text.accept(','));
    return exported;
}

TextResult<bool> read_switch_value(TextCursor text) {
    if (text.at_end()) return true;
    TextCursor digits = text;
    digits.accept('+');
    const auto number = digits.take_number();
    if (number && digits.at_end() && *number <= 1) return *number == 1;
    return text.error("unknown value", "nothing, 0 or 1");
}

}  // namespace trestle::slurm
