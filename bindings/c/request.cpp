// SPDX-License-Identifier: Apache-2.0
// Requests and placements.
#include <string>
#include <utility>
#include <vector>

#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/offers/match.hpp"
#include "trestle/dialect/dstack/run/requirements.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "values.hpp"

namespace trestle::c {
namespace {

/// --mem=0 is all memory of each node, which no Request can say.
void check_memory(const slurm::JobOptions& options) {
    if (options.mem != Bytes(0) && options.mem_per_cpu != Bytes(0)) return;
    fail(TRESTLE_INVALID,
         "--mem=0 and --mem-per-cpu=0 are all memory of each node, which only a controller can "
         "grant; expected a size");
}

RequestValue request_of_srun(std::string_view text) {
    const auto submission = take(slurm::parse_option_text(text));
    Request request = take(slurm::request_of(submission));
    for (const auto& component : submission.components) check_memory(component.options);
    return {take(PreparedRequest::create(std::move(request))), {}};
}

RequestValue request_of_dstack(std::string_view text) {
    const auto read = take(dstack::parse_configuration(text));
    if (!read.run) {
        fail(TRESTLE_INVALID,
             "the file configures no run; expected type task, service or "
             "dev-environment");
    }
    const auto& run = *read.run;
    if (!run.groups.empty()) {
        fail(TRESTLE_UNSUPPORTED, "groups: a request is of a run without groups");
    }
    if (!take(dstack::instances_of(run)).empty()) {
        fail(TRESTLE_UNSUPPORTED, "instances: a request is of a run that may go anywhere");
    }
    const auto options = take(dstack::options_of(run));
    Request request = dstack::request_of(dstack::resources_of(run), run.profile, options);
    request.nodes = Range<Count>::exactly(run.nodes);
    return {take(PreparedRequest::create(std::move(request))),
            dstack::filter_of(run.profile, options)};
}

RequestValue read_request(trestle_format format, const char* text) {
    const auto read = format == TRESTLE_JSON ? json_text_of(text, "text") : text_of(text, "text");
    switch (format) {
        case TRESTLE_SRUN:
            return request_of_srun(read);
        case TRESTLE_DSTACK:
            return request_of_dstack(read);
        case TRESTLE_JSON:
            return {take(PreparedRequest::create(take(json::from_json_text<Request>(read)))), {}};
        default:
            fail_format(format, "TRESTLE_SRUN, TRESTLE_DSTACK or TRESTLE_JSON");
    }
}

const NodePlacement& part_of(const Placement& placement, std::size_t part) {
    if (part >= placement.nodes.size()) {
        fail(TRESTLE_NOT_FOUND, "part {}, expected a number below {}", part,
             placement.nodes.size());
    }
    return placement.nodes[part];
}

/// Copies `from` into the caller's array as `convert(element)`, and says how many there are.
template <class From, class To, class Convert>
int copy_list(const From& from, std::size_t size, To* to, std::size_t capacity, std::size_t& count,
              trestle_error* error, const Convert& convert) {
    count = size;
    if (capacity > 0 && to == nullptr) {
        return report(error, TRESTLE_INVALID, "the array is NULL, expected one of `capacity`");
    }
    std::size_t at = 0;
    for (const auto& element : from) {
        if (at == capacity) break;
        to[at++] = convert(element);
    }
    if (at == size || capacity == 0) return report_ok(error);
    return report(error, TRESTLE_TOO_SMALL,
                  fmt::format("capacity is {}, expected {} or more", capacity, size));
}

}  // namespace
}  // namespace trestle::c

using namespace trestle;
using namespace trestle::c;

int trestle_request_create(trestle_format format, const char* text, trestle_request** result,
                           trestle_error* error) {
    return border(error, [&](Border&) {
        auto*& made = result_of(result, "result");
        made = make_handle<trestle_request>(read_request(format, text));
    });
}

void trestle_request_free(trestle_request* request) { free_handle<RequestValue>(request); }

int trestle_placement_from_json(const char* json, trestle_placement** result,
                                trestle_error* error) {
    return border(error, [&](Border&) {
        auto*& made = result_of(result, "result");
        made = make_handle<trestle_placement>(
            take(json::from_json_text<Placement>(json_text_of(json, "json"))));
    });
}

void trestle_placement_free(trestle_placement* placement) { free_handle<Placement>(placement); }

int trestle_placement_text(const trestle_placement* placement, const trestle_cluster* cluster,
                           char** text, trestle_error* error) {
    return border(error, [&](Border& call) {
        auto*& written = result_of(text, "text");
        const auto& given = call.value<Placement>(placement);
        const Cluster& of = call.value<ClusterValue>(cluster).cluster;
        for (const NodePlacement& part : given.nodes) {
            if (part.node.value() >= of.node_count()) {
                fail(TRESTLE_INVALID, "node {}: the cluster has {} nodes", part.node.value(),
                     of.node_count());
            }
            must(with_context(of.name(part.node), check(of.shape(part.node), part)));
        }
        written = copy_text(to_text(given, of));
    });
}

int trestle_part_count(const trestle_placement* placement, size_t* count, trestle_error* error) {
    return border(error, [&](Border& call) {
        auto& to = result_of(count, "count");
        to = call.value<Placement>(placement).nodes.size();
    });
}

int trestle_part_info(const trestle_placement* placement, size_t part, trestle_part* info,
                      trestle_error* error) {
    return border(error, [&](Border& call) {
        const NodePlacement& of = part_of(call.value<Placement>(placement), part);
        check_struct(info, "trestle_part");
        trestle_part said = {};
        said.node = of.node.value();
        said.component = of.component;
        said.tasks = of.tasks.value();
        said.milli_cpus = of.milli_cpus.value();
        said.memory = of.total_memory().value();
        said.cores = static_cast<std::uint32_t>(of.cores.count());
        said.devices = static_cast<std::uint32_t>(of.devices.size());
        fill(info, said);
    });
}

int trestle_part_cores(const trestle_placement* placement, size_t part, uint32_t* cores,
                       size_t capacity, size_t* count, trestle_error* error) {
    return border(error, [&](Border& call) {
        auto& to = result_of(count, "count");
        const NodePlacement& of = part_of(call.value<Placement>(placement), part);
        return copy_list(of.cores, of.cores.count(), cores, capacity, to, error,
                         [](CoreId core) { return core.value(); });
    });
}

int trestle_part_devices(const trestle_placement* placement, size_t part,
                         trestle_device_share* devices, size_t capacity, size_t* count,
                         trestle_error* error) {
    return border(error, [&](Border& call) {
        auto& to = result_of(count, "count");
        const NodePlacement& of = part_of(call.value<Placement>(placement), part);
        return copy_list(of.devices, of.devices.size(), devices, capacity, to, error,
                         [](const DeviceShare& share) {
                             trestle_device_share said = {};
                             said.device = share.device.value();
                             said.is_slice = share.slice.has_value() ? 1 : 0;
                             said.shares = share.shares.value();
                             return said;
                         });
    });
}
