// SPDX-License-Identifier: Apache-2.0
#include "node_kinds.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "alloc/cluster/states/node_classes.hpp"
#include "alloc/cluster/states/node_states.hpp"

namespace trestle::slurm::choice {
namespace {

class Kinds {
  public:
    Kinds(const Asked& asked, Use use, const KindQuestion& question, std::deque<NodeRoom>& rooms)
        : asked_(asked), use_(use), question_(question), rooms_(rooms) {}

    std::vector<NodeKind> run() {
        for (const StateRun& run : asked_.table.runs()) {
            const NodeStateData& its = data(run.state);
            if (!asked_.has_class[its.node_class.value()]) continue;
            Key key{its.node_class.value(), Barrier::none, {}, false};
            if (use_ == Use::now) key.state = run.state.value();
            const bool is_open =
                use_ == Use::ever || is_usable(asked_.cluster.classes()[its.node_class]);
            if (!is_open) key.barrier = Barrier::state;
            const bool counts = use_ == Use::now && counts_cores(asked_, run.state);
            const bool looks = use_ == Use::now && looks_for_mps(run.state);
            if (!counts && !looks && question_.closed.empty()) {
                add(run, run.places, key);
                continue;
            }
            for (Place place = run.places.first; place < run.places.end; ++place) {
                Key own = key;
                const NodeId node = asked_.table.node_at(place);
                if (own.barrier == Barrier::none) own.barrier = barrier_at(place);
                own.uses_mps = looks && has_mps_in_use(asked_.cluster, node);
                if (counts) {
                    own.cores = partition_cores(
                        asked_.cluster, node, asked_.table.view(its.node_class), asked_.partition);
                }
                add(run, {place, place + 1}, own);
            }
        }
        return std::move(kinds_);
    }

  private:
    /// Nodes of one are alike.
    struct Key {
        std::uint32_t state = 0;  ///< or class, where jobs do not matter
        Barrier barrier = Barrier::none;
        std::vector<Number> cores;  ///< of jobs of the partition, by socket
        bool uses_mps = false;

        friend auto operator<=>(const Key&, const Key&) = default;
    };

    [[nodiscard]] const NodeStateData& data(StateId state) const {
        return *asked_.cluster.states()[state];
    }
    [[nodiscard]] bool looks_for_mps(StateId state) const {
        if (!wants_mps(question_.job) || data(state).free.is_idle) return false;
        const SeenNode& node = asked_.table.seen(asked_.cluster, state);
        return may_have_mps_in_use(*node.view, node.room);
    }
    [[nodiscard]] Barrier barrier_at(Place place) const {
        const auto at = std::partition_point(question_.closed.begin(), question_.closed.end(),
                                             [&](const auto& one) { return one.place < place; });
        const bool is_closed = at != question_.closed.end() && at->place == place;
        return is_closed ? at->barrier : Barrier::none;
    }

    void add(const StateRun& run, const Places& places, const Key& key) {
        NodeKind& kind = kinds_[position_of(run, key)];
        const auto count = [&](const std::vector<Place>& named) {
            const auto first = std::lower_bound(named.begin(), named.end(), places.first);
            return std::pair(first, std::lower_bound(first, named.end(), places.end) - first);
        };
        const auto [excluded, excluded_count] = count(question_.named.excluded);
        const auto [required, required_count] = count(question_.named.required);
        if (kind.nodes == 0) {
            kind.first = places.first;
            for (auto one = excluded; one != question_.named.excluded.end() && *one == kind.first;
                 ++one)
                ++kind.first;
        }
        if (kind.required == 0 && required_count > 0) kind.first_required = *required;
        kind.nodes += Number{places.end} - places.first - excluded_count;
        kind.required += required_count;
    }
    [[nodiscard]] std::size_t position_of(const StateRun& run, const Key& key) {
        const bool is_plain = key.cores.empty() && !key.uses_mps && question_.closed.empty();
        std::size_t* known = nullptr;
        if (is_plain) {
            if (plain_.size() <= key.state) plain_.resize(key.state + 1, not_known);
            known = &plain_[key.state];
        } else {
            known = &known_.try_emplace(key, not_known).first->second;
        }
        if (*known == not_known) {
            *known = kinds_.size();
            kinds_.push_back(kind_of(run, key));
        }
        return *known;
    }
    [[nodiscard]] NodeKind kind_of(const StateRun& run, const Key& key) {
        const NodeStateData& its = data(run.state);
        NodeKind kind;
        kind.barrier = key.barrier;
        kind.features = &asked_.cluster.classes()[its.node_class].features;
        const NodeView& view = asked_.table.view(its.node_class);
        const NodeRoom& room = room_for(run.state, key.uses_mps);
        const PartitionRoom left = room_in_partition(asked_, view, key.cores);
        kind.offer = offer_of(view, room, question_.job, question_.parameters, left);
        if (use_ != Use::now || kind.barrier != Barrier::none) return kind;
        if (!goes_beside(asked_, question_.job, run.state)) {
            kind.barrier = question_.job.rows == 0 ? Barrier::sharing : Barrier::owning;
        } else if (question_.job.has_whole_nodes() && !is_whole(room)) {
            kind.barrier = Barrier::use;
        }
        return kind;
    }
    /// Of several rows the one with most free cores.
    [[nodiscard]] const NodeRoom& room_for(StateId state, bool uses_mps) {
        const NodeStateData& its = data(state);
        if (use_ != Use::now) return asked_.table.idle(its.node_class).room;
        const SeenNode& node = asked_.table.seen(asked_.cluster, state);
        const NodeRoom* best = &node.room;
        for (std::uint32_t r = 0; r < question_.rows && !its.free.is_idle; ++r) {
            NodeRoom room = room_of(*node.view, its.free, question_.first_row + r);
            if (room.busy.count() >= best->busy.count()) continue;
            best = &rooms_.emplace_back(std::move(room));
        }
        if (!uses_mps) return *best;
        NodeRoom& made = rooms_.emplace_back(*best);
        keep_to_mps_in_use(*node.view, made);
        return made;
    }

    const Asked& asked_;
    Use use_;
    const KindQuestion& question_;
    std::deque<NodeRoom>& rooms_;
    static constexpr std::size_t not_known = ~std::size_t{0};
    std::vector<std::size_t> plain_;  ///< by state or class, where nothing else matters
    std::map<Key, std::size_t> known_;
    std::vector<NodeKind> kinds_;
};

}  // namespace

std::vector<NodeKind> kinds_of(const Asked& asked, Use use, const KindQuestion& question,
                               std::deque<NodeRoom>& rooms) {
    return Kinds(asked, use, question, rooms).run();
}

}  // namespace trestle::slurm::choice
