// SPDX-License-Identifier: Apache-2.0
#pragma once

// Watched: decisions about many jobs that show how far they are, and that Ctrl-C ends.
//
// Pitfall: a signal's handler may raise between two jobs, so what the call has done until then has
// to be undone.

#include <nanobind/nanobind.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace trestle::python {

namespace nb = nanobind;

/// Moves the bar of _progress.py, and lets Python handle signals. Looks at the clock seldom while
/// jobs take microseconds.
class CallProgress {
  public:
    CallProgress(const char* title, const char* unit, std::size_t most)
        : title_(title), unit_(unit), most_(most) {}
    CallProgress(const CallProgress&) = delete;
    CallProgress& operator=(const CallProgress&) = delete;
    ~CallProgress() {
        try {
            finish(false);
        } catch (nb::python_error& error) {
            error.discard_as_unraisable("the end of a progress bar");
        }
    }

    /// One more is looked at. Throws what a handler of a signal raises.
    void next() {
        if (++done_ < next_look_) return;
        const Clock::time_point now = Clock::now();
        const bool is_early = now - last_look_ < std::chrono::milliseconds(10);
        stride_ = is_early ? std::min<std::size_t>(2 * stride_, 64) : 1;
        next_look_ = done_ + stride_;
        if (is_early) return;
        last_look_ = now;
        if (PyErr_CheckSignals() != 0) nb::raise_python_error();
        if (!bar_.is_valid()) {
            bar_ = nb::module_::import_("trestle._progress").attr("Progress")(title_, unit_, most_);
            bar_.attr("__enter__")();
        }
        bar_.attr("reach")(std::min(done_, most_));
    }
    /// Ends the bar. With `is_done` it shows all of them.
    void finish(bool is_done) {
        if (!bar_.is_valid()) return;
        const nb::object bar = std::move(bar_);
        bar.attr("finish")(is_done);
    }

  private:
    using Clock = std::chrono::steady_clock;

    const char* title_;
    const char* unit_;
    std::size_t most_;
    std::size_t done_ = 0;
    std::size_t next_look_ = 1;
    std::size_t stride_ = 1;
    Clock::time_point last_look_ = Clock::now();
    nb::object bar_;
};

/// While it lives, each question to the placer or finder is one more job of the progress.
template <class Decider>
class Watched {
  public:
    Watched(Decider& decider, const char* title, std::size_t jobs)
        : decider_(decider), progress_(title, "job", jobs) {
        decider_.set_watch([this] { progress_.next(); });
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    ~Watched() { decider_.set_watch({}); }

    template <class Decide>
    auto run(const Decide& decide) {
        auto result = decide();
        progress_.finish(true);
        return result;
    }

  private:
    Decider& decider_;
    CallProgress progress_;
};

}  // namespace trestle::python
