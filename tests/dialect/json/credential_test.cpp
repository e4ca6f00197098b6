// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/json/credential.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/testing/arbitrary.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle::json {
namespace {

/// A job with two GPUs on each of two nodes.
struct Issued {
    Cluster cluster = *testing::cluster_from_text("3 x (2s4c mem=16G nic:1 gpu:a100:4)");
    Credential credential;

    Issued() {
        Request request;
        request.nodes = Range<Count>::exactly(Count(2));
        request.tasks = Count(2);
        request.memory = Range<Bytes>::exactly(gib(4));
        request.devices = {DeviceRequest()};
        request.devices[0].count = Range<Count>::exactly(Count(2));
        const Allocation allocation{OwnerId(42), request, *place(cluster, request)};
        credential = *credential_of(
            allocation, [&](NodeId id) { return cluster.node(id); }, Seconds(1'790'000'000));
    }
    [[nodiscard]] Node node(std::uint32_t id) const { return cluster.node(NodeId(id)); }
};

/// A signature of any bytes that depends on every byte of the content: enough to test the hooks.
std::string signature_of(std::string_view content) {
    std::string signature("\x00\xff", 2);
    for (const char c : content) {
        signature[1] = static_cast<char>(signature[1] * 31 + c);
        signature[0] = static_cast<char>(signature[0] + signature[1]);
    }
    return signature;
}
StatusOr<std::string> sign(std::string_view content) { return signature_of(content); }
Status verify(std::string_view content, std::string_view signature) {
    if (signature == signature_of(content)) return {};
    return make_error(StatusCode::kPermissionDenied, "the signature is another's");
}

std::string error_of(std::string_view text, const CredentialVerifier& verifier = {}) {
    const auto read = read_credential(text, verifier);
    return read.ok() ? "" : std::string(message(read.status()));
}

/// `text` with the first `from` replaced.
std::string with(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("Credential: it comes back as it was written", "[json]") {
    const Issued issued;
    const std::string text = *write_credential(issued.credential);
    CHECK(text.find('\n') == std::string::npos);
    CHECK(*read_credential(text) == issued.credential);
    CHECK(*read_credential(*write_credential(issued.credential, sign)) == issued.credential);
    CHECK(*read_credential(*write_credential(issued.credential, sign), verify) ==
          issued.credential);
}

TEST_CASE("Credential: any value comes back", "[json][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(100u)}, [](testing::Choices& choices) {
        auto credential = testing::arbitrary<Credential>(choices);
        credential.nodes.resize(credential.allocation.placement.nodes.size());
        const auto back = read_credential(*write_credential(credential));
        REQUIRE(message(back.status()) == "");
        REQUIRE(*back == credential);
    });
}

TEST_CASE("Credential: no byte can be changed unseen", "[json][law]") {
    const Issued issued;
    const std::string text = *write_credential(issued.credential, sign);
    for (std::size_t i = 0; i < text.size(); ++i) {
        for (const char c : {'0', '1', 'a', ' ', '"', '\0'}) {
            std::string damaged = text;
            damaged[i] = c;
            const auto read = read_credential(damaged, verify);
            INFO("byte " << i << " is " << int{c});
            REQUIRE((!read.ok() || *read == issued.credential));
        }
    }
}

TEST_CASE("Credential: a document that another program laid out anew is still signed", "[json]") {
    const Issued issued;
    const auto document = parse(*write_credential(issued.credential, sign));
    const std::string other = print(*document, Layout::indented);
    CHECK(other.find('\n') != std::string::npos);
    CHECK(*read_credential(other, verify) == issued.credential);
}

TEST_CASE("Credential: bad texts are refused with one line", "[json]") {
    const Issued issued;
    const std::string text = *write_credential(issued.credential);
    const std::string is_signed = *write_credential(issued.credential, sign);
    CHECK(error_of("").starts_with("credential: json: "));
    CHECK(error_of("{}") == "credential: format \"\", expected trestle-credential");
    CHECK(error_of(with(text, "\"version\":1", "\"version\":2")) ==
          "credential: version 2, expected version 1");
    CHECK(error_of(with(text, "gpu", "cpu")) ==
          "credential: damaged content, expected that of the checksum");
    CHECK(error_of(text, verify) == "credential: it is not signed");
    CHECK(error_of(with(is_signed, "\"signature\":\"", "\"signature\":\"00"), verify) ==
          "credential: the signature is another's");
    CHECK(error_of(with(is_signed, "\"signature\":\"", "\"signature\":\"0"), verify) ==
          "credential: a signature of other letters, expected pairs of hexadecimal digits");
    CHECK(read_credential(text, verify).status().code() == StatusCode::kPermissionDenied);

    Credential uneven = issued.credential;
    uneven.nodes.pop_back();
    CHECK(error_of(*write_credential(uneven)) ==
          "credential: content: json: 1 nodes, expected 2 as in the placement");
}

TEST_CASE("Credential: a signer that fails gives no credential", "[json]") {
    const Issued issued;
    const auto text = write_credential(issued.credential, [](std::string_view) {
        return StatusOr<std::string>(failed_precondition("the key is gone"));
    });
    CHECK(message(text.status()) == "the key is gone");
}

TEST_CASE("Credential: a node finds its part by its own numbers", "[json]") {
    const Issued issued;
    const auto& granted = issued.credential.allocation.placement.nodes;
    Node node = issued.node(granted[0].node.value());
    CHECK(*part_of(issued.credential, node) == granted[0]);

    // A machine that found its GPUs before its network card numbers them otherwise.
    NodeShape shape = *node.shape;
    std::rotate(shape.devices.begin(), shape.devices.begin() + 1, shape.devices.end());
    node.shape = shape;
    const auto part = part_of(issued.credential, node);
    REQUIRE(part.ok());
    std::vector<std::string> given;
    for (const DeviceShare& share : part->devices) {
        const Device& device = shape.devices[share.device.value()];
        given.push_back(device.name + std::to_string(device.index));
    }
    CHECK(given == std::vector<std::string>{"gpu0", "gpu1"});
}

TEST_CASE("Credential: a node that is not as it was is refused", "[json]") {
    const Issued issued;
    const auto error = [&](const Node& node) {
        return std::string(message(part_of(issued.credential, node).status()));
    };
    const NodeId id = issued.credential.allocation.placement.nodes[0].node;
    CHECK(error(issued.node(2)) == "credential of owner 42: it gives nothing of node n2");

    Node node = issued.cluster.node(id);
    NodeShape shape = *node.shape;
    shape.hardware.cores.pop_back();
    node.shape = shape;
    CHECK(error(node) == "node n0: 7 cores and 2 memory domains, the credential speaks of 8 and 2");

    shape = issued.cluster.shape(id);
    shape.devices.erase(shape.devices.begin() + 1);
    node.shape = shape;
    CHECK(error(node) == "node n0: it has no gpu 0");

    shape = issued.cluster.shape(id);
    shape.devices[1].type.clear();
    node.shape = shape;
    CHECK(error(node) == "");
    shape.devices[1].type = "h100";
    node.shape = shape;
    CHECK(error(node) == "node n0: gpu 0 is of type h100, the credential gives a100");

    Credential silent = issued.credential;
    silent.nodes[0].devices.clear();
    CHECK(std::string(message(part_of(silent, issued.node(0)).status())) ==
          "credential: node n0: it does not say what device 1 is");
}

TEST_CASE("Credential: one whose parts contradict each other gives nothing", "[json]") {
    const Issued issued;
    const Node node = issued.node(0);
    const auto error = [&](auto change) {
        Credential odd = issued.credential;
        change(odd, odd.allocation.placement.nodes[0]);
        const auto plan = plan_of(odd, node, {}, {});
        const auto part = part_of(odd, node);
        CHECK(message(plan.status()) == message(part.status()));
        CHECK(message(check(odd)).find("node n0") != std::string::npos);
        return std::string(message(part.status()));
    };
    CHECK(error([](Credential&, NodePlacement& part) { part.cores.insert(CoreId(8)); }) ==
          "credential: node n0: core 8, expected one below 8");
    CHECK(error([](Credential& odd, NodePlacement&) {
              odd.nodes[0].cores = 0;
          }).starts_with("credential: node n0: core "));
    CHECK(error([](Credential&, NodePlacement& part) {
              part.memory.push_back({DomainId(2), Bytes(1)});
          }) == "credential: node n0: memory domain 2, expected one below 2");
    CHECK(error([](Credential&, NodePlacement& part) {
              part.devices.push_back({DeviceId(77), Count(1)});
          }) == "credential: node n0: it does not say what device 77 is");
    CHECK(error([](Credential&, NodePlacement& part) { part.component = 3; }) ==
          "credential: node n0: component 3 of a request with 0");

    // What only the machine can tell.
    Credential much = issued.credential;
    much.allocation.placement.nodes[0].devices[0].shares = Count(9);
    const auto part = part_of(much, node);
    CHECK(part.status().code() == StatusCode::kFailedPrecondition);
    CHECK(message(part.status()).starts_with("node n0: device 1: 9 shares, expected 1 to "));

    Credential none = issued.credential;
    none.nodes.clear();
    CHECK(message(part_of(none, node).status()) ==
          "credential: 0 nodes, expected 2 as in the placement");
}

TEST_CASE("Credential: of a node that serves two components, one is named", "[json]") {
    const Cluster cluster = *testing::cluster_from_text("(4c)");
    Request request;
    request.components = {Request()};
    request.components[0].tasks = Count(3);
    request.components[0].shm_size = gib(1);
    request.component_nodes = Request::ComponentNodes::shared;
    const Allocation allocation{OwnerId(1), request, *place(cluster, request)};
    const auto credential = credential_of(allocation, [&](NodeId id) { return cluster.node(id); });
    REQUIRE(credential.ok());
    const Node node = cluster.node(NodeId(0));
    CHECK(message(part_of(*credential, node).status()) ==
          "node n0: it serves components 0 and 1, expected one of them");
    CHECK(message(part_of(*credential, node, 2).status()) ==
          "credential of owner 1: it gives nothing of node n0 for component 2");
    CHECK(to_text(part_of(*credential, node, 1)->cores) == "1-3");
    PlanOptions options;
    options.group = "job_1/workers";
    const auto plan = plan_of(*credential, node, {}, options, 1);
    REQUIRE(plan.ok());
    CHECK(plan->shm_size == gib(1));  // as the component asks
    CHECK(*read_credential(*write_credential(*credential, sign), verify) == *credential);
}

TEST_CASE("Credential: the plan of an agent is that of the scheduler", "[json]") {
    const Issued issued;
    const NodePlacement& granted = issued.credential.allocation.placement.nodes[1];
    const Node node = issued.cluster.node(granted.node);
    PlanOptions options;
    options.group = "job_42";
    options.owner = OwnerId(42);
    const auto direct = plan(node, granted, *issued.credential.allocation.request, {}, options);
    options.owner = {};
    const auto read = *read_credential(*write_credential(issued.credential));
    CHECK(*plan_of(read, node, {}, options) == *direct);

    Credential odd = issued.credential;
    odd.allocation.placement.nodes[1].component = 1;
    CHECK(message(plan_of(odd, node, {}, options).status()) ==
          "credential: node n1: component 1 of a request with 0");
}

TEST_CASE("Credential: none is made of a placement that the nodes cannot give", "[json]") {
    const Issued issued;
    Allocation allocation = issued.credential.allocation;
    allocation.placement.nodes[0].devices = {{DeviceId(9)}};
    const auto made = credential_of(allocation, [&](NodeId id) { return issued.cluster.node(id); });
    CHECK(message(made.status()) == "node n0: device 9 does not exist, the node has 5");
}

}  // namespace trestle::json
