// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/live/kubernetes_cluster.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dialect/container/live/pod_times.hpp"
#include "support/paths.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"

namespace trestle::container {
namespace {

std::string file(const char* name) {
    const auto text = slurm::read_file(data_dir() / "kubernetes" / name);
    REQUIRE(text.ok());
    REQUIRE(*text);
    return **text;
}

std::string recorded() { return file("nodes_and_pods.json"); }
std::string with_deadlines() { return file("with_deadlines.json"); }

std::string list_of_items(const std::string& items) {
    return R"({"kind": "List", "items": [)" + items + "]}";
}

/// A node with 2 CPUs, 1 GiB and a GPU.
constexpr const char* one_node =
    R"({"kind": "Node", "metadata": {"name": "n"}, "spec": {}, "status": {
        "allocatable": {"cpu": 2, "memory": "1Gi", "nvidia.com/gpu": "1", "pods": "9"},
        "conditions": [{"type": "Ready", "status": "True"}]}})";

/// A pod of that node with one container.
std::string pod_with(const std::string& requests) {
    return R"({"kind": "Pod", "metadata": {"namespace": "a", "name": "p"}, "spec": {"nodeName": "n",
        "containers": [{"resources": {"requests": )" +
           requests + R"(}}]}, "status": {"phase": "Running"}})";
}

TEST_CASE("kubernetes: nodes, states and what each pod has", "[dialect][container][live]") {
    const auto read = read_kubernetes_cluster(recorded());
    REQUIRE(read.ok());
    const Cluster& cluster = read->cluster;
    REQUIRE(cluster.node_count() == 6);
    const std::pair<const char*, NodeState> states[] = {
        {"gpu-1", NodeState::up}, {"gpu-2", NodeState::drained}, {"mig-1", NodeState::up},
        {"cpu-1", NodeState::up}, {"cpu-2", NodeState::down},    {"small-1", NodeState::drained}};
    for (const auto& [name, state] : states) {
        INFO(name);
        CHECK(cluster.class_of(*cluster.find_node(name)).state == state);
    }
    CHECK(read->full == std::vector<std::string>{"small-1"});
    const auto part_of = [&](const std::string& name) {
        for (const RunningPod& pod : read->running) {
            if (pod.name == name) return cluster.find_allocation(pod.owner)->placement.nodes[0];
        }
        FAIL(name << " is not adopted");
        return NodePlacement();
    };
    CHECK(part_of("default/train-0").milli_cpus == MilliCpu(16'000));
    CHECK(part_of("default/train-0").total_memory() == gib(128));
    CHECK(part_of("default/train-0").devices.size() == 5);  // 4 GPUs, 1 adapter
    CHECK(part_of("default/serve-0").milli_cpus == MilliCpu(2'100));
    CHECK(part_of("default/serve-0").devices.size() == 1);
    // The init container asks for more than what runs behind it: 4 CPUs, and the overhead.
    CHECK(part_of("default/batch-0").milli_cpus == MilliCpu(4'250));
    CHECK(part_of("default/batch-0").total_memory() == gib(1) + mib(120));
    CHECK(part_of("kept by cpu-1").milli_cpus == MilliCpu(90));
    const auto is_named = [](const char* name) {
        return [name](const RunningPod& pod) { return pod.name == name; };
    };
    CHECK(std::none_of(read->running.begin(), read->running.end(), is_named("default/done-0")));
    CHECK(std::any_of(read->running.begin(), read->running.end(), is_named("default/plain-0")));
    CHECK(read->problems ==
          std::vector<std::string>{
              "pod default/lost-0: not adopted: unknown node gone-1",
              "pod default/huge-0: affinity, spread constraints and claims are not looked at"});
    CHECK(Timeline(cluster).size() == read->running.size());
}

TEST_CASE("kubernetes: a waiting pod is placed where its selector and taints let it",
          "[dialect][container][live]") {
    const auto read = read_kubernetes_cluster(recorded());
    REQUIRE(read.ok());
    std::vector<std::string> places;
    for (const WaitingPod& pod : read->waiting) {
        const auto placed = place(read->cluster, pod.request, {}, filter_of(*read, pod));
        places.push_back(pod.name + " " +
                         (placed ? read->cluster.name(placed->nodes[0].node) : "waits"));
    }
    CHECK(places == std::vector<std::string>{"default/train-1 waits", "default/train-2 gpu-1",
                                             "default/ssd-0 waits", "default/huge-0 waits"});
    CHECK(read->waiting[2].nodes == NodeSet::of({*read->cluster.find_node("cpu-1")}));
    CHECK(read->waiting[3].nodes.count() == 6);  // it tolerates everything
}

TEST_CASE("kubernetes: a resource of large counts is one device with shares",
          "[dialect][container][live]") {
    const auto node = [](const std::string& name, int kvm) {
        return R"({"kind": "Node", "metadata": {"name": ")" + name + R"("}, "status": {
            "allocatable": {"cpu": "8", "memory": "8Gi", "devices.kubevirt.io/kvm": ")" +
               std::to_string(kvm) + R"(", "devices.kubevirt.io/tun": "1k", "nvidia.com/gpu": 2},
            "conditions": [{"type": "Ready", "status": "True"}]}})";
    };
    const auto pod = [](const std::string& name, const std::string& on, int kvm) {
        return R"({"kind": "Pod", "metadata": {"namespace": "vm", "name": ")" + name +
               R"("}, "spec": {)" + (on.empty() ? "" : R"("nodeName": ")" + on + R"(", )") +
               R"("containers": [{"resources": {"requests": {"cpu": 1,
               "devices.kubevirt.io/kvm": ")" +
               std::to_string(kvm) + R"("}}}]}})";
    };
    // 65 is the least that is counted; a node with fewer has shares too.
    const auto read = read_kubernetes_cluster(
        list_of_items(node("many", 65) + "," + node("few", 3) + "," + pod("a", "many", 60) + "," +
                      pod("b", "few", 2) + "," + pod("c", "few", 2) + "," + pod("d", "", 5) + "," +
                      pod("e", "", 6)));
    REQUIRE(read.ok());
    CHECK(read->problems ==
          std::vector<std::string>{
              "pod vm/c: counts without its resources: it has 2 devices.kubevirt.io/kvm, and "
              "1 are left on few"});
    for (const char* const name : {"many", "few"}) {
        CHECK(read->cluster.shape(*read->cluster.find_node(name)).devices.size() == 4);
    }
    const auto placed = place(read->cluster, read->waiting[0].request);
    REQUIRE(placed);
    CHECK(read->cluster.name(placed->nodes[0].node) == "many");
    CHECK(placed->nodes[0].devices == SmallVector<DeviceShare>{{DeviceId(0), Count(5)}});
    CHECK_FALSE(place(read->cluster, read->waiting[1].request));
}

TEST_CASE("kubernetes: pods that ask for other nodes are not taken for alike",
          "[dialect][container][live]") {
    const auto node = [](const std::string& name, const std::string& taint) {
        return R"({"kind": "Node", "metadata": {"name": ")" + name + R"("}, "spec": {"taints": [
            {"key": ")" +
               taint + R"(", "effect": "NoSchedule"}]}, "status": {"allocatable": {
            "cpu": 8, "a/1": 1, "a/2": 1, "a/3": 1, "a/4": 1},
            "conditions": [{"type": "Ready", "status": "True"}]}})";
    };
    const auto pod = [](const std::string& tolerations, const std::string& requests) {
        return R"({"kind": "Pod", "metadata": {"namespace": "a", "name": "p"}, "spec": {
            "tolerations": [)" +
               tolerations + R"(], "containers": [{"resources": {"requests": {)" + requests +
               R"(}}}]}})";
    };
    // The words of the first are those of the second, in the same order.
    const std::string words =
        R"({"key": "a/1", "value": "a/2", "effect": "a/3", "operator": "a/4"})";
    const auto read = read_kubernetes_cluster(
        list_of_items(node("one", "a/1") + "," + node("three", "a/3") + "," + pod(words, "") + "," +
                      pod("", R"("a/1": 1, "a/2": 1, "a/3": 1, "a/4": 1)") + "," + pod(words, "")));
    REQUIRE(read.ok());
    REQUIRE(read->waiting.size() == 3);
    CHECK(read->waiting[0].nodes.is_empty());
    CHECK(read->waiting[1].nodes.count() == 2);
    CHECK(read->waiting[2].nodes.is_empty());
}

TEST_CASE("kubernetes: equal words of two vendors are two devices", "[dialect][container][live]") {
    const auto read = read_kubernetes_cluster(with_deadlines());
    REQUIRE(read.ok());
    CHECK(read->problems.empty());
    const NodeShape& shape = read->cluster.shape(*read->cluster.find_node("acme-1"));
    std::vector<std::string> vendors;
    for (const Device& device : shape.devices) {
        CHECK(device.name == "x");
        vendors.push_back(device.vendor);
    }
    CHECK(vendors ==
          std::vector<std::string>{"acme.com", "acme.com", "acme.io", "acme.io", "acme.io"});
    CHECK(read->cluster.shape(NodeId(0)).devices[0].vendor == "nvidia");
}

TEST_CASE("kubernetes: deadlines and deletion are the ends of pods", "[dialect][container][live]") {
    const std::string text = with_deadlines();
    const auto ends_of = [&](std::optional<std::int64_t> now) {
        const auto read = read_kubernetes_cluster(text, now);
        REQUIRE(read.ok());
        std::vector<std::pair<std::string, std::int64_t>> ends;
        for (const RunningPod& pod : read->running) {
            if (pod.ends_in) ends.emplace_back(pod.name, pod.ends_in->value());
        }
        const Timeline timeline = timeline_of(*read);
        for (const RunningPod& pod : read->running) {
            const auto period = timeline.period_of(pod.owner);
            REQUIRE(period);
            const std::int64_t end =
                pod.ends_in ? std::max<std::int64_t>(pod.ends_in->value(), 1) : end_of_time.value();
            CHECK(period->end == Instant(end));
        }
        return ends;
    };
    using Ends = std::vector<std::pair<std::string, std::int64_t>>;
    // The latest moment of the document is 10:00:00.
    CHECK(ends_of({}) ==
          Ends{{"default/train-a", 3600}, {"default/short-0", 1800}, {"default/leaving-0", 25}});
    constexpr std::int64_t ten = 1'767'607'200;
    CHECK(ends_of(ten) == ends_of({}));
    CHECK(ends_of(ten + 1800) ==
          Ends{{"default/train-a", 1800}, {"default/short-0", 1}, {"default/leaving-0", 1}});
    CHECK(ends_of(std::numeric_limits<std::int64_t>::max()).size() == 3);
    CHECK(ends_of(std::numeric_limits<std::int64_t>::min()).size() == 3);
    const auto read = read_kubernetes_cluster(text);
    std::vector<std::string> order;
    for (const WaitingPod& pod : read->waiting) order.push_back(pod.name);
    CHECK(order == std::vector<std::string>{"default/first", "default/wait-gpu", "default/wait-io",
                                            "default/wait-com", "default/wait-two"});
    CHECK(read->waiting[0].request.time_limit == Seconds(600));
    CHECK(read->full == std::vector<std::string>{"gpu-2"});
    CHECK(read->pod_room == std::vector<std::int64_t>{109, 0, 108});
}

TEST_CASE("kubernetes: moments are read in one form", "[dialect][container][live]") {
    CHECK(moment_of("1970-01-01T00:00:00Z") == 0);
    CHECK(moment_of("2026-01-05T10:00:00Z") == 1'767'607'200);
    CHECK(moment_of("2024-02-29T23:59:60Z") == 1'709'251'200);
    for (const char* const text :
         {"", "2026-01-05", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-05T24:00:00Z",
          "2026-01-05T10:60:00Z", "2026-01-05T10:00:61Z", "2026-01-05 10:00:00Z",
          "2026-01-05T10:00:00+", "20x6-01-05T10:00:00Z", "2026-01-05T10:00:00.0Z"}) {
        INFO(text);
        CHECK_FALSE(moment_of(text));
    }
}

TEST_CASE("kubernetes: what a pod names for itself counts, and gates are a problem",
          "[dialect][container][live]") {
    const std::string pod =
        R"({"kind": "Pod", "metadata": {"namespace": "a", "name": "p"}, "spec": {
        "resources": {"requests": {"cpu": "1500m"}, "limits": {"cpu": "2", "memory": "512Mi"}},
        "schedulingGates": [{"name": "quota"}],
        "containers": [{"resources": {"requests": {"cpu": "100m", "memory": "1Mi",
            "nvidia.com/gpu": "1"}}}, {}]}})";
    const auto read = read_kubernetes_cluster(list_of_items(std::string(one_node) + "," + pod));
    REQUIRE(read.ok());
    REQUIRE(read->waiting.size() == 1);
    const Request& request = read->waiting[0].request;
    CHECK(request.milli_cpus == MilliCpu(1'500));
    CHECK(request.memory == Range<Bytes>::exactly(mib(512)));
    REQUIRE(request.devices.size() == 1);
    CHECK(request.devices[0].name == "gpu");
    REQUIRE(read->problems.size() == 1);
    CHECK(read->problems[0].starts_with("pod a/p: it has scheduling gates"));
    CHECK(read->waiting[0].is_gated);
    const std::string leaving = R"({"kind": "Pod", "metadata": {"namespace": "a", "name": "q",
        "deletionTimestamp": "2026-01-05T10:00:00Z"}, "spec": {"containers": [{}]}})";
    const auto left = read_kubernetes_cluster(list_of_items(std::string(one_node) + "," + leaving));
    REQUIRE(left.ok());
    CHECK(left->waiting.empty());
    CHECK(left->problems ==
          std::vector<std::string>{"pod a/q: left out: it is being deleted, and has no node"});
}

TEST_CASE("kubernetes: what cannot be read or does not fit is listed",
          "[dialect][container][live]") {
    struct Row {
        const char* why;
        std::string items;
        std::string problem;  // empty: none
    };
    const std::string node = one_node;
    const Row rows[] = {
        {"all of the node", node + "," + pod_with(R"({"cpu": "2", "memory": "1Gi"})"), ""},
        {"a number without quotes", node + "," + pod_with(R"({"cpu": 1})"), ""},
        {"more CPUs than there are", node + "," + pod_with(R"({"cpu": "2001m"})"),
         "pod a/p: counts without its resources: "},
        {"more memory", node + "," + pod_with(R"({"memory": "2Gi"})"),
         "pod a/p: counts without its resources: it has 2GiB of memory, and 1GiB are left on n"},
        {"more devices", node + "," + pod_with(R"({"nvidia.com/gpu": "2"})"),
         "pod a/p: counts without its resources: it has 2 nvidia.com/gpu, and 1 are left on n"},
        {"devices of another vendor", node + "," + pod_with(R"({"amd.com/gpu": "1"})"),
         "pod a/p: counts without its resources: it has 1 amd.com/gpu, and 0 are left on n"},
        {"no quantity", node + "," + pod_with(R"({"cpu": "much"})"),
         "pod p: left out: cpu: much, expected a quantity"},
        {"a fraction of a device", node + "," + pod_with(R"({"nvidia.com/gpu": "500m"})"),
         "pod p: left out: nvidia.com/gpu: 500m, expected a quantity"},
        {"another kind", node + R"(,{"kind": "Service", "metadata": {"name": "s"}})",
         "service s: left out: expected kind Node, Pod or Job"},
        {"no object", node + ",7", " : left out: expected kind Node, Pod or Job"},
        {"more of a resource than can be counted",
         node + R"(,{"kind": "Node", "metadata": {"name": "m"}, "status": {"allocatable": {
             "cpu": 1, "a.b/c": "9223372036854775807"}}})",
         "node m: left out: 9223372036854775807 a.b/c, expected 1099511627776 or less"},
        {"a node without CPUs", node + R"(,{"kind": "Node", "metadata": {"name": "m"}})",
         "node m: left out: no allocatable CPU"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto read = read_kubernetes_cluster(list_of_items(row.items));
        REQUIRE(read.ok());
        REQUIRE(read->problems.size() == (row.problem.empty() ? 0 : 1));
        if (!row.problem.empty()) CHECK(read->problems[0].starts_with(row.problem));
    }
}

TEST_CASE("kubernetes: text of another program is refused in one line",
          "[dialect][container][live]") {
    const std::string whole = recorded();
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, whole.size() / 2}) {
        const auto read = read_kubernetes_cluster(whole.substr(0, size));
        REQUIRE_FALSE(read.ok());
        CHECK(message(read.status()).find('\n') == std::string::npos);
    }
    for (const char* const text : {"7", "{}", R"({"items": 7})", R"({"jobs": []})",
                                   R"({"items": []})", R"({"items": [{"kind": "Pod"}]})"}) {
        INFO(text);
        const auto read = read_kubernetes_cluster(text);
        REQUIRE_FALSE(read.ok());
        CHECK(message(read.status()).find("kubectl get nodes,pods -A -o json") !=
              std::string::npos);
    }
    const std::string twice = std::string(one_node) + "," + one_node;
    const auto once = read_kubernetes_cluster(list_of_items(twice));
    REQUIRE(once.ok());
    CHECK(once->cluster.node_count() == 1);
    REQUIRE(once->problems.size() == 1);
    CHECK(once->problems[0].ends_with("left out: it is there twice"));
}

}  // namespace
}  // namespace trestle::container
