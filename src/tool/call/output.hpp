// SPDX-License-Identifier: Apache-2.0
#pragma once

// How answers look: colours, on a terminal only, and JSON.
//
// Layer: tool. Main names: coloured, terminal_width, print_json.
// Pitfall: without a terminal, with NO_COLOR and with TERM=dumb the text is the same, uncoloured.

#include <cstddef>
#include <string>
#include <string_view>

#include "trestle/dialect/json/value.hpp"

namespace trestle::tool {

/// The meaning of a word, which its colour repeats.
enum class Tone { good, doubtful, bad };

/// The text, in the tone's colour where standard output is a terminal that has colours.
[[nodiscard]] std::string coloured(std::string_view text, Tone tone);

/// The text of an answer with the words that judge in their tones: those that begin a line, such as
/// `starts now`, `never starts`, `warning`.
[[nodiscard]] std::string with_tones(std::string_view text);

/// The columns of the terminal at standard output; without one those of COLUMNS, else 80. At least
/// 40.
[[nodiscard]] std::size_t terminal_width();

/// Makes the terminal at standard output empty; without one nothing.
void clear_terminal();

/// Prints the document as one line.
void print_json(const json::Value& document);

}  // namespace trestle::tool
