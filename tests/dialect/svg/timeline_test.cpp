// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/svg/timeline.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/xml.hpp"
#include "trestle/testing/cluster_text.hpp"

using namespace trestle;

namespace {

static_assert(lists_all_fields<svg::TimelinePictureOptions>);

Timeline timeline_of(const char* cluster) { return Timeline(*testing::cluster_from_text(cluster)); }

void plan(Timeline& timeline, std::uint64_t owner, const Placement& placement,
          const Period& period) {
    const Status status = timeline.reserve({OwnerId(owner), {}, placement}, period);
    INFO(status.ToString());
    REQUIRE(status.ok());
}
void plan_nodes(Timeline& timeline, std::uint64_t owner, NodeSet::Run nodes, std::int64_t from,
                std::int64_t to) {
    plan(timeline, owner, *whole_nodes(timeline.cluster(), NodeSet::range(nodes)),
         {Instant(from), Instant(to)});
}
/// So many cores and GPUs of a node, from the first of each.
Placement part_of(std::uint32_t node, std::uint32_t first, std::uint32_t amount) {
    NodePlacement part;
    part.node = NodeId(node);
    part.cores = CoreSet::range({first, first + amount});
    for (std::uint32_t i = 0; i < amount; ++i) part.devices.push_back({DeviceId(first + i)});
    return {{part}};
}

std::int64_t count_of(const std::string& text, std::string_view what) {
    std::int64_t count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("render_timeline: jobs, parts of nodes, a window of maintenance", "[svg][golden]") {
    Timeline timeline = timeline_of("16 x (8c mem=64G gpu:4 name=dgx)");
    plan_nodes(timeline, 1, {0, 4}, 0, 3600);
    plan_nodes(timeline, 2, {6, 7}, 0, 5400);
    plan(timeline, 3, part_of(8, 0, 2), {Instant(0), Instant(1800)});
    plan(timeline, 4, part_of(8, 2, 1), {Instant(0), end_of_time});
    plan(timeline, 5, part_of(8, 0, 1), {Instant(1800), Instant(6000)});
    plan_nodes(timeline, 99, {12, 16}, 3600, 7200);
    REQUIRE(timeline
                .change_cluster([](Cluster& cluster) {
                    cluster.set_node_state(NodeId(10), NodeState::drained);
                    cluster.set_node_state(NodeId(11), NodeState::down);
                    return Status();
                })
                .ok());
    svg::TimelinePictureOptions options;
    options.title = "research";
    options.names = {{OwnerId(1), "training"}, {OwnerId(99), "maintenance"}};
    const std::string picture = svg::render_timeline(timeline, options);
    check_golden("svg_timeline.svg", picture);
    CHECK(xml_breach(picture) == "");
    const auto titles = xml_titles(picture);
    for (const char* title :
         {"owner 1 (training), from 0 to 3600, 4 nodes", "owner 4, from 0 on, 1 node",
          "owner 99 (maintenance), from 3600 to 7200, 4 nodes", "dgx10, drained", "dgx11, down"}) {
        INFO(title);
        CHECK(std::count(titles.begin(), titles.end(), title) == 1);
    }
    CHECK(picture.find("16 nodes, from 0 to 7200; 4 owners now, 2 later") != std::string::npos);
}

TEST_CASE("render_timeline: the nodes and the time that are asked for", "[svg]") {
    Timeline timeline = timeline_of("4 x (2c)");
    plan_nodes(timeline, 1, {0, 2}, 10, 20);
    plan_nodes(timeline, 2, {3, 4}, 30, 90);
    svg::TimelinePictureOptions options;
    options.nodes = NodeSet::of({NodeId(1), NodeId(3), NodeId(77)});
    options.last = Instant(30);
    const std::string picture = svg::render_timeline(timeline, options);
    CHECK(xml_breach(picture) == "");
    CHECK(picture.find("2 nodes, from 0 to 30; 0 owners now, 1 later") != std::string::npos);
    CHECK(count_of(picture, ">n1<") == 1);
    CHECK(count_of(picture, ">n0<") + count_of(picture, ">n2<") == 0);
    CHECK(count_of(picture, "owner 2") == 0);  // begins where the picture ends

    options.last = Instant(0);  // not after now: as if absent
    CHECK(svg::render_timeline(timeline, options).find("from 0 to 90") != std::string::npos);
}

TEST_CASE("render_timeline: a bar has as much of its owner's label as fits", "[svg]") {
    Timeline timeline = timeline_of("4 x (1c)");
    const std::int64_t widths[] = {7200, 1500, 900, 480};  // of 10800
    for (std::uint32_t i = 0; i < 4; ++i) plan_nodes(timeline, 1234 + i, {i, i + 1}, 0, widths[i]);
    svg::TimelinePictureOptions options;
    options.last = Instant(10'800);
    for (std::uint32_t i = 0; i < 4; ++i)
        options.names.push_back({OwnerId(1234 + i), "train a net"});
    const std::string picture = svg::render_timeline(timeline, options);
    for (const char* label : {">owner 1234 (train a net)</text>", ">train a net</text>",
                              ">owner 1236</text>", ">1237</text>"}) {
        INFO(label);
        CHECK(picture.find(label) != std::string::npos);
    }
}

TEST_CASE("render_timeline: the legend has the first owners and counts the others", "[svg]") {
    Timeline timeline = timeline_of("40 x (1c)");
    for (std::uint32_t i = 0; i < 40; ++i) plan_nodes(timeline, i, {i, i + 1}, 0, 60);
    const std::string picture = svg::render_timeline(timeline);
    CHECK(count_of(picture, "font-weight=\"bold\">owner ") == 24);
    CHECK(picture.find(">16 more owners</text>") != std::string::npos);
}

TEST_CASE("render_timeline: what is empty is a picture too", "[svg]") {
    CHECK(xml_breach(svg::render_timeline(Timeline())) == "");
    const std::string idle = svg::render_timeline(timeline_of("2 x (2c)"));
    CHECK(xml_breach(idle) == "");
    CHECK(idle.find("2 nodes, from 0 to 3600; 0 owners now, 0 later") != std::string::npos);
    Timeline late(*testing::cluster_from_text("1 x (2c)"), Instant(end_of_time.value() - 1));
    CHECK(xml_breach(svg::render_timeline(late)) == "");
    Timeline timeline = timeline_of("2 x (2c)");
    REQUIRE(timeline.change_cluster([](Cluster& c) { return c.remove_node(NodeId(0)); }).ok());
    const std::string one = svg::render_timeline(timeline);
    CHECK(one.find("1 node, from 0") != std::string::npos);
    CHECK(count_of(one, ">n0<") == 0);
}

TEST_CASE("render_timeline: bars of one node never lie over each other", "[svg]") {
    Timeline timeline = timeline_of("1 x (8c gpu:8)");
    for (std::uint32_t i = 0; i < 8; ++i) {
        plan(timeline, 10 + i, part_of(0, i, 1), {Instant(0), Instant(100 + 10 * i)});
    }
    plan(timeline, 20, part_of(0, 0, 2), {Instant(110), Instant(300)});
    const std::string picture = svg::render_timeline(timeline);
    CHECK(xml_breach(picture) == "");
    // Of 20 pixels each GPU has 2 or 3: the eight bars start at eight heights, the last on the
    // lowest.
    std::vector<std::string> heights;
    for (std::uint32_t i = 0; i < 8; ++i) {
        const auto group = picture.find("<title>owner " + std::to_string(10 + i));
        const auto at = picture.find(" y=\"", group);
        heights.push_back(picture.substr(at, picture.find(' ', at + 1) - at));
    }
    std::sort(heights.begin(), heights.end());
    CHECK(std::unique(heights.begin(), heights.end()) == heights.end());
}

TEST_CASE("render_timeline: a thousand nodes can be read, and ten thousand are said", "[svg]") {
    Timeline timeline = timeline_of("1000 x (8c gpu:4)");
    for (std::uint32_t i = 0; i < 500; ++i) {
        plan_nodes(timeline, i, {2 * i, 2 * i + 2}, i % 7 * 100, 1000 + i % 11 * 100);
    }
    const std::string picture = svg::render_timeline(timeline);
    CHECK(xml_breach(picture) == "");
    CHECK(picture.size() < 300'000);
    CHECK(picture.find("height=\"3") != std::string::npos);

    const std::string many = svg::render_timeline(timeline_of("10000 x (1c)"));
    CHECK(many.find("the first 2,048 of 10,000 nodes") != std::string::npos);
    CHECK(many.size() < 300'000);
}

TEST_CASE("render_timeline: at the end of time nothing lies ahead", "[svg]") {
    Timeline timeline = timeline_of("1 x (2c)");
    plan_nodes(timeline, 1, {0, 1}, 0, end_of_time.value());
    REQUIRE(timeline.advance(Instant(end_of_time.value() - 1)).ok());
    CHECK(xml_breach(svg::render_timeline(timeline)) == "");
    REQUIRE(timeline.advance(end_of_time).ok());
    CHECK(xml_breach(svg::render_timeline(timeline)) == "");
}

TEST_CASE("render_timeline: no text leaves its place", "[svg]") {
    Timeline timeline = timeline_of("1 x (2c)");
    plan_nodes(timeline, 1, {0, 1}, 0, 10);
    svg::TimelinePictureOptions options;
    options.title = "a < b";
    options.names = {{OwnerId(1), "</title><script>"}};
    const std::string picture = svg::render_timeline(timeline, options);
    CHECK(xml_breach(picture) == "");
    CHECK(picture.find("<script>") == std::string::npos);
}
