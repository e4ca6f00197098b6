// SPDX-License-Identifier: Apache-2.0
#pragma once

// The device filter: device rules compiled to an eBPF program of type BPF_PROG_TYPE_CGROUP_DEVICE.
//
// Layer: enforce. Main types: BpfInstruction, compile_filter. A decision tree over type, major and
// minor. The verifier visits each instruction once; a chain of rules is four times slower to load.
// There is no unreachable code, which the verifier refuses. Minors close together are bits of one
// mask.
// Pitfall: the program returns 1 for "allow" and 0 for "refuse with EPERM".

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/enforce/device/device_rules.hpp"

namespace trestle {

/// One instruction, in memory the same as the kernel's struct bpf_insn.
struct BpfInstruction {
    std::uint8_t code = 0;
    std::uint8_t registers = 0;  ///< two nibbles; see pack
    std::int16_t offset = 0;
    std::int32_t immediate = 0;

    /// The kernel declares two bit-fields, destination first, so their order in the byte is the
    /// machine's.
    [[nodiscard]] static constexpr std::uint8_t pack(std::pair<unsigned, unsigned> to_from) {
        const auto [to, from] = to_from;
        return static_cast<std::uint8_t>(
            std::endian::native == std::endian::little ? from << 4 | to : to << 4 | from);
    }
    [[nodiscard]] constexpr unsigned destination() const {
        return std::endian::native == std::endian::little ? registers & 15u : registers >> 4u;
    }
    [[nodiscard]] constexpr unsigned source() const {
        return std::endian::native == std::endian::little ? registers >> 4u : registers & 15u;
    }

    static constexpr auto fields(auto list) {
        return list(field("code", &BpfInstruction::code),
                    field("registers", &BpfInstruction::registers),
                    field("offset", &BpfInstruction::offset),
                    field("immediate", &BpfInstruction::immediate));
    }
    friend bool operator==(const BpfInstruction&, const BpfInstruction&) = default;
};
static_assert(sizeof(BpfInstruction) == 8);

namespace detail {

/// A function of a 32-bit number that is constant between steps: (first number, value) from 0 up,
/// neighbouring values differ.
template <class Value>
using Pieces = std::vector<std::pair<std::uint32_t, Value>>;

using MinorPieces = Pieces<std::uint32_t>;  ///< to access bits
using MajorPieces = Pieces<MinorPieces>;
using TypePieces = Pieces<MajorPieces>;

/// By number; nothing stands for every number.
template <class Value>
using ByNumber = std::map<std::optional<std::uint32_t>, Value>;
using BitsByMinor = ByNumber<std::uint32_t>;

template <class Value>
void append_piece(Pieces<Value>& pieces, std::uint32_t first, Value value) {
    if (pieces.empty() || pieces.back().second != value) {
        pieces.emplace_back(first, std::move(value));
    }
}

/// `named` has the value `value_of(entry)` at its numbers, and `other` everywhere else.
template <class Value, class Entry, class ValueOf>
[[nodiscard]] Pieces<Value> pieces_of(const ByNumber<Entry>& named, const Value& other,
                                      ValueOf value_of) {
    Pieces<Value> pieces;
    std::uint64_t next = 0;
    for (const auto& [number, entry] : named) {
        if (!number) continue;
        if (*number > next) append_piece(pieces, static_cast<std::uint32_t>(next), other);
        append_piece(pieces, *number, value_of(entry));
        next = std::uint64_t{*number} + 1;
    }
    if (next <= std::numeric_limits<std::uint32_t>::max()) {
        append_piece(pieces, static_cast<std::uint32_t>(next), other);
    }
    return pieces;
}

[[nodiscard]] MinorPieces minor_pieces(BitsByMinor own, const BitsByMinor& every_major);

[[nodiscard]] MajorPieces major_pieces(const DeviceRules& rules, DeviceFile::Kind kind);

/// What minors get from the first one of a leaf on. All of them get `granted`, or those whose bit
/// is set in `mask`, counted from there. The others get nothing.
struct MinorLeaf {
    std::uint32_t first = 0;
    std::uint32_t granted = 0;
    std::optional<std::uint64_t> mask;

    friend bool operator==(const MinorLeaf&, const MinorLeaf&) = default;
};

/// Gathers pieces below one mask where that is shorter. A comparison and a leaf each cost more than
/// the eight instructions of a mask. That is so above all for the verifier, which follows both
/// branches of each comparison.
class MinorLeaves {
  public:
    explicit MinorLeaves(const MinorPieces& pieces);
    [[nodiscard]] Pieces<MinorLeaf> take() && { return std::move(leaves_); }

  private:
    static constexpr std::uint64_t width = 64;
    static constexpr std::size_t pieces_min = 4;

    /// Adds a leaf for piece `i` and perhaps some behind it; the next piece that has none.
    [[nodiscard]] std::size_t add_from(std::size_t i);

    /// The first number behind piece `i`.
    [[nodiscard]] std::uint64_t end_of(std::size_t i) const;
    [[nodiscard]] static std::uint64_t bits_below(std::uint64_t count);

    const MinorPieces& pieces_;
    Pieces<MinorLeaf> leaves_;
    std::uint64_t covered_ = 0;  ///< what lies below has its leaf
};

/// The values of BPF_DEVCG_DEV_BLOCK and BPF_DEVCG_DEV_CHAR are 1 and 2; other types are denied.
[[nodiscard]] TypePieces type_pieces(const DeviceRules& rules);

/// Writes the decision tree. Jumps and comparisons are the 32-bit ones (kernel 5.1), so that no
/// number is sign-extended.
class FilterWriter {
  public:
    /// Loads the context, struct bpf_cgroup_dev_ctx: access << 16 | type, major, minor.
    FilterWriter();

    void write(const TypePieces& pieces);

    [[nodiscard]] bool is_too_long() const { return is_too_long_; }
    [[nodiscard]] std::vector<BpfInstruction> take() && { return std::move(code_); }

  private:
    static constexpr unsigned result = 0, context = 1, type = 2, major = 3, minor = 4, access = 5;

    void write(const MajorPieces& pieces);
    void write(const MinorPieces& pieces);
    /// A leaf: with the result still 0, or 1 when no bit is asked that is not granted.
    void write(const MinorLeaf& leaf);
    void write_granted(const MinorLeaf& leaf);

    /// Binary search: `if number >= first of the middle piece` goes to the right half.
    template <class Value>
    void write_tree(unsigned number, const Pieces<Value>& pieces, Interval<std::size_t> range) {
        if (range.end - range.first == 1) return write(pieces[range.first].second);
        const std::size_t middle = range.first + (range.end - range.first) / 2;
        const std::size_t jump = code_.size();
        add(0x36, {number, 0}, 0, static_cast<std::int32_t>(pieces[middle].first));
        write_tree(number, pieces, {range.first, middle});
        const std::size_t distance = code_.size() - jump - 1;
        is_too_long_ = is_too_long_ || distance > std::numeric_limits<std::int16_t>::max();
        code_[jump].offset = static_cast<std::int16_t>(distance);
        write_tree(number, pieces, {middle, range.end});
    }

    void load(unsigned to, std::int16_t offset);
    void add(std::uint8_t code, std::pair<unsigned, unsigned> to_from, std::int16_t offset,
             std::int32_t immediate);

    std::vector<BpfInstruction> code_;
    bool is_too_long_ = false;
};

}  // namespace detail

/// The program that decides as allowed(rules, ...) does for every device and access.
/// Errors: ResourceExhausted when a jump would be longer than 2^15 instructions, which takes more
/// than 5,000 rules for minors far from each other. Determinism: equal rules give equal programs.
/// Complexity: O(n log n) for n rules; each major times the rules without a major number.
[[nodiscard]] StatusOr<std::vector<BpfInstruction>> compile_filter(const DeviceRules& rules);

}  // namespace trestle
