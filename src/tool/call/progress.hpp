// SPDX-License-Identifier: Apache-2.0
#pragma once

// How far a slow step is, on a terminal.
//
// Layer: tool. Main type: Progress. The bar appears on standard error after a second, and goes when
// the last step ends. Without a terminal there is none.
// Pitfall: a thread draws it, so nothing else may write to standard error meanwhile: call hide()
// before that.

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace trestle::tool {

class Progress {
  public:
    explicit Progress(std::size_t steps);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();

    /// The next step begins. `words` says what is done and lives as long as the bar.
    void next(const char* words);
    /// The bar goes for good.
    void hide();

  private:
    void draw_until_hidden();
    void draw() const;

    const std::size_t steps_;
    std::mutex mutex_;  ///< of what follows
    std::condition_variable changed_;
    std::size_t step_ = 0;
    const char* words_ = "";
    bool is_hidden_ = false;
    std::thread drawer_;  ///< none without a terminal
};

}  // namespace trestle::tool
