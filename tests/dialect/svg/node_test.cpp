// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/svg/node.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/seed.hpp"
#include "support/xml.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/generators.hpp"
#include "trestle/testing/node_text.hpp"

using namespace trestle;

namespace {

Node node_of(const char* text) { return *testing::node_from_text(text); }

template <class Change>
Node changed(const char* text, Change change) {
    Node node = node_of(text);
    NodeShape shape = *node.shape;
    change(shape);
    REQUIRE(check(shape).ok());
    node.shape = shape;
    return node;
}

struct Parts {
    CoreSet cores;
    SmallVector<MemoryShare> memory;
    SmallVector<DeviceShare> devices;
};

NodePlacement placement_of(Parts parts) {
    NodePlacement placement;
    placement.cores = parts.cores;
    placement.memory = parts.memory;
    placement.devices = parts.devices;
    return placement;
}

CoreSet cores(std::uint32_t first, std::uint32_t last) { return CoreSet::range({first, last}); }

DeviceShare share(std::uint32_t device, std::int64_t shares = 1) {
    return {DeviceId(device), Count(shares)};
}

SliceGeometry a100_40gb() {
    SliceGeometry geometry{"a100-40gb", 7, 8, {}};
    geometry.profiles = {{"1g.5gb", 1, 1, gib(5), {0, 1, 2, 3, 4, 5, 6}, 7},
                         {"2g.10gb", 2, 2, gib(10), {0, 2, 4}, 3},
                         {"3g.20gb", 3, 4, gib(20), {0, 4}, 2}};
    return geometry;
}

/// The only title that starts with `start`.
std::string title_of(const std::string& picture, const std::string& start) {
    std::string found;
    for (const std::string& title : xml_titles(picture)) {
        if (title.rfind(start, 0) != 0) continue;
        CHECK(found.empty());
        found = title;
    }
    return found;
}

std::set<std::string> owners_in(const std::string& title) {
    std::set<std::string> owners;
    for (std::size_t at = title.find("owner "); at != std::string::npos;
         at = title.find("owner ", at + 1)) {
        const std::size_t number = at + 6;
        owners.insert(title.substr(number, title.find_first_not_of("0123456789", number) - number));
    }
    return owners;
}

}  // namespace

TEST_CASE("render_node: a node with two sockets, eight GPUs and owners", "[svg][golden]") {
    const Node node = changed("2s8c2t mem=512G gpu:a100-80G:8@nvlink*12 nic:mlx5:2 name=gpu-01",
                              [](NodeShape& shape) {
                                  for (std::uint32_t i = 0; i < 8; ++i) {
                                      shape.devices[i].switches = {i / 4, 10 + i / 2};
                                  }
                                  shape.system_cores = CoreSet::of({CoreId(0), CoreId(8)});
                                  shape.memory[0].reserved = gib(8);
                                  shape.devices[3].health = Health::failure;
                                  shape.devices[5].health = Health::warning;
                                  shape.devices[6].health = Health::unknown;
                                  shape.devices[7].is_drained = true;
                              });
    NodeLedger ledger(*node.shape);
    REQUIRE(ledger
                .take(placement_of({cores(1, 5), {{DomainId(0), gib(64)}}, {share(0), share(1)}}),
                      OwnerId(7))
                .ok());
    REQUIRE(
        ledger
            .take(placement_of({cores(9, 12), {{DomainId(1), gib(100)}}, {share(4)}}), OwnerId(12))
            .ok());
    svg::PictureOptions options;
    options.names = {{OwnerId(7), "training"}};
    options.proposed = placement_of({cores(12, 14), {{DomainId(1), gib(48)}}, {share(5)}});
    options.proposed->threads_per_core = Count(1);
    check_golden("svg_gpu_node.svg", svg::render_node(node, ledger, options));
}

TEST_CASE("render_node: half of the GPUs of a POWER8, linked in pairs", "[svg][golden]") {
    const Node node = node_of("2s10c8t mem=512G gpu:v100-16G:4@nvlink-pairs*3 arch=power name=p8");
    check_golden(
        "svg_pair_node.svg",
        svg::render_node(
            node, placement_of({cores(10, 13), {{DomainId(1), gib(100)}}, {share(2), share(3)}})));
}

TEST_CASE("render_node: a node with sliced and shared devices", "[svg][golden]") {
    const Node node =
        changed("1s16c2t mem=128G gpu:a100-40G:3 shard:2/4 name=mig", [](NodeShape& shape) {
            for (std::uint32_t i = 0; i < 3; ++i) {
                shape.devices[i].slicing = Slicing{a100_40gb(), {}, false};
            }
            shape.devices[1].slicing->instances = {{0, 4, "3g.20gb"}, {4, 2, "2g.10gb"}};
            shape.devices[2].reserved_cores = cores(12, 16);
        });
    NodeLedger ledger(*node.shape);
    const Slicing::Instance half{0, 4, "3g.20gb"};
    const Slicing::Instance quarter{4, 2, "2g.10gb"};
    REQUIRE(ledger
                .take(placement_of({cores(0, 2),
                                    {},
                                    {{DeviceId(0), Count(1), half},
                                     {DeviceId(1), Count(1), quarter},
                                     share(3)}}),
                      OwnerId(1))
                .ok());
    REQUIRE(ledger.take(placement_of({cores(2, 4), {}, {share(2), share(3, 2)}}), OwnerId(2)).ok());
    svg::PictureOptions options;
    options.proposed =
        placement_of({cores(4, 5), {}, {{DeviceId(0), Count(1), quarter}, share(4, 3)}});
    const std::string picture = svg::render_node(node, ledger, options);
    check_golden("svg_mig_node.svg", picture);
    CHECK(title_of(picture, "gpu 0,") ==
          "gpu 0, a100, 40 GiB, owner 1 3g.20gb at 0, this placement 2g.10gb at 4");
    CHECK(title_of(picture, "shard 0,") == "shard 0, owner 1 1 of 4 shares, owner 2 2 of 4 shares");
    CHECK(title_of(picture, "core 12,") ==
          "core 12, threads 12 and 28, free, reserved for owners of gpu 2");
}

TEST_CASE("render_node: cores that several rows share", "[svg][golden]") {
    const Node node = node_of("8c2t mem=64G name=rows");
    NodeLedger ledger(*node.shape);
    for (std::uint32_t row = 0; row < 3; ++row) {
        NodePlacement placement = placement_of({cores(2 * row, 2 * row + 4), {}, {}});
        placement.row = row;
        REQUIRE(ledger.take(placement, OwnerId(100 + row)).ok());
    }
    const std::string picture = svg::render_node(node, ledger);
    check_golden("svg_rows_node.svg", picture);
    CHECK(title_of(picture, "core 1,") == "core 1, threads 1 and 9, owner 100 in row 0");
    CHECK(title_of(picture, "core 2,") ==
          "core 2, threads 2 and 10, owner 100 in row 0, owner 101 in row 1");
}

TEST_CASE("render_node: no text of a node or a name leaves its place", "[svg]") {
    struct Row {
        std::string text;
        std::string written;
        const char* why;
    };
    const std::vector<Row> rows = {
        {"n0", "n0", "plain text stays"},
        {"a & b", "a &amp; b", "an entity would start"},
        {"</title><script>", "&lt;/title&gt;&lt;script&gt;", "an element would start"},
        {"]]>", "]]&gt;", "not allowed in text"},
        {"\" onload=\"x", "&quot; onload=&quot;x", "an attribute would end"},
        {"it's", "it&#39;s", "an attribute in single quotes would end"},
        {"&lt;", "&amp;lt;", "what looks escaped is text too"},
        {"a\tb\r\nc", "a b  c", "one line"},
        {std::string("a\0b", 3),
         "a\xef\xbf\xbd"
         "b",
         "XML has no zero byte"},
        {"\x1b[31m", "\xef\xbf\xbd[31m", "nor escape codes"},
        {"\x7f", "\xef\xbf\xbd", "nor deletes"},
        {"\xc2\x85", "\xef\xbf\xbd", "nor the other controls"},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
         "two, three and four bytes of UTF-8"},
        {"\xef\xbf\xbf", "\xef\xbf\xbd", "U+FFFF is no character"},
        {"\xff", "\xef\xbf\xbd", "no UTF-8"},
        {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd", "cut short"},
        {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd", "longer than needed"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "a surrogate"},
        {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "above U+10FFFF"},
    };
    for (const Row& row : rows) {
        INFO(row.why << ": " << row.written);
        Node node = changed("2c mem=1G gpu:1", [&](NodeShape& shape) {
            shape.devices[0].name = row.text;
            shape.devices[0].type = row.text;
        });
        node.name = row.text;
        svg::PictureOptions options;
        options.names = {{OwnerId(1), row.text}};
        const std::vector<svg::Taken> taken = {
            {OwnerId(1), placement_of({cores(0, 1), {}, {share(0)}})}};
        const std::string picture = svg::render_node(node, taken, options);
        CHECK(xml_breach(picture) == "");
        const auto titles = xml_titles(picture);
        CHECK(titles.front() == row.written);
        CHECK(std::count(titles.begin(), titles.end(),
                         "core 0, thread 0, owner 1 (" + row.written + ")") == 1);
        CHECK(std::count(titles.begin(), titles.end(),
                         row.written + " 0, " + row.written + ", owner 1 (" + row.written + ")") ==
              1);
    }
}

TEST_CASE("render_node: what these tests call well-formed is", "[svg]") {
    CHECK(xml_breach("<a b=\"1\"><c/>x &amp; y</a>\n") == "");
    for (const char* text :
         {"<a>", "</a>", "<a></b>", "<a b=1/>", "<a b=\"1\" b=\"2\"/>", "<a>&</a>", "<a>&nbsp;</a>",
          "<a b=\"<\"/>", "<a>\x1b</a>", "<a/>text", "< a/>"}) {
        INFO(text);
        CHECK(xml_breach(text) != "");
    }
}

TEST_CASE("render_node: text too long for its place is cut between characters", "[svg]") {
    Node node = node_of("2c");
    for (int i = 0; i < 100; ++i) node.name += "\xc3\xa9&";
    const std::string picture = svg::render_node(node, NodePlacement());
    CHECK(xml_breach(picture) == "");
    CHECK(picture.find("&amp;\xe2\x80\xa6<title>\xc3\xa9&amp;") != std::string::npos);  // all of it
}

TEST_CASE("render_node: a picture stands for itself", "[svg]") {
    const Node node = node_of("2s4c2t mem=64G gpu:4@nvlink name=n0");
    const std::string picture = svg::render_node(node, placement_of({cores(0, 2), {}, {share(0)}}));
    CHECK(picture.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\" ", 0) == 0);
    for (const char* word : {"<script", "href", " id=", "url(", "<image", "@import"}) {
        INFO(word);
        CHECK(picture.find(word) == std::string::npos);
    }
    // A page with the picture in it keeps its own colours: each rule is about pictures alone.
    const std::size_t style = picture.find("<style>@media (prefers-color-scheme: dark) {\n");
    REQUIRE(style != std::string::npos);
    std::istringstream rules(picture.substr(style, picture.find("</style>") - style));
    std::string rule;
    std::getline(rules, rule);
    for (; std::getline(rules, rule) && rule != "}";) {
        INFO(rule);
        CHECK(rule.rfind(".trestle-picture [", 0) == 0);
    }
    CHECK(rule == "}");
    CHECK(picture.find("<rect x=\"0\" y=\"0\" width=\"960\"") != std::string::npos);
    CHECK(picture.find("<desc>2 packages, 8 cores, 16 threads, 64 GiB, gpu 0-3; this placement: 2 "
                       "cores, gpu 0</desc>") != std::string::npos);
}

TEST_CASE("render_node: the width is kept between 480 and 4096", "[svg]") {
    struct Row {
        std::uint32_t asked;
        const char* drawn;
    };
    const Node node = node_of("2s4c2t mem=64G gpu:4");
    for (const Row row : {Row{0, "480"}, Row{480, "480"}, Row{700, "700"}, Row{4096, "4096"},
                          Row{UINT32_MAX, "4096"}}) {
        svg::PictureOptions options;
        options.width = row.asked;
        const std::string picture = svg::render_node(node, NodePlacement(), options);
        CHECK(picture.find(std::string("svg\" width=\"") + row.drawn + "\"") != std::string::npos);
    }
}

TEST_CASE("render_node: nodes of any size and form are drawn", "[svg]") {
    struct Row {
        const char* node;
        const char* why;
    };
    for (const Row row :
         {Row{"1c", "the least"},
          Row{"4s128c2t numa=4 l3=16 mem=4T gpu:h100:64@nvlink", "1024 threads, 64 devices"},
          Row{"32s1c mem=32G hbm=32G pmem=1P", "many packages, memory without cores"},
          Row{"1s128c8t l3=128", "as many caches as cores"}}) {
        INFO(row.why);
        const Node node = node_of(row.node);
        const std::string picture = svg::render_node(node, NodeLedger(*node.shape));
        CHECK(xml_breach(picture) == "");
        const auto titles = xml_titles(picture);
        CHECK(std::count_if(titles.begin(), titles.end(), [](const std::string& title) {
                  return title.rfind("core ", 0) == 0;
              }) == node.shape->hardware.core_count());
    }
    const std::string nothing = svg::render_node(Node(), NodePlacement());
    CHECK(xml_breach(nothing) == "");
    CHECK(xml_titles(nothing) == std::vector<std::string>{"node"});
}

TEST_CASE("render_node: all-linked devices are one bar, other links are arcs", "[svg]") {
    const std::string all = svg::render_node(node_of("2s4c gpu:8@nvlink*4"), NodePlacement());
    CHECK(title_of(all, "gpu 0-7: ") == "gpu 0-7: all linked, strength 4");
    CHECK(all.find("link gpu") == std::string::npos);

    const Node ring = changed("2s4c gpu:4", [](NodeShape& shape) {
        shape.links = {{DeviceId(0), DeviceId(1), 2},
                       {DeviceId(0), DeviceId(3), 1},
                       {DeviceId(1), DeviceId(2), UINT32_MAX},
                       {DeviceId(2), DeviceId(3), 0}};
    });
    const std::string arcs = svg::render_node(ring, NodePlacement());
    CHECK(title_of(arcs, "link gpu 0 to gpu 1") == "link gpu 0 to gpu 1, strength 2");
    CHECK(title_of(arcs, "link gpu 1 to gpu 2") == "link gpu 1 to gpu 2, strength 4294967295");
    CHECK(title_of(arcs, "link gpu 2 to gpu 3") == "");
}

TEST_CASE("render_node: every core, domain and device appears once and with its owners",
          "[svg][law]") {
    const std::uint64_t seed = test_seed();
    INFO("seed " << seed);
    for (std::uint64_t round = 0; round < test_rounds(200u); ++round) {
        INFO("round " << round);
        testing::Choices choices(seed + round);
        const Node node = testing::any_node(choices);
        const NodeShape& shape = *node.shape;
        std::vector<svg::Taken> taken;
        for (std::uint64_t owner = 0; owner < 12; ++owner) {
            taken.push_back({OwnerId(owner), NodePlacement()});
        }
        std::vector<std::set<std::string>> of_core(shape.hardware.cores.size());
        std::vector<std::set<std::string>> of_device(shape.devices.size());
        for (std::uint32_t i = 0; i < of_core.size(); ++i) {
            for (auto n = choices.below(3); n > 0; --n) {
                const auto owner = choices.below(taken.size());
                taken[owner].part.cores.insert(CoreId(i));
                of_core[i].insert(std::to_string(owner));
            }
        }
        for (std::uint32_t i = 0; i < of_device.size(); ++i) {
            if (choices.one_in(2)) continue;
            const auto owner = choices.below(taken.size());
            taken[owner].part.devices.push_back(
                {DeviceId(i),
                 Count(1 + static_cast<std::int64_t>(choices.below(
                               static_cast<std::uint64_t>(shape.devices[i].shares.value()))))});
            of_device[i].insert(std::to_string(owner));
        }
        const std::string picture = svg::render_node(node, taken);
        CHECK(xml_breach(picture) == "");
        CHECK(picture == svg::render_node(node, taken));
        std::reverse(taken.begin(), taken.end());
        CHECK(picture == svg::render_node(node, taken));
        for (std::uint32_t i = 0; i < of_core.size(); ++i) {
            const std::string title = title_of(picture, "core " + std::to_string(i) + ",");
            CHECK(owners_in(title) == of_core[i]);
            CHECK((title.find(", free") != std::string::npos) == of_core[i].empty());
        }
        for (std::uint32_t i = 0; i < of_device.size(); ++i) {
            const Device& device = shape.devices[i];
            const std::string title =
                title_of(picture, device.name + " " + std::to_string(device.index) + ",");
            CHECK(owners_in(title) == of_device[i]);
        }
        for (const MemoryDomain& domain : shape.memory) {
            if (domain.capacity.is_zero()) continue;
            CHECK(title_of(picture, "memory " + std::to_string(domain.os_index.value()) + ",") !=
                  "");
        }
    }
}

TEST_CASE("render_node: thousandths of CPUs stand beside their owner", "[svg]") {
    const Node node = node_of("4c mem=8G");
    NodePlacement placement;
    placement.milli_cpus = MilliCpu(1'500);
    NodeLedger ledger(*node.shape);
    REQUIRE(ledger.take(placement, OwnerId(3)).ok());
    CHECK(svg::render_node(node, ledger).find("1500 thousandths of CPUs") != std::string::npos);
}

TEST_CASE("render_node: a placement alone is what the same one proposed on an idle node is",
          "[svg][law]") {
    const Node node = node_of("2s4c2t mem=64G gpu:4@nvlink-pairs nic:2");
    const NodePlacement placement =
        placement_of({cores(1, 6), {{DomainId(0), gib(3)}}, {share(0), share(5)}});
    svg::PictureOptions options;
    options.proposed = placement;
    CHECK(svg::render_node(node, placement) ==
          svg::render_node(node, NodeLedger(*node.shape), options));
}
