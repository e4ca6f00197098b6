// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/offers/backends.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace trestle::dstack {
namespace {

/// Bits of what a row can do.
enum Ability : unsigned {
    multinode = 1,
    reservations = 2,
    privileged = 4,
    volumes = 8,
    spot = 16,
    cpu_disk_up_to = 32,
    machine = privileged | volumes,  ///< every machine of one's own
};

struct BackendRow {
    std::string_view name;
    Backend::Kind kind;
    unsigned abilities;
    std::int64_t disk_least_gb = 0;  ///< 0: any
    std::int64_t disk_most_gb = 0;   ///< 0: any
};

constexpr std::array<BackendRow, 24> backend_rows{{
    {"amddevcloud", Backend::Kind::vm, machine},
    {"aws", Backend::Kind::vm, machine | multinode | reservations | spot, 100, 16 * 1024},
    {"azure", Backend::Kind::vm, machine | multinode | spot, 30, 4095},
    {"cloudrift", Backend::Kind::vm, machine},
    {"crusoe", Backend::Kind::vm, machine | multinode | spot, 50, 5000},
    {"cudo", Backend::Kind::vm, machine},
    {"daytona", Backend::Kind::container, spot},
    {"digitalocean", Backend::Kind::vm, machine},
    {"gcp", Backend::Kind::vm, machine | multinode | reservations | spot, 20, 32 * 1024},
    {"hotaisle", Backend::Kind::vm, machine},
    {"jarvislabs", Backend::Kind::vm, machine | multinode | spot, 100},
    {"kubernetes", Backend::Kind::kubernetes, machine | multinode},
    {"lambda", Backend::Kind::vm, machine},
    {"lium", Backend::Kind::container, 0},
    {"nebius", Backend::Kind::vm, machine | multinode | spot, 40, 8192},
    {"oci", Backend::Kind::vm, machine | multinode | spot, 50, 32 * 1024},
    {"remote", Backend::Kind::ssh, machine | multinode},
    {"runpod", Backend::Kind::container, multinode | spot | cpu_disk_up_to, 1},
    {"seeweb", Backend::Kind::vm, machine | multinode},
    {"slurm", Backend::Kind::container, multinode},
    {"vastai", Backend::Kind::container, spot},
    {"datacrunch", Backend::Kind::vm, machine | spot, 50},  // as verda was called before
    {"verda", Backend::Kind::vm, machine | spot, 50},
    {"vultr", Backend::Kind::vm, machine | multinode},
}};

/// As dstack 0.21 knew it.
constexpr BackendRow jarvislabs_before{"jarvislabs", Backend::Kind::vm, machine};

/// True for a backend that dstack 0.21 does not know.
constexpr bool is_new(std::string_view name) {
    return name == "daytona" || name == "lium" || name == "seeweb";
}

Backend backend_of(const BackendRow& row) {
    const auto can = [&](Ability ability) { return (row.abilities & ability) != 0; };
    Backend backend;
    backend.name = row.name;
    backend.kind = row.kind;
    backend.has_multinode = can(multinode);
    backend.has_reservations = can(reservations);
    backend.has_privileged = can(privileged);
    backend.has_instance_volumes = can(volumes);
    backend.has_spot = can(spot);
    backend.has_cpu_disk_up_to = can(cpu_disk_up_to);
    if (row.disk_least_gb != 0) backend.disk.min = gib(row.disk_least_gb);
    if (row.disk_most_gb != 0) backend.disk.max = gib(row.disk_most_gb);
    return backend;
}

}  // namespace

const std::vector<Backend>& known_backends(Release release) {
    static const std::vector<Backend> newest = [] {
        std::vector<Backend> all;
        for (const BackendRow& row : backend_rows) all.push_back(backend_of(row));
        return all;
    }();
    static const std::vector<Backend> before = [] {
        std::vector<Backend> all;
        for (const BackendRow& row : backend_rows) {
            if (is_new(row.name)) continue;
            all.push_back(backend_of(row.name == jarvislabs_before.name ? jarvislabs_before : row));
        }
        return all;
    }();
    return release == Release::v0_21 ? before : newest;
}

StatusOr<Release> parse_release(std::string_view text) {
    for (const auto& [version, release] :
         {std::pair(std::string_view("0.21"), Release::v0_21), {"0.22", Release::v0_22}}) {
        const std::string_view rest = text.substr(std::min(version.size(), text.size()));
        if (text.starts_with(version) && (rest.empty() || rest.front() == '.')) return release;
    }
    return invalid_argument("release \"{}\": expected 0.21 or 0.22", text);
}

}  // namespace trestle::dstack
