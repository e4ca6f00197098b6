// SPDX-License-Identifier: Apache-2.0
// What a small program costs that describes a node and a request, headers alone.
#include "trestle/model/node.hpp"
#include "trestle/model/request.hpp"

int main() {
    using namespace trestle;
    NodeShape shape;
    shape.devices.push_back({});
    Request request;
    request.nodes = Range<Count>::exactly(Count(2));
    return shape.devices.size() == 1 && request.nodes.least() == Count(2) ? 0 : 1;
}
