// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/zero_padding.hpp"
#include "name_parts.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle::slurm {

/// Reads a list, name by name.
class HostlistReader {
  public:
    HostlistReader(TextCursor text, HostlistLimits limits) : text_(text), limits_(limits) {
        limits_.max_names = std::min(limits_.max_names, std::uint64_t{1} << 62);
    }

    std::optional<TextError> read(Hostlist& list) {
        skip_blanks();
        bool goes_on = true;
        while (goes_on) {
            if (auto error = read_name(list)) return error;
            const bool has_blanks = skip_blanks();
            goes_on = text_.accept(',') || (has_blanks && !text_.at_end());
            skip_blanks();
        }
        return std::nullopt;
    }

  private:
    using Run = Hostlist::Run;

    static constexpr std::string_view blanks = " \t\r\n";
    bool skip_blanks() {
        const auto is_blank = [](char c) { return blanks.find(c) != std::string_view::npos; };
        return !text_.take_while(is_blank).empty();
    }

    /// Text, then perhaps a bracket.
    struct Piece {
        std::string text;
        std::vector<Run> numbers;  ///< none: the end of the name
    };

    TextError too_many(TextCursor at, std::uint64_t most, const char* what) const {
        return at.error(std::string("too many ") + what,
                        "at most " + std::to_string(most) + " " + what);
    }

    std::optional<TextError> read_name(Hostlist& list) {
        const TextCursor start = text_;
        std::vector<Piece> pieces(1);
        std::uint64_t names = 1;  // that the brackets up to here make
        for (bool is_first = true;; is_first = false) {
            const std::string_view text = text_.take_until(",[] \t\r\n");
            pieces.back().text += text;
            if (text_.peek() == ']') return text_.error("stray ]", "a name");
            if (!text_.accept('[')) {
                if (is_first && text.empty()) return start.error("empty name", "a name");
                break;
            }
            std::vector<Run> numbers;
            if (auto error = read_bracket(numbers, names)) return error;
            if (numbers.size() == 1 && numbers.front().count == 1) {  // is as good as text
                append_number(pieces.back().text, numbers.front().first, numbers.front().width);
            } else {
                pieces.back().numbers = std::move(numbers);
                pieces.emplace_back();
            }
        }
        if (names > limits_.max_names - list.size()) {
            return too_many(start, limits_.max_names, "names");
        }
        if (!enter(list, std::move(pieces))) {
            return too_many(start, limits_.max_runs, "runs of names");
        }
        return std::nullopt;
    }

    /// From behind `[` to behind `]`; as many times more names.
    std::optional<TextError> read_bracket(std::vector<Run>& numbers, std::uint64_t& names) {
        std::uint64_t count = 0;
        do {
            const TextCursor start = text_;
            const std::string_view digits = take_bound();
            if (digits.empty()) return malformed();
            Run run{hosts::number_of(digits), 1, 0, 1, hosts::width_of(digits)};
            if (text_.accept('-')) {
                const std::string_view last = take_bound();
                if (last.empty()) return malformed();
                if (hosts::number_of(last) < run.first) {
                    return start.error("a range that goes down", "the smaller number first");
                }
                run.count = hosts::number_of(last) - run.first + 1;
                if (text_.accept(':')) {
                    const TextCursor at = text_;
                    run.step = hosts::number_of(take_bound());
                    if (run.step == 0) return at.error("malformed step", "a number from 1 on");
                    run.count = (run.count - 1) / run.step + 1;
                }
            }
            count += run.count;
            if (count > limits_.max_names / names) {
                return too_many(start, limits_.max_names, "names");
            }
            if (numbers.size() == limits_.max_runs) {
                return too_many(start, limits_.max_runs, "runs of names");
            }
            numbers.push_back(run);
        } while (text_.accept(','));
        if (!text_.accept(']')) return text_.error("bracket without end", "]");
        names *= count;
        return std::nullopt;
    }
    [[nodiscard]] TextError malformed() const {
        return text_.error("malformed bracket", "a number of at most 18 digits, as in [0-3,8]");
    }
    /// The digits that come next; none when these are too many.
    std::string_view take_bound() {
        TextCursor ahead = text_;
        const std::string_view digits = ahead.take_while(words::is_digit);
        if (digits.size() > hosts::digits_max) return {};
        text_ = ahead;
        return digits;
    }

    /// What names that have to be written out may take together.
    static constexpr std::uint64_t bytes_max = std::uint64_t{1} << 28;

    [[nodiscard]] bool is_full(const Hostlist& list) const {
        return list.runs_ + parts_ > limits_.max_runs;
    }

    /// Adds all names of the pieces. False when these would be too many runs.
    [[nodiscard]] bool enter(Hostlist& list, std::vector<Piece> pieces) {
        const std::string tail = std::move(pieces.back().text);
        pieces.pop_back();
        if (pieces.empty()) {
            list.push_back(tail);
            return !is_full(list);
        }
        const Piece near = std::move(pieces.back());  // its numbers count fastest
        pieces.pop_back();
        std::vector<std::string> heads{""};
        for (const Piece& piece : pieces) {
            if (!multiply(heads, piece)) return false;
        }
        for (std::string& head : heads) {
            head += near.text;
            for (const Run& run : near.numbers) {
                if (!enter(list, head, run, tail)) return false;
            }
        }
        return true;
    }

    /// Each head with each number of the piece behind it.
    [[nodiscard]] bool multiply(std::vector<std::string>& heads, const Piece& piece) const {
        std::uint64_t count = 0;
        for (const Run& run : piece.numbers) count += run.count;
        if (count > limits_.max_runs / heads.size()) return false;
        const std::uint64_t all = count * heads.size();
        const std::size_t longest = heads.back().size() + piece.text.size() + hosts::digits_max;
        if (all > bytes_max / longest) return false;
        std::vector<std::string> longer;
        longer.reserve(static_cast<std::size_t>(all));
        for (const std::string& head : heads) {
            for (const Run& run : piece.numbers) {
                for (std::uint64_t k = 0; k < run.count; ++k) {
                    longer.push_back(head + piece.text);
                    append_number(longer.back(), run.number(k), run.width);
                }
            }
        }
        heads = std::move(longer);
        return true;
    }

    /// Adds the numbers of a run between two texts, whose digits next to them are the number's too.
    [[nodiscard]] bool enter(Hostlist& list, std::string_view head, const Run& run,
                             std::string_view tail) {
        std::size_t begin = head.size();
        while (begin != 0 && words::is_digit(head[begin - 1])) --begin;
        const std::string_view before = head.substr(begin);
        const std::string_view after = tail.substr(0, hosts::digits_from(tail, 0));
        const std::string_view prefix = head.substr(0, begin);
        const std::string_view suffix = tail.substr(after.size());
        const bool stays_loose = run.count > Hostlist::written_out_max &&
                                 (run.step != 1 || !after.empty() || hosts::has_digit(suffix));
        if (stays_loose) {
            parts_ += 1000 + run.count / 16;
            if (is_full(list)) return false;
        }
        if (before.empty() && after.empty()) {
            list.append(prefix, suffix, run);
            return !is_full(list);
        }
        for (std::uint64_t i = 0; i < run.count;) {  // numbers of so many digits, one by one
            const std::uint64_t first = run.number(i);
            const std::size_t digits = std::max(run.width, digits_of(first));
            const std::uint64_t most = (hosts::power_of_ten(digits) - 1 - first) / run.step + 1;
            const std::uint64_t count = std::min(most, run.count - i);
            const std::size_t all = before.size() + digits + after.size();
            if (all > hosts::digits_max) return enter_long(list, head, run, i, tail);
            Run joined{0, count, 0, run.step * hosts::power_of_ten(after.size()), 0};
            std::string number(before);
            append_number(number, first, run.width);
            number += after;
            joined.first = hosts::number_of(number);
            joined.width = hosts::width_of(number);
            list.append(prefix, suffix, joined);
            if (is_full(list)) return false;
            i += count;
        }
        return true;
    }

    /// The same for numbers of too many digits, from that one on: these do not count.
    [[nodiscard]] bool enter_long(Hostlist& list, std::string_view head, const Run& run,
                                  std::uint64_t first, std::string_view tail) const {
        for (std::uint64_t i = first; i < run.count; ++i) {
            std::string name(head);
            append_number(name, run.number(i), run.width);
            list.push_back(name += tail);
            if (is_full(list)) return false;
        }
        return true;
    }

    TextCursor text_;
    HostlistLimits limits_;
    std::uint64_t parts_ = 0;  ///< runs that sets may make of loose ranges
};

TextResult<Hostlist> Hostlist::read(TextCursor text, HostlistLimits limits) {
    Hostlist list;
    if (auto error = HostlistReader(text, limits).read(list)) return *error;
    return list;
}

StatusOr<Hostlist> Hostlist::parse(std::string_view text, HostlistLimits limits) {
    auto list = read(TextCursor(text), limits);
    if (!list) return to_status("hostlist", list.error());
    return *list;
}

}  // namespace trestle::slurm
