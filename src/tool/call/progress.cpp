// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace trestle::tool {

Progress::Progress(std::size_t steps) : steps_(steps) {
    if (::isatty(STDERR_FILENO) == 1) drawer_ = std::thread([this] { draw_until_hidden(); });
}

Progress::~Progress() { hide(); }

void Progress::next(const char* words) {
    const std::lock_guard lock(mutex_);
    ++step_;
    words_ = words;
    changed_.notify_all();
}

void Progress::hide() {
    {
        const std::lock_guard lock(mutex_);
        is_hidden_ = true;
        changed_.notify_all();
    }
    if (drawer_.joinable()) drawer_.join();
}

void Progress::draw_until_hidden() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::seconds(1), [&] { return is_hidden_; })) return;
    while (!is_hidden_) {
        draw();
        changed_.wait(lock);
    }
    fmt::print(stderr, "\r\033[K");
    (void)std::fflush(stderr);
}

void Progress::draw() const {
    constexpr std::size_t width = 20;
    const std::size_t over = step_ == 0 ? 0 : std::min(step_, steps_) - 1;  // the last goes on
    const std::size_t done = over * width / steps_;
    fmt::print(stderr, "\r\033[K[{}{}] {}", std::string(done, '#'), std::string(width - done, '.'),
               words_);
    (void)std::fflush(stderr);
}

}  // namespace trestle::tool
