// SPDX-License-Identifier: Apache-2.0
// All files of a configuration together.
#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "cluster_builder.hpp"
#include "conf/conf_lines.hpp"
#include "conf/lost_names.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {
namespace {

/// What the texts may include.
ConfFiles files_of(const ConfTexts& texts) {
    return texts.files != nullptr ? *texts.files : ConfFiles();
}

/// Warns of a topology.conf that says something and is not read.
void warn_of_topology(std::string_view text, std::string message,
                      std::vector<ConfWarning>& warnings) {
    TextCursor cursor(text);
    for (std::uint32_t line = 1; !cursor.at_end(); ++line) {
        TextCursor words(cursor.take_until("\n"));
        cursor.accept('\n');
        words.take_while([](char c) { return c == ' ' || c == '\t' || c == '\r'; });
        if (words.at_end() || words.peek() == '#') continue;
        warnings.push_back({{"topology.conf", line}, std::move(message)});
        return;
    }
}

/// Finds words in the texts that errors are about.
class PlaceFinder {
  public:
    explicit PlaceFinder(const ConfTexts& texts) : texts_(texts) {}

    /// Sets the offset of an error's token, and the line where that is a continued one. A token
    /// that does not stand there as a word is part of a list: the key that has it is meant then.
    void find(ConfError& error) {
        const std::string_view text = text_of(error.place.file);
        const std::string_view token = error.error.token;
        const std::string_view key = token.substr(0, token.find('='));
        if (find_word(text, key, error)) return;
        constexpr std::array<std::string_view, 9> keys{"Cores", "CPUs",          "Files",
                                                       "File",  "MultipleFiles", "Links",
                                                       "Link",  "Nodes",         "NodeName"};
        const std::size_t first = error.place.line == 0 ? keys.size() : first_key(key, keys);
        for (std::size_t i = first; i < keys.size(); ++i) {
            if (find_word(text, keys[i], error)) return;
        }
    }

  private:
    /// Keys that stand before the wanted one are none of its other names.
    template <class Keys>
    static std::size_t first_key(std::string_view key, const Keys& keys) {
        const auto known = std::find(keys.begin(), keys.end(), key);
        if (known != keys.end()) return static_cast<std::size_t>(known - keys.begin());
        return key.starts_with('/') ? 2 : 7;
    }

    [[nodiscard]] std::string_view text_of(const std::string& file) {
        if (file == "slurm.conf") return texts_.slurm_conf;
        if (file == "gres.conf") return texts_.gres_conf;
        if (file == included_name_) return included_;
        if (texts_.files == nullptr || !*texts_.files) return {};
        included_name_ = file;
        included_ = (*texts_.files)(file).value_or("");
        return included_;
    }

    /// In the error's line and those that it goes on in, or in any line where it has none.
    static bool find_word(std::string_view text, std::string_view word, ConfError& error) {
        if (word.empty()) return false;
        std::uint32_t line = 1;
        bool goes_on = false;
        for (std::size_t start = 0; start < text.size(); ++line) {
            const std::size_t end = std::min(text.find('\n', start), text.size());
            const std::string_view here = text.substr(start, end - start);
            start = end + 1;
            const bool is_meant = error.place.line == 0 || error.place.line == line || goes_on;
            if (!is_meant) continue;
            if (const auto offset = offset_of(here, word)) {
                error.place.line = line;
                error.error.offset = *offset;
                return true;
            }
            const std::size_t last = here.find_last_not_of("\r");
            goes_on = last != here.npos && here[last] == '\\';
            if (!goes_on && error.place.line != 0) return false;
        }
        return false;
    }
    static std::optional<std::size_t> offset_of(std::string_view line, std::string_view word) {
        const auto is_inside = [](char c) {
            return words::is_letter(c) || words::is_digit(c) ||
                   std::string_view("_-./[]").find(c) != std::string_view::npos;
        };
        for (std::size_t at = 0; at + word.size() <= line.size(); ++at) {
            if (!words::same_word(line.substr(at, word.size()), word)) continue;
            const std::size_t end = at + word.size();
            const bool begins = at == 0 || !is_inside(line[at - 1]);
            const bool ends = end == line.size() || !is_inside(line[end]);
            if (begins && ends) return at;
        }
        return std::nullopt;
    }

    const ConfTexts& texts_;
    std::string included_name_;
    std::string included_;
};

/// Leaves each name in the first place that it has. Of more names than a cluster can have the
/// lines behind are lost. Complexity: linear in the names, up to as many as a cluster can have.
void keep_first_names(std::vector<NodeLine>& lines, LostNames& lost) {
    std::unordered_set<std::string> known;
    std::uint64_t looked_at = 0;
    for (NodeLine& line : lines) {
        looked_at += line.names.size();
        if (looked_at > nodes_max) lost.add_nodes(std::exchange(line.names, {}));
        Hostlist kept;
        line.names.for_each([&](const std::string& name) {
            if (known.insert(name).second) kept.push_back(name);
        });
        if (kept.size() != line.names.size()) line.names = std::move(kept);
    }
}

/// Node names that can be. Lines of others are lost.
NodeNames names_of(SlurmConfDraft& draft) {
    std::vector<NodeLine>& lines = draft.reading.conf.nodes;
    if (draft.has_names_twice) keep_first_names(lines, draft.lost);
    NamesOfLines all = names_of_lines(lines);
    if (!all.error) return std::move(all.names);
    draft.reading.errors.push_back(*std::move(all.error));
    const auto first_lost = lines.begin() + static_cast<std::ptrdiff_t>(all.lines);
    for (auto line = first_lost; line != lines.end(); ++line) draft.lost.add_nodes(line->names);
    lines.erase(first_lost, lines.end());
    return std::move(all.names);
}

/// The topology of the texts. `unused`: why topology.conf was not read; empty: it was.
TopologyConf read_topology(const SlurmConf& conf, const NodeNames& names, const ConfTexts& texts,
                           std::string& unused, std::vector<ConfError>& errors) {
    TopologyReading reading;
    if (!texts.topology_yaml.empty()) {
        reading = read_topology_yaml(texts.topology_yaml, names);
        unused = "not used: topology.yaml goes before it";
    } else if (conf.parameters.topology.plugin != "topology/flat") {
        reading = read_topology_conf(texts.topology_conf, names, files_of(texts));
    } else {
        unused = "not used: TopologyPlugin is topology/flat";
    }
    std::move(reading.errors.begin(), reading.errors.end(), std::back_inserter(errors));
    return std::move(reading.topology);
}

}  // namespace

ClusterReading read_cluster(const ConfTexts& texts) {
    ClusterReading result;
    SlurmConfDraft draft = draft_slurm_conf(texts.slurm_conf, files_of(texts));
    GresConfReading gres = read_gres_conf(texts.gres_conf, files_of(texts));
    const NodeNames names = names_of(draft);
    SlurmConf& conf = draft.reading.conf;
    result.errors = std::move(draft.reading.errors);
    std::move(gres.errors.begin(), gres.errors.end(), std::back_inserter(result.errors));
    std::string unused;
    TopologyConf topology = read_topology(conf, names, texts, unused, result.errors);
    std::vector<ConfError> found;
    result.built = build_cluster(conf, gres.lines, std::move(topology), names, found);
    PlaceFinder places(texts);
    for (ConfError& error : found) {
        places.find(error);
        result.errors.push_back(std::move(error));
    }
    if (!unused.empty()) {
        warn_of_topology(texts.topology_conf, std::move(unused), result.built.warnings);
    }
    result.conf = std::move(conf);
    return result;
}

StatusOr<BuiltNodes> parse_nodes(const ConfTexts& texts) {
    TRESTLE_TRY(const SlurmConf conf, parse_slurm_conf(texts.slurm_conf, files_of(texts)));
    TRESTLE_TRY(const auto gres, parse_gres_conf(texts.gres_conf, files_of(texts)));
    return build_nodes(conf, gres);
}

StatusOr<BuiltCluster> parse_cluster(const ConfTexts& texts) {
    ClusterReading reading = read_cluster(texts);
    TRESTLE_TRY_STATUS(first_error(reading.errors));
    return std::move(reading.built);
}

}  // namespace trestle::slurm
