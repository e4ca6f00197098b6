// SPDX-License-Identifier: Apache-2.0
#pragma once

// TRES and GRES: Slurm's words for countable things, as names and counts.
//
// Layer: model. Main types: Gres (`gpu:a100` and how many), Tres (`cpu`, `gres/gpu:a100`),
// TresCounts (a sorted table of counts). Grammar and static ids live in the slurm dialect.
// Pitfall: `gres/gpu` and `gres/gpu:a100` are two records; an A100 counts in both.

#include <compare>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// A number of devices by name and type; an empty type means any.
struct Gres {
    std::string name;
    std::string type;
    Count count{1};

    static constexpr auto fields(auto list) {
        return list(field("name", &Gres::name), field("type", &Gres::type),
                    field("count", &Gres::count));
    }
    friend bool operator==(const Gres&, const Gres&) = default;
};

/// `gpu:a100:4`, `gpu:2`.
[[nodiscard]] std::string to_text(const Gres& gres);

/// The name of a trackable resource: `cpu`, `mem`, `node`, `gres/gpu:a100`, `license/matlab`.
struct Tres {
    std::string type;
    std::string name;  ///< empty for the static ones

    static constexpr auto fields(auto list) {
        return list(field("type", &Tres::type), field("name", &Tres::name));
    }
    friend bool operator==(const Tres&, const Tres&) = default;
    friend auto operator<=>(const Tres&, const Tres&) = default;
};

[[nodiscard]] inline std::string to_text(const Tres& tres) {
    return tres.name.empty() ? tres.type : tres.type + "/" + tres.name;
}

/// How much of each TRES, sorted by type and name; what is not named counts zero.
struct TresCounts {
    std::vector<std::pair<Tres, Count>> entries;

    /// True when it is named, if only with 0.
    [[nodiscard]] bool has(const Tres& tres) const;
    [[nodiscard]] Count of(const Tres& tres) const {
        return has(tres) ? find(tres)->second : Count();
    }
    void set(const Tres& tres, Count count);
    /// Adds to what is there. Requires: the sum fits 63 bits.
    void add(const Tres& tres, Count count) { set(tres, of(tres) + count); }
    /// Takes the entry away, if there is one.
    void erase(const Tres& tres) {
        if (has(tres)) entries.erase(find(tres));
    }

    static constexpr auto fields(auto list) { return list(field("entries", &TresCounts::entries)); }
    friend bool operator==(const TresCounts&, const TresCounts&) = default;

  private:
    [[nodiscard]] std::vector<std::pair<Tres, Count>>::const_iterator find(const Tres& tres) const;
};

/// `cpu=4,gres/gpu:a100=2`.
[[nodiscard]] std::string to_text(const TresCounts& counts);

}  // namespace trestle
