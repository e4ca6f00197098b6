// SPDX-License-Identifier: Apache-2.0
// States, exit codes, ids of jobs, reasons, TRES by number and lists of GRES; then lines NAME=value
// as the environment of each program. What is read prints, and the print is read as the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/dialect/slurm/conf/node_conf.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/job_report.hpp"
#include "trestle/dialect/slurm/options/job_id.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/dialect/slurm/print.hpp"
#include "trestle/dialect/slurm/tres.hpp"

namespace {

using namespace trestle;

void read_report(const std::string& text) {
    if (const auto state = slurm::parse_state(text); state.ok()) {
        const auto by_word = slurm::parse_state(trestle::to_text(*state));
        const auto by_letters = slurm::parse_state(slurm::short_text(*state));
        if (!by_word.ok() || *by_word != *state || !by_letters.ok() || *by_letters != *state) {
            std::abort();
        }
    }
    if (const auto outcome = slurm::parse_exit_code(text); outcome.ok()) {
        const std::string printed = slurm::exit_code_text(*outcome);
        const auto again = slurm::parse_exit_code(printed);
        if (!again.ok() || slurm::exit_code_text(*again) != printed) std::abort();
        (void)slurm::state_of(*outcome);
    }
    if (const auto id = slurm::parse_job_id(text); id.ok()) {
        const std::string printed = to_text(*id);
        const auto again = slurm::parse_job_id(printed);
        if (!again.ok() || to_text(*again) != printed) std::abort();
    }
    const auto reason = enum_from_text<slurm::Reason>(text);
    if (reason && trestle::to_text(*reason) != text) std::abort();
}

void read_numbers(const std::string& text) {
    const slurm::TresIds ids{{{1001, {"gres", "gpu"}},
                              {1002, {"gres", "gpu:a100"}},
                              {1003, {"license", "matlab"}},
                              {1004, {"bb", "datawarp"}}}};
    (void)slurm::amend_tres({}, text, ids);
    const auto counts = slurm::parse_tres(text, ids);
    if (!counts.ok()) return;
    const auto numbers = slurm::tres_id_text(*counts, ids);
    if (!numbers.ok()) return;
    const auto again = slurm::parse_tres(*numbers, ids);
    if (!again.ok() || slurm::tres_id_text(*again, ids).value() != *numbers) std::abort();
}

void read_lists(const std::string& text) {
    if (const auto list = slurm::parse_gres(text); list.ok()) {
        for (const Gres& one : *list) {
            if (one.name.empty() || one.count.is_zero()) std::abort();
        }
    }
    (void)slurm::read_node_gres(TextCursor(text));
    (void)slurm::read_tres_name(TextCursor(text));
}

void read_variables(const std::string& text) {
    std::vector<EnvironmentVariable> environment;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::string line = text.substr(start, end - start);
        const std::size_t equals = std::min(line.find('='), line.size());
        environment.push_back(
            {line.substr(0, equals), line.substr(std::min(equals + 1, line.size()))});
        start = end + 1;
    }
    for (const auto tool : {slurm::Tool::sbatch, slurm::Tool::srun, slurm::Tool::salloc}) {
        const auto reading = slurm::read_environment(environment, tool);
        if (reading.submission.components.size() != 1) std::abort();
        for (const slurm::OptionError& error : reading.errors) {
            if (error.variable.empty() || to_text(error).find('\n') != std::string::npos) {
                std::abort();
            }
        }
    }
}

}  // namespace

TRESTLE_FUZZ(slurm_words) {
    const std::string text(data, data + size);
    read_report(text);
    read_numbers(text);
    read_lists(text);
    read_variables(text);
}
