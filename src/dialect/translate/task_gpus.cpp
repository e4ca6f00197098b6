// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "../words.hpp"
#include "alloc/market/offers/device_names.hpp"
#include "task_draft.hpp"
#include "trestle/alloc/market/offers/known_devices.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/gpu.hpp"

namespace trestle::translate {
namespace {

/// `1g.10gb`, `a100_1g.5gb`: a slice of a GPU.
bool is_slice_type(std::string_view type) {
    for (std::size_t dot = type.find("g."); dot != type.npos; dot = type.find("g.", dot + 1)) {
        if (dot == 0 || !words::is_digit(type[dot - 1])) continue;
        const std::string_view memory = type.substr(dot + 2);
        const auto digits = std::find_if_not(memory.begin(), memory.end(), words::is_digit);
        const auto count = static_cast<std::size_t>(digits - memory.begin());
        if (count != 0 && words::same_word(memory.substr(count, 2), "gb")) return true;
    }
    return false;
}

void add_name(dstack::GpuSpec& gpu, const std::string& name) {
    if (std::find(gpu.names.begin(), gpu.names.end(), name) == gpu.names.end()) {
        gpu.names.push_back(name);
    }
}

/// A type that says a memory names fewer devices than its model alone.
void take_known(dstack::GpuSpec& gpu, const std::vector<KnownDevice>& found, bool is_only_type) {
    add_name(gpu, found.front().model);
    const bool says_memory =
        found.size() < devices_of_type(known_devices(), type_of(found.front())).size();
    if (says_memory && is_only_type) gpu.memory = Range<Bytes>::exactly(found.front().memory);
}

/// The memory that the type of a driver's name says, `nvidia_a100-sxm4-80gb`, where some but not
/// all devices of the model have it. A GH200 says that of its host.
std::optional<Bytes> memory_of_type(const std::string& type, const std::string& model) {
    const std::vector<KnownDevice>& all = known_devices();
    std::optional<Bytes> found;
    for (std::size_t at = type.find("gb"); at != type.npos; at = type.find("gb", at + 1)) {
        std::size_t first = at;
        while (first > 0 && words::is_digit(type[first - 1])) --first;
        const bool ends = at + 2 == type.size() || !words::is_letter(type[at + 2]);
        TextCursor digits(std::string_view(type).substr(first, at - first));
        const auto gigabytes = digits.take_number();
        if (!gigabytes || !ends || *gigabytes > 10'000) continue;
        found = gib(static_cast<std::int64_t>(*gigabytes));
    }
    const auto has_memory = [&](const KnownDevice& one) {
        return one.model == model && found == one.memory;
    };
    const auto lacks_memory = [&](const KnownDevice& one) {
        return one.model == model && found != one.memory;
    };
    const bool decides = std::any_of(all.begin(), all.end(), has_memory) &&
                         std::any_of(all.begin(), all.end(), lacks_memory);
    return decides ? found : std::nullopt;
}

void take_gpu_type(TaskDraft& draft, const OptionText& option, const std::string& type) {
    dstack::GpuSpec& gpu = *draft.run.resources.gpu;
    const KnownDevice* const driven = device_of_driver_name(known_devices(), type);
    if (is_slice_type(type)) {
        if (driven != nullptr) add_name(gpu, driven->model);
        return draft.change(option, "dstack has no slices of GPUs: whole ones are asked");
    }
    const bool is_only_type = draft.needs.gpus.types.size() == 1;
    const auto found = devices_of_type(known_devices(), type);
    if (!found.empty()) return take_known(gpu, found, is_only_type);
    if (driven != nullptr) {
        add_name(gpu, driven->model);
        const auto memory = is_only_type ? memory_of_type(type, driven->model) : std::nullopt;
        if (memory) gpu.memory = Range<Bytes>::exactly(*memory);
        return draft.change(option, fmt::format("the type is taken for {}", driven->model));
    }
    if (const auto vendor = dstack::read_vendor(type); vendor && is_only_type) {
        gpu.vendor = *vendor;
    } else if (const auto name = dstack::read_gpu_name(type)) {
        add_name(gpu, *name);
        draft.lose(LossKind::note, option, "no GPU that is known here has this name");
    } else {
        draft.change(option, "the type is no name of a GPU in dstack: any will do");
    }
}

}  // namespace

void take_gpus(TaskDraft& draft, const OptionText& option) {
    const GpuNeed& need = draft.needs.gpus;
    if (need.option != option.name) return;
    if (need.is_shared) {
        return draft.change(option, "dstack shares no GPU: a whole one is asked");
    }
    if (!need.divides) {
        draft.change(option,
                     "the GPUs do not divide by the nodes: each node is asked for as many "
                     "as the fullest needs");
    }
    if (need.option == "gpus" && draft.has_open_nodes()) draft.change(option, one_node);
    for (const std::string& type : need.types) take_gpu_type(draft, option, type);
    if (need.types.size() > 1) {
        draft.change(option, "several types mean any of them, not so many of each");
    }
}

}  // namespace trestle::translate
