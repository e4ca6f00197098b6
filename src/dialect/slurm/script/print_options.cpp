// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/script/print_options.hpp"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/join.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/quantities.hpp"
#include "value_texts.hpp"

namespace trestle::slurm {
namespace {

using trestle::to_text;

using Texts = std::vector<OptionText>;

/// `ntasks_per_node` is --ntasks-per-node; of a list of names the option is one name.
std::string option_name(std::string_view field) {
    if (field == "partitions" || field == "reservations") field.remove_suffix(1);
    if (field == "exported") field = "export";
    std::string name(field);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

template <class T>
std::string text_of(std::string_view field, const T& value) {
    if constexpr (std::is_same_v<T, std::vector<Gres>>) {
        return field == "gres" ? gres_text(value) : gpus_text(value);
    } else if constexpr (std::is_same_v<T, Bytes>) {
        return memory_text(value);
    } else if constexpr (std::is_same_v<T, bool>) {
        return value ? "1" : "0";
    } else if constexpr (std::is_same_v<T, BeginTime>) {
        return value.text;
    } else if constexpr (std::is_same_v<T, Count> || std::is_same_v<T, Hostlist>) {
        return to_text(value);
    } else if constexpr (std::is_same_v<T, Hint> || std::is_same_v<T, Core::Kind>) {
        return std::string(to_text(value));
    } else {
        return value_text(value);
    }
}

/// What the field of each type adds; nothing when it was not given.
void add_text(Texts& texts, std::string_view field, bool is_set) {
    if (is_set && field != "has_extra_node_info") texts.push_back({option_name(field), {}});
}
void add_text(Texts& texts, std::string_view field, const std::string& value) {
    if (!value.empty()) texts.push_back({option_name(field), value});
}
void add_text(Texts& texts, std::string_view field, const std::vector<std::string>& names) {
    if (!names.empty()) texts.push_back({option_name(field), trestle::detail::join(names, ",")});
}
void add_text(Texts& texts, std::string_view field, const std::optional<std::string>& value) {
    if (!value) return;
    texts.push_back({option_name(field), value->empty() ? std::nullopt : value});
}
void add_text(Texts& texts, std::string_view, const std::optional<ExclusiveKind>& kind) {
    if (!kind) return;
    texts.push_back({"exclusive", std::nullopt});
    if (*kind != ExclusiveKind::whole_node) texts.back().value = to_text(*kind);
}
void add_text(Texts& texts, std::string_view, const std::optional<Requeue>& requeue) {
    if (!requeue) return;
    texts.push_back({*requeue == Requeue::no ? "no-requeue" : "requeue", std::nullopt});
    if (*requeue == Requeue::expedite) texts.back().value = "expedite";
}
void add_text(Texts& texts, std::string_view, const std::vector<PassthroughOption>& passthrough) {
    for (const PassthroughOption& one : passthrough) texts.push_back({one.name, one.value});
}
template <class T>
void add_text(Texts& texts, std::string_view field, const std::optional<T>& value) {
    if (value) texts.push_back({option_name(field), text_of(field, *value)});
}

/// `-B sockets[:cores[:threads]]` in place of the options that it sets.
void join_extra_node_info(Texts& texts) {
    constexpr std::array<std::string_view, 3> names{"sockets-per-node", "cores-per-socket",
                                                    "threads-per-core"};
    OptionText joined{"extra-node-info", ""};
    for (const std::string_view name : names) {
        const auto at = std::find_if(texts.begin(), texts.end(),
                                     [&](const OptionText& one) { return one.name == name; });
        if (at == texts.end()) break;
        *joined.value += (joined.value->empty() ? "" : ":") + *at->value;
        texts.erase(at);
    }
    if (joined.value->empty()) joined.value = "*";
    texts.insert(texts.begin(), std::move(joined));
}

/// As split_option_words takes it apart again.
std::string quoted_word(const std::string& word) {
    constexpr std::string_view special = " \t\v\f\r\"'\\#";
    if (!word.empty() && word.find_first_of(special) == std::string::npos) return word;
    std::string text = "\"";
    for (const char c : word) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + "\"";
}

}  // namespace

std::string to_text(const OptionText& option) {
    return "--" + option.name + (option.value ? "=" + *option.value : "");
}

std::vector<OptionText> option_texts(const JobOptions& options) {
    Texts texts;
    for_each_field(
        options, [&](std::string_view field, const auto& value) { add_text(texts, field, value); });
    if (options.has_extra_node_info) join_extra_node_info(texts);
    return texts;
}

std::vector<std::string> option_arguments(const JobOptions& options) {
    std::vector<std::string> arguments;
    for (const OptionText& one : option_texts(options)) arguments.push_back(to_text(one));
    return arguments;
}

std::vector<std::string> option_arguments(const Submission& submission) {
    std::vector<std::string> arguments;
    for (const JobComponent& component : submission.components) {
        if (&component != &submission.components.front()) arguments.emplace_back(":");
        for (std::string& one : option_arguments(component.options)) {
            arguments.push_back(std::move(one));
        }
    }
    if (submission.components.empty() || submission.components.front().command.empty()) {
        return arguments;
    }
    const auto& command = submission.components.front().command;
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), command.begin(), command.end());
    return arguments;
}

StatusOr<std::string> directive_lines(const Submission& submission) {
    std::string lines;
    for (const JobComponent& component : submission.components) {
        if (&component != &submission.components.front()) lines += "#SBATCH hetjob\n";
        for (const OptionText& one : option_texts(component.options)) {
            const std::string word = to_text(one);
            if (word.find('\n') != std::string::npos) {
                return invalid_argument("--{}: a line break in its value: expected none in a line",
                                        one.name);
            }
            lines += "#SBATCH " + quoted_word(word) + "\n";
        }
    }
    return lines;
}

}  // namespace trestle::slurm
