// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/node_file.hpp"

#include <optional>
#include <utility>

#include "trestle/base/fmt.hpp"
#include "trestle/base/text.hpp"

namespace trestle::slurm {
namespace {

constexpr std::uint64_t names_max = 1'000'000;

bool is_arbitrary(const JobOptions& options) {
    return options.distribution && options.distribution->nodes == TaskSpread::arbitrary;
}

std::uint64_t tasks_of(Count ntasks) { return static_cast<std::uint64_t>(ntasks.value()); }

/// `n[1-3]*2` at the end of the list; what is wrong with it.
std::optional<TextError> add_item(TextCursor item, Hostlist& list) {
    const std::size_t offset = item.offset();
    const auto names =
        Hostlist::read(TextCursor(item.take_until("*"), offset), {.max_names = names_max});
    if (!names) return names.error();
    std::uint64_t times = 1;
    const TextCursor mark = item;
    if (item.accept('*')) {
        const auto number = item.take_number();
        if (!number || !item.at_end() || *number == 0 || *number > names_max) {
            return mark.error("malformed repetition", "*n, n from 1 to 1000000");
        }
        times = *number;
    }
    if (names->size() * times > names_max - list.size()) {
        return mark.error("too many names", "at most 1000000");
    }
    for (; times != 0; --times) list.append(*names);
    return std::nullopt;
}

/// Calls for each item between blanks, and commas outside of brackets.
std::optional<TextError> add_line(TextCursor line, Hostlist& list) {
    constexpr auto is_gap = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; };
    for (line.take_while(is_gap); !line.at_end(); line.take_while(is_gap)) {
        const std::size_t offset = line.offset();
        bool is_inside = false;
        const std::string_view item = line.take_while([&](char c) {
            if (c == '[') is_inside = true;
            if (c == ']') is_inside = false;
            return is_inside || !is_gap(c);
        });
        if (auto error = add_item(TextCursor(item, offset), list)) return error;
    }
    return std::nullopt;
}

}  // namespace

StatusOr<Hostlist> read_node_file(std::string_view file, std::string_view text) {
    Hostlist list;
    TextCursor lines(text);
    for (std::uint32_t number = 1; !lines.at_end(); ++number) {
        const std::string_view line = lines.take_until("\n");
        lines.accept('\n');
        if (auto error = add_line(TextCursor(line.substr(0, line.find('#'))), list)) {
            return invalid_argument("{} line {}: {}", file, number, to_text(*error));
        }
    }
    if (list.is_empty()) return invalid_argument("{}: no names, expected names of nodes", file);
    return list;
}

StatusOr<JobOptions> with_node_file(JobOptions options, const ConfFiles& files) {
    if (options.nodefile.empty()) return options;
    const auto text = files ? files(options.nodefile) : std::nullopt;
    if (!text) return not_found("--nodefile: there is no file {}", options.nodefile);
    TRESTLE_TRY(Hostlist list, read_node_file(options.nodefile, *text));
    options.nodefile.clear();
    if (!is_arbitrary(options)) {
        options.nodelist = list.sorted();
        return options;
    }
    if (!options.ntasks) options.ntasks = Count(static_cast<std::int64_t>(list.size()));
    const std::uint64_t tasks = tasks_of(*options.ntasks);
    if (tasks < list.size()) {
        Hostlist first;
        for (std::uint64_t i = 0; i < tasks; ++i) first.push_back(list[i]);
        list = std::move(first);
    }
    options.nodelist = std::move(list);
    return options;
}

StatusOr<std::vector<std::string>> tasks_in_list_order(const JobOptions& options) {
    if (!is_arbitrary(options)) return invalid_argument("expected --distribution=arbitrary");
    if (!options.nodelist) {
        return invalid_argument("--distribution=arbitrary without --nodelist or --nodefile");
    }
    const std::uint64_t names = options.nodelist->size();
    const std::uint64_t tasks = options.ntasks ? tasks_of(*options.ntasks) : names;
    if (tasks > names) {
        return invalid_argument(
            "--ntasks and --nodelist: {} tasks and {} names, expected a name "
            "for each task",
            tasks, names);
    }
    std::vector<std::string> nodes;
    for (std::uint64_t i = 0; i < tasks; ++i) nodes.push_back((*options.nodelist)[i]);
    return nodes;
}

}  // namespace trestle::slurm
