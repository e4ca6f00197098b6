// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/choice/job_tres.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "../../words.hpp"
#include "../options/resolve/gres_totals.hpp"
#include "account.hpp"

namespace trestle::slurm {
namespace {

/// A name and a type in lower case, as case does not tell TRES apart.
using NameAndType = std::pair<std::string, std::string>;

/// Devices by name and type; the type is empty for those without one, and of a request for any.
using CountsByType = std::map<NameAndType, Count>;

NameAndType key_of(std::string_view name, std::string_view type) {
    return {words::lower(name), words::lower(type)};
}

/// `gpu` and `a100` of `gpu:a100`.
NameAndType name_and_type(std::string_view text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    return key_of(text.substr(0, colon), text.substr(std::min(colon + 1, text.size())));
}

bool is_same(const Tres& a, const Tres& b) {
    return words::same_word(a.type, b.type) && words::same_word(a.name, b.name);
}

bool is_typed_gres(const Tres& tres) {
    return tres.type == "gres" && tres.name.find(':') != std::string::npos;
}

Count count_of_name(const CountsByType& counts, const std::string& name) {
    Count sum;
    for (const auto& [key, count] : counts) {
        if (key.first == name) sum = saturating_add(sum, count);
    }
    return sum;
}

/// Whether Slurm books an untyped request for the name on this TRES: the first that is tracked of
/// the name, where no untyped one is.
bool stands_for_name(const Tres& tres, const std::string& name, const std::vector<Tres>& tracked) {
    for (const Tres& one : tracked) {
        if (one.type == "gres" && words::same_word(one.name, name)) return false;
    }
    const auto first = std::find_if(tracked.begin(), tracked.end(), [&](const Tres& one) {
        return is_typed_gres(one) && name_and_type(one.name).first == name;
    });
    return first != tracked.end() && *first == tres;
}

/// One tracked TRES of the devices that are there, of which `asked` are those that were asked.
Count tracked_count(const Tres& tres, const CountsByType& devices, const CountsByType& asked,
                    const TresRules& rules) {
    const auto [name, type] = name_and_type(tres.name);
    if (type.empty()) return count_of_name(devices, name);
    const bool is_by_request = rules.typed == TypedCounts::by_request;
    if (is_by_request && !asked.contains({name, type})) {
        const bool is_untyped = asked.contains({name, std::string()});
        return is_untyped && stands_for_name(tres, name, rules.tracked)
                   ? count_of_name(devices, name)
                   : Count();
    }
    const auto at = devices.find({name, type});
    return at == devices.end() ? Count() : at->second;
}

void set_if_any(TresCounts& counts, const Tres& tres, Count count) {
    if (!count.is_zero()) counts.set(tres, count);
}

void add_tracked(TresCounts& counts, const CountsByType& devices, const CountsByType& asked,
                 const std::vector<ClusterCount>& licenses, const TresRules& rules) {
    for (const Tres& tres : rules.tracked) {
        if (tres.type == "gres") {
            set_if_any(counts, tres, tracked_count(tres, devices, asked, rules));
        }
        for (const ClusterCount& one : licenses) {
            if (tres.type == "license" && words::same_word(tres.name, one.name)) {
                set_if_any(counts, tres, one.count);
            }
        }
    }
    counts.set({"billing", ""}, billing_of(rules.weights, counts, rules.billing_rule));
}

CountsByType asked_types(const JobOptions& options) {
    CountsByType asked;
    for (const GresTotal& total : gres_totals(options)) {
        asked[key_of(total.name, total.type)] = Count();
    }
    return asked;
}

/// MiB of all nodes together.
choice::Number asked_memory(const choice::ChoiceJob& job, choice::Number cpus,
                            choice::Number smallest) {
    if (job.memory) {
        return choice::product(*job.memory == 0 ? smallest : *job.memory, job.min_nodes);
    }
    if (job.memory_per_cpu) return choice::product(*job.memory_per_cpu, cpus);
    if (!job.memory_per_gpu) return 0;
    choice::Number gpus = 0;
    for (const choice::GresWant& want : job.gres) {
        if (want.name == "gpu") gpus = std::min(gpus + want.total(job), choice::unlimited);
    }
    return choice::product(*job.memory_per_gpu, gpus);
}

}  // namespace

TresRules tres_rules_of(const ClusterParameters& parameters, const PartitionLine& partition,
                        TypedCounts typed) {
    TresRules rules{parameters.tracked, typed, partition.billing, parameters.billing_rule};
    for (auto& weight : rules.weights.weights) {
        const auto at = std::find_if(rules.tracked.begin(), rules.tracked.end(),
                                     [&](const Tres& one) { return is_same(one, weight.first); });
        if (at != rules.tracked.end()) weight.first = *at;
    }
    return rules;
}

TresCounts granted_tres(std::span<const NodeGrant> grants, const JobOptions& asked,
                        const std::vector<ClusterCount>& licenses, const TresRules& rules) {
    Count cpus;
    Bytes memory;
    CountsByType devices;
    for (const NodeGrant& grant : grants) {
        cpus = saturating_add(cpus, grant.cpus);
        memory = saturating_add(memory, grant.memory);
        for (const GresDetail& detail : grant.gres) {
            Count& count = devices[key_of(detail.gres.name, detail.gres.type)];
            count = saturating_add(count, detail.gres.count);
        }
    }
    TresCounts counts;
    set_if_any(counts, {"cpu", ""}, cpus);
    set_if_any(counts, {"mem", ""}, Count(memory.value()));
    set_if_any(counts, {"node", ""}, Count(static_cast<std::int64_t>(grants.size())));
    add_tracked(counts, devices, asked_types(asked), licenses, rules);
    return counts;
}

TresCounts choice::asked_tres(const ChoiceJob& job, Number node_memory,
                              const std::vector<ClusterCount>& licenses, const TresRules& rules) {
    const Number cpus = job.asked_cpus();
    const Number memory = asked_memory(job, cpus, node_memory);
    CountsByType devices;
    for (const GresWant& want : job.gres) {
        devices[key_of(want.name, want.type)] = Count(want.total(job));
    }
    TresCounts counts;
    counts.set({"cpu", ""}, Count(cpus));
    const auto bytes = checked_mul(mib(1), memory);
    set_if_any(counts, {"mem", ""}, bytes ? Count(bytes->value()) : Count::max());
    counts.set({"node", ""}, Count(job.min_nodes));
    add_tracked(counts, devices, devices, licenses, rules);
    return counts;
}

}  // namespace trestle::slurm
