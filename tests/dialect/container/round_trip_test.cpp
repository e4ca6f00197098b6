// SPDX-License-Identifier: Apache-2.0
// Any document, sensible or not, comes back from its JSON as it was.
#include <algorithm>
#include <string>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/dialect/container/docker.hpp"
#include "trestle/dialect/container/kubernetes.hpp"
#include "trestle/dialect/container/oci.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/testing/arbitrary.hpp"

namespace trestle::container {
namespace {

/// Names in an object differ; here they are also sorted.
template <class Entries, class NameOf>
void make_distinct(Entries& entries, NameOf name_of) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        std::string& name = name_of(entries[i]);
        name = std::to_string(i) + "/" + name;
    }
}

void make_sane(OciConfig& config) {
    make_distinct(config.linux_.resources.unified.files,
                  [](auto& one) -> std::string& { return one.file; });
    make_distinct(config.linux_.resources.rdma.limits,
                  [](auto& one) -> std::string& { return one.device; });
}
void make_sane(DockerContainer&) {}
void make_sane(KubernetesPod& pod) {
    for (KubernetesContainer& container : pod.containers) {
        for (ResourceAmounts* amounts :
             {&container.resources.limits, &container.resources.requests}) {
            make_distinct(amounts->extended, [](auto& one) -> std::string& { return one.name; });
        }
    }
}

TEMPLATE_TEST_CASE("container: any document comes back as it was", "[dialect][container][law]",
                   DockerContainer, OciConfig, KubernetesPod) {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(300u)}, [](testing::Choices& choices) {
        auto document = testing::arbitrary<TestType>(choices);
        make_sane(document);
        for (const auto layout : {json::Layout::one_line, json::Layout::indented}) {
            const std::string text = json::to_json_text(document, layout);
            INFO(text);
            const auto back = json::from_json_text<TestType>(text);
            REQUIRE(message(back.status()) == "");
            REQUIRE(*back == document);
            REQUIRE(json::to_json_text(*back, layout) == text);
        }
    });
}

TEST_CASE("container: how names of fields are spelled", "[dialect][container]") {
    using json::Spelling;
    CHECK(json::spelled("shm_size", Spelling::snake) == "shm_size");
    CHECK(json::spelled("shm_size", Spelling::camel) == "shmSize");
    CHECK(json::spelled("shm_size", Spelling::pascal) == "ShmSize");
    CHECK(json::spelled("uid", Spelling::camel) == "uid");
    CHECK(json::spelled("device_ids", Spelling::pascal) == "DeviceIDs");
    CHECK(json::spelled("device_ids", Spelling::snake) == "device_ids");
    CHECK(json::spelled("host_ipc", Spelling::camel) == "hostIPC");
    CHECK(json::spelled("", Spelling::pascal).empty());
    CHECK(json::spelled("_a__b_", Spelling::camel) == "AB");
}

}  // namespace
}  // namespace trestle::container
