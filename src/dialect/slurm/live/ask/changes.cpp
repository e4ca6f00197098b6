// SPDX-License-Identifier: Apache-2.0
#include "changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "asker.hpp"
#include "knobs.hpp"
#include "trestle/dialect/slurm/script/print_options.hpp"

namespace trestle::slurm {
namespace {

constexpr std::size_t pairs_shown = 3;

/// A knob of one component, and how far it is turned.
struct Turn {
    std::size_t component = 0;
    const Knob* knob = nullptr;
    std::int64_t step = 1;
};

Submission turned(Submission job, const std::vector<Turn>& turns) {
    for (const Turn& turn : turns) {
        turn.knob->set(job.components[turn.component].options, turn.step);
    }
    return job;
}

bool starts(Asker& asker, const Submission& job, const std::vector<Turn>& turns) {
    return is_started(asker.ask(turned(job, turns)));
}

/// Turns back `turns[which]` as far as the job still starts. Requires: it starts with the turns.
void turn_back(Asker& asker, const Submission& job, std::vector<Turn>& turns, std::size_t which) {
    std::int64_t low = 0, high = turns[which].step;  // the job starts at high
    while (high - low > 1) {
        turns[which].step = low + (high - low) / 2;
        (starts(asker, job, turns) ? high : low) = turns[which].step;
    }
    turns[which].step = high;
}

/// The letter of an option that has one.
char letter_of(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, char>, 13> letters{{{"nodes", 'N'},
                                                                         {"ntasks", 'n'},
                                                                         {"cpus-per-task", 'c'},
                                                                         {"gpus", 'G'},
                                                                         {"partition", 'p'},
                                                                         {"constraint", 'C'},
                                                                         {"nodelist", 'w'},
                                                                         {"exclude", 'x'},
                                                                         {"time", 't'},
                                                                         {"licenses", 'L'},
                                                                         {"core-spec", 'S'},
                                                                         {"distribution", 'm'},
                                                                         {"extra-node-info", 'B'}}};
    for (const auto& [known, letter] : letters) {
        if (known == name) return letter;
    }
    return '\0';
}

/// The option in the form in which it was typed: `-c 4`, else `--cpus-per-task=4`.
std::string typed_form(const OptionText& option, const std::vector<std::string>& words) {
    const char letter = letter_of(option.name);
    const std::string start{'-', letter};
    const bool is_short =
        letter != '\0' && std::any_of(words.begin(), words.end(), [&](const std::string& word) {
            return word.starts_with(start);
        });
    if (!is_short) return to_text(option);
    return option.value ? start + " " + *option.value : start;
}

/// What of the one list is not in the other, in the typed forms.
std::string missing_from(const std::vector<OptionText>& list, const std::vector<OptionText>& other,
                         const std::vector<std::string>& words) {
    std::string text;
    for (const OptionText& option : list) {
        if (std::find(other.begin(), other.end(), option) != other.end()) continue;
        text += (text.empty() ? "" : " ") + typed_form(option, words);
    }
    return text;
}

std::string change_text(const TypedJob& before, const Submission& after) {
    std::string text;
    const auto& components = before.submission.components;
    for (std::size_t i = 0; i < components.size(); ++i) {
        const auto old_options = option_texts(components[i].options);
        const auto new_options = option_texts(after.components[i].options);
        const std::string gone = missing_from(old_options, new_options, before.words);
        const std::string come = missing_from(new_options, old_options, before.words);
        if (gone.empty() && come.empty()) continue;
        if (!text.empty()) text += "; ";
        if (components.size() > 1) text += fmt::format("component {}: ", i);
        text += come.empty()   ? "without " + gone
                : gone.empty() ? "with " + come
                               : come + " instead of " + gone;
    }
    return text;
}

/// The pairs of turns that start the job, as few of each as possible.
std::vector<JobChange> pairs(Asker& asker, const TypedJob& job, const std::vector<Turn>& most) {
    std::vector<JobChange> found;
    for (std::size_t a = 0; a < most.size(); ++a) {
        for (std::size_t b = a + 1; b < most.size(); ++b) {
            std::vector<Turn> turns{most[a], most[b]};
            if (!starts(asker, job.submission, turns)) continue;
            turn_back(asker, job.submission, turns, 0);
            turn_back(asker, job.submission, turns, 1);
            Submission changed = turned(job.submission, turns);
            found.push_back({change_text(job, changed), std::move(changed)});
            if (found.size() == pairs_shown) return found;
        }
    }
    return found;
}

}  // namespace

std::vector<JobChange> nearest_changes(Asker& asker, const TypedJob& job) {
    const auto& components = job.submission.components;
    std::vector<std::vector<Knob>> knobs;
    for (const JobComponent& component : components) {
        knobs.push_back(knobs_of(component.options, asker.controller()));
    }
    std::vector<Turn> most;
    std::vector<JobChange> found;
    for (std::size_t i = 0; i < components.size(); ++i) {
        for (const Knob& knob : knobs[i]) {
            most.push_back({i, &knob, knob.steps});
            std::vector<Turn> turns{most.back()};
            if (!starts(asker, job.submission, turns)) continue;
            turn_back(asker, job.submission, turns, 0);
            Submission changed = turned(job.submission, turns);
            std::string text = change_text(job, changed);
            if (!text.empty()) found.push_back({std::move(text), std::move(changed)});
        }
    }
    return found.empty() ? pairs(asker, job, most) : found;
}

}  // namespace trestle::slurm
