// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

namespace trestle::tool {
namespace {

constexpr std::size_t ticks_before = 5;  ///< a second

}  // namespace

Progress::Progress(std::size_t steps)
    : steps_(steps), has_terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    if (!has_terminal_ || ticks_ < ticks_before) return;
    fmt::print(stderr, "\r\033[K");
    (void)std::fflush(stderr);
}

void Progress::next(const char* words) {
    ++step_;
    words_ = words;
    draw();
}

void Progress::tick() {
    ++ticks_;
    draw();
}

void Progress::draw() {
    constexpr std::size_t width = 20;
    if (!has_terminal_ || ticks_ < ticks_before) return;
    const std::size_t done = std::min(step_, steps_) * width / steps_;
    fmt::print(stderr, "\r\033[K[{}{}] {}", std::string(done, '#'), std::string(width - done, '.'),
               words_);
    (void)std::fflush(stderr);
}

}  // namespace trestle::tool
