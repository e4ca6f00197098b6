// SPDX-License-Identifier: Apache-2.0
// One option or word a line. Whatever the text: a request that makes sense, or one line of error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "trestle/dialect/slurm/options.hpp"
#include "trestle/dialect/slurm/script.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(data, data + size);
    std::vector<std::string> words;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        words.emplace_back(
            trestle::slurm::strip_comment(std::string_view(text).substr(start, end - start)));
        start = end + 1;
    }
    const auto options = trestle::slurm::parse_options(words);
    if (options.ok() && !check(options->request).ok()) std::abort();
    const std::string error(trestle::message(options.status()));
    if (!options.ok() && (error.empty() || error.find('\n') != std::string::npos)) std::abort();
    return 0;
}
