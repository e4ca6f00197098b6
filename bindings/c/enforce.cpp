// SPDX-License-Identifier: Apache-2.0
// Plans and enforcers.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/os/cgroup_enforcer.hpp"
#include "values.hpp"

namespace trestle::c {
namespace {

/// What a plan needs beside placement and request.
struct PlanSettings {
    LimitPolicy policy;
    PlanOptions options;

    static constexpr auto fields(auto list) {
        return list(field("policy", &PlanSettings::policy),
                    field("options", &PlanSettings::options));
    }
    friend bool operator==(const PlanSettings&, const PlanSettings&) = default;
};

PlanSettings settings_of(const char* text) {
    if (text == nullptr) return {};
    return take(json::from_json_text<PlanSettings>(json_text_of(text, "settings")));
}

std::vector<std::string> list_of(const char* const* texts) {
    std::vector<std::string> list;
    for (; *texts != nullptr; ++texts) list.emplace_back(*texts);
    return list;
}

Command command_of(const char* const* arguments, const char* const* environment) {
    if (arguments == nullptr) {
        fail(TRESTLE_INVALID, "arguments is NULL, expected a program and its arguments");
    }
    Command command;
    command.arguments = list_of(arguments);
    if (environment == nullptr) return command;
    for (std::string& entry : list_of(environment)) {
        const auto equals = entry.find('=');
        if (equals == std::string::npos) {  // may be a secret: its text is not shown
            fail(TRESTLE_INVALID, "environment[{}] has no =, expected NAME=value",
                 command.environment.size());
        }
        command.environment.push_back({entry.substr(0, equals), entry.substr(equals + 1)});
    }
    return command;
}

/// What was asked of the nodes of a component; 0 is the request's own.
const Request& component_of(const Request& request, std::uint32_t component) {
    if (component == 0) return request;
    if (component > request.components.size()) {
        fail(TRESTLE_INVALID, "component {} of the placement, the request has {}", component,
             request.components.size());
    }
    return request.components[component - 1];
}

trestle_outcome outcome_of(const std::optional<Outcome>& outcome) {
    trestle_outcome said = {};
    said.is_running = outcome ? 0 : 1;
    if (!outcome) return said;
    said.exit_code = outcome->exit_code;
    said.signal_number = outcome->signal_number;
    said.is_out_of_memory = outcome->ending == Outcome::Ending::out_of_memory ? 1 : 0;
    return said;
}

template <class Amount>
std::int64_t value_or_unknown(const std::optional<Amount>& amount) {
    return amount ? amount->value() : TRESTLE_UNKNOWN;
}

}  // namespace
}  // namespace trestle::c

using namespace trestle;
using namespace trestle::c;

int trestle_plan_create(const trestle_cluster* cluster, uint32_t node,
                        const trestle_placement* placement, const trestle_request* request,
                        uint64_t owner, const char* group, const char* settings,
                        trestle_plan** result, trestle_error* error) {
    return border(error, [&](Border& call) {
        auto*& made = result_of(result, "result");
        const Cluster& of = call.value<ClusterValue>(cluster).cluster;
        const auto& given = call.value<Placement>(placement);
        const auto& asked = call.value<RequestValue>(request);
        const auto part = std::find_if(given.nodes.begin(), given.nodes.end(),
                                       [&](const auto& one) { return one.node.value() == node; });
        if (part == given.nodes.end()) {
            fail(TRESTLE_NOT_FOUND, "the placement has nothing on node {}", node);
        }
        const auto next = std::next(part);
        if (next != given.nodes.end() && next->node == part->node) {
            fail(TRESTLE_INVALID,
                 "node {} serves components {} and {} of the placement, expected a placement with "
                 "one of them",
                 node, part->component, next->component);
        }
        if (node >= of.node_count()) {
            fail(TRESTLE_NOT_FOUND, "node {}, expected a number below {}", node, of.node_count());
        }
        PlanSettings how = settings_of(settings);
        how.options.owner = OwnerId(owner);
        how.options.group = text_of(group, "group");
        if (!how.options.end.time_limit) how.options.end.time_limit = asked.prepared->time_limit;
        made = make_handle<trestle_plan>(
            take(plan(of.node(NodeId(node)), *part, component_of(*asked.prepared, part->component),
                      how.policy, how.options)));
    });
}

int trestle_plan_from_json(const char* json, trestle_plan** result, trestle_error* error) {
    return border(error, [&](Border&) {
        auto*& made = result_of(result, "result");
        made =
            make_handle<trestle_plan>(take(json::from_json_text<Plan>(json_text_of(json, "json"))));
    });
}

void trestle_plan_free(trestle_plan* plan) { free_handle<Plan>(plan); }

int trestle_enforcer_memory(trestle_enforcer** result, trestle_error* error) {
    return border(error, [&](Border&) {
        auto*& made = result_of(result, "result");
        auto memory = std::make_unique<MemoryEnforcer>();
        MemoryEnforcer* same = memory.get();
        made = make_handle<trestle_enforcer>(EnforcerValue{std::move(memory), same});
    });
}

int trestle_enforcer_cgroup(const char* directory, trestle_enforcer** result,
                            trestle_error* error) {
    return border(error, [&](Border&) {
        auto*& made = result_of(result, "result");
        auto opened = take(os::CgroupEnforcer::open(std::string(text_of(directory, "directory"))));
        made = make_handle<trestle_enforcer>(EnforcerValue{std::move(opened)});
    });
}

void trestle_enforcer_free(trestle_enforcer* enforcer) { free_handle<EnforcerValue>(enforcer); }

int trestle_apply(trestle_enforcer* enforcer, const trestle_plan* plan, char** shortfalls,
                  trestle_error* error) {
    return border(error, [&](Border& call) {
        if (shortfalls != nullptr) *shortfalls = nullptr;
        const auto& wanted = call.value<Plan>(plan);
        const auto applied = take(call.change<EnforcerValue>(
            enforcer, [&](EnforcerValue& by) { return by.enforcer->apply(wanted); }));
        if (shortfalls != nullptr) *shortfalls = copy_text(to_text(applied));
    });
}

int trestle_spawn(trestle_enforcer* enforcer, const trestle_plan* plan,
                  const char* const* arguments, const char* const* environment, int64_t* pid,
                  trestle_error* error) {
    return border(error, [&](Border& call) {
        auto& to = result_of(pid, "pid");
        const auto& of = call.value<Plan>(plan);
        const Command command = command_of(arguments, environment);
        to = take(call.change<EnforcerValue>(enforcer, [&](EnforcerValue& by) {
                 return by.enforcer->spawn(of, command);
             })).pid;
    });
}

int trestle_wait(trestle_enforcer* enforcer, const trestle_plan* plan, int64_t pid, int waits,
                 trestle_outcome* outcome, trestle_error* error) {
    return border(error, [&](Border& call) {
        check_struct(outcome, "trestle_outcome");
        const Child child{call.value<Plan>(plan).group, pid};
        const auto ended = call.change<EnforcerValue>(
            enforcer, [&](EnforcerValue& by) -> StatusOr<std::optional<Outcome>> {
                if (waits != 0) return by.enforcer->wait(child);
                return by.enforcer->poll(child);
            });
        fill(outcome, outcome_of(take(ended)));
    });
}

int trestle_end_process(trestle_enforcer* enforcer, int64_t pid, int exit_code,
                        trestle_error* error) {
    return border(error, [&](Border& call) {
        must(call.change<EnforcerValue>(enforcer, [&](EnforcerValue& by) {
            if (by.memory == nullptr) {
                fail(TRESTLE_UNSUPPORTED,
                     "only processes of trestle_enforcer_memory() end this way");
            }
            return by.memory->end_process(pid, exited(exit_code));
        }));
    });
}

int trestle_observe(trestle_enforcer* enforcer, const char* group, trestle_usage* usage,
                    trestle_error* error) {
    return border(error, [&](Border& call) {
        check_struct(usage, "trestle_usage");
        const std::string of(text_of(group, "group"));
        const auto seen = take(call.change<EnforcerValue>(
            enforcer, [&](EnforcerValue& by) { return by.enforcer->observe(of); }));
        fill(usage, {0, value_or_unknown(seen.memory), value_or_unknown(seen.memory_peak),
                     value_or_unknown(seen.cpu_time), value_or_unknown(seen.pids),
                     value_or_unknown(seen.oom_kills)});
    });
}

int trestle_remove(trestle_enforcer* enforcer, const char* group, trestle_error* error) {
    return border(error, [&](Border& call) {
        const std::string of(text_of(group, "group"));
        must(call.change<EnforcerValue>(
            enforcer, [&](EnforcerValue& by) { return by.enforcer->remove(of); }));
    });
}
