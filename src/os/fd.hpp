// SPDX-License-Identifier: Apache-2.0
#pragma once

// A file descriptor with an owner.
//
// Layer: os, private. Main type: Fd.
// Pitfall: -1 is the empty state, so that the result of open(2) can be taken as it is and errno
// stays as the call left it.

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace trestle::os::detail {

class Fd {
  public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd() { reset(); }

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }
    void reset() {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }

  private:
    int fd_ = -1;
};

/// Calls `call` again as long as a signal interrupts it.
template <class Call>
auto retried(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

}  // namespace trestle::os::detail
