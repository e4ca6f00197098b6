// SPDX-License-Identifier: Apache-2.0
#pragma once

// How far a slow step is, on a terminal.
//
// Layer: tool. Main type: Progress. The bar appears on standard error after a second of ticks, and
// goes when the last step ends. Without a terminal there is none.
// Pitfall: nothing is drawn by itself: a step that waits calls tick() every 200 milliseconds.

#include <cstddef>

namespace trestle::tool {

class Progress {
  public:
    explicit Progress(std::size_t steps);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();

    /// The next step begins. `words` says what is done and lives as long as the bar.
    void next(const char* words);
    /// Another 200 milliseconds are over.
    void tick();

  private:
    void draw();

    std::size_t steps_;
    std::size_t step_ = 0;
    const char* words_ = "";
    std::size_t ticks_ = 0;
    bool has_terminal_;
};

}  // namespace trestle::tool
