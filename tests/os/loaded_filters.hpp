// SPDX-License-Identifier: Apache-2.0
// For tests on a real kernel: the device programs of ours that it holds, of whichever group.
#pragma once

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "os/soon.hpp"

namespace trestle {

/// How many there are; 0 where this process may not ask.
[[nodiscard]] inline std::size_t filter_count() {
    std::size_t count = 0;
    bpf_attr attributes;
    std::memset(&attributes, 0, sizeof attributes);
    while (::syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attributes, sizeof attributes) == 0) {
        bpf_attr opening;
        std::memset(&opening, 0, sizeof opening);
        opening.prog_id = attributes.next_id;
        const long fd = ::syscall(SYS_bpf, BPF_PROG_GET_FD_BY_ID, &opening, sizeof opening);
        bpf_prog_info info;
        std::memset(&info, 0, sizeof info);
        bpf_attr asking;
        std::memset(&asking, 0, sizeof asking);
        asking.info.bpf_fd = static_cast<std::uint32_t>(fd);
        asking.info.info_len = sizeof info;
        asking.info.info = std::bit_cast<std::uintptr_t>(&info);
        if (fd >= 0 && ::syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &asking, sizeof asking) == 0 &&
            std::string(info.name) == "trestle") {
            ++count;
        }
        if (fd >= 0) ::close(static_cast<int>(fd));
        attributes.start_id = attributes.next_id;
    }
    return count;
}

/// True when so many are held, now or soon: the kernel lets go of a program some time after its
/// group, or after what took its place.
[[nodiscard]] inline bool filters_become(std::size_t count) {
    return is_soon([count] { return filter_count() == count; });
}

}  // namespace trestle
