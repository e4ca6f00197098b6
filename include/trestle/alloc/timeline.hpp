// SPDX-License-Identifier: Apache-2.0
#pragma once

// Timeline: a cluster now, and what of it is taken and given back later. A value.
//
// Layer: alloc. The class is declared in time/timeline.hpp, where its functions are documented;
// this header brings their definitions along. Include this one.
// A reader would get wrong: when a request can start is asked in time/earliest_start.hpp, of a
// timeline that stays what it is.

#include "trestle/alloc/time/detail/timeline_changes.hpp"
#include "trestle/alloc/time/timeline.hpp"
