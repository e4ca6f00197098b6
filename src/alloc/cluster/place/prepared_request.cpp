// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/place/prepared_request.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/detail/variants.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

struct PreparedRequest::Data {
    explicit Data(Shared<Request> given)
        : request(std::move(given)),
          variants(detail::variants_of(request)),
          hash(hash_of(*request)) {}

    Shared<Request> request;
    std::vector<Shared<Request>> variants;
    std::uint64_t hash;
};

PreparedRequest::PreparedRequest() {
    static const auto nothing = std::make_shared<const Data>(Shared<Request>());
    data_ = nothing;
}

StatusOr<PreparedRequest> PreparedRequest::create(Request request) {
    TRESTLE_TRY_STATUS(check(request));
    return PreparedRequest(std::make_shared<const Data>(Shared<Request>(std::move(request))));
}

PreparedRequest::PreparedRequest(Request request)
    : PreparedRequest(Shared<Request>(std::move(request))) {}

PreparedRequest::PreparedRequest(Shared<Request> request) {
    TRESTLE_EXPECTS(check(*request).ok(), "a prepared request is a valid one");
    data_ = std::make_shared<const Data>(std::move(request));
}

const Shared<Request>& PreparedRequest::shared() const { return data_->request; }

std::span<const Shared<Request>> PreparedRequest::variants() const { return data_->variants; }

bool operator==(const PreparedRequest& a, const PreparedRequest& b) {
    return a.data_ == b.data_ ||
           (a.data_->hash == b.data_->hash && a.data_->request == b.data_->request);
}

void PreparedRequest::hash_into(HashState& state) const { trestle::hash_into(state, data_->hash); }

std::string to_text(const PreparedRequest& request) { return fmt::format("{}", *request); }

}  // namespace trestle
