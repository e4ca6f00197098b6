// SPDX-License-Identifier: Apache-2.0
#pragma once

// TRES as Slurm writes them: `cpu=4,mem=32G,gres/gpu:a100=2`, limits, and what they are billed.
//
// Layer: dialect/slurm. Main functions: parse_tres, tres_text, amend_tres, exceeds; BillingWeights,
// billing_of. Values are TresCounts: memory (`mem`, `bb/...`) in bytes, all else as counts.
// Pitfall: memory without a unit is MiB and its `KB` is KiB, while a count's `k` is 1024 and its
// `kb` 1000. Energy, in joules, is measured and never asked for; where it is not in the counts it
// is unknown, which is not 0.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/tres.hpp"

namespace trestle::slurm {

/// The number of each TRES in a database: cpu 1, mem 2, energy 3, node 4, billing 5, fs/disk 6,
/// vmem 7, pages 8. From 1001 on it is what the database has given.
struct TresIds {
    std::vector<std::pair<std::uint32_t, Tres>> given{};

    /// The number, or nothing for one that is not known.
    [[nodiscard]] std::optional<std::uint32_t> id_of(const Tres& tres) const;
    /// What the number stands for, or nothing.
    [[nodiscard]] std::optional<Tres> tres_of(std::uint32_t id) const;

    static constexpr auto fields(auto list) { return list(field("given", &TresIds::given)); }
    friend bool operator==(const TresIds&, const TresIds&) = default;
};

/// True when `a` comes first in Slurm's lists: those with fixed numbers by these, then by type and
/// name.
[[nodiscard]] bool comes_before(const Tres& a, const Tres& b);

/// True for memory (`mem`, `bb/...`), which is bytes in TresCounts and MiB in Slurm's texts.
[[nodiscard]] bool is_memory(const Tres& tres);

/// `cpu`, `gres/gpu:a100`; its type in any case. Errors: an unknown type, a name too many or
/// missing.
[[nodiscard]] TextResult<Tres> read_tres_name(TextCursor text);

/// Counts by name (`cpu=4`) or by number (`1=4`), memory also with a fraction, as it is printed.
/// Nothing but blanks is nothing.
/// Errors: InvalidArgument with offset and token for an empty item, an unknown type or number, a
/// name too many or missing (`cpu/x`, `gres`). The same for no count, a malformed one, a TRES that
/// stands twice, more than 1000 TRES.
[[nodiscard]] TextResult<TresCounts> read_tres(TextCursor text, const TresIds& ids = {});
[[nodiscard]] StatusOr<TresCounts> parse_tres(std::string_view text, const TresIds& ids = {});

/// The counts changed by a list of `name=n`, `name+=n`, `name-=n` and `name=-1`, which takes the
/// entry away, from the left. What is not there counts as 0; sums stay between 0 and the largest
/// count. Errors: as parse_tres, but a name may stand more than once; counts that were more
/// than 1000 TRES before may become no more.
[[nodiscard]] StatusOr<TresCounts> amend_tres(TresCounts counts, std::string_view text,
                                              const TresIds& ids = {});

/// `cpu=4,mem=32G,gres/gpu:a100=2` in Slurm's order: memory in the largest unit of which it is a
/// multiple of a half (`1.50G`), MiB rounded up. It is read back by parse_tres, but for that
/// rounding.
[[nodiscard]] std::string tres_text(const TresCounts& counts);
/// `1=4,2=32768,1001=2`, memory in MiB. Errors: NotFound for a TRES without a number.
[[nodiscard]] StatusOr<std::string> tres_id_text(const TresCounts& counts, const TresIds& ids);

/// What all of them count together: nodes of a job, steps, jobs. Energy stands in it only where all
/// of them know theirs: a sum with an unknown part is unknown. Sums stop at the largest count.
[[nodiscard]] TresCounts sum_of(std::span<const TresCounts> all);
/// `from` without `less`, TRES by TRES, at least 0. Energy that `less` does not know is unknown
/// afterwards; what only `less` has is not in the result.
[[nodiscard]] TresCounts difference_of(TresCounts from, const TresCounts& less);
/// The larger count of each TRES of the two. Energy that one of them does not know is unknown.
[[nodiscard]] TresCounts max_of(TresCounts a, const TresCounts& b);
/// Joules, or nothing where they are unknown.
[[nodiscard]] std::optional<Count> energy_of(const TresCounts& counts);

/// A limit that would be exceeded.
struct TresExcess {
    Tres tres;
    Count limit;
    Count used;
    Count asked;

    static constexpr auto fields(auto list) {
        return list(field("tres", &TresExcess::tres), field("limit", &TresExcess::limit),
                    field("used", &TresExcess::used), field("asked", &TresExcess::asked));
    }
    friend bool operator==(const TresExcess&, const TresExcess&) = default;
};
/// `gres/gpu: asked 2, used 3 of 4`.
[[nodiscard]] std::string to_text(const TresExcess& excess);

/// The first TRES, in Slurm's order, of which more would be used than its limit; nothing when there
/// is none. A TRES without an entry in `limit` has no limit. Energy in `asked` is not looked at: it
/// is what was used that may be above its limit; unknown energy is not.
[[nodiscard]] std::optional<TresExcess> exceeds(const TresCounts& limit, const TresCounts& used,
                                                const TresCounts& asked);

/// How weighted counts become one number (PriorityFlags).
enum class BillingRule {
    sum,            ///< all added
    max_tres,       ///< the largest of cpu, mem, node and each gres, and the sum of the others
    max_tres_gres,  ///< the largest of cpu, mem and node, and the sum of the others
};

constexpr auto enum_names(BillingRule) {
    using enum BillingRule;
    return std::array{named(sum, "sum"), named(max_tres, "max_tres"),
                      named(max_tres_gres, "max_tres_gres")};
}

/// `TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=2.0`.
struct BillingWeights {
    /// Of one CPU, device or the like; of one MiB where memory is counted.
    std::vector<std::pair<Tres, double>> weights{};

    static constexpr auto fields(auto list) {
        return list(field("weights", &BillingWeights::weights));
    }
    friend bool operator==(const BillingWeights&, const BillingWeights&) = default;
};

/// Weights by name, whatever the case of its type. A unit behind one (K, M, G, T, P) divides it:
/// `Mem=0.25G` is a quarter for each GiB. Errors: as parse_tres; a weight that is no number, more
/// than 256 weights.
[[nodiscard]] TextResult<BillingWeights> read_billing_weights(TextCursor text);
[[nodiscard]] StatusOr<BillingWeights> parse_billing_weights(std::string_view text);

/// What the counts are billed, cut to a whole number: nothing is 0, without weights the CPUs. A
/// maximum is at least 0, and so is what is billed; `billing` itself is not billed, unknown energy
/// neither.
[[nodiscard]] Count billing_of(const BillingWeights& weights, const TresCounts& counts,
                               BillingRule rule = BillingRule::sum);

}  // namespace trestle::slurm
