// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cluster: nodes, what they are connected by, and who has what. A value.
//
// Layer: alloc. The class is declared in cluster/cluster.hpp, where its functions are documented;
// this header brings their definitions along. Include this one.
// A reader would get wrong: what stands in alloc/cluster is how a cluster is kept; whoever uses
// one needs nothing of it.

#include "trestle/alloc/cluster/cluster.hpp"
