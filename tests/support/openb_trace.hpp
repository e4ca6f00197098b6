// SPDX-License-Identifier: Apache-2.0
// The openb trace of "Beware of Fragmentation" (USENIX ATC 2023): its nodes, pods and orders of
// arrival as they stand in its files, with the number of the line in every error. What they mean to
// a cluster is in openb.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/rng.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"

namespace trestle::openb {

struct NodeRow {
    std::string name;
    std::int64_t milli_cpus = 0;
    std::int64_t mebibytes = 0;
    std::uint32_t gpus = 0;
    std::string model;  ///< of all its GPUs
};

/// What a pod asks. In the order of the study, which settles ties among typical pods.
struct Pod {
    std::int64_t milli_cpus = 0;
    std::int64_t thousandths = 0;  ///< of each GPU; 0 without GPUs, at most 1000
    std::int64_t gpus = 0;
    std::string models;  ///< allowed ones with `|` between them; empty: any
    std::int64_t mebibytes = 0;

    [[nodiscard]] std::int64_t all_thousandths() const { return gpus * thousandths; }

    friend bool operator==(const Pod&, const Pod&) = default;
    friend auto operator<=>(const Pod&, const Pod&) = default;
};

/// A workload on the study's cluster.
struct Trace {
    std::vector<NodeRow> nodes;  ///< by name
    std::vector<Pod> pods;       ///< in the order of the file

    [[nodiscard]] std::int64_t all_thousandths() const {
        std::int64_t sum = 0;
        for (const NodeRow& node : nodes) sum += 1000 * std::int64_t{node.gpus};
        return sum;
    }
};

/// In which order pods arrive, and which of equally good nodes comes first.
struct Order {
    std::vector<std::uint32_t> arrivals;  ///< positions in Trace::pods
    std::vector<std::uint32_t> ranks;     ///< by position in Trace::nodes
};

namespace detail {

[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t end = 0; end != std::string_view::npos;) {
        end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end != std::string_view::npos) text.remove_prefix(end + 1);
    }
    return parts;
}

[[nodiscard]] inline StatusOr<std::int64_t> number(std::string_view text, std::string_view what,
                                                   std::int64_t most) {
    TextCursor cursor(text);
    const auto value = cursor.take_number();
    if (!value || !cursor.at_end() || *value > static_cast<std::uint64_t>(most)) {
        return invalid_argument("{}: \"{}\", expected a number up to {}", what, text, most);
    }
    return static_cast<std::int64_t>(*value);
}

/// Calls `read(line)` for each line; an error gets the file's name and the line's number.
template <class Read>
[[nodiscard]] Status for_each_line(const std::filesystem::path& path, const Read& read) {
    std::ifstream file(path);
    if (!file) return not_found("{}: cannot be read", path.string());
    std::string line;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
        if (line.ends_with('\r')) line.pop_back();
        const Status status = read(std::string_view(line));
        if (!status.ok()) {
            return with_context(path.filename().string() + ":" + std::to_string(number), status);
        }
    }
    return {};
}

/// The rows of a file whose first line names the columns, `wanted` among them; the last `optional`
/// ones of them may be absent, and are empty then.
template <std::size_t columns, class Read>
[[nodiscard]] Status for_each_row(const std::filesystem::path& path,
                                  const std::array<std::string_view, columns>& wanted,
                                  std::size_t optional, const Read& read) {
    std::array<std::size_t, columns> at{};
    std::size_t width = 0;
    return for_each_line(path, [&](std::string_view line) -> Status {
        const std::vector<std::string_view> cells = split(line, ',');
        if (width == 0) {
            width = cells.size();
            for (std::size_t i = 0; i < columns; ++i) {
                at[i] = static_cast<std::size_t>(std::find(cells.begin(), cells.end(), wanted[i]) -
                                                 cells.begin());
                if (at[i] == width && i + optional < columns) {
                    return invalid_argument("no column {}", wanted[i]);
                }
            }
            return {};
        }
        if (cells.size() != width) {
            return invalid_argument("{} columns, expected {}", cells.size(), width);
        }
        std::array<std::string_view, columns> row;
        for (std::size_t i = 0; i < columns; ++i) {
            if (at[i] < width) row[i] = cells[at[i]];
        }
        return read(row);
    });
}

}  // namespace detail

/// The nodes of a list, by name. Errors: NotFound without the file, InvalidArgument for a bad row.
[[nodiscard]] inline StatusOr<std::vector<NodeRow>> load_nodes(const std::filesystem::path& path) {
    constexpr std::array<std::string_view, 5> columns{"sn", "cpu_milli", "memory_mib", "gpu",
                                                      "model"};
    std::vector<NodeRow> nodes;
    TRESTLE_TRY_STATUS(detail::for_each_row(path, columns, 0, [&](const auto& row) -> Status {
        NodeRow node{std::string(row[0]), 0, 0, 0, std::string(row[4])};
        TRESTLE_TRY(node.milli_cpus, detail::number(row[1], columns[1], 1'000'000));
        TRESTLE_TRY(node.mebibytes, detail::number(row[2], columns[2], 1 << 30));
        TRESTLE_TRY(const std::int64_t gpus, detail::number(row[3], columns[3], 64));
        node.gpus = static_cast<std::uint32_t>(gpus);
        if (node.milli_cpus % 1000 != 0) {
            return invalid_argument("cpu_milli: {}, expected whole CPUs", node.milli_cpus);
        }
        nodes.push_back(std::move(node));
        return {};
    }));
    std::sort(nodes.begin(), nodes.end(),
              [](const NodeRow& a, const NodeRow& b) { return a.name < b.name; });
    return nodes;
}

/// The pods of a list. Errors: as above.
[[nodiscard]] inline StatusOr<std::vector<Pod>> load_pods(const std::filesystem::path& path) {
    constexpr std::array<std::string_view, 5> columns{"cpu_milli", "memory_mib", "num_gpu",
                                                      "gpu_milli", "gpu_spec"};
    std::vector<Pod> pods;
    TRESTLE_TRY_STATUS(detail::for_each_row(path, columns, 1, [&](const auto& row) -> Status {
        Pod pod;
        TRESTLE_TRY(pod.milli_cpus, detail::number(row[0], columns[0], 1'000'000));
        TRESTLE_TRY(pod.mebibytes, detail::number(row[1], columns[1], 1 << 30));
        TRESTLE_TRY(pod.gpus, detail::number(row[2], columns[2], 64));
        TRESTLE_TRY(pod.thousandths, detail::number(row[3], columns[3], 1'000'000));
        pod.thousandths = pod.gpus == 0 ? 0 : std::min<std::int64_t>(1000, pod.thousandths);
        if (pod.gpus != 0 && pod.thousandths == 0) {
            return invalid_argument("gpu_milli: 0 of {} GPUs, expected some", pod.gpus);
        }
        if (pod.milli_cpus == 0) return invalid_argument("cpu_milli: 0, expected some");
        pod.models = std::string(row[4]);
        pods.push_back(std::move(pod));
        return {};
    }));
    if (pods.empty()) return invalid_argument("{}: no pods", path.filename().string());
    return pods;
}

/// An order of arrival of the trace: rows of pods, -1, then a rank for each node.
/// Errors: as above; positions that do not exist, ranks that are no permutation.
[[nodiscard]] inline StatusOr<Order> load_order(const std::filesystem::path& path,
                                                const Trace& trace) {
    Order order;
    std::vector<bool> is_taken(trace.nodes.size());
    bool has_arrived = false;
    TRESTLE_TRY_STATUS(detail::for_each_line(path, [&](std::string_view line) -> Status {
        if (line == "-1" && !has_arrived) {
            has_arrived = true;
            return {};
        }
        const std::size_t limit = has_arrived ? trace.nodes.size() : trace.pods.size();
        TRESTLE_TRY(const std::int64_t value, detail::number(line, has_arrived ? "rank" : "pod",
                                                             static_cast<std::int64_t>(limit) - 1));
        const auto at = static_cast<std::uint32_t>(value);
        if (has_arrived && is_taken[at]) return invalid_argument("rank {} stands twice", at);
        if (has_arrived) is_taken[at] = true;
        (has_arrived ? order.ranks : order.arrivals).push_back(at);
        return {};
    }));
    if (order.ranks.size() != trace.nodes.size()) {
        return invalid_argument("{}: {} ranks, expected {}", path.filename().string(),
                                order.ranks.size(), trace.nodes.size());
    }
    return order;
}

/// An order of our own: every pod once, then draws with replacement until the next one would pass
/// 130 % of all GPUs, shuffled; a list that starts above that loses random pods. Ranks are a random
/// permutation.
[[nodiscard]] inline Order make_order(const Trace& trace, std::uint64_t seed) {
    Rng rng(seed);
    const auto shuffle = [&](std::vector<std::uint32_t>& row) {
        for (std::size_t i = row.size(); i > 1; --i) {
            std::swap(row[i - 1], row[static_cast<std::size_t>(rng.below(i))]);
        }
    };
    const auto first_numbers = [](std::size_t count) {
        std::vector<std::uint32_t> row(count);
        for (std::size_t i = 0; i < count; ++i) row[i] = static_cast<std::uint32_t>(i);
        return row;
    };
    const auto size_of = [&](std::uint32_t pod) { return trace.pods[pod].all_thousandths(); };
    const std::int64_t most = trace.all_thousandths() * 13 / 10;
    Order order{first_numbers(trace.pods.size()), first_numbers(trace.nodes.size())};
    std::int64_t sum = 0;
    for (const std::uint32_t pod : order.arrivals) sum += size_of(pod);
    shuffle(order.arrivals);
    while (sum > most) {
        sum -= size_of(order.arrivals.back());
        order.arrivals.pop_back();
    }
    for (;;) {
        const auto pod = static_cast<std::uint32_t>(rng.below(trace.pods.size()));
        if (sum + size_of(pod) > most) break;
        sum += size_of(pod);
        order.arrivals.push_back(pod);
    }
    shuffle(order.arrivals);
    shuffle(order.ranks);
    return order;
}

}  // namespace trestle::openb
