// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables of jobs and of what select() answers to them.

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle::slurm_answers {

using slurm::Answer;
using slurm::Controller;
using slurm::Decision;

inline Controller controller_of(std::string_view slurm_conf, std::string_view gres_conf = "",
                                std::string_view topology_conf = "",
                                slurm::Release release = slurm::Release::v22_05) {
    auto made = Controller::create(
        {.slurm_conf = slurm_conf, .gres_conf = gres_conf, .topology_conf = topology_conf},
        release);
    INFO(message(made.status()));
    REQUIRE(made.ok());
    return *std::move(made);
}

/// The same with keys and values of all releases, for rules that a release never met.
inline Controller controller_of_all_keys(std::string_view slurm_conf,
                                         std::string_view gres_conf = "",
                                         slurm::Release release = slurm::Release::v22_05) {
    auto made = Controller::of(
        slurm::read_cluster({.slurm_conf = slurm_conf, .gres_conf = gres_conf}), release);
    INFO(message(made.status()));
    REQUIRE(made.ok());
    return *std::move(made);
}

/// `t[0-3]`, or the verdict.
inline std::string node_list_of(const Decision& decision) {
    if (decision.answer == Answer::refused) return "refused";
    if (decision.answer == Answer::pending) return std::string(to_text(decision.reason));
    std::string names;
    for (const slurm::NodeGrant& grant : decision.grants) {
        names += (names.empty() ? "" : ",") + grant.node;
    }
    return to_text(slurm::Hostlist::parse(names)->sorted());
}

/// `n0:0-1 2000M gpu:a100:1(0)` for each node, or the verdict.
inline std::string text_of(const Decision& decision) {
    if (decision.answer == Answer::refused) return "refused";
    if (decision.answer == Answer::pending) {
        return "pending " + std::string(to_text(decision.reason));
    }
    std::string text;
    for (const slurm::NodeGrant& grant : decision.grants) {
        text += fmt::format("{}{}:{} {}M", text.empty() ? "" : "; ", grant.node,
                            to_text(grant.cpu_ids), grant.memory.value() >> 20);
        for (const slurm::GresDetail& one : grant.gres) {
            text += " " + to_text(one.gres);
            if (!one.indexes.is_empty()) text += "(" + to_text(one.indexes) + ")";
        }
    }
    return text;
}

inline Decision submit(Controller& controller, std::string_view options) {
    auto decision = controller.submit(options);
    INFO(options << ": " << message(decision.status()));
    REQUIRE(decision.ok());
    return *std::move(decision);
}

struct SelectRow {
    std::string options;
    std::string expected;
    std::string why;
};

/// Each row alone on the cluster as it is.
inline void check_rows(const Controller& controller, const std::vector<SelectRow>& rows) {
    for (const SelectRow& row : rows) {
        Controller trial = controller;
        const Decision decision = submit(trial, row.options);
        INFO(row.options << ": " << row.why << "; " << decision.message);
        CHECK(text_of(decision) == row.expected);
        CHECK((trial.cluster() == controller.cluster()) == (decision.answer != Answer::allocated));
        CHECK(decision.message.empty() == (decision.answer == Answer::allocated));
    }
}

}  // namespace trestle::slurm_answers
