// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a request asks of one instance, and whether a share of an instance has it.
//
// Layer: alloc, inside. Main names: OfferDemand, offer_demands, has_all, refuse_share.
// Pitfall: an instance is taken whole or in blocks, so a range must contain what the share *has*;
// `gpu: 4..8` does not match an instance with 16 GPUs.

#include <optional>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "trestle/alloc/market/offer_refusal.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// What one node must have, as ranges.
struct OfferDemand {
    Range<Count> cpus;
    Range<Bytes> memory;  ///< for each device with Per::device, else in all
    Per memory_per = Per::node;
    std::vector<NodeDemand::Device> devices;
    Count cpus_per_device;
    std::vector<Request::CommonAttribute> common_attributes =
        {};  ///< that are about some of the devices
};

/// Asked `wanted` of a property, and the devices have another.
[[nodiscard]] OfferRefusal refuse_property(OfferRefusal::Test test, std::string wanted,
                                           std::string had,
                                           fmt::format_string<std::string&, std::string&> as);

/// True when the model is one of the types, or there are none.
[[nodiscard]] bool has_type(const Offer::Devices& offered, const DeviceRequest& request);
[[nodiscard]] inline bool has_vendor(const Offer::Devices& offered, const DeviceRequest& request) {
    return request.vendor.empty() || same_word(offered.vendor, request.vendor);
}
[[nodiscard]] bool has_model(const Offer::Devices& offered, const DeviceRequest& request);
[[nodiscard]] bool has_capability(const Offer::Devices& offered, const DeviceRequest& request);

/// True when each of the devices is what is wanted, however many there are.
[[nodiscard]] bool is_kind(const Offer::Devices& offered, const DeviceRequest& request);

/// The tests of what the devices are before those of how many: type and vendor.
[[nodiscard]] std::optional<OfferRefusal> refuse_vendor(const Offer::Devices& offered,
                                                        const DeviceRequest& request);

/// The tests of what each device is behind those of how many: model, compute capability, memory,
/// attributes.
[[nodiscard]] std::optional<OfferRefusal> refuse_kind(const Offer::Devices& offered,
                                                      const DeviceRequest& request);

[[nodiscard]] inline Bytes all_memory(const Offer::Devices& offered) {
    return checked_mul(offered.memory, offered.count.value()).value_or(Bytes::max());
}

[[nodiscard]] std::optional<OfferRefusal> refuse_total(const DeviceRequest& request, Bytes total);

/// Why these devices do not answer the demand; nothing when they do, as answers says without words.
[[nodiscard]] std::optional<OfferRefusal> refuse_devices(const Offer::Devices& offered, Count left,
                                                         const NodeDemand::Device& demand);

/// True when these devices, of which earlier demands have left some, answer the demand.
[[nodiscard]] bool answers(const Offer::Devices& offered, Count left,
                           const NodeDemand::Device& demand);

/// What is left of the devices of a share while its demands are answered.
class DeviceAnswer {
  public:
    explicit DeviceAnswer(const BlockShare& share);

    /// Takes the demand's least count of the first kind that answers it alone, else of all kinds
    /// that do together; false when none do, and nothing is taken then.
    [[nodiscard]] bool take(const NodeDemand::Device& demand);
    /// Why `take` says no: what the last kind of the name lacks.
    [[nodiscard]] OfferRefusal why(const NodeDemand::Device& demand) const;

    /// Why the devices that answer demands have not this in common; nothing when they have. Of
    /// one kind they have type, model and vendor in common. Offers tell nothing else: they are
    /// refused unless no device is concerned.
    [[nodiscard]] std::optional<OfferRefusal> refuse_common(
        const Request::CommonAttribute& common) const;

    /// How many devices of the share answer demands.
    [[nodiscard]] Count count() const;

  private:
    /// Devices of several models that are all as wanted count as one kind, if all are free.
    [[nodiscard]] bool take_together(const NodeDemand::Device& demand);

    const BlockShare& share_;
    std::vector<bool> answers_;
    std::vector<Count> left_;
};

[[nodiscard]] Range<Bytes> times(Range<Bytes> range, Count count);

[[nodiscard]] OfferDemand offer_demand(const Request& request);

/// One for the request's devices, and one for each of its alternatives.
[[nodiscard]] std::vector<OfferDemand> offer_demands(const Request& request);

/// The memory that is asked where so many devices answer. Memory for each of none is no demand.
[[nodiscard]] Range<Bytes> memory_for(const OfferDemand& demand, Count devices);
[[nodiscard]] inline Count cpus_for(const OfferDemand& demand, Count devices) {
    return checked_mul(demand.cpus_per_device, devices.value()).value_or(Count::max());
}

/// True when the share has what is asked, as refuse_share says with its words.
[[nodiscard]] bool has_all(const BlockShare& share, const OfferDemand& demand);

/// Why the share does not have what is asked; nothing when it has. CPUs, memory, devices, CPUs for
/// each device, in this order.
[[nodiscard]] std::optional<OfferRefusal> refuse_share(const BlockShare& share,
                                                       const OfferDemand& demand);

}  // namespace trestle::detail
