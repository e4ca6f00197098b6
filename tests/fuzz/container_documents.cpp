// SPDX-License-Identifier: Apache-2.0
// Any bytes as each document for containers, and as a quantity: an error of one line, or a value
// that comes back from its text.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fuzz/target.hpp"
#include "trestle/dialect/container/docker.hpp"
#include "trestle/dialect/container/kubernetes.hpp"
#include "trestle/dialect/container/oci.hpp"
#include "trestle/dialect/container/quantity.hpp"
#include "trestle/dialect/json/json.hpp"

namespace {

using namespace trestle;

template <class Document>
void read_document(std::string_view text) {
    const auto document = json::from_json_text<Document>(text);
    if (!document.ok()) {
        if (message(document.status()).find('\n') != std::string_view::npos) std::abort();
        return;
    }
    const auto again = json::from_json_text<Document>(json::to_json_text(*document));
    if (!again.ok() || *again != *document) std::abort();
}

template <class Read>
void read_quantity(std::string_view text, Read read) {
    const auto amount = read(text);
    if (!amount) {
        if (amount.error().offset > text.size()) std::abort();
        return;
    }
    const auto again = read(container::quantity_text(*amount));
    if (!again || *again != *amount) std::abort();
}

}  // namespace

TRESTLE_FUZZ(container_documents) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    read_document<container::DockerContainer>(text);
    read_document<container::OciConfig>(text);
    read_document<container::KubernetesPod>(text);
    read_quantity(text, &container::read_bytes);
    read_quantity(text, &container::read_milli_cpus);
    read_quantity(text, &container::read_count);
}
