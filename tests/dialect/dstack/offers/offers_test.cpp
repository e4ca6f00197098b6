// SPDX-License-Identifier: Apache-2.0
// Explaining, tables, vendors and types: what is said of offers.
#include <algorithm>
#include <string>
#include <vector>

#include "alloc/market/offers/find_backend.hpp"
#include "cases.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/dialect/dstack/offers/table.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

using testing::offer_with;
using testing::run_of;

Catalog small_catalog() {
    const std::vector<Offer> offers = {
        offer_with("instance=big memory=64GB disk=200GB price=3 cpu-only"),
        offer_with("instance=gpu gpu_count=4 price=5"),
        offer_with("instance=spot gpu_count=2 price=1 spot=true backend=gcp"),
        offer_with("instance=gone price=2 availability=no_quota"),
    };
    return Catalog::read(offers).catalog;
}

std::string hints_of(const char* yaml) {
    const auto run = run_of(yaml);
    const auto said = dstack::explain_offers(small_catalog(), run.resources, run.profile);
    std::string text = said.is_together ? "together " : "";
    for (const dstack::BareHint& hint : said.hints) {
        text += hint.key + " " + hint.written + "->" + hint.instead + " ";
    }
    return text;
}

}  // namespace

TEST_CASE("dstack matching: order, and what cannot be had last", "[dialect][dstack]") {
    const auto names = [](const dstack::MatchOptions& options, const char* yaml) {
        const Catalog catalog = small_catalog();
        const auto run = run_of(yaml);
        std::string text;
        for (const CatalogMatch& match :
             dstack::match_offers(catalog, run.resources, run.profile, options)) {
            text += catalog[match.offer].instance + " ";
        }
        return text;
    };
    CHECK(names({}, "") == "big gpu gone ");
    CHECK(names({}, "spot_policy: auto") == "spot big gpu gone ");
    CHECK(names({}, "resources: {gpu: 1..}") == "gpu gone ");
    dstack::MatchOptions two;
    two.offers_max = Count(2);
    CHECK(names(two, "") == "big gpu ");  // dstack would give gone and big
    two.offers_max = Count(0);
    CHECK(names(two, "").empty());
}

TEST_CASE("dstack explain: a bare value that leaves nothing is named", "[dialect][dstack]") {
    struct Row {
        const char* run;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"resources: {memory: 32GB}", "memory 32GB->32GB.. ", "the guide's minimum"},
        {"resources: {memory: 32GB..}", "", "all match"},
        {"resources: {memory: 64GB}", "", "one matches"},
        {"resources: {cpu: 8}", "cpu 8->8.. ", "a count"},
        {"resources: {gpu: 1}", "gpu.count 1->1.. ", "one GPU exactly"},
        {"resources: {gpu: 24GB}", "gpu.memory 24GB->24GB.. ", "memory of each"},
        {"resources: {gpu: {total_memory: 100GB}}", "gpu.total_memory 100GB->100GB.. ", "of all"},
        {"resources: {gpu: {compute_capability: 7.5..7.5}}", "gpu.compute_capability 7.5->7.5.. ",
         "a version"},
        {"resources: {disk: 150GB, gpu: 0}", "gpu.count 0->0.. disk 150GB->150GB.. ",
         "a disk; or GPUs, whose hosts have disks of any size"},
        {"resources: {memory: 32GB, cpu: 8}", "together cpu 8->8.. memory 32GB->32GB.. ",
         "neither alone would help"},
        {"resources: {memory: 32GB, gpu: H100}", "", "no H100 whatever the memory"},
        {"resources: {memory: 9TB..}", "", "no bare value"},
        {"resources: {memory: 32GB}\nregions: [nowhere]", "", "the region is to blame"},
    };
    for (const Row& row : rows) {
        INFO(row.run << ": " << row.why);
        CHECK(hints_of(row.run) == row.expected);
    }
}

TEST_CASE("dstack explain: every test with its number of offers", "[dialect][dstack]") {
    const auto run = run_of("resources: {memory: 32GB, gpu: null}");
    const auto said = dstack::explain_offers(small_catalog(), run.resources, run.profile);
    CHECK(to_text(said) ==
          "0 of 4 offers fit\n"
          "1 fail pricing: asked on-demand, it is spot\n"
          "3 fail memory: asked 32GiB of memory, it has 64GiB\n"
          "memory: 32GB means exactly that and leaves nothing; 32GB or more is written 32GB..\n");
    const auto both = run_of("resources: {memory: 32GB, cpu: 8}");
    CHECK(to_text(dstack::explain_offers(small_catalog(), both.resources, both.profile))
              .ends_with("cpu: 8 means exactly that, and with the others leaves nothing; 8 or more "
                         "is written 8..\nmemory: 32GB means exactly that, and with the others "
                         "leaves nothing; 32GB or more is written 32GB..\n"));
    CHECK(to_text(dstack::explain_offers(small_catalog(), run_of("").resources)) ==
          "3 of 4 offers fit\n1 fail pricing: asked on-demand, it is spot\n");
    CHECK(said.matches == Count(0));
    CHECK(said.rejected.size() == 4);
}

TEST_CASE("dstack tables: dstack's columns, idle and busy instances included",
          "[dialect][dstack]") {
    std::vector<Offer> offers = {
        offer_with("disk=8TB price=11.57 spot=true"),
        offer_with("backend=remote region=remote instance=host-1 blocks=8 price=0 "
                   "availability=idle disk=900GB"),
        offer_with("backend=remote region=remote instance=host-2 price=0 availability=busy "
                   "cpu-only memory=63.5GB"),
        offer_with("availability=no_quota price=0.0125"),
    };
    const std::string table = dstack::to_table(offers);
    CHECK(
        table ==
        R"( #  BACKEND          RESOURCES                                                 INSTANCE TYPE  PRICE
 1  aws (us-east-1)  cpu=x86:96 mem=1152GB disk=8192GB gpu=A100:40GB:8 (spot)  p4d            $11.57
 2  remote (remote)  cpu=x86:96 mem=1152GB disk=900GB gpu=A100:40GB:8          host-1 (8/8)   $0       idle
 3  remote (remote)  cpu=x86:96 mem=63.5GB                                     host-2         $0       busy
 4  aws (us-east-1)  cpu=x86:96 mem=1152GB gpu=A100:40GB:8                     p4d            $0.0125  no quota
)");
    CHECK(dstack::to_table(std::vector<Offer>()) ==
          " #  BACKEND  RESOURCES  INSTANCE TYPE  PRICE\n");
}

TEST_CASE("dstack tables: instances show what is taken of them", "[dialect][dstack]") {
    Instance shared;
    shared.name = "f-0";
    shared.offer = offer_with("backend=remote region=remote blocks=8 price=0");
    shared.offer.instance.clear();
    shared.blocks = HostBlocks::unseen(Count(8));
    Instance whole = shared;
    whole.offer = offer_with("");
    whole.blocks = HostBlocks::unseen(Count(1));
    std::vector<Instance> instances = {shared, shared, shared, whole, whole, shared};
    for (const std::size_t i : {1u, 5u, 6u}) instances[1].blocks.owners[i] = OwnerId(7);
    for (auto& owner : instances[2].blocks.owners) owner = OwnerId(1);
    instances[3].blocks.owners[0] = OwnerId(1);
    instances[4].is_reachable = false;
    instances[5].state = Instance::State::terminating;
    CHECK(dstack::to_table(instances) ==
          R"( #  BACKEND          RESOURCES                              INSTANCE TYPE  PRICE
 1  remote (remote)  cpu=x86:96 mem=1152GB gpu=A100:40GB:8  f-0            $0     idle
 2  remote (remote)  cpu=x86:96 mem=1152GB gpu=A100:40GB:8  f-0            $0     3/8 busy
 3  remote (remote)  cpu=x86:96 mem=1152GB gpu=A100:40GB:8  f-0            $0     8/8 busy
 4  aws (us-east-1)  cpu=x86:96 mem=1152GB gpu=A100:40GB:8  p4d            $12    busy
 5  aws (us-east-1)  cpu=x86:96 mem=1152GB gpu=A100:40GB:8  p4d            $12    unreachable
 6  remote (remote)  cpu=x86:96 mem=1152GB gpu=A100:40GB:8  f-0            $0     terminating
)");
    const auto state = [&](std::size_t at) {
        return to_text(offer_of(instances[at]).availability);
    };
    CHECK(state(0) == "idle");
    CHECK(state(1) == "idle");
    CHECK(state(2) == "busy");
    CHECK(state(3) == "busy");
    CHECK(state(4) == "not_available");
    CHECK(offer_of(instances[1]).blocks == Count(8));
}

TEST_CASE("dstack tables: matches show the blocks that they take", "[dialect][dstack]") {
    const std::vector<Offer> offers = {
        offer_with("backend=remote region=remote instance=h blocks=8 price=0 availability=idle"),
        offer_with("price=2"), offer_with("price=3")};
    const Catalog catalog = Catalog::read(offers).catalog;
    const auto run = run_of("resources: {gpu: 2..}");
    const auto matches = dstack::match_offers(catalog, run.resources, run.profile);
    CHECK(dstack::to_table(catalog, matches, Count(1)) ==
          R"( #  BACKEND          RESOURCES                             INSTANCE TYPE  PRICE
 1  remote (remote)  cpu=x86:24 mem=288GB gpu=A100:40GB:2  h (2/8)        $0     idle
 Shown 1 of 3 offers, $3 max
)");
    const std::string all = dstack::to_table(catalog, matches);
    CHECK(std::count(all.begin(), all.end(), '\n') == 4);
    dstack::MatchOptions halves;
    halves.blocks = BlockCount{false, Count(2)};
    const auto cut = dstack::match_offers(catalog, run.resources, run.profile, halves);
    CHECK(dstack::to_table(catalog, cut, Count(2), halves.blocks) ==
          R"( #  BACKEND          RESOURCES                             INSTANCE TYPE  PRICE
 1  remote (remote)  cpu=x86:48 mem=576GB gpu=A100:40GB:4  h (1/2)        $0     idle
 2  aws (us-east-1)  cpu=x86:48 mem=576GB gpu=A100:40GB:4  p4d (1/2)      $2
 Shown 2 of 3 offers, $3 max
)");
    const Catalog other = Catalog::read(std::span(offers).first(1)).catalog;
    CHECK(broken_contract([&] { static_cast<void>(dstack::to_table(other, matches)); }) ==
          "the matches are the catalog's");
}

TEST_CASE("dstack GPUs: vendors by name, and Slurm's types", "[dialect][dstack]") {
    const auto vendor = [](const char* spec) {
        return dstack::with_vendor(dstack::parse_gpu(spec).value()).vendor;
    };
    CHECK(vendor("A100") == "nvidia");
    CHECK(vendor("MI300X:8") == "amd");
    CHECK(vendor("v5litepod-8") == "google");
    CHECK(vendor("A100,MI300X").empty());
    CHECK(vendor("A100:0").empty());  // none wanted
    CHECK(vendor("2").empty());
    CHECK(vendor("amd:A100") == "amd");  // what was said stays
    std::string text;
    for (const auto& gpu : dstack::gpus_of_type("a100")) text += to_text(gpu) + " ";
    CHECK(text == "nvidia:A100:40GB:1.. nvidia:A100:80GB:1.. ");
    CHECK(dstack::gpus_of_type("a100_80gb").size() == 1);
    CHECK(dstack::gpus_of_type("nothing").empty());
    CHECK(dstack::types_of(dstack::parse_gpu("A100,a100,H100:2").value()) ==
          std::vector<std::string>{"a100", "h100"});
}

TEST_CASE("dstack instances: a node is one of an SSH fleet", "[dialect][dstack]") {
    const auto node = testing::node_from_text("2s16c2t mem=512G gpu:a100:4");
    REQUIRE(node.ok());
    const Offer offer = dstack::instance_of(*node, Count(4));
    CHECK(offer.backend == "remote");
    CHECK(offer.blocks == Count(4));
    CHECK(testing::verdict_of(offer, "resources: {gpu: \"A100:1\"}") == "yes");
    CHECK(testing::verdict_of(offer, "nodes: 2") == "yes");
}

TEST_CASE("dstack backends: each once, and as many machines as dstack makes", "[dialect][dstack]") {
    int machines = 0;
    for (const Backend& backend : dstack::known_backends()) {
        INFO(backend.name);
        CHECK(find_backend(dstack::known_backends(), backend.name) == &backend);
        CHECK((backend.has_privileged || backend.kind == Backend::Kind::container));
        machines += backend.kind == Backend::Kind::vm ? 1 : 0;
    }
    CHECK(machines == 17);  // sixteen, and datacrunch, as verda was called before
    CHECK(find_backend(dstack::known_backends(), "Nobody") == nullptr);
    CHECK((*find_backend(dstack::known_backends(), "Remote")).has_blocks());
    CHECK_FALSE((*find_backend(dstack::known_backends(), "runpod")).has_blocks());
}

TEST_CASE("dstack releases: backends by release", "[dialect][dstack]") {
    using enum dstack::Release;
    const auto& before = dstack::known_backends(v0_21);
    CHECK(dstack::known_backends().size() == before.size() + 3);
    for (const char* name : {"daytona", "lium", "seeweb"}) {
        CHECK(find_backend(dstack::known_backends(v0_22), name) != nullptr);
        CHECK(find_backend(before, name) == nullptr);
    }
    CHECK(find_backend(dstack::known_backends(), "jarvislabs")->has_multinode);
    CHECK_FALSE(find_backend(before, "jarvislabs")->has_multinode);
    CHECK(dstack::filter_of({}).capabilities == dstack::known_backends());
    dstack::MatchOptions old;
    old.release = v0_21;
    CHECK(dstack::filter_of({}, old).capabilities == before);

    CHECK(dstack::parse_release("0.22").value() == v0_22);
    CHECK(dstack::parse_release("0.21.2").value() == v0_21);
    for (const char* text : {"", "0.2", "0.220", "0.20", "v0.22", "0.22-rc"}) {
        INFO(text);
        CHECK_FALSE(dstack::parse_release(text).ok());
    }
}

TEST_CASE("dstack matching: backends merged by the price of their next offers",
          "[dialect][dstack]") {
    struct Row {
        std::vector<const char*> offers;
        std::vector<std::string> backends;
        std::vector<std::uint32_t> order;
        const char* why;
    };
    const Row rows[] = {
        {{}, {}, {}, "none"},
        {{"price=1", "price=2", "price=3 backend=gcp"}, {}, {0, 1, 2}, "as by price"},
        {{"price=3 backend=vastai", "price=1 backend=vastai", "price=2"},
         {},
         {2, 0, 1},
         "the provider's order stays, though its second is the cheapest"},
        {{"price=2 backend=gcp", "price=2"}, {}, {0, 1}, "equals: the backend that appears first"},
        {{"price=2 backend=gcp", "price=2"}, {"AWS"}, {1, 0}, "or is named first, in any case"},
        {{"price=1 availability=no_quota", "price=5", "price=9 backend=gcp"},
         {},
         {1, 2, 0},
         "what cannot be had is last, and was merged with the others"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        std::vector<Offer> offers;
        for (const char* text : row.offers) offers.push_back(offer_with(text));
        CHECK(dstack::merged_order(offers, row.backends) == row.order);
    }
}

}  // namespace trestle
