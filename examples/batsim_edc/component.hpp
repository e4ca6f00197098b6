// SPDX-License-Identifier: Apache-2.0
// A scheduler for Batsim 5: the JSON form of its protocol in and out, decisions by trestle.h.
//
// The rules are those of Batsim's page on the protocol and of its Python package. What they leave
// open is decided here:
// - A computation host is a node, and a job has its hosts alone.
// - Each message gets a pass over the queue. A job that asks for more hosts than there are is
// rejected.
// - Moments count in microseconds. The walltime is the estimate, and Batsim kills. A job without
// one
//   counts with `walltime_default`. A job that runs longer keeps its hosts.
// - Events about probes, power states, external events and the end of submissions change nothing.
//   An event that the protocol does not have is an error.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <trestle.h>
#include <nlohmann/json_fwd.hpp>

namespace edc {

/// A message that the protocol does not have, or that does not follow from those before. what()
/// says where, what, and what was expected.
class BadMessage : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Free {
    void operator()(trestle_cluster* cluster) const { trestle_cluster_free(cluster); }
    void operator()(trestle_timeline* timeline) const { trestle_timeline_free(timeline); }
    void operator()(trestle_request* request) const { trestle_request_free(request); }
    void operator()(trestle_placement* placement) const { trestle_placement_free(placement); }
};
template <class T>
using Handle = std::unique_ptr<T, Free>;

struct Job {
    std::uint64_t owner{};
    std::int64_t hosts{};
    std::int64_t walltime{};  ///< microseconds
    std::int64_t end{};       ///< of a job that runs
};

class Component {
  public:
    /// `init` is what the user gives on Batsim's command line: empty, or a JSON object with
    /// `discipline` (fcfs, easy, conservative) and `walltime_default` (seconds).
    explicit Component(std::string_view init);

    /// The message that greets Batsim.
    [[nodiscard]] std::string hello() const;

    /// The reply to a message. Errors: BadMessage; the simulation cannot go on then.
    [[nodiscard]] std::string decide(std::string_view message);

  private:
    void handle(const nlohmann::json& event, const std::string& where, nlohmann::json& replies);
    void begin(const nlohmann::json& data, const std::string& where);
    void submit(const nlohmann::json& data, const std::string& where, nlohmann::json& replies);
    void finish(const std::string& id);
    void pass(nlohmann::json& replies);
    [[nodiscard]] std::string hosts_of(const trestle_placement& placement) const;
    [[nodiscard]] const trestle_request& request(std::int64_t hosts);
    [[nodiscard]] nlohmann::json event(const char* type, nlohmann::json data) const;

    trestle_discipline discipline_ = TRESTLE_EASY;
    double walltime_default_ = 86400;
    double now_ = 0;
    bool is_over_ = false;
    std::uint64_t owners_ = 0;
    Handle<trestle_timeline> timeline_;
    std::vector<std::uint32_t> ids_;                            ///< of each node, the host
    std::map<std::int64_t, Handle<trestle_request>> requests_;  ///< by the number of hosts
    std::map<std::string, Job> waiting_, running_;
    std::vector<std::string> queue_;  ///< ids of waiting_, in the order of submission
};

/// The component of this process, for the functions that Batsim calls.
[[nodiscard]] std::unique_ptr<Component>& component();

/// Runs `body` and prints what it throws. Returns what Batsim expects: 0, or 1 after an error.
template <class Body>
std::uint8_t border(const Body& body) {
    try {
        body();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "trestle: %s\n", error.what());
        return 1;
    }
}

/// Keeps the reply until the next one, and says where it lies.
void give(std::string reply, std::uint8_t** data, std::uint32_t* size);

}  // namespace edc
