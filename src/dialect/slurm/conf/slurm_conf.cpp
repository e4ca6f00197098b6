// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../known_releases.hpp"
#include "cluster_keys.hpp"
#include "line_readers.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {
namespace {

/// The releases that have a key of a line that starts with the key `first`.
KnownReleases releases_of_entry(std::string_view first, std::string_view key) {
    if (words::same_word(first, "NodeName")) return releases_of_node_key(key);
    if (words::same_word(first, "PartitionName")) return releases_of_partition_key(key);
    const auto names = {"NodeSet", "DownNodes", "FrontendName", "PowerAction"};
    if (words::is_one_of(first, names) && key != first) return {};
    return releases_of_key(passthrough_names(), key);
}

constexpr std::string_view no_key = "no key of Slurm";

/// visit(entry, why) for each key of a line that only other releases have.
template <class Visit>
void for_each_key_of_others(const ConfLine& line, Release release, const Visit& visit) {
    const std::string_view first = line.entries.front().key.rest();
    for (const ConfEntry& entry : line.entries) {
        const KnownReleases known = releases_of_entry(first, entry.key.rest());
        if (includes(known, release)) continue;
        visit(entry, fmt::format("{} {}, which does not start with it ({})", no_key,
                                 version_of(release), to_text(known)));
    }
}

/// Why slurmctld stops at these two, and what it takes; empty: it starts.
std::pair<std::string_view, std::string_view> preempt_fault(std::string_view type,
                                                            const std::vector<PreemptMode>& modes) {
    using enum PreemptMode;
    const auto has = [&](PreemptMode mode) {
        return std::find(modes.begin(), modes.end(), mode) != modes.end();
    };
    if (has(priority)) return {};  // not asked
    const int ways = int{has(cancel)} + int{has(requeue)} + int{has(suspend)};
    if (ways > 1) return {"several ways to preempt", "one of CANCEL, REQUEUE and SUSPEND"};
    if (has(suspend) && !has(gang)) return {"SUSPEND without GANG", "SUSPEND,GANG"};
    const bool preempts = !type.empty() && type != "preempt/none";
    if (preempts && ways == 0) {
        return {"a PreemptType without a PreemptMode",
                "PreemptMode=CANCEL, REQUEUE or SUSPEND,GANG"};
    }
    if (!preempts && (ways != 0 || has(within))) {
        return {"a PreemptMode without a PreemptType",
                "PreemptType=preempt/partition_prio or preempt/qos"};
    }
    return {};
}

class SlurmConfReader {
  public:
    void read(const ConfLine& line) {
        const std::string_view first = line.entries.front().key.rest();
        if (line.release) add_keys_of_others(line, *line.release);
        const auto is = [&](std::string_view word) { return words::same_word(first, word); };
        if (is("NodeName")) return nodes_.read(line, conf().nodes, errors(), draft_.lost);
        if (is("PartitionName")) return read_partition(line);
        if (is("NodeSet")) return node_sets_.read(line, conf().node_sets, errors(), draft_.lost);
        if (is("DownNodes")) return read_down_nodes(line, conf().down_nodes, errors());
        if (is("FrontendName") || is("PowerAction")) {
            for (const ConfEntry& entry : line.entries) add_passthrough(line, entry);
            return;
        }
        for (const ConfEntry& entry : line.entries) read_entry(line, entry);
    }

    SlurmConfDraft take() && {
        draft_.has_names_twice = !nodes_.check_names_once(conf().nodes, errors());
        check_preemption();
        return std::move(draft_);
    }
    [[nodiscard]] std::vector<ConfError>& errors() { return draft_.reading.errors; }

  private:
    [[nodiscard]] SlurmConf& conf() { return draft_.reading.conf; }

    /// Their values are read all the same, so that nothing else is missing for them.
    void add_keys_of_others(const ConfLine& line, Release release) {
        for_each_key_of_others(line, release, [&](const ConfEntry& entry, const std::string& why) {
            errors().push_back({line.place_of(entry), entry.key.error(why, "")});
        });
    }

    void read_partition(const ConfLine& line) {
        std::vector<PartitionLine>& lines = conf().partitions;
        const std::size_t before = lines.size();
        partitions_.read(line, lines, errors());
        if (lines.size() == before || partition_names_.insert(lines.back().name).second) return;
        errors().push_back({line.place(), line.entries.front().value.error("partition named twice",
                                                                           "each name once")});
        lines.pop_back();
    }

    void add_passthrough(const ConfLine& line, const ConfEntry& entry) {
        conf().passthrough.push_back(
            {line.place_of(entry), std::string(entry.key.rest()), std::string(entry.value.rest())});
    }

    void check_preemption() {
        const ClusterParameters& p = conf().parameters;
        const auto [what, expected] = preempt_fault(p.preempt_type, p.preempt_modes);
        if (what.empty() || !preempt_error_ || preempt_errors_ != 0) return;
        preempt_error_->error.what = what;
        preempt_error_->error.expected = expected;
        errors().push_back(*preempt_error_);
    }

    void read_entry(const ConfLine& line, const ConfEntry& entry) {
        const std::string_view name = entry.key.rest();
        const auto keys = cluster_keys();
        if (const auto known = find_key(keys, name); known != keys.end()) {
            const auto number = static_cast<std::size_t>(known - keys.begin());
            if (seen_.test(number)) add_repeated(line.place_of(entry), entry.key, errors());
            seen_.set(number);
            if (is_hidden(line, entry)) return;
            values_[number] = short_value(entry);
            const std::size_t before = errors().size();
            add_errors(line.place_of(entry), known->apply(conf().parameters, entry.value),
                       errors());
            if (words::is_one_of(name, preempt_keys)) {
                preempt_errors_ += errors().size() - before;
                preempt_error_ = ConfError{line.place_of(entry), entry.value.error("", ""), ""};
            }
            return;
        }
        const auto passthrough = passthrough_names();
        if (const auto known = find_key(passthrough, name); known != passthrough.end()) {
            if (known->check != nullptr) {
                add_errors(line.place_of(entry), known->check(entry.value), errors());
            }
            return add_passthrough(line, entry);
        }
        errors().push_back({line.place_of(entry), nearest_error(entry.key, line.release)});
    }

    /// Whether a key of the cluster that was read hides this one; a mistake where it does, or where
    /// this one hides a key that was read. The lines may be far apart.
    bool is_hidden(const ConfLine& line, const ConfEntry& entry) {
        const auto keys = cluster_keys();
        const auto number_of = [&](std::string_view name) {
            return static_cast<std::size_t>(find_key(keys, name) - keys.begin());
        };
        const auto is_seen = [&](std::string_view name) { return seen_.test(number_of(name)); };
        const std::string_view name = entry.key.rest();
        const auto taken = hiding_key(name, false, is_seen, is_seen);
        if (!taken.empty()) {
            add_hidden(line.place_of(entry), entry, taken, values_[number_of(taken)], errors());
            return true;
        }
        for (const KeyOrder& order : key_orders) {
            if (!words::same_word(order.taken, name) || !is_seen(order.hidden)) continue;
            errors().push_back({line.place_of(entry),
                                entry.key.error(fmt::format("{} stands before it", order.hidden),
                                                fmt::format("{} alone", order.taken)),
                                fmt::format("{}{}", order.taken, short_value(entry))});
        }
        return false;
    }

    [[nodiscard]] TextError nearest_error(TextCursor key, std::optional<Release> release) {
        std::vector<CarriedName> all(passthrough_names().begin(), passthrough_names().end());
        for (const auto& known : cluster_keys()) all.push_back({known.name});
        for (const std::string_view name : {"NodeName", "PartitionName", "NodeSet", "Include"}) {
            all.push_back({name});
        }
        return unknown_key(all, key, errors(), release);
    }

    SlurmConfDraft draft_;
    NodeLineReader nodes_;
    NodeSetLineReader node_sets_;
    PartitionLineReader partitions_;
    std::set<std::string, std::less<>> partition_names_;
    static constexpr std::array<std::string_view, 2> preempt_keys{"PreemptType", "PreemptMode"};
    std::optional<ConfError> preempt_error_;           ///< at the last of the two keys
    std::size_t preempt_errors_ = 0;                   ///< in their values
    KeySet seen_;                                      ///< keys of the cluster
    std::array<std::string, KeySet().size()> values_;  ///< of those, `=4`
};

}  // namespace

SlurmConfDraft draft_slurm_conf(std::string_view text, const ConfFiles& files,
                                std::optional<Release> release) {
    SlurmConfReader reader;
    for_each_conf_line(
        "slurm.conf", text, files, reader.errors(),
        [&](const ConfLine& line) { reader.read(line); }, release);
    return std::move(reader).take();
}

SlurmConfReading read_slurm_conf(std::string_view text, const ConfFiles& files,
                                 MendedMistakes mended, std::optional<Release> release) {
    SlurmConfReading reading = draft_slurm_conf(text, files, release).reading;
    settle_mistakes(mended, reading.errors, reading.warnings);
    return reading;
}

bool is_key_of_others(const TextError& error) { return error.what.starts_with(no_key); }

std::vector<ConfWarning> refused_keys(std::string_view text, Release release,
                                      const ConfFiles& files) {
    std::vector<ConfWarning> refused;
    std::vector<ConfError> errors;  // the reader's
    for_each_conf_line("slurm.conf", text, files, errors, [&](const ConfLine& line) {
        for_each_key_of_others(line, release, [&](const ConfEntry& entry, const std::string& why) {
            refused.push_back({line.place_of(entry), fmt::format("{}: {}", entry.key.rest(), why)});
        });
    });
    return refused;
}

StatusOr<SlurmConf> parse_slurm_conf(std::string_view text, const ConfFiles& files,
                                     MendedMistakes mended) {
    SlurmConfReading reading = read_slurm_conf(text, files, mended);
    TRESTLE_TRY_STATUS(first_error(reading.errors));
    return std::move(reading.conf);
}

}  // namespace trestle::slurm
