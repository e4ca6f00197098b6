// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/split.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/market/block_parts.hpp"
#include "alloc/market/detail/device_groups.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace {

/// Cores that differ only by where they lie.
struct LikeCores {
    std::size_t threads = 0;  ///< of each
    std::uint32_t kind = 0;
    CoreSet cores;
};

bool is_divided(const NodeShape& shape, const std::vector<DeviceId>& kind) {
    return shape.devices[kind.front().value()].name == divided_devices;
}

/// Deals the bytes of the domains of one pool: every block gets the same number. First from near
/// domains, blocks with the fewest near ones before others; then from the nearest that have some.
class MemoryDeal {
  public:
    MemoryDeal(const NodeShape& shape, std::vector<DomainId> pool, HostBlocks::Split& split)
        : shape_(shape), pool_(std::move(pool)), split_(split) {}

    void deal();

  private:
    [[nodiscard]] std::size_t missing_count() const { return split_.blocks.size(); }
    [[nodiscard]] bool is_near(std::size_t block, std::size_t i) const {
        return shape_.memory[pool_[i].value()].cores.intersects(split_.blocks[block].cores);
    }
    [[nodiscard]] std::vector<std::size_t> by_near_domains() const;
    /// Positions in the pool, by the distance from the block's first near domain.
    [[nodiscard]] std::vector<std::size_t> by_distance(std::size_t block) const;
    void give(std::size_t block, std::size_t i);

    const NodeShape& shape_;
    std::vector<DomainId> pool_;
    HostBlocks::Split& split_;
    std::vector<std::int64_t> left_;     ///< bytes by position in the pool
    std::vector<std::int64_t> missing_;  ///< bytes by block
};

/// What is given to work, by threads and kind, in the order of the lowest core.
std::vector<LikeCores> like_cores(const NodeShape& shape) {
    std::vector<LikeCores> kinds;
    for (const CoreId id : shape.allocatable_cores()) {
        const Core& core = shape.hardware.cores[id.value()];
        auto at = std::find_if(kinds.begin(), kinds.end(), [&](const LikeCores& one) {
            return one.threads == core.threads.size() && one.kind == core.kind;
        });
        if (at == kinds.end()) at = kinds.insert(at, {core.threads.size(), core.kind, {}});
        at->cores.insert(id);
    }
    return kinds;
}

/// Consumed devices of equal name, type, vendor, model, memory and shares, in the order of their
/// lowest id.
std::vector<std::vector<DeviceId>> device_kinds(const NodeShape& shape) {
    const auto key = [&](DeviceId id) {
        const Device& d = shape.devices[id.value()];
        return std::tie(d.name, d.type, d.vendor, d.model, d.memory, d.compute_capability,
                        d.shares);
    };
    std::vector<std::vector<DeviceId>> kinds;
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        if (!shape.devices[i].is_consumed) continue;
        const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) {
            return key(one.front()) == key(DeviceId(i));
        });
        if (at == kinds.end()) {
            kinds.push_back({DeviceId(i)});
        } else {
            at->push_back(DeviceId(i));
        }
    }
    return kinds;
}

/// What does not divide into `count` blocks, or nothing.
std::optional<std::string> undivided(const NodeShape& shape, std::size_t count) {
    for (const std::vector<DeviceId>& kind : device_kinds(shape)) {
        if (!is_divided(shape, kind)) continue;
        const Device& device = shape.devices[kind.front().value()];
        const bool is_whole = is_undivided(device.vendor) && count != 1;
        if (!is_whole && kind.size() % count == 0) continue;
        return fmt::format("{} {}{}", kind.size(), device.name,
                           device.type.empty() ? "" : " " + device.type);
    }
    for (const LikeCores& kind : like_cores(shape)) {
        if (kind.cores.count() % count != 0) {
            return fmt::format("{} cores with {} CPUs each", kind.cores.count(), kind.threads);
        }
    }
    return std::nullopt;
}

void MemoryDeal::deal() {
    std::int64_t all = 0;
    for (const DomainId id : pool_) {
        left_.push_back(shape_.memory[id.value()].allocatable().value());
        all += left_.back();
    }
    missing_.assign(split_.blocks.size(), all / static_cast<std::int64_t>(missing_count()));
    for (const std::size_t block : by_near_domains()) {
        for (std::size_t i = 0; i < pool_.size(); ++i) {
            if (is_near(block, i)) give(block, i);
        }
    }
    for (std::size_t block = 0; block < missing_.size(); ++block) {
        for (const std::size_t i : by_distance(block)) give(block, i);
    }
    for (std::size_t i = 0; i < pool_.size(); ++i) {
        if (left_[i] > 0) split_.rest.memory.push_back({pool_[i], Bytes(left_[i])});
    }
}

std::vector<std::size_t> MemoryDeal::by_near_domains() const {
    std::vector<std::pair<std::size_t, std::size_t>> order;
    for (std::size_t block = 0; block < split_.blocks.size(); ++block) {
        std::size_t near = 0;
        for (std::size_t i = 0; i < pool_.size(); ++i) near += is_near(block, i) ? 1u : 0u;
        order.emplace_back(near, block);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> blocks;
    for (const auto& [near, block] : order) blocks.push_back(block);
    return blocks;
}

std::vector<std::size_t> MemoryDeal::by_distance(std::size_t block) const {
    std::optional<DomainId> home;
    for (std::uint32_t i = 0; i < shape_.memory.size() && !home; ++i) {
        if (shape_.memory[i].cores.intersects(split_.blocks[block].cores)) home = DomainId(i);
    }
    std::vector<std::pair<std::uint32_t, std::size_t>> order;
    for (std::size_t i = 0; i < pool_.size(); ++i) {
        order.emplace_back(home ? shape_.distance(*home, pool_[i]) : 0, i);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> positions;
    for (const auto& [distance, i] : order) positions.push_back(i);
    return positions;
}

void MemoryDeal::give(std::size_t block, std::size_t i) {
    const std::int64_t bytes = std::min(missing_[block], left_[i]);
    if (bytes == 0) return;
    missing_[block] -= bytes;
    left_[i] -= bytes;
    SmallVector<MemoryShare>& shares = split_.blocks[block].memory;
    const auto at = std::find_if(shares.begin(), shares.end(), [&](const MemoryShare& share) {
        return share.domain == pool_[i];
    });
    if (at == shares.end()) {
        shares.push_back({pool_[i], Bytes(bytes)});
    } else {
        at->bytes += Bytes(bytes);
    }
}

/// Ordinary memory is one pool, because a request for bytes gets any of it; each other kind is one.
void deal_memory(const NodeShape& shape, HostBlocks::Split& split) {
    const auto pool_of = [](const MemoryDomain& domain) {
        return domain.is_ordinary() ? MemoryDomain::Kind::dram : domain.kind;
    };
    for (const MemoryDomain::Kind kind :
         {MemoryDomain::Kind::dram, MemoryDomain::Kind::persistent, MemoryDomain::Kind::device}) {
        std::vector<DomainId> pool;
        for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
            if (pool_of(shape.memory[i]) == kind) pool.push_back(DomainId(i));
        }
        MemoryDeal(shape, std::move(pool), split).deal();
    }
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        const MemoryDomain& domain = shape.memory[i];
        const Bytes kept = domain.capacity - domain.allocatable();
        if (!kept.is_zero()) split.reserve.memory.push_back({DomainId(i), kept});
    }
}

void deal_devices(const NodeShape& shape, HostBlocks::Split& split) {
    const std::size_t blocks = split.blocks.size();
    for (const std::vector<DeviceId>& kind : device_kinds(shape)) {
        const std::size_t each = kind.size() / blocks;
        // Which ones do not divide is of no weight; the last ones near to cores.
        std::vector<DeviceId> dealt = detail::by_near_core(shape, kind);
        for (std::size_t i = each * blocks; i < dealt.size(); ++i) {
            split.rest.devices.push_back({dealt[i], shape.devices[dealt[i].value()].shares});
        }
        dealt.resize(each * blocks);
        if (each == 0) continue;
        dealt = detail::group_devices(shape, std::move(dealt), each);
        for (std::size_t i = 0; i < dealt.size(); ++i) {
            split.blocks[i / each].devices.push_back(
                {dealt[i], shape.devices[dealt[i].value()].shares});
        }
    }
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        if (shape.devices[i].is_consumed) continue;
        for (NodePlacement& block : split.blocks) {
            block.devices.push_back({DeviceId(i), shape.devices[i].shares});
        }
    }
}

}  // namespace

Count even_blocks(const NodeShape& shape) {
    std::int64_t blocks = 0;
    for (const std::vector<DeviceId>& kind : device_kinds(shape)) {
        if (!is_divided(shape, kind)) continue;
        const bool is_whole = is_undivided(shape.devices[kind.front().value()].vendor);
        blocks = std::gcd(blocks, is_whole ? 1 : static_cast<std::int64_t>(kind.size()));
    }
    for (const LikeCores& kind : like_cores(shape)) {
        blocks = std::gcd(blocks, static_cast<std::int64_t>(kind.cores.count()));
    }
    return Count(std::max<std::int64_t>(1, blocks));
}

Verdict<HostBlocks::Split> split(const NodeShape& shape, std::optional<Count> blocks) {
    const Count wanted = blocks.value_or(even_blocks(shape));
    const CoreSet cores = shape.allocatable_cores();
    if (wanted.is_zero()) return Refusal{Constraint::blocks, "0 blocks, expected 1 or more"};
    if (cores.is_empty()) return Refusal{Constraint::blocks, "no core is left for blocks"};
    const auto count = static_cast<std::size_t>(wanted.value());
    if (const auto what = undivided(shape, count)) {
        return Refusal{
            Constraint::blocks,
            fmt::format("{} do not divide into {} blocks; {} is the most that everything "
                        "divides into",
                        *what, wanted, even_blocks(shape))};
    }
    HostBlocks::Split split;
    split.blocks.resize(count);
    for (LikeCores& kind : like_cores(shape)) {
        const auto each = static_cast<std::uint32_t>(kind.cores.count() / count);
        for (NodePlacement& block : split.blocks) {
            const CoreSet run = kind.cores.first_k(each);
            block.cores |= run;
            kind.cores -= run;
        }
    }
    split.reserve.cores = shape.system_cores;
    deal_memory(shape, split);
    deal_devices(shape, split);
    const auto tidy = [](NodePlacement& part) {
        std::sort(part.memory.begin(), part.memory.end());
        std::sort(part.devices.begin(), part.devices.end());
    };
    for (NodePlacement& block : split.blocks) tidy(block);
    tidy(split.rest);
    return split;
}

}  // namespace trestle
