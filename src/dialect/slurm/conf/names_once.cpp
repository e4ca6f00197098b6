// SPDX-License-Identifier: Apache-2.0
// Nodes that slurm.conf names twice.
#include <algorithm>
#include <span>

#include "line_readers.hpp"

namespace trestle::slurm {
namespace {

/// Where the item stands that gives a node its name; `again`: the second one, if there is one.
std::size_t offset_of_name(const NamesText& names, const std::string& name, bool again) {
    std::optional<std::size_t> first;
    TextCursor text(names.text, names.offset);
    do {
        const TextCursor start = text;
        std::string item(text.take_until(",["));
        while (text.peek() == '[') {
            item += text.take_until("]");
            item += text.take_until(",[");
        }
        if (item != name && item.find('[') == std::string::npos) continue;
        const auto list = Hostlist::parse(item, names_of_a_line);
        if (!list.ok() || !list->contains(name)) continue;
        if (first || !again) return start.offset();
        first = start.offset();
    } while (text.accept(','));
    return first.value_or(names.offset);
}

/// Finds names that stand twice, half the lines against the other half.
class NameCheck {
  public:
    NameCheck(std::span<const NodeLine> lines, const std::vector<NamesText>& texts,
              std::vector<ConfError>& errors)
        : lines_(lines), texts_(texts), errors_(errors) {}

    /// True: there are none.
    [[nodiscard]] bool run() {
        static_cast<void>(collect(0, lines_.size()));
        return found_ == 0;
    }

  private:
    static constexpr std::size_t errors_max = 100;

    void add_error(std::size_t line, std::string name, bool is_in_line) {
        if (found_++ >= errors_max) return;
        const NamesText& text = texts_[line];
        const std::size_t offset = offset_of_name(text, name, is_in_line);
        errors_.push_back({text.place,
                           {offset, std::move(name), "node named twice",
                            "each name once in the "
                            "file"}});
    }
    void check_line(std::size_t at) {
        constexpr std::uint64_t looked_at_max = 1000;
        const Hostlist& names = lines_[at].names;
        std::uint64_t i = 1;
        while (i < std::min(names.size(), looked_at_max) && names.find(names[i]) == i) ++i;
        add_error(at, i < std::min(names.size(), looked_at_max) ? names[i] : "NodeName", true);
    }
    /// The names of the lines; errors for those that stand in both halves of them.
    Hostlist collect(std::size_t begin, std::size_t end) {
        if (begin == end) return {};
        if (end - begin == 1) {
            Hostlist sorted = lines_[begin].names.sorted();
            if (sorted.size() != lines_[begin].names.size()) check_line(begin);
            return sorted;
        }
        const std::size_t middle = begin + (end - begin) / 2;
        const Hostlist first = collect(begin, middle);
        const Hostlist second = collect(middle, end);
        if (const Hostlist twice = first & second; !twice.is_empty()) {
            for (std::size_t i = middle; i < end && found_ < errors_max; ++i) {
                const Hostlist its = lines_[i].names & twice;
                if (!its.is_empty()) add_error(i, its[0], false);
            }
        }
        return first | second;
    }

    std::span<const NodeLine> lines_;
    const std::vector<NamesText>& texts_;
    std::vector<ConfError>& errors_;
    std::size_t found_ = 0;
};

}  // namespace

bool NodeLineReader::check_names_once(const std::vector<NodeLine>& lines,
                                      std::vector<ConfError>& errors) const {
    TRESTLE_EXPECTS(lines.size() == names_.size(), "the lines are those that were read");
    return NameCheck(lines, names_, errors).run();
}

}  // namespace trestle::slurm
