// SPDX-License-Identifier: Apache-2.0
// A recording asked again, request by request.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "support/catch.hpp"
#include "support/slurm_oracle.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::slurm_oracle {

/// The options of a job of one component; without any where the text cannot be read.
[[nodiscard]] inline slurm::JobOptions options_of_job(const std::string& text) {
    const auto submission = slurm::parse_option_text(text);
    return submission.ok() ? submission->components.front().options : slurm::JobOptions();
}

/// Calls visit(step, answer) for each request, with what the release answers on the cluster as it
/// was recorded before it. Then the recorded answer is adopted, so that one miss does not breed
/// others. The result is the controller after the last step.
template <class Visit>
slurm::Controller replay(const Recording& recording, slurm::Release release, const Visit& visit) {
    auto controller = slurm::Controller::create({.slurm_conf = recording.slurm_conf,
                                                 .gres_conf = recording.gres_conf,
                                                 .topology_conf = recording.topology_conf,
                                                 .topology_yaml = recording.topology_yaml,
                                                 .resources_yaml = recording.resources_yaml},
                                                release);
    INFO(recording.file << ": " << message(controller.status()));
    REQUIRE(controller.ok());
    std::map<std::string, OwnerId> owners;
    for (const Step& step : recording.steps) {
        INFO(step.tag << ": " << step.options);
        if (step.op == "release") {
            if (const auto at = owners.find(step.tag); at != owners.end()) {
                REQUIRE(controller->release(at->second).ok());
                owners.erase(at);
            }
            continue;
        }
        slurm::Controller trial = *controller;
        visit(step, trial.submit(step.options));
        if (step.result.status == "allocated") {
            const auto owner = controller->adopt(step.result.nodes, options_of_job(step.options));
            INFO(message(owner.status()));
            REQUIRE(owner.ok());
            owners[step.tag] = *owner;
        }
    }
    return *std::move(controller);
}

}  // namespace trestle::slurm_oracle
