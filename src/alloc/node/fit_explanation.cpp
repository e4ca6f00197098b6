// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/fit_explanation.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "base/join.hpp"

namespace trestle {

namespace {

/// Memory is counted in bytes, all else by the piece.
std::string amount_text(const FitExplanation::Removal& removal, Count amount) {
    return removal.subject == "memory" ? to_text(Bytes(amount.value())) : to_text(amount);
}

std::string listed(const std::vector<FitExplanation::Condition>& conditions) {
    std::vector<std::string> texts;
    for (const FitExplanation::Condition& one : conditions) texts.push_back(one.text);
    return detail::listed(texts);
}

}  // namespace

std::string to_text(const FitExplanation& explanation) {
    std::string text = explanation.fits ? "fits" : "does not fit, " + to_text(explanation.why);
    const FitExplanation::Removal* before = nullptr;
    for (const FitExplanation::Removal& one : explanation.removed) {
        if (!before || before->subject != one.subject) {
            text += fmt::format("\n{}: {} asked; of {}", one.subject, amount_text(one, one.asked),
                                amount_text(one, one.before));
        }
        text += fmt::format(", {} after {}", amount_text(one, one.left), one.reason);
        before = &one;
    }
    if (explanation.alone) {
        text += "\n" + explanation.alone->text + ": not to be had, whatever else is asked";
    }
    if (!explanation.together.empty()) {
        text += "\n" + listed(explanation.together) + ": not to be had at once";
    }
    for (const FitExplanation::Relaxation& one : explanation.relaxations)
        text += "\nfits: " + one.text;
    if (!explanation.is_complete) text += "\nthe step budget ended: there may be more to say";
    return text;
}

}  // namespace trestle
