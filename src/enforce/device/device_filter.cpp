// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/device/device_filter.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace {

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

/// What minors get from the first one of a leaf on. All of them get `granted`, or those whose bit
/// is set in `mask`, counted from there. The others get nothing.
struct MinorLeaf {
    std::uint32_t first = 0;
    std::uint32_t granted = 0;
    std::optional<std::uint64_t> mask;
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

MinorPieces minor_pieces(BitsByMinor own, const BitsByMinor& every_major) {
    for (const auto& [minor, bits] : every_major) own[minor] |= bits;
    const std::uint32_t every_minor = own[std::nullopt];
    return pieces_of<std::uint32_t>(own, every_minor,
                                    [&](std::uint32_t bits) { return bits | every_minor; });
}

MajorPieces major_pieces(const DeviceRules& rules, Device::File::Kind kind) {
    ByNumber<BitsByMinor> by_major;
    for (const DeviceRule& rule : rules.rules) {
        if (rule.kind == kind) by_major[rule.major][rule.minor] |= rule.access.bits();
    }
    const BitsByMinor every_major = by_major[std::nullopt];
    return pieces_of<MinorPieces>(
        by_major, minor_pieces({}, every_major),
        [&](const BitsByMinor& own) { return minor_pieces(own, every_major); });
}

MinorLeaves::MinorLeaves(const MinorPieces& pieces) : pieces_(pieces) {
    for (std::size_t i = 0; i < pieces_.size();) i = add_from(i);
}

std::size_t MinorLeaves::add_from(std::size_t i) {
    const std::uint64_t first = std::max<std::uint64_t>(pieces_[i].first, covered_);
    MinorLeaf leaf{static_cast<std::uint32_t>(first), 0, 0};
    std::size_t last = i;
    for (; last < pieces_.size() && pieces_[last].first < first + width; ++last) {
        const std::uint32_t granted = pieces_[last].second;
        if (granted == 0) continue;
        if (leaf.granted != 0 && granted != leaf.granted) break;
        leaf.granted = granted;
        const std::uint64_t from = std::max<std::uint64_t>(pieces_[last].first, first) - first;
        const std::uint64_t to = std::min(end_of(last) - first, width);
        *leaf.mask |= bits_below(to) & ~bits_below(from);
    }
    if (last - i < pieces_min) {
        leaves_.push_back({leaf.first, {leaf.first, pieces_[i].second, std::nullopt}});
        return i + 1;
    }
    leaves_.push_back({leaf.first, leaf});
    covered_ = std::min(first + width, end_of(last - 1));
    return covered_ == end_of(last - 1) ? last : last - 1;
}

std::uint64_t MinorLeaves::end_of(std::size_t i) const {
    return i + 1 < pieces_.size() ? pieces_[i + 1].first : std::uint64_t{1} << 32;
}

std::uint64_t MinorLeaves::bits_below(std::uint64_t count) {
    return count == width ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// The values of BPF_DEVCG_DEV_BLOCK and BPF_DEVCG_DEV_CHAR are 1 and 2; other types are denied.
TypePieces type_pieces(const DeviceRules& rules) {
    const MajorPieces nothing = {{0, {{0, 0}}}};
    TypePieces pieces;
    append_piece(pieces, 0, nothing);
    append_piece(pieces, 1, major_pieces(rules, Device::File::Kind::block));
    append_piece(pieces, 2, major_pieces(rules, Device::File::Kind::character));
    append_piece(pieces, 3, nothing);
    return pieces;
}

FilterWriter::FilterWriter() {
    load(type, 0);
    load(major, 4);
    load(minor, 8);
    add(0xbc, {access, type}, 0, 0);  // access = type
    add(0x74, {access, 0}, 0, 16);    // access >>= 16
    add(0x54, {type, 0}, 0, 0xffff);  // type &= 0xffff
    add(0xb7, {result, 0}, 0, 0);     // result = 0
}

void FilterWriter::write(const TypePieces& pieces) { write_tree(type, pieces, {0, pieces.size()}); }

void FilterWriter::write(const MajorPieces& pieces) {
    write_tree(major, pieces, {0, pieces.size()});
}

void FilterWriter::write(const MinorPieces& pieces) {
    const auto leaves = MinorLeaves(pieces).take();
    write_tree(minor, leaves, {0, leaves.size()});
}

void FilterWriter::write(const MinorLeaf& leaf) {
    if (leaf.granted != 0) {
        const std::size_t jump = code_.size();
        add(0x46, {access, 0}, 0, static_cast<std::int32_t>(~leaf.granted));  // if asks more
        write_granted(leaf);
        code_[jump].offset = static_cast<std::int16_t>(code_.size() - jump - 1);
    }
    add(0x95, {0, 0}, 0, 0);  // exit
}

void FilterWriter::write_granted(const MinorLeaf& leaf) {
    if (!leaf.mask) return add(0xb7, {result, 0}, 0, 1);  // result = 1
    const auto low = static_cast<std::uint32_t>(*leaf.mask);
    const auto high = static_cast<std::uint32_t>(*leaf.mask >> 32);
    add(0x18, {result, 0}, 0, static_cast<std::int32_t>(low));        // result = mask,
    add(0x00, {0, 0}, 0, static_cast<std::int32_t>(high));            // in two parts
    add(0x14, {minor, 0}, 0, static_cast<std::int32_t>(leaf.first));  // minor -= first
    add(0x7f, {result, minor}, 0, 0);                                 // result >>= minor
    add(0x54, {result, 0}, 0, 1);                                     // result &= 1
}

void FilterWriter::load(unsigned to, std::int16_t offset) { add(0x61, {to, context}, offset, 0); }

void FilterWriter::add(std::uint8_t code, std::pair<unsigned, unsigned> to_from,
                       std::int16_t offset, std::int32_t immediate) {
    code_.push_back({code, BpfInstruction::pack(to_from), offset, immediate});
}

}  // namespace

StatusOr<std::vector<BpfInstruction>> compile_filter(const DeviceRules& rules) {
    FilterWriter writer;
    writer.write(type_pieces(rules));
    if (writer.is_too_long()) {
        return make_error(StatusCode::kResourceExhausted,
                          "device filter: {} rules, expected about 5000 at most",
                          rules.rules.size());
    }
    return std::move(writer).take();
}

}  // namespace trestle
