// SPDX-License-Identifier: Apache-2.0
// Clusters: nodes and allocations.
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "trestle/alloc/cluster/cluster_bytes.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/dialect/json/cluster.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/os/discover.hpp"
#include "trestle/testing/cluster_text.hpp"
#include "values.hpp"

namespace trestle::c {
namespace {

Cluster read_cluster_text(trestle_format format, const char* text) {
    const auto read = format == TRESTLE_JSON ? json_text_of(text, "text") : text_of(text, "text");
    switch (format) {
        case TRESTLE_NODE_TEXT:
            return take(testing::cluster_from_text(read));
        case TRESTLE_JSON:
            return take(json::from_json_text<Cluster>(read));
        case TRESTLE_HWLOC_XML: {
            ClusterParts parts;
            parts.nodes.push_back(take(os::discover({.xml_file = std::string(read)})));
            return take(Cluster::create(parts));
        }
        default:
            fail_format(format, "TRESTLE_NODE_TEXT, TRESTLE_JSON or TRESTLE_HWLOC_XML");
    }
}

/// Ends the call unless the cluster has the node.
NodeId known_node(const Cluster& cluster, std::uint32_t node) {
    if (node >= cluster.node_count()) {
        fail(TRESTLE_NOT_FOUND, "node {}, expected a number below {}", node, cluster.node_count());
    }
    return NodeId(node);
}

Status change_state(Cluster& cluster, std::uint32_t node, trestle_node_state state) {
    const NodeId id = known_node(cluster, node);
    if (cluster.name(id).empty()) return not_found("node {} was removed", node);
    switch (state) {
        case TRESTLE_UP:
            cluster.set_node_state(id, NodeState::up);
            return {};
        case TRESTLE_DRAINED:
            cluster.set_node_state(id, NodeState::drained);
            return {};
        case TRESTLE_DOWN:
            cluster.set_node_state(id, NodeState::down);
            return {};
        default:
            return invalid_argument("node state {}, expected a trestle_node_state", state);
    }
}

void count_free(const NodeShape& shape, const FreeState& free, trestle_node& info) {
    info.cores = static_cast<std::uint32_t>(shape.allocatable_cores().count());
    info.free_cores = static_cast<std::uint32_t>(free.cores.count());
    info.cpus = static_cast<std::uint32_t>(shape.cpu_count().value());
    info.devices = static_cast<std::uint32_t>(shape.devices.size());
    for (std::uint32_t i = 0; i < info.devices; ++i) {
        if (free.is_untouched(DeviceId(i), shape.devices[i])) ++info.free_devices;
    }
    info.memory = shape.ordinary_memory().value();
    for (std::size_t i = 0; i < shape.memory.size(); ++i) {
        if (shape.memory[i].is_ordinary()) info.free_memory += free.memory[i].value();
    }
}

std::int32_t state_of(NodeState state) {
    switch (state) {
        case NodeState::up:
            return TRESTLE_UP;
        case NodeState::drained:
            return TRESTLE_DRAINED;
        case NodeState::down:
            return TRESTLE_DOWN;
        case NodeState::removed:
            break;
    }
    return TRESTLE_UNKNOWN;
}

trestle_node node_of(const Cluster& cluster, NodeId id) {
    trestle_node info = {};
    info.state = state_of(cluster.class_of(id).state);
    const std::string name = cluster.name(id);
    if (name.size() >= sizeof(info.name)) {
        fail(TRESTLE_TOO_SMALL, "node {}: the name has {} bytes, trestle_node has room for {}",
             id.value(), name.size(), sizeof(info.name) - 1);
    }
    std::memcpy(info.name, name.data(), name.size());
    if (!name.empty()) count_free(cluster.shape(id), cluster.free(id), info);
    return info;
}

std::string explanation_text(const Explanation& explanation, trestle_format format) {
    if (format == TRESTLE_TEXT) return to_text(explanation);
    if (format == TRESTLE_JSON) return json::to_json_text(explanation);
    fail_format(format, "TRESTLE_TEXT or TRESTLE_JSON");
}

}  // namespace
}  // namespace trestle::c

using namespace trestle;
using namespace trestle::c;

int trestle_cluster_create(trestle_format format, const char* text, trestle_cluster** result,
                           trestle_error* error) {
    return border(error, [&](Border&) {
        auto*& made = result_of(result, "result");
        made = make_handle<trestle_cluster>(ClusterValue(read_cluster_text(format, text)));
    });
}

int trestle_cluster_from_slurm(const char* slurm_conf, const char* gres_conf,
                               const char* topology_conf, trestle_cluster** result,
                               trestle_error* error) {
    return border(error, [&](Border&) {
        auto*& made = result_of(result, "result");
        auto built = take(
            slurm::parse_cluster({.slurm_conf = text_of(slurm_conf, "slurm_conf"),
                                  .gres_conf = text_or_none(gres_conf, "gres_conf"),
                                  .topology_conf = text_or_none(topology_conf, "topology_conf")}));
        made = make_handle<trestle_cluster>(ClusterValue(std::move(built.cluster)));
    });
}

int trestle_cluster_from_bytes(const void* bytes, size_t size, trestle_cluster** result,
                               trestle_error* error) {
    return border(error, [&](Border&) {
        auto*& made = result_of(result, "result");
        if (bytes == nullptr) fail(TRESTLE_INVALID, "bytes is NULL, expected bytes of a cluster");
        const std::span read(static_cast<const std::uint8_t*>(bytes), size);
        made = make_handle<trestle_cluster>(
            ClusterValue(take(from_bytes(read, {.requires_utf8 = true}))));
    });
}

int trestle_cluster_copy(const void* handle, trestle_cluster** result, trestle_error* error) {
    return border(error, [&](Border& call) {
        auto*& made = result_of(result, "result");
        constexpr auto expected = "cluster, timeline or controller";
        switch (kind_of(handle, expected)) {
            case Kind::cluster: {
                const auto& from = call.value<ClusterValue>(handle);
                made = make_handle<trestle_cluster>(ClusterValue(from.cluster, from.options));
                break;
            }
            case Kind::timeline: {
                const auto& from = call.value<TimelineValue>(handle);
                made = make_handle<trestle_cluster>(
                    ClusterValue(from.timeline.cluster(), from.options));
                break;
            }
            case Kind::controller:
                made = make_handle<trestle_cluster>(
                    ClusterValue(call.value<slurm::Controller>(handle).cluster()));
                break;
            default:
                fail_handle(handle, expected);
        }
    });
}

void trestle_cluster_free(trestle_cluster* cluster) { free_handle<ClusterValue>(cluster); }

int trestle_set_options(void* handle, const char* json, trestle_error* error) {
    return border(error, [&](Border& call) {
        constexpr auto expected = "cluster or timeline";
        const Kind kind = kind_of(handle, expected);
        if (kind != Kind::cluster && kind != Kind::timeline) fail_handle(handle, expected);
        auto options = take(json::from_json_text<PlaceOptions>(json_text_of(json, "json")));
        if (kind == Kind::cluster) {
            call.change<ClusterValue>(handle, [&](ClusterValue& to) {
                to.placer = Placer(options);
                to.options = std::move(options);
            });
        } else {
            call.change<TimelineValue>(handle, [&](TimelineValue& to) {
                to.finder = StartFinder(options);
                to.options = std::move(options);
            });
        }
    });
}

int trestle_node_count(const trestle_cluster* cluster, uint32_t* count, trestle_error* error) {
    return border(error, [&](Border& call) {
        auto& to = result_of(count, "count");
        to = call.value<ClusterValue>(cluster).cluster.node_count();
    });
}

int trestle_node_info(const trestle_cluster* cluster, uint32_t node, trestle_node* info,
                      trestle_error* error) {
    return border(error, [&](Border& call) {
        const Cluster& of = call.value<ClusterValue>(cluster).cluster;
        check_struct(info, "trestle_node");
        fill(info, node_of(of, known_node(of, node)));
    });
}

int trestle_find_node(const trestle_cluster* cluster, const char* name, uint32_t* node,
                      trestle_error* error) {
    return border(error, [&](Border& call) {
        auto& to = result_of(node, "node");
        const Cluster& of = call.value<ClusterValue>(cluster).cluster;
        const auto found = of.find_node(text_of(name, "name"));
        if (!found) fail(TRESTLE_NOT_FOUND, "no node is called {}", name);
        to = found->value();
    });
}

int trestle_place(trestle_cluster* cluster, const trestle_request* request,
                  trestle_placement** result, trestle_error* error) {
    return border(error, [&](Border& call) {
        auto*& made = result_of(result, "result");
        const auto& asked = call.value<RequestValue>(request);
        auto found = call.change<ClusterValue>(
            cluster, [&](ClusterValue& of) { return of.placer.place(of.cluster, asked.prepared); });
        if (!found) return refuse(error, found.refusal());
        made = make_handle<trestle_placement>(*std::move(found));
        return report_ok(error);
    });
}

int trestle_commit(trestle_cluster* cluster, uint64_t owner, const trestle_request* request,
                   const trestle_placement* placement, trestle_error* error) {
    return border(error, [&](Border& call) {
        const auto& asked = call.value<RequestValue>(request);
        const auto& given = call.value<Placement>(placement);
        must(call.change<ClusterValue>(cluster, [&](ClusterValue& to) {
            return to.cluster.commit({OwnerId(owner), asked.prepared, given});
        }));
    });
}

int trestle_adopt(trestle_cluster* cluster, uint64_t owner, const trestle_placement* placement,
                  trestle_error* error) {
    return border(error, [&](Border& call) {
        const auto& given = call.value<Placement>(placement);
        must(call.change<ClusterValue>(
            cluster, [&](ClusterValue& to) { return to.cluster.adopt(OwnerId(owner), given); }));
    });
}

int trestle_extend(trestle_cluster* cluster, uint64_t owner, const trestle_placement* more,
                   trestle_error* error) {
    return border(error, [&](Border& call) {
        const auto& given = call.value<Placement>(more);
        must(call.change<ClusterValue>(
            cluster, [&](ClusterValue& to) { return to.cluster.extend(OwnerId(owner), given); }));
    });
}

int trestle_release(void* handle, uint64_t owner, trestle_error* error) {
    return border(error, [&](Border& call) {
        constexpr auto expected = "cluster, timeline or controller";
        switch (kind_of(handle, expected)) {
            case Kind::cluster:
                return must(call.change<ClusterValue>(handle, [&](ClusterValue& of) {
                    return of.cluster.release(OwnerId(owner)).status();
                }));
            case Kind::timeline:
                return must(call.change<TimelineValue>(handle, [&](TimelineValue& of) {
                    return of.timeline.cancel(OwnerId(owner)).status();
                }));
            case Kind::controller:
                return must(call.change<slurm::Controller>(
                    handle, [&](slurm::Controller& of) { return of.release(OwnerId(owner)); }));
            default:
                fail_handle(handle, expected);
        }
    });
}

int trestle_allocation(const trestle_cluster* cluster, uint64_t owner, trestle_placement** result,
                       trestle_error* error) {
    return border(error, [&](Border& call) {
        auto*& made = result_of(result, "result");
        const auto& of = call.value<ClusterValue>(cluster);
        const Allocation* found = of.cluster.find_allocation(OwnerId(owner));
        if (found == nullptr) fail(TRESTLE_NOT_FOUND, "owner {} has nothing", owner);
        made = make_handle<trestle_placement>(Placement(found->placement));
    });
}

int trestle_set_node_state(void* handle, uint32_t node, trestle_node_state state,
                           trestle_error* error) {
    return border(error, [&](Border& call) {
        constexpr auto expected = "cluster or timeline";
        switch (kind_of(handle, expected)) {
            case Kind::cluster:
                return must(call.change<ClusterValue>(handle, [&](ClusterValue& of) {
                    return change_state(of.cluster, node, state);
                }));
            case Kind::timeline:
                return must(call.change<TimelineValue>(handle, [&](TimelineValue& of) {
                    (void)known_node(of.timeline.cluster(), node);
                    return of.timeline.change_cluster(
                        [&](Cluster& cluster) { return change_state(cluster, node, state); });
                }));
            default:
                fail_handle(handle, expected);
        }
    });
}

int trestle_explain(void* handle, const trestle_request* request, trestle_format format,
                    char** text, trestle_error* error) {
    return border(error, [&](Border& call) {
        auto*& written = result_of(text, "text");
        const auto& asked = call.value<RequestValue>(request);
        constexpr auto expected = "cluster or timeline";
        switch (kind_of(handle, expected)) {
            case Kind::cluster: {
                const auto& of = call.value<ClusterValue>(handle);
                const auto said = explain(of.cluster, asked.prepared, of.options);
                written = copy_text(explanation_text(said, format));
                break;
            }
            case Kind::timeline: {
                const auto& of = call.value<TimelineValue>(handle);
                const auto said = explain(of.timeline, asked.prepared, {}, of.options);
                written = copy_text(explanation_text(said, format));
                break;
            }
            default:
                fail_handle(handle, expected);
        }
    });
}

int trestle_trial_begin(trestle_cluster* cluster, trestle_error* error) {
    return border(error, [&](Border& call) {
        call.change<ClusterValue>(cluster, [](ClusterValue& of) {
            of.trials.push_back(std::make_unique<Cluster::Trial>(of.cluster));
        });
    });
}

int trestle_trial_end(trestle_cluster* cluster, int keeps, trestle_error* error) {
    return border(error, [&](Border& call) {
        call.change<ClusterValue>(cluster, [&](ClusterValue& of) {
            if (of.trials.empty()) fail(TRESTLE_CONFLICT, "no trial is open");
            if (keeps != 0) {
                of.trials.back()->keep();
            } else {
                of.trials.back()->undo();  // may fail here, where the destructor must not
            }
            of.trials.pop_back();
        });
    });
}
