// SPDX-License-Identifier: Apache-2.0
#pragma once

// Around a fork: no handler of the program runs in the child.
//
// Layer: os, private. Main type: SignalsHeld.

#include <signal.h>

namespace trestle::os::detail {

/// All signals wait in the calling thread, and so in the child until it has let go of the handlers
/// of the program.
class SignalsHeld {
  public:
    SignalsHeld() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;
    ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

}  // namespace trestle::os::detail
