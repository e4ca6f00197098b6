// SPDX-License-Identifier: Apache-2.0
#pragma once

// All of a cluster's nodes at once, as columns and tables of numbers: NodeColumns, Observer.
//
// Layer: alloc.

#include "trestle/alloc/columns/node_columns.hpp"
#include "trestle/alloc/columns/observer.hpp"
