// SPDX-License-Identifier: Apache-2.0
// The first line as words of a text, the whole as a script and, one word a line, as arguments.
// Whatever the text: options that resolve once and for all and make a request, or errors of one
// line each.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "trestle/dialect/slurm/options/options.hpp"

namespace {

using namespace trestle;

void check_message(std::string_view line) {
    if (line.empty() || line.find('\n') != std::string_view::npos) std::abort();
}

void check_reading(const slurm::SubmissionReading& reading) {
    const auto& components = reading.submission.components;
    if (components.empty() || components.size() > 128) std::abort();
    for (const slurm::OptionError& error : reading.errors) check_message(to_text(error));
    for (const slurm::JobComponent& one : components) {
        const auto resolved = slurm::resolve(one.options);
        if (!resolved.ok()) {
            check_message(message(resolved.status()));
            continue;
        }
        const auto again = slurm::resolve(resolved->options);
        if (!again.ok() || !(again->options == resolved->options)) std::abort();
    }
    const auto request = slurm::request_of(reading.submission);
    if (request.ok() && !check(*request).ok()) std::abort();
    if (!request.ok()) check_message(message(request.status()));
}

}  // namespace

TRESTLE_FUZZ(slurm_options) {
    const std::string text(data, data + size);
    std::vector<std::string> words;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        words.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    check_reading(slurm::read_arguments(words, slurm::Tool::srun));
    check_reading(slurm::read_option_text(words.front()));
    const std::vector<EnvironmentVariable> environment{{"SBATCH_GRES", words.front()},
                                                       {"SBATCH_DISTRIBUTION", words.back()}};
    check_reading(slurm::read_submission({words, environment, text}));
    const auto options = slurm::parse_options(words);
    if (options.ok() && !check(options->request).ok()) std::abort();
    if (!options.ok()) check_message(message(options.status()));
}
