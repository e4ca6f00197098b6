// SPDX-License-Identifier: Apache-2.0
// Bus ids are read as they are printed; what a driver writes gives printable values.
#include "os/driver_text.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "../../src/os/drivers/mig_profile.hpp"
#include "../../src/os/kernel_text.hpp"

namespace os = trestle::os::detail;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(data, data + size);
    const std::string bus = os::bus_id_of(text);
    if (!bus.empty() && os::bus_id_of(bus) != bus) std::abort();
    const auto expect_printable = [](const std::string& value) {
        if (os::buffer_text(value) != value) std::abort();
    };
    expect_printable(os::page_value(text, "GPU UUID"));
    expect_printable(os::profile_in_model(text));
    if (os::profile_in_model("GPU MIG " + os::profile_in_model(text)) !=
        os::profile_in_model(text)) {
        std::abort();
    }
    if (os::numbers_in(text).size() > size) std::abort();
    (void)os::device_numbers(text);
    (void)os::keyed_number(text, "gpu0/gi1/access");
    (void)os::major_of(text, trestle::DeviceFile::Kind::character, "nvidia-caps");
    return 0;
}
