// SPDX-License-Identifier: Apache-2.0
// All files of a configuration together.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../known_releases.hpp"
#include "cluster_builder.hpp"
#include "conf_lines.hpp"
#include "lost_names.hpp"
#include "model/cluster_counts.hpp"
#include "place_finder.hpp"
#include "releases/retired_keys.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {
namespace {

/// What the texts may include.
ConfFiles files_of(const ConfTexts& texts) {
    return texts.files != nullptr ? *texts.files : ConfFiles();
}

/// Files in YAML came with this release.
constexpr KnownReleases yaml_releases = known_since("25.05");

/// Drops the files that a slurmctld of the release does not look at, with a warning each.
void drop_unknown_files(ConfTexts& texts, std::vector<ConfWarning>& warnings) {
    if (!texts.release || includes(yaml_releases, *texts.release)) return;
    const auto drop = [&](std::string_view& text, const char* name) {
        if (text.empty()) return;
        text = {};
        warnings.push_back({{name, 1},
                            fmt::format("not used: Slurm {} does not look at it ({})",
                                        version_of(*texts.release), to_text(yaml_releases))});
    };
    drop(texts.topology_yaml, "topology.yaml");
    drop(texts.resources_yaml, "resources.yaml");
}

/// Keys and values that a slurmctld of the release knows by name, and refuses or ignores. A value
/// that it refuses has that error alone, not also that of an unknown word.
void add_retired_keys(const ConfTexts& texts, const ConfFiles& files, ClusterReading& result) {
    if (!texts.release) return;
    std::set<std::tuple<std::string, std::uint32_t, std::string>> refused;  // words, where
    std::vector<ConfError> errors;
    for (RetiredEntry& one :
         retired_keys(ConfFileKind::slurm_conf, texts.slurm_conf, *texts.release, files)) {
        if (!one.is_refused) {
            result.built.warnings.push_back({std::move(one.place), one.message()});
            continue;
        }
        const std::size_t equals = one.token.find('=');
        refused.insert({one.place.file, one.place.line, one.token.substr(equals + 1)});
        if (one.expected.empty()) {
            one.expected = equals == std::string::npos ? "no such key" : "another value";
        }
        errors.push_back(
            {std::move(one.place),
             {one.offset, std::move(one.token), std::move(one.what), std::move(one.expected)}});
    }
    std::erase_if(result.errors, [&](const ConfError& one) {
        return refused.contains({one.place.file, one.place.line, one.error.token});
    });
    std::move(errors.begin(), errors.end(), std::back_inserter(result.errors));
}

/// By line; the files stay in the order in which they have errors.
void sort_by_line(std::vector<ConfError>& errors) {
    std::map<std::string, std::size_t, std::less<>> ranks;
    for (const ConfError& one : errors) ranks.try_emplace(one.place.file, ranks.size());
    std::stable_sort(errors.begin(), errors.end(), [&](const ConfError& a, const ConfError& b) {
        return std::pair(ranks.find(a.place.file)->second, a.place.line) <
               std::pair(ranks.find(b.place.file)->second, b.place.line);
    });
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
NodeNames names_of(SlurmConfDraft& draft, PlaceFinder& places) {
    std::vector<NodeLine>& lines = draft.reading.conf.nodes;
    if (draft.has_names_twice) keep_first_names(lines, draft.lost);
    NamesOfLines all = names_of_lines(lines);
    if (!all.error) return std::move(all.names);
    BuildError error{*std::move(all.error), "NodeName"};
    places.find(error);
    draft.reading.errors.push_back(std::move(error.error));
    const auto first_lost = lines.begin() + static_cast<std::ptrdiff_t>(all.lines);
    for (auto line = first_lost; line != lines.end(); ++line) draft.lost.add_nodes(line->names);
    lines.erase(first_lost, lines.end());
    return std::move(all.names);
}

/// The topology of the texts. `unused`: why topology.conf was not read; empty: it was.
TopologyReading read_topology(const SlurmConf& conf, const NodeNames& names, const ConfTexts& texts,
                              std::string& unused) {
    TopologyReading reading;
    if (!texts.topology_yaml.empty()) {
        reading = read_topology_yaml(texts.topology_yaml, names);
        unused = "not used: topology.yaml goes before it";
    } else if (conf.parameters.topology.plugin != "topology/flat") {
        reading =
            read_topology_conf(texts.topology_conf, names, files_of(texts), MendedMistakes::errors);
    } else {
        unused = "not used: TopologyPlugin is topology/flat";
    }
    return reading;
}

/// Layered resources, as counts of the cluster beside its licences.
void add_resources(const ConfTexts& texts, const NodeNames& names, ClusterReading& result) {
    ResourcesReading reading = read_resources_yaml(texts.resources_yaml, names);
    std::move(reading.errors.begin(), reading.errors.end(), std::back_inserter(result.errors));
    result.built.resources = std::move(reading.resources);
    Cluster& cluster = result.built.cluster;
    std::vector<ClusterCount> counts = layer_counts(result.built.resources);
    std::erase_if(counts, [&](const ClusterCount& one) {  // a licence of that name stays
        return !count_of(cluster.counts(), one.name).is_zero();
    });
    const Status status = cluster.set_counts(add(cluster.counts(), counts));
    TRESTLE_EXPECTS(status.ok(), "names rise and counts are some");
}

}  // namespace

ClusterReading read_cluster(const ConfTexts& given) {
    std::map<std::string, std::string, std::less<>> included;
    const ConfFiles files = [&](std::string_view name) -> std::optional<std::string> {
        if (const auto known = included.find(name); known != included.end()) return known->second;
        auto text = given.files != nullptr && *given.files ? (*given.files)(name) : std::nullopt;
        if (text) included.emplace(name, *text);
        return text;
    };
    ConfTexts texts = given;
    texts.files = &files;
    ClusterReading result;
    std::vector<ConfWarning> dropped;
    drop_unknown_files(texts, dropped);
    SlurmConfDraft draft = draft_slurm_conf(texts.slurm_conf, files, texts.release);
    GresConfReading gres = read_gres_conf(texts.gres_conf, files, MendedMistakes::errors);
    PlaceFinder places;
    places.add("slurm.conf", texts.slurm_conf);
    places.add("gres.conf", texts.gres_conf);
    for (const auto& [name, text] : included) places.add(name, text);
    const NodeNames names = names_of(draft, places);
    SlurmConf& conf = draft.reading.conf;
    result.errors = std::move(draft.reading.errors);
    std::move(gres.errors.begin(), gres.errors.end(), std::back_inserter(result.errors));
    std::string unused;
    TopologyReading topology = read_topology(conf, names, texts, unused);
    if (count_unmended(topology.errors, 0) != 0) draft.lost.add_topologies();
    std::move(topology.errors.begin(), topology.errors.end(), std::back_inserter(result.errors));
    BuildErrors found;
    result.built =
        build_cluster(conf, gres.lines, std::move(topology.topology), names, draft.lost, found);
    for (BuildError& error : found.all()) {
        places.find(error);
        result.errors.push_back(std::move(error.error));
    }
    if (!texts.resources_yaml.empty()) add_resources(texts, names, result);
    if (!unused.empty()) {
        warn_of_topology(texts.topology_conf, std::move(unused), result.built.warnings);
    }
    std::move(dropped.begin(), dropped.end(), std::back_inserter(result.built.warnings));
    add_retired_keys(texts, files, result);
    sort_by_line(result.errors);
    settle_mistakes(texts.mended, result.errors, result.built.warnings);
    result.conf = std::move(conf);
    return result;
}

StatusOr<BuiltNodes> parse_nodes(const ConfTexts& texts) {
    SlurmConfReading conf = read_slurm_conf(texts.slurm_conf, files_of(texts), texts.mended);
    TRESTLE_TRY_STATUS(first_error(conf.errors));
    GresConfReading gres = read_gres_conf(texts.gres_conf, files_of(texts), texts.mended);
    TRESTLE_TRY_STATUS(first_error(gres.errors));
    TRESTLE_TRY(BuiltNodes built, build_nodes(conf.conf, gres.lines));
    std::vector<ConfWarning> warnings = std::move(conf.warnings);
    warnings.insert(warnings.end(), gres.warnings.begin(), gres.warnings.end());
    warnings.insert(warnings.end(), built.warnings.begin(), built.warnings.end());
    built.warnings = std::move(warnings);
    return built;
}

StatusOr<BuiltCluster> parse_cluster(const ConfTexts& texts) {
    ClusterReading reading = read_cluster(texts);
    TRESTLE_TRY_STATUS(first_error(reading.errors));
    return std::move(reading.built);
}

}  // namespace trestle::slurm
