// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lists of generic resources: `gpu:a100:2,nic:1`, and what Slurm prints of them.
//
// Layer: dialect/slurm. Main names: parse_gres, parse_gpus, parse_gres_used, GresDetail. One
// grammar serves --gres, the Gres= of node lines and printed strings with their tails `(IDX:0-1)`,
// `(S:0-1)` and `(3/8,-/8)`.
// Pitfall: `gpu:a100` is a type with count 1, because only what looks like a number is a count;
// `gpu:0` asks for nothing and disappears.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/model/tres.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::slurm {

/// How much is in use of one device that is cut into parts: `3/8`, or `-/8` where one owner has the
/// whole device.
struct GresPart {
    std::optional<Count> used;  ///< absent: the whole device is in use
    Count all;

    static constexpr auto fields(auto list) {
        return list(field("used", &GresPart::used), field("all", &GresPart::all));
    }
    friend bool operator==(const GresPart&, const GresPart&) = default;
};

/// A GRES with the tails of a printed one. What the text does not have is empty.
struct GresDetail {
    Gres gres;
    /// `(IDX:0-1)`: which devices of the name, as many as the count. Of parts (shard, mps) the GPUs
    /// that they are of, not more than the count.
    SmallSet<> indexes;
    SmallSet<> sockets;  ///< `(S:0-1)`: the sockets near them
    /// `(3/8,-/8)`: of parts of devices, what each device gives; as much together as the count.
    std::vector<GresPart> parts{};

    static constexpr auto fields(auto list) {
        return list(field("gres", &GresDetail::gres), field("indexes", &GresDetail::indexes),
                    field("sockets", &GresDetail::sockets), field("parts", &GresDetail::parts));
    }
    friend bool operator==(const GresDetail&, const GresDetail&) = default;
};

/// True for `mps` and `shard`, in any case: they are parts of GPUs. In gres.conf their Count= is of
/// its files together, which give as many each, or of the node where there is none.
[[nodiscard]] bool is_shared_gres(std::string_view name);

/// `item(,item)*` with item = `name[:type][(:|=)count]`, an optional `gres/` or `gres:` before it,
/// and tails in parentheses (slurm_protocol_defs.c, slurm_get_next_tres). Empty items are skipped,
/// items of count 0 dropped; the same name and type twice: the last count wins.
/// Errors: `gpu:`, `gpu:a:b`, `gpu=x`, a negative count, a name with and without a type in one
/// list, more than 256 names and types. Also indexes or parts that are not as many as the count,
/// and more parts in use than there are. Also an unknown tail and the pseudo type no_consume.
[[nodiscard]] TextResult<std::vector<GresDetail>> read_gres_details(TextCursor text);
[[nodiscard]] StatusOr<std::vector<GresDetail>> parse_gres_details(std::string_view text);

/// The same for what is printed as in use (GresUsed): items of count 0 stay.
[[nodiscard]] TextResult<std::vector<GresDetail>> read_gres_used(TextCursor text);
[[nodiscard]] StatusOr<std::vector<GresDetail>> parse_gres_used(std::string_view text);

/// The same without the tails.
[[nodiscard]] TextResult<std::vector<Gres>> read_gres(TextCursor text);
[[nodiscard]] StatusOr<std::vector<Gres>> parse_gres(std::string_view text);

/// `[type:]count(,[type:]count)*`, the form of --gpus: GRES of the name `gpu`.
[[nodiscard]] TextResult<std::vector<Gres>> read_gpus(TextCursor text);
[[nodiscard]] StatusOr<std::vector<Gres>> parse_gpus(std::string_view text);

/// `gpu:a100:2(IDX:0-1)`, `shard:3(3/8,-/8)`. parse_gres_details reads it back.
[[nodiscard]] std::string to_text(const GresDetail& detail);
/// Joined by commas.
[[nodiscard]] std::string gres_list_text(const std::vector<GresDetail>& details);
[[nodiscard]] std::string gres_list_text(const std::vector<Gres>& list);

}  // namespace trestle::slurm
