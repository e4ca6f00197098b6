// SPDX-License-Identifier: Apache-2.0
// A machine with GPUs and NICs below PCI switches: a recorded one, completed.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>

#include "machines/recordings.hpp"
#include "support/catch.hpp"
#include "trestle/model/node.hpp"
#include "trestle/os/discover.hpp"

namespace trestle {

/// The DGX-2 with the NICs that its recording leaves out: one below the switch of the GPUs 6 and 7,
/// one below that of the GPUs 12 and 13.
[[nodiscard]] inline NodeShape dgx2_with_nics() {
    std::ifstream file(recordings() / "xml__nvidiaDGX2.v2.xml");
    std::string xml{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    struct Nic {
        const char* port_beside;  ///< bus id of a GPU's port of the switch
        const char* bus;
    };
    for (const Nic& nic : {Nic{"0000:5b:10.0", "5f"}, Nic{"0000:df:10.0", "e3"}}) {
        const std::size_t attribute = xml.find("pci_busid=\"" + std::string(nic.port_beside));
        REQUIRE(attribute != std::string::npos);
        const std::size_t at = xml.rfind("<object", attribute);
        xml.insert(
            at, fmt::format(
                    R"(<object type="Bridge" gp_index="90{0}" bridge_type="1-1" depth="5" )"
                    R"(bridge_pci="0000:[{1}-{1}]" pci_busid="{2}:14.0" )"
                    R"(pci_type="0604 [10b5:9781] [10b5:9781] b0" pci_link_speed="15.753846">)"
                    R"(<object type="PCIDev" gp_index="91{0}" pci_busid="0000:{1}:00.0" )"
                    R"(pci_type="0207 [15b3:1017] [15b3:0008] 00" pci_link_speed="15.753846">)"
                    R"(<object type="OSDev" gp_index="92{0}" name="mlx5_{0}" osdev_type="3"/>)"
                    "</object></object>",
                    nic.bus[0] == '5' ? 0 : 1, nic.bus, std::string(nic.port_beside).substr(0, 7)));
    }
    const TemporaryFolder target;
    const std::string path = target.path() / "dgx2.xml";
    std::ofstream(path) << xml;
    const auto node = os::discover({.xml_file = path, .fs_root = {}});
    INFO(node.status().ToString());
    REQUIRE(node.ok());
    return *node->shape;
}

}  // namespace trestle
