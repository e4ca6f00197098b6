// SPDX-License-Identifier: Apache-2.0
// Bus ids are read as they are printed; what a driver writes gives printable values.
#include "os/driver_text.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "../../src/os/drivers/mig_profile.hpp"
#include "../../src/os/kernel_text.hpp"
#include "fuzz/target.hpp"

TRESTLE_FUZZ(driver_text) {
    namespace text_of = trestle::os::detail;
    const std::string text(data, data + size);
    const std::string bus = text_of::bus_id_of(text);
    if (!bus.empty() && text_of::bus_id_of(bus) != bus) std::abort();
    const auto expect_printable = [](const std::string& value) {
        if (text_of::buffer_text(value) != value) std::abort();
    };
    expect_printable(text_of::page_value(text, "GPU UUID"));
    expect_printable(text_of::profile_in_model(text));
    if (text_of::profile_in_model("GPU MIG " + text_of::profile_in_model(text)) !=
        text_of::profile_in_model(text)) {
        std::abort();
    }
    if (text_of::numbers_in(text).size() > size) std::abort();
    (void)text_of::device_numbers(text);
    (void)text_of::keyed_number(text, "gpu0/gi1/access");
    (void)text_of::major_of(text, trestle::Device::File::Kind::character, "nvidia-caps");
}
