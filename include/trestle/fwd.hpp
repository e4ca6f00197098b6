// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names without definitions, for headers of embedders that only pass our values along.
//
// Layer: none; it includes nothing of ours. Everything here is a class or struct of the core.
// A reader would get wrong: sets, ids and quantities are templates or aliases and are not here;
// their headers are cheap to include.

namespace trestle {

class Catalog;
class Cluster;
class Enforcer;
class FeatureExpression;
class FitCache;
class JobState;
class NodeUsage;
class Timeline;
struct Allocation;
struct ClusterCount;
struct ClusterParts;
struct Device;
struct Explanation;
struct FitExplanation;
struct FitOptions;
struct Fleet;
struct FreeState;
struct Limits;
struct Network;
struct Node;
struct NodeDemand;
struct NodePlacement;
struct NodeShape;
struct Offer;
struct OfferFilter;
struct OfferMatch;
struct Partition;
struct Placement;
struct Plan;
struct Refusal;
struct Request;
struct SliceGeometry;
struct TraceEvent;

}  // namespace trestle
