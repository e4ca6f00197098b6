// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/job/job.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "alloc/node/job/job_devices.hpp"
#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/golden.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/job_steps.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

static_assert(lists_all_fields<JobStep> && lists_all_fields<JobNode> &&
              lists_all_fields<JobDevices> && lists_all_fields<StepOptions>);

Cluster four_nodes() {
    auto cluster = testing::cluster_from_text("4 x (2s4c mem=16G gpu:4)");
    REQUIRE(cluster.ok());
    return *std::move(cluster);
}

NodePlacement part(std::uint32_t node, const char* cores, const char* devices) {
    NodePlacement made;
    made.node = NodeId(node);
    made.cores = *parse_set<CoreSet>(cores);
    const DeviceSet set = *parse_set<DeviceSet>(devices);
    for (const DeviceId device : set) {
        made.devices.push_back({device, Count(1)});
    }
    return made;
}
NodePlacement with_memory(NodePlacement made, Bytes bytes) {
    made.memory = {{DomainId(0), bytes}};
    return made;
}

/// The job of the GRES design guide: two GPUs on each of three nodes, {0,1} {2,3} {0,2}.
Allocation guide_allocation() {
    return {
        OwnerId(7),
        Request{},
        {{with_memory(part(0, "0-3", "0-1"), gib(4)), with_memory(part(1, "0-3", "2-3"), gib(4)),
          with_memory(part(2, "0-3", "0,2"), gib(4))}}};
}
JobState guide_job() {
    auto job = JobState::create(four_nodes().parts().nodes, guide_allocation());
    REQUIRE(job.ok());
    return *std::move(job);
}

JobStep step(std::uint32_t id, std::vector<NodePlacement> nodes,
             JobStep::Use use = JobStep::Use::alone) {
    return {StepId(id), use, {std::move(nodes)}};
}

/// One GPU and one CPU on `node`.
Request one_gpu_on(const std::string& node) {
    Request request;
    request.required_nodes = {node};
    request.devices = {DeviceRequest{}};
    return request;
}

void run(JobState& job, std::uint32_t id, const Request& request, const StepOptions& options = {}) {
    const auto placed = place_step(job, request, options);
    INFO(to_text(placed));
    REQUIRE(placed);
    REQUIRE(job.start({StepId(id), options.use, *placed}).ok());
}

/// The job gets what it has now in the cluster too.
void renew(Cluster& cluster, const JobState& job) {
    REQUIRE(cluster.release(job.owner()).ok());
    REQUIRE(cluster.commit(job.allocation()).ok());
}

}  // namespace

TEST_CASE("JobState: the drawing of the GRES design guide", "[alloc][golden]") {
    const Cluster idle = four_nodes();
    Cluster cluster = idle;
    JobState job = guide_job();
    REQUIRE(cluster.commit(job.allocation()).ok());
    std::string text = to_text(job) + "\n\n";

    for (const std::uint32_t i : {0u, 1u, 2u}) run(job, i, one_gpu_on("n" + std::to_string(i)));
    text += to_text(job) + "\n\n";

    const JobNode first = job.nodes()[0];
    const JobNode last = job.nodes()[2];
    REQUIRE(job.end(StepId(1)).ok());
    const auto given_up = job.remove_node(NodeId(1));
    REQUIRE(given_up.ok());
    REQUIRE(cluster.release_part(job.owner(), *given_up).ok());
    CHECK(cluster.find_allocation(job.owner())->placement == job.allocation().placement);
    CHECK(job.nodes() == std::vector{first, last});
    text += to_text(job) + "\n\n";

    REQUIRE(job.add_node(idle.node(NodeId(3)), part(3, "0-1", "1")).ok());
    renew(cluster, job);
    CHECK(*cluster.find_allocation(job.owner()) == job.allocation());
    CHECK(job.nodes()[0] == first);
    CHECK(job.nodes()[1] == last);
    CHECK(hash_of(job.nodes()[0].granted) == hash_of(first.granted));
    text += to_text(job) + "\n";
    check_golden("job_guide.txt", text);

    REQUIRE(cluster.release(job.owner()).ok());
    CHECK(cluster == idle);
}

TEST_CASE("JobState: an allocation that does not go together with the nodes", "[alloc]") {
    struct Row {
        void (*change)(Allocation&);
        StatusCode code;
        const char* message;
    };
    const auto row = GENERATE(values<Row>({
        {[](Allocation& a) { a.placement.nodes[2].node = NodeId(4); }, invalid,
         "node 4 does not exist"},
        {[](Allocation& a) { a.placement.nodes[1].node = NodeId(0); }, invalid,
         "node 0: expected rising node ids, each once"},
        {[](Allocation& a) { a.placement.nodes[1].cores.insert(CoreId(8)); }, invalid,
         "node n1: core 8 does not exist, or is the system's"},
        {[](Allocation& a) { a.placement.nodes[0].memory[0].bytes = gib(9); }, refused,
         "node n0: memory domain 0 has 8589934592 bytes free, not 9663676416"},
    }));
    Allocation allocation = guide_allocation();
    row.change(allocation);
    const auto job = JobState::create(four_nodes().parts().nodes, allocation);
    CHECK(job.status().code() == row.code);
    CHECK(message(job.status()) == row.message);
}

TEST_CASE("JobState: a step that cannot start names the reason and changes nothing", "[alloc]") {
    struct Row {
        JobStep step;
        StatusCode code;
        const char* message;
        const char* why;
    };
    const auto row = GENERATE(values<Row>({
        {step(0, {part(1, "0", "")}), refused, "step 0 runs already", "one id twice"},
        {step(9, {}), invalid, "step 9: it has no node", "nothing at all"},
        {step(9, {part(3, "0", "")}), refused, "node 3 is not the job's", "a foreign node"},
        {step(9, {part(1, "0", ""), part(0, "3", "")}), invalid,
         "node 0: expected rising node ids, each once", "out of order"},
        {step(9, {part(1, "9", "")}), invalid, "node n1: core 9 does not exist, or is the system's",
         "no such core"},
        {step(9, {part(1, "4", "")}), refused, "node n1: core 4 is not the job's", "another's"},
        {step(9, {part(0, "0-1", "")}), refused, "node n0: core 0 is taken (step 0)", "its owner"},
        {step(9, {part(0, "3", "0")}), refused,
         "node n0: gpu:0 is taken, 0 of 1 shares are left (step 0)", "its owner"},
        {step(9, {part(0, "3", "2")}), refused, "node n0: gpu:2 is not the job's", "another's"},
        {step(9, {with_memory(part(0, "3", ""), gib(3))}), refused,
         "node n0: 2147483648 bytes of memory domain 0 are left, not 3221225472 (step 0, 1)",
         "both owners"},
        {step(9, {with_memory(part(0, "3", ""), gib(5))}, JobStep::Use::overlap), refused,
         "node n0: the job has 4294967296 bytes of memory domain 0, not 5368709120",
         "more than the job has, shared or not"},
        {step(9, {part(0, "3", "2")}, JobStep::Use::overlap), refused,
         "node n0: gpu:2 is not the job's", "an overlapping step stays inside the job too"},
    }));
    INFO(row.why);
    JobState job = guide_job();
    REQUIRE(job.start(step(0, {with_memory(part(0, "0", "0"), gib(1))})).ok());
    REQUIRE(job.start(step(1, {with_memory(part(0, "1", ""), gib(1))})).ok());
    REQUIRE(job.start(step(2, {part(0, "0-3", "0-1")}, JobStep::Use::overlap)).ok());
    const JobState before = job;
    const Status status = job.start(row.step);
    CHECK(status.code() == row.code);
    CHECK(message(status) == row.message);
    CHECK(job == before);
    CHECK(hash_of(job) == hash_of(before));
}

TEST_CASE("JobState: cores of a step are in the job's row, with no more threads", "[alloc]") {
    auto cluster = testing::cluster_from_text("1 x (4c2t)");
    REQUIRE(cluster.ok());
    NodePlacement granted = part(0, "0-3", "");
    granted.row = 1;
    granted.threads_per_core = Count(1);
    auto job = JobState::create(cluster->parts().nodes, {OwnerId(1), Request{}, {{granted}}});
    REQUIRE(job.ok());
    NodePlacement wanted = part(0, "0", "");
    CHECK(message(job->start(step(0, {wanted}))) == "node n0: cores in another row than the job's");
    wanted.row = 1;
    CHECK(message(job->start(step(0, {wanted}))) ==
          "node n0: more threads of a core than the job's 1");
    wanted.threads_per_core = Count(1);
    CHECK(job->start(step(0, {wanted})).ok());
    Request two_cpus;
    two_cpus.cpus_per_task = Range<Count>::exactly(Count(2));
    const auto placed = place_step(*job, two_cpus);
    REQUIRE(placed);
    CHECK(placed->nodes[0].cores == CoreSet::range({1, 3}));
    CHECK(placed->nodes[0].row == 1u);
    CHECK(job->start({StepId(1), JobStep::Use::alone, *placed}).ok());
}

TEST_CASE("JobState: a step gives back what it had", "[alloc]") {
    JobState job = guide_job();
    const JobState fresh = job;
    const JobStep wide = step(3, {part(0, "0-1", "1"), part(2, "2", "0")});
    REQUIRE(job.start(wide).ok());
    CHECK(job.find_step(StepId(3)) != nullptr);
    CHECK(job != fresh);
    const auto ended = job.end(StepId(3));
    REQUIRE(ended.ok());
    CHECK(*ended == wide);
    CHECK(job == fresh);
    CHECK(job.end(StepId(3)).status().code() == absent);
    CHECK(message(job.end(StepId(3)).status()) == "step 3 does not run");
}

TEST_CASE("JobState: overlapping steps take nothing away", "[alloc]") {
    JobState job = guide_job();
    const JobStep all = step(0, {part(0, "0-3", "0-1")});
    REQUIRE(job.start(all).ok());
    REQUIRE(job.start(step(1, {part(0, "0-3", "0-1")}, JobStep::Use::overlap)).ok());
    REQUIRE(job.start(step(2, {part(0, "0", "0")}, JobStep::Use::overlap)).ok());
    CHECK(devices_of(job.nodes()[0])[0].step_count == Count(2));
    REQUIRE(job.end(StepId(0)).ok());
    CHECK(devices_of(job.nodes()[0])[0].step_count == Count());
    CHECK(job.start(step(3, {part(0, "0-3", "0-1")})).ok());
}

TEST_CASE("JobState: a node on which a step runs stays", "[alloc]") {
    JobState job = guide_job();
    REQUIRE(job.start(step(4, {part(1, "0", "2"), part(2, "0", "")})).ok());
    REQUIRE(job.start(step(5, {part(2, "0", "")}, JobStep::Use::overlap)).ok());
    const JobState before = job;
    CHECK(job.remove_node(NodeId(1)).status().code() == refused);
    CHECK(message(job.remove_node(NodeId(1)).status()) == "node n1: step 4 runs there");
    CHECK(job.remove_node(NodeId(3)).status().code() == absent);
    CHECK(job == before);
    REQUIRE(job.end(StepId(4)).ok());
    CHECK(message(job.remove_node(NodeId(2)).status()) == "node n2: step 5 runs there");
    CHECK(job.remove_node(NodeId(1)).ok());
}

TEST_CASE("JobState: it may get more of a node while steps run there", "[alloc]") {
    JobState job = guide_job();
    REQUIRE(job.start(step(4, {with_memory(part(0, "0", "0"), gib(1))})).ok());
    REQUIRE(job.start(step(5, {part(0, "0-3", "0-1")}, JobStep::Use::overlap)).ok());
    const JobState before = job;
    const NodePlacement whole = with_memory(part(0, "0-5", "0-2"), gib(6));
    struct Row {
        NodePlacement whole;
        const char* expected;
        const char* why;
    };
    NodePlacement other_threads = whole;
    other_threads.threads_per_core = Count(1);
    NodePlacement other_row = whole;
    other_row.row = 1;
    const Row rows[] = {
        {part(3, "0", ""), "node 3 is not the job's", "one that it does not have"},
        {with_memory(part(0, "1-5", "0-2"), gib(6)), "node n0: core 0 of the job's is missing",
         "a core less"},
        {with_memory(part(0, "0-5", "0,2"), gib(6)), "node n0: device 1 of the job's is missing",
         "a device less"},
        {with_memory(part(0, "0-5", "0-2"), gib(3)),
         "node n0: memory of domain 0 of the job's is missing", "less memory"},
        {other_threads, "node n0: 1 threads of each core, not 0 (0: all)", "cores used otherwise"},
        {other_row, "node n0: cores in another row than the job's", "another row"},
        {with_memory(part(0, "0-5", "0-9"), gib(6)), "node n0: ", "devices that do not exist"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK_THAT(std::string(message(job.grow_node(row.whole))),
                   Catch::Matchers::ContainsSubstring(row.expected));
        CHECK(job == before);
    }
    REQUIRE(job.grow_node(whole).ok());
    CHECK(job.nodes()[0].granted == whole);
    CHECK(to_text(job.nodes()[0].free.cores) == "1-5");
    CHECK(job.nodes()[0].free.bytes_of(DomainId(0)) == gib(5));
    CHECK(job.nodes()[0].free.shares_of(DeviceId(0)) == Count());
    CHECK(job.nodes()[0].free.shares_of(DeviceId(2)) == Count(1));
    CHECK(job.start(step(6, {part(0, "4-5", "2")})).ok());
    REQUIRE(job.end(StepId(4)).ok());
    REQUIRE(job.end(StepId(6)).ok());
    CHECK(job.nodes()[0].free.bytes_of(DomainId(0)) == gib(6));
}

TEST_CASE("JobState: it may lose all its nodes and get others", "[alloc]") {
    const Cluster idle = four_nodes();
    Cluster cluster = idle;
    JobState job = guide_job();
    REQUIRE(cluster.commit(job.allocation()).ok());
    for (const std::uint32_t i : {2u, 0u, 1u}) {
        const auto given_up = job.remove_node(NodeId(i));
        REQUIRE(given_up.ok());
        CHECK(given_up->nodes == std::vector{guide_allocation().placement.nodes[i]});
        REQUIRE(cluster.release_part(job.owner(), *given_up).ok());
    }
    CHECK(cluster == idle);
    CHECK(to_text(job) == "job 7 on no node");
    CHECK(!place_step(job, Request{}));
    for (const std::uint32_t i : {1u, 0u, 2u}) {
        REQUIRE(job.add_node(idle.node(NodeId(i)), guide_allocation().placement.nodes[i]).ok());
    }
    CHECK(job == guide_job());
}

TEST_CASE("JobState: a node that cannot be added changes nothing", "[alloc]") {
    const Cluster cluster = four_nodes();
    JobState job = guide_job();
    const auto refused_with = [&](const Node& node, NodePlacement granted) {
        const Status status = job.add_node(node, std::move(granted));
        CHECK(job == guide_job());
        return std::string(message(status));
    };
    const Node& other = cluster.node(NodeId(3));
    CHECK(refused_with(other, part(1, "0", "")) == "node n3: the job has it already");
    CHECK(refused_with(cluster.node(NodeId(1)), part(3, "0", "")) ==
          "node n1: the job has it already");
    CHECK(refused_with(other, part(3, "8", "")) ==
          "node n3: core 8 does not exist, or is the system's");
    Node nameless = other;
    nameless.name = "";
    CHECK(refused_with(nameless, part(3, "0", "")) == "node 3: it has no name");
}

TEST_CASE("JobState: steps have thousandths of the job's own, then of its cores", "[alloc]") {
    Allocation allocation = guide_allocation();
    allocation.placement.nodes[0].milli_cpus = MilliCpu(500);
    auto made = JobState::create(four_nodes().parts().nodes, allocation);
    REQUIRE(made.ok());
    JobState job = *std::move(made);
    const JobState idle = job;
    const auto thousandths = [](std::int64_t milli, const char* cores = "") {
        NodePlacement one = part(0, cores, "");
        one.milli_cpus = MilliCpu(milli);
        return one;
    };
    REQUIRE(job.start(step(0, {thousandths(300)})).ok());
    CHECK(job.find_node(NodeId(0))->free.milli_cpus == MilliCpu(200));
    REQUIRE(job.start(step(1, {thousandths(1'200, "3")})).ok());  // 1000 of the cores 0-2
    CHECK(job.find_node(NodeId(0))->free.milli_cpus == MilliCpu());
    CHECK(to_text(job).find("milli_cpus\n  job   500;0;0\n  steps 1500;0;0\nmemory") !=
          std::string::npos);

    const JobState before = job;
    CHECK(message(job.start(step(2, {thousandths(0, "0-2")}))) ==
          "node n0: 0 thousandths of CPUs would be left, not 0 (step 0, 1)");
    CHECK(message(job.start(step(2, {thousandths(2'001)}))) ==
          "node n0: 2000 thousandths of CPUs would be left, not 2001 (step 0, 1)");
    CHECK(message(job.start(step(2, {thousandths(4'501)}, JobStep::Use::overlap))) ==
          "node n0: 4500 thousandths of CPUs would be left, not 4501 (step 0, 1)");
    CHECK(job == before);
    REQUIRE(job.start(step(2, {thousandths(4'500)}, JobStep::Use::overlap)).ok());
    REQUIRE(job.start(step(3, {thousandths(0, "2")})).ok());  // 1000 are left

    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(0));
    request.milli_cpus = MilliCpu(1'000);
    request.required_nodes = {"n0"};
    const auto placed = place_step(job, request);
    REQUIRE(placed);
    CHECK(placed->nodes[0].milli_cpus == MilliCpu(1'000));
    CHECK(placed->nodes[0].cores.is_empty());
    request.milli_cpus = MilliCpu(1'001);
    CHECK_FALSE(place_step(job, request));
    REQUIRE(job.start({StepId(4), JobStep::Use::alone, *placed}).ok());
    for (const std::uint32_t id : {0u, 4u, 2u, 1u, 3u}) REQUIRE(job.end(StepId(id)).ok());
    CHECK(job == idle);
}

TEST_CASE("place_step: a step is placed inside its job, lowest and near first", "[alloc]") {
    JobState job = guide_job();
    const auto placed = [&](const Request& request, JobStep::Use use = JobStep::Use::alone) {
        const auto found = place_step(job, request, {use, {}});
        return found ? to_text(*found, four_nodes()) : to_text(found.refusal());
    };
    Request all;
    all.nodes = Range<Count>::exactly(Count(3));
    all.devices = {DeviceRequest{}};
    CHECK(placed(all) ==
          "n0 cores=0 devices=gpu:0\nn1 cores=0 devices=gpu:2\nn2 cores=0 devices=gpu:0");
    run(job, 0, all);
    CHECK(placed(all) ==
          "n0 cores=1 devices=gpu:1\nn1 cores=1 devices=gpu:3\nn2 cores=1 devices=gpu:2");
    Request whole = one_gpu_on("n2");
    whole.memory = Range<Bytes>::exactly(gib(3));
    whole.cpus_per_task = Range<Count>::exactly(Count(3));
    CHECK(placed(whole) == "n2 cores=1-3 memory=0:3GiB devices=gpu:2");
    run(job, 1, whole);
    CHECK(placed(all) ==
          "nodes: asked 3 nodes, 2 of 3 can take a part; asked 1 gpu, 0 of 2 are free "
          "on the node; running "
          "steps: 0, 1");
    CHECK(placed(all, JobStep::Use::overlap) ==
          "n0 cores=0 devices=gpu:0\nn1 cores=0 devices=gpu:2\nn2 cores=0 devices=gpu:0");
    Request greedy;
    greedy.memory = Range<Bytes>::exactly(gib(5));
    CHECK(!place_step(job, greedy, {JobStep::Use::overlap, {}}));
    CHECK(!explain(cluster_of(job, JobStep::Use::alone), greedy).fits);
}

TEST_CASE("place_step: a part of a device is what there is to the steps", "[alloc]") {
    auto cluster = testing::cluster_from_text("1 x (4c gpu:2/4 license:1)");
    REQUIRE(cluster.ok());
    ClusterParts parts = cluster->parts();
    NodeShape shape = *parts.nodes[0].shape;
    shape.devices[2].is_consumed = false;
    parts.nodes[0].shape = shape;
    NodePlacement granted = part(0, "0-3", "");
    granted.devices = {{DeviceId(1), Count(3)}, {DeviceId(2), Count(1)}};
    auto job = JobState::create(parts.nodes, {OwnerId(1), Request{}, {{granted}}});
    REQUIRE(job.ok());
    Request request;
    DeviceRequest license;
    license.name = "license";
    DeviceRequest shares;
    shares.shares = Count(2);
    request.devices = {license, shares};
    run(*job, 0, request);
    CHECK(job->nodes()[0].free.shares_of(DeviceId(1)) == Count(1));
    CHECK(job->nodes()[0].free.shares_of(DeviceId(2)) == Count(1));
    CHECK(!place_step(*job, request));
    request.devices = {license, DeviceRequest{}};
    const auto whole = place_step(*job, request, {JobStep::Use::overlap, {}});
    REQUIRE(whole);
    CHECK(whole->nodes[0].devices == granted.devices);
    CHECK(!place_step(*job, request));
    shares.shares = Count(1);
    request.devices = {license, shares};
    run(*job, 1, request);
    const auto kinds = devices_of(job->nodes()[0]);
    REQUIRE(kinds.size() == 2);
    CHECK(kinds[0].count == Count(3));
    CHECK(kinds[0].step_count == Count(3));
    CHECK(kinds[0].step_indexes == SmallSet<>::of({1}));
    CHECK(message(job->start(step(2, {granted}))) == "node n0: core 0 is taken (step 0)");
    NodePlacement more = part(0, "", "");
    more.devices = {{DeviceId(1), Count(4)}};
    CHECK(message(job->start(step(2, {more}))) == "node n0: the job has 3 shares of gpu:1, not 4");
    more.devices = {{DeviceId(1), Count(2)}};
    CHECK(message(job->start(step(2, {more}))) ==
          "node n0: gpu:1 is taken, 0 of 3 shares are left (step 0, 1)");
    REQUIRE(job->end(StepId(0)).ok());
    REQUIRE(job->end(StepId(1)).ok());
    CHECK(*job == *JobState::create(parts.nodes, {OwnerId(1), Request{}, {{granted}}}));
}

TEST_CASE("place_step: instances of a sliced device", "[alloc]") {
    SliceGeometry geometry{"toy", 2, 2, {{"1g", 1, 1, gib(1), {0, 1}, 2}}};
    auto cluster = testing::cluster_from_text("1 x (4c gpu:1)");
    REQUIRE(cluster.ok());
    ClusterParts parts = cluster->parts();
    NodeShape shape = *parts.nodes[0].shape;
    shape.devices[0].slicing = Slicing{geometry, {}, false};
    parts.nodes[0].shape = shape;
    NodePlacement granted = part(0, "0-3", "");
    const auto instance = [](std::uint32_t start, const char* profile) {
        return DeviceShare{DeviceId(0), Count(1), Slicing::Instance{start, 1, profile}};
    };
    granted.devices = {instance(0, "1g"), instance(1, "1g")};
    auto job = JobState::create(parts.nodes, {OwnerId(1), Request{}, {{granted}}});
    REQUIRE(job.ok());
    Request request;
    DeviceRequest slice;
    slice.slice = "1g";
    request.devices = {slice};
    run(*job, 0, request);
    CHECK(job->steps()[0].placement.nodes[0].devices ==
          SmallVector<DeviceShare>{instance(0, "1g")});
    run(*job, 1, request);
    CHECK(!place_step(*job, request));
    CHECK(devices_of(job->nodes()[0])[0].step_count == Count(2));
    granted.devices = {instance(0, "9g")};
    CHECK(message(JobState::create(parts.nodes, {OwnerId(1), Request{}, {{granted}}}).status()) ==
          "node n0: instance 9g of toy: no such profile");
}

TEST_CASE("place_step: what kept others off does not keep the job off what it has", "[alloc]") {
    auto cluster = testing::cluster_from_text("2 x (4c gpu:2) 1 per switch");
    REQUIRE(cluster.ok());
    ClusterParts parts = cluster->parts();
    for (Node& node : parts.nodes) {
        NodeShape shape = *node.shape;
        shape.memory[0].capacity = gib(4);
        shape.memory[0].reserved = gib(3);
        shape.devices[0].reserved_cores = CoreSet::of({CoreId(0)});
        shape.devices[1].is_drained = true;
        shape.devices[1].slicing =
            Slicing{{"toy", 1, 1, {{"1g", 1, 1, gib(1), {0}, 1}}}, {{0, 1, "1g"}}, true};
        node.shape = shape;
    }
    const Placement all{{with_memory(part(0, "0-3", "0-1"), gib(1)), part(1, "0-3", "0-1")}};
    auto job = JobState::create(parts.nodes, {OwnerId(1), Request{}, all});
    REQUIRE(job.ok());
    Request request;
    request.features = {"fast"};
    request.partition = "batch";
    request.architecture = Architecture::arm;
    request.topology.switches_max = Count(1);
    request.nodes = Range<Count>::exactly(Count(2));
    request.tasks = Count(8);
    request.devices = {DeviceRequest{}};
    request.devices[0].count = Range<Count>::exactly(Count(2));
    StepOptions rows;
    rows.place.fit.rows = 2;
    const auto placed = place_step(*job, request, rows);
    INFO(to_text(placed));
    REQUIRE(placed);
    CHECK(placed->nodes[0].devices == all.nodes[0].devices);
    CHECK(placed->nodes[1].cores == all.nodes[1].cores);
    CHECK(!placed->nodes[1].row);
    Request core;
    core.memory = Range<Bytes>::exactly(gib(1));
    const auto lowest = place_step(*job, core);
    REQUIRE(lowest);
    CHECK(to_text(*lowest, *cluster) == "n0 cores=0 memory=0:1GiB");
}

TEST_CASE("place_step: devices of a job lie on the island that they lay on", "[alloc]") {
    const auto cluster = testing::cluster_from_text("1 x (4c gpu:3)");
    REQUIRE(cluster.ok());
    std::vector<Node> nodes = cluster->parts().nodes;
    NodeShape shape = *nodes[0].shape;
    shape.links = {{DeviceId(0), DeviceId(1), 1}, {DeviceId(1), DeviceId(2), 1}};
    nodes[0].shape = shape;
    const auto job = JobState::create(nodes, {OwnerId(7), Request{}, {{part(0, "0-1", "0,2")}}});
    REQUIRE(job.ok());
    Request request;
    request.devices = {DeviceRequest{}};
    request.devices[0].count = Range<Count>::exactly(Count(2));
    request.common_attributes = {{"island", {}}};
    const auto placed = place_step(*job, request);
    INFO(to_text(placed));
    CHECK(placed.has_value());
}

}  // namespace trestle
