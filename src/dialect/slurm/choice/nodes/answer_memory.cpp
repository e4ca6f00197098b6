// SPDX-License-Identifier: Apache-2.0
#include "answer_memory.hpp"

#include <algorithm>
#include <utility>

namespace trestle::slurm::choice {
namespace {

constexpr std::size_t jobs_max = 16;
constexpr std::size_t states_max = 1u << 16;  ///< of all jobs together: some 30 MB

}  // namespace

std::shared_ptr<JobAnswers> AnswerMemory::of(const ChoiceJob& job) {
    const auto known = std::find_if(jobs_.begin(), jobs_.end(),
                                    [&](const auto& one) { return one->job() == job; });
    if (known != jobs_.end()) {
        std::rotate(jobs_.begin(), known, known + 1);
        return jobs_.front();
    }
    jobs_.insert(jobs_.begin(), std::make_shared<JobAnswers>(job));
    std::size_t states = 0;
    std::size_t kept = 0;
    while (kept < jobs_.size() && kept < jobs_max && states <= states_max) {
        states += jobs_[kept++]->size();
    }
    jobs_.resize(kept);
    return jobs_.front();
}

}  // namespace trestle::slurm::choice
