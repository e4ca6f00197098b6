// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/choices.hpp"

#include <cstdint>

namespace trestle {

namespace testing {

std::uint64_t Choices::below(std::uint64_t bound) {
    TRESTLE_EXPECTS(bound > 0, "there is something to choose from");
    if (rng_) return rng_->below(bound);
    if (position_ == run_.size()) run_.push_back({0, bound});
    TRESTLE_EXPECTS(run_[position_].bound == bound, "the same answers bring the same questions");
    return run_[position_++].answer;
}

bool Choices::next_run() {
    TRESTLE_EXPECTS(!rng_, "random choices have no end");
    run_.resize(position_);
    position_ = 0;
    while (!run_.empty()) {
        if (++run_.back().answer < run_.back().bound) return true;
        run_.pop_back();
    }
    return false;
}

}  // namespace testing

}  // namespace trestle
