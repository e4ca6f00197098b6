// SPDX-License-Identifier: Apache-2.0
#pragma once

// The device filter: device rules compiled to an eBPF program of type BPF_PROG_TYPE_CGROUP_DEVICE.
//
// Layer: enforce. Main types: BpfInstruction, compile_filter. A decision tree over type, major and
// minor: the verifier visits each instruction once (a chain of rules is four times slower to load),
// and there is no unreachable code, which it refuses.
// A reader would get wrong: the program returns 1 for "allow" and 0 for "refuse with EPERM".

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
#include "trestle/base/status.hpp"
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

[[nodiscard]] inline MinorPieces minor_pieces(BitsByMinor own, const BitsByMinor& every_major) {
    for (const auto& [minor, bits] : every_major) own[minor] |= bits;
    const std::uint32_t every_minor = own[std::nullopt];
    return pieces_of<std::uint32_t>(own, every_minor,
                                    [&](std::uint32_t bits) { return bits | every_minor; });
}

[[nodiscard]] inline MajorPieces major_pieces(const DeviceRules& rules, DeviceFile::Kind kind) {
    ByNumber<BitsByMinor> by_major;
    for (const DeviceRule& rule : rules.rules) {
        if (rule.kind == kind) by_major[rule.major][rule.minor] |= rule.access.bits();
    }
    const BitsByMinor every_major = by_major[std::nullopt];
    return pieces_of<MinorPieces>(
        by_major, minor_pieces({}, every_major),
        [&](const BitsByMinor& own) { return minor_pieces(own, every_major); });
}

/// The values of BPF_DEVCG_DEV_BLOCK and BPF_DEVCG_DEV_CHAR are 1 and 2; other types are denied.
[[nodiscard]] inline TypePieces type_pieces(const DeviceRules& rules) {
    const MajorPieces nothing = {{0, {{0, 0}}}};
    TypePieces pieces;
    append_piece(pieces, 0, nothing);
    append_piece(pieces, 1, major_pieces(rules, DeviceFile::Kind::block));
    append_piece(pieces, 2, major_pieces(rules, DeviceFile::Kind::character));
    append_piece(pieces, 3, nothing);
    return pieces;
}

/// Writes the decision tree. Jumps and comparisons are the 32-bit ones (kernel 5.1), so that no
/// number is sign-extended.
class FilterWriter {
  public:
    /// Loads the context, struct bpf_cgroup_dev_ctx: access << 16 | type, major, minor.
    FilterWriter() {
        load(type, 0);
        load(major, 4);
        load(minor, 8);
        add(0xbc, {access, type}, 0, 0);  // access = type
        add(0x74, {access, 0}, 0, 16);    // access >>= 16
        add(0x54, {type, 0}, 0, 0xffff);  // type &= 0xffff
        add(0xb7, {result, 0}, 0, 0);     // result = 0
    }

    void write(const TypePieces& pieces) { write_tree(type, pieces, {0, pieces.size()}); }

    [[nodiscard]] bool is_too_long() const { return is_too_long_; }
    [[nodiscard]] std::vector<BpfInstruction> take() && { return std::move(code_); }

  private:
    static constexpr unsigned result = 0, context = 1, type = 2, major = 3, minor = 4, access = 5;

    void write(const MajorPieces& pieces) { write_tree(major, pieces, {0, pieces.size()}); }
    void write(const MinorPieces& pieces) { write_tree(minor, pieces, {0, pieces.size()}); }
    /// A leaf: with the result still 0, or 1 when no bit is asked that is not granted.
    void write(std::uint32_t granted) {
        if (granted != 0) {
            add(0x46, {access, 0}, 1, static_cast<std::int32_t>(~granted));  // if access & ~granted
            add(0xb7, {result, 0}, 0, 1);                                    // else result = 1
        }
        add(0x95, {0, 0}, 0, 0);  // exit
    }

    /// Binary search: `if number >= first of the middle piece` goes to the right half.
    template <class Value>
    void write_tree(unsigned number, const Pieces<Value>& pieces, Interval<std::size_t> range) {
        if (range.last - range.first == 1) return write(pieces[range.first].second);
        const std::size_t middle = range.first + (range.last - range.first) / 2;
        const std::size_t jump = code_.size();
        add(0x36, {number, 0}, 0, static_cast<std::int32_t>(pieces[middle].first));
        write_tree(number, pieces, {range.first, middle});
        const std::size_t distance = code_.size() - jump - 1;
        is_too_long_ = is_too_long_ || distance > std::numeric_limits<std::int16_t>::max();
        code_[jump].offset = static_cast<std::int16_t>(distance);
        write_tree(number, pieces, {middle, range.last});
    }

    void load(unsigned to, std::int16_t offset) { add(0x61, {to, context}, offset, 0); }
    void add(std::uint8_t code, std::pair<unsigned, unsigned> to_from, std::int16_t offset,
             std::int32_t immediate) {
        code_.push_back({code, BpfInstruction::pack(to_from), offset, immediate});
    }

    std::vector<BpfInstruction> code_;
    bool is_too_long_ = false;
};

}  // namespace detail

/// The program that decides as allowed(rules, ...) does for every device and access.
/// Errors: ResourceExhausted when a jump would be longer than 2^15 instructions, which takes more
/// than 5,000 rules. Determinism: equal rules give equal programs.
/// Complexity: O(n log n) for n rules; each major times the rules without a major number.
[[nodiscard]] inline StatusOr<std::vector<BpfInstruction>> compile_filter(
    const DeviceRules& rules) {
    detail::FilterWriter writer;
    writer.write(detail::type_pieces(rules));
    if (writer.is_too_long()) {
        return make_error(StatusCode::kResourceExhausted,
                          "device filter: {} rules, expected about 5000 at most",
                          rules.rules.size());
    }
    return std::move(writer).take();
}

}  // namespace trestle
