// SPDX-License-Identifier: Apache-2.0
#pragma once

// The life of a queue as values: what jobs wait for, who may start now, who goes back.
//
// Layer: alloc. Main types: JobTerms, JobRecord, QueueState (queue/terms.hpp), EligibleJobs
// (queue/eligible.hpp), RequeueRules (queue/requeue.hpp).
// A reader would get wrong: nothing here knows the cluster. Hand the eligible ones to
// schedule_pass().

#include "trestle/alloc/queue/eligible.hpp"
#include "trestle/alloc/queue/requeue.hpp"
#include "trestle/alloc/queue/terms.hpp"
