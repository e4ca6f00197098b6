// SPDX-License-Identifier: Apache-2.0
// A machine for tests of enforcement: 2 sockets of 8 cores of 2 threads numbered as Linux does
// (core c has the threads c and c + 16), 256 GiB at each socket, 4 A100 with their files.
#pragma once

#include <cstdint>
#include <string>

#include "trestle/base/units.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

[[nodiscard]] inline NodeShape gpu_shape() {
    NodeShape shape;
    for (std::uint32_t i = 0; i < 16; ++i) {
        shape.hardware.cores.push_back({{OsIndex(i), OsIndex(i + 16)}});
    }
    for (std::uint32_t socket = 0; socket < 2; ++socket) {
        const CoreSet cores = CoreSet::range({socket * 8, socket * 8 + 8});
        shape.hardware.groups.push_back({HardwareLevel::package, OsIndex(socket), cores});
        shape.memory.push_back({OsIndex(socket), MemoryDomain::Kind::dram, gib(256), cores});
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
        Device gpu;
        gpu.name = "gpu";
        gpu.type = "a100";
        gpu.index = i;
        gpu.vendor = "nvidia";
        gpu.files = {{"/dev/nvidia" + std::to_string(i), Device::File::Kind::character, 195, i}};
        shape.devices.push_back(gpu);
    }
    return shape;
}

[[nodiscard]] inline Node gpu_node() {
    Node node;
    node.name = "gpu-node01";
    node.shape = gpu_shape();
    return node;
}

/// Cores 0 and 1, 16 GiB of domain 0, no device.
[[nodiscard]] inline NodePlacement two_cores() {
    NodePlacement placement;
    placement.cores = CoreSet::of({CoreId(0), CoreId(1)});
    placement.memory = {{DomainId(0), gib(16)}};
    return placement;
}

/// Two tasks' worth of the machine: cores 8-11, 32 GiB of both domains, GPUs 2 and 3.
[[nodiscard]] inline NodePlacement two_gpus() {
    NodePlacement placement;
    placement.cores = CoreSet::range({8, 12});
    placement.memory = {{DomainId(0), gib(8)}, {DomainId(1), gib(24)}};
    placement.devices = {{DeviceId(2), Count(1)}, {DeviceId(3), Count(1)}};
    return placement;
}

/// `--cpus-per-task=4 --mem=16G`, as two_cores() meets it.
[[nodiscard]] inline Request four_cpus() {
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(4));
    request.memory = Range<Bytes>::exactly(gib(16));
    return request;
}

/// `--cpus-per-task=8 --mem=32G --gres=gpu:a100:2`, as two_gpus() meets it.
[[nodiscard]] inline Request eight_cpus_two_gpus() {
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(8));
    request.memory = Range<Bytes>::exactly(gib(32));
    DeviceRequest gpus;
    gpus.types = {"a100"};
    gpus.count = Range<Count>::exactly(Count(2));
    request.devices = {gpus};
    return request;
}

}  // namespace trestle
