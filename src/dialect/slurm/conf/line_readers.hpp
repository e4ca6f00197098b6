// SPDX-License-Identifier: Apache-2.0
#pragma once

// Readers of one kind of line each, which remember what DEFAULT lines said.
//
// Layer: dialect/slurm, inside. Main types: NodeLineReader, PartitionLineReader.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conf_lines.hpp"
#include "lost_names.hpp"
#include "trestle/dialect/slurm/conf/node_conf.hpp"
#include "trestle/dialect/slurm/conf/partition_conf.hpp"

namespace trestle::slurm {

/// A NodeName line while its keys are read: what was given decides what the rest means.
struct NodeDraft {
    NodeLine line;
    std::optional<std::uint32_t> cpus;
    std::optional<std::uint32_t> boards;
    std::optional<std::uint32_t> sockets;
    std::optional<std::uint32_t> sockets_per_board;
    bool is_default = false;
    KeySet defaulted;  ///< keys of DEFAULT lines

    [[nodiscard]] std::vector<PassthroughKey>& passthrough() { return line.passthrough; }
};

/// The value of NodeName as it was written, and where.
struct NamesText {
    ConfPlace place;
    std::string text;
    std::size_t offset = 0;
};

class NodeLineReader {
  public:
    /// A line with errors is not among the lines; its names are lost.
    void read(const ConfLine& source, std::vector<NodeLine>& lines, std::vector<ConfError>& errors,
              LostNames& lost);
    /// An error for each line, up to a hundred, that names a node again; the lines stay. True:
    /// there are none. Requires: the lines are those that were read.
    [[nodiscard]] bool check_names_once(const std::vector<NodeLine>& lines,
                                        std::vector<ConfError>& errors) const;

  private:
    NodeDraft defaults_;
    std::vector<NamesText> names_;  ///< by line that was read
};

/// Which releases have a key of a NodeName line, of a PartitionName line.
[[nodiscard]] KnownReleases releases_of_node_key(std::string_view key);
[[nodiscard]] KnownReleases releases_of_partition_key(std::string_view key);

struct PartitionDraft {
    PartitionLine line;
    bool is_default = false;
    KeySet defaulted;  ///< keys of DEFAULT lines

    [[nodiscard]] std::vector<PassthroughKey>& passthrough() { return line.passthrough; }
};

class PartitionLineReader {
  public:
    void read(const ConfLine& source, std::vector<PartitionLine>& lines,
              std::vector<ConfError>& errors);

  private:
    PartitionDraft defaults_;
};

/// Gres= of a node; what is wrong with an item leaves that one out.
[[nodiscard]] ValueErrors read_node_gres(TextCursor text, std::vector<NodeGres>& list);

class NodeSetLineReader {
  public:
    void read(const ConfLine& source, std::vector<NodeSetLine>& lines,
              std::vector<ConfError>& errors, LostNames& lost);

  private:
    std::set<std::string> names_;  ///< of the lines that were read
};
void read_down_nodes(const ConfLine& source, std::vector<DownLine>& lines,
                     std::vector<ConfError>& errors);

}  // namespace trestle::slurm
