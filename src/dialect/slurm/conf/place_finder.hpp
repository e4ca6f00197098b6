// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where in the texts the token of an error stands that was found when all had been read.
//
// Layer: dialect/slurm, inside. Main type: PlaceFinder.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster_builder.hpp"

namespace trestle::slurm {

class PlaceFinder {
  public:
    /// The text has to outlive this. Of two of one name the first counts.
    void add(std::string_view file, std::string_view text);

    /// Sets the offset of an error's token, and the line where that is a continued one: behind its
    /// key, else that of the key, for the token may be part of a list. Without a line or a key, as
    /// where DEFAULT said it, nothing changes. Complexity: linear in the line.
    void find(BuildError& error);

  private:
    struct File {
        std::string_view text;
        std::vector<std::size_t> starts;  ///< of lines; empty: not looked for
    };
    struct At {
        std::uint32_t line = 0;
        std::size_t offset = 0;
    };
    /// In a line and those that it goes on in.
    [[nodiscard]] static std::optional<At> find_in(const File& file, std::uint32_t line,
                                                   std::span<const std::string_view> keys,
                                                   std::string_view token);

    std::map<std::string, File, std::less<>> files_;
};

}  // namespace trestle::slurm
