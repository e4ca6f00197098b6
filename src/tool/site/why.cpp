// SPDX-License-Identifier: Apache-2.0

// `trestle why`: why a job does not start, what of the request would have to change, which jobs it
// waits for, and whether it can ever start.

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../call/command.hpp"
#include "../call/output.hpp"
#include "../call/progress.hpp"
#include "job_words.hpp"
#include "pods.hpp"
#include "site.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/live/why.hpp"

namespace trestle::tool {
namespace {

struct WhyOptions {
    SiteOptions site;
    bool is_json = false;
};

/// True for the number of a job.
bool is_number(const std::vector<std::string>& words) {
    return words.size() == 1 && !words.front().empty() &&
           words.front().find_first_not_of("0123456789") == std::string::npos;
}

/// The number of a job; words of digits only that are none have no job.
std::uint64_t number_of(const std::string& word) {
    std::uint64_t number = std::numeric_limits<std::uint64_t>::max();
    (void)std::from_chars(word.data(), word.data() + word.size(), number);
    return number;
}

StatusOr<slurm::WhyAnswer> answer_of(const slurm::LiveCluster& live, std::vector<std::string> words,
                                     const slurm::KnownOptions& known) {
    if (is_number(words)) {
        if (!live.jobs.empty()) return slurm::why(live, number_of(words.front()));
        return invalid_argument("job {}: no live state, expected --cluster live or --state",
                                words.front());
    }
    TRESTLE_TRY(const slurm::TypedJob job, job_of_words(std::move(words), known));
    return slurm::why(live, job.submission, job.words);
}

StatusOr<int> why(const WhyOptions& options, const std::vector<std::string>& words) {
    if (is_kubernetes(options.site)) return ask_pods({options.site, options.is_json, true}, words);
    TRESTLE_TRY(const slurm::KnownOptions known, known_options(options.site.plugin_options));
    if (words.empty()) return job_of_words(words, known).status();
    TRESTLE_TRY(const Site site, read_site(options.site));
    Progress progress(1);
    progress.next("trying changes of the job");
    TRESTLE_TRY(const slurm::WhyAnswer answer, answer_of(site.live, words, known));
    progress.hide();
    fmt::print("{}{}", options.is_json ? to_json_text(answer) : with_tones(to_text(answer)),
               options.is_json ? "\n" : "");
    return answer.starts_now() ? exit_yes : exit_no;
}

}  // namespace

void add_why(CLI::App& program, Call& call) {
    auto* const command = program.add_subcommand(
        "why", "Says why a job does not start, and which change of it would start it");
    const auto options = std::make_shared<WhyOptions>();
    set_usage(*command, "why [OPTION...] [--] JOBID | POD | OPTION OF SBATCH... [SCRIPT]");
    command->footer(
        "JOBID is that of a job that waits in the live state, POD is NAMESPACE/NAME of one that\n"
        "waits. Each change was tried: with it the job starts now.\n"
        "Exit status: 0 if it starts now; 1 if not; 2 bad input.");
    command->allow_extras();
    add_site_options(*command, options->site);
    command->add_flag("--json", options->is_json, "Print the answer as JSON");
    command->callback(
        [options, command, &call] { call.result = why(*options, words_of(*command, call)); });
}

}  // namespace trestle::tool
