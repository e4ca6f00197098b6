// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/cores/piece_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace trestle {

namespace detail {

void PieceChoice::add(const CoreSet& cores, const DomainSet& domains, std::uint32_t group,
                      bool is_split) {
    is_split_ = is_split_ || is_split;
    for (Piece& piece : pieces_) {
        if (piece.group != group || piece.domains != domains) continue;
        piece.cores |= cores;
        return;
    }
    pieces_.push_back({cores, 0, domains, group, nothing});
}

void PieceChoice::sort_pieces() {
    std::sort(pieces_.begin(), pieces_.end(),
              [](const Piece& a, const Piece& b) { return a.cores < b.cores; });
    SmallSet<> groups = touched_;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        Piece& piece = pieces_[i];
        piece.count = piece.cores.count();
        if (piece.domains.is_empty()) {
            is_plain_ = is_plain_ && touched_.contains(piece.group);
            continue;
        }
        if (groups.contains(piece.group)) groups_grow_ = false;
        groups.insert(piece.group);
        for (std::size_t k = 0; k < classes_.size() && !is_split_; ++k) {
            if (pieces_[classes_[k]].domains == piece.domains) piece.klass = k;
        }
        if (piece.klass != nothing) {
            is_plain_ = false;
            continue;
        }
        piece.klass = classes_.size();
        classes_.push_back(i);
    }
}

DomainSet PieceChoice::all_domains() const {
    DomainSet all;
    for (const Piece& piece : pieces_) all |= piece.domains;
    return all;
}

DomainSet PieceChoice::domains_of(const std::vector<std::size_t>& pick) const {
    DomainSet all;
    for (const std::size_t k : pick) all |= pieces_[classes_[k]].domains;
    return all;
}

bool PieceChoice::choose(std::uint32_t count, const std::vector<std::size_t>& pick, Found& found) {
    SmallSet<> groups = touched_;
    if (is_split_) {
        for (const std::size_t k : pick) groups.insert(pieces_[classes_[k]].group);
    }
    CoreSet base;
    open_.clear();
    for (const Piece& piece : pieces_) {
        if (piece.klass == nothing && groups.contains(piece.group)) {
            base |= piece.cores;
        } else if (piece.klass == nothing || is_in(pick, piece.klass)) {
            open_.push_back(&piece);
        }
    }
    const std::uint32_t sum = base.count();
    std::size_t left = pick.size();
    while (!is_enough(0, sum, count, pick, left)) {
        if (left++ == open_.size()) return false;
    }
    found.cores = take(count, std::move(base), pick, left, groups);
    found.groups = groups.count();
    return true;
}

CoreSet PieceChoice::take(std::uint32_t count, CoreSet base, const std::vector<std::size_t>& pick,
                          std::size_t left, SmallSet<>& groups) const {
    std::vector<std::size_t> uncovered = pick;
    std::uint32_t sum = base.count();
    CoreSet chosen;
    for (std::size_t i = 0; i < open_.size() && left > 0; ++i) {
        const Piece& piece = *open_[i];
        std::vector<std::size_t> rest = uncovered;
        std::erase(rest, piece.klass);
        if (!is_enough(i + 1, sum + piece.count, count, rest, left - 1)) continue;
        uncovered = std::move(rest);
        sum += piece.count;
        --left;
        groups.insert(piece.group);
        chosen.insert(*piece.cores.first());
        base |= piece.cores;
    }
    const std::uint32_t firsts = chosen.count();
    chosen |= (base - chosen).first_k(count - firsts);
    return chosen;
}

bool PieceChoice::is_enough(std::size_t from, std::uint32_t sum, std::uint32_t count,
                            const std::vector<std::size_t>& uncovered, std::size_t left) const {
    if (uncovered.size() > left || open_.size() - from < left) return false;
    if (left == 0) return sum >= count;
    std::vector<std::uint32_t> others;
    std::vector<std::uint32_t> largest(uncovered.size(), 0);
    for (std::size_t i = from; i < open_.size(); ++i) {
        std::uint32_t rest = open_[i]->count;
        for (std::size_t k = 0; k < uncovered.size(); ++k) {
            const bool is_larger = uncovered[k] == open_[i]->klass && rest > largest[k];
            if (is_larger) std::swap(rest, largest[k]);
        }
        if (rest > 0) others.push_back(rest);
    }
    for (const std::uint32_t one : largest) {
        if (one == 0) return false;
        sum += one;
    }
    std::sort(others.rbegin(), others.rend());
    const std::size_t more = std::min(left - uncovered.size(), others.size());
    for (std::size_t i = 0; i < more; ++i) sum += others[i];
    return sum >= count && left - uncovered.size() <= others.size();
}

}  // namespace detail

}  // namespace trestle
