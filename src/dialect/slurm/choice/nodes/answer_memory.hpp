// SPDX-License-Identifier: Apache-2.0
#pragma once

// What states of nodes answer to jobs that ask again.
//
// Layer: dialect/slurm, inside. Main types: AnswerMemory, JobAnswers, StateAnswers. Schedulers ask
// for the same jobs over and over, and between two questions few nodes change: an answer is good
// while the cluster has the very object of the state. A NodeTable has one memory.
// Pitfall: answers are under the parameters of one configuration and no limit of a partition.

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../on_node/node_fit.hpp"
#include "alloc/cluster/states/node_states.hpp"

namespace trestle::slurm::choice {

/// What nodes in one state answer to one job.
struct StateAnswers {
    struct UnderBounds {
        Bounds bounds;
        std::optional<Narrowed> narrowed;
    };

    Cow<NodeStateData> data;                           ///< of the state
    std::optional<NodeCapacity> capacity;              ///< absent: they take no part
    std::array<std::optional<UnderBounds>, 2> passes;  ///< by Pass; of the bounds asked last
};

/// What all states answer to one job.
class JobAnswers {
  public:
    explicit JobAnswers(ChoiceJob job) : job_(std::move(job)) {}

    [[nodiscard]] const ChoiceJob& job() const { return job_; }
    /// The answers of the state, which has this data; `first` gives the first one where it is not
    /// known. Good until the state changes.
    template <class First>
    [[nodiscard]] StateAnswers& of(StateId state, const Cow<NodeStateData>& data,
                                   const First& first) {
        if (states_.size() <= state.value()) states_.resize(state.value() + std::size_t{1});
        std::unique_ptr<StateAnswers>& known = states_[state.value()];
        if (known == nullptr || !known->data.is_same_object(data)) {
            known = std::make_unique<StateAnswers>(StateAnswers{data, first(), {}});
        }
        return *known;
    }
    /// How many states it has room for.
    [[nodiscard]] std::size_t size() const { return states_.size(); }

  private:
    ChoiceJob job_;
    std::vector<std::unique_ptr<StateAnswers>> states_;
};

class AnswerMemory {
  public:
    /// Those to the job. They live as long as the pointer, whatever is forgotten.
    /// Complexity: the jobs that are remembered, a few.
    [[nodiscard]] std::shared_ptr<JobAnswers> of(const ChoiceJob& job) {
        const auto known = std::find_if(jobs_.begin(), jobs_.end(),
                                        [&](const auto& one) { return one->job() == job; });
        if (known != jobs_.end()) {
            std::rotate(jobs_.begin(), known, known + 1);
        } else {
            jobs_.insert(jobs_.begin(), std::make_shared<JobAnswers>(job));
            forget_old();
        }
        return jobs_.front();
    }

  private:
    static constexpr std::size_t jobs_max = 16;
    static constexpr std::size_t states_max = 1u << 16;  ///< of all jobs together: some 40 MB

    void forget_old() {
        std::size_t states = 0;
        std::size_t kept = 0;
        while (kept < jobs_.size() && kept < jobs_max && states <= states_max) {
            states += jobs_[kept++]->size();
        }
        jobs_.resize(kept);
    }

    std::vector<std::shared_ptr<JobAnswers>> jobs_;  ///< the one asked last first
};

}  // namespace trestle::slurm::choice
