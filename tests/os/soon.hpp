// SPDX-License-Identifier: Apache-2.0
// For tests of processes: waits for what is bound to come, and never for a fixed time. A guest that
// is emulated beside another one can need seconds for what takes a millisecond elsewhere.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "machines/unpacked.hpp"
#include "trestle/base/units.hpp"
#include "trestle/os/supervisor.hpp"

namespace trestle {

/// True as soon as the condition is, at once or within two minutes.
template <typename Condition>
[[nodiscard]] bool is_soon(const Condition& condition) {
    const Microseconds end = os::monotonic_now() + Microseconds(120'000'000);
    while (!condition()) {
        if (os::monotonic_now() > end) return false;
        ::usleep(10'000);
    }
    return true;
}

/// True while the process runs; a zombie does not. It may end while it is looked at: a stream that
/// cannot be read says so, where std::filesystem::exists() would throw.
[[nodiscard]] inline bool is_running(std::int64_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string number;
    std::string name;
    std::string state;
    return file >> number >> name >> state && state != "Z" && state != "X";
}

/// A file that a script makes when it has come so far; its traps are set, for one.
class ReadyMark {
  public:
    /// What the script says for it.
    [[nodiscard]] std::string said() const { return ": > " + path_.string() + "; "; }
    [[nodiscard]] bool is_there() const { return std::filesystem::exists(path_); }
    /// True when the script has said it, now or soon.
    [[nodiscard]] bool comes() const {
        return is_soon([this] { return is_there(); });
    }

  private:
    TemporaryFolder folder_;
    std::filesystem::path path_ = folder_.path() / "ready";
};

}  // namespace trestle
