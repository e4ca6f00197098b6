// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/translate/dstack_to_slurm.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../words.hpp"
#include "base/join.hpp"
#include "lost_options.hpp"
#include "script_draft.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/quantities.hpp"
#include "trestle/dialect/slurm/gres.hpp"

namespace trestle::translate {
namespace {

using trestle::to_text;
using trestle::detail::join;

/// The largest count that an option of Slurm takes.
constexpr std::int64_t option_max = 2'147'483'647;

constexpr std::string_view range_why =
    "Slurm takes one number: the lower end, of which a job gets no more";
constexpr std::string_view no_lower_end = "Slurm has no upper ends: nothing is asked";
constexpr std::string_view too_many = "it is more than an option can say";

/// The lower end of a range as an option takes it; absent, with a loss, where it takes none.
template <class T>
std::optional<T> lower_end(ScriptDraft& draft, std::string_view key, const Range<T>& range,
                           const std::string& text, T most) {
    if (range.is_open()) return std::nullopt;
    const T least = range.least();
    if (least.is_zero()) {
        if (range.max) draft.drop(key, text, no_lower_end);
        return std::nullopt;
    }
    if (most < least) {
        draft.drop(key, text, too_many);
        return std::nullopt;
    }
    if (!range.is_single()) draft.change(key, text, range_why);
    return least;
}

std::string text_of(const Range<Bytes>& range) {
    return range.is_open() ? "" : dstack::memory_range_text(range);
}

/// As lower_end, in whole MiB.
std::optional<Bytes> lower_size(ScriptDraft& draft, std::string_view key,
                                const Range<Bytes>& range) {
    const std::string text = text_of(range);
    // The largest number of MiB that is still one of bytes.
    const Bytes most(Bytes::max().value() / mib(1).value() * mib(1).value());
    const auto least = lower_end(draft, key, range, text, most);
    if (!least || least->value() % mib(1).value() == 0) return least;
    draft.change(key, text, "Slurm counts in MiB: rounded up");
    return mib(least->value() / mib(1).value() + 1);
}

void add_nodes(ScriptDraft& draft) {
    const Count nodes = draft.run.nodes;
    if (Count(option_max) < nodes) {
        return draft.drop("nodes", std::to_string(nodes.value()), too_many);
    }
    draft.options().nodes = slurm::NodeCounts{Range<Count>::exactly(nodes), {}};
    if (Count(1) < nodes) draft.options().ntasks_per_node = Count(1);
}

void add_cpus(ScriptDraft& draft) {
    const dstack::CpuSpec& cpu = draft.run.resources.cpu;
    if (cpu.architecture) {
        draft.drop("resources.cpu", std::string(to_text(*cpu.architecture)),
                   "Slurm tells processors apart by features, which are the cluster's own");
    }
    if (cpu.count == dstack::Resources::unconstrained().cpu.count) return;  // any node has one
    draft.options().cpus_per_task =
        lower_end(draft, "resources.cpu", cpu.count, to_text(cpu.count), Count(option_max));
}

/// Of a GPU without a type, which would say whose it is.
void lose_vendor(ScriptDraft& draft, const dstack::GpuSpec& gpu) {
    if (gpu.vendor.empty()) return;
    draft.drop("resources.gpu", gpu.vendor, "a GRES has a type and no vendor");
}

/// Wishes at a GPU that no GRES can express.
void lose_gpu_wishes(ScriptDraft& draft, const dstack::GpuSpec& gpu) {
    constexpr std::string_view key = "resources.gpu";
    if (gpu.names.empty()) lose_vendor(draft, gpu);
    if (!gpu.memory.is_open()) {
        draft.drop(key, text_of(gpu.memory), "a GRES has no memory; --mem-per-gpu is the node's");
    }
    if (!gpu.total_memory.is_open()) {
        draft.drop("resources.gpu.total_memory", text_of(gpu.total_memory),
                   "a GRES has no memory; --mem-per-gpu is the node's");
    }
    if (!gpu.compute_capability.is_open()) {
        draft.drop("resources.gpu.compute_capability", to_text(gpu.compute_capability),
                   "a GRES has no compute capability");
    }
}

void add_gpus(ScriptDraft& draft) {
    constexpr std::string_view key = "resources.gpu";
    const auto& gpu = draft.run.resources.gpu;
    if (!gpu || *gpu == dstack::Resources::any_gpus()) return;
    lose_gpu_wishes(draft, *gpu);
    const bool is_none = gpu->count.least().is_zero();
    if (is_none && !gpu->names.empty()) {
        draft.drop(key, join(gpu->names, ","), "no GPU is asked that could have a type");
        lose_vendor(draft, *gpu);
    }
    if (is_none && gpu->count == Range<Count>::exactly(Count(0))) {
        draft.options().gres.emplace();  // --gres=none
        return;
    }
    const auto count = lower_end(draft, key, gpu->count, to_text(gpu->count), Count(option_max));
    if (!count) return;
    Gres gres{"gpu", "", *count};
    if (!gpu->names.empty()) gres.type = words::lower(gpu->names.front());
    if (gpu->names.size() > 1) {
        draft.change(key, join(gpu->names, ","), "a GRES has one type: the first");
    }
    if (!slurm::parse_gres(to_text(gres)).ok()) {
        draft.drop(key, gpu->names.front(), "the name is no type of a GRES");
        lose_vendor(draft, *gpu);
        gres.type.clear();
    }
    draft.options().gres = std::vector<Gres>{std::move(gres)};
}

void add_resources(ScriptDraft& draft) {
    const dstack::Resources& resources = draft.run.resources;
    add_cpus(draft);
    draft.options().mem = lower_size(draft, "resources.memory", resources.memory);
    add_gpus(draft);
    if (resources.disk == dstack::Resources().disk) {
        draft.drop("resources.disk", text_of(*resources.disk),
                   "dstack's default; with --tmp nodes that do not say their TmpDisk are left out");
    } else if (resources.disk) {
        draft.options().tmp = lower_size(draft, "resources.disk", *resources.disk);
    }
    if (resources.shm_size) {
        draft.drop("resources.shm_size", dstack::memory_text(*resources.shm_size),
                   "the size of /dev/shm is the node's");
    }
}

/// Lists of words that only say which offer is taken.
void lose_offers(ScriptDraft& draft) {
    const dstack::Profile& profile = draft.run.profile;
    const auto lose = [&](std::string_view key, const std::string& value) {
        if (!value.empty()) draft.drop(key, value, why_key_is_lost("backends"));
    };
    lose("backends", join(profile.backends, ","));
    lose("regions", join(profile.regions, ","));
    lose("availability_zones", join(profile.availability_zones, ","));
    lose("instance_types", join(profile.instance_types, ","));
    if (!profile.reservation.empty()) {
        draft.drop("reservation", profile.reservation,
                   "it is a cloud's; a reservation of Slurm's is the cluster's");
    }
    if (profile.spot_policy) {
        draft.drop("spot_policy", std::string(to_text(*profile.spot_policy)),
                   "Slurm has no prices; what may be preempted is the partition's or QOS's");
    }
    if (profile.max_price) {
        draft.drop("max_price", dstack::price_text(*profile.max_price), "Slurm has no prices");
    }
}

void add_fleets(ScriptDraft& draft) {
    for (const std::string& fleet : draft.run.profile.fleets) {
        if (!draft.is_line("fleets", fleet)) continue;
        if (fleet.empty() || fleet.find(',') != std::string::npos) {
            draft.drop("fleets", fleet, "it is no name of a partition");
        } else {
            draft.options().partitions.push_back(fleet);
        }
    }
    const auto& creation = draft.run.profile.creation_policy;
    if (!creation) return;
    if (*creation == dstack::CreationPolicy::reuse) {
        draft.lose(LossKind::note, "creation_policy", "reuse", "so it is always in Slurm");
    } else {
        draft.drop("creation_policy", std::string(to_text(*creation)),
                   "Slurm makes nodes only where the cluster is set up to");
    }
}

void add_retry(ScriptDraft& draft) {
    const auto& retry = draft.run.profile.retry;
    if (!retry) return;
    if (retry->on_events.empty()) draft.options().requeue = slurm::Requeue::no;
    for (const dstack::RetryEvent event : retry->on_events) {
        switch (event) {
            case dstack::RetryEvent::interruption:
                draft.options().requeue = slurm::Requeue::yes;
                break;
            case dstack::RetryEvent::no_capacity:
                draft.lose(LossKind::note, "retry", "no-capacity",
                           "Slurm queues every job until there is");
                break;
            case dstack::RetryEvent::error:
                draft.drop("retry", "error", "Slurm does not requeue what failed by itself");
                break;
        }
    }
    if (retry->duration == dstack::Retry().duration) return;
    draft.drop("retry", "duration " + dstack::duration_text(retry->duration),
               "Slurm gives up after no time");
}

void add_max_duration(ScriptDraft& draft) {
    const auto& limit = draft.run.profile.max_duration;
    if (!limit) return;
    const std::int64_t seconds = limit->seconds.value();
    if (limit->is_off || seconds == 0) {
        draft.options().time = slurm::TimeLimit{};
        return;
    }
    const std::int64_t minutes = seconds / 60 + (seconds % 60 == 0 ? 0 : 1);
    if (minutes > option_max) return draft.drop("max_duration", to_text(*limit), too_many);
    draft.options().time = slurm::TimeLimit{Seconds(minutes * 60)};
    if (seconds % 60 == 0) return;
    draft.change("max_duration", to_text(*limit), "Slurm counts in minutes: rounded up");
}

void add_life(ScriptDraft& draft) {
    const dstack::Profile& profile = draft.run.profile;
    add_retry(draft);
    add_max_duration(draft);
    if (profile.stop_duration) {
        draft.drop("stop_duration", to_text(*profile.stop_duration),
                   "how long a job has to end is the cluster's KillWait");
    }
    if (profile.idle_duration) {
        draft.drop("idle_duration", to_text(*profile.idle_duration), "nodes stay when idle");
    }
    const auto& order = draft.run.startup_order;
    if (order && *order != dstack::StartupOrder::any) {
        draft.drop("startup_order", std::string(to_text(*order)),
                   "the script starts its steps itself, in any order");
    }
    const auto& stop = draft.run.stop_criteria;
    if (stop == dstack::StopCriteria::master_done) {
        draft.lose(LossKind::note, "stop_criteria", "master-done",
                   "a job ends with its script, which runs on the first node");
    } else if (stop) {
        draft.drop("stop_criteria", "all-done",
                   "a job ends with its script, which has to wait for the others");
    }
}

/// The group with its number of nodes or replicas: `workers: 2`.
std::string counted(const dstack::RunGroup& group) {
    return group.name + ": " + to_text(group.count);
}

}  // namespace

ScriptTranslation to_slurm(const dstack::RunConfiguration& run) {
    if (!run.groups.empty()) {
        const dstack::RunGroup& head = run.groups.front();
        ScriptTranslation first = to_slurm(run_of(run, head));
        const bool is_one = head.count == Range<Count>::exactly(Count(1));
        if (run.kind != dstack::RunKind::task && !is_one) {
            first.losses.push_back({LossKind::dropped, "groups", counted(head),
                                    "a job is one replica; more are more jobs"});
        }
        for (std::size_t i = 1; i < run.groups.size(); ++i) {
            first.losses.push_back({LossKind::dropped, "groups", counted(run.groups[i]),
                                    "a script has one request; it is that of the first group"});
        }
        return first;
    }
    ScriptDraft draft{run, {}, {}};
    add_kind(draft);
    if (!run.name.empty() && draft.is_line("name", run.name)) {
        draft.options().passthrough.push_back({"job-name", run.name, 0});
    }
    add_nodes(draft);
    add_resources(draft);
    if (!run.priority.is_zero()) {
        draft.drop("priority", std::to_string(run.priority.value()),
                   "a job's priority is the cluster's to say; see --nice and --qos");
    }
    lose_offers(draft);
    add_fleets(draft);
    add_life(draft);
    add_env(draft);
    add_program(draft);
    return {std::move(draft.script), std::move(draft.losses)};
}

}  // namespace trestle::translate
