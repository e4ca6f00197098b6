// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/hostlist.hpp"

#include <optional>

#include "../words.hpp"

namespace trestle::slurm {
namespace {

struct Bound {
    std::uint64_t number = 0;
    std::size_t width = 0;  ///< 0 without a leading zero
};

std::optional<Bound> take_bound(TextCursor& text) {
    const std::string_view digits = TextCursor(text).take_while(words::is_digit);
    const auto number = text.take_number();
    if (!number) return std::nullopt;
    return Bound{*number, digits.front() == '0' ? digits.size() : 0};
}

std::string padded(std::uint64_t number, std::size_t width) {
    const std::string digits = std::to_string(number);
    return std::string(width > digits.size() ? width - digits.size() : 0, '0') + digits;
}

/// Reads one list; `done` are the finished names, `heads` what the current one may begin with.
class HostlistReader {
  public:
    HostlistReader(TextCursor text, HostlistLimits limits) : text_(text), limits_(limits) {}

    std::optional<TextError> read(std::vector<std::string>& done) {
        do {
            std::vector<std::string> heads{""};
            const TextCursor start = text_;
            while (!text_.at_end() && text_.peek() != ',') {
                const std::string_view piece = text_.take_until(",[]");
                for (std::string& head : heads) head += piece;
                if (text_.peek() == ']') return text_.error("stray ]", "a name");
                if (text_.accept('[')) {
                    if (auto error = read_bracket(heads)) return error;
                }
                if (heads.size() + done.size() > limits_.max_names) return too_many(start);
            }
            if (heads.front().empty()) return start.error("empty name", "a name");
            done.insert(done.end(), heads.begin(), heads.end());
        } while (text_.accept(','));
        return std::nullopt;
    }

  private:
    TextError too_many(TextCursor at) const {
        return at.error("too many names",
                        "at most " + std::to_string(limits_.max_names) + " names");
    }

    /// From behind `[` to behind `]`: every head once with every number.
    std::optional<TextError> read_bracket(std::vector<std::string>& heads) {
        std::vector<std::string> numbers;
        do {
            const TextCursor start = text_;
            const auto first = take_bound(text_);
            if (!first) return text_.error("malformed bracket", "a number, as in [0-3,8]");
            auto last = first;
            if (text_.accept('-')) last = take_bound(text_);
            if (!last) return text_.error("malformed bracket", "a number, as in [0-3,8]");
            if (last->number < first->number) {
                return start.error("a run that goes down", "the smaller number first");
            }
            if (last->number - first->number >= limits_.max_names) return too_many(start);
            for (std::uint64_t n = first->number;; ++n) {
                numbers.push_back(padded(n, first->width));
                if (n == last->number) break;
            }
            if (numbers.size() * heads.size() > limits_.max_names) return too_many(start);
        } while (text_.accept(','));
        if (!text_.accept(']')) return text_.error("bracket without end", "]");
        std::vector<std::string> names;
        names.reserve(heads.size() * numbers.size());
        for (const std::string& head : heads) {
            for (const std::string& number : numbers) names.push_back(head + number);
        }
        heads = std::move(names);
        return std::nullopt;
    }

    TextCursor text_;
    HostlistLimits limits_;
};

}  // namespace

TextResult<std::vector<std::string>> read_hostlist(TextCursor text, HostlistLimits limits) {
    std::vector<std::string> names;
    if (auto error = HostlistReader(text, limits).read(names)) return *error;
    return names;
}

StatusOr<std::vector<std::string>> parse_hostlist(std::string_view text, HostlistLimits limits) {
    auto names = read_hostlist(TextCursor(text), limits);
    if (!names) return to_status("hostlist", names.error());
    return *names;
}

}  // namespace trestle::slurm
