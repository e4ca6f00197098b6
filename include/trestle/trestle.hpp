// SPDX-License-Identifier: Apache-2.0
#pragma once

// The core in one include: values, decisions, plans. Link trestle::core.
//
// Dialects (trestle/dialect/...), the machine (trestle/os/...) and the test tools
// (trestle/testing/...) are included by name.
// A reader would get wrong: this is for small programs; a header of a large one includes what it
// uses, or fwd.hpp.

#include "trestle/alloc/blocks.hpp"
#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/cluster_bytes.hpp"
#include "trestle/alloc/cluster_diff.hpp"
#include "trestle/alloc/explain.hpp"
#include "trestle/alloc/fit/explain_fit.hpp"
#include "trestle/alloc/fit/fit.hpp"
#include "trestle/alloc/fit/fit_cache.hpp"
#include "trestle/alloc/job/device_bind.hpp"
#include "trestle/alloc/job/job_steps.hpp"
#include "trestle/alloc/job/task_layout.hpp"
#include "trestle/alloc/match.hpp"
#include "trestle/alloc/place.hpp"
#include "trestle/alloc/place/place_many.hpp"
#include "trestle/alloc/registration.hpp"
#include "trestle/alloc/time/earliest_start.hpp"
#include "trestle/alloc/time/schedule_pass.hpp"
#include "trestle/alloc/time/timeline_bytes.hpp"
#include "trestle/alloc/time/timeline_diff.hpp"
#include "trestle/alloc/timeline.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/enforce/capabilities.hpp"
#include "trestle/enforce/credential.hpp"
#include "trestle/enforce/drift.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/events.hpp"
#include "trestle/enforce/explain_limits.hpp"
#include "trestle/enforce/faulty_enforcer.hpp"
#include "trestle/enforce/health/node_health.hpp"
#include "trestle/enforce/health/rates.hpp"
#include "trestle/enforce/memory_enforcer.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/plan_diff.hpp"
#include "trestle/enforce/plan_update.hpp"
#include "trestle/model/slice_geometry.hpp"
#include "trestle/model/unit.hpp"
#include "trestle/set/bit_index.hpp"
#include "trestle/set/index_set.hpp"
#include "trestle/set/small_set.hpp"
#include "trestle/set/text.hpp"
#include "trestle/version.hpp"
