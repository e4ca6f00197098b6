// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a run needs beside what its resources and profile say: what dstack's server infers.
//
// Layer: dialect/dstack. Main functions: resources_of, options_of, instances_of. plan_run calls all
// three. To match offers for a run, call the first two.
// Pitfall: a run without an image gets one of dstack's own, which are made for x86. The default one
// is for NVIDIA, too; with `docker: true` it is another, for any GPU.

#include <span>
#include <string>
#include <vector>

#include "trestle/alloc/market/offers/known_devices.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/offers/match.hpp"
#include "trestle/dialect/dstack/resources.hpp"

namespace trestle::dstack {

/// The run's resources with dstack's defaults. Without an image, the architecture is x86. The
/// vendor of GPUs is that of their names (with_vendor); without names, image and `docker` it is
/// NVIDIA. What the run says stays, `gpu: 0` and null included. An image leaves both open, because
/// its content is not known here. For a run with groups, call this for each run_of(run, group).
[[nodiscard]] Resources resources_of(const RunConfiguration& run,
                                     std::span<const KnownDevice> known = known_devices());

/// `options` with what the run says. That is its nodes, and whether it is privileged (`privileged`,
/// `docker`) or needs folders of the instance. Such are `volumes` as `/there:/here`, or a mapping
/// with instance_path that is not optional. What `options` say more stays.
/// Errors: InvalidArgument, with key and line, for a value that is none of these.
[[nodiscard]] StatusOr<MatchOptions> options_of(const RunConfiguration& run,
                                                MatchOptions options = {});

/// The names in `instances:`, to which the run is bound; empty: it may go anywhere.
/// Errors: InvalidArgument, with the line, for anything but names, as texts or as {name}. The other
/// forms of dstack (a host name, a number in a fleet) no instance here has.
[[nodiscard]] StatusOr<std::vector<std::string>> instances_of(const RunConfiguration& run);

}  // namespace trestle::dstack
