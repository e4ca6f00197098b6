// SPDX-License-Identifier: Apache-2.0
// The init function of Batsim's documentation: the component chooses the format and greets at once.
#include "batsim_edc.h"

#include <cstdio>
#include <memory>

#include "component.hpp"

BATSIM_EDC_EXPORT std::uint8_t batsim_edc_init(const std::uint8_t* init_data,
                                               std::uint32_t init_size, std::uint32_t* flags,
                                               std::uint8_t** reply_data,
                                               std::uint32_t* reply_size) {
    return edc::border([&] {
        const auto* text = reinterpret_cast<const char*>(init_data);
        edc::component() = std::make_unique<edc::Component>(
            std::string_view(text, text == nullptr ? 0 : init_size));
        *flags = BATSIM_EDC_FORMAT_JSON;
        edc::give(edc::component()->hello(), reply_data, reply_size);
    });
}
