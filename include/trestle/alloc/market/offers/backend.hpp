// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a backend, a place that sells or lends instances, can do: data, not code.
//
// Layer: alloc. Main types: Backend, Backend::Kind. Names compare without regard to case.
// Pitfall: a backend that no table names has none of these abilities, so no job is sent to an
// unknown place.

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// What a backend can do.
struct Backend {
    /// What an instance of a backend is.
    enum class Kind { vm, container, ssh, kubernetes };

    std::string name;
    Kind kind = Kind::vm;
    bool has_multinode = false;         ///< instances reach each other
    bool has_reservations = false;      ///< instances can be had from a reservation
    bool has_privileged = false;        ///< containers may be privileged
    bool has_instance_volumes = false;  ///< folders of the instance can be mounted
    bool has_spot = false;              ///< instances that may be taken back
    /// The disks that can be had with an instance whose offer names none. Open: any.
    Range<Bytes> disk;
    /// What an offer without GPUs names is the largest disk that can be had, not the only one.
    bool has_cpu_disk_up_to = false;

    /// True when instances can be cut into blocks: machines of one's own, not containers.
    [[nodiscard]] bool has_blocks() const { return kind == Kind::vm || kind == Kind::ssh; }

    static constexpr auto fields(auto list) {
        return list(field("name", &Backend::name), field("kind", &Backend::kind),
                    field("has_multinode", &Backend::has_multinode),
                    field("has_reservations", &Backend::has_reservations),
                    field("has_privileged", &Backend::has_privileged),
                    field("has_instance_volumes", &Backend::has_instance_volumes),
                    field("has_spot", &Backend::has_spot), field("disk", &Backend::disk),
                    field("has_cpu_disk_up_to", &Backend::has_cpu_disk_up_to));
    }
    friend bool operator==(const Backend&, const Backend&) = default;
};

constexpr auto enum_names(Backend::Kind) {
    using enum Backend::Kind;
    return std::array{named(vm, "vm"), named(container, "container"), named(ssh, "ssh"),
                      named(kubernetes, "kubernetes")};
}

}  // namespace trestle
