// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the documents for container runtimes have in common: the options, and the list of what
// enforces each limit.
//
// Layer: dialect/container. Main types: Document, KeptLimit, ContainerOptions. docker.hpp, oci.hpp
// and kubernetes.hpp make the documents, each a pure function of a plan; container_profile.hpp has
// what vendors' devices need.
// Pitfall: a document is not stricter than its receiver. Read the rows: a limit that is not
// enforced (losses) cannot be expressed in the document, or its receiver ignores it. Secrets: a
// receiver needs the values of variables. So the content for OCI, Docker, Kubernetes and the shell
// holds all of them in clear, in JSON too. That for systemd does not: see systemd_unit.hpp. The
// rows name variables and never show a value.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/dialect/container/container_profile.hpp"

namespace trestle::container {

/// What enforces a limit of a container.
enum class Keeper {
    receiver,  ///< the runtime that reads the document
    none,      ///< the limit is lost
};

constexpr auto enum_names(Keeper) {
    return std::array{named(Keeper::receiver, "receiver"), named(Keeper::none, "none")};
}

/// One limit, and what becomes of it. `-` as the limit: the plan has none.
struct KeptLimit {
    std::string resource;  ///< `memory`, as in explain_limits
    std::string limit;     ///< `16GiB`
    Keeper keeper = Keeper::none;
    std::string how;  ///< the part of the document that says it, or why it is not kept

    static constexpr auto fields(auto list) {
        return list(field("resource", &KeptLimit::resource), field("limit", &KeptLimit::limit),
                    field("keeper", &KeptLimit::keeper), field("how", &KeptLimit::how));
    }
    friend bool operator==(const KeptLimit&, const KeptLimit&) = default;
};

/// What is handed over, and what that keeps. The rows are no part of the JSON for the receiver:
/// print `content` alone.
template <class Content>
struct Document {
    Content content;
    /// Always cpu, memory, swap, pids, shm, devices and disk, in this order, beside others; a
    /// resource may have several rows.
    std::vector<KeptLimit> limits;

    static constexpr auto fields(auto list) {
        return list(field("content", &Document::content), field("limits", &Document::limits));
    }
    friend bool operator==(const Document&, const Document&) = default;
};

/// The limits of the plan that are not kept.
[[nodiscard]] std::vector<KeptLimit> losses(const std::vector<KeptLimit>& limits);

/// A table with a line of headings, columns padded with blanks, one row a line.
[[nodiscard]] std::string kept_table(const std::vector<KeptLimit>& limits);

/// Whose network the container uses.
enum class NetworkMode {
    bridge,  ///< one of its own: a part of a machine
    host,    ///< the machine's: all of it
};

constexpr auto enum_names(NetworkMode) {
    return std::array{named(NetworkMode::bridge, "bridge"), named(NetworkMode::host, "host")};
}

/// What every document needs beside the plan. Of the plan's user a container has all that the
/// receiver has words for. A plan that keeps some capabilities only keeps them from profiles, too.
/// The scratch directory is seen at its own path. Docker and OCI runtimes bind it from the host: it
/// has to be there, with the plan's owner, when the container starts.
struct ContainerOptions {
    NetworkMode network = NetworkMode::bridge;
    /// The user inside the container; absent: the plan's, else root. Where the plan has another,
    /// this one wins and a row says so; groups, capabilities and no_new_privs stay the plan's.
    std::optional<std::uint32_t> uid = {};
    std::optional<std::uint32_t> gid = {};
    std::vector<ContainerProfile> profiles = standard_container_profiles();

    static constexpr auto fields(auto list) {
        return list(field("network", &ContainerOptions::network),
                    field("uid", &ContainerOptions::uid), field("gid", &ContainerOptions::gid),
                    field("profiles", &ContainerOptions::profiles));
    }
    friend bool operator==(const ContainerOptions&, const ContainerOptions&) = default;
};

}  // namespace trestle::container
