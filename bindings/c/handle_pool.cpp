// SPDX-License-Identifier: Apache-2.0
#include "handle_pool.hpp"

#include <new>
#include <utility>

namespace trestle::c {
namespace {

constexpr std::size_t size_of_block(std::size_t block) {
    return HandlePool::first_block_size << block;
}

}  // namespace

HandlePool::~HandlePool() {
    for (const auto& block : blocks_) delete[] block.load(std::memory_order_relaxed);
}

void HandlePool::add_block() {
    const std::size_t block = block_count_.load(std::memory_order_relaxed);
    if (block == blocks_.size()) throw std::bad_alloc();
    blocks_[block].store(new Handle[size_of_block(block)], std::memory_order_relaxed);
    block_count_.store(block + 1, std::memory_order_release);
    unused_ = size_of_block(block);
}

Handle* HandlePool::take() {
    const std::lock_guard lock(mutex_);
    if (retired_ <= retired_min_) {
        if (unused_ == 0) add_block();
        ++live_;
        const std::size_t last = block_count_.load(std::memory_order_relaxed) - 1;
        return &blocks_[last].load(std::memory_order_relaxed)[size_of_block(last) - unused_--];
    }
    ++live_;
    --retired_;
    return std::exchange(oldest_, oldest_->next);
}

void HandlePool::give_back(Handle* handle) {
    const std::lock_guard lock(mutex_);
    --live_;
    handle->next = nullptr;
    (oldest_ == nullptr ? oldest_ : newest_->next) = handle;
    newest_ = handle;
    ++retired_;
}

bool HandlePool::has(const void* pointer) const {
    // Numbers, since pointers into different objects have no order and no difference.
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const std::size_t count = block_count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) {
        const auto first =
            reinterpret_cast<std::uintptr_t>(blocks_[i].load(std::memory_order_relaxed));
        if (address < first || address - first >= size_of_block(i) * sizeof(Handle)) continue;
        return (address - first) % sizeof(Handle) == 0;
    }
    return false;
}

std::uint64_t HandlePool::live() const {
    const std::lock_guard lock(mutex_);
    return live_;
}

std::size_t HandlePool::set_retired_min(std::size_t retired_min) {
    const std::lock_guard lock(mutex_);
    return std::exchange(retired_min_, retired_min);
}

}  // namespace trestle::c
