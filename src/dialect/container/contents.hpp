// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a plan says, gathered once for all documents; and the account of limits while one is made.
//
// Layer: dialect/container, private. Main types: Contents, Account.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/dialect/container/document.hpp"
#include "trestle/enforce/plan.hpp"

namespace trestle::container::detail {

/// A device and what containers need for it; null: nothing but its files.
struct NeededDevice {
    const PlannedDevice* device = nullptr;
    const ContainerProfile* profile = nullptr;
};

/// Refers to plan and options, which have to live as long.
struct Contents {
    std::vector<NeededDevice> devices;
    DeviceAllowList admitted;                      ///< what the plan's filter admits
    std::vector<EnvironmentVariable> environment;  ///< the plan's, and what profiles add; all known
    std::vector<std::string> unset;                ///< names of variables that an image may have
    std::vector<std::string> capabilities;         ///< each once
    std::vector<std::string> binds;                ///< the plan's folders
    std::string scratch;                           ///< the path of its directory; empty: none
    /// Of the plan, with the caller's uid and gid; root with what containers may do without.
    ProcessUser user;
    bool has_planned_user = false;
    Limits group;                                ///< what the plan's steps limit
    std::vector<ProcessSettings::Limit> limits;  ///< the plan's, and what profiles add
    bool has_no_seccomp = false;
    bool has_host_ipc = false;
};

/// Errors: InvalidArgument for a plan without device filter; FailedPrecondition for a variable of
/// which only the digest is known.
[[nodiscard]] StatusOr<Contents> contents_of(const Plan& plan, const ContainerOptions& options);

/// The capabilities that the user keeps, without `CAP_`. Requires: they are not absent.
[[nodiscard]] std::vector<std::string> kept_capabilities(const ProcessUser& user);

/// Where a document says a setting of the process; empty: nowhere.
struct SettingWords {
    const char* oom_score_adj = "";
    const char* umask = "";
};

/// `gpu 2 (GPU-1234)`, `1 of 4 shares of gpu 0`, `1g.10gb at 4 of gpu 0`.
[[nodiscard]] std::string device_text(const PlannedDevice& device);

/// The CPU time that the limits grant: its quota, else that of the CPUs they name; zero: no limit.
[[nodiscard]] MilliCpu cpu_time(const Limits& limits);

/// `8 CPUs`, `1500 thousandths of a CPU`.
[[nodiscard]] std::string time_text(MilliCpu time);

/// What OCI runtimes, and Docker above them, let every container do with devices.
[[nodiscard]] std::vector<DeviceRule> runtime_rules();

/// The rows of a document in the making.
class Account {
  public:
    void kept(std::string resource, std::string limit, std::string how) {
        add({std::move(resource), std::move(limit), Keeper::receiver, std::move(how)});
    }
    void lost(std::string resource, std::string limit, std::string why) {
        add({std::move(resource), std::move(limit), Keeper::none, std::move(why)});
    }
    void none(std::string resource) { lost(std::move(resource), "-", "no limit"); }

    /// A row for each step that the plan was made without.
    void shortfalls(const Plan& plan);
    /// A row for all that runtime_rules() grants beyond the plan.
    void runtime_extras(const DeviceRules& planned);
    /// The row for a device that goes by its files, which `how` hands over: without files no
    /// process is kept from it.
    void by_files(const PlannedDevice& device, std::string how);
    /// The row for a part of a device: a process that may open it may use all of it.
    void shares(const PlannedDevice& device);
    /// Rows for weights, partitions, protected memory, block devices, huge pages, RDMA and misc.
    void without_word(const Limits& limits, const std::string& why);
    /// The row for the plan's user, where there is one, which `how` hands over.
    void user(const Plan& plan, const Contents& contents, std::string how);
    /// Rows for what else the plan says of the process, and for its end.
    void settings(const Plan& plan, const SettingWords& words);
    /// The row for the variables that the plan takes away: no container has those of the embedder,
    /// and those of the image stay.
    void unset(const std::vector<std::string>& names);
    /// The row for the size of disk asked.
    void disk(const Plan& plan, std::string why);

    [[nodiscard]] std::vector<KeptLimit> take() && { return std::move(rows_); }

  private:
    void add(KeptLimit row) { rows_.push_back(std::move(row)); }

    std::vector<KeptLimit> rows_;
};

}  // namespace trestle::container::detail
