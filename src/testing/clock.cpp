// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/clock.hpp"

#include "trestle/base/contract.hpp"

namespace trestle {

namespace testing {

void ManualClock::advance_to(Microseconds time) {
    TRESTLE_EXPECTS(time >= now_, "time does not run backwards");
    now_ = time;
}

}  // namespace testing

}  // namespace trestle
