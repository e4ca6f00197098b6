// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/registration.hpp"
#include "trestle/alloc/market/match.hpp"
#include "trestle/alloc/market/offers/instance.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_explanation.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/dialect/container/docker.hpp"
#include "trestle/dialect/container/kubernetes.hpp"
#include "trestle/dialect/container/oci.hpp"
#include "trestle/dialect/json/credential.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/json/timeline.hpp"
#include "trestle/enforce/capabilities.hpp"
#include "trestle/enforce/explain_limits.hpp"
#include "trestle/enforce/health/device_health.hpp"
#include "trestle/enforce/health/node_health.hpp"
#include "trestle/enforce/health/rates.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/plan_update.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/outcome.hpp"
#include "trestle/enforce/process/usage.hpp"
#include "trestle/model/node_builder.hpp"

namespace trestle::python {
namespace {

/// Adds to_json and from_json to a class that is bound already.
template <class T>
void add_json() {
    const nb::handle type = nb::type<T>();
    nb::cpp_function_def([](const T& self) { return json::to_json_text(self); }, nb::scope(type),
                         nb::name("to_json"), nb::is_method(),
                         "The value as JSON in one line; equal values have equal text.");
    nb::cpp_function_def(
        [](std::string_view text) { return json::from_json_text<T>(text); }, nb::scope(type),
        nb::name("from_json"), nb::arg("text"),
        "The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.");
}

template <class... T>
void add_json_to() {
    (add_json<T>(), ...);
}

nb::bytes content_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

/// What Python gives as a signer: from bytes to bytes, or None.
json::CredentialSigner signer_of(const nb::object& sign) {
    if (sign.is_none()) return {};
    return [sign](std::string_view content) -> StatusOr<std::string> {
        const auto signature = nb::cast<nb::bytes>(sign(content_bytes(content)));
        return std::string(signature.c_str(), signature.size());
    };
}
/// The same for a verifier: from two bytes to whether they belong together.
json::CredentialVerifier verifier_of(const nb::object& verify) {
    if (verify.is_none()) return {};
    return [verify](std::string_view content, std::string_view signature) {
        if (nb::cast<bool>(verify(content_bytes(content), content_bytes(signature))))
            return Status();
        return make_error(StatusCode::kPermissionDenied, "the signature is another's");
    };
}

void bind_credentials(nb::module_& module) {
    module.def(
        "write_credential",
        [](const Credential& credential, const nb::object& sign) {
            return json::write_credential(credential, signer_of(sign));
        },
        nb::arg("credential"), nb::arg("sign") = nb::none(),
        nb::sig("def write_credential(credential: Credential, "
                "sign: collections.abc.Callable[[bytes], bytes] | None = None) -> str"),
        doc("json.write_credential"));
    module.def(
        "read_credential",
        [](std::string_view text, const nb::object& verify) {
            return json::read_credential(text, verifier_of(verify));
        },
        nb::arg("text"), nb::arg("verify") = nb::none(),
        nb::sig("def read_credential(text: str, "
                "verify: collections.abc.Callable[[bytes, bytes], bool] | None = None) "
                "-> Credential"),
        doc("json.read_credential"));
}

}  // namespace

void bind_json(nb::module_& module) {
    add_json_to<Node, NodeShape, NodeDescription, Network, Partition, Fleet, ClusterParts,
                Cluster>();
    add_json_to<Timeline, PassResult>();
    add_json_to<SliceGeometry, Slicing, NodeDemand, FreeState, FitExplanation>();
    add_json_to<Request, Offer, Instance, OfferMatch, NodePlacement, Placement, Allocation,
                Explanation>();
    add_json_to<LimitPolicy, Plan, LimitRow, Command, Outcome, ResourceUsage, Capabilities,
                PlanUpdate>();
    add_json_to<Rates, DeviceCounters, DeviceCounters::Thresholds, HealthReport, DeviceReport>();
    add_json_to<Credential, RegistrationFinding>();
    add_json_to<container::DockerContainer, container::HostConfig, container::OciConfig,
                container::OciResources, container::KubernetesPod,
                container::KubernetesResources>();
    bind_credentials(module);
}

}  // namespace trestle::python
