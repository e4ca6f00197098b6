// SPDX-License-Identifier: Apache-2.0
// The init function of earlier builds of Batsim 5: Batsim says the format, and the first message is
// to be greeted.
#include <cstdio>
#include <memory>

#include "batsim_edc.h"
#include "component.hpp"

BATSIM_EDC_EXPORT std::uint8_t batsim_edc_init(const std::uint8_t* data, std::uint32_t size,
                                               std::uint32_t flags) {
    return edc::border([&] {
        if (flags != BATSIM_EDC_FORMAT_JSON) {
            throw edc::BadMessage("flags " + std::to_string(flags) +
                                  "; expected 2, the JSON form of the protocol");
        }
        const auto* text = reinterpret_cast<const char*>(data);
        edc::component() =
            std::make_unique<edc::Component>(std::string_view(text, text == nullptr ? 0 : size));
    });
}
