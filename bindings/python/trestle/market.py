# SPDX-License-Identifier: Apache-2.0
"""Offers: catalogs of instances, what of them fits a request, instances and their blocks.

    matches = trestle.market.match_offers(catalog, request)

All names are in `trestle` too, where pickles and reprs find them.
"""

from . import (  # noqa: F401
    Availability, Backend, BackendKind, BlockCount, BlockSet, BlockShare, BlockSplit, Catalog,
    CatalogMatch, CatalogMatches, HostBlocks, Instance, InstanceShare, InstanceState,
    Interconnect, KnownDevice, Offer, OfferFilter, OfferMatch, OfferRefusal, OfferTest,
    OfferedDevices, Pricing, RejectedOffer, Reservation, RowError, Unavailable, check,
    check_blocks, check_offer, choose_blocks, even_blocks, explain_offer, explain_offers,
    find_device, give_back_blocks, known_devices, look_at, match_offers, offer_of, row_errors,
    share_of, split, take_blocks, takes_work, usable_blocks, with_blocks,
)

__all__ = [
    "Availability", "Backend", "BackendKind", "BlockCount", "BlockSet", "BlockShare",
    "BlockSplit", "Catalog", "CatalogMatch", "CatalogMatches", "HostBlocks", "Instance",
    "InstanceShare", "InstanceState", "Interconnect", "KnownDevice", "Offer", "OfferFilter",
    "OfferMatch", "OfferRefusal", "OfferTest", "OfferedDevices", "Pricing", "RejectedOffer",
    "Reservation", "RowError", "Unavailable", "check", "check_blocks", "check_offer",
    "choose_blocks", "even_blocks", "explain_offer", "explain_offers", "find_device",
    "give_back_blocks", "known_devices", "look_at", "match_offers", "offer_of", "row_errors",
    "share_of", "split", "take_blocks", "takes_work", "usable_blocks", "with_blocks",
]
