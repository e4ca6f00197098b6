// SPDX-License-Identifier: Apache-2.0
// Clusters and timelines as documents and pictures, and calls that Slurm, Kubernetes and offers
// make of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "growth.hpp"
#include "trestle/alloc/market/match_catalog.hpp"
#include "trestle/alloc/market/offers/catalog.hpp"
#include "trestle/dialect/container/live/kubernetes_cluster.hpp"
#include "trestle/dialect/container/live/pod_starts.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/offers/table.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"
#include "trestle/dialect/json/cluster.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/json/timeline.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/choice/selector.hpp"
#include "trestle/dialect/slurm/live/live_cluster.hpp"
#include "trestle/dialect/slurm/live/start.hpp"
#include "trestle/dialect/slurm/live/why.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/dialect/svg/cluster.hpp"
#include "trestle/dialect/svg/timeline.hpp"

namespace trestle::growth {
namespace {

/// Lines of nodes `n0`, `n1` and so on, each kind with its own memory.
std::string slurm_conf(Size size) {
    std::string text =
        "ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
        "GresTypes=gpu\nDefMemPerCPU=1000\n";
    const std::uint32_t each = size.nodes / size.kinds;
    for (std::uint32_t kind = 0; kind < size.kinds; ++kind) {
        text +=
            fmt::format("NodeName=n[{}-{}] Sockets=2 CoresPerSocket=32 RealMemory={} Gres=gpu:8\n",
                        kind * each, (kind + 1) * each - 1, 1'024'000 + kind);
    }
    return text + "PartitionName=p Nodes=ALL Default=YES MaxTime=2-0\n";
}

constexpr std::string_view gres_conf =
    "Name=gpu File=/dev/nvidia[0-3] Cores=0-31\nName=gpu File=/dev/nvidia[4-7] Cores=32-63\n";

slurm::NodeGrant grant_of(std::uint32_t node) {
    slurm::NodeGrant grant;
    grant.node = fmt::format("n{}", node);
    const std::uint32_t cpus = 1 + node / 2 % 8;
    for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) grant.cpu_ids.insert(OsIndex(cpu));
    grant.cpus = Count(cpus);
    grant.memory = gib(cpus);
    return grant;
}

slurm::Hostlist hosts(std::string_view text) { return *slurm::Hostlist::parse(text); }

slurm::JobOptions options_of(std::string_view text) {
    return slurm::parse_option_text(text)->components.front().options;
}

/// A job on each second node, and one that waits for all nodes.
struct LiveDocument {
    std::string nodes, jobs;
};

LiveDocument live_document(std::uint32_t count) {
    LiveDocument document;
    const auto job = [&](std::uint64_t id, std::string_view state, std::string_view rest) {
        document.jobs += fmt::format(
            "JobId={} JobName=r\n   JobState={} Reason=None\n   Partition=p\n{}"
            "   OverSubscribe=OK Contiguous=0\n\n",
            id, state, rest);
    };
    for (std::uint32_t n = 0; n < count; ++n) {
        document.nodes += fmt::format("NodeName=n{}\n   State=IDLE\n\n", n);
        if (n % 2 != 0) continue;
        job(n + 1, "RUNNING",
            fmt::format("   RunTime=00:00:09 TimeLimit=0{0}:00:00\n"
                        "   StartTime=2026-11-26T11:22:16 EndTime=2026-11-26T1{0}:22:16\n"
                        "   NodeList=n{1}\n   NumNodes=1 NumCPUs=4 NumTasks=1 CPUs/Task=4\n"
                        "     Nodes=n{1} CPU_IDs=0-3 Mem=4000 GRES=\n",
                        2 + n % 5, n));
    }
    job(count + 1, "PENDING",
        fmt::format("   RunTime=00:00:00 TimeLimit=1-00:00:00\n   StartTime=Unknown "
                    "EndTime=Unknown\n   NodeList=\n   NumNodes={0}-{0} NumCPUs={0} NumTasks={0} "
                    "CPUs/Task=1\n   ReqTRES=cpu={0},node={0}\n   MinMemoryCPU=1000M\n"
                    "   TresPerNode=gres/gpu:8\n",
                    count));
    return document;
}

/// A pod runs on each second node, and twenty wait.
std::string pods_document(std::uint32_t nodes) {
    std::string text = R"({"kind": "List", "items": [)";
    for (std::uint32_t n = 0; n < nodes; ++n) {
        text += fmt::format(
            R"({}{{"kind": "Node", "metadata": {{"name": "n{}"}},
             "status": {{"allocatable": {{"cpu": "63500m", "memory": "256Gi", "pods": "110",
             "nvidia.com/gpu": "8"}}, "conditions": [{{"type": "Ready", "status": "True"}}]}}}})",
            n == 0 ? "" : ",", n);
        if (n % 2 != 0) continue;
        text += fmt::format(
            R"(,{{"kind": "Pod", "metadata": {{"namespace": "d", "name": "p{}"}}, "spec": {{
             "nodeName": "n{}", "activeDeadlineSeconds": {}, "containers": [{{"resources": {{
             "requests": {{"cpu": "8", "nvidia.com/gpu": "{}"}}}}}}]}},
             "status": {{"phase": "Running"}}}})",
            n, n, 600 + n % 1000, 1 + n % 8);
    }
    for (std::uint32_t n = 0; n < 20; ++n) {
        text += fmt::format(
            R"(,{{"kind": "Pod", "metadata": {{"namespace": "d", "name": "w{}"}}, "spec": {{
             "containers": [{{"resources": {{"requests": {{"cpu": "8", "nvidia.com/gpu": "{}"}}}}}}
             ]}}, "status": {{"phase": "Pending"}}}})",
            n, n % 2 == 0 ? 8 : 9);
    }
    return text + "]}";
}

/// A price list: each instance in twenty places, on demand and as spot.
std::vector<Offer> price_list(std::uint32_t count) {
    std::vector<Offer> offers;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t number = i / 40;
        Offer offer;
        offer.backend = number % 2 == 0 ? "aws" : "gcp";
        offer.region = fmt::format("region-{}", i / 2 % 20);
        offer.instance = fmt::format("type-{}", number);
        offer.cpus = Count(4 + 4 * (number % 48));
        offer.memory = gib(8 + 8 * (number % 190));
        offer.price = Microdollars(100'000 + 7919 * (i % 1009));
        offer.is_spot = i % 2 == 1;
        if (number % 4 != 0) {
            offer.devices = {{"gpu", "nvidia", "H100", gib(80), Count(1 + number % 8), {}}};
        }
        offers.push_back(std::move(offer));
    }
    return offers;
}

}  // namespace

// Documents name each core, so that those of a sixteenth of the nodes are long enough.
void count_documents(Size size) {
    const Timeline half = half_full({std::max(size.nodes / 16, size.kinds), size.kinds});
    const Watched watched;
    const std::string cluster =
        measure("JSON of a cluster", [&] { return json::to_json_text(half.cluster()); });
    require(
        measure("cluster from JSON", [&] { return json::from_json_text<Cluster>(cluster); }).ok(),
        "the cluster");
    const std::string timeline =
        measure("JSON of a timeline", [&] { return json::to_json_text(half); });
    require(measure("timeline from JSON", [&] { return json::from_json_text<Timeline>(timeline); })
                .ok(),
            "the timeline");
}

void count_pictures(const Timeline& full) {
    const Watched watched;
    (void)measure("svg::render_cluster", [&] { return svg::render_cluster(full.cluster()); });
    (void)measure("svg::render_timeline", [&] { return svg::render_timeline(full); });
}

void count_slurm(Size size) {
    const Watched watched;
    const std::string conf = slurm_conf(size);
    auto made = measure("Controller::create", [&] {
        return slurm::Controller::create({.slurm_conf = conf, .gres_conf = gres_conf});
    });
    require(made.ok(), "a controller");
    slurm::Controller& controller = *made;
    const std::uint32_t nodes = controller.cluster().node_count();
    measure("Controller::adopt, each second node", [&] {
        for (std::uint32_t n = 0; n < nodes; n += 2) {
            const slurm::NodeGrant grant = grant_of(n);
            require(controller.adopt({&grant, 1}).ok(), "a job");
        }
        return true;
    });
    const auto submit = [&](std::string_view options) {
        const auto decision = controller.submit(options);
        require(decision.ok() && decision->owner.has_value(), "a job that starts");
        return *decision->owner;
    };
    const OwnerId first = measure("Controller::submit, the first", [&] { return submit("-G 1"); });
    const OwnerId second = measure("Controller::submit again", [&] { return submit("-G 1"); });
    measure("Controller::submit 20 that differ", [&] {
        for (int i = 0; i < 20; ++i) {
            submit(fmt::format("-c {} --mem={} -G {}", 1 + i % 8, 1000 + i, 1 + i % 4));
        }
        return true;
    });
    (void)measure("Controller::submit 64 nodes", [&] { return submit("-N 64 --gres=gpu:4"); });
    (void)measure("Controller::submit, a never", [&] { return controller.submit("--gres=gpu:9"); });
    (void)measure("Controller::submit_all, two",
                  [&] { return controller.submit_all("-G 1 : -G 2"); });
    (void)measure("Controller::job, grants",
                  [&] { return controller.job(first).ok() && controller.grants(first).ok(); });
    measure("Controller::grow, shrink", [&] {
        auto job = controller.job(first);
        const auto other = controller.job(second);
        const std::string kept = controller.grants(first)->front().node;
        return controller.grow(*job, *other).ok() && controller.shrink(*job, hosts(kept)).ok();
    });
    measure("Controller::release", [&] { return controller.release(first).ok(); });
    measure("Controller::set_node_state",
            [&] { return controller.set_node_state(hosts("n1"), NodeState::drained).ok(); });
    measure("Controller::add_node, remove_nodes", [&] {
        Node node = controller.cluster().node(NodeId(1));
        node.name = "newcomer";
        const std::string partition = "p";
        return controller.add_node(node, {&partition, 1}).ok() &&
               controller.remove_nodes(hosts("newcomer")).ok();
    });
    const slurm::JobOptions one = options_of("-G 1");
    (void)measure("slurm::select",
                  [&] { return slurm::select(controller.cluster(), one, controller.rules()); });
    slurm::Selector selector(controller.rules());
    (void)selector.select(controller.cluster(), one);
    (void)measure("Selector again", [&] { return selector.select(controller.cluster(), one); });

    auto reading = measure("slurm::read_cluster, select_rules_of", [&] {
        auto read = slurm::read_cluster({.slurm_conf = conf, .gres_conf = gres_conf});
        (void)slurm::select_rules_of(read.conf, read.built.cluster);
        return read;
    });
    require(measure("Controller::of", [&] { return slurm::Controller::of(reading); })
                ->warnings()
                .empty(),
            "files without warnings");
    const LiveDocument document = live_document(nodes);
    const auto live = measure("slurm::read_live_cluster", [&] {
        return slurm::read_live_cluster(std::move(reading),
                                        {.nodes = document.nodes, .jobs = document.jobs});
    });
    require(live.ok() && live->running.size() == (nodes + 1) / 2, "a live cluster");
    (void)measure("slurm::timeline_of", [&] { return slurm::timeline_of(*live); });
    const slurm::Submission job = *slurm::parse_option_text("-N 8 --gres=gpu:8 --exclusive");
    (void)measure("slurm::where", [&] { return slurm::where(*live, job); });
    (void)measure("slurm::why, a job for all nodes", [&] { return slurm::why(*live, nodes + 1); });
}

void count_kubernetes(Size size) {
    const Watched watched;
    const std::string text = pods_document(std::max(size.nodes / 4, 1U));
    auto pods = measure("read_kubernetes_cluster",
                        [&] { return container::read_kubernetes_cluster(text); });
    require(pods.ok() && pods->problems.empty(), "a cluster of pods");
    (void)measure("filter_of a pod",
                  [&] { return container::filter_of(*pods, pods->waiting.front()); });
    (void)measure("container::timeline_of", [&] { return container::timeline_of(*pods); });
    (void)measure("pod_start", [&] { return container::pod_start(*pods, pods->waiting.front()); });
    (void)measure("pod_starts of 20", [&] { return container::pod_starts(*pods, pods->waiting); });
    (void)measure("pod_of_request", [&] { return container::pod_of_request(*pods, *gpus(1, 1)); });
    require(measure("add_nodes_like, 1", [&] { return container::add_nodes_like(*pods, "n0", 1); })
                .ok(),
            "another node");
}

void count_offers(Size size) {
    const Watched watched;
    const std::vector<Offer> offers = price_list(size.nodes);
    const Catalog catalog = measure("Catalog::read", [&] { return Catalog::read(offers).catalog; });
    const Request eight = *gpus(1, 8, 0);
    (void)measure("match_offers", [&] { return match_offers(catalog, eight); });
    OfferFilter ten;
    ten.offers_max = Count(10);
    (void)measure("match_offers, ten of them", [&] { return match_offers(catalog, eight, ten); });
    OfferFilter place;
    place.regions = {"region-3"};
    (void)measure("explain_offers", [&] { return explain_offers(catalog, eight, place); });
    (void)measure("Catalog::offers", [&] { return catalog.offers(); });
    dstack::FleetConfiguration fleet;
    fleet.name = "f";
    fleet.nodes = dstack::FleetNodes{};
    (void)measure("dstack::plan_run", [&] {
        return dstack::plan_run({&fleet, 1}, {}, catalog, dstack::RunConfiguration(), newcomer);
    });
    (void)measure("dstack::to_table of ten", [&] {
        return dstack::to_table(catalog, match_offers(catalog, eight), Count(10));
    });
}

}  // namespace trestle::growth
