// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "../words.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/quantities.hpp"

namespace trestle::slurm {
namespace {

using MaybeError = std::optional<TextError>;

/// What the options said, before it becomes a request.
struct OptionsDraft {
    ParsedOptions result;
    std::optional<Range<Count>> nodes;
    std::vector<Gres> gres;
    std::vector<Gres> gpus_per_job;
    std::vector<Gres> gpus_per_node;
};

MaybeError read_positive(TextCursor text, Count& count) {
    const auto number = read_count(text);
    if (!number) return number.error();
    if (number->is_zero()) return text.error("zero", "1 or more");
    count = *number;
    return std::nullopt;
}

MaybeError set_nodes(OptionsDraft& draft, TextCursor text) {
    const std::size_t dash = text.rest().find('-', 1);
    const std::size_t first_size = std::min(dash, text.rest().size());
    Count first;
    Count last;
    if (auto error = read_positive({text.rest().substr(0, first_size), text.offset()}, first)) {
        return error;
    }
    last = first;
    if (dash != std::string_view::npos) {
        const TextCursor second(text.rest().substr(dash + 1), text.offset() + dash + 1);
        if (auto error = read_positive(second, last)) return error;
    }
    if (last < first) return text.error("a range that goes down", "n or min-max");
    draft.nodes = Range<Count>::between({first, last});
    return std::nullopt;
}

MaybeError set_tasks(OptionsDraft& draft, TextCursor text) {
    Count tasks;
    auto error = read_positive(text, tasks);
    draft.result.request.tasks = tasks;
    return error;
}

MaybeError set_cpus(OptionsDraft& draft, TextCursor text) {
    Count cpus;
    auto error = read_positive(text, cpus);
    draft.result.request.cpus_per_task = Range<Count>::exactly(cpus);
    return error;
}

MaybeError set_memory(OptionsDraft& draft, TextCursor text) {
    const auto memory = read_memory(text);
    if (!memory) return memory.error();
    draft.result.wants_all_memory = memory->is_zero();
    draft.result.request.memory =
        memory->is_zero() ? Range<Bytes>::at_least(*memory) : Range<Bytes>::exactly(*memory);
    draft.result.request.memory_per = Per::node;
    return std::nullopt;
}

MaybeError set_memory_per_cpu(OptionsDraft& draft, TextCursor text) {
    const auto memory = read_memory(text);
    if (!memory) return memory.error();
    draft.result.request.memory = Range<Bytes>::exactly(*memory);
    draft.result.request.memory_per = Per::cpu;
    return std::nullopt;
}

MaybeError set_gres(OptionsDraft& draft, TextCursor text) {
    draft.gres.clear();
    if (text.rest() == "none") return std::nullopt;
    const auto list = read_gres(text);
    if (!list) return list.error();
    draft.gres = *list;
    return std::nullopt;
}

MaybeError set_gpus(std::vector<Gres>& gpus, TextCursor text) {
    const auto list = read_gpus(text);
    if (!list) return list.error();
    gpus = *list;
    return std::nullopt;
}
MaybeError set_gpus_per_job(OptionsDraft& draft, TextCursor text) {
    return set_gpus(draft.gpus_per_job, text);
}
MaybeError set_gpus_per_node(OptionsDraft& draft, TextCursor text) {
    return set_gpus(draft.gpus_per_node, text);
}

MaybeError set_time(OptionsDraft& draft, TextCursor text) {
    const auto time = read_time(text);
    if (!time) return time.error();
    draft.result.request.time_limit = *time;
    return std::nullopt;
}

/// Names joined by `&`; the other operators of Slurm's expressions are refused.
MaybeError set_features(OptionsDraft& draft, TextCursor text) {
    std::vector<std::string> features;
    do {
        const std::string_view name = text.take_until("&|,*[]() ");
        if (name.empty() || (!text.at_end() && text.peek() != '&')) {
            return text.error("malformed constraint", "feature names joined by &");
        }
        features.emplace_back(name);
    } while (text.accept('&'));
    draft.result.request.features = std::move(features);
    return std::nullopt;
}

MaybeError set_exclusive(OptionsDraft& draft, TextCursor) {
    draft.result.request.exclusivity = Exclusivity::whole_node;
    return std::nullopt;
}

enum class TakesValue { no, yes };

struct Option {
    std::string_view name;  ///< with its dashes
    char letter;            ///< or '\0'
    TakesValue takes_value;
    MaybeError (*apply)(OptionsDraft&, TextCursor value);
};

constexpr std::array<Option, 11> known_options{{
    {"--gres", '\0', TakesValue::yes, &set_gres},
    {"--gpus", 'G', TakesValue::yes, &set_gpus_per_job},
    {"--gpus-per-node", '\0', TakesValue::yes, &set_gpus_per_node},
    {"--ntasks", 'n', TakesValue::yes, &set_tasks},
    {"--nodes", 'N', TakesValue::yes, &set_nodes},
    {"--cpus-per-task", 'c', TakesValue::yes, &set_cpus},
    {"--mem", '\0', TakesValue::yes, &set_memory},
    {"--mem-per-cpu", '\0', TakesValue::yes, &set_memory_per_cpu},
    {"--time", 't', TakesValue::yes, &set_time},
    {"--constraint", 'C', TakesValue::yes, &set_features},
    {"--exclusive", '\0', TakesValue::no, &set_exclusive},
}};

/// An option as it stands on the command line.
struct Given {
    const Option* option = nullptr;
    std::optional<std::string_view> value;  ///< when it stands in the same word
};

/// The option that `word` is; none when it is unknown.
Given find_option(std::string_view word) {
    const bool is_long = word.starts_with("--");
    const std::size_t equals = is_long ? word.find('=') : std::string_view::npos;
    for (const Option& option : known_options) {
        if (is_long && word.substr(0, equals) == option.name) {
            if (equals == std::string_view::npos) return {&option, std::nullopt};
            return {&option, word.substr(equals + 1)};
        }
        if (!is_long && option.letter != '\0' && word[1] == option.letter) {
            if (word.size() == 2) return {&option, std::nullopt};
            return {&option, word.substr(2)};
        }
    }
    return {};
}

Status unknown_option(std::string_view word, std::size_t position) {
    const std::string_view name = word.substr(0, word.find('='));
    const std::string nearest =
        words::nearest_word(name, known_options, [](const Option& option) { return option.name; });
    return to_status(fmt::format("argument {}", position + 1),
                     {0, std::string(name.substr(0, 64)), "unknown option",
                      "a known option; the nearest is " + nearest});
}

/// Applies the option at `position` and moves it to the next argument.
StatusOr<const Option*> apply_option(OptionsDraft& draft, std::span<const std::string> arguments,
                                     std::size_t& position) {
    const std::string_view word = arguments[position];
    Given given = find_option(word);
    if (given.option == nullptr) return unknown_option(word, position);
    ++position;
    const Option& option = *given.option;
    if (option.takes_value == TakesValue::no) {
        if (given.value) {
            return to_status(option.name,
                             {0, std::string(given.value->substr(0, 64)), "unexpected value",
                              std::string(option.name) + " alone"});
        }
        given.value = "";
    } else if (!given.value) {
        if (position == arguments.size()) {
            return to_status(option.name, {0, "", "missing value", "a value after the option"});
        }
        given.value = arguments[position++];
    }
    if (option.takes_value == TakesValue::yes && given.value->empty()) {
        return to_status(option.name, {0, "", "empty value", "a value"});
    }
    if (auto error = option.apply(draft, TextCursor(*given.value))) {
        return to_status(option.name, *error);
    }
    return &option;
}

/// The GPU options speak of the same devices, so only one of them may be given.
Status check_conflicts(const OptionsDraft& draft, const std::vector<std::string_view>& given) {
    const bool has_gpu_gres = std::any_of(draft.gres.begin(), draft.gres.end(),
                                          [](const Gres& gres) { return gres.name == "gpu"; });
    const auto is_given = [&](std::string_view name) {
        return std::find(given.begin(), given.end(), name) != given.end() &&
               (name != "--gres" || has_gpu_gres);
    };
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> exclusive{
        {{"--mem", "--mem-per-cpu"},
         {"--gres", "--gpus"},
         {"--gres", "--gpus-per-node"},
         {"--gpus", "--gpus-per-node"}}};
    for (const auto& [first, second] : exclusive) {
        if (!is_given(first) || !is_given(second)) continue;
        return invalid_argument("{}: conflicts with {}{}: expected one of the two", second, first,
                                first == "--gres" ? "=gpu" : "");
    }
    return {};
}

void add_devices(Request& request, const std::vector<Gres>& list, Per per) {
    for (const Gres& gres : list) {
        DeviceRequest device;
        device.name = gres.name;
        if (!gres.type.empty()) device.types = {gres.type};
        device.count = Range<Count>::exactly(gres.count);
        device.per = per;
        request.devices.push_back(std::move(device));
    }
}

ParsedOptions finish(OptionsDraft draft) {
    Request& request = draft.result.request;
    add_devices(request, draft.gres, Per::node);
    add_devices(request, draft.gpus_per_node, Per::node);
    add_devices(request, draft.gpus_per_job, Per::job);
    if (draft.nodes) {
        request.nodes = *draft.nodes;
    } else if (request.tasks) {
        request.nodes = Range<Count>::between({Count(1), *request.tasks});
    }
    if (request.tasks && request.nodes.max) {
        request.nodes.max = std::min(*request.nodes.max, *request.tasks);
        request.nodes.min = std::min(request.nodes.least(), *request.tasks);
    }
    return std::move(draft.result);
}

}  // namespace

StatusOr<ParsedOptions> parse_options(std::span<const std::string> arguments) {
    OptionsDraft draft;
    std::vector<std::string_view> given;
    std::size_t position = 0;
    while (position < arguments.size()) {
        const std::string_view word = arguments[position];
        if (word == "--") {
            ++position;
            break;
        }
        if (word.size() < 2 || word.front() != '-') break;
        TRESTLE_TRY(const Option* option, apply_option(draft, arguments, position));
        given.push_back(option->name);
    }
    TRESTLE_TRY_STATUS(check_conflicts(draft, given));
    const auto rest = arguments.subspan(position);
    draft.result.command.assign(rest.begin(), rest.end());
    return finish(std::move(draft));
}

}  // namespace trestle::slurm
