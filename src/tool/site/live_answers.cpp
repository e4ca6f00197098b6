// SPDX-License-Identifier: Apache-2.0
#include "live_answers.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "trestle/base/status.hpp"

namespace trestle::tool {
namespace {

/// The first of the files that is there; empty: none is.
StatusOr<std::string> first_file(const std::filesystem::path& folder,
                                 std::initializer_list<const char*> names) {
    for (const char* const name : names) {
        const std::filesystem::path path = folder / name;
        std::error_code error;
        if (!std::filesystem::exists(path, error)) continue;
        return whole_file(path.string());
    }
    return std::string();
}

/// What a command prints; absent: it fails. The words are ours, so that no shell is fooled.
std::optional<std::string> output_of(const std::string& command) {
    std::FILE* const pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
    if (pipe == nullptr) return std::nullopt;
    std::string text;
    std::array<char, 65536> piece{};
    while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe)) {
        text.append(piece.data(), size);
    }
    if (::pclose(pipe) != 0) return std::nullopt;
    return text;
}

StatusOr<std::string> first_output(std::initializer_list<const char*> commands) {
    for (const char* const command : commands) {
        auto text = output_of(command);
        if (text) return *std::move(text);
    }
    return failed_precondition("live: `{}` failed", *commands.begin());
}

/// The value behind `KEY   = ` in what `scontrol show config` prints.
std::string value_of(std::string_view config, std::string_view key) {
    std::size_t at = config.find(key);
    while (at != std::string_view::npos && at > 0 && config[at - 1] != '\n') {
        at = config.find(key, at + 1);
    }
    if (at == std::string_view::npos) return "";
    const std::string_view line = config.substr(at, config.find('\n', at) - at);
    const std::size_t equals = line.find("= ");
    return equals == std::string_view::npos ? "" : std::string(line.substr(equals + 2));
}

}  // namespace

StatusOr<std::string> whole_file(const std::string& path) {
    std::error_code error;
    std::ifstream file(path, std::ios::binary);
    std::string text;
    if (file) text.resize(static_cast<std::size_t>(std::filesystem::file_size(path, error)));
    if (error || !file.read(text.data(), static_cast<std::streamsize>(text.size()))) {
        return invalid_argument("{}: it cannot be read", path);
    }
    return text;
}

StatusOr<LiveAnswers> read_answers(const std::string& folder) {
    LiveAnswers answers;
    TRESTLE_TRY(answers.nodes, first_file(folder, {"nodes.json", "nodes.txt", "sinfo.json"}));
    TRESTLE_TRY(answers.jobs, first_file(folder, {"jobs.json", "squeue.json", "jobs.txt"}));
    TRESTLE_TRY(answers.reservations,
                first_file(folder, {"reservations.json", "reservations.txt"}));
    if (answers.nodes.empty() && answers.jobs.empty()) {
        return not_found("{}: none of nodes.json, nodes.txt, jobs.json, squeue.json, jobs.txt",
                         folder);
    }
    return answers;
}

StatusOr<LiveAnswers> ask_commands(Progress& progress) {
    LiveAnswers answers;
    progress.next("scontrol show config");
    TRESTLE_TRY(const std::string config, first_output({"scontrol show config"}));
    answers.directory =
        std::filesystem::path(value_of(config, "SLURM_CONF")).parent_path().string();
    answers.release = value_of(config, "SLURM_VERSION");
    progress.next("scontrol show nodes");
    TRESTLE_TRY(answers.nodes,
                first_output({"scontrol show nodes --json", "scontrol show nodes -d"}));
    progress.next("squeue");
    TRESTLE_TRY(answers.jobs, first_output({"squeue --json", "scontrol show jobs -d"}));
    progress.next("scontrol show reservations");
    TRESTLE_TRY(answers.reservations,
                first_output({"scontrol show reservations --json", "scontrol show reservations"}));
    answers.now = std::time(nullptr);
    return answers;
}

}  // namespace trestle::tool
