// SPDX-License-Identifier: Apache-2.0
// The text as a batch script and as a file of dstack. What is read is printed and read as the same;
// its translation can be printed in the other language, is read there, and every loss has a reason
// of one line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz/dstack_caps.hpp"
#include "fuzz/target.hpp"
#include "trestle/dialect/translate/dstack_to_slurm.hpp"
#include "trestle/dialect/translate/slurm_to_dstack.hpp"

namespace {

using namespace trestle;

void check(bool is_true) {
    if (!is_true) std::abort();
}

void check_losses(const std::vector<translate::Loss>& losses) {
    for (const translate::Loss& loss : losses) {
        check(!loss.what.empty() && !loss.why.empty());
        check(to_text(loss).find('\n') == std::string::npos);
    }
}

slurm::BatchScript without_lines(slurm::BatchScript script) {
    for (slurm::JobComponent& one : script.submission.components) {
        for (slurm::PassthroughOption& option : one.options.passthrough) option.line = 0;
    }
    return script;
}

void check_script(std::string_view text) {
    const auto script = slurm::read_batch_script(text).script;
    if (const auto printed = slurm::script_text(script); printed.ok()) {
        const auto again = slurm::parse_batch_script(*printed);
        check(again.ok() && without_lines(*again) == without_lines(script));
    }
    const auto task = translate::to_dstack(script);
    if (!task.ok()) return;
    check_losses(task->losses);
    const std::string yaml = to_text(task->value);
    const auto reading = dstack::read_configuration(yaml);
    if (!reading.errors.empty()) return check(trestle::fuzz::is_cap(reading));
    check(to_text(reading.configuration) == yaml);
}

void check_file(std::string_view text) {
    const auto file = dstack::read_configuration(text);
    if (!file.errors.empty() || !file.configuration.run) return;
    const auto script = translate::to_slurm(*file.configuration.run);
    check_losses(script.losses);
    const auto printed = slurm::script_text(script.value);
    check(printed.ok());
    const auto again = slurm::parse_batch_script(*printed);
    check(again.ok());
    const auto back = translate::to_dstack(*again);
    check(back.ok());
    check_losses(back->losses);
}

}  // namespace

TRESTLE_FUZZ(translate) {
    const std::string text(data, data + size);
    check_script(text);
    check_file(text);
}
