// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/device_match.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace trestle {
namespace {

Device a100() {
    Device device;
    device.name = "gpu";
    device.type = "a100";
    device.vendor = "nvidia";
    device.model = "A100";
    device.memory = gib(80);
    device.compute_capability = Version{8, 0};
    device.share_kind = ShareKind::shard;
    device.mig_profile = "3g.40gb";
    device.attributes = {{"driver", "550.54"}, {"firmware", "1.2.3"}, {"rack", "r7"}};
    return device;
}

}  // namespace

TEST_CASE("mismatch: names the first property that differs", "[alloc]") {
    struct Row {
        void (*change)(DeviceRequest&);
        std::string_view expected;  ///< empty: it matches
        const char* why;
    };
    const Row rows[] = {
        {[](DeviceRequest&) {}, "", "any GPU"},
        {[](DeviceRequest& r) { r.name = "nic"; }, "name", "another name"},
        {[](DeviceRequest& r) { r.name = "GPU"; }, "name", "names compare with case"},
        {[](DeviceRequest& r) {
             r.types = {"h100", "a100"};
         },
         "", "one of two types"},
        {[](DeviceRequest& r) { r.types = {"A100"}; }, "type", "types compare with case"},
        {[](DeviceRequest& r) { r.vendor = "nvidia"; }, "", "the vendor"},
        {[](DeviceRequest& r) { r.vendor = "amd"; }, "vendor", "another vendor"},
        {[](DeviceRequest& r) {
             r.models = {"H100", "a100"};
         },
         "", "models without case"},
        {[](DeviceRequest& r) { r.models = {"A100X"}; }, "model", "longer"},
        {[](DeviceRequest& r) { r.models = {"A10"}; }, "model", "a beginning is not enough"},
        {[](DeviceRequest& r) { r.memory = Range<Bytes>::exactly(gib(80)); }, "",
         "both ends count"},
        {[](DeviceRequest& r) { r.memory = Range<Bytes>::at_least(gib(80) + Bytes(1)); }, "memory",
         "a byte too little"},
        {[](DeviceRequest& r) { r.memory = Range<Bytes>::at_most(gib(40)); }, "memory", "too much"},
        {[](DeviceRequest& r) {
             r.compute_capability.min = Version{8, 0};
         },
         "", "just enough"},
        {[](DeviceRequest& r) {
             r.compute_capability.min = Version{8, 6};
         },
         "compute_capability", "too old"},
        {[](DeviceRequest& r) { r.share_kind = ShareKind::shard; }, "", "shares of that kind"},
        {[](DeviceRequest& r) { r.share_kind = ShareKind::mps; }, "share_kind", "another kind"},
        {[](DeviceRequest& r) { r.mig_profile = "3g.40gb"; }, "", "that MIG profile"},
        {[](DeviceRequest& r) { r.mig_profile = "3g"; }, "mig_profile", "all of its name"},
        {[](DeviceRequest& r) {
             r.share_kind = ShareKind::mps;
             r.attributes = {{"rack", DeviceRequest::AttributeTest::Comparison::equal, "r8"}};
         },
         "share_kind", "before attributes"},
        {[](DeviceRequest& r) {
             r.attributes = {{"rack", DeviceRequest::AttributeTest::Comparison::equal, "r7"}};
         },
         "", "a text"},
        {[](DeviceRequest& r) {
             r.attributes = {{"rack", DeviceRequest::AttributeTest::Comparison::equal, "r7"},
                             {"driver", DeviceRequest::AttributeTest::Comparison::less, "1"}};
         },
         "attributes", "all of the tests count"},
        {[](DeviceRequest& r) {
             r.name = "nic";
             r.vendor = "amd";
         },
         "name", "the first of many"},
        {[](DeviceRequest& r) { r.count = Range<Count>::exactly(Count(9)); }, "",
         "counts play no part"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        DeviceRequest request;
        row.change(request);
        CHECK(mismatch(a100(), request).value_or("") == row.expected);
    }
}

TEST_CASE("mismatch: a device that does not say its capability fails every demand for one",
          "[alloc]") {
    Device device = a100();
    device.compute_capability.reset();
    DeviceRequest request;
    CHECK_FALSE(mismatch(device, request).has_value());
    request.compute_capability.max = Version{99, 0};
    CHECK(mismatch(device, request) == "compute_capability");
}

TEST_CASE("mismatch: health and drain marks are not looked at", "[alloc]") {
    Device device = a100();
    device.health = Health::failure;
    device.is_drained = true;
    CHECK_FALSE(mismatch(device, DeviceRequest{}).has_value());
}

TEST_CASE("passes: as numbers when both are, else as text", "[alloc]") {
    using enum DeviceRequest::AttributeTest::Comparison;
    struct Row {
        const char* has;
        DeviceRequest::AttributeTest::Comparison comparison;
        const char* wanted;
        bool expected;
        const char* why;
    };
    const Row rows[] = {
        {"9", less, "10", true, "numbers: nine is less than ten"},
        {"9", less, "1e1", true, "however they are written"},
        {"550.54", greater_equal, "550.54", true, "equal counts"},
        {"550.54", greater, "550.54", false, "equal is not greater"},
        {"8", equal, "8.0", true, "the same number"},
        {"-1", less, "0", true, "below zero"},
        {"550.54.15", greater, "550.9", false, "not a number: text, 5 before 9"},
        {"9", less, "10a", false, "one is text, so both are"},
        {"r7", equal, "R7", false, "text compares with case"},
        {"r7", not_equal, "r8", true, "text"},
        {"r7", less_equal, "r7", true, "text"},
        {"", equal, "", true, "empty is empty"},
        {" 9", equal, "9", false, "a blank makes it text"},
        {"nan", equal, "nan", true, "not a number is a text, equal to itself"},
        {"nan", not_equal, "nan", false, "and not different from itself"},
        {"inf", greater, "5", true, "a text, behind the digits"},
        {"infinity", equal, "inf", false, "two texts"},
        {"1e999", equal, "2e999", false, "too large for a number: two texts"},
    };
    for (const Row& row : rows) {
        INFO(row.has << " " << to_text(row.comparison) << " " << row.wanted << ": " << row.why);
        Device device;
        device.attributes = {{"x", row.has}};
        CHECK(passes(device, {"x", row.comparison, row.wanted}) == row.expected);
    }
}

TEST_CASE("passes: a device without the attribute fails every test", "[alloc]") {
    for (const auto& entry : enum_names(DeviceRequest::AttributeTest::Comparison{})) {
        INFO(entry.name);
        CHECK_FALSE(passes(a100(), {"absent", entry.value, "1"}));
    }
}

}  // namespace trestle
