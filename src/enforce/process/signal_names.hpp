// SPDX-License-Identifier: Apache-2.0
#pragma once

// The signals of Linux by name.
//
// Layer: enforce (private). Main names: signal_names, signal_text, sigkill.
// Pitfall: the numbers are those of x86, Arm, POWER, RISC-V and s390; MIPS, SPARC, Alpha and
// PA-RISC count some of them differently.

#include <array>
#include <string>
#include <string_view>

namespace trestle {

// <csignal> of ISO C++ does not have them all.
inline constexpr int sigint = 2;
inline constexpr int sigkill = 9;

/// A signal without `SIG`, and its number.
struct SignalName {
    std::string_view name;
    int number = 0;
};

/// Rising by number: those that end, stop or tell a program something. Others are numbers only.
inline constexpr std::array<SignalName, 26> signal_names{
    {{"HUP", 1},     {"INT", 2},   {"QUIT", 3},  {"ILL", 4},   {"TRAP", 5},  {"ABRT", 6},
     {"BUS", 7},     {"FPE", 8},   {"KILL", 9},  {"USR1", 10}, {"SEGV", 11}, {"USR2", 12},
     {"PIPE", 13},   {"ALRM", 14}, {"TERM", 15}, {"CHLD", 17}, {"CONT", 18}, {"STOP", 19},
     {"TSTP", 20},   {"TTIN", 21}, {"TTOU", 22}, {"URG", 23},  {"XCPU", 24}, {"XFSZ", 25},
     {"VTALRM", 26}, {"SYS", 31}}};

inline constexpr int signals_max = 64;  ///< the highest signal of Linux

/// `SIGTERM`; `signal 40` where there is no name.
[[nodiscard]] std::string signal_text(int number);

}  // namespace trestle
