// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/columns/observer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/score/amounts.hpp"
#include "alloc/cluster/place/score/typical_jobs.hpp"
#include "alloc/cluster/states/description.hpp"
#include "alloc/cluster/states/journal.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "alloc/node/free/free_sums.hpp"
#include "base/cow/cow.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

class Observer::Impl {
  public:
    Impl(const Cluster& cluster, Observer::Options options);

    [[nodiscard]] const Observer::Layout& layout() const { return layout_; }
    [[nodiscard]] StatusOr<std::span<const NodeId>> observe(const Cluster& cluster,
                                                            const Observer::Observation& out);
    void restart() { followed_ = JournalPosition(); }

  private:
    /// What all nodes of a class have in common.
    struct OfClass {
        /// Of each resource from the third on, the amounts of its devices.
        std::vector<detail::ClassAmounts> by_name;
        detail::ClassAmounts shown;  ///< devices of Observer::Options::device
        TypicalJobs typical;
    };

    [[nodiscard]] static Observer::Layout layout_of(const Cluster& cluster,
                                                    const Observer::Options& options);
    [[nodiscard]] Status check(const Observer::Observation& out) const;
    /// Requires: the cluster has this layout.
    void learn(const Cluster& cluster);
    void write(const Cluster& cluster, NodeId node, const Observer::Observation& out) const;

    Observer::Options options_;
    Observer::Layout layout_;
    Cow<detail::Description> description_;  ///< of the cluster that was looked at last
    std::vector<OfClass> classes_;          ///< by ClassId
    JournalPosition followed_;
    std::vector<NodeId> changed_;
};

Observer::Impl::Impl(const Cluster& cluster, Observer::Options options)
    : options_(std::move(options)), layout_(layout_of(cluster, options_)) {
    learn(cluster);
}

Observer::Layout Observer::Impl::layout_of(const Cluster& cluster,
                                           const Observer::Options& options) {
    Observer::Layout layout{cluster.node_count(), {"cpu", "memory"}, 0, 0};
    std::set<std::string> names;
    for (std::uint32_t n = 0; n < cluster.node_count(); ++n) {
        const NodeShape& shape = cluster.shape(NodeId(n));
        std::size_t shown = 0;
        for (const Device& device : shape.devices) {
            if (!device.is_consumed) continue;
            names.insert(device.name);
            if (device.name == options.device) ++shown;
        }
        layout.devices = std::max(layout.devices, shown);
        layout.core_words =
            std::max<std::size_t>(layout.core_words, (shape.hardware.core_count() + 63) / 64);
    }
    layout.resources.insert(layout.resources.end(), names.begin(), names.end());
    return layout;
}

Status Observer::Impl::check(const Observer::Observation& out) const {
    const auto check_size = [](std::string_view name, std::size_t given, std::size_t expected) {
        if (given == 0 || given == expected) return Status();
        return invalid_argument("{}: {} entries, expected {}", name, given, expected);
    };
    const std::size_t nodes = layout_.nodes;
    TRESTLE_TRY_STATUS(check_size("free", out.free.size(), nodes * layout_.resources.size()));
    TRESTLE_TRY_STATUS(check_size("devices", out.devices.size(), nodes * layout_.devices));
    TRESTLE_TRY_STATUS(check_size("cores", out.cores.size(), nodes * layout_.core_words));
    TRESTLE_TRY_STATUS(check_size("fragments", out.fragments.size(), nodes));
    return check_size("is_usable", out.is_usable.size(), nodes);
}

void Observer::Impl::learn(const Cluster& cluster) {
    description_ = cluster.description();
    classes_.clear();
    for (std::uint32_t c = 0; c < cluster.classes().size(); ++c) {
        const detail::KnownClass& known = cluster.classes().known(ClassId(c));
        OfClass one{{}, detail::class_amounts(known, options_.device), {}};
        for (std::size_t r = 2; r < layout_.resources.size(); ++r) {
            one.by_name.push_back(detail::class_amounts(known, layout_.resources[r]));
        }
        one.typical = TypicalJobs(*options_.typical_jobs, *known.value.shape, one.shown.devices);
        classes_.push_back(std::move(one));
    }
}

StatusOr<std::span<const NodeId>> Observer::Impl::observe(const Cluster& cluster,
                                                          const Observer::Observation& out) {
    TRESTLE_TRY_STATUS(check(out));
    if (!description_.is_same_object(cluster.description())) {
        if (layout_of(cluster, options_) != layout_) {
            return invalid_argument(
                "the cluster has other nodes or devices than the one that the "
                "observer was made for");
        }
        learn(cluster);
    }
    changed_.clear();
    if (const auto changed = cluster.journal().since(followed_)) {
        changed_.assign(changed->begin(), changed->end());
        std::sort(changed_.begin(), changed_.end());
        changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    } else {
        for (std::uint32_t n = 0; n < cluster.node_count(); ++n) changed_.emplace_back(n);
    }
    followed_ = cluster.journal().position();
    for (const NodeId node : changed_) write(cluster, node, out);
    return std::span<const NodeId>(changed_);
}

void Observer::Impl::write(const Cluster& cluster, NodeId node,
                           const Observer::Observation& out) const {
    const NodeStateData& data = cluster.states().of_node(node);
    const FreeState& free = data.free;
    const detail::KnownClass& known = cluster.classes().known(data.node_class);
    const OfClass& one = classes_[data.node_class.value()];
    const auto row = [node](const auto& table, std::size_t columns) {
        return table.subspan(node.value() * columns, columns);
    };
    if (!out.free.empty()) {
        const auto amounts = row(out.free, layout_.resources.size());
        const FreeSums sums = sums_of(free, *known.value.shape, known.threads);
        amounts[0] = sums.milli_cpus.value();
        amounts[1] = sums.memory.value();
        for (std::size_t r = 2; r < amounts.size(); ++r) {
            amounts[r] = detail::amounts_of(known, one.by_name[r - 2].devices, free).all_devices;
        }
    }
    const ScoreInput::Amounts shown = detail::amounts_of(known, one.shown.devices, free);
    if (!out.devices.empty()) {
        const auto devices = row(out.devices, layout_.devices);
        const auto end = std::copy(shown.devices.begin(), shown.devices.end(), devices.begin());
        std::fill(end, devices.end(), -1);
    }
    if (!out.cores.empty()) {
        const auto words = row(out.cores, layout_.core_words);
        std::fill(words.begin(), words.end(), 0);
        for (const CoreId core : free.cores) {
            words[core.value() / 64] |= std::uint64_t{1} << (core.value() % 64);
        }
    }
    if (!out.fragments.empty()) {
        out.fragments[node.value()] = one.typical.fragments(one.typical.rooms(shown));
    }
    if (!out.is_usable.empty()) out.is_usable[node.value()] = is_usable(known.value);
}

Observer::Observer(const Cluster& cluster) : Observer(cluster, Options()) {}
Observer::Observer(const Cluster& cluster, Options options)
    : impl_(std::make_unique<Impl>(cluster, std::move(options))) {}
Observer::Observer(Observer&&) noexcept = default;
Observer& Observer::operator=(Observer&&) noexcept = default;
Observer::~Observer() = default;

const Observer::Layout& Observer::layout() const { return impl_->layout(); }

StatusOr<std::span<const NodeId>> Observer::observe(const Cluster& cluster,
                                                    const Observer::Observation& out) {
    return impl_->observe(cluster, out);
}

void Observer::restart() { impl_->restart(); }

}  // namespace trestle
