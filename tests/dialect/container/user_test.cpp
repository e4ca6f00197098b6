// SPDX-License-Identifier: Apache-2.0
// Whose a container is, where its scratch directory lies, and what becomes of the other settings of
// its processes.
#include <algorithm>
#include <string>
#include <vector>

#include "support/golden.hpp"
#include "support/vendor_plan.hpp"
#include "trestle/dialect/container/docker.hpp"
#include "trestle/dialect/container/kubernetes.hpp"
#include "trestle/dialect/container/oci.hpp"
#include "trestle/dialect/json/json.hpp"

namespace trestle::container {
namespace {

Plan user_plan(const PlanOptions& options) {
    return plan(vendor_node(tpu_chips), two_gpus(), container_request(), share_policy(), options)
        .value();
}

PlanOptions user_options() {
    PlanOptions options = job_7();
    options.user = ProcessUser{1000, 100, {4, 27}, {}, true};
    options.user->capabilities = {ProcessUser::Capability::net_bind_service};
    options.scratch = Scratch{"/scratch"};
    return options;
}

struct Documents {
    OciDocument oci;
    DockerDocument docker;
    KubernetesDocument pod;
};

Documents documents_of(const Plan& plan, const ContainerOptions& options = {}) {
    OciBundle bundle;
    bundle.command = {{"sleep", "1"}, {{"PATH", "/bin"}}, ""};
    return {oci_config(plan, bundle, options).value(), docker_container(plan, options).value(),
            kubernetes_pod(plan, options).value()};
}

/// `receiver: how` of the rows of a resource.
std::vector<std::string> rows_of(const std::vector<KeptLimit>& limits, const std::string& name) {
    std::vector<std::string> rows;
    for (const KeptLimit& row : limits) {
        if (row.resource != name) continue;
        rows.push_back(std::string(to_text(row.keeper)) + ": " + row.limit);
    }
    return rows;
}

using Words = std::vector<std::string>;

TEST_CASE("container: the plan's user is the container's", "[dialect][container]") {
    const auto [oci, docker, pod] = documents_of(user_plan(user_options()));
    const OciProcess& process = oci.content.process;
    CHECK(process.user == OciUser{1000, 100, {4, 27}});
    CHECK(process.capabilities.bounding == Words{"CAP_NET_BIND_SERVICE"});
    CHECK(process.capabilities.effective.empty());
    CHECK(process.no_new_privileges);
    CHECK(oci.content.linux_.devices.front().uid == 1000);
    CHECK(docker.content.user == "1000:100");
    const HostConfig& host = docker.content.host_config;
    CHECK(host.group_add == Words{"4", "27"});
    CHECK(host.cap_drop == Words{"ALL"});
    CHECK(host.cap_add == Words{"NET_BIND_SERVICE"});  // what TPUs want is not kept
    CHECK(std::count(host.security_opt.begin(), host.security_opt.end(), "no-new-privileges") == 1);
    CHECK(pod.content.security_context.supplemental_groups == std::vector<std::uint32_t>{4, 27});
    const SecurityContext& context = pod.content.containers.front().security_context;
    CHECK(context.run_as_user == 1000u);
    CHECK(context.run_as_group == 100u);
    CHECK(context.allow_privilege_escalation == false);
    CHECK(context.capabilities == KubernetesCapabilities{{"NET_BIND_SERVICE"}, {"ALL"}});
    const Words kept{
        "receiver: uid=1000 gid=100 groups=4,27 capabilities=CAP_NET_BIND_SERVICE no_new_privs"};
    CHECK(rows_of(oci.limits, "user") == kept);
    CHECK(rows_of(docker.limits, "user") == kept);
    CHECK(rows_of(pod.limits, "user") == kept);
}

TEST_CASE("container: the caller's numbers win, all else of the user stays",
          "[dialect][container]") {
    ContainerOptions options;
    options.uid = 0;
    const auto [oci, docker, pod] = documents_of(user_plan(user_options()), options);
    CHECK(oci.content.process.user == OciUser{0, 100, {4, 27}});
    CHECK(oci.content.process.capabilities.effective == Words{"CAP_NET_BIND_SERVICE"});
    CHECK(docker.content.user == "0:100");
    CHECK(pod.content.containers.front().security_context.run_as_user == 0u);
    for (const auto& limits : {oci.limits, docker.limits, pod.limits}) {
        CHECK(rows_of(limits, "user").front() == "none: uid=1000 gid=100");
    }
    options.uid = 1000;
    const auto same = documents_of(user_plan(user_options()), options);
    CHECK(rows_of(same.oci.limits, "user").size() == 1);
}

TEST_CASE("container: a plan without user leaves it as it was", "[dialect][container]") {
    const auto [oci, docker, pod] = documents_of(user_plan(job_7()));
    CHECK(oci.content.process.user == OciUser{0, 0});
    CHECK(oci.content.process.capabilities.bounding.size() > 10);
    CHECK(oci.content.process.no_new_privileges);
    CHECK(docker.content.user == "0:0");
    CHECK(docker.content.host_config.cap_drop.empty());
    CHECK(pod.content.containers.front().security_context.allow_privilege_escalation ==
          std::nullopt);
    CHECK(rows_of(oci.limits, "user").empty());
}

TEST_CASE("container: a user that may gain privileges, and one that Kubernetes cannot hold",
          "[dialect][container]") {
    PlanOptions options = user_options();
    options.user->no_new_privs = false;
    options.user->capabilities.reset();
    auto made = documents_of(user_plan(options));
    CHECK_FALSE(made.oci.content.process.no_new_privileges);
    CHECK(made.oci.content.process.capabilities.bounding.size() > 10);
    CHECK(made.docker.content.host_config.cap_drop.empty());
    CHECK(made.pod.content.containers.front().security_context.allow_privilege_escalation ==
          std::nullopt);
    options.user->no_new_privs = true;
    options.user->capabilities = {ProcessUser::Capability::sys_admin};
    made = documents_of(user_plan(options));
    CHECK(made.pod.content.containers.front().security_context.allow_privilege_escalation ==
          std::nullopt);
    CHECK(rows_of(made.pod.limits, "user").back() == "none: no_new_privs");
}

TEST_CASE("container: the scratch directory is bound and named", "[dialect][container]") {
    const auto [oci, docker, pod] = documents_of(user_plan(user_options()));
    const OciMount scratch{
        "/scratch/job_7", "bind", "/scratch/job_7", {"rbind", "nosuid", "nodev", "rw"}};
    CHECK(oci.content.mounts.back() == scratch);
    CHECK(docker.content.host_config.binds.back() == "/scratch/job_7:/scratch/job_7");
    CHECK(pod.content.volumes.back() == KubernetesVolume{"scratch", EmptyDir(), {}});
    CHECK(pod.content.containers.front().volume_mounts.back() ==
          VolumeMount{"scratch", "/scratch/job_7"});
    CHECK_THAT(json::to_json_text(pod.content),
               Catch::Matchers::ContainsSubstring(R"({"name":"scratch","emptyDir":{}})"));
    for (const std::string name : {"SLURM_TMPDIR", "TMPDIR"}) {
        const std::string word = name + "=/scratch/job_7";
        const auto& oci_env = oci.content.process.env;
        CHECK(std::count(oci_env.begin(), oci_env.end(), word) == 1);
        const auto& docker_env = docker.content.env;
        CHECK(std::count(docker_env.begin(), docker_env.end(), word) == 1);
        const auto& pod_env = pod.content.containers.front().env;
        CHECK(std::count(pod_env.begin(), pod_env.end(),
                         KubernetesVariable{name, "/scratch/job_7"}) == 1);
    }
    for (const auto& limits : {oci.limits, docker.limits, pod.limits}) {
        CHECK(rows_of(limits, "scratch") == Words{"receiver: /scratch/job_7"});
    }
    PlanOptions odd = user_options();
    odd.scratch->root = "/a:b";
    const auto refused = docker_container(user_plan(odd));
    CHECK(refused.status().code() == StatusCode::kInvalidArgument);
    CHECK(message(refused.status()) == "scratch: \"/a:b/job_7\", expected a path without a colon");
}

TEST_CASE("container: other settings have a word or a loss", "[dialect][container]") {
    PlanOptions options = job_7();
    options.nice = 5;
    options.oom_score_adj = 100;
    options.umask = 0077;
    options.memory_mode = MemoryPolicy::Mode::bind;
    options.end.time_limit = Seconds(60);
    Plan plan = user_plan(options);
    plan.process.affinity = PuSet::range({8, 9});
    const auto [oci, docker, pod] = documents_of(plan);
    CHECK(oci.content.process.oom_score_adj == 100);
    CHECK(oci.content.process.user->umask == 0077u);
    CHECK(docker.content.host_config.oom_score_adj == 100);
    const auto settings = [](const std::vector<KeptLimit>& limits) {
        Words rows = rows_of(limits, "process");
        std::erase_if(rows, [](const std::string& row) {
            return row.find("memlock") != std::string::npos;  // TPUs'
        });
        return rows;
    };
    CHECK(settings(oci.limits) == Words{"none: nice 5", "receiver: oom_score_adj 100",
                                        "receiver: umask 0077", "none: memory policy bind 1",
                                        "none: affinity 8"});
    CHECK(settings(docker.limits)[1] == "receiver: oom_score_adj 100");
    CHECK(settings(docker.limits)[2] == "none: umask 0077");
    CHECK(settings(pod.limits)[1] == "none: oom_score_adj 100");
    for (const auto& limits : {oci.limits, docker.limits, pod.limits}) {
        CHECK(rows_of(limits, "time").size() == 1);
    }
}

TEST_CASE("container: golden documents of a user with a scratch directory",
          "[dialect][container][golden]") {
    const auto [oci, docker, pod] = documents_of(user_plan(user_options()));
    const auto shown = [](const std::string& heading, const auto& part) {
        return heading + "\n" + json::to_json_text(part, json::Layout::indented) + "\n\n";
    };
    check_golden("container_user.txt",
                 shown("oci, process", oci.content.process) +
                     shown("oci, mounts", oci.content.mounts) + kept_table(oci.limits) + "\n" +
                     shown("docker", docker.content) + kept_table(docker.limits) + "\n" +
                     shown("kubernetes", pod.content) + kept_table(pod.limits));
}

}  // namespace
}  // namespace trestle::container
