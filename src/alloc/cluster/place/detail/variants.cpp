// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/detail/variants.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "trestle/model/features.hpp"

namespace trestle::detail {

namespace {

[[nodiscard]] bool has_alternatives(const Request& request) {
    return !request.device_alternatives.empty() || !request.feature_sets.empty() ||
           std::any_of(request.components.begin(), request.components.end(), has_alternatives);
}

[[nodiscard]] std::vector<Request> settled(const Request& request) {
    std::vector<Request> variants;
    std::vector<std::vector<DeviceRequest>> devices{request.devices};
    devices.insert(devices.end(), request.device_alternatives.begin(),
                   request.device_alternatives.end());
    std::vector<FeatureExpression> sets = request.feature_sets;
    if (sets.empty()) sets.emplace_back();
    for (const auto& some : devices) {
        for (const FeatureExpression& set : sets) {
            Request one = request;
            one.devices = some;
            one.features = one.features & set;
            variants.push_back(std::move(one));
        }
    }
    for (std::size_t i = 0; i < request.components.size(); ++i) {
        const std::vector<Request> of_component = settled(request.components[i]);
        std::vector<Request> all;
        for (const Request& one : variants) {
            for (const Request& component : of_component) {
                all.push_back(one);
                all.back().components[i] = component;
            }
        }
        variants = std::move(all);
    }
    return variants;
}

}  // namespace

std::vector<Shared<Request>> variants_of(const Shared<Request>& request) {
    if (!has_alternatives(*request)) return {request};
    std::vector<Shared<Request>> variants;
    for (Request& one : settled(*request)) variants.emplace_back(std::move(one));
    return variants;
}

FeatureExpression features_of_any_set(const Request& request) {
    if (request.feature_sets.empty()) return request.features;
    FeatureExpression any = request.feature_sets.front();
    for (std::size_t i = 1; i < request.feature_sets.size(); ++i) {
        any = std::move(any) | request.feature_sets[i];
    }
    return request.features & std::move(any);
}

}  // namespace trestle::detail
