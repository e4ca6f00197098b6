// SPDX-License-Identifier: Apache-2.0
// The library: its version, and what is the same for handles of several kinds.
#include <cstdlib>
#include <string>
#include <vector>

#include "trestle/alloc/cluster/cluster_bytes.hpp"
#include "trestle/alloc/schedule/timeline_bytes.hpp"
#include "trestle/dialect/json/cluster.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/json/timeline.hpp"
#include "trestle/version.hpp"
#include "values.hpp"

namespace trestle::c {
namespace {

constexpr std::uint32_t version_number(std::uint32_t major, std::uint32_t minor,
                                       std::uint32_t patch) {
    return major * 1'000'000 + minor * 1'000 + patch;
}
static_assert(TRESTLE_HEADER_VERSION == version_number(version_major, version_minor, version_patch),
              "trestle.h has the version of trestle/version.hpp");

/// The first version whose header has this SOVERSION.
constexpr std::uint32_t first_header = 2000;
static_assert(TRESTLE_SOVERSION == 0, "first_header is the version that raised the SOVERSION");

std::string version_text_of(std::uint32_t version) {
    return fmt::format("{}.{}.{}", version / 1'000'000, version / 1'000 % 1'000, version % 1'000);
}

std::string json_of(const Border& call, const void* handle) {
    constexpr auto expected = "handle";
    switch (kind_of(handle, expected)) {
        case Kind::cluster:
            return json::to_json_text(call.value<ClusterValue>(handle).cluster);
        case Kind::request:
            return json::to_json_text(*call.value<RequestValue>(handle).prepared);
        case Kind::placement:
            return json::to_json_text(call.value<Placement>(handle));
        case Kind::timeline:
            return json::to_json_text(call.value<TimelineValue>(handle).timeline);
        case Kind::plan:
            return json::to_json_text(call.value<Plan>(handle));
        case Kind::enforcer:
            return json::to_json_text(take(call.value<EnforcerValue>(handle).enforcer->recover()));
        case Kind::controller:
            return json::to_json_text(call.value<slurm::Controller>(handle).cluster());
        case Kind::catalog:
            return json::to_json_text(call.value<Catalog>(handle).offers());
        case Kind::freed:
            break;
    }
    fail_handle(handle, expected);
}

std::string text_of_handle(const Border& call, const void* handle) {
    switch (kind_of(handle, "handle")) {
        case Kind::request:
            return to_text(call.value<RequestValue>(handle).prepared);
        case Kind::placement:
            return to_text(call.value<Placement>(handle));
        case Kind::plan:
            return to_text(call.value<Plan>(handle));
        default:
            fail_format(TRESTLE_TEXT, "TRESTLE_JSON for this kind of handle");
    }
}

std::vector<std::uint8_t> bytes_of(const Border& call, const void* handle) {
    constexpr auto expected = "cluster or timeline";
    switch (kind_of(handle, expected)) {
        case Kind::cluster:
            return to_bytes(call.value<ClusterValue>(handle).cluster);
        case Kind::timeline:
            return to_bytes(call.value<TimelineValue>(handle).timeline);
        default:
            fail_handle(handle, expected);
    }
}

}  // namespace
}  // namespace trestle::c

using namespace trestle;
using namespace trestle::c;

const char* trestle_version() { return version_text.data(); }

int trestle_check_version(uint32_t header_version, trestle_error* error) {
    return border(error, [&](Border&) {
        if (header_version > TRESTLE_HEADER_VERSION) {
            fail(TRESTLE_OLD_LIBRARY,
                 "header {}, library {}, expected a library as new as the header",
                 version_text_of(header_version), version_text);
        }
        if (header_version < first_header) {
            fail(TRESTLE_UNSUPPORTED,
                 "header {}, library {}, expected a header of version {} or later, the first with "
                 "SOVERSION {}",
                 version_text_of(header_version), version_text, version_text_of(first_header),
                 TRESTLE_SOVERSION);
        }
    });
}

void trestle_free(void* memory) { std::free(memory); }

int trestle_write(const void* handle, trestle_format format, char** text, trestle_error* error) {
    return border(error, [&](Border& call) {
        auto*& written = result_of(text, "text");
        if (format == TRESTLE_JSON) {
            written = copy_text(json_of(call, handle));
        } else if (format == TRESTLE_TEXT) {
            written = copy_text(text_of_handle(call, handle));
        } else {
            (void)kind_of(handle, "handle");
            fail_format(format, "TRESTLE_TEXT or TRESTLE_JSON");
        }
    });
}

int trestle_to_bytes(const void* handle, unsigned char** bytes, size_t* size,
                     trestle_error* error) {
    return border(error, [&](Border& call) {
        if (size != nullptr) *size = 0;
        auto*& written = result_of(bytes, "bytes");
        auto& number = result_of(size, "size");
        const auto made = bytes_of(call, handle);
        written = reinterpret_cast<unsigned char*>(
            copy_text({reinterpret_cast<const char*>(made.data()), made.size()}));
        number = made.size();
    });
}
